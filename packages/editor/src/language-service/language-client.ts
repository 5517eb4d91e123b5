import type {
  LanguageResults,
  LanguageParams,
  LanguageMethod,
  LanguageRequest,
} from '../typescript/messages.ts';
import { WorkerClient } from './worker-client.ts';

export interface LanguageClientOptions {
  /**
   * The project's texts. Returns the same map while nothing has changed, and the same string for an
   * unchanged file.
   */
  readonly files: () => ReadonlyMap<string, string>;
  /**
   * Diagnostics may have changed without a file change: package types have loaded, or the worker
   * was restarted.
   */
  readonly onChange: () => void;
}

const priority: readonly LanguageMethod[] = [
  'completions',
  'completion',
  'signature',
  'description',
  'definitions',
  'references',
  'renaming',
  'rename',
  'fixes',
  'imports',
  'source',
  'problems',
];

/** Files that the worker reads. The lockfile is not sent. */
const isNeeded = (path: string) =>
  /\.(?:[cm]?[jt]s|[jt]sx|json|html?|vue|svelte)$/.test(path) &&
  !path.endsWith('package-lock.json');

/** Client of the TypeScript worker. */
export class LanguageClient {
  readonly #worker: WorkerClient<LanguageParams, LanguageResults>;
  #packages: readonly (readonly [string, string])[] = [];

  constructor({ files, onChange }: LanguageClientOptions) {
    this.#worker = new WorkerClient<LanguageParams, LanguageResults>({
      files,
      onChange,
      openWorker: () =>
        new Worker(new URL('../typescript/language-worker.ts', import.meta.url), {
          type: 'module',
        }),
      initialize: (worker) => {
        if (this.#packages.length > 0) worker.postMessage(this.#createPackagesMessage());
      },
      selectText: (path, text) => (isNeeded(path) ? text : undefined),
      priority,
    });
  }

  /** Starts the worker before the first request. */
  start(): void {
    this.#worker.start();
  }

  /** Makes the worker's preparations wait for a pause in typing. Called with each keystroke. */
  onTyped(): void {
    this.#worker.post({ type: 'typed' } satisfies LanguageRequest);
  }

  /** Sets the project's packages: import specifier → URL path on the server. */
  setPackages(addresses: ReadonlyMap<string, string>): void {
    this.#packages = [...addresses];
    this.#worker.post(this.#createPackagesMessage());
  }

  /**
   * Sends a request. Resolves with undefined if a newer one of its kind replaces it, or the worker
   * is unavailable. Never rejects.
   */
  request<K extends LanguageMethod>(
    kind: K,
    at: LanguageParams[K],
  ): Promise<LanguageResults[K] | undefined> {
    return this.#worker.request(kind, at);
  }

  close(): void {
    this.#worker.close();
  }

  #createPackagesMessage(): LanguageRequest {
    return { type: 'packages', addresses: this.#packages };
  }
}
