import { AuthError } from './auth-error.ts';
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
import type { AuthRequestBody, UserData } from './input.ts';
import { consumeMailLimits, sendLinkMail } from './send-auth-mails.ts';
import { hashPassword } from './passwords.ts';
import { createSessionResponse, createSession } from './sessions.ts';
import { findUser, findUserByEmail, insertEmailUser, insertUser, requireUser } from './users.ts';

interface NewAccount {
  email: string;
  /** Null for a sign-up by a mailed link or code. */
  passwordHash: string | null;
  data: UserData;
}

/**
 * POST /signup: responds with a session, or with the account alone when emails must be confirmed.
 */
export async function handleSignUp(
  ctx: AuthContext,
  body: AuthRequestBody,
  redirectTo: URL,
  clientInfo: ClientInfo,
) {
  assertSignUpEnabled(ctx);
  if (isMissing(body['email']) && isMissing(body['phone']) && isMissing(body['password'])) {
    return signInAnonymously(ctx, body, clientInfo);
  }
  if (!isMissing(body['phone'])) {
    throw new AuthError(400, 'phone_provider_disabled', 'Phone signups are disabled');
  }
  ctx.limits.signUpFromAddress.consume(clientInfo.rateLimitKey);
  const email = parseEmail(body['email']);
  const data = parseUserData(body['data']);
  const { username } = data;
  const accountNames = typeof username === 'string' ? { email, username } : { email };
  const password = parseNewPassword(body['password'], accountNames);
  const challenge = parsePkceChallenge(body);
  if (ctx.confirmEmail) consumeMailLimits(ctx, email, clientInfo);
  const account = { email, data, passwordHash: await hashPassword(password) };
  if (!ctx.confirmEmail) return signUpConfirmed(ctx, account, clientInfo);
  const { user, isNew } = await createUnconfirmedAccount(ctx, account);
  ctx.background.run('Sending a sign-up email', async () => {
    if (!isNew) return ctx.mailer.send({ kind: 'already-registered', to: email });
    await sendLinkMail(ctx, { userId: user.id, email, type: 'signup', challenge, redirectTo });
  });
  return user;
}

export function assertSignUpEnabled(ctx: AuthContext): void {
  if (ctx.settings.isSignUpEnabled) return;
  throw new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance');
}

/** Creates an account without email and password; PUT /user makes it permanent. */
async function signInAnonymously(ctx: AuthContext, body: AuthRequestBody, clientInfo: ClientInfo) {
  if (!ctx.settings.isAnonymousSignInEnabled) {
    throw new AuthError(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled');
  }
  ctx.limits.anonymousFromAddress.consume(clientInfo.rateLimitKey);
  const data = parseUserData(body['data']);
  const id = crypto.randomUUID();
  return ctx.sql.begin(async (tx) => {
    await insertUser(tx, {
      id,
      email: null,
      passwordHash: null,
      data,
      app: {},
      isConfirmed: false,
      isAnonymous: true,
    });
    const tokens = await createSession(tx, id, 'anonymous', clientInfo);
    return createSessionResponse(ctx, tx, requireUser(await findUser(tx, id)), tokens);
  });
}

async function signUpConfirmed(ctx: AuthContext, account: NewAccount, clientInfo: ClientInfo) {
  return ctx.sql.begin(async (tx) => {
    if (!(await claimEmail(tx, account.email))) {
      throw new AuthError(422, 'user_already_exists', 'User already registered');
    }
    const { id } = await insertEmailUser(tx, { ...account, isConfirmed: true });
    const tokens = await createSession(tx, id, 'password', clientInfo);
    return createSessionResponse(ctx, tx, requireUser(await findUser(tx, id)), tokens);
  });
}

/**
 * Creates an account that awaits confirmation. Does not reveal whether the address already has one:
 * only its owner is told, by mail. A known address runs the same steps with a placeholder account
 * that is rolled back, so that a taken username is rejected in both cases.
 */
export async function createUnconfirmedAccount(
  ctx: AuthContext,
  account: NewAccount,
): Promise<{ user: UserResponse; isNew: boolean }> {
  return ctx.sql.begin(async (tx) => {
    const isFree = await claimEmail(tx, account.email);
    if (!isFree) return { user: await simulateSignUp(tx, account), isNew: false };
    const { id } = await insertEmailUser(tx, { ...account, isConfirmed: false });
    await tx`update auth.users set confirmation_sent_at = now() where id = ${id}`;
    return { user: await describeUser(tx, requireUser(await findUser(tx, id))), isNew: true };
  });
}

/**
 * Returns whether `email` is free. Deletes an account that was never confirmed, with its password
 * and usernames: whoever created it has not proved to own the address (AU-17).
 */
export async function claimEmail(tx: Transaction, email: string): Promise<boolean> {
  await tx`select pg_advisory_xact_lock(hashtext(${email}))`;
  const existing = await findUserByEmail(tx, email);
  if (existing === undefined) return true;
  if (existing.email_confirmed_at !== null) return false;
  await tx`delete from auth.users where id = ${existing.id}`;
  return true;
}

class SimulatedSignUp extends Error {
  readonly user: UserResponse;

  constructor(user: UserResponse) {
    super('rolled back on purpose');
    this.user = user;
  }
}

async function simulateSignUp(tx: Transaction, account: NewAccount): Promise<UserResponse> {
  const placeholderEmail = `${crypto.randomUUID()}@rehearsal.invalid`;
  try {
    await tx.savepoint(async (inner) => {
      const { id } = await insertEmailUser(inner, {
        ...account,
        email: placeholderEmail,
        isConfirmed: false,
      });
      await inner`update auth.users set confirmation_sent_at = now() where id = ${id}`;
      throw new SimulatedSignUp(await describeUser(inner, requireUser(await findUser(inner, id))));
    });
  } catch (error) {
    if (!(error instanceof SimulatedSignUp)) throw error;
    const text = JSON.stringify(error.user).replaceAll(placeholderEmail, account.email);
    return JSON.parse(text) as UserResponse;
  }
  throw new Error('A simulated sign-up was not rolled back.');
}
