/** In the page that is typed into: from a key to the frame with its letter, and how long nothing ran. */

declare global {
  interface Window {
    letters: {
      /** Milliseconds of each key so far. */
      readonly samples: number[];
      /** The longest time that a timer of 5 ms was late since the last call. */
      takeWorstGap(): number;
      /** What the frame has said so far. */
      readonly heard: unknown[];
    };
  }
}

export function watchLetters(): void {
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
      // A message is heard once the frame has been painted.
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
    // What a result says first of all.
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
