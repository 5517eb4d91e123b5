import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  ageSessions,
  followMail,
  openTestBackend,
  readMailCode,
  signUpConfirmed,
  testAuthSettings,
} from '@vitrine/testing/backend';
import type { TestBackend } from '@vitrine/testing/backend';
import { hashSecret } from '../src/auth/secret-text.ts';

const password = 'correct horse battery';
let world: TestBackend;
/** A process that has sent no mail yet. */
let fresh: TestBackend;
let people = 0;
let email: string;

beforeAll(async () => {
  world = await openTestBackend();
});
afterAll(() => world.close());
beforeEach(async () => {
  email = `person${(people += 1)}@example.com`;
  fresh = await openTestBackend({}, world);
  return () => fresh.close();
});

const verify = (token: string, type: string, to = email) =>
  fresh.openBrowser().request('/auth/v1/verify', {
    method: 'POST',
    headers: { 'x-supabase-api-version': '2024-01-01' },
    body: JSON.stringify({ email: to, token, type }),
  });

/** Returns another code: 123456 → 123457 */
const otherThan = (code: string) => code.slice(0, -1) + ((Number(code.at(-1)) + 1) % 10);

test('signs up an unknown and signs in a known email with a code, also on another device', async () => {
  const { auth } = fresh.openBrowser().client;
  expect((await auth.signInWithOtp({ email })).error).toBeNull();
  const first = await fresh.readMail(email);
  expect(first.subject).toBe('Confirm your email address');
  const elsewhere = fresh.openBrowser().client.auth;
  const signedUp = await elsewhere.verifyOtp({ email, token: readMailCode(first), type: 'email' });
  expect(signedUp.error).toBeNull();
  expect(signedUp.data.user?.email).toBe(email);
  const later = await openTestBackend({}, world);
  const again = later.openBrowser().client.auth;
  await again.signInWithOtp({ email, options: { shouldCreateUser: false } });
  const second = await later.readMail(email);
  expect(second.subject).toBe('Sign in to Vitrine');
  const { data } = await again.verifyOtp({ email, token: readMailCode(second), type: 'magiclink' });
  expect(data.user?.id).toBe(signedUp.data.user?.id);
  const claims = (await again.getClaims()).data?.claims;
  expect(claims?.amr).toMatchObject([{ method: 'otp' }]);
  await later.close();
});

test('signs in with the mailed link in the requesting browser', async () => {
  await signUpConfirmed(world, email);
  const { auth } = fresh.openBrowser().client;
  await auth.signInWithOtp({ email });
  const target = await followMail(fresh.backend, await fresh.readMail(email));
  const code = target.searchParams.get('code') ?? '';
  const { data, error } = await auth.exchangeCodeForSession(code);
  expect(error).toBeNull();
  expect(data.user?.email).toBe(email);
  expect((await auth.getClaims()).data?.claims.amr).toMatchObject([{ method: 'magiclink' }]);
});

test('accepts a code once, and for its own purpose', async () => {
  await fresh.openBrowser().client.auth.signInWithOtp({ email });
  const code = readMailCode(await fresh.readMail(email));
  expect((await verify(code, 'recovery')).status).toBe(403);
  expect((await verify(code, 'email_change')).status).toBe(403);
  expect((await verify(code, 'signup', `other-${email}`)).status).toBe(403);
  expect((await verify(code, 'signup')).status).toBe(200);
  expect((await verify(code, 'signup')).status).toBe(403);
});

test('expires a code after an hour', async () => {
  await fresh.openBrowser().client.auth.signInWithOtp({ email });
  const code = readMailCode(await fresh.readMail(email));
  await world.database.sql`
    update auth.one_time_tokens set created_at = created_at - interval '61 minutes'
    where relates_to = ${email}`;
  expect((await verify(code, 'email')).status).toBe(403);
});

test('AU-13 voids a code after five wrong guesses, also concurrent ones', async () => {
  await signUpConfirmed(world, email);
  const { auth } = fresh.openBrowser().client;
  await auth.signInWithOtp({ email });
  const mail = await fresh.readMail(email);
  const code = readMailCode(mail);
  for (let guess = 0; guess < 4; guess += 1) await verify(otherThan(code), 'email');
  const wrong = await Promise.all([verify(otherThan(code), 'email'), verify('000', 'email')]);
  expect(wrong.map(({ status }) => status)).toEqual([403, 403]);
  const right = await verify(code, 'email');
  expect([right.status, await right.json()]).toEqual([
    403,
    { code: 'otp_expired', message: 'Token has expired or is invalid' },
  ]);
  // The link is not a guess, and stays valid.
  const target = await followMail(fresh.backend, mail);
  expect(target.searchParams.get('code')).not.toBeNull();
});

test('AU-13 accepts the right code after four wrong ones', async () => {
  await fresh.openBrowser().client.auth.signInWithOtp({ email });
  const code = readMailCode(await fresh.readMail(email));
  for (let guess = 0; guess < 4; guess += 1) await verify(otherThan(code), 'email');
  expect((await verify(code, 'email')).status).toBe(200);
});

test('AU-13 stores codes so that they cannot be guessed from the database', async () => {
  await fresh.openBrowser().client.auth.signInWithOtp({ email });
  const code = readMailCode(await fresh.readMail(email));
  const [row] = await world.database.sql<{ id: string; code_hash: string }[]>`
    select id, code_hash from auth.one_time_tokens where relates_to = ${email}`;
  if (!row) throw new Error('a code was mailed');
  expect([hashSecret(code), hashSecret(`${row.id} ${code}`)]).not.toContain(row.code_hash);
  expect(JSON.stringify(row)).not.toContain(code);
});

test('AU-17 drops the creator’s password when the mailbox is verified', async () => {
  const planted = await openTestBackend({}, world);
  const { auth: mallory } = planted.openBrowser().client;
  await mallory.signUp({ email, password: 'password of mallory' });
  await fresh.openBrowser().client.auth.resetPasswordForEmail(email);
  const code = readMailCode(await fresh.readMail(email));
  expect((await verify(code, 'recovery')).status).toBe(200);
  const { error } = await mallory.signInWithPassword({ email, password: 'password of mallory' });
  expect(error?.code).toBe('invalid_credentials');
  await planted.close();
});

test('AU-11 sends no second code within a minute', async () => {
  const { auth } = fresh.openBrowser().client;
  expect((await auth.signInWithOtp({ email })).error).toBeNull();
  const { error } = await auth.signInWithOtp({ email });
  expect([error?.status, error?.code]).toEqual([429, 'over_email_send_rate_limit']);
});

test('sends no mail to an unknown email when no account is to be created, without revealing it', async () => {
  const { auth } = fresh.openBrowser().client;
  const { error } = await auth.signInWithOtp({ email, options: { shouldCreateUser: false } });
  expect(error).toBeNull();
  const users = await world.database.sql`select 1 from auth.users where email = ${email}`;
  expect(users.length).toBe(0);
});

test('changes the password of an old session with a re-authentication code, once', async () => {
  const { storage } = await signUpConfirmed(world, email);
  const { client } = fresh.openBrowser({ storage });
  await ageSessions(world, email);
  const change = (nonce?: string) =>
    client.auth.updateUser({ password: `${password} anew`, ...(nonce ? { nonce } : {}) });
  expect((await change()).error?.code).toBe('reauthentication_needed');
  expect((await client.auth.reauthenticate()).error).toBeNull();
  const nonce = readMailCode(await fresh.readMail(email));
  const wrong = await change(otherThan(nonce));
  expect([wrong.error?.status, wrong.error?.code]).toEqual([422, 'reauthentication_not_valid']);
  expect((await change(nonce)).error).toBeNull();
  expect((await change(nonce)).error?.code).toBe('reauthentication_not_valid');
});

test('rejects the re-authentication code of another user', async () => {
  const { client } = await signUpConfirmed(world, email);
  const other = await signUpConfirmed(world, `other-${email}`);
  const asker = fresh.openBrowser({ storage: other.storage }).client;
  expect((await asker.auth.reauthenticate()).error).toBeNull();
  const nonce = readMailCode(await fresh.readMail(`other-${email}`));
  const { error } = await client.auth.updateUser({ password: `${password} anew`, nonce });
  expect(error?.code).toBe('reauthentication_not_valid');
});

test('changes an email once both mailboxes have agreed, in either order', async () => {
  const both = { authSettings: { ...testAuthSettings, doubleConfirmChanges: true } };
  for (const order of ['old first', 'new first'] as const) {
    const start = order === 'old first' ? email : `two-${email}`;
    const next = `moved-${start}`;
    const { storage } = await signUpConfirmed(world, start);
    const process = await openTestBackend(both, world);
    const { client } = process.openBrowser({ storage });
    expect((await client.auth.updateUser({ email: next })).error).toBeNull();
    const old = await process.readMail(start);
    expect(old.text).not.toMatch(/https?:/);
    const agree = async () =>
      client.auth.verifyOtp({ email: start, token: readMailCode(old), type: 'email_change' });
    const follow = async () => {
      const target = await followMail(process.backend, await process.readMail(next));
      return client.auth.exchangeCodeForSession(target.searchParams.get('code') ?? '');
    };
    const steps = order === 'old first' ? [agree, follow] : [follow, agree];
    expect((await steps[0]?.())?.error).toBeNull();
    expect((await client.auth.getUser()).data.user).toMatchObject({
      email: start,
      new_email: next,
    });
    expect((await steps[1]?.())?.error).toBeNull();
    expect((await client.auth.getUser()).data.user?.email).toBe(next);
    await process.close();
  }
});

test('AU-13 counts a mailbox’s agreement once, however often it is sent', async () => {
  const both = { authSettings: { ...testAuthSettings, doubleConfirmChanges: true } };
  const { storage } = await signUpConfirmed(world, email);
  const process = await openTestBackend(both, world);
  const { client } = process.openBrowser({ storage });
  await client.auth.updateUser({ email: `moved-${email}` });
  const token = readMailCode(await process.readMail(email));
  const agree = () => client.auth.verifyOtp({ email, token, type: 'email_change' });
  expect((await agree()).error).toBeNull();
  expect((await agree()).error?.code).toBe('otp_expired');
  expect((await client.auth.getUser()).data.user?.email).toBe(email);
  await process.close();
});

test('changing an email voids codes and links mailed to the old one', async () => {
  const { storage } = await signUpConfirmed(world, email);
  await fresh.openBrowser().client.auth.signInWithOtp({ email });
  const planted = await fresh.readMail(email);
  const open = await openTestBackend({ confirmEmail: false }, world);
  const { client } = open.openBrowser({ storage });
  expect((await client.auth.updateUser({ email: `moved-${email}` })).error).toBeNull();
  expect((await verify(readMailCode(planted), 'email')).status).toBe(403);
  const target = await followMail(fresh.backend, planted);
  expect(target.searchParams.get('error_code')).toBe('otp_expired');
  await open.close();
});

test('rejects unsupported verifications with GoTrue’s messages', async () => {
  const send = async (body: object) => {
    const { request } = fresh.openBrowser();
    const answer = await request('/auth/v1/verify', { method: 'POST', body: JSON.stringify(body) });
    return ((await answer.json()) as { msg: string }).msg;
  };
  expect(await send({ token: '1', email })).toBe('Verify requires a verification type');
  expect(await send({ type: 'email', email })).toBe(
    'Verify requires either a token or a token hash',
  );
  expect(await send({ type: 'email', token: '1' })).toBe(
    'Only an email address or phone number should be provided on verify',
  );
  expect(await send({ type: 'sms', token: '1', phone: 'x' })).toBe(
    'Invalid phone number format (E.164 required)',
  );
  expect(await send({ type: 'constructor', token: '1', email })).toBe(
    'Unsupported verification type',
  );
});
