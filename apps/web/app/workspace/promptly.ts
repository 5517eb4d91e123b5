import { behindLetter, mostText, muchText, restMs } from '@vitrine/editor/letter-frame';

/** Longest duration of a call that may run before the keystroke's frame. */
const allowedMs = 8;
/** Longest delay while typing continues without a pause. */
const latestMs = 1_500;

/**
 * Coalesces calls. By default the function is called synchronously, so that its effect appears in
 * the same frame as the keystroke. If much text changed or the last call was slow, it runs after
 * that frame; if the text is very long and the user is typing, after a pause; in a hidden tab, when
 * the tab becomes visible. It then runs once, however often it was requested, and never after the
 * signal aborts.
 */
export function promptly(
  call: () => void,
  edited: () => number,
  signal: AbortSignal,
  page: Pick<Document, 'hidden' | 'addEventListener'> = document,
): () => void {
  let isAsked = false;
  let lastMs = 0;
  let askedAt = -Infinity;
  /** Time of the first request that waits for a pause. Undefined when none waits. */
  let heldAt: number | undefined;
  let rest: ReturnType<typeof setTimeout> | undefined;
  /** The tab has been hidden since the request. */
  let isUnseen = false;
  const timed = () => {
    clearTimeout(rest);
    heldAt = undefined;
    if (signal.aborted) return;
    const start = performance.now();
    call();
    lastMs = performance.now() - start;
  };
  const waitForRest = (now: number) => {
    heldAt ??= now;
    clearTimeout(rest);
    rest = setTimeout(timed, Math.min(restMs, heldAt + latestMs - now));
  };
  const waitForSight = () => {
    if (isUnseen) return;
    isUnseen = true;
    const onSeen = () => {
      isUnseen = false;
      timed();
    };
    page.addEventListener('visibilitychange', onSeen, { once: true, signal });
  };
  return () => {
    if (signal.aborted) return;
    if (page.hidden) return waitForSight();
    const [now, length] = [performance.now(), edited()];
    const isTyping = now - askedAt < restMs;
    askedAt = now;
    if (isTyping && length > mostText) return waitForRest(now);
    if (isAsked) return;
    if (lastMs <= allowedMs && length <= muchText) return timed();
    isAsked = true;
    behindLetter(() => {
      isAsked = false;
      timed();
    });
  };
}
