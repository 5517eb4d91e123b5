import { AuthError } from './auth-error.ts';
import type { AuthContext, Caller, Transaction } from './context.ts';
import { createFlow } from './flows.ts';
import type { FlowPurpose } from './flows.ts';
import type { Challenge } from './input.ts';
import { createLink, purposes } from './links.ts';
import type { LinkType } from './links.ts';
import { changeEmail, confirmEmail, findUser, requireUser } from './users.ts';

/** Counts by the address as it was typed, before anyone looks whether it has an account. */
export function countMail(ctx: AuthContext, email: string, caller: Caller): void {
  ctx.limits.mailFromAddress.take(caller.address);
  ctx.limits.mailTo.take(email);
  ctx.limits.mailToInAnHour.take(email);
}

/** Makes flow and link and sends the mail. The link's host is ours, whatever the request named. */
export async function mailLink(
  ctx: AuthContext,
  o: { userId: string; email: string; type: LinkType; challenge: Challenge; redirectTo: URL },
): Promise<void> {
  const { userId, email, type } = o;
  const token = await ctx.sql.begin(async (tx) => {
    const flowId = await createFlow(tx, userId, purposes[type], o.challenge);
    return createLink(tx, { userId, email, flowId, type });
  });
  const link = new URL('/auth/v1/verify', ctx.publicOrigin);
  link.searchParams.set('token', token);
  link.searchParams.set('type', type);
  link.searchParams.set('redirect_to', o.redirectTo.href);
  await ctx.mailer.send({ kind: type, to: email, link: link.href });
}

/** What having received the mail at `email` means for the account. */
export async function applyPurpose(
  tx: Transaction,
  userId: string,
  purpose: FlowPurpose,
  email: string | undefined,
): Promise<void> {
  if (purpose !== 'email_change') return confirmEmail(tx, userId);
  const user = requireUser(await findUser(tx, userId));
  if (
    email === undefined ||
    user.email_change !== email ||
    !(await changeEmail(tx, userId, email))
  ) {
    throw new AuthError(400, 'flow_state_not_found', 'This change of address is no longer open');
  }
}
