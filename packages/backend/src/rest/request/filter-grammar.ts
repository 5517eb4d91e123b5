import { readColumnPath, type ColumnPath } from './column-path.ts';
import { restLimits } from '../limits.ts';
import { RestError } from '../rest-error.ts';
import {
  acceptToken,
  acceptPattern,
  acceptQuoted,
  expectToken,
  expectEnd,
  createParseError,
  createTextCursor,
  readList,
  type TextCursor,
} from './text-cursor.ts';

export type Filter =
  | { kind: 'compare'; path: ColumnPath; negated: boolean; test: Test }
  | { kind: 'group'; joiner: 'and' | 'or'; negated: boolean; filters: Filter[] };

export type Test =
  | { kind: 'operator'; sql: string; value: string; quantifier?: 'any' | 'all' }
  | { kind: 'in'; values: string[] }
  | { kind: 'is'; sql: string }
  | { kind: 'search'; parse: string; language?: string; value: string };

/**
 * Operators with one value. The SQL is fixed; only the value, which is bound, comes from the
 * caller.
 */
const operators: Record<string, string> = {
  eq: '=',
  neq: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  like: 'like',
  ilike: 'ilike',
  match: '~',
  imatch: '~*',
  isdistinct: 'is distinct from',
  cs: '@>',
  cd: '<@',
  ov: '&&',
  sl: '<<',
  sr: '>>',
  nxr: '&<',
  nxl: '&>',
  adj: '-|-',
};

const quantifiable: ReadonlySet<string> = new Set([
  'eq',
  'gt',
  'gte',
  'lt',
  'lte',
  'like',
  'ilike',
  'match',
  'imatch',
]);

const isTests: Record<string, string> = {
  null: 'is null',
  not_null: 'is not null',
  true: 'is true',
  false: 'is false',
  unknown: 'is unknown',
};

const searches: Record<string, string> = {
  fts: 'to_tsquery',
  plfts: 'plainto_tsquery',
  phfts: 'phraseto_tsquery',
  wfts: 'websearch_to_tsquery',
};

/** Parses the value of `column=…`: `not.in.(1,2)`. */
export function parseFilter(path: ColumnPath, text: string): Filter {
  const cursor = createTextCursor('filter', text);
  const filter = readTest(cursor, path, false);
  expectEnd(cursor);
  return filter;
}

/** Parses the value of `or=…` or `and=…`: `(a.eq.1,not.and(b.gt.2,c.is.null))`. */
export function parseGroup(joiner: 'and' | 'or', negated: boolean, text: string): Filter {
  const cursor = createTextCursor('logic', text);
  const filter = readGroup(cursor, joiner, negated, 1);
  expectEnd(cursor);
  return filter;
}

function readGroup(
  cursor: TextCursor,
  joiner: 'and' | 'or',
  negated: boolean,
  depth: number,
): Filter {
  if (depth > restLimits.maxFilterDepth)
    throw createParseError(cursor, 'fewer groups inside groups');
  expectToken(cursor, '(');
  const filters = readList(cursor, () => readGroupItem(cursor, depth));
  acceptPattern(cursor, / */y);
  expectToken(cursor, ')');
  return { kind: 'group', joiner, negated, filters };
}

function readGroupItem(cursor: TextCursor, depth: number): Filter {
  acceptPattern(cursor, / */y);
  const opening = acceptPattern(cursor, /(?:not\.)?(?:and|or)(?=\()/y);
  if (opening !== undefined) {
    const joiner = opening.endsWith('and') ? 'and' : 'or';
    return readGroup(cursor, joiner, opening.startsWith('not.'), depth + 1);
  }
  const path = readColumnPath(cursor);
  expectToken(cursor, '.');
  return readTest(cursor, path, true);
}

/**
 * Reads a test. In a group, a value ends at a comma or parenthesis; otherwise it is the rest of the
 * text.
 */
function readTest(cursor: TextCursor, path: ColumnPath, grouped: boolean): Filter {
  const negated = acceptToken(cursor, 'not.');
  const word = acceptPattern(cursor, /[a-z]+/y) ?? '';
  const inBrackets = acceptPattern(cursor, /\([A-Za-z0-9_]+\)/y)?.slice(1, -1);
  if (!acceptToken(cursor, '.')) throw createParseError(cursor, 'an operator, a dot and a value');
  return { kind: 'compare', path, negated, test: readOperand(cursor, word, inBrackets, grouped) };
}

function readOperand(
  cursor: TextCursor,
  word: string,
  inBrackets: string | undefined,
  grouped: boolean,
): Test {
  const parse = Object.hasOwn(searches, word) ? searches[word] : undefined;
  if (parse) {
    const value = readValue(cursor, grouped);
    return { kind: 'search', parse, value, ...(inBrackets ? { language: inBrackets } : {}) };
  }
  const sql = Object.hasOwn(operators, word) ? operators[word] : undefined;
  if (sql) return readComparison(cursor, word, sql, inBrackets, grouped);
  if (inBrackets !== undefined) throw createParseError(cursor, 'an operator that takes brackets');
  if (word === 'in') return { kind: 'in', values: readValues(cursor) };
  if (word === 'is') return readIs(cursor, grouped);
  throw createParseError(cursor, 'a known operator');
}

function readComparison(
  cursor: TextCursor,
  word: string,
  sql: string,
  quantifier: string | undefined,
  grouped: boolean,
): Test {
  const raw = readValue(cursor, grouped);
  // `*` stands for `%`, which would have to be escaped in a URL.
  const value = word === 'like' || word === 'ilike' ? raw.replaceAll('*', '%') : raw;
  if (word === 'match' || word === 'imatch') {
    checkPattern(quantifier === undefined ? value : value.replace(/^\{|\}$/g, ''));
  }
  if (quantifier === undefined) return { kind: 'operator', sql, value };
  if ((quantifier !== 'any' && quantifier !== 'all') || !quantifiable.has(word)) {
    throw createParseError(cursor, `${word} without (${quantifier})`);
  }
  return { kind: 'operator', sql, value, quantifier };
}

/**
 * Rejects expensive patterns. PostgreSQL matches in time proportional to text and pattern, except
 * with back references; and nested counted repetitions expand a short pattern enormously.
 */
function checkPattern(pattern: string): void {
  if (pattern.length <= restLimits.maxPatternLength && !/\\\d|\{/.test(pattern)) return;
  throw new RestError(400, 'PGRST100', 'The regular expression is not supported', {
    details: `At most ${restLimits.maxPatternLength} characters, without back references and {}: other patterns can keep the database busy.`,
    hint: 'Use like, ilike, or a text search.',
  });
}

function readIs(cursor: TextCursor, grouped: boolean): Test {
  const word = readValue(cursor, grouped).toLowerCase();
  const sql = Object.hasOwn(isTests, word) ? isTests[word] : undefined;
  if (!sql) throw createParseError(cursor, 'null, not_null, true, false or unknown');
  return { kind: 'is', sql };
}

function readValue(cursor: TextCursor, grouped: boolean): string {
  if (!grouped) return acceptPattern(cursor, /[^]*/y) ?? '';
  return readQuotedItem(cursor) ?? acceptPattern(cursor, /\{[^{}]*\}|[^,)]*/y) ?? '';
}

/** Reads a quoted value if the item ends with it; `"a"b` is read as unquoted text. */
function readQuotedItem(cursor: TextCursor): string | undefined {
  const start = cursor.at;
  const value = acceptQuoted(cursor);
  if (value !== undefined && /^[,)]/.test(cursor.text.slice(cursor.at, cursor.at + 1)))
    return value;
  cursor.at = start;
  return undefined;
}

/** Reads a list: `(1,"a,b")` → `['1', 'a,b']`; `()` is the empty list. */
function readValues(cursor: TextCursor): string[] {
  expectToken(cursor, '(');
  if (acceptToken(cursor, ')')) return [];
  const values = readList(
    cursor,
    () => readQuotedItem(cursor) ?? acceptPattern(cursor, /[^,)]*/y) ?? '',
  );
  expectToken(cursor, ')');
  return values;
}
