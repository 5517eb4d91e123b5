import { redirect } from 'react-router';
import type { RequestContext } from '../../request-context.ts';
import { getNextPath } from '../../session/next-path.ts';

/**
 * Redirects signed-in users to `next`. After a sign-in, other tabs reload and are redirected here, too.
 */
export function requireSignedOut({ claims }: RequestContext, url: URL): { next: string } {
  const next = getNextPath(url);
  if (claims) throw redirect(next);
  return { next };
}

/**
 * Redirects signed-out users to the sign-in page, which leads back to this URL. Returns the verified
 * claims.
 */
export function requireSignedIn(
  { claims }: RequestContext,
  { pathname, search }: URL,
): NonNullable<RequestContext['claims']> {
  if (claims) return claims;
  throw redirect(`/auth/sign-in?next=${encodeURIComponent(pathname + search)}`);
}
