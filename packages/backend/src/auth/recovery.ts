import { AuthError, invalid } from './auth-error.ts';
import type { AuthContext, Caller } from './context.ts';
import { isEmpty, parseChallenge, parseEmail } from './input.ts';
import type { Body } from './input.ts';
import { countMail, mailLink } from './mailed-links.ts';
import { findUserByEmail } from './users.ts';

/** POST /recover: always the same response, sent before the account is looked up. */
export async function recover(ctx: AuthContext, body: Body, redirectTo: URL, clientInfo: Caller) {
  const email = parseEmail(body['email']);
  const challenge = parseChallenge(body);
  countMail(ctx, email, clientInfo);
  ctx.background.run('Sending a recovery mail', async () => {
    const user = await findUserByEmail(ctx.sql, email);
    if (user === undefined) return;
    await ctx.sql`update auth.users set recovery_sent_at = now() where id = ${user.id}`;
    await mailLink(ctx, { userId: user.id, email, type: 'recovery', challenge, redirectTo });
  });
}

/**
 * POST /resend, for a pending confirmation. Not for an email change: the sender need not be signed
 * in, and the new address may be a stranger's. PUT /user sends that mail again.
 */
export async function resend(ctx: AuthContext, body: Body, redirectTo: URL, clientInfo: Caller) {
  if (!isEmpty(body['phone'])) {
    throw new AuthError(400, 'phone_provider_disabled', 'Phone logins are disabled');
  }
  if (body['type'] !== 'signup') throw invalid('Only mails of type signup can be resent');
  const email = parseEmail(body['email']);
  const challenge = parseChallenge(body);
  countMail(ctx, email, clientInfo);
  ctx.background.run('Resending a sign-up mail', async () => {
    const user = await findUserByEmail(ctx.sql, email);
    if (user === undefined || user.email_confirmed_at !== null) return;
    await mailLink(ctx, { userId: user.id, email, type: 'signup', challenge, redirectTo });
  });
}
