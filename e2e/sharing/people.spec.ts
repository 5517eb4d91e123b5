import { expect, type Locator } from '@playwright/test';
import {
  accountButton,
  getTestAccount,
  getEmail,
  expectQuiet,
  newSignedInUser,
  newVisitor,
  openOutbox,
  openAnotherTab,
  getPassword,
  retype,
  saveDraft,
  signIn,
  signOutFromMenu,
  signUp,
  startDraft,
  expectComplaints,
  test,
  type TestUser,
} from '../rig/test-user.ts';
import { withEmptyLog, startServer, type TestServer } from '@vitrine/testing/server';
import { backdateSessions, signUpAccount } from '../rig/session.ts';

let server: TestServer;

test.beforeAll(({ sharedServer }) => {
  server = withEmptyLog(sharedServer);
});

const notices = ({ page }: TestUser) => page.getByRole('region', { name: 'Notifications' });

/** The emails to an address with this subject, on the outbox page. */
async function findMails(person: TestUser, at: TestServer, to: string, subject: string) {
  await openOutbox(person, at);
  return person.page
    .getByRole('listitem')
    .filter({ hasText: `To ${to}` })
    .filter({ hasText: subject });
}

test(
  'an email change requires confirmation from both addresses, and notifies the old one',
  { tag: '@long' },
  async ({ browser }) => {
    const strict = await startServer({ env: { CONFIRM_EMAIL: 'true' } });
    const una = await newVisitor(browser, strict);
    await una.page.goto(`${strict.address}/auth/sign-up`);
    await signUp(una, 'una');
    await expect(una.page.getByRole('heading', { name: 'Check your email' })).toBeVisible();
    const first = await findMails(una, strict, getEmail('una'), 'Confirm your email address');
    await first.getByRole('link').click();
    await expect(accountButton(una, 'una')).toBeVisible();

    await una.page.goto(`${strict.address}/settings/account`);
    await una.page.getByLabel('Email').fill('una@elsewhere.example');
    await una.page.getByRole('button', { name: 'Change email' }).click();
    const pending = una.page.getByRole('group', { name: 'Pending email change' });
    await expect(pending.getByText('Open the link in the email to una@elsewhere')).toBeVisible();
    const told = 'Your email address was changed';
    await expect(await findMails(una, strict, getEmail('una'), told)).toHaveCount(0);
    const second = await findMails(una, strict, 'una@elsewhere.example', 'Confirm your new');
    await second.getByRole('link').click();
    await una.page.waitForURL(/\/settings\/account/);
    await expect(
      pending.getByText('You opened the link in the email to una@elsewhere'),
    ).toBeVisible();
    await expect(una.page.getByLabel('Email', { exact: true })).toHaveValue(getEmail('una'));
    const third = await findMails(
      await openAnotherTab(una),
      strict,
      getEmail('una'),
      'Confirm your email address change',
    );
    const code = /^Your code: (\d{6})$/m.exec(await third.innerText())?.[1] ?? '';
    await pending.getByLabel(`Code for ${getEmail('una')}`).fill('000000');
    await pending.getByRole('button', { name: 'Confirm' }).click();
    await expect(pending.getByText('This code is incorrect')).toBeVisible();
    await expectComplaints(una, /status of 403/);
    await pending.getByLabel(`Code for ${getEmail('una')}`).fill(code);
    await pending.getByRole('button', { name: 'Confirm' }).click();
    await expect(una.page.getByText('Email changed')).toBeVisible();
    await expect(pending).toHaveCount(0);
    await expect(una.page.getByRole('textbox', { name: 'Email' })).toHaveValue(
      'una@elsewhere.example',
    );
    await expect(await findMails(una, strict, getEmail('una'), told)).toHaveCount(1);
    expectQuiet(strict, una);
    await strict.remove();
  },
);

test('a new password replaces the old one, with a notification email', async ({ browser }) => {
  const vera = await newSignedInUser(browser, server, 'vera');
  await vera.page.goto(`${server.address}/settings/account`);
  await vera.page.getByLabel('New password').fill('short');
  await vera.page.getByRole('button', { name: 'Change password' }).click();
  await expect(vera.page.getByText('Password must be at least 10 characters.')).toBeVisible();
  const password = 'vera has chosen anew';
  await vera.page.getByLabel('New password').fill(password);
  await vera.page.getByRole('button', { name: 'Change password' }).click();
  await expect(notices(vera).getByText('Password changed')).toBeVisible();
  await expect(vera.page.getByLabel('New password')).toHaveValue('');
  const mails = await findMails(vera, server, getEmail('vera'), 'Your password was changed');
  await expect(mails).toHaveCount(1);

  await signOutFromMenu(vera, 'vera');
  await vera.page.goto(`${server.address}/auth/sign-in`);
  await vera.page.getByLabel('Email').fill(getEmail('vera'));
  await vera.page.getByLabel('Password').fill(getPassword('vera'));
  await vera.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(vera.page.getByText('Incorrect email or password')).toBeVisible();
  await expectComplaints(vera, /status of 400/);
  await signIn(vera, server, { name: 'vera', password });
  expectQuiet(server, vera);
});

test('eleven minutes after sign-in, a password change requires the current password or an emailed code', async ({
  browser,
}) => {
  const wes = await newSignedInUser(browser, server, 'wes');
  const { page } = wes;
  await page.goto(`${server.address}/settings/account`);
  await backdateSessions(server, getEmail('wes'));
  const password = 'wes has chosen anew';
  // With only the keyboard.
  await page.getByLabel('New password').focus();
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await expect(page.getByText('Confirm it’s you to continue.')).toBeVisible();
  await expect(page.getByLabel('Current password')).toBeFocused();
  await expect(page.getByLabel('New password')).toHaveValue(password);
  await page.keyboard.type('not this one');
  await page.keyboard.press('Enter');
  await expect(page.getByText('That isn’t your current password.')).toBeVisible();
  await expect(page.getByLabel('Current password')).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await expect(page.getByRole('button', { name: 'Email me a code instead' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Code from the email')).toBeFocused();
  const mails = await findMails(
    await openAnotherTab(wes),
    server,
    getEmail('wes'),
    'Your verification code',
  );
  const code = /^Your code: (\d{6})$/m.exec(await mails.innerText())?.[1] ?? '';
  await page.keyboard.type(code);
  await page.keyboard.press('Enter');
  await expect(notices(wes).getByText('Password changed')).toBeVisible();
  await expect(page.getByLabel('Code from the email')).toHaveCount(0);
  // The code is valid for ten minutes, so the next change needs no re-authentication.
  await page.getByLabel('Email').fill('wes@elsewhere.example');
  await page.getByRole('button', { name: 'Change email' }).click();
  await expect(notices(wes).getByText('Email changed')).toBeVisible();
  await expectComplaints(wes, /status of 400/);
  expectQuiet(server, wes);
});

test('a code verifies an unverified address without resetting credentials', async ({ browser }) => {
  const yve = await newSignedInUser(browser, server, 'yve');
  const { page } = yve;
  await page.goto(`${server.address}/settings/account`);
  await expect(page.getByText('This email address isn’t verified.')).toBeVisible();
  await page.getByRole('button', { name: 'Verify email' }).click();
  await expect(page.getByLabel('Verification code')).toBeFocused();
  const mails = await findMails(
    await openAnotherTab(yve),
    server,
    getEmail('yve'),
    'Your verification code',
  );
  const code = /^Your code: (\d{6})$/m.exec(await mails.innerText())?.[1] ?? '';
  await page.getByLabel('Verification code').fill('000000');
  await page.keyboard.press('Enter');
  await expect(page.getByText('This code is incorrect')).toBeVisible();
  await expectComplaints(yve, /status of 422/);
  await page.getByLabel('Verification code').fill(code);
  await page.keyboard.press('Enter');
  await expect(notices(yve).getByText('Email verified')).toBeVisible();
  await expect(page.getByText('This email address isn’t verified.')).toHaveCount(0);
  await signOutFromMenu(yve, 'yve');
  await signIn(yve, server, { name: 'yve' });
  expectQuiet(server, yve);
});

test('drafts are moved to the account after sign-up, and hidden from others', async ({
  browser,
}) => {
  const walt = await newVisitor(browser, server);
  await startDraft(walt, server, 'html');
  await retype(walt, 'index.html', '<p>before I had an account</p>');
  await expect(walt.saveState()).toHaveText('Draft (this device only)');
  const draft = walt.page.url();
  await walt.page.goto(`${server.address}/auth/sign-up`);
  await signUp(walt, 'walt');
  await expect(notices(walt).getByText('Move 1 draft to your account?')).toBeVisible();
  await notices(walt).getByRole('button', { name: 'Move' }).click();
  await expect(notices(walt).getByText('Drafts moved to your account')).toBeVisible();

  await walt.page.goto(`${server.address}/work?show=drafts`);
  await expect(walt.page.getByRole('list', { name: 'Drafts' }).getByRole('listitem')).toHaveCount(
    1,
  );
  await expect(walt.page.getByRole('button', { name: 'Move to my account' })).toHaveCount(0);
  await signOutFromMenu(walt, 'walt');
  await walt.page.goto(`${server.address}/work`);
  await expect(walt.page.getByText('No drafts yet')).toBeVisible();
  await walt.page.goto(draft);
  await expect(walt.page.getByText('Page not found')).toBeVisible();
  expectQuiet(server, walt);
});

test(
  'projects and drafts are renamed, deleted and restored in Your work',
  { tag: '@long' },
  async ({ browser }) => {
    const xena = await newSignedInUser(browser, server, 'xena');
    const { page } = xena;
    await startDraft(xena, server, 'html');
    const project = await saveDraft(xena);
    await startDraft(xena, server, 'html');
    await page.goto(`${server.address}/work?show=drafts`);
    const openTab = (name: string) =>
      page.getByRole('navigation', { name: 'Your work' }).getByRole('link', { name }).click();
    const rows = (label: string): Locator =>
      page.getByRole('list', { name: label, exact: true }).getByRole('listitem');
    const choose = async (row: Locator, item: string) => {
      await row.getByRole('button', { name: /^Actions for / }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    const rename = async (label: string, title: string) => {
      await choose(rows(label), 'Rename');
      const dialog = page.getByRole('dialog', { name: 'Rename' });
      await dialog.getByLabel('Title').fill('x'.repeat(121));
      await dialog.getByRole('button', { name: 'Rename' }).click();
      await expect(dialog.getByText('Title must be 1–120 characters.')).toBeVisible();
      await expect(dialog.getByLabel('Title')).toHaveValue('x'.repeat(121));
      await dialog.getByLabel('Title').fill(title);
      await dialog.getByRole('button', { name: 'Rename' }).click();
      await expect(dialog).toHaveCount(0);
      await expect(rows(label)).toContainText(title);
    };

    await rename('Drafts', 'A draft of mine');
    await choose(rows('Drafts'), 'Delete draft');
    const asked = page.getByRole('dialog', { name: 'Delete “A draft of mine”?' });
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await expect(rows('Drafts')).toHaveCount(1);
    await choose(rows('Drafts'), 'Delete draft');
    await asked.getByRole('button', { name: 'Delete draft' }).click();
    await expect(page.getByText('No drafts yet')).toBeVisible();

    await openTab('Projects');
    await rename('Projects', 'A project of mine');
    await choose(rows('Projects'), 'Move to trash');
    await expect(rows('Projects')).toHaveCount(0);
    await notices(xena).getByRole('button', { name: 'Undo' }).click();
    await expect(rows('Projects')).toContainText('A project of mine');
    await choose(rows('Projects'), 'Move to trash');
    await openTab('Trash');
    await expect(rows('Trash')).toContainText('A project of mine');
    await page.getByRole('button', { name: 'Restore A project of mine' }).click();
    await expect(page.getByText('The trash is empty.')).toBeVisible();
    await openTab('Projects');
    await expect(rows('Projects')).toContainText('A project of mine');

    await rows('Projects').getByRole('link', { name: 'A project of mine' }).click();
    await page.waitForURL(project);
    await page.getByRole('combobox', { name: 'Visibility' }).click();
    await page.getByRole('option', { name: 'Unlisted' }).click();
    await expect(page.getByRole('combobox', { name: 'Visibility' })).toContainText('Unlisted');
    await page.goto(`${server.address}/work`);
    await expect(rows('Projects')).toContainText('Unlisted');
    expectQuiet(server, xena);
  },
);

test(
  'a browser whose session was ended shows it within the hour, and keeps edits',
  { tag: '@long' },
  async ({ browser }) => {
    const yuri = await newSignedInUser(browser, server, 'yuri');
    const phone = await newVisitor(browser, server, {
      userAgent: 'Mozilla/5.0 (Android 16) Firefox/153.0',
    });
    await signIn(phone, server, { name: 'yuri' });
    await startDraft(phone, server, 'html');
    const address = await saveDraft(phone);
    await phone.page.clock.install();
    await phone.page.reload();
    await expect(phone.editor('index.html')).toBeVisible();

    await yuri.page.goto(`${server.address}/settings/sessions`);
    const devices = yuri.page
      .getByRole('region', { name: 'Active sessions' })
      .getByRole('listitem');
    const ended = devices.filter({ hasText: 'Firefox on Android' });
    await ended.getByRole('button', { name: 'Sign out' }).click();
    await expect(ended).toHaveCount(0);

    await phone.context.setOffline(true);
    await retype(phone, 'index.html', '<p>typed on the phone</p>');
    await expect(phone.saveState()).toHaveText('Offline – saved on this device');
    await phone.context.setOffline(false);
    await phone.page.clock.fastForward('01:00:00');
    await expect(notices(phone).getByText('You’re signed out.')).toBeVisible();
    await expect(phone.page.getByText('typed on the phone')).toHaveCount(0);

    await signIn(phone, server, { name: 'yuri' });
    await phone.page.goto(address);
    await expect(phone.editor('index.html')).toContainText('typed on the phone');
    await expect(phone.saveState()).toHaveText('Saved');
    phone.complaints.length = 0;
    expectQuiet(server, yuri);
  },
);

test('a user without a username chooses one first, then returns to the page', async ({
  browser,
}) => {
  await signUpAccount(server, getTestAccount('zoe'));
  const other = await newVisitor(browser, server);
  const { page } = other;
  await page.goto(`${server.address}/auth/sign-in?next=%2Fwork`);
  const account = { email: 'Zoe@elsewhere.example', password: getPassword('zoe') };
  await signUpAccount(server, account);
  await page.getByLabel('Email').fill(account.email);
  await page.getByLabel('Password').fill(account.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Choose a username' })).toBeVisible();
  await expect(page.getByLabel('Username')).toHaveValue('zoe-2');
  await page.getByLabel('Username').fill('zoe');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByText('This username is taken.')).toBeVisible();
  await page.getByLabel('Username').fill('zoe-two');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('heading', { name: 'Your work' })).toBeVisible();
  await expect(accountButton(other, 'zoe-two')).toBeVisible();
  expect(page.url()).toBe(`${server.address}/work`);
  other.complaints.splice(
    0,
    Infinity,
    ...other.complaints.filter((line) => !/status of 409/.test(line)),
  );
  expectQuiet(server, other);
});

test('the user’s picture is shown on the account button', async ({ browser }) => {
  const petra = await newSignedInUser(browser, server, 'petra');
  const { page } = petra;
  await page.goto(`${server.address}/settings/profile`);
  const picture = page.getByRole('group', { name: 'Picture' });
  const shown = accountButton(petra, 'petra').locator('img');
  const size = () => shown.evaluate((image: HTMLImageElement) => image.naturalWidth);
  const choose = async (name: string, mimeType: string, buffer: Buffer) => {
    const opened = page.waitForEvent('filechooser');
    await picture.getByRole('button', { name: 'Change picture' }).click();
    await (await opened).setFiles({ name, mimeType, buffer });
  };

  await choose('me.png', 'image/png', await page.screenshot());
  await expect(notices(petra).getByText('Picture changed')).toBeVisible();
  await expect.poll(size).toBe(256);
  await page.reload();
  await expect.poll(size).toBe(256);
  const before = await shown.getAttribute('src');

  await choose('notes.png', 'image/png', Buffer.from('these are words'));
  await expect(picture.getByText('We couldn’t read this file as an image.')).toBeVisible();
  await expect(shown).toHaveAttribute('src', before ?? '');

  await picture.getByRole('button', { name: 'Remove picture' }).click();
  await expect(notices(petra).getByText('Picture removed')).toBeVisible();
  await expect(shown).toHaveCount(0);
  await expect(accountButton(petra, 'petra').locator('[data-initials=P]')).toBeVisible();
  const isThere = (address: string) => fetch(address, { cache: 'reload' }).then(({ ok }) => ok);
  expect(await page.evaluate(isThere, before ?? '')).toBe(false);
  // The browser complains that it is missing.
  await expectComplaints(petra, /status of 400/);
  expectQuiet(server, petra);
});
