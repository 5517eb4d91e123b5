/**
 * One-time tokens: a mail contains a link, a code to type, or both. A row holds the hashes of both;
 * using either deletes the row.
 */
import type { AuthContext, Transaction } from './context.ts';
import {
  deriveSecret,
  hashSecret,
  timingSafeEqualText,
  generateCode,
  generateSecret,
} from './secret-text.ts';

/** The purpose of a mail, in the terms of supabase-js. */
export type MailType = 'signup' | 'invite' | 'recovery' | 'magiclink' | 'email_change';

/** What using the token proves. */
export type TokenType =
  | 'confirmation_token'
  | 'recovery_token'
  | 'email_change_token_new'
  | 'email_change_token_current'
  | 'reauthentication_token';

export interface OneTimeToken {
  userId: string;
  /** The address that the mail was sent to. */
  email: string;
  /**
   * The flow of the browser that requested the mail; null when no browser did or it sent no
   * challenge.
   */
  flowId: string | null;
  type: TokenType;
}

export const tokenTypeByMailType = {
  signup: 'confirmation_token',
  invite: 'confirmation_token',
  recovery: 'recovery_token',
  magiclink: 'recovery_token',
  email_change: 'email_change_token_new',
} as const satisfies Record<MailType, TokenType>;

/**
 * Maps the `type` of supabase-js to token types. `email` is its newer name for any mail that signs
 * in.
 */
export function parseTokenTypes(value: unknown): TokenType[] {
  if (value === 'email') return ['confirmation_token', 'recovery_token'];
  if (value === 'email_change') return ['email_change_token_new', 'email_change_token_current'];
  return isMailType(value) ? [tokenTypeByMailType[value]] : [];
}

function isMailType(value: unknown): value is MailType {
  return typeof value === 'string' && Object.hasOwn(tokenTypeByMailType, value);
}

const columns = 'id, user_id, relates_to, flow_state_id, token_type, code_hash';

/** Wrong codes after which the right one no longer works (AU-13). */
const maxTries = 5;

/**
 * Inserts the row and returns the secrets that only the mail contains. Earlier links stay valid.
 */
export async function createOneTimeToken(
  ctx: AuthContext,
  tx: Transaction,
  { userId, email, flowId, type }: OneTimeToken,
  { withCode }: { withCode: boolean },
): Promise<{ token: string; code: string }> {
  const [id, token, code] = [
    crypto.randomUUID(),
    generateSecret(),
    generateCode(ctx.settings.codeLength),
  ];
  await tx`
    insert into auth.one_time_tokens (id, user_id, token_type, token_hash, code_hash, relates_to,
      flow_state_id)
    values (${id}, ${userId}, ${type}, ${hashSecret(token)},
      ${withCode ? hashCode(ctx, id, code) : null}, ${email}, ${flowId})`;
  return { token, code };
}

/**
 * Finds a token that is neither expired nor used. Its user's row is locked until the commit, so
 * that of two concurrent requests only one succeeds.
 */
export async function findOneTimeToken(
  ctx: AuthContext,
  tx: Transaction,
  token: unknown,
  types: TokenType[],
): Promise<OneTimeToken | undefined> {
  if (typeof token !== 'string' || token === '' || types.length === 0) return undefined;
  const hash = hashSecret(token);
  await tx`
    select id from auth.users
    where id in (select user_id from auth.one_time_tokens where token_hash = ${hash}) for update`;
  const [row] = await tx<OneTimeTokenRow[]>`
    select ${tx.unsafe(columns)} from auth.one_time_tokens
    where token_hash = ${hash} and token_type in ${tx(types)}
      and created_at > localtimestamp - make_interval(secs => ${ctx.settings.mailLifetimeSeconds})`;
  return row && parseRow(row);
}

/**
 * Finds the row of a code that was mailed to `email`. A wrong code counts against every open code
 * of the mailbox and types, so the caller must commit in either case.
 */
export async function findOneTimeTokenByCode(
  ctx: AuthContext,
  tx: Transaction,
  email: string,
  code: string,
  types: TokenType[],
): Promise<OneTimeToken | undefined> {
  if (types.length === 0) return undefined;
  await tx`
    select id from auth.users
    where id in (select user_id from auth.one_time_tokens where relates_to = ${email})
    order by id for update`;
  const rows = await tx<OneTimeTokenRow[]>`
    select ${tx.unsafe(columns)} from auth.one_time_tokens
    where relates_to = ${email} and token_type in ${tx(types)}
      and code_hash is not null and tries < ${maxTries}
      and created_at > localtimestamp - make_interval(secs => ${ctx.settings.mailLifetimeSeconds})`;
  const match = rows.find((row) =>
    timingSafeEqualText(row.code_hash ?? '', hashCode(ctx, row.id, code)),
  );
  if (match !== undefined) return parseRow(match);
  const ids = rows.map((row) => row.id);
  if (ids.length > 0) {
    await tx`update auth.one_time_tokens set tries = tries + 1 where id in ${tx(ids)}`;
  }
  return undefined;
}

/** Deletes all tokens of the same user and type: using one voids the others. */
export async function deleteOneTimeTokens(
  tx: Transaction,
  { userId, type }: OneTimeToken,
): Promise<void> {
  const deleted = await tx<{ flow_state_id: string | null }[]>`
    delete from auth.one_time_tokens where user_id = ${userId} and token_type = ${type}
    returning flow_state_id`;
  const flows = deleted.map((row) => row.flow_state_id).filter((id) => id !== null);
  if (flows.length > 0) await tx`delete from auth.flow_state where id in ${tx(flows)}`;
}

/** Finds the token that a flow's mail contained. */
export async function findOneTimeTokenOfFlow(
  tx: Transaction,
  flowId: string,
): Promise<OneTimeToken | undefined> {
  const [row] = await tx<OneTimeTokenRow[]>`
    select ${tx.unsafe(columns)} from auth.one_time_tokens where flow_state_id = ${flowId}`;
  return row && parseRow(row);
}

interface OneTimeTokenRow {
  id: string;
  user_id: string;
  relates_to: string;
  flow_state_id: string | null;
  token_type: TokenType;
  code_hash: string | null;
}

function parseRow(row: OneTimeTokenRow): OneTimeToken {
  return {
    userId: row.user_id,
    email: row.relates_to,
    flowId: row.flow_state_id,
    type: row.token_type,
  };
}

function hashCode({ codeKey }: AuthContext, id: string, code: string): string {
  return deriveSecret(codeKey, `${id} ${code}`);
}
