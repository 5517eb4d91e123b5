import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { clientId, clientSecret, openProvider, type TestProvider } from '@vitrine/testing/provider';
import {
  accountButton,
  getEmail,
  expectQuiet,
  newSignedInUser,
  newVisitor,
  getPassword,
  signOutFromMenu,
  expectComplaints,
  test,
  type TestUser,
} from '../rig/test-user.ts';
import { startServer, type TestServer } from '@vitrine/testing/server';
import { backdateSessions } from '../rig/session.ts';

let server: TestServer;
let provider: TestProvider;
let folder: string;

test.beforeAll(async () => {
  provider = await openProvider();
  folder = await mkdtemp(join(tmpdir(), 'vitrine-providers-'));
  const config = await readFile(new URL('../../supabase/config.toml', import.meta.url), 'utf8');
  const sections = ['github', 'school'].map(
    (name) => `[auth.external.${name}]
enabled = true
client_id = "${clientId}"
secret = "env(PROVIDER_SECRET)"
url = "${provider.origin}"`,
  );
  const file = join(folder, 'auth.toml');
  await writeFile(file, [config, ...sections].join('\n\n'));
  server = await startServer({ env: { AUTH_CONFIG: file, PROVIDER_SECRET: clientSecret } });
});
test.afterAll(async () => {
  await server.remove();
  await provider.close();
  await rm(folder, { recursive: true });
});

const press = ({ page }: TestUser, name: string) => page.getByRole('button', { name }).click();
const ways = ({ page }: TestUser) => page.getByRole('list', { name: 'Sign-in methods' });

/** Requests to the provider are expected. */
const takeJourney = (person: TestUser) =>
  expectComplaints(person, /request to http:\/\/127\.0\.0\.1:/);

test('a provider signs up and in, and redirects to the intended page', async ({ browser }) => {
  provider.user = { sub: '1', email: 'ida@example.org', email_verified: true, name: 'Ida' };
  const ida = await newVisitor(browser, server);
  await ida.page.goto(`${server.address}/auth/sign-up?next=%2Fwork`);
  await expect(ida.page.getByRole('banner').getByRole('link', { name: 'Sign in' })).toHaveAttribute(
    'href',
    '/auth/sign-in?next=%2Fwork',
  );
  await press(ida, 'Continue with School');
  await expect(ida.page.getByRole('heading', { name: 'Choose a username' })).toBeVisible();
  await expect(ida.page.getByLabel('Username')).toHaveValue('ida');
  await press(ida, 'Continue');
  await expect(ida.page.getByRole('heading', { name: 'Your work' })).toBeVisible();
  await signOutFromMenu(ida, 'ida');
  await ida.page.goto(`${server.address}/auth/sign-in?next=%2Fsettings%2Faccount`);
  await press(ida, 'Continue with School');
  await expect(ways(ida).getByRole('listitem')).toHaveText(['Schoolida@example.org']);
  await takeJourney(ida);
  expectQuiet(server, ida);
});

test('a provider’s error is shown as a message', async ({ browser }) => {
  const jon = await newVisitor(browser, server);
  const start = async () => {
    await jon.page.goto(`${server.address}/auth/sign-in`);
    await press(jon, 'Continue with GitHub');
    await expect(jon.page.getByRole('heading', { name: 'Something went wrong' })).toBeVisible();
  };
  provider.isDenying = true;
  await start();
  await expect(jon.page.getByText('Sign-in was canceled or timed out')).toBeVisible();
  provider.isDenying = false;
  provider.user = { sub: '2', email: 'jon@example.org', email_verified: false, name: 'Jon' };
  await start();
  await expect(
    jon.page.getByText('The provider didn’t share a verified email address'),
  ).toBeVisible();
  // Text in the URL could be anyone's, so it isn't shown.
  const made = 'error=server_error&error_description=Pay+here';
  await jon.page.goto(`${server.address}/auth/callback?${made}`);
  await expect(jon.page.getByText('The sign-in provider isn’t responding.')).toBeVisible();
  await expect(jon.page.getByText('Pay here')).toHaveCount(0);
  await takeJourney(jon);
  expectQuiet(server, jon);
});

test(
  'a user links a provider, signs in with it, and unlinks it',
  { tag: '@long' },
  async ({ browser }) => {
    const kit = await newSignedInUser(browser, server, 'kit');
    provider.user = { sub: '3', email: 'kit@work.example', email_verified: true, name: 'Kit' };
    await kit.page.goto(`${server.address}/settings/account`);
    await backdateSessions(server, getEmail('kit'));
    await press(kit, 'Link GitHub');
    const link = kit.page.getByRole('dialog', { name: 'Link GitHub' });
    await link.getByLabel('Current password').fill(getPassword('kit'));
    await link.getByRole('button', { name: 'Continue' }).click();
    await expect(ways(kit).getByRole('listitem')).toHaveText([/^Email/, /^GitHub/]);
    await signOutFromMenu(kit, 'kit');
    await kit.page.goto(`${server.address}/auth/sign-in`);
    await press(kit, 'Continue with GitHub');
    await expect(accountButton(kit, 'kit')).toBeVisible();

    const lia = await newSignedInUser(browser, server, 'lia');
    await lia.page.goto(`${server.address}/settings/account`);
    await press(lia, 'Link GitHub');
    await expect(lia.page.getByText('already linked to an account')).toBeVisible();
    await lia.page.getByRole('link', { name: 'Go back' }).click();
    await expect(ways(lia).getByText(getEmail('lia'))).toBeVisible();

    await kit.page.goto(`${server.address}/settings/account`);
    await press(kit, 'Unlink GitHub');
    const dialog = kit.page.getByRole('dialog', { name: 'Unlink GitHub?' });
    await dialog.getByRole('button', { name: 'Unlink', exact: true }).click();
    await expect(kit.page.getByText('GitHub unlinked')).toBeVisible();
    await expect(ways(kit).getByRole('listitem')).toHaveText([/^Email/]);
    await expectComplaints(kit, /status of 400/);
    await takeJourney(kit);
    await takeJourney(lia);
    expectQuiet(server, kit, lia);
  },
);
