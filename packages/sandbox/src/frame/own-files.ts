/**
 * What browsers do not ask a service worker for: synchronous requests of a document, `<object>` and
 * `<embed>`. Of an edited project the server has another copy, or none, so the service worker gives
 * pages that may do such things the project's files along, and these are answered from them.
 */
import { findFilePath } from '../file-addresses.ts';
import type { InlinedFile } from '../protocol.ts';

/** `onUse` hears the path of each file that the page gets in this way. */
export function answerFromFiles(
  files: readonly InlinedFile[],
  onUse: (path: string) => void,
): void {
  const byPath = new Map(files.map(([path, text, mediaType]) => [path, { text, mediaType }]));
  /** By type and content. */
  const blobs = new Map<string, string>();

  /** The address of a blob with what the address leads to; undefined for what is not of the project. */
  const findBlob = (address: string, isShown: boolean): string | undefined => {
    const url = URL.parse(address, document.baseURI);
    if (url?.origin !== location.origin) return undefined;
    const path = findFilePath(url.pathname, (candidate) => byPath.has(candidate));
    const file = path === undefined ? undefined : byPath.get(path);
    if (path === undefined || !file) return undefined;
    onUse(path);
    const { text, mediaType } = file;
    // What such a page loads would not come by the service worker either; in a frame it does.
    const isFramed = isShown && mediaType.startsWith('text/html') && namesOthers.test(text);
    const content = isFramed ? framePage(url.href) : text;
    const made =
      blobs.get(`${mediaType}\n${content}`) ??
      URL.createObjectURL(new Blob([content], { type: mediaType }));
    blobs.set(`${mediaType}\n${content}`, made);
    return isShown && !isFramed ? made + url.hash : made;
  };
  answerRequests((address) => findBlob(address, false));
  answerElements((address) => findBlob(address, true));
}

/** A page may load something else. */
const namesOthers = /\b(?:src|href|action)\s*=|url\(|\bimport\b|\bfetch\b|XMLHttpRequest/i;

function framePage(address: string): string {
  const quoted = address.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `<!doctype html><style>html, body, iframe { display: block; margin: 0; border: 0; width: 100%; height: 100% }</style><iframe src="${quoted}"></iframe>`;
}

type FindBlob = (address: string) => string | undefined;

function answerRequests(findBlob: FindBlob): void {
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

/** What such an element loads, by the names of the property and the attribute, which are the same. */
const sources = [
  [HTMLObjectElement, 'data'],
  [HTMLEmbedElement, 'src'],
] as const;

/**
 * Gives elements blobs for what they name. They do not begin to load before the page's turn ends, which
 * is when this hears of them. Scripts go on seeing what was written.
 */
function answerElements(findBlob: FindBlob): void {
  const written = new WeakMap<Element, { address: string; blob: string }>();
  const answer = (element: Element) => {
    const [, name] = sources.find(([type]) => element instanceof type) ?? [];
    const address = name === undefined ? null : nativeGet.call(element, name);
    if (name === undefined || address === null || written.get(element)?.blob === address) return;
    const blob = findBlob(address);
    if (blob === undefined) return;
    written.set(element, { address, blob });
    element.setAttribute(name, blob);
  };
  const nativeGet = Element.prototype.getAttribute;
  for (const [{ prototype }, name] of sources) {
    const property = Object.getOwnPropertyDescriptor(prototype, name);
    const isOurs = (element: Element) =>
      written.get(element)?.blob === nativeGet.call(element, name);
    Object.defineProperty(prototype, name, {
      ...property,
      get(this: Element): unknown {
        const address = isOurs(this) ? written.get(this)?.address : undefined;
        return address === undefined
          ? property?.get?.call(this)
          : new URL(address, document.baseURI).href;
      },
    });
    const getAttribute = function getAttribute(this: Element, asked: string): string | null {
      const value = nativeGet.call(this, asked);
      const kept = written.get(this);
      return kept?.blob === value ? kept.address : value;
    };
    Object.defineProperty(prototype, 'getAttribute', {
      value: getAttribute,
      writable: true,
      configurable: true,
    });
  }
  // Where the browser had already asked the server, its late answer takes the place of the blob.
  const again = new WeakSet<Element>();
  document.addEventListener(
    'error',
    ({ target }) => {
      const [, name] = sources.find(([type]) => target instanceof type) ?? [];
      const kept = target instanceof Element ? written.get(target) : undefined;
      if (!(target instanceof Element) || name === undefined || !kept || again.has(target)) return;
      again.add(target);
      kept.blob += kept.blob.includes('#') ? '' : '#';
      target.setAttribute(name, kept.blob);
    },
    true,
  );
  const observer = new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes)
      for (const node of addedNodes.length > 0 ? addedNodes : [target]) {
        if (!(node instanceof Element)) continue;
        answer(node);
        for (const element of node.querySelectorAll('object, embed')) answer(element);
      }
  });
  const options = { childList: true, subtree: true, attributeFilter: ['data', 'src'] };
  observer.observe(document, options);
}
