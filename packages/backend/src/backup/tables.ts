import type { Sql } from 'postgres';

/** A table whose rows are kept, with the columns that are written (not those computed of others). */
export interface TableForm {
  schema: string;
  name: string;
  columns: string[];
}

export interface SequencePlace {
  schema: string;
  name: string;
  /** The last number that it gave, as text: it may be larger than a JavaScript number. */
  last: string;
}

/**
 * Their tables are made anew, and their rows with them: by migrations, by bootstrap, or by whoever
 * is connected at the moment.
 */
const leftOut = ['information_schema', 'extensions', 'supabase_migrations', 'vitrine_backend'];
const passing = ['realtime', '_realtime'];

/** Every table with rows of ours, in a fixed order. Tables of extensions are not among them. */
export async function listTables(sql: Pick<Sql, 'unsafe'>): Promise<TableForm[]> {
  const rows = await sql.unsafe<TableForm[]>(
    `select n.nspname as schema, c.relname as name,
       array(select a.attname::text from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
         order by a.attnum) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and c.relpersistence = 'p' and n.nspname !~ '^pg_'
       and n.nspname <> all($1::text[])
       and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
     order by 1, 2`,
    [[...leftOut, ...passing]],
  );
  return [...rows];
}

export async function listSequences(sql: Pick<Sql, 'unsafe'>): Promise<SequencePlace[]> {
  const rows = await sql.unsafe<SequencePlace[]>(
    `select schemaname as schema, sequencename as name, last_value::text as last
     from pg_sequences where last_value is not null and schemaname <> all($1::text[])
     order by 1, 2`,
    [[...leftOut, ...passing]],
  );
  return [...rows];
}

/** As it stands in a statement: `"public"."projects"`. */
export function quoteTable({ schema, name }: Pick<TableForm, 'schema' | 'name'>): string {
  return `${quoteName(schema)}.${quoteName(name)}`;
}

export function quoteColumns({ columns }: TableForm): string {
  return columns.map(quoteName).join(', ');
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
