import { readFile } from 'node:fs/promises';
import { expect } from '@playwright/test';
import {
  accountButton,
  getTestAccount,
  getEmail,
  expectQuiet,
  newSignedInDevice,
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
import { signUpAccount, readSession, getRefreshStatus } from '../rig/session.ts';

let server: TestServer;
/** Secrets of the tests below, which must not be logged. */
const secrets = new Set<string>();

test.beforeAll(async ({ sharedServer }) => {
  server = withEmptyLog(sharedServer);
  secrets.add(new URL(server.outboxLink).searchParams.get('token') ?? '');
  await join('ann');
});
test.afterEach('WB-20: the server’s log contains no secret of the test', ({ sharedServer }) =>
  expectNoSecrets(sharedServer.log),
);

function expectNoSecrets(log: readonly string[]): void {
  const text = log.join('\n');
  expect([...secrets].filter((secret) => text.includes(secret))).toEqual([]);
}

/** The server by IP address, because Node can't resolve the name. */
const here = ({ address }: TestServer) => `http://127.0.0.1:${new URL(address).port}`;

/** Creates an account without signing in. */
async function join(name: string): Promise<void> {
  secrets.add(getEmail(name)).add(getPassword(name));
  await signUpAccount(server, getTestAccount(name));
}

/** The link in the newest email to this user, on the outbox page. */
async function findMailedLink(person: TestUser, at: TestServer, name: string): Promise<string> {
  await openOutbox(person, at);
  const mail = person.page.getByRole('listitem').filter({ hasText: `To ${getEmail(name)}` });
  const link = await mail.first().getByRole('link').getAttribute('href');
  if (!link) throw new Error(`no link was mailed to ${name}`);
  for (const value of new URL(link).searchParams.values())
    if (/^[\w-]{16,}$/.test(value)) secrets.add(value);
  return link;
}

/** Requests a password reset. Returns the link. */
async function askForRecovery(person: TestUser, name: string): Promise<string> {
  await person.page.goto(`${server.address}/auth/forgot`);
  await person.page.getByLabel('Email').fill(getEmail(name));
  await person.page.getByRole('button', { name: 'Send link' }).click();
  await expect(person.page.getByRole('heading', { name: 'Check your email' })).toBeVisible();
  return findMailedLink(person, server, name);
}

test('an account must be confirmed by the emailed link, which the outbox page shows', async ({
  browser,
}) => {
  const strict = await startServer({ env: { CONFIRM_EMAIL: 'true' } });
  const cleo = await newVisitor(browser, strict);
  secrets.add(getEmail('cleo')).add(getPassword('cleo'));
  await cleo.page.goto(`${strict.address}/auth/sign-up?next=%2Fwork`);
  await signUp(cleo, 'cleo');
  await expect(cleo.page.getByRole('heading', { name: 'Check your email' })).toBeVisible();

  const other = await openAnotherTab(cleo);
  await other.page.goto(`${strict.address}/auth/sign-in`);
  await other.page.getByLabel('Email').fill(getEmail('cleo'));
  await other.page.getByLabel('Password').fill(getPassword('cleo'));
  await other.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(other.page.getByText('Your email address isn’t confirmed yet.')).toBeVisible();
  await expectComplaints(cleo, /status of 400/);
  await other.page.close();

  await findMailedLink(cleo, strict, 'cleo');
  const mail = cleo.page.getByRole('listitem').filter({ hasText: getEmail('cleo') });
  await expect(mail.getByRole('heading')).toHaveText('Confirm your email address');
  await mail.getByRole('link').click();
  await expect(cleo.page.getByRole('heading', { name: 'Your work' })).toBeVisible();
  await expect(accountButton(cleo, 'cleo')).toBeVisible();
  expectQuiet(strict, cleo);
  expectNoSecrets(strict.log);
  await strict.remove();
});

test('PT-01.6: pages link to the outbox in a browser that opened its link, and refer others to the administrator', async ({
  browser,
}) => {
  await join('pam');
  const stranger = await newVisitor(browser, server);
  await stranger.page.goto(`${server.address}/auth/forgot`);
  await stranger.page.getByLabel('Email').fill(getEmail('pam'));
  await stranger.page.getByRole('button', { name: 'Send link' }).click();
  await expect(stranger.page.getByText('your link is ready')).toBeVisible();
  await expect(stranger.page.getByText('This instance isn’t set up to send email.')).toBeVisible();
  await expect(stranger.page.getByRole('link', { name: /outbox/i })).toHaveCount(0);
  await stranger.page.goto(`${server.address}/outbox`);
  await expect(stranger.page.getByText('Page not found')).toBeVisible();
  await expectComplaints(stranger, /status of 404/);

  const operator = await newVisitor(browser, server);
  await openOutbox(operator, server);
  expect(operator.page.url()).toBe(`${server.address}/outbox`);
  expect(await operator.page.evaluate(() => document.cookie)).not.toContain('outbox');
  await operator.page.goto(`${server.address}/auth/confirm`);
  await operator.page.getByRole('link', { name: 'Open the outbox' }).click();
  await expect(operator.page.getByText(`To ${getEmail('pam')}`).first()).toBeVisible();
  expectQuiet(server, stranger, operator);
});

test(
  'another browser confirms with a button, and chooses the password there',
  { tag: '@long' },
  async ({ browser }) => {
    const strict = await startServer({ env: { CONFIRM_EMAIL: 'true' } });
    const dan = await newVisitor(browser, strict);
    const chosen = 'dan has chosen anew';
    secrets.add(getEmail('dan')).add(getPassword('dan')).add(chosen);
    await dan.page.goto(`${strict.address}/auth/sign-up`);
    await signUp(dan, 'dan');
    await expect(dan.page.getByRole('heading', { name: 'Check your email' })).toBeVisible();
    const link = await findMailedLink(dan, strict, 'dan');
    const phone = await newVisitor(browser, strict);
    await phone.page.goto(link);
    await phone.page.getByRole('button', { name: 'Confirm email' }).click();
    await expect(phone.page.getByRole('heading', { name: 'Choose a new password' })).toBeVisible();
    await phone.page.getByLabel('New password').fill(chosen);
    await phone.page.getByRole('button', { name: 'Change password' }).click();
    await expect(phone.page.getByText('Password changed')).toBeVisible();
    await expect(accountButton(phone, 'dan')).toBeVisible();
    await signIn(dan, strict, { name: 'dan', password: chosen });
    expectQuiet(strict, dan, phone);
    expectNoSecrets(strict.log);
    await strict.remove();
  },
);

test('a forgotten password is reset by the emailed link', async ({ browser }) => {
  await join('dora');
  const dora = await newVisitor(browser, server);
  await dora.page.goto(await askForRecovery(dora, 'dora'));
  await expect(dora.page.getByRole('heading', { name: 'Choose a new password' })).toBeVisible();
  await dora.page.goto(`${server.address}/work`);
  await expect(dora.page.getByRole('heading', { name: 'Choose a new password' })).toBeVisible();

  const password = 'dora has chosen anew';
  secrets.add(password);
  await dora.page.getByLabel('New password').fill(password);
  await dora.page.getByRole('button', { name: 'Change password' }).click();
  await expect(dora.page.getByText('Password changed')).toBeVisible();
  await expect(accountButton(dora, 'dora')).toBeVisible();
  await signOutFromMenu(dora, 'dora');
  await signIn(dora, server, { name: 'dora', password });
  expectQuiet(server, dora);
});

test(
  'an emailed link or code signs in, and signs up new users',
  { tag: '@long' },
  async ({ browser }) => {
    await join('nell');
    const nell = await newVisitor(browser, server);
    const ask = async (name: string) => {
      await nell.page.goto(`${server.address}/auth/sign-in?next=%2Fwork`);
      await nell.page.getByRole('link', { name: 'Email me a sign-in link' }).click();
      await expect(nell.page.getByRole('heading', { name: 'Sign in with email' })).toBeVisible();
      await nell.page.getByLabel('Email').fill(getEmail(name));
      await nell.page.getByRole('button', { name: 'Send link' }).click();
      await expect(nell.page.getByRole('heading', { name: 'Check your email' })).toBeVisible();
    };
    await ask('nell');
    await nell.page.getByLabel('Code').fill('000000');
    await nell.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(nell.page.getByText('This code is incorrect')).toBeVisible();
    const outbox = await openAnotherTab(nell);
    await openOutbox(outbox, server);
    const mail = outbox.page.getByRole('listitem').filter({ hasText: `To ${getEmail('nell')}` });
    const code = /enter this code: (\d{6})/.exec(await mail.first().innerText())?.[1] ?? '';
    secrets.add(code);
    await nell.page.getByLabel('Code').fill(code);
    await nell.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(nell.page.getByRole('heading', { name: 'Your work' })).toBeVisible();
    await signOutFromMenu(nell, 'nell');

    await ask('omar');
    await nell.page.goto(await findMailedLink(nell, server, 'omar'));
    await expect(nell.page.getByRole('heading', { name: 'Choose a username' })).toBeVisible();
    await expect(nell.page.getByLabel('Username')).toHaveValue('omar');
    await expectComplaints(nell, /status of 403/);
    expectQuiet(server, nell);
  },
);

test('an invitation is accepted by the button, not by opening its link', async ({ browser }) => {
  const pascal = await newVisitor(browser, server);
  const { secretKey } = JSON.parse(await readFile(`${server.dataDir}/secrets.json`, 'utf8'));
  const redirectTo = encodeURIComponent(`${server.address}/auth/confirm?next=/work`);
  const invited = await fetch(`${here(server)}/auth/v1/invite?redirect_to=${redirectTo}`, {
    method: 'POST',
    headers: { apikey: secretKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email: getEmail('pascal') }),
  });
  expect(invited.status).toBe(200);
  await openOutbox(pascal, server);
  const mail = pascal.page.getByRole('listitem').filter({ hasText: `To ${getEmail('pascal')}` });
  const link = (await mail.first().getByRole('link').getAttribute('href')) ?? '';
  await pascal.page.goto(link);
  await expect(pascal.page.getByRole('heading', { name: 'You’re invited' })).toBeVisible();
  await pascal.page.goto(link);
  await pascal.page.getByRole('button', { name: 'Accept invitation' }).click();
  await expect(pascal.page.getByRole('heading', { name: 'Choose a username' })).toBeVisible();
  expectQuiet(server, pascal);
});

test('AU-04 a code requested by someone else does not sign in or change the session', async ({
  browser,
}) => {
  const ann = await newSignedInDevice(browser, server, 'ann');
  await join('mallory');
  const mallory = await newVisitor(browser, server);
  const link = await askForRecovery(mallory, 'mallory');
  // She forwards the URL that the emailed link redirects to, without opening it.
  await mallory.page.route(/\/auth\/callback/, (route) => route.abort());
  const leading = mallory.page.waitForRequest(/\/auth\/callback\?/);
  await mallory.page.goto(link).catch(() => undefined);
  const planted = new URL((await leading).url());
  const code = planted.searchParams.get('code');
  expect(code).toMatch(/^[\w-]{16,}$/);
  secrets.add(code ?? '');

  // A user who waits for their own link, and has a code verifier for it.
  const victim = await newVisitor(browser, server);
  await askForRecovery(victim, 'ann');
  await victim.page.goto(planted.href);
  await expect(victim.page.getByRole('heading', { name: 'Something went wrong' })).toBeVisible();
  await victim.page.goto(server.address);
  await expect(
    victim.page.getByRole('banner').getByRole('link', { name: 'Sign in' }),
  ).toBeVisible();

  await ann.page.goto(planted.href);
  await expect(ann.page.getByRole('heading', { name: 'Something went wrong' })).toBeVisible();
  await ann.page.goto(server.address);
  await expect(accountButton(ann, 'ann')).toBeVisible();
  await expectComplaints(victim, /status of 400/);
  expectQuiet(server, ann, mallory, victim);
});

test('WB-11 the redirect after sign-in stays on our origin', async ({ browser }) => {
  const ann = await newSignedInDevice(browser, server, 'ann');
  for (const path of ['/auth/sign-in', '/auth/callback']) {
    await ann.page.goto(`${server.address}${path}?next=${encodeURIComponent('/\\evil.test')}`);
    await ann.page.waitForURL(`${server.address}/`);
  }
  const eve = await newVisitor(browser, server);
  await eve.page.goto(`${server.address}/auth/sign-in?next=${encodeURIComponent('//evil.test')}`);
  await eve.page.getByLabel('Email').fill(getEmail('ann'));
  await eve.page.getByLabel('Password').fill(getPassword('ann'));
  await eve.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(accountButton(eve, 'ann')).toBeVisible();
  expect(eve.page.url()).toBe(`${server.address}/`);
  expectQuiet(server, ann, eve);
});

test(
  'unsaved edits survive a sign-out, hidden from the next user',
  { tag: '@long' },
  async ({ browser }) => {
    await join('boris');
    const device = await newVisitor(browser, server);
    await signIn(device, server, { name: 'ann' });
    await startDraft(device, server, 'html');
    const address = await saveDraft(device);
    const shown = device.preview().getByRole('heading', { name: 'Not sent yet' });
    const sending = /\/rpc\/append_updates/;
    await device.context.route(sending, (route) => route.abort());
    await retype(device, 'index.html', '<!doctype html><title>Mine</title><h1>Not sent yet</h1>');
    await expect(shown).toBeVisible();
    await expect(device.saveState()).toHaveText('Offline – saved on this device');

    const other = await openAnotherTab(device);
    await other.page.goto(server.address);
    await signOutFromMenu(other, 'ann');
    await expect(device.page.getByText('Page not found')).toBeVisible();
    await expect(device.page.getByText('Not sent yet')).toHaveCount(0);
    await expect(device.page.locator('iframe')).toHaveCount(0);

    await signIn(other, server, { name: 'boris' });
    await other.page.goto(`${server.address}/work?show=drafts`);
    await expect(other.page.getByText('No drafts yet')).toBeVisible();
    await other.page.goto(address);
    await expect(other.page.getByText('Page not found')).toBeVisible();
    await other.page.goto(server.address);
    await signOutFromMenu(other, 'boris');

    await device.context.unroute(sending);
    await signIn(other, server, { name: 'ann' });
    await expect(device.editor('index.html')).toContainText('Not sent yet');
    await expect(device.saveState()).toHaveText('Saved');
    const elsewhere = await newSignedInDevice(browser, server, 'ann');
    await elsewhere.page.goto(address);
    await expect(elsewhere.editor('index.html')).toContainText('Not sent yet');
    await expectComplaints(device, /ERR_FAILED/, /status of 404/);
    expectQuiet(server, device);
  },
);

test('the sessions page lists devices and signs one out', async ({ browser }) => {
  const laptop = await newVisitor(browser, server);
  await signIn(laptop, server, { name: 'ann' });
  const phone = await newVisitor(browser, server, {
    userAgent: 'Mozilla/5.0 (Android 16) Firefox/153.0',
  });
  await signIn(phone, server, { name: 'ann' });
  await laptop.page.goto(`${server.address}/settings/sessions`);
  const devices = laptop.page
    .getByRole('region', { name: 'Active sessions' })
    .getByRole('listitem');
  await expect(devices.filter({ hasText: 'This device' })).toHaveCount(1);
  const ended = devices.filter({ hasText: 'Firefox on Android' });
  await ended.getByRole('button', { name: 'Sign out' }).click();
  await expect(laptop.page.getByText('Signed out Firefox on Android')).toBeVisible();
  await expect(ended).toHaveCount(0);

  expect(await getRefreshStatus(phone.page, server)).toBe(400);
  await expectComplaints(phone, /status of 400/);
  expectQuiet(server, laptop, phone);
});

test('WB-20 the server’s log contains no email address, password, token or code', async ({
  browser,
  sharedServer,
}) => {
  await join('ines');
  const ines = await newVisitor(browser, server);
  await signIn(ines, server, { name: 'ines' });
  const session = await readSession(ines.context, server);
  secrets.add(session.access_token).add(session.refresh_token);
  await signOutFromMenu(ines, 'ines');
  await ines.page.goto(await askForRecovery(ines, 'ines'));
  await expect(ines.page.getByRole('heading', { name: 'Choose a new password' })).toBeVisible();
  expect(sharedServer.log.length).toBeGreaterThan(0);
  expectNoSecrets(sharedServer.log);
});
