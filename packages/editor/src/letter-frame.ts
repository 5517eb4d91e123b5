/**
 * A letter is drawn before answers about it are shown, and before a long text is given to workers: what
 * the page and they do first, on two cores, is time that the letter comes later.
 */

/** In UTF-16 units: what a worker makes of a text of this size would hold up the letter it is for. */
export const muchText = 50_000;
/** Likewise: what workers make of a text of this size takes them longer than a letter its writer. */
export const mostText = 300_000;
/** Between two letters of a go there is less. */
export const restMs = 200;
/** Longest wait for a frame; none come while the page is in a hidden tab. */
const noFrameMs = 100;

/** What waits for the frame of a letter; undefined while none is to be drawn. */
let waiting: (() => void)[] | undefined;
let typedAt = -Infinity;

/** The text of an editor has changed, and no frame has shown that yet. */
export function letterTyped(): void {
  typedAt = performance.now();
  if (waiting) return;
  waiting = [];
  const { port1, port2 } = new MessageChannel();
  const drawn = () => {
    port1.close();
    clearTimeout(fallback);
    const calls = waiting ?? [];
    waiting = undefined;
    // One that throws is reported, and the others are called.
    calls.forEach(queueMicrotask);
  };
  const fallback = setTimeout(drawn, noFrameMs);
  port1.onmessage = drawn;
  requestAnimationFrame(() => port2.postMessage(null));
}

/** Calls once the letter that was typed last is on its way to the screen: at once where it is. */
export function behindLetter(call: () => void): void {
  if (waiting) waiting.push(call);
  else call();
}

/** Calls once nothing was typed for `restMs`: at once where that is so. */
export function whenTypingRests(call: () => void): void {
  const leftMs = typedAt + restMs - performance.now();
  if (leftMs > 0) setTimeout(() => whenTypingRests(call), leftMs);
  else call();
}
