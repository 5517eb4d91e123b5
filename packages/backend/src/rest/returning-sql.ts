import { wholeRowName, type SqlSource } from './filter-sql.ts';
import type { RequestPreferences } from './preferences.ts';
import { compileRowsAsText } from './rows-as-text-sql.ts';
import type { EmbedPlan, ReadPlan } from './read-plan.ts';
import { expandColumns, compileSelect } from './read-sql.ts';
import { listFormat, type ResponseFormat } from './response-format.ts';
import type { RequestQuery } from './request-query.ts';
import { createSyntaxError } from './rest-error.ts';
import { quoteName, type Relation } from './schema.ts';
import type { StatementDraft, BoundStatement } from './statement.ts';

/** Input of a write. */
export interface WriteInput {
  draft: StatementDraft;
  relation: Relation;
  query: RequestQuery;
  /** Which rows are changed, and what is returned of them. */
  plan: ReadPlan;
  preferences: RequestPreferences;
  form: ResponseFormat;
}

/** Setting in which an upsert counts the updated rows. */
export const updatedSetting = 'vitrine.updated';

/** Evaluated after all rows were written. */
const updated = `, coalesce(nullif(current_setting('${updatedSetting}', true), ''), '0')::int4 as updated`;

/**
 * Wraps a change so that it returns the requested data. Without `return=representation` nothing is
 * read, so that a write permission suffices.
 */
export function compileReturning(
  write: WriteInput,
  source: SqlSource,
  change: string,
  requested: { keys: boolean; updated: boolean } = { keys: false, updated: false },
): BoundStatement {
  const { draft, query, preferences, relation } = write;
  const { values } = draft;
  const more = requested.updated ? updated : '';
  if (query.node.limit !== undefined || query.node.offset !== undefined) {
    throw createSyntaxError('limit and offset only apply to reads');
  }
  if (preferences.return === 'representation') {
    return { text: compileReturnedRows(write, source, change, more), values };
  }
  const keys = requested.keys
    ? relation.primaryKey.map((name) => `${source.alias}.${quoteName(name)}`)
    : [];
  if (keys.length === 0 && !requested.updated) return { text: change, values };
  return { text: compileReadBack(change, keys, 'select * from source', listFormat, more), values };
}

function compileReadBack(
  change: string,
  returned: readonly string[],
  rows: string,
  form: ResponseFormat,
  more: string,
): string {
  const list = returned.join(', ') || '1';
  return `with source as (${change} returning ${list}) select ${compileRowsAsText(rows, form, more)}`;
}

function compileReturnedRows(
  write: WriteInput,
  source: SqlSource,
  change: string,
  more: string,
): string {
  const { draft, plan, form } = write;
  const shown: ReadPlan = { ...expandColumns(plan), filters: [] };
  const { alias, relation } = source;
  const returned = listNeededColumns(shown).map((name) => `${alias}.${quoteName(name)}`);
  if (plan.needsRow) returned.push(`${alias} as ${wholeRowName}`);
  const written: SqlSource = { relation, alias, row: `${alias}.${wholeRowName}` };
  const { rows } = compileSelect(draft, shown, written, `source as ${alias}`);
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
