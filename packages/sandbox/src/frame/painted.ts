/** Longest wait for a frame; none come while the page is in a hidden tab. */
const noFrameMs = 100;

/** Calls back once the document is parsed and its first frame is on its way to the screen. */
export function tellWhenPainted(tell: () => void): void {
  const afterFrame = () => {
    const { port1, port2 } = new MessageChannel();
    const fallback = setTimeout(tell, noFrameMs);
    port1.onmessage = () => {
      port1.close();
      clearTimeout(fallback);
      tell();
    };
    requestAnimationFrame(() => port2.postMessage(null));
  };
  if (document.readyState === 'loading')
    document.addEventListener('DOMContentLoaded', afterFrame, { once: true });
  else afterFrame();
}
