import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, expect, type Locator, type Page } from '@playwright/test';
import { findViolations } from '../rig/axe.ts';
import {
  getEmail,
  expectQuiet,
  makePublic,
  openFirstPage,
  newSignedInUser,
  newVisitor,
  openAnotherTab,
  getPassword,
  retype,
  saveDraft,
  startDraft,
  tabTo,
  expectComplaints,
  test,
  uniqueName,
  type TestUser,
} from '../rig/test-user.ts';
import { signUpAccount, setProjectMember } from '../rig/session.ts';
import type { TestServer } from '@vitrine/testing/server';

let owner: TestUser;
let ownerName: string;
let address: string;
let project: string;

test.beforeEach(async ({ browser, server }) => {
  ownerName = uniqueName('olga');
  owner = await newSignedInUser(browser, server, ownerName);
  address = await share(server, '<p>hers</p>');
  project = new URL(address).pathname.split('/').at(-1) ?? '';
});

/** Saves a public project of the owner. Returns its URL. */
async function share(server: TestServer, html: string): Promise<string> {
  await startDraft(owner, server, 'html');
  await retype(owner, 'index.html', html);
  const saved = await saveDraft(owner);
  await makePublic(owner);
  return saved;
}

const offer = ({ page }: TestUser) => page.getByRole('complementary', { name: 'Unsaved changes' });
const button = ({ page }: TestUser, name: string) =>
  page.getByRole('button', { name, exact: true });
const text = (person: TestUser) => person.editor('index.html');
const restore = (person: TestUser) => offer(person).getByRole('button', { name: 'Restore' });
const switchTo = (person: TestUser) => offer(person).getByRole('button', { name: 'Switch' });

/** Opens the project as a user who may not save it, and edits its page. */
async function visitAndEdit(person: TestUser, html = '<p>mine</p>', count = 1): Promise<void> {
  await person.page.goto(address);
  await expect(text(person)).toHaveText('<p>hers</p>');
  await retype(person, 'index.html', html);
  await expect(person.saveState()).toHaveText('Unsaved changes');
  await expectKept(person, count);
}

/** Waits until the browser's storage has the edits, without creating the database. */
async function expectKept({ page }: TestUser, count = 1): Promise<void> {
  const countDrafts = async () => {
    const databases = await indexedDB.databases();
    if (!databases.some(({ name }) => name === 'vitrine')) return 0;
    const settle = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(new Error(String(request.error)));
      });
    const database = await settle(indexedDB.open('vitrine'));
    const count = await settle(database.transaction('drafts').objectStore('drafts').count());
    database.close();
    return count;
  };
  await expect.poll(() => page.evaluate(countDrafts)).toBe(count);
}

test(
  'a visitor’s edits are stored, offered on return, and forked after sign-in',
  { tag: '@journey' },
  async ({ browser, server }) => {
    const name = uniqueName('vera');
    await signUpAccount(server, {
      username: name,
      email: getEmail(name),
      password: getPassword(name),
    });
    const visitor = await newVisitor(browser, server);
    await visitor.page.goto(address);
    await expect(text(visitor)).toHaveText('<p>hers</p>');
    await expect(visitor.saveState()).toBeHidden();
    await retype(visitor, 'index.html', '<p>mine</p>');
    await expect(visitor.saveState()).toHaveText('Unsaved changes');
    await expect(visitor.page.getByText(`It won’t get ${ownerName}’s updates.`)).toBeVisible();
    await expectKept(visitor);
    expect(visitor.page.url()).toBe(address);

    await visitor.page.reload();
    await expect(text(visitor)).toHaveText('<p>hers</p>');
    await expect(offer(visitor)).toContainText('You have unsaved changes from today.');
    await expect(visitor.saveState()).toBeHidden();
    await restore(visitor).click();
    await expect(text(visitor)).toHaveText('<p>mine</p>');
    await expect(visitor.preview().getByText('mine')).toBeVisible();
    await expect(offer(visitor)).toBeHidden();

    await button(visitor, 'Fork to save').click();
    await visitor.page.waitForURL(/\/auth\/sign-in/);
    await visitor.page.getByLabel('Email').fill(getEmail(name));
    await visitor.page.getByLabel('Password').fill(getPassword(name));
    await visitor.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await visitor.page.waitForURL(new RegExp(`/@${name}/[a-z0-9]{16}$`));
    await expect(visitor.saveState()).toHaveText('Saved');
    await expect(text(visitor)).toHaveText('<p>mine</p>');

    await visitor.page.goto(address);
    await expect(text(visitor)).toHaveText('<p>hers</p>');
    await visitor.page.goto(`${server.address}/work?show=drafts`);
    await expect(visitor.page.getByText('No drafts yet')).toBeVisible();
    expectQuiet(server, owner, visitor);
  },
);

test('a user who may not save forks their edits with one button', async ({ browser, server }) => {
  const name = uniqueName('mel');
  const member = await newSignedInUser(browser, server, name);
  await visitAndEdit(member);
  await button(member, 'Fork to save').click();
  await member.page.waitForURL(new RegExp(`/@${name}/[a-z0-9]{16}$`));
  await expect(text(member)).toHaveText('<p>mine</p>');
  await expect(member.saveState()).toHaveText('Saved');
  expectQuiet(server, owner, member);
});

test('a visitor who returns from sign-in is offered the changes', async ({ browser, server }) => {
  const visitor = await newVisitor(browser, server);
  await visitAndEdit(visitor);
  await button(visitor, 'Fork to save').click();
  await visitor.page.waitForURL(/\/auth\/sign-in/);
  await visitor.page.goBack();
  await restore(visitor).click();
  await expect(text(visitor)).toHaveText('<p>mine</p>');
  expectQuiet(server, owner, visitor);
});

test('discarded changes are deleted, unless undone', async ({ browser, server }) => {
  const visitor = await newVisitor(browser, server);
  await visitAndEdit(visitor);
  await visitor.page.reload();
  await offer(visitor).getByRole('button', { name: 'Discard' }).click();
  await expect(offer(visitor)).toBeHidden();
  await button(visitor, 'Undo').click();
  await expect(offer(visitor)).toBeVisible();
  await offer(visitor).getByRole('button', { name: 'Discard' }).click();
  await expect(offer(visitor)).toBeHidden();
  await visitor.page.reload();
  await expect(text(visitor)).toHaveText('<p>hers</p>');
  await expect(offer(visitor)).toBeHidden();
  expectQuiet(server, owner, visitor);
});

test('the owner’s saves are shown on return, and each project has its own changes', async ({
  browser,
  server,
}) => {
  const visitor = await newVisitor(browser, server);
  await visitAndEdit(visitor);
  const first = address;
  address = await share(server, '<p>hers</p>');
  await visitAndEdit(visitor, '<p>mine, too</p>', 2);
  await owner.page.goto(first);
  const saved = owner.page.waitForResponse(/\/rpc\/append_updates$/);
  await retype(owner, 'index.html', '<p>hers, later</p>');
  expect((await saved).status()).toBe(200);

  await visitor.page.goto(first);
  await expect(text(visitor)).toHaveText('<p>hers, later</p>');
  await restore(visitor).click();
  await expect(text(visitor)).toHaveText('<p>mine</p>');
  await visitor.page.goto(address);
  await expect(text(visitor)).toHaveText('<p>hers</p>');
  await restore(visitor).click();
  await expect(text(visitor)).toHaveText('<p>mine, too</p>');
  expectQuiet(server, owner, visitor);
});

test('two tabs keep separate changes, and a tab’s are offered once it is closed', async ({
  browser,
  server,
}) => {
  const visitor = await newVisitor(browser, server);
  await visitAndEdit(visitor);
  const other = await openAnotherTab(visitor);
  await other.page.goto(address);
  await expect(text(other)).toHaveText('<p>hers</p>');
  await expect(offer(other)).toHaveText(
    'You have unsaved changes from today, open in another tab.',
  );
  await retype(other, 'index.html', '<p>second</p>');
  await expect(other.saveState()).toHaveText('Unsaved changes');
  await visitor.page.close();
  await expect(offer(other)).toContainText('You have other unsaved changes from today.');
  await switchTo(other).click();
  await expect(text(other)).toHaveText('<p>mine</p>');
  await expect(
    other.page.getByText('Your previous changes are still on this device.'),
  ).toBeVisible();
  await switchTo(other).click();
  await expect(text(other)).toHaveText('<p>second</p>');
  await expect(switchTo(other)).toBeEnabled();
  // Both are offered on the next visit, one after the other.
  await other.page.reload();
  await expect(text(other)).toHaveText('<p>hers</p>');
  await restore(other).click();
  await expect(text(other)).toHaveText('<p>second</p>');
  await switchTo(other).click();
  await expect(text(other)).toHaveText('<p>mine</p>');
  await offer(other).getByRole('button', { name: 'Discard' }).click();
  await expect(offer(other)).toBeHidden();
  await expect(text(other)).toHaveText('<p>mine</p>');
  expectQuiet(server, owner, other);
});

test('changes that were being restored when the tab was reloaded are offered once', async ({
  browser,
  server,
}) => {
  const visitor = await newVisitor(browser, server);
  await visitAndEdit(visitor);
  await visitor.page.reload();
  await restore(visitor).waitFor();
  // The restored changes are stored, and the tab is gone before the earlier ones are deleted.
  await visitor.page.evaluate(() => {
    IDBObjectStore.prototype.delete = function () {
      this.transaction.abort();
      return this.count() as unknown as IDBRequest<undefined>;
    };
  });
  await restore(visitor).click();
  await expectKept(visitor, 2);
  await visitor.page.reload();
  await restore(visitor).click();
  await expect(text(visitor)).toHaveText('<p>mine</p>');
  await expect(offer(visitor)).toBeHidden();
  await expectKept(visitor, 1);
  expectQuiet(server, owner, visitor);
});

test('changes survive closing the browser', async ({ server }) => {
  const profile = await mkdtemp(join(tmpdir(), 'vitrine-profile-'));
  const { launchOptions } = test.info().project.use;
  const open = async () =>
    openFirstPage(await chromium.launchPersistentContext(profile, launchOptions ?? {}), server);
  const before = await open();
  await visitAndEdit(before);
  await before.context.close();
  const after = await open();
  await after.page.goto(address);
  await restore(after).click();
  await expect(text(after)).toHaveText('<p>mine</p>');
  await after.context.close();
  await rm(profile, { recursive: true, force: true });
  expectQuiet(server, owner, before, after);
});

test('changes to a project that became private are saved as a draft', async ({
  browser,
  server,
}) => {
  const visitor = await newVisitor(browser, server);
  await visitAndEdit(visitor);
  await owner.page.getByRole('combobox', { name: 'Visibility' }).click();
  await owner.page.getByRole('option', { name: 'Private' }).click();
  await expect(owner.page.getByRole('combobox', { name: 'Visibility' })).toContainText('Private');
  await visitor.page.goto(address);
  await expect(offer(visitor)).toContainText('from today are still on this device.');
  await button(visitor, 'Open as draft').click();
  await visitor.page.waitForURL(/\/draft\//);
  await expect(text(visitor)).toHaveText('<p>mine</p>');
  await expectComplaints(visitor, /status of 404/);
  expectQuiet(server, owner, visitor);
});

test('a user who became an editor is warned that restoring changes the project', async ({
  browser,
  server,
}) => {
  const name = uniqueName('eve');
  const member = await newSignedInUser(browser, server, name);
  await visitAndEdit(member);
  await setProjectMember(server, { project, username: name }, 'editor');
  await member.page.reload();
  await expect(text(member)).toHaveText('<p>hers</p>');
  await expect(member.saveState()).toHaveText('Saved');
  await expect(offer(member)).toContainText('Restoring them changes the project for everyone.');
  await restore(member).click();
  await expect(text(member)).toHaveText('<p>mine</p>');
  await expect(member.saveState()).toHaveText('Saved');
  await owner.page.reload();
  await expect(text(owner)).toHaveText('<p>mine</p>');
  expectQuiet(server, owner, member);
});

test('a user’s changes are hidden from the next user of the browser', async ({
  browser,
  server,
}) => {
  const member = await newSignedInUser(browser, server, uniqueName('max'));
  await visitAndEdit(member);
  await member.context.clearCookies();
  await member.page.goto(address);
  await expect(text(member)).toHaveText('<p>hers</p>');
  await retype(member, 'index.html', '<p>a visitor’s</p>');
  await expectKept(member, 2);
  await member.page.reload();
  await restore(member).click();
  await expect(text(member)).toHaveText('<p>a visitor’s</p>');
  await expect(offer(member)).toBeHidden();
});

test('changes are restored and forked with only the keyboard', async ({ browser, server }) => {
  const name = uniqueName('kim');
  const member = await newSignedInUser(browser, server, name);
  const { page } = member;
  await visitAndEdit(member);
  await page.reload();
  await tabTo(page, restore(member));
  expect(await findViolations(page, { within: 'aside[aria-label="Unsaved changes"]' })).toEqual([]);
  await page.keyboard.press('Enter');
  await expect(button(member, 'Fork to save')).toBeFocused();
  expect(await findViolations(page, { within: 'header' })).toEqual([]);
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/@${name}/[a-z0-9]{16}$`));
  await expect(text(member)).toHaveText('<p>mine</p>');
  expectQuiet(server, owner, member);
});

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

test('a visitor on a phone sees the preview, title and author first', async ({
  browser,
  server,
}) => {
  const visitor = await newVisitor(browser, server, phone);
  const { page } = visitor;
  await page.goto(address);
  await expect(page.getByRole('tab', { name: 'Result' })).toHaveAttribute('aria-selected', 'true');
  await expect(visitor.preview().getByText('hers')).toBeVisible();
  const banner = page.getByRole('banner');
  await expect(banner.getByRole('heading', { level: 1 })).toBeInViewport();
  await expect(banner.getByText(ownerName)).toBeInViewport();
  await expect(visitor.saveState()).toBeHidden();

  await page.getByRole('tab', { name: 'Code' }).click();
  await retype(visitor, 'index.html', '<p>mine</p>');
  await expect(visitor.saveState()).toHaveText('Unsaved changes');
  await expect(button(visitor, 'Fork to save')).toBeInViewport({ ratio: 1 });
  await expectNotCovered(page, banner);
  expect(await findViolations(page, { within: 'header' })).toEqual([]);

  await owner.page.setViewportSize(phone.viewport);
  await owner.page.reload();
  await expect(owner.page.getByRole('tab', { name: 'Code' })).toHaveAttribute(
    'aria-selected',
    'true',
  );
  expectQuiet(server, owner, visitor);
});

test('a visitor on a desktop sees the author, and no save state', async ({ browser, server }) => {
  const visitor = await newVisitor(browser, server);
  await visitor.page.goto(address);
  await expect(visitor.page.getByRole('banner').getByText(ownerName)).toBeInViewport();
  await expect(text(visitor)).toBeVisible();
  await expect(visitor.saveState()).toBeHidden();
  expectQuiet(server, owner, visitor);
});

/**
 * Checks that no two controls of a region overlap, and that each can be clicked.
 */
async function expectNotCovered(page: Page, within: Locator): Promise<void> {
  const covered = await within.getByRole('button').evaluateAll((buttons) =>
    buttons.flatMap((each) => {
      const box = each.getBoundingClientRect();
      const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
      return each.contains(top) ? [] : [each.textContent];
    }),
  );
  expect(covered).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
}

for (const [device, options] of [
  ['a desktop', {}],
  ['a phone', phone],
] as const)
  test(`toasts cover no control of the bottom panel or the error card on ${device}`, async ({
    browser,
    server,
  }) => {
    const visitor = await newVisitor(browser, server, options);
    const { page } = visitor;
    await page.goto(address);
    if (options === phone) await page.getByRole('tab', { name: 'Code' }).click();
    await retype(visitor, 'index.html', '<p>mine</p><script>missing()</script>');
    if (options === phone) await page.getByRole('tab', { name: 'Result' }).click();
    await expectKept(visitor);
    await expect(errorCard(page)).toBeVisible();
    await visitor.context.setOffline(true);
    await expectToastsClear(page);
    for (const tab of ['Console', 'Problems', 'Tests', 'Accessibility', 'Network']) {
      await page.getByRole('tab', { name: tab, exact: true }).click();
      await expectToastsClear(page);
    }
    await page.getByRole('button', { name: 'Close panel' }).click();
    await expectToastsClear(page);
  });

function errorCard(page: Page): Locator {
  return page.getByRole('alert').filter({ hasText: 'missing' });
}

/** Triggers a toast by an action that needs the server, and compares positions. */
async function expectToastsClear(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Fork to save' }).click();
  const toasts = page.getByRole('region', { name: 'Notifications' });
  await expect(toasts.getByText('Can’t reach the server')).toBeVisible();
  const controls = page
    .getByRole('region', { name: 'Panel' })
    .locator('button, input, select, a')
    .or(errorCard(page).getByRole('button'));
  const boxes = (each: Locator) =>
    each.evaluateAll((elements) =>
      elements.map((element) => element.getBoundingClientRect().toJSON()),
    );
  const findOverlaps = async () => {
    const [shown, below] = [await boxes(toasts.getByRole('dialog')), await boxes(controls)];
    expect(shown.length).toBeGreaterThan(0);
    expect(below.length).toBeGreaterThan(0);
    return below.filter((one) => shown.some((other) => overlap(one, other)));
  };
  // Before the toast times out.
  await expect.poll(findOverlaps, { timeout: 3_000 }).toEqual([]);
}

function overlap(a: DOMRect, b: DOMRect): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
