/**
 * Whether an import is provided by the test page, which maps these packages to its own scripts, so
 * that tests can import them without installing them. vitest and jest-dom have to be the versions
 * that run the tests, so they are provided even if the project has its own.
 */
export function isProvided(specifier: string, isAdded: boolean): boolean {
  if (/^(?:vitest|@testing-library\/jest-dom)(?:\/|$)/.test(specifier)) return true;
  return !isAdded && /^@testing-library\/(?:dom|user-event)$/.test(specifier);
}
