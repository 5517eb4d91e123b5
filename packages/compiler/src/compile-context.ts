import type { Environment } from './env-files.ts';
import type { FrameworkVersions } from './framework-versions.ts';
import type { AliasTarget } from './resolve-alias.ts';
import type { Bundle } from './rollup-config.ts';
import type { ScriptSettings, TransformScript } from './script/transform-script.ts';

/** The project that a file is compiled in. */
export interface ModuleContext {
  /** Paths of all files, sorted. */
  paths: readonly string[];
  exists(path: string): boolean;
  /** Resolves an alias of an import specifier (resolve-alias.ts). */
  resolveAlias(specifier: string): AliasTarget;
  /** Resolves an alias at the start of a glob pattern to a pattern that starts with `/`. */
  resolveAliasPattern(pattern: string): string | undefined;
  /** Values of `import.meta.env`. */
  env: Environment;
  /**
   * Finds the files that match glob patterns, which start with `/`; `!` excludes. Loaded for files
   * with `import.meta.glob`, undefined for others.
   */
  findGlobFiles?: FindGlobFiles;
  /**
   * Returns the URL of a bare import with these imported names; undefined if the package isn't
   * installed.
   */
  resolvePackage(specifier: string, names: readonly string[]): string | undefined;
  /** Specifiers in import maps of the project's pages: `three`, or `three/` as a prefix. */
  mapped: readonly string[];
  /** Scripts that the project's build would make. */
  bundles: readonly Bundle[];
  /** `main` of package.json, if it's the script of a page without one (page/create-react-app.ts). */
  main: string | undefined;
  settings: ScriptSettings;
  /** Versions of the frameworks that choose a compiler by their version. */
  versions: FrameworkVersions;
  /** Whether to insert guards that stop infinite loops: see guard-loops.ts. */
  guardsLoops: boolean;
}

/** Returns the matching paths, in their order. */
export type FindGlobFiles = (
  patterns: readonly string[],
  paths: readonly string[],
  isExhaustive: boolean,
) => string[];

export interface ModuleSource {
  path: string;
  text: string;
}

/** The texts of all files of a project, by path. */
export type ProjectTexts = ReadonlyMap<string, string>;

/** Tailwind's own stylesheets by import name, such as `tailwindcss/theme`. */
export type TailwindSheets = ReadonlyMap<string, string>;

/** Loaders of compiler parts that differ between browser and server. */
export interface CompilerLoaders {
  loadTransform(): Promise<TransformScript>;
  loadTailwindSheets(): Promise<TailwindSheets>;
}

/** The context of a language's compiler. */
export interface LanguageContext extends ModuleContext, CompilerLoaders {
  /** Returns the text of another file and records it in `reads` of the result. */
  read(path: string): string | undefined;
  /** Returns all files. The file is then recompiled after every change in the project. */
  readAll(): ProjectTexts;
}
