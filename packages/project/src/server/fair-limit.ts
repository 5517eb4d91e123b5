/** Asynchronous work that only so much of is done at a time, fairly by client. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createFairQueue } from '../fair-queue.ts';

/** The address of the client on whose behalf work is done. The server's own work has none. */
export const clientAddress = new AsyncLocalStorage<string>();

export interface FairLimitOptions {
  /** What is done at a time. One client has all of these but one at most, if there are several. */
  readonly slots: number;
  readonly maxWaiting: number;
  /** What the last of the client with most waiting is refused with when too many wait. */
  refusal(): Error;
}

/** Does `work` when it is its client's turn. A signal ends the waiting, with its reason. */
export type FairLimit = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

export function createFairLimit({ slots, maxWaiting, refusal }: FairLimitOptions): FairLimit {
  const queue = createFairQueue<Waiting>({
    slots,
    slotsPerKey: Math.max(1, slots - 1),
    maxWaiting,
    keysOf: ({ client }) => [client],
  });
  const startNext = () => {
    for (let next = queue.take(); next; next = queue.take()) next.start();
  };
  const waitForSlot = (signal: AbortSignal | undefined) =>
    new Promise<Waiting>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const waiting: Waiting = {
        client: clientAddress.getStore() ?? '',
        start() {
          signal?.removeEventListener('abort', leave);
          resolve(waiting);
        },
        drop() {
          signal?.removeEventListener('abort', leave);
          reject(refusal());
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
    const start = performance.now();
    try {
      return await work();
    } finally {
      queue.finish(waiting, performance.now() - start);
      startNext();
    }
  };
}

interface Waiting {
  readonly client: string;
  start(): void;
  drop(): void;
}
