import { createHmac, generateKeyPairSync } from 'node:crypto';
import { SignJWT, importJWK } from 'jose';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '../src/postgres/index.ts';
import { appOrigin, openTestBackend, signUpConfirmed } from '@vitrine/testing/backend';
import type { Browser, TestBackend } from '@vitrine/testing/backend';

let world: TestBackend;
let browser: Browser;
let token: string;
let userId: string;
let sessionId: string;

beforeAll(async () => {
  world = await openTestBackend();
  browser = await signUpConfirmed(world, 'ada@example.com');
  const { session } = (await browser.client.auth.getSession()).data;
  token = session?.access_token ?? '';
  userId = session?.user.id ?? '';
  sessionId = JSON.parse(atob(token.split('.')[1] ?? '')).session_id as string;
});
afterAll(() => world.close());

const ask = (headers: Record<string, string>, path = '/rest/v1/profiles?select=username') =>
  world.backend.fetch(new Request(new URL(path, appOrigin), { headers }));
const withToken = (bearer: string) =>
  ask({ apikey: world.backend.publishableKey, authorization: `Bearer ${bearer}` });

/** Forges a token that is valid except for what is replaced. */
async function forge(o: {
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
  times?: { issued?: number; expires?: number; notBefore?: number };
}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const jwt = new SignJWT({
    iss: `${appOrigin}/auth/v1`,
    aud: 'authenticated',
    sub: userId,
    session_id: sessionId,
    role: 'authenticated',
    iat: now,
    exp: now + 3600,
    ...o.claims,
  });
  const { signingKey } = world.secrets;
  jwt.setProtectedHeader({ alg: 'ES256', kid: signingKey.kid, typ: 'JWT', ...o.header });
  return jwt.sign(await importJWK({ ...signingKey }, 'ES256'));
}

test('DB-13 accepts a token that is valid in everything', async () => {
  expect((await withToken(token)).status).toBe(200);
  expect((await withToken(await forge({}))).status).toBe(200);
});

const past = Math.floor(Date.now() / 1000) - 60;
const future = past + 7200;
const forged: [string, () => Promise<string> | string][] = [
  ['that has expired', () => forge({ claims: { exp: past } })],
  ['that never expires', () => forge({ claims: { exp: undefined } })],
  ['that is not valid yet', () => forge({ claims: { nbf: future } })],
  ['for another audience', () => forge({ claims: { aud: 'anon' } })],
  ['without an audience', () => forge({ claims: { aud: undefined } })],
  ['of another issuer', () => forge({ claims: { iss: 'https://evil.test/auth/v1' } })],
  ['without an issuer', () => forge({ claims: { iss: undefined } })],
  ['with the role service_role', () => forge({ claims: { role: 'service_role' } })],
  ['with the role of the owner', () => forge({ claims: { role: 'postgres' } })],
  ['without a role', () => forge({ claims: { role: undefined } })],
  ['without a subject', () => forge({ claims: { sub: undefined } })],
  ['whose subject is not an id', () => forge({ claims: { sub: "' or true --" } })],
  ['that names an unknown key', () => forge({ header: { kid: '../../dev/null' } })],
  ['that names no key', () => forge({ header: { kid: undefined } })],
  ['with the key in its own header', () => signWithNewKey(true)],
  ['of another key with our key’s id', () => signWithNewKey(false)],
  ['with the algorithm none', () => craft({ alg: 'none' }, '')],
  [
    'with the algorithm none and our signature',
    () => craft({ alg: 'none' }, token.split('.')[2] ?? ''),
  ],
  ['signed with the public key as an HMAC secret', signWithPublicKey],
  [
    'with changed claims and the old signature',
    () => craft({ alg: 'ES256', kid: world.secrets.signingKey.kid }, token.split('.')[2] ?? ''),
  ],
  ['of a megabyte', () => 'a'.repeat(1_000_000)],
  ['that is malformed', () => 'x.y.z'],
  ['that is empty', () => '""'],
];

test.each(forged)('DB-13 rejects a token %s', async (_, make) => {
  const answer = await withToken(await make());
  expect(answer.status).toBe(401);
  expect(((await answer.json()) as { code: string }).code).toMatch(/^PGRST30[13]$/);
  const user = await ask(
    { apikey: world.backend.publishableKey, authorization: `Bearer ${await make()}` },
    '/auth/v1/user',
  );
  expect([401, 403]).toContain(user.status);
});

async function signWithNewKey(isEmbedded: boolean): Promise<string> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = isEmbedded ? { jwk: publicKey.export({ format: 'jwk' }) } : {};
  return new SignJWT({ sub: userId, session_id: sessionId, role: 'authenticated' })
    .setProtectedHeader({ alg: 'ES256', kid: world.secrets.signingKey.kid, ...jwk })
    .setIssuer(`${appOrigin}/auth/v1`)
    .setAudience('authenticated')
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Forges a token with more privileges, with this header and signature. */
function craft(header: object, signature: string): string {
  const claims = JSON.parse(atob(token.split('.')[1] ?? '')) as object;
  return `${encode(header)}.${encode({ ...claims, role: 'service_role' })}.${signature}`;
}

function signWithPublicKey(): string {
  const { d: _, ...jwk } = world.secrets.signingKey;
  const unsigned = craft({ alg: 'HS256', kid: jwk.kid }, '').slice(0, -1);
  return `${unsigned}.${createHmac('sha256', JSON.stringify(jwk)).update(unsigned).digest('base64url')}`;
}

test('requires an API key in either header, and knows the role of both keys', async () => {
  const { publishableKey, secretKey } = world.backend;
  expect((await ask({})).status).toBe(401);
  expect((await ask({ apikey: 'sb_publishable_wrong' })).status).toBe(401);
  expect((await ask({ apikey: `${publishableKey}x` })).status).toBe(401);
  expect((await ask({ authorization: `Bearer ${token}` })).status).toBe(401);
  expect((await ask({ authorization: `Bearer ${publishableKey}` })).status).toBe(200);
  expect(
    (await ask({ apikey: publishableKey, authorization: `Bearer ${publishableKey}` })).status,
  ).toBe(200);
  expect((await ask({ apikey: publishableKey, authorization: `Bearer ${secretKey}` })).status).toBe(
    401,
  );
  expect((await ask({ apikey: secretKey })).status).toBe(200);
});

test('ignores cookies', async () => {
  const cookie = `sb-access-token=${token}; apikey=${world.backend.secretKey}`;
  expect((await ask({ cookie })).status).toBe(401);
});

test('lets pages of allowed origins read responses, without credentials, and no others', async () => {
  const { publishableKey } = world.backend;
  const ours = await ask({ apikey: publishableKey, origin: appOrigin });
  expect(ours.headers.get('access-control-allow-origin')).toBe(appOrigin);
  expect(ours.headers.has('access-control-allow-credentials')).toBe(false);
  for (const origin of ['https://evil.test', 'null', `${appOrigin}.evil.test`, 'http://app.test']) {
    const answer = await ask({ apikey: publishableKey, origin });
    expect(answer.headers.has('access-control-allow-origin')).toBe(false);
  }
  const preflight = await world.backend.fetch(
    new Request(new URL('/rest/v1/profiles?select=username', appOrigin), {
      method: 'OPTIONS',
      headers: { origin: appOrigin, 'access-control-request-method': 'PATCH' },
    }),
  );
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-methods')).toContain('PATCH');
});

test('sets security headers on every response', async () => {
  for (const path of [
    '/rest/v1/profiles?select=username',
    '/auth/v1/health',
    '/auth/v1/user',
    '/nowhere',
  ]) {
    const { headers } = await ask({}, path);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  }
});

const sendBody = (body: BodyInit, path = '/auth/v1/recover') =>
  world.backend.fetch(
    new Request(new URL(path, appOrigin), {
      method: 'POST',
      headers: { apikey: world.backend.publishableKey },
      body,
      duplex: 'half',
    } as RequestInit),
  );

test('accepts bodies up to a megabyte, declared or not', async () => {
  const large = new Uint8Array(1024 * 1024 + 1);
  expect((await sendBody(large)).status).toBe(413);
  const stream = new ReadableStream({
    pull(controller) {
      controller.enqueue(new Uint8Array(65_536));
    },
  });
  expect((await sendBody(stream)).status).toBe(413);
  expect((await sendBody(large.subarray(1))).status).toBe(400);
});

test('accepts a project of 10 MiB with its document, and no more', async () => {
  const content = 'x'.repeat(10 * 1024 * 1024);
  const state = Buffer.from(content).toString('base64');
  const project = JSON.stringify({ files: [{ path: 'a', content }], state });
  const saved = await sendBody(project, '/rest/v1/rpc/create_project');
  expect(saved.status).not.toBe(413);
  const more = await sendBody(project + content, '/rest/v1/rpc/create_project');
  expect(more.status).toBe(413);
});

test('WB-17 does not disclose internal errors', async () => {
  const owner = connectDatabase(world.database.addressAs('supabase_auth_admin'), { max: 1 });
  await owner`alter table auth.sessions rename to sessions_gone`;
  try {
    const answer = await browser.request('/auth/v1/user', {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(500);
    const text = await answer.text();
    expect(text).toContain('unexpected_failure');
    expect(text).not.toMatch(/sessions|select|relation|\/|auth\./i);
  } finally {
    await owner`alter table auth.sessions_gone rename to sessions`;
    await owner.end();
  }
});

const failSignIn = (headers: Record<string, string>) =>
  browser.request('/auth/v1/token?grant_type=password', {
    method: 'POST',
    headers,
    body: JSON.stringify({ email: 'nobody@example.com', password: 'x' }),
  });

test('responds with GoTrue’s two error formats', async () => {
  const current = await failSignIn({ 'x-supabase-api-version': '2024-01-01' });
  expect(current.headers.get('x-supabase-api-version')).toBe('2024-01-01');
  expect(await current.json()).toEqual({
    code: 'invalid_credentials',
    message: 'Invalid login credentials',
  });
  expect(await (await failSignIn({})).json()).toEqual({
    code: 400,
    error_code: 'invalid_credentials',
    msg: 'Invalid login credentials',
  });
});

test('survives any request', async () => {
  const name = fc.constantFrom(
    'email',
    'password',
    'data',
    'type',
    'token',
    'token_hash',
    'refresh_token',
    'auth_code',
    'code_verifier',
    'code_challenge',
    'code_challenge_method',
    'current_password',
    'nonce',
    'code',
    'challenge_id',
    'factor_type',
    'friendly_name',
    'provider',
    'id_token',
    'create_user',
    'new_email',
    'user_metadata',
    'ban_duration',
    'password_hash',
  );
  const value = fc.oneof(
    fc.jsonValue(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      'ada@example.com',
      's256',
      'signup',
      'totp',
      'email_change_new',
      '1h',
      '\0',
      '\ud800',
      'c'.repeat(43),
    ),
  );
  const body = fc.oneof(
    fc.dictionary(name, value).map((fields) => JSON.stringify(fields)),
    fc.json(),
    fc.string({ unit: 'binary' }),
  );
  const path = fc.constantFrom(
    'signup',
    'token?grant_type=password',
    'token?grant_type=refresh_token',
    'token?grant_type=pkce',
    'token?grant_type=%00',
    'recover',
    'resend',
    'otp',
    'invite',
    'reauthenticate',
    'factors',
    'factors/x/verify',
    'factors/00000000-0000-0000-0000-000000000000/challenge',
    'authorize?provider=x&code_challenge=%00',
    'callback?state=%00&code=x',
    'user/identities/x',
    'user/identities/authorize?provider=x',
    'token?grant_type=id_token',
    'admin/users',
    'admin/users?page=2&per_page=%00&filter=%25%00',
    'admin/users/x',
    'admin/users/00000000-0000-0000-0000-000000000000/factors/x',
    'admin/generate_link',
    'verify',
    'verify?token=%00&type=signup&redirect_to=%ff',
    'logout',
    'logout?scope=%00',
    'user',
    'settings',
    'health',
    '../x',
    '%',
    '%00',
    'a/b',
  );
  const header = fc.record(
    {
      authorization: fc.oneof(
        fc.constantFrom(`Bearer ${token}`, 'Bearer x', 'Basic eDp5', ''),
        fc.string(),
      ),
      'x-supabase-api-version': fc.constantFrom('2024-01-01', '', '9999', 'x'),
      'user-agent': fc.constantFrom('', 'é', 'x'.repeat(2000)),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD'),
      path,
      header,
      body,
      fc.constantFrom(world.backend.publishableKey, world.backend.secretKey),
      async (method, tail, headers, text, key) => {
        const valid = new Headers();
        for (const [key, content] of Object.entries(headers)) {
          if (content !== undefined && /^[\x20-\x7e\xa0-\xff]*$/.test(content))
            valid.set(key, content);
        }
        valid.set('apikey', key);
        const request = new Request(`${appOrigin}/auth/v1/${tail}`, {
          method,
          headers: valid,
          ...(method === 'GET' || method === 'HEAD' ? {} : { body: text }),
        });
        const answer = await world.backend.fetch(request, { address: String(Math.random()) });
        expect(answer.status).toBeLessThan(500);
      },
    ),
    { numRuns: 600 },
  );
}, 60_000);

test.each(['203.0.113.77', '127.0.0.1', '::1'])(
  'PT-01.8: limits the requests of one address, without affecting others: %s',
  async (limited) => {
    const from = (address: string, headers = {}) =>
      world.backend.fetch(new Request(new URL('/nowhere', appOrigin), { headers }), { address });
    const answers = await Promise.all(Array.from({ length: 3500 }, () => from(limited)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await from('203.0.113.78')).status).toBe(404);
    // Processes of the instance, and requests with the secret key; an invalid key changes nothing.
    expect((await from('')).status).toBe(404);
    expect((await from(limited, { apikey: world.backend.secretKey })).status).toBe(404);
    const guesses = Array.from({ length: 200 }, () => from(limited, { apikey: 'sb_secret_x' }));
    expect((await Promise.all(guesses)).some(({ status }) => status === 429)).toBe(true);
  },
);

test('gives each request one id, in its response and the database, whatever it sends', async () => {
  await world.database.sql.unsafe(`
    create function public.request_id() returns text language sql stable as
      $$ select current_setting('request.headers')::json ->> 'x-request-id' $$;
    grant execute on function public.request_id() to anon;
    notify pgrst, 'reload schema'`);
  const call = () =>
    ask(
      { apikey: world.backend.publishableKey, 'x-request-id': 'mine' },
      '/rest/v1/rpc/request_id',
    );
  await expect.poll(async () => (await call()).status).toBe(200);
  const answer = await call();
  expect(await answer.json()).toBe(answer.headers.get('x-request-id'));
});
