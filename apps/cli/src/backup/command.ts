/*
 * `npm run backup -- FOLDER` and `npm run restore -- FOLDER`, for the instance of DATA_DIR and
 * DATABASE_URL. A backup can be made while Vitrine runs.
 */
import { join, resolve } from 'node:path';
import { loadSecrets, type Log } from '@vitrine/backend';
import { openPostgres, parseDatabaseUrl, type DatabaseAddress } from '@vitrine/backend/postgres';
import { formatCount } from '../format-count.ts';
import { createBackup } from './create-backup.ts';
import type { BackupManifest } from './manifest.ts';
import { restoreBackup } from './restore-backup.ts';

const root = resolve(import.meta.dirname, '../../../..');
const dataDir = resolve(process.env['DATA_DIR'] ?? join(root, 'data'));
const url = process.env['DATABASE_URL'];
const log: Log = { info: print, warn: printError, error: printError };
const [command, folder] = process.argv.slice(2);

try {
  if (folder === undefined) failWithUsage();
  else if (command === 'backup') printSummary('Backed up', await backUp(folder));
  else if (command === 'restore') printSummary('Restored', await restore(folder));
  else failWithUsage();
} catch (error) {
  if (!(error instanceof Error) || !('sentence' in error)) throw error;
  printError(error.message);
  process.exitCode = 1;
}

async function backUp(to: string): Promise<BackupManifest> {
  return await withDatabase(async (database) =>
    createBackup(
      { database, storageDir: join(dataDir, 'storage'), secrets: await loadSecrets(dataDir) },
      to,
      log,
    ),
  );
}

async function restore(from: string): Promise<BackupManifest> {
  const database = url === undefined ? undefined : parseDatabaseUrl(url);
  const migrationsDir = join(root, 'supabase/migrations');
  return await restoreBackup(from, { dataDir, database, migrationsDir }, log);
}

async function withDatabase<T>(work: (database: DatabaseAddress) => Promise<T>): Promise<T> {
  if (url !== undefined) return await work(parseDatabaseUrl(url));
  const server = await openPostgres({ dataDir, log });
  try {
    return await work(server.database);
  } finally {
    await server.close();
  }
}

function printSummary(done: string, { tables, files }: BackupManifest): void {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const tableCount = formatCount(tables.length, 'table');
  const fileCount = formatCount(files.count, 'file');
  print(`${done} ${formatCount(rows, 'row')} in ${tableCount} and ${fileCount}.`);
}

function failWithUsage(): void {
  printError('Usage: npm run backup -- FOLDER, or npm run restore -- FOLDER');
  process.exitCode = 2;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function printError(line: string): void {
  process.stderr.write(`${line}\n`);
}
