/*
 * A worker that is asked about a project's files. One question is with it at a time; of those that
 * wait, a newer one of a kind takes the older one's place. The files are sent ahead of a question, as
 * far as they changed. It is started with the first and started anew when it hangs or dies. Nobody
 * waits for it but who awaits an answer.
 */

/** What is asked and answered, by kind. */
export type Kinds = Readonly<Record<string, { readonly at: object; readonly answer: unknown }>>;

export type AskOf<K extends Kinds, P extends keyof K = keyof K> = {
  [Q in P]: { readonly kind: Q; readonly at: K[Q]['at'] };
}[P];

/** To such a worker. */
export type WorkerRequest<K extends Kinds> =
  /** The project's texts, against what was sent before. */
  | {
      readonly type: 'files';
      readonly changed: ReadonlyMap<string, string>;
      readonly removed: readonly string[];
    }
  | { readonly type: 'ask'; readonly id: number; readonly ask: AskOf<K> };

/** From it. */
export type WorkerAnswer<K extends Kinds> =
  | { readonly type: 'answer'; readonly id: number; readonly answer: K[keyof K]['answer'] }
  /** What it runs threw. */
  | { readonly type: 'failed'; readonly id: number; readonly reason: string };

export interface AskedWorkerOptions<K extends Kinds> {
  /** Makes a worker, and tells it what it needs beside the files. */
  readonly start: () => Worker;
  /** The project's texts; the same map while nothing has changed, and the same strings for what did not. */
  readonly files: () => ReadonlyMap<string, string>;
  /** Which of them it reads. */
  readonly isRead: (path: string) => boolean;
  /** What waits is asked in this order: what somebody looks at first. */
  readonly order: readonly (keyof K)[];
  /** It begins anew, and answers may be others. */
  readonly onRestart: () => void;
  /** A message that is no answer. */
  readonly onMessage?: () => void;
}

/** A question that takes longer is one that never ends. */
const patienceMs = 20_000;
/** After so many of them in a row the project is left alone. */
const deathsMax = 3;

interface Waiting<K extends Kinds> {
  readonly ask: AskOf<K>;
  settle(answer: K[keyof K]['answer'] | undefined): void;
}

export class AskedWorker<K extends Kinds> {
  readonly #options: AskedWorkerOptions<K>;
  #worker: Worker | undefined;
  /** What the worker has been sent. */
  #sent: ReadonlyMap<string, string> = new Map();
  readonly #waiting = new Map<keyof K, Waiting<K>>();
  #asked: (Waiting<K> & { readonly id: number }) | undefined;
  #nextId = 1;
  #deaths = 0;
  #patience: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(options: AskedWorkerOptions<K>) {
    this.#options = options;
  }

  /** Starts the worker, which gets ready while nobody asks. */
  start(): void {
    this.#sendFiles((this.#worker ??= this.#start()));
  }

  /** Tells the worker something else; nothing where it does not run, since `start` tells it too. */
  tell(message: object): void {
    this.#worker?.postMessage(message);
  }

  /** Undefined where a newer question came, or there is no answer to be had. It never rejects. */
  ask<P extends keyof K>(kind: P, at: K[P]['at']): Promise<K[P]['answer'] | undefined> {
    if (this.#isClosed || this.#deaths >= deathsMax) return Promise.resolve(undefined);
    this.#waiting.get(kind)?.settle(undefined);
    return new Promise((resolve) => {
      // The worker answers a question of a kind with an answer of that kind.
      this.#waiting.set(kind, { ask: { kind, at }, settle: resolve });
      // Whoever asks as an editor takes in an edit is ahead of the project's texts by a moment.
      queueMicrotask(() => this.#askNext());
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#end();
  }

  #askNext(): void {
    const { order } = this.#options;
    const kind =
      this.#asked || this.#isClosed ? undefined : order.find((each) => this.#waiting.has(each));
    const next = kind === undefined ? undefined : this.#waiting.get(kind);
    if (kind === undefined || !next) return;
    this.#waiting.delete(kind);
    const id = this.#nextId++;
    this.#asked = { ...next, id };
    const worker = (this.#worker ??= this.#start());
    this.#sendFiles(worker);
    worker.postMessage({ type: 'ask', id, ask: next.ask } satisfies WorkerRequest<K>);
    this.#patience = setTimeout(() => this.#giveUp(), patienceMs);
  }

  #start(): Worker {
    const worker = this.#options.start();
    worker.onmessage = ({ data }: MessageEvent<WorkerAnswer<K> | { type: 'news' }>) => {
      if (data.type === 'answer' || data.type === 'failed') this.#hear(data);
      else this.#options.onMessage?.();
    };
    // It could not be loaded, or failed outside of a question.
    worker.onerror = () => this.#giveUp();
    this.#sent = new Map();
    return worker;
  }

  #hear(message: WorkerAnswer<K>): void {
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
    const { isRead } = this.#options;
    const files = this.#options.files();
    if (files === this.#sent) return;
    const changed = new Map(
      [...files].filter(([path, text]) => isRead(path) && this.#sent.get(path) !== text),
    );
    const removed = [...this.#sent.keys()].filter((path) => !files.has(path));
    this.#sent = files;
    if (changed.size === 0 && removed.length === 0) return;
    worker.postMessage({ type: 'files', changed, removed } satisfies WorkerRequest<K>);
  }

  #giveUp(): void {
    this.#deaths += 1;
    this.#end();
    if (!this.#isClosed && this.#deaths < deathsMax) this.#options.onRestart();
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
