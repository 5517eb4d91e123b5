import type { Sql } from 'postgres';

/**
 * Removes what has run out: links and codes after a day; accounts that were not confirmed within a
 * week, with the names they hold; used refresh tokens after a month (until then a copy of one ends
 * its session); sessions no browser can still have (cookies live 400 days).
 */
export async function removeExpired(sql: Sql): Promise<void> {
  await sql`delete from auth.flow_state where created_at < now() - interval '1 day'`;
  await sql`
    delete from auth.users
    where email_confirmed_at is null and phone_confirmed_at is null and last_sign_in_at is null
      and not is_anonymous and created_at < now() - interval '7 days'`;
  await sql`
    delete from auth.refresh_tokens where revoked and updated_at < now() - interval '30 days'`;
  await sql`delete from auth.sessions where updated_at < now() - interval '400 days'`;
}
