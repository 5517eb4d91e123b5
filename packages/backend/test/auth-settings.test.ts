import { fileURLToPath } from 'node:url';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { defaultAuthSettings, parseAuthSettings, readAuthSettings } from '../src/auth/settings.ts';

const env = { GITLAB_SECRET: 'of gitlab' };
const read = (text: string) => parseAuthSettings(parse(text), env);

test('uses Supabase’s defaults for missing settings', () => {
  expect(read('')).toEqual(defaultAuthSettings);
  expect(read('[auth]\nenabled = true\n[auth.external.google]\nenabled = false')).toEqual(
    defaultAuthSettings,
  );
});

test('reads this project’s own file', async () => {
  const file = fileURLToPath(new URL('../../../supabase/config.toml', import.meta.url));
  expect(await readAuthSettings(file, env)).toMatchObject({
    isSignUpEnabled: true,
    isAnonymousSignInEnabled: false,
    doubleConfirmChanges: true,
    limits: { mails: 400, signIns: 150 },
    providers: [],
  });
});

test('reads rate limits, and uses Supabase’s defaults for the others', () => {
  const text = '[auth.rate_limit]\nemail_sent = 2\nsign_in_sign_ups = 5';
  expect(read(text).limits).toEqual({
    mails: 2,
    anonymousSignIns: 30,
    refreshes: 150,
    signIns: 5,
    verifications: 30,
  });
});

test('reads providers, with secrets from the environment', () => {
  const { providers } = read(`
    [auth.external.gitlab]
    enabled = true
    client_id = "web, phone"
    secret = "env(GITLAB_SECRET)"
    url = "https://git.example.com/"
    [auth.external."custom:club"]
    enabled = true
    client_id = "one"
    secret = "two"
    url = "https://id.example.com"
    skip_nonce_check = true
    [auth.external.azure]
    enabled = true
    client_id = "one"
    secret = "two"
    url = "https://login.microsoftonline.com/0000-tenant"
  `);
  expect(providers).toEqual([
    {
      name: 'gitlab',
      clientIds: ['web', 'phone'],
      clientSecret: 'of gitlab',
      url: 'https://git.example.com',
      skipNonceCheck: false,
    },
    {
      name: 'custom:club',
      clientIds: ['one'],
      clientSecret: 'two',
      url: 'https://id.example.com',
      skipNonceCheck: true,
    },
    expect.objectContaining({ url: 'https://login.microsoftonline.com/0000-tenant/v2.0' }),
  ]);
});

test.each([
  ['[auth]\nenable_signup = "yes"', 'auth.enable_signup must be true or false'],
  ['[auth.email]\notp_length = 4', 'auth.email.otp_length must be a whole number from 6 to 10'],
  ['[auth]\njwt_expiry = 0', 'auth.jwt_expiry must be a whole number from 1 to 604800'],
  [
    '[auth.rate_limit]\nemail_sent = 0',
    'auth.rate_limit.email_sent must be a whole number from 1 to 1000000',
  ],
  ['[auth.external.google]\nenabled = true', 'auth.external.google.client_id is missing'],
  [
    '[auth.external.google]\nenabled = true\nclient_id = "x"\nsecret = "env(NOWHERE)"',
    'auth.external.google.secret is missing',
  ],
  [
    '[auth.external.other]\nenabled = true\nclient_id = "x"\nsecret = "y"',
    'auth.external.other.url is missing',
  ],
])('names the invalid setting: %j', (text, message) => {
  expect(() => read(text)).toThrow(message);
});

test('AU-18 requires a single Microsoft tenant, whose issuer is known', () => {
  const azure = (url: string) =>
    read(`[auth.external.azure]\nenabled = true\nclient_id = "x"\nsecret = "y"\nurl = "${url}"`);
  expect(() => azure('https://login.microsoftonline.com/common')).toThrow(
    'must contain the ID of one tenant',
  );
  expect(() => azure('')).toThrow('auth.external.azure.url is missing');
});
