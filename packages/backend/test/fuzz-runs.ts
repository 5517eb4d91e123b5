/** Minutes that each area is looked through, which its properties share: `npm run endure -- fuzz` sets it. */
const minutes = Number(process.env['FUZZ_MINUTES'] ?? 0);

/** How long a test of them may take. */
export const fuzzPatience = 60_000 * (1 + 2 * minutes);

/** So many runs of a property, or its share of the minutes of its area. */
export function fuzzRuns(
  runs: number,
  share: number,
): { numRuns: number; interruptAfterTimeLimit?: number } {
  if (minutes === 0) return { numRuns: runs };
  return { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: minutes * 60_000 * share };
}
