/**
 * Retries for code that is loaded on demand. Everything that failed to load waits for the same
 * moment: once the connection is back, or else after 1, 2, 5, and then every 10 seconds.
 */
import { limits } from './limits.ts';

/** Called when loading should be retried; emptied then. */
const waiting = new Set<() => void>();
/** Number of retries since something last loaded. */
let retries = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
/** Called when the first part starts or the last one stops waiting. */
const listeners = new Set<() => void>();

/** Whether something couldn't be loaded and waits for its retry. */
export const isWaitingForRetry = (): boolean => waiting.size > 0;

/** Calls the listener when `isWaitingForRetry` changes. Returns a function that removes it. */
export function watchRetries(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Resolves when what failed to load should be retried, or the signal aborts. */
export function whenRetryDue(signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stopWaiting = () => {
      if (!waiting.delete(resolve)) return;
      resolve();
      if (waiting.size === 0) notify();
    };
    signal?.addEventListener('abort', stopWaiting, { once: true });
    waiting.add(resolve);
    if (waiting.size === 1) notify();
    if (timer !== undefined) return;
    const seconds = limits.retrySeconds[retries] ?? limits.retrySeconds.at(-1) ?? 10;
    retries += 1;
    timer = setTimeout(releaseAll, seconds * 1_000);
  });
}

/** Retries at once. To be called when the connection may be back. */
export function retryLoadingNow(): void {
  retries = 0;
  releaseAll();
}

function releaseAll(): void {
  clearTimeout(timer);
  timer = undefined;
  const released = [...waiting];
  waiting.clear();
  for (const resolve of released) resolve();
  if (released.length > 0) notify();
}

function notify(): void {
  for (const listener of listeners) listener();
}

interface RetryOptions {
  /** Ends the retries. The promise then rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Called when loading failed and will be retried. */
  readonly onFailure?: () => void;
}

/**
 * Loads code that a page works without at first, such as a connection or language services, however
 * often that takes. Rejects only with errors that retrying doesn't resolve.
 */
export async function loadWithRetries<Loaded>(
  load: () => Promise<Loaded>,
  { signal, onFailure }: RetryOptions = {},
): Promise<Loaded> {
  for (;;) {
    try {
      const loaded = await load();
      // The server can be reached: whatever else is missing doesn't have to wait.
      retryLoadingNow();
      return loaded;
    } catch (error) {
      if (!isLoadFailure(error)) throw error;
    }
    if (signal?.aborted) throw signal.reason;
    onFailure?.();
    await whenRetryDue(signal);
    if (signal?.aborted) throw signal.reason;
  }
}

/** Messages of Chromium, Firefox and WebKit when a module or another file couldn't be fetched. */
const loadFailure =
  /dynamically imported module|Importing a module script failed|^(?:Failed to fetch|NetworkError when|Load failed)/;

/** Whether code couldn't be loaded, as opposed to code that threw. */
export function isLoadFailure(error: unknown): boolean {
  return error instanceof TypeError && loadFailure.test(error.message);
}
