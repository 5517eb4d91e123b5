/** What a browser should begin to load while it reads a module. */
import type { BuiltEntry } from './build/manifest.ts';
import type { BuiltPackage } from './obtain.ts';
import { findForeign, type ForeignModule, type Placement } from './placement.ts';
import { entryAt, ownModule, type Builds } from './read-module.ts';

const hintsMax = 40;

/**
 * Addresses that a browser will ask for once it has read this module: its package's chunks, and what
 * it imports of other packages, and what these import, as far as they are built.
 */
export async function listHints(
  built: BuiltPackage,
  entry: BuiltEntry,
  placement: Placement,
  builds: Builds,
): Promise<string[]> {
  const hints = new Set(entry.chunks.map((file) => `${placement.base}/-chunk/${file}`));
  const queue = [{ built, entry, placement }];
  for (const { built: from, entry: of, placement: own } of queue) {
    for (const [specifier, takesNames] of listImports(from, of)) {
      if (hints.size >= hintsMax) break;
      const foreign = await findForeign(specifier, own, builds);
      const other = foreign && (await findOrStart(foreign.placement, builds));
      const next = other && entryAt(other, foreign.path);
      if (foreign === undefined || other === undefined || next === undefined) continue;
      const hint = hintAt(foreign, specifier, takesNames, next);
      if (hint === undefined || hints.has(hint)) continue;
      hints.add(hint);
      for (const file of next.chunks) hints.add(`${foreign.placement.base}/-chunk/${file}`);
      queue.push({ built: other, entry: next, placement: foreign.placement });
    }
  }
  return [...hints].slice(0, hintsMax);
}

/** A build that is there; one that is not is started, for the browser will ask for it. */
async function findOrStart({ table }: Placement, { obtainer }: Builds) {
  const built = await obtainer.findBuilt(table);
  if (built === undefined) obtainer.begin(table);
  return built;
}

/** What a module and its chunks import at once → whether it may be led to where the code is. */
function listImports(built: BuiltPackage, { file, chunks }: BuiltEntry): Map<string, boolean> {
  const imports = new Map<string, boolean>();
  for (const each of [file, ...chunks]) {
    for (const { specifier, how, statement } of ownModule(built, each)?.placeholders ?? []) {
      if (specifier === undefined || how === 'dynamic') continue;
      imports.set(specifier, imports.get(specifier) === true || statement !== undefined);
    }
  }
  return imports;
}

/** Where `linkModule` leads an import; undefined when that depends on the names themselves. */
function hintAt(
  { placement: { base }, path }: ForeignModule,
  specifier: string,
  takesNames: boolean,
  entry: BuiltEntry,
): string | undefined {
  if (takesNames && entry.hidesNames) return undefined;
  if (takesNames && entry.handedOn) return `${base}/-chunk/${entry.handedOn.file}`;
  if (specifier.startsWith('node:')) return `${base}/${specifier.slice('node:'.length)}`;
  return base + path.slice(1);
}
