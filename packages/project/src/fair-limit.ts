/** Asynchronous work that only so much of is done at a time, fairly by client. */
import { createFairQueue } from './fair-queue.ts';

export interface FairLimitOptions {
  /** What is done at a time. One client has all of these but one at most, if there are several. */
  readonly slots: number;
  readonly maxWaiting: number;
  /** The client on whose behalf work is asked for: an address; '' for the server itself. */
  currentClient(): string;
  /** What the last of the client with most waiting is refused with when too many wait. */
  refusal(): Error;
}

/** Does `work` when it is its client's turn. A signal ends the waiting, with its reason. */
export type FairLimit = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

export function createFairLimit(options: FairLimitOptions): FairLimit {
  const { slots, maxWaiting, currentClient, refusal } = options;
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
        client: currentClient(),
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
