import { VitrineError } from '@vitrine/project';

/** Runs so many at a time; the others wait in turn, and beyond `queueMax` are told `packages_busy`. */
export function createLimit(atOnce: number, queueMax: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async function withinLimit<T>(work: () => Promise<T>): Promise<T> {
    if (running >= atOnce) {
      if (waiting.length >= queueMax) throw new VitrineError('packages_busy');
      await new Promise<void>((start) => waiting.push(start));
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
