import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  followMail,
  openTestBackend,
  readMailCode,
  signUpConfirmed,
} from '@vitrine/testing/backend';
import type { TestBackend } from '@vitrine/testing/backend';

const password = 'correct horse battery';
let world: TestBackend;

beforeAll(async () => {
  world = await openTestBackend();
});
afterAll(() => world.close());

async function signInAnonymously() {
  const browser = world.openBrowser();
  const { data, error } = await browser.client.auth.signInAnonymously({
    options: { data: { hello: 'world' } },
  });
  if (error) throw error;
  return { ...browser, user: data.user };
}

test('signs in without an email, and says so in the token', async () => {
  const { client, user } = await signInAnonymously();
  expect(user).toMatchObject({ is_anonymous: true, email: '', user_metadata: { hello: 'world' } });
  const claims = (await client.auth.getClaims()).data?.claims;
  expect(claims).toMatchObject({ is_anonymous: true, role: 'authenticated', aal: 'aal1' });
  expect(claims?.amr).toMatchObject([{ method: 'anonymous' }]);
  expect((await client.auth.refreshSession()).data.user?.id).toBe(user?.id);
});

test('makes the account permanent, with the same id, with a confirmed email and a password', async () => {
  const { client, user } = await signInAnonymously();
  const early = await client.auth.updateUser({ password });
  expect([early.error?.status, early.error?.code]).toEqual([422, 'validation_failed']);
  const email = 'lasting@example.com';
  const asked = await client.auth.updateUser({ email });
  expect(asked.error).toBeNull();
  expect(asked.data.user).toMatchObject({ is_anonymous: true, new_email: email });
  const target = await followMail(world.backend, await world.readMail(email));
  const { data } = await client.auth.exchangeCodeForSession(target.searchParams.get('code') ?? '');
  expect(data.user).toMatchObject({ id: user?.id, email, is_anonymous: false });
  expect(data.user?.identities?.map((identity) => identity.provider)).toEqual(['email']);
  expect(data.user?.app_metadata).toMatchObject({ provider: 'email', providers: ['email'] });
  expect((await client.auth.updateUser({ password })).error).toBeNull();
  const signedIn = await world.openBrowser().client.auth.signInWithPassword({ email, password });
  expect(signedIn.data.user?.id).toBe(user?.id);
});

test('makes the account permanent at once when emails need no confirmation', async () => {
  const open = await openTestBackend({ confirmEmail: false }, world);
  const { storage, user } = await signInAnonymously();
  const { auth } = open.openBrowser({ storage }).client;
  const email = 'at-once@example.com';
  const { data, error } = await auth.updateUser({ email, password });
  expect(error).toBeNull();
  expect(data.user).toMatchObject({ id: user?.id, email, is_anonymous: false });
  await open.close();
});

test('does not take the email of an existing account', async () => {
  await signUpConfirmed(world, 'taken@example.com');
  const open = await openTestBackend({ confirmEmail: false }, world);
  const { storage } = await signInAnonymously();
  const { auth } = open.openBrowser({ storage }).client;
  const { error } = await auth.updateUser({ email: 'taken@example.com', password });
  expect([error?.status, error?.code]).toEqual([422, 'email_exists']);
  await open.close();
});

test('cannot request a code without a mailbox', async () => {
  const { client } = await signInAnonymously();
  const { error } = await client.auth.reauthenticate();
  expect(error?.message).toBe(
    'Reauthentication requires the user to have an email or a phone number',
  );
});

test('AU-22 limits anonymous sign-ins from one address', async () => {
  const fresh = await openTestBackend({}, world);
  const { request } = fresh.openBrowser();
  const statuses = [];
  for (let index = 0; index < 31; index += 1) {
    statuses.push((await request('/auth/v1/signup', { method: 'POST', body: '{}' })).status);
  }
  expect(statuses).toEqual([...Array<number>(30).fill(200), 429]);
  await fresh.close();
});

test('does not send a code for an email that is not confirmed yet', async () => {
  const { client } = await signInAnonymously();
  const email = 'not-yet@example.com';
  await client.auth.updateUser({ email });
  const mail = await world.readMail(email);
  // A browser requested it, so only that browser can complete it: there is no code for a stranger
  // to type.
  expect(() => readMailCode(mail)).toThrow('No code');
});
