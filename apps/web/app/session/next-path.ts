import { resolveSameOrigin } from '@vitrine/project';

/** Landing page of email links and OAuth providers. */
export const callbackPath = '/auth/callback';

/**
 * Parses the redirect target after sign-in. Only a path on our own origin is accepted:
 * "/work?tab=trash" → the same; "https://evil.test", "//evil.test", "/\evil.test" → "/".
 */
export function parseNextPath(next: string | null): string {
  const address = resolveSameOrigin(next ?? '', 'http://page.invalid');
  return address ? address.pathname + address.search + address.hash : '/';
}

/** Parses the `next` parameter of a URL. */
export function getNextPath(address: URL): string {
  return parseNextPath(address.searchParams.get('next'));
}

/** "/auth/sign-in", "/work" → "/auth/sign-in?next=%2Fwork"; no parameter for "/". */
export function withNextPath(path: string, next: string): string {
  return next === '/' ? path : `${path}?next=${encodeURIComponent(next)}`;
}

/** Parameter of a draft's URL: the visibility to save it with after sign-in. */
export const saveParameter = 'save';

/** Parameter of a project's URL: the id of the unsaved changes to fork after sign-in. */
export const forkParameter = 'fork';

/** Whether something is saved after sign-in: "/draft/x?save=private", "/@ada/x?fork=ID". */
export function savesAfterSignIn(next: string): boolean {
  const { searchParams } = new URL(next, 'http://page.invalid');
  return searchParams.has(saveParameter) || searchParams.has(forkParameter);
}
