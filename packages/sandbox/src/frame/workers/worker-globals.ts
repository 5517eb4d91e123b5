/** Stands in for interfaces that don't exist in workers, so that `instanceof` is false. */
function Absent(): void {}

export {
  Absent as Comment,
  Absent as Document,
  Absent as DOMTokenList,
  Absent as Element,
  Absent as HTMLCollection,
  Absent as HTMLScriptElement,
  Absent as NamedNodeMap,
  Absent as Node,
  Absent as NodeList,
  Absent as ShadowRoot,
  Absent as Text,
};
