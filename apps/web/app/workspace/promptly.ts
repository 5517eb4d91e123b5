/**
 * A call may take this long in front of a letter, which is drawn in the same frame all the same. Behind
 * it costs a frame: Chromium holds such tasks back until it has drawn what the key did.
 */
const allowedMs = 8;

/**
 * A function that calls this one at once, so that what a key changes shows in the frame of its
 * letter. When a call took long, the next ones wait for a task of their own behind the letter, until
 * one is quick again: once, however often it was asked meanwhile, and not after the signal. A timer
 * would do that later, and much later in a page that is hidden.
 */
export function promptly(call: () => void, signal: AbortSignal): () => void {
  const { port1, port2 } = new MessageChannel();
  let isAsked = false;
  let lastMs = 0;
  const timed = () => {
    const start = performance.now();
    call();
    lastMs = performance.now() - start;
  };
  port1.onmessage = () => {
    isAsked = false;
    timed();
  };
  signal.addEventListener('abort', () => port1.close());
  return () => {
    if (isAsked || signal.aborted) return;
    if (lastMs <= allowedMs) return timed();
    isAsked = true;
    port2.postMessage(null);
  };
}
