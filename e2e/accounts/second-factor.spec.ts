import { expect } from '@playwright/test';
import { addAuthenticator, generateTotpCode } from '../rig/authenticator.ts';
import {
  accountButton,
  getEmail,
  expectQuiet,
  newSignedInUser,
  newVisitor,
  openOutbox,
  openAnotherTab,
  getPassword,
  saveDraft,
  startDraft,
  expectComplaints,
  test,
  type TestUser,
} from '../rig/test-user.ts';
import type { TestServer } from '@vitrine/testing/server';
import { backdateSessions, confirmEmailAddress } from '../rig/session.ts';

const settings = ({ page }: TestUser, { address }: TestServer) =>
  page.goto(`${address}/settings/account`);
const authenticators = ({ page }: TestUser) =>
  page.getByRole('list', { name: 'Authenticator apps' });

async function givePassword({ page }: TestUser, name: string): Promise<void> {
  await page.getByLabel('Email').fill(getEmail(name));
  await page.getByLabel('Password').fill(getPassword(name));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Enter your code' })).toBeVisible();
}

async function giveCode({ page }: TestUser, code: string): Promise<void> {
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Continue' }).click();
}

test('AU-23 once an authenticator is added, the password alone grants no access', async ({
  browser,
  server,
}) => {
  const zara = await newSignedInUser(browser, server, 'zara');
  await startDraft(zara, server, 'html');
  const project = await saveDraft(zara);
  await settings(zara, server);
  const key = await addAuthenticator(zara, 'Phone');
  await expect(authenticators(zara).getByRole('listitem')).toHaveText(/Phone.*Added just now/);

  const other = await newVisitor(browser, server);
  const tab = await openAnotherTab(other);
  await tab.page.goto(project);
  await other.page.goto(`${server.address}/auth/sign-in?next=%2Fsettings%2Faccount`);
  await givePassword(other, 'zara');
  // Its cookies have a session, but pages and data are a visitor's.
  for (const path of ['/settings/account', '/settings/sessions']) {
    await tab.page.goto(server.address + path);
    await expect(tab.page.getByRole('heading', { name: 'Enter your code' })).toBeVisible();
  }
  await tab.page.goto(project);
  await expect(tab.page.getByText('Page not found')).toBeVisible();

  await giveCode(other, '000000');
  await expect(
    other.page.getByText('This code is incorrect, expired, or already used'),
  ).toBeVisible();
  await expect(other.page.getByLabel('Code')).toBeFocused();
  await giveCode(other, generateTotpCode(key));
  await other.page.waitForURL(`${server.address}/settings/account`);
  await expect(accountButton(other, 'zara')).toBeVisible();
  // The other tab updates, too.
  await expect(tab.editor('index.html')).toBeVisible();
  await expectComplaints(other, /status of 404/, /status of 422/);
  expectQuiet(server, zara, other);
});

test(
  'either of two authenticators signs in, and without any the password suffices',
  { tag: '@long' },
  async ({ browser, server }) => {
    const abe = await newSignedInUser(browser, server, 'abe');
    await settings(abe, server);
    const phone = await addAuthenticator(abe, 'Phone');
    const tablet = await addAuthenticator(abe, 'Tablet');
    const other = await newVisitor(browser, server);
    await other.page.goto(`${server.address}/auth/sign-in`);
    await givePassword(other, 'abe');
    await other.page.getByRole('combobox', { name: 'Authenticator app' }).click();
    await other.page.getByRole('option', { name: 'Tablet' }).click();
    await giveCode(other, generateTotpCode(tablet));
    await expect(accountButton(other, 'abe')).toBeVisible();

    const remove = async (name: string) => {
      await other.page.getByRole('button', { name: `Remove ${name}` }).click();
      const dialog = other.page.getByRole('dialog', { name: `Remove ${name}?` });
      await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    };
    await settings(other, server);
    await remove('Tablet');
    // The session was verified with the removed authenticator, so it must verify with the other.
    await expect(other.page.getByRole('heading', { name: 'Enter your code' })).toBeVisible();
    await giveCode(other, generateTotpCode(phone));
    await other.page.waitForURL(`${server.address}/settings/account`);
    await remove('Phone');
    await expect(
      other.page.getByText('Require a code from an authenticator app when you sign in.'),
    ).toBeVisible();
    await expect(authenticators(other)).toHaveCount(0);
    expectQuiet(server, abe, other);
  },
);

test(
  'a user with MFA enters a code before choosing a new password',
  { tag: '@long' },
  async ({ browser, server }) => {
    const bea = await newSignedInUser(browser, server, 'bea');
    await settings(bea, server);
    // For an unverified address, an email would remove the authenticator.
    await confirmEmailAddress(server, getEmail('bea'));
    const key = await addAuthenticator(bea, 'Phone');
    const other = await newVisitor(browser, server);
    await other.page.goto(`${server.address}/auth/forgot`);
    await other.page.getByLabel('Email').fill(getEmail('bea'));
    await other.page.getByRole('button', { name: 'Send link' }).click();
    await expect(other.page.getByRole('heading', { name: 'Check your email' })).toBeVisible();
    await openOutbox(other, server);
    const mail = other.page.getByRole('listitem').filter({ hasText: `To ${getEmail('bea')}` });
    await mail.first().getByRole('link').click();
    await expect(other.page.getByRole('heading', { name: 'Enter your code' })).toBeVisible();
    await giveCode(other, generateTotpCode(key));
    await expect(other.page.getByRole('heading', { name: 'Choose a new password' })).toBeVisible();
    await other.page.getByLabel('New password').fill('bea has chosen anew');
    await other.page.getByRole('button', { name: 'Change password' }).click();
    await expect(accountButton(other, 'bea')).toBeVisible();
    expectQuiet(server, bea, other);
  },
);

test('eleven minutes after its code, removing an authenticator requires a new code', async ({
  browser,
  server,
}) => {
  const cem = await newSignedInUser(browser, server, 'cem');
  const { page } = cem;
  await settings(cem, server);
  await addAuthenticator(cem, 'Phone');
  const tablet = await addAuthenticator(cem, 'Tablet');
  await backdateSessions(server, getEmail('cem'));
  await page.getByRole('button', { name: 'Remove Phone' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove Phone?' });
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(dialog.getByText('Confirm it’s you to continue.')).toBeVisible();
  await expect(dialog.getByLabel('Code')).toBeFocused();
  await dialog.getByRole('combobox', { name: 'Authenticator app' }).click();
  await page.getByRole('option', { name: 'Tablet' }).click();
  await dialog.getByLabel('Code').fill(generateTotpCode(tablet));
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(page.getByText('Phone removed')).toBeVisible();
  await expect(authenticators(cem).getByRole('listitem')).toHaveText([/Tablet/]);
  await expectComplaints(cem, /status of 400/);
  expectQuiet(server, cem);
});
