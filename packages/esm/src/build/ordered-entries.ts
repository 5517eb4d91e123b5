/**
 * Packages that count on the order in which their modules run and let many of them be imported
 * (zrender, of which echarts takes fifty; @tensorflow/tfjs; ol). esbuild keeps the order within a
 * file and not between chunks: where entries enter a circle of imports at different modules, one of
 * them finds it half done. So what the main module loads becomes one file in the order of the main
 * module, and every other module takes it from there.
 */
import type { PackageMode } from '@vitrine/project';
import { readLoadedFiles } from './loaded-files.ts';
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

export interface OrderedEntries {
  /** All of them, the main one first. */
  readonly entries: ReadonlyMap<string, string>;
  /** The files that the main module loads. */
  readonly ofMain: ReadonlySet<string>;
}

/**
 * Of a package that declares effects; undefined when it need not be built in order. `named` are the
 * subpaths that its `exports` name, `listAll` says all that could be built together: the modules of
 * an old package are as good as named.
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
  const { listLoaded, listTouched } = readLoadedFiles(files, mode, reader);
  const ofMain = listLoaded(main);
  const isDeclared = hasSideEffects(files.json.sideEffects);
  const isOrdered = (entries: ReadonlyMap<string, string>) =>
    new Set([...entries.values()].filter((path) => ofMain.has(path))).size > maxEntriesOfMain;
  if (ofMain.size <= maxEntriesOfMain || ![...ofMain].some(isDeclared)) return undefined;
  if (files.json.exports !== undefined && !isOrdered(named)) return undefined;
  const entries = listAll();
  if (!isOrdered(entries)) return undefined;
  const paths = new Set(entries.values());
  const inner = [...listTouched(ofMain, paths)].filter((path) => !paths.has(path));
  // No package names such a subpath; what is built on demand asks for it.
  const hidden = inner.map((path) => [`./~/${path}`, path] as const);
  return { entries: new Map([['.', main], ...entries, ...hidden]), ofMain };
}
