import { VitrineError } from '@vitrine/project';
import { createFairQueue } from '@vitrine/project/fair-queue';
import { AsyncLocalStorage } from 'node:async_hooks';

/** The client address on whose behalf work is done. The server's own work has none. */
export const clientAddress = new AsyncLocalStorage<string>();

/**
 * Runs `slots` at a time. The others wait in a queue that is fair by client, and of more than
 * `maxWaiting` the last of the client with most are told `packages_busy`. One client has all slots
 * but one at most, so that no one's slow work keeps the others waiting. A signal ends the waiting,
 * with its reason.
 */
export function createLimit(slots: number, maxWaiting: number) {
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
          reject(new VitrineError('packages_busy'));
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

  return async function withinLimit<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
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
