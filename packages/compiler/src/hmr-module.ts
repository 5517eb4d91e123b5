/**
 * HMR support of a module: finds the updates it accepts, by the same syntax as Vite, and adds code
 * to it: `import.meta.hot` on its first line and, for React and Preact components, the code that
 * registers and accepts them. Line numbers don't change.
 */
import { isLexerError, lexModule, type Edit } from './rewrite-module.ts';

/** The hot updates a module accepts. */
export interface HmrInfo {
  /** Whether it accepts its own updates. */
  self: boolean;
  /** Ids of the modules whose updates it accepts: "src/lib.ts", "data.json?module". */
  deps: string[];
  /** Whether its components are refreshed in place, so that importers need no update. */
  renews: boolean;
}

/** The library whose components are refreshed in place; null for none. */
export type RefreshLibrary = 'react' | 'preact' | null;

export interface HmrCode {
  /** Edits of the code, in text order. */
  edits: Edit[];
  /** Code to append on separate lines; usually ''. */
  footer: string;
  hot: HmrInfo | undefined;
}

export interface HmrOptions {
  /** Id of the module, which is its path. */
  path: string;
  /** The library whose component registrations are in the code. */
  refresh: RefreshLibrary;
  /** URL of the project's Preact; undefined if it has none. */
  preact: string | undefined;
  /** Resolves an accepted specifier to a module id. */
  findId(specifier: string): string | undefined;
}

const unchanged: HmrCode = { edits: [], footer: '', hot: undefined };

/** Whether a text uses `import.meta.hot`. */
export function usesHmrApi(text: string): boolean {
  return /\bimport\s*\.\s*meta\s*\.\s*hot\b/.test(text);
}

/** Finds the updates a module accepts, and the code to add to it. */
export function createHmrModule(code: string, options: HmrOptions): HmrCode {
  const hasComponents = options.refresh !== null && /\$Refresh(?:Reg|Sig)\$\(/.test(code);
  const hasClasses = options.refresh !== null && componentClass.test(code);
  if (!usesHmrApi(code) && !hasComponents && !hasClasses) return unchanged;
  const read = tryRead(code);
  if (!read) return unchanged;
  const accepted = findAccepted(code, read.metas, options.findId);
  // A module without exports has no importers to refresh: it renders its components itself.
  const renews = read.exportsAny && (hasClasses || /\$RefreshReg\$\(/.test(code));
  const at = code.startsWith('#!') ? code.indexOf('\n') + 1 : 0;
  const prelude =
    createHotLine(options.path) + (hasComponents ? createComponentsLine(options) : '');
  return {
    edits: [{ start: at, end: at, text: prelude }, ...accepted.edits],
    footer: renews ? createAcceptFooter(options.path) : '',
    hot: describe(accepted, renews),
  };
}

function describe({ self, deps }: Accepted, renews: boolean): HmrInfo | undefined {
  if (!self && !renews && deps.length === 0) return undefined;
  return { self: self || renews, deps, renews: renews && !self };
}

const componentClass = /\bextends\s+(?:[\w$]+\s*\.\s*)?(?:Pure)?Component\b/;

function createHotLine(path: string): string {
  return `import.meta.hot = globalThis.__vitrine?.hot(${JSON.stringify(path)}); `;
}

/** Defines the two functions of the transform. Without HMR (in a worker) they do nothing. */
function createComponentsLine({ path, refresh, preact }: HmrOptions): string {
  const isPreact = refresh === 'preact' && preact !== undefined;
  const library = isPreact ? `import * as $preact from ${JSON.stringify(preact)}; ` : '';
  const libraryArgument = isPreact ? ', $preact' : '';
  return `${library}const { $RefreshReg$, $RefreshSig$ } = globalThis.__vitrine?.components(${JSON.stringify(path)}${libraryArgument}) ?? { $RefreshReg$() {}, $RefreshSig$: () => (type) => type }; `;
}

function createAcceptFooter(path: string): string {
  return `\nglobalThis.__vitrine?.acceptComponents(${JSON.stringify(path)}, () => import(import.meta.url));\n`;
}

/** Lexes a module; undefined if the lexer can't read it. */
function tryRead(code: string): { metas: number[]; exportsAny: boolean } | undefined {
  try {
    const [imports, exports] = lexModule(code);
    const metas = imports.filter(({ type }) => type === 'import-meta').map(({ end }) => end);
    return { metas, exportsAny: exports.length > 0 };
  } catch (error) {
    if (isLexerError(error)) return undefined;
    throw error;
  }
}

interface Accepted {
  self: boolean;
  deps: string[];
  edits: Edit[];
}

const acceptCall = /\s*\.\s*hot\s*(?:\?\.|\.)\s*accept\s*\(\s*/y;
const literal = /(["'`])((?:(?!\1)[^\\\n$])*)\1/y;
const separator = /[\s,]*/y;

/**
 * Finds calls of `accept`. `accept()` and `accept(callback)` accept the module itself,
 * `accept('./a', …)` and `accept(['./a', './b'], …)` its dependencies, whose specifiers are replaced
 * by module ids.
 */
function findAccepted(code: string, metas: readonly number[], findId: FindId): Accepted {
  const accepted: Accepted = { self: false, deps: [], edits: [] };
  for (const end of metas) {
    const at = skip(acceptCall, code, end);
    if (at === undefined) continue;
    const isList = code[at] === '[';
    const literals = isList ? listLiterals(code, at + 1) : listLiterals(code, at).slice(0, 1);
    if (!isList && literals.length === 0) accepted.self = true;
    for (const { specifier, ...place } of literals) {
      const id = findId(specifier);
      if (id === undefined) continue;
      accepted.deps.push(id);
      accepted.edits.push({ ...place, text: JSON.stringify(id) });
    }
  }
  return accepted;
}

type FindId = HmrOptions['findId'];

function listLiterals(code: string, from: number) {
  const found: { specifier: string; start: number; end: number }[] = [];
  for (let at = skip(separator, code, from) ?? from; ;) {
    literal.lastIndex = at;
    const match = literal.exec(code);
    if (!match) return found;
    found.push({ specifier: match[2] ?? '', start: at, end: literal.lastIndex });
    at = skip(separator, code, literal.lastIndex) ?? literal.lastIndex;
  }
}

/** Returns the index after the match of a sticky regular expression; undefined if it doesn't match. */
function skip(expression: RegExp, code: string, at: number): number | undefined {
  expression.lastIndex = at;
  return expression.test(code) ? expression.lastIndex : undefined;
}
