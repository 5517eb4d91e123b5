import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { navigation, startVitrine, type Answer, type Asked, type Vitrine } from './vitrine.ts';

let vitrine: Vitrine;

beforeAll(async () => {
  vitrine = await startVitrine();
}, 60_000);
afterAll(async () => {
  await vitrine.close();
});

const nonceOf = (policy: unknown) => /'nonce-([^']+)'/.exec(String(policy))?.[1] ?? '';

describe('WB-01: a page’s CSP', () => {
  test('has a unique nonce of at least 128 bits', async () => {
    const nonces = new Set<string>();
    for (let count = 0; count < 50; count++) {
      const { headers } = await vitrine.request('/auth/sign-in', { headers: navigation });
      const nonce = nonceOf(headers['content-security-policy']);
      expect(Buffer.from(nonce, 'base64').length).toBeGreaterThanOrEqual(16);
      expect(headers['cache-control']).toBe('private, no-store');
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(50);
  });

  test('has the nonce on every inline script', async () => {
    const { headers, body } = await vitrine.request('/', { headers: navigation });
    const policy = String(headers['content-security-policy']);
    const scripts = /script-src [^;]*/.exec(policy)?.[0];
    expect(scripts).toBe(`script-src 'nonce-${nonceOf(policy)}' 'strict-dynamic'`);
    expect(policy).toContain("base-uri 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    const tags = body.match(/<script\b[^>]*>/g) ?? [];
    expect(tags.length).toBeGreaterThan(0);
    for (const tag of tags) expect(tag).toContain(`nonce="${nonceOf(policy)}"`);
  });
});

describe('headers by class of route', () => {
  test.each([
    ['/', 200],
    ['/no/such/page', 404],
    ['/robots.txt', 200],
    ['/assets/none.js', 404],
  ])('%s has the headers of every app response', async (path, status) => {
    const answer = await vitrine.request(path, { headers: navigation });
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'origin-agent-cluster': '?1',
      'x-frame-options': 'DENY',
      'referrer-policy': 'strict-origin-when-cross-origin',
    });
    expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    const isPage = answer.headers['content-type']?.startsWith('text/html') === true;
    // Pages may pass on to previews what the user allows (SB-31).
    const camera = isPage ? `camera=(self "http://*.${vitrine.host}" ` : 'camera=()';
    expect(answer.headers['permissions-policy']).toContain(camera);
    expect(answer.headers['permissions-policy']).toContain('payment=()');
  });

  test('built files are immutable and compressed', async () => {
    const page = await vitrine.request('/', { headers: navigation });
    const asset = /\/assets\/always-[\w-]+\.js/.exec(page.body)?.[0] ?? '';
    const answer = await vitrine.request(asset, { headers: { 'accept-encoding': 'br' } });
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(answer.headers['content-encoding']).toBe('br');
    expect(answer.headers['content-type']).toContain('javascript');
  });

  test('allows WebAssembly only in the compile worker', async () => {
    const built = readdirSync(new URL('../build/client/assets', import.meta.url));
    const policyOf = async (path: string) =>
      String(
        (await vitrine.request(path, { headers: navigation })).headers['content-security-policy'],
      );
    const scripts = built.filter((name) => name.endsWith('.js'));
    const worker = scripts.find((name) => name.startsWith('compile-worker-')) ?? '';
    const others = [
      '/',
      ...scripts.filter((name) => name !== worker).map((name) => `/assets/${name}`),
    ];
    expect(await policyOf(`/assets/${worker}`)).toContain("script-src 'self' 'wasm-unsafe-eval';");
    for (const path of others) expect(await policyOf(path)).not.toContain('wasm-unsafe-eval');
    // The other workers may only load their code and type declarations.
    const readers = scripts.filter((name) =>
      /^(?:language|markup|lint|format|find)-worker-/.test(name),
    );
    expect(readers).toHaveLength(5);
    for (const name of readers)
      expect(await policyOf(`/assets/${name}`)).toBe(
        "default-src 'none'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'",
      );
  });

  test('a backend response sets no cookie, is not cached and can’t run scripts', async () => {
    const answer = await vitrine.request('/auth/v1/settings', { headers: { cookie: 'a=b' } });
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.headers['cache-control']).toContain('no-store');
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
  });
});

/** Changes the session in a cookie. */
function alterSession(cookie: string, alter: (session: Record<string, unknown>) => void): string {
  const value = cookie
    .split('; ')
    .map((pair) => pair.split(/=(.*)/s))
    .filter(([key = '']) => /-session(\.\d+)?$/.test(key))
    .map(([, chunk]) => chunk)
    .join('');
  const session = JSON.parse(Buffer.from(value.slice('base64-'.length), 'base64url').toString());
  alter(session);
  return `__Host-vitrine-session=base64-${Buffer.from(JSON.stringify(session)).toString('base64url')}`;
}

describe('PT-07.5: a path that looks like another origin', () => {
  const paths = [
    '//evil.test/',
    '//evil.test/?x=1',
    '///evil.test',
    '/\\evil.test',
    '/\\/evil.test/@ann/abcdefghij',
    '/.//evil.test',
    '/%2f%2fevil.test',
    '/%2f/evil.test',
    '/%5c%5cevil.test',
    '/%09//evil.test',
    '/%0d%0aLocation:%20//evil.test',
    '/new//evil.test/..',
    '//evil.test/p/abcdefghij',
    '//evil.test/@ann/abcdefghij',
    '//evil.test/auth/sign-in?next=//evil.test',
    '/auth/sign-in?next=%2F%2Fevil.test',
    '/auth/sign-in?next=%2F%5Cevil.test',
    '/auth/sign-in?next=javascript:alert(1)',
    '/auth/callback?next=%2F%09%2Fevil.test&code=x',
    '/auth/confirm?next=%2F.%2F%2Fevil.test',
    '/p//evil.test',
    '/npm//evil.test/react',
    '/npm/react@18/..//evil.test',
    '/storage/v1/object/public//evil.test/x',
    '/auth/v1/verify?token=x&type=signup&redirect_to=//evil.test',
    '/auth/v1/verify?token=x&type=signup&redirect_to=javascript:alert(1)',
    '/auth/v1/authorize?provider=none&redirect_to=%2F%5Cevil.test',
    '/__vitrine/enter?token=x&path=//evil.test',
  ];

  /** URLs that a response redirects to, as a browser resolves them. */
  const leadsTo = ({ headers, body }: Answer, asked: string) => {
    const links = [...body.matchAll(/(?:href|src|action)=(?:"([^"]*)"|'([^']*)')/g)];
    const refresh = String(headers.refresh ?? '');
    const found = [headers.location, refresh, ...links.map((link) => link[1] ?? link[2])];
    return found.flatMap((address) => {
      const text = address?.replaceAll('&amp;', '&');
      return text !== undefined && URL.canParse(text, asked) ? [new URL(text, asked)] : [];
    });
  };

  test.each(paths)('never redirects elsewhere: %j', async (path) => {
    for (const name of [
      '',
      'abcdefghij.',
      'edit--abcdefghij.',
      'draft--abcdefghij.',
      'localhost',
    ]) {
      const port = vitrine.host.replace(/^.*:/, '');
      const host = name === 'localhost' ? `localhost:${port}` : `${name}${vitrine.host}`;
      const answer = await vitrine.request(path, { host, headers: navigation });
      expect(answer.status).not.toBe(500);
      for (const { protocol, hostname } of leadsTo(answer, `http://${host}${path}`)) {
        expect([path, protocol]).toEqual([path, 'http:']);
        expect([path, hostname]).toEqual([path, expect.stringMatching(/(^|\.)localhost$/)]);
      }
    }
  });
});

describe('PT-07.10: a response of the server itself', () => {
  const answers: [string, number, string, Asked?][] = [
    ['its health', 200, '/healthz'],
    ['a name that is not ours', 421, '/', { host: 'evil.test' }],
    ['a name that is none', 400, '/', { host: 'a b' }],
    ['a preview of two labels', 404, '/', { host: 'a.b.HOST' }],
    ['its own path that is not there', 404, '/__vitrine/none'],
    ['a wrong escape', 400, '/__vitrine/%E0%A4%A'],
    ['the other name of this machine', 307, '/', { host: 'localhost:PORT', headers: navigation }],
    ['a URL with another scheme', 400, 'ftp://evil.test/'],
    ['an expectation', 417, '/', { headers: { expect: 'the impossible' } }],
    ['headers without end', 431, '/', { headers: { 'x-long': 'x'.repeat(1024 * 1024) } }],
  ];

  test.each(answers)('%s has the headers of its class', async (_, status, path, asked = {}) => {
    const port = vitrine.host.replace(/^.*:/, '');
    const host = asked.host?.replace('HOST', vitrine.host).replace('PORT', port) ?? vitrine.host;
    const answer = await vitrine.request(path, { ...asked, host });
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'origin-agent-cluster': '?1',
      'x-frame-options': 'DENY',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'permissions-policy': expect.stringContaining('camera=()'),
    });
  });

  test.each([
    ['no name', 400, 'GET / HTTP/1.1\r\n\r\n'],
    [
      'an absolute URL with a host',
      421,
      'GET http://evil.test/ HTTP/1.1\r\nhost: evil.test\r\n\r\n',
    ],
    ['no request', 400, 'rubbish\r\n\r\n'],
  ])('%s, sent raw, has the headers of its class', async (_, status, text) => {
    const socket = connect(Number(vitrine.host.replace(/^.*:/, '')), '127.0.0.1');
    socket.end(text);
    let got = '';
    socket.setEncoding('utf8').on('data', (part: string) => (got += part));
    await once(socket, 'close');
    expect(got).toContain(`HTTP/1.1 ${status}`);
    for (const header of [
      'cache-control: no-store',
      "content-security-policy: default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options: nosniff',
      'x-frame-options: DENY',
    ]) {
      expect(got).toContain(`${header}\r\n`);
    }
  });

  test('a service’s rejection has the headers of its class', async () => {
    const refused: [string, Asked][] = [
      ['/rest/v1/profiles', {}],
      ['/auth/v1/none', {}],
      ['/storage/v1/none', {}],
      ['/realtime/v1/none', {}],
      ['/functions/v1/none', {}],
      ['/mail/v1/none', {}],
      ['/auth/v1/token', { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) }],
    ];
    for (const [path, asked] of refused) {
      const { status, headers } = await vitrine.request(path, asked);
      expect([path, status >= 400]).toEqual([path, true]);
      expect([path, headers]).toEqual([
        path,
        expect.objectContaining({
          'cache-control': 'no-store',
          'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
        }),
      ]);
    }
    for (const path of ['/npm/%00', '/npm/none@', '/npm/-/none']) {
      const { headers } = await vitrine.request(path);
      expect([path, headers]).toEqual([
        path,
        expect.objectContaining({
          'cache-control': 'no-store',
          'content-security-policy': expect.stringContaining("default-src 'none'"),
          'x-content-type-options': 'nosniff',
        }),
      ]);
    }
  });
});

describe('a host', () => {
  test.each(['evil.test', 'evil.test:80', 'vitrine.localhost:1'])(
    'named %j is not served (DNS rebinding)',
    async (host) => {
      const answer = await vitrine.request('/', { host, headers: navigation });
      expect(answer.status).toBe(421);
      expect(answer.body).not.toContain('<html');
    },
  );

  test('localhost redirects to the public host', async () => {
    const answer = await vitrine.request('/work?x=1', {
      host: vitrine.host.replace('vitrine.', ''),
      headers: navigation,
    });
    expect(answer.status).toBe(307);
    expect(answer.headers.location).toBe(`${vitrine.origin}/work?x=1`);
  });

  test('localhost is served without redirect to a browser that can’t resolve the public host', async () => {
    const safari = 'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 Version/19.0 Safari/605.1.15';
    const headers = { ...navigation, 'user-agent': safari };
    const answer = await vitrine.request('/', {
      host: vitrine.host.replace('vitrine.', ''),
      headers,
    });
    expect(answer.status).toBe(200);
  });
});

describe('WB-07: headers that control frameworks', () => {
  // React Router honors its headers only during a build; we must not rely on that.
  beforeAll(() => void vi.stubEnv('IS_RR_BUILD_REQUEST', 'yes'));
  afterAll(() => void vi.unstubAllEnvs());

  test.each([
    ['X-Forwarded-Host', 'evil.test'],
    ['X-Forwarded-Proto', 'https'],
    ['X-Forwarded-Prefix', '/evil'],
    ['X-Original-URL', '/settings/profile'],
    ['X-HTTP-Method-Override', 'DELETE'],
    ['X-React-Router-SPA-Mode', 'yes'],
    ['X-React-Router-Prerender-Data', '{"x":1}'],
    ['x-middleware-subrequest', 'middleware'],
    ['RSC', '1'],
  ])('%s changes nothing', async (name, value) => {
    const withoutNonce = (body: string, policy: unknown) => body.replaceAll(nonceOf(policy), '');
    const plain = await vitrine.request('/auth/sign-in', { headers: navigation });
    const steered = await vitrine.request('/auth/sign-in', {
      headers: { ...navigation, [name]: value },
    });
    expect(steered.status).toBe(plain.status);
    expect(withoutNonce(steered.body, steered.headers['content-security-policy'])).toBe(
      withoutNonce(plain.body, plain.headers['content-security-policy']),
    );
  });
});

describe('with a session', () => {
  let ann: Awaited<ReturnType<Vitrine['signUp']>>;
  beforeAll(async () => {
    ann = await vitrine.signUp('ann');
  });

  test('the page knows the user', async () => {
    const { body } = await vitrine.request('/', { headers: { ...navigation, cookie: ann.cookie } });
    expect(body).toContain('ann');
    expect((await vitrine.request('/', { headers: navigation })).body).not.toContain('"ann"');
  });

  test.each([
    '/',
    '/new',
    '/new/html',
    '/work',
    '/settings/profile',
    '/settings/profile.data',
    '/settings/sessions',
    '/auth/sign-in',
    '/auth/callback?code=x',
    '/draft/00000000-0000-4000-8000-000000000000',
    '/@ann/abcdefghij',
    '/p/abcdefghij',
    '/no/such/page',
  ])('WB-06: %s is never cached', async (path) => {
    const answer = await vitrine.request(path, { headers: { ...navigation, cookie: ann.cookie } });
    expect(answer.headers['cache-control']).toBe('private, no-store');
  });

  test('WB-06: a response that refreshes the session is never cached', async () => {
    const bea = await vitrine.signUp('bea');
    const cookie = alterSession(bea.cookie, (session) => {
      session['expires_at'] = Math.floor(Date.now() / 1_000);
    });
    const answer = await vitrine.request('/', { headers: { ...navigation, cookie } });
    expect(answer.headers['set-cookie']?.join()).toContain('__Host-vitrine-session');
    expect(answer.headers['cache-control']).toBe('private, no-store');
  });

  test.each([
    '/settings/x.css',
    '/settings;.js',
    '/settings%2fx.png',
    '/work/x.js',
    '/settings/profile/x.css',
    '/assets/../settings/profile',
    '/assets/%2e%2e/settings/profile',
  ])('WB-08: %s does not get a private page cached', async (path) => {
    const answer = await vitrine.request(path, { headers: { ...navigation, cookie: ann.cookie } });
    // Even the not-found page names the signed-in user.
    expect(answer.body).toContain('ann@example.org');
    expect(answer.headers['cache-control']).toBe('private, no-store');
  });

  test('AU-14: ignores a cookie with a modified token', async () => {
    const cookie = alterSession(ann.cookie, (session) => {
      const [header, payload, signature] = String(session['access_token']).split('.');
      const claims = JSON.parse(Buffer.from(payload ?? '', 'base64url').toString());
      claims.sub = '00000000-0000-4000-8000-000000000000';
      const altered = Buffer.from(JSON.stringify(claims)).toString('base64url');
      session['access_token'] = [header, altered, signature].join('.');
    });
    const answer = await vitrine.request('/settings/profile', {
      headers: { ...navigation, cookie },
    });
    expect(answer.body).not.toContain('ann@example.org');
    expect([302, 303, 307]).toContain(answer.status);
    expect(answer.headers.location).toContain('/auth/sign-in');
  });

  test('SB-02: rejects a preview’s request with the session cookie before reading the session', async () => {
    const headers = {
      cookie: ann.cookie,
      'sec-fetch-site': 'same-site',
      'sec-fetch-mode': 'no-cors',
      origin: `http://abcdefghij.${vitrine.host}`,
    };
    const answer = await vitrine.request('/settings/profile', { headers });
    expect(answer.status).toBe(403);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  test('AU-16: ignores the cookies of two users at once', async () => {
    const bob = await vitrine.signUp('bob');
    const headers = { ...navigation, cookie: `${ann.cookie}; ${bob.cookie}` };
    const answer = await vitrine.request('/', { headers });
    expect(answer.status).toBe(200);
    expect(answer.body).not.toMatch(/(ann|bob)@example\.org/);
  });

  test('AU-20: a form on another site gets no access URL for a preview', async () => {
    const key = 'abcdefghij';
    const preview = `http://${key}.${vitrine.host}`;
    const post = (headers: Record<string, string>) =>
      vitrine.request(`/@ann/${key}/entry`, {
        method: 'POST',
        headers: {
          ...headers,
          cookie: ann.cookie,
          'user-agent': navigation['user-agent'],
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams({ key, origin: preview }).toString(),
      });
    const own = await post({ origin: vitrine.origin, 'sec-fetch-site': 'same-origin' });
    expect(JSON.parse(own.body).entry).toContain(preview);
    expect(own.headers['cache-control']).toBe('private, no-store');
    const elsewhere: Record<string, string>[] = [
      { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { origin: preview, 'sec-fetch-site': 'same-site' },
      { origin: vitrine.origin, 'sec-fetch-site': 'same-site' },
      { origin: vitrine.origin, 'sec-fetch-site': 'none' },
      {},
    ];
    for (const headers of elsewhere) {
      const answer = await post(headers);
      expect([answer.status, answer.body]).toEqual([403, expect.not.stringContaining('token')]);
    }
  });

  test('clears hundreds of planted cookies, with a page that says so', async () => {
    const planted = Array.from(
      { length: 180 },
      (_, index) => `p${index}=${'x'.repeat(3_000)}`,
    ).join('; ');
    const answer = await vitrine.request('/', {
      headers: { ...navigation, cookie: `${ann.cookie}; ${planted}` },
    });
    expect(answer.headers['clear-site-data']).toBe('"cookies"');
    expect(answer.body).toContain('cleared');
  });
});

test('SB-14: cookies planted by one preview do not break another', async () => {
  const planted = Array.from({ length: 180 }, (_, at) => `p${at}=${'x'.repeat(4_000)}`).join('; ');
  const asked = { headers: { ...navigation, cookie: planted } };
  for (const slug of ['abcdefghij', 'edit--abcdefghij']) {
    const answer = await vitrine.request('/', { ...asked, host: `${slug}.${vitrine.host}` });
    expect([answer.status, answer.body]).toEqual([404, expect.stringContaining('find <code>')]);
  }
});

describe('WB-17: invalid input', () => {
  test.each([
    ['a broken escape', '/%E0%A4%A'],
    ['a null byte', '/@x%00/y'],
    ['a long path', `/${'a'.repeat(20_000)}`],
    ['dots', '/..%2f..%2fetc/passwd'],
    ['a file of the server', '/assets/../../server/index.js'],
    ['a route’s data', '/work.data?_routes=nonsense'],
    ['the manifest', '/__manifest?p=/x&version=1'],
    ['an unknown machine path', '/__vitrine/nothing'],
  ])('%s gets a response without file paths, stacks or SQL', async (_, path) => {
    const answer = await vitrine.request(path, { headers: navigation });
    expect(answer.status).toBeLessThan(500);
    expect(answer.body).not.toMatch(/node_modules|\.ts:\d|at [A-Za-z]+ \(|select .* from|\/work\//);
  });

  test.each(['/%E0%A4%A', '/@ada/%', '/assets/%zz.js'])(
    '%s, with invalid escapes, gets the not-found page',
    async (path) => {
      const answer = await vitrine.request(path, { headers: navigation });
      expect(answer.status).toBe(400);
      if (path.startsWith('/assets/')) return;
      expect(answer.headers['content-type']).toMatch(/^text\/html/);
      expect(answer.body).toContain('data-code="not_found_or_private"');
    },
  );

  test('the API responds to a malformed URL with plain text', async () => {
    const answer = await vitrine.request('/rest/v1/%E0%A4%A');
    expect([answer.status, answer.headers['content-type']]).toEqual([
      400,
      'text/plain; charset=utf-8',
    ]);
  });

  test('none of it is logged as an error', () => {
    expect(vitrine.log.filter((line) => line.includes(' error '))).toEqual([]);
  });
});

describe('RT-13: a WebSocket', () => {
  const path = async () => {
    const page = await vitrine.request('/', { headers: navigation });
    const key = /sb_publishable_[\w-]+/.exec(page.body)?.[0] ?? '';
    return `/realtime/v1/websocket?apikey=${key}&vsn=2.0.0`;
  };

  test('is opened by the app’s pages, and its key is not logged', async () => {
    expect(await vitrine.requestSocket(await path(), { headers: { origin: vitrine.origin } })).toBe(
      101,
    );
    expect(vitrine.log.join('')).not.toContain('sb_publishable_');
  });

  test('is rejected for previews, other sites and pages without an origin', async () => {
    const preview = vitrine.origin.replace('://', '://edit--abc.');
    for (const origin of [preview, 'https://evil.test', 'null']) {
      expect(await vitrine.requestSocket(await path(), { headers: { origin } })).toBe(403);
    }
  });

  test('exists only on the app’s host and at its own path', async () => {
    const headers = { origin: vitrine.origin };
    const ask = async (where: string, host: string) =>
      await vitrine.requestSocket(where, { host, headers });
    expect(await ask(await path(), `abc.${vitrine.host}`)).toBe(404);
    expect(await ask(await path(), 'evil.test')).toBe(421);
    expect(await ask('/', vitrine.host)).toBe(404);
    expect(await ask('/realtime/v1/websocket', vitrine.host)).toBe(401);
  });
});
