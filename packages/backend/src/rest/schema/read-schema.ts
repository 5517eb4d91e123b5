import type { Sql } from 'postgres';
import {
  readCatalogRows,
  type CatalogRows,
  type ColumnRow,
  type FunctionRow,
  type RelationRow,
} from './catalog-rows.ts';
import { describeFunction, formatFunctionName } from './describe-function.ts';
import { resolveKeys } from './read-keys.ts';
import { findRelationships } from './relationships.ts';
import {
  kindOf,
  quoteName,
  type Catalog,
  type Column,
  type Relation,
  type Relationship,
  type RestSettings,
  type Schema,
} from './schema.ts';
import { readRestSettings } from '../settings.ts';

/** Reads the settings, and the catalog of the schemas in them or in `schemas`. */
export async function readCatalog(sql: Sql, schemas: readonly string[]): Promise<Catalog> {
  return await sql.begin('isolation level repeatable read read only', async (tx) => {
    const settings = await readRestSettings(tx, schemas);
    const rows = await readCatalogRows(tx, settings.schemas);
    return {
      settings,
      schemas: new Map(settings.schemas.map((name) => [name, buildSchema(name, rows, settings)])),
    };
  });
}

function buildSchema(name: string, rows: CatalogRows, settings: RestSettings): Schema {
  const relationRows = rows.relations.filter(({ schema }) => schema === name);
  const keys = resolveKeys(relationRows, rows.keys, rows.views);
  const links = findRelationships(keys);
  const relations = new Map<string, Relation>();
  const byOid = new Map<string, Relation>();
  for (const row of relationRows) {
    const relation: Relation = {
      name: row.name,
      schema: name,
      sql: `${quoteName(row.schema)}.${quoteName(row.name)}`,
      columns: new Map(row.columns.map((column) => [column.name, describeColumn(column)])),
      primaryKey: keys.primary.get(row.name) ?? [],
      computed: findComputedColumns(row, rows.functions),
      relationships: [
        ...findComputedRelationships(row, relationRows, rows.functions),
        ...(links.get(row.name) ?? []),
      ],
    };
    relations.set(row.name, relation);
    byOid.set(row.oid, relation);
  }
  const ownFunctions = rows.functions.filter(({ schema }) => schema === name);
  const functions = Map.groupBy(
    ownFunctions.map((row) => describeFunction(row, byOid)),
    (described) => described.name,
  );
  const searchPath = [...new Set([name, ...settings.extraSearchPath])].map(quoteName).join(', ');
  return { name, relations, functions, settings, searchPath };
}

function describeColumn(row: ColumnRow): Column {
  const column: Column = { name: row.name, type: row.type, kind: kindOf(row.base) };
  if (row.default_sql !== null) column.defaultSql = row.default_sql;
  return column;
}

function isRowFunction(relation: RelationRow, row: FunctionRow): boolean {
  return row.input_count === 1 && row.arg_types[0]?.oid === relation.row_type;
}

function findComputedColumns(
  relation: RelationRow,
  rows: readonly FunctionRow[],
): Map<string, Column> {
  const found = rows.filter(
    (row) =>
      isRowFunction(relation, row) &&
      !row.returns_set &&
      !row.return_type.pseudo &&
      row.return_type.relation === '0',
  );
  return new Map(
    found.map((row) => {
      const { name, base } = row.return_type;
      return [
        row.name,
        { name: row.name, type: name, kind: kindOf(base), functionSql: formatFunctionName(row) },
      ];
    }),
  );
}

/**
 * Functions from a row of one relation to rows of another; to-one when they return at most one row.
 */
function findComputedRelationships(
  relation: RelationRow,
  relations: readonly RelationRow[],
  rows: readonly FunctionRow[],
): Relationship[] {
  return rows.flatMap((row) => {
    const target = relations.find(({ row_type }) => row_type === row.return_type.oid);
    if (!target || !isRowFunction(relation, row)) return [];
    return {
      constraints: [],
      to: target.name,
      toView: target.view,
      toOne: !row.returns_set || row.row_count === 1,
      ownsKey: false,
      pairs: [],
      computed: { name: row.name, sql: formatFunctionName(row) },
    };
  });
}
