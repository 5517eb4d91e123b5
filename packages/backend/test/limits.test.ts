import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestBackend, signUpConfirmed, testAuthSettings } from '@vitrine/testing/backend';
import type { TestBackend } from '@vitrine/testing/backend';
import { createAuthRateLimiter } from '../src/auth/auth-limits.ts';

const password = 'correct horse battery';
let world: TestBackend;
/** A process with fresh limits. */
let fresh: TestBackend;

beforeAll(async () => {
  world = await openTestBackend();
  await signUpConfirmed(world, 'ada@example.com');
});
afterAll(() => world.close());
beforeEach(async () => {
  fresh = await openTestBackend({}, world);
  return () => fresh.close();
});

const signIn = (o: { email?: string; password: string; address: string; headers?: HeadersInit }) =>
  fresh.openBrowser({ address: o.address }).request('/auth/v1/token?grant_type=password', {
    method: 'POST',
    ...(o.headers === undefined ? {} : { headers: o.headers }),
    body: JSON.stringify({ email: o.email ?? 'ada@example.com', password: o.password }),
  });

test('AU-11, BF-13 limits guesses for one account, also concurrent ones', async () => {
  const tries = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      signIn({ password: `guess number ${index}`, address: '203.0.113.1' }),
    ),
  );
  expect(tries.filter((answer) => answer.status === 400).length).toBe(10);
  const [refused] = tries.filter((answer) => answer.status === 429);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await signIn({ password, address: '203.0.113.1' })).status).toBe(429);
  // The owner, at another address, is not locked out.
  expect((await signIn({ password, address: '203.0.113.2' })).status).toBe(200);
});

test('AU-11 counts by the connection’s address, whatever the request claims', async () => {
  const statuses = new Set<number>();
  for (let index = 0; index < 12; index += 1) {
    const headers = { 'x-forwarded-for': `192.0.2.${index}`, 'x-real-ip': `192.0.2.${index}` };
    statuses.add(
      (await signIn({ password: 'a wrong one', address: '203.0.113.1', headers })).status,
    );
  }
  expect(statuses).toContain(429);
});

test('AU-11 responds with 429 to the 31st wrong link of a burst', async () => {
  const { request } = fresh.openBrowser();
  const verify = async () =>
    (
      await request('/auth/v1/verify', {
        method: 'POST',
        body: JSON.stringify({ type: 'signup', token_hash: 'guess' }),
      })
    ).status;
  const statuses = [];
  for (let index = 0; index < 31; index += 1) statuses.push(await verify());
  expect(statuses).toEqual([...Array<number>(30).fill(403), 429]);
});

test('lets a school class sign in from one address', async () => {
  for (let index = 0; index < 32; index += 1) {
    expect((await signIn({ password, address: '203.0.113.9' })).status).toBe(200);
  }
}, 30_000);

test('AU-22 limits sign-ups from one address', async () => {
  const { request } = fresh.openBrowser();
  const statuses = [];
  for (let index = 0; index < 40; index += 1) {
    const body = JSON.stringify({ email: `bulk${index}@example.com`, password: 'short' });
    statuses.push((await request('/auth/v1/signup', { method: 'POST', body })).status);
  }
  expect(statuses.filter((status) => status === 429).length).toBe(10);
});

/** A request for each limit of `[auth.rate_limit]`, and its response within the limit. */
const kinds = {
  'a wrong password': ['/token?grant_type=password', 400, () => ({ email: anyone(), password })],
  'a sign-up': ['/signup', 422, () => ({ email: anyone(), password: 'short' })],
  'a mail': ['/recover', 200, () => ({ email: anyone() })],
  'an anonymous sign-in': ['/signup', 200, () => ({})],
  'a refresh': ['/token?grant_type=refresh_token', 400, () => ({ refresh_token: 'none' })],
  'a wrong link': ['/verify', 403, () => ({ type: 'signup', token_hash: 'guess' })],
} as const;

let people = 0;
const anyone = () => `person${(people += 1)}@example.com`;

test.each(Object.entries(kinds))(
  'limits %s per address by supabase/config.toml',
  async (_, [path, status, body]) => {
    const limits = {
      mails: 1_000,
      anonymousSignIns: 3,
      refreshes: 3,
      signIns: 3,
      verifications: 3,
    };
    const strict = await openTestBackend({ authSettings: { ...testAuthSettings, limits } }, world);
    const send = async ({ request } = strict.openBrowser()) => {
      const init = { method: 'POST', body: JSON.stringify(body()) };
      return (await request(`/auth/v1${path}`, init)).status;
    };
    const browser = strict.openBrowser();
    const statuses = [];
    for (let index = 0; index < 4; index += 1) statuses.push(await send(browser));
    expect(statuses).toEqual([status, status, status, 429]);
    expect(await send()).toBe(status);
    await strict.close();
  },
);

test.each(Object.entries(kinds))('AU-11 counts %s by an IPv6 address’s /64', async (_, kind) => {
  const [path, status, body] = kind;
  const limits = { mails: 1_000, anonymousSignIns: 3, refreshes: 3, signIns: 3, verifications: 3 };
  const strict = await openTestBackend({ authSettings: { ...testAuthSettings, limits } }, world);
  const send = async (address: string) => {
    const init = { method: 'POST', body: JSON.stringify(body()) };
    return (await strict.openBrowser({ address }).request(`/auth/v1${path}`, init)).status;
  };
  const statuses = [];
  for (const host of ['::1', '::2', ':3:4:5:6', ':ffff::'])
    statuses.push(await send(`2001:db8:1:2${host}`));
  expect(statuses).toEqual([status, status, status, 429]);
  expect(await send('2001:db8:1:3::1')).toBe(status);
  await strict.close();
});

test('AU-22 limits the mails of an hour for the whole instance', async () => {
  const limits = { ...testAuthSettings.limits, mails: 3 };
  const strict = await openTestBackend({ authSettings: { ...testAuthSettings, limits } }, world);
  const ask = async () => {
    const { error } = await strict.openBrowser().client.auth.resetPasswordForEmail(anyone());
    return error?.code;
  };
  const answers = [await ask(), await ask(), await ask(), await ask()];
  expect(answers).toEqual([undefined, undefined, undefined, 'over_email_send_rate_limit']);
  await strict.close();
});

test('AU-22 limits one address to a quarter of the mails of an hour', async () => {
  const limits = { ...testAuthSettings.limits, mails: 8 };
  const strict = await openTestBackend({ authSettings: { ...testAuthSettings, limits } }, world);
  const ask = async ({ client } = strict.openBrowser()) =>
    (await client.auth.resetPasswordForEmail(anyone())).error?.code;
  const greedy = strict.openBrowser();
  const answers = [await ask(greedy), await ask(greedy), await ask(greedy), await ask()];
  expect(answers).toEqual([undefined, undefined, 'over_email_send_rate_limit', undefined]);
  await strict.close();
});

test('evicts the oldest keys', () => {
  const limit = createAuthRateLimiter({ burst: 1, refillSeconds: 3600, code: 'x', maxKeys: 10 });
  limit.consume('first');
  expect(() => limit.consume('first')).toThrow('after 3600 seconds');
  for (let index = 0; index < 20; index += 1) limit.consume(`other ${index}`);
  expect(() => limit.consume('first')).not.toThrow();
});
