import { restLimits } from './limits.ts';
import { RestError } from './rest-error.ts';
import { quoteName } from './schema.ts';

/** SQL with placeholders `$1, $2…`, and their values: all values of a request are bound. */
export interface BoundStatement {
  text: string;
  values: readonly string[];
}

/** A statement under construction. */
export interface StatementDraft {
  values: string[];
  aliases: number;
  /** Reused placeholders, by SQL type and value. */
  places: Map<string, string>;
}

export function createDraft(): StatementDraft {
  return { values: [], aliases: 0, places: new Map() };
}

/** Binds a value and returns its placeholder: `$3`. */
export function bindValue(draft: StatementDraft, value: string): string {
  if (draft.values.length >= restLimits.maxValues) throw createTooComplexError();
  draft.values.push(value);
  return `$${draft.values.length}`;
}

/**
 * Binds a value, with one placeholder for equal values: PostgreSQL only treats two expressions as
 * equal, for instance in GROUP BY and ORDER BY, when they have the same parameters.
 */
export function bindOnce(draft: StatementDraft, value: string, type: 'int4' | 'text'): string {
  const key = `${type} ${value}`;
  const placeholder = draft.places.get(key) ?? `${bindValue(draft, value)}::${type}`;
  draft.places.set(key, placeholder);
  return placeholder;
}

/** Creates a table alias that is unique in the statement. */
export function createAlias(draft: StatementDraft): string {
  if (draft.aliases > restLimits.maxSubqueries) throw createTooComplexError();
  return quoteName(`t${draft.aliases++}`);
}

/** Formats an array in PostgreSQL's text format: `['a', 'b"c']` → `{"a","b\"c"}`. */
export function formatArray(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

/** Throws when a statement would take long to parse and plan. */
export function checkLength({ text }: BoundStatement): void {
  if (text.length > restLimits.maxStatementLength) throw createTooComplexError();
}

function createTooComplexError(): RestError {
  return new RestError(400, 'PGRST100', 'The request is too complex');
}
