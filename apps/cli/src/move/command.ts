/*
 * `npm run move -- export FOLDER` exports an instance for a hosted project; `npm run move -- upload
 * FOLDER` uploads its files. See docs/operations.md for all steps.
 */
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Log } from '@vitrine/backend';
import { openPostgres, parseDatabaseUrl, type DatabaseAddress } from '@vitrine/backend/postgres';
import { formatCount } from '../format-count.ts';
import { exportData } from './export-data.ts';
import { uploadObjects } from './upload-objects.ts';

const root = resolve(import.meta.dirname, '../../../..');
const dataDir = resolve(process.env['DATA_DIR'] ?? join(root, 'data'));
const log: Log = { info: print, warn: printError, error: printError };
const [command, folder] = process.argv.slice(2);

if (folder === undefined) failWithUsage();
else if (command === 'export') await exportTo(folder);
else if (command === 'upload') await uploadFrom(folder);
else failWithUsage();

async function exportTo(to: string): Promise<void> {
  const storageDir = join(dataDir, 'storage');
  await withDatabase(async (database) => {
    const { rows, objects } = await exportData({ database, storageDir }, to);
    print(`Exported ${formatCount(rows, 'row')} and ${formatCount(objects, 'file')} to ${to}.`);
  });
}

async function uploadFrom(from: string): Promise<void> {
  const { SUPABASE_URL: url, SUPABASE_SECRET_KEY: secretKey } = process.env;
  if (!url || !secretKey) return failWithMessage('Set SUPABASE_URL and SUPABASE_SECRET_KEY.');
  await writeFile(join(from, 'owners.sql'), await uploadObjects(from, { url, secretKey }));
  print(`Uploaded. Next, run: psql "$HOSTED_URL" -f ${join(from, 'owners.sql')}`);
}

async function withDatabase(work: (database: DatabaseAddress) => Promise<void>): Promise<void> {
  const url = process.env['DATABASE_URL'];
  if (url !== undefined) return await work(parseDatabaseUrl(url));
  const server = await openPostgres({ dataDir, log });
  try {
    await work(server.database);
  } finally {
    await server.close();
  }
}

function failWithUsage(): void {
  failWithMessage('Usage: npm run move -- export|upload FOLDER');
}

function failWithMessage(line: string): void {
  printError(line);
  process.exitCode = 2;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function printError(line: string): void {
  process.stderr.write(`${line}\n`);
}
