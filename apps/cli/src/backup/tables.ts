import type { Sql } from 'postgres';

/** A table in a backup, with its columns except generated ones. */
export interface TableColumns {
  schema: string;
  name: string;
  columns: string[];
}

export interface SequenceValue {
  schema: string;
  name: string;
  /** The last value, as text: it may exceed Number.MAX_SAFE_INTEGER. */
  last: string;
}

/**
 * Schemas that are not backed up: recreated by migrations or bootstrap, or holding only the state
 * of current connections.
 */
const recreatedSchemas = [
  'information_schema',
  'extensions',
  'supabase_migrations',
  'vitrine_backend',
];
const transientSchemas = ['realtime', '_realtime'];

/** Lists the tables to back up, in a fixed order. Tables of extensions are excluded. */
export async function listTables(sql: Pick<Sql, 'unsafe'>): Promise<TableColumns[]> {
  const rows = await sql.unsafe<TableColumns[]>(
    `select n.nspname as schema, c.relname as name,
       array(select a.attname::text from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
         order by a.attnum) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and c.relpersistence = 'p' and n.nspname !~ '^pg_'
       and n.nspname <> all($1::text[])
       and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
     order by 1, 2`,
    [[...recreatedSchemas, ...transientSchemas]],
  );
  return [...rows];
}

export async function listSequences(sql: Pick<Sql, 'unsafe'>): Promise<SequenceValue[]> {
  const rows = await sql.unsafe<SequenceValue[]>(
    `select schemaname as schema, sequencename as name, last_value::text as last
     from pg_sequences where last_value is not null and schemaname <> all($1::text[])
     order by 1, 2`,
    [[...recreatedSchemas, ...transientSchemas]],
  );
  return [...rows];
}

/** Quotes the name for a statement: `"public"."projects"`. */
export function quoteTable({ schema, name }: Pick<TableColumns, 'schema' | 'name'>): string {
  return `${quoteName(schema)}.${quoteName(name)}`;
}

export function quoteColumns({ columns }: TableColumns): string {
  return columns.map(quoteName).join(', ');
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
