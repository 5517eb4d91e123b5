import { behindLetter, mostText, muchText, whenTypingRests } from '../letter-frame.ts';
import { nestsTooDeep } from '../too-deep.ts';

export interface WorkerClientOptions<Kind extends string> {
  /** The project's texts; the same map while nothing has changed, and the same strings for what did not. */
  readonly files: () => ReadonlyMap<string, string>;
  /** What the worker says may be others now, although no file has changed. */
  readonly onChange: () => void;
  readonly openWorker: () => Worker;
  /** Said to each worker before all else. */
  readonly greet?: (worker: Worker) => void;
  /** What of a file the worker is sent; undefined for what it need not know of. */
  readonly take: (path: string, text: string) => string | undefined;
  /** What waits is asked in this order: what somebody looks at first. */
  readonly order: readonly Kind[];
}

/** A question that takes longer is one that never ends. */
const patienceMs = 20_000;
/** After so many of them in a row the project is left alone. */
const deathsMax = 3;

interface Waiting {
  readonly kind: string;
  readonly at: unknown;
  settle(answer: unknown): void;
}

type Message =
  | { readonly type: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly reason: string }
  /** Something came that it had waited for. */
  | { readonly type: 'packages' };

/**
 * Asks a worker that understands a part of the project. One question is with it at a time; of those
 * that wait, a newer one of the same kind takes the place of the older. The worker is started with
 * the first and started anew when it hangs or dies. Nobody waits for it but who awaits an answer.
 */
export class WorkerClient<
  Asked extends object,
  Answered extends { readonly [K in keyof Asked]: unknown },
> {
  readonly #options: WorkerClientOptions<keyof Asked & string>;
  #worker: Worker | undefined;
  /** What the worker has been sent. */
  #sent: ReadonlyMap<string, string> = new Map();
  readonly #waiting = new Map<string, Waiting>();
  #asked: (Waiting & { readonly id: number }) | undefined;
  #nextId = 1;
  #deaths = 0;
  #patience: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(options: WorkerClientOptions<keyof Asked & string>) {
    this.#options = options;
  }

  /** False once nobody answers any more. */
  get isAlive(): boolean {
    return !this.#isClosed && this.#deaths < deathsMax;
  }

  /** Starts the worker, which gets ready while nobody asks. */
  start(): void {
    this.#worker ??= this.#start();
    this.#sendFiles(this.#worker);
  }

  /** Says something to the worker that runs; one that comes later is greeted. */
  tell(message: object): void {
    this.#worker?.postMessage(message);
  }

  /** Undefined where a newer question came, or there is no answer to be had. It never rejects. */
  ask<K extends keyof Asked & string>(kind: K, at: Asked[K]): Promise<Answered[K] | undefined> {
    if (!this.isAlive) return Promise.resolve(undefined);
    this.#waiting.get(kind)?.settle(undefined);
    return new Promise((resolve) => {
      // The worker answers a question of a kind with an answer of that kind.
      this.#waiting.set(kind, { kind, at, settle: resolve });
      // Whoever asks as an editor takes in an edit is ahead of the project's texts by a moment.
      queueMicrotask(() => this.#askSoon());
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#end();
  }

  /** Not in the way of a letter, where there is much to send; not between letters, where it is very much. */
  #askSoon(): void {
    const length = this.#findLongestToSend();
    if (length > mostText) whenTypingRests(() => this.#askNext());
    else if (length > muchText) behindLetter(() => this.#askNext());
    else this.#askNext();
  }

  #askNext(): void {
    const { order } = this.#options;
    const kind =
      this.#asked || this.#isClosed ? undefined : order.find((each) => this.#waiting.has(each));
    const next = kind === undefined ? undefined : this.#waiting.get(kind);
    if (!next) return;
    this.#waiting.delete(next.kind);
    const id = this.#nextId++;
    this.#asked = { ...next, id };
    const worker = (this.#worker ??= this.#start());
    this.#sendFiles(worker);
    worker.postMessage({ type: 'ask', id, ask: { kind: next.kind, at: next.at } });
    this.#patience = setTimeout(() => this.#giveUp(), patienceMs);
  }

  #start(): Worker {
    const worker = this.#options.openWorker();
    worker.onmessage = ({ data }: MessageEvent<Message>) => this.#hear(data);
    // It could not be loaded, or failed outside of a question.
    worker.onerror = () => this.#giveUp();
    this.#sent = new Map();
    this.#options.greet?.(worker);
    return worker;
  }

  #hear(message: Message): void {
    if (message.type === 'packages') return this.#options.onChange();
    if (message.id !== this.#asked?.id) return;
    const { settle } = this.#asked;
    this.#deaths = 0;
    this.#rest();
    // A bug of ours goes to the console. A module that could not be fetched is none: the network or
    // the server is away, and the next question loads it again.
    if (message.type === 'failed' && !isUnreachable(message.reason))
      reportError(new Error(message.reason));
    behindLetter(() => settle(message.type === 'answer' ? message.answer : undefined));
    this.#askSoon();
  }

  /** In UTF-16 units, of the texts that the worker has not been sent. */
  #findLongestToSend(): number {
    let longest = 0;
    for (const [path, text] of this.#options.files())
      if (text !== this.#sent.get(path)) longest = Math.max(longest, text.length);
    return longest;
  }

  #sendFiles(worker: Worker): void {
    const files = this.#options.files();
    if (files === this.#sent) return;
    const changed = new Map<string, string>();
    for (const [path, text] of files) {
      const taken = this.#sent.get(path) === text ? undefined : this.#options.take(path, text);
      // What reads code goes as deep as the code, and its stack ends somewhere.
      if (taken !== undefined) changed.set(path, nestsTooDeep(path, taken) ? '' : taken);
    }
    const removed = [...this.#sent.keys()].filter((path) => !files.has(path));
    this.#sent = files;
    if (changed.size > 0 || removed.length > 0)
      worker.postMessage({ type: 'files', changed, removed });
  }

  #giveUp(): void {
    this.#deaths += 1;
    this.#end();
    if (this.isAlive) this.#options.onChange();
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

/** Whether this is what Chromium, Firefox or Safari say of a module that could not be fetched. */
function isUnreachable(reason: string): boolean {
  return (
    !navigator.onLine || /dynamically imported module|Importing a module script failed/.test(reason)
  );
}
