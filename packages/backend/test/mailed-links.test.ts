import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { appOrigin, followMail, openTestBackend, signUpConfirmed } from '@vitrine/testing/backend';
import type { Browser, TestBackend } from '@vitrine/testing/backend';

let world: TestBackend;
let browser: Browser;
let people = 0;
let email: string;

beforeAll(async () => {
  world = await openTestBackend();
});
afterAll(() => world.close());
beforeEach(() => {
  browser = world.openBrowser();
  email = `person${(people += 1)}@example.com`;
});

const newVerifier = () => randomBytes(40).toString('hex');
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

/** Signs up with this challenge, follows the mailed link, and returns the code of the redirect. */
async function askForCode(challenge: string, method = 's256', to = email): Promise<string> {
  const answer = await browser.request('/auth/v1/signup', {
    method: 'POST',
    body: JSON.stringify({
      email: to,
      password: 'correct horse battery',
      data: { username: to.replace(/@.*/, '') },
      code_challenge: challenge,
      code_challenge_method: method,
    }),
  });
  expect(answer.status).toBe(200);
  const target = await followMail(world.backend, await world.readMail(to));
  return target.searchParams.get('code') ?? '';
}

async function exchange(auth_code: unknown, code_verifier?: unknown) {
  const answer = await browser.request('/auth/v1/token?grant_type=pkce', {
    method: 'POST',
    headers: { 'x-supabase-api-version': '2024-01-01' },
    body: JSON.stringify({ auth_code, code_verifier }),
  });
  const { code } = (await answer.json()) as { code?: string };
  return [answer.status, code];
}

test('AU-02 exchanges a code only with its own verifier, and once', async () => {
  const [verifier, other] = [newVerifier(), newVerifier()];
  const code = await askForCode(challengeOf(verifier));
  await askForCode(challengeOf(other), 's256', `other-${email}`);
  expect(await exchange(code)).toEqual([400, 'validation_failed']);
  expect(await exchange(code, '')).toEqual([400, 'validation_failed']);
  expect(await exchange(code, newVerifier())).toEqual([400, 'bad_code_verifier']);
  expect(await exchange(code, other)).toEqual([400, 'bad_code_verifier']);
  // As if the method were plain.
  expect(await exchange(code, challengeOf(verifier))).toEqual([400, 'bad_code_verifier']);
  expect(await exchange(code, verifier)).toEqual([200, undefined]);
  expect(await exchange(code, verifier)).toEqual([400, 'flow_state_not_found']);
});

test('AU-02 creates one session for two concurrent exchanges', async () => {
  const verifier = newVerifier();
  const code = await askForCode(challengeOf(verifier));
  const answers = await Promise.all([exchange(code, verifier), exchange(code, verifier)]);
  expect(answers.map(([status]) => Number(status)).toSorted((a, b) => a - b)).toEqual([200, 400]);
});

/** Exchanges a code that was issued this many seconds ago. */
async function exchangeAged(seconds: number) {
  const verifier = newVerifier();
  const code = await askForCode(challengeOf(verifier), 's256', `aged-${seconds}-${email}`);
  await world.database.sql`
    update auth.flow_state set auth_code_issued_at = now() - make_interval(secs => ${seconds})
    where code_challenge = ${challengeOf(verifier)}`;
  return exchange(code, verifier);
}

test('AU-02 accepts a code for five minutes', async () => {
  expect(await exchangeAged(290)).toEqual([200, undefined]);
  expect(await exchangeAged(301)).toEqual([400, 'flow_state_expired']);
});

test('accepts the plain method, for pages without SHA-256', async () => {
  const verifier = newVerifier();
  const code = await askForCode(verifier, 'plain');
  expect(await exchange(code, newVerifier())).toEqual([400, 'bad_code_verifier']);
  expect(await exchange(code, verifier)).toEqual([200, undefined]);
});

test.each([
  ['signup', { data: { username: 'nolink' } }],
  ['otp', {}],
  ['recover', {}],
  ['resend', { type: 'signup' }],
])('AU-03 mails a code and no link without a challenge: %s', async (path, body) => {
  const isKnown = path === 'recover' || path === 'resend';
  if (isKnown) await askForCode(challengeOf(newVerifier()));
  // A confirmed email has no confirmation to resend.
  await world.database.sql`update auth.users set email_confirmed_at = null where email = ${email}`;
  const fresh = await openTestBackend({}, world);
  const answer = await fresh.openBrowser().request(`/auth/v1/${path}`, {
    method: 'POST',
    body: JSON.stringify({ email, password: 'correct horse battery', ...body }),
  });
  expect(answer.status).toBe(200);
  const { text, html } = await fresh.readMail(email);
  expect(text).toMatch(/^Your code: \d{6}$/m);
  expect(text + html).not.toMatch(/https?:/);
  await fresh.close();
});

test('AU-03, BF-5 never puts a token into a URL', async () => {
  await askForCode(challengeOf(newVerifier()));
  const mail = await world.readMail(email);
  expect(mail.text + mail.html).not.toMatch(/access_token|refresh_token/);
  const link = new URL(/https?:\S+/.exec(mail.text)?.[0] ?? '');
  for (const [name, value] of [
    ['response_type', 'token'],
    ['flow_type', 'implicit'],
    ['redirect_to', `${appOrigin}/x#response_type=token`],
  ] as const) {
    const asked = new URL(link);
    asked.searchParams.set(name, value);
    const answer = await world.backend.fetch(new Request(asked));
    const location = answer.headers.get('location') ?? '';
    expect(location).toContain('code=');
    expect(location).not.toMatch(/#|access_token|refresh_token/);
  }
  const bad = await world.backend.fetch(
    new Request(new URL('/auth/v1/verify?token=x&type=signup', appOrigin)),
  );
  expect(bad.headers.get('location')).not.toContain('#');
});

test('AU-04 a code does not help another browser', async () => {
  const mallory = world.openBrowser();
  await mallory.client.auth.signUp({
    email,
    password: 'correct horse battery',
    options: { data: { username: 'mallory' } },
  });
  const target = await followMail(world.backend, await world.readMail(email));
  const victim = await signUpConfirmed(world, `victim-${email}`);
  // Her browser waits for its own mail, so it has a verifier, but not of this flow.
  await victim.client.auth.resetPasswordForEmail(`another-${email}`);
  const code = target.searchParams.get('code') ?? '';
  const { error } = await victim.client.auth.exchangeCodeForSession(code);
  expect(error?.code).toBe('bad_code_verifier');
  expect((await victim.client.auth.getUser()).data.user?.email).toBe(`victim-${email}`);
});

test('AU-13, AU-17 a mail scanner uses up no link and confirms nothing, the user does', async () => {
  const password = 'correct horse battery';
  const options = { data: { username: `p${people}` } };
  await browser.client.auth.signUp({ email, password, options });
  const mail = await world.readMail(email);
  const link = /https?:\S+/.exec(mail.text)?.[0] ?? '';
  await world.backend.fetch(new Request(link, { method: 'HEAD' }));
  await followMail(world.backend, mail);
  // A sign-up with a stranger's email gains nothing from the stranger's scanner.
  const early = await browser.client.auth.signInWithPassword({ email, password });
  expect(early.error?.code).toBe('email_not_confirmed');
  const target = await followMail(world.backend, mail);
  const code = target.searchParams.get('code') ?? '';
  expect((await browser.client.auth.exchangeCodeForSession(code)).error).toBeNull();
  const late = await followMail(world.backend, mail);
  expect(late.searchParams.get('error_code')).toBe('otp_expired');
});

test('AU-17 a sign-up confirmed in another browser has no password until one is chosen there', async () => {
  const password = 'password of mallory';
  const options = { data: { username: `elsewhere${people}` } };
  await browser.client.auth.signUp({ email, password, options });
  const target = await followMail(world.backend, await world.readMail(email));
  expect(target.searchParams.get('type')).toBe('signup');
  const token_hash = target.searchParams.get('token_hash') ?? '';
  const phone = world.openBrowser().client.auth;
  expect((await phone.verifyOtp({ type: 'signup', token_hash })).error).toBeNull();
  const signIn = (typed: string) =>
    browser.client.auth.signInWithPassword({ email, password: typed });
  expect((await signIn(password)).error?.code).toBe('invalid_credentials');
  // The code of the first browser is void too.
  const code = target.searchParams.get('code') ?? '';
  expect((await browser.client.auth.exchangeCodeForSession(code)).error).not.toBeNull();
  const chosen = 'password of the owner';
  expect((await phone.updateUser({ password: chosen })).error).toBeNull();
  expect((await signIn(chosen)).error).toBeNull();
});

test('expires a link after an hour', async () => {
  await askForCode(challengeOf(newVerifier()));
  const mail = await world.readMail(email);
  await world.database
    .sql`update auth.one_time_tokens set created_at = created_at - interval '61 minutes'`;
  const target = await followMail(world.backend, mail);
  expect(target.searchParams.get('error_code')).toBe('otp_expired');
});

test('AU-17 drops the password of a sign-up by a stranger before the owner’s', async () => {
  const sign = (password: string) =>
    browser.client.auth.signUp({ email, password, options: { data: { username: 'early' } } });
  await sign('password of mallory');
  const planted = await world.readMail(email);
  const later = await openTestBackend({}, world);
  browser = later.openBrowser();
  await sign('password of the owner');
  const own = await followMail(later.backend, await later.readMail(email));
  await browser.client.auth.exchangeCodeForSession(own.searchParams.get('code') ?? '');
  const signIn = (password: string) => browser.client.auth.signInWithPassword({ email, password });
  expect((await signIn('password of mallory')).error?.code).toBe('invalid_credentials');
  expect((await signIn('password of the owner')).error).toBeNull();
  const target = await followMail(world.backend, planted);
  expect(target.searchParams.get('error_code')).toBe('otp_expired');
  await later.close();
});

test('AU-19 mails links to our own host and one recipient, whatever the request contains', async () => {
  const headers = {
    host: 'evil.test',
    'x-forwarded-host': 'evil.test',
    forwarded: 'host=evil.test',
    origin: 'https://evil.test',
    referer: 'https://evil.test/',
  };
  const send = (body: object) =>
    world.backend.fetch(
      new Request('https://evil.test/auth/v1/signup?redirect_to=https://evil.test/', {
        method: 'POST',
        headers: { apikey: world.backend.publishableKey, ...headers },
        body: JSON.stringify({
          password: 'correct horse battery',
          code_challenge: challengeOf(newVerifier()),
          code_challenge_method: 's256',
          ...body,
        }),
      }),
    );
  expect(
    (await send({ email, data: { username: 'p19', name: '<a href="https://evil.test">' } })).status,
  ).toBe(200);
  const mail = await world.readMail(email);
  expect(mail.to).toBe(email);
  expect(mail.text + mail.html).not.toContain('evil.test');
  expect(mail.text).toContain(`${appOrigin}/auth/v1/verify?`);
  for (const bad of [
    `${email}\r\nBcc: mallory@evil.test`,
    `${email},mallory@evil.test`,
    `"x" <${email}>`,
    `${email}\0`,
  ]) {
    expect((await send({ email: bad })).status).toBe(400);
  }
});
