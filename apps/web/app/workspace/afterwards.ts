/**
 * A function that calls this one in a task of its own, soon: once, however often it was asked
 * meanwhile, and not after the signal. What a key press sets going then does not hold up its
 * letter. A timer would do it later, and much later in a page that is hidden.
 */
export function afterwards(call: () => void, signal: AbortSignal): () => void {
  const { port1, port2 } = new MessageChannel();
  let isAsked = false;
  port1.onmessage = () => {
    isAsked = false;
    call();
  };
  signal.addEventListener('abort', () => port1.close());
  return () => {
    if (isAsked) return;
    isAsked = true;
    port2.postMessage(null);
  };
}
