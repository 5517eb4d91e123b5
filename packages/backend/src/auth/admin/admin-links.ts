import { createEmailExistsError, findOrCreateUnconfirmedUser } from './admin-users.ts';
import { AuthError, createValidationError } from '../auth-error.ts';
import type { AuthContext, Transaction } from '../context.ts';
import { describeUser } from '../describe-user.ts';
import { isMissing, parseEmail, parseNewPassword } from '../input.ts';
import type { AuthRequestBody } from '../input.ts';
import { createOneTimeToken } from '../one-time-tokens.ts';
import type { TokenType } from '../one-time-tokens.ts';
import { createVerifyUrl, sendInvitation } from '../send-auth-mails.ts';
import { hashPassword } from '../passwords.ts';
import { findUser, findUserByEmail, requireUser } from '../users.ts';
import type { UserRow } from '../users.ts';

/** POST /invite */
export async function inviteUser(ctx: AuthContext, body: AuthRequestBody, redirectTo: URL) {
  const email = parseEmail(body['email']);
  const response = await ctx.sql.begin(async (tx) => {
    const { id } = await findOrCreateUnconfirmedUser(tx, {
      email,
      passwordHash: null,
      data: body['data'],
    });
    await markInvited(tx, id);
    return describeUser(tx, requireUser(await findUser(tx, id)));
  });
  await sendInvitation(ctx, { userId: response.id, email, redirectTo });
  return response;
}

async function markInvited(tx: Transaction, id: string): Promise<void> {
  await tx`
    update auth.users set invited_at = now(), confirmation_sent_at = now(), updated_at = now()
    where id = ${id}`;
}

/** A parsed request for an action link: its type and the mailbox that the link will verify. */
interface LinkRequest {
  type: string;
  tokenType: TokenType;
  email: string;
  newEmail: string | undefined;
}

/**
 * POST /admin/generate_link: what an email would contain, for an operator who sends it themselves.
 * The link leads to the app with the token, never with a session.
 */
export async function generateLink(ctx: AuthContext, body: AuthRequestBody, redirectTo: URL) {
  const linkRequest = await parseLinkRequest(ctx, body);
  const passwordHash = await readPassword(linkRequest, body);
  return ctx.sql.begin(async (tx) => {
    const user = await prepareAccount(ctx, tx, linkRequest, passwordHash, body);
    const mailbox =
      linkRequest.tokenType === 'email_change_token_new' ? linkRequest.newEmail : user.email;
    const { token, code } = await createOneTimeToken(
      ctx,
      tx,
      {
        userId: user.id,
        email: mailbox ?? linkRequest.email,
        flowId: null,
        type: linkRequest.tokenType,
      },
      { withCode: true },
    );
    const linkType = linkRequest.tokenType.startsWith('email_change')
      ? 'email_change'
      : linkRequest.type;
    return {
      ...(await describeUser(tx, requireUser(await findUser(tx, user.id)))),
      action_link: createVerifyUrl(ctx, token, linkType, redirectTo),
      email_otp: code,
      hashed_token: token,
      verification_type: linkRequest.type,
      redirect_to: redirectTo.href,
    };
  });
}

const tokenTypeByLinkType: Readonly<Record<string, TokenType>> = {
  signup: 'confirmation_token',
  invite: 'confirmation_token',
  magiclink: 'recovery_token',
  recovery: 'recovery_token',
  email_change_current: 'email_change_token_current',
  email_change_new: 'email_change_token_new',
};

/** Treats a magic link for an address without an account as a sign-up. */
async function parseLinkRequest(ctx: AuthContext, body: AuthRequestBody): Promise<LinkRequest> {
  const email = parseEmail(body['email']);
  const requestedType = String(body['type']);
  const isUnknownEmail = (await findUserByEmail(ctx.sql, email)) === undefined;
  const type = requestedType === 'magiclink' && isUnknownEmail ? 'signup' : requestedType;
  const tokenType = Object.hasOwn(tokenTypeByLinkType, type)
    ? tokenTypeByLinkType[type]
    : undefined;
  if (tokenType === undefined)
    throw createValidationError(`Invalid email action link type requested: ${requestedType}`);
  if (tokenType !== 'confirmation_token' && isUnknownEmail) {
    throw new AuthError(404, 'user_not_found', 'User with this email not found');
  }
  const isChange = type.startsWith('email_change');
  if (type === 'email_change_current' && !ctx.settings.doubleConfirmChanges) {
    throw createValidationError('Enable secure email change to generate link for current email');
  }
  return { type, tokenType, email, newEmail: isChange ? parseEmail(body['new_email']) : undefined };
}

async function readPassword(
  { type, email }: LinkRequest,
  body: AuthRequestBody,
): Promise<string | null> {
  if (type !== 'signup' || isMissing(body['password'])) return null;
  return hashPassword(parseNewPassword(body['password'], { email }));
}

async function prepareAccount(
  ctx: AuthContext,
  tx: Transaction,
  linkRequest: LinkRequest,
  passwordHash: string | null,
  body: AuthRequestBody,
): Promise<UserRow> {
  const { type, email, newEmail } = linkRequest;
  if (linkRequest.tokenType === 'confirmation_token') {
    const user = await findOrCreateUnconfirmedUser(tx, { email, passwordHash, data: body['data'] });
    if (type === 'invite') await markInvited(tx, user.id);
    else await tx`update auth.users set confirmation_sent_at = now() where id = ${user.id}`;
    return user;
  }
  const user = requireUser(await findUserByEmail(tx, email));
  if (newEmail === undefined) {
    await tx`update auth.users set recovery_sent_at = now() where id = ${user.id}`;
    return user;
  }
  if ((await findUserByEmail(tx, newEmail)) !== undefined) throw createEmailExistsError();
  // The two links of one email change are requested one after the other: an agreement already given
  // stays.
  const isSame = user.email_change === newEmail;
  await tx`
    update auth.users set email_change = ${newEmail}, email_change_sent_at = now(),
      email_change_confirm_status = ${isSame ? user.email_change_confirm_status : 0}
    where id = ${user.id}`;
  return user;
}
