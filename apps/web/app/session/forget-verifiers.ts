import type { PageSettings } from '../request-context.ts';

/**
 * Takes away the verifiers that the auth client keeps for mailed links, when it turns out that none
 * is mailed. The client leaves them in cookies for as long as a session may last.
 */
export function forgetVerifiers({ cookie }: PageSettings): void {
  const attributes = `path=/; max-age=0; samesite=lax${cookie.secure ? '; secure' : ''}`;
  for (const pair of document.cookie.split('; ')) {
    const name = pair.slice(0, pair.indexOf('='));
    if (!name.startsWith(`${cookie.name}-`) || !name.endsWith('-code-verifier')) continue;
    document.cookie = `${name}=; ${attributes}`;
  }
}
