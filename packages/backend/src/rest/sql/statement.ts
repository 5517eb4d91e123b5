import { restLimits } from '../limits.ts';
import { RestError } from '../rest-error.ts';
import { quoteName } from '../schema/schema.ts';

/** SQL with placeholders `$1, $2…`, and their values: all values of a request are bound. */
export interface BoundStatement {
  text: string;
  values: readonly string[];
}

/** Builds a statement: collects its values, and numbers its table aliases. */
export interface StatementBuilder {
  values: string[];
  aliases: number;
  /** Reused placeholders, by SQL type and value. */
  placeholders: Map<string, string>;
}

export function createStatementBuilder(): StatementBuilder {
  return { values: [], aliases: 0, placeholders: new Map() };
}

/** Binds a value and returns its placeholder: `$3`. */
export function bindValue(builder: StatementBuilder, value: string): string {
  if (builder.values.length >= restLimits.maxValues) throw createTooComplexError();
  builder.values.push(value);
  return `$${builder.values.length}`;
}

/**
 * Binds a value, with one placeholder for equal values: PostgreSQL only treats two expressions as
 * equal, for instance in GROUP BY and ORDER BY, when they have the same parameters.
 */
export function bindOnce(builder: StatementBuilder, value: string, type: 'int4' | 'text'): string {
  const key = `${type} ${value}`;
  const placeholder = builder.placeholders.get(key) ?? `${bindValue(builder, value)}::${type}`;
  builder.placeholders.set(key, placeholder);
  return placeholder;
}

/** Creates a table alias that is unique in the statement. */
export function createAlias(builder: StatementBuilder): string {
  if (builder.aliases > restLimits.maxSubqueries) throw createTooComplexError();
  return quoteName(`t${builder.aliases++}`);
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
