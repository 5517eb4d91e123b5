/** Minutes for each area, shared by its properties; set by `npm run endure -- fuzz`. */
const minutes = Number(process.env['FUZZ_MINUTES'] ?? 0);

/** Timeout of such a test, in milliseconds. */
export const fuzzTimeoutMs = 60_000 * (1 + 2 * minutes);

/** Number of runs of a property, or its share of the area's minutes. */
export function createFuzzParameters(
  runs: number,
  share: number,
): { numRuns: number; interruptAfterTimeLimit?: number } {
  if (minutes === 0) return { numRuns: runs };
  return { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: minutes * 60_000 * share };
}
