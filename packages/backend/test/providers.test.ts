import { createHash } from 'node:crypto';
import { SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  appOrigin,
  followMail,
  openTestBackend,
  signUpConfirmed,
  testAuthSettings,
} from '@vitrine/testing/backend';
import type { Browser, TestBackend } from '@vitrine/testing/backend';
import { clientId, clientSecret, openProvider } from '@vitrine/testing/provider';
import type { TestProvider } from '@vitrine/testing/provider';

const password = 'correct horse battery';
let provider: TestProvider;
/** The attacker's: just as real, but not in the settings. */
let mallorys: TestProvider;
let world: TestBackend;
let people = 0;
let email: string;

beforeAll(async () => {
  provider = await openProvider();
  mallorys = await openProvider();
  const common = { clientIds: [clientId], clientSecret, skipNonceCheck: false };
  world = await openTestBackend({
    authSettings: {
      ...testAuthSettings,
      providers: [
        { ...common, name: 'keycloak', url: provider.origin },
        { ...common, name: 'github', url: provider.origin },
        { ...common, name: 'gitlab', url: 'http://127.0.0.1:9' },
      ],
    },
  });
});
afterAll(async () => {
  await world.close();
  await Promise.all([provider.close(), mallorys.close()]);
});
beforeEach(() => {
  email = `outside${(people += 1)}@example.com`;
  provider.user = { sub: String(1000 + people), email, email_verified: true, name: 'Ada' };
  provider.claimOverrides = {};
  provider.isDenying = false;
});

const send = (url: string | URL) =>
  world.backend.fetch(new Request(url), { address: '198.51.100.9' });
const locationOf = (answer: Response) => new URL(answer.headers.get('location') ?? 'about:blank');

/** Follows the redirects from our URL through the provider's to our callback, like a browser. */
async function travel(start: string | URL): Promise<URL> {
  const left = new URL(start).origin === appOrigin ? locationOf(await send(start)) : start;
  const back = locationOf(await fetch(left, { redirect: 'manual' }));
  return locationOf(await send(back));
}

async function leave(browser: Browser, name: 'keycloak' | 'github' | 'gitlab' = 'keycloak') {
  const { data, error } = await browser.client.auth.signInWithOAuth({
    provider: name,
    options: { skipBrowserRedirect: true, redirectTo: `${appOrigin}/auth/callback?next=%2Fwork` },
  });
  if (error) throw error;
  return data.url;
}

async function signInOutside(
  name: 'keycloak' | 'github' = 'keycloak',
  browser = world.openBrowser(),
) {
  const target = await travel(await leave(browser, name));
  const exchanged = await browser.client.auth.exchangeCodeForSession(
    target.searchParams.get('code') ?? '',
  );
  return { ...browser, ...exchanged, target };
}

test('signs up and in with an OpenID provider found by discovery', async () => {
  const first = await signInOutside();
  expect(first.error).toBeNull();
  expect(`${first.target.origin}${first.target.pathname}`).toBe(`${appOrigin}/auth/callback`);
  expect(first.target.searchParams.get('next')).toBe('/work');
  expect(first.data.user).toMatchObject({
    email,
    app_metadata: { provider: 'keycloak', providers: ['keycloak'] },
    user_metadata: { full_name: 'Ada', email_verified: true, iss: provider.origin },
    identities: [{ provider: 'keycloak', id: provider.user.sub }],
  });
  expect(first.data.session?.provider_token).toBe('access token of the provider');
  expect(first.data.session?.provider_refresh_token).toBe('refresh token of the provider');
  const claims = (await first.client.auth.getClaims()).data?.claims;
  expect(claims?.amr).toMatchObject([{ method: 'oauth' }]);
  // The same user, whose email has changed since.
  provider.user = { ...provider.user, email: `new-${email}` };
  const again = await signInOutside();
  expect(again.data.user?.id).toBe(first.data.user?.id);
  expect(await world.database.sql`select 1 from auth.flow_state`).toEqual([]);
});

test('signs in with GitHub, by the email verified there', async () => {
  const { data, error } = await signInOutside('github');
  expect(error).toBeNull();
  expect(data.user).toMatchObject({
    email,
    user_metadata: { user_name: 'octo' },
    identities: [{ provider: 'github', id: provider.user.sub }],
  });
  email = `unconfirmed-${email}`;
  provider.user = { sub: '77', email, email_verified: false };
  const { searchParams } = await travel(await leave(world.openBrowser(), 'github'));
  expect(searchParams.get('error_code')).toBe('provider_email_needs_verification');
  expect(await world.database.sql`select 1 from auth.users where email = ${email}`).toEqual([]);
});

test('signs in to the existing account with the verified email', async () => {
  const { client } = await signUpConfirmed(world, email);
  const { data } = await client.auth.getUser();
  const outside = await signInOutside();
  expect(outside.data.user?.id).toBe(data.user?.id);
  expect(outside.data.user?.app_metadata).toMatchObject({
    provider: 'email',
    providers: ['email', 'keycloak'],
  });
});

test('AU-17 deletes an unconfirmed account with the email of the owner', async () => {
  const mallory = world.openBrowser();
  await mallory.client.auth.signUp({ email, password: 'password of mallory' });
  const planted = await world.readMail(email);
  const { data } = await signInOutside();
  expect(data.user?.identities?.map((identity) => identity.provider)).toEqual(['keycloak']);
  const signIn = await mallory.client.auth.signInWithPassword({
    email,
    password: 'password of mallory',
  });
  expect(signIn.error?.code).toBe('invalid_credentials');
  const target = await followMail(world.backend, planted);
  expect(target.searchParams.get('error_code')).toBe('otp_expired');
});

test('AU-17 does not sign in to an account by an unverified email', async () => {
  await signUpConfirmed(world, email);
  for (const verified of [false, undefined]) {
    provider.user = { sub: `liar${people}`, email };
    if (verified !== undefined) provider.user.email_verified = verified;
    const { searchParams } = await travel(await leave(world.openBrowser()));
    expect(searchParams.get('code')).toBeNull();
    expect(searchParams.get('error_code')).toBe('provider_email_needs_verification');
  }
});

test('AU-03 requires a challenge, and never redirects with a token', async () => {
  for (const query of ['', '&response_type=token', '&flow_type=implicit']) {
    const answer = await send(`${appOrigin}/auth/v1/authorize?provider=keycloak${query}`);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('code_challenge');
  }
  const url = new URL(await leave(world.openBrowser()));
  url.searchParams.set('response_type', 'token');
  const target = await travel(url);
  expect(target.hash).toBe('');
  expect(target.href).not.toContain('token');
});

test('AU-02 exchanges a provider’s code only in the requesting browser, and once', async () => {
  const browser = world.openBrowser();
  const target = await travel(await leave(browser));
  const code = target.searchParams.get('code') ?? '';
  const other = world.openBrowser();
  await leave(other);
  const stolen = await other.client.auth.exchangeCodeForSession(code);
  expect(stolen.error?.code).toBe('bad_code_verifier');
  const verifier = new Map(browser.storage);
  expect((await browser.client.auth.exchangeCodeForSession(code)).error).toBeNull();
  for (const [key, value] of verifier) browser.storage.set(key, value);
  const again = await browser.client.auth.exchangeCodeForSession(code);
  expect(again.error?.code).toBe('flow_state_not_found');
});

test('AU-02 accepts a state once, for ten minutes, and no made-up one', async () => {
  const browser = world.openBrowser();
  const left = locationOf(await send(await leave(browser)));
  const back = locationOf(await fetch(left, { redirect: 'manual' }));
  const arrive = async () => locationOf(await send(back)).searchParams.get('error_code');
  await world.database.sql`
    update auth.flow_state set created_at = created_at - interval '11 minutes'`;
  expect(await arrive()).toBe('bad_oauth_state');
  await world.database.sql`update auth.flow_state set created_at = now()`;
  expect(await arrive()).toBeNull();
  expect(await arrive()).toBe('bad_oauth_state');
  for (const state of ['', 'x', crypto.randomUUID(), "'--"]) {
    back.searchParams.set('state', state);
    expect(await arrive()).toBe('bad_oauth_state');
  }
});

test('AU-01 redirects to allowed origins only', async () => {
  const url = new URL(await leave(world.openBrowser()));
  url.searchParams.set('redirect_to', 'https://evil.test/');
  const target = await travel(url);
  expect(target.host).toBe('app.test');
});

test('AU-18 rejects ID tokens of the provider that are meant for others', async () => {
  const lies = [
    { iss: mallorys.origin },
    { aud: 'another client' },
    { nonce: 'another trip' },
    { nonce: undefined },
    { exp: 1 },
  ];
  for (const lie of lies) {
    provider.claimOverrides = lie;
    const { searchParams } = await travel(await leave(world.openBrowser()));
    expect([lie, searchParams.get('code')]).toEqual([lie, null]);
    expect(searchParams.get('error')).toBe('server_error');
  }
});

const nonce = 'a nonce of the app';
const hashedNonce = createHash('sha256').update(nonce).digest('hex');

async function bringToken(token: string, more: object = {}) {
  const { request } = world.openBrowser();
  const answer = await request('/auth/v1/token?grant_type=id_token', {
    method: 'POST',
    body: JSON.stringify({ provider: 'keycloak', id_token: token, nonce, ...more }),
  });
  const body = (await answer.json()) as { user?: { email: string }; error_description?: string };
  return { status: answer.status, user: body.user, problem: body.error_description };
}

const claimsOfPerson = () => ({ ...provider.user, nonce: hashedNonce });

test('signs in with an ID token from the app, and its nonce', async () => {
  const { status, user } = await bringToken(await provider.sign(claimsOfPerson()));
  expect([status, user?.email]).toEqual([200, email]);
  const other = await bringToken(await provider.sign(claimsOfPerson()), { nonce: 'another' });
  expect([other.status, other.problem]).toEqual([400, 'Nonces mismatch']);
  const without = await bringToken(await provider.sign(claimsOfPerson()), { nonce: '' });
  expect(without.problem).toBe(
    'Passed nonce and nonce in id_token should either both exist or not.',
  );
  const half = createHash('sha256').update('its access token').digest().subarray(0, 16);
  const bound = await provider.sign({ ...claimsOfPerson(), at_hash: half.toString('base64url') });
  expect((await bringToken(bound, { access_token: 'its access token' })).status).toBe(200);
  expect((await bringToken(bound, { access_token: 'another' })).problem).toBe('Bad ID token');
});

test('AU-18 rejects an ID token that another issuer signed for the victim', async () => {
  await signUpConfirmed(world, email);
  const claims = { ...claimsOfPerson(), email, email_verified: true };
  const symmetric = new SignJWT({ ...claims, iss: provider.origin, aud: clientId })
    .setProtectedHeader({ alg: 'HS256', kid: 'one' })
    .setIssuedAt()
    .setExpirationTime('5m');
  const unsigned = new UnsecuredJWT({ ...claims, iss: provider.origin, aud: clientId })
    .setIssuedAt()
    .setExpirationTime('5m')
    .encode();
  const forged = [
    await mallorys.sign(claims),
    await mallorys.sign({ ...claims, iss: provider.origin }),
    await provider.sign({ ...claims, iss: mallorys.origin }),
    await provider.sign({ ...claims, aud: 'another client' }),
    await symmetric.sign(new TextEncoder().encode(clientSecret)),
    unsigned,
    'x.y.z',
  ];
  for (const token of forged) {
    for (const more of [{}, { issuer: mallorys.origin, client_id: clientId }]) {
      expect(await bringToken(token, more)).toMatchObject({ status: 400, user: undefined });
    }
    const byIssuer = { provider: '', issuer: mallorys.origin, client_id: clientId };
    expect((await bringToken(token, byIssuer)).status).toBe(400);
  }
});

test('links an identity to the signed-in account, and unlinks it', async () => {
  const home = `home-${email}`;
  const { client } = await signUpConfirmed(world, home);
  const start = await client.auth.linkIdentity({
    provider: 'keycloak',
    options: { skipBrowserRedirect: true },
  });
  expect(start.error).toBeNull();
  const target = await travel(start.data.url ?? '');
  const { data, error } = await client.auth.exchangeCodeForSession(
    target.searchParams.get('code') ?? '',
  );
  expect(error).toBeNull();
  expect(data.user?.email).toBe(home);
  expect(data.user?.app_metadata['providers']).toEqual(['email', 'keycloak']);
  expect((await signInOutside()).data.user?.id).toBe(data.user?.id);
  const identities = data.user?.identities ?? [];
  const [own, linked] = identities;
  if (!own || !linked) throw new Error('there are two');
  expect((await client.auth.unlinkIdentity(own)).error).toBeNull();
  const bySecret = await world
    .openBrowser()
    .client.auth.signInWithPassword({ email: home, password });
  expect(bySecret.error?.code).toBe('invalid_credentials');
  const last = await client.auth.unlinkIdentity(linked);
  expect([last.error?.status, last.error?.code]).toEqual([422, 'single_identity_not_deletable']);
  const user = (await client.auth.getUser()).data.user;
  expect([user?.email, user?.app_metadata['providers']]).toEqual([email, ['keycloak']]);
});

test('does not link an identity of another account', async () => {
  await signInOutside();
  const { client } = await signUpConfirmed(world, `home-${email}`);
  const start = await client.auth.linkIdentity({
    provider: 'keycloak',
    options: { skipBrowserRedirect: true },
  });
  const { searchParams } = await travel(start.data.url ?? '');
  expect(searchParams.get('error_code')).toBe('identity_already_exists');
});

test('AU-04 does not link the identity of a victim lured to the provider', async () => {
  const mallory = await signUpConfirmed(world, `mallory-${email}`);
  const start = await mallory.client.auth.linkIdentity({
    provider: 'keycloak',
    options: { skipBrowserRedirect: true },
  });
  // The victim is signed in at the provider, and follows Mallory's URL to the end.
  const target = await travel(start.data.url ?? '');
  const victim = world.openBrowser();
  await leave(victim);
  const code = target.searchParams.get('code') ?? '';
  expect((await victim.client.auth.exchangeCodeForSession(code)).error?.code).toBe(
    'bad_code_verifier',
  );
  const own = await signInOutside('keycloak', victim);
  expect(own.data.user?.email).toBe(email);
});

test('makes an anonymous account permanent with an identity', async () => {
  const { client } = world.openBrowser();
  const { data: before } = await client.auth.signInAnonymously();
  const start = await client.auth.linkIdentity({
    provider: 'keycloak',
    options: { skipBrowserRedirect: true },
  });
  const target = await travel(start.data.url ?? '');
  const { data } = await client.auth.exchangeCodeForSession(target.searchParams.get('code') ?? '');
  expect(data.user).toMatchObject({ id: before.user?.id, email, is_anonymous: false });
});

test('reports errors in the URL, as GoTrue does', async () => {
  provider.isDenying = true;
  const { searchParams } = await travel(await leave(world.openBrowser()));
  expect(Object.fromEntries(searchParams)).toMatchObject({
    error: 'access_denied',
    error_code: 'bad_oauth_callback',
    error_description: 'The person said no',
  });
  const gone = await send(await leave(world.openBrowser(), 'gitlab'));
  expect(gone.status).toBe(500);
  expect(await gone.json()).toMatchObject({ error_code: 'unexpected_failure' });
  const unknown = await send(`${appOrigin}/auth/v1/authorize?provider=constructor`);
  expect([unknown.status, await unknown.json()]).toMatchObject([
    400,
    { error_code: 'validation_failed' },
  ]);
});

test('lists the enabled providers', async () => {
  const answer = await world.openBrowser().request('/auth/v1/settings');
  expect(await answer.json()).toMatchObject({
    external: { keycloak: true, github: true, email: true, phone: false },
  });
});
