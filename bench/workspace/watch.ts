/** Scripts of every page and frame, on both sides, which tell when a change is on the screen. */

declare global {
  interface Window {
    typing: {
      samples: number[];
      /** Milliseconds from the navigation to the first frame with a heading; undefined before it. */
      shownMs?: number;
      expect(shows: number): void;
    };
  }
}

/** In frames: tells the page around it which number a painted frame shows. */
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
        parent.postMessage({ shows }, '*');
      };
      port2.postMessage(null);
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** In the page that is typed into: milliseconds from a key to the number that it makes. */
export function watchKeys(): void {
  if (top !== self) return;
  const samples: number[] = [];
  let expected = Number.NaN;
  let pressedAt = 0;
  addEventListener('keydown', (event) => (pressedAt = event.timeStamp), true);
  addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (typeof data !== 'object' || data === null || !('shows' in data)) return;
    window.typing.shownMs ??= performance.now();
    if (data.shows !== expected) return;
    expected = Number.NaN;
    samples.push(performance.now() - pressedAt);
  });
  window.typing = { samples, expect: (shows) => (expected = shows) };
}
