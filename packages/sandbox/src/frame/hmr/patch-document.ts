/**
 * Patches the document to edited HTML without a reload. Done only where no difference can be observed: neither
 * version has scripts, nothing that runs or loads by itself changes, and the document is exactly what the old
 * version produced.
 */

/**
 * Patches the document from the HTML `before` to the HTML `after`. Returns 'reload', without any change, if the
 * result could differ from loading `after`. `isOurs` identifies nodes that we added to the document.
 */
export function patchDocument(
  before: string,
  after: string,
  isOurs: (node: Node) => boolean,
): 'done' | 'reload' {
  const parser = new DOMParser();
  const [old, next] = [before, after].map((html) => parser.parseFromString(html, 'text/html'));
  if (!old || !next || old.compatMode !== next.compatMode) return 'reload';
  if (isActive(old) || isActive(next)) return 'reload';
  const changes: (() => void)[] = [];
  const isFaithful =
    document.compatMode === old.compatMode &&
    collect(document.documentElement, old.documentElement, next.documentElement);
  if (!isFaithful) return 'reload';
  for (const change of changes) change();
  return 'done';

  /** Collects the changes below `live`; false if the document isn't what `from` produced. */
  function collect(live: Element, from: Element, to: Element): boolean {
    if (live.localName !== from.localName || !isSameKind(from, to)) return false;
    if (isSame(from, to)) return true;
    if (loadsByItself(from) || loadsByItself(to)) return false;
    if (hasState(from)) return replace(live, from, to);
    collectAttributes(live, from, to);
    const children = [...live.childNodes].filter((node) => !isOurs(node));
    const [fromChildren, toChildren] = [[...from.childNodes], [...to.childNodes]];
    if (children.length !== fromChildren.length) return false;
    const start = countEqual(fromChildren, toChildren);
    const max = Math.min(fromChildren.length, toChildren.length) - start;
    const end = countEqual(fromChildren.toReversed(), toChildren.toReversed(), max);
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

  /** Replaces an element whose state depends on all its attributes and children, in order. */
  function replace(live: Element, from: Element, to: Element): boolean {
    if (!isInert(from) || !isInert(to)) return false;
    changes.push(() => live.replaceWith(document.importNode(to, true)));
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
    for (const { namespaceURI, localName } of from.attributes)
      if (!to.hasAttributeNS(namespaceURI, localName))
        changes.push(() => live.removeAttributeNS(namespaceURI, localName));
    for (const attribute of to.attributes) {
      const { namespaceURI, localName, value } = attribute;
      // As a node, because the parser accepts names that `setAttribute` rejects, and to keep the prefix.
      if (from.getAttributeNS(namespaceURI, localName) !== value)
        changes.push(() => live.setAttributeNodeNS(document.importNode(attribute)));
    }
  }
}

function countEqual(a: ChildNode[], b: ChildNode[], max: number = Math.min(a.length, b.length)) {
  let count = 0;
  for (; count < max; count += 1) {
    const [one, other] = [a[count], b[count]];
    if (!one || !other || !isSame(one, other)) break;
  }
  return count;
}

/** `isEqualNode`, which ignores the content of a `<template>`, including that content. */
function isSame(a: Node, b: Node): boolean {
  if (!a.isEqualNode(b)) return false;
  const others = templatesOf(b);
  return templatesOf(a).every(({ content }, index) => {
    const other = others[index]?.content;
    return other !== undefined && isSame(content, other);
  });
}

function templatesOf(node: Node): HTMLTemplateElement[] {
  if (node instanceof HTMLTemplateElement) return [node];
  if (!(node instanceof Element || node instanceof DocumentFragment)) return [];
  return [...node.querySelectorAll('template')].filter((it) => it instanceof HTMLTemplateElement);
}

function isSameKind(a: Node, b: Node | undefined): boolean {
  if (a instanceof Element && b instanceof Element && a.namespaceURI !== b.namespaceURI)
    return false;
  return a.nodeName === b?.nodeName;
}

/** Whether a document has scripts, event handler attributes, nested documents or misnested forms. */
function isActive(root: Document | DocumentFragment): boolean {
  if (root.querySelector('script, iframe, frame, object, embed, meta[http-equiv]')) return true;
  if (mayHaveOtherForm(root)) return true;
  return [...root.querySelectorAll('*')].some(
    (element) =>
      element.localName.includes('-') ||
      (element instanceof HTMLTemplateElement && isActive(element.content)) ||
      [...element.attributes].some(
        ({ name, value }) => name.startsWith('on') || /^\s*javascript:/i.test(value),
      ),
  );
}

/**
 * Whether a control may belong to a form outside its ancestors, as the parser does it in
 * `<table><form><tr><td><input>`. Parsed documents don't reveal that, and cloned nodes lose it.
 */
function mayHaveOtherForm(root: Document | DocumentFragment): boolean {
  const form = root.querySelector('form');
  if (!form) return false;
  return [...root.querySelectorAll(controls)].some(
    (control) =>
      !control.hasAttribute('form') &&
      control.closest('form') === null &&
      (form.compareDocumentPosition(control) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
  );
}

const controls = 'button, fieldset, img, input, output, select, textarea';

/** Whether changing the element in place differs from loading the page again. */
function loadsByItself(element: Element): boolean {
  return element.matches(
    `base, link, meta, video, audio, source, track, template, noscript, details[name], [autofocus],
    animate, animateMotion, animateTransform, set, discard`,
  );
}

/**
 * Whether an element computes its state while it is parsed: of `value` and `max`, or of options, the later one
 * depends on what is there by then. A `<style>` reads some attributes only when it is inserted.
 */
function hasState(element: Element): boolean {
  return element.matches('input, select, textarea, output, progress, meter, style');
}

function isInert(node: ChildNode): boolean {
  if (!(node instanceof Element)) return true;
  return ![node, ...node.querySelectorAll('*')].some(loadsByItself);
}
