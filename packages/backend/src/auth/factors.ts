/**
 * MFA factors. Enrolling an authenticator app is completed by verifying its first code. From then
 * on only sessions that verified a code are at `aal2`, and every endpoint except those of the
 * sign-in requires `aal2`.
 */
import { isIP } from 'node:net';
import type { Sql } from 'postgres';
import { AuthError, createValidationError } from './auth-error.ts';
import type { AuthContext, ClientInfo, Transaction } from './context.ts';
import { isMissing, isUuid } from './input.ts';
import type { AuthRequestBody } from './input.ts';
import type { SessionUser } from './session-user.ts';
import { assertRecentAuthentication } from './reauthentication.ts';
import { createSessionResponse, elevateSession } from './sessions.ts';
import { createTotp, findTotpStep, decryptSecret, encryptSecret } from './totp.ts';
import { findUser, requireUser } from './users.ts';

const challengeLifetimeSeconds = 300;
/** An id that no row has. */
const nilUuid = '00000000-0000-0000-0000-000000000000';

interface FactorRow {
  id: string;
  factor_type: string;
  status: 'unverified' | 'verified';
  secret: string;
  last_step: string | null;
}

/** POST /factors */
export async function enrollFactor(
  ctx: AuthContext,
  sessionUser: SessionUser,
  body: AuthRequestBody,
) {
  const { factor_type: type, friendly_name: requestedName, issuer } = body;
  if (type !== 'totp') throw createFactorTypeError(type);
  if (!ctx.settings.isTotpEnrollEnabled) {
    throw new AuthError(422, 'mfa_totp_enroll_not_enabled', 'MFA enroll is disabled for TOTP');
  }
  assertRecentAuthentication(sessionUser);
  const name = parseFriendlyName(requestedName);
  const from = typeof issuer === 'string' && issuer !== '' ? issuer : undefined;
  const { user } = sessionUser;
  const totp = createTotp(
    (from ?? new URL(ctx.publicOrigin).host).slice(0, 200),
    user.email ?? user.id,
  );
  const id = crypto.randomUUID();
  await ctx.sql.begin(async (tx) => {
    await tx`select id from auth.users where id = ${user.id} for update`;
    await assertCanEnroll(ctx, tx, user.id, name);
    await tx`
      insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at,
        updated_at, secret)
      values (${id}, ${user.id}, ${name}, 'totp', 'unverified', now(), now(),
        ${encryptSecret(ctx, id, totp.secret)})`;
  });
  return {
    id,
    type: 'totp',
    friendly_name: name,
    totp: { qr_code: totp.qrCode, secret: totp.secret, uri: totp.uri },
  };
}

function createFactorTypeError(type: unknown): AuthError {
  const kinds: Record<string, [string, string]> = {
    phone: ['mfa_phone_enroll_not_enabled', 'MFA enroll is disabled for Phone'],
    webauthn: ['mfa_webauthn_enroll_not_enabled', 'MFA enroll is disabled for WebAuthn'],
  };
  const recentSessions =
    typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (recentSessions !== undefined) return new AuthError(422, ...recentSessions);
  return createValidationError('factor_type needs to be totp, phone, or webauthn');
}

function parseFriendlyName(value: unknown): string {
  if (isMissing(value)) return '';
  if (typeof value !== 'string' || value.length > 100 || value.includes('\0')) {
    throw createValidationError('friendly_name must be a string of at most 100 characters');
  }
  return value;
}

/**
 * Throws when the account cannot have another factor with this name. Deletes enrollments that were
 * never verified first.
 */
async function assertCanEnroll(ctx: AuthContext, tx: Transaction, userId: string, name: string) {
  await tx`
    delete from auth.mfa_factors
    where user_id = ${userId} and status = 'unverified'
      and created_at < now() - make_interval(secs => ${challengeLifetimeSeconds})`;
  const factors = await tx<{ friendly_name: string | null }[]>`
    select friendly_name from auth.mfa_factors where user_id = ${userId}`;
  if (name !== '' && factors.some((factor) => factor.friendly_name === name)) {
    throw new AuthError(
      422,
      'mfa_factor_name_conflict',
      `A factor with the friendly name ${JSON.stringify(name)} for this user already exists`,
    );
  }
  if (factors.length >= ctx.settings.maxFactors) {
    throw new AuthError(
      422,
      'too_many_enrolled_mfa_factors',
      'Maximum number of verified factors reached, unenroll to continue',
    );
  }
}

/** POST /factors/:id/challenge */
export async function challengeFactor(
  ctx: AuthContext,
  { user }: SessionUser,
  factorId: string,
  clientInfo: ClientInfo,
) {
  const factor = await requireFactor(ctx.sql, user.id, factorId);
  assertTotpVerifyEnabled(ctx);
  const id = crypto.randomUUID();
  await ctx.sql`
    insert into auth.mfa_challenges (id, factor_id, created_at, ip_address)
    values (${id}, ${factor.id}, now(), ${getIpAddress(clientInfo)})`;
  const expiresAt = Math.floor(Date.now() / 1000) + challengeLifetimeSeconds;
  return { id, type: factor.factor_type, expires_at: expiresAt };
}

/** POST /factors/:id/verify: raises the session to aal2, and ends all sessions that are not. */
export async function verifyFactor(
  ctx: AuthContext,
  sessionUser: SessionUser,
  factorId: string,
  body: AuthRequestBody,
  clientInfo: ClientInfo,
) {
  if (isMissing(body['code'])) throw createValidationError('Code needs to be non-empty');
  assertTotpVerifyEnabled(ctx);
  const { user, sessionId } = sessionUser;
  const refundLimits = await consumeCodeLimits(ctx, sessionUser, clientInfo);
  const answer = await ctx.sql.begin(async (tx) => {
    await tx`select id from auth.users where id = ${user.id} for update`;
    const factor = await requireFactor(tx, user.id, factorId);
    await consumeChallenge(tx, factor, body['challenge_id'], clientInfo);
    const step = findTotpStep(decryptSecret(ctx, factor.id, factor.secret), String(body['code']));
    const isFresh = step !== undefined && step > Number(factor.last_step ?? -1);
    if (!isFresh) {
      throw new AuthError(422, 'mfa_verification_failed', 'Invalid TOTP code entered');
    }
    await tx`
      update auth.mfa_factors set status = 'verified', last_step = ${step}, updated_at = now()
      where id = ${factor.id}`;
    await tx`
      delete from auth.mfa_factors where user_id = ${user.id} and status = 'unverified'`;
    const tokens = await elevateSession(tx, { userId: user.id, sessionId, factorId: factor.id });
    await tx`delete from auth.sessions where user_id = ${user.id} and aal is distinct from 'aal2'`;
    return createSessionResponse(ctx, tx, requireUser(await findUser(tx, user.id)), tokens);
  });
  refundLimits();
  return answer;
}

/**
 * Counts a code before it is checked, by session and by address first: someone who only has the
 * password must not use up the owner's attempts. Sessions at `aal2` have a count of their own.
 * Addresses with such a session do not count towards the limit across all addresses.
 */
async function consumeCodeLimits(
  ctx: AuthContext,
  { user, sessionId, level }: SessionUser,
  clientInfo: ClientInfo,
): Promise<() => void> {
  const { wrongFactorCode, wrongFactorCodeFromAddress, wrongFactorCodeAnywhere } = ctx.limits;
  const counts = [{ limit: wrongFactorCode, key: sessionId }];
  if (level === 'aal1') {
    const recentSessions = await ctx.sql`
      select 1 from auth.sessions
      where user_id = ${user.id} and aal = 'aal2' and ip = ${getIpAddress(clientInfo)}::inet limit 1`;
    counts.push({
      limit: wrongFactorCodeFromAddress,
      key: `${user.id} ${clientInfo.rateLimitKey}`,
    });
    if (recentSessions.length === 0) counts.push({ limit: wrongFactorCodeAnywhere, key: user.id });
  }
  for (const { limit, key } of counts) limit.consume(key);
  return () => {
    for (const { limit, key } of counts) limit.refund(key);
  };
}

async function consumeChallenge(
  tx: Transaction,
  factor: FactorRow,
  challengeId: unknown,
  clientInfo: ClientInfo,
): Promise<void> {
  const id = isUuid(challengeId) ? challengeId : nilUuid;
  const [challenge] = await tx<{ is_open: boolean; is_fresh: boolean }[]>`
    select verified_at is null and ip_address = ${getIpAddress(clientInfo)}::inet as is_open,
      created_at > now() - make_interval(secs => ${challengeLifetimeSeconds}) as is_fresh
    from auth.mfa_challenges where id = ${id} and factor_id = ${factor.id}`;
  if (challenge === undefined) {
    throw new AuthError(
      422,
      'mfa_factor_not_found',
      'MFA factor with the provided challenge ID not found',
    );
  }
  if (!challenge.is_open) {
    throw new AuthError(
      422,
      'mfa_ip_address_mismatch',
      'Challenge and verify IP addresses mismatch.',
    );
  }
  if (!challenge.is_fresh) {
    throw new AuthError(
      422,
      'mfa_challenge_expired',
      `MFA challenge ${id} has expired, verify against another challenge or create a new challenge.`,
    );
  }
  await tx`
    update auth.mfa_challenges set verified_at = now() where id = ${id}`;
}

/** DELETE /factors/:id */
export async function unenrollFactor(ctx: AuthContext, sessionUser: SessionUser, factorId: string) {
  const factor = await requireFactor(ctx.sql, sessionUser.user.id, factorId);
  if (factor.status === 'verified') assertRecentAuthentication(sessionUser);
  await removeFactor(ctx, factor.id);
  return { id: factor.id };
}

/** Deletes a factor. Sessions that reached aal2 with it drop to aal1. */
export async function removeFactor(ctx: AuthContext, factorId: string): Promise<void> {
  await ctx.sql.begin(async (tx) => {
    await tx`delete from auth.mfa_factors where id = ${factorId}`;
    const downgraded = await tx<{ id: string }[]>`
      update auth.sessions set aal = 'aal1', factor_id = null, updated_at = now()
      where factor_id = ${factorId} returning id`;
    const ids = downgraded.map((session) => session.id);
    if (ids.length === 0) return;
    await tx`
      delete from auth.mfa_amr_claims
      where session_id in ${tx(ids)} and authentication_method = 'totp'`;
  });
}

export async function requireFactor(
  sql: Sql | Transaction,
  userId: string,
  factorId: string,
): Promise<FactorRow> {
  if (!isUuid(factorId)) {
    throw new AuthError(404, 'validation_failed', 'factor_id must be an UUID');
  }
  const [factor] = await sql<FactorRow[]>`
    select id, factor_type, status, secret, last_step from auth.mfa_factors
    where id = ${factorId} and user_id = ${userId}`;
  if (factor === undefined) throw new AuthError(404, 'mfa_factor_not_found', 'Factor not found');
  return factor;
}

function assertTotpVerifyEnabled(ctx: AuthContext): void {
  if (ctx.settings.isTotpVerifyEnabled) return;
  throw new AuthError(422, 'mfa_totp_verify_not_enabled', 'MFA verification is disabled for TOTP');
}

function getIpAddress({ ipAddress }: ClientInfo): string {
  return isIP(ipAddress) === 0 ? '0.0.0.0' : ipAddress;
}
