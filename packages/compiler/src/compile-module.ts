/**
 * From a script of a project to a module that a browser runs as it is: TypeScript and JSX become
 * JavaScript, and every import that is written out becomes an address. Packages get the address that
 * the project's lock gives them, paths without an ending get theirs, JSON and CSS get their modules.
 */
import { packageNameOf } from '@vitrine/project';
import { findAssetQuery, importQuery } from './asset-modules.ts';
import { checkScript, type SyntaxProblem } from './check-script.ts';
import { unchanged, type CompiledText } from './compiled-file.ts';
import { findModule, isBare, isPath } from './find-module.ts';
import { helperAddress } from './helpers.ts';
import { findSteps, refusesGuards } from './guard-loops.ts';
import { makeHot, type HotModule, type RefreshKind } from './hot-module.ts';
import { importedNames } from './imported-names.ts';
import { positionAt } from './instrument-html.ts';
import { isMapped, isTyped, looksLikeJsx } from './needs-compiling.ts';
import { isProvided } from './provided-packages.ts';
import { encodePath, resolvePath } from './resolve-path.ts';
import {
  applyEdits,
  findEdits,
  isLexerError,
  type Edit,
  type FoundImport,
} from './rewrite-module.ts';
import { createPlaceFinder, mapEdits, shiftMap } from './source-map.ts';
import type { ScriptSettings, TransformedScript } from './transform-script.ts';

/** What a file is compiled within. */
export interface ModuleContext {
  exists(path: string): boolean;
  /**
   * The address of what a bare import means, and takes these names of; undefined where the project
   * has no such package.
   */
  resolvePackage(specifier: string, names: readonly string[]): string | undefined;
  /** What import maps of the project's pages answer: `three`, and `three/` for all that begins so. */
  mapped: readonly string[];
  settings: ScriptSettings;
  /** Loops are to be stopped where they do not end: see guard-loops.ts. */
  guardsLoops: boolean;
}

export interface ModuleSource {
  path: string;
  text: string;
}

/** Raised when the same source compiles to something else, so that nobody keeps the old. */
export const compilerGeneration = 4;

/**
 * Whether a script needs the transform: by its name, or for JSX in a plain script, which is looked
 * for only where it does not parse without.
 */
export function needsTransform({ path, text }: ModuleSource): boolean {
  if (isTyped(path)) return true;
  return looksLikeJsx(text) && checkScript(text, 'either') !== undefined;
}

/**
 * Compiles one script. `script` is the JavaScript that it was transformed to, which one for which
 * `needsTransform` holds has to come with. Never throws because of the source.
 */
export function compileModule(
  source: ModuleSource,
  context: ModuleContext,
  script: TransformedScript | undefined,
): CompiledText {
  if (script) return compileTransformed(source, context, script);
  if (needsTransform(source)) throw new Error(`${source.path} was not transformed`);
  return compilePlain(source, context);
}

function compileTransformed(
  { path, text }: ModuleSource,
  context: ModuleContext,
  { code, map, problems }: TransformedScript,
): CompiledText {
  const [problem] = problems;
  if (problem) return { ...unchanged, code: failingCode(path, problem), problems };
  if (!map) throw new Error(`${path} came without a map`);
  const imports = createImports({ path, text: code }, context);
  const hot = makeHotIn({ path, text: code }, context, context.settings.refresh);
  const guards = findGuards(text, code, context);
  const edits = joinEdits([...tryEdits(code, imports.rewrite), ...guards].sort(inOrder), hot.edits);
  const find = createPlaceFinder(map.mappings);
  return {
    ...unchanged,
    code: applyEdits(code, edits) + hot.footer,
    map: shiftMap(map, code, edits),
    hot: hot.hot,
    ...imports.found((at) => find(positionAt(code, at)) ?? { line: 1, column: 1 }),
  };
}

function compilePlain({ path, text }: ModuleSource, context: ModuleContext): CompiledText {
  const problem = checkScript(text, path.endsWith('.mjs') ? 'module' : 'either');
  if (problem) return { ...unchanged, problems: [problem] };
  const imports = createImports({ path, text }, context);
  const hot = makeHotIn({ path, text }, context, null);
  const guards = findGuards(text, text, context);
  const edits = joinEdits([...tryEdits(text, imports.rewrite), ...guards].sort(inOrder), hot.edits);
  return {
    ...unchanged,
    code: edits.length > 0 ? applyEdits(text, edits) + hot.footer : undefined,
    map: edits.length > 0 ? mapEdits(path, text, edits) : undefined,
    hot: hot.hot,
    ...imports.found((at) => positionAt(text, at)),
  };
}

/** What hot replacement puts into a script's code, and finds in it. */
export function makeHotIn(
  { path, text }: ModuleSource,
  context: ModuleContext,
  refresh: RefreshKind,
): HotModule {
  const preact = refresh === 'preact' ? context.resolvePackage('preact', []) : undefined;
  const findId = (specifier: string) => findModuleId(path, specifier, context.exists);
  return makeHot(text, { path, refresh, preact, findId });
}

/** Edits of one text; of those at the same place, the second list's come first. */
export function joinEdits(a: readonly Edit[], b: readonly Edit[]): Edit[] {
  return [...b, ...a].sort((one, other) => one.start - other.start);
}

/**
 * What stands for a script that does not compile and has no earlier form. It does not parse either,
 * at the same place: a module that throws would first be asked for its exports, and whoever imports
 * it would be blamed for the missing ones.
 */
export function failingCode(path: string, { sentence, line, column }: SyntaxProblem): string {
  const place = '\n'.repeat(line - 1) + ' '.repeat(column - 1);
  return `${place}this does not compile: ${JSON.stringify(`${path}:${line}:${column}: ${sentence}`)}\n`;
}

/** `code` is what was made of `text`, whose comments may say that it wants none. */
export function findGuards(text: string, code: string, { guardsLoops }: ModuleContext): Edit[] {
  return guardsLoops && !refusesGuards(text) ? findSteps(code) : [];
}

export function inOrder(a: Edit, b: Edit): number {
  return a.start - b.start;
}

/** A script that parses can still be too much for the lexer; it then stays as it is. */
export function tryEdits(text: string, rewrite: (found: FoundImport) => string | undefined) {
  try {
    return findEdits(text, rewrite);
  } catch (error) {
    if (isLexerError(error)) return [];
    throw error;
  }
}

/**
 * The id of the project's module that a specifier means: its path, and the query where a module is
 * made for the file. In "src/main.ts": "./App" → "src/App.tsx", "./a.json" → "src/a.json?module"
 */
function findModuleId(
  from: string,
  specifier: string,
  exists: (path: string) => boolean,
): string | undefined {
  if (!isPath(specifier)) return undefined;
  const [plain = '', query] = specifier.split('?');
  const target = findModule(from, plain, exists);
  if (target === undefined) return undefined;
  if (query !== undefined) return `${target}?${query}`;
  return target + (importQuery(target) ?? '');
}

/** Finds the address of each import of a script, and keeps a list of those without one. */
export function createImports({ path, text: code }: ModuleSource, context: ModuleContext) {
  /** By package, and by specifier: its first import, with its index in the code. */
  const missing = new Map<string, { specifier: string; at: number }>();
  const absent = new Map<string, number>();
  const ids = new Set<string>();

  const noteAbsent = ({ specifier, isDynamic, at }: FoundImport) => {
    if (!isDynamic && !absent.has(specifier)) absent.set(specifier, at);
  };
  const rewritePath = (found: FoundImport): string | undefined => {
    const asked = findAssetQuery(found.specifier);
    const target = findModule(path, found.specifier, context.exists);
    if (target === undefined) {
      noteAbsent(found);
      return undefined;
    }
    const query = asked ?? (found.hasAttributes ? undefined : importQuery(target));
    ids.add(target + (query ?? ''));
    const isThere = target === resolvePath(path, found.specifier);
    return isThere && query === asked ? undefined : `/${encodePath(target)}${query ?? ''}`;
  };
  const rewriteBare = (found: FoundImport): string | undefined => {
    const { specifier } = found;
    const names = importedNames(found.statement, code);
    const address = helperAddress(specifier) ?? context.resolvePackage(specifier, names);
    if (isProvided(specifier, address !== undefined)) return undefined;
    const name = packageNameOf(specifier);
    if (address !== undefined) return address;
    if (name === undefined) noteAbsent(found);
    else if (!missing.has(name)) missing.set(name, found);
    return undefined;
  };

  return {
    rewrite(found: FoundImport): string | undefined {
      const { specifier } = found;
      if (isMapped(specifier, context)) return undefined;
      // What stands behind another question mark is for whoever wrote it to know.
      if (specifier.includes('?') && findAssetQuery(specifier) === undefined) {
        const id = findModuleId(path, specifier, context.exists);
        if (id !== undefined) ids.add(id);
        return undefined;
      }
      if (isPath(specifier)) return rewritePath(found);
      return isBare(specifier) ? rewriteBare(found) : undefined;
    },
    found: (placeOf: (at: number) => { line: number; column: number }) => ({
      missing: Array.from(missing, ([packageName, { specifier, at }]) => ({
        packageName,
        specifier,
        ...placeOf(at),
      })),
      absent: Array.from(absent, ([specifier, at]) => ({ specifier, ...placeOf(at) })),
      imports: [...ids],
    }),
  };
}
