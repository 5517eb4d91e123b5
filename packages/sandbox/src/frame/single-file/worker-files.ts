/**
 * Workers of a project as one HTML file. Chromium lets no worker of a page from disk read a blob, and
 * import maps don't apply in workers. So a worker's script, the modules that it imports and the text files
 * that it reads are `data:` URLs; equal ones are the same module.
 */
import type { InlinedFile } from '../../message-parts.ts';

interface WorkerFiles {
  /** Path of the file that a URL leads to; undefined if there is none. */
  findFile(url: string): string | undefined;
  contents: ReadonlyMap<string, InlinedFile>;
  /** Blob URL of each file, by path. */
  blobs: ReadonlyMap<string, string>;
}

/** Lets `new Worker` run the project's scripts from now on. */
export function runWorkers({ findFile, contents, blobs }: WorkerFiles): void {
  const paths = new Map(Array.from(blobs, ([path, url]) => [url, path]));
  /** URLs of workers' files, by path; undefined for one that is being created, and for binary files. */
  const urls = new Map<string, string | undefined>();
  const createUrl = (path: string): string | undefined => {
    const [, content, type = ''] = contents.get(path) ?? [];
    if (urls.has(path) || typeof content !== 'string') return urls.get(path);
    urls.set(path, undefined);
    const url = toDataUrl(resolveReferences(content), type);
    urls.set(path, url);
    return url;
  };
  const resolveReferences = (text: string) =>
    text
      .replace(
        /(["'`])vitrine-(module|package):([^"'`]+)\1/g,
        (whole, quote: string, kind: string, specifier: string) => {
          // The worker reports the specifier of a circular import, which no URL can express.
          const url = createUrl(kind === 'module' ? decodeURIComponent(specifier) : specifier);
          return url === undefined ? whole : quote + url + quote;
        },
      )
      .replace(
        /vitrine-file:([\w.~!*()%/-]+)/g,
        (whole, file: string) => createUrl(decodeURIComponent(file)) ?? whole,
      );
  const open = (url: unknown) => {
    const written = String(url);
    const path = paths.get(written) ?? findFile(written);
    const [, content, type = ''] = (path !== undefined && contents.get(path)) || [];
    if (path === undefined || typeof content !== 'string') return url;
    const readable = [...contents.keys()].filter(
      (file) => !file.startsWith('/npm/') && file !== path,
    );
    const files = JSON.stringify(
      Object.fromEntries(readable.map((file) => [file, createUrl(file)])),
    );
    const prefix = `(${provideFiles.toString()})(${files},${JSON.stringify(path)});`;
    return toDataUrl(prefix + resolveReferences(content), type);
  };
  for (const name of ['Worker', 'SharedWorker'] as const) {
    const native: unknown = Reflect.get(window, name);
    if (typeof native !== 'function') continue;
    const replaced = new Proxy(native, {
      construct: (target, [url, ...rest]: unknown[], newTarget) =>
        Object(Reflect.construct(target, [open(url), ...rest], newTarget)),
    });
    Reflect.set(window, name, replaced);
  }
}

/** Base64, because percent-encoding would grow with each module around it. */
function toDataUrl(text: string, type: string): string {
  let bytes = '';
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  const [mediaType = ''] = type.split(';');
  return `data:${mediaType};charset=utf-8;base64,${btoa(bytes)}`;
}

/** Runs first in a worker, as text: `fetch`, XMLHttpRequest and `importScripts` find the project's files. */
function provideFiles(files: Readonly<Record<string, string>>, script: string): void {
  const find = (url: unknown): unknown => {
    const { origin, pathname } = new URL(String(url), `http://project/${script}`);
    return (origin === 'http://project' && files[decodeURIComponent(pathname.slice(1))]) || url;
  };
  const replace = (target: object, name: string, at: number) => {
    const native: unknown = Reflect.get(target, name);
    if (typeof native !== 'function') return;
    const replaced = function (this: unknown, ...args: unknown[]): unknown {
      const found = args.map((arg, index) =>
        index >= at && typeof arg === 'string' ? find(arg) : arg,
      );
      return Reflect.apply(native, this, found);
    };
    Reflect.set(target, name, replaced);
  };
  replace(self, 'fetch', 0);
  replace(self, 'importScripts', 0);
  replace(XMLHttpRequest.prototype, 'open', 1);
}
