import type { AuthContext, ClientInfo } from './context.ts';
import { createFlow } from './flows.ts';
import type { FlowPurpose } from './flows.ts';
import type { PkceChallenge } from './input.ts';
import { createOneTimeToken, tokenTypeByMailType } from './one-time-tokens.ts';
import type { MailType, TokenType } from './one-time-tokens.ts';

const flowPurposes = {
  signup: 'email/signup',
  invite: 'invite',
  recovery: 'recovery',
  magiclink: 'magiclink',
  email_change: 'email_change',
} as const satisfies Record<MailType, FlowPurpose>;

/** Counts a mail against the limits by the address as typed, before the account is looked up. */
export function consumeMailLimits(ctx: AuthContext, email: string, clientInfo: ClientInfo): void {
  const { limits } = ctx;
  limits.mailFromAddress.consume(clientInfo.rateLimitKey);
  limits.mailFromAddressInAnHour.consume(clientInfo.rateLimitKey);
  limits.mailTo.consume(email);
  limits.mailToInAnHour.consume(email);
  limits.mailInAnHour.consume('all');
}

interface LinkMail {
  userId: string;
  email: string;
  type: MailType;
  /** The challenge of the requesting browser; without one, the mail contains only a code. */
  challenge: PkceChallenge | undefined;
  redirectTo: URL;
}

/**
 * Creates flow and token, and sends the mail. A new email address is confirmed in the requesting
 * browser where possible: a mistyped address belongs to a stranger, who could enter the code.
 */
export async function sendLinkMail(ctx: AuthContext, mail: LinkMail): Promise<void> {
  const { userId, email, type, challenge } = mail;
  const withCode = type !== 'email_change' || challenge === undefined;
  const { token, code } = await ctx.sql.begin(async (tx) => {
    const flowId =
      challenge === undefined ? null : await createFlow(tx, userId, flowPurposes[type], challenge);
    return createOneTimeToken(
      ctx,
      tx,
      { userId, email, flowId, type: tokenTypeByMailType[type] },
      { withCode },
    );
  });
  await ctx.mailer.send({
    kind: type,
    to: email,
    ...(challenge === undefined
      ? {}
      : { link: createVerifyUrl(ctx, token, type, mail.redirectTo) }),
    ...(withCode ? { code } : {}),
  });
}

/**
 * Sends an invitation. The link leads to the app with the token, as no browser has requested it.
 */
export async function sendInvitation(
  ctx: AuthContext,
  mail: { userId: string; email: string; redirectTo: URL },
): Promise<void> {
  const { userId, email } = mail;
  const { token, code } = await ctx.sql.begin((tx) =>
    createOneTimeToken(
      ctx,
      tx,
      { userId, email, flowId: null, type: tokenTypeByMailType.invite },
      { withCode: true },
    ),
  );
  const link = createVerifyUrl(ctx, token, 'invite', mail.redirectTo);
  await ctx.mailer.send({ kind: 'invite', to: email, link, code });
}

/** Sends a code to the account's own address. */
export async function sendCodeMail(
  ctx: AuthContext,
  mail: { userId: string; email: string; kind: 'reauthentication' | 'email_change_current' },
): Promise<void> {
  const type: TokenType =
    mail.kind === 'reauthentication' ? 'reauthentication_token' : 'email_change_token_current';
  const { userId, email } = mail;
  const { code } = await ctx.sql.begin((tx) =>
    createOneTimeToken(ctx, tx, { userId, email, flowId: null, type }, { withCode: true }),
  );
  await ctx.mailer.send({ kind: mail.kind, to: email, code });
}

/**
 * Builds the URL of a mailed link. The host is this instance's, whatever host the request named.
 */
export function createVerifyUrl(
  ctx: AuthContext,
  token: string,
  type: string,
  redirectTo: URL,
): string {
  const link = new URL('/auth/v1/verify', ctx.publicOrigin);
  link.searchParams.set('token', token);
  link.searchParams.set('type', type);
  link.searchParams.set('redirect_to', redirectTo.href);
  return link.href;
}
