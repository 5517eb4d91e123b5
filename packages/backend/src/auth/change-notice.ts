import type { AuthContext } from './context.ts';
import type { UserRow } from './users.ts';

/**
 * Emails a user that their account was changed, at the address it had before: whoever took over the
 * account cannot suppress the notice. An unconfirmed address may be a stranger's, and gets nothing.
 */
export function sendAccountChangeNotice(
  ctx: AuthContext,
  before: UserRow,
  kind: 'email-changed' | 'password-changed',
): void {
  const { email: to, email_confirmed_at: confirmedAt } = before;
  if (to === null || confirmedAt === null) return;
  ctx.background.run('Sending a change notice', () => ctx.mailer.send({ kind, to }));
}
