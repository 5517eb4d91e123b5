import type { Sql } from 'postgres';
import { linkRelations, type ForeignKey } from './relationships.ts';
import {
  quoteName,
  type Column,
  type DatabaseFunction,
  type Relation,
  type Schema,
} from './schema.ts';

interface RelationRow {
  oid: string;
  schema: string;
  name: string;
  row_type: string;
  primary_key: string[];
  columns: ColumnRow[];
}

interface ColumnRow {
  name: string;
  type: string;
  base: string;
  default_sql: string | null;
}

interface FunctionRow {
  schema: string;
  name: string;
  arg_names: string[] | null;
  arg_modes: string[] | null;
  arg_types: { oid: string; name: string }[];
  input_count: number;
  default_count: number;
  variadic: boolean;
  returns_set: boolean;
  volatility: string;
  return_type: { oid: string; name: string; base: string; relation: string; pseudo: boolean };
}

/** Reads the catalogue of the named schemas. Any role may: the catalogue is no secret in PostgreSQL. */
export async function readSchema(sql: Sql, schemas: readonly string[]): Promise<Schema> {
  const names = [...schemas];
  return await sql.begin('isolation level repeatable read read only', async (tx) => {
    // Without a search path, format_type and pg_get_expr name every schema but pg_catalog.
    await tx`select set_config('search_path', '', true)`;
    const [relationRows, keyRows, functionRows] = await Promise.all([
      tx<RelationRow[]>`
        select c.oid::text, n.nspname as schema, c.relname as name, c.reltype::text as row_type,
          array(
            select a.attname::text from pg_index i
            cross join unnest(i.indkey::int2[]) with ordinality k(number, position)
            join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
            where i.indrelid = c.oid and i.indisprimary order by k.position
          ) as primary_key,
          (
            select coalesce(json_agg(json_build_object(
              'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
              'base', coalesce(b.typname, t.typname),
              'default_sql', case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end
            ) order by a.attnum), '[]')
            from pg_attribute a join pg_type t on t.oid = a.atttypid
            left join pg_type b on b.oid = t.typbasetype
            left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
            where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          ) as columns
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = any(${names}) and c.relkind in ('r', 'v', 'm', 'f', 'p')
          and not c.relispartition`,
      tx<ForeignKey[]>`
        select k.conname as name, f.relname as from, t.relname as to,
          array(
            select a.attname::text from unnest(k.conkey) with ordinality x(number, position)
            join pg_attribute a on a.attrelid = k.conrelid and a.attnum = x.number order by x.position
          ) as columns,
          array(
            select a.attname::text from unnest(k.confkey) with ordinality x(number, position)
            join pg_attribute a on a.attrelid = k.confrelid and a.attnum = x.number order by x.position
          ) as "toColumns",
          exists (
            select from pg_index i where i.indrelid = k.conrelid and i.indisunique and i.indisvalid
              and i.indpred is null and i.indexprs is null
              and (i.indkey::int2[])[0:i.indnkeyatts - 1] <@ k.conkey
          ) as unique
        from pg_constraint k
        join pg_class f on f.oid = k.conrelid join pg_namespace fn on fn.oid = f.relnamespace
        join pg_class t on t.oid = k.confrelid join pg_namespace tn on tn.oid = t.relnamespace
        where k.contype = 'f' and k.conparentid = 0
          and fn.nspname = any(${names}) and tn.nspname = any(${names})
        order by f.relname, k.conname`,
      tx<FunctionRow[]>`
        select n.nspname as schema, p.proname as name, p.proargnames as arg_names,
          p.proargmodes::text[] as arg_modes,
          (
            select coalesce(json_agg(json_build_object('oid', x.type::text, 'name', format_type(x.type, null)) order by x.position), '[]')
            from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality x(type, position)
          ) as arg_types,
          p.pronargs as input_count, p.pronargdefaults as default_count, p.provariadic <> 0 as variadic,
          p.proretset as returns_set, p.provolatile::text as volatility,
          json_build_object('oid', t.oid::text, 'name', format_type(t.oid, null), 'base', t.typname,
            'relation', t.typrelid::text, 'pseudo', t.typtype = 'p') as return_type
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        join pg_type t on t.oid = p.prorettype
        where n.nspname = any(${names}) and p.prokind = 'f'
          and t.typname not in ('trigger', 'event_trigger', 'internal', 'language_handler')
          and not exists (
            select from pg_depend e where e.classid = 'pg_proc'::regclass and e.objid = p.oid and e.deptype = 'e'
          )
        order by p.proname, p.oid`,
    ]);
    return buildSchema(relationRows, keyRows, functionRows);
  });
}

function buildSchema(
  relationRows: readonly RelationRow[],
  keys: readonly ForeignKey[],
  functionRows: readonly FunctionRow[],
): Schema {
  const links = linkRelations(
    keys,
    new Map(relationRows.map((row) => [row.name, row.primary_key])),
  );
  const relations = new Map<string, Relation>();
  const byOid = new Map<string, Relation>();
  for (const row of relationRows) {
    const relation: Relation = {
      name: row.name,
      sql: `${quoteName(row.schema)}.${quoteName(row.name)}`,
      columns: columnsOf(row.columns),
      primaryKey: row.primary_key,
      computed: findComputed(row, functionRows),
      relationships: links.get(row.name) ?? [],
    };
    relations.set(row.name, relation);
    byOid.set(row.oid, relation);
  }
  const functions = Map.groupBy(
    functionRows.map((row) => describeFunction(row, byOid)),
    ({ name }) => name,
  );
  return { relations, functions };
}

function columnsOf(rows: readonly ColumnRow[]): Map<string, Column> {
  return new Map(rows.map((row) => [row.name, describeColumn(row)]));
}

function describeColumn(row: ColumnRow): Column {
  const column: Column = { name: row.name, type: row.type, kind: kindOf(row.base) };
  if (row.default_sql !== null) column.defaultSql = row.default_sql;
  return column;
}

function kindOf(base: string): Column['kind'] {
  return base === 'json' || base === 'jsonb' ? 'json' : base === 'tsvector' ? 'tsvector' : 'other';
}

function functionSql(row: FunctionRow): string {
  return `${quoteName(row.schema)}.${quoteName(row.name)}`;
}

function findComputed(relation: RelationRow, rows: readonly FunctionRow[]): Map<string, Column> {
  const found = rows.filter(
    (row) =>
      row.input_count === 1 &&
      row.arg_types[0]?.oid === relation.row_type &&
      !row.returns_set &&
      !row.return_type.pseudo &&
      row.return_type.relation === '0',
  );
  return new Map(
    found.map((row) => {
      const { name, base } = row.return_type;
      return [
        row.name,
        { name: row.name, type: name, kind: kindOf(base), functionSql: functionSql(row) },
      ];
    }),
  );
}

function describeFunction(
  row: FunctionRow,
  relationsByOid: ReadonlyMap<string, Relation>,
): DatabaseFunction {
  const isInput = (index: number) => ['i', 'b', 'v'].includes(row.arg_modes?.[index] ?? 'i');
  const inputs = row.arg_types
    .map(({ name: type }, index) => ({ name: row.arg_names?.[index] ?? '', type, index }))
    .filter(({ index }) => isInput(index));
  const described: DatabaseFunction = {
    name: row.name,
    sql: functionSql(row),
    arguments: inputs.map(({ name, type }, position) => ({
      name,
      type,
      required: position < row.input_count - row.default_count,
      variadic: row.variadic && position === row.input_count - 1,
    })),
    result: resultOf(row),
    returnsSet: row.returns_set,
    writes: row.volatility === 'v',
  };
  const rows = relationsByOid.get(row.return_type.relation) ?? outputColumns(row);
  if (described.result === 'row' && rows) described.rows = rows;
  return described;
}

function outputNumbers(row: FunctionRow): number[] {
  return row.arg_types
    .map((_, index) => index)
    .filter((index) => ['o', 'b', 't'].includes(row.arg_modes?.[index] ?? 'i'));
}

/** A function with one OUT argument returns its value; with more it returns a row. */
function resultOf(row: FunctionRow): DatabaseFunction['result'] {
  if (row.return_type.base === 'void') return 'void';
  if (row.return_type.base === 'record' && row.return_type.pseudo) return 'row';
  if (row.arg_modes?.includes('t')) return 'row';
  return row.return_type.relation === '0' ? 'value' : 'row';
}

/** The columns of `returns table (…)` or of several OUT arguments. */
function outputColumns(row: FunctionRow): Relation | undefined {
  const numbers = outputNumbers(row);
  if (numbers.length === 0) return undefined;
  const columns = numbers.map((index): Column => {
    const type = row.arg_types[index]?.name ?? 'text';
    return { name: row.arg_names?.[index] ?? '', type, kind: kindOf(type) };
  });
  return {
    name: row.name,
    sql: functionSql(row),
    columns: new Map(columns.map((column) => [column.name, column])),
    primaryKey: [],
    computed: new Map(),
    relationships: [],
  };
}
