/**
 * In frames: tells the page around it which number a painted frame shows, and when that was, on a clock
 * that both read: the page may be busy when it hears of it, and a person sees the frame all the same.
 */
export function watchFrames(): void {
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
      // A message is heard once the frame has been painted.
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
