/** An account with MFA, accessed by someone who only has its password (PT-06). */
import { decodeJwt } from 'jose';
import { Secret, TOTP } from 'otpauth';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBackgroundTasks } from '../src/auth/background-tasks.ts';
import { importKeys } from '../src/auth/keys.ts';
import { createProviders } from '../src/auth/providers/providers.ts';
import { createAuthLimits } from '../src/auth/auth-limits.ts';
import { createRedirects } from '../src/auth/redirects.ts';
import { createAuthRoutes } from '../src/auth/routes.ts';
import { openMailer } from '../src/mail/mailer.ts';
import {
  appOrigin,
  openTestBackend,
  signUpConfirmed,
  testAuthSettings,
} from '@vitrine/testing/backend';
import type { Browser, TestBackend } from '@vitrine/testing/backend';
import { silentLog } from '@vitrine/testing/database';

const password = 'correct horse battery';
let world: TestBackend;
let users = 0;

beforeAll(async () => {
  world = await openTestBackend();
});
afterAll(() => world.close());

const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: Date.now() + steps * 30_000,
  });

interface Owner extends Browser {
  email: string;
  factorId: string;
  secret: string;
  /** Token from before the factor was verified, of a session that is at aal2 now. */
  earlyToken: string;
}

const show = ({ client }: Browser, factorId: string, code: string) =>
  client.auth.mfa.challengeAndVerify({ factorId, code });

async function tokenOf({ client }: Browser): Promise<string> {
  const { data } = await client.auth.getSession();
  return data.session?.access_token ?? '';
}

/** Creates an account with MFA, in a session at aal2. */
async function openOwner(address?: string): Promise<Owner> {
  const email = `mfa${(users += 1)}@example.com`;
  const browser = world.openBrowser(address === undefined ? {} : { address });
  await signUpConfirmed(world, email, password, browser);
  const { data, error } = await browser.client.auth.mfa.enroll({ factorType: 'totp' });
  if (error) throw error;
  const earlyToken = await tokenOf(browser);
  const shown = await show(browser, data.id, codeOf(data.totp.secret, -1));
  if (shown.error) throw shown.error;
  return { ...browser, email, factorId: data.id, secret: data.totp.secret, earlyToken };
}

async function openThief({ email }: Owner, address?: string): Promise<Browser> {
  const browser = world.openBrowser(address === undefined ? {} : { address });
  const { error } = await browser.client.auth.signInWithPassword({ email, password });
  if (error) throw error;
  return browser;
}

const wrongCode = '000000';

/** Lists all registered routes of /auth/v1. */
async function listRoutes(): Promise<string[]> {
  const keys = await importKeys(world.secrets, { publicOrigin: appOrigin, lifetimeSeconds: 60 });
  const key = new Uint8Array(32);
  const sql = postgres({ ...world.database.address, max: 1 });
  const app = createAuthRoutes({
    sql,
    keys,
    settings: testAuthSettings,
    refreshKey: key,
    codeKey: key,
    factorKey: key,
    providers: createProviders([], silentLog),
    redirects: createRedirects(appOrigin, []),
    limits: createAuthLimits(testAuthSettings.limits),
    mailer: openMailer({ outboxDir: '' }, { publicOrigin: appOrigin, lifetimeSeconds: 60 }),
    background: createBackgroundTasks(silentLog),
    publicOrigin: appOrigin,
    confirmEmail: true,
    log: silentLog,
  });
  await sql.end();
  const named = app.routes.filter(({ method }) => method !== 'ALL');
  return [...new Set(named.map(({ method, path }) => `${method} ${path.slice(8)}`))];
}

/** Public routes, which read no session. */
const open = [
  'POST /signup',
  'POST /token',
  'POST /otp',
  'POST /recover',
  'POST /resend',
  'GET /verify',
  'POST /verify',
  'GET /authorize',
  'GET /callback',
  'GET /.well-known/jwks.json',
  'GET /settings',
  'GET /health',
  'POST /sso',
];
/** Routes that complete the sign-in; `POST /logout` for this session only. */
const completing = ['GET /user', 'POST /factors/:id/challenge', 'POST /factors/:id/verify'];

test('PT-06 rejects every route below the required level, except those that complete the sign-in', async () => {
  const owner = await openOwner();
  const thief = await openThief(owner);
  const routes = await listRoutes();
  expect(routes).toEqual(expect.arrayContaining([...open, ...completing, 'POST /logout']));
  const tested = routes.filter((route) => ![...open, ...completing].includes(route));
  const refused = [];
  for (const token of [await tokenOf(thief), owner.earlyToken]) {
    for (const route of tested) {
      const [method = '', path = ''] = route.split(' ');
      const answer = await thief.request(`/auth/v1${path.replaceAll(/:\w+/g, owner.factorId)}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'x-supabase-api-version': '2024-01-01' },
        ...(method === 'GET' ? {} : { body: '{}' }),
      });
      const { code } = (await answer.json()) as { code?: string };
      const expected = /^\w+ \/(admin|invite)/.test(route) ? 'not_admin' : 'insufficient_aal';
      refused.push([route, answer.status, code === expected]);
    }
  }
  expect(refused).toEqual([...tested, ...tested].map((route) => [route, 403, true]));
  expect(tested.length).toBeGreaterThan(15);
  expect((await owner.client.auth.refreshSession()).error).toBeNull();
});

test('PT-06 a token at aal2 is below the required level once the factor of its session is removed', async () => {
  const owner = await openOwner();
  const { mfa } = owner.client.auth;
  const { data: second } = await mfa.enroll({ factorType: 'totp', friendlyName: 'second' });
  const code = codeOf(second?.totp.secret ?? '');
  expect((await show(owner, second?.id ?? '', code)).error).toBeNull();
  expect((await mfa.unenroll({ factorId: second?.id ?? '' })).error).toBeNull();
  expect(decodeJwt(await tokenOf(owner))['aal']).toBe('aal2');
  const { error } = await owner.client.auth.updateUser({ data: { note: 'late' } });
  expect(error?.code).toBe('insufficient_aal');
});

test('PT-06 with only the password, signs out no session but its own', async () => {
  const owner = await openOwner();
  const thief = await openThief(owner);
  const token = await tokenOf(thief);
  for (const scope of ['others', 'global'] as const) {
    const { error } = await thief.client.auth.admin.signOut(token, scope);
    expect([error?.status, error?.code]).toEqual([403, 'insufficient_aal']);
  }
  expect((await owner.client.auth.refreshSession()).error).toBeNull();
  expect((await thief.client.auth.admin.signOut(token, 'local')).error).toBeNull();
  expect((await thief.client.auth.refreshSession()).error?.code).toBe('refresh_token_not_found');
});

test('PT-06 with only the password, neither changes nor reads metadata', async () => {
  const owner = await openOwner();
  await owner.client.auth.updateUser({ data: { note: 'mine' } });
  const thief = await openThief(owner);
  const changed = await thief.client.auth.updateUser({ data: { note: 'stolen' } });
  expect(changed.error?.code).toBe('insufficient_aal');
  const seen = (await thief.client.auth.getUser()).data.user;
  const { data } = await thief.client.auth.refreshSession();
  const claims = decodeJwt(data.session?.access_token ?? '');
  for (const about of [seen, data.user, claims]) {
    expect(about).toMatchObject({ email: owner.email, user_metadata: {}, app_metadata: {} });
    expect(JSON.stringify(about)).not.toContain('mine');
  }
  expect(seen).toMatchObject({ identities: [], factors: [{ id: owner.factorId }] });
  // After the code, the session has everything, which also shows that nothing was changed.
  const shown = await show(thief, owner.factorId, codeOf(owner.secret));
  expect(shown.data?.user.user_metadata).toMatchObject({ note: 'mine' });
});

test('PT-06 with only the password, an ID token cannot be linked', async () => {
  const owner = await openOwner();
  const thief = await openThief(owner);
  const answer = await thief.request('/auth/v1/token?grant_type=id_token', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await tokenOf(thief)}`,
      'x-supabase-api-version': '2024-01-01',
    },
    body: JSON.stringify({ id_token: 'x.y.z', link_identity: true }),
  });
  expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'insufficient_aal' }]);
});

test('PT-06 wrong codes of someone with the password do not use up the owner’s attempts', async () => {
  const owner = await openOwner('192.0.2.1');
  const statuses = [];
  // From one address until it is rejected, then from twelve.
  for (let thief = 0; thief < 14; thief += 1) {
    const browser = await openThief(owner, `192.0.2.${thief < 3 ? 10 : 10 + thief}`);
    for (let guess = 0; guess < 21; guess += 1) {
      const { error } = await show(browser, owner.factorId, wrongCode);
      statuses.push(error?.status);
      if (error?.status === 429) break;
    }
  }
  // Ten in each session, twenty from the address that three sessions share.
  expect(statuses.slice(0, 23)).toEqual([
    ...Array.from({ length: 10 }, () => 422),
    429,
    ...Array.from({ length: 10 }, () => 422),
    429,
    429,
  ]);
  // The owner signs in on another computer with an address of theirs, and re-authenticates
  // elsewhere.
  const other = await openThief(owner, '192.0.2.1');
  expect((await show(owner, owner.factorId, codeOf(owner.secret))).error).toBeNull();
  expect((await show(other, owner.factorId, codeOf(owner.secret, 1))).error?.status).not.toBe(429);
});

test('PT-06 limits guesses from many addresses', async () => {
  const owner = await openOwner('203.0.113.1');
  const answers = await Promise.all(
    Array.from({ length: 22 }, async (_, index) => {
      const thief = await openThief(owner, `203.0.113.${10 + index}`);
      let wrong = 0;
      while ((await show(thief, owner.factorId, wrongCode)).error?.status === 422) wrong += 1;
      return wrong;
    }),
  );
  const sum = answers.reduce((total, wrong) => total + wrong, 0);
  expect(sum).toBeGreaterThanOrEqual(200);
  expect(sum).toBeLessThan(210);
});
