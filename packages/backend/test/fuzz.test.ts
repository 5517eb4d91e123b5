import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appOrigin } from '@vitrine/testing/backend';
import { fuzzTimeoutMs, createFuzzParameters } from './fuzz-settings.ts';
import { openStorageWorld, type StorageWorld } from './storage/world.ts';

let world: StorageWorld;
beforeAll(async () => {
  world = await openStorageWorld();
});
afterAll(() => world.close());

const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);

let requests = 0;

/** Sends each request from its own address, so that no limit hides the response. */
async function ask(path: string, init: RequestInit): Promise<{ status: number; text: string }> {
  const request = new Request(`${appOrigin}${path}`, init);
  request.headers.set('apikey', world.test.backend.publishableKey);
  const address = `2001:db8::${(requests += 1).toString(16)}`;
  const answer = await world.test.backend.fetch(request, { address });
  return { status: answer.status, text: await answer.text() };
}

/** Changes some bytes of a text, or truncates it. */
const changes = fc.record({
  bytes: fc.array(fc.tuple(fc.nat(4_000), fc.nat(255)), { maxLength: 4 }),
  cut: fc.option(fc.nat(4_000), { nil: undefined }),
});

function change(
  text: Buffer,
  { bytes, cut }: { bytes: [number, number][]; cut: number | undefined },
): Buffer {
  const changed = Buffer.from(text);
  for (const [at, byte] of bytes) changed[at % changed.length] = byte;
  return changed.subarray(0, cut === undefined ? undefined : cut % changed.length);
}

const junk = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', '0', 'null', '{}', '[]', '\u0000', '\ud800', '__proto__', `'; select 1 --`),
);

test(
  'accepts only valid tokens, whatever is sent',
  async () => {
    const parts = world.ada.token.split('.');
    const header = fc.record({
      alg: fc.constantFrom('ES256', 'none', 'HS256', 'RS256', 'ES512'),
      kid: fc.oneof(fc.constant(readPart(parts[0]).kid), junk),
      crit: fc.constantFrom(undefined, ['exp'], ['b64']),
      zip: fc.constantFrom(undefined, 'DEF'),
    });
    const claims = fc.dictionary(
      fc.constantFrom('sub', 'role', 'exp', 'iat', 'aud', 'iss', 'session_id', 'nbf'),
      fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('service_role', 9e99, -1)),
    );
    const forged = fc.tuple(header, claims).map(([head, replaced]) => {
      const payload = { ...readPart(parts[1]), ...replaced };
      return [writePart(head), writePart(payload), parts[2]].join('.');
    });
    const spoiled = changes.map((o) =>
      change(Buffer.from(world.ada.token), o)
        .toString('latin1')
        .replace(/[^\x21-\x7e]/g, '_'),
    );
    const nonsense = junk.map((text) => encodeURIComponent(text.toWellFormed()));
    await fc.assert(
      fc.asyncProperty(fc.oneof(forged, spoiled, nonsense), async (token) => {
        const headers = { authorization: `Bearer ${token}` };
        const { status, text } = await ask('/rest/v1/preferences?select=user_id', { headers });
        // Without a token only the key counts; other characters may encode the same bytes.
        if (token === '' || isSame(token, parts)) expect(status, text).toBeLessThan(500);
        else expect([status, token], text).toEqual([401, token]);
      }),
      { ...createFuzzParameters(300, 1), seed },
    );
  },
  fuzzTimeoutMs,
);

function readPart(part = ''): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
}

function writePart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function isSame(token: string, parts: string[]): boolean {
  const bytes = (part: string) => Buffer.from(part, 'base64url').toString('hex');
  return token.split('.').map(bytes).join('.') === parts.map(bytes).join('.');
}

test(
  'responds to any auth request with a result or an error code',
  async () => {
    const value = fc.oneof(
      junk,
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom('a@example.com', 'signup', 'recovery', 's256', '123456', true),
    );
    const names = [
      'email',
      'password',
      'token',
      'token_hash',
      'type',
      'refresh_token',
      'auth_code',
    ];
    const others = ['code_verifier', 'code_challenge', 'code_challenge_method', 'data', 'phone'];
    const rare = ['create_user', 'nonce', 'id_token', 'provider', 'factor_type', 'options'];
    const body = fc.oneof(
      { weight: 5, arbitrary: fc.dictionary(fc.constantFrom(...names, ...others, ...rare), value) },
      { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
    );
    const text = fc.oneof(
      { weight: 5, arbitrary: body.map((sent) => JSON.stringify(sent)) },
      { weight: 1, arbitrary: junk },
    );
    const paths = ['signup', 'otp', 'verify', 'recover', 'resend', 'user', 'factors', 'logout'];
    const grants = ['password', 'refresh_token', 'pkce', 'id_token', 'x'];
    const path = fc.oneof(
      fc.constantFrom(...paths, ...grants.map((grant) => `token?grant_type=${grant}`)),
      junk.map((word) => `authorize?provider=${encodeURIComponent(word.toWellFormed())}`),
      junk.map((word) => `verify?type=signup&token=${encodeURIComponent(word.toWellFormed())}`),
    );
    const method = fc.constantFrom('POST', 'POST', 'PUT', 'GET', 'DELETE');
    await fc.assert(
      fc.asyncProperty(path, method, text, fc.boolean(), async (to, how, sent, isMember) => {
        const headers = new Headers(isMember ? { authorization: `Bearer ${world.ada.token}` } : {});
        // Signing out would end the session of other requests.
        if (isMember && /^(logout|user)/.test(to) && how !== 'GET') return;
        const init = how === 'GET' ? { headers } : { headers, method: how, body: sent };
        const answer = await ask(`/auth/v1/${to}`, init);
        expect(answer.status, `${how} ${to} ${sent}: ${answer.text}`).toBeLessThan(500);
        // GoTrue has two formats.
        if (answer.status >= 400) expect(answer.text).toMatch(/"(msg|error_description)":"/);
      }),
      { ...createFuzzParameters(250, 1), seed },
    );
  },
  fuzzTimeoutMs,
);

test(
  'stores a whole file or nothing for any form',
  async () => {
    const form = Buffer.from(
      [
        '--x',
        'content-disposition: form-data; name="cacheControl"',
        '',
        '3600',
        '--x',
        'content-disposition: form-data; name="metadata"',
        '',
        '{"by":"Ada"}',
        '--x',
        'content-disposition: form-data; name=""; filename="a.txt"',
        'content-type: text/plain',
        '',
        'the text',
        '--x--',
        '',
      ].join('\r\n'),
    );
    const body = fc.oneof(
      { weight: 4, arbitrary: changes.map((o) => change(form, o)) },
      {
        weight: 1,
        arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      },
    );
    const boundary = fc.constantFrom(
      '; boundary=x',
      '; boundary=x',
      '; boundary="x"',
      '',
      '; boundary=',
    );
    const taken = { whole: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(body, boundary, async (bytes, end) => {
        const headers = { 'content-type': `multipart/form-data${end}` };
        const path = `/storage/v1/object/dropbox/${(requests += 1)}.txt`;
        const init = { method: 'POST', headers, body: new Uint8Array(bytes) };
        const { status, text } = await ask(path, init);
        expect(status, text).toBeLessThan(500);
        taken[status === 200 ? 'whole' : 'refused'] += 1;
      }),
      { ...createFuzzParameters(200, 1), seed },
    );
    expect(taken.whole).toBeGreaterThan(0);
    expect(taken.refused).toBeGreaterThan(0);
    expect(await world.countFiles()).toBe(taken.whole);
    const rows = await world.test.database.sql`select from storage.objects`;
    expect(rows).toHaveLength(taken.whole);
  },
  fuzzTimeoutMs,
);
