import fuzzysort from 'fuzzysort';

/** Fuzzy-searches paths, best match first. An empty query returns all paths. */
export function searchPaths(paths: readonly string[], typed: string): readonly string[] {
  const query = typed.trim();
  if (query === '') return paths;
  return fuzzysort.go(query, paths, { limit: 0, threshold: 0 }).map(({ target }) => target);
}
