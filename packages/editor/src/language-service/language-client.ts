import type {
  Answered,
  Ask,
  Asked,
  Kind,
  LanguageMessage,
  LanguageRequest,
} from '../typescript/messages.ts';

export interface LanguageClientOptions {
  /** The project's texts; the same map while nothing has changed, and the same strings for what did not. */
  readonly files: () => ReadonlyMap<string, string>;
  /** Problems may be others now, although no file has changed: types of packages came, or all began anew. */
  readonly onChange: () => void;
}

/** What waits is asked in this order: what somebody looks at first. */
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

/** A question that takes longer is one that never ends. */
const patienceMs = 20_000;
/** After so many of them in a row the project is left alone. */
const deathsMax = 3;

/** What the worker reads; other files, and the lock, would only be carried to it. */
const isRead = (path: string) =>
  /\.(?:[cm]?[jt]s|[jt]sx|json|html?)$/.test(path) && !path.endsWith('package-lock.json');

interface Waiting {
  readonly ask: Ask;
  settle(answer: Answered[Kind] | undefined): void;
}

/**
 * Asks the worker that understands the project's scripts. One question is with it at a time; of those
 * that wait, a newer one of the same kind takes the place of the older. The worker is started with
 * the first and started anew when it hangs or dies. Nobody waits for it but who awaits an answer.
 */
export class LanguageClient {
  readonly #options: LanguageClientOptions;
  #worker: Worker | undefined;
  /** What the worker has been sent. */
  #sent: ReadonlyMap<string, string> = new Map();
  #packages: readonly (readonly [string, string])[] = [];
  readonly #waiting = new Map<Kind, Waiting>();
  #asked: (Waiting & { readonly id: number }) | undefined;
  #nextId = 1;
  #deaths = 0;
  #patience: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(options: LanguageClientOptions) {
    this.#options = options;
  }

  /** Starts the worker, which gets ready while nobody asks. */
  start(): void {
    this.#worker ??= this.#start();
    this.#sendFiles(this.#worker);
  }

  /** The project's packages: names as imported, and addresses that the server knows. */
  setPackages(addresses: ReadonlyMap<string, string>): void {
    this.#packages = [...addresses];
    this.#worker?.postMessage(this.#toPackages());
  }

  /** Undefined where a newer question came, or there is no answer to be had. It never rejects. */
  ask<K extends Kind>(kind: K, at: Asked[K]): Promise<Answered[K] | undefined> {
    if (this.#isClosed || this.#deaths >= deathsMax) return Promise.resolve(undefined);
    this.#waiting.get(kind)?.settle(undefined);
    return new Promise((resolve) => {
      // The worker answers a question of a kind with an answer of that kind.
      const settle = resolve as Waiting['settle'];
      this.#waiting.set(kind, { ask: { kind, at } as Ask, settle });
      // Whoever asks as an editor takes in an edit is ahead of the project's texts by a moment.
      queueMicrotask(() => this.#askNext());
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#end();
  }

  #askNext(): void {
    const kind =
      this.#asked || this.#isClosed ? undefined : order.find((each) => this.#waiting.has(each));
    const next = kind && this.#waiting.get(kind);
    if (!kind || !next) return;
    this.#waiting.delete(kind);
    const id = this.#nextId++;
    this.#asked = { ...next, id };
    const worker = (this.#worker ??= this.#start());
    this.#sendFiles(worker);
    worker.postMessage({ type: 'ask', id, ask: next.ask } satisfies LanguageRequest);
    this.#patience = setTimeout(() => this.#giveUp(), patienceMs);
  }

  #start(): Worker {
    const worker = new Worker(new URL('../typescript/language-worker.ts', import.meta.url), {
      type: 'module',
    });
    worker.onmessage = ({ data }: MessageEvent<LanguageMessage>) => this.#hear(data);
    // It could not be loaded, or failed outside of a question.
    worker.onerror = () => this.#giveUp();
    this.#sent = new Map();
    if (this.#packages.length > 0) worker.postMessage(this.#toPackages());
    return worker;
  }

  #hear(message: LanguageMessage): void {
    if (message.type === 'packages') return this.#options.onChange();
    if (message.id !== this.#asked?.id) return;
    const { settle } = this.#asked;
    this.#deaths = 0;
    this.#rest();
    // Nobody can do anything about it but us: it goes to the console.
    if (message.type === 'failed') reportError(new Error(message.reason));
    settle(message.type === 'answer' ? message.answer : undefined);
    this.#askNext();
  }

  #sendFiles(worker: Worker): void {
    const files = this.#options.files();
    if (files === this.#sent) return;
    const changed = new Map(
      [...files].filter(([path, text]) => isRead(path) && this.#sent.get(path) !== text),
    );
    const removed = [...this.#sent.keys()].filter((path) => !files.has(path));
    this.#sent = files;
    if (changed.size === 0 && removed.length === 0) return;
    worker.postMessage({ type: 'files', changed, removed } satisfies LanguageRequest);
  }

  #toPackages(): LanguageRequest {
    return { type: 'packages', addresses: this.#packages };
  }

  #giveUp(): void {
    this.#deaths += 1;
    this.#end();
    if (!this.#isClosed && this.#deaths < deathsMax) this.#options.onChange();
  }

  /** The worker goes, and who waits hears nothing. */
  #end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    const left = [this.#asked, ...this.#waiting.values()];
    this.#waiting.clear();
    this.#rest();
    for (const each of left) each?.settle(undefined);
  }

  #rest(): void {
    clearTimeout(this.#patience);
    this.#asked = undefined;
  }
}
