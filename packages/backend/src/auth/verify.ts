import { AuthError, createValidationError } from './auth-error.ts';
import { sendAccountChangeNotice } from './change-notice.ts';
import type { AuthContext, ClientInfo, Transaction } from './context.ts';
import { issueAuthCode } from './flows.ts';
import { isMissing, parseEmail } from './input.ts';
import type { AuthRequestBody } from './input.ts';
import { findOneTimeTokenByCode, findOneTimeToken, parseTokenTypes } from './one-time-tokens.ts';
import type { OneTimeToken } from './one-time-tokens.ts';
import { applyOneTimeToken } from './mailbox-verification.ts';
import { createSessionResponse, createSession } from './sessions.ts';
import { findUser, assertNotBanned, requireUser } from './users.ts';

const expiredMessage = 'Email link is invalid or has expired';

/**
 * GET /verify, the mailed link: redirects to the app with a code, never with tokens. It changes
 * nothing, as mail scanners follow links before users do (AU-13): a sign-up with a stranger's
 * address would otherwise be confirmed by the stranger's scanner. The browser that requested the
 * mail redeems the code by a POST; until then the link stays valid. When no browser requested the
 * mail (an invitation), the app gets the token itself and sends it when the user presses a button.
 * For a sign-up it gets both: the mail may have been opened in another browser, which cannot redeem
 * the code.
 */
export async function followLink(ctx: AuthContext, query: URLSearchParams, clientInfo: ClientInfo) {
  const target = ctx.redirects.choose(query.get('redirect_to'));
  const types = parseTokenTypes(query.get('type'));
  const token = query.get('token');
  ctx.limits.wrongLinkFromAddress.consume(clientInfo.rateLimitKey);
  const redirectParameters = await ctx.sql.begin(async (tx) => {
    const oneTimeToken = await findOneTimeToken(ctx, tx, token, types);
    if (oneTimeToken === undefined) return undefined;
    const tokenParameters = { token_hash: token ?? '', type: query.get('type') ?? '' };
    if (oneTimeToken.flowId === null) return tokenParameters;
    const code = await issueAuthCode(tx, oneTimeToken.flowId);
    return oneTimeToken.type === 'confirmation_token' ? { code, ...tokenParameters } : { code };
  });
  if (redirectParameters !== undefined)
    ctx.limits.wrongLinkFromAddress.refund(clientInfo.rateLimitKey);
  const problem = {
    error: 'access_denied',
    error_code: 'otp_expired',
    error_description: expiredMessage,
  };
  for (const [name, value] of Object.entries(redirectParameters ?? problem))
    target.searchParams.set(name, value);
  return target;
}

const waitingResponse = {
  msg: 'Confirmation link accepted. Please proceed to confirm link sent to the other email',
  code: '200',
};

/**
 * POST /verify with the code of a mail, or with its token_hash: creates a session for the owner of
 * the mailbox. A token_hash comes from a page of the app where the user presses a button, on a
 * device that did not request the mail: a password set in a sign-up elsewhere may be someone
 * else's, and is removed.
 */
export async function verifyOtp(ctx: AuthContext, body: AuthRequestBody, clientInfo: ClientInfo) {
  const find = parseTokenLookup(ctx, body);
  ctx.limits.wrongLinkFromAddress.consume(clientInfo.rateLimitKey);
  const outcome = await ctx.sql.begin(async (tx) => {
    const oneTimeToken = await find(tx);
    // Returns instead of throwing: the transaction must commit the count of the wrong code.
    if (oneTimeToken === undefined) return undefined;
    const previousUser = requireUser(await findUser(tx, oneTimeToken.userId));
    assertNotBanned(previousUser);
    const isElsewhere = isMissing(body.token) && oneTimeToken.flowId !== null;
    const state = await applyOneTimeToken(ctx, tx, oneTimeToken, { isElsewhere });
    if (state === 'waiting') return { previousUser, answer: waitingResponse };
    const tokens = await createSession(tx, oneTimeToken.userId, 'otp', clientInfo);
    const updatedUser = requireUser(await findUser(tx, oneTimeToken.userId));
    return { previousUser, answer: await createSessionResponse(ctx, tx, updatedUser, tokens) };
  });
  if (outcome === undefined) {
    throw new AuthError(403, 'otp_expired', 'Token has expired or is invalid');
  }
  ctx.limits.wrongLinkFromAddress.refund(clientInfo.rateLimitKey);
  const { previousUser, answer } = outcome;
  if ('user' in answer && answer.user.email !== previousUser.email) {
    sendAccountChangeNotice(ctx, previousUser, 'email-changed');
  }
  return answer;
}

type FindToken = (tx: Transaction) => Promise<OneTimeToken | undefined>;

function parseTokenLookup(ctx: AuthContext, body: AuthRequestBody): FindToken {
  const { type, token, token_hash: tokenHash, email, phone } = body;
  if (isMissing(type)) throw createValidationError('Verify requires a verification type');
  if (isMissing(token) === isMissing(tokenHash)) {
    throw createValidationError('Verify requires either a token or a token hash');
  }
  if (!isMissing(phone)) return refusePhone(phone);
  const types = parseTokenTypes(type);
  if (types.length === 0) throw createValidationError('Unsupported verification type');
  if (isMissing(token)) return (tx) => findRedeemableToken(ctx, tx, tokenHash, types);
  if (isMissing(email)) {
    throw createValidationError(
      'Only an email address or phone number should be provided on verify',
    );
  }
  const address = parseEmail(email);
  const code = typeof token === 'string' ? token : '';
  return (tx) => findOneTimeTokenByCode(ctx, tx, address, code, types);
}

/**
 * Finds a token that may be redeemed outside the requesting browser. Excludes email changes that a
 * browser requested: a mistyped new address belongs to a stranger, who must not get the account.
 */
async function findRedeemableToken(
  ctx: AuthContext,
  tx: Transaction,
  token: unknown,
  types: Parameters<typeof findOneTimeToken>[3],
): Promise<OneTimeToken | undefined> {
  const oneTimeToken = await findOneTimeToken(ctx, tx, token, types);
  const isChange = oneTimeToken?.type === 'email_change_token_new';
  return isChange && oneTimeToken.flowId !== null ? undefined : oneTimeToken;
}

/** Returns a lookup that never finds anything: phone sign-in is not supported. */
function refusePhone(phone: unknown): FindToken {
  if (typeof phone !== 'string' || !/^\+?[1-9]\d{1,14}$/.test(phone)) {
    throw createValidationError('Invalid phone number format (E.164 required)');
  }
  return async () => undefined;
}
