/**
 * Schedules work around keystrokes. A typed character is painted before results for it are shown
 * and before a long text is posted to workers: on two cores, anything earlier delays the paint.
 */

/**
 * Text length, in UTF-16 units, at which posting it to a worker would delay the paint of a
 * keystroke.
 */
export const largeTextLength = 50_000;
/**
 * Text length, in UTF-16 units, at which a worker takes longer than the pause between two
 * keystrokes.
 */
export const hugeTextLength = 300_000;
/** Pause after which typing counts as stopped. */
export const typingPauseMs = 200;
/** Longest wait for a frame; there are none while the tab is hidden. */
const frameTimeoutMs = 100;

/** Callbacks waiting for the next paint of an edit. Undefined while no edit is unpainted. */
let callbacks: (() => void)[] | undefined;
let typedAt = -Infinity;

/** Reports that an editor's text has changed and has yet to be painted. */
export function markTyped(): void {
  typedAt = performance.now();
  if (callbacks) return;
  callbacks = [];
  const { port1, port2 } = new MessageChannel();
  const flush = () => {
    port1.close();
    clearTimeout(fallback);
    const pending = callbacks ?? [];
    callbacks = undefined;
    // Microtasks, so that a callback that throws is reported and the others still run.
    pending.forEach(queueMicrotask);
  };
  const fallback = setTimeout(flush, frameTimeoutMs);
  port1.onmessage = flush;
  requestAnimationFrame(() => port2.postMessage(null));
}

/** Whether an editor's text has changed within this time. */
export function isTypedWithin(ms: number): boolean {
  return performance.now() - typedAt < ms;
}

/** Calls after the last edit is painted; at once if it already is. */
export function afterPaint(call: () => void): void {
  if (callbacks) callbacks.push(call);
  else call();
}

/** Calls once nothing was typed for `typingPauseMs`; at once if that is already so. */
export function afterTypingPause(call: () => void): void {
  const remainingMs = typedAt + typingPauseMs - performance.now();
  if (remainingMs > 0) setTimeout(() => afterTypingPause(call), remainingMs);
  else call();
}
