/*
 * Work that is done once for all who want it: fetching, building, joining. A page that leaves does
 * not end it, for most come back for it a moment later. Only what somebody has called off ends, and
 * that when nobody waits for it any more.
 */
import { VitrineError } from '@vitrine/project';

export interface SharedWork<T> {
  /**
   * The result of `work`, which is begun when none with this key is under way. `waiting` ends when
   * whoever waits has left; without it nobody waits, and work begun so goes on until it is called off.
   */
  join(key: string, work: (signal: AbortSignal) => Promise<T>, waiting?: AbortSignal): Promise<T>;
  /**
   * Ends the work with keys that begin so, as soon as nobody waits for it, with `packages_busy`.
   * What is wanted anew meanwhile goes on.
   */
  callOff(prefix: string): void;
  isUnderWay(key: string): boolean;
  /** Resolves when nothing is under way any more. */
  settle(): Promise<void>;
  /** Ends everything with `packages_busy`, and what is begun later at its next step. */
  close(): Promise<void>;
}

interface Job<T> {
  readonly result: Promise<T>;
  readonly ending: AbortController;
  readonly waiting: Set<AbortSignal>;
  isCalledOff: boolean;
}

export function createSharedWork<T>(): SharedWork<T> {
  const jobs = new Map<string, Job<T>>();
  let isClosed = false;

  const begin = (key: string, work: (signal: AbortSignal) => Promise<T>): Job<T> => {
    const ending = new AbortController();
    if (isClosed) ending.abort(new VitrineError('packages_busy'));
    const result = work(ending.signal).finally(() => jobs.delete(key));
    const job: Job<T> = { result, ending, waiting: new Set(), isCalledOff: false };
    jobs.set(key, job);
    return job;
  };

  const wait = (job: Job<T>, waiting: AbortSignal) => {
    if (waiting.aborted) return;
    job.waiting.add(waiting);
    const leave = () => {
      job.waiting.delete(waiting);
      endUnwanted(job);
    };
    waiting.addEventListener('abort', leave, { once: true });
    const forget = () => waiting.removeEventListener('abort', leave);
    job.result.then(forget, forget);
  };

  const join: SharedWork<T>['join'] = async (key, work, waiting) => {
    const known = jobs.get(key);
    if (known?.ending.signal.aborted === true && !isClosed) {
      await known.result.catch(() => undefined);
      return join(key, work, waiting);
    }
    const job = known ?? begin(key, work);
    job.isCalledOff = false;
    if (waiting) wait(job, waiting);
    return job.result;
  };

  return {
    join,
    callOff(prefix) {
      for (const [key, job] of jobs) {
        if (!key.startsWith(prefix)) continue;
        job.isCalledOff = true;
        endUnwanted(job);
      }
    },
    isUnderWay: (key) => jobs.has(key),
    async settle() {
      while (jobs.size > 0) await Promise.allSettled([...jobs.values()].map((job) => job.result));
    },
    async close() {
      isClosed = true;
      for (const { ending } of jobs.values()) ending.abort(new VitrineError('packages_busy'));
      await Promise.allSettled([...jobs.values()].map((job) => job.result));
    },
  };
}

function endUnwanted(job: Job<unknown>): void {
  if (!job.isCalledOff || job.waiting.size > 0) return;
  job.ending.abort(new VitrineError('packages_busy'));
}
