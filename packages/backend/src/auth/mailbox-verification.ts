/**
 * Mailbox verification. Where emails must be confirmed, nobody signs in before using a link or code
 * from the mailbox. Where they need not be, `email_confirmed_at` is set at sign-up and proves
 * nothing: someone may have signed up with another person's address. Therefore
 * `app_metadata.verified_email`, which only the backend writes, holds the address whose mailbox was
 * verified. As it names the address, a new address starts out unverified.
 */
import { AuthError } from './auth-error.ts';
import type { AuthContext, Transaction } from './context.ts';
import { deleteOneTimeTokens } from './one-time-tokens.ts';
import type { OneTimeToken } from './one-time-tokens.ts';
import {
  changeEmail,
  confirmEmail,
  findUser,
  isMailboxVerified,
  updateProviderList,
  requireUser,
  toJsonParameter,
} from './users.ts';

/**
 * Applies a mailed link or code. `isElsewhere` is true outside the browser that requested it.
 * Returns `waiting` when an email change also needs the other mailbox to agree.
 */
export async function applyOneTimeToken(
  ctx: AuthContext,
  tx: Transaction,
  oneTimeToken: OneTimeToken,
  { isElsewhere }: { isElsewhere: boolean },
): Promise<'done' | 'waiting'> {
  await deleteOneTimeTokens(tx, oneTimeToken);
  if (
    oneTimeToken.type === 'email_change_token_new' ||
    oneTimeToken.type === 'email_change_token_current'
  ) {
    return applyEmailChange(ctx, tx, oneTimeToken);
  }
  // The browser that signed up and has the mail chose the password itself.
  const isOwnSignUp = oneTimeToken.type === 'confirmation_token' && !isElsewhere;
  if (!isOwnSignUp) await transferToMailboxOwner(tx, oneTimeToken.userId);
  await confirmEmail(tx, oneTimeToken.userId);
  return 'done';
}

/**
 * Transfers an account to the owner of its mailbox when the mailbox is verified for the first time:
 * removes everything that would let an earlier holder back in (AU-17). Projects and the profile
 * stay. The caller marks the address as verified and creates the owner's session afterwards.
 */
export async function transferToMailboxOwner(tx: Transaction, userId: string): Promise<void> {
  const user = requireUser(await findUser(tx, userId));
  if (isMailboxVerified(user)) return;
  const { email } = user;
  const backendData = {
    sub: userId,
    email,
    email_verified: user.email_confirmed_at !== null,
    phone_verified: false,
  };
  await tx`
    update auth.users set encrypted_password = null, email_change = null,
      email_change_sent_at = null, email_change_confirm_status = 0,
      raw_user_meta_data = ${tx.json(toJsonParameter(backendData))}, updated_at = now()
    where id = ${userId}`;
  await tx`delete from auth.sessions where user_id = ${userId}`;
  await tx`delete from auth.mfa_factors where user_id = ${userId}`;
  await tx`
    delete from auth.identities
    where user_id = ${userId} and provider <> 'email'
      and (email is distinct from ${email} or identity_data ->> 'email_verified' is distinct from 'true')`;
  await updateProviderList(tx, userId);
  await tx`delete from auth.one_time_tokens where user_id = ${userId}`;
  await tx`
    delete from auth.flow_state where user_id = ${userId} or linking_target_id = ${userId}`;
}

/**
 * Marks the mailbox as verified for a signed-in user. A session that started with the password
 * belongs to the owner: nothing is removed. Otherwise the password, which may be an earlier
 * holder's, and all other sessions are removed.
 */
export async function verifyMailboxInSession(
  tx: Transaction,
  options: { userId: string; sessionId: string; email: string },
): Promise<void> {
  const { userId, sessionId, email } = options;
  const user = requireUser(await findUser(tx, userId));
  if (user.email !== email || isMailboxVerified(user)) return;
  const [passwordSession] = await tx`
    select 1 from auth.mfa_amr_claims
    where session_id = ${sessionId} and authentication_method = 'password'`;
  if (passwordSession === undefined) {
    await tx`update auth.users set encrypted_password = null where id = ${userId}`;
    await tx`delete from auth.sessions where user_id = ${userId} and id <> ${sessionId}`;
  }
  await confirmEmail(tx, userId);
}

async function applyEmailChange(
  ctx: AuthContext,
  tx: Transaction,
  { userId, email, type }: OneTimeToken,
): Promise<'done' | 'waiting'> {
  const user = requireUser(await findUser(tx, userId));
  const requestedEmail = user.email_change;
  const verifiedEmail = type === 'email_change_token_new' ? requestedEmail : user.email;
  if (requestedEmail === null || verifiedEmail !== email) throw createChangeNotPendingError();
  const needsBoth = ctx.settings.doubleConfirmChanges && user.email !== null;
  if (needsBoth && user.email_change_confirm_status === 0) {
    await tx`update auth.users set email_change_confirm_status = 1 where id = ${userId}`;
    return 'waiting';
  }
  const isVerifiedNow = needsBoth || type === 'email_change_token_new';
  if (!(await changeEmail(tx, userId, requestedEmail, isVerifiedNow)))
    throw createChangeNotPendingError();
  return 'done';
}

function createChangeNotPendingError(): AuthError {
  return new AuthError(400, 'flow_state_not_found', 'This email change is no longer pending');
}
