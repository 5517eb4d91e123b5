/*
 * Tasks that run once for all callers who need them: fetching, building, bundling. A client that
 * disconnects doesn't end a task, because most clients come back for it a moment later. Only a
 * canceled task ends, and only when no caller is waiting for it.
 */
import { VitrineError } from '@vitrine/project';

interface SharedWork<T> {
  /**
   * Returns the result of the running task with this key, or starts `work`. `waiting` aborts when
   * the caller has left. Without it nobody waits, and the task runs until it is canceled.
   */
  run(key: string, work: (signal: AbortSignal) => Promise<T>, waiting?: AbortSignal): Promise<T>;
  /**
   * Cancels the tasks with keys that start with `prefix`, as soon as nobody waits for them. They
   * reject with `packages_busy`. A task that is requested again in the meantime continues.
   */
  cancel(prefix: string): void;
  isRunning(key: string): boolean;
  /** Resolves when no task is running. */
  whenIdle(): Promise<void>;
  /** Aborts everything with `packages_busy`, including tasks that start later. */
  close(): Promise<void>;
}

interface Job<T> {
  readonly result: Promise<T>;
  readonly ending: AbortController;
  readonly waiting: Set<AbortSignal>;
  isCanceled: boolean;
}

export function createSharedWork<T>(): SharedWork<T> {
  const jobs = new Map<string, Job<T>>();
  let isClosed = false;

  const start = (key: string, work: (signal: AbortSignal) => Promise<T>): Job<T> => {
    const ending = new AbortController();
    if (isClosed) ending.abort(new VitrineError('packages_busy'));
    const result = work(ending.signal).finally(() => jobs.delete(key));
    const job: Job<T> = { result, ending, waiting: new Set(), isCanceled: false };
    jobs.set(key, job);
    return job;
  };

  const wait = (job: Job<T>, waiting: AbortSignal) => {
    if (waiting.aborted) return;
    job.waiting.add(waiting);
    const leave = () => {
      job.waiting.delete(waiting);
      abortUnwaited(job);
    };
    waiting.addEventListener('abort', leave, { once: true });
    const forget = () => waiting.removeEventListener('abort', leave);
    job.result.then(forget, forget);
  };

  const join: SharedWork<T>['run'] = async (key, work, waiting) => {
    const known = jobs.get(key);
    if (known?.ending.signal.aborted === true && !isClosed) {
      await known.result.catch(() => undefined);
      return join(key, work, waiting);
    }
    const job = known ?? start(key, work);
    job.isCanceled = false;
    if (waiting) wait(job, waiting);
    return job.result;
  };

  return {
    run: join,
    cancel(prefix) {
      for (const [key, job] of jobs) {
        if (!key.startsWith(prefix)) continue;
        job.isCanceled = true;
        abortUnwaited(job);
      }
    },
    isRunning: (key) => jobs.has(key),
    async whenIdle() {
      while (jobs.size > 0) await Promise.allSettled([...jobs.values()].map((job) => job.result));
    },
    async close() {
      isClosed = true;
      for (const { ending } of jobs.values()) ending.abort(new VitrineError('packages_busy'));
      await Promise.allSettled([...jobs.values()].map((job) => job.result));
    },
  };
}

function abortUnwaited(job: Job<unknown>): void {
  if (!job.isCanceled || job.waiting.size > 0) return;
  job.ending.abort(new VitrineError('packages_busy'));
}
