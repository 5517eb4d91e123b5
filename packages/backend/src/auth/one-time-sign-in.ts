import { AuthError, invalid } from './auth-error.ts';
import type { AuthContext, Caller } from './context.ts';
import { isEmpty, parseChallenge, parseEmail, parseUserData } from './input.ts';
import type { Body } from './input.ts';
import { countMail, mailLink } from './mailed-links.ts';
import { openAccount, refuseClosed } from './sign-up.ts';
import { findUserByEmail } from './users.ts';

/**
 * POST /otp: mails a link and a code that sign in, or sign up when the address has no account yet.
 * The response is the same in both cases, and when `create_user: false` meets an unknown address:
 * GoTrue's error for it reveals who has an account.
 */
export async function mailSignIn(
  ctx: AuthContext,
  body: Body,
  redirectTo: URL,
  clientInfo: Caller,
) {
  const { email: requestedEmail, phone } = body;
  if (!isEmpty(requestedEmail) && !isEmpty(phone)) {
    throw invalid('Only an email address or phone number should be provided');
  }
  if (!isEmpty(phone)) {
    throw new AuthError(400, 'phone_provider_disabled', 'Unsupported phone provider');
  }
  if (isEmpty(requestedEmail)) throw invalid('One of email or phone must be set');
  const email = parseEmail(requestedEmail);
  const data = parseUserData(body['data']);
  const challenge = parseChallenge(body);
  countMail(ctx, email, clientInfo);
  const mayCreate = body['create_user'] !== false;
  if (mayCreate) refuseClosed(ctx);
  const account = mayCreate
    ? await openAccount(ctx, { email, data, passwordHash: null })
    : undefined;
  ctx.background.run('Sending a sign-in mail', async () => {
    if (account?.isNew) {
      const { id: userId } = account.user;
      return mailLink(ctx, { userId, email, type: 'signup', challenge, redirectTo });
    }
    const user = await findUserByEmail(ctx.sql, email);
    if (user === undefined) return;
    await ctx.sql`update auth.users set recovery_sent_at = now() where id = ${user.id}`;
    await mailLink(ctx, { userId: user.id, email, type: 'magiclink', challenge, redirectTo });
  });
}
