import { isErrorCode } from '@vitrine/project';
import type { Sql } from 'postgres';
import { AuthError } from './auth-error.ts';
import type { Transaction } from './context.ts';
import type { UserData } from './input.ts';

export interface UserRow {
  id: string;
  email: string | null;
  encrypted_password: string | null;
  email_confirmed_at: Date | null;
  confirmation_sent_at: Date | null;
  recovery_sent_at: Date | null;
  email_change: string | null;
  email_change_sent_at: Date | null;
  last_sign_in_at: Date | null;
  raw_app_meta_data: Record<string, unknown> | null;
  raw_user_meta_data: UserData | null;
  created_at: Date;
  updated_at: Date;
  banned_until: Date | null;
  is_anonymous: boolean;
}

interface IdentityRow {
  id: string;
  user_id: string;
  provider_id: string;
  provider: string;
  identity_data: Record<string, unknown>;
  email: string | null;
  last_sign_in_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

const columns = `id, email, encrypted_password, email_confirmed_at, confirmation_sent_at,
  recovery_sent_at, email_change, email_change_sent_at, last_sign_in_at, raw_app_meta_data,
  raw_user_meta_data, created_at, updated_at, banned_until, is_anonymous`;

export async function findUserByEmail(sql: Sql | Transaction, email: string) {
  const [row] = await sql<UserRow[]>`
    select ${sql.unsafe(columns)} from auth.users
    where email = ${email} and not is_sso_user and deleted_at is null`;
  return row;
}

export async function findUser(sql: Sql | Transaction, id: string) {
  const [row] = await sql<UserRow[]>`
    select ${sql.unsafe(columns)} from auth.users where id = ${id} and deleted_at is null`;
  return row;
}

/** Inserts the account with its e-mail identity; triggers on auth.users speak up here. */
export async function insertUser(
  tx: Transaction,
  account: { email: string; passwordHash: string; data: UserData; isConfirmed: boolean },
): Promise<UserRow> {
  const id = crypto.randomUUID();
  const { email, isConfirmed } = account;
  const about = { sub: id, email, email_verified: isConfirmed, phone_verified: false };
  const data = { ...account.data, ...about };
  const app = { provider: 'email', providers: ['email'] };
  const confirmedAt = isConfirmed ? new Date() : null;
  await refusalsAsAnswers(async () => {
    await tx`
      insert into auth.users (instance_id, id, aud, role, email, encrypted_password,
        email_confirmed_at, raw_app_meta_data, raw_user_meta_data, created_at, updated_at)
      values ('00000000-0000-0000-0000-000000000000', ${id}, 'authenticated', 'authenticated',
        ${email}, ${account.passwordHash}, ${confirmedAt}, ${tx.json(app)}, ${tx.json(toJson(data))},
        now(), now())`;
    await tx`
      insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at,
        created_at, updated_at)
      values (${id}, ${id}, ${tx.json(about)}, 'email', now(), now(), now())`;
  });
  return requireUser(await findUser(tx, id));
}

export async function confirmEmail(tx: Transaction, id: string): Promise<void> {
  await refusalsAsAnswers(async () => {
    await tx`
      update auth.users set email_confirmed_at = now(), updated_at = now(),
        raw_user_meta_data = raw_user_meta_data || '{"email_verified": true}'
      where id = ${id} and email_confirmed_at is null`;
  });
  await tx`
    update auth.identities set identity_data = identity_data || '{"email_verified": true}',
      updated_at = now()
    where user_id = ${id} and provider = 'email'`;
}

/** Makes `email` the account's address. False when somebody else has it by now. */
export async function changeEmail(tx: Transaction, id: string, email: string): Promise<boolean> {
  await tx`select pg_advisory_xact_lock(hashtext(${email}))`;
  const holder = await findUserByEmail(tx, email);
  if (holder !== undefined && holder.id !== id) return false;
  const about = { email, email_verified: true };
  await refusalsAsAnswers(async () => {
    await tx`
      update auth.users set email = ${email}, email_change = null, email_change_sent_at = null,
        email_confirmed_at = coalesce(email_confirmed_at, now()), updated_at = now(),
        raw_user_meta_data = raw_user_meta_data || ${tx.json(about)}
      where id = ${id}`;
  });
  await tx`
    update auth.identities set identity_data = identity_data || ${tx.json(about)}, updated_at = now()
    where user_id = ${id} and provider = 'email'`;
  return true;
}

/** The account as supabase-js knows it. */
export async function describeUser(sql: Sql | Transaction, user: UserRow) {
  const identities = await sql<IdentityRow[]>`
    select id, user_id, provider_id, provider, identity_data, email, last_sign_in_at, created_at,
      updated_at
    from auth.identities where user_id = ${user.id} order by created_at`;
  return {
    id: user.id,
    aud: 'authenticated',
    role: 'authenticated',
    email: user.email ?? '',
    phone: '',
    ...optional('email_confirmed_at', user.email_confirmed_at),
    ...optional('confirmed_at', user.email_confirmed_at),
    ...optional('confirmation_sent_at', user.confirmation_sent_at),
    ...optional('recovery_sent_at', user.recovery_sent_at),
    ...optional('email_change_sent_at', user.email_change_sent_at),
    ...optional('new_email', user.email_change),
    ...optional('last_sign_in_at', user.last_sign_in_at),
    ...optional('banned_until', user.banned_until),
    app_metadata: user.raw_app_meta_data ?? {},
    user_metadata: user.raw_user_meta_data ?? {},
    identities: identities.map((identity) => ({
      identity_id: identity.id,
      id: identity.provider_id,
      user_id: identity.user_id,
      identity_data: identity.identity_data,
      provider: identity.provider,
      ...optional('last_sign_in_at', identity.last_sign_in_at),
      created_at: identity.created_at,
      updated_at: identity.updated_at,
      ...optional('email', identity.email),
    })),
    created_at: user.created_at,
    updated_at: user.updated_at,
    is_anonymous: user.is_anonymous,
  };
}

export type UserAnswer = Awaited<ReturnType<typeof describeUser>>;

export function refuseBanned(user: UserRow): void {
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

/** JSON that came from JSON, for the driver's narrower type. */
export function toJson(data: UserData): Parameters<Sql['json']>[0] {
  return data as Parameters<Sql['json']>[0];
}

function optional(name: string, value: Date | string | null): Record<string, Date | string> {
  return value === null ? {} : { [name]: value };
}

/**
 * A trigger or constraint of the product that refuses the account speaks in codes of the product's
 * catalogue: as the message (`raise … using errcode = 'PT409', message = 'username_taken'`) or as
 * the constraint's name. They become the answer's code.
 */
export async function refusalsAsAnswers<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw findRefusal(error) ?? error;
  }
}

function findRefusal(error: unknown): AuthError | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') {
    return undefined;
  }
  const { code, message } = error;
  const status = /^PT(4\d\d)$/.exec(code)?.[1];
  if (status !== undefined && isErrorCode(message))
    return new AuthError(Number(status), message, message);
  if (code === 'P0001' && isErrorCode(message)) return new AuthError(422, message, message);
  const constraint = 'constraint_name' in error ? error.constraint_name : undefined;
  if (!/^23(505|514)$/.test(code) || !isErrorCode(constraint)) return undefined;
  return new AuthError(code === '23505' ? 409 : 422, constraint, constraint);
}
