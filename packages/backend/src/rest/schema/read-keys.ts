import type { KeyRow, RelationRow, ViewRow } from './catalog-rows.ts';
import { readViewColumns, resolveViews, type ColumnOrigin } from './view-columns.ts';

/**
 * A foreign key between two relations of a schema, each a table or a view that contains its
 * columns.
 */
export interface ForeignKey {
  name: string;
  from: string;
  to: string;
  toView: boolean;
  columns: string[];
  toColumns: string[];
  /** Whether a row of `to` has at most one row of `from`. */
  unique: boolean;
  /** Whether `from` may be a junction: a view may when its table is not exposed. */
  joins: boolean;
}

/** Foreign keys between a schema's relations, and primary keys by relation. */
export interface Keys {
  foreign: ForeignKey[];
  primary: Map<string, string[]>;
}

/** A relation that contains all columns of a key, and its names for them. */
interface KeyColumns {
  relation: RelationRow;
  columns: string[];
}

/**
 * Reads the keys of one schema's `relations`. A key between two tables also applies to the views
 * that contain its columns.
 */
export function resolveKeys(
  relations: readonly RelationRow[],
  rows: readonly KeyRow[],
  views: readonly ViewRow[],
): Keys {
  const origins = resolveViews(new Map(views.map(({ oid, rule }) => [oid, readViewColumns(rule)])));
  const find = (table: string, columns: readonly number[]) =>
    relations.flatMap((relation) => findKeyColumns(relation, origins, table, columns));
  const keys: Keys = { foreign: [], primary: new Map() };
  for (const { name, from, to, columns, to_columns: toColumns, unique } of rows) {
    const sources = find(from, columns);
    if (toColumns === null) {
      for (const { relation, columns: key } of sources) {
        if (!keys.primary.has(relation.name)) keys.primary.set(relation.name, key);
      }
      continue;
    }
    const isServed = sources.some(({ relation }) => relation.oid === from);
    for (const source of sources) {
      for (const target of find(to, toColumns)) {
        keys.foreign.push({
          name,
          from: source.relation.name,
          to: target.relation.name,
          toView: target.relation.oid !== to,
          columns: source.columns,
          toColumns: target.columns,
          unique,
          joins: source.relation.oid === from || !isServed,
        });
      }
    }
  }
  return keys;
}

function findKeyColumns(
  relation: RelationRow,
  origins: ReadonlyMap<string, readonly ColumnOrigin[]>,
  table: string,
  columns: readonly number[],
): KeyColumns[] {
  const numbers =
    relation.oid === table
      ? columns
      : columns.map(
          (column) =>
            origins
              .get(relation.oid)
              ?.find((origin) => origin.table === table && origin.column === column)?.position,
        );
  const names = numbers.map(
    (number) => relation.columns.find((column) => column.number === number)?.name,
  );
  const knownNames = names.filter((name) => name !== undefined);
  return knownNames.length === columns.length ? [{ relation, columns: knownNames }] : [];
}
