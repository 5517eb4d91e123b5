import { isLoadFailure, whenRetryDue } from '@vitrine/project/retry-loading';
import { afterPaint, hugeTextLength, largeTextLength, afterTypingPause } from '../after-paint.ts';
import { exceedsNestingLimit } from '../nesting-limit.ts';

interface WorkerClientOptions<Kind extends string> {
  /**
   * The project's texts. Returns the same map while nothing has changed, and the same string for an
   * unchanged file.
   */
  readonly files: () => ReadonlyMap<string, string>;
  /**
   * Called when results may have changed without a file change: package types have loaded, or the
   * worker was restarted.
   */
  readonly onChange: () => void;
  readonly openWorker: () => Worker;
  /** Called with each new worker before any other message is sent to it. */
  readonly initialize?: (worker: Worker) => void;
  /** The text of a file to send to the worker; undefined for a file that it does not need. */
  readonly selectText: (path: string, text: string) => string | undefined;
  /** Order in which queued requests are sent, by kind. Interactive ones come first. */
  readonly priority: readonly Kind[];
}

/** A request that takes longer counts as hung, and its worker is terminated. */
const timeoutMs = 20_000;
/** Crashes in a row after which no worker is started again. */
const maxCrashes = 3;

interface PendingRequest {
  readonly kind: string;
  readonly at: unknown;
  resolve(answer: unknown): void;
}

type Message =
  | { readonly type: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly reason: string }
  /** Package types have loaded. */
  | { readonly type: 'packages' };

/**
 * Sends requests to a worker that holds a copy of the project. One request is in flight at a time.
 * Queued requests are replaced by newer ones of the same kind. The worker starts with the first
 * request, and again after it hangs or crashes. If its code can't be loaded, it starts again when
 * that should be retried.
 */
export class WorkerClient<
  Params extends object,
  Results extends { readonly [K in keyof Params]: unknown },
> {
  readonly #options: WorkerClientOptions<keyof Params & string>;
  #worker: Worker | undefined;
  /** Files the worker currently has, as of the last request. Cleared when the worker ends. */
  #sentFiles: ReadonlyMap<string, string> = new Map();
  readonly #queued = new Map<string, PendingRequest>();
  #inFlight: (PendingRequest & { readonly id: number }) | undefined;
  #nextId = 1;
  #crashes = 0;
  /** True while the worker's code can't be loaded. */
  #isUnreachable = false;
  #timeout: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(options: WorkerClientOptions<keyof Params & string>) {
    this.#options = options;
  }

  /**
   * False once the client is closed or the worker has crashed too often, and while its code can't
   * be loaded.
   */
  get isAvailable(): boolean {
    return !this.#isClosed && !this.#isUnreachable && this.#crashes < maxCrashes;
  }

  /** Starts the worker before the first request. */
  start(): void {
    this.#worker ??= this.#start();
    this.#sendFiles(this.#worker);
  }

  /**
   * Posts a message to the running worker. A worker started later gets its state from `initialize`.
   */
  post(message: object): void {
    this.#worker?.postMessage(message);
  }

  /**
   * Sends a request. Resolves with undefined if a newer one of its kind replaces it, or the worker
   * is unavailable. Never rejects.
   */
  request<K extends keyof Params & string>(
    kind: K,
    at: Params[K],
  ): Promise<Results[K] | undefined> {
    if (!this.isAvailable) return Promise.resolve(undefined);
    this.#queued.get(kind)?.resolve(undefined);
    return new Promise((resolve) => {
      // Safe because the worker responds to a request of a kind with a result of that kind.
      this.#queued.set(kind, { kind, at, resolve });
      // An edit reaches the editor state a moment before `files()` returns it.
      queueMicrotask(() => this.#scheduleNext());
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#terminate();
  }

  /**
   * Delays sending large texts until the typed character is painted, and very large ones until
   * typing pauses.
   */
  #scheduleNext(): void {
    const length = this.#findLongestUnsent();
    if (length > hugeTextLength) afterTypingPause(() => this.#sendNext());
    else if (length > largeTextLength) afterPaint(() => this.#sendNext());
    else this.#sendNext();
  }

  #sendNext(): void {
    const { priority } = this.#options;
    const kind =
      this.#inFlight || this.#isClosed
        ? undefined
        : priority.find((each) => this.#queued.has(each));
    const next = kind === undefined ? undefined : this.#queued.get(kind);
    if (!next) return;
    this.#queued.delete(next.kind);
    const id = this.#nextId++;
    this.#inFlight = { ...next, id };
    const worker = (this.#worker ??= this.#start());
    this.#sendFiles(worker);
    worker.postMessage({ type: 'ask', id, ask: { kind: next.kind, at: next.at } });
    this.#timeout = setTimeout(() => this.#handleCrash(), timeoutMs);
  }

  #start(): Worker {
    const worker = this.#options.openWorker();
    worker.onmessage = ({ data }: MessageEvent<Message>) => this.#handleMessage(data);
    // Only the event of an error that was thrown has a message.
    worker.onerror = ({ message }: Partial<ErrorEvent>) =>
      message ? this.#handleCrash() : void this.#handleLoadFailure();
    this.#sentFiles = new Map();
    this.#options.initialize?.(worker);
    return worker;
  }

  #handleMessage(message: Message): void {
    if (message.type === 'packages') return this.#options.onChange();
    if (message.id !== this.#inFlight?.id) return;
    const { resolve } = this.#inFlight;
    this.#crashes = 0;
    this.#clearInFlight();
    // Firefox remembers in a worker, too, which modules it couldn't load.
    if (message.type === 'failed' && isLoadFailure(new TypeError(message.reason))) {
      resolve(undefined);
      return void this.#handleLoadFailure();
    }
    // Errors thrown in the worker are bugs.
    if (message.type === 'failed') reportError(new Error(message.reason));
    afterPaint(() => resolve(message.type === 'answer' ? message.answer : undefined));
    this.#scheduleNext();
  }

  /** Longest text that still has to be sent, in UTF-16 units. */
  #findLongestUnsent(): number {
    let longest = 0;
    for (const [path, text] of this.#options.files())
      if (text !== this.#sentFiles.get(path)) longest = Math.max(longest, text.length);
    return longest;
  }

  #sendFiles(worker: Worker): void {
    const files = this.#options.files();
    if (files === this.#sentFiles) return;
    const changed = new Map<string, string>();
    for (const [path, text] of files) {
      const selected =
        this.#sentFiles.get(path) === text ? undefined : this.#options.selectText(path, text);
      // Deeply nested text would overflow the worker's stack.
      if (selected !== undefined)
        changed.set(path, exceedsNestingLimit(path, selected) ? '' : selected);
    }
    const removed = [...this.#sentFiles.keys()].filter((path) => !files.has(path));
    this.#sentFiles = files;
    if (changed.size > 0 || removed.length > 0)
      worker.postMessage({ type: 'files', changed, removed });
  }

  #handleCrash(): void {
    this.#crashes += 1;
    this.#terminate();
    if (this.isAvailable) this.#options.onChange();
  }

  async #handleLoadFailure(): Promise<void> {
    this.#terminate();
    if (this.#isUnreachable) return;
    this.#isUnreachable = true;
    await whenRetryDue();
    this.#isUnreachable = false;
    if (this.isAvailable) this.#options.onChange();
  }

  /** Terminates the worker and resolves all requests with undefined. */
  #terminate(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    const unresolved = [this.#inFlight, ...this.#queued.values()];
    this.#queued.clear();
    this.#clearInFlight();
    for (const each of unresolved) each?.resolve(undefined);
  }

  #clearInFlight(): void {
    clearTimeout(this.#timeout);
    this.#inFlight = undefined;
  }
}
