import { readFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import { addAuthenticator, generateTotpCode } from '../rig/authenticator.ts';
import { findViolations } from '../rig/axe.ts';
import {
  getEmail,
  expectQuiet,
  newSignedInUser,
  newVisitor,
  openOutbox,
  getPassword,
  retype,
  saveDraft,
  signIn,
  startDraft,
  expectComplaints,
  test,
} from '../rig/test-user.ts';
import { getRefreshStatus } from '../rig/session.ts';

const askToDelete = async (page: Page) => {
  await page.getByRole('button', { name: 'Delete account…' }).click();
  return page.getByRole('dialog', { name: 'Delete your account?' });
};

test('a user exports all their data as a zip', async ({ browser, server }) => {
  const kim = await newSignedInUser(browser, server, 'kip');
  await startDraft(kim, server, 'html');
  await retype(kim, 'index.html', '<p>worth keeping</p>');
  await saveDraft(kim);
  await kim.page.goto(`${server.address}/settings/account`);
  const download = kim.page.waitForEvent('download');
  await kim.page.getByRole('button', { name: 'Export my data' }).click();
  expect((await download).suggestedFilename()).toBe('vitrine-data.zip');
  const bytes = await readFile(await (await download).path());
  for (const text of ['account.json', getEmail('kip'), '/files/index.html', '<p>worth keeping</p>'])
    expect(bytes.includes(text), text).toBe(true);
  expectQuiet(server, kim);
});

test('an account is deleted after 14 days, unless the user cancels', async ({
  browser,
  server,
}) => {
  const lou = await newSignedInUser(browser, server, 'lou');
  const { page } = lou;
  await page.goto(`${server.address}/settings/account`);
  const dialog = await askToDelete(page);
  await dialog.getByLabel('Password').fill('somebody guesses');
  await dialog.getByRole('button', { name: 'Delete account', exact: true }).click();
  await expect(dialog.getByText('That isn’t your current password.')).toBeVisible();
  await expectComplaints(lou, /status of 400/);
  await dialog.getByLabel('Password').fill(getPassword('lou'));
  const requested = Promise.withResolvers<void>();
  await page.route('**/functions/v1/delete-account', async (route) => {
    await requested.promise;
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Delete account', exact: true }).click();
  await expect(dialog.getByRole('button', { name: 'Deleting…' })).toHaveAttribute('aria-busy');
  requested.resolve();
  const day = new Date(Date.now() + 14 * 86_400_000).toLocaleDateString('en-US', {
    dateStyle: 'long',
    timeZone: 'UTC',
  });
  await expect(page.getByText(`Your account will be deleted on ${day}`)).toBeVisible();
  await expect(page.getByText('sign in before then and choose “Keep my account”')).toBeVisible();
  await expect(page.getByRole('banner').getByRole('link', { name: 'Sign in' })).toBeVisible();
  // This page's session was ended with the others.
  await expectComplaints(lou, /status of 403/);

  await openOutbox(lou, server);
  const mail = page.getByRole('listitem').filter({ hasText: `To ${getEmail('lou')}` });
  await expect(mail.getByRole('heading')).toHaveText('Your account will be deleted');
  await expect(mail).toContainText(day);

  await signIn(lou, server, { name: 'lou' });
  const notice = page.getByRole('complementary', { name: 'Your account' });
  await expect(notice).toContainText(day);
  expect(await findViolations(page)).toEqual([]);
  // Also in the workspace, and on a phone.
  await startDraft(lou, server, 'html');
  await expect(notice).toContainText(day);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(notice.getByRole('button', { name: 'Keep my account' })).toBeInViewport();
  expect(await findViolations(page)).toEqual([]);
  await notice.getByRole('button', { name: 'Keep my account' }).click();
  await expect(page.getByText('Account deletion canceled')).toBeVisible();
  await expect(notice).toBeHidden();
  await page.goto(`${server.address}/settings/account`);
  await expect(page.getByRole('button', { name: 'Delete account…' })).toBeVisible();
  expectQuiet(server, lou);
});

test(
  'an emailed code works instead of the password, and every device is signed out',
  { tag: '@long' },
  async ({ browser, server }) => {
    const [laptop, phone] = [
      await newSignedInUser(browser, server, 'mia'),
      await newVisitor(browser, server),
    ];
    await signIn(phone, server, { name: 'mia' });
    const { page } = laptop;
    await page.goto(`${server.address}/settings/account`);
    const dialog = await askToDelete(page);
    await dialog.getByRole('button', { name: 'Email me a code instead' }).click();
    await dialog.getByLabel('Code').fill('000000');
    await dialog.getByRole('button', { name: 'Delete account', exact: true }).click();
    await expect(dialog.getByText('This code is incorrect')).toBeVisible();
    await expectComplaints(laptop, /status of 403/);

    await openOutbox(phone, server);
    const mail = phone.page.getByRole('listitem').filter({ hasText: `To ${getEmail('mia')}` });
    const code = /code: (\d{6})/.exec((await mail.first().textContent()) ?? '')?.[1] ?? '';
    await dialog.getByLabel('Code').fill(code);
    await dialog.getByRole('button', { name: 'Delete account', exact: true }).click();
    await expect(page.getByText(/^Your account will be deleted on/)).toBeVisible();

    // This page's session was ended with the others.
    await expectComplaints(laptop, /status of 403/);

    expect(await getRefreshStatus(phone.page, server)).toBe(400);
    await expectComplaints(phone, /status of 400/);
    expectQuiet(server, laptop, phone);
  },
);

test(
  'with an authenticator, only its code is required to delete the account',
  { tag: '@long' },
  async ({ browser, server }) => {
    const pia = await newSignedInUser(browser, server, 'pia');
    const { page } = pia;
    await page.goto(`${server.address}/settings/account`);
    const key = await addAuthenticator(pia, 'Phone');
    const dialog = await askToDelete(page);
    await expect(dialog.getByLabel('Password')).toBeHidden();
    await dialog.getByLabel('Code').fill('000000');
    await dialog.getByRole('button', { name: 'Delete account', exact: true }).click();
    await expect(dialog.getByText('This code is incorrect')).toBeVisible();
    await dialog.getByLabel('Code').fill(generateTotpCode(key));
    await dialog.getByRole('button', { name: 'Delete account', exact: true }).click();
    await expect(page.getByText(/^Your account will be deleted on/)).toBeVisible();
    // The wrong code, and this page's session, which was ended with the others.
    await expectComplaints(pia, /status of 422/, /status of 403/);
    expectQuiet(server, pia);
  },
);
