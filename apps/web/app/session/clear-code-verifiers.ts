import type { PageSettings } from '../request-context.ts';

/**
 * Deletes the PKCE code verifiers that the auth client stores for email links, once no link will be
 * used. The client would leave them in cookies for the lifetime of a session.
 */
export function clearCodeVerifiers({ cookie }: PageSettings): void {
  const attributes = `path=/; max-age=0; samesite=lax${cookie.secure ? '; secure' : ''}`;
  for (const pair of document.cookie.split('; ')) {
    const name = pair.slice(0, pair.indexOf('='));
    if (!name.startsWith(`${cookie.name}-`) || !name.endsWith('-code-verifier')) continue;
    document.cookie = `${name}=; ${attributes}`;
  }
}
