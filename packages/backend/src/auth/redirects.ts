export interface Redirects {
  /**
   * Returns the URL without its fragment if its origin is allowed, otherwise the app's own origin.
   */
  choose(wished: string | null | undefined): URL;
}

/**
 * Creates the allow-list of redirect origins. The text itself must start with an allowed origin, as
 * parsers disagree on the rest (`https:evil`, `//evil`, backslashes, tabs and other characters they
 * drop).
 */
export function createRedirects(publicOrigin: string, allowedOrigins: string[]): Redirects {
  const origins = [publicOrigin, ...allowedOrigins].map(parseOrigin);
  return {
    choose(wished) {
      const url = wished ? findAllowed(wished, origins) : undefined;
      return url ?? new URL(publicOrigin);
    },
  };
}

function findAllowed(wished: string, origins: string[]): URL | undefined {
  if (wished.length > 2048 || !/^[\x21-\x7e]*$/.test(wished) || wished.includes('\\'))
    return undefined;
  const origin = origins.find(
    (one) => wished.startsWith(one) && /^([/?#]|$)/.test(wished.slice(one.length)),
  );
  if (origin === undefined || !URL.canParse(wished)) return undefined;
  const url = new URL(wished);
  if (url.origin !== origin || url.username !== '' || url.password !== '') return undefined;
  url.hash = '';
  return url;
}

function parseOrigin(text: string): string {
  if (!URL.canParse(text) || new URL(text).origin !== text) {
    throw new Error(`${text} is not an origin (scheme://host:port).`);
  }
  return text;
}
