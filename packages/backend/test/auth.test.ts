import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultAuthSettings } from '../src/auth/settings.ts';
import {
  ageSessions,
  appOrigin,
  followMail,
  serveBackend,
  openTestBackend,
  signUpConfirmed,
} from '@vitrine/testing/backend';
import type { TestBackend } from '@vitrine/testing/backend';

const password = 'correct horse battery';
let world: TestBackend;

beforeAll(async () => {
  world = await openTestBackend();
});
afterAll(() => world.close());

test('signs up, confirms with the mailed link and signs in', async () => {
  const { client } = world.openBrowser();
  const email = 'ada@example.com';
  const signedUp = await client.auth.signUp({
    email: 'Ada@Example.com',
    password,
    options: {
      data: { username: 'ada' },
      emailRedirectTo: `${appOrigin}/auth/callback?next=%2Fwork`,
    },
  });
  expect(signedUp.error).toBeNull();
  expect(signedUp.data.session).toBeNull();
  expect(signedUp.data.user).toMatchObject({
    email,
    user_metadata: { username: 'ada', email_verified: false },
  });

  const early = await client.auth.signInWithPassword({ email, password });
  expect(early.error?.code).toBe('email_not_confirmed');

  const target = await followMail(world.backend, await world.readMail(email));
  expect(target.origin + target.pathname).toBe(`${appOrigin}/auth/callback`);
  expect(target.searchParams.get('next')).toBe('/work');
  const exchanged = await client.auth.exchangeCodeForSession(target.searchParams.get('code') ?? '');
  expect(exchanged.error).toBeNull();
  expect(exchanged.data.user?.user_metadata).toMatchObject({ email_verified: true });

  const later = await world.openBrowser().client.auth.signInWithPassword({ email, password });
  expect(later.error).toBeNull();
  expect(later.data.user?.id).toBe(signedUp.data.user?.id);
});

test('signs in at once when emails need no confirmation, over a real server', async () => {
  const open = await openTestBackend({ confirmEmail: false });
  const server = await serveBackend(open.backend);
  try {
    const { createClient } = await import('@supabase/supabase-js');
    const client = createClient(server.origin, open.backend.publishableKey, {
      auth: { flowType: 'pkce', autoRefreshToken: false },
    });
    const { data, error } = await client.auth.signUp({
      email: 'ada@example.com',
      password,
      options: { data: { username: 'ada' } },
    });
    expect(error).toBeNull();
    expect(data.session?.user.email).toBe('ada@example.com');
    const again = await client.auth.signUp({ email: 'ada@example.com', password });
    expect(again.error?.code).toBe('user_already_exists');
    expect((await client.auth.getUser()).data.user?.email).toBe('ada@example.com');
    expect((await client.auth.updateUser({ email: 'ada@example.org' })).error).toBeNull();
    expect((await client.auth.getUser()).data.user?.email).toBe('ada@example.org');
    expect((await client.auth.signOut()).error).toBeNull();
  } finally {
    await server.close();
    await open.close();
  }
});

test('signs access tokens with a published key and GoTrue’s claims', async () => {
  const server = await serveBackend(world.backend);
  try {
    const { client } = await signUpConfirmed(world, 'claims@example.com');
    const { data } = await client.auth.getSession();
    const keys = createRemoteJWKSet(new URL(`${server.origin}/auth/v1/.well-known/jwks.json`));
    const { payload, protectedHeader } = await jwtVerify(data.session?.access_token ?? '', keys, {
      issuer: `${appOrigin}/auth/v1`,
      audience: 'authenticated',
      algorithms: ['ES256'],
    });
    expect(protectedHeader.kid).toBe(world.secrets.signingKey.kid);
    expect(payload).toMatchObject({
      sub: data.session?.user.id,
      email: 'claims@example.com',
      phone: '',
      role: 'authenticated',
      aal: 'aal1',
      is_anonymous: false,
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: { username: 'claims' },
      amr: [{ method: 'email/signup', timestamp: expect.any(Number) }],
    });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600);
    const published = await (await fetch(`${server.origin}/auth/v1/.well-known/jwks.json`)).json();
    expect(JSON.stringify(published)).not.toContain(world.secrets.signingKey.d);
    const { data: checked } = await client.auth.getClaims();
    expect(checked?.claims.sub).toBe(data.session?.user.id);
  } finally {
    await server.close();
  }
});

const sessionOf = (token: string | undefined) => decodeJwt(token ?? '')['session_id'];

test('AU-05 creates a new session with every sign-in', async () => {
  const { client } = await signUpConfirmed(world, 'fixation@example.com');
  const before = (await client.auth.getSession()).data.session;
  const { data } = await client.auth.signInWithPassword({
    email: 'fixation@example.com',
    password,
  });
  expect(sessionOf(data.session?.access_token)).not.toBe(sessionOf(before?.access_token));
  expect(data.session?.refresh_token).not.toBe(before?.refresh_token);
});

test('responds to a wrong password as to an unknown account', async () => {
  await signUpConfirmed(world, 'known@example.com');
  const answers = await Promise.all(
    ['known@example.com', 'unknown@example.com'].map(async (email) => {
      const { request } = world.openBrowser();
      const answer = await request('/auth/v1/token?grant_type=password', {
        method: 'POST',
        body: JSON.stringify({ email, password: 'wrong horse battery' }),
      });
      return [answer.status, await answer.text()];
    }),
  );
  expect(answers[0]).toEqual(answers[1]);
  expect(answers[0]?.[0]).toBe(400);
});

test('AU-24: an account opens with its password only, not with another that bcrypt takes for it', async () => {
  const signIn = async (body: string | Uint8Array<ArrayBuffer>) => {
    const { request } = world.openBrowser();
    return (await request('/auth/v1/token?grant_type=password', { method: 'POST', body })).status;
  };
  const trySignIn = (email: string, password: string) =>
    signIn(JSON.stringify({ email, password }));
  const cases = {
    'replaced@example.com': [
      'half of a pair \ufffd',
      'half of a pair \ud800',
      'half of a pair \udfff',
    ],
    'longest@example.com': ['x y '.repeat(18), `${'x y '.repeat(18)}z`],
    'repeated@example.com': ['ten of them', 'ten of them\0ten of them', 'ten of them\0'],
  };
  for (const [email, [right = '', ...others]] of Object.entries(cases)) {
    await signUpConfirmed(world, email, right);
    expect([email, await trySignIn(email, right)]).toEqual([email, 200]);
    for (const other of others)
      expect([other, await trySignIn(email, other)]).toEqual([other, 400]);
  }
  const email = 'replaced@example.com';
  // As bytes that aren't UTF-8.
  const bytes = Buffer.from(JSON.stringify({ email, password: 'half of a pair ÿ' }), 'latin1');
  expect(await signIn(Uint8Array.from(bytes))).toBe(400);
});

test.each(['a password with \ud800', 'a password with \udc00', 'a password\0with NUL'])(
  'AU-24: the new password %j is rejected',
  async (unusable) => {
    const { client } = world.openBrowser();
    const { error } = await client.auth.signUp({ email: 'new@example.com', password: unusable });
    expect(error?.message).toBe('Password has a character that cannot be used');
  },
);

test('recovers an account by mail and ends its other sessions', async () => {
  const email = 'forgetful@example.com';
  const other = await signUpConfirmed(world, email);
  const later = await openTestBackend({}, world);
  try {
    const { client } = later.openBrowser();
    expect((await client.auth.resetPasswordForEmail(email)).error).toBeNull();
    const target = await followMail(later.backend, await later.readMail(email));
    const code = target.searchParams.get('code') ?? '';
    expect((await client.auth.exchangeCodeForSession(code)).error).toBeNull();
    const changed = await client.auth.updateUser({ password: 'a better horse entirely' });
    expect(changed.error).toBeNull();
    expect((await other.client.auth.refreshSession()).error?.code).toBe('refresh_token_not_found');
    const signedIn = await client.auth.signInWithPassword({
      email,
      password: 'a better horse entirely',
    });
    expect(signedIn.error).toBeNull();
  } finally {
    await later.close();
  }
});

test('a new password voids earlier recovery links', async () => {
  const email = 'robbed@example.com';
  const { storage } = await signUpConfirmed(world, email);
  const later = await openTestBackend({}, world);
  try {
    await later.openBrowser().client.auth.resetPasswordForEmail(email);
    const mail = await later.readMail(email);
    const owner = later.openBrowser({ storage });
    expect((await owner.client.auth.updateUser({ password: 'a better horse' })).error).toBeNull();
    const target = await followMail(later.backend, mail);
    expect(target.searchParams.get('error_code')).toBe('otp_expired');
  } finally {
    await later.close();
  }
});

test('sends one mail a minute to an address', async () => {
  const { client } = world.openBrowser();
  const ask = () => client.auth.resetPasswordForEmail('nobody@example.com');
  expect((await ask()).error).toBeNull();
  expect((await ask()).error?.code).toBe('over_email_send_rate_limit');
});

test('signs out this session, the others or all', async () => {
  const email = 'many@example.com';
  const first = await signUpConfirmed(world, email);
  const signIn = async () => {
    const browser = world.openBrowser();
    const { error } = await browser.client.auth.signInWithPassword({ email, password });
    expect(error).toBeNull();
    return browser;
  };
  const isIn = async (browser: typeof first) =>
    (await browser.client.auth.getUser()).error === null;
  const [second, third] = [await signIn(), await signIn()];

  await second.client.auth.signOut({ scope: 'local' });
  expect([await isIn(first), await isIn(second), await isIn(third)]).toEqual([true, false, true]);
  await third.client.auth.signOut({ scope: 'others' });
  expect([await isIn(first), await isIn(third)]).toEqual([false, true]);
  const fourth = await signIn();
  const { data } = await third.client.auth.getSession();
  await fourth.client.auth.signOut({ scope: 'global' });
  const refreshed = await third.client.auth.refreshSession({
    refresh_token: data.session?.refresh_token ?? '',
  });
  expect(refreshed.error?.code).toBe('refresh_token_not_found');
});

test('updates metadata and the password, and notifies listeners', async () => {
  const { client } = await signUpConfirmed(world, 'changing@example.com');
  const events: string[] = [];
  client.auth.onAuthStateChange((event) => events.push(event));
  const updated = await client.auth.updateUser({
    data: { theme: 'dark', email: 'forged@example.com' },
  });
  expect(updated.data.user?.user_metadata).toMatchObject({
    theme: 'dark',
    username: 'changing',
    email: 'changing@example.com',
  });
  expect(events).toContain('USER_UPDATED');
  expect((await client.auth.updateUser({ password })).error?.code).toBe('same_password');
  for (const password of ['short', 'qwertyuiop', '1234567890']) {
    expect((await client.auth.updateUser({ password })).error?.code).toBe('weak_password');
  }
  expect((await client.auth.updateUser({ password: 'x'.repeat(73) })).error?.code).toBe(
    'validation_failed',
  );
  expect((await client.auth.updateUser({ password: 'another fine horse' })).error).toBeNull();
});

test('requires the password again when the session authenticated a while ago', async () => {
  const { client } = await signUpConfirmed(world, 'old@example.com');
  await ageSessions(world, 'old@example.com');
  const next = 'another fine horse';
  const refused = await client.auth.updateUser({ password: next });
  expect(refused.error?.code).toBe('reauthentication_needed');
  const wrong = await client.auth.updateUser({ password: next, current_password: 'not this one' });
  expect(wrong.error?.code).toBe('invalid_credentials');
  const right = await client.auth.updateUser({ password: next, current_password: password });
  expect(right.error).toBeNull();
});

test('changes the email once the new mailbox is verified in the requesting browser', async () => {
  const { client } = await signUpConfirmed(world, 'before@example.com');
  const asked = await client.auth.updateUser({ email: 'after@example.com' });
  expect(asked.data.user).toMatchObject({
    email: 'before@example.com',
    new_email: 'after@example.com',
  });
  const target = await followMail(world.backend, await world.readMail('after@example.com'));
  expect((await client.auth.getUser()).data.user?.email).toBe('before@example.com');
  const code = target.searchParams.get('code') ?? '';
  expect((await client.auth.exchangeCodeForSession(code)).data.user?.email).toBe(
    'after@example.com',
  );
});

test('notifies the previous mailbox of a changed email or password', async () => {
  const { client } = await signUpConfirmed(world, 'noted@example.com');
  const confirmation = await world.readMail('noted@example.com');
  expect((await client.auth.updateUser({ password: 'another fine horse' })).error).toBeNull();
  const after = await world.readMail('noted@example.com', { after: confirmation });
  expect(after.subject).toBe('Your password was changed');

  await client.auth.updateUser({ email: 'noted-elsewhere@example.com' });
  const target = await followMail(
    world.backend,
    await world.readMail('noted-elsewhere@example.com'),
  );
  expect((await world.readMail('noted@example.com')).id).toBe(after.id);
  await client.auth.exchangeCodeForSession(target.searchParams.get('code') ?? '');
  const notice = await world.readMail('noted@example.com', { after });
  expect(notice.subject).toBe('Your email address was changed');
  expect(notice.text).not.toContain('noted-elsewhere');
});

test('gives a stranger at a mistyped new address nothing', async () => {
  const { client } = await signUpConfirmed(world, 'hasty@example.com');
  await client.auth.updateUser({ email: 'stranger@example.com' });
  const mail = await world.readMail('stranger@example.com');
  const link = new URL(/https?:\S+/.exec(mail.text)?.[0] ?? '');
  const stranger = world.openBrowser();
  const verified = await stranger.client.auth.verifyOtp({
    type: 'email_change',
    token_hash: link.searchParams.get('token') ?? '',
  });
  expect(verified.error?.code).toBe('otp_expired');
  const again = await stranger.client.auth.resend({
    type: 'email_change',
    email: 'hasty@example.com',
  });
  expect(again.error?.code).toBe('validation_failed');
  // The link leads to a code, which needs the verifier of the requesting browser.
  const target = await followMail(world.backend, mail);
  await stranger.client.auth.resetPasswordForEmail('anyone@example.com');
  const code = target.searchParams.get('code') ?? '';
  const exchanged = await stranger.client.auth.exchangeCodeForSession(code);
  expect(exchanged.error?.code).toBe('bad_code_verifier');
  expect((await client.auth.getUser()).data.user?.email).toBe('hasty@example.com');
});

test('does not reveal that a new email already has an account', async () => {
  await signUpConfirmed(world, 'taken@example.com');
  const { storage } = await signUpConfirmed(world, 'wishing@example.com');
  const later = await openTestBackend({}, world);
  const { client } = later.openBrowser({ storage });
  const { data, error } = await client.auth.updateUser({ email: 'taken@example.com' });
  expect(error).toBeNull();
  expect(data.user).toMatchObject({ new_email: 'taken@example.com' });
  await later.backend.close();
  expect(await later.countMails('taken@example.com')).toBe(0);
  await later.close();
});

test('redeems a token_hash when the user presses a button', async () => {
  const { client } = world.openBrowser();
  await client.auth.signUp({
    email: 'phone@example.com',
    password,
    options: { data: { username: 'phone' } },
  });
  const link = new URL(
    /https?:\S+/.exec((await world.readMail('phone@example.com')).text)?.[0] ?? '',
  );
  const token_hash = link.searchParams.get('token') ?? '';
  const phone = world.openBrowser();
  const verified = await phone.client.auth.verifyOtp({ type: 'signup', token_hash });
  expect(verified.data.session?.user.email).toBe('phone@example.com');
  const again = await phone.client.auth.verifyOtp({ type: 'signup', token_hash });
  expect(again.error?.code).toBe('otp_expired');
});

test('resends the confirmation to the browser that requests it', async () => {
  const email = 'again@example.com';
  await world
    .openBrowser()
    .client.auth.signUp({ email, password, options: { data: { username: 'again' } } });
  await world.readMail(email);
  const later = await openTestBackend({}, world);
  try {
    const { client } = later.openBrowser();
    expect((await client.auth.resend({ type: 'signup', email })).error).toBeNull();
    const target = await followMail(later.backend, await later.readMail(email));
    const code = target.searchParams.get('code') ?? '';
    expect((await client.auth.exchangeCodeForSession(code)).error).toBeNull();
  } finally {
    await later.close();
  }
});

test('rejects disabled and unsupported features with GoTrue’s messages', async () => {
  const closed = await openTestBackend(
    { authSettings: { ...defaultAuthSettings, isSignUpEnabled: false } },
    world,
  );
  try {
    const { auth } = closed.openBrowser().client;
    const codeOf = ({ error }: { error: { code?: string | undefined } | null }) => error?.code;
    expect(codeOf(await auth.signInWithSSO({ domain: 'example.com' }))).toBe(
      'saml_provider_disabled',
    );
    expect(codeOf(await auth.signUp({ email: 'x@example.com', password }))).toBe('signup_disabled');
    expect(codeOf(await auth.signInWithOtp({ email: 'x@example.com' }))).toBe('signup_disabled');
    expect(codeOf(await auth.signInWithOtp({ phone: '+15550100' }))).toBe(
      'phone_provider_disabled',
    );
    const token = await auth.signInWithIdToken({ provider: 'google', token: 'x' });
    expect(token.error?.message).toContain('not enabled');
    await signUpConfirmed(world, 'maia@example.com');
    await auth.signInWithPassword({ email: 'maia@example.com', password });
    const { identities = [] } = (await auth.getUser()).data.user ?? {};
    const [identity] = identities;
    if (!identity) throw new Error('an account has an identity');
    expect(codeOf(await auth.unlinkIdentity(identity))).toBe('manual_linking_disabled');
    const enroll = (o: Parameters<typeof auth.mfa.enroll>[0]) => auth.mfa.enroll(o);
    expect(codeOf(await enroll({ factorType: 'totp' }))).toBe('mfa_totp_enroll_not_enabled');
    expect(codeOf(await enroll({ factorType: 'phone', phone: '+15550100' }))).toBe(
      'mfa_phone_enroll_not_enabled',
    );
  } finally {
    await closed.close();
  }
  for (const [method, path] of [
    ['POST', 'factors'],
    ['DELETE', 'factors/x'],
    ['DELETE', 'user/identities/x'],
    ['GET', 'user/identities/authorize?provider=x'],
    ['GET', 'reauthenticate'],
  ] as const) {
    const { status } = await world.openBrowser().request(`/auth/v1/${path}`, { method });
    expect(status).toBe(401);
  }
});

test('offers anonymous sign-in only when it is enabled', async () => {
  const closed = await openTestBackend({ authSettings: defaultAuthSettings }, world);
  try {
    const { error } = await closed.openBrowser().client.auth.signInAnonymously();
    expect([error?.status, error?.code]).toEqual([422, 'anonymous_provider_disabled']);
  } finally {
    await closed.close();
  }
});
