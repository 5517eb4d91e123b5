/*
 * Packages that depend on the order in which their modules run: those that list modules with side
 * effects (zrender, ol), and those whose modules import each other in cycles (apache-arrow). esbuild
 * keeps the order within a file, but not between chunks. When two entries enter a cycle at different
 * modules, one of them uses a module that has not finished. Everything that the main module loads is
 * therefore built as one file in the order of the main module, and all other modules import from it.
 */
import type { PackageMode } from '../lockfile/resolution-hash.ts';
import { readLoadedFiles } from './loaded-files.ts';
import type { ModuleReader } from './module-format.ts';
import type { PackageFiles } from './package-files.ts';
import { createSideEffectTest } from './side-effects.ts';

/**
 * Maximum number of entries among the files that the main module loads, up to which chunks may be
 * shared.
 */
const maxEntriesOfMain = 6;

/** Whether a package lists modules with side effects. */
export function declaresSideEffects({ json, sizes }: PackageFiles): boolean {
  if (typeof json.sideEffects !== 'object') return false;
  const isDeclared = createSideEffectTest(json.sideEffects);
  return [...sizes.keys()].some((path) => /\.m?js$/.test(path) && isDeclared(path));
}

interface OrderedEntries {
  /** All entries, main module first. */
  readonly entries: ReadonlyMap<string, string>;
  /** Files that the main module loads. */
  readonly loadedByMain: ReadonlySet<string>;
}

/**
 * Finds the entries of a package that must be built in order; undefined for any other package.
 *
 * @param named Subpaths that `exports` names.
 * @param listAll Lists everything that could be built together. The modules of an old package count
 * as named.
 */
export function orderEntries(
  files: PackageFiles,
  mode: PackageMode,
  reader: ModuleReader,
  named: ReadonlyMap<string, string>,
  listAll: () => ReadonlyMap<string, string>,
): OrderedEntries | undefined {
  const main = named.get('.');
  if (main === undefined || reader.isCommonjs(main)) return undefined;
  const declares = declaresSideEffects(files);
  if (!declares && listAll().size <= maxEntriesOfMain) return undefined;
  const { listLoaded, listReferenced, hasCycle } = readLoadedFiles(files, mode, reader);
  const ofMain = listLoaded(main);
  const hasManyEntries = (entries: ReadonlyMap<string, string>) =>
    new Set([...entries.values()].filter((path) => ofMain.has(path))).size > maxEntriesOfMain;
  if (declares) {
    if (![...ofMain].some(createSideEffectTest(files.json.sideEffects))) return undefined;
    if (files.json.exports !== undefined && !hasManyEntries(named)) return undefined;
  }
  const entries = listAll();
  const paths = new Set(entries.values());
  if (!hasManyEntries(entries) || (!declares && !hasCycle(main, paths))) return undefined;
  const inner = [...listReferenced(ofMain, paths)].filter((path) => !paths.has(path));
  // The package has no such subpath; builds of single subpaths import it.
  const hidden = inner.map((path) => [`./~/${path}`, path] as const);
  return { entries: new Map([['.', main], ...entries, ...hidden]), loadedByMain: ofMain };
}
