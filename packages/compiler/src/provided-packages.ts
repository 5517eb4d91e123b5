/**
 * What tests import without adding it: the page that runs them leads these names to scripts of ours.
 * vitest only works as the one that runs the tests, and jest-dom only with that one, so there a
 * version of the project's own does not count.
 */
export function isProvided(specifier: string, isAdded: boolean): boolean {
  if (/^(?:vitest|@testing-library\/jest-dom)(?:\/|$)/.test(specifier)) return true;
  return !isAdded && /^@testing-library\/(?:dom|user-event)$/.test(specifier);
}
