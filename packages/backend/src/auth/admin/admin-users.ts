/** /admin/users, for callers with the secret key. */
import { isRecord } from '@vitrine/project';
import { AuthError, createValidationError } from '../auth-error.ts';
import type { AuthContext, Transaction } from '../context.ts';
import { describeUser } from '../describe-user.ts';
import { isMissing, isUuid, parseEmail, parseNewPassword, parseUserData } from '../input.ts';
import type { AuthRequestBody } from '../input.ts';
import { hashPassword } from '../passwords.ts';
import { mapDatabaseErrors } from '../database-errors.ts';
import { hashSecret } from '../secret-text.ts';
import { claimEmail } from '../sign-up.ts';
import {
  changeEmail,
  confirmEmail,
  emailAppMetadata,
  findUser,
  findUserByEmail,
  insertIdentity,
  insertUser,
  isMailboxVerified,
  requireUser,
  toJsonParameter,
  userColumns,
} from '../users.ts';
import type { UserRow } from '../users.ts';

export interface UserPage {
  users: Awaited<ReturnType<typeof describeUser>>[];
  total: number;
  page: number;
  perPage: number;
}

export async function listUsers(ctx: AuthContext, query: URLSearchParams): Promise<UserPage> {
  const page = parseCount(query.get('page'), 1, 1_000_000);
  const perPage = parseCount(query.get('per_page'), 50, 1000);
  // PostgreSQL text cannot contain NUL, so no account does either.
  const pattern = `%${(query.get('filter') ?? '').replaceAll('\0', '\ufffd').replace(/[\\%_]/g, '\\$&')}%`;
  const condition = ctx.sql`
    deleted_at is null and (coalesce(email, '') like ${pattern}
      or coalesce(raw_user_meta_data ->> 'full_name', '') ilike ${pattern})`;
  const [countRow] = await ctx.sql<{ total: number }[]>`
    select count(*)::int as total from auth.users where ${condition}`;
  const rows = await ctx.sql<UserRow[]>`
    select ${ctx.sql.unsafe(userColumns)} from auth.users where ${condition}
    order by created_at desc, id limit ${perPage} offset ${(page - 1) * perPage}`;
  const users = [];
  for (const row of rows) users.push(await describeUser(ctx.sql, row));
  return { users, total: countRow?.total ?? 0, page, perPage };
}

function parseCount(text: string | null, fallback: number, max: number): number {
  if (text === null || text === '') return fallback;
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1) {
    throw createValidationError(`Bad Pagination Parameters: ${JSON.stringify(text)}`);
  }
  return Math.min(number, max);
}

export async function requireUserById(ctx: AuthContext, id: string): Promise<UserRow> {
  if (!isUuid(id)) throw new AuthError(404, 'validation_failed', 'user_id must be an UUID');
  const user = await findUser(ctx.sql, id);
  if (user === undefined) throw new AuthError(404, 'user_not_found', 'User not found');
  return user;
}

export async function createUserAsAdmin(ctx: AuthContext, body: AuthRequestBody) {
  rejectPhoneAndRole(body);
  if (isMissing(body['email'])) {
    throw createValidationError('Cannot create a user without either an email or phone');
  }
  const email = parseEmail(body['email']);
  const id = parseId(body['id']);
  const passwordHash = await readPassword(body, email);
  const data = parseUserData(body['user_metadata']);
  const app = { ...parseUserData(body['app_metadata']), ...emailAppMetadata };
  const ban = parseBanDurationSeconds(body['ban_duration']);
  return ctx.sql.begin(async (tx) => {
    if (!(await claimEmail(tx, email))) throw createEmailExistsError();
    if ((await findUser(tx, id)) !== undefined)
      throw createValidationError('A user with this ID already exists');
    await insertUser(tx, {
      id,
      email,
      passwordHash: passwordHash ?? null,
      data,
      app,
      isConfirmed: false,
      isAnonymous: false,
    });
    await insertIdentity(tx, {
      userId: id,
      provider: 'email',
      providerId: id,
      data: createEmailIdentityData(id, email),
    });
    if (body['email_confirm'] === true) await confirmEmail(tx, id);
    if (ban !== undefined) await banUser(tx, id, ban);
    return describeUser(tx, requireUser(await findUser(tx, id)));
  });
}

/** Identity data of an email address that has not been confirmed. */
function createEmailIdentityData(id: string, email: string) {
  return { sub: id, email, email_verified: false, phone_verified: false };
}

/** PUT /admin/users/:id. Metadata is merged; a key set to null is removed. */
export async function updateUserAsAdmin(ctx: AuthContext, user: UserRow, body: AuthRequestBody) {
  rejectPhoneAndRole(body);
  const email = isMissing(body['email']) ? undefined : parseEmail(body['email']);
  const passwordHash = await readPassword(body, email ?? user.email ?? '');
  const ban = parseBanDurationSeconds(body['ban_duration']);
  const data = mergeKeys(user.raw_user_meta_data, body['user_metadata']);
  const app = mergeKeys(user.raw_app_meta_data, body['app_metadata']);
  return ctx.sql.begin(async (tx) => {
    if (email !== undefined && email !== user.email) await replaceEmail(tx, user, email);
    if (passwordHash !== undefined) {
      await tx`update auth.users set encrypted_password = ${passwordHash} where id = ${user.id}`;
      await tx`delete from auth.sessions where user_id = ${user.id}`;
    }
    await mapDatabaseErrors(async () => {
      if (data !== undefined) {
        await tx`
          update auth.users set raw_user_meta_data = ${tx.json(toJsonParameter(data))} where id = ${user.id}`;
      }
      if (app !== undefined) {
        await tx`
          update auth.users set raw_app_meta_data = ${tx.json(toJsonParameter(app))} where id = ${user.id}`;
      }
    });
    if (body['email_confirm'] === true) await confirmEmail(tx, user.id);
    if (ban !== undefined) await banUser(tx, user.id, ban);
    await tx`update auth.users set updated_at = now() where id = ${user.id}`;
    return describeUser(tx, requireUser(await findUser(tx, user.id)));
  });
}

/**
 * Sets the email as the operator says: nothing is mailed, and a confirmed account stays confirmed.
 */
async function replaceEmail(tx: Transaction, user: UserRow, email: string): Promise<void> {
  const { id, email_confirmed_at: confirmedAt } = user;
  if (!(await changeEmail(tx, id, email, isMailboxVerified(user)))) throw createEmailExistsError();
  // `changeEmail` confirms the address and rewrites the metadata: both are restored.
  await tx`
    update auth.users set email_confirmed_at = ${confirmedAt},
      raw_user_meta_data = ${tx.json(toJsonParameter(user.raw_user_meta_data ?? {}))}
    where id = ${id}`;
  await tx`
    update auth.identities
    set identity_data = identity_data || ${tx.json({ email_verified: confirmedAt !== null })}
    where user_id = ${id} and provider = 'email'`;
}

export async function deleteUserAsAdmin(
  ctx: AuthContext,
  user: UserRow,
  body: AuthRequestBody,
): Promise<void> {
  if (body['should_soft_delete'] !== true) {
    await ctx.sql`delete from auth.users where id = ${user.id}`;
    return;
  }
  const nobody = hashSecret(`${user.id} ${user.email}`);
  await ctx.sql.begin(async (tx) => {
    await tx`
      update auth.users set deleted_at = now(), email = ${nobody}, encrypted_password = null,
        email_change = null, raw_user_meta_data = '{}', raw_app_meta_data = '{}', updated_at = now()
      where id = ${user.id}`;
    await tx`
      update auth.identities set provider_id = encode(sha256(provider_id::bytea), 'hex'),
        identity_data = '{}', updated_at = now()
      where user_id = ${user.id}`;
    await tx`delete from auth.sessions where user_id = ${user.id}`;
    await tx`delete from auth.mfa_factors where user_id = ${user.id}`;
    await tx`delete from auth.flow_state where user_id = ${user.id}`;
    await tx`delete from auth.one_time_tokens where user_id = ${user.id}`;
  });
}

/**
 * Returns the unconfirmed account of this email, or a new one. Throws `email_exists` for a
 * confirmed one. A password set before is replaced (AU-17).
 */
export async function findOrCreateUnconfirmedUser(
  tx: Transaction,
  account: { email: string; passwordHash: string | null; data: unknown },
): Promise<UserRow> {
  const { email, passwordHash } = account;
  await tx`select pg_advisory_xact_lock(hashtext(${email}))`;
  const existing = await findUserByEmail(tx, email);
  if (existing !== undefined && existing.email_confirmed_at !== null)
    throw createEmailExistsError();
  if (existing !== undefined) {
    await tx`
      update auth.users set encrypted_password = ${passwordHash} where id = ${existing.id}`;
    return existing;
  }
  const id = crypto.randomUUID();
  await insertUser(tx, {
    id,
    email,
    passwordHash,
    data: parseUserData(account.data),
    app: emailAppMetadata,
    isConfirmed: false,
    isAnonymous: false,
  });
  await insertIdentity(tx, {
    userId: id,
    provider: 'email',
    providerId: id,
    data: createEmailIdentityData(id, email),
  });
  return requireUser(await findUser(tx, id));
}

export function createEmailExistsError(): AuthError {
  return new AuthError(
    422,
    'email_exists',
    'A user with this email address has already been registered',
  );
}

function rejectPhoneAndRole(body: AuthRequestBody): void {
  if (!isMissing(body['phone'])) {
    throw new AuthError(400, 'phone_provider_disabled', 'Phone logins are disabled');
  }
  const { role } = body;
  // Access tokens are only issued for this role.
  if (!isMissing(role) && role !== 'authenticated') {
    throw createValidationError('role must be authenticated');
  }
}

function parseId(value: unknown): string {
  if (isMissing(value)) return crypto.randomUUID();
  if (!isUuid(value)) {
    throw createValidationError('ID must conform to the uuid v4 format');
  }
  if (/^[0-]+$/.test(value)) throw createValidationError('ID cannot be a nil uuid');
  return value.toLowerCase();
}

/**
 * Hashes a password that passes the product's rules, or accepts a bcrypt hash from another system.
 */
async function readPassword(body: AuthRequestBody, email: string): Promise<string | undefined> {
  const { password, password_hash: hash } = body;
  if (!isMissing(password) && !isMissing(hash)) {
    throw createValidationError('Only a password or a password hash should be provided');
  }
  if (!isMissing(password)) return hashPassword(parseNewPassword(password, { email }));
  if (isMissing(hash)) return undefined;
  if (typeof hash !== 'string' || !/^\$2[aby]\$(0\d|1[0-4])\$[./A-Za-z0-9]{53}$/.test(hash)) {
    throw createValidationError('password_hash must be a bcrypt hash with a cost of at most 14');
  }
  return hash;
}

/** Parses `ban_duration` into seconds; 0 lifts a ban, undefined leaves it unchanged. */
function parseBanDurationSeconds(value: unknown): number | undefined {
  if (isMissing(value)) return undefined;
  if (value === 'none') return 0;
  const seconds = typeof value === 'string' ? parseDurationSeconds(value) : undefined;
  if (seconds === undefined || seconds > 3.2e9) {
    throw createValidationError(`invalid format for ban duration: ${JSON.stringify(value)}`);
  }
  return seconds;
}

async function banUser(tx: Transaction, id: string, seconds: number): Promise<void> {
  await tx`
    update auth.users
    set banned_until = case when ${seconds}::float8 = 0 then null
      else now() + make_interval(secs => ${seconds}) end
    where id = ${id}`;
}

function mergeKeys(before: Record<string, unknown> | null, change: unknown) {
  if (isMissing(change)) return undefined;
  if (!isRecord(change)) throw createValidationError('metadata must be an object');
  const merged = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null);
  return parseUserData(Object.fromEntries(merged));
}

/**
 * Parses a duration in Go's notation, as in `ban_duration`: '1h30m' → 5400. Undefined when invalid.
 */
function parseDurationSeconds(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
  const units = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 };
  let seconds = 0;
  for (const [, number, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)) {
    seconds += Number(number) * units[unit as keyof typeof units];
  }
  return seconds;
}
