import { AskedWorker } from '../asked-worker.ts';
import { listGlobalNames } from '../lint/global-names.ts';
import type { LintKinds, LintRequest } from '../lint/messages.ts';

export interface LintClientOptions {
  /** The project's texts; the same map while nothing has changed, and the same strings for what did not. */
  readonly files: () => ReadonlyMap<string, string>;
  /** Rules began anew, and what they say may be more. */
  readonly onRestart: () => void;
}

/** What the worker reads; the lock would only be carried to it. */
const isRead = (path: string) =>
  /(?:\.(?:[cm]?js|jsx|css|html?|json)|^\.eslintrc)$/.test(path) &&
  !path.endsWith('package-lock.json');

/** Asks the worker that checks files by rules. */
export class LintClient {
  readonly #worker: AskedWorker<{ readonly [P in keyof LintKinds]: LintKinds[P] }>;

  constructor({ files, onRestart }: LintClientOptions) {
    const order = ['fixes', 'problems'] as const;
    this.#worker = new AskedWorker({ start, files, isRead, order, onRestart });
  }

  /** Undefined where a newer question came, or there is no answer to be had. It never rejects. */
  ask<P extends keyof LintKinds>(
    kind: P,
    at: LintKinds[P]['at'],
  ): Promise<LintKinds[P]['answer'] | undefined> {
    return this.#worker.ask(kind, at);
  }

  close(): void {
    this.#worker.close();
  }
}

function start(): Worker {
  const worker = new Worker(new URL('../lint/lint-worker.ts', import.meta.url), { type: 'module' });
  worker.postMessage({ type: 'names', names: listGlobalNames() } satisfies LintRequest);
  return worker;
}
