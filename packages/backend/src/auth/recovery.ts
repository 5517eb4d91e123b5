import { invalid } from './auth-error.ts';
import type { AuthContext, Caller } from './context.ts';
import { parseEmail, requireChallenge } from './input.ts';
import type { Body } from './input.ts';
import { countMail, mailLink } from './mailed-links.ts';
import { findUserByEmail } from './users.ts';

/** POST /recover: always the same answer, given before anyone looks for the account. */
export async function recover(ctx: AuthContext, body: Body, redirectTo: URL, caller: Caller) {
  const email = parseEmail(body['email']);
  const challenge = requireChallenge(body);
  countMail(ctx, email, caller);
  ctx.background.run('Mail for a recovery', async () => {
    const user = await findUserByEmail(ctx.sql, email);
    if (user === undefined) return;
    await ctx.sql`update auth.users set recovery_sent_at = now() where id = ${user.id}`;
    await mailLink(ctx, { userId: user.id, email, type: 'recovery', challenge, redirectTo });
  });
}

/** POST /resend, for a confirmation or a change of address that is still open. */
export async function resend(ctx: AuthContext, body: Body, redirectTo: URL, caller: Caller) {
  const { type } = body;
  if (type !== 'signup' && type !== 'email_change')
    throw invalid('Missing one of these types: signup, email_change');
  const email = parseEmail(body['email']);
  const challenge = requireChallenge(body);
  countMail(ctx, email, caller);
  ctx.background.run('Mail sent again', async () => {
    const user = await findUserByEmail(ctx.sql, email);
    if (user === undefined) return;
    const to = type === 'signup' ? user.email : user.email_change;
    const isOpen = type === 'email_change' || user.email_confirmed_at === null;
    if (!isOpen || to === null) return;
    if (to !== email) ctx.limits.mailToInAnHour.take(to);
    await mailLink(ctx, { userId: user.id, email: to, type, challenge, redirectTo });
  });
}
