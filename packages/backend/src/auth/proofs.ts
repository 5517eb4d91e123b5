import { AuthError } from './auth-error.ts';
import type { AuthContext, Transaction } from './context.ts';
import { endLinks } from './links.ts';
import type { Link } from './links.ts';
import { changeEmail, confirmEmail, findUser, requireUser } from './users.ts';

/**
 * What having received the mail means for the account; `isElsewhere` when not in the browser that
 * asked for it. Says `waiting` where the other mailbox has to agree to a change of address too.
 */
export async function applyProof(
  ctx: AuthContext,
  tx: Transaction,
  link: Link,
  { isElsewhere }: { isElsewhere: boolean },
): Promise<'done' | 'waiting'> {
  await endLinks(tx, link);
  const isRecovery = link.type === 'recovery_token';
  if (isElsewhere || isRecovery) await dropUnprovenPassword(tx, link.userId);
  if (isRecovery || link.type === 'confirmation_token') await confirmEmail(tx, link.userId);
  if (link.type === 'email_change_token_new' || link.type === 'email_change_token_current') {
    return applyChange(ctx, tx, link);
  }
  return 'done';
}

/**
 * An account nobody had confirmed may have been made by somebody else, whose password goes: the
 * mailbox's owner did not choose it (AU-17).
 */
async function dropUnprovenPassword(tx: Transaction, userId: string): Promise<void> {
  await tx`
    update auth.users set encrypted_password = null
    where id = ${userId} and email_confirmed_at is null`;
}

async function applyChange(
  ctx: AuthContext,
  tx: Transaction,
  { userId, email, type }: Link,
): Promise<'done' | 'waiting'> {
  const user = requireUser(await findUser(tx, userId));
  const wished = user.email_change;
  const proven = type === 'email_change_token_new' ? wished : user.email;
  if (wished === null || proven !== email) throw changeIsOver();
  const needsBoth = ctx.settings.doubleConfirmChanges && user.email !== null;
  if (needsBoth && user.email_change_confirm_status === 0) {
    await tx`update auth.users set email_change_confirm_status = 1 where id = ${userId}`;
    return 'waiting';
  }
  if (!(await changeEmail(tx, userId, wished))) throw changeIsOver();
  return 'done';
}

function changeIsOver(): AuthError {
  return new AuthError(400, 'flow_state_not_found', 'This change of address is no longer open');
}
