import { resolveSameOrigin } from '@vitrine/project';

/** Where mailed links come back to. */
export const callbackPath = '/auth/callback';

/**
 * Where to go after signing in: a path on our own origin, whatever the address says.
 * "/work?tab=trash" → the same; "https://evil.test", "//evil.test", "/\evil.test" → "/".
 */
export function parseNext(next: string | null): string {
  const address = resolveSameOrigin(next ?? '', 'http://page.invalid');
  return address ? address.pathname + address.search + address.hash : '/';
}

/** The `next` of an address. */
export function readNext(address: URL): string {
  return parseNext(address.searchParams.get('next'));
}

/** "/auth/sign-in", "/work" → "/auth/sign-in?next=%2Fwork"; without the parameter where it says nothing. */
export function withNext(path: string, next: string): string {
  return next === '/' ? path : `${path}?next=${encodeURIComponent(next)}`;
}

/** In a draft's address: it is to be saved with this visibility once someone is signed in. */
export const saveParameter = 'save';

/** In a project's address: the unsaved changes to it that become a fork once someone is signed in. */
export const forkParameter = 'fork';

/** "/draft/x?save=private", "/@ada/x?fork=ID": whoever comes there has something to save. */
export function bringsDraft(next: string): boolean {
  const { searchParams } = new URL(next, 'http://page.invalid');
  return searchParams.has(saveParameter) || searchParams.has(forkParameter);
}
