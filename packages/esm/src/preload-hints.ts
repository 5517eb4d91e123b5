/** Preload hints: what a browser should start to load while it parses a module. */
import type { BuiltEntry } from './build/manifest.ts';
import type { BuiltPackage } from './build-packages.ts';
import { resolveExternal, type ExternalModule, type ServedPackage } from './served-package.ts';
import { findBuiltEntry, findBuiltModule, type BuildContext } from './read-module.ts';

const hintsMax = 40;

/**
 * Lists the URLs that a browser will request after it has parsed this module: chunks of the
 * package, imported modules of other packages, and what these import, as far as they are built.
 */
export async function listPreloadHints(
  built: BuiltPackage,
  entry: BuiltEntry,
  served: ServedPackage,
  builds: BuildContext,
): Promise<string[]> {
  const hints = new Set(entry.chunks.map((file) => `${served.base}/-chunk/${file}`));
  const queue = [{ built, entry, placement: served }];
  for (const { built: from, entry: of, placement: own } of queue) {
    for (const [specifier, takesNames] of listStaticImports(from, of)) {
      if (hints.size >= hintsMax) break;
      const external = await resolveExternal(specifier, own, builds);
      const other = external && (await findOrStart(external.served, builds));
      const next = other && findBuiltEntry(other, external.path);
      if (external === undefined || other === undefined || next === undefined) continue;
      const hint = findHintUrl(external, specifier, takesNames, next);
      if (hint === undefined || hints.has(hint)) continue;
      hints.add(hint);
      for (const file of next.chunks) hints.add(`${external.served.base}/-chunk/${file}`);
      queue.push({ built: other, entry: next, placement: external.served });
    }
  }
  return [...hints].slice(0, hintsMax);
}

/** Finds a build. A missing one is started, because the browser will request it. */
async function findOrStart({ resolution }: ServedPackage, { packageBuilder }: BuildContext) {
  const built = await packageBuilder.findBuilt(resolution);
  if (built === undefined) packageBuilder.startBuild(resolution);
  return built;
}

/**
 * Specifiers that a module and its chunks import statically → whether the import may be redirected
 * to the file with the code.
 */
function listStaticImports(
  built: BuiltPackage,
  { file, chunks }: BuiltEntry,
): Map<string, boolean> {
  const imports = new Map<string, boolean>();
  for (const each of [file, ...chunks]) {
    for (const { specifier, how, statement } of findBuiltModule(built, each)?.placeholders ?? []) {
      if (specifier === undefined || how === 'dynamic') continue;
      imports.set(specifier, imports.get(specifier) === true || statement !== undefined);
    }
  }
  return imports;
}

/** URL that `linkModule` writes for an import; undefined when it depends on the imported names. */
function findHintUrl(
  { served: { base }, path }: ExternalModule,
  specifier: string,
  takesNames: boolean,
  entry: BuiltEntry,
): string | undefined {
  if (takesNames && entry.hidesNames) return undefined;
  if (takesNames && entry.handedOn) return `${base}/-chunk/${entry.handedOn.file}`;
  if (specifier.startsWith('node:')) return `${base}/${specifier.slice('node:'.length)}`;
  return base + path.slice(1);
}
