import type { PackageMode } from '../lockfile/resolution-hash.ts';
import type { ModuleReader } from './module-format.ts';
import type { PackageFiles } from './package-files.ts';

/** Package that is built, and what is known about it; shared by all esbuild plugins of a build. */
export interface BuildSubject {
  readonly files: PackageFiles;
  readonly reader: ModuleReader;
  readonly mode: PackageMode;
  /** Major version of Svelte whose compiler the package's components need. */
  readonly svelte: number;
  /**
   * File → subpath that another build serves. Such a file is imported from there instead of being
   * built again.
   */
  readonly builtElsewhere: ReadonlyMap<string, string>;
  /**
   * Files that are built as one file in the order of the main module. Other files import facades of
   * them.
   */
  readonly inOrder: ReadonlySet<string>;
  /** Warnings about the package, added during the build. */
  readonly warnings: Set<string>;
}
