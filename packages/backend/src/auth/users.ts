import type { Sql } from 'postgres';
import { AuthError } from './auth-error.ts';
import type { Transaction } from './context.ts';
import type { UserData } from './input.ts';
import { mapDatabaseErrors } from './database-errors.ts';

export interface UserRow {
  id: string;
  email: string | null;
  encrypted_password: string | null;
  email_confirmed_at: Date | null;
  invited_at: Date | null;
  confirmation_sent_at: Date | null;
  recovery_sent_at: Date | null;
  reauthentication_sent_at: Date | null;
  email_change: string | null;
  email_change_sent_at: Date | null;
  /** Number of mailboxes (of two) that have confirmed an email change. */
  email_change_confirm_status: number;
  last_sign_in_at: Date | null;
  raw_app_meta_data: Record<string, unknown> | null;
  raw_user_meta_data: UserData | null;
  created_at: Date;
  updated_at: Date;
  banned_until: Date | null;
  deleted_at: Date | null;
  is_anonymous: boolean;
}

export const userColumns = `id, email, encrypted_password, email_confirmed_at, invited_at,
  confirmation_sent_at, recovery_sent_at, reauthentication_sent_at, email_change,
  email_change_sent_at, email_change_confirm_status, last_sign_in_at, raw_app_meta_data,
  raw_user_meta_data, created_at, updated_at, banned_until, deleted_at, is_anonymous`;

export async function findUserByEmail(sql: Sql | Transaction, email: string) {
  const [row] = await sql<UserRow[]>`
    select ${sql.unsafe(userColumns)} from auth.users
    where email = ${email} and not is_sso_user and deleted_at is null`;
  return row;
}

export async function findUser(sql: Sql | Transaction, id: string) {
  const [row] = await sql<UserRow[]>`
    select ${sql.unsafe(userColumns)} from auth.users where id = ${id} and deleted_at is null`;
  return row;
}

interface NewUser {
  id: string;
  email: string | null;
  passwordHash: string | null;
  data: UserData;
  app: Record<string, unknown>;
  isConfirmed: boolean;
  isAnonymous: boolean;
}

/** Inserts the account without an identity. Triggers on auth.users may reject it here. */
export async function insertUser(tx: Transaction, user: NewUser): Promise<void> {
  const confirmedAt = user.isConfirmed ? new Date() : null;
  await mapDatabaseErrors(async () => {
    await tx`
      insert into auth.users (instance_id, id, aud, role, email, encrypted_password,
        email_confirmed_at, raw_app_meta_data, raw_user_meta_data, is_anonymous, created_at,
        updated_at)
      values ('00000000-0000-0000-0000-000000000000', ${user.id}, 'authenticated', 'authenticated',
        ${user.email}, ${user.passwordHash}, ${confirmedAt}, ${tx.json(toJsonParameter(user.app))},
        ${tx.json(toJsonParameter(user.data))}, ${user.isAnonymous}, now(), now())`;
  });
}

/** Inserts an account that signs in by email, with its identity. */
export async function insertEmailUser(
  tx: Transaction,
  account: { email: string; passwordHash: string | null; data: UserData; isConfirmed: boolean },
): Promise<UserRow> {
  const id = crypto.randomUUID();
  const { email, isConfirmed } = account;
  const emailData = { sub: id, email, email_verified: isConfirmed, phone_verified: false };
  await insertUser(tx, {
    ...account,
    id,
    data: { ...account.data, ...emailData },
    app: emailAppMetadata,
    isAnonymous: false,
  });
  await insertIdentity(tx, { userId: id, provider: 'email', providerId: id, data: emailData });
  return requireUser(await findUser(tx, id));
}

/** The app_metadata of an account that signs in by email. */
export const emailAppMetadata = { provider: 'email', providers: ['email'] };

export async function insertIdentity(
  tx: Transaction,
  options: { userId: string; provider: string; providerId: string; data: UserData },
): Promise<void> {
  await tx`
    insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at,
      created_at, updated_at)
    values (${options.providerId}, ${options.userId}, ${tx.json(toJsonParameter(options.data))}, ${options.provider}, now(), now(),
      now())`;
}

/** Updates the list of providers in app_metadata; the first identity's stays the main provider. */
export async function updateProviderList(tx: Transaction, userId: string): Promise<void> {
  await tx`
    update auth.users set updated_at = now(), raw_app_meta_data =
      coalesce(raw_app_meta_data, '{}') || (
        select case when count(*) = 0 then '{}'::jsonb else jsonb_build_object(
          'provider', (array_agg(provider order by created_at))[1],
          'providers', to_jsonb(array_agg(distinct provider))
        ) end
        from auth.identities where user_id = ${userId}
      )
    where id = ${userId}`;
}

/** Whether the mailbox of the account's address was verified; see `mailbox-verification.ts`. */
export function isMailboxVerified({ email, raw_app_meta_data: app }: UserRow): boolean {
  return email !== null && app?.['verified_email'] === email;
}

/** Marks the account's address as confirmed and its mailbox as verified. */
export async function confirmEmail(tx: Transaction, id: string): Promise<void> {
  await tx`
    update auth.users set raw_app_meta_data =
      coalesce(raw_app_meta_data, '{}') || jsonb_build_object('verified_email', email)
    where id = ${id} and email is not null`;
  await mapDatabaseErrors(async () => {
    await tx`
      update auth.users set email_confirmed_at = now(), is_anonymous = false, updated_at = now(),
        raw_user_meta_data = coalesce(raw_user_meta_data, '{}') || '{"email_verified": true}'
      where id = ${id} and email_confirmed_at is null`;
  });
  await tx`
    update auth.identities set identity_data = identity_data || '{"email_verified": true}',
      updated_at = now()
    where user_id = ${id} and provider = 'email'`;
}

/**
 * Changes the account's email and voids links and codes mailed to the old one. `isVerifiedNow` says
 * whether the new mailbox was verified. Returns false when another account has the address by now.
 */
export async function changeEmail(
  tx: Transaction,
  id: string,
  email: string,
  isVerifiedNow: boolean,
): Promise<boolean> {
  await tx`select pg_advisory_xact_lock(hashtext(${email}))`;
  const holder = await findUserByEmail(tx, email);
  if (holder !== undefined && holder.id !== id) return false;
  const emailData = { email, email_verified: true };
  const app = isVerifiedNow ? { verified_email: email } : {};
  await mapDatabaseErrors(async () => {
    await tx`
      update auth.users set email = ${email},
        raw_app_meta_data =
          (coalesce(raw_app_meta_data, '{}') - 'verified_email') || ${tx.json(app)}, email_change = null, email_change_sent_at = null,
        email_change_confirm_status = 0, email_confirmed_at = coalesce(email_confirmed_at, now()),
        is_anonymous = false, updated_at = now(),
        raw_user_meta_data = coalesce(raw_user_meta_data, '{}') || ${tx.json(emailData)}
      where id = ${id}`;
  });
  await tx`delete from auth.flow_state where user_id = ${id}`;
  await tx`delete from auth.one_time_tokens where user_id = ${id}`;
  const changed = await tx`
    update auth.identities set identity_data = identity_data || ${tx.json(emailData)}, updated_at = now()
    where user_id = ${id} and provider = 'email' returning id`;
  if (changed.length === 0) {
    await insertIdentity(tx, {
      userId: id,
      provider: 'email',
      providerId: id,
      data: { sub: id, ...emailData, phone_verified: false },
    });
    await updateProviderList(tx, id);
  }
  return true;
}

export function assertNotBanned(user: UserRow): void {
  if (user.banned_until !== null && user.banned_until > new Date()) {
    throw new AuthError(400, 'user_banned', 'User is banned');
  }
}

export function requireUser(user: UserRow | undefined): UserRow {
  if (user === undefined) {
    throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist');
  }
  return user;
}

/** Narrows JSON data to the type that the driver accepts. */
export function toJsonParameter(data: UserData): Parameters<Sql['json']>[0] {
  return data as Parameters<Sql['json']>[0];
}
