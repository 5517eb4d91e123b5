import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { restoreMarkerName, type Log } from '@vitrine/backend';
import {
  applyMigrations,
  bootstrapDatabase,
  connectDatabase,
  startPostgres,
  type DatabaseAddress,
} from '@vitrine/backend/postgres';
import postgres, { type Sql, type TransactionSql } from 'postgres';
import { CommandError } from '../terminal.ts';
import { readBackupManifest, type BackupManifest } from './manifest.ts';
import { restoreFiles } from './storage-snapshot.ts';
import { quoteColumns, quoteTable } from './tables.ts';

interface RestoreTarget {
  dataDir: string;
  /** Undefined restores into the embedded PostgreSQL, with its cluster in `dataDir`. */
  database: DatabaseAddress | undefined;
  migrationsDir: string;
}

/**
 * Restores the backup in `directory` into an empty data directory and a database without accounts.
 * Vitrine does not start with the directory until the restore is complete. Throws a CommandError.
 */
export async function restoreBackup(
  directory: string,
  target: RestoreTarget,
  log: Log,
): Promise<BackupManifest> {
  const manifest = await readBackupManifest(resolve(directory));
  await verifyChecksums(directory, manifest);
  const { dataDir } = target;
  assertUnusedDataDir(dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  await writeFile(join(dataDir, restoreMarkerName), `${manifest.madeAt}\n`, { flush: true });
  await restoreFiles(join(directory, 'files'), join(dataDir, 'storage'));
  await withDatabase(target, log, (database) =>
    restoreDatabase(directory, manifest, database, target.migrationsDir),
  );
  await copyFile(join(directory, 'secrets.json'), join(dataDir, 'secrets.json'));
  await rm(join(dataDir, restoreMarkerName));
  return manifest;
}

function assertUnusedDataDir(dataDir: string): void {
  const usedName = ['secrets.json', 'postgres', 'storage', restoreMarkerName].find((name) =>
    existsSync(join(dataDir, name)),
  );
  if (usedName === undefined) return;
  throw new CommandError(
    `${dataDir} isn’t empty: it contains ${usedName}. Move it, or set DATA_DIR to a new folder.`,
  );
}

async function verifyChecksums(directory: string, { tables }: BackupManifest): Promise<void> {
  for (const { file, sha256 } of tables) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(directory, file)), hash);
    if (hash.digest('hex') !== sha256) {
      throw new CommandError(`${join(directory, file)} is corrupted. Use another backup.`);
    }
  }
}

async function withDatabase(
  { database, dataDir }: RestoreTarget,
  log: Log,
  work: (database: DatabaseAddress) => Promise<void>,
): Promise<void> {
  if (database) return await work(database);
  const server = await startPostgres({ dataDir, log });
  try {
    await work(server.database);
  } finally {
    await server.close();
  }
}

async function restoreDatabase(
  directory: string,
  manifest: BackupManifest,
  database: DatabaseAddress,
  migrationsDir: string,
): Promise<void> {
  const sql = connectDatabase(database, {
    max: 2,
    connection: { DateStyle: 'ISO, YMD', TimeZone: 'UTC', statement_timeout: 0 },
  });
  try {
    await assertNoAccounts(sql);
    await bootstrapDatabase(sql, await readDatabasePassword(directory));
    await applyMigrations(sql, migrationsDir, { until: manifest.migrations.at(-1) ?? '' });
    await sql.begin((tx) => loadRows(tx, directory, manifest));
  } finally {
    await sql.end();
  }
}

async function assertNoAccounts(sql: Sql): Promise<void> {
  const [found] = await sql`select to_regclass('auth.users') is not null as there`;
  if (!found?.['there']) return;
  const [user] = await sql`select from auth.users limit 1`;
  if (!user) return;
  throw new CommandError('The database in DATABASE_URL already has accounts. Use an empty one.');
}

async function readDatabasePassword(directory: string): Promise<string> {
  const secrets: unknown = JSON.parse(await readFile(join(directory, 'secrets.json'), 'utf8'));
  const password: unknown = Reflect.get(Object(secrets), 'databasePassword');
  if (typeof password === 'string') return password;
  throw new CommandError(`${join(directory, 'secrets.json')} is corrupted. Use another backup.`);
}

/** Loads the rows in the transaction `tx`, replacing rows that migrations inserted. */
async function loadRows(
  tx: TransactionSql,
  directory: string,
  manifest: BackupManifest,
): Promise<void> {
  const { tables, sequences } = manifest;
  await disableTriggers(tx);
  await assertTablesExist(tx, manifest);
  if (tables.length > 0) await tx.unsafe(`truncate ${tables.map(quoteTable).join(', ')}`);
  for (const table of tables) {
    const copy = `copy ${quoteTable(table)} (${quoteColumns(table)}) from stdin`;
    await pipeline(createReadStream(join(directory, table.file)), await tx.unsafe(copy).writable());
  }
  for (const sequence of sequences) {
    await tx.unsafe('select setval($1::text::regclass, $2::bigint)', [
      quoteTable(sequence),
      sequence.last,
    ]);
  }
}

/** Disables triggers, so that restored rows do not change counts, timestamps or send anything. */
async function disableTriggers(tx: TransactionSql): Promise<void> {
  try {
    await tx`set local session_replication_role = replica`;
  } catch (error) {
    if (!(error instanceof postgres.PostgresError) || error.code !== '42501') throw error;
    throw new CommandError(
      'The user in DATABASE_URL can’t disable triggers. As a superuser, run: grant set on parameter session_replication_role to USER',
      { cause: error },
    );
  }
}

async function assertTablesExist(tx: TransactionSql, { tables }: BackupManifest): Promise<void> {
  const names = tables.map(quoteTable);
  const [missing] = await tx<{ name: string }[]>`
    select name from unnest(${names}::text[]) name where to_regclass(name) is null limit 1`;
  if (!missing) return;
  throw new CommandError(
    `The backup has rows for ${missing.name}, but no migration in this version of Vitrine creates it. Add that migration to supabase/migrations.`,
  );
}
