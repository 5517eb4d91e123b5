import { WorkerClient } from '../language-service/worker-client.ts';
import { listGlobalNames } from '../lint/global-names.ts';
import type { LintAnswered, LintAsked, LintRequest } from '../lint/messages.ts';

export interface LintClientOptions {
  /** The project's texts; the same map while nothing has changed, and the same strings for what did not. */
  readonly files: () => ReadonlyMap<string, string>;
  /** Rules began anew, and what they say may be more. */
  readonly onChange: () => void;
}

/** Asks the worker that checks files by rules. */
export type LintClient = WorkerClient<LintAsked, LintAnswered>;

/** What the worker reads; the lock would only be carried to it. */
const isRead = (path: string) =>
  /(?:\.(?:[cm]?[jt]s|[jt]sx|vue|svelte|css|html?|json)|^\.eslintrc)$/.test(path) &&
  !path.endsWith('package-lock.json');

export function createLintClient(options: LintClientOptions): LintClient {
  return new WorkerClient<LintAsked, LintAnswered>({
    ...options,
    openWorker: () =>
      new Worker(new URL('../lint/lint-worker.ts', import.meta.url), { type: 'module' }),
    greet: (worker) => {
      worker.postMessage({ type: 'names', names: listGlobalNames() } satisfies LintRequest);
    },
    take: (path, text) => (isRead(path) ? text : undefined),
    order: ['fixes', 'problems'],
  });
}
