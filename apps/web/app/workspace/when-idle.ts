/** Whoever opens a file sees first. */
const idleMs = 500;
/** Keys that follow each other within this are typing. */
const pauseMs = 1_000;
/** Who never pauses is served all the same. */
const patienceMs = 8_000;

/**
 * Once the page has nothing to do, soon at the latest, and behind the first pause of somebody who
 * types: what comes then takes a core for a second or two, which the result would lack meanwhile.
 */
export function whenIdle(call: () => void): void {
  const latest = performance.now() + patienceMs;
  let typedAt = Number.NEGATIVE_INFINITY;
  const hear = () => (typedAt = performance.now());
  const look = () => {
    const now = performance.now();
    if (now < Math.min(typedAt + pauseMs, latest)) return void setTimeout(look, pauseMs / 4);
    removeEventListener('beforeinput', hear, true);
    call();
  };
  addEventListener('beforeinput', hear, true);
  // Safari has none.
  if ('requestIdleCallback' in window) requestIdleCallback(look, { timeout: idleMs });
  else setTimeout(look, idleMs);
}
