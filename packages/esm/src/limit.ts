import { VitrineError } from '@vitrine/project';

/**
 * Runs so many at a time; the others wait in turn, and beyond `queueMax` are told `packages_busy`.
 * A signal ends the waiting, with its reason.
 */
export function createLimit(atOnce: number, queueMax: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async function withinLimit<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (running >= atOnce) {
      if (waiting.length >= queueMax) throw new VitrineError('packages_busy');
      await waitInTurn(waiting, signal);
    } else {
      running++;
    }
    try {
      return await work();
    } finally {
      // The place passes on to the next one without becoming free in between.
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

function waitInTurn(waiting: (() => void)[], signal: AbortSignal | undefined): Promise<void> {
  return new Promise((start, fail) => {
    const leave = () => {
      waiting.splice(waiting.indexOf(begin), 1);
      fail(signal?.reason);
    };
    const begin = () => {
      signal?.removeEventListener('abort', leave);
      start();
    };
    if (signal?.aborted) return fail(signal.reason);
    signal?.addEventListener('abort', leave, { once: true });
    waiting.push(begin);
  });
}
