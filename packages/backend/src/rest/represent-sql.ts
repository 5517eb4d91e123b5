import type { Source } from './filter-sql.ts';
import type { Preferences } from './preferences.ts';
import { printRows, writeRows, type Reading } from './read-sql.ts';
import { getRelationship } from './relationships.ts';
import type { RequestQuery } from './request-query.ts';
import { syntaxError } from './rest-error.ts';
import { quoteName, type Column, type Relation } from './schema.ts';
import type { ReadNode, SelectItem } from './select-grammar.ts';
import type { Statement } from './statement.ts';

/** What a write is made of. */
export interface Write {
  reading: Reading;
  relation: Relation;
  query: RequestQuery;
  preferences: Preferences;
  stripNulls: boolean;
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
  const { reading, query, preferences, relation } = write;
  const { values } = reading.draft;
  refuseReadOnlyParts(query.node);
  if (preferences.return === 'representation') {
    return { text: representRows(write, source, change), values };
  }
  if (!keysOnly || relation.primaryKey.length === 0) return { text: change, values };
  const keys = relation.primaryKey.map((name) => `${source.alias}.${quoteName(name)}`);
  return { text: readBack(change, keys, 'select * from source', false), values };
}

function refuseReadOnlyParts(node: ReadNode): void {
  if (node.limit !== undefined || node.offset !== undefined) {
    throw syntaxError('limit and offset only apply to reads');
  }
  if (node.items.some((item) => item.kind === 'embed' && item.inner)) {
    throw syntaxError('!inner only applies to reads', 'the written rows are returned, all of them');
  }
}

function readBack(
  change: string,
  returned: readonly string[],
  rows: string,
  stripNulls: boolean,
): string {
  const list = returned.join(', ') || '1';
  return `with source as (${change} returning ${list}) select ${printRows(rows, stripNulls)}`;
}

function representRows(write: Write, source: Source, change: string): string {
  const { reading, query, stripNulls } = write;
  const node = {
    ...query.node,
    filters: [],
    items: nameColumns(source.relation, query.node.items),
  };
  const needed = neededColumns(source.relation, node);
  const returned = needed.map(({ name, functionSql }) =>
    functionSql
      ? `${functionSql}(${source.alias}.*) as ${quoteName(name)}`
      : `${source.alias}.${quoteName(name)}`,
  );
  const from = `source as ${source.alias}`;
  const relation = { ...source.relation, columns: plainColumns(needed), computed: new Map() };
  const { rows } = writeRows(reading, node, { relation, alias: source.alias }, from);
  return readBack(change, returned, rows, stripNulls);
}

/** `*` as the table's own columns: what is read back may have more, for order and embedding. */
function nameColumns(relation: Relation, items: readonly SelectItem[]): SelectItem[] {
  return items.flatMap((item): SelectItem[] => {
    if (item.kind !== 'all') return [item];
    return [...relation.columns.keys()].map((name) => ({
      kind: 'column',
      name,
      path: { column: name, steps: [] },
    }));
  });
}

/** The columns that the answer, its order and its embedded relations need of a written row. */
function neededColumns(relation: Relation, node: ReadNode): Column[] {
  const names = [
    ...node.items.flatMap((item) => namesNeeded(relation, item)),
    ...node.order.flatMap((term) => (term.relation === undefined ? [term.path.column] : [])),
  ];
  return [...new Set(names)].flatMap((name) => {
    // An unknown one is refused where it is used.
    return relation.columns.get(name) ?? relation.computed.get(name) ?? [];
  });
}

function namesNeeded(relation: Relation, item: SelectItem): string[] {
  if (item.kind === 'column') return [item.path.column];
  if (item.kind !== 'embed') return [];
  return getRelationship(relation, item.target, item.hint).pairs.map(([here]) => here);
}

/** Computed columns have been computed when the row was read back. */
function plainColumns(columns: readonly Column[]): Map<string, Column> {
  return new Map(columns.map(({ name, type, kind }) => [name, { name, type, kind }]));
}
