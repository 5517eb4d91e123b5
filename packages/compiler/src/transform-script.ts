/**
 * What a transform of TypeScript or JSX is given and gives, the same for both builds of oxc: the
 * native one (`native.ts`) and the one for WebAssembly (`wasm.ts`).
 */
import { extension } from '@vitrine/project';
import type { SyntaxProblem } from './check-script.ts';
import { holdsDecorators } from './decorators.ts';
import { helperAddress } from './helpers.ts';
import type { RefreshKind } from './hot-module.ts';
import { positionAt } from './instrument-html.ts';
import { wordTypedMistake } from './syntax-words.ts';

/** How JSX and TypeScript of a project are meant; `project-settings.ts` reads it from its files. */
export interface ScriptSettings {
  /** `automatic` imports the functions that make elements, `classic` expects them in scope. */
  jsxRuntime: 'automatic' | 'classic';
  /** Package (or file) whose `/jsx-dev-runtime` makes elements. A pragma in a file wins over it. */
  jsxImportSource: string;
  /** Functions of the classic runtime: `React.createElement`, `React.Fragment`. */
  jsxFactory: string | undefined;
  jsxFragmentFactory: string | undefined;
  /**
   * Whether class fields are the language's own. If not, they are assigned in the constructor, and
   * those that only have a type are none: what decorators of fields expect.
   */
  definesFields: boolean;
  /** Whether decorators are TypeScript's own, from before the standard; those of it are left. */
  hasOwnDecorators: boolean;
  /** For debugging, with places in the code, or as in production. */
  jsxMode: 'development' | 'production';
  /** Whose components are registered, so that new versions of them keep their state. */
  refresh: RefreshKind;
}

/** Source map of version 3 with one source; `mappings` in Base64 VLQ. */
export interface ScriptMap {
  mappings: string;
  names: string[];
  sources: string[];
  sourcesContent: string[];
}

export interface TransformedScript {
  /** JavaScript; what there is of it where there are problems. */
  code: string;
  map: ScriptMap | undefined;
  /** Empty where the script may run. */
  problems: SyntaxProblem[];
}

/** TypeScript or JSX of the file `path` as a JavaScript module. Never throws on bad source. */
export type TransformScript = (
  path: string,
  text: string,
  settings: ScriptSettings,
) => TransformedScript;

/** The part of oxc that both builds have. */
export interface Oxc {
  transformSync(filename: string, source: string, options: OxcOptions): OxcResult;
}

interface OxcOptions {
  lang: 'js' | 'jsx' | 'ts' | 'tsx';
  sourceType: 'module';
  sourcemap: true;
  jsx: {
    runtime: 'automatic' | 'classic';
    development?: boolean;
    importSource?: string;
    pragma?: string;
    pragmaFrag?: string;
    throwIfNamespace: false;
    refresh?: boolean;
  };
  decorator: { legacy: boolean };
  target?: string;
  assumptions?: { setPublicClassFields: true };
  typescript?: { removeClassFieldsWithoutInitializer: true };
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

/** Makes a transform of either build of oxc. */
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
  const asked = options(path, settings);
  const plain = oxc.transformSync(path, text, asked);
  if (settings.definesFields) return plain;
  // The standard's decorators take fields that are defined, those without a value too.
  if (!settings.hasOwnDecorators && holdsDecorators(plain.code)) return plain;
  const assigned = oxc.transformSync(path, text, { ...asked, ...assignedFields });
  const needsOthers = Object.values(assigned.helpersUsed).some((helper) => !helperAddress(helper));
  // A file with something else in it that this target lacks (`using`) keeps its fields.
  return needsOthers ? plain : assigned;
}

/** Fields are assigned only for a target that lacks a part of classes; this one lacks static blocks. */
const assignedFields = {
  target: 'firefox92',
  assumptions: { setPublicClassFields: true },
  typescript: { removeClassFieldsWithoutInitializer: true },
} as const;

function options(path: string, settings: ScriptSettings): OxcOptions {
  return {
    lang: findLanguage(path),
    sourceType: 'module',
    sourcemap: true,
    jsx: jsxOptions(settings),
    decorator: { legacy: settings.hasOwnDecorators },
  };
}

/** JSX may stand in a plain script too; in `.ts` it may not, since `<T>` is a type there. */
function findLanguage(path: string): OxcOptions['lang'] {
  switch (extension(path)) {
    case 'ts':
    case 'mts':
      return 'ts';
    case 'tsx':
      return 'tsx';
    default:
      return 'jsx';
  }
}

/** Namespace attributes (`xlink:href`) are let through: SVG has them, whatever React says. */
function jsxOptions(settings: ScriptSettings): OxcOptions['jsx'] {
  const development = settings.jsxMode === 'development';
  const refresh = development && settings.refresh !== null;
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
    runtime: 'classic',
    development,
    throwIfNamespace: false,
    refresh,
    ...(jsxFactory === undefined ? {} : { pragma: jsxFactory }),
    ...(jsxFragmentFactory === undefined ? {} : { pragmaFrag: jsxFragmentFactory }),
  };
}

/** The source is named as it is beside its module: DevTools show it in the module's place. */
function readMap(
  map: { mappings: string; names: string[] },
  path: string,
  text: string,
): ScriptMap {
  return {
    mappings: map.mappings,
    names: map.names,
    sources: [path.slice(path.lastIndexOf('/') + 1)],
    sourcesContent: [text],
  };
}

function describe(error: OxcError, text: string): SyntaxProblem {
  const { labels } = error;
  // Of two that clash, the later one is the mistake.
  const label = labels.find(({ message }) => message?.includes('redeclared')) ?? labels[0];
  const start = label ? indexOfByte(text, label.start) : 0;
  const sentence = wordTypedMistake(error.message, error.helpMessage, text, start);
  return { sentence, ...positionAt(text, start) };
}

/** oxc counts bytes of UTF-8, editors and browsers count UTF-16. */
function indexOfByte(text: string, byte: number): number {
  let index = 0;
  for (let bytes = 0; bytes < byte && index < text.length;) {
    const point = text.codePointAt(index) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    index += point < 0x10000 ? 1 : 2;
  }
  return index;
}
