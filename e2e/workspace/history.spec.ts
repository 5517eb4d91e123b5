import { expect, type Locator, type Page } from '@playwright/test';
import { findViolations } from '../rig/axe.ts';
import { createPng } from '../rig/png.ts';
import { setProjectMember } from '../rig/session.ts';
import {
  expectComplaints,
  expectQuiet,
  makePublic,
  newSignedInDevice,
  newSignedInUser,
  newVisitor,
  rewrite,
  saveDraft,
  startDraft,
  test,
  uniqueName,
  type TestUser,
} from '../rig/test-user.ts';

let name: string;
let ada: TestUser;
let page: Page;
let address: string;
let project: string;

/** Saves a project with three plain files. */
test.beforeEach(async ({ browser, server }) => {
  name = uniqueName('ada');
  ada = await newSignedInUser(browser, server, name);
  page = ada.page;
  await startDraft(ada, server, 'html');
  await rewrite(ada, 'index.html', '<p>First</p>');
  address = await saveDraft(ada);
  project = new URL(address).pathname.split('/').at(-1) ?? '';
});

const panel = (on = page) => on.getByRole('region', { name: 'History' });
const version = (number: number, on = page) =>
  panel(on)
    .getByRole('list', { name: 'Versions' })
    .getByRole('listitem', { name: `Version ${number}`, exact: true });
const versions = (on = page) =>
  panel(on)
    .getByRole('list', { name: 'Versions' })
    .getByRole('listitem')
    .evaluateAll((rows) => rows.flatMap((row) => row.getAttribute('aria-label') ?? []));

async function openHistory(on = page): Promise<void> {
  // The button closes an open panel.
  if (!(await panel(on).isVisible()))
    await on.getByRole('button', { name: 'History', exact: true }).click();
  await expect(panel(on)).toBeVisible();
}

async function runCommand(command: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+Shift+P');
  await page.getByRole('combobox', { name: 'Command' }).fill(command);
  await page.getByRole('option', { name: command }).first().click();
}

/** Saves a version with a message, by keyboard. */
async function saveVersion(message: string): Promise<void> {
  const button = panel().getByRole('button', { name: 'Save version…' });
  await button.click();
  await expect(page.getByRole('textbox', { name: 'What changed?' })).toBeFocused();
  await page.keyboard.type(message);
  await page.keyboard.press('Enter');
  // The form closes once the version is saved.
  await expect(button).toBeFocused();
}

/** Opens the details of a version. */
async function expand(number: number, on = page): Promise<Locator> {
  const row = version(number, on);
  const summary = row.getByRole('button').first();
  if ((await summary.getAttribute('aria-expanded')) === 'false') await summary.click();
  await expect(summary).toHaveAttribute('aria-expanded', 'true');
  return row;
}

/** Saves two versions: "First", and "Second" with a new and a deleted file. */
async function saveTwoVersions(): Promise<void> {
  await openHistory();
  await saveVersion('The first');
  await rewrite(ada, 'index.html', '<p>Second</p>');
  await rewrite(ada, 'style.css', 'p { color: rgb(1, 2, 3); }');
  await expect(ada.saveState()).toHaveText('Saved');
  await saveVersion('The second');
  await expect.poll(() => versions()).toEqual(['Version 2', 'Version 1']);
}

/** One side of a diff, or both in one column. */
const diffSide = (label: string) =>
  page.getByRole('textbox', { name: `Editor: ${label}`, exact: true });

/** Uploads a picture with the workspace's menu. */
async function uploadPicture(path: string, picture: Buffer): Promise<void> {
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('menuitem', { name: 'Upload' }).click();
  await (await chooser).setFiles({ name: path, mimeType: 'image/png', buffer: picture });
}

test(
  'an owner saves versions, compares them, restores one and undoes that',
  { tag: '@journey' },
  async ({ server }) => {
    await openHistory();
    await expect(panel().getByText(/^No versions yet\./)).toBeVisible();
    await saveTwoVersions();
    await expect(version(2)).toContainText('The second');
    await expect(version(2)).toContainText(name);

    const second = await expand(2);
    const changed = second.getByRole('list', { name: 'Files changed in version 2' });
    await expect(changed.getByRole('button')).toHaveCount(2);
    await changed.getByRole('button', { name: 'index.html Modified' }).click();
    const tab = page.getByRole('tab', { name: 'index.html (version 1 to 2)', exact: true });
    await expect(tab).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByText('Change 1 of 1', { exact: true })).toBeVisible();

    const first = await expand(1);
    await first.getByRole('button', { name: 'Restore' }).click();
    const dialog = page.getByRole('dialog', { name: 'Restore version 1?' });
    await expect(dialog).toContainText('Your current files will be saved as a version first');
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await expect(page.getByText('Restored version 1').last()).toBeVisible();
    await expect(ada.preview().getByText('First')).toBeVisible();
    await expect(version(3)).toContainText('Restored version 1');
    // The present files were already version 2.
    await expect.poll(() => versions()).toEqual(['Version 3', 'Version 2', 'Version 1']);

    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(ada.preview().getByText('Second')).toBeVisible();
    await expect(ada.saveState()).toHaveText('Saved');
    await page.reload();
    await expect(ada.preview().getByText('Second')).toBeVisible();
    expectQuiet(server, ada);
  },
);

test('restoring keeps unsaved work as a version, and another user’s edits merge', async ({
  browser,
  server,
}) => {
  await saveTwoVersions();
  const benName = uniqueName('ben');
  const ben = await newSignedInUser(browser, server, benName);
  await setProjectMember(server, { project, username: benName }, 'editor');
  await ben.page.goto(address);
  await expect(ben.preview().getByText('Second')).toBeVisible();
  await rewrite(ada, 'script.js', 'const unversioned = true;');

  const first = await expand(1);
  await first.getByRole('button', { name: 'Restore' }).click();
  const dialog = page.getByRole('dialog', { name: 'Restore version 1?' });
  await dialog.getByRole('button', { name: 'Restore' }).click();
  await expect(page.getByText('Restored version 1').last()).toBeVisible();
  await expect(version(3)).toContainText('Before a restore');
  const before = await expand(3);
  await expect(before.getByRole('button', { name: 'script.js Modified' })).toBeVisible();
  await expect(ben.preview().getByText('First')).toBeVisible();
  expectQuiet(server, ada, ben);
});

test('any two versions are compared file by file and as previews side by side', async ({
  server,
}) => {
  await saveTwoVersions();
  await rewrite(ada, 'index.html', '<p>Third</p>');
  const first = await expand(1);
  await first.getByRole('button', { name: 'Compare' }).click();
  await expect(panel().getByText('2 files differ')).toBeVisible();
  // The diff of the active file opens by itself.
  const tab = page.getByRole('tab', { name: 'index.html (version 1 to current version)' });
  await expect(tab).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('button', { name: 'All versions' })).toBeFocused();
  await panel().getByRole('button', { name: 'style.css Modified' }).click();
  await expect(page.getByRole('tab', { name: /^style\.css \(version 1/ })).toBeVisible();
  await panel().getByRole('button', { name: 'index.html Modified' }).click();
  await expect(tab).toHaveAttribute('aria-selected', 'true');

  await panel().getByRole('button', { name: 'Compare previews' }).click();
  const dialog = page.getByRole('dialog', { name: 'Compare previews' });
  const result = (title: string) => dialog.frameLocator(`iframe[title="${title}"]`);
  await expect(result('Result of version 1').getByText('First')).toBeVisible();
  await expect(result('Result of current version').getByText('Third')).toBeVisible();
  expect(await findViolations(page, { within: '[role=dialog]' })).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  for (const label of ['Version 1', 'Current version']) {
    const side = await dialog.getByRole('region', { name: label }).boundingBox();
    expect(side?.width).toBeGreaterThan(300);
    expect(side?.height).toBeGreaterThan(300);
  }
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await page.setViewportSize({ width: 1440, height: 900 });

  await page.getByRole('combobox', { name: 'To', exact: true }).click();
  await page.getByRole('option', { name: 'Version 2' }).click();
  await expect(panel().getByText('2 files differ')).toBeVisible();
  await panel().getByRole('button', { name: 'Compare previews' }).click();
  await expect(result('Result of version 1').getByText('First')).toBeVisible();
  await expect(result('Result of version 2').getByText('Second')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(panel().getByRole('button', { name: 'Compare previews' })).toBeFocused();
  await panel().getByRole('button', { name: 'All versions' }).press('Enter');
  await expect(version(1)).toBeVisible();
  await expect(panel().getByRole('button').first()).toBeFocused();
  expectQuiet(server, ada);
});

test('the differences of a file are read by keyboard, on a wide screen and a phone', async ({
  server,
}) => {
  await rewrite(ada, 'script.js', ['one();', ...Array(30).fill('same();'), 'two();'].join('\n'));
  await expect(ada.saveState()).toHaveText('Saved');
  await openHistory();
  await saveVersion('');
  await rewrite(ada, 'script.js', ['ONE();', ...Array(30).fill('same();'), 'TWO();'].join('\n'));
  const first = await expand(1);
  await first.getByRole('button', { name: 'Compare' }).press('Enter');
  await panel().getByRole('button', { name: 'script.js Modified' }).press('Enter');
  await runCommand('Layout: Code only');
  const after = diffSide('script.js (current version)');
  await expect(after).toBeVisible();
  await expect(diffSide('script.js (version 1)')).toBeVisible();
  await after.focus();
  await page.keyboard.press('Alt+F5');
  await expect(page.getByText('Change 2 of 2', { exact: true })).toBeVisible();
  await page.keyboard.press('Shift+Alt+F5');
  await expect(page.getByText('Change 1 of 2', { exact: true })).toBeVisible();
  expect(await findViolations(page, { within: 'main' })).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  // Colors change in a transition.
  await expect.poll(() => findViolations(page, { within: 'main', onlyColors: true })).toEqual([]);

  await page.setViewportSize({ width: 390, height: 844 });
  // The panel covers the code there, until a file is chosen.
  await panel().getByRole('button', { name: 'script.js Modified' }).click();
  const both = diffSide('script.js (version 1), compared with script.js (current version)');
  await expect(both).toBeVisible();
  await expect(page.locator('.cm-deletedChunk').first()).toContainText('one();');
  await page.getByRole('button', { name: 'Next change' }).click();
  await expect(page.getByText('Change 2 of 2', { exact: true })).toBeVisible();
  expectQuiet(server, ada);
});

test('pictures of versions are shown, and compared side by side', async ({ server }) => {
  await uploadPicture('bird.png', createPng(8, 8));
  await expect(page.getByText('Added bird.png').last()).toBeVisible();
  await rewrite(ada, 'index.html', '<img src="bird.png" alt="">');
  await openHistory();
  await saveVersion('');
  const first = await expand(1);
  await first.getByRole('button', { name: 'bird.png Added' }).click();
  await expect(page.getByRole('tab', { name: 'bird.png (version 1)' })).toHaveAttribute(
    'aria-selected',
    'true',
  );
  await expect(page.getByText('image/png · 8 × 8')).toBeVisible();

  await uploadPicture('bird.png', createPng(12, 8));
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
  await expect(page.getByText('Replaced bird.png').last()).toBeVisible();
  await openHistory();
  await (await expand(1)).getByRole('button', { name: 'Compare' }).click();
  await panel()
    .getByRole('button', { name: /^bird\.png .* Modified$/ })
    .click();
  const side = (name: string) => page.getByRole('region', { name, exact: true });
  await expect(side('Version 1').getByText('image/png · 8 × 8')).toBeVisible();
  await expect(side('Current version').getByText('image/png · 12 × 8')).toBeVisible();
  expect(await findViolations(page, { within: 'main' })).toEqual([]);

  await panel().getByRole('button', { name: 'Compare previews' }).click();
  const dialog = page.getByRole('dialog', { name: 'Compare previews' });
  for (const [title, width] of [
    ['Result of version 1', 8],
    ['Result of current version', 12],
  ] as const) {
    const picture = dialog.frameLocator(`iframe[title="${title}"]`).locator('img');
    await expect
      .poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth), { message: title })
      .toBe(width);
  }
  await page.keyboard.press('Escape');
  await page.goto(`${address}/v/1?file=bird.png`);
  await expect(page.getByText('image/png · 8 × 8')).toBeVisible();
  expectQuiet(server, ada);
});

test('a restore can be undone if its result isn’t saved as a version', async ({ server }) => {
  await saveTwoVersions();
  let calls = 0;
  await ada.context.route(/\/rpc\/create_version$/, (route) => {
    calls += 1;
    return calls === 1 ? route.continue() : route.abort();
  });
  await (await expand(1)).getByRole('button', { name: 'Restore' }).click();
  const dialog = page.getByRole('dialog', { name: 'Restore version 1?' });
  await dialog.getByRole('button', { name: 'Restore' }).click();
  await expect(
    page.getByText('The restored files aren’t saved as a version yet.').last(),
  ).toBeVisible();
  await expect(dialog).toBeHidden();
  await expect(ada.preview().getByText('First')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(ada.preview().getByText('Second')).toBeVisible();
  await expect(ada.saveState()).toHaveText('Saved');
  await expectComplaints(ada, /ERR_FAILED/);
  expectQuiet(server, ada);
});

test('a file of a version is read-only, and stays open after a reload', async ({ server }) => {
  await openHistory();
  await saveVersion('');
  const first = await expand(1);
  await first.getByRole('button', { name: 'index.html Added' }).click();
  const old = page.getByRole('textbox', { name: 'Editor: index.html (version 1)', exact: true });
  await expect(old).toBeFocused();
  await page.keyboard.type('typed');
  await expect(old).toHaveText('<p>First</p>');
  await page.reload();
  await expect(old).toHaveText('<p>First</p>');
  await expect(ada.saveState()).toHaveText('Saved');
  expectQuiet(server, ada);
});

test('a fork from a version has its files and remembers it', async ({ browser, server }) => {
  await saveTwoVersions();
  await makePublic(ada);
  const bob = await newSignedInUser(browser, server, uniqueName('bob'));
  await bob.page.goto(address);
  await openHistory(bob.page);
  await expect(panel(bob.page).getByRole('button', { name: 'Save version…' })).toHaveCount(0);
  const first = await expand(1, bob.page);
  await expect(first.getByRole('button', { name: 'Restore' })).toHaveCount(0);
  await first.getByRole('button', { name: 'Fork from here' }).click();
  await bob.page.waitForURL(/\/@bob-\d+\/[a-z0-9]{16}$/);
  await expect(bob.preview().getByText('First')).toBeVisible();
  await expect(bob.saveState()).toHaveText('Saved');
  expectQuiet(server, ada, bob);
});

test('the owner publishes, others see that version, and the share dialog says what differs', async ({
  browser,
  server,
}) => {
  await makePublic(ada);
  await page.getByRole('button', { name: 'Share' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share' });
  const state = dialog.getByRole('status', { name: 'Publishing state' });
  await expect(state).toHaveText('Not published');
  await dialog.getByRole('button', { name: 'Publish version' }).click();
  await expect(state).toHaveText('Published: version 1 · Up to date');
  expect(await findViolations(page, { within: '[role=dialog]' })).toEqual([]);
  await page.keyboard.press('Escape');
  await rewrite(ada, 'index.html', '<p>Unfinished</p>');
  await expect(ada.saveState()).toHaveText('Saved');

  const eve = await newVisitor(browser, server);
  await eve.page.goto(address);
  await expect(eve.preview().getByText('First')).toBeVisible();
  await expect(eve.page.getByText('Unfinished')).toHaveCount(0);

  await runCommand('Publish version');
  await expect(state).toHaveText('Published: version 1 · Unpublished changes');
  await dialog.getByRole('button', { name: 'Publish changes' }).click();
  await expect(state).toHaveText('Published: version 2 · Up to date');
  await eve.page.reload();
  await expect(eve.preview().getByText('Unfinished')).toBeVisible();
  await dialog.getByRole('button', { name: 'Unpublish' }).click();
  await expect(state).toHaveText('Not published');
  expectQuiet(server, ada, eve);
});

test('a version has a page of its own, for everyone who may see it', async ({
  browser,
  server,
}) => {
  await saveTwoVersions();
  const eve = await newVisitor(browser, server);
  const old = `${address}/v/1`;
  expect((await eve.page.goto(old))?.status()).toBe(404);
  await expectComplaints(eve, /404/);
  await makePublic(ada);

  expect((await eve.page.goto(old))?.status()).toBe(200);
  await expect(eve.page).toHaveTitle(`Version 1 of Untitled project by ${name} — Vitrine`);
  await expect(eve.page.getByText('You’re viewing version 1.')).toBeVisible();
  const result = eve.page.frameLocator('iframe[title="Result of version 1"]');
  await expect(result.getByText('First')).toBeVisible();
  const files = eve.page.getByRole('navigation', { name: 'Files' });
  await files.getByRole('link', { name: 'style.css' }).click();
  await expect(eve.page).toHaveURL(/\?file=style\.css$/);
  const code = eve.page.getByRole('textbox', { name: 'Editor: style.css' });
  await expect(code).toHaveAttribute('aria-readonly', 'true');
  expect(await findViolations(eve.page)).toEqual([]);

  await eve.page.setViewportSize({ width: 390, height: 844 });
  await expect(code).toBeVisible();
  await eve.page.getByRole('tab', { name: 'Code' }).press('ArrowRight');
  await expect(eve.page.getByRole('tab', { name: 'Result' })).toBeFocused();
  await expect(code).toBeHidden();
  await expect(result.getByText('First')).toBeVisible();
  expect(await findViolations(eve.page)).toEqual([]);
  const overflow = await eve.page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow).toBe(0);

  await eve.page.setViewportSize({ width: 1440, height: 900 });
  await eve.page.getByRole('button', { name: 'Fork from here' }).click();
  await eve.page.waitForURL(/\/draft\/[a-z0-9]+$/);
  await expect(eve.preview().getByText('First')).toBeVisible();
  for (const missing of ['9', '0', '01', 'x', '99999999999']) {
    const status = (await eve.page.goto(`${address}/v/${missing}`))?.status();
    expect(status, missing).toBe(404);
  }
  await expectComplaints(eve, /404/);
  await eve.page.goto(old);
  await eve.page.getByRole('link', { name: 'View latest' }).click();
  await expect(eve.page).toHaveURL(address);
  await expect(eve.preview().getByText('Second')).toBeVisible();
  expectQuiet(server, ada, eve);
});

test('the address of the history opens it, on a phone too', async ({ browser, server }) => {
  await openHistory();
  await saveVersion('');
  await page.goto(`${address}/history`);
  await expect(page).toHaveURL(`${address}?view=history`);
  await expect(version(1)).toBeVisible();
  expect(await findViolations(page, { within: 'main' })).toEqual([]);
  await makePublic(ada);
  const eve = await newVisitor(browser, server, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await eve.page.goto(`${address}/history`);
  await expand(1, eve.page);
  expect(await findViolations(eve.page)).toEqual([]);
  expect(
    (await eve.page.goto(`${server.address}/@nobody/0000000000000000/history`))?.status(),
  ).toBe(404);
  await expectComplaints(eve, /404/);
  expectQuiet(server, ada, eve);
});

test('a long history loads page by page', async ({ server }) => {
  await openHistory();
  for (let n = 1; n <= 23; n++) await saveVersion(`Number ${n}`);
  await page.reload();
  await expect(version(23)).toBeVisible();
  expect((await versions()).length).toBe(20);
  await panel().getByRole('button', { name: 'Load more' }).click();
  await expect(version(1)).toBeVisible();
  expect((await versions()).length).toBe(23);
  await expect(panel().getByRole('button', { name: 'Load more' })).toBeHidden();
  expectQuiet(server, ada);
});

test('without a connection the panel says so, and saves once there is one', async ({ server }) => {
  await openHistory();
  await saveVersion('');
  await ada.context.setOffline(true);
  await panel().getByRole('button', { name: 'Save version…' }).click();
  await page.keyboard.type('Offline');
  await page.keyboard.press('Enter');
  const field = page.getByRole('textbox', { name: 'What changed?' });
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await expect(field).toHaveValue('Offline');
  await page.getByRole('button', { name: 'Files', exact: true }).click();
  await openHistory();
  await expect(panel().getByRole('alert')).toBeVisible();
  await expect(version(1)).toBeVisible();
  await ada.context.setOffline(false);
  await panel().getByRole('button', { name: 'Try again' }).click();
  await expect(panel().getByRole('alert')).toBeHidden();
  await saveVersion('Online');
  await expect(version(2)).toContainText('Online');
  ada.complaints.length = 0;
  expectQuiet(server, ada);
});

test('editing that resumes after a pause first saves what was there', async ({ server }) => {
  await page.clock.install({ time: new Date() });
  await page.reload();
  await expect(ada.preview().getByText('First')).toBeVisible();
  await page.clock.fastForward('11:00');
  await rewrite(ada, 'index.html', '<p>After the pause</p>');
  await expect(ada.saveState()).toHaveText('Saved');
  await openHistory();
  await expect(version(1)).toContainText('Autosave');
  const first = await expand(1);
  await first.getByRole('button', { name: 'index.html Added' }).click();
  await expect(page.getByRole('textbox', { name: 'Editor: index.html (version 1)' })).toHaveText(
    '<p>First</p>',
  );
  expectQuiet(server, ada);
});

test('two devices that resume editing after a pause save one version of it', async ({
  browser,
  server,
}) => {
  const other = await newSignedInDevice(browser, server, name);
  await other.page.goto(address);
  await expect(other.preview().getByText('First')).toBeVisible();
  for (const device of [ada, other]) {
    await device.page.clock.install({ time: new Date() });
    await device.page.reload();
    await expect(device.preview().getByText('First')).toBeVisible();
    await device.page.clock.fastForward('11:00');
  }
  await Promise.all([
    rewrite(ada, 'script.js', 'const here = 1;'),
    rewrite(other, 'style.css', 'p { color: red; }'),
  ]);
  for (const device of [ada, other]) await expect(device.saveState()).toHaveText('Saved');
  await page.reload();
  await openHistory();
  await expect(version(1)).toContainText('Autosave');
  expect(await versions()).toEqual(['Version 1']);
  expectQuiet(server, ada, other);
});

test('replacing files by an upload first saves the old ones', async ({ server }) => {
  await page.getByRole('button', { name: 'Files', exact: true }).click();
  await page.getByRole('button', { name: 'File actions' }).click();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('menuitem', { name: 'Upload' }).click();
  await (
    await chooser
  ).setFiles({
    name: 'index.html',
    mimeType: 'text/html',
    buffer: Buffer.from('<p>Uploaded</p>'),
  });
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
  await expect(ada.preview().getByText('Uploaded')).toBeVisible();
  await openHistory();
  await expect(version(1)).toContainText('Before an import');
  expectQuiet(server, ada);
});

test('forking one’s own project saves the version that the fork starts from', async ({
  server,
}) => {
  await page.getByRole('button', { name: 'Fork', exact: true }).click();
  await page.waitForURL(
    (url) => /\/@[a-z0-9-]+\/[a-z0-9]{16}$/.test(url.pathname) && !url.href.startsWith(address),
  );
  await page.goto(`${address}/history`);
  await expect(version(1)).toContainText('Forked');
  expectQuiet(server, ada);
});

test('a draft says that its history begins once it is saved', async ({ server }) => {
  await startDraft(ada, server, 'html');
  await openHistory();
  await expect(panel().getByText(/^Drafts don’t have versions\./)).toBeVisible();
  await saveDraft(ada);
  await expect(panel().getByRole('button', { name: 'Save version…' })).toBeVisible();
  expectQuiet(server, ada);
});

test('versions are saved and published from the palette', async ({ server }) => {
  await runCommand('Save version…');
  await expect(page.getByRole('textbox', { name: 'What changed?' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(panel().getByRole('button', { name: 'Save version…' })).toBeFocused();
  await runCommand('Publish version');
  await expect(page.getByRole('dialog', { name: 'Share' })).toBeVisible();
  expectQuiet(server, ada);
});
