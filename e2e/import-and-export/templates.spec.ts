import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect as impatient, type Page } from '@playwright/test';
import { errorCatalog } from '@vitrine/project';
import type { TestServer } from '@vitrine/testing/server';
import { findViolations } from '../rig/axe.ts';
import { createPng } from '../rig/png.ts';
import {
  dropFromDesktop,
  expectQuiet,
  makePublic,
  newSignedInUser,
  newVisitor,
  rewrite,
  saveDraft,
  startDraft,
  test,
  uniqueName,
  type TestUser,
} from '../rig/test-user.ts';

/** Packages that were never requested are built first. */
const expect = impatient.configure({ timeout: 15_000 });

const searchField = (page: Page) => page.getByRole('searchbox', { name: 'Search templates' });
const template = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const list = (page: Page, name: string) => page.getByRole('list', { name, exact: true });
const liveLook = (page: Page, name: string) =>
  page.frameLocator(`iframe[title="Result of ${name}"]`);

async function runOperatorCommand(server: TestServer, ...args: string[]): Promise<string> {
  const program = fileURLToPath(new URL('../../apps/cli/vitrine.js', import.meta.url));
  const env = { PATH: process.env['PATH'], DATA_DIR: server.dataDir };
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { env });
  return stdout;
}

/** Status and body of a response, as the page's user gets it. */
function fetchText(page: Page, url: string): Promise<string> {
  return page.evaluate(async (address) => {
    const response = await fetch(address);
    return `${response.status} ${await response.text()}`;
  }, url);
}

/** Marks the open project as a template, or no longer. */
async function setTemplate({ page }: TestUser, isTemplate: boolean): Promise<void> {
  await page.keyboard.press('ControlOrMeta+Shift+P');
  await page.getByRole('combobox', { name: 'Command' }).fill('Details');
  await page.getByRole('option', { name: /^Details/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Details' });
  await dialog.getByRole('checkbox', { name: 'Use as template' }).setChecked(isTemplate);
  expect(await findViolations(page, { within: '[role=dialog]' })).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
}

test('templates are searched, looked at and opened by keyboard', async ({ browser, server }) => {
  const ann = await newVisitor(browser, server);
  const { page } = ann;
  await page.goto(`${server.address}/new`);
  // The first one runs on its own, as a preview only: no draft is created.
  const look = liveLook(page, 'HTML, CSS, JS');
  await expect(look.getByRole('heading', { name: 'Make something' })).toBeVisible();
  await expect(page).toHaveURL(/\/new$/);
  expect(await findViolations(page)).toEqual([]);

  await searchField(page).fill('  RUNES ');
  await expect(page.getByRole('status')).toHaveText('1 template. Press Enter to open Svelte.');
  await expect(liveLook(page, 'Svelte').getByRole('button', { name: 'Count' })).toBeVisible();
  await searchField(page).fill('type');
  await expect(list(page, 'Templates').getByRole('button').first()).toHaveText('TypeScript');
  await searchField(page).fill('cobol');
  await expect(page.getByText('No templates match “cobol”.')).toBeVisible();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Clear search' }).click();
  await expect(searchField(page)).toBeFocused();

  await page.keyboard.press('ArrowDown');
  await expect(template(page, 'HTML, CSS, JS')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await expect(template(page, 'Vue')).toBeFocused();
  await expect(liveLook(page, 'Vue').getByRole('button', { name: 'Count' })).toBeVisible();
  await page.keyboard.press('End');
  await expect(template(page, 'Empty')).toBeFocused();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowUp');
  await expect(searchField(page)).toBeFocused();
  await page.keyboard.press('ArrowDown');
  // Letters go to the search.
  await page.keyboard.type('svelte');
  await expect(searchField(page)).toHaveValue('svelte');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/draft\//);
  await expect(page).toHaveTitle(/^Untitled Svelte project/);
  await expect(ann.preview().getByRole('button', { name: 'Count' })).toBeVisible();
  expectQuiet(server, ann);
});

test('on a phone, a template is looked at in a dialog, and nothing runs before', async ({
  browser,
  server,
}) => {
  const ann = await newVisitor(browser, server, {
    viewport: { width: 390, height: 844 },
    colorScheme: 'dark',
  });
  const { page } = ann;
  await page.goto(`${server.address}/new`);
  await expect(template(page, 'Preview Svelte')).toBeVisible();
  expect(await findViolations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await template(page, 'Preview Svelte').click();
  await expect(liveLook(page, 'Svelte').getByRole('button', { name: 'Count' })).toBeVisible();
  expect(await page.locator('iframe').count()).toBe(1);
  expect(await findViolations(page, { within: '[role=dialog]' })).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Use template' }).click();
  await page.waitForURL(/\/draft\//);
  expectQuiet(server, ann);
});

/** What each template shows. */
const shown: readonly (readonly [slug: string, text: string | RegExp])[] = [
  ['solid', 'Make something'],
  ['lit', 'Make something'],
  ['components', 'Birds at the feeder'],
  ['tailwind', 'Make something'],
  ['sass', 'Make something'],
  ['markdown', 'Make something'],
  ['d3', /^704 mm in all/],
  ['tests', 'Durations'],
];

for (const [slug, text] of shown)
  test(
    `the template ${slug} starts without a registry`,
    { tag: '@long' },
    async ({ browser, server }) => {
      const ann = await newVisitor(browser, server);
      await startDraft(ann, server, slug);
      await expect(ann.preview().getByText(text).first()).toBeVisible();
      expect(ann.complaints.filter((line) => !line.includes('Lit is in dev mode'))).toEqual([]);
    },
  );

test('a template whose packages this instance doesn’t carry says so', async ({
  browser,
  server,
}) => {
  const { page } = await newVisitor(browser, server);
  await page.goto(`${server.address}/new`);
  await expect(template(page, 'p5.js')).toHaveAccessibleDescription(
    /Downloads its packages from npm the first time\.$/,
  );
  await searchField(page).fill('p5');
  await expect(page.getByText('downloaded from the registry')).toBeVisible();
  // The shared server's registry is unreachable.
  await expect(page.getByRole('complementary', { name: 'Preview' })).toContainText(
    errorCatalog.registry_unreachable.message,
  );
});

test('a project is used as a template, with its assets, by its owner and by link', async ({
  browser,
  server,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-template-'));
  const owner = uniqueName('owner');
  const ann = await newSignedInUser(browser, server, owner);
  const { page } = ann;
  await startDraft(ann, server, 'html');
  await writeFile(join(folder, 'dot.png'), createPng(24, 24));
  await page.getByRole('button', { name: 'Files', exact: true }).click();
  await dropFromDesktop(page, page.getByRole('tree', { name: 'Files' }), [join(folder, 'dot.png')]);
  await expect(page.getByRole('treeitem', { name: 'dot.png' })).toBeVisible();
  await rewrite(ann, 'index.html', '<h1>Exercise 1</h1><img id="dot" src="dot.png" alt="">');
  await expect(ann.preview().getByRole('heading')).toHaveText('Exercise 1');
  const address = await saveDraft(ann);
  const copy = address.replace('/@', '/new/@');

  // Not a template yet: not even for its owner.
  await page.goto(copy);
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('New project');
  await expect(page).toHaveURL(copy);
  await page.goto(address);
  await setTemplate(ann, true);

  await page.goto(`${server.address}/new`);
  const own = list(page, 'Your templates').getByRole('button');
  await expect(own).toHaveCount(1);
  await own.focus();
  const title = (await own.textContent()) ?? '';
  await expect(liveLook(page, title).getByRole('heading')).toHaveText('Exercise 1');
  await expect(liveLook(page, title).locator('#dot')).toHaveJSProperty('naturalWidth', 24);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/draft\//);
  await expect(ann.preview().getByRole('heading')).toHaveText('Exercise 1');
  await expect(ann.preview().locator('#dot')).toHaveJSProperty('naturalWidth', 24);
  const saved = await saveDraft(ann);
  expect(saved).not.toBe(address);
  await page.reload();
  await expect(ann.preview().locator('#dot')).toHaveJSProperty('naturalWidth', 24);
  await expect(page.getByText('Forked from')).toBeHidden();

  // A private template is nobody else's.
  const bob = await newVisitor(browser, server);
  await bob.page.goto(`${server.address}/new`);
  await expect(list(bob.page, 'Templates')).toBeVisible();
  await expect(list(bob.page, 'Your templates')).toHaveCount(0);
  expect(await fetchText(bob.page, `${copy}/files`)).toBe('404 {"code":"not_found_or_private"}');

  // With the link, everyone who may view it may start from it.
  await page.goto(address);
  await page.getByRole('combobox', { name: 'Visibility' }).click();
  await page.getByRole('option', { name: 'Unlisted' }).click();
  await expect(page.getByRole('combobox', { name: 'Visibility' })).toContainText('Unlisted');
  await bob.page.goto(copy);
  await bob.page.waitForURL(/\/draft\//);
  await expect(bob.preview().locator('#dot')).toHaveJSProperty('naturalWidth', 24);

  await setTemplate(ann, false);
  await page.goto(`${server.address}/new`);
  await expect(list(page, 'Templates')).toBeVisible();
  await expect(list(page, 'Your templates')).toHaveCount(0);
  await rm(folder, { recursive: true });
});

test('the operator offers a public project to everyone, until it is no longer public', async ({
  browser,
  server,
}) => {
  const owner = uniqueName('owner');
  const ann = await newSignedInUser(browser, server, owner);
  await startDraft(ann, server, 'html');
  await rewrite(ann, 'index.html', '<h1>House style</h1>');
  const address = await saveDraft(ann);
  await makePublic(ann);
  expect(await runOperatorCommand(server, 'templates', 'add', address)).toMatch(/^Added /);

  const bob = await newVisitor(browser, server);
  const { page } = bob;
  await page.goto(`${server.address}/new`);
  await searchField(page).fill(owner);
  const offered = list(page, 'Instance templates').getByRole('button');
  await expect(offered).toHaveCount(1);
  await expect(offered).toHaveAccessibleDescription(new RegExp(`By ${owner}\\.$`));
  const title = (await offered.textContent()) ?? '';
  await expect(liveLook(page, title).getByRole('heading')).toHaveText('House style');
  expect(await findViolations(page)).toEqual([]);
  await searchField(page).press('Enter');
  await page.waitForURL(/\/draft\//);
  await expect(bob.preview().getByRole('heading')).toHaveText('House style');

  await ann.page.getByRole('combobox', { name: 'Visibility' }).click();
  await ann.page.getByRole('option', { name: 'Private' }).click();
  await expect(ann.page.getByRole('combobox', { name: 'Visibility' })).toContainText('Private');
  for (const each of [ann, bob]) {
    await each.page.goto(`${server.address}/new`);
    await expect(list(each.page, 'Templates')).toBeVisible();
    await expect(list(each.page, 'Instance templates')).toHaveCount(0);
  }
  expect(await fetchText(page, `${address.replace('/@', '/new/@')}/files`)).toMatch(/^404 /);
});
