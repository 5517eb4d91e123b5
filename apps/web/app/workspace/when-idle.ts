/** Whoever opens a file sees first. */
const idleMs = 500;
/** Keys that follow each other within this are typing. */
const pauseMs = 1_000;
/** Who never pauses is served all the same. */
const patienceMs = 8_000;

let typedAt = Number.NEGATIVE_INFINITY;
if (!import.meta.env.SSR)
  addEventListener('beforeinput', () => (typedAt = performance.now()), { capture: true });

/**
 * Once the page has nothing to do, soon at the latest, and behind the first pause of somebody who
 * types: what comes then takes a core for a second or two, which the result would lack meanwhile.
 */
export function whenIdle(call: () => void): void {
  const latest = performance.now() + patienceMs;
  const look = () => {
    if (performance.now() < Math.min(typedAt + pauseMs, latest)) setTimeout(look, pauseMs / 4);
    else call();
  };
  // Safari has none.
  if ('requestIdleCallback' in window) requestIdleCallback(look, { timeout: idleMs });
  else setTimeout(look, idleMs);
}
