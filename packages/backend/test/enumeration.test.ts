import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestBackend, signUpConfirmed } from '@vitrine/testing/backend';
import type { TestBackend } from '@vitrine/testing/backend';

let world: TestBackend;

beforeAll(async () => {
  world = await openTestBackend();
  await signUpConfirmed(world, 'known@example.com');
});
afterAll(() => world.close());

const challenge = { code_challenge: 'c'.repeat(43), code_challenge_method: 's256' };

/** Sends the same request for an existing and a missing account, each to a fresh process. */
async function askBoth(path: string, body: (email: string) => object) {
  const answers = [];
  for (const email of ['known@example.com', `${randomBytes(4).toString('hex')}@example.com`]) {
    const fresh = await openTestBackend({}, world);
    const answer = await fresh.openBrowser().request(path, {
      method: 'POST',
      body: JSON.stringify({ email, ...challenge, ...body(email) }),
    });
    answers.push({ status: answer.status, shape: shapeOf(await answer.json()) });
    await fresh.close();
  }
  return answers;
}

/** The distinguishable shape of a response: names and types, not values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
  }
  return typeof value;
}

test.each([
  [
    '/auth/v1/signup',
    (email: string) => ({
      password: 'correct horse battery',
      data: { username: `u${email.length}` },
    }),
  ],
  ['/auth/v1/signup', () => ({ password: 'short' })],
  ['/auth/v1/recover', () => ({})],
  ['/auth/v1/otp', () => ({})],
  ['/auth/v1/otp', () => ({ create_user: false })],
  ['/auth/v1/otp', () => ({ data: { username: 'known' } })],
  ['/auth/v1/verify', () => ({ type: 'email', token: '123456' })],
  ['/auth/v1/resend', () => ({ type: 'signup' })],
  ['/auth/v1/token?grant_type=password', () => ({ password: 'not this one at all' })],
])('AU-10 responds to %s alike for a known and an unknown email', async (path, body) => {
  const [known, unknown] = await askBoth(path, body);
  expect(known).toEqual(unknown);
});

test('AU-10 responds with the typed email, and leaves no trace of the simulated account', async () => {
  const fresh = await openTestBackend({}, world);
  const before = await world.database.sql`select count(*)::int as count from auth.users`;
  const { data, error } = await fresh.openBrowser().client.auth.signUp({
    email: 'known@example.com',
    password: 'correct horse battery',
    options: { data: { username: 'somebody' } },
  });
  expect(error).toBeNull();
  expect(data.user?.email).toBe('known@example.com');
  expect(data.user?.identities?.[0]?.identity_data?.['email']).toBe('known@example.com');
  expect(await world.database.sql`select count(*)::int as count from auth.users`).toEqual(before);
  const mail = await fresh.readMail('known@example.com');
  expect(mail.subject).toBe('You already have an account');
  await fresh.close();
});

test('AU-10 rejects a taken username whether or not the email is known', async () => {
  const answers = [];
  for (const email of ['known@example.com', 'unknown@example.com']) {
    const fresh = await openTestBackend({}, world);
    const { error } = await fresh.openBrowser().client.auth.signUp({
      email,
      password: 'correct horse battery',
      options: { data: { username: 'known' } },
    });
    answers.push([error?.status, error?.code]);
    await fresh.close();
  }
  expect(answers).toEqual([
    [409, 'username_taken'],
    [409, 'username_taken'],
  ]);
});

test('AU-10, BF-13 takes as long for an unknown account as for a wrong password', async () => {
  const fresh = await openTestBackend({}, world);
  const time = async (email: string) => {
    const { request } = fresh.openBrowser({ address: randomBytes(4).toString('hex') });
    const begin = performance.now();
    await request('/auth/v1/token?grant_type=password', {
      method: 'POST',
      body: JSON.stringify({ email, password: 'not this one at all' }),
    });
    return performance.now() - begin;
  };
  const [known, unknown] = [Array<number>(), Array<number>()];
  for (let round = 0; round < 15; round += 1) {
    known.push(await time('known@example.com'));
    unknown.push(await time('stranger@example.com'));
  }
  // The minimum of many, as other load only adds time. Without the dummy hash, an unknown account
  // takes less than a tenth.
  const [shortest, other] = [Math.min(...known), Math.min(...unknown)];
  expect(Math.abs(shortest - other) / shortest).toBeLessThan(0.3);
  await fresh.close();
}, 30_000);
