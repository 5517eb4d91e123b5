import { rowName, type Source } from './filter-sql.ts';
import type { Preferences } from './preferences.ts';
import { printRows } from './print-sql.ts';
import type { EmbedPlan, ReadPlan } from './read-plan.ts';
import { nameColumns, writeRows } from './read-sql.ts';
import type { AnswerForm } from './answer-form.ts';
import type { RequestQuery } from './request-query.ts';
import { syntaxError } from './rest-error.ts';
import { quoteName, type Relation } from './schema.ts';
import type { Draft, Statement } from './statement.ts';

/** What a write is made of. */
export interface Write {
  draft: Draft;
  relation: Relation;
  query: RequestQuery;
  /** Which rows are changed, and what is read back of them. */
  plan: ReadPlan;
  preferences: Preferences;
  form: AnswerForm;
}

/**
 * A change, with the written rows read back as the caller asked for them. Without
 * `return=representation` nothing is, so that a person who may write and not read can write.
 */
export function represent(
  write: Write,
  source: Source,
  change: string,
  keysOnly = false,
): Statement {
  const { draft, query, preferences, relation, form } = write;
  const { values } = draft;
  if (query.node.limit !== undefined || query.node.offset !== undefined) {
    throw syntaxError('limit and offset only apply to reads');
  }
  if (preferences.return === 'representation') {
    return { text: representRows(write, source, change), values };
  }
  if (!keysOnly || relation.primaryKey.length === 0) return { text: change, values };
  const keys = relation.primaryKey.map((name) => `${source.alias}.${quoteName(name)}`);
  return { text: readBack(change, keys, 'select * from source', form), values };
}

function readBack(
  change: string,
  returned: readonly string[],
  rows: string,
  form: AnswerForm,
): string {
  const list = returned.join(', ') || '1';
  return `with source as (${change} returning ${list}) select ${printRows(rows, form)}`;
}

function representRows(write: Write, source: Source, change: string): string {
  const { draft, plan, form } = write;
  const shown: ReadPlan = { ...nameColumns(plan), filters: [] };
  const { alias, relation } = source;
  const returned = neededColumns(shown).map((name) => `${alias}.${quoteName(name)}`);
  if (plan.needsRow) returned.push(`${alias} as ${rowName}`);
  const written: Source = { relation, alias, row: `${alias}.${rowName}` };
  const { rows } = writeRows(draft, shown, written, `source as ${alias}`);
  return readBack(change, returned, rows, form);
}

/** The columns that the answer, its order and its embedded relations need of a written row. */
function neededColumns({ fields, inner, order }: ReadPlan): string[] {
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
