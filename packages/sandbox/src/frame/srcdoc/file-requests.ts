/** Answers `fetch` and XMLHttpRequest from files that have no URL of their own. */
import { findServedFile } from '@vitrine/project';
import { createBlobResponse } from '../../byte-range.ts';
import type { InlinedFile } from '../../protocol.ts';

/** What answering requests needs. */
interface RequestedFiles {
  /** Path of the file that a URL leads to, whether it exists or not; undefined outside of the project. */
  findPath(url: string): string | undefined;
  /** Called with each request for a path. `size` is null if it isn't known. */
  onRequest(request: FileRequest): void;
}

/** A request for a file of the project. */
export interface FileRequest {
  path: string;
  by: 'fetch' | 'xmlhttprequest';
  exists: boolean;
  /** Number of bytes. */
  size: number | null;
}

/** Answers `fetch` calls from these files; a missing one is a 404. */
export function answerFetches(
  files: readonly InlinedFile[],
  { findPath, onRequest }: RequestedFiles,
): void {
  const native = window.fetch;
  const byPath = new Map(files.map(([path, text, type]) => [path, { text, type }]));
  window.fetch = (input, options) => {
    const path = typeof input === 'string' ? findPath(input) : undefined;
    const served =
      path === undefined ? undefined : findServedFile(path, (each) => byPath.has(each));
    const file = served === undefined ? undefined : byPath.get(served);
    if (path === undefined) return native.call(window, input, options);
    const bytes = file && new Blob([file.text]);
    onRequest({ path, by: 'fetch', exists: file !== undefined, size: bytes?.size ?? null });
    if (!file || !bytes) return Promise.resolve(new Response('', { status: 404 }));
    // Invalid headers reject the promise, as those of any fetch.
    return new Promise((resolve) => {
      const headers = { 'Content-Type': file.type };
      resolve(createBlobResponse(new Headers(options?.headers), bytes, headers));
    });
  };
}

/** Redirects XMLHttpRequests that read a file to its blob URL. `findBlob` returns undefined if it is missing. */
export function redirectRequests(
  findBlob: (path: string) => string | undefined,
  { findPath, onRequest }: RequestedFiles,
): void {
  const emptyFile = URL.createObjectURL(new Blob([]));
  const { prototype } = XMLHttpRequest;
  const native = prototype.open;
  prototype.open = function open(
    this: XMLHttpRequest,
    method: string,
    address: string | URL,
    ...rest: unknown[]
  ) {
    const path = method.toUpperCase() === 'GET' ? findPath(String(address)) : undefined;
    if (path === undefined) return void Reflect.apply(native, this, [method, address, ...rest]);
    const blob = findBlob(path);
    onRequest({ path, by: 'xmlhttprequest', exists: blob !== undefined, size: null });
    if (blob === undefined) {
      // There is no server for it: an empty file with the status of a missing one.
      const status = { get: () => (this.readyState < 2 ? 0 : 404), configurable: true };
      Object.defineProperty(this, 'status', status);
    }
    Reflect.apply(native, this, [method, blob ?? emptyFile, ...rest]);
  };
}
