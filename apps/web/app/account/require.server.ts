import { redirect } from 'react-router';
import type { RequestContext } from '../request-context.ts';
import { readNext } from '../session/next-path.ts';

/** Sends who is signed in to where they were going; other tabs follow a sign-in by this too. */
export function requireVisitor({ claims }: RequestContext, url: URL): { next: string } {
  const next = readNext(url);
  if (claims) throw redirect(next);
  return { next };
}

/** Sends a visitor to sign in, and back afterwards. */
export function requireMember(
  { claims }: RequestContext,
  { pathname, search }: URL,
): NonNullable<RequestContext['claims']> {
  if (claims) return claims;
  throw redirect(`/auth/sign-in?next=${encodeURIComponent(pathname + search)}`);
}
