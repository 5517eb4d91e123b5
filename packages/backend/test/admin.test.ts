import { createClient } from '@supabase/supabase-js';
import type { GoTrueAdminApi } from '@supabase/supabase-js';
import { hashPassword } from '../src/auth/passwords.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  appOrigin,
  followMail,
  openTestBackend,
  readMailCode,
  signUpConfirmed,
  testAuthSettings,
} from '@vitrine/testing/backend';
import type { TestBackend } from '@vitrine/testing/backend';

const password = 'correct horse battery';
let world: TestBackend;
let admin: GoTrueAdminApi;
let people = 0;
let email: string;

beforeAll(async () => {
  world = await openTestBackend({
    authSettings: { ...testAuthSettings, doubleConfirmChanges: true },
  });
  admin = openAdmin(world);
});
afterAll(() => world.close());
beforeEach(() => {
  email = `kept${(people += 1)}@example.com`;
});

function openAdmin({ backend }: TestBackend): GoTrueAdminApi {
  const { auth } = createClient(appOrigin, backend.secretKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch: (input, init) => backend.fetch(new Request(input, init)) },
  });
  return auth.admin;
}

async function create(attributes: Parameters<GoTrueAdminApi['createUser']>[0] = {}) {
  const { data, error } = await admin.createUser({ email, password, ...attributes });
  if (error) throw error;
  return data.user;
}

const signIn = (secret = password) =>
  world.openBrowser().client.auth.signInWithPassword({ email, password: secret });

test('creates an account that can sign in once its email is confirmed', async () => {
  const user = await create({
    user_metadata: { username: 'kept-one' },
    app_metadata: { plan: 'gold' },
  });
  expect(user).toMatchObject({
    email,
    user_metadata: { username: 'kept-one' },
    app_metadata: { plan: 'gold', provider: 'email', providers: ['email'] },
    identities: [{ provider: 'email', identity_data: { email, email_verified: false } }],
  });
  expect((await signIn()).error?.code).toBe('email_not_confirmed');
  const { data } = await admin.updateUserById(user.id, { email_confirm: true });
  expect(data.user?.email_confirmed_at).toBeTruthy();
  expect((await signIn()).error).toBeNull();
  const again = await admin.createUser({ email, password });
  expect([again.error?.status, again.error?.code]).toEqual([422, 'email_exists']);
});

test('creates an account with a given id and password hash', async () => {
  const id = crypto.randomUUID();
  const { data, error } = await admin.createUser({
    id,
    email,
    password_hash: await hashPassword('short'),
    email_confirm: true,
  });
  expect(error).toBeNull();
  expect(data.user?.id).toBe(id);
  expect((await signIn('short')).error).toBeNull();
  const bad = await admin.createUser({ email: `x${email}`, password_hash: 'plain text' });
  expect(bad.error?.code).toBe('validation_failed');
});

test('lists accounts in pages, newest first, and filters by email', async () => {
  for (let index = 0; index < 3; index += 1) {
    await admin.createUser({ email: `paged${index}@list.example.com`, password });
  }
  const page = await admin.listUsers({ page: 1, perPage: 2 });
  if (page.error) throw page.error;
  expect(page.data.users.map((user) => user.email)).toEqual([
    'paged2@list.example.com',
    'paged1@list.example.com',
  ]);
  expect(page.data).toMatchObject({ aud: 'authenticated', nextPage: 2 });
  expect(page.data.total).toBeGreaterThanOrEqual(3);
  const found = await askAs('secret', '/auth/v1/admin/users?filter=paged1@list');
  const { users } = (await found.json()) as { users: { email: string }[] };
  expect(users.map((user) => user.email)).toEqual(['paged1@list.example.com']);
  const wrong = await admin.listUsers({ page: -1, perPage: 2 });
  expect(wrong.error?.code).toBe('validation_failed');
});

test('updates metadata by key, the email and the password', async () => {
  const { id } = await create({ email_confirm: true, user_metadata: { a: 1, b: 2 } });
  const moved = `moved-${email}`;
  const { data } = await admin.updateUserById(id, {
    email: moved,
    user_metadata: { b: null, c: 3 },
    app_metadata: { plan: 'gold' },
  });
  expect(data.user).toMatchObject({ email: moved, app_metadata: { plan: 'gold' } });
  expect(data.user?.user_metadata).toEqual({ a: 1, c: 3, email_verified: true });
  email = moved;
  expect((await signIn()).error).toBeNull();
  await admin.updateUserById(id, { password: `${password} anew` });
  expect((await signIn()).error?.code).toBe('invalid_credentials');
  expect((await signIn(`${password} anew`)).error).toBeNull();
});

test('bans an account for a time, lifts the ban, and rejects an invalid duration', async () => {
  const { id } = await create({ email_confirm: true });
  expect(
    (await admin.updateUserById(id, { ban_duration: '1h30m' })).data.user?.banned_until,
  ).toBeTruthy();
  expect((await signIn()).error?.code).toBe('user_banned');
  await admin.updateUserById(id, { ban_duration: 'none' });
  expect((await signIn()).error).toBeNull();
  const wrong = await admin.updateUserById(id, { ban_duration: 'a day' });
  expect(wrong.error?.message).toContain('invalid format for ban duration');
});

test('deletes an account, or only its personal data', async () => {
  const gone = await create();
  expect((await admin.deleteUser(gone.id)).error).toBeNull();
  expect((await admin.getUserById(gone.id)).error?.code).toBe('user_not_found');
  const kept = await create({ email_confirm: true });
  expect((await admin.deleteUser(kept.id, true)).error).toBeNull();
  expect((await signIn()).error?.code).toBe('invalid_credentials');
  const rows = await world.database.sql`
    select u, i from auth.users u join auth.identities i on i.user_id = u.id where u.id = ${kept.id}`;
  expect(rows.length).toBe(1);
  expect(JSON.stringify(rows)).not.toContain(email);
  // The address is free again.
  expect((await create()).id).not.toBe(kept.id);
});

test('AU-08 ends every session of an account from outside', async () => {
  const browser = await signUpConfirmed(world, email);
  const { data } = await browser.client.auth.getSession();
  expect((await admin.signOut(data.session?.access_token ?? '')).error).toBeNull();
  expect((await browser.client.auth.getUser()).error?.name).toBe('AuthSessionMissingError');
  expect((await browser.client.auth.refreshSession()).error).not.toBeNull();
});

test('lists, renames and deletes MFA factors', async () => {
  const { client } = await signUpConfirmed(world, email);
  const enrolled = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Phone' });
  const { data } = await client.auth.getUser();
  const userId = data.user?.id ?? '';
  const listed = await admin.mfa.listFactors({ userId });
  expect(listed.data?.factors).toMatchObject([{ friendly_name: 'Phone', status: 'unverified' }]);
  expect(JSON.stringify(listed.data)).not.toContain(enrolled.data?.totp.secret);
  const id = enrolled.data?.id ?? '';
  expect((await admin.mfa.deleteFactor({ userId, id })).error).toBeNull();
  expect((await admin.mfa.listFactors({ userId })).data?.factors).toEqual([]);
});

test('invites with a link to the app that still works after a scanner followed it', async () => {
  const { data, error } = await admin.inviteUserByEmail(email, {
    data: { username: 'invited' },
    redirectTo: `${appOrigin}/auth/callback`,
  });
  expect(error).toBeNull();
  expect(data.user).toMatchObject({ email, user_metadata: { username: 'invited' } });
  expect(data.user?.invited_at).toBeTruthy();
  const mail = await world.readMail(email);
  expect(mail.subject).toBe('You’re invited to Vitrine');
  await followMail(world.backend, mail);
  const target = await followMail(world.backend, mail);
  expect(target.hash).toBe('');
  expect(target.searchParams.get('type')).toBe('invite');
  const { auth } = world.openBrowser().client;
  const token_hash = target.searchParams.get('token_hash') ?? '';
  const accepted = await auth.verifyOtp({ token_hash, type: 'invite' });
  expect(accepted.data.user?.email).toBe(email);
  expect((await auth.updateUser({ password })).error).toBeNull();
  expect((await signIn()).error).toBeNull();
  expect((await auth.verifyOtp({ token_hash, type: 'invite' })).error?.code).toBe('otp_expired');
});

test('AU-17 an invitation drops the password that a stranger set for the address', async () => {
  const { auth } = world.openBrowser().client;
  await auth.signUp({ email, password: 'password of mallory' });
  await world.readMail(email);
  const later = await openTestBackend({}, world);
  await openAdmin(later).inviteUserByEmail(email);
  const code = readMailCode(await later.readMail(email));
  expect((await auth.verifyOtp({ email, token: code, type: 'invite' })).error).toBeNull();
  expect((await signIn('password of mallory')).error?.code).toBe('invalid_credentials');
  await later.close();
});

test('AU-03 generates links for an operator to send, which only sign in with their token', async () => {
  for (const type of ['signup', 'magiclink', 'recovery'] as const) {
    const { data, error } = await admin.generateLink(
      type === 'signup' ? { type, email, password } : { type, email },
    );
    expect(error).toBeNull();
    const { action_link: link, hashed_token: token_hash, email_otp: code } = data.properties ?? {};
    expect(code).toMatch(/^\d{6}$/);
    const answer = await world.backend.fetch(new Request(link ?? ''));
    const location = new URL(answer.headers.get('location') ?? '');
    expect([location.host, location.hash]).toEqual(['app.test', '']);
    expect(location.searchParams.get('token_hash')).toBe(token_hash);
    const { auth } = world.openBrowser().client;
    const verified = await auth.verifyOtp({ token_hash: token_hash ?? '', type });
    expect(verified.data.user?.email).toBe(email);
  }
  const unknown = await admin.generateLink({ type: 'recovery', email: `x${email}` });
  expect([unknown.error?.status, unknown.error?.code]).toEqual([404, 'user_not_found']);
  const madeUp = await admin.generateLink({ type: 'magiclink', email: `y${email}` });
  expect(madeUp.data.properties?.verification_type).toBe('signup');
});

test('changes an email with links to both mailboxes', async () => {
  await create({ email_confirm: true });
  const newEmail = `moved-${email}`;
  const { auth } = world.openBrowser().client;
  for (const type of ['email_change_current', 'email_change_new'] as const) {
    const { data, error } = await admin.generateLink({ type, email, newEmail });
    expect(error).toBeNull();
    expect(data.user?.new_email).toBe(newEmail);
    const token_hash = data.properties?.hashed_token ?? '';
    const verified = await auth.verifyOtp({ token_hash, type: 'email_change' });
    expect(verified.error).toBeNull();
    expect(verified.data.user?.email).toBe(type === 'email_change_new' ? newEmail : undefined);
  }
});

/** Calls the admin API with a key or a user token. */
function askAs(who: 'secret' | 'publishable' | 'a person' | 'both', path: string, token = '') {
  const headers = new Headers({
    apikey:
      who === 'secret' || who === 'both' ? world.backend.secretKey : world.backend.publishableKey,
  });
  if (token !== '') headers.set('authorization', `Bearer ${token}`);
  return world.backend.fetch(new Request(new URL(path, appOrigin), { headers }));
}

test('opens the admin API to the secret key only', async () => {
  const browser = await signUpConfirmed(world, email);
  const { data } = await browser.client.auth.getSession();
  const token = data.session?.access_token ?? '';
  const path = `/auth/v1/admin/users/${data.session?.user.id}`;
  expect((await askAs('secret', path)).status).toBe(200);
  expect((await askAs('publishable', path)).status).toBe(401);
  expect((await askAs('a person', path, token)).status).toBe(403);
  expect((await askAs('both', path, token)).status).toBe(403);
  for (const other of ['/auth/v1/admin/users', '/auth/v1/admin/generate_link', '/auth/v1/invite']) {
    expect((await askAs('a person', other, token)).status).toBe(403);
  }
  for (const id of ['x', '00000000', `${crypto.randomUUID()}'`]) {
    expect((await admin.getUserById(id).catch(() => undefined))?.data.user ?? null).toBeNull();
  }
});
