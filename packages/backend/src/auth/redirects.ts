export interface Redirects {
  /** The address if it is one of ours, without its fragment; otherwise the app's own. */
  choose(wished: string | null | undefined): URL;
}

/**
 * An exact allow-list of origins. The text itself must begin with an allowed origin, since parsers
 * disagree on the rest (`https:evil`, `//evil`, back slashes, tabs and other characters they drop).
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
    throw new Error(`${text} is no origin (scheme://host:port and nothing else).`);
  }
  return text;
}
