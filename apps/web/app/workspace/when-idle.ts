/** Whoever opens a file sees and types first. */
const idleMs = 500;

/** Soon at the latest: a page that always has something to do is one that is worked in. */
export function whenIdle(call: () => void): void {
  // Safari has none.
  if ('requestIdleCallback' in window) requestIdleCallback(call, { timeout: idleMs });
  else setTimeout(call, idleMs);
}
