import { TOTP, Secret } from 'otpauth';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultAuthSettings } from '../src/auth/settings.ts';
import { openTestBackend, signUpConfirmed } from '@vitrine/testing/backend';
import type { Browser, TestBackend } from '@vitrine/testing/backend';

const password = 'correct horse battery';
let world: TestBackend;
let people = 0;

beforeAll(async () => {
  world = await openTestBackend();
});
afterAll(() => world.close());

/** Code of an authenticator app, offset by steps of 30 seconds. */
const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: Date.now() + steps * 30_000,
  });

interface Enrolled extends Browser {
  email: string;
  id: string;
  secret: string;
}

async function enroll(): Promise<Enrolled> {
  const email = `factor${(people += 1)}@example.com`;
  const browser = await signUpConfirmed(world, email);
  const { data, error } = await browser.client.auth.mfa.enroll({ factorType: 'totp' });
  if (error) throw error;
  return { ...browser, email, id: data.id, secret: data.totp.secret };
}

const show = ({ client, id }: Pick<Enrolled, 'client' | 'id'>, code: string) =>
  client.auth.mfa.challengeAndVerify({ factorId: id, code });

async function enrollVerified(): Promise<Enrolled> {
  const person = await enroll();
  const { error } = await show(person, codeOf(person.secret, -1));
  if (error) throw error;
  return person;
}

async function claimsOf({ client }: Browser) {
  const { data } = await client.auth.getSession();
  return decodeJwt<{ aal: string; amr: { method: string }[]; session_id: string }>(
    data.session?.access_token ?? '',
  );
}

test('enrolls an authenticator app with a secret, a URI and a QR code', async () => {
  const email = `factor${(people += 1)}@example.com`;
  const { client } = await signUpConfirmed(world, email);
  const { data, error } = await client.auth.mfa.enroll({
    factorType: 'totp',
    friendlyName: 'Phone',
  });
  expect(error).toBeNull();
  expect(data).toMatchObject({ type: 'totp', friendly_name: 'Phone' });
  const uri = new URL(data?.totp.uri ?? '');
  expect(uri.searchParams.get('secret')).toBe(data?.totp.secret);
  expect(decodeURIComponent(uri.pathname)).toContain(`app.test:${email}`);
  expect(data?.totp.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg /);
  const again = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Phone' });
  expect([again.error?.status, again.error?.code]).toEqual([422, 'mfa_factor_name_conflict']);
});

test('raises a session to aal2 with a code, and says so in its claims', async () => {
  const person = await enroll();
  const before = await claimsOf(person);
  expect(before.aal).toBe('aal1');
  const { data, error } = await show(person, codeOf(person.secret));
  expect(error).toBeNull();
  expect(data?.user.factors).toMatchObject([{ id: person.id, status: 'verified' }]);
  const after = await claimsOf(person);
  expect(after).toMatchObject({ aal: 'aal2', session_id: before.session_id });
  expect(after.amr.map(({ method }) => method)).toEqual(['totp', 'email/signup']);
  await person.client.auth.refreshSession();
  expect((await claimsOf(person)).aal).toBe('aal2');
  const levels = await person.client.auth.mfa.getAuthenticatorAssuranceLevel();
  expect(levels.data).toMatchObject({ currentLevel: 'aal2', nextLevel: 'aal2' });
});

test('ends the sessions without MFA once a factor is verified', async () => {
  const person = await enroll();
  const other = world.openBrowser();
  await other.client.auth.signInWithPassword({ email: person.email, password });
  await show(person, codeOf(person.secret));
  expect((await other.client.auth.refreshSession()).error).not.toBeNull();
  expect((await person.client.auth.refreshSession()).error).toBeNull();
});

test('AU-11 rejects wrong and reused codes, and limits guesses', async () => {
  const person = await enroll();
  const code = codeOf(person.secret);
  const wrong = await show(person, code === '000000' ? '000001' : '000000');
  expect([wrong.error?.status, wrong.error?.code]).toEqual([422, 'mfa_verification_failed']);
  expect((await show(person, codeOf(person.secret, -3))).error).not.toBeNull();
  expect((await show(person, code)).error).toBeNull();
  expect((await show(person, code)).error?.code).toBe('mfa_verification_failed');
  const statuses = [];
  for (let guess = 0; guess < 8; guess += 1) {
    statuses.push((await show(person, '999999')).error?.status);
  }
  expect(statuses).toContain(429);
});

test('requires MFA before the email, password or factors change', async () => {
  const person = await enrollVerified();
  const thief = { ...world.openBrowser(), id: person.id };
  await thief.client.auth.signInWithPassword({ email: person.email, password });
  const { auth } = thief.client;
  const changed = await auth.updateUser({ password: `${password} anew` });
  expect([changed.error?.status, changed.error?.code]).toEqual([403, 'insufficient_aal']);
  const moved = await auth.updateUser({ email: `stolen-${person.email}` });
  expect(moved.error?.code).toBe('insufficient_aal');
  const added = await auth.mfa.enroll({ factorType: 'totp', friendlyName: 'mine' });
  expect([added.error?.status, added.error?.code]).toEqual([403, 'insufficient_aal']);
  const removed = await auth.mfa.unenroll({ factorId: person.id });
  expect([removed.error?.status, removed.error?.code]).toEqual([403, 'insufficient_aal']);
  expect((await show(thief, codeOf(person.secret))).error).toBeNull();
  expect((await auth.updateUser({ password: `${password} anew` })).error).toBeNull();
});

test('drops to aal1 when the factor is removed', async () => {
  const person = await enrollVerified();
  expect((await person.client.auth.mfa.unenroll({ factorId: person.id })).error).toBeNull();
  await person.client.auth.refreshSession();
  const claims = await claimsOf(person);
  expect(claims.aal).toBe('aal1');
  expect(claims.amr.map(({ method }) => method)).not.toContain('totp');
  expect((await person.client.auth.mfa.listFactors()).data?.all).toEqual([]);
});

test('AU-23 with only the password, an account with MFA is not accessible', async () => {
  const person = await enrollVerified();
  const { error } = await person.client.from('preferences').insert({ settings: { mine: true } });
  expect(error).toBeNull();
  const thief = world.openBrowser();
  const { data } = await thief.client.auth.signInWithPassword({ email: person.email, password });
  const changeBio = () =>
    thief.client.from('profiles').update({ bio: 'me' }).eq('id', data.user?.id).select('bio');
  const look = async () => ({
    status: (await thief.client.rpc('session_status')).data,
    preferences: (await thief.client.from('preferences').select('settings')).data,
    sessions: (await thief.client.rpc('my_sessions')).data?.length,
    changed: (await changeBio()).data,
  });
  expect(await look()).toEqual({
    status: 'mfa_required',
    preferences: [],
    sessions: 0,
    changed: [],
  });
  await show({ ...thief, id: person.id }, codeOf(person.secret));
  expect(await look()).toEqual({
    status: 'active',
    preferences: [{ settings: { mine: true } }],
    sessions: 2,
    changed: [{ bio: 'me' }],
  });
});

test('does not reach the factors of others', async () => {
  const [person, other] = [await enroll(), await enroll()];
  const stranger = { ...other, id: person.id };
  expect((await show(stranger, codeOf(person.secret))).error?.code).toBe('mfa_factor_not_found');
  const removed = await other.client.auth.mfa.unenroll({ factorId: person.id });
  expect([removed.error?.status, removed.error?.code]).toEqual([404, 'mfa_factor_not_found']);
  // The challenge of one factor is not valid for another.
  const { data } = await other.client.auth.mfa.challenge({ factorId: other.id });
  const verified = await person.client.auth.mfa.verify({
    factorId: person.id,
    challengeId: data?.id ?? '',
    code: codeOf(person.secret),
  });
  expect(verified.error?.code).toBe('mfa_factor_not_found');
});

test('expires a challenge after five minutes, and after its use', async () => {
  const { client, id, secret } = await enroll();
  const challenge = async () => (await client.auth.mfa.challenge({ factorId: id })).data?.id ?? '';
  const old = await challenge();
  await world.database.sql`
    update auth.mfa_challenges set created_at = created_at - interval '6 minutes' where id = ${old}`;
  const verify = (challengeId: string, code: string) =>
    client.auth.mfa.verify({ factorId: id, challengeId, code });
  expect((await verify(old, codeOf(secret))).error?.code).toBe('mfa_challenge_expired');
  const used = await challenge();
  expect((await verify(used, codeOf(secret))).error).toBeNull();
  expect((await verify(used, codeOf(secret, 1))).error?.code).toBe('mfa_ip_address_mismatch');
  expect((await verify('x', codeOf(secret, 1))).error?.code).toBe('mfa_factor_not_found');
});

test('encrypts the secret in the database', async () => {
  const { secret, id } = await enroll();
  const rows = await world.database.sql`select * from auth.mfa_factors where id = ${id}`;
  const kept = JSON.stringify(rows);
  expect(kept).not.toContain(secret);
  expect(kept).not.toContain(Buffer.from(Secret.fromBase32(secret).bytes).toString('hex'));
});

test('enrolls up to the maximum number of factors', async () => {
  const few = await openTestBackend(
    { authSettings: { ...defaultAuthSettings, isTotpEnrollEnabled: true, maxFactors: 2 } },
    world,
  );
  const { storage } = await enroll();
  const { auth } = few.openBrowser({ storage }).client;
  const add = (friendlyName: string) => auth.mfa.enroll({ factorType: 'totp', friendlyName });
  expect((await add('second')).error).toBeNull();
  expect((await add('third')).error?.code).toBe('too_many_enrolled_mfa_factors');
  await few.close();
});
