/**
 * What a module accepts of new versions, found in its text as Vite finds it, and what is put around
 * it so that it can: `import.meta.hot` on its first line and, where it holds components of React or
 * Preact, what registers and accepts them. Lines stay where they are.
 */
import { isLexerError, readModule, type Edit } from './rewrite-module.ts';

/** What a module accepts; whoever imports it need not know of what it accepts itself. */
export interface HotFacts {
  /** It can take the place of its own earlier version. */
  self: boolean;
  /** Ids of the modules whose new versions it takes: "src/lib.ts", "data.json?module". */
  deps: string[];
  /** What earlier importers hold of it is renewed too, since it exports components only. */
  renews: boolean;
}

/** Which library's components are refreshed in place; null where there is neither. */
export type RefreshKind = 'react' | 'preact' | null;

export interface HotModule {
  /** Changes of the code, in the order of the text. */
  edits: Edit[];
  /** Stands behind the code, on lines of its own; '' for most. */
  footer: string;
  hot: HotFacts | undefined;
}

export interface HotOptions {
  /** Id of the module, which is its path. */
  path: string;
  /** The code was made with registrations of components of this library. */
  refresh: RefreshKind;
  /** Where the project's own Preact is found; undefined where it has none. */
  preact: string | undefined;
  /** The id of what an accepted specifier means. */
  findId(specifier: string): string | undefined;
}

const unchanged: HotModule = { edits: [], footer: '', hot: undefined };

/** Whether `makeHot` can make a difference to a text. */
export function mentionsHot(text: string): boolean {
  return /\bimport\s*\.\s*meta\s*\.\s*hot\b/.test(text);
}

/** Finds what a module accepts, and what is to be put into its code. */
export function makeHot(code: string, options: HotOptions): HotModule {
  const hasComponents = options.refresh !== null && /\$Refresh(?:Reg|Sig)\$\(/.test(code);
  const hasClasses = options.refresh !== null && componentClass.test(code);
  if (!mentionsHot(code) && !hasComponents && !hasClasses) return unchanged;
  const read = tryRead(code);
  if (!read) return unchanged;
  const accepted = findAccepted(code, read.metas, options.findId);
  // A module without exports has nobody who could be given something else: it shows by itself.
  const renews = read.exportsAny && (hasClasses || /\$RefreshReg\$\(/.test(code));
  const at = code.startsWith('#!') ? code.indexOf('\n') + 1 : 0;
  const prelude = hotLine(options.path) + (hasComponents ? componentsLine(options) : '');
  return {
    edits: [{ start: at, end: at, text: prelude }, ...accepted.edits],
    footer: renews ? acceptComponents(options.path) : '',
    hot: describe(accepted, renews),
  };
}

function describe({ self, deps }: Accepted, renews: boolean): HotFacts | undefined {
  if (!self && !renews && deps.length === 0) return undefined;
  return { self: self || renews, deps, renews: renews && !self };
}

const componentClass = /\bextends\s+(?:[\w$]+\s*\.\s*)?(?:Pure)?Component\b/;

function hotLine(path: string): string {
  return `import.meta.hot = globalThis.__vitrine?.hot(${JSON.stringify(path)}); `;
}

/** The transform's two functions; where nothing refreshes (in a worker), they do nothing. */
function componentsLine({ path, refresh, preact }: HotOptions): string {
  const isPreact = refresh === 'preact' && preact !== undefined;
  const library = isPreact ? `import * as $preact from ${JSON.stringify(preact)}; ` : '';
  const given = isPreact ? ', $preact' : '';
  return `${library}const { $RefreshReg$, $RefreshSig$ } = globalThis.__vitrine?.components(${JSON.stringify(path)}${given}) ?? { $RefreshReg$() {}, $RefreshSig$: () => (type) => type }; `;
}

function acceptComponents(path: string): string {
  return `\nglobalThis.__vitrine?.acceptComponents(${JSON.stringify(path)}, () => import(import.meta.url));\n`;
}

/** What the lexer says of a module; undefined where it is too much for the lexer. */
function tryRead(code: string): { metas: number[]; exportsAny: boolean } | undefined {
  try {
    const [imports, exports] = readModule(code);
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
const between = /[\s,]*/y;

/**
 * `accept()` and `accept(callback)` are of the module itself, `accept('./a', …)` and
 * `accept(['./a', './b'], …)` of others; those are named by their ids from then on.
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

type FindId = HotOptions['findId'];

function listLiterals(code: string, from: number) {
  const found: { specifier: string; start: number; end: number }[] = [];
  for (let at = skip(between, code, from) ?? from; ;) {
    literal.lastIndex = at;
    const match = literal.exec(code);
    if (!match) return found;
    found.push({ specifier: match[2] ?? '', start: at, end: literal.lastIndex });
    at = skip(between, code, literal.lastIndex) ?? literal.lastIndex;
  }
}

/** The index behind what a sticky expression matches there. */
function skip(expression: RegExp, code: string, at: number): number | undefined {
  expression.lastIndex = at;
  return expression.test(code) ? expression.lastIndex : undefined;
}
