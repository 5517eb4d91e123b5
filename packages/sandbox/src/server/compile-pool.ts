/**
 * Compiling in a thread beside the server's own, so that no file of anyone's can hold up the others'
 * requests. A file that takes too long ends the thread, and a new one goes on with the next.
 */
import type { PackageOptions, ProjectFacts, ScriptMap } from '@vitrine/compiler';
import { Worker } from 'node:worker_threads';

export interface CompileJob {
  number: number;
  /** The same for files with the same facts and packages. */
  project: string;
  facts: ProjectFacts;
  packages: PackageOptions;
  path: string;
  text: string;
  /** The files that it may read. */
  texts: ReadonlyMap<string, string>;
}

/** The forms of a file beside its text; null where it has none of its own. */
export interface CompileResult {
  number: number;
  /** What runs in place of the text. */
  code: string | null;
  map: ScriptMap | null;
  /** What a script that imports it gets. */
  module: string | null;
}

export interface CompilePool {
  /** Rejects with `CompileError` when the file takes too long, or too many wait. */
  compile(job: Omit<CompileJob, 'number'>): Promise<CompileResult>;
  close(): Promise<void>;
}

/** A file that the server does not compile now. */
export class CompileError extends Error {
  override name = 'CompileError';
}

interface Waiting {
  job: CompileJob;
  resolve(result: CompileResult): void;
  reject(error: Error): void;
}

/** A file of the largest size takes about a second. */
const patienceMs = 5_000;
/** A new thread loads its parts before its first file. */
const startWithinMs = 5_000;
const mostWaiting = 500;
/** The heap that a file of the largest size needs, several times over. */
const threadMemoryMb = 512;

export function createCompilePool(o: { patienceMs?: number } = {}): CompilePool {
  const queue: Waiting[] = [];
  let thread: Worker | undefined;
  let current: Waiting | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let count = 0;

  const startThread = (): Worker => {
    const started = new Worker(new URL('./compile-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: threadMemoryMb },
    });
    // The server may end while a thread waits for work.
    started.unref();
    started.on('message', (result: CompileResult) => settle((waiting) => waiting.resolve(result)));
    started.on('error', (error) => giveUp(started, `It failed: ${error.message}`));
    return started;
  };
  const next = () => {
    if (current) return;
    current = queue.shift();
    if (!current) return;
    const allowedMs = (o.patienceMs ?? patienceMs) + (thread ? 0 : startWithinMs);
    thread ??= startThread();
    const { path } = current.job;
    const using = thread;
    timer = setTimeout(() => giveUp(using, `${path} took too long.`), allowedMs);
    thread.postMessage(current.job);
  };
  const settle = (tell: (waiting: Waiting) => void) => {
    clearTimeout(timer);
    const done = current;
    current = undefined;
    if (done) tell(done);
    next();
  };
  const giveUp = (failed: Worker, reason: string) => {
    if (thread !== failed) return;
    thread = undefined;
    void failed.terminate();
    settle((waiting) => waiting.reject(new CompileError(reason)));
  };

  return {
    compile: (job) =>
      new Promise((resolve, reject) => {
        if (queue.length >= mostWaiting)
          return reject(new CompileError('Too many files wait to be compiled.'));
        queue.push({ job: { ...job, number: ++count }, resolve, reject });
        next();
      }),
    async close() {
      clearTimeout(timer);
      for (const { reject } of [...(current ? [current] : []), ...queue.splice(0)])
        reject(new CompileError('The server ends.'));
      current = undefined;
      await thread?.terminate();
      thread = undefined;
    },
  };
}
