/** Longest wait for an idle page. */
const idleMs = 500;
/** Keystrokes closer together than this count as typing. */
const pauseMs = 1_000;
/** Longest wait while the user keeps typing. */
const maxWaitMs = 8_000;

let lastInputAt = Number.NEGATIVE_INFINITY;
if (!import.meta.env.SSR)
  addEventListener('beforeinput', () => (lastInputAt = performance.now()), { capture: true });

/**
 * Calls a function once the page is idle, after 500 ms at the latest, and not while the user is
 * typing. For work that occupies a core for a second or two, which the preview would lack
 * meanwhile.
 */
export function whenIdle(call: () => void): void {
  const latest = performance.now() + maxWaitMs;
  const check = () => {
    if (performance.now() < Math.min(lastInputAt + pauseMs, latest)) setTimeout(check, pauseMs / 4);
    else call();
  };
  // Safari doesn't support `requestIdleCallback`.
  if ('requestIdleCallback' in window) requestIdleCallback(check, { timeout: idleMs });
  else setTimeout(check, idleMs);
}
