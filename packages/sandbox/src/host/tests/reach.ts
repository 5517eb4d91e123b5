import type { Sources } from '../sources.ts';

/**
 * The files that a test file reaches by its imports, itself among them, and those that any of these
 * was compiled with. What is imported has its own id: "a.json?module" is made of "a.json".
 */
export function findReach(path: string, sources: Sources): ReadonlySet<string> {
  const reached = new Set([path]);
  for (const next of reached) {
    const imports = sources.facts(next)?.imports ?? [];
    for (const id of imports) reached.add(id.replace(/\?.*$/, ''));
    for (const read of sources.readsOf(next)) reached.add(read);
  }
  return reached;
}
