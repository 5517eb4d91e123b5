import {
  conventionalAliases,
  readImportAliases,
  type ImportAlias,
} from '@vitrine/compiler/aliases';
import ts from 'typescript';

/**
 * Options of tsconfig.json that are applied: strictness and the kind of code. Output options are
 * ignored.
 */
const supportedOptions: ReadonlySet<string> = new Set([
  'allowUmdGlobalAccess',
  'allowUnreachableCode',
  'allowUnusedLabels',
  'alwaysStrict',
  'baseUrl',
  'checkJs',
  'emitDecoratorMetadata',
  'erasableSyntaxOnly',
  'exactOptionalPropertyTypes',
  'experimentalDecorators',
  'isolatedModules',
  'jsx',
  'jsxFactory',
  'jsxFragmentFactory',
  'jsxImportSource',
  'lib',
  'moduleDetection',
  'noErrorTruncation',
  'noFallthroughCasesInSwitch',
  'noImplicitAny',
  'noImplicitOverride',
  'noImplicitReturns',
  'noImplicitThis',
  'noPropertyAccessFromIndexSignature',
  'noUncheckedIndexedAccess',
  'noUncheckedSideEffectImports',
  'noUnusedLocals',
  'noUnusedParameters',
  'strict',
  'strictBindCallApply',
  'strictBuiltinIteratorReturn',
  'strictFunctionTypes',
  'strictNullChecks',
  'strictPropertyInitialization',
  'useDefineForClassFields',
  'useUnknownInCatchVariables',
  'verbatimModuleSyntax',
]);

/** Aliases that the compiler knows, for projects that configure none. */
export const conventionalPaths = toPaths(conventionalAliases);

const defaultLibs = ['lib.esnext.d.ts', 'lib.dom.d.ts'];

/**
 * Compiler options for a project: those of its tsconfig.json (or jsconfig.json), with defaults that
 * match the compiler and the browser.
 */
export function readCompilerOptions(files: ReadonlyMap<string, string>): ts.CompilerOptions {
  const projectOptions = readProjectConfig(files);
  return {
    jsx: ts.JsxEmit.ReactJSX,
    jsxImportSource: chooseImportSource(files.get('package.json')),
    strict: true,
    lib: defaultLibs,
    noUncheckedSideEffectImports: false,
    moduleDetection: hasModules(files) ? ts.ModuleDetectionKind.Force : ts.ModuleDetectionKind.Auto,
    ...projectOptions,
    paths: readPaths(files),
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    customConditions: ['browser'],
    allowImportingTsExtensions: true,
    allowJs: true,
    noEmit: true,
    resolveJsonModule: true,
    skipLibCheck: true,
    types: [],
  };
}

function readProjectConfig(files: ReadonlyMap<string, string>): ts.CompilerOptions {
  return Object.fromEntries(
    Object.entries(parseConfig(files)).filter(([name]) => supportedOptions.has(name)),
  );
}

/** `paths` of the aliases that the compiler resolves. */
function readPaths(files: ReadonlyMap<string, string>): ts.MapLike<string[]> {
  const aliases = readImportAliases((path) => files.get(path));
  return aliases.length > conventionalAliases.length ? toPaths(aliases) : conventionalPaths;
}

/** Aliases as `paths`. TypeScript reads `imports` of package.json, and knows none of packages. */
function toPaths(aliases: readonly ImportAlias[]): ts.MapLike<string[]> {
  const paths: ts.MapLike<string[]> = {};
  for (const { find, targets } of aliases) {
    const isOfFiles = targets.every((target) => target.startsWith('/'));
    if (isOfFiles && !find.startsWith('#')) paths[find] ??= [...targets];
  }
  return paths;
}

/** Options of tsconfig.json (or jsconfig.json) and of the first file that it refers to. */
function parseConfig(files: ReadonlyMap<string, string>): ts.CompilerOptions {
  const path = ['tsconfig.json', 'jsconfig.json'].find((name) => files.has(name));
  if (path === undefined) return {};
  const read = (name: string) => files.get(name.replace(/^\/+/, ''));
  const { config } = ts.readConfigFile(path, read);
  const host = {
    useCaseSensitiveFileNames: true,
    readDirectory: () => [],
    fileExists: (name: string) => read(name) !== undefined,
    readFile: read,
  };
  const { options, projectReferences = [] } = ts.parseJsonConfigFileContent(
    config ?? {},
    host,
    '/',
    undefined,
    `/${path}`,
  );
  const [referred] = projectReferences
    .flatMap((each) => [each.path, `${each.path}/tsconfig.json`])
    .filter((name) => read(name) !== undefined);
  if (referred === undefined) return options;
  const folder = referred.slice(0, referred.lastIndexOf('/')) || '/';
  const parsed = ts.parseJsonConfigFileContent(
    ts.readConfigFile(referred, read).config ?? {},
    host,
    folder,
    undefined,
    referred,
  );
  return { ...parsed.options, ...options };
}

/** The JSX import source, chosen as the compiler does: another package if used without React. */
function chooseImportSource(manifest: string | undefined): string {
  const names = new Set(listDependencies(manifest));
  const others = ['preact', 'vue', 'solid-js'].filter((name) => names.has(name));
  return names.has('react') ? 'react' : (others[0] ?? 'react');
}

/** Names of the dependencies in a package.json. None if it cannot be parsed. */
export function listDependencies(manifest: string | undefined): string[] {
  const { config } = ts.parseConfigFileTextToJson('package.json', manifest ?? '{}');
  return ['dependencies', 'devDependencies', 'peerDependencies'].flatMap((field) => {
    const dependencies: unknown = config?.[field];
    return typeof dependencies === 'object' && dependencies !== null
      ? Object.keys(dependencies)
      : [];
  });
}

/** True if the files are modules. Classic scripts of a page share their global names. */
function hasModules(files: ReadonlyMap<string, string>): boolean {
  const pages = [...files].filter(([path]) => /\.html?$/.test(path));
  const isModular = ([, text]: [string, string]) =>
    /<script[^>]+type\s*=\s*["']?module/i.test(text);
  return pages.length === 0 || pages.some(isModular);
}
