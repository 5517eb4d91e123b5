import { createServerClient, serializeCookieHeader, type CookieOptions } from '@supabase/ssr';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { RequestContext } from '../app/request-context.ts';

/** Name and attributes of a cookie, or of the session's cookies, under one origin. */
export interface SessionCookie {
  readonly name: string;
  readonly secure: boolean;
}

/** The session's cookie under an origin, in a browser. */
export function sessionCookie(origin: string, userAgent: string): SessionCookie {
  return hostCookie('vitrine-session', origin, userAgent);
}

/**
 * Name and attributes of a cookie that belongs to one host. `__Host-` keeps siblings from planting
 * it; it needs `Secure`, which browsers take over HTTPS and, but for Safari, over HTTP on
 * `localhost` names.
 */
export function hostCookie(name: string, origin: string, userAgent: string): SessionCookie {
  const { protocol, hostname } = new URL(origin);
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  const isSafari = userAgent.includes('Safari/') && !/Chrom(e|ium)\//.test(userAgent);
  const secure = protocol === 'https:' || (isLocal && !isSafari);
  return { name: secure ? `__Host-${name}` : name, secure };
}

/** The attributes that server and browser both give to the session's cookies. */
export function cookieOptions(cookie: SessionCookie): CookieOptions & { name: string } {
  return { name: cookie.name, secure: cookie.secure, path: '/', sameSite: 'lax', priority: 'high' };
}

interface Cookie {
  readonly name: string;
  readonly value: string;
}

/** More chunks than any session has: 8 × 3,180 characters. */
const maxChunks = 8;

/**
 * The session's cookies in a `Cookie` header, strictly: ASCII names compared exactly, no name
 * twice, chunks without gaps, base64url that decodes to a session. Anything else counts as no
 * session at all, never as a mix of two.
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

/** The values of every cookie in a `Cookie` header that has exactly this name. */
export function readCookieValues(header: string, name: string): string[] {
  const pairs = header.split(';').map(parsePair);
  return pairs.filter((pair) => pair.name === name).map((pair) => pair.value);
}

function parsePair(pair: string): Cookie {
  // Only spaces and tabs are trimmed: trimming Unicode would turn "\u2000__Host-x" into "__Host-x".
  const trimmed = pair.replace(/^[ \t]+|[ \t]+$/g, '');
  const equals = trimmed.indexOf('=');
  if (equals < 1) return { name: '', value: '' };
  return { name: trimmed.slice(0, equals), value: trimmed.slice(equals + 1) };
}

function isSession(chunks: readonly Cookie[], name: string): boolean {
  if (chunks.length === 0 || chunks.length > maxChunks) return false;
  const byName = new Map(chunks.map((chunk) => [chunk.name, chunk.value]));
  const whole = byName.get(name);
  if (whole !== undefined) return chunks.length === 1 && isEncoded(whole);
  const ordered = chunks.map((_, index) => byName.get(`${name}.${index}`));
  return ordered.every((value) => value !== undefined) && isEncoded(ordered.join(''));
}

/** `base64-` and base64url of a JSON value, as `@supabase/ssr` writes it. */
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

export interface BackendAccess {
  readonly url: string;
  readonly publishableKey: string;
  /**
   * Reaches the backend in this process or behind another, for somebody at this address (limits count by it),
   * or for this process itself ('', not limited); undefined for a hosted one.
   */
  readonly fetchFrom: ((address: string) => typeof fetch) | undefined;
}

export interface Session {
  readonly supabase: SupabaseClient;
  readonly claims: RequestContext['claims'];
  readonly claimant: RequestContext['claimant'];
  /** The access token and when it ends, in milliseconds since the epoch; null for nobody. */
  access(): Promise<{ accessToken: string; expiresAt: number } | null>;
}

/**
 * Opens the session that a request carries. The claims are verified by signature, never read from
 * the cookie; an expired token is refreshed and its new cookies are put on `headers`. A session that
 * has ended elsewhere is nobody's, and its cookies are cleared.
 */
export async function openSession(
  backend: BackendAccess,
  cookie: SessionCookie,
  { cookieHeader, address }: { cookieHeader: string; address: string },
  headers: Headers,
): Promise<Session> {
  const cookies = parseSessionCookies(cookieHeader, cookie.name);
  const supabase = createServerClient(backend.url, backend.publishableKey, {
    cookieOptions: cookieOptions(cookie),
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
  });
  const found = cookies.length > 0 ? await readClaims(supabase) : null;
  const status = found === null ? 'ended' : await readStatus(supabase);
  if (found !== null && status === 'ended') await supabase.auth.signOut({ scope: 'local' });
  const claims = status === 'active' ? found : null;
  return {
    supabase,
    claims,
    claimant: status === 'mfa_required' ? found : null,
    async access() {
      if (!claims) return null;
      const { session } = (await supabase.auth.getSession()).data;
      if (!session) return null;
      return { accessToken: session.access_token, expiresAt: (session.expires_at ?? 0) * 1_000 };
    },
  };
}

type SessionStatus = 'active' | 'mfa_required' | 'ended';

/**
 * Whether the database still accepts the session of a valid token. While it does not answer, the
 * session counts as active: nothing that belongs to anyone can be read then.
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
