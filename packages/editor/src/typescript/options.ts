import ts from 'typescript';

/** What of a tsconfig.json counts: how strict to be, and what the code is. Where to write does not. */
const honoured: ReadonlySet<string> = new Set([
  'allowUmdGlobalAccess',
  'allowUnreachableCode',
  'allowUnusedLabels',
  'alwaysStrict',
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

const defaultLibs = ['lib.esnext.d.ts', 'lib.dom.d.ts'];

/**
 * How a project is to be read: by its tsconfig.json (or jsconfig.json) as far as that is about the
 * code, and otherwise as the compiler and the browser take it.
 */
export function readOptions(files: ReadonlyMap<string, string>): ts.CompilerOptions {
  const chosen = readChosen(files);
  return {
    jsx: ts.JsxEmit.ReactJSX,
    jsxImportSource: chooseImportSource(files.get('package.json')),
    strict: true,
    lib: defaultLibs,
    noUncheckedSideEffectImports: false,
    moduleDetection: hasModules(files) ? ts.ModuleDetectionKind.Force : ts.ModuleDetectionKind.Auto,
    ...chosen,
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

function readChosen(files: ReadonlyMap<string, string>): ts.CompilerOptions {
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
  const { options } = ts.parseJsonConfigFileContent(config ?? {}, host, '/');
  return Object.fromEntries(Object.entries(options).filter(([name]) => honoured.has(name)));
}

/** Whose elements JSX makes, as the compiler chooses it: Preact's or Vue's where they stand alone. */
function chooseImportSource(manifest: string | undefined): string {
  const names = new Set(listWishes(manifest));
  const others = ['preact', 'vue'].filter((name) => names.has(name));
  return names.has('react') ? 'react' : (others[0] ?? 'react');
}

/** The packages that a package.json asks for; none where it does not read as one. */
export function listWishes(manifest: string | undefined): string[] {
  const { config } = ts.parseConfigFileTextToJson('package.json', manifest ?? '{}');
  return ['dependencies', 'devDependencies', 'peerDependencies'].flatMap((field) => {
    const wishes: unknown = config?.[field];
    return typeof wishes === 'object' && wishes !== null ? Object.keys(wishes) : [];
  });
}

/** Plain scripts of a page share their names; where its pages have modules, each file is one. */
function hasModules(files: ReadonlyMap<string, string>): boolean {
  const pages = [...files].filter(([path]) => /\.html?$/.test(path));
  const isModular = ([, text]: [string, string]) =>
    /<script[^>]+type\s*=\s*["']?module/i.test(text);
  return pages.length === 0 || pages.some(isModular);
}
