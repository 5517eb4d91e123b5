import type { Log } from '../log.ts';

/**
 * Work done after the answer, so that the answer's time does not tell whether there was any: mails,
 * and looking for the account they are for.
 */
export interface Background {
  run(what: string, task: () => Promise<void>): void;
  /** Resolves when everything begun is done. */
  settle(): Promise<void>;
}

export function createBackground(log: Log): Background {
  const running = new Set<Promise<void>>();
  return {
    run(what, task) {
      const done = task()
        .catch((error: unknown) => {
          const reason = error instanceof Error ? error.name : typeof error;
          log.error(`${what} failed after the answer was sent.`, { reason });
        })
        .finally(() => running.delete(done));
      running.add(done);
    },
    async settle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
