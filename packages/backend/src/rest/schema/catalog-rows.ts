import type { TransactionSql } from 'postgres';

export interface RelationRow {
  oid: string;
  schema: string;
  name: string;
  view: boolean;
  row_type: string;
  columns: ColumnRow[];
}

export interface ColumnRow {
  number: number;
  name: string;
  type: string;
  base: string;
  default_sql: string | null;
}

/** A foreign key, or a primary key, which has no target. Columns are numbers. */
export interface KeyRow {
  name: string;
  from: string;
  to: string;
  columns: number[];
  to_columns: number[] | null;
  /** Whether a row of `to` has at most one row of `from`. */
  unique: boolean;
}

export interface FunctionRow {
  schema: string;
  name: string;
  arg_names: string[] | null;
  arg_modes: string[] | null;
  arg_types: { oid: string; name: string }[];
  input_count: number;
  default_count: number;
  variadic: boolean;
  returns_set: boolean;
  /** Estimated number of rows (the function's ROWS). */
  row_count: number;
  volatility: string;
  return_type: { oid: string; name: string; base: string; relation: string; pseudo: boolean };
}

export interface ViewRow {
  oid: string;
  rule: string;
}

const isUserSchema = `n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`;

const relationsSql = `
select c.oid::text, n.nspname as schema, c.relname as name, c.relkind in ('v', 'm') as view,
  c.reltype::text as row_type,
  (
    select coalesce(json_agg(json_build_object(
      'number', a.attnum, 'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
      'base', coalesce(b.typname, t.typname),
      'default_sql', case
        when a.attidentity = 'd' then (
          select 'nextval(' || quote_literal(q.objid::regclass::text) || ')' from pg_depend q
          where q.refclassid = 'pg_class'::regclass and q.refobjid = c.oid and q.refobjsubid = a.attnum
            and q.classid = 'pg_class'::regclass and q.deptype = 'i'
        )
        when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid)
      end
    ) order by a.attnum), '[]')
    from pg_attribute a join pg_type t on t.oid = a.atttypid
    left join pg_type b on b.oid = t.typbasetype
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  ) as columns
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = any($1) and c.relkind in ('r', 'v', 'm', 'f', 'p') and not c.relispartition`;

/** From all schemas: an exposed view may contain the keys of a table that is not exposed. */
const keysSql = `
select k.conname as name, k.conrelid::text as from, k.confrelid::text as to,
  to_json(k.conkey) as columns, to_json(k.confkey) as to_columns,
  exists (
    select from pg_index i where i.indrelid = k.conrelid and i.indisunique and i.indisvalid
      and i.indpred is null and i.indexprs is null
      and (i.indkey::int2[])[0:i.indnkeyatts - 1] <@ k.conkey
  ) as unique
from pg_constraint k join pg_class f on f.oid = k.conrelid
join pg_namespace n on n.oid = f.relnamespace
where k.contype in ('f', 'p') and k.conparentid = 0 and ${isUserSchema}
order by f.relname, k.conname`;

const viewsSql = `
select c.oid::text, r.ev_action::text as rule
from pg_rewrite r join pg_class c on c.oid = r.ev_class join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('v', 'm') and r.rulename = '_RETURN' and ${isUserSchema}
  and not exists (
    select from pg_depend e where e.classid = 'pg_class'::regclass and e.objid = c.oid and e.deptype = 'e'
  )`;

const functionsSql = `
select n.nspname as schema, p.proname as name, p.proargnames as arg_names,
  p.proargmodes::text[] as arg_modes,
  (
    select coalesce(json_agg(json_build_object('oid', x.type::text, 'name', format_type(x.type, null)) order by x.position), '[]')
    from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality x(type, position)
  ) as arg_types,
  p.pronargs as input_count, p.pronargdefaults as default_count, p.provariadic <> 0 as variadic,
  p.proretset as returns_set, p.prorows as row_count, p.provolatile::text as volatility,
  json_build_object('oid', t.oid::text, 'name', format_type(t.oid, null), 'base', t.typname,
    'relation', t.typrelid::text, 'pseudo', t.typtype = 'p') as return_type
from pg_proc p join pg_namespace n on n.oid = p.pronamespace
join pg_type t on t.oid = p.prorettype
where n.nspname = any($1) and p.prokind = 'f'
  and t.typname not in ('trigger', 'event_trigger', 'internal', 'language_handler')
  and not exists (
    select from pg_depend e where e.classid = 'pg_proc'::regclass and e.objid = p.oid and e.deptype = 'e'
  )
order by p.proname, p.oid`;

export interface CatalogRows {
  relations: RelationRow[];
  keys: KeyRow[];
  views: ViewRow[];
  functions: FunctionRow[];
}

/** Reads the system catalogs for the named schemas. PostgreSQL lets any role read them. */
export async function readCatalogRows(
  tx: TransactionSql,
  schemas: readonly string[],
): Promise<CatalogRows> {
  // Without a search path, format_type and pg_get_expr qualify every schema except pg_catalog.
  await tx`select set_config('search_path', '', true)`;
  const [relations, keys, views, functions] = await Promise.all([
    tx.unsafe<RelationRow[]>(relationsSql, [[...schemas]]),
    tx.unsafe<KeyRow[]>(keysSql),
    tx.unsafe<ViewRow[]>(viewsSql),
    tx.unsafe<FunctionRow[]>(functionsSql, [[...schemas]]),
  ]);
  return { relations, keys, views, functions };
}
