/**
 * Re-authentication: changing the password, email, a factor or an identity requires an
 * authentication within the last ten minutes. An older session sends the current password or a
 * mailed code with `PUT /user`; with MFA it verifies a factor again.
 */
import { AuthError, invalid } from './auth-error.ts';
import type { AuthContext, Caller } from './context.ts';
import { isEmpty } from './input.ts';
import type { Body } from './input.ts';
import { endLinks, findByCode } from './links.ts';
import { countMail, mailCode } from './mailed-links.ts';
import { verifyPassword } from './passwords.ts';
import type { Person } from './person.ts';
import { provenInSession } from './proofs.ts';
import { noteMethod } from './sessions.ts';

/**
 * Throws `reauthentication_needed` unless the session is recent. Anonymous accounts are exempt:
 * they have nothing to authenticate with.
 */
export function requireRecent({ isRecent, user }: Person): void {
  if (isRecent || user.is_anonymous) return;
  throw new AuthError(
    400,
    'reauthentication_needed',
    'Authenticate again: verify a factor, or send current_password or a nonce to PUT /user',
  );
}

/** Whether `body` has a password or nonce to re-authenticate with. */
export function bringsProof({ current_password: current, nonce }: Body): boolean {
  return !isEmpty(current) || !isEmpty(nonce);
}

/**
 * Verifies the current password or the mailed code in `body`, after which the session counts as
 * recent. Without either, the session must already be recent.
 */
export async function reauthenticate(
  ctx: AuthContext,
  sessionUser: Person,
  body: Body,
  clientInfo: Caller,
): Promise<void> {
  const { current_password: current, nonce } = body;
  if (!isEmpty(nonce)) await verifyNonce(ctx, sessionUser, nonce, clientInfo);
  else if (!isEmpty(current)) await verifyCurrentPassword(ctx, sessionUser, current);
  else requireRecent(sessionUser);
}

/** Counted by session, so that a stranger's session does not use up the owner's attempts. */
async function verifyCurrentPassword(
  ctx: AuthContext,
  { user, sessionId }: Person,
  current: unknown,
) {
  const { wrongPassword } = ctx.limits;
  const key = `session ${sessionId}`;
  wrongPassword.take(key);
  const matches =
    typeof current === 'string' && (await verifyPassword(current, user.encrypted_password));
  if (!matches) throw new AuthError(400, 'invalid_credentials', 'Current password is incorrect');
  wrongPassword.giveBack(key);
  await noteMethod(ctx.sql, sessionId, 'password');
}

/**
 * GET /reauthenticate: mails a code to the account's own address, for the `nonce` of `PUT /user`.
 */
export async function mailNonce(ctx: AuthContext, { user }: Person, clientInfo: Caller) {
  const { id: userId, email } = user;
  if (email === null) {
    throw invalid('Reauthentication requires the user to have an email or a phone number');
  }
  if (user.email_confirmed_at === null) {
    throw new AuthError(422, 'email_not_confirmed', 'Please verify your email first.');
  }
  countMail(ctx, email, clientInfo);
  await ctx.sql`update auth.users set reauthentication_sent_at = now() where id = ${userId}`;
  ctx.background.run('Sending a code', () =>
    mailCode(ctx, { userId, email, kind: 'reauthentication' }),
  );
}

async function verifyNonce(
  ctx: AuthContext,
  { user, sessionId }: Person,
  nonce: unknown,
  clientInfo: Caller,
): Promise<void> {
  ctx.limits.wrongLinkFromAddress.take(clientInfo.address);
  const isRight = await ctx.sql.begin(async (tx) => {
    const code = typeof nonce === 'string' ? nonce : '';
    const oneTimeToken = await findByCode(ctx, tx, user.email ?? '', code, [
      'reauthentication_token',
    ]);
    // Returns instead of throwing: the transaction must commit the count of the wrong code.
    if (oneTimeToken?.userId !== user.id) return false;
    await endLinks(tx, oneTimeToken);
    await provenInSession(tx, { userId: user.id, sessionId, email: oneTimeToken.email });
    await noteMethod(tx, sessionId, 'otp');
    return true;
  });
  if (!isRight) {
    throw new AuthError(422, 'reauthentication_not_valid', 'Nonce has expired or is invalid');
  }
  ctx.limits.wrongLinkFromAddress.giveBack(clientInfo.address);
}
