import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Sql } from 'postgres';
import type { Log } from '../src/log.ts';
import { connectDatabase, parseDatabaseUrl } from '../src/postgres/index.ts';
import type { DatabaseAddress } from '../src/postgres/index.ts';

export const migrationsDir = fileURLToPath(
  new URL('../../../supabase/migrations', import.meta.url),
);

/** The password of the roles authenticator and supabase_auth_admin in every test database. */
export const rolePassword = 'password-of-the-roles-in-test-databases';

export const silentLog: Log = { info() {}, warn() {}, error() {} };

export interface TestDatabase {
  /** As the owner, role postgres: for bootstrap, migrations and looking on in tests. */
  readonly address: DatabaseAddress;
  readonly sql: Sql;
  /** The same database as a role that requests come with. */
  addressAs(role: 'authenticator' | 'supabase_auth_admin'): DatabaseAddress;
  close(): Promise<void>;
}

/** The name of the database with roles and schemas alone, beside the migrated one. */
export function bareTemplateOf(template: string): string {
  return `${template}_bare`;
}

/**
 * A fresh database of this test file's own, with the product's migrations or, for tests with tables
 * of their own, as a new hosted project is. Close it in `afterAll`.
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

/** Runs one statement beside the template, which must have no connection while it is copied. */
async function administer(template: DatabaseAddress, run: (sql: Sql) => Promise<unknown>) {
  const sql = connectDatabase({ ...template, database: 'postgres' }, { max: 1 });
  try {
    // Two files copying the template at once would refuse each other.
    await sql`select pg_advisory_lock(hashtext('vitrine test databases'))`;
    await run(sql);
  } finally {
    await sql.end();
  }
}
