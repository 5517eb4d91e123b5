/**
 * Ends infinite loops where they would freeze the editor. Compiled loops call `__vitrineStep` (guard-loops.ts in
 * the compiler), which returns true once one task of the page's event loop has spent a second in loops. Each new
 * task gets a second again.
 */
const taskLimitMs = 1_000;
/** Maximum number of steps between two readings of the clock; fewer if they take long. */
const maxSteps = 50_000;

/** Time of the first step in this task; 0 between tasks. */
let startedAt = 0;
let lastRead = 0;
let stride = 1;
let left = 1;

export function limitLoops(): void {
  const { port1, port2 } = new MessageChannel();
  let isPosted = false;
  port1.onmessage = () => {
    isPosted = false;
    resetLoopTimer();
  };
  const step = (): boolean => {
    left -= 1;
    if (left > 0) return false;
    const now = performance.now();
    stride = now - lastRead < 2 ? Math.min(stride * 2, maxSteps) : Math.max(1, stride >> 2);
    left = stride;
    lastRead = now;
    if (startedAt === 0) {
      startedAt = now;
      if (!isPosted) port2.postMessage(null);
      isPosted = true;
    }
    const isTooLong = now - startedAt > taskLimitMs;
    // If the code catches the error, its next step throws again.
    if (isTooLong) left = 1;
    return isTooLong;
  };
  // Not enumerable, so that a page that lists its globals doesn't see it.
  Object.defineProperty(globalThis, '__vitrineStep', { value: step });
}

/** Restarts the time limit, because the time that a dialog was open doesn't count. */
export function resetLoopTimer(): void {
  startedAt = 0;
}
