/** Content of `manifest.json` beside the modules of a build. The field names are stored on disk. */
import type { PackageMode } from '../lockfile/resolution-hash.ts';
import type { Reexports } from './reexports.ts';
import type { Placeholder } from './placeholders.ts';

/** Module at a URL of the package. */
export interface BuiltEntry {
  /** File of the module in the output folder. */
  readonly file: string;
  readonly commonjs: boolean;
  readonly hasDefault: boolean;
  /** Named exports that are known. */
  readonly names: readonly string[];
  /** CommonJS that may export names which can't be read from its text. */
  readonly hidesNames: boolean;
  /** File with the text of a style sheet, served for `?css`. */
  readonly style?: string;
  /** Whether it has `export *` from other packages. */
  readonly hasStars: boolean;
  /** Where its code is. Absent when the code is in the module itself. */
  readonly handedOn?: Reexports;
  /** Files of this build that the module loads statically, for preload hints. */
  readonly chunks: readonly string[];
}

/** Output file with its placeholders. */
export interface BuiltModule {
  readonly bytes: number;
  readonly placeholders: readonly Placeholder[];
}

export interface BuildManifest {
  readonly generation: number;
  readonly name: string;
  readonly version: string;
  readonly mode: PackageMode;
  /** '.' or './subpath' → its module. */
  readonly entries: Readonly<Record<string, BuiltEntry>>;
  /** File → details, for every script and style sheet in the output folder. */
  readonly modules: Readonly<Record<string, BuiltModule>>;
  readonly warnings: readonly string[];
}

export interface BuildRequest {
  readonly name: string;
  readonly version: string;
  readonly mode: PackageMode;
  /** Major version of the Svelte that the package imports, if it is an earlier one. */
  readonly svelte?: number;
  /** Subpath that is built outside of the common build ('./map'). */
  readonly subpath?: string;
  /** File that is built as a worker. */
  readonly worker?: string;
}
