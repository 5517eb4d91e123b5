import { createHash } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Log, Secrets } from '@vitrine/backend';
import { connectDatabase, type DatabaseAddress } from '@vitrine/backend/postgres';
import type { TransactionSql } from 'postgres';
import { CommandError } from '../terminal.ts';
import type { BackupManifest, BackupTable } from './manifest.ts';
import { startStorageSnapshot } from './storage-snapshot.ts';
import {
  listSequences,
  listTables,
  quoteColumns,
  quoteTable,
  type TableColumns,
} from './tables.ts';

interface BackupSource {
  /** Connection as the database owner, the role that runs migrations. */
  database: DatabaseAddress;
  storageDir: string;
  secrets: Secrets;
}

/**
 * Creates a consistent backup of a running instance in the new directory `directory`. It is written
 * as `DIRECTORY.unfinished`, and renamed when it is complete. Throws a CommandError.
 */
export async function createBackup(
  source: BackupSource,
  directory: string,
  log: Log,
): Promise<BackupManifest> {
  const folder = resolve(directory);
  if (existsSync(folder)) {
    throw new CommandError(`${folder} already exists. Choose a new folder for the backup.`);
  }
  const temporaryFolder = `${folder}.unfinished`;
  await rm(temporaryFolder, { recursive: true, force: true });
  for (const part of ['rows', 'files']) {
    await mkdir(join(temporaryFolder, part), { recursive: true, mode: 0o700 });
  }
  const files = await startStorageSnapshot(source.storageDir, join(temporaryFolder, 'files'));
  const manifest = await withDatabaseSnapshot(source.database, async (tx) => ({
    ...(await backUpTables(tx, temporaryFolder)),
    files: await files.finish(await listStoredVersions(tx), log),
  }));
  await writeJson(join(temporaryFolder, 'secrets.json'), source.secrets);
  await writeJson(join(temporaryFolder, 'manifest.json'), manifest);
  await rename(temporaryFolder, folder);
  return manifest;
}

/** Runs `read` in one snapshot of the database. */
export async function withDatabaseSnapshot<T>(
  database: DatabaseAddress,
  read: (tx: TransactionSql) => Promise<T>,
): Promise<T> {
  const sql = connectDatabase(database, {
    max: 1,
    // Keeps the text format of values independent of settings of the server or the role.
    connection: {
      DateStyle: 'ISO, YMD',
      IntervalStyle: 'postgres',
      extra_float_digits: 3,
      TimeZone: 'UTC',
      statement_timeout: 0,
    },
  });
  const values: T[] = [];
  try {
    await sql.begin('isolation level repeatable read read only', async (tx) => {
      values.push(await read(tx));
    });
    return values[0] as T;
  } finally {
    await sql.end();
  }
}

async function backUpTables(
  tx: TransactionSql,
  folder: string,
): Promise<Omit<BackupManifest, 'files'>> {
  const tables: BackupTable[] = [];
  for (const table of await listTables(tx)) {
    const file = `rows/${tables.length + 1}.copy`;
    tables.push({ ...table, file, ...(await backUpTable(tx, table, join(folder, file))) });
  }
  const [server] = await tx<{ version: number }[]>`
    select current_setting('server_version_num')::int / 10000 as version`;
  const migrations = await tx<{ version: string }[]>`
    select version from supabase_migrations.schema_migrations order by version`;
  return {
    form: 1,
    madeAt: new Date().toISOString(),
    postgres: server?.version ?? 0,
    migrations: migrations.map(({ version }) => version),
    tables,
    sequences: await listSequences(tx),
  };
}

async function backUpTable(tx: TransactionSql, table: TableColumns, file: string) {
  const hash = createHash('sha256');
  let rows = 0;
  const countRows = new Transform({
    // COPY escapes line feeds within a row, so each one ends a row.
    transform(chunk: Buffer, _, done) {
      hash.update(chunk);
      for (const byte of chunk) if (byte === 10) rows += 1;
      done(null, chunk);
    },
  });
  const source: Readable = await tx
    .unsafe(`copy ${quoteTable(table)} (${quoteColumns(table)}) to stdout`)
    .readable();
  await pipeline(source, countRows, createWriteStream(file, { mode: 0o600, flush: true }));
  return { rows, sha256: hash.digest('hex') };
}

/** Lists the versions of the files of all storage objects. */
async function listStoredVersions(tx: TransactionSql): Promise<string[]> {
  const rows = await tx<{ version: string }[]>`
    select version from storage.objects where version is not null`;
  return rows.map(({ version }) => version);
}

async function writeJson(file: string, value: unknown): Promise<void> {
  await writeFile(file, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true });
}
