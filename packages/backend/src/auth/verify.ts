import { AuthError } from './auth-error.ts';
import type { AuthContext, Caller } from './context.ts';
import { endFlow, issueCode } from './flows.ts';
import type { Body } from './input.ts';
import { findLink, parseLinkTypes, purposes } from './links.ts';
import { applyPurpose } from './mailed-links.ts';
import { answerSession, createSession } from './sessions.ts';
import { confirmEmail, findUser, refuseBanned, requireUser } from './users.ts';

const expired = 'Email link is invalid or has expired';

/**
 * GET /verify, the mailed link: back to the app with a code, never with tokens. The link stays good
 * until its code is redeemed, since mail scanners follow links before people do (AU-13); what it
 * changes by itself is only that an address is confirmed.
 */
export async function followLink(ctx: AuthContext, query: URLSearchParams, caller: Caller) {
  const target = ctx.redirects.choose(query.get('redirect_to'));
  const types = parseLinkTypes(query.get('type'));
  ctx.limits.wrongLinkFromAddress.take(caller.address);
  const code = await ctx.sql.begin(async (tx) => {
    const link = await findLink(tx, query.get('token'), types);
    if (link === undefined) return undefined;
    if (link.type === 'signup') await confirmEmail(tx, link.userId);
    return issueCode(tx, link.flowId);
  });
  if (code === undefined) {
    target.searchParams.set('error', 'access_denied');
    target.searchParams.set('error_code', 'otp_expired');
    target.searchParams.set('error_description', expired);
    return target;
  }
  ctx.limits.wrongLinkFromAddress.giveBack(caller.address);
  target.searchParams.set('code', code);
  return target;
}

/**
 * POST /verify with the mail's token_hash: a session for whoever has the mail. For a page of the app
 * where a person presses a button, on a device that did not ask for the mail. Not for a change of
 * address: mistyped, the new one is a stranger's, who must not get the account with it. That takes
 * the browser that asked.
 */
export async function redeemLink(ctx: AuthContext, body: Body, caller: Caller) {
  const types = parseLinkTypes(body['type']).filter((type) => type !== 'email_change');
  ctx.limits.wrongLinkFromAddress.take(caller.address);
  const answer = await ctx.sql.begin(async (tx) => {
    const link = await findLink(tx, body['token_hash'], types);
    if (link === undefined)
      throw new AuthError(403, 'otp_expired', 'Token has expired or is invalid');
    await endFlow(tx, link.flowId);
    refuseBanned(requireUser(await findUser(tx, link.userId)));
    await applyPurpose(tx, link.userId, purposes[link.type], link.email);
    const tokens = await createSession(tx, link.userId, 'otp', caller);
    return answerSession(ctx, tx, requireUser(await findUser(tx, link.userId)), tokens);
  });
  ctx.limits.wrongLinkFromAddress.giveBack(caller.address);
  return answer;
}
