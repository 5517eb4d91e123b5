/**
 * Packages that count on the order in which their modules run and let many of them be imported
 * (zrender, of which echarts takes fifty). esbuild keeps the order within a file and not between
 * chunks: where entries enter a circle of imports at different modules, one of them finds it half
 * done. So what the main module loads becomes one file in the order of the main module, and every
 * entry within it a stand-in. Entries beside it are built when asked for, and take from it what they
 * share with it.
 */
import type { PackageMode } from '@vitrine/project';
import { listLoaded } from './loaded-files.ts';
import type { ModuleReader } from './module-format.ts';
import type { PackageFiles } from './package-files.ts';
import { hasSideEffects } from './side-effects.ts';

/** Up to so many files that the main module loads may be entries of their own, and chunks be shared. */
const maxEntriesOfMain = 6;

/** Whether a package lists modules that do something as they are loaded. */
export function declaresEffects({ json, sizes }: PackageFiles): boolean {
  if (typeof json.sideEffects !== 'object') return false;
  const isDeclared = hasSideEffects(json.sideEffects);
  return [...sizes.keys()].some((path) => /\.m?js$/.test(path) && isDeclared(path));
}

/**
 * The entries of a package that is built in the order of its main module, undefined for any other.
 * `named` are the subpaths that it names; `listReachable` says those that its patterns stand for.
 * Only for packages that declare effects.
 */
export function listOrderedEntries(
  files: PackageFiles,
  mode: PackageMode,
  reader: ModuleReader,
  named: ReadonlyMap<string, string>,
  listReachable: () => readonly (readonly [string, string])[],
): Map<string, string> | undefined {
  const main = named.get('.');
  if (main === undefined || reader.isCommonjs(main)) return undefined;
  const ofMain = listLoaded(files, mode, reader, [main]);
  const isDeclared = hasSideEffects(files.json.sideEffects);
  const loadedNames = [...named].filter(([, path]) => ofMain.has(path));
  const isSpread = new Set(loadedNames.map(([, path]) => path)).size > maxEntriesOfMain;
  if (!isSpread || ![...ofMain].some(isDeclared)) return undefined;

  const reachable = listReachable();
  const others = [...named, ...reachable].map(([, path]) => path);
  const beside = others.filter((path) => !ofMain.has(path));
  const shared = listLoaded(files, mode, reader, beside, ofMain);
  const entries = new Map(reachable.filter(([, path]) => ofMain.has(path)));
  for (const [subpath, path] of loadedNames) entries.set(subpath, path);
  const paths = new Set(entries.values());
  for (const path of shared) {
    // No package names such a subpath; what is built beside asks for it.
    if (ofMain.has(path) && !paths.has(path)) entries.set(`./~/${path}`, path);
  }
  return new Map([['.', main], ...entries]);
}
