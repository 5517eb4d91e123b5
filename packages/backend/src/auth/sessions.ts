/**
 * Sessions and their refresh tokens. Each refresh token is used once and replaced by the next. The
 * next one is derived from it with a server key, so that the table only stores hashes and a client
 * that lost the response can still be given the same next token.
 *
 * A used token is accepted again while the next one has not been used (the response was lost), and
 * for ten seconds in any case (several tabs refresh at once). Later use means that someone has a
 * copy, and the session is ended.
 */
import { isIP } from 'node:net';
import type { Sql } from 'postgres';
import { AuthError } from './auth-error.ts';
import type { AuthContext, ClientInfo, Transaction } from './context.ts';
import { describeUser } from './describe-user.ts';
import type { AssuranceLevel } from './keys.ts';
import { deriveSecret, hashSecret, generateSecret } from './secret-text.ts';
import { findUser, assertNotBanned, requireUser } from './users.ts';
import type { UserRow } from './users.ts';

const reuseWindowSeconds = 10;
/**
 * How many tokens may follow each other within the window; tabs that refresh at the same time share
 * one.
 */
const maxChainLength = 16;

interface SessionTokens {
  sessionId: string;
  refreshToken: string;
}

/**
 * Creates a session. Every sign-in creates a new one: nothing is carried over from an earlier
 * session.
 */
export async function createSession(
  tx: Transaction,
  userId: string,
  method: string,
  clientInfo: ClientInfo,
): Promise<SessionTokens> {
  const sessionId = crypto.randomUUID();
  const refreshToken = generateSecret();
  const address = isIP(clientInfo.ipAddress) === 0 ? null : clientInfo.ipAddress;
  await tx`
    insert into auth.sessions (id, user_id, created_at, updated_at, aal, user_agent, ip)
    values (${sessionId}, ${userId}, now(), now(), 'aal1', ${clientInfo.userAgent.slice(0, 500)},
      ${address}::inet)`;
  await tx`
    insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
    values (${crypto.randomUUID()}, ${sessionId}, now(), now(), ${method})`;
  await insertToken(tx, { sessionId, userId, token: refreshToken, parent: null });
  await tx`update auth.users set last_sign_in_at = now(), updated_at = now() where id = ${userId}`;
  return { sessionId, refreshToken };
}

type Outcome =
  | { kind: 'session'; answer: SessionResponse }
  | { kind: 'unknown' }
  | { kind: 'reused'; sessionId: string };

/** Exchanges a refresh token for the next one and a new access token. */
export async function refreshSession(
  ctx: AuthContext,
  presentedToken: unknown,
): Promise<SessionResponse> {
  if (typeof presentedToken !== 'string' || presentedToken === '') throw createTokenNotFoundError();
  const outcome = await ctx.sql.begin((tx) => refreshInTransaction(ctx, tx, presentedToken));
  if (outcome.kind === 'session') return outcome.answer;
  if (outcome.kind === 'unknown') throw createTokenNotFoundError();
  ctx.log.warn('A refresh token was reused, so its session was ended.', {
    session: outcome.sessionId,
  });
  throw new AuthError(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used');
}

async function refreshInTransaction(
  ctx: AuthContext,
  tx: Transaction,
  presentedToken: string,
): Promise<Outcome> {
  const [owner] = await tx<{ session_id: string }[]>`
    select session_id from auth.refresh_tokens where token = ${hashSecret(presentedToken)}`;
  if (owner === undefined) return { kind: 'unknown' };
  const [session] = await tx<{ id: string; user_id: string }[]>`
    select id, user_id from auth.sessions
    where id = ${owner.session_id} and (not_after is null or not_after > now()) for update`;
  const token = await findToken(tx, presentedToken);
  if (session === undefined || token === undefined) return { kind: 'unknown' };
  const user = requireUser(await findUser(tx, session.user_id));
  assertNotBanned(user);
  const next = token.revoked
    ? await findActiveToken(ctx, tx, presentedToken, token.isRecent)
    : await rotateToken(ctx, tx, presentedToken, session);
  if (next === undefined) {
    await tx`delete from auth.sessions where id = ${session.id}`;
    return { kind: 'reused', sessionId: session.id };
  }
  await tx`
    update auth.sessions set refreshed_at = now() at time zone 'utc', updated_at = now()
    where id = ${session.id}`;
  const tokens = { sessionId: session.id, refreshToken: next };
  return { kind: 'session', answer: await createSessionResponse(ctx, tx, user, tokens) };
}

async function rotateToken(
  ctx: AuthContext,
  tx: Transaction,
  presentedToken: string,
  session: { id: string; user_id: string },
): Promise<string> {
  const next = deriveSecret(ctx.refreshKey, presentedToken);
  await tx`
    update auth.refresh_tokens set revoked = true, updated_at = now()
    where token = ${hashSecret(presentedToken)}`;
  const { id: sessionId, user_id: userId } = session;
  await insertToken(tx, { sessionId, userId, token: next, parent: presentedToken });
  return next;
}

/**
 * Follows the chain from a used token to the current one: one step, or more while the reuse is
 * recent.
 */
async function findActiveToken(
  ctx: AuthContext,
  tx: Transaction,
  presentedToken: string,
  isRecent: boolean,
): Promise<string | undefined> {
  let token = presentedToken;
  for (let step = 0; step < (isRecent ? maxChainLength : 1); step += 1) {
    token = deriveSecret(ctx.refreshKey, token);
    const nextToken = await findToken(tx, token);
    if (nextToken === undefined) return undefined;
    if (!nextToken.revoked) return token;
  }
  return undefined;
}

async function findToken(tx: Transaction, token: string) {
  const [row] = await tx<{ revoked: boolean; isRecent: boolean }[]>`
    select revoked, updated_at > now() - make_interval(secs => ${reuseWindowSeconds}) as "isRecent"
    from auth.refresh_tokens where token = ${hashSecret(token)}`;
  return row;
}

/** Raises a session to aal2 and replaces its refresh tokens. */
export async function elevateSession(
  tx: Transaction,
  options: { userId: string; sessionId: string; factorId: string },
): Promise<SessionTokens> {
  const { userId, sessionId } = options;
  const refreshToken = generateSecret();
  await tx`
    update auth.sessions set aal = 'aal2', factor_id = ${options.factorId}, updated_at = now()
    where id = ${sessionId}`;
  await recordAuthMethod(tx, sessionId, 'totp');
  await tx`delete from auth.refresh_tokens where session_id = ${sessionId}`;
  await insertToken(tx, { sessionId, userId, token: refreshToken, parent: null });
  return { sessionId, refreshToken };
}

/**
 * Records that the session's user authenticated by `method`, for the `amr` of the tokens that
 * follow.
 */
export async function recordAuthMethod(
  sql: Sql | Transaction,
  sessionId: string,
  method: 'password' | 'otp' | 'totp',
): Promise<void> {
  await sql`
    insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
    values (${crypto.randomUUID()}, ${sessionId}, now(), now(), ${method})
    on conflict (session_id, authentication_method) do update set updated_at = now()`;
}

async function insertToken(
  tx: Transaction,
  options: { sessionId: string; userId: string; token: string; parent: string | null },
): Promise<void> {
  const parent = options.parent === null ? null : hashSecret(options.parent);
  await tx`
    insert into auth.refresh_tokens (token, user_id, revoked, created_at, updated_at, parent, session_id)
    values (${hashSecret(options.token)}, ${options.userId}, false, now(), now(), ${parent}, ${options.sessionId})`;
}

export type SignOutScope = 'global' | 'local' | 'others';

export async function endSessions(
  sql: Pick<Transaction, 'unsafe'>,
  options: { userId: string; sessionId: string; scope: SignOutScope },
): Promise<void> {
  const condition = {
    global: 'user_id = $1 and $2::uuid is not null',
    local: 'user_id = $1 and id = $2::uuid',
    others: 'user_id = $1 and id <> $2::uuid',
  }[options.scope];
  await sql.unsafe(`delete from auth.sessions where ${condition}`, [
    options.userId,
    options.sessionId,
  ]);
}

/**
 * Ends everyone's sessions, and voids emailed links and codes.
 *
 * @param sql Connection as the owner of the database.
 * @returns Number of ended sessions.
 */
export async function endAllSessions(sql: Sql): Promise<number> {
  const { count } = await sql.begin(async (tx) => {
    await tx`delete from auth.one_time_tokens`;
    await tx`delete from auth.flow_state`;
    return tx`delete from auth.sessions`;
  });
  return count;
}

/** Creates the response of every successful sign-in and refresh. */
export async function createSessionResponse(
  ctx: AuthContext,
  tx: Transaction,
  user: UserRow,
  { sessionId, refreshToken }: SessionTokens,
) {
  const [session] = await tx<{ aal: AssuranceLevel }[]>`
    select aal from auth.sessions where id = ${sessionId}`;
  const level = session?.aal ?? 'aal1';
  const described = await describeUser(tx, user, level);
  const issuedAtSeconds = Math.floor(Date.now() / 1000);
  const accessToken = await ctx.keys.sign(
    {
      sub: user.id,
      email: described.email,
      phone: '',
      app_metadata: described.app_metadata,
      user_metadata: described.user_metadata,
      role: 'authenticated',
      aal: level,
      amr: await readMethods(tx, sessionId),
      session_id: sessionId,
      is_anonymous: user.is_anonymous,
    },
    issuedAtSeconds,
  );
  return {
    access_token: accessToken,
    token_type: 'bearer',
    expires_in: ctx.keys.lifetimeSeconds,
    expires_at: issuedAtSeconds + ctx.keys.lifetimeSeconds,
    refresh_token: refreshToken,
    user: described,
  };
}

type SessionResponse = Awaited<ReturnType<typeof createSessionResponse>>;

async function readMethods(tx: Transaction, sessionId: string) {
  const rows = await tx<{ method: string; at: Date }[]>`
    select authentication_method as method, updated_at as at from auth.mfa_amr_claims
    where session_id = ${sessionId} order by updated_at desc`;
  return rows.map(({ method, at }) => ({ method, timestamp: Math.floor(at.getTime() / 1000) }));
}

function createTokenNotFoundError(): AuthError {
  return new AuthError(
    400,
    'refresh_token_not_found',
    'Invalid Refresh Token: Refresh Token Not Found',
  );
}

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
