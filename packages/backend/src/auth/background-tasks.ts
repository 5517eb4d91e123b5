import type { Log } from '../log.ts';

/**
 * Tasks that run after the response, so that the response time does not reveal whether there was
 * anything to do: sending mail, and looking up the account that it is for.
 */
export interface BackgroundTasks {
  run(what: string, task: () => Promise<void>): void;
  /** Resolves when all running tasks have finished. */
  waitForAll(): Promise<void>;
}

export function createBackgroundTasks(log: Log): BackgroundTasks {
  const running = new Set<Promise<void>>();
  return {
    run(what, task) {
      const done = task()
        .catch((error: unknown) => {
          const reason = error instanceof Error ? error.name : typeof error;
          log.error(`${what} failed after the response was sent.`, { reason });
        })
        .finally(() => running.delete(done));
      running.add(done);
    },
    async waitForAll() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
