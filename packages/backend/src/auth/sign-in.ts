import { AuthError } from './auth-error.ts';
import { sendAccountChangeNotice } from './change-notice.ts';
import type { AuthContext, ClientInfo } from './context.ts';
import { deleteFlow, findFlowByCode } from './flows.ts';
import type { AuthFlow } from './flows.ts';
import { linkIdentity } from './providers/external-accounts.ts';
import { parseStoredIdentity } from './providers/external-identity.ts';
import { signInWithIdToken } from './providers/id-token.ts';
import { parseEmail, parsePassword } from './input.ts';
import type { AuthRequestBody } from './input.ts';
import { findOneTimeTokenOfFlow } from './one-time-tokens.ts';
import { createGrantTypeError } from './unsupported-sign-in.ts';
import { verifyPassword } from './passwords.ts';
import type { SessionUser } from './session-user.ts';
import { applyOneTimeToken } from './mailbox-verification.ts';
import { createSessionResponse, createSession, refreshSession } from './sessions.ts';
import { findUser, findUserByEmail, assertNotBanned, requireUser } from './users.ts';

/** POST /token */
export async function grantToken(
  ctx: AuthContext,
  grantType: string | null,
  body: AuthRequestBody,
  clientInfo: ClientInfo,
  findSessionUser: () => Promise<SessionUser>,
) {
  if (grantType === 'password') return signInWithPassword(ctx, body, clientInfo);
  if (grantType === 'refresh_token') {
    ctx.limits.refreshFromAddress.consume(clientInfo.rateLimitKey);
    return refreshSession(ctx, body['refresh_token']);
  }
  if (grantType === 'pkce') return exchangeCode(ctx, body, clientInfo);
  if (grantType === 'id_token') return signInWithIdToken(ctx, body, clientInfo, findSessionUser);
  throw createGrantTypeError(grantType);
}

async function signInWithPassword(ctx: AuthContext, body: AuthRequestBody, clientInfo: ClientInfo) {
  const email = parseEmail(body['email']);
  const password = parsePassword(body['password']);
  const refundLimits = consumeAttemptLimits(ctx, email, clientInfo);
  const found = await findUserByEmail(ctx.sql, email);
  const matches = await verifyPassword(password, found?.encrypted_password);
  if (!matches || found === undefined) {
    throw new AuthError(400, 'invalid_credentials', 'Invalid login credentials');
  }
  refundLimits();
  assertNotBanned(found);
  if (found.email_confirmed_at === null) {
    throw new AuthError(400, 'email_not_confirmed', 'Email not confirmed');
  }
  return ctx.sql.begin(async (tx) => {
    const tokens = await createSession(tx, found.id, 'password', clientInfo);
    return createSessionResponse(ctx, tx, requireUser(await findUser(tx, found.id)), tokens);
  });
}

/**
 * Counts an attempt before the password is checked, so that concurrent attempts are counted too.
 * Returns a function that refunds it.
 */
function consumeAttemptLimits(ctx: AuthContext, email: string, clientInfo: ClientInfo): () => void {
  const { wrongPassword, wrongPasswordAnywhere, wrongPasswordFromAddress } = ctx.limits;
  const emailAndAddress = `${email} ${clientInfo.rateLimitKey}`;
  wrongPassword.consume(emailAndAddress);
  wrongPasswordAnywhere.consume(email);
  wrongPasswordFromAddress.consume(clientInfo.rateLimitKey);
  return () => {
    wrongPassword.refund(emailAndAddress);
    wrongPasswordAnywhere.refund(email);
    wrongPasswordFromAddress.refund(clientInfo.rateLimitKey);
  };
}

async function exchangeCode(ctx: AuthContext, body: AuthRequestBody, clientInfo: ClientInfo) {
  ctx.limits.wrongLinkFromAddress.consume(clientInfo.rateLimitKey);
  const { answer, previousUser } = await ctx.sql.begin(async (tx) => {
    const flow = await findFlowByCode(tx, body['auth_code'], body['code_verifier']);
    const oneTimeToken = await findOneTimeTokenOfFlow(tx, flow.id);
    await deleteFlow(tx, flow.id);
    const user = requireUser(await findUser(tx, flow.userId));
    assertNotBanned(user);
    if (oneTimeToken !== undefined)
      await applyOneTimeToken(ctx, tx, oneTimeToken, { isElsewhere: false });
    const { identity } = flow.provider;
    if (identity !== null) await linkIdentity(tx, user, parseStoredIdentity(identity));
    const tokens = await createSession(tx, flow.userId, flow.purpose, clientInfo);
    const updatedUser = requireUser(await findUser(tx, flow.userId));
    const session = await createSessionResponse(ctx, tx, updatedUser, tokens);
    return { answer: { ...session, ...createProviderTokens(flow.provider) }, previousUser: user };
  });
  if (answer.user.email !== previousUser.email)
    sendAccountChangeNotice(ctx, previousUser, 'email-changed');
  ctx.limits.wrongLinkFromAddress.refund(clientInfo.rateLimitKey);
  return answer;
}

/** The provider's own tokens, which are only sent to the client and not stored. */
function createProviderTokens({ accessToken, refreshToken }: AuthFlow['provider']) {
  return {
    ...(accessToken === null ? {} : { provider_token: accessToken }),
    ...(refreshToken === null ? {} : { provider_refresh_token: refreshToken }),
  };
}
