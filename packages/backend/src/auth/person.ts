import { AuthError, invalid } from './auth-error.ts';
import type { AuthContext } from './context.ts';
import type { AccessClaims } from './keys.ts';
import { endSessions } from './sessions.ts';
import type { AssuranceLevel, SignOutScope } from './sessions.ts';
import { findUser, refuseBanned, requireUser } from './users.ts';
import type { UserRow } from './users.ts';

/** Who is signed in, by a valid token of a session that has not been ended. */
export interface Person {
  user: UserRow;
  sessionId: string;
  /** Signed in within the last day; older sessions give their password again for what matters. */
  isRecent: boolean;
  /** With a second factor or without. */
  level: AssuranceLevel;
}

export async function requirePerson(ctx: AuthContext, request: Request): Promise<Person> {
  const claims = await readClaims(ctx, request);
  const [session] = await ctx.sql<{ isRecent: boolean; level: AssuranceLevel }[]>`
    select created_at > now() - interval '24 hours' as "isRecent", aal as level
    from auth.sessions
    where id = ${claims.session_id} and user_id = ${claims.sub}
      and (not_after is null or not_after > now())`;
  if (session === undefined) {
    throw new AuthError(
      403,
      'session_not_found',
      'Session from session_id claim in JWT does not exist',
    );
  }
  const user = requireUser(await findUser(ctx.sql, claims.sub));
  refuseBanned(user);
  return { user, sessionId: claims.session_id, ...session };
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
