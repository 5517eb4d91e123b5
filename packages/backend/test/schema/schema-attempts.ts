import postgres from 'postgres';
import type { Sql, TransactionSql } from 'postgres';
import { vi } from 'vitest';

/** Thrown to roll back a transaction. */
class RollBack extends Error {}

/** Runs `work` in a transaction that is rolled back, and returns its result. */
export async function rollBackAfter<T>(
  sql: Sql,
  work: (tx: TransactionSql) => Promise<T>,
): Promise<T> {
  let result: { value: T } | undefined;
  try {
    await sql.begin(async (tx) => {
      result = { value: await work(tx) };
      throw new RollBack();
    });
  } catch (error) {
    if (!(error instanceof RollBack)) throw error;
  }
  if (result === undefined) throw new Error('the work ended without a result');
  return result.value;
}

/** Whether the database denied a permission, rather than failing otherwise. */
export function isPermissionError(error: unknown): boolean {
  return (
    error instanceof postgres.PostgresError && ['42501', 'PT403', 'PT404'].includes(error.code)
  );
}

/**
 * Returns the catalog's code of a rejected call, in a savepoint that is rolled back. Throws when it
 * was not rejected.
 */
export async function getRejectionCode(
  tx: TransactionSql,
  work: (attempt: TransactionSql) => PromiseLike<unknown>,
): Promise<string> {
  try {
    await tx.savepoint(async (attempt) => {
      await work(attempt);
    });
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error;
    return error.constraint_name ?? error.message;
  }
  throw new Error('it was not refused');
}

/** All rows of `public` as checksums, to check that nothing changed. */
export async function readEverything(sql: Sql): Promise<string> {
  const tables = await sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public' order by 1`;
  const texts: string[] = [];
  for (const { name } of tables) {
    const rows = await sql<{ text: string }[]>`
      select left(t::text, 500) || ' ' || md5(t::text) as text from ${sql(`public.${name}`)} t
      order by 1`;
    texts.push(`${name}\n${rows.map((row) => row.text).join('\n')}`);
  }
  return texts.join('\n\n');
}

/** Waits until this many sessions of the database wait for a lock. */
export async function waitForLockWaiters(sql: Sql, sessions: number): Promise<void> {
  await vi.waitUntil(
    async () => {
      const rows = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      return rows.length === sessions;
    },
    { timeout: 5_000, interval: 10 },
  );
}
