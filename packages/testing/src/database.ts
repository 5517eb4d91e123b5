import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Sql } from 'postgres';
import type { Log } from '@vitrine/backend';
import { connectDatabase, parseDatabaseUrl } from '@vitrine/backend/postgres';
import type { DatabaseAddress } from '@vitrine/backend/postgres';

export const migrationsDir = fileURLToPath(
  new URL('../../../supabase/migrations', import.meta.url),
);

/** Password of the roles authenticator and supabase_auth_admin in all test databases. */
export const rolePassword = 'password-of-the-roles-in-test-databases';

export const silentLog: Log = { info() {}, warn() {}, error() {} };

export interface TestDatabase {
  /** Connection as the owner, the role postgres: for bootstrap, migrations and inspection. */
  readonly address: DatabaseAddress;
  readonly sql: Sql;
  /** Connection to the same database with a role of requests. */
  addressAs(role: 'authenticator' | 'supabase_auth_admin'): DatabaseAddress;
  close(): Promise<void>;
}

/** Name of the template with only roles and schemas. */
export function bareTemplateOf(template: string): string {
  return `${template}_bare`;
}

/**
 * Opens a fresh database for a test file: with the product's migrations, or bare like a new hosted
 * project for tests with their own tables. Close it in `afterAll`.
 */
export async function openTestDatabase({ migrated = true } = {}): Promise<TestDatabase> {
  const url = process.env['TEST_DATABASE_URL'];
  if (!url) throw new Error('TEST_DATABASE_URL is not set: is cluster.ts the global set-up?');
  const template = parseDatabaseUrl(url);
  const name = `test_${randomBytes(6).toString('hex')}`;
  const source = migrated ? template.database : bareTemplateOf(template.database);
  await administer(template, (sql) => sql`create database ${sql(name)} template ${sql(source)}`);
  const address = { ...template, database: name };
  const sql = connectDatabase(address, { max: 4 });
  return {
    address,
    sql,
    addressAs: (user) => ({ ...address, user, password: rolePassword }),
    async close() {
      await sql.end({ timeout: 5 });
      await administer(template, (admin) => admin`drop database ${admin(name)} with (force)`);
    },
  };
}

/**
 * Runs a statement on another database, as a template must have no connections while it is copied.
 */
async function administer(template: DatabaseAddress, run: (sql: Sql) => Promise<unknown>) {
  const sql = connectDatabase({ ...template, database: 'postgres' }, { max: 1 });
  try {
    // Concurrent copies of the template would fail.
    await sql`select pg_advisory_lock(hashtext('vitrine test databases'))`;
    await run(sql);
  } finally {
    await sql.end();
  }
}
