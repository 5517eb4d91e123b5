import { exportedNames } from '@vitrine/compiler';
import { pathOfId } from './plan-update.ts';
import type { Sources } from './sources.ts';

/** Read access to the running project, for finding where an error comes from. */
export interface ProjectView {
  /** All files of the project, including those that have no output because of a mistake. */
  readonly paths: readonly string[];
  read(path: string): string | undefined;
  /** Names that a module exports; undefined if unknown. */
  exportsOf(path: string): string[] | undefined;
  /** Paths of the modules that a script or page imports, as of its last successful compilation. */
  importsOf(path: string): readonly string[];
}

export function viewProject(sources: Sources): ProjectView {
  return {
    get paths() {
      return [...sources.takenPaths];
    },
    read: (path) => sources.read(path),
    exportsOf(path) {
      const [file] = sources.pack([path]);
      return file && exportedNames(file.module ?? file.code ?? file.text);
    },
    importsOf: (path) => (sources.facts(path)?.imports ?? []).map(pathOfId),
  };
}
