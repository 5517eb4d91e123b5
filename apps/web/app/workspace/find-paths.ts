import fuzzysort from 'fuzzysort';

/** The paths that have these letters in this order, the best first; all of them for nothing. */
export function findPaths(paths: readonly string[], typed: string): readonly string[] {
  const wanted = typed.trim();
  if (wanted === '') return paths;
  return fuzzysort.go(wanted, paths, { limit: 0, threshold: 0 }).map(({ target }) => target);
}
