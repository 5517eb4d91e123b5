/** What a build leaves beside its modules, in `manifest.json`. */
import type { PackageMode } from '@vitrine/project';
import type { HandedOn } from './handed-on.ts';
import type { Placeholder } from './placeholders.ts';

export interface BuiltEntry {
  /** The module's file in the output folder. */
  readonly file: string;
  readonly commonjs: boolean;
  readonly hasDefault: boolean;
  /** Named exports that are known. */
  readonly names: readonly string[];
  /** CommonJS that may export names which cannot be read from its text. */
  readonly hidesNames: boolean;
  /** A style sheet's text, served for `?css`. */
  readonly style?: string;
  /** Exports names of other packages too (`export *`). */
  readonly hasStars: boolean;
  /** Where its code is. Absent when it is in the module itself. */
  readonly handedOn?: HandedOn;
  /** Files of this build that the module loads with it, for preload. */
  readonly chunks: readonly string[];
}

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
  /** File → what is known of it, for every script and style sheet of the output folder. */
  readonly modules: Readonly<Record<string, BuiltModule>>;
  readonly warnings: readonly string[];
}

export interface BuildRequest {
  readonly name: string;
  readonly version: string;
  readonly mode: PackageMode;
  /** One subpath outside the common build ('./map'), or one file as a worker. */
  readonly subpath?: string;
  readonly worker?: string;
}
