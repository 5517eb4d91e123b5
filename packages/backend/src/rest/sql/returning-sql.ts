import { wholeRowName, type SqlSource } from './filter-sql.ts';
import type { RequestPreferences } from '../request/preferences.ts';
import { compileRowsAsText } from './rows-as-text-sql.ts';
import type { EmbedPlan, ReadPlan } from '../plan/read-plan.ts';
import { expandColumns, compileSelect } from './read-sql.ts';
import { listFormat, type ResponseFormat } from '../response-format.ts';
import type { RequestQuery } from '../request/request-query.ts';
import { createSyntaxError } from '../rest-error.ts';
import { quoteName, type Relation } from '../schema/schema.ts';
import type { StatementBuilder, BoundStatement } from './statement.ts';

/** What the SQL of a write is compiled from, besides the body. */
export interface WriteContext {
  builder: StatementBuilder;
  relation: Relation;
  query: RequestQuery;
  /** Which rows are changed, and what is returned of them. */
  plan: ReadPlan;
  preferences: RequestPreferences;
  format: ResponseFormat;
}

/** Custom PostgreSQL setting that holds the number of rows that an upsert has updated. */
export const updatedCountSetting = 'vitrine.updated';

/**
 * Column with the number of updated rows. PostgreSQL evaluates it after the aggregates of the same
 * SELECT have read all written rows.
 */
const updatedCountColumn = `, coalesce(nullif(current_setting('${updatedCountSetting}', true), ''), '0')::int4 as updated`;

/**
 * Wraps a write so that it returns the requested data. Without `return=representation` no column is
 * read except for a requested primary key, so that a write permission suffices.
 */
export function compileReturning(
  write: WriteContext,
  source: SqlSource,
  writeSql: string,
  extras: { primaryKey: boolean; updatedCount: boolean } = {
    primaryKey: false,
    updatedCount: false,
  },
): BoundStatement {
  const { builder, query, preferences, relation } = write;
  const { values } = builder;
  const extraColumns = extras.updatedCount ? updatedCountColumn : '';
  if (query.root.limit !== undefined || query.root.offset !== undefined) {
    throw createSyntaxError('limit and offset only apply to reads');
  }
  if (preferences.return === 'representation') {
    return { text: compileReturnedRows(write, source, writeSql, extraColumns), values };
  }
  const keyColumns = extras.primaryKey
    ? relation.primaryKey.map((name) => `${source.alias}.${quoteName(name)}`)
    : [];
  if (keyColumns.length === 0 && !extras.updatedCount) return { text: writeSql, values };
  const rowsSql = 'select * from source';
  return { text: wrapInCte(writeSql, keyColumns, rowsSql, listFormat, extraColumns), values };
}

/** Puts a write and its RETURNING columns in the CTE `source`, from which `rowsSql` selects. */
function wrapInCte(
  writeSql: string,
  returned: readonly string[],
  rowsSql: string,
  format: ResponseFormat,
  extraColumns: string,
): string {
  const list = returned.join(', ') || '1';
  return `with source as (${writeSql} returning ${list}) select ${compileRowsAsText(rowsSql, format, extraColumns)}`;
}

function compileReturnedRows(
  write: WriteContext,
  source: SqlSource,
  writeSql: string,
  extraColumns: string,
): string {
  const { builder, plan, format } = write;
  const readPlan: ReadPlan = { ...expandColumns(plan), filters: [] };
  const { alias, relation } = source;
  const returned = listNeededColumns(readPlan).map((name) => `${alias}.${quoteName(name)}`);
  if (plan.needsRow) returned.push(`${alias} as ${wholeRowName}`);
  const writtenSource: SqlSource = { relation, alias, row: `${alias}.${wholeRowName}` };
  const { rows } = compileSelect(builder, readPlan, writtenSource, `source as ${alias}`);
  return wrapInCte(writeSql, returned, rows, format, extraColumns);
}

/** Columns of a written row that the response, its order and its embedded relations need. */
function listNeededColumns({ fields, innerEmbeds, order }: ReadPlan): string[] {
  const values = [
    ...fields.flatMap((field) => (field.kind === 'value' ? [field.value] : [])),
    ...order.flatMap(({ value, embed }) => (embed ? [] : [value])),
  ];
  const embeds: EmbedPlan[] = [
    ...fields.flatMap((field) => ('embed' in field ? [field.embed] : [])),
    ...order.flatMap(({ embed }) => embed ?? []),
    ...innerEmbeds,
  ];
  return [
    ...new Set([
      ...values.flatMap(({ column }) => (column.functionSql ? [] : [column.name])),
      ...embeds.flatMap(({ relationship }) => relationship.pairs.map(([ownColumn]) => ownColumn)),
    ]),
  ];
}
