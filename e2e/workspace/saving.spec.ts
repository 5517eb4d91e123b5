import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, expect } from '@playwright/test';
import { findViolations } from '../rig/axe.ts';
import {
  expectQuiet,
  openFirstPage,
  newSignedInUser,
  newSignedInDevice,
  openAnotherTab,
  retype,
  saveDraft,
  startDraft,
  expectComplaints,
  test,
  uniqueName,
  type TestUser,
} from '../rig/test-user.ts';
import { startServer, type TestServer } from '@vitrine/testing/server';
import { chooseFromMenu } from '../user/user-page.ts';

let server: TestServer;
let sam: TestUser;
/** Another of Sam's browsers. */
let away: TestUser;

test.beforeEach(async ({ browser, server: shared }) => {
  server = shared;
  const name = uniqueName('sam');
  sam = await newSignedInUser(browser, server, name);
  away = await newSignedInDevice(browser, server, name);
});

/** Saves a project with a one-line page. Returns its URL. */
async function startProject(): Promise<string> {
  await startDraft(sam, server, 'html');
  await retype(sam, 'index.html', '<p>middle</p>');
  return saveDraft(sam);
}

async function typeAt(person: TestUser, place: 'Home' | 'End', text: string): Promise<void> {
  await person.editor('index.html').click();
  await person.page.keyboard.press(`ControlOrMeta+${place}`);
  await person.page.keyboard.insertText(text);
}

async function paste(person: TestUser, text: string): Promise<void> {
  await person.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await person.page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await person.editor('index.html').click();
  await person.page.keyboard.press('ControlOrMeta+Home');
  await person.page.keyboard.press('ControlOrMeta+V');
}

test('two tabs of one project receive each other’s edits', { tag: '@journey' }, async () => {
  const address = await startProject();
  const other = await openAnotherTab(sam);
  await other.page.goto(address);
  await expect(other.editor('index.html')).toContainText('middle');
  await Promise.all([typeAt(sam, 'Home', '<p>first</p>'), typeAt(other, 'End', '<p>last</p>')]);
  for (const tab of [sam, other]) {
    await expect(tab.editor('index.html')).toHaveText('<p>first</p><p>middle</p><p>last</p>');
    await expect(tab.saveState()).toHaveText('Saved');
  }
  await other.page.close();
  expectQuiet(server, sam);
});

test('two devices of one account merge', async () => {
  const address = await startProject();
  await away.page.goto(address);
  await expect(away.editor('index.html')).toContainText('middle');
  await typeAt(sam, 'Home', '<p>first</p>');
  await expect(sam.saveState()).toHaveText('Saved');
  await typeAt(away, 'End', '<p>last</p>');
  const merged = '<p>first</p><p>middle</p><p>last</p>';
  await expect(away.editor('index.html')).toHaveText(merged);
  await expect(away.saveState()).toHaveText('Saved');
  await sam.page.reload();
  await expect(sam.editor('index.html')).toHaveText(merged);
  expectQuiet(server, sam, away);
});

test('edits typed before the app has loaded merge with what others saved meanwhile', async () => {
  const address = await startProject();
  await away.page.goto(address);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const entry = /\/assets\/entry\.client-.*\.js$/;
  await sam.context.route(entry, async (route) => {
    await released;
    await route.continue();
  });
  await sam.page.goto(address);
  await typeAt(sam, 'End', '<p>last</p>');
  await expect(sam.saveState()).toBeHidden();
  // Only this page has the edit, and warns before leaving.
  const asked = sam.page.waitForEvent('dialog');
  const left = sam.page.goto('about:blank').catch(() => 'stayed');
  await (await asked).dismiss();
  expect(await left).toBe('stayed');
  await expect(away.editor('index.html')).toContainText('middle');
  await typeAt(away, 'Home', '<p>first</p>');
  await expect(away.saveState()).toHaveText('Saved');
  release();
  const merged = '<p>first</p><p>middle</p><p>last</p>';
  for (const person of [sam, away]) await expect(person.editor('index.html')).toHaveText(merged);
  await expect(sam.saveState()).toHaveText('Saved');
  await sam.page.keyboard.insertText('!');
  await expect(away.editor('index.html')).toHaveText(`${merged}!`);
  await sam.page.keyboard.press('ControlOrMeta+Z');
  await sam.page.keyboard.press('ControlOrMeta+Z');
  await expect(away.editor('index.html')).toHaveText('<p>first</p><p>middle</p>');
  await sam.context.unroute(entry);
  expectQuiet(server, sam, away);
});

test('in the run mode “Manually”, a project opens with the edits that only this device has', async () => {
  await startProject();
  await chooseFromMenu(sam, 'menuitemradio', 'Manually');
  const saves = '**/rpc/append_updates*';
  await sam.context.route(saves, (route) => route.abort());
  await typeAt(sam, 'End', '<p>last</p>');
  await expect(sam.saveState()).toHaveText(/this device/);
  await sam.page.reload();
  await expect(sam.preview().getByText('last')).toBeVisible();
  await typeAt(sam, 'End', '<p>held</p>');
  await sam.context.unroute(saves);
  await expect(sam.saveState()).toHaveText('Saved');
  await expect(sam.preview().getByText('held')).toBeHidden();
  await expectComplaints(sam, /ERR_FAILED/);
  expectQuiet(server, sam);
});

test(
  'offline edits are stored, shown as such, and sent on return',
  { tag: '@journey' },
  async () => {
    const address = await startProject();
    await sam.context.setOffline(true);
    await typeAt(sam, 'End', '<p>on the train</p>');
    await expect(sam.saveState()).toHaveText('Offline – saved on this device');
    await expect(sam.saveState()).toHaveAttribute('title', /can’t be reloaded offline/);
    await sam.page.keyboard.press('ControlOrMeta+S');
    const notices = sam.page.getByRole('region', { name: 'Notifications' });
    await expect(notices.getByText('Keep this page open')).toBeVisible();
    await expect(sam.preview().getByText('on the train')).toBeVisible();
    await sam.context.setOffline(false);
    await expect(sam.saveState()).toHaveText('Saved');
    await away.page.goto(address);
    await expect(away.editor('index.html')).toContainText('on the train');
    await expectComplaints(sam, /ERR_INTERNET_DISCONNECTED|manifest patches/);
    expectQuiet(server, sam, away);
  },
);

test('a server killed while users type loses nothing', async ({ browser }) => {
  test.setTimeout(60_000);
  server = await startServer();
  sam = await newSignedInUser(browser, server, 'sam');
  away = await newSignedInDevice(browser, server, 'sam');
  const address = await startProject();
  const exited = once(server.process, 'exit');
  await typeAt(sam, 'End', '<p>before</p>');
  await away.page.goto('about:blank');
  server.process.kill('SIGKILL');
  await exited;
  await typeAt(sam, 'End', '<p>while it is gone</p>');
  await expect(sam.saveState()).toHaveText('Offline – saved on this device');
  server = await startServer({
    dataDir: server.dataDir,
    port: Number(new URL(server.address).port),
  });
  await expect(sam.saveState()).toHaveText('Saved', { timeout: 20_000 });
  await away.page.goto(address);
  await expect(away.editor('index.html')).toHaveText(
    '<p>middle</p><p>before</p><p>while it is gone</p>',
  );
  // A response may have been in flight.
  const gone =
    /ERR_CONNECTION_(REFUSED|RESET)|ERR_(EMPTY_RESPONSE|CONTENT_LENGTH_MISMATCH|INCOMPLETE_CHUNKED_ENCODING)|manifest patches/;
  // A starting server responds with 503.
  await expectComplaints(sam, new RegExp(`${gone.source}|status of 503|response code: 503`));
  expectQuiet(server, sam, away);
  await server.remove();
});

test('a draft survives closing the browser', async () => {
  const profile = await mkdtemp(join(tmpdir(), 'vitrine-profile-'));
  const { launchOptions } = test.info().project.use;
  const open = async () =>
    openFirstPage(await chromium.launchPersistentContext(profile, launchOptions ?? {}), server);
  const before = await open();
  await startDraft(before, server, 'html');
  await retype(before, 'index.html', '<p>kept over night</p>');
  await expect(before.saveState()).toHaveText('Draft (this device only)');
  // A browser closed during a run's start leaves a crash marker, which prevents the next automatic
  // run.
  const marks = () => Object.keys(localStorage).filter((name) => name.startsWith('vitrine run '));
  await expect.poll(() => before.page.evaluate(marks)).toEqual([]);
  await before.context.close();

  const after = await open();
  await after.page.goto(`${server.address}/work`);
  await after.page.getByRole('list', { name: 'Drafts' }).getByRole('link').click();
  await expect(after.editor('index.html')).toHaveText('<p>kept over night</p>');
  await expect(after.preview().getByText('kept over night')).toBeVisible();
  await after.context.close();
  await rm(profile, { recursive: true, force: true });
  expectQuiet(server, before, after);
});

test(
  'a tab that opens while another is sending shows the sent edits',
  { tag: '@long' },
  async () => {
    const address = await startProject();
    const sending = /\/rpc\/append_updates/;
    await sam.context.route(sending, (route) => route.abort());
    await typeAt(sam, 'End', '<p>late</p>');
    await expect(sam.saveState()).toHaveText('Offline – saved on this device');
    const other = await openAnotherTab(sam);
    // The page is rendered before the other tab has sent, and its scripts run after.
    let sent: Promise<void> | undefined;
    const send = async () => {
      await sam.context.unroute(sending);
      await sam.page.keyboard.press('ControlOrMeta+S');
      await expect(sam.saveState()).toHaveText('Saved');
    };
    await other.page.route(/\/assets\/.*\.js$/, async (route) => {
      await (sent ??= send());
      await route.continue();
    });
    await other.page.goto(address);
    await expect(other.editor('index.html')).toHaveText('<p>middle</p><p>late</p>');
    await other.page.close();
    await expectComplaints(sam, /ERR_FAILED/);
    expectQuiet(server, sam);
  },
);

test('a page that is left while its user types keeps every letter', async () => {
  await startDraft(sam, server, 'html');
  await retype(sam, 'index.html', '<p></p>');
  let text = '<p></p>';
  const typeAndLeave = async (letters: string, leave: () => Promise<unknown>) => {
    await sam.editor('index.html').click();
    await sam.page.keyboard.press('ControlOrMeta+End');
    await sam.page.keyboard.type(letters);
    await leave();
    text += letters;
    await expect(sam.editor('index.html')).toHaveText(text);
  };
  const reload = () => sam.page.reload();
  await typeAndLeave('ab', reload);
  await typeAndLeave('cd', reload);
  const address = await saveDraft(sam);
  await typeAndLeave('ef', reload);
  await typeAndLeave('gh', async () => {
    await sam.page.goto(`${server.address}/work`);
    await sam.page.goto(address);
  });
  await expect(sam.saveState()).toHaveText('Saved');
  await away.page.goto(address);
  await expect(away.editor('index.html')).toHaveText(text);
  expectQuiet(server, sam, away);
});

test('after a quick reload, the first text has what was typed, and typing goes on in order', async () => {
  const address = await startProject();
  const { page, context } = sam;
  // What the editor's pane shows in each frame of each page.
  await page.addInitScript(() => {
    const shown: string[] = [];
    Object.assign(window, { shown });
    const record = () => {
      const text =
        document.querySelector('[data-editor-of] .cm-line')?.textContent ??
        document.querySelector('[data-static-text] pre')?.textContent;
      if (text && text !== shown.at(-1)) shown.push(text);
      requestAnimationFrame(record);
    };
    record();
  });
  const cdp = await context.newCDPSession(page);
  await page.goto(address);
  await expect(sam.saveState()).toHaveText('Saved');
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  let text = '<p>middle</p>';
  for (const letters of ['1', '2', '3']) {
    await page.locator('[data-editor-of] .cm-content').click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type(letters);
    text += letters;
    await page.reload({ waitUntil: 'commit' });
    await expect(page.locator('[data-editor-of] .cm-line')).toHaveText(text);
    const shown = await page.evaluate(() => (window as unknown as { shown: string[] }).shown);
    expect(shown).toEqual([text]);
  }
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await expect(sam.saveState()).toHaveText('Saved');
  await expect(sam.editor('index.html')).toHaveText(text);
  await away.page.goto(address);
  await expect(away.editor('index.html')).toHaveText(text);
  expectQuiet(server, sam, away);
});

test('a double click on Save doesn’t fork', async () => {
  await startDraft(sam, server, 'html');
  const { mouse } = sam.page;
  await sam.page.getByRole('button', { name: 'Save', exact: true }).hover();
  await mouse.down();
  await mouse.up();
  const fork = sam.page.getByRole('button', { name: 'Fork', exact: true });
  await expect(fork).toBeEnabled();
  const address = sam.page.url();
  // The browser counts clicks, so that the second one of a double click has the count 2.
  await mouse.down({ clickCount: 2 });
  await mouse.up({ clickCount: 2 });
  expect(await fork.getAttribute('aria-busy')).toBeNull();
  await retype(sam, 'index.html', '<p>not forked</p>');
  await expect(sam.saveState()).toHaveText('Saved');
  expect(sam.page.url()).toBe(address);
  await fork.click();
  await sam.page.waitForURL((url) => url.href !== address);
});

test('a project in the trash says so where it’s open, and can be restored there and at its URL', async () => {
  const address = await startProject();
  await away.page.goto(address);
  await expect(away.editor('index.html')).toContainText('middle');
  const moveToTrash = async () => {
    await sam.page.goto(`${server.address}/work`);
    const { page } = sam;
    await page
      .getByRole('button', { name: /^Actions for/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'Move to trash' }).click();
    await expect(page.getByText(/^Moved .* to trash$/)).toBeVisible();
  };
  const alert = (person: TestUser) => person.page.getByRole('alert');
  const restore = (person: TestUser) =>
    person.page.getByRole('button', { name: 'Restore', exact: true });

  await moveToTrash();
  await typeAt(away, 'End', '<p>in the trash</p>');
  await expect(alert(away)).toContainText('This project is in the trash.');
  await expect(away.saveState()).toHaveText('Saved');
  expect(await findViolations(away.page, { within: '[role=alert]' })).toEqual([]);
  await restore(away).click();
  await expect(alert(away)).toHaveCount(0);

  await moveToTrash();
  await sam.page.goto(address);
  await expect(alert(sam).getByRole('heading')).toHaveText('This project is in the trash');
  await expect(sam.page).toHaveTitle('Project in trash — Vitrine');
  await expect(sam.page.getByRole('link', { name: 'Sign in' })).toHaveCount(0);
  await restore(sam).click();
  await expect(sam.editor('index.html')).toHaveText('<p>middle</p><p>in the trash</p>');
  await expect(sam.page).toHaveTitle(/ by .* — Vitrine$/);
  await expectComplaints(sam, /status of 404/);
  expectQuiet(server, sam, away);
});

test('the save state of a draft does not flicker while typing', async () => {
  await startDraft(sam, server, 'html');
  await expect(sam.saveState()).toHaveText('Draft (this device only)');
  await sam.saveState().evaluate((state) => {
    const told: string[] = [];
    Object.assign(globalThis, { told });
    new MutationObserver(() => told.push(state.textContent)).observe(state, {
      childList: true,
      characterData: true,
      subtree: true,
    });
  });
  await sam.editor('index.html').click();
  await sam.page.keyboard.type('a dozen keys', { delay: 150 });
  await expect(sam.saveState()).toHaveText('Draft (this device only)');
  const told: unknown = await sam.page.evaluate(() => Reflect.get(globalThis, 'told'));
  expect(told).toEqual(['Saving…', 'Draft (this device only)']);
  await expect(sam.saveState()).toHaveAttribute('aria-live', 'off');
  expectQuiet(server, sam);
});

test('a title that is too long stays in its field with an error, and a valid one names the tab', async () => {
  await startProject();
  const { page } = sam;
  await page.getByRole('heading', { level: 1 }).getByRole('button').click();
  const field = page.getByRole('textbox', { name: 'Title' });
  const long = 'a title that goes on '.repeat(6);
  await page.keyboard.insertText(long);
  await expect(field).toHaveValue(long);
  await expect(page.getByRole('alert').getByText('Title must be 1–120 characters.')).toBeVisible();
  await sam.editor('index.html').click();
  await expect(field).toHaveValue(long);
  await field.fill('a shorter title');
  await field.press('Enter');
  await expect(page.getByRole('heading', { name: 'a shorter title' })).toBeVisible();
  await expect(page).toHaveTitle(/^a shorter title\b.* — Vitrine$/);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'a shorter title' })).toBeVisible();
  expectQuiet(server, sam);
});

test('a paste that makes a file too large is rejected immediately', async () => {
  await startProject();
  // Fewer characters than the limit, but two bytes each.
  await paste(sam, `${'é'.repeat(79)}\n`.repeat(7_000));
  const notices = sam.page.getByRole('region', { name: 'Notifications' });
  await expect(notices.getByText('Files can’t be larger than 1 MB.')).toBeVisible();
  await expect(sam.editor('index.html')).toHaveText('<p>middle</p>');
  expectQuiet(server, sam);
});

test(
  'a file over 1 MiB is rejected with a reason, and stays on the device',
  { tag: '@long' },
  async () => {
    const address = await startProject();
    await away.page.goto(address);
    await expect(away.editor('index.html')).toContainText('middle');
    // Each is small enough, but their merge isn't.
    const much = `<p>too much</p>\n${`${'x'.repeat(79)}\n`.repeat(8_000)}`;
    const sending = /\/rpc\/append_updates/;
    await sam.context.route(sending, (route) => route.abort());
    await paste(sam, much);
    await expect(sam.saveState()).toHaveText('Offline – saved on this device');
    await paste(away, much);
    await expect(away.saveState()).toHaveText('Saved');
    await sam.context.unroute(sending);
    await sam.page.keyboard.press('ControlOrMeta+S');
    await expect(sam.saveState()).toHaveText("Couldn't save: Files can’t be larger than 1 MB.");
    await expect(sam.page.getByRole('button', { name: 'Copy all files' })).toBeVisible();
    await sam.page.reload();
    await expect(sam.editor('index.html')).toContainText('too much');
    await expect(sam.saveState()).toHaveText("Couldn't save: Files can’t be larger than 1 MB.");

    const refusal = sam.page.waitForResponse(sending);
    await sam.page.getByRole('button', { name: 'Try again' }).click();
    await refusal;
    await expect(sam.saveState()).toHaveText("Couldn't save: Files can’t be larger than 1 MB.");

    await retype(sam, 'index.html', '<p>short again</p>');
    await sam.page.keyboard.press('ControlOrMeta+S');
    await expect(sam.saveState()).toHaveText('Saved');
    await expectComplaints(sam, /status of 4(13|22)/, /ERR_FAILED/);
    expectQuiet(server, sam, away);
  },
);
