import type { AuthContext } from './context.ts';
import type { UserRow } from './users.ts';

/**
 * Tells a person by mail that their account was changed, at the address it had until then: whoever
 * took the account over cannot keep it from them. An address that nobody confirmed may be a
 * stranger's, and gets nothing.
 */
export function mailChangeNotice(
  ctx: AuthContext,
  before: UserRow,
  kind: 'email-changed' | 'password-changed',
): void {
  const { email: to, email_confirmed_at: confirmedAt } = before;
  if (to === null || confirmedAt === null) return;
  ctx.background.run('Mail about a change', () => ctx.mailer.send({ kind, to }));
}
