/**
 * Makes the page what an edited document says, without loading it again. That is only done where
 * nothing can tell the difference: no script is in the old document or the new one, nothing that
 * runs or loads by itself changes, and the page is what the old document made of it.
 */

/** Ours are the nodes that we put there and the document does not know. */
export function patchDocument(
  before: string,
  after: string,
  isOurs: (node: Node) => boolean,
): 'done' | 'reload' {
  const parser = new DOMParser();
  const [old, next] = [before, after].map((html) => parser.parseFromString(html, 'text/html'));
  if (!old || !next || old.compatMode !== next.compatMode) return 'reload';
  if (runsSomething(old) || runsSomething(next)) return 'reload';
  const changes: (() => void)[] = [];
  const isFaithful =
    document.compatMode === old.compatMode &&
    collect(document.documentElement, old.documentElement, next.documentElement);
  if (!isFaithful) return 'reload';
  for (const change of changes) change();
  return 'done';

  /** Adds what has to change below `live`; false where the page is not what `from` made of it. */
  function collect(live: Element, from: Element, to: Element): boolean {
    if (live.localName !== from.localName || from.localName !== to.localName) return false;
    if (!from.isEqualNode(to) && loadsByItself(from)) return false;
    collectAttributes(live, from, to);
    const children = [...live.childNodes].filter((node) => !isOurs(node));
    const [fromChildren, toChildren] = [[...from.childNodes], [...to.childNodes]];
    if (children.length !== fromChildren.length) return false;
    const start = countEqual(fromChildren, toChildren);
    const most = Math.min(fromChildren.length, toChildren.length) - start;
    const end = countEqual(fromChildren.toReversed(), toChildren.toReversed(), most);
    return collectMiddle(
      live,
      children.slice(start, children.length - end),
      fromChildren.slice(start, fromChildren.length - end),
      toChildren.slice(start, toChildren.length - end),
      children[children.length - end] ?? null,
    );
  }

  function collectMiddle(
    parent: Element,
    live: ChildNode[],
    from: ChildNode[],
    to: ChildNode[],
    next: ChildNode | null,
  ): boolean {
    if (from.length === to.length && from.every((node, index) => isSameKind(node, to[index])))
      return live.every((node, index) => collectOne(node, from[index], to[index]));
    if (![...from, ...to].every(isInert)) return false;
    changes.push(() => {
      for (const node of live) node.remove();
      for (const node of to) parent.insertBefore(document.importNode(node, true), next);
    });
    return true;
  }

  function collectOne(live: ChildNode, from?: ChildNode, to?: ChildNode): boolean {
    if (live instanceof Element && from instanceof Element && to instanceof Element)
      return collect(live, from, to);
    if (!(live instanceof CharacterData && from instanceof CharacterData)) return false;
    if (!(to instanceof CharacterData) || live.data !== from.data) return false;
    if (from.data !== to.data) changes.push(() => (live.data = to.data));
    return true;
  }

  function collectAttributes(live: Element, from: Element, to: Element): void {
    for (const { name, value } of to.attributes)
      if (from.getAttribute(name) !== value) changes.push(() => live.setAttribute(name, value));
    for (const { name } of from.attributes)
      if (!to.hasAttribute(name)) changes.push(() => live.removeAttribute(name));
  }
}

function countEqual(a: ChildNode[], b: ChildNode[], most: number = Math.min(a.length, b.length)) {
  let count = 0;
  while (count < most && a[count]?.isEqualNode(b[count] ?? null)) count += 1;
  return count;
}

function isSameKind(a: ChildNode, b: ChildNode | undefined): boolean {
  return a.nodeName === b?.nodeName;
}

/** Scripts, whatever their type, handlers in attributes, and other documents. */
function runsSomething(root: Document): boolean {
  if (root.querySelector('script, iframe, frame, object, embed, meta[http-equiv]')) return true;
  return [...root.querySelectorAll('*')].some(
    (element) =>
      element.localName.includes('-') ||
      [...element.attributes].some(
        ({ name, value }) => name.startsWith('on') || /^\s*javascript:/i.test(value),
      ),
  );
}

/** Changing these in place is not what loading the page anew does. */
function loadsByItself(element: Element): boolean {
  return element.matches('base, link, meta, video, audio, source, track, template, noscript');
}

function isInert(node: ChildNode): boolean {
  if (!(node instanceof Element)) return true;
  return ![node, ...node.querySelectorAll('*')].some(loadsByItself);
}
