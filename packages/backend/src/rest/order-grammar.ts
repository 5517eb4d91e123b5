import { readColumnPath, type ColumnPath } from './column-path.ts';
import {
  accept,
  expect,
  expectEnd,
  failAt,
  openText,
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
  const cursor = openText('order', text);
  const terms = readList(cursor, readTerm);
  expectEnd(cursor);
  return terms;
}

function readTerm(cursor: TextCursor): OrderTerm {
  const term: OrderTerm = { path: readColumnPath(cursor) };
  if (term.path.steps.length === 0 && accept(cursor, '(')) {
    term.relation = term.path.column;
    term.path = readColumnPath(cursor);
    expect(cursor, ')');
  }
  if (accept(cursor, '.asc')) term.direction = 'asc';
  else if (accept(cursor, '.desc')) term.direction = 'desc';
  if (accept(cursor, '.nullsfirst')) term.nulls = 'first';
  else if (accept(cursor, '.nullslast')) term.nulls = 'last';
  const next = cursor.text[cursor.at];
  if (next !== undefined && next !== ',')
    throw failAt(cursor, 'asc, desc, nullsfirst or nullslast');
  return term;
}
