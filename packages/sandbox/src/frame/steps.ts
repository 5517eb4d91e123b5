/**
 * Ends loops without an end where they would freeze the editor: compiled loops call
 * `__vitrineStep` (compiler, guard-loops.ts), which is true once one turn of the page's event loop
 * has spent a second in them. A turn that waits for something, and goes on in the next one, has a
 * second again.
 */
const longestTurnMs = 1_000;
/** The clock is read after so many steps; fewer where they take long. */
const mostSteps = 50_000;

/** When this turn was first seen; 0 between turns. */
let began = 0;
let lastRead = 0;
let stride = 1;
let left = 1;

export function watchSteps(): void {
  const { port1, port2 } = new MessageChannel();
  let isAsked = false;
  port1.onmessage = () => {
    isAsked = false;
    forgetTurn();
  };
  const step = (): boolean => {
    left -= 1;
    if (left > 0) return false;
    const now = performance.now();
    stride = now - lastRead < 2 ? Math.min(stride * 2, mostSteps) : Math.max(1, stride >> 2);
    left = stride;
    lastRead = now;
    if (began === 0) {
      began = now;
      if (!isAsked) port2.postMessage(null);
      isAsked = true;
    }
    const isTooLong = now - began > longestTurnMs;
    // Whoever catches that is asked again with its next step.
    if (isTooLong) left = 1;
    return isTooLong;
  };
  // Not enumerable, so that a page that looks through its window does not meet it.
  Object.defineProperty(globalThis, '__vitrineStep', { value: step });
}

/** What a person took to answer a dialog is not the loop's. */
export function forgetTurn(): void {
  began = 0;
}
