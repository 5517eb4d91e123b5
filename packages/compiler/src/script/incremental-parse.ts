/**
 * Incremental syntax check of long modules. The statements around an edit are parsed in the old and
 * in the new text. If both end at the same token in the same parser state and declare, export and
 * import the same names, the rest of the module parses as before.
 */
import { findChangedRange } from '@vitrine/project';
import type { Options } from 'acorn';
import { parseScript, FastParser } from './parse-script.ts';

/** Minimum length of an incrementally parsed module, in UTF-16 code units. Others parse in a few ms. */
const minLength = 50_000;
/** Maximum part of a module that is parsed twice. */
const maxPart = 1 / 8;

/** A module without syntax errors. */
interface Parsed {
  source: string;
  /** Start indices of its statements, in text order. */
  starts: readonly number[];
}

/** The last long module, of which the next one is usually an edited version. */
let last: Parsed | undefined;

const options: Options = { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true };

/** Checks the syntax of a module. Throws acorn's `SyntaxError`. */
export function checkModuleSyntax(source: string): void {
  if (source.length < minLength) return void parseScript(source, options);
  last = (last && parseIncrementally(last, source)) ?? {
    source,
    starts: parseScript(source, options).body.map(({ start }) => start),
  };
}

/** Checks an edited module. Undefined if the whole module has to be parsed. */
function parseIncrementally(
  { source: before, starts }: Parsed,
  source: string,
): Parsed | undefined {
  const edited = findChangedRange(before, source);
  // Starts one statement before the edited one, which the edit may extend; the first one includes leading text.
  const first = Math.max(0, starts.findLastIndex((start) => start <= edited.start) - 1);
  const next = starts.findIndex((start) => start >= edited.end);
  const rest = next === -1 ? starts.length : next;
  const from = first === 0 ? 0 : (starts[first] ?? 0);
  const until = starts[rest] ?? before.length;
  if (until - from > before.length * maxPart) return undefined;
  const shift = source.length - before.length;
  const nextStart = starts[rest + 1] ?? before.length;
  const [was, is] = [
    parsePart(before.slice(from, nextStart), until - from),
    parsePart(source.slice(from, nextStart + shift), until + shift - from),
  ];
  if (!was || !is || was.meaning !== is.meaning) return undefined;
  return {
    source,
    starts: [
      ...starts.slice(0, first),
      ...is.starts.map((start) => start + from),
      ...starts.slice(rest).map((start) => start + shift),
    ],
  };
}

interface Part {
  starts: number[];
  /** Everything about the part that affects how the rest of the module parses, as JSON. */
  meaning: string;
}

/** Parses up to the token at an index; undefined on a syntax error. */
function parsePart(text: string, until: number): Part | undefined {
  try {
    return PartParser.read(text, until);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Parser with the members of acorn that its types lack. */
class PartParser extends FastParser {
  declare readonly start: number;
  declare readonly end: number;
  declare readonly type: { label: string };
  /** Whether a slash after the token starts a regular expression, and the context stack for that. */
  declare readonly exprAllowed: boolean;
  declare readonly context: readonly unknown[];
  declare readonly undefinedExports: object;
  declare readonly nextToken: () => void;
  declare readonly parseStatement: (context: null, isTopLevel: true, exported: object) => void;

  static read(text: string, until: number): Part {
    const parser = new PartParser(options, text);
    const starts: number[] = [];
    const exported = Object.create(null) as object;
    for (parser.nextToken(); parser.start < until; parser.parseStatement(null, true, exported))
      starts.push(parser.start);
    const [scope] = parser.scopeStack;
    const names = [scope?.var, scope?.lexical, scope?.functions];
    const others = [Object.keys(exported), Object.keys(parser.undefinedExports)];
    const token = [parser.type.label, parser.start - until, parser.end - until];
    const state = [parser.exprAllowed, parser.context.length];
    return { starts, meaning: JSON.stringify([names, others, token, state]) };
  }
}
