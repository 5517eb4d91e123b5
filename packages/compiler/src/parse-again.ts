/**
 * Whether a long module still parses once a few statements of it are others. Those around an edit are
 * parsed, as they are and as they were: where both end at the same token, and declare, export and
 * import the same names, nothing in the rest of the module can tell one from the other.
 */
import { findDifference } from '@vitrine/project';
import type { Options } from 'acorn';
import { parseScript, QuickParser } from './parse-script.ts';

/** In UTF-16 units: shorter ones are parsed in a few milliseconds. */
const long = 50_000;
/** Of a module, what is worth parsing twice. */
const mostPart = 1 / 8;

/** A module that parses. */
interface Parsed {
  source: string;
  /** Where its statements begin, in its order. */
  starts: readonly number[];
}

/** The long one that was parsed last, which the next is most often made of. */
let last: Parsed | undefined;

const options: Options = { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true };

/** Throws acorn's `SyntaxError` for a module that does not parse. */
export function checkModule(source: string): void {
  if (source.length < long) return void parseScript(source, options);
  last = (last && parseAgain(last, source)) ?? {
    source,
    starts: parseScript(source, options).body.map(({ start }) => start),
  };
}

/** Undefined where the whole module has to be parsed to know. */
function parseAgain({ source: before, starts }: Parsed, source: string): Parsed | undefined {
  const edited = findDifference(before, source);
  // One ahead of the one that is edited, which may go on where it ended; the first with what is ahead of it.
  const first = Math.max(0, starts.findLastIndex((start) => start <= edited.start) - 1);
  const next = starts.findIndex((start) => start >= edited.end);
  const rest = next === -1 ? starts.length : next;
  const from = first === 0 ? 0 : (starts[first] ?? 0);
  const until = starts[rest] ?? before.length;
  if (until - from > before.length * mostPart) return undefined;
  const moved = source.length - before.length;
  const behind = starts[rest + 1] ?? before.length;
  const [was, is] = [
    readPart(before.slice(from, behind), until - from),
    readPart(source.slice(from, behind + moved), until + moved - from),
  ];
  if (!was || !is || was.meaning !== is.meaning) return undefined;
  return {
    source,
    starts: [
      ...starts.slice(0, first),
      ...is.starts.map((start) => start + from),
      ...starts.slice(rest).map((start) => start + moved),
    ],
  };
}

interface Part {
  starts: number[];
  /** What there is of it to the rest of its module. */
  meaning: string;
}

/** Up to the token at that index; undefined where it does not parse. */
function readPart(text: string, until: number): Part | undefined {
  try {
    return PartParser.read(text, until);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** With what acorn has beside what its types say. */
class PartParser extends QuickParser {
  declare readonly start: number;
  declare readonly end: number;
  declare readonly type: { label: string };
  /** Whether a slash behind the token begins a regular expression, and within what that is so. */
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
