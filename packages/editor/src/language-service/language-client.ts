import type { Answered, Asked, Kind, LanguageRequest } from '../typescript/messages.ts';
import { takeLanguageWorker } from './begun-worker.ts';
import { WorkerClient } from './worker-client.ts';

export interface LanguageClientOptions {
  /** The project's texts; the same map while nothing has changed, and the same strings for what did not. */
  readonly files: () => ReadonlyMap<string, string>;
  /** Problems may be others now, although no file has changed: types of packages came, or all began anew. */
  readonly onChange: () => void;
}

const order: readonly Kind[] = [
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

/** What the worker reads; other files, and the lock, would only be carried to it. */
const isRead = (path: string) =>
  /\.(?:[cm]?[jt]s|[jt]sx|json|html?|vue|svelte)$/.test(path) &&
  !path.endsWith('package-lock.json');

/** Asks the worker that understands the project's scripts. */
export class LanguageClient {
  readonly #worker: WorkerClient<Asked, Answered>;
  #packages: readonly (readonly [string, string])[] = [];

  constructor({ files, onChange }: LanguageClientOptions) {
    this.#worker = new WorkerClient<Asked, Answered>({
      files,
      onChange,
      openWorker: takeLanguageWorker,
      greet: (worker) => {
        if (this.#packages.length > 0) worker.postMessage(this.#toPackages());
      },
      take: (path, text) => (isRead(path) ? text : undefined),
      order,
    });
  }

  /** Starts the worker, which gets ready while nobody asks. */
  start(): void {
    this.#worker.start();
  }

  /** The project's packages: names as imported, and addresses that the server knows. */
  setPackages(addresses: ReadonlyMap<string, string>): void {
    this.#packages = [...addresses];
    this.#worker.tell(this.#toPackages());
  }

  /** Undefined where a newer question came, or there is no answer to be had. It never rejects. */
  ask<K extends Kind>(kind: K, at: Asked[K]): Promise<Answered[K] | undefined> {
    return this.#worker.ask(kind, at);
  }

  close(): void {
    this.#worker.close();
  }

  #toPackages(): LanguageRequest {
    return { type: 'packages', addresses: this.#packages };
  }
}
