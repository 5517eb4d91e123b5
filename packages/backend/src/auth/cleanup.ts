import type { Sql } from 'postgres';

/**
 * Removes what has run out: links and codes after a day; used refresh tokens after a month (until
 * then a copy of one ends its session); sessions no browser can still have (cookies live 400 days).
 */
export async function removeExpired(sql: Sql): Promise<void> {
  await sql`delete from auth.flow_state where created_at < now() - interval '1 day'`;
  await sql`
    delete from auth.refresh_tokens where revoked and updated_at < now() - interval '30 days'`;
  await sql`delete from auth.sessions where updated_at < now() - interval '400 days'`;
}
