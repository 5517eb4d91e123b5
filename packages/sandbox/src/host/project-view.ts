import { exportedNames } from '@vitrine/compiler';
import { pathOfId } from './plan-update.ts';
import type { Sources } from './sources.ts';

/** The project as it runs, for those who look for where a mistake came from. */
export interface ProjectView {
  /** All files of the project, including those that have no output because of a mistake. */
  readonly paths: readonly string[];
  read(path: string): string | undefined;
  /** What a module exports; undefined where that cannot be told. */
  exportsOf(path: string): string[] | undefined;
  /** Paths of the modules that a script or page imports, as far as it has compiled. */
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
