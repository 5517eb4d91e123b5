/** The instance that the commands work on, from the environment variables of the server. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Log } from '@vitrine/backend';
import { openPostgres, parseDatabaseUrl, type DatabaseAddress } from '@vitrine/backend/postgres';
import { CommandError, printError, printLine } from './terminal.ts';

export const root = resolve(import.meta.dirname, '../../..');
export const dataDir = resolve(process.env['DATA_DIR'] ?? join(root, 'data'));
export const migrationsDir = join(root, 'supabase/migrations');
export const log: Log = { info: printLine, warn: printError, error: printError };

/** Runs `work` on the database in DATABASE_URL, or on the embedded one. */
export async function withDatabase<T>(work: (database: DatabaseAddress) => Promise<T>): Promise<T> {
  const external = findExternalDatabase();
  if (external) return await work(external);
  assertInstance();
  const server = await openPostgres({ dataDir, log });
  try {
    return await work(server.database);
  } finally {
    await server.close();
  }
}

/** Parses DATABASE_URL. Undefined means the embedded PostgreSQL. */
export function findExternalDatabase(): DatabaseAddress | undefined {
  const url = process.env['DATABASE_URL'];
  return url ? parseDatabaseUrl(url) : undefined;
}

/** Throws if DATA_DIR isn't an instance. Opening its secrets or database would create one there. */
export function assertInstance(): void {
  if (existsSync(join(dataDir, 'secrets.json'))) return;
  throw new CommandError(`${dataDir} has no secrets.json. Start Vitrine once to create it.`);
}
