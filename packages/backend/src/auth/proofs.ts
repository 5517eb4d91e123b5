/**
 * What it means for an account that its mailbox has answered. Where addresses are confirmed before
 * they count, nobody signs in to an account before its mailbox has answered. Where they are not,
 * `email_confirmed_at` is set at once and says nothing: somebody may have signed up with another
 * person's address. So `app_metadata.verified_email`, which only the backend writes, holds the
 * address whose mailbox has answered. It names the address, so that another address is unverified
 * by itself, however the account came to it.
 */
import { AuthError } from './auth-error.ts';
import type { AuthContext, Transaction } from './context.ts';
import { endLinks } from './links.ts';
import type { Link } from './links.ts';
import {
  changeEmail,
  confirmEmail,
  findUser,
  isVerified,
  nameProviders,
  requireUser,
  toJson,
} from './users.ts';

/**
 * Applies a mailed link or code; `isElsewhere` when not in the browser that asked for it. Says
 * `waiting` where the other mailbox has to agree to a change of address too.
 */
export async function applyProof(
  ctx: AuthContext,
  tx: Transaction,
  link: Link,
  { isElsewhere }: { isElsewhere: boolean },
): Promise<'done' | 'waiting'> {
  await endLinks(tx, link);
  if (link.type === 'email_change_token_new' || link.type === 'email_change_token_current') {
    return applyChange(ctx, tx, link);
  }
  // The browser that signed up, and now has the mail, chose the password itself.
  const isOwnSignUp = link.type === 'confirmation_token' && !isElsewhere;
  if (!isOwnSignUp) await handOver(tx, link.userId);
  await confirmEmail(tx, link.userId);
  return 'done';
}

/**
 * Makes the account its mailbox owner's, whose mailbox answers for the first time: whatever could
 * let an earlier holder back in goes (AU-17). Projects and the profile stay. The caller marks the
 * address as verified, and makes the owner's session afterwards.
 */
export async function handOver(tx: Transaction, userId: string): Promise<void> {
  const user = requireUser(await findUser(tx, userId));
  if (isVerified(user)) return;
  const { email } = user;
  const known = {
    sub: userId,
    email,
    email_verified: user.email_confirmed_at !== null,
    phone_verified: false,
  };
  await tx`
    update auth.users set encrypted_password = null, email_change = null,
      email_change_sent_at = null, email_change_confirm_status = 0,
      raw_user_meta_data = ${tx.json(toJson(known))}, updated_at = now()
    where id = ${userId}`;
  await tx`delete from auth.sessions where user_id = ${userId}`;
  await tx`delete from auth.mfa_factors where user_id = ${userId}`;
  await tx`
    delete from auth.identities
    where user_id = ${userId} and provider <> 'email'
      and (email is distinct from ${email} or identity_data ->> 'email_verified' is distinct from 'true')`;
  await nameProviders(tx, userId);
  await tx`delete from auth.one_time_tokens where user_id = ${userId}`;
  await tx`
    delete from auth.flow_state where user_id = ${userId} or linking_target_id = ${userId}`;
}

/**
 * The mailbox has answered to somebody who is signed in. A session that was begun by the password
 * shows that it is theirs: nothing goes. Otherwise the password, which may be an earlier holder's,
 * and all other sessions go.
 */
export async function provenInSession(
  tx: Transaction,
  o: { userId: string; sessionId: string; email: string },
): Promise<void> {
  const { userId, sessionId, email } = o;
  const user = requireUser(await findUser(tx, userId));
  if (user.email !== email || isVerified(user)) return;
  const [byPassword] = await tx`
    select 1 from auth.mfa_amr_claims
    where session_id = ${sessionId} and authentication_method = 'password'`;
  if (byPassword === undefined) {
    await tx`update auth.users set encrypted_password = null where id = ${userId}`;
    await tx`delete from auth.sessions where user_id = ${userId} and id <> ${sessionId}`;
  }
  await confirmEmail(tx, userId);
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
  const isVerifiedNow = needsBoth || type === 'email_change_token_new';
  if (!(await changeEmail(tx, userId, wished, isVerifiedNow))) throw changeIsOver();
  return 'done';
}

function changeIsOver(): AuthError {
  return new AuthError(400, 'flow_state_not_found', 'This change of address is no longer open');
}
