import type { SyntaxProblem } from './check-script.ts';
import type { HotFacts } from './hot-module.ts';
import type { ScriptMap } from './transform-script.ts';

/** An import that leads nowhere, where it stands in the source. */
export interface MissingImport {
  specifier: string;
  line: number;
  column: number;
}

export interface MissingPackage extends MissingImport {
  packageName: string;
}

/** What a compiler finds out about one file. */
export interface CompiledText {
  /** What runs in place of the text: JavaScript, CSS or HTML; undefined where that is the text itself. */
  code: string | undefined;
  /** From `code` to the text; undefined where no place has moved. */
  map: ScriptMap | undefined;
  /**
   * What a script that imports the file gets, for kinds that are no scripts themselves and whose
   * module needs compiling; undefined where `assetModule` makes it from the text.
   */
  module: string | undefined;
  /** What keeps it from running; `code` then does no more than say so. */
  problems: SyntaxProblem[];
  /** Bare imports without an address, each once. They are left as they are. */
  missing: MissingPackage[];
  /** Imports of files that are not there; likewise. */
  absent: MissingImport[];
  /** Ids of the project's modules that it imports, statically or by a written-out `import(…)`. */
  imports: string[];
  /** What it accepts of new versions; undefined for nothing. */
  hot: HotFacts | undefined;
}

export interface CompiledFile extends CompiledText {
  /** Other files whose texts it was made with, sorted; `*` stands for every file of the project. */
  reads: string[];
}

/** A file that runs as it is. */
export const unchanged: CompiledText = {
  code: undefined,
  map: undefined,
  module: undefined,
  problems: [],
  missing: [],
  absent: [],
  imports: [],
  hot: undefined,
};
