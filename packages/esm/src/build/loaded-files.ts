/** Which scripts of a package load which other scripts and packages, according to their imports. */
import type { PackageMode } from '../lockfile/resolution-hash.ts';
import { parsePackageName } from '../lockfile/lockfile.ts';
import type { ModuleReader } from './module-format.ts';
import type { PackageFiles } from './package-files.ts';
import { resolveSpecifier } from './resolve-specifier.ts';

interface LoadedFiles {
  /** All scripts that a script loads statically, including itself. */
  listLoaded(start: string): Set<string>;
  /** Names of the other packages that a script and everything that it loads import statically. */
  listPackages(start: string): Set<string>;
  /** Whether two of these ES modules are part of an import cycle that `start` loads. */
  hasCycle(start: string, modules: ReadonlySet<string>): boolean;
  /**
   * Scripts in `set` that are imported from outside of it or dynamically: by `others`, by what
   * these load, or by `import()`.
   */
  listReferenced(set: ReadonlySet<string>, others: Iterable<string>): Set<string>;
}

/** Creates the analysis of a package. Files are parsed when they are needed. */
export function readLoadedFiles(
  files: PackageFiles,
  mode: PackageMode,
  reader: ModuleReader,
): LoadedFiles {
  const resolveAll = (path: string, specifiers: readonly string[]) => {
    const how = reader.isCommonjs(path) ? 'require' : 'import';
    return specifiers.map((specifier) => resolveSpecifier(files, mode, path, specifier, how));
  };
  const resolve = (path: string, specifiers: readonly string[]) =>
    resolveAll(path, specifiers).flatMap((target) =>
      target.kind === 'file' && isScript(target.path) ? [target.path] : [],
    );
  const listLoaded = (start: string) => {
    const loaded = new Set([start]);
    // Iterating over a Set includes the items that are added meanwhile.
    for (const path of loaded) {
      for (const next of resolve(path, reader.readImports(path).loaded)) loaded.add(next);
    }
    return loaded;
  };
  const listPackages = (start: string) => {
    const packages = new Set<string>();
    for (const path of isScript(start) ? listLoaded(start) : []) {
      for (const target of resolveAll(path, reader.readImports(path).loaded)) {
        const name = target.kind === 'package' ? parsePackageName(target.specifier) : undefined;
        if (name !== undefined) packages.add(name);
      }
    }
    return packages;
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
  const hasCircle = (start: string, modules: ReadonlySet<string>) => {
    const done = new Set<string>();
    const open = new Set<string>();
    const isMember = (path: string) => modules.has(path) && !reader.isCommonjs(path);
    const visit = (path: string): boolean => {
      open.add(path);
      for (const next of resolve(path, reader.readImports(path).loaded)) {
        if (open.has(next) && next !== path && isMember(next) && isMember(path)) return true;
        if (!open.has(next) && !done.has(next) && visit(next)) return true;
      }
      open.delete(path);
      done.add(path);
      return false;
    };
    return visit(start);
  };
  return { listLoaded, listPackages, listReferenced: listTouched, hasCycle: hasCircle };
}

function isScript(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path);
}
