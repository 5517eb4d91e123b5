/** Accounts created with another person's email, where emails need no confirmation (PT-04). */
import { Secret, TOTP } from 'otpauth';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  appOrigin,
  followMail,
  openTestBackend,
  readMailCode,
  testAuthSettings,
} from '@vitrine/testing/backend';
import type { Browser, TestBackend } from '@vitrine/testing/backend';
import { migrationsDir } from '@vitrine/testing/database';
import { clientId, clientSecret, openProvider } from '@vitrine/testing/provider';
import type { TestProvider } from '@vitrine/testing/provider';

const password = 'password of mallory';
let provider: TestProvider;
let world: TestBackend;
let accounts = 0;
let email: string;

beforeAll(async () => {
  provider = await openProvider();
  const keycloak = { name: 'keycloak', url: provider.origin, clientIds: [clientId], clientSecret };
  world = await openTestBackend({
    confirmEmail: false,
    authSettings: { ...testAuthSettings, providers: [{ ...keycloak, skipNonceCheck: false }] },
  });
});
afterAll(async () => {
  await world.close();
  await provider.close();
});
beforeEach(() => {
  email = `owner${(accounts += 1)}@example.com`;
  provider.user = { sub: `owner-${accounts}`, email, email_verified: true };
});

const locationOf = (answer: Response) => new URL(answer.headers.get('location') ?? 'about:blank');
const send = (url: string | URL) => world.backend.fetch(new Request(url), { address: '192.0.2.9' });

/** Follows the redirects through the provider and back, like a browser; returns the code. */
async function travel(start: string): Promise<string> {
  const left = new URL(start).origin === appOrigin ? locationOf(await send(start)) : start;
  const back = locationOf(await fetch(left, { redirect: 'manual' }));
  return locationOf(await send(back)).searchParams.get('code') ?? '';
}

async function exchange({ client }: Browser, code: string): Promise<Browser['client']> {
  const { error } = await client.auth.exchangeCodeForSession(code);
  if (error) throw error;
  return client;
}

/** Creates an account of `address` that is signed in at once, with a project. */
async function signUp(address = email): Promise<Browser> {
  const browser = world.openBrowser();
  const username = address.replace(/@.*/, '');
  const { error } = await browser.client.auth.signUp({
    email: address,
    password,
    options: { data: { username, note: 'planted' } },
  });
  if (error) throw error;
  return browser;
}

/**
 * Plants everything that could let Mallory back in: password, sessions, a factor, an identity, a
 * pending email change.
 */
async function plant(): Promise<Browser> {
  const mallory = await signUp();
  const { auth } = mallory.client;
  provider.user = { sub: `mallory-${accounts}`, email: `mallory-${email}`, email_verified: true };
  const link = await auth.linkIdentity({
    provider: 'keycloak',
    options: { skipBrowserRedirect: true },
  });
  await exchange(mallory, await travel(link.data.url ?? ''));
  provider.user = { sub: `owner-${accounts}`, email, email_verified: true };
  await auth.signInWithPassword({ email, password });
  const { data } = await auth.mfa.enroll({ factorType: 'totp' });
  const totp = new TOTP({ secret: Secret.fromBase32(data?.totp.secret ?? '') });
  const factor = { factorId: data?.id ?? '', code: totp.generate() };
  expect((await auth.mfa.challengeAndVerify(factor)).error).toBeNull();
  await world.database.sql`
    update auth.users set email_change = ${`mallory-${email}`}, email_change_sent_at = now()
    where email = ${email}`;
  return mallory;
}

async function byCode(type: 'email' | 'recovery'): Promise<Browser['client']> {
  const { client } = world.openBrowser();
  if (type === 'email') await client.auth.signInWithOtp({ email });
  else await client.auth.resetPasswordForEmail(email);
  const token = readMailCode(await world.readMail(email));
  const { error } = await client.auth.verifyOtp({ type, email, token });
  if (error) throw error;
  return client;
}

async function byLink(asks: (auth: Browser['client']['auth']) => Promise<unknown>) {
  const browser = world.openBrowser();
  await asks(browser.client.auth);
  const target = await followMail(world.backend, await world.readMail(email));
  return exchange(browser, target.searchParams.get('code') ?? '');
}

async function byProvider(): Promise<Browser['client']> {
  const browser = world.openBrowser();
  const { data } = await browser.client.auth.signInWithOAuth({
    provider: 'keycloak',
    options: { skipBrowserRedirect: true, redirectTo: `${appOrigin}/auth/callback` },
  });
  return exchange(browser, await travel(data.url ?? ''));
}

async function byIdToken(): Promise<Browser['client']> {
  const { client } = world.openBrowser();
  const token = await provider.sign({ sub: `owner-${accounts}`, email, email_verified: true });
  const { error } = await client.auth.signInWithIdToken({ provider: 'keycloak', token });
  if (error) throw error;
  return client;
}

async function byGeneratedLink(): Promise<Browser['client']> {
  const { secretKey } = world.backend;
  const answer = await world.backend.fetch(
    new Request(`${appOrigin}/auth/v1/admin/generate_link`, {
      method: 'POST',
      headers: { apikey: secretKey, authorization: `Bearer ${secretKey}` },
      body: JSON.stringify({ type: 'magiclink', email }),
    }),
  );
  const { hashed_token: token_hash } = (await answer.json()) as { hashed_token: string };
  const { client } = world.openBrowser();
  const { error } = await client.auth.verifyOtp({ type: 'magiclink', token_hash });
  if (error) throw error;
  return client;
}

const proofs: [string, () => Promise<Browser['client']>, string[]][] = [
  ['a mailed code', () => byCode('email'), ['email']],
  ['a recovery by code', () => byCode('recovery'), ['email']],
  ['a mailed link', () => byLink((auth) => auth.signInWithOtp({ email })), ['email']],
  ['a recovery by link', () => byLink((auth) => auth.resetPasswordForEmail(email)), ['email']],
  ['a provider that has verified the address', byProvider, ['email', 'keycloak']],
  ['an ID token', byIdToken, ['email', 'keycloak']],
  ['a generated link', byGeneratedLink, ['email']],
];

test.each(proofs)(
  'PT-04 %s transfers the account to the mailbox owner, and locks the earlier holder out',
  async (_name, prove, identities) => {
    const mallory = await plant();
    const before = (await mallory.client.auth.getUser()).data.user;
    const owner = await prove();

    const { auth } = mallory.client;
    expect((await auth.refreshSession()).error?.code).toBe('refresh_token_not_found');
    const again = await auth.signInWithPassword({ email, password });
    expect(again.error?.code).toBe('invalid_credentials');
    provider.user = { sub: `mallory-${accounts}`, email: `m-${email}`, email_verified: true };
    const outside = (await (await byProvider()).auth.getUser()).data.user;
    expect(outside?.id).not.toBe(before?.id);

    const user = (await owner.auth.getUser()).data.user;
    expect(user?.id).toBe(before?.id);
    expect(user?.identities?.map((one) => one.provider).toSorted()).toEqual(identities);
    expect(user).not.toHaveProperty('factors');
    expect(user).not.toHaveProperty('new_email');
    expect(user?.user_metadata).not.toHaveProperty('note');
    // The account stays, with its profile and projects.
    expect((await owner.from('profiles').select('username').eq('id', user?.id)).data).toEqual([
      { username: email.replace(/@.*/, '') },
    ]);
    expect((await owner.auth.updateUser({ password: 'password of the owner' })).error).toBeNull();
    // From now on it is the owner's: verifying again removes nothing.
    const own = world.openBrowser().client.auth;
    await own.signInWithPassword({ email, password: 'password of the owner' });
    await byGeneratedLink();
    expect((await own.refreshSession()).error).toBeNull();
    expect(
      (await own.signInWithPassword({ email, password: 'password of the owner' })).error,
    ).toBeNull();
  },
);

test('PT-04 a changed email belongs to nobody until its mailbox is verified', async () => {
  const mallory = await signUp(`mallory-${email}`);
  // Her own mailbox is verified.
  await mallory.client.auth.reauthenticate();
  const nonce = readMailCode(await world.readMail(`mallory-${email}`));
  expect((await mallory.client.auth.updateUser({ nonce })).error).toBeNull();
  expect((await mallory.client.auth.updateUser({ email })).error).toBeNull();
  await byCode('email');
  const { error } = await mallory.client.auth.signInWithPassword({ email, password });
  expect(error?.code).toBe('invalid_credentials');
  expect((await mallory.client.auth.refreshSession()).error).not.toBeNull();
});

test('PT-04 an email changed outside the backend is unverified, whatever was verified before', async () => {
  const mallory = await signUp(`mallory-${email}`);
  await world.database.sql`
    update auth.users set email = ${email}, raw_app_meta_data = raw_app_meta_data ||
      jsonb_build_object('verified_email', email)
    where email = ${`mallory-${email}`}`;
  await byCode('email');
  const { error } = await mallory.client.auth.signInWithPassword({ email, password });
  expect(error?.code).toBe('invalid_credentials');
});

test('PT-04 a linked provider with another email verifies nothing', async () => {
  const { client } = await signUp();
  provider.user = { sub: `other-${accounts}`, email: `other-${email}`, email_verified: true };
  const link = await client.auth.linkIdentity({
    provider: 'keycloak',
    options: { skipBrowserRedirect: true },
  });
  await client.auth.exchangeCodeForSession(await travel(link.data.url ?? ''));
  await byProvider();
  const { error } = await client.auth.signInWithPassword({ email, password });
  expect(error).toBeNull();
});

test('PT-04 a provider linked earlier takes over the account when it signs in', async () => {
  const mallory = await signUp();
  // As linked before verification was recorded: by the owner, to Mallory's account.
  await world.database.sql`
    insert into auth.identities (provider_id, user_id, identity_data, provider)
    select ${`owner-${accounts}`}, id,
      jsonb_build_object('email', ${email}::text, 'email_verified', true), 'keycloak'
    from auth.users where email = ${email}`;
  await byProvider();
  const { error } = await mallory.client.auth.signInWithPassword({ email, password });
  expect(error?.code).toBe('invalid_credentials');
});

test('PT-04 a session started with the password keeps everything when its mailbox is verified', async () => {
  const own = await signUp();
  const elsewhere = world.openBrowser().client;
  await elsewhere.auth.signInWithPassword({ email, password });
  await own.client.auth.reauthenticate();
  const nonce = readMailCode(await world.readMail(email));
  const { data, error } = await own.client.auth.updateUser({ nonce });
  expect([error, data.user?.app_metadata['verified_email']]).toEqual([null, email]);
  await byGeneratedLink();
  expect((await elsewhere.auth.refreshSession()).error).toBeNull();
  expect((await own.client.auth.signInWithPassword({ email, password })).error).toBeNull();
});

test('PT-04 a session started with an earlier mail does not keep the creator’s password', async () => {
  const mallory = await signUp();
  const [row] = await world.database.sql`
    select encrypted_password from auth.users where email = ${email}`;
  const hash = String(row?.['encrypted_password']);
  const owner = await byGeneratedLink();
  // As before verification was recorded: the mail signed in, and removed nothing.
  await world.database.sql`
    update auth.users set raw_app_meta_data = raw_app_meta_data - 'verified_email',
      encrypted_password = ${hash}
    where email = ${email}`;
  expect((await mallory.client.auth.signInWithPassword({ email, password })).error).toBeNull();
  await owner.auth.reauthenticate();
  const nonce = readMailCode(await world.readMail(email));
  expect((await owner.auth.updateUser({ nonce })).error).toBeNull();
  expect((await owner.auth.refreshSession()).error).toBeNull();
  expect((await mallory.client.auth.refreshSession()).error).not.toBeNull();
});

test('PT-04 users cannot mark their own mailbox as verified', async () => {
  const mallory = await signUp();
  await mallory.client.auth.updateUser({ data: { verified_email: email } });
  const { data } = await mallory.client.auth.getUser();
  expect(data.user?.app_metadata).not.toHaveProperty('verified_email');
});

test('PT-04 only accounts with evidence count as verified after the upgrade', async () => {
  const { sql } = world.database;
  const make = async (name: string) => {
    await signUp(`${name}-${email}`);
    return `${name}-${email}`;
  };
  const [plain, mailed, moved, outside] = [
    await make('plain'),
    await make('mailed'),
    await make('moved'),
    await make('outside'),
  ];
  await sql`
    update auth.users set confirmation_sent_at = email_confirmed_at - interval '1 minute'
    where email in ${sql([mailed, moved])}`;
  await sql`
    update auth.identities i set updated_at = u.email_confirmed_at + case when u.email = ${moved}
      then interval '1 day' else interval '0' end
    from auth.users u where u.id = i.user_id and u.email in ${sql([mailed, moved])}`;
  await sql`
    update auth.identities set provider = 'keycloak', provider_id = ${outside}
    where email = ${outside}`;
  await sql`update auth.users set encrypted_password = null where email = ${outside}`;
  await sql`
    update auth.users set raw_app_meta_data = raw_app_meta_data - 'verified_email'
    where email like ${`%-${email}`}`;
  await sql.unsafe(
    await readFile(join(migrationsDir, '20261125110000_reauthentication.sql'), 'utf8'),
  );
  const rows = await sql`
    select email, raw_app_meta_data ->> 'verified_email' as verified from auth.users
    where email like ${`%-${email}`}`;
  const verified = new Map(rows.map((row) => [row['email'], row['verified']]));
  expect(verified.get(plain)).toBeNull();
  expect(verified.get(mailed)).toBe(mailed);
  expect(verified.get(moved)).toBeNull();
  expect(verified.get(outside)).toBe(outside);
});
