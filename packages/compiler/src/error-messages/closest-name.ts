/**
 * Finds the candidate that a name is probably a typo of; undefined if none is close enough.
 * "lenght" among ["length", "left"] → "length"; "x" among ["y"] → undefined
 */
export function findClosestName(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = getMaxDistance(name) + 1;
  for (const candidate of candidates) {
    if (candidate === name || Math.abs(candidate.length - name.length) >= least) continue;
    const distance = computeDistance(name, candidate);
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** Returns the maximum number of typos in a name of this length. */
function getMaxDistance(name: string): number {
  return name.length < 3 ? 0 : name.length < 6 ? 1 : 2;
}

/** Returns the edit distance with transpositions; 0 if only the case differs. */
function computeDistance(a: string, b: string): number {
  if (a.toLowerCase() === b.toLowerCase()) return 0;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[j - 2] ?? 0) + 1 : Infinity,
      );
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
