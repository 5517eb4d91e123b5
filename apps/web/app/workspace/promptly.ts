import { behindLetter } from '@vitrine/editor/letter-frame';

/** A call may take this long in front of a letter, which is drawn in the same frame all the same. */
const allowedMs = 8;

/**
 * A function that calls this one at once, so that what a key changes shows in the frame of its
 * letter. Where there is `isMuch` to do, or the last call took long, it waits until the letter is
 * drawn: once, however often it was asked meanwhile, and not after the signal.
 */
export function promptly(call: () => void, isMuch: () => boolean, signal: AbortSignal): () => void {
  let isAsked = false;
  let lastMs = 0;
  const timed = () => {
    const start = performance.now();
    call();
    lastMs = performance.now() - start;
  };
  return () => {
    if (isAsked || signal.aborted) return;
    if (lastMs <= allowedMs && !isMuch()) return timed();
    isAsked = true;
    behindLetter(() => {
      isAsked = false;
      if (!signal.aborted) timed();
    });
  };
}
