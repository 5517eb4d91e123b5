import type { CompileDiagnostic } from './script/check-script.ts';
import type { HmrInfo } from './script/hmr-module.ts';
import type { SourceMap } from './script/transform-script.ts';

/** An import that can't be resolved, with its 1-based position in the source. */
export interface MissingImport {
  specifier: string;
  /** The file that it names, if that exists and can't be imported, because it isn't JavaScript. */
  file?: string;
  line: number;
  column: number;
}

export interface MissingPackage extends MissingImport {
  packageName: string;
}

/** The output of a compiler for one file. */
export interface CompiledText {
  /** The JavaScript, CSS or HTML to run; undefined if that is the text itself. */
  code: string | undefined;
  /** Source map from `code` to the text; undefined if positions are the same. */
  map: SourceMap | undefined;
  /**
   * The module for scripts that import a file that isn't a script, if that module is compiled;
   * undefined if `createAssetModule` creates it from the text.
   */
  module: string | undefined;
  /** Errors and warnings. With an error, `code` only reports it. */
  problems: CompileDiagnostic[];
  /** Bare imports of packages that aren't installed, once per package. Left unchanged in `code`. */
  missing: MissingPackage[];
  /** Imports of files that don't exist or aren't modules, once per specifier. Left unchanged in `code`. */
  absent: MissingImport[];
  /** Ids of the project's modules that it imports, statically or by `import()` with a literal. */
  imports: string[];
  /** The updates it accepts; undefined for none. */
  hot: HmrInfo | undefined;
}

export interface CompiledFile extends CompiledText {
  /** Other files that the output depends on, sorted; `*` stands for every file of the project. */
  reads: string[];
}

/** The output for a file that needs no compilation. */
export const unchangedFile: CompiledText = {
  code: undefined,
  map: undefined,
  module: undefined,
  problems: [],
  missing: [],
  absent: [],
  imports: [],
  hot: undefined,
};
