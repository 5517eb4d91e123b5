/* oxlint-disable no-console -- what is said here is for whoever wrote the page */
/**
 * What browsers do not ask a service worker for: synchronous requests of a document, `<object>` and
 * `<embed>`. Of an edited project the server has another copy, or none, so the service worker gives
 * pages that may do such things the project's files along. Requests are answered from them; of elements
 * it is said what to use instead, since a browser may have asked the server for them before a script
 * can give them another address.
 */
import { findFilePath } from '../file-addresses.ts';
import type { InlinedFile } from '../protocol.ts';

/** `onUse` hears the path of each file that the page gets in this way. */
export function answerFromFiles(
  files: readonly InlinedFile[],
  onUse: (path: string) => void,
): void {
  const byPath = new Map(files.map(([path, text, mediaType]) => [path, { text, mediaType }]));
  const blobs = new Map<string, string>();
  /** The path of a file that the address leads to. */
  const find = (address: string): string | undefined => {
    if (!URL.canParse(address, document.baseURI)) return undefined;
    const { origin, pathname } = new URL(address, document.baseURI);
    return origin === location.origin
      ? findFilePath(pathname, (path) => byPath.has(path))
      : undefined;
  };
  answerRequests((address) => {
    const path = find(address);
    const file = path === undefined ? undefined : byPath.get(path);
    if (path === undefined || !file) return undefined;
    onUse(path);
    const made =
      blobs.get(path) ?? URL.createObjectURL(new Blob([file.text], { type: file.mediaType }));
    blobs.set(path, made);
    return made;
  });
  explainElements((address) => find(address) !== undefined);
}

/** `findBlob` has the address of a blob with the file; undefined for what is none of the project. */
function answerRequests(findBlob: (address: string) => string | undefined): void {
  const { prototype } = XMLHttpRequest;
  const native = prototype.open;
  prototype.open = function open(this: XMLHttpRequest, ...args: unknown[]) {
    const [method, address, isAsynchronous = true, ...rest] = args;
    const reads = /^(?:get|head)$/i.test(String(method));
    const isRead = args.length > 2 && !isAsynchronous && reads;
    const blob = isRead ? findBlob(String(address)) : undefined;
    if (blob === undefined) return void Reflect.apply(native, this, args);
    Reflect.apply(native, this, ['GET', blob, false, ...rest]);
    const value = new URL(String(address), document.baseURI).href;
    Object.defineProperty(this, 'responseURL', { value, configurable: true });
  };
}

/** Says of each such element, once, that what it names is not shown before the project is saved. */
function explainElements(isOfProject: (address: string) => boolean): void {
  const known = new WeakSet<Element>();
  const explain = (element: Element) => {
    const name = element.localName === 'object' ? 'data' : 'src';
    const address = element.getAttribute(name);
    if (!element.matches('object, embed') || known.has(element) || address === null) return;
    if (!isOfProject(address)) return;
    known.add(element);
    console.warn(
      `<${element.localName} ${name}="${address}"> can’t show a file of this project while it has unsaved changes: browsers ask the server for it directly. Use <img> or <iframe> to see it now.`,
    );
  };
  const observer = new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes)
      for (const node of addedNodes.length > 0 ? addedNodes : [target]) {
        if (!(node instanceof Element)) continue;
        explain(node);
        for (const element of node.querySelectorAll('object, embed')) explain(element);
      }
  });
  const options = { childList: true, subtree: true, attributeFilter: ['data', 'src'] };
  observer.observe(document, options);
}
