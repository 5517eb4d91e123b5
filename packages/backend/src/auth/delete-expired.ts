import type { Sql } from 'postgres';

/**
 * Deletes expired rows: one-time links and codes after a day; accounts not confirmed within a week,
 * with their usernames; used refresh tokens after 30 days (until then, reuse ends their session);
 * sessions older than the longest cookie lifetime (400 days).
 */
export async function deleteExpiredRows(sql: Sql): Promise<void> {
  await sql`delete from auth.flow_state where created_at < now() - interval '1 day'`;
  await sql`
    delete from auth.users
    where email_confirmed_at is null and phone_confirmed_at is null and last_sign_in_at is null
      and not is_anonymous and created_at < now() - interval '7 days'`;
  await sql`
    delete from auth.refresh_tokens where revoked and updated_at < now() - interval '30 days'`;
  await sql`delete from auth.sessions where updated_at < now() - interval '400 days'`;
}
