import {
  findInFiles,
  noFileSearchResults,
  type FileSearchQuery,
  type FileSearchResults,
} from './find/find-in-files.ts';
import { whenRetryDue } from '@vitrine/project/retry-loading';
import type { FileSearchResponse, FileSearchRequest } from './find/messages.ts';

export { findInFiles, emptyFileSearchQuery, noFileSearchResults } from './find/find-in-files.ts';
export type { FileMatch, FileSearchQuery, FileSearchResults } from './find/find-in-files.ts';

/** A regular expression that runs longer is aborted. */
const timeoutMs = 2_000;

/**
 * Searches a project's files: plain text synchronously, regular expressions in a worker that is
 * terminated when a search takes too long.
 */
export class FileSearcher {
  #worker: Worker | undefined;
  /** Files the worker currently has. Undefined until it is sent some. */
  #sentFiles: ReadonlyMap<string, string> | undefined;
  #pending:
    | { readonly id: number; resolve(found: FileSearchResults | undefined): void; send(): void }
    | undefined;
  #nextId = 1;
  #timeout: ReturnType<typeof setTimeout> | undefined;

  /**
   * Searches `files`. Resolves with undefined when a newer search replaces this one.
   * @param maxMatches Stops after this many matches; 500 by default.
   */
  async find(
    files: ReadonlyMap<string, string>,
    query: FileSearchQuery,
    maxMatches?: number,
  ): Promise<FileSearchResults | undefined> {
    this.#resolvePending(undefined);
    if (!query.isRegExp || query.text === '') return findInFiles(files, query, maxMatches);
    return new Promise((resolve) => {
      const id = this.#nextId++;
      const send = () => {
        const worker = (this.#worker ??= this.#start());
        if (this.#sentFiles !== files) post(worker, { type: 'files', files: new Map(files) });
        this.#sentFiles = files;
        post(worker, { type: 'find', id, query, maxMatches });
        this.#timeout = setTimeout(() => this.#abort(), timeoutMs);
      };
      this.#pending = { id, resolve, send };
      send();
    });
  }

  close(): void {
    this.#terminate();
    this.#resolvePending(undefined);
  }

  #start(): Worker {
    const worker = new Worker(new URL('./find/find-worker.ts', import.meta.url), {
      type: 'module',
    });
    worker.onmessage = ({ data }: MessageEvent<FileSearchResponse>) => {
      if (data.id === this.#pending?.id) this.#resolvePending(data.results);
    };
    worker.onerror = () => void this.#retry();
    return worker;
  }

  /** Repeats the search when the worker's code, which couldn't be loaded, should be loaded again. */
  async #retry(): Promise<void> {
    this.#terminate();
    clearTimeout(this.#timeout);
    const pending = this.#pending;
    await whenRetryDue();
    if (pending && pending === this.#pending) pending.send();
  }

  #abort(): void {
    this.#terminate();
    this.#resolvePending({ ...noFileSearchResults, error: 'expression_slow' });
  }

  #resolvePending(found: FileSearchResults | undefined): void {
    clearTimeout(this.#timeout);
    this.#pending?.resolve(found);
    this.#pending = undefined;
  }

  #terminate(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#sentFiles = undefined;
  }
}

function post(worker: Worker, request: FileSearchRequest): void {
  worker.postMessage(request);
}
