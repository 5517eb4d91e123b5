/**
 * In frames: posts the painted number and its time to the parent page, on a clock
 * that both share, because the parent may be busy when the message arrives.
 */
export function postPaintedNumbers(): void {
  if (top === self) return;
  let told = -1;
  const look = () => {
    const heading = document.querySelector('h1');
    const values = heading
      ? [
          document.documentElement.dataset['n'],
          getComputedStyle(heading).getPropertyValue('--n'),
          /\d+\s*$/.exec(heading.textContent)?.[0],
        ].map((value) => Number(value ?? 0))
      : [];
    const shows = Math.max(...values);
    if (heading && shows !== told) {
      told = shows;
      // A message is delivered after the frame was painted.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        parent.postMessage({ shows, at: performance.timeOrigin + performance.now() }, '*');
      };
      port2.postMessage(null);
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
