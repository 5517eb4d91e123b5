import type { Sql, TransactionSql } from 'postgres';
import { connectDatabase, type DatabaseAddress } from '../postgres/index.ts';
import type { Caller } from '../rest/index.ts';
import { storageLimits } from './limits.ts';

export interface StorageDatabase {
  /**
   * Runs `work` in a transaction with the caller's role and claims, so that the policies on
   * `storage` apply. `operation` is the value of `storage.operation()` for policies.
   */
  run<T>(caller: Caller, operation: string, work: (tx: TransactionSql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Caller for queries that do not depend on the caller: whether a bucket is public, which file a row
 * has.
 */
export const serviceCaller: Caller = { role: 'service_role', claims: { role: 'service_role' } };

/**
 * Opens the connection pool. Its default is a read-only anon: a statement outside of a transaction
 * of `run` has no other rights.
 */
export function openStorageDatabase(address: DatabaseAddress): StorageDatabase {
  const sql: Sql = connectDatabase(address, {
    max: storageLimits.connections,
    backoff: () => 0.2,
    connect_timeout: 3,
    idle_timeout: 60,
    connection: { role: 'anon', default_transaction_read_only: true, TimeZone: 'UTC' },
  });
  return {
    async run(caller, operation, work) {
      const done = await sql.begin('read write', async (tx) => {
        await tx`select set_config('search_path', 'storage, public, extensions', true),
          set_config('storage.operation', ${operation}, true),
          set_config('storage.allow_delete_query', 'true', true),
          set_config('request.method', '', true), set_config('request.path', '', true)`;
        await switchToCaller(tx, caller);
        // Wrapped in an object: the driver would await an array of promises one by one.
        return { result: await work(tx) };
      });
      return done.result;
    },
    close: () => sql.end({ timeout: 5 }),
  };
}

/** Switches to the caller's role and claims for the rest of the transaction. */
export async function switchToCaller(tx: TransactionSql, { role, claims }: Caller): Promise<void> {
  const timeout = String(storageLimits.statementTimeoutMs[role]);
  await tx`select set_config('role', ${role}, true),
    set_config('request.jwt.claims', ${JSON.stringify(claims)}, true),
    set_config('statement_timeout', ${timeout}, true)`;
}
