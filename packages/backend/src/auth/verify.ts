import { AuthError, invalid } from './auth-error.ts';
import { mailChangeNotice } from './change-notice.ts';
import type { AuthContext, Caller, Transaction } from './context.ts';
import { issueCode } from './flows.ts';
import { isEmpty, parseEmail } from './input.ts';
import type { Body } from './input.ts';
import { findByCode, findLink, parseTokenTypes } from './links.ts';
import type { Link } from './links.ts';
import { applyProof } from './proofs.ts';
import { answerSession, createSession } from './sessions.ts';
import { findUser, refuseBanned, requireUser } from './users.ts';

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
export async function followLink(ctx: AuthContext, query: URLSearchParams, clientInfo: Caller) {
  const target = ctx.redirects.choose(query.get('redirect_to'));
  const types = parseTokenTypes(query.get('type'));
  const token = query.get('token');
  ctx.limits.wrongLinkFromAddress.take(clientInfo.address);
  const redirectParameters = await ctx.sql.begin(async (tx) => {
    const oneTimeToken = await findLink(ctx, tx, token, types);
    if (oneTimeToken === undefined) return undefined;
    const tokenParameters = { token_hash: token ?? '', type: query.get('type') ?? '' };
    if (oneTimeToken.flowId === null) return tokenParameters;
    const code = await issueCode(tx, oneTimeToken.flowId);
    return oneTimeToken.type === 'confirmation_token' ? { code, ...tokenParameters } : { code };
  });
  if (redirectParameters !== undefined)
    ctx.limits.wrongLinkFromAddress.giveBack(clientInfo.address);
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
export async function redeem(ctx: AuthContext, body: Body, clientInfo: Caller) {
  const find = parseTokenLookup(ctx, body);
  ctx.limits.wrongLinkFromAddress.take(clientInfo.address);
  const outcome = await ctx.sql.begin(async (tx) => {
    const oneTimeToken = await find(tx);
    // Returns instead of throwing: the transaction must commit the count of the wrong code.
    if (oneTimeToken === undefined) return undefined;
    const previousUser = requireUser(await findUser(tx, oneTimeToken.userId));
    refuseBanned(previousUser);
    const isElsewhere = isEmpty(body.token) && oneTimeToken.flowId !== null;
    const state = await applyProof(ctx, tx, oneTimeToken, { isElsewhere });
    if (state === 'waiting') return { previousUser, answer: waitingResponse };
    const tokens = await createSession(tx, oneTimeToken.userId, 'otp', clientInfo);
    const updatedUser = requireUser(await findUser(tx, oneTimeToken.userId));
    return { previousUser, answer: await answerSession(ctx, tx, updatedUser, tokens) };
  });
  if (outcome === undefined) {
    throw new AuthError(403, 'otp_expired', 'Token has expired or is invalid');
  }
  ctx.limits.wrongLinkFromAddress.giveBack(clientInfo.address);
  const { previousUser, answer } = outcome;
  if ('user' in answer && answer.user.email !== previousUser.email) {
    mailChangeNotice(ctx, previousUser, 'email-changed');
  }
  return answer;
}

type FindToken = (tx: Transaction) => Promise<Link | undefined>;

function parseTokenLookup(ctx: AuthContext, body: Body): FindToken {
  const { type, token, token_hash: tokenHash, email, phone } = body;
  if (isEmpty(type)) throw invalid('Verify requires a verification type');
  if (isEmpty(token) === isEmpty(tokenHash)) {
    throw invalid('Verify requires either a token or a token hash');
  }
  if (!isEmpty(phone)) return refusePhone(phone);
  const types = parseTokenTypes(type);
  if (types.length === 0) throw invalid('Unsupported verification type');
  if (isEmpty(token)) return (tx) => findRedeemableToken(ctx, tx, tokenHash, types);
  if (isEmpty(email)) {
    throw invalid('Only an email address or phone number should be provided on verify');
  }
  const address = parseEmail(email);
  const code = typeof token === 'string' ? token : '';
  return (tx) => findByCode(ctx, tx, address, code, types);
}

/**
 * Finds a token that may be redeemed outside the requesting browser. Excludes email changes that a
 * browser requested: a mistyped new address belongs to a stranger, who must not get the account.
 */
async function findRedeemableToken(
  ctx: AuthContext,
  tx: Transaction,
  token: unknown,
  types: Parameters<typeof findLink>[3],
): Promise<Link | undefined> {
  const oneTimeToken = await findLink(ctx, tx, token, types);
  const isChange = oneTimeToken?.type === 'email_change_token_new';
  return isChange && oneTimeToken.flowId !== null ? undefined : oneTimeToken;
}

/** Returns a lookup that never finds anything: phone sign-in is not supported. */
function refusePhone(phone: unknown): FindToken {
  if (typeof phone !== 'string' || !/^\+?[1-9]\d{1,14}$/.test(phone)) {
    throw invalid('Invalid phone number format (E.164 required)');
  }
  return async () => undefined;
}
