import { AuthError, invalid } from './auth-error.ts';
import type { AuthContext } from './context.ts';
import type { AccessClaims, AssuranceLevel } from './keys.ts';
import { endSessions } from './sessions.ts';
import type { SignOutScope } from './sessions.ts';
import { findUser, refuseBanned, requireUser } from './users.ts';
import type { UserRow } from './users.ts';

/** The signed-in user, by a valid token of a session that has not been ended. */
export interface Person {
  user: UserRow;
  sessionId: string;
  /**
   * The session's assurance level as its token and its row both have it, the lower of the two: a
   * token from before the code was entered stays at `aal1`, and so does one whose factor is gone.
   */
  level: AssuranceLevel;
  /** The account has a verified factor, and this session has not shown one. */
  isPendingMfa: boolean;
  /** Authenticated within the last ten minutes: with MFA by the factor, otherwise in any way. */
  isRecent: boolean;
}

/** Seconds for which an authentication counts for changes to the account's security. */
const recentS = 600;

/**
 * The signed-in user at the assurance level that the account requires. Throws `insufficient_aal`
 * below it: every endpoint goes through here, unless it is one that completes the sign-in.
 */
export async function requirePerson(ctx: AuthContext, request: Request): Promise<Person> {
  const person = await requireSession(ctx, request);
  refusePendingMfa(person);
  return person;
}

export function refusePendingMfa({ isPendingMfa }: Person): void {
  if (!isPendingMfa) return;
  throw new AuthError(403, 'insufficient_aal', 'Verify an MFA factor in this session first');
}

/** The signed-in user at any assurance level: only for what a user who is pending MFA needs. */
export async function requireSession(ctx: AuthContext, request: Request): Promise<Person> {
  const claims = await readClaims(ctx, request);
  const [session] = await ctx.sql<{ hasFactor: boolean; isRecent: boolean; level: string }[]>`
    select s.aal as level, f.has as "hasFactor", exists (
      select from auth.mfa_amr_claims c
      where c.session_id = s.id and c.updated_at > now() - make_interval(secs => ${recentS})
        and (c.authentication_method = 'totp' or not f.has)
    ) as "isRecent"
    from auth.sessions s, lateral (select exists (
      select from auth.mfa_factors where user_id = s.user_id and status = 'verified'
    ) as has) f
    where s.id = ${claims.session_id} and s.user_id = ${claims.sub}
      and (s.not_after is null or s.not_after > now())`;
  if (session === undefined) {
    throw new AuthError(
      403,
      'session_not_found',
      'Session from session_id claim in JWT does not exist',
    );
  }
  const user = requireUser(await findUser(ctx.sql, claims.sub));
  refuseBanned(user);
  const level = claims['aal'] === 'aal2' && session.level === 'aal2' ? 'aal2' : 'aal1';
  return {
    user,
    sessionId: claims.session_id,
    level,
    isPendingMfa: session.hasFactor && level === 'aal1',
    isRecent: session.isRecent,
  };
}

async function readClaims(ctx: AuthContext, request: Request): Promise<AccessClaims> {
  const token = /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '');
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

/** POST /logout. A user who is pending MFA ends this session alone. */
export async function signOut(ctx: AuthContext, person: Person, scope: string | null) {
  const wished = scope ?? 'global';
  if (!isScope(wished)) throw invalid('Unsupported logout scope');
  if (wished !== 'local') refusePendingMfa(person);
  await endSessions(ctx.sql, {
    userId: person.user.id,
    sessionId: person.sessionId,
    scope: wished,
  });
}

function isScope(text: string): text is SignOutScope {
  return text === 'global' || text === 'local' || text === 'others';
}
