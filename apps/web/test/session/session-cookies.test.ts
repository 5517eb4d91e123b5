import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { getCookieOptions, parseSessionCookies, getSessionCookie } from '../../server/session.ts';

const name = '__Host-vitrine-session';
const encode = (value: unknown) =>
  `base64-${Buffer.from(JSON.stringify(value)).toString('base64url')}`;
const session = encode({ access_token: 'a', refresh_token: 'r' });
/** A session split into this many chunks. */
const cut = (value: string, count: number) =>
  Array.from({ length: count }, (_, index) => {
    const [from, to] = [index, index + 1].map((at) => Math.round((at * value.length) / count));
    return `${name}.${index}=${value.slice(from, to)}`;
  }).join('; ');

describe('AU-16: the session’s cookies', () => {
  test('are parsed as a single cookie', () => {
    expect(parseSessionCookies(`theme=dark; ${name}=${session}`, name)).toEqual([
      { name, value: session },
    ]);
  });

  test('are parsed in chunks', () => {
    expect(parseSessionCookies(cut(session, 8), name)).toHaveLength(8);
    const swapped = `${name}.1=${session.slice(20)}; ${name}.0=${session.slice(0, 20)}`;
    expect(parseSessionCookies(swapped, name)).toHaveLength(2);
  });

  test('include the code verifier of a pending sign-in', () => {
    const verifier = encode('verifier');
    expect(parseSessionCookies(`${name}-code-verifier=${verifier}`, name)).toEqual([
      { name: `${name}-code-verifier`, value: verifier },
    ]);
  });

  test.each([
    ['twice', `${name}=${session}; ${name}=${session}`],
    ['a name behind a wide space', `\u2000${name}=${session}`],
    ['a nameless cookie', `=${name}=${session}`],
    ['80 chunks', cut(encode({ access_token: 'a'.repeat(200) }), 80)],
    ['a verifier twice', `${name}-code-verifier=${session}; ${name}-code-verifier=${session}`],
    ['chunks with a gap', `${name}.0=${session.slice(0, 20)}; ${name}.2=${session.slice(20)}`],
    ['a whole one beside chunks', `${name}=${session}; ${name}.0=${session}`],
    ['bad base64', `${name}=base64-%%%`],
    ['no JSON', `${name}=base64-${Buffer.from('{').toString('base64url')}`],
    ['64 KB', `${name}=base64-${'A'.repeat(65_536)}`],
    ['another case', `${name.toLowerCase()}=${session}`],
  ])('are ignored when they are %s', (_, header) => {
    expect(parseSessionCookies(header, name)).toEqual([]);
  });

  test('never throw or mix sessions, for any header', () => {
    const pair = fc.tuple(
      fc.oneof(
        fc.constantFrom(name, `${name}.0`, `${name}.1`, `${name}-code-verifier`),
        fc.string(),
      ),
      fc.oneof(fc.constant(session), fc.string()),
    );
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 6 }), (pairs) => {
        const header = pairs.map(([key, value]) => `${key}=${value}`).join('; ');
        const names = parseSessionCookies(header, name).map((cookie) => cookie.name);
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });
});

describe('AU-15: the session’s cookies', () => {
  const chrome = 'Mozilla/5.0 (X11) Chrome/156.0 Safari/537.36';
  const safari = 'Mozilla/5.0 (Macintosh) Version/19.0 Safari/605.1.15';

  test.each([
    ['https://play.example.com', safari, true],
    ['http://vitrine.localhost:4000', chrome, true],
    ['http://localhost:4000', safari, false],
    ['http://127.0.0.1:4000', chrome, false],
    ['http://192.168.1.20:4000', chrome, false],
  ])(
    'under %s have the __Host- prefix if the browser accepts Secure',
    (origin, userAgent, secure) => {
      const cookie = getSessionCookie(origin, userAgent);
      expect(cookie.secure).toBe(secure);
      expect(cookie.name.startsWith('__Host-')).toBe(secure);
      expect(getCookieOptions(cookie)).toMatchObject({
        path: '/',
        sameSite: 'lax',
        priority: 'high',
        secure,
      });
      expect(getCookieOptions(cookie)).not.toHaveProperty('domain');
    },
  );
});
