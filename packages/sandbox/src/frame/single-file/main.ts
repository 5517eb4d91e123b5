/**
 * Script of a project as one HTML file (single-file.ts). The document becomes the project's page, and the
 * project's files are blob URLs, because a page that was opened from disk may not read files beside it.
 */
import { findFilePath } from '../../file-urls.ts';
import type { InlinedFile } from '../../message-parts.ts';
import {
  binaryAttribute,
  decodeBase64,
  projectElement,
  runElement,
  singleFilePageParameter,
  type SingleFileContent,
  type SingleFileRun,
  type SingleFileSource,
} from '../../single-file.ts';
import { createBlobUrls, resolveFileReferences } from '../srcdoc/blob-urls.ts';
import { answerFetches, redirectRequests } from '../srcdoc/file-requests.ts';
import { provideMemoryStorage } from '../srcdoc/memory-storage.ts';
import { readBaseHref, resolveProjectPath } from '../srcdoc/srcdoc-urls.ts';
import { rewriteElementUrls } from './element-urls.ts';
import { runWorkers } from './worker-files.ts';

// Until this document has loaded, `document.open` does nothing, or the page's modules would never start.
addEventListener('load', () => setTimeout(start), { once: true });

function start(): void {
  const { entry, pages, files } = readRun();
  const shown = findShownPage(pages) ?? entry;
  const page = pages.find(([path]) => path === shown);
  /** Blob URL → path, then page URL → path; the last URL of a path counts. */
  const aliases = new Map<string, string>();
  createBlobUrls(files, aliases);
  const blobs = new Map(Array.from(aliases, ([url, path]) => [path, url]));
  const contents = new Map(files.map((file) => [file[0], file]));
  for (const [path] of pages) aliases.set(pageUrl(path, entry), path);
  const urls = new Map(Array.from(aliases, ([url, path]) => [path, url]));

  const findPath = (url: string) => findProjectPath(url, shown);
  const findFile = (url: string) => {
    const path = findPath(url);
    return path === undefined
      ? undefined
      : findFilePath(`/${path.split('/').map(encodeURIComponent).join('/')}`, (file) =>
          contents.has(file),
        );
  };
  const findUrl = (url: string) => {
    const file = findFile(url);
    const found = file === undefined ? undefined : urls.get(file);
    return found === undefined ? undefined : found + partAfterPath(url, found);
  };
  const requests = { findPath: (url: string) => findFile(url) ?? findPath(url), onRequest() {} };
  answerFetches(files, requests);
  redirectRequests((path) => blobs.get(path), requests);
  if (!hasStorage()) provideMemoryStorage();
  rewriteElementUrls(findUrl);
  runWorkers({ findFile, contents, blobs });
  document.open();
  followLinks(findUrl);
  const [, html = '', mapEnd = 0] = page ?? [];
  if (mapEnd > 0) {
    document.write(resolveFileReferences(html.slice(0, mapEnd), aliases));
    document.scripts[0]?.remove();
  }
  document.write(resolveFileReferences(html.slice(mapEnd), aliases));
  document.close();
}

function readRun(): Omit<SingleFileRun, 'files'> & { files: InlinedFile[] } {
  const source = readJson(projectElement.id) as SingleFileSource;
  const { entry, pages, files } = readJson(runElement.id) as SingleFileRun;
  const binaries = Array.from(document.querySelectorAll(`[${binaryAttribute}]`), (element) => {
    const bytes = decodeBase64(element.textContent) ?? new Uint8Array();
    // Its text is no longer needed.
    element.remove();
    return new Blob([bytes]);
  });
  const read = (content: SingleFileContent) =>
    typeof content === 'string' ? content : (binaries[content] ?? '');
  const sources = new Map(source.files);
  return {
    entry,
    pages,
    files: files.map(([path, content, type]) => [
      path,
      read(content ?? sources.get(path) ?? ''),
      type,
    ]),
  };
}

/** Reads JSON that this file was written with. */
function readJson(id: string): unknown {
  return JSON.parse(document.getElementById(id)?.textContent ?? '');
}

function findShownPage(pages: SingleFileRun['pages']): string | undefined {
  const path = new URLSearchParams(location.search).get(singleFilePageParameter);
  return pages.find((page) => page[0] === path)?.[0];
}

/** URL of a page: that of this file, with a parameter. */
function pageUrl(path: string, entry: string): string {
  const url = new URL(location.pathname, location.href);
  if (path !== entry) url.searchParams.set(singleFilePageParameter, path);
  return url.href;
}

/**
 * Path that a URL leads to; undefined outside of the project. Absolute URLs are those that scripts make
 * from the page's own: the folder of this file is the project's root.
 */
function findProjectPath(url: string, page: string): string | undefined {
  const folder = new URL('.', location.href).href;
  const isAbsolute = url.startsWith(folder) && new URL(url).pathname !== location.pathname;
  return isAbsolute
    ? resolveProjectPath(`/${url.slice(folder.length)}`, '')
    : resolveProjectPath(url, page, readBaseHref());
}

/** Query and fragment of a URL as written, to be added to a page's URL: "?a=1#b", or "&a=1#b". */
function partAfterPath(url: string, found: string): string {
  const [, search = '', hash = ''] = /^[^?#]*(\?[^#]*)?(#.*)?$/s.exec(url) ?? [];
  if (found.startsWith('blob:')) return hash;
  return (found.includes('?') ? search.replace('?', '&') : search) + hash;
}

/** Lets links, forms and scripts lead to the project's pages. */
function followLinks(findUrl: (url: string) => string | undefined): void {
  const follow = (event: Event) => {
    if (event.defaultPrevented || !(event.target instanceof Element)) return;
    const link = event.target.closest('a[href], area[href]');
    const written = link?.getAttribute('href') ?? '';
    const url = written.startsWith('#') && readBaseHref() === null ? undefined : findUrl(written);
    if (link && url !== undefined) link.setAttribute('href', url);
  };
  addEventListener('click', follow);
  addEventListener('auxclick', follow);
  const navigation: Navigation | undefined = window.navigation;
  navigation?.addEventListener('navigate', (event) => {
    const { destination, cancelable, downloadRequest } = event;
    if (destination.sameDocument || !cancelable || downloadRequest !== null) return;
    const url = findUrl(destination.url);
    if (url === undefined || url === destination.url || url.startsWith('blob:')) return;
    event.preventDefault();
    location.assign(url);
  });
}

function hasStorage(): boolean {
  try {
    return Boolean(window.localStorage) && Boolean(window.sessionStorage);
  } catch {
    // The file is shown in a sandboxed frame.
    return false;
  }
}
