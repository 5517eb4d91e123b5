import { createServerClient, serializeCookieHeader, type CookieOptions } from '@supabase/ssr';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { RequestContext } from '../app/request-context.ts';

/** Name and attributes of a cookie, or of the session's cookies, for one origin. */
interface SessionCookie {
  readonly name: string;
  readonly secure: boolean;
}

/** Returns the session cookie's settings for an origin and browser. */
export function getSessionCookie(origin: string, userAgent: string): SessionCookie {
  return getHostCookie('vitrine-session', origin, userAgent);
}

/**
 * Returns the settings of a cookie that belongs to one host. The `__Host-` prefix prevents sibling
 * hosts from planting it; it requires `Secure`, which browsers accept over HTTPS and, except
 * Safari, over HTTP on `localhost` names.
 */
export function getHostCookie(name: string, origin: string, userAgent: string): SessionCookie {
  const { protocol, hostname } = new URL(origin);
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  const isSafari = userAgent.includes('Safari/') && !/Chrom(e|ium)\//.test(userAgent);
  const secure = protocol === 'https:' || (isLocal && !isSafari);
  return { name: secure ? `__Host-${name}` : name, secure };
}

/** Options for `@supabase/ssr`, the same on the server and in the browser. */
export function getCookieOptions(cookie: SessionCookie): CookieOptions & { name: string } {
  return { name: cookie.name, secure: cookie.secure, path: '/', sameSite: 'lax', priority: 'high' };
}

interface Cookie {
  readonly name: string;
  readonly value: string;
}

/** Limit for the chunks of a session, each up to 3,180 characters. Real sessions have fewer. */
const maxChunks = 8;

/**
 * Parses the session's cookies in a `Cookie` header strictly: exact ASCII names, no name twice,
 * chunks without gaps, base64url that decodes to JSON. Anything else counts as no session, so that
 * two sessions never mix.
 */
export function parseSessionCookies(header: string, name: string): Cookie[] {
  const pairs = header.split(';').map(parsePair);
  const own = pairs.filter(
    (pair) =>
      pair.name === name || pair.name.startsWith(`${name}.`) || pair.name.startsWith(`${name}-`),
  );
  const names = new Set(own.map((pair) => pair.name));
  if (names.size !== own.length) return [];
  const verifier = own.filter((pair) => pair.name.startsWith(`${name}-`));
  const chunks = own.filter((pair) => !pair.name.startsWith(`${name}-`));
  return [
    ...(isSession(chunks, name) ? chunks : []),
    ...verifier.filter((pair) => isEncoded(pair.value)),
  ];
}

/** Parses the values of all cookies with exactly this name in a `Cookie` header. */
export function parseCookieValues(header: string, name: string): string[] {
  const pairs = header.split(';').map(parsePair);
  return pairs.filter((pair) => pair.name === name).map((pair) => pair.value);
}

function parsePair(pair: string): Cookie {
  // Trims only spaces and tabs: trimming Unicode would turn "\u2000__Host-x" into "__Host-x".
  const trimmed = pair.replace(/^[ \t]+|[ \t]+$/g, '');
  const equals = trimmed.indexOf('=');
  if (equals < 1) return { name: '', value: '' };
  return { name: trimmed.slice(0, equals), value: trimmed.slice(equals + 1) };
}

function isSession(chunks: readonly Cookie[], name: string): boolean {
  if (chunks.length === 0 || chunks.length > maxChunks) return false;
  const byName = new Map(chunks.map((chunk) => [chunk.name, chunk.value]));
  const single = byName.get(name);
  if (single !== undefined) return chunks.length === 1 && isEncoded(single);
  const ordered = chunks.map((_, index) => byName.get(`${name}.${index}`));
  return ordered.every((value) => value !== undefined) && isEncoded(ordered.join(''));
}

/** Whether a value is `base64-` and the base64url of JSON, as `@supabase/ssr` writes it. */
function isEncoded(value: string): boolean {
  const match = /^base64-([A-Za-z0-9_-]+)$/.exec(value);
  if (!match?.[1]) return false;
  try {
    JSON.parse(Buffer.from(match[1], 'base64url').toString('utf8'));
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** How the server itself reaches the backend. */
export interface BackendAccess {
  readonly url: string;
  readonly publishableKey: string;
  /**
   * Returns a `fetch` to the backend in this process or another one, on behalf of a client address
   * (for rate limits), or of this process itself ('', not limited). Undefined for a hosted backend.
   */
  readonly fetchFrom: ((address: string) => typeof fetch) | undefined;
}

export interface Session {
  /** Created when it's first read: pages for visitors may need none. */
  readonly supabase: SupabaseClient;
  readonly claims: RequestContext['claims'];
  readonly pendingMfaClaims: RequestContext['pendingMfaClaims'];
  /** The access token and its expiry (ms since the epoch), or null for a visitor. */
  getAccessToken(): Promise<{ accessToken: string; expiresAt: number } | null>;
}

/**
 * Opens the session in a request's cookies. Claims come from the access token, whose signature is
 * verified. An expired token is refreshed, with its new cookies added to `headers`. If the session
 * was ended elsewhere, its cookies are cleared and the request counts as a visitor's.
 */
export async function openSession(
  backend: BackendAccess,
  cookie: SessionCookie,
  { cookieHeader, address }: { cookieHeader: string; address: string },
  headers: Headers,
): Promise<Session> {
  const cookies = parseSessionCookies(cookieHeader, cookie.name);
  let client: SupabaseClient | undefined;
  const getClient = () =>
    (client ??= createServerClient(backend.url, backend.publishableKey, {
      cookieOptions: getCookieOptions(cookie),
      cookies: {
        getAll: () => cookies,
        setAll(changed, cacheHeaders) {
          for (const { name, value, options } of changed) {
            headers.append('Set-Cookie', serializeCookieHeader(name, value, options));
          }
          for (const [name, value] of Object.entries(cacheHeaders)) headers.set(name, value);
        },
      },
      ...(backend.fetchFrom ? { global: { fetch: backend.fetchFrom(address) } } : {}),
    }));
  const found = cookies.length > 0 ? await readClaims(getClient()) : null;
  const status = found === null ? 'ended' : await readStatus(getClient());
  if (found !== null && status === 'ended') await getClient().auth.signOut({ scope: 'local' });
  const claims = status === 'active' ? found : null;
  return {
    get supabase() {
      return getClient();
    },
    claims,
    pendingMfaClaims: status === 'mfa_required' ? found : null,
    async getAccessToken() {
      if (!claims) return null;
      const { session } = (await getClient().auth.getSession()).data;
      if (!session) return null;
      return { accessToken: session.access_token, expiresAt: (session.expires_at ?? 0) * 1_000 };
    },
  };
}

type SessionStatus = 'active' | 'mfa_required' | 'ended';

/**
 * Loads whether the database still accepts the session of a valid token. If it is unreachable, the
 * session counts as active, since no private data can be read then.
 */
async function readStatus(supabase: SupabaseClient): Promise<SessionStatus> {
  const { data } = await supabase.rpc('session_status', {}, { get: true });
  return data === 'mfa_required' || data === 'ended' ? data : 'active';
}

async function readClaims(supabase: SupabaseClient) {
  const { data } = await supabase.auth.getClaims();
  const claims = data?.claims;
  if (!claims || typeof claims.sub !== 'string' || typeof claims.session_id !== 'string')
    return null;
  return {
    sub: claims.sub,
    email: typeof claims.email === 'string' ? claims.email : '',
    sessionId: claims.session_id,
  };
}
