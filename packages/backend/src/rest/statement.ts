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
}

export function openDraft(): Draft {
  return { values: [], aliases: 0 };
}

/** Adds a value, gives its place: `$3`. */
export function bind(draft: Draft, value: string): string {
  draft.values.push(value);
  return `$${draft.values.length}`;
}

/** A table alias that nothing else in the statement has. */
export function newAlias(draft: Draft): string {
  return quoteName(`t${draft.aliases++}`);
}

/** `['a', 'b"c']` → `{"a","b\"c"}`, PostgreSQL's text form of an array. */
export function arrayText(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
