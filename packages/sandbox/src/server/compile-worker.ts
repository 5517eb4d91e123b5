import type { PackageOptions, ProjectConfig, SourceMap } from '@vitrine/compiler';
import { Worker } from 'node:worker_threads';

export interface CompileJob {
  /** Equal for files with the same project config and packages. */
  contextKey: string;
  projectConfig: ProjectConfig;
  packages: PackageOptions;
  path: string;
  text: string;
  /** Other files that this one may read. */
  texts: ReadonlyMap<string, string>;
}

/** Output of a file; null for parts that it doesn't have. */
export interface CompileResult {
  /** Code that runs in place of the text. */
  code: string | null;
  map: SourceMap | null;
  /** JavaScript module for scripts that import the file. */
  module: string | null;
}

/** Messages to a thread. */
export type ToCompileThread =
  | { type: 'compile'; job: CompileJob }
  /** Load the compiler for this extension. */
  | { type: 'load'; extension: string };

/** Messages of a thread. `cpuMs` is the CPU time since its start. */
export type FromCompileThread =
  /** The compiler is loaded, and the file is being compiled. */
  { type: 'started'; cpuMs: number } | { type: 'compiled'; result: CompileResult };

/**
 * - `timeout`, `out_of_memory`: the file exceeded a limit.
 * - `crashed`: the compiler threw or failed to load.
 * - `overloaded`: the machine is too busy to tell whether the file takes too long.
 * - `queue_full`, `quota_exceeded`, `closed`: the file was not compiled.
 */
export type CompileErrorCode =
  | 'timeout'
  | 'out_of_memory'
  | 'crashed'
  | 'overloaded'
  | 'queue_full'
  | 'quota_exceeded'
  | 'closed';

/** A file was not compiled. */
export class CompileError extends Error {
  override name = 'CompileError';
  readonly code: CompileErrorCode;
  /** Seconds until a retry makes sense; undefined if only a change of the file helps. */
  readonly retryAfterS: number | undefined;
  constructor(code: CompileErrorCode, message: string, retryAfterS?: number) {
    super(message);
    this.code = code;
    this.retryAfterS = retryAfterS;
  }
}

/** Limit for starting a thread and loading a language's compiler. */
const loadTimeoutMs = 30_000;
/** Wall time beyond the CPU time limit after which a run is aborted on a busy machine. */
const graceMs = 20_000;
/** Heap limit; several times what a file of the largest size needs. */
const threadMemoryMb = 512;

/** The current compilation of a worker. */
interface Run {
  job: CompileJob;
  thread: Worker;
  timeoutMs: number;
  timer: NodeJS.Timeout | undefined;
  resolve(result: CompileResult): void;
  reject(error: CompileError): void;
}

/** Compiles one file at a time in a thread. A terminated thread is replaced. */
export class CompileWorker {
  #thread: Worker | undefined;
  #run: Run | undefined;
  #isClosed = false;
  /** Extensions of all files compiled so far; every new thread loads their compilers. */
  readonly #extensions: ReadonlySet<string>;

  /** The set is shared by the workers of a pool and grows. */
  constructor(extensions: ReadonlySet<string>) {
    this.#extensions = extensions;
  }

  get isBusy(): boolean {
    return this.#run !== undefined;
  }

  /**
   * Compiles a file. `timeoutMs` is CPU time of the thread, so that other load on the machine doesn't count. The worker
   * must not be busy.
   *
   * @throws {CompileError}
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

  /** Starts the thread if necessary and loads the compiler for this extension. */
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
    // An idle thread must not keep the server process running.
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

  /** Aborts a run when the thread has used its CPU time limit; `cpuMs` is the time at the start of the run. */
  #watch(run: Run, cpuMs: number): void {
    const { thread, timeoutMs, job } = run;
    const deadline = performance.now() + timeoutMs + graceMs;
    const abortAtDeadline = () => this.#abort(run, overloaded(job.path));
    const check = async () => {
      // The thread can't respond while native code runs.
      run.timer = setTimeout(abortAtDeadline, Math.max(0, deadline - performance.now()));
      const used = await thread.cpuUsage().catch(() => undefined);
      // No usage means that the thread has ended.
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
    // Started at once, so that the next file doesn't have to wait.
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
    return new CompileError('out_of_memory', `${path} uses too much memory to compile.`);
  return new CompileError('crashed', `Couldn’t compile ${path}: ${error.message}`, 60);
}
