import { readColumnPath } from './column-path.ts';
import { parseFilter, parseGroup, type Filter } from './filter-grammar.ts';
import { parseOrder } from './order-grammar.ts';
import { createNotEmbeddedError, createSyntaxError, type RestError } from '../rest-error.ts';
import { parseSelect, type ReadNode } from './select-grammar.ts';
import { acceptToken, expectEnd, createTextCursor, readList, readName } from './text-cursor.ts';

/** Parsed query parameters: the tree of relations to read, and parameters of writes and calls. */
export interface RequestQuery {
  root: ReadNode;
  /** Columns to write, when the body has others too. */
  columns?: string[];
  /** Columns that identify an existing row for an upsert. */
  onConflict?: string[];
  /** Arguments of the called function. */
  args: Map<string, string[]>;
}

/**
 * Parses all parameters; throws for invalid ones. `argumentNames` are those of the called function,
 * of which `lists` may have several values. A parameter that is neither an argument nor reserved is
 * a filter on a column.
 */
export function parseQuery(
  params: URLSearchParams,
  argumentNames: ReadonlySet<string> = new Set(),
  lists: ReadonlySet<string> = new Set(),
): RequestQuery {
  const query: RequestQuery = {
    root: parseSelect(getSingleValue(params, 'select') ?? '*'),
    args: new Map(),
  };
  for (const [key, value] of params) {
    if (argumentNames.has(key)) {
      const values = query.args.get(key) ?? [];
      if (values.length > 0 && !lists.has(key)) throw createRepeatedError(key);
      query.args.set(key, [...values, value]);
    } else if (key === 'columns') {
      query.columns = parseNames('columns', getSingleValue(params, key) ?? '');
    } else if (key === 'on_conflict') {
      query.onConflict = parseNames('on_conflict', getSingleValue(params, key) ?? '');
    } else if (key !== 'select') {
      applyParameter(query.root, key, value);
    }
  }
  return query;
}

function getSingleValue(params: URLSearchParams, key: string): string | undefined {
  const values = params.getAll(key);
  if (values.length > 1) throw createRepeatedError(key);
  return values[0];
}

function createRepeatedError(key: string): RestError {
  return createSyntaxError(`The parameter ${key} is given more than once`);
}

function parseNames(parameter: string, text: string): string[] {
  const cursor = createTextCursor(parameter, text);
  const names = readList(cursor, readName);
  expectEnd(cursor);
  return [...new Set(names)];
}

/** Applies a parameter: `authors.books.order=title` to the node of `books` inside `authors`. */
function applyParameter(root: ReadNode, key: string, value: string): void {
  const { path, last, negated } = parseKey(key);
  const node = findNode(root, path);
  if (negated || last === 'and' || last === 'or') {
    node.filters.push(parseGroup(last === 'and' ? 'and' : 'or', negated, value));
  } else if (last === 'order') {
    if (node.order.length > 0) throw createRepeatedError(key);
    node.order = parseOrder(value);
  } else if (last === 'limit' || last === 'offset') {
    if (node[last] !== undefined) throw createRepeatedError(key);
    node[last] = parseCount(key, value);
  } else {
    node.filters.push(parseColumnFilter(last, value));
  }
}

/** Parses `a.b.data->x`: path a, b and `data->x`; `a.not.or`: path a, `or`, negated. */
function parseKey(key: string): { path: string[]; last: string; negated: boolean } {
  const cursor = createTextCursor('query', key);
  const path: string[] = [];
  for (;;) {
    const start = cursor.at;
    readColumnPath(cursor);
    const part = key.slice(start, cursor.at);
    if (!acceptToken(cursor, '.')) {
      expectEnd(cursor);
      const negated = path.at(-1) === 'not' && (part === 'and' || part === 'or');
      return { path: negated ? path.slice(0, -1) : path, last: part, negated };
    }
    path.push(readName(createTextCursor('query', part)));
  }
}

function findNode(root: ReadNode, path: string[]): ReadNode {
  return path.reduce((node, name) => {
    const embed = node.items.find((item) => item.kind === 'embed' && item.name === name);
    if (embed?.kind === 'embed') return embed.node;
    throw createNotEmbeddedError(name);
  }, root);
}

function parseColumnFilter(column: string, value: string): Filter {
  return parseFilter(readColumnPath(createTextCursor('query', column)), value);
}

/** Parses a row number, including zero; throws for signs, fractions and too many digits. */
function parseCount(key: string, value: string): number {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw createSyntaxError(
    `"failed to parse ${key} parameter (${value.slice(0, 40)})"`,
    'expected a number',
  );
}
