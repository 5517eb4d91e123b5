import { AuthError, createValidationError } from './auth-error.ts';
import type { AuthContext, ClientInfo } from './context.ts';
import { isMissing, parsePkceChallenge, parseEmail, parseUserData } from './input.ts';
import type { AuthRequestBody } from './input.ts';
import { consumeMailLimits, sendLinkMail } from './send-auth-mails.ts';
import { createUnconfirmedAccount, assertSignUpEnabled } from './sign-up.ts';
import { findUserByEmail } from './users.ts';

/**
 * POST /otp: mails a link and a code that sign in, or sign up when the address has no account yet.
 * The response is the same in both cases, and when `create_user: false` meets an unknown address:
 * GoTrue's error for it reveals who has an account.
 */
export async function sendOtp(
  ctx: AuthContext,
  body: AuthRequestBody,
  redirectTo: URL,
  clientInfo: ClientInfo,
) {
  const { email: requestedEmail, phone } = body;
  if (!isMissing(requestedEmail) && !isMissing(phone)) {
    throw createValidationError('Only an email address or phone number should be provided');
  }
  if (!isMissing(phone)) {
    throw new AuthError(400, 'phone_provider_disabled', 'Unsupported phone provider');
  }
  if (isMissing(requestedEmail)) throw createValidationError('One of email or phone must be set');
  const email = parseEmail(requestedEmail);
  const data = parseUserData(body['data']);
  const challenge = parsePkceChallenge(body);
  consumeMailLimits(ctx, email, clientInfo);
  const mayCreate = body['create_user'] !== false;
  if (mayCreate) assertSignUpEnabled(ctx);
  const account = mayCreate
    ? await createUnconfirmedAccount(ctx, { email, data, passwordHash: null })
    : undefined;
  ctx.background.run('Sending a sign-in email', async () => {
    if (account?.isNew) {
      const { id: userId } = account.user;
      return sendLinkMail(ctx, { userId, email, type: 'signup', challenge, redirectTo });
    }
    const user = await findUserByEmail(ctx.sql, email);
    if (user === undefined) return;
    await ctx.sql`update auth.users set recovery_sent_at = now() where id = ${user.id}`;
    await sendLinkMail(ctx, { userId: user.id, email, type: 'magiclink', challenge, redirectTo });
  });
}
