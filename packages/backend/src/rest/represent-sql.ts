import { rowName, type Source } from './filter-sql.ts';
import type { Preferences } from './preferences.ts';
import { printRows } from './print-sql.ts';
import type { EmbedPlan, ReadPlan } from './read-plan.ts';
import { nameColumns, writeRows } from './read-sql.ts';
import { listForm, type AnswerForm } from './answer-form.ts';
import type { RequestQuery } from './request-query.ts';
import { syntaxError } from './rest-error.ts';
import { quoteName, type Relation } from './schema.ts';
import type { Draft, Statement } from './statement.ts';

/** Input of a write. */
export interface Write {
  draft: Draft;
  relation: Relation;
  query: RequestQuery;
  /** Which rows are changed, and what is returned of them. */
  plan: ReadPlan;
  preferences: Preferences;
  form: AnswerForm;
}

/** Setting in which an upsert counts the updated rows. */
export const updatedSetting = 'vitrine.updated';

/** Evaluated after all rows were written. */
const updated = `, coalesce(nullif(current_setting('${updatedSetting}', true), ''), '0')::int4 as updated`;

/**
 * Wraps a change so that it returns the requested data. Without `return=representation` nothing is
 * read, so that a write permission suffices.
 */
export function represent(
  write: Write,
  source: Source,
  change: string,
  requested: { keys: boolean; updated: boolean } = { keys: false, updated: false },
): Statement {
  const { draft, query, preferences, relation } = write;
  const { values } = draft;
  const more = requested.updated ? updated : '';
  if (query.node.limit !== undefined || query.node.offset !== undefined) {
    throw syntaxError('limit and offset only apply to reads');
  }
  if (preferences.return === 'representation') {
    return { text: compileReturnedRows(write, source, change, more), values };
  }
  const keys = requested.keys
    ? relation.primaryKey.map((name) => `${source.alias}.${quoteName(name)}`)
    : [];
  if (keys.length === 0 && !requested.updated) return { text: change, values };
  return { text: compileReadBack(change, keys, 'select * from source', listForm, more), values };
}

function compileReadBack(
  change: string,
  returned: readonly string[],
  rows: string,
  form: AnswerForm,
  more: string,
): string {
  const list = returned.join(', ') || '1';
  return `with source as (${change} returning ${list}) select ${printRows(rows, form, more)}`;
}

function compileReturnedRows(write: Write, source: Source, change: string, more: string): string {
  const { draft, plan, form } = write;
  const shown: ReadPlan = { ...nameColumns(plan), filters: [] };
  const { alias, relation } = source;
  const returned = listNeededColumns(shown).map((name) => `${alias}.${quoteName(name)}`);
  if (plan.needsRow) returned.push(`${alias} as ${rowName}`);
  const written: Source = { relation, alias, row: `${alias}.${rowName}` };
  const { rows } = writeRows(draft, shown, written, `source as ${alias}`);
  return compileReadBack(change, returned, rows, form, more);
}

/** Columns of a written row that the response, its order and its embedded relations need. */
function listNeededColumns({ fields, inner, order }: ReadPlan): string[] {
  const values = [
    ...fields.flatMap((field) => (field.kind === 'value' ? [field.value] : [])),
    ...order.flatMap(({ value, embed }) => (embed ? [] : [value])),
  ];
  const embeds: EmbedPlan[] = [
    ...fields.flatMap((field) => ('embed' in field ? [field.embed] : [])),
    ...order.flatMap(({ embed }) => embed ?? []),
    ...inner,
  ];
  return [
    ...new Set([
      ...values.flatMap(({ column }) => (column.functionSql ? [] : [column.name])),
      ...embeds.flatMap(({ link }) => link.pairs.map(([here]) => here)),
    ]),
  ];
}
