import {
  afterPaint,
  hugeTextLength,
  largeTextLength,
  typingPauseMs,
} from '@vitrine/editor/after-paint';

/** Longest duration of a call that may run before the keystroke's frame. */
const maxSyncMs = 8;
/** Longest delay while typing continues without a pause. */
const maxWaitMs = 1_500;

/**
 * Coalesces calls. By default the function is called synchronously, so that its effect appears in
 * the same frame as the keystroke. If much text changed or the last call was slow, it runs after
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
    if (lastDurationMs <= maxSyncMs && length <= largeTextLength) return run();
    isScheduled = true;
    afterPaint(() => {
      isScheduled = false;
      run();
    });
  };
}
