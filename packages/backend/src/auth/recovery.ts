import { AuthError, invalid } from './auth-error.ts';
import type { AuthContext, Caller } from './context.ts';
import { isEmpty, parseChallenge, parseEmail } from './input.ts';
import type { Body } from './input.ts';
import { countMail, mailCode, mailLink } from './mailed-links.ts';
import type { Person } from './person.ts';
import { findUserByEmail } from './users.ts';

/** POST /recover: always the same answer, given before anyone looks for the account. */
export async function recover(ctx: AuthContext, body: Body, redirectTo: URL, caller: Caller) {
  const email = parseEmail(body['email']);
  const challenge = parseChallenge(body);
  countMail(ctx, email, caller);
  ctx.background.run('Mail for a recovery', async () => {
    const user = await findUserByEmail(ctx.sql, email);
    if (user === undefined) return;
    await ctx.sql`update auth.users set recovery_sent_at = now() where id = ${user.id}`;
    await mailLink(ctx, { userId: user.id, email, type: 'recovery', challenge, redirectTo });
  });
}

/**
 * POST /resend, for a confirmation that is still open. Not for a change of address: whoever sends
 * this need not be signed in, and the new address may be a stranger's. PUT /user mails again.
 */
export async function resend(ctx: AuthContext, body: Body, redirectTo: URL, caller: Caller) {
  if (!isEmpty(body['phone'])) {
    throw new AuthError(400, 'phone_provider_disabled', 'Phone logins are disabled');
  }
  if (body['type'] !== 'signup') throw invalid('Only a mail of type signup can be sent again');
  const email = parseEmail(body['email']);
  const challenge = parseChallenge(body);
  countMail(ctx, email, caller);
  ctx.background.run('Mail sent again', async () => {
    const user = await findUserByEmail(ctx.sql, email);
    if (user === undefined || user.email_confirmed_at !== null) return;
    await mailLink(ctx, { userId: user.id, email, type: 'signup', challenge, redirectTo });
  });
}

/** GET /reauthenticate: a code to the account's own mailbox, for PUT /user as `nonce`. */
export async function reauthenticate(ctx: AuthContext, { user }: Person, caller: Caller) {
  const { id: userId, email } = user;
  if (email === null) {
    throw invalid('Reauthentication requires the user to have an email or a phone number');
  }
  if (user.email_confirmed_at === null) {
    throw new AuthError(422, 'email_not_confirmed', 'Please verify your email first.');
  }
  countMail(ctx, email, caller);
  await ctx.sql`update auth.users set reauthentication_sent_at = now() where id = ${userId}`;
  ctx.background.run('Mail with a code', () =>
    mailCode(ctx, { userId, email, kind: 'reauthentication' }),
  );
}
