/** Which scripts of a package load which, as their imports say. */
import type { PackageMode } from '@vitrine/project';
import type { ModuleReader } from './module-format.ts';
import type { PackageFiles } from './package-files.ts';
import { resolveSpecifier } from './resolve-specifier.ts';

export interface LoadedFiles {
  /** All scripts that one loads as it starts, itself too. */
  listLoaded(start: string): Set<string>;
  /** Of the scripts in `set`, those that others import: these, what they load, and what is loaded later. */
  listTouched(set: ReadonlySet<string>, others: Iterable<string>): Set<string>;
}

export function readLoadedFiles(
  files: PackageFiles,
  mode: PackageMode,
  reader: ModuleReader,
): LoadedFiles {
  const resolve = (path: string, specifiers: readonly string[]) => {
    const how = reader.isCommonjs(path) ? 'require' : 'import';
    return specifiers.flatMap((specifier) => {
      const target = resolveSpecifier(files, mode, path, specifier, how);
      return target.kind === 'file' && isScript(target.path) ? [target.path] : [];
    });
  };
  const listLoaded = (start: string) => {
    const loaded = new Set([start]);
    // A Set goes on with what is added while it is walked.
    for (const path of loaded) {
      for (const next of resolve(path, reader.readImports(path).loaded)) loaded.add(next);
    }
    return loaded;
  };
  const listTouched = (set: ReadonlySet<string>, others: Iterable<string>) => {
    const touched = new Set<string>();
    const outside = new Set<string>();
    const add = (path: string) => (set.has(path) ? touched : outside).add(path);
    for (const path of set) resolve(path, reader.readImports(path).later).forEach(add);
    for (const path of others) if (isScript(path) && !set.has(path)) outside.add(path);
    for (const path of outside) {
      const { loaded, later } = reader.readImports(path);
      resolve(path, [...loaded, ...later]).forEach(add);
    }
    return touched;
  };
  return { listLoaded, listTouched };
}

function isScript(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path);
}
