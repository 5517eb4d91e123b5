/**
 * HMR support of a module: finds the updates it accepts, with Vite's syntax, and adds code to it: `import.meta.hot` on its first line and, for React and Preact components, the code that
 * registers and accepts them. Line numbers don't change.
 */
import { isLexerError, lexModule, type Edit } from '../rewrite-module.ts';

/** The hot updates a module accepts. */
export interface HmrInfo {
  /** Whether it accepts its own updates. */
  isSelfAccepting: boolean;
  /** Ids of the modules whose updates it accepts: "src/lib.ts", "data.json?module". */
  acceptedDeps: string[];
  /**
   * Whether React Refresh (or Preact's) refreshes its components in place, so that importers need no
   * update. False if the module also accepts its own updates with `import.meta.hot.accept()`.
   */
  isRefreshBoundary: boolean;
}

/** The library whose components are refreshed in place; null for none. */
export type RefreshLibrary = 'react' | 'preact' | null;

export interface HmrCode {
  /** Edits of the code, in text order. */
  edits: Edit[];
  /** Code to append on separate lines; usually ''. */
  footer: string;
  info: HmrInfo | undefined;
}

interface HmrOptions {
  /** Id of the module, which is its path. */
  path: string;
  /** The library whose component registrations are in the code. */
  refreshLibrary: RefreshLibrary;
  /** URL of the project's Preact; undefined if it has none. */
  preactUrl: string | undefined;
  /** Resolves an accepted specifier to a module id. */
  resolveId(specifier: string): string | undefined;
}

const unchanged: HmrCode = { edits: [], footer: '', info: undefined };

/** Whether a text uses `import.meta.hot`. */
export function usesHmrApi(text: string): boolean {
  return /\bimport\s*\.\s*meta\s*\.\s*hot\b/.test(text);
}

/** Finds the updates a module accepts, and the code to add to it. */
export function createHmrModule(code: string, options: HmrOptions): HmrCode {
  const hasComponents = options.refreshLibrary !== null && /\$Refresh(?:Reg|Sig)\$\(/.test(code);
  const hasClassComponents = options.refreshLibrary !== null && componentClass.test(code);
  if (!usesHmrApi(code) && !hasComponents && !hasClassComponents) return unchanged;
  const lexed = tryLex(code);
  if (!lexed) return unchanged;
  const accepted = findAccepted(code, lexed.importMetaEnds, options.resolveId);
  // A module without exports has no importers to refresh: it renders its components itself.
  const isRefreshed = lexed.hasExports && (hasClassComponents || /\$RefreshReg\$\(/.test(code));
  const at = code.startsWith('#!') ? code.indexOf('\n') + 1 : 0;
  const prelude =
    createHotLine(options.path) + (hasComponents ? createRefreshPrelude(options) : '');
  return {
    edits: [{ start: at, end: at, text: prelude }, ...accepted.edits],
    footer: isRefreshed ? createAcceptFooter(options.path) : '',
    info: createHmrInfo(accepted, isRefreshed),
  };
}

function createHmrInfo(
  { isSelfAccepting, acceptedDeps }: Accepted,
  isRefreshed: boolean,
): HmrInfo | undefined {
  if (!isSelfAccepting && !isRefreshed && acceptedDeps.length === 0) return undefined;
  return {
    isSelfAccepting: isSelfAccepting || isRefreshed,
    acceptedDeps,
    isRefreshBoundary: isRefreshed && !isSelfAccepting,
  };
}

const componentClass = /\bextends\s+(?:[\w$]+\s*\.\s*)?(?:Pure)?Component\b/;

function createHotLine(path: string): string {
  return `import.meta.hot = globalThis.__vitrine?.hot(${JSON.stringify(path)}); `;
}

/**
 * Defines `$RefreshReg$` and `$RefreshSig$`, which the React Refresh transform calls. Without HMR (in
 * a worker) they do nothing.
 */
function createRefreshPrelude({ path, refreshLibrary, preactUrl }: HmrOptions): string {
  const isPreact = refreshLibrary === 'preact' && preactUrl !== undefined;
  const library = isPreact ? `import * as $preact from ${JSON.stringify(preactUrl)}; ` : '';
  const libraryArgument = isPreact ? ', $preact' : '';
  return `${library}const { $RefreshReg$, $RefreshSig$ } = globalThis.__vitrine?.components(${JSON.stringify(path)}${libraryArgument}) ?? { $RefreshReg$() {}, $RefreshSig$: () => (type) => type }; `;
}

function createAcceptFooter(path: string): string {
  return `\nglobalThis.__vitrine?.acceptComponents(${JSON.stringify(path)}, () => import(import.meta.url));\n`;
}

/** Lexes a module; undefined if the lexer can't read it. */
function tryLex(code: string): { importMetaEnds: number[]; hasExports: boolean } | undefined {
  try {
    const [imports, exports] = lexModule(code);
    const importMetas = imports.filter(({ type }) => type === 'import-meta');
    return { importMetaEnds: importMetas.map(({ end }) => end), hasExports: exports.length > 0 };
  } catch (error) {
    if (isLexerError(error)) return undefined;
    throw error;
  }
}

interface Accepted {
  isSelfAccepting: boolean;
  acceptedDeps: string[];
  edits: Edit[];
}

const acceptCall = /\s*\.\s*hot\s*(?:\?\.|\.)\s*accept\s*\(\s*/y;
const stringLiteral = /(["'`])((?:(?!\1)[^\\\n$])*)\1/y;
const separator = /[\s,]*/y;

/**
 * Finds calls of `accept`. `accept()` and `accept(callback)` accept the module itself,
 * `accept('./a', …)` and `accept(['./a', './b'], …)` its dependencies, whose specifiers are replaced
 * by module ids.
 */
function findAccepted(
  code: string,
  importMetaEnds: readonly number[],
  resolveId: HmrOptions['resolveId'],
): Accepted {
  const accepted: Accepted = { isSelfAccepting: false, acceptedDeps: [], edits: [] };
  for (const end of importMetaEnds) {
    const at = matchEnd(acceptCall, code, end);
    if (at === undefined) continue;
    const isList = code[at] === '[';
    const literals = isList ? listLiterals(code, at + 1) : listLiterals(code, at).slice(0, 1);
    if (!isList && literals.length === 0) accepted.isSelfAccepting = true;
    for (const { specifier, ...range } of literals) {
      const id = resolveId(specifier);
      if (id === undefined) continue;
      accepted.acceptedDeps.push(id);
      accepted.edits.push({ ...range, text: JSON.stringify(id) });
    }
  }
  return accepted;
}

function listLiterals(code: string, from: number) {
  const found: { specifier: string; start: number; end: number }[] = [];
  for (let at = matchEnd(separator, code, from) ?? from; ;) {
    stringLiteral.lastIndex = at;
    const match = stringLiteral.exec(code);
    if (!match) return found;
    found.push({ specifier: match[2] ?? '', start: at, end: stringLiteral.lastIndex });
    at = matchEnd(separator, code, stringLiteral.lastIndex) ?? stringLiteral.lastIndex;
  }
}

/** Returns the index after the match of a sticky regular expression; undefined if it doesn't match. */
function matchEnd(expression: RegExp, code: string, at: number): number | undefined {
  expression.lastIndex = at;
  return expression.test(code) ? expression.lastIndex : undefined;
}
