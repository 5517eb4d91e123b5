import { findInFiles, nothingFound, type FileQuery, type Found } from './find/find-in-files.ts';
import type { FindAnswer, FindRequest } from './find/messages.ts';

export { findInFiles, noQuery, nothingFound } from './find/find-in-files.ts';
export type { FileMatch, FileQuery, Found } from './find/find-in-files.ts';

/** An expression that takes longer is given up. */
const patienceMs = 2_000;

/**
 * Looks for texts in a project's files: plain ones at once, expressions in a worker that is ended with
 * the one that takes too long.
 */
export class FileFinder {
  #worker: Worker | undefined;
  /** What the worker has been sent. */
  #sent: ReadonlyMap<string, string> | undefined;
  #asked: { readonly id: number; settle(found: Found | undefined): void } | undefined;
  #nextId = 1;
  #patience: ReturnType<typeof setTimeout> | undefined;

  /** Undefined where something else is looked for meanwhile. 500 matches unless it is said. */
  async find(
    files: ReadonlyMap<string, string>,
    query: FileQuery,
    atMost?: number,
  ): Promise<Found | undefined> {
    this.#settle(undefined);
    if (!query.isExpression || query.text === '') return findInFiles(files, query, atMost);
    return new Promise((settle) => {
      const id = this.#nextId++;
      this.#asked = { id, settle };
      const worker = (this.#worker ??= this.#start());
      if (this.#sent !== files) say(worker, { type: 'files', files });
      this.#sent = files;
      say(worker, { type: 'find', id, query, atMost });
      this.#patience = setTimeout(() => this.#giveUp(), patienceMs);
    });
  }

  close(): void {
    this.#end();
    this.#settle(undefined);
  }

  #start(): Worker {
    const worker = new Worker(new URL('./find/find-worker.ts', import.meta.url), {
      type: 'module',
    });
    worker.onmessage = ({ data }: MessageEvent<FindAnswer>) => {
      if (data.id === this.#asked?.id) this.#settle(data.found);
    };
    return worker;
  }

  #giveUp(): void {
    this.#end();
    this.#settle({ ...nothingFound, problem: 'expression_slow' });
  }

  #settle(found: Found | undefined): void {
    clearTimeout(this.#patience);
    this.#asked?.settle(found);
    this.#asked = undefined;
  }

  #end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#sent = undefined;
  }
}

function say(worker: Worker, request: FindRequest): void {
  worker.postMessage(request);
}
