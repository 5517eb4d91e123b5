/** When work runs: after a pause, with the next frame, once the page is idle or its tab visible. */
import {
  afterPaint,
  hugeTextLength,
  largeTextLength,
  typingPauseMs,
} from '@vitrine/editor/after-paint';

/** A timeout, of which only the latest start counts. For calls that wait for a pause, and retries. */
export class Timer {
  #id: ReturnType<typeof setTimeout> | undefined;

  get isRunning(): boolean {
    return this.#id !== undefined;
  }

  start(ms: number, call: () => void): void {
    this.stop();
    this.#id = setTimeout(() => {
      this.#id = undefined;
      call();
    }, ms);
  }

  stop(): void {
    clearTimeout(this.#id);
    this.#id = undefined;
  }
}

/** Longest duration of a call that may run before the keystroke's frame, in milliseconds. */
const maxSyncMs = 8;
/** Longest delay while typing continues without a pause, in milliseconds. */
const maxWaitMs = 1_500;

/**
 * Coalesces calls. By default the function runs in a microtask, so that its effect appears in the
 * same frame as the keystroke and follows all transactions of one edit: an undo of a moved file is
 * one transaction for the file list and one for each text that links to it. If much text changed or the last call was slow, it runs after
 * that frame; if the text is very long and the user is typing, after a pause; in a hidden tab, when
 * the tab becomes visible. It then runs once, however often it was requested, and never after the
 * signal aborts.
 */
export function coalesce(
  call: () => void,
  edited: () => number,
  signal: AbortSignal,
  page: Pick<Document, 'hidden' | 'addEventListener'> = document,
): () => void {
  let isScheduled = false;
  let lastDurationMs = 0;
  let requestedAt = -Infinity;
  /** Time of the first request that waits for a pause. Undefined when none waits. */
  let waitingSince: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The tab has been hidden since the request. */
  let isWaitingForTab = false;
  const run = () => {
    clearTimeout(timer);
    waitingSince = undefined;
    if (signal.aborted) return;
    const start = performance.now();
    call();
    lastDurationMs = performance.now() - start;
  };
  const waitForPause = (now: number) => {
    waitingSince ??= now;
    clearTimeout(timer);
    timer = setTimeout(run, Math.min(typingPauseMs, waitingSince + maxWaitMs - now));
  };
  const waitForTab = () => {
    if (isWaitingForTab) return;
    isWaitingForTab = true;
    const onVisible = () => {
      isWaitingForTab = false;
      run();
    };
    page.addEventListener('visibilitychange', onVisible, { once: true, signal });
  };
  return () => {
    if (signal.aborted) return;
    if (page.hidden) return waitForTab();
    const [now, length] = [performance.now(), edited()];
    const isTyping = now - requestedAt < typingPauseMs;
    requestedAt = now;
    if (isTyping && length > hugeTextLength) return waitForPause(now);
    if (isScheduled) return;
    isScheduled = true;
    const schedule =
      lastDurationMs <= maxSyncMs && length <= largeTextLength ? queueMicrotask : afterPaint;
    schedule(() => {
      isScheduled = false;
      run();
    });
  };
}

/** Time in which the user first sees the preview and starts to type. */
const firstSecondsMs = 2_000;
/** Longest wait for an idle page. */
const idleTimeoutMs = 500;
/** Keystrokes closer together than this count as typing. */
const inputPauseMs = 1_000;
/** Longest wait while the user keeps typing. */
const maxInputMs = 8_000;

let lastInputAt = Number.NEGATIVE_INFINITY;
if (!import.meta.env.SSR)
  addEventListener('beforeinput', () => (lastInputAt = performance.now()), { capture: true });

/**
 * Calls a function once the page's first seconds are over and it's idle, or as soon as the user
 * requests them: by a dot, a parenthesis, Ctrl+Space or a function key. For services that occupy a
 * core for seconds, which the preview and the first edits would lack.
 */
export function whenSettledOrRequested(call: () => void, signal: AbortSignal): void {
  const done = new AbortController();
  const start = () => {
    if (done.signal.aborted || signal.aborted) return;
    done.abort();
    call();
  };
  const onKey = ({ key, ctrlKey }: KeyboardEvent) => {
    if (/^(?:[.(]|F\d+)$/.test(key) || (ctrlKey && key === ' ')) start();
  };
  addEventListener('keydown', onKey, {
    capture: true,
    signal: AbortSignal.any([done.signal, signal]),
  });
  setTimeout(() => whenIdle(start), firstSecondsMs);
}

/**
 * Calls a function once the page is idle, after 500 ms at the latest, and not while the user is
 * typing. For work that occupies a core for a second or two, which the preview would lack
 * meanwhile.
 */
export function whenIdle(call: () => void): void {
  const latest = performance.now() + maxInputMs;
  const check = () => {
    if (performance.now() < Math.min(lastInputAt + inputPauseMs, latest))
      setTimeout(check, inputPauseMs / 4);
    else call();
  };
  // Safari doesn't support `requestIdleCallback`.
  if ('requestIdleCallback' in window) requestIdleCallback(check, { timeout: idleTimeoutMs });
  else setTimeout(check, idleTimeoutMs);
}
