import { AuthError, invalid } from './auth-error.ts';
import { mailChangeNotice } from './change-notice.ts';
import type { AuthContext, Caller, Transaction } from './context.ts';
import {
  isRecord,
  parseEmail,
  parseNewPassword,
  parseUserData,
  requireChallenge,
} from './input.ts';
import type { Body } from './input.ts';
import type { AccessClaims } from './keys.ts';
import { countMail, mailLink } from './mailed-links.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import { endSessions } from './sessions.ts';
import type { SignOutScope } from './sessions.ts';
import {
  changeEmail,
  describeUser,
  findUser,
  findUserByEmail,
  refusalsAsAnswers,
  refuseBanned,
  requireUser,
  toJson,
} from './users.ts';
import type { UserAnswer, UserRow } from './users.ts';

/** Who is signed in, by a valid token of a session that has not been ended. */
export interface Person {
  user: UserRow;
  sessionId: string;
  /** Signed in within the last day; older sessions give their password again for what matters. */
  isRecent: boolean;
}

export async function requirePerson(ctx: AuthContext, request: Request): Promise<Person> {
  const claims = await readClaims(ctx, request);
  const [session] = await ctx.sql<{ isRecent: boolean }[]>`
    select created_at > now() - interval '24 hours' as "isRecent" from auth.sessions
    where id = ${claims.session_id} and user_id = ${claims.sub}`;
  if (session === undefined) {
    throw new AuthError(
      403,
      'session_not_found',
      'Session from session_id claim in JWT does not exist',
    );
  }
  const user = requireUser(await findUser(ctx.sql, claims.sub));
  refuseBanned(user);
  return { user, sessionId: claims.session_id, isRecent: session.isRecent };
}

async function readClaims(ctx: AuthContext, request: Request): Promise<AccessClaims> {
  const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(
    request.headers.get('authorization') ?? '',
  );
  if (!token?.[1]) {
    throw new AuthError(401, 'no_authorization', 'This endpoint requires a valid Bearer token');
  }
  try {
    return await ctx.keys.verify(token[1]);
  } catch {
    // Whatever is wrong with it, and whoever sent it learns no more.
    throw new AuthError(403, 'bad_jwt', 'invalid JWT: unable to parse or verify signature');
  }
}

/** POST /logout */
export async function signOut(ctx: AuthContext, person: Person, scope: string | null) {
  const wished = scope ?? 'global';
  if (!isScope(wished)) throw invalid('Unsupported logout scope');
  await endSessions(ctx.sql, {
    userId: person.user.id,
    sessionId: person.sessionId,
    scope: wished,
  });
}

function isScope(text: string): text is SignOutScope {
  return text === 'global' || text === 'local' || text === 'others';
}

/** PUT /user: data, password and e-mail address, each if it is there. */
export async function updateUser(
  ctx: AuthContext,
  person: Person,
  body: Body,
  redirectTo: URL,
  caller: Caller,
): Promise<UserAnswer> {
  const { user } = person;
  const email = isPresent(body['email']) ? parseEmail(body['email']) : undefined;
  const isNewEmail = email !== undefined && email !== user.email;
  const passwordHash = isPresent(body['password'])
    ? await prepareNewPassword(ctx, person, body, caller)
    : undefined;
  if (isNewEmail && passwordHash === undefined) await requireRecent(ctx, person, body, caller);
  const data = isPresent(body['data']) ? parseUserData(mergeData(user, body['data'])) : undefined;
  const challenge = isNewEmail && ctx.confirmEmail ? requireChallenge(body) : undefined;
  if (passwordHash !== undefined) mailChangeNotice(ctx, user, 'password-changed');
  if (isNewEmail && challenge === undefined) mailChangeNotice(ctx, user, 'email-changed');
  if (challenge !== undefined && email !== undefined) countMail(ctx, email, caller);

  const updated = await ctx.sql.begin(async (tx) => {
    if (data !== undefined) await writeData(tx, user, data);
    if (passwordHash !== undefined) await writePassword(tx, person, passwordHash);
    if (isNewEmail && ctx.confirmEmail) await openEmailChange(tx, user, email);
    if (isNewEmail && !ctx.confirmEmail && !(await changeEmail(tx, user.id, email))) {
      throw new AuthError(
        422,
        'email_exists',
        'A user with this email address has already been registered',
      );
    }
    return describeUser(tx, requireUser(await findUser(tx, user.id)));
  });
  if (challenge !== undefined && email !== undefined) {
    // Not told to whoever asks whether the address has an account already: then nothing is mailed.
    ctx.background.run('Mail for a change of address', async () => {
      if ((await findUserByEmail(ctx.sql, email)) !== undefined) return;
      await mailLink(ctx, { userId: user.id, email, type: 'email_change', challenge, redirectTo });
    });
  }
  return updated;
}

async function prepareNewPassword(
  ctx: AuthContext,
  person: Person,
  body: Body,
  caller: Caller,
): Promise<string> {
  const { user } = person;
  const username = user.raw_user_meta_data?.['username'];
  const email = user.email ?? '';
  const account = typeof username === 'string' ? { email, username } : { email };
  const password = parseNewPassword(body['password'], account);
  await requireRecent(ctx, person, body, caller);
  if (await verifyPassword(password, user.encrypted_password)) {
    throw new AuthError(
      422,
      'same_password',
      'New password should be different from the old password.',
    );
  }
  return hashPassword(password);
}

/** A stolen token of an old session is not enough to take the account over. */
async function requireRecent(ctx: AuthContext, person: Person, body: Body, caller: Caller) {
  const { current_password: current } = body;
  if (!isPresent(current)) {
    if (person.isRecent) return;
    throw new AuthError(
      400,
      'reauthentication_needed',
      'Sign in again, or send current_password, to change this',
    );
  }
  const { wrongPassword } = ctx.limits;
  const key = `${person.user.email} ${caller.address}`;
  wrongPassword.take(key);
  const matches =
    typeof current === 'string' && (await verifyPassword(current, person.user.encrypted_password));
  if (!matches) throw new AuthError(400, 'invalid_credentials', 'Current password is wrong');
  wrongPassword.giveBack(key);
}

/** Named keys are set, keys given as null are removed, the others stay; ours are added later. */
function mergeData(user: UserRow, data: unknown): unknown {
  if (!isRecord(data)) return data;
  const ours = ['sub', 'email', 'email_verified', 'phone_verified'];
  const merged = Object.entries({ ...user.raw_user_meta_data, ...data });
  return Object.fromEntries(merged.filter(([key, value]) => value !== null && !ours.includes(key)));
}

/** What the person says may not replace what we know: address and id stay as they are. */
async function writeData(tx: Transaction, user: UserRow, data: Record<string, unknown>) {
  const known = {
    sub: user.id,
    email: user.email,
    email_verified: user.email_confirmed_at !== null,
  };
  const json = tx.json(toJson({ ...data, ...known, phone_verified: false }));
  await refusalsAsAnswers(async () => {
    await tx`update auth.users set raw_user_meta_data = ${json}, updated_at = now() where id = ${user.id}`;
  });
}

/** A new password ends every other session and voids the links that would get round it. */
async function writePassword(tx: Transaction, person: Person, passwordHash: string) {
  const { user, sessionId } = person;
  await tx`
    update auth.users set encrypted_password = ${passwordHash}, updated_at = now()
    where id = ${user.id}`;
  await tx`
    delete from auth.flow_state where user_id = ${user.id} and authentication_method = 'recovery'`;
  await endSessions(tx, { userId: user.id, sessionId, scope: 'others' });
}

async function openEmailChange(tx: Transaction, user: UserRow, email: string) {
  await tx`
    update auth.users set email_change = ${email}, email_change_sent_at = now(), updated_at = now()
    where id = ${user.id}`;
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
