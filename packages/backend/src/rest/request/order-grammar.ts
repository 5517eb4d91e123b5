import { readColumnPath, type ColumnPath } from './column-path.ts';
import {
  acceptToken,
  expectToken,
  expectEnd,
  createParseError,
  createTextCursor,
  readList,
  type TextCursor,
} from './text-cursor.ts';

export interface OrderTerm {
  path: ColumnPath;
  /** The to-one embedded relation that has the column. */
  relation?: string;
  direction?: 'asc' | 'desc';
  nulls?: 'first' | 'last';
}

/** Parses `created_at.desc.nullslast,authors(name)`. */
export function parseOrder(text: string): OrderTerm[] {
  const cursor = createTextCursor('order', text);
  const terms = readList(cursor, readTerm);
  expectEnd(cursor);
  return terms;
}

function readTerm(cursor: TextCursor): OrderTerm {
  const term: OrderTerm = { path: readColumnPath(cursor) };
  if (term.path.steps.length === 0 && acceptToken(cursor, '(')) {
    term.relation = term.path.column;
    term.path = readColumnPath(cursor);
    expectToken(cursor, ')');
  }
  if (acceptToken(cursor, '.asc')) term.direction = 'asc';
  else if (acceptToken(cursor, '.desc')) term.direction = 'desc';
  if (acceptToken(cursor, '.nullsfirst')) term.nulls = 'first';
  else if (acceptToken(cursor, '.nullslast')) term.nulls = 'last';
  const next = cursor.text[cursor.at];
  if (next !== undefined && next !== ',')
    throw createParseError(cursor, 'asc, desc, nullsfirst or nullslast');
  return term;
}
