import { createHash } from 'node:crypto';
import postgres from 'postgres';
import type { Sql } from 'postgres';
import { authTablesSql } from './auth-tables.ts';
import { StartupError } from '../startup-error.ts';
import { realtimeAccessSql } from './realtime-access.ts';
import { publicationTriggersSql, realtimeTablesSql } from './realtime-tables.ts';
import { authFunctionsSql, rolesSql } from './roles.ts';
import { storageTablesSql } from './storage-tables.ts';

/** The user of DATABASE_URL lacks the privileges to set up the database. */
export class DatabasePrivilegeError extends StartupError {
  constructor(cause: postgres.PostgresError) {
    const message = `The user in DATABASE_URL can’t set up the database (${cause.message}). It must own the database and have CREATEROLE and BYPASSRLS. Before PostgreSQL 16, a superuser must also create the role service_role (see docs/operations.md).`;
    super(message, { cause });
    this.name = 'DatabasePrivilegeError';
  }
}

const sqlTexts = [
  rolesSql,
  authTablesSql,
  authFunctionsSql,
  storageTablesSql,
  realtimeTablesSql,
  realtimeAccessSql,
  publicationTriggersSql,
];

/**
 * Creates roles, schemas and the tables of `auth`, `storage` and `realtime`. `sql` is a connection
 * of the database owner. The three login roles of the backend get `rolePassword`. When the same SQL
 * and password were applied before, it costs one query. Safe to run concurrently. Throws a
 * DatabasePrivilegeError.
 */
export async function bootstrapDatabase(sql: Sql, rolePassword: string): Promise<void> {
  const digest = createHash('sha256')
    .update([...sqlTexts, rolePassword].join('\0'))
    .digest('hex');
  if (await isBootstrapped(sql, digest)) return;
  try {
    await applyBootstrap(sql, digest, rolePassword);
  } catch (error) {
    const isRefused = error instanceof postgres.PostgresError && error.code === '42501';
    throw isRefused ? new DatabasePrivilegeError(error) : error;
  }
}

async function applyBootstrap(sql: Sql, digest: string, rolePassword: string): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtext('vitrine bootstrap'))`;
    await tx.unsafe(rolesSql);
    await tx.unsafe(createPasswordSql(rolePassword));
    await tx`set local role supabase_auth_admin`;
    await tx.unsafe(authTablesSql);
    await tx.unsafe(authFunctionsSql);
    await tx.unsafe(createAuthGrants(await findOwner(tx)));
    await tx`set local role supabase_storage_admin`;
    await tx.unsafe(storageTablesSql);
    await tx`set local role supabase_realtime_admin`;
    await tx.unsafe(realtimeTablesSql);
    await tx.unsafe(realtimeAccessSql);
    await tx`reset role`;
    await tx`revoke supabase_auth_admin from current_user`;
    await tx`create schema if not exists vitrine_backend`;
    await tx`create table if not exists vitrine_backend.bootstrap (digest text not null)`;
    await tx.unsafe(publicationTriggersSql);
    await tx`delete from vitrine_backend.bootstrap`;
    await tx`insert into vitrine_backend.bootstrap values (${digest})`;
  });
}

async function isBootstrapped(sql: Sql, digest: string): Promise<boolean> {
  const [table] = await sql<{ there: boolean }[]>`
    select to_regclass('vitrine_backend.bootstrap') is not null as there`;
  if (!table?.there) return false;
  const [row] = await sql`select from vitrine_backend.bootstrap where digest = ${digest}`;
  return row !== undefined;
}

async function findOwner(tx: Pick<Sql, 'unsafe'>): Promise<string> {
  const rows = await tx.unsafe<{ name: string }[]>('select quote_ident(session_user) as name');
  const [row] = rows;
  if (row === undefined) throw new Error('The database returned no session_user.');
  return row.name;
}

/**
 * Grants the privileges that `postgres` has in `auth` on a hosted project: all on rows, none on
 * tables.
 */
function createAuthGrants(owner: string): string {
  return `
    grant usage on schema auth to ${owner};
    grant all on all tables in schema auth to ${owner};
    grant all on all sequences in schema auth to ${owner};
    grant execute on all functions in schema auth to ${owner};
  `;
}

/** Passwords consist of base64url characters (see secrets.ts), which need no quoting. */
function createPasswordSql(password: string): string {
  if (!/^[\w-]{32,}$/.test(password))
    throw new Error('The database password has an unexpected format.');
  return `
    alter role authenticator password '${password}';
    alter role supabase_auth_admin password '${password}';
    alter role supabase_realtime_admin password '${password}';
  `;
}
