/**
 * Compiles a script of a project to a module that browsers can run: TypeScript and JSX become
 * JavaScript, and every literal import specifier becomes a URL. Packages are resolved with the
 * project's lockfile, paths without an extension to existing files, JSON and CSS to modules.
 */
import { parsePackageName } from '@vitrine/esm/lockfile';
import { findMediaType, isToolConfig } from '@vitrine/project';
import { findAssetQuery, getImportQuery } from './asset-modules.ts';
import { checkScript, type CompileDiagnostic } from './script/check-script.ts';
import { unchangedFile, type CompiledText } from './compiled-file.ts';
import { isScriptPath } from './file-kinds.ts';
import {
  findModule,
  findNodeModulesSpecifier,
  isPackageSpecifier,
  isPathSpecifier,
} from './find-module.ts';
import { findEnvironmentEdits, usesEnvironment } from './script/environment.ts';
import { findGlobImports, usesGlobImports } from './script/glob-imports.ts';
import { findHelperUrl } from './script/transform-helpers.ts';
import { findLoopGuardEdits, disablesLoopGuards } from './script/guard-loops.ts';
import { createHmrModule, type HmrCode, type RefreshLibrary } from './script/hmr-module.ts';
import { getPosition } from './page/instrument-html.ts';
import { isInImportMap, isTypeScriptOrJsx, looksLikeJsx } from './needs-compiling.ts';
import { getProjectModuleUrl } from './rename-imports.ts';
import { encodePath, resolvePath } from './resolve-path.ts';
import {
  applyEdits,
  findImportEdits,
  isLexerError,
  type Edit,
  type FoundImport,
} from './rewrite-module.ts';
import { createPositionMapper, createEditMap, shiftMap } from './source-map.ts';
import type { TransformedScript } from './script/transform-script.ts';
import { isViteConfig, readViteConfig } from './vite-config.ts';
import type { ModuleSource, ModuleContext } from './compile-context.ts';

/** Version of the compiler's output. Increased when the same source compiles differently, to invalidate caches. */
export const compilerGeneration = 7;

/**
 * Whether a script needs the transform: because of its extension, or because it is a plain script
 * that looks like JSX and doesn't parse as JavaScript.
 */
export function needsTransform({ path, text }: ModuleSource): boolean {
  if (isTypeScriptOrJsx(path)) return true;
  return looksLikeJsx(text) && checkScript(text, 'either') !== undefined;
}

/**
 * Compiles one script. Reports errors in the source as problems.
 * @param script The transformed JavaScript. Required if `needsTransform` is true for the source.
 */
export function compileModule(
  source: ModuleSource,
  context: ModuleContext,
  script: TransformedScript | undefined,
): CompiledText {
  if (!script && needsTransform(source)) throw new Error(`${source.path} was not transformed`);
  const compiled = script
    ? compileTransformed(source, context, script)
    : compilePlain(source, context);
  return isToolConfig(source.path) ? describeToolConfig(source, compiled) : compiled;
}

/** The output for a script that only tools run: what it imports is no part of the page. */
function describeToolConfig({ path, text }: ModuleSource, compiled: CompiledText): CompiledText {
  const { unreadableAt } = isViteConfig(path) ? readViteConfig(path, text) : {};
  const problems: CompileDiagnostic[] = [...compiled.problems];
  if (unreadableAt !== undefined)
    problems.push({
      message: unreadableAlias,
      ...getPosition(text, unreadableAt),
      severity: 'warning',
    });
  return { ...compiled, problems, missing: [], absent: [], imports: [] };
}

const unreadableAlias =
  'Vitrine doesn’t run this file. Write aliases as string literals, or as paths joined with __dirname or import.meta.url.';

function compileTransformed(
  { path, text }: ModuleSource,
  context: ModuleContext,
  { code, map, problems }: TransformedScript,
): CompiledText {
  const [problem] = problems;
  if (problem) return { ...unchangedFile, code: createFailingModule(path, problem), problems };
  if (!map) throw new Error(`${path} came without a map`);
  const imports = createImportResolver({ path, text: code }, context);
  const hmr = createHmrCode({ path, text: code }, context, context.settings.refreshLibrary);
  const guards = findLoopGuards(text, code, context);
  const own = findProjectEdits({ path, text: code }, context);
  const edits = mergeEdits(
    [...tryFindImportEdits(code, imports.rewrite), ...guards, ...own.edits].sort(compareEdits),
    hmr.edits,
  );
  const find = createPositionMapper(map.mappings);
  const locationOf = (at: number) => find(getPosition(code, at)) ?? { line: 1, column: 1 };
  return {
    ...unchangedFile,
    code: applyEdits(code, edits) + hmr.footer,
    map: shiftMap(map, code, edits),
    hot: hmr.info,
    ...joinFound(imports.found(locationOf), own, locationOf),
  };
}

function compilePlain({ path, text }: ModuleSource, context: ModuleContext): CompiledText {
  const problem = checkScript(text, path.endsWith('.mjs') ? 'module' : 'either');
  if (problem) return { ...unchangedFile, problems: [problem] };
  const imports = createImportResolver({ path, text }, context);
  const hmr = createHmrCode({ path, text }, context, null);
  const guards = findLoopGuards(text, text, context);
  const own = findProjectEdits({ path, text }, context);
  const edits = mergeEdits(
    [...tryFindImportEdits(text, imports.rewrite), ...guards, ...own.edits].sort(compareEdits),
    hmr.edits,
  );
  const locationOf = (at: number) => getPosition(text, at);
  return {
    ...unchangedFile,
    code: edits.length > 0 ? applyEdits(text, edits) + hmr.footer : undefined,
    map: edits.length > 0 ? createEditMap(path, text, edits) : undefined,
    hot: hmr.info,
    ...joinFound(imports.found(locationOf), own, locationOf),
  };
}

/** Edits for what bundlers replace in a module: values of the environment and glob imports. */
interface ProjectEdits {
  edits: Edit[];
  /** Ids of modules that glob imports load. */
  ids: readonly string[];
  problems: readonly { message: string; at: number }[];
}

/** Finds the edits for `import.meta.env`, `process.env` and `import.meta.glob`, in any order. */
export function findProjectEdits(
  { path, text }: ModuleSource,
  context: ModuleContext,
): ProjectEdits {
  const isUsed = usesEnvironment(text) || usesGlobImports(text);
  if (!isUsed || isToolConfig(path)) return { edits: [], ids: [], problems: [] };
  try {
    const { edits, ids, problems } = findGlobImports(path, text, context);
    return { edits: [...edits, ...findEnvironmentEdits(text, context.env)], ids, problems };
  } catch (error) {
    // The browser reports what the lexer can't read.
    if (isLexerError(error)) return { edits: [], ids: [], problems: [] };
    throw error;
  }
}

/** Adds the modules and problems of glob imports to what the other imports were found to be. */
export function joinFound(
  found: Pick<CompiledText, 'missing' | 'absent' | 'imports'>,
  { ids, problems }: ProjectEdits,
  locationOf: (at: number) => { line: number; column: number },
) {
  return {
    ...found,
    imports: [...new Set([...found.imports, ...ids])],
    problems: problems.map(({ message, at }) => ({
      message,
      severity: 'warning' as const,
      ...locationOf(at),
    })),
  };
}

/** Finds the hot updates a script accepts, and the edits and footer that HMR needs in its code. */
export function createHmrCode(
  { path, text }: ModuleSource,
  context: ModuleContext,
  refreshLibrary: RefreshLibrary,
): HmrCode {
  const preactUrl = refreshLibrary === 'preact' ? context.resolvePackage('preact', []) : undefined;
  const resolveId = (specifier: string) => findModuleId(path, specifier, context);
  return createHmrModule(text, { path, refreshLibrary, preactUrl, resolveId });
}

/** Merges two lists of edits in text order. At the same position, the second list's come first. */
export function mergeEdits(a: readonly Edit[], b: readonly Edit[]): Edit[] {
  return [...b, ...a].sort((one, other) => one.start - other.start);
}

/**
 * Creates the module for a script that doesn't compile and has no earlier output. It has a syntax
 * error at the same position. If it threw instead, browsers would first report its missing exports
 * as errors of its importers.
 */
export function createFailingModule(
  path: string,
  { message, line, column }: CompileDiagnostic,
): string {
  const indent = '\n'.repeat(line - 1) + ' '.repeat(column - 1);
  return `${indent}this does not compile: ${JSON.stringify(`${path}:${line}:${column}: ${message}`)}\n`;
}

/** Finds loop guards for the output `code`, unless a comment in the source `text` disables them. */
export function findLoopGuards(text: string, code: string, { guardsLoops }: ModuleContext): Edit[] {
  return guardsLoops && !disablesLoopGuards(text) ? findLoopGuardEdits(code) : [];
}

export function compareEdits(a: Edit, b: Edit): number {
  return a.start - b.start;
}

/** Finds edits of imports. The lexer may fail on a valid script, which then stays unchanged. */
export function tryFindImportEdits(
  text: string,
  rewrite: (found: FoundImport) => string | undefined,
) {
  try {
    return findImportEdits(text, rewrite);
  } catch (error) {
    if (isLexerError(error)) return [];
    throw error;
  }
}

/**
 * Resolves a specifier to the id of a module of the project: its path, with a query for asset
 * modules. In "src/main.ts": "./App" → "src/App.tsx", "./a.json" → "src/a.json?module"
 */
function findModuleId(
  from: string,
  specifier: string,
  { exists, resolveAlias }: Pick<ModuleContext, 'exists' | 'resolveAlias'>,
): string | undefined {
  const alias = resolveAlias(specifier);
  const resolved = typeof alias === 'object' ? alias.specifier : specifier;
  if (!isPathSpecifier(resolved)) return undefined;
  const [plain = '', query] = resolved.split('?');
  const target = findModule(from, plain, exists);
  if (target === undefined) return undefined;
  if (query !== undefined) return target + (findAssetQuery(resolved) ?? `?${query}`);
  return target + (getImportQuery(target) ?? '');
}

/** Creates a resolver for the imports of a script, which also collects those it can't resolve. */
export function createImportResolver({ path, text: code }: ModuleSource, context: ModuleContext) {
  /** First import of each package that isn't installed, by package name. `at` is an index in the code. */
  const missing = new Map<string, { specifier: string; at: number }>();
  /** Index of the first import of each missing or unusable file, by specifier. */
  const absent = new Map<string, { at: number; file?: string }>();
  const ids = new Set<string>();

  const addAbsent = ({ specifier, isDynamic, at }: FoundImport, file?: string) => {
    if (!isDynamic && !absent.has(specifier))
      absent.set(specifier, { at, ...(file !== undefined && { file }) });
  };
  /** `written` is the import as it is in the code, `found` the one that its alias stands for. */
  const rewritePath = (found: FoundImport, written: FoundImport): string | undefined => {
    const explicitQuery = findAssetQuery(found.specifier);
    const target = findModule(path, found.specifier, context.exists);
    if (target === undefined) {
      const specifier = findNodeModulesSpecifier(path, found.specifier);
      if (specifier !== undefined) return rewriteBare({ ...found, specifier });
      addAbsent(written);
      return undefined;
    }
    const query = explicitQuery ?? (found.hasAttributes ? undefined : getImportQuery(target));
    ids.add(target + (query ?? ''));
    // What attributes name, such as `{ type: 'css' }`, the browser may import itself.
    if (query === undefined && !found.hasAttributes && !isJavaScript(target))
      addAbsent(written, target);
    const isExact =
      found === written &&
      target === resolvePath(path, found.specifier) &&
      (query === undefined || found.specifier.endsWith(query));
    return isExact ? undefined : `/${encodePath(target)}${query ?? ''}`;
  };
  const rewriteBare = (found: FoundImport): string | undefined => {
    const { specifier } = found;
    const names = findImportedNames(found.statement, code);
    const url = findHelperUrl(specifier) ?? context.resolvePackage(specifier, names);
    if (isProvidedToTests(specifier, url !== undefined)) return undefined;
    const name = parsePackageName(specifier);
    if (url !== undefined) return url;
    if (name === undefined) addAbsent(found);
    else if (!missing.has(name)) missing.set(name, found);
    return undefined;
  };
  const resolveFound = (written: FoundImport): FoundImport | undefined => {
    const alias = context.resolveAlias(written.specifier);
    const isPackage = (specifier: string) => context.resolvePackage(specifier, []) !== undefined;
    if (alias === 'missing') return isPackage(written.specifier) ? written : undefined;
    // Types of a package may have an alias, where the package itself is used.
    if (!alias || (!isPathSpecifier(alias.specifier) && !isPackage(alias.specifier)))
      return written;
    return { ...written, specifier: alias.specifier };
  };

  return {
    rewrite(written: FoundImport): string | undefined {
      if (isInImportMap(written.specifier, context)) return undefined;
      const found = resolveFound(written);
      if (!found) {
        addAbsent(written);
        return undefined;
      }
      const { specifier } = found;
      // Other queries are kept.
      if (specifier.includes('?') && findAssetQuery(specifier) === undefined) {
        const id = findModuleId(path, specifier, context);
        if (id !== undefined) ids.add(id);
        return found === written || id === undefined ? undefined : getProjectModuleUrl(id);
      }
      if (isPathSpecifier(specifier)) return rewritePath(found, written);
      if (isPackageSpecifier(specifier)) return rewriteBare(found);
      if (specifier.startsWith('#')) addAbsent(written);
      return undefined;
    },
    found: (locationOf: (at: number) => { line: number; column: number }) => ({
      missing: Array.from(missing, ([packageName, { specifier, at }]) => ({
        packageName,
        specifier,
        ...locationOf(at),
      })),
      absent: Array.from(absent, ([specifier, { at, ...file }]) => ({
        specifier,
        ...file,
        ...locationOf(at),
      })),
      imports: [...ids],
    }),
  };
}

/** Whether browsers get JavaScript for an import of this file. */
function isJavaScript(path: string): boolean {
  return isScriptPath(path) || findMediaType(path) === 'text/javascript';
}

/**
 * Whether an import is provided by the test page, which maps these packages to its own scripts, so
 * that tests can import them without installing them. vitest and jest-dom have to be the versions
 * that run the tests, so they are provided even if the project has its own.
 */
function isProvidedToTests(specifier: string, isAdded: boolean): boolean {
  if (/^(?:vitest|@testing-library\/jest-dom)(?:\/|$)/.test(specifier)) return true;
  return !isAdded && /^@testing-library\/(?:dom|user-event)$/.test(specifier);
}

/**
 * Finds the names that an import statement imports, sorted, without `default`. For a namespace
 * import, searches the code for its members; extra names do no harm.
 * "import a, { b as c, d } from 'x'" → ["b", "d"]; "import * as ns from 'x'; ns.e()" → ["e"]
 */
export function findImportedNames(statement: string, code: string): string[] {
  const names = new Set(/^(?:import|export)\b/.test(statement) ? readNamedImports(statement) : []);
  const namespace = /^import\b[^{'"]*\*\s*as\s+([\p{ID_Start}$_][\p{ID_Continue}$]*)/u.exec(
    statement,
  )?.[1];
  if (namespace !== undefined) for (const name of findMembers(namespace, code)) names.add(name);
  names.delete('default');
  return [...names].sort();
}

/** Returns the names in the braces: "{ a, b as c, 'd e' as f }" → a, b, d e */
function readNamedImports(statement: string): string[] {
  const inner = /\{([^}]*)\}\s*from\b/.exec(statement)?.[1] ?? '';
  return inner
    .replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '')
    .split(',')
    .map((item) => item.trim().replace(/\s+as\s[\s\S]*$/, ''))
    .map((name) => name.replace(/^(["'])(.*)\1$/, '$2'))
    .filter((name) => name !== '');
}

function* findMembers(namespace: string, code: string): Generator<string> {
  const escaped = namespace.replaceAll('$', String.raw`\$`);
  const access = new RegExp(
    String.raw`(?<![\p{ID_Continue}$.])${escaped}\s*\??\.\s*([\p{ID_Start}$_][\p{ID_Continue}$]*)`,
    'gu',
  );
  for (const [, name = ''] of code.matchAll(access)) yield name;
}
