import { createWriteStream, existsSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DatabaseAddress } from '@vitrine/backend/postgres';
import type { TransactionSql } from 'postgres';
import { withDatabaseSnapshot } from '../backup/create-backup.ts';
import { listTables, quoteColumns, quoteTable, type TableColumns } from '../backup/tables.ts';
import { CommandError } from '../terminal.ts';

/** A storage object in the export; its contents are in `files/NUMBER`. */
export interface ExportedObject {
  file: string;
  bucket: string;
  name: string;
  type: string | null;
  cacheControl: string | null;
  metadata: Record<string, unknown> | null;
  owner: string | null;
}

/**
 * Exports a consistent snapshot for a hosted project into the new directory `directory`:
 *
 *   data.sql       accounts with passwords and identities, buckets, and all rows of the app
 *   objects.json   the storage objects for `upload-objects.ts`, with their contents in files/
 *
 * Sessions are left out, as the hosted project signs its own tokens. So are MFA factors, whose
 * secrets are encrypted with a key of this instance.
 */
export async function exportData(
  { database, storageDir }: { database: DatabaseAddress; storageDir: string },
  directory: string,
): Promise<{ rows: number; objects: number }> {
  const folder = resolve(directory);
  if (existsSync(folder)) {
    throw new CommandError(`${folder} already exists. Choose a new folder for the export.`);
  }
  await mkdir(join(folder, 'files'), { recursive: true, mode: 0o700 });
  return await withDatabaseSnapshot(database, async (tx) => {
    let rows = 0;
    const count = (more: number) => void (rows += more);
    const file = createWriteStream(join(folder, 'data.sql'), { mode: 0o600, flush: true });
    await pipeline(Readable.from(generateSql(tx, count)), file);
    return { rows, objects: await exportObjects(tx, storageDir, folder) };
  });
}

/** The only tables of `auth` and `storage` to export: the hosted project manages the others. */
const exportedServiceTables = new Set(['auth.users', 'auth.identities', 'storage.buckets']);

function isExported({ schema, name }: TableColumns): boolean {
  return !['auth', 'storage'].includes(schema) || exportedServiceTables.has(`${schema}.${name}`);
}

async function* generateSql(
  tx: TransactionSql,
  count: (rows: number) => void,
): AsyncIterable<string> {
  yield '-- For an empty project with all migrations applied: psql "$DATABASE_URL" -f data.sql\n';
  yield `begin;\nset local session_replication_role = replica;\n${assertNoAccountsSql}${allowDeleteSql}`;
  for (const table of (await listTables(tx)).filter(isExported)) {
    if (table.schema !== 'auth') yield `delete from ${quoteTable(table)};\n`;
    const rows = tx.unsafe<{ row: string }[]>(
      `select row_to_json(t)::text as row from (select ${quoteColumns(table)} from ${quoteTable(table)}) t`,
    );
    for await (const some of rows.cursor(200)) {
      count(some.length);
      yield createInsertSql(table, `[${some.map(({ row }) => row).join(',\n')}]`);
    }
  }
  yield replaceNullTextsSql;
  yield await createSequenceSql(tx);
  yield 'commit;\n';
}

/** Rejects a project with accounts: the import replaces the rows of tables. */
const assertNoAccountsSql = `do $$ begin
  if exists (select from auth.users) then raise exception 'This project already has accounts.'; end if;
end $$;
`;

/** Allows deletes from `storage`, which are otherwise limited to the Storage API. */
const allowDeleteSql = `set local storage.allow_delete_query = 'true';\n`;

/** Inserts rows from JSON, which PostgreSQL converts to the column types of the target table. */
function createInsertSql(table: TableColumns, json: string): string {
  let quote = '$rows$';
  for (let number = 1; json.includes(quote); number += 1) quote = `$rows${number}$`;
  const name = quoteTable(table);
  const columns = quoteColumns(table);
  return `insert into ${name} (${columns}) overriding system value
  select ${columns} from json_populate_recordset(null::${name}, ${quote}${json}${quote});\n`;
}

/** Columns that GoTrue cannot read as null. */
const replaceNullTextsSql = `do $$
declare missing text;
begin
  for missing in
    select column_name from information_schema.columns
    where table_schema = 'auth' and table_name = 'users' and column_name in (
      'confirmation_token', 'recovery_token', 'email_change', 'email_change_token_new',
      'email_change_token_current', 'phone_change', 'phone_change_token', 'reauthentication_token')
  loop
    execute format('update auth.users set %1$I = '''' where %1$I is null', missing);
  end loop;
end $$;
`;

async function createSequenceSql(tx: TransactionSql): Promise<string> {
  const rows = await tx<{ statement: string }[]>`
    select format('select setval(%L::regclass, %s);', format('%I.%I', schemaname, sequencename), last_value)
      as statement
    from pg_sequences where schemaname = 'public' and last_value is not null order by 1`;
  return rows.map(({ statement }) => `${statement}\n`).join('');
}

async function exportObjects(
  tx: TransactionSql,
  storageDir: string,
  folder: string,
): Promise<number> {
  const found = await tx<(ExportedObject & { version: string })[]>`
    select version, bucket_id as bucket, name, metadata ->> 'mimetype' as type,
      metadata ->> 'cacheControl' as "cacheControl", user_metadata as metadata, owner_id as owner
    from storage.objects where version is not null order by bucket_id, name`;
  const objects: ExportedObject[] = [];
  for (const { version, ...object } of found) {
    const file = `files/${objects.length + 1}`;
    const from = join(storageDir, 'whole', version.slice(0, 2), version);
    if (!existsSync(from)) continue;
    await copyFile(from, join(folder, file));
    objects.push({ ...object, file });
  }
  await writeFile(join(folder, 'objects.json'), `${JSON.stringify(objects, null, 2)}\n`);
  return objects.length;
}
