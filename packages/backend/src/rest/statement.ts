import { restLimits } from './limits.ts';
import { RestError } from './rest-error.ts';
import { quoteName } from './schema.ts';

/** SQL with `$1, $2…`, and their values: everything of a request's that is a value is among these. */
export interface Statement {
  text: string;
  values: readonly string[];
}

/** A statement while it is written. */
export interface Draft {
  values: string[];
  aliases: number;
  /** Places that are used again, by their SQL type and value. */
  places: Map<string, string>;
}

export function openDraft(): Draft {
  return { values: [], aliases: 0, places: new Map() };
}

/** Adds a value, gives its place: `$3`. */
export function bind(draft: Draft, value: string): string {
  if (draft.values.length >= restLimits.maxValues) throw tooLong();
  draft.values.push(value);
  return `$${draft.values.length}`;
}

/**
 * The same place for the same value: two expressions are the same to PostgreSQL, say one that rows
 * are grouped by and one that they are ordered by, when they have the same parameters.
 */
export function bindOnce(draft: Draft, value: string, type: 'int4' | 'text'): string {
  const key = `${type} ${value}`;
  const place = draft.places.get(key) ?? `${bind(draft, value)}::${type}`;
  draft.places.set(key, place);
  return place;
}

/** A table alias that nothing else in the statement has. */
export function newAlias(draft: Draft): string {
  if (draft.aliases > restLimits.maxSubqueries) throw tooLong();
  return quoteName(`t${draft.aliases++}`);
}

/** `['a', 'b"c']` → `{"a","b\"c"}`, PostgreSQL's text form of an array. */
export function arrayText(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

/** Refuses a statement that would take long to read and to plan. */
export function checkLength({ text }: Statement): void {
  if (text.length > restLimits.maxStatementLength) throw tooLong();
}

function tooLong(): RestError {
  return new RestError(400, 'PGRST100', 'The request asks for too much at once');
}
