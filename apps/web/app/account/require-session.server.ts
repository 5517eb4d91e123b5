import { redirect } from 'react-router';
import type { RequestContext } from '../request-context.ts';
import { getNextPath } from '../session/next-path.ts';

/** Redirects signed-in users to `next`. Other tabs follow a sign-in through this, too. */
export function requireSignedOut({ claims }: RequestContext, url: URL): { next: string } {
  const next = getNextPath(url);
  if (claims) throw redirect(next);
  return { next };
}

/** Redirects visitors to sign in, and back afterwards. Returns the verified claims. */
export function requireSignedIn(
  { claims }: RequestContext,
  { pathname, search }: URL,
): NonNullable<RequestContext['claims']> {
  if (claims) return claims;
  throw redirect(`/auth/sign-in?next=${encodeURIComponent(pathname + search)}`);
}
