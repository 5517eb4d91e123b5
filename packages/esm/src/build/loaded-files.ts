/** Which files of a package one of them loads with it. */
import type { PackageMode } from '@vitrine/project';
import type { ModuleReader } from './module-format.ts';
import type { PackageFiles } from './package-files.ts';
import { resolveSpecifier } from './resolve-specifier.ts';

/** All files that these load as they start, themselves too. `stops` are not looked into. */
export function listLoaded(
  files: PackageFiles,
  mode: PackageMode,
  reader: ModuleReader,
  starts: Iterable<string>,
  stops: ReadonlySet<string> = new Set(),
): Set<string> {
  const loaded = new Set(starts);
  // A Set goes on with what is added while it is walked.
  for (const path of loaded) {
    if (stops.has(path)) continue;
    const how = reader.isCommonjs(path) ? 'require' : 'import';
    for (const specifier of reader.readImports(path)) {
      const target = resolveSpecifier(files, mode, path, specifier, how);
      if (target.kind === 'file') loaded.add(target.path);
    }
  }
  return loaded;
}
