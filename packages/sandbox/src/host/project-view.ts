import { findExportedNames } from '@vitrine/compiler';
import { filePathOf } from './plan-update.ts';
import type { ModuleStore } from './module-store.ts';

/** Read access to the running project, for finding where an error comes from. */
export interface ProjectView {
  /** All files of the project, including those that have no output because of a mistake. */
  readonly paths: readonly string[];
  read(path: string): string | undefined;
  /** Whether a version of the file other than its newest text runs. */
  isOutdated(path: string): boolean;
  /** Names that a module exports; undefined if unknown. */
  findExports(path: string): string[] | undefined;
  /** Paths of the modules that a script or page imports, as of its last successful compilation. */
  findImports(path: string): readonly string[];
}

export function createProjectView(moduleStore: ModuleStore): ProjectView {
  return {
    get paths() {
      return [...moduleStore.latestPaths];
    },
    read: (path) => moduleStore.read(path),
    isOutdated: (path) => moduleStore.isOutdated(path),
    findExports(path) {
      const [file] = moduleStore.pack([path]);
      return file && findExportedNames(file.module ?? file.code ?? file.text);
    },
    findImports: (path) => (moduleStore.moduleInfo(path)?.imports ?? []).map(filePathOf),
  };
}
