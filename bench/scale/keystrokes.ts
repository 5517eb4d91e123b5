/** In the page to type in: measures the time from a key to its frame, and event-loop gaps. */

declare global {
  interface Window {
    letters: {
      /** Milliseconds per key. */
      readonly samples: number[];
      /** Longest delay of a 5 ms timer since the last call. */
      takeWorstGap(): number;
      /** Messages of the frame. */
      readonly heard: unknown[];
    };
  }
}

export function watchKeystrokes(): void {
  const samples: number[] = [];
  const heard: unknown[] = [];
  let last = performance.now();
  let worstGap = 0;
  setInterval(() => {
    const now = performance.now();
    worstGap = Math.max(worstGap, now - last);
    last = now;
  }, 5);
  const note = ({ timeStamp }: KeyboardEvent) =>
    requestAnimationFrame(() => {
      // A message is delivered after the frame was painted.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        samples.push(performance.now() - timeStamp);
      };
      port2.postMessage(null);
    });
  addEventListener('keydown', note, true);
  addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (typeof data !== 'object' || data === null) return;
    if ('says' in data) heard.push(data.says);
    // The first message of a preview.
    if ('vitrine' in data) heard.push(data.vitrine);
  });
  window.letters = {
    samples,
    heard,
    takeWorstGap() {
      const worst = worstGap;
      worstGap = 0;
      last = performance.now();
      return worst;
    },
  };
}
