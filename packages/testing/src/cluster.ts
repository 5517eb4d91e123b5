import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import {
  applyMigrations,
  bootstrapDatabase,
  connectDatabase,
  formatDatabaseUrl,
  parseDatabaseUrl,
  startPostgres,
} from '@vitrine/backend/postgres';
import type { DatabaseAddress } from '@vitrine/backend/postgres';
import { bareTemplateOf, migrationsDir, rolePassword, silentLog } from './database.ts';

/**
 * Vitest's global setup: one cluster per run, in its own directory, with two template databases
 * that test files copy, without and with our migrations. With DATABASE_URL set, that cluster is
 * used instead (its roles get the tests' password: do not use one in production).
 */
export default async function setUp(): Promise<() => Promise<void>> {
  const cluster = await openCluster();
  const template = `template_${randomBytes(6).toString('hex')}`;
  const bare = bareTemplateOf(template);
  const owner = connectDatabase(cluster.database, { max: 1 });
  const fill = async (name: string, run: (sql: Sql) => Promise<unknown>) => {
    const sql = connectDatabase({ ...cluster.database, database: name }, { max: 2 });
    await run(sql);
    await sql.end();
  };
  await owner`create database ${owner(bare)}`;
  await fill(bare, (sql) => bootstrapDatabase(sql, rolePassword));
  await owner`create database ${owner(template)} template ${owner(bare)}`;
  await fill(template, (sql) => applyMigrations(sql, migrationsDir));
  process.env['TEST_DATABASE_URL'] = formatDatabaseUrl({
    ...cluster.database,
    database: template,
  });
  return async () => {
    for (const name of [template, bare]) await owner`drop database ${owner(name)} with (force)`;
    await owner.end();
    await cluster.close();
  };
}

/** Starts a cluster in a temporary directory, or uses DATABASE_URL. */
export async function openCluster(): Promise<{
  database: DatabaseAddress;
  close(): Promise<void>;
}> {
  const url = process.env['DATABASE_URL'];
  if (url) return { database: parseDatabaseUrl(url), close: async () => {} };
  const dataDir = mkdtempSync(join(tmpdir(), 'vitrine-test-'));
  // Root's cluster runs as the user postgres, which must be able to traverse the directory.
  chmodSync(dataDir, 0o711);
  const postgres = await startPostgres({ dataDir, log: silentLog });
  return {
    database: postgres.database,
    async close() {
      await postgres.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
