export interface Redirects {
  /**
   * Returns the URL without its fragment if its origin is allowed, otherwise the app's own origin.
   */
  choose(requested: string | null | undefined): URL;
}

/**
 * Creates the allow-list of redirect origins. The text itself must start with an allowed origin, as
 * parsers disagree on the rest (`https:evil`, `//evil`, backslashes, tabs and other characters they
 * drop).
 */
export function createRedirects(publicOrigin: string, allowedOrigins: string[]): Redirects {
  const allowed = [publicOrigin, ...allowedOrigins].map(parseOrigin);
  return {
    choose(requested) {
      const url = requested ? findAllowed(requested, allowed) : undefined;
      return url ?? new URL(publicOrigin);
    },
  };
}

function findAllowed(requested: string, allowed: string[]): URL | undefined {
  if (requested.length > 2048 || !/^[\x21-\x7e]*$/.test(requested) || requested.includes('\\'))
    return undefined;
  const origin = allowed.find(
    (one) => requested.startsWith(one) && /^([/?#]|$)/.test(requested.slice(one.length)),
  );
  if (origin === undefined || !URL.canParse(requested)) return undefined;
  const url = new URL(requested);
  if (url.origin !== origin || url.username !== '' || url.password !== '') return undefined;
  url.hash = '';
  return url;
}

function parseOrigin(text: string): string {
  if (!URL.canParse(text) || new URL(text).origin !== text) {
    throw new Error(`${text} isn’t an origin (scheme://host:port).`);
  }
  return text;
}
