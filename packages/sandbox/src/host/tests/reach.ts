import { findImports } from '@vitrine/compiler';
import type { Sources } from '../sources.ts';

/** Which files a test file reaches by its imports, itself among them; other kinds of files may be read too. */
export interface Reach {
  of(path: string): ReadonlySet<string>;
}

export function createReach(sources: Sources): Reach {
  /** By path, for the code it was found in; an entry is replaced when that changes. */
  const known = new Map<string, { code: string; imports: string[] }>();

  const importsOf = (path: string): string[] => {
    const code = sources.readRunning(path);
    if (code === undefined) return [];
    const found = known.get(path);
    if (found?.code === code) return found.imports;
    const imports = findImports(path, code);
    known.set(path, { code, imports });
    return imports;
  };

  return {
    of(path) {
      const reached = new Set([path]);
      for (const next of reached)
        for (const target of [...importsOf(next), ...sources.readsOf(next)]) reached.add(target);
      return reached;
    },
  };
}
