/**
 * The interface of the TypeScript and JSX transform for both builds of oxc: the native one
 * (`native.ts`) and the WebAssembly one (`wasm/`).
 */
import { getExtension } from '@vitrine/project';
import type { CompileDiagnostic } from './check-script.ts';
import { hasDecorators } from './decorators.ts';
import { findHelperUrl } from './transform-helpers.ts';
import type { RefreshLibrary } from './hmr-module.ts';
import { getPosition } from '../page/instrument-html.ts';
import { describeOxcError } from '../error-messages/syntax-messages.ts';

/** Script settings of a project, which `script-settings.ts` reads from its config files. */
export interface ScriptSettings {
  /**
   * `automatic` imports the functions that create elements, `classic` expects them in scope, and
   * `preserve` keeps JSX for another compiler.
   */
  jsxRuntime: 'automatic' | 'classic' | 'preserve';
  /** Package or file whose `/jsx-dev-runtime` creates elements. A pragma in a file overrides it. */
  jsxImportSource: string;
  /** Functions of the classic runtime, such as `React.createElement` and `React.Fragment`. */
  jsxFactory: string | undefined;
  jsxFragmentFactory: string | undefined;
  /**
   * Whether class fields have standard semantics (`useDefineForClassFields`). If not, fields are
   * assigned in the constructor and those without an initializer are removed, as TypeScript's own
   * decorators of fields expect.
   */
  definesFields: boolean;
  /** Whether decorators are TypeScript's own (`experimentalDecorators`) instead of standard ones. */
  hasOwnDecorators: boolean;
  /** Whether JSX contains source positions for debugging. */
  jsxMode: 'development' | 'production';
  /** Whether imports that no code uses stay unless they are `import type`: markup may use them. */
  keepsImports?: boolean;
  /** The library whose components are registered to keep their state in updates. */
  refreshLibrary: RefreshLibrary;
}

/** A source map of version 3; `mappings` in Base64 VLQ. */
export interface SourceMap {
  mappings: string;
  names: string[];
  sources: string[];
  sourcesContent: string[];
}

export interface TransformedScript {
  /** JavaScript; incomplete if there are problems. */
  code: string;
  map: SourceMap | undefined;
  /** Errors; empty if the script can run. */
  problems: CompileDiagnostic[];
}

/** Transforms TypeScript or JSX to a JavaScript module. Reports bad source in `problems`. */
export type TransformScript = (
  path: string,
  text: string,
  settings: ScriptSettings,
) => TransformedScript;

/** The API that both builds of oxc have. */
export interface Oxc {
  transformSync(filename: string, source: string, options: OxcOptions): OxcResult;
}

interface OxcOptions {
  lang: 'js' | 'jsx' | 'ts' | 'tsx';
  sourceType: 'module';
  sourcemap: true;
  jsx: 'preserve' | OxcJsxOptions;
  decorator: { legacy: boolean };
  target?: string;
  assumptions?: { setPublicClassFields: true };
  typescript?: { removeClassFieldsWithoutInitializer?: true; onlyRemoveTypeImports?: true };
}

interface OxcJsxOptions {
  runtime: 'automatic' | 'classic';
  development?: boolean;
  importSource?: string;
  pragma?: string;
  pragmaFrag?: string;
  throwIfNamespace: false;
  refresh?: boolean;
}

interface OxcResult {
  code: string;
  map?: { mappings: string; names: string[] };
  errors: OxcError[];
  helpersUsed: Record<string, string>;
}

interface OxcError {
  severity: string;
  message: string;
  labels: { start: number; end: number; message: string | null }[];
  helpMessage: string | null;
}

/** Creates a transform from either build of oxc. */
export function createTransform(oxc: Oxc): TransformScript {
  return (path, text, settings) => {
    const result = transform(oxc, path, text, settings);
    const problems = result.errors
      .filter(({ severity }) => severity === 'Error')
      .map((error) => describe(error, text));
    return { code: result.code, map: result.map && readMap(result.map, path, text), problems };
  };
}

function transform(oxc: Oxc, path: string, text: string, settings: ScriptSettings): OxcResult {
  const requestedOptions = createOptions(path, withPragmas(settings, text));
  const plain = oxc.transformSync(path, text, requestedOptions);
  if (settings.definesFields) return plain;
  // Standard decorators need fields with standard semantics, including those without a value.
  if (!settings.hasOwnDecorators && hasDecorators(plain.code)) return plain;
  const assigned = oxc.transformSync(path, text, { ...requestedOptions, ...assignFieldsOptions });
  const needsUnknownHelpers = Object.values(assigned.helpersUsed).some(
    (helper) => !findHelperUrl(helper),
  );
  // A file with other syntax that this target lacks (`using`) keeps standard fields.
  return needsUnknownHelpers ? plain : assigned;
}

/** oxc assigns fields only for targets without some class features; this one lacks static blocks. */
const assignFieldsOptions = {
  target: 'firefox92',
  assumptions: { setPublicClassFields: true },
  typescript: { removeClassFieldsWithoutInitializer: true },
} as const;

const comment = /\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*/g;
/** A pragma in a comment: `@jsx h` */
const pragma = /@(jsx|jsxFrag|jsxImportSource|jsxRuntime)\s+([\w$./@-]+)/g;

/** Settings for a script with pragmas. A factory means the classic functions, as in Babel. */
function withPragmas(settings: ScriptSettings, text: string): ScriptSettings {
  if (!text.includes('@jsx')) return settings;
  const found = new Map(
    (text.match(comment) ?? []).flatMap((each) =>
      Array.from(each.matchAll(pragma), ([, name = '', value = '']) => [name, value] as const),
    ),
  );
  const factory = found.get('jsx');
  const fragment = found.get('jsxFrag');
  const hasFactory = factory !== undefined || fragment !== undefined;
  const isClassic = hasFactory && !found.has('jsxImportSource');
  const runtime = found.get('jsxRuntime') ?? (isClassic ? 'classic' : undefined);
  return {
    ...settings,
    jsxRuntime: runtime === 'classic' || runtime === 'automatic' ? runtime : settings.jsxRuntime,
    jsxImportSource: found.get('jsxImportSource') ?? settings.jsxImportSource,
    jsxFactory: factory ?? settings.jsxFactory,
    jsxFragmentFactory: fragment ?? settings.jsxFragmentFactory,
  };
}

function createOptions(path: string, settings: ScriptSettings): OxcOptions {
  return {
    lang: findLanguage(path),
    sourceType: 'module',
    sourcemap: true,
    jsx: createJsxOptions(settings),
    decorator: { legacy: settings.hasOwnDecorators },
    ...(settings.keepsImports && { typescript: { onlyRemoveTypeImports: true } }),
  };
}

/** Plain scripts may contain JSX too. In `.ts` they can't, since `<T>` is a type assertion there. */
function findLanguage(path: string): OxcOptions['lang'] {
  switch (getExtension(path)) {
    case 'ts':
    case 'mts':
      return 'ts';
    case 'tsx':
      return 'tsx';
    default:
      return 'jsx';
  }
}

/** Namespace attributes (`xlink:href`) are allowed, since SVG has them. */
function createJsxOptions(settings: ScriptSettings): OxcOptions['jsx'] {
  if (settings.jsxRuntime === 'preserve') return 'preserve';
  const development = settings.jsxMode === 'development';
  const refresh = development && settings.refreshLibrary !== null;
  if (settings.jsxRuntime === 'automatic')
    return {
      runtime: 'automatic',
      development,
      importSource: settings.jsxImportSource,
      throwIfNamespace: false,
      refresh,
    };
  const { jsxFactory, jsxFragmentFactory } = settings;
  return {
    // In development a factory would get `__self` and `__source` as attributes.
    runtime: 'classic',
    throwIfNamespace: false,
    refresh,
    ...(jsxFactory === undefined ? {} : { pragma: jsxFactory }),
    ...(jsxFragmentFactory === undefined ? {} : { pragmaFrag: jsxFragmentFactory }),
  };
}

/** The source has the file's name, so that DevTools show it instead of the module. */
function readMap(
  map: { mappings: string; names: string[] },
  path: string,
  text: string,
): SourceMap {
  return {
    mappings: map.mappings,
    names: map.names,
    sources: [path.slice(path.lastIndexOf('/') + 1)],
    sourcesContent: [text],
  };
}

function describe(error: OxcError, text: string): CompileDiagnostic {
  const { labels } = error;
  // Of two conflicting declarations, the later one is reported.
  const label = labels.find(({ message }) => message?.includes('redeclared')) ?? labels[0];
  const start = label ? indexOfByte(text, label.start) : 0;
  const message = describeOxcError(error.message, error.helpMessage, text, start);
  return { message, ...getPosition(text, start) };
}

/** Converts an offset in UTF-8 bytes, as oxc counts, to one in UTF-16 code units. */
function indexOfByte(text: string, byte: number): number {
  let index = 0;
  for (let bytes = 0; bytes < byte && index < text.length;) {
    const point = text.codePointAt(index) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    index += point < 0x10000 ? 1 : 2;
  }
  return index;
}
