import { isRecord } from '@vitrine/project';
import { AuthError } from './auth-error.ts';
import { sendAccountChangeNotice } from './change-notice.ts';
import type { AuthContext, ClientInfo, Transaction } from './context.ts';
import { describeUser } from './describe-user.ts';
import type { UserResponse } from './describe-user.ts';
import {
  isMissing,
  parsePkceChallenge,
  parseEmail,
  parseNewPassword,
  parseUserData,
} from './input.ts';
import type { AuthRequestBody, PkceChallenge } from './input.ts';
import { consumeMailLimits, sendCodeMail, sendLinkMail } from './send-auth-mails.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import type { SessionUser } from './session-user.ts';
import { hasReauthentication, reauthenticate } from './reauthentication.ts';
import { mapDatabaseErrors } from './database-errors.ts';
import { endSessions } from './sessions.ts';
import { changeEmail, findUser, findUserByEmail, requireUser, toJsonParameter } from './users.ts';
import type { UserRow } from './users.ts';

/**
 * PUT /user: changes metadata, password and email, as far as they are sent. With only
 * `current_password` or `nonce` it re-authenticates the session and changes nothing.
 */
export async function updateOwnUser(
  ctx: AuthContext,
  sessionUser: SessionUser,
  body: AuthRequestBody,
  redirectTo: URL,
  clientInfo: ClientInfo,
): Promise<UserResponse> {
  const { user } = sessionUser;
  const email = isMissing(body['email']) ? undefined : parseEmail(body['email']);
  const isNewEmail = email !== undefined && email !== user.email;
  const password = isMissing(body['password']) ? undefined : parsePassword(user, body);
  if (password !== undefined || isNewEmail || hasReauthentication(body)) {
    await reauthenticate(ctx, sessionUser, body, clientInfo);
  }
  const passwordHash =
    password === undefined ? undefined : await hashDifferentPassword(user, password);
  const data = isMissing(body['data'])
    ? undefined
    : parseUserData(mergeMetadata(user, body['data']));
  const sendsMail = isNewEmail && ctx.confirmEmail;
  const challenge = sendsMail ? parsePkceChallenge(body) : undefined;
  if (passwordHash !== undefined) sendAccountChangeNotice(ctx, user, 'password-changed');
  if (isNewEmail && !sendsMail) sendAccountChangeNotice(ctx, user, 'email-changed');
  if (sendsMail) consumeMailLimits(ctx, email, clientInfo);

  const updatedUser = await ctx.sql.begin(async (tx) => {
    if (data !== undefined) await writeMetadata(tx, user, data);
    if (passwordHash !== undefined) await writePassword(tx, sessionUser, passwordHash);
    if (isNewEmail && sendsMail) await startEmailChange(tx, user, email);
    if (isNewEmail && !sendsMail && !(await changeEmail(tx, user.id, email, false))) {
      throw new AuthError(
        422,
        'email_exists',
        'A user with this email address has already been registered',
      );
    }
    return describeUser(tx, requireUser(await findUser(tx, user.id)));
  });
  if (sendsMail) {
    ctx.background.run('Sending an email-change email', () =>
      sendEmailChangeMails(ctx, user, { email, challenge, redirectTo }),
    );
  }
  return updatedUser;
}

/**
 * Mails a link or code to the new mailbox, and a code to the old one when both must agree. Mails
 * nothing to a new address that already has an account, without disclosing that to the client.
 */
async function sendEmailChangeMails(
  ctx: AuthContext,
  { id: userId, email: current }: UserRow,
  options: { email: string; challenge: PkceChallenge | undefined; redirectTo: URL },
): Promise<void> {
  if (current !== null && ctx.settings.doubleConfirmChanges) {
    await sendCodeMail(ctx, { userId, email: current, kind: 'email_change_current' });
  }
  if ((await findUserByEmail(ctx.sql, options.email)) !== undefined) return;
  await sendLinkMail(ctx, { userId, type: 'email_change', ...options });
}

/** Parses the new password. An anonymous account needs an email first. */
function parsePassword(user: UserRow, body: AuthRequestBody): string {
  if (user.is_anonymous && isMissing(body['email'])) {
    throw new AuthError(
      422,
      'validation_failed',
      'Updating password of an anonymous user without an email or phone is not allowed',
    );
  }
  const username = user.raw_user_meta_data?.['username'];
  const email = user.email ?? '';
  return parseNewPassword(
    body['password'],
    typeof username === 'string' ? { email, username } : { email },
  );
}

async function hashDifferentPassword(user: UserRow, password: string): Promise<string> {
  if (await verifyPassword(password, user.encrypted_password)) {
    throw new AuthError(
      422,
      'same_password',
      'New password should be different from the old password.',
    );
  }
  return hashPassword(password);
}

/** Merges metadata: keys set to null are removed. Drops the keys that only the backend writes. */
function mergeMetadata(user: UserRow, data: unknown): unknown {
  if (!isRecord(data)) return data;
  const backendKeys = ['sub', 'email', 'email_verified', 'phone_verified'];
  const merged = Object.entries({ ...user.raw_user_meta_data, ...data });
  return Object.fromEntries(
    merged.filter(([key, value]) => value !== null && !backendKeys.includes(key)),
  );
}

/**
 * Writes user metadata. The backend's own keys, such as email and id, take precedence over the
 * user's.
 */
async function writeMetadata(tx: Transaction, user: UserRow, data: Record<string, unknown>) {
  const backendData = {
    sub: user.id,
    email: user.email,
    email_verified: user.email_confirmed_at !== null,
    phone_verified: false,
  };
  const json = tx.json(toJsonParameter({ ...data, ...(user.is_anonymous ? {} : backendData) }));
  await mapDatabaseErrors(async () => {
    await tx`update auth.users set raw_user_meta_data = ${json}, updated_at = now() where id = ${user.id}`;
  });
}

/**
 * Writes the password hash, ends all other sessions and voids mails that would bypass the new
 * password.
 */
async function writePassword(tx: Transaction, sessionUser: SessionUser, passwordHash: string) {
  const { user, sessionId } = sessionUser;
  await tx`
    update auth.users set encrypted_password = ${passwordHash}, updated_at = now()
    where id = ${user.id}`;
  await tx`
    delete from auth.flow_state
    where user_id = ${user.id} and authentication_method in ('recovery', 'magiclink')`;
  await tx`
    delete from auth.one_time_tokens
    where user_id = ${user.id} and token_type in ('recovery_token', 'reauthentication_token')`;
  await endSessions(tx, { userId: user.id, sessionId, scope: 'others' });
}

/** Starts an email change, and cancels an earlier one with its mails. */
async function startEmailChange(tx: Transaction, user: UserRow, email: string) {
  await tx`
    delete from auth.flow_state
    where user_id = ${user.id} and authentication_method = 'email_change'`;
  await tx`
    delete from auth.one_time_tokens
    where user_id = ${user.id}
      and token_type in ('email_change_token_new', 'email_change_token_current')`;
  await tx`
    update auth.users set email_change = ${email}, email_change_sent_at = now(),
      email_change_confirm_status = 0, updated_at = now()
    where id = ${user.id}`;
}
