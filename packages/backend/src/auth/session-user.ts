import { AuthError, createValidationError } from './auth-error.ts';
import type { AuthContext } from './context.ts';
import type { AccessClaims, AssuranceLevel } from './keys.ts';
import { endSessions } from './sessions.ts';
import type { SignOutScope } from './sessions.ts';
import { findUser, assertNotBanned, requireUser } from './users.ts';
import type { UserRow } from './users.ts';

/** The user of a valid access token whose session exists. */
export interface SessionUser {
  user: UserRow;
  sessionId: string;
  /**
   * Assurance level: the lower one of the token's and the session's. A token that was issued before
   * the user entered a code stays at `aal1`, and so does a session whose factor was removed.
   */
  level: AssuranceLevel;
  /** Whether the account has a verified factor and this session has not verified a code. */
  isPendingMfa: boolean;
  /**
   * Whether the user authenticated within the last ten minutes: with a factor if the account has
   * one, otherwise by any method.
   */
  isRecentlyAuthenticated: boolean;
}

/** Seconds for which an authentication allows changes to the account's security. */
const recentAuthenticationSeconds = 600;

/**
 * Authenticates a request at the assurance level that the account requires. Throws
 * `insufficient_aal` if the level is lower. Every endpoint uses it, except those that complete the
 * sign-in.
 */
export async function requireSessionUser(ctx: AuthContext, request: Request): Promise<SessionUser> {
  const sessionUser = await requireSessionUserAtAnyLevel(ctx, request);
  assertMfaCompleted(sessionUser);
  return sessionUser;
}

function assertMfaCompleted({ isPendingMfa }: SessionUser): void {
  if (!isPendingMfa) return;
  throw new AuthError(403, 'insufficient_aal', 'Verify an MFA factor in this session first');
}

/**
 * Authenticates a request at any assurance level: only for endpoints that users pending MFA need.
 */
export async function requireSessionUserAtAnyLevel(
  ctx: AuthContext,
  request: Request,
): Promise<SessionUser> {
  const claims = await readAccessClaims(ctx, request);
  const [session] = await ctx.sql<
    { hasFactor: boolean; isRecentlyAuthenticated: boolean; level: string }[]
  >`
    select s.aal as level, f.has_factor as "hasFactor", exists (
      select from auth.mfa_amr_claims c
      where c.session_id = s.id and c.updated_at > now() - make_interval(secs => ${recentAuthenticationSeconds})
        and (c.authentication_method = 'totp' or not f.has_factor)
    ) as "isRecentlyAuthenticated"
    from auth.sessions s, lateral (select exists (
      select from auth.mfa_factors where user_id = s.user_id and status = 'verified'
    ) as has_factor) f
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
  assertNotBanned(user);
  const level = claims['aal'] === 'aal2' && session.level === 'aal2' ? 'aal2' : 'aal1';
  return {
    user,
    sessionId: claims.session_id,
    level,
    isPendingMfa: session.hasFactor && level === 'aal1',
    isRecentlyAuthenticated: session.isRecentlyAuthenticated,
  };
}

async function readAccessClaims(ctx: AuthContext, request: Request): Promise<AccessClaims> {
  const token = /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '');
  if (!token?.[1]) {
    throw new AuthError(401, 'no_authorization', 'This endpoint requires a valid Bearer token');
  }
  try {
    return await ctx.keys.verify(token[1]);
  } catch {
    // The reason is not disclosed to the sender.
    throw new AuthError(403, 'bad_jwt', 'invalid JWT: unable to parse or verify signature');
  }
}

/** POST /logout. A user who is pending MFA can only end the current session. */
export async function logOut(ctx: AuthContext, sessionUser: SessionUser, scope: string | null) {
  const requestedScope = scope ?? 'global';
  if (!isSignOutScope(requestedScope)) throw createValidationError('Unsupported logout scope');
  if (requestedScope !== 'local') assertMfaCompleted(sessionUser);
  await endSessions(ctx.sql, {
    userId: sessionUser.user.id,
    sessionId: sessionUser.sessionId,
    scope: requestedScope,
  });
}

function isSignOutScope(text: string): text is SignOutScope {
  return text === 'global' || text === 'local' || text === 'others';
}
