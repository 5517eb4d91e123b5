/** Longest wait for an animation frame; a hidden tab has none. */
const noFrameMs = 100;

/** Calls back once the document is parsed and its first frame painted. */
export function whenPainted(onPainted: () => void): void {
  const afterFrame = () => {
    const { port1, port2 } = new MessageChannel();
    const fallback = setTimeout(onPainted, noFrameMs);
    port1.onmessage = () => {
      port1.close();
      clearTimeout(fallback);
      onPainted();
    };
    requestAnimationFrame(() => port2.postMessage(null));
  };
  if (document.readyState === 'loading')
    document.addEventListener('DOMContentLoaded', afterFrame, { once: true });
  else afterFrame();
}
