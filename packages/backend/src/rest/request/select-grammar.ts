import { getPathName, readColumnPath, type ColumnPath } from './column-path.ts';
import type { Filter } from './filter-grammar.ts';
import { restLimits } from '../limits.ts';
import type { OrderTerm } from './order-grammar.ts';
import { RestError } from '../rest-error.ts';
import {
  acceptToken,
  acceptPattern,
  expectToken,
  expectEnd,
  createParseError,
  createTextCursor,
  readName,
  type TextCursor,
} from './text-cursor.ts';

/** Selection on one relation: the root of a request, or an embedded relation. */
export interface ReadNode {
  items: SelectItem[];
  filters: Filter[];
  order: OrderTerm[];
  limit?: number;
  offset?: number;
}

export type SelectItem =
  | { kind: 'all' }
  | { kind: 'column'; name: string; path: ColumnPath; cast?: string; aggregate?: Aggregate }
  /** `count()` of rows. */
  | { kind: 'count'; name: string; cast?: string }
  | EmbedItem;

/** `amount.sum()::text`: an aggregate function, and the cast of its result. */
export interface Aggregate {
  call: string;
  cast?: string;
}

export interface EmbedItem {
  kind: 'embed';
  /** Key in the response, and prefix of its filters, order and limit. */
  name: string;
  /** Whether its columns are added to the parent's instead of nested. */
  spread: boolean;
  target: string;
  hint?: string;
  /** Whether parent rows without a match are excluded. */
  inner: boolean;
  node: ReadNode;
}

/** Allowed casts. All are PostgreSQL's own types, so that none can run a user's function. */
const allowedCasts: ReadonlySet<string> = new Set(
  `text varchar bpchar uuid bool boolean json jsonb
  int2 int4 int8 smallint integer int bigint float4 float8 real numeric decimal
  date time timetz timestamp timestamptz interval`.split(/\s+/),
);

const aggregates: ReadonlySet<string> = new Set(['sum', 'avg', 'max', 'min', 'count']);

function createReadNode(items: SelectItem[]): ReadNode {
  return { items, filters: [], order: [] };
}

/** Parses `id,author:authors!author_id!inner(name,books(count))`. */
export function parseSelect(text: string): ReadNode {
  const cursor = createTextCursor('select', text);
  const counts = { items: 0, embeds: 0 };
  const node = createReadNode(text === '' ? [] : readItems(cursor, 0, counts));
  expectEnd(cursor);
  return node;
}

interface ItemCounts {
  items: number;
  embeds: number;
}

function readItems(cursor: TextCursor, depth: number, counts: ItemCounts): SelectItem[] {
  const items: SelectItem[] = [];
  do {
    if (++counts.items > restLimits.maxSelectItems) throw createTooLargeError('too many columns');
    items.push(readItem(cursor, depth, counts));
  } while (acceptToken(cursor, ','));
  return items;
}

function createTooLargeError(details: string): RestError {
  return new RestError(400, 'PGRST100', 'The select parameter is too large', { details });
}

function readItem(cursor: TextCursor, depth: number, counts: ItemCounts): SelectItem {
  acceptPattern(cursor, / */y);
  if (acceptToken(cursor, '*')) return { kind: 'all' };
  if (acceptToken(cursor, '...')) {
    return readEmbed(cursor, readName(cursor, 'a relation'), { spread: true }, depth, counts);
  }
  const alias = readAlias(cursor);
  if (acceptToken(cursor, 'count()')) {
    return { kind: 'count', name: alias ?? 'count', ...readCast(cursor) };
  }
  const path = readColumnPath(cursor);
  const next = cursor.text[cursor.at];
  if (next === '!' || next === '(') {
    if (path.steps.length > 0) throw createParseError(cursor, 'a column');
    return readEmbed(cursor, path.column, { alias, spread: false }, depth, counts);
  }
  const cast = readCast(cursor);
  const aggregate = readAggregate(cursor);
  if (!aggregate) return { kind: 'column', name: alias ?? getPathName(path), path, ...cast };
  return { kind: 'column', name: alias ?? aggregate.call, path, ...cast, aggregate };
}

function readCast(cursor: TextCursor): { cast?: string } {
  if (!acceptToken(cursor, '::')) return {};
  const cast = readName(cursor, 'a type').toLowerCase();
  if (!allowedCasts.has(cast)) throw createParseError(cursor, 'a supported type');
  return { cast };
}

function readAggregate(cursor: TextCursor): Aggregate | undefined {
  if (!acceptToken(cursor, '.')) return undefined;
  const call = readName(cursor, 'an aggregate function');
  if (!aggregates.has(call)) throw createParseError(cursor, 'sum, avg, max, min or count');
  expectToken(cursor, '()');
  return { call, ...readCast(cursor) };
}

/** Reads an alias: `title:name` has the alias `title`; `name::text` has none. */
function readAlias(cursor: TextCursor): string | undefined {
  const start = cursor.at;
  const name = readName(cursor, 'a column or a relation');
  if (cursor.text[cursor.at] === ':' && cursor.text[cursor.at + 1] !== ':') {
    cursor.at++;
    return name;
  }
  cursor.at = start;
  return undefined;
}

function readEmbed(
  cursor: TextCursor,
  target: string,
  { alias, spread }: { alias?: string | undefined; spread: boolean },
  depth: number,
  counts: ItemCounts,
): EmbedItem {
  if (depth >= restLimits.maxEmbedDepth || ++counts.embeds > restLimits.maxEmbeds) {
    throw createTooLargeError(
      `at most ${restLimits.maxEmbeds} relations, ${restLimits.maxEmbedDepth} levels deep, can be embedded`,
    );
  }
  let hint: string | undefined;
  let join: string | undefined;
  while (acceptToken(cursor, '!')) {
    const word = readName(cursor, 'a hint, inner or left');
    if ((word === 'inner' || word === 'left') && join === undefined) join = word;
    else if (hint === undefined) hint = word;
    else throw createParseError(cursor, 'one hint and one kind of join');
  }
  expectToken(cursor, '(');
  const items = cursor.text[cursor.at] === ')' ? [] : readItems(cursor, depth + 1, counts);
  expectToken(cursor, ')');
  const embed: EmbedItem = {
    kind: 'embed',
    name: alias ?? target,
    spread,
    target,
    inner: join === 'inner',
    node: createReadNode(items),
  };
  if (hint !== undefined) embed.hint = hint;
  return embed;
}
