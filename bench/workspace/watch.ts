/** Runs in the page to type in, on both sides. */

declare global {
  interface Window {
    typing: {
      samples: number[];
      /** Milliseconds from the navigation to the first frame with a heading, or undefined. */
      shownMs?: number;
      expect(shows: number): void;
    };
  }
}

/** In the page to type in: measures milliseconds from a key to its number in the frame. */
export function watchKeys(): void {
  if (top !== self) return;
  const samples: number[] = [];
  let expected = Number.NaN;
  let pressedAt = 0;
  addEventListener('keydown', (event) => (pressedAt = event.timeStamp), true);
  addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (typeof data !== 'object' || data === null || !('shows' in data)) return;
    const at = 'at' in data ? Number(data.at) - performance.timeOrigin : Number.NaN;
    window.typing.shownMs ??= at;
    if (data.shows !== expected) return;
    expected = Number.NaN;
    samples.push(at - pressedAt);
  });
  window.typing = { samples, expect: (shows) => (expected = shows) };
}
