/** A concurrency limit for asynchronous work that shares its slots fairly between clients. */
import { createFairQueue } from './fair-queue.ts';

interface FairLimitOptions {
  /** Maximum number of concurrent runs. With several slots, one client uses at most all but one. */
  readonly slots: number;
  /** Maximum number of waiting runs. With one more, a run is rejected: see `createError`. */
  readonly maxWaiting: number;
  /** The address of the client that requests the work; '' for the server itself. */
  getCurrentClient(): string;
  /** Creates the error that rejects the last run of the client with the most waiting runs. */
  createError(): Error;
}

/** Runs `work` when a slot is free. Rejects with the signal's reason if aborted while waiting. */
export type FairLimit = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** Creates a concurrency limit that shares its slots fairly between clients. */
export function createFairLimit(options: FairLimitOptions): FairLimit {
  const { slots, maxWaiting, getCurrentClient, createError } = options;
  const queue = createFairQueue<Waiting>({
    slots,
    slotsPerKey: Math.max(1, slots - 1),
    maxWaiting,
    getKeys: ({ client }) => [client],
  });
  const startNext = () => {
    for (let next = queue.take(); next; next = queue.take()) next.start();
  };
  const waitForSlot = (signal: AbortSignal | undefined) =>
    new Promise<Waiting>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const waiting: Waiting = {
        client: getCurrentClient(),
        start() {
          signal?.removeEventListener('abort', leave);
          resolve(waiting);
        },
        drop() {
          signal?.removeEventListener('abort', leave);
          reject(createError());
        },
      };
      const leave = () => {
        queue.remove(waiting);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      queue.add(waiting)?.drop();
      startNext();
    });

  return async (work, signal) => {
    const waiting = await waitForSlot(signal);
    const start = Date.now();
    try {
      return await work();
    } finally {
      queue.finish(waiting, Date.now() - start);
      startNext();
    }
  };
}

interface Waiting {
  readonly client: string;
  start(): void;
  drop(): void;
}
