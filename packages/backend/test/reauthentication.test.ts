/** Changes that require an authentication within the last ten minutes (PT-05). */
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  ageSessions,
  openTestBackend,
  readMailCode,
  testAuthSettings,
} from '@vitrine/testing/backend';
import type { Browser, TestBackend } from '@vitrine/testing/backend';
import { clientId, clientSecret } from '@vitrine/testing/provider';

const password = 'correct horse battery';
let world: TestBackend;
let accounts = 0;
let email: string;

beforeAll(async () => {
  const url = 'http://127.0.0.1:9';
  const google = { name: 'google', url, clientIds: [clientId], clientSecret };
  world = await openTestBackend({
    confirmEmail: false,
    authSettings: { ...testAuthSettings, providers: [{ ...google, skipNonceCheck: false }] },
  });
});
afterAll(() => world.close());
beforeEach(() => {
  email = `again${(accounts += 1)}@example.com`;
});

type Client = Browser['client'];

async function signUp(): Promise<Client> {
  const { client } = world.openBrowser();
  const { error } = await client.auth.signUp({ email, password });
  if (error) throw error;
  return client;
}

/** Codes of an account's factor, each of another time step. */
async function addFactor({ auth }: Client) {
  const { data, error } = await auth.mfa.enroll({ factorType: 'totp' });
  if (error) throw error;
  const totp = new TOTP({ secret: Secret.fromBase32(data.totp.secret) });
  let steps = -1;
  const show = () => {
    const code = totp.generate({ timestamp: Date.now() + steps * 30_000 });
    steps += 1;
    return auth.mfa.challengeAndVerify({ factorId: data.id, code });
  };
  expect((await show()).error).toBeNull();
  return { id: data.id, show };
}

async function codeOf(error: Promise<{ error: { code?: string | undefined } | null }>) {
  return (await error).error?.code ?? null;
}

const changes: [string, (client: Client) => Promise<string | null>][] = [
  ['the password', ({ auth }) => codeOf(auth.updateUser({ password: `${password} next` }))],
  ['the email', ({ auth }) => codeOf(auth.updateUser({ email: `next-${email}` }))],
  ['factors, by adding one', ({ auth }) => codeOf(auth.mfa.enroll({ factorType: 'totp' }))],
  [
    'identities, by an ID token',
    ({ auth }) =>
      codeOf(auth.linkIdentity({ provider: 'google', token: 'no.token.at all' })).then((code) =>
        code === 'reauthentication_needed' ? code : null,
      ),
  ],
  [
    'identities, by a provider',
    ({ auth }) =>
      codeOf(
        auth.linkIdentity({ provider: 'google', options: { skipBrowserRedirect: true } }),
      ).then((code) => (code === 'reauthentication_needed' ? code : null)),
  ],
  [
    'identities, by unlinking one',
    async ({ auth }) => {
      const { data } = await auth.getUser();
      const [identity] = data.user?.identities ?? [];
      if (!identity) throw new Error('there is one');
      const code = await codeOf(auth.unlinkIdentity(identity));
      return code === 'reauthentication_needed' ? code : null;
    },
  ],
];

test.each(changes)(
  'PT-05 changing %s requires re-authentication after ten minutes, with a password or mailed code',
  async (_name, change) => {
    for (const by of ['current_password', 'nonce'] as const) {
      email = `${by.slice(0, 2)}-${email}`;
      const client = await signUp();
      await ageSessions(world, email);
      expect(await change(client)).toBe('reauthentication_needed');
      // A new access token does not make the session recent.
      await client.auth.refreshSession();
      expect(await change(client)).toBe('reauthentication_needed');
      if (by === 'nonce') await client.auth.reauthenticate();
      const proof =
        by === 'nonce' ? { nonce: readMailCode(await world.readMail(email)) } : { [by]: password };
      expect((await client.auth.updateUser(proof)).error).toBeNull();
      expect(await change(client)).toBeNull();
    }
  },
);

test('PT-05 does not require re-authentication within ten minutes', async () => {
  const client = await signUp();
  await ageSessions(world, email, 9);
  expect(await codeOf(client.auth.updateUser({ password: `${password} next` }))).toBeNull();
});

test('PT-05 removing a factor requires a code within ten minutes, a password is not enough', async () => {
  const client = await signUp();
  const factor = await addFactor(client);
  await ageSessions(world, email);
  const remove = () => codeOf(client.auth.mfa.unenroll({ factorId: factor.id }));
  expect(await remove()).toBe('reauthentication_needed');
  expect((await client.auth.updateUser({ current_password: password })).error).toBeNull();
  expect(await remove()).toBe('reauthentication_needed');
  expect((await factor.show()).error).toBeNull();
  expect(await remove()).toBeNull();
});

test('PT-05 with MFA a code allows a new password', async () => {
  const client = await signUp();
  const factor = await addFactor(client);
  await ageSessions(world, email);
  const change = () => codeOf(client.auth.updateUser({ password: `${password} next` }));
  expect(await change()).toBe('reauthentication_needed');
  expect((await factor.show()).error).toBeNull();
  expect(await change()).toBeNull();
});

test('PT-05 counts wrong passwords by session, and changes nothing', async () => {
  const client = await signUp();
  const other = world.openBrowser().client;
  await other.auth.signInWithPassword({ email, password });
  const codes = [];
  for (let guess = 0; guess < 11; guess += 1) {
    codes.push(await codeOf(other.auth.updateUser({ current_password: 'not this one' })));
  }
  expect(codes).toEqual([
    ...Array.from({ length: 10 }, () => 'invalid_credentials'),
    'over_request_rate_limit',
  ]);
  expect(await codeOf(client.auth.updateUser({ current_password: password }))).toBeNull();
});

test('PT-05 an anonymous account becomes permanent without re-authentication', async () => {
  const { client } = world.openBrowser();
  const { data } = await client.auth.signInAnonymously();
  await world.database.sql`
    update auth.mfa_amr_claims set updated_at = now() - interval '1 hour'
    where session_id in (select id from auth.sessions where user_id = ${data.user?.id ?? ''})`;
  expect(await codeOf(client.auth.updateUser({ email, password }))).toBeNull();
});
