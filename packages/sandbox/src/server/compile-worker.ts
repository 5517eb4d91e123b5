import type { PackageOptions, ProjectFacts, ScriptMap } from '@vitrine/compiler';
import { Worker } from 'node:worker_threads';

export interface CompileJob {
  /** The same for files with the same facts and packages. */
  contextKey: string;
  facts: ProjectFacts;
  packages: PackageOptions;
  path: string;
  text: string;
  /** The files that it may read. */
  texts: ReadonlyMap<string, string>;
}

/** The forms of a file beside its text; null where it has none of its own. */
export interface CompileResult {
  /** What runs in place of the text. */
  code: string | null;
  map: ScriptMap | null;
  /** What a script that imports it gets. */
  module: string | null;
}

/** What the thread is told to do. */
export type ToCompileThread =
  | { type: 'compile'; job: CompileJob }
  /** Load what files of this extension need. */
  | { type: 'load'; extension: string };

/** What the thread says. `cpuMs` is the CPU time that it has used since it started. */
export type FromCompileThread =
  /** All that the file needs is loaded, and it is compiled now. */
  { type: 'started'; cpuMs: number } | { type: 'compiled'; result: CompileResult };

/**
 * - `timeout`, `out_of_memory`: the file takes more than it may.
 * - `crashed`: the compiler threw, or a part of it could not be loaded.
 * - `overloaded`: the machine is too busy to tell whether the file takes too long.
 * - `queue_full`, `quota_exceeded`, `closed`: it was not tried.
 */
export type CompileErrorCode =
  | 'timeout'
  | 'out_of_memory'
  | 'crashed'
  | 'overloaded'
  | 'queue_full'
  | 'quota_exceeded'
  | 'closed';

/** A file that the server does not compile now. */
export class CompileError extends Error {
  override name = 'CompileError';
  readonly code: CompileErrorCode;
  /** Seconds after which another try makes sense; undefined where only a change helps. */
  readonly retryAfterS: number | undefined;
  constructor(code: CompileErrorCode, message: string, retryAfterS?: number) {
    super(message);
    this.code = code;
    this.retryAfterS = retryAfterS;
  }
}

/** A thread loads its own parts and a language's compiler before the first file. */
const loadTimeoutMs = 30_000;
/** On a busy machine more time passes than a thread gets. After so much more it is ended too. */
const graceMs = 20_000;
/** The heap that a file of the largest size needs, several times over. */
const threadMemoryMb = 512;

/** What the worker compiles now. */
interface Run {
  job: CompileJob;
  thread: Worker;
  timeoutMs: number;
  timer: NodeJS.Timeout | undefined;
  resolve(result: CompileResult): void;
  reject(error: CompileError): void;
}

/** A thread that compiles one file at a time. One that is ended is replaced by a new one. */
export class CompileWorker {
  #thread: Worker | undefined;
  #run: Run | undefined;
  #isClosed = false;
  /** Extensions of the files that were compiled so far, whose compilers every thread loads. */
  readonly #extensions: ReadonlySet<string>;

  /** The set is shared by the workers of a pool, and grows. */
  constructor(extensions: ReadonlySet<string>) {
    this.#extensions = extensions;
  }

  get isBusy(): boolean {
    return this.#run !== undefined;
  }

  /**
   * Compiles a file within `timeoutMs`. That is CPU time of the thread, so that a file is not blamed
   * for what else the machine does. Rejects with `CompileError`. The worker must not be busy.
   */
  run(job: CompileJob, timeoutMs: number): Promise<CompileResult> {
    const thread = this.#start();
    return new Promise((resolve, reject) => {
      const run: Run = { job, thread, timeoutMs, timer: undefined, resolve, reject };
      run.timer = setTimeout(() => this.#abort(run, overloaded(job.path)), loadTimeoutMs);
      this.#run = run;
      post(thread, { type: 'compile', job });
    });
  }

  /** Starts the thread and has it load what files of this extension need, if it has not yet. */
  load(extension: string): void {
    post(this.#start(), { type: 'load', extension });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#run) this.#abort(this.#run, closed());
    await this.#thread?.terminate();
  }

  #start(): Worker {
    if (this.#thread) return this.#thread;
    const thread = new Worker(new URL('./compile-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: threadMemoryMb },
    });
    // The server may end while a thread waits for work.
    thread.unref();
    thread.on('error', (error) => this.#onError(thread, error));
    thread.on('message', (message: FromCompileThread) => this.#onMessage(thread, message));
    this.#thread = thread;
    for (const extension of this.#extensions) post(thread, { type: 'load', extension });
    return thread;
  }

  #onMessage(thread: Worker, message: FromCompileThread): void {
    const run = this.#run;
    if (run?.thread !== thread) return;
    if (message.type === 'started') return this.#watch(run, message.cpuMs);
    this.#end(run);
    run.resolve(message.result);
  }

  #onError(thread: Worker, error: Error): void {
    if (this.#thread !== thread) return;
    if (!this.#run) this.#thread = undefined;
    else this.#abort(this.#run, describeCrash(this.#run.job.path, error));
  }

  /** Aborts the run when the thread has used so much CPU time since it had used `cpuMs`. */
  #watch(run: Run, cpuMs: number): void {
    const { thread, timeoutMs, job } = run;
    const deadline = performance.now() + timeoutMs + graceMs;
    const abortAtDeadline = () => this.#abort(run, overloaded(job.path));
    const check = async () => {
      // Native code does not answer while it runs.
      run.timer = setTimeout(abortAtDeadline, Math.max(0, deadline - performance.now()));
      const used = await thread.cpuUsage().catch(() => undefined);
      // An answer that never comes is that of a thread that has ended.
      if (this.#run !== run || !used) return;
      const leftMs = timeoutMs - (toMs(used) - cpuMs);
      if (leftMs <= 0) return this.#abort(run, tookTooLong(job.path, timeoutMs));
      checkIn(Math.max(20, leftMs));
    };
    const checkIn = (ms: number) => {
      clearTimeout(run.timer);
      const untilDeadline = Math.max(0, deadline - performance.now());
      run.timer =
        ms < untilDeadline
          ? setTimeout(() => void check(), ms)
          : setTimeout(abortAtDeadline, untilDeadline);
    };
    checkIn(timeoutMs);
  }

  #end(run: Run): void {
    clearTimeout(run.timer);
    this.#run = undefined;
  }

  #abort(run: Run, error: CompileError): void {
    if (this.#run !== run) return;
    this.#end(run);
    void run.thread.terminate();
    this.#thread = undefined;
    // The next file should not wait until a thread has started.
    if (!this.#isClosed) this.#start();
    run.reject(error);
  }
}

function post(thread: Worker, message: ToCompileThread): void {
  thread.postMessage(message);
}

function toMs({ user, system }: { user: number; system: number }): number {
  return (user + system) / 1_000;
}

function tookTooLong(path: string, timeoutMs: number): CompileError {
  return new CompileError('timeout', `${path} took longer than ${timeoutMs / 1_000} s to compile.`);
}

function overloaded(path: string): CompileError {
  const message = `Couldn’t compile ${path}: the server is busy. Try again in a few seconds.`;
  return new CompileError('overloaded', message, 10);
}

function closed(): CompileError {
  return new CompileError('closed', 'The server is shutting down.', 5);
}

function describeCrash(path: string, error: Error): CompileError {
  if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new CompileError('out_of_memory', `${path} takes too much memory to compile.`);
  return new CompileError('crashed', `Couldn’t compile ${path}: ${error.message}`, 60);
}
