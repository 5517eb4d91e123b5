import { AuthError, createValidationError } from './auth-error.ts';
import type { AuthContext, ClientInfo } from './context.ts';
import { isMissing, parsePkceChallenge, parseEmail } from './input.ts';
import type { AuthRequestBody } from './input.ts';
import { consumeMailLimits, sendLinkMail } from './send-auth-mails.ts';
import { findUserByEmail } from './users.ts';

/** POST /recover: always the same response, sent before the account is looked up. */
export async function sendRecoveryMail(
  ctx: AuthContext,
  body: AuthRequestBody,
  redirectTo: URL,
  clientInfo: ClientInfo,
) {
  const email = parseEmail(body['email']);
  const challenge = parsePkceChallenge(body);
  consumeMailLimits(ctx, email, clientInfo);
  ctx.background.run('Sending a recovery email', async () => {
    const user = await findUserByEmail(ctx.sql, email);
    if (user === undefined) return;
    await ctx.sql`update auth.users set recovery_sent_at = now() where id = ${user.id}`;
    await sendLinkMail(ctx, { userId: user.id, email, type: 'recovery', challenge, redirectTo });
  });
}

/**
 * POST /resend, for a pending confirmation. Not for an email change: the sender need not be signed
 * in, and the new address may be a stranger's. PUT /user sends that mail again.
 */
export async function resendSignUpMail(
  ctx: AuthContext,
  body: AuthRequestBody,
  redirectTo: URL,
  clientInfo: ClientInfo,
) {
  if (!isMissing(body['phone'])) {
    throw new AuthError(400, 'phone_provider_disabled', 'Phone logins are disabled');
  }
  if (body['type'] !== 'signup')
    throw createValidationError('Only emails of type signup can be resent');
  const email = parseEmail(body['email']);
  const challenge = parsePkceChallenge(body);
  consumeMailLimits(ctx, email, clientInfo);
  ctx.background.run('Resending a sign-up email', async () => {
    const user = await findUserByEmail(ctx.sql, email);
    if (user === undefined || user.email_confirmed_at !== null) return;
    await sendLinkMail(ctx, { userId: user.id, email, type: 'signup', challenge, redirectTo });
  });
}
