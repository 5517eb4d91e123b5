import {
  createBrowserClient,
  createServerClient,
  DEFAULT_COOKIE_OPTIONS,
  MAX_CHUNK_SIZE,
} from '@supabase/ssr';
import { createClient } from '@supabase/supabase-js';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { getCookieOptions, parseSessionCookies, getSessionCookie } from '../../server/session.ts';

// Product.md section 9: constants of the installed client that our code relies on.

const address = 'http://backend.invalid';
const cookie = getSessionCookie('http://vitrine.localhost:4000', 'Chrome/156');

afterEach(() => {
  vi.useRealTimers();
});

describe('the session’s cookies', () => {
  test('live for 34,560,000 seconds, in chunks of 3,180 characters', () => {
    expect(DEFAULT_COOKIE_OPTIONS.maxAge).toBe(34_560_000);
    expect(MAX_CHUNK_SIZE).toBe(3_180);
  });

  test('split a long session into chunks that server and browser both read', async () => {
    const jar = new Jar();
    const session = newSession({ note: 'ü'.repeat(4_000) });
    const signingIn = browserClient(jar, () => Response.json(session));
    await signingIn.auth.signInWithPassword({ email: 'ann@example.org', password: 'long words' });

    const chunks = jar.cookies.filter(({ name }) => name.startsWith(`${cookie.name}.`));
    expect(chunks.length).toBeGreaterThan(1);
    for (const { value } of chunks) expect(value.length).toBeLessThanOrEqual(3_180);
    expect(jar.maxAges).toEqual(new Set([34_560_000]));

    const header = jar.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const server = createServerClient(address, 'key', {
      cookieOptions: getCookieOptions(cookie),
      cookies: { getAll: () => parseSessionCookies(header, cookie.name), setAll: () => {} },
    });
    const later = browserClient(jar, refuse);
    for (const client of [server, later]) {
      const { data } = await client.auth.getSession();
      expect(data.session?.access_token).toBe(session.access_token);
      expect(data.session?.refresh_token).toBe(session.refresh_token);
    }
  });

  test('leave no chunk behind when a shorter session follows', async () => {
    const jar = new Jar();
    const answers = [newSession({ note: 'ü'.repeat(4_000) }), newSession({ note: 'short' })];
    const client = browserClient(jar, () => Response.json(answers.shift()));
    await client.auth.signInWithPassword({ email: 'ann@example.org', password: 'long words' });
    await client.auth.signInWithPassword({ email: 'ann@example.org', password: 'long words' });
    expect(jar.cookies.map(({ name }) => name)).toEqual([cookie.name]);
  });
});

describe('the client', () => {
  test('sends heartbeats every 25 s, waits 10 s, and reconnects after 1, 2, 5, then every 10 s', () => {
    const { realtime } = createClient(address, 'key', { auth: { autoRefreshToken: false } });
    expect(realtime.heartbeatIntervalMs).toBe(25_000);
    expect(realtime.timeout).toBe(10_000);
    const waits = [1, 2, 3, 4, 5, 50].map((tries) => realtime.reconnectAfterMs(tries));
    expect(waits).toEqual([1_000, 2_000, 5_000, 10_000, 10_000, 10_000]);
  });

  test('checks every 30 s whether the token is about to expire, and then refreshes it', async () => {
    vi.useFakeTimers();
    const jar = new Jar();
    const asked: number[] = [];
    const begun = Date.now();
    // About to expire means within less than four checks. Of 200 s, 140 are left at the second and
    // 110 at the third.
    const client = browserClient(jar, (request) => {
      if (request.url.includes('refresh_token')) asked.push(Date.now() - begun);
      return Response.json(newSession({}, asked.length === 0 ? 200 : 3_600));
    });
    await client.auth.signInWithPassword({ email: 'ann@example.org', password: 'long words' });
    await client.auth.startAutoRefresh();
    await vi.advanceTimersByTimeAsync(89_000);
    expect(asked).toEqual([]);
    await vi.advanceTimersByTimeAsync(61_000);
    await client.auth.stopAutoRefresh();
    expect(asked).toEqual([90_000]);
  });
});

/** Stores cookies like a browser: Max-Age=0 deletes one. */
class Jar {
  readonly #values = new Map<string, string>();
  readonly maxAges = new Set<number>();

  get cookies(): { name: string; value: string }[] {
    return [...this.#values].map(([name, value]) => ({ name, value }));
  }

  set(name: string, value: string, maxAge: number | undefined): void {
    if (maxAge === 0) this.#values.delete(name);
    else this.#values.set(name, value);
    if (maxAge) this.maxAges.add(maxAge);
  }
}

/** The browser's client with a cookie jar of its own and a fake backend. */
function browserClient(jar: Jar, answer: (request: Request) => Response) {
  return createBrowserClient(address, 'key', {
    isSingleton: false,
    cookieOptions: getCookieOptions(cookie),
    cookies: {
      getAll: () => jar.cookies,
      setAll: (changed) => {
        for (const { name, value, options } of changed) jar.set(name, value, options.maxAge);
      },
    },
    auth: { autoRefreshToken: false },
    global: { fetch: (input, init) => Promise.resolve(answer(new Request(input, init))) },
  });
}

function refuse(request: Request): Response {
  throw new Error(`nothing should be asked, but ${request.url} was`);
}

/** The auth server's response to a sign-in. The token is as long as its claims. */
function newSession(claims: Record<string, unknown>, seconds = 3_600) {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  const id = '0b7e3f0a-6f1d-4f5e-9a55-3d6c1f2a9b10';
  const payload = { sub: id, exp: now + seconds, role: 'authenticated', ...claims };
  return {
    access_token: `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(payload)}.${encode('signature')}`,
    token_type: 'bearer',
    expires_in: seconds,
    expires_at: now + seconds,
    refresh_token: 'refresh-me',
    user: {
      id,
      aud: 'authenticated',
      email: 'ann@example.org',
      created_at: '',
      app_metadata: {},
      user_metadata: {},
    },
  };
}
