/**
 * Re-authentication: changing the password, email, a factor or an identity requires an
 * authentication within the last ten minutes. An older session sends the current password or a
 * mailed code with `PUT /user`; with MFA it verifies a factor again.
 */
import { AuthError, createValidationError } from './auth-error.ts';
import type { AuthContext, ClientInfo } from './context.ts';
import { isMissing } from './input.ts';
import type { AuthRequestBody } from './input.ts';
import { deleteOneTimeTokens, findOneTimeTokenByCode } from './one-time-tokens.ts';
import { consumeMailLimits, sendCodeMail } from './send-auth-mails.ts';
import { verifyPassword } from './passwords.ts';
import type { SessionUser } from './session-user.ts';
import { verifyMailboxInSession } from './mailbox-verification.ts';
import { recordAuthMethod } from './sessions.ts';

/**
 * Throws `reauthentication_needed` unless the session is recent. Anonymous accounts are exempt:
 * they have nothing to authenticate with.
 */
export function assertRecentAuthentication({ isRecentlyAuthenticated, user }: SessionUser): void {
  if (isRecentlyAuthenticated || user.is_anonymous) return;
  throw new AuthError(
    400,
    'reauthentication_needed',
    'Authenticate again: verify a factor, or send current_password or a nonce to PUT /user',
  );
}

/** Whether `body` has a password or nonce to re-authenticate with. */
export function hasReauthentication({
  current_password: current,
  nonce,
}: AuthRequestBody): boolean {
  return !isMissing(current) || !isMissing(nonce);
}

/**
 * Verifies the current password or the mailed code in `body`, after which the session counts as
 * recent. Without either, the session must already be recent.
 */
export async function reauthenticate(
  ctx: AuthContext,
  sessionUser: SessionUser,
  body: AuthRequestBody,
  clientInfo: ClientInfo,
): Promise<void> {
  const { current_password: current, nonce } = body;
  if (!isMissing(nonce)) await verifyNonce(ctx, sessionUser, nonce, clientInfo);
  else if (!isMissing(current)) await verifyCurrentPassword(ctx, sessionUser, current);
  else assertRecentAuthentication(sessionUser);
}

/** Counted by session, so that a stranger's session does not use up the owner's attempts. */
async function verifyCurrentPassword(
  ctx: AuthContext,
  { user, sessionId }: SessionUser,
  current: unknown,
) {
  const { wrongPassword } = ctx.limits;
  const key = `session ${sessionId}`;
  wrongPassword.consume(key);
  const matches =
    typeof current === 'string' && (await verifyPassword(current, user.encrypted_password));
  if (!matches) throw new AuthError(400, 'invalid_credentials', 'Current password is incorrect');
  wrongPassword.refund(key);
  await recordAuthMethod(ctx.sql, sessionId, 'password');
}

/**
 * GET /reauthenticate: mails a code to the account's own address, for the `nonce` of `PUT /user`.
 */
export async function sendReauthenticationCode(
  ctx: AuthContext,
  { user }: SessionUser,
  clientInfo: ClientInfo,
) {
  const { id: userId, email } = user;
  if (email === null) {
    throw createValidationError(
      'Reauthentication requires the user to have an email or a phone number',
    );
  }
  if (user.email_confirmed_at === null) {
    throw new AuthError(422, 'email_not_confirmed', 'Please verify your email first.');
  }
  consumeMailLimits(ctx, email, clientInfo);
  await ctx.sql`update auth.users set reauthentication_sent_at = now() where id = ${userId}`;
  ctx.background.run('Sending a code', () =>
    sendCodeMail(ctx, { userId, email, kind: 'reauthentication' }),
  );
}

async function verifyNonce(
  ctx: AuthContext,
  { user, sessionId }: SessionUser,
  nonce: unknown,
  clientInfo: ClientInfo,
): Promise<void> {
  ctx.limits.wrongLinkFromAddress.consume(clientInfo.rateLimitKey);
  const isRight = await ctx.sql.begin(async (tx) => {
    const code = typeof nonce === 'string' ? nonce : '';
    const oneTimeToken = await findOneTimeTokenByCode(ctx, tx, user.email ?? '', code, [
      'reauthentication_token',
    ]);
    // Returns instead of throwing: the transaction must commit the count of the wrong code.
    if (oneTimeToken?.userId !== user.id) return false;
    await deleteOneTimeTokens(tx, oneTimeToken);
    await verifyMailboxInSession(tx, { userId: user.id, sessionId, email: oneTimeToken.email });
    await recordAuthMethod(tx, sessionId, 'otp');
    return true;
  });
  if (!isRight) {
    throw new AuthError(422, 'reauthentication_not_valid', 'Nonce has expired or is invalid');
  }
  ctx.limits.wrongLinkFromAddress.refund(clientInfo.rateLimitKey);
}
