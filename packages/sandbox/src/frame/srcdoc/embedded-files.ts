/* oxlint-disable no-console -- messages for the author of the page */
/**
 * Files for requests that browsers don't pass to a service worker: synchronous requests, `<object>` and
 * `<embed>`. The server has an older copy of an edited project, or none, so the service worker embeds the
 * project's files in pages that may make such requests. Synchronous requests are answered from them. For
 * elements a warning suggests an alternative: a browser may have requested their URL from the server before a
 * script can change it.
 */
import { findFilePath } from '../../file-urls.ts';
import type { InlinedFile } from '../../protocol.ts';

/** Answers synchronous requests from `files`. `onUse` is called with the path of each file used. */
export function serveEmbeddedFiles(
  files: readonly InlinedFile[],
  onUse: (path: string) => void,
): void {
  const byPath = new Map(files.map(([path, text, mediaType]) => [path, { text, mediaType }]));
  const blobs = new Map<string, string>();
  /** Path of the file that a URL leads to. */
  const find = (url: string): string | undefined => {
    if (!URL.canParse(url, document.baseURI)) return undefined;
    const { origin, pathname } = new URL(url, document.baseURI);
    return origin === location.origin
      ? findFilePath(pathname, (path) => byPath.has(path))
      : undefined;
  };
  answerRequests((url) => {
    const path = find(url);
    const file = path === undefined ? undefined : byPath.get(path);
    if (path === undefined || !file) return undefined;
    onUse(path);
    const made =
      blobs.get(path) ?? URL.createObjectURL(new Blob([file.text], { type: file.mediaType }));
    blobs.set(path, made);
    return made;
  });
  warnAboutElements((url) => find(url) !== undefined);
}

/** Redirects synchronous requests to blob URLs; `findBlob` returns undefined for URLs outside the project. */
function answerRequests(findBlob: (url: string) => string | undefined): void {
  const { prototype } = XMLHttpRequest;
  const native = prototype.open;
  prototype.open = function open(this: XMLHttpRequest, ...args: unknown[]) {
    const [method, url, isAsynchronous = true, ...rest] = args;
    const reads = /^(?:get|head)$/i.test(String(method));
    const isRead = args.length > 2 && !isAsynchronous && reads;
    const blob = isRead ? findBlob(String(url)) : undefined;
    if (blob === undefined) return void Reflect.apply(native, this, args);
    Reflect.apply(native, this, ['GET', blob, false, ...rest]);
    const value = new URL(String(url), document.baseURI).href;
    Object.defineProperty(this, 'responseURL', { value, configurable: true });
  };
}

/** Warns once per element that it can't show the file before the project is saved. */
function warnAboutElements(isOfProject: (url: string) => boolean): void {
  const warned = new WeakSet<Element>();
  const warn = (element: Element) => {
    const name = element.localName === 'object' ? 'data' : 'src';
    const url = element.getAttribute(name);
    if (!element.matches('object, embed') || warned.has(element) || url === null) return;
    if (!isOfProject(url)) return;
    warned.add(element);
    console.warn(
      `<${element.localName} ${name}="${url}"> can’t show a file from this project while it has unsaved changes, because the browser requests it from the server. Use <img> or <iframe> instead.`,
    );
  };
  const observer = new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes)
      for (const node of addedNodes.length > 0 ? addedNodes : [target]) {
        if (!(node instanceof Element)) continue;
        warn(node);
        for (const element of node.querySelectorAll('object, embed')) warn(element);
      }
  });
  const options = { childList: true, subtree: true, attributeFilter: ['data', 'src'] };
  observer.observe(document, options);
}
