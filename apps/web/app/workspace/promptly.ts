import { behindLetter, mostText, muchText, restMs } from '@vitrine/editor/letter-frame';

/** A call may take this long in front of a letter, which is drawn in the same frame all the same. */
const allowedMs = 8;
/** Whoever never rests sees what comes of it this much later. */
const latestMs = 1_500;

/**
 * A function that calls this one at once, so that what a key changes shows in the frame of its
 * letter. Where much text has changed, or the last call took long, it waits until the letter is
 * drawn; where very much has, and the edit before came just now, for a rest of the typing; in a tab
 * that nobody sees, until somebody does: once, however often it was asked meanwhile, and not after
 * the signal.
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
  /** Since when a rest is waited for; undefined while none is. */
  let heldAt: number | undefined;
  let rest: ReturnType<typeof setTimeout> | undefined;
  /** Nobody has seen the page since it was asked. */
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
