import type { ModuleStore } from '../module-store.ts';

/**
 * Files that a test file depends on: itself, its direct and indirect imports, and the files that these
 * were compiled with. Module ids count as their files: "a.json?module" → "a.json".
 */
export function findTestDependencies(path: string, moduleStore: ModuleStore): ReadonlySet<string> {
  const reached = new Set([path]);
  for (const next of reached) {
    const imports = moduleStore.moduleInfo(next)?.imports ?? [];
    for (const id of imports) reached.add(id.replace(/\?.*$/, ''));
    for (const read of moduleStore.dependenciesOf(next)) reached.add(read);
  }
  return reached;
}
