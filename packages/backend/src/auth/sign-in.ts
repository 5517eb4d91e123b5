import { AuthError } from './auth-error.ts';
import { mailChangeNotice } from './change-notice.ts';
import type { AuthContext, Caller } from './context.ts';
import { endFlow, openFlow } from './flows.ts';
import type { Flow } from './flows.ts';
import { linkIdentity } from './external-accounts.ts';
import { parseIdentity } from './external-identity.ts';
import { signInWithIdToken } from './id-token.ts';
import { parseEmail, parsePassword } from './input.ts';
import type { Body } from './input.ts';
import { findLinkOfFlow } from './links.ts';
import { refuseGrant } from './not-offered.ts';
import { verifyPassword } from './passwords.ts';
import type { Person } from './person.ts';
import { applyProof } from './proofs.ts';
import { answerSession, createSession, refreshSession } from './sessions.ts';
import { findUser, findUserByEmail, refuseBanned, requireUser } from './users.ts';

/** POST /token */
export async function grantToken(
  ctx: AuthContext,
  grantType: string | null,
  body: Body,
  clientInfo: Caller,
  findSessionUser: () => Promise<Person>,
) {
  if (grantType === 'password') return signInWithPassword(ctx, body, clientInfo);
  if (grantType === 'refresh_token') {
    ctx.limits.refreshFromAddress.take(clientInfo.address);
    return refreshSession(ctx, body['refresh_token']);
  }
  if (grantType === 'pkce') return exchangeCode(ctx, body, clientInfo);
  if (grantType === 'id_token') return signInWithIdToken(ctx, body, clientInfo, findSessionUser);
  throw refuseGrant(grantType);
}

async function signInWithPassword(ctx: AuthContext, body: Body, clientInfo: Caller) {
  const email = parseEmail(body['email']);
  const password = parsePassword(body['password']);
  const refundLimits = consumeAttemptLimits(ctx, email, clientInfo);
  const found = await findUserByEmail(ctx.sql, email);
  const matches = await verifyPassword(password, found?.encrypted_password);
  if (!matches || found === undefined) {
    throw new AuthError(400, 'invalid_credentials', 'Invalid login credentials');
  }
  refundLimits();
  refuseBanned(found);
  if (found.email_confirmed_at === null) {
    throw new AuthError(400, 'email_not_confirmed', 'Email not confirmed');
  }
  return ctx.sql.begin(async (tx) => {
    const tokens = await createSession(tx, found.id, 'password', clientInfo);
    return answerSession(ctx, tx, requireUser(await findUser(tx, found.id)), tokens);
  });
}

/**
 * Counts an attempt before the password is checked, so that concurrent attempts are counted too.
 * Returns a function that refunds it.
 */
function consumeAttemptLimits(ctx: AuthContext, email: string, clientInfo: Caller): () => void {
  const { wrongPassword, wrongPasswordAnywhere, wrongPasswordFromAddress } = ctx.limits;
  const emailAndAddress = `${email} ${clientInfo.address}`;
  wrongPassword.take(emailAndAddress);
  wrongPasswordAnywhere.take(email);
  wrongPasswordFromAddress.take(clientInfo.address);
  return () => {
    wrongPassword.giveBack(emailAndAddress);
    wrongPasswordAnywhere.giveBack(email);
    wrongPasswordFromAddress.giveBack(clientInfo.address);
  };
}

async function exchangeCode(ctx: AuthContext, body: Body, clientInfo: Caller) {
  ctx.limits.wrongLinkFromAddress.take(clientInfo.address);
  const { answer, previousUser } = await ctx.sql.begin(async (tx) => {
    const flow = await openFlow(tx, body['auth_code'], body['code_verifier']);
    const oneTimeToken = await findLinkOfFlow(tx, flow.id);
    await endFlow(tx, flow.id);
    const user = requireUser(await findUser(tx, flow.userId));
    refuseBanned(user);
    if (oneTimeToken !== undefined) await applyProof(ctx, tx, oneTimeToken, { isElsewhere: false });
    const { identity } = flow.provider;
    if (identity !== null) await linkIdentity(tx, user, parseIdentity(identity));
    const tokens = await createSession(tx, flow.userId, flow.purpose, clientInfo);
    const updatedUser = requireUser(await findUser(tx, flow.userId));
    const session = await answerSession(ctx, tx, updatedUser, tokens);
    return { answer: { ...session, ...createProviderTokens(flow.provider) }, previousUser: user };
  });
  if (answer.user.email !== previousUser.email)
    mailChangeNotice(ctx, previousUser, 'email-changed');
  ctx.limits.wrongLinkFromAddress.giveBack(clientInfo.address);
  return answer;
}

/** The provider's own tokens, which are only sent to the client and not stored. */
function createProviderTokens({ accessToken, refreshToken }: Flow['provider']) {
  return {
    ...(accessToken === null ? {} : { provider_token: accessToken }),
    ...(refreshToken === null ? {} : { provider_refresh_token: refreshToken }),
  };
}
