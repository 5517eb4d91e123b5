import { expect } from '@playwright/test';
import { startFirefox, type Firefox } from '@vitrine/testing/firefox';
import type { BrowserContext, ElementHandle, Frame, HTTPRequest, Page } from 'puppeteer-core';
import { importLazily, lazyImports, lazyScripts, scriptName } from './rig/lazy-scripts.ts';
import { findControl } from './rig/find-control.ts';
import { getEmail, getPassword, test } from './rig/test-user.ts';
import { withEmptyLog, type TestServer } from '@vitrine/testing/server';

/** Generous, because Firefox is slow next to a test in Chromium. */
const patience = 30_000;

let server: TestServer;
let firefox: Firefox;
/** Console errors, uncaught errors and requests to other hosts, of every page of a test. */
let complaints: string[];

test.describe.configure({ timeout: 120_000 });
test.beforeAll(async ({ sharedServer }) => {
  server = withEmptyLog(sharedServer);
  firefox = await startFirefox();
});
test.afterAll(() => firefox.close());
test.beforeEach(() => {
  complaints = [];
});
test.afterEach(() => {
  expect(complaints).toEqual([]);
  expect(server.log.filter((line) => / (error|warn) /.test(line))).toEqual([]);
});

async function openPage(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`uncaught: ${String(error)}`));
  page.on('request', noteForeign);
  await page.goto(address);
  return page;
}

function noteForeign(request: HTTPRequest): void {
  const url = new URL(request.url());
  const isOurs =
    /^(.*\.)?vitrine(-preview)?\.localhost$/.test(url.hostname) &&
    url.port === new URL(server.address).port;
  if (!isOurs && url.protocol.startsWith('http')) complaints.push(`request to ${url.origin}`);
}

/**
 * Waits for a control with this role and name. Form fields are found only by their name
 * attribute.
 */
async function find(page: Page, role: string | null, name: string): Promise<ElementHandle> {
  let found: ElementHandle | null = null;
  await expect
    .poll(async () => (found = await findNow(page, role, name)) !== null, {
      message: `${role ?? 'field'} ${name}`,
      timeout: patience,
    })
    .toBe(true);
  if (!found) throw new Error(`no ${role ?? 'field'} ${name}`);
  return found;
}

/** Puppeteer's search by accessible name walks the whole tree in Firefox, which takes a second. */
async function findNow(page: Page, role: string | null, name: string) {
  const handle = await page.evaluateHandle(findControl, role, name);
  return handle.asElement() as ElementHandle | null;
}

async function press(page: Page, role: string, name: string): Promise<void> {
  await (await find(page, role, name)).click();
}

async function retype(page: Page, path: string, text: string): Promise<void> {
  await press(page, 'tab', path);
  await press(page, 'textbox', `Editor: ${path}`);
  await page.keyboard.down('Control');
  await page.keyboard.press('KeyA');
  await page.keyboard.up('Control');
  await page.keyboard.press('Delete');
  // In one edit, as pasted, because an incomplete statement would run and fail.
  await page.evaluate((whole) => document.execCommand('insertText', false, whole), text);
}

const textOf = async (page: Page, role: string, name: string) =>
  (await find(page, role, name)).evaluate((element) => element.textContent);

/** Fills in and submits the form to create an account. */
async function createAccount(page: Page, name: string): Promise<void> {
  for (const [label, text] of [
    ['Email', getEmail(name)],
    ['Username', name],
    ['Password', getPassword(name)],
  ] as const)
    await (await find(page, null, label)).type(text);
  await press(page, 'button', 'Create account');
}

/** Signs up to save a draft, and waits for the project. */
async function signUp(page: Page, name: string): Promise<void> {
  await createAccount(page, name);
  const project = new RegExp(`/@${name}/[a-z0-9]{16}$`);
  await expect.poll(() => page.url(), { timeout: patience }).toMatch(project);
}

/** The text of a preview; "" while there is none. */
async function readResult(page: Page, title = 'Result'): Promise<string> {
  const element = await page.$(`iframe[title="${title}"]`);
  const frame: Frame | null | undefined = await element?.contentFrame();
  try {
    return (await frame?.evaluate(() => document.body.innerText)) ?? '';
  } catch {
    // The frame was replaced during the evaluation.
    return '';
  }
}

const expectResult = (page: Page, text: string) =>
  expect.poll(() => readResult(page), { timeout: patience }).toContain(text);
const expectSaved = (page: Page, state: string) =>
  expect.poll(() => textOf(page, 'status', 'Save state'), { timeout: patience }).toBe(state);

async function startDraft(context: BrowserContext): Promise<Page> {
  const page = await openPage(context, server.address);
  await expect.poll(() => readResult(page), { timeout: patience }).not.toBe('');
  await press(page, 'link', 'New project');
  await press(page, 'button', 'HTML, CSS, JS');
  await find(page, 'textbox', 'Editor: index.html');
  await expectResult(page, 'Make something');
  return page;
}

test(
  'in Firefox, a new user types, sees it run, saves, and another opens the link',
  { tag: '@journey' },
  async () => {
    const page = await startDraft(await firefox.browser.createBrowserContext());
    await retype(page, 'index.html', '<title>Mine</title>Made in Firefox');
    await expectResult(page, 'Made in Firefox');
    await page.keyboard.type(' by keys');
    await expectResult(page, 'Made in Firefox by keys');
    await expectSaved(page, 'Draft (this device only)');

    await press(page, 'button', 'Share');
    await press(page, 'button', 'Save as public');
    await signUp(page, 'fay');
    await expectSaved(page, 'Saved');
    await expectResult(page, 'Made in Firefox by keys');
    await press(page, 'textbox', 'Editor: index.html');
    await page.keyboard.press('End');
    await page.keyboard.type(' to the last');
    await page.reload();
    await expectResult(page, 'Made in Firefox by keys to the last');

    const elsewhere = await firefox.browser.createBrowserContext();
    const other = await openPage(elsewhere, page.url());
    await expectResult(other, 'Made in Firefox');
    await elsewhere.close();
    await page.close();
  },
);

test('in Firefox, a dropped picture runs in a draft, is saved, and is seen by another', async () => {
  const page = await startDraft(await firefox.browser.createBrowserContext());
  await press(page, 'button', 'Files');
  await find(page, 'treeitem', 'index.html');
  await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(40, 30);
    canvas.getContext('2d')?.fillRect(0, 0, 40, 30);
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([await canvas.convertToBlob()], 'logo.png'));
    const tree = document.querySelector('[role="tree"]');
    for (const type of ['dragover', 'drop'])
      tree?.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  });
  await find(page, 'treeitem', 'logo.png');
  const html =
    '<img src="logo.png" alt="" onload="document.body.append(`width ${this.naturalWidth}`)">';
  await retype(page, 'index.html', html);
  await expectResult(page, 'width 40');

  await press(page, 'button', 'Share');
  await press(page, 'button', 'Save as public');
  await signUp(page, 'flo');
  await expectSaved(page, 'Saved');
  const elsewhere = await firefox.browser.createBrowserContext();
  const other = await openPage(elsewhere, page.url());
  await expectResult(other, 'width 40');
  await elsewhere.close();
  await page.close();
});

test('in Firefox, an owner saves a version, reads what changed since, runs both and restores it', async () => {
  const page = await startDraft(await firefox.browser.createBrowserContext());
  await retype(page, 'index.html', '<title>Mine</title>First');
  await expectResult(page, 'First');
  await press(page, 'button', 'Share');
  await press(page, 'button', 'Save as public');
  await signUp(page, 'fern');
  await expectSaved(page, 'Saved');

  await press(page, 'button', 'History');
  await press(page, 'button', 'Save version…');
  await press(page, 'button', 'Save version');
  await find(page, 'status', 'Save state');
  const summary = () => page.$('[aria-label="Versions"] [aria-expanded]');
  await expect.poll(summary, { timeout: patience }).not.toBeNull();
  await retype(page, 'index.html', '<title>Mine</title>Second');
  await expectSaved(page, 'Saved');
  await (await summary())?.click();

  await press(page, 'button', 'Compare');
  await press(page, 'button', 'index.html Modified');
  const after = 'Editor: index.html (version 1), compared with index.html (current version)';
  await find(page, 'textbox', after);
  await press(page, 'button', 'Compare previews');
  for (const [title, text] of [
    ['Result of version 1', 'First'],
    ['Result of current version', 'Second'],
  ] as const)
    await expect.poll(() => readResult(page, title), { timeout: patience }).toContain(text);
  await page.keyboard.press('Escape');

  await press(page, 'button', 'All versions');
  await expect.poll(summary, { timeout: patience }).not.toBeNull();
  await (await summary())?.click();
  await press(page, 'button', 'Restore');
  const confirm = () =>
    page.evaluate(() => {
      const buttons = document.querySelectorAll<HTMLElement>('[role=dialog] button');
      const found = [...buttons].find(({ textContent }) => textContent === 'Restore');
      found?.click();
      return found !== undefined;
    });
  await expect.poll(confirm, { timeout: patience }).toBe(true);
  await expect.poll(() => page.$('[role=dialog]'), { timeout: patience }).toBeNull();
  // The diff is open.
  await press(page, 'tab', 'index.html');
  await expect
    .poll(() => textOf(page, 'textbox', 'Editor: index.html'), { timeout: patience })
    .toContain('First');
  await expectResult(page, 'First');
  await expectSaved(page, 'Saved');
  await page.close();
});

/** The sandbox tests show that a loop freezes nothing in Firefox. */
test(
  'in Firefox, an infinite loop leaves the editor responsive, and a fix restarts the preview',
  { tag: '@long' },
  async () => {
    const page = await startDraft(await firefox.browser.createBrowserContext());
    await retype(page, 'script.js', 'for (;;);');
    await find(page, 'button', 'Stop');
    await page.keyboard.type(' // alive');
    expect(await textOf(page, 'textbox', 'Editor: script.js')).toContain('// alive');
    await retype(page, 'script.js', 'document.body.textContent = "Back again"');
    await expectResult(page, 'Back again');
    await page.close();
  },
);

test(
  'in Firefox, the React template runs with our packages, and updates on an edit',
  { tag: '@long' },
  async () => {
    const page = await openPage(
      await firefox.browser.createBrowserContext(),
      `${server.address}/new`,
    );
    await press(page, 'button', 'React');
    await expectResult(page, 'Count: 0');
    const result = await (await page.$('iframe[title="Result"]'))?.contentFrame();
    await result?.evaluate(() => document.querySelector('button')?.click());
    await expectResult(page, 'Count: 1');
    await retype(page, 'App.tsx', reactApp);
    await expectResult(page, 'Twice: 2');
    await page.close();
  },
);

const reactApp = `import { useEffect, useState } from 'react';

export function App() {
  const [count, setCount] = useState(1);
  useEffect(() => setCount(2), []);
  return <p>Twice: {count}</p>;
}
`;

const valueOf = async (page: Page, name: string) =>
  (await find(page, null, name)).evaluate((element) =>
    element instanceof HTMLInputElement ? element.value : '',
  );
const expectText = (page: Page, text: string) =>
  expect
    .poll(() => page.evaluate(() => document.body.innerText), { timeout: patience })
    .toContain(text);

test('in Firefox, a new user accepts an invitation link and edits with the owner', async () => {
  const page = await startDraft(await firefox.browser.createBrowserContext());
  await retype(page, 'index.html', '<title>Mine</title>From the owner');
  await expectResult(page, 'From the owner');
  await press(page, 'button', 'Share');
  await press(page, 'button', 'Save as unlisted');
  await signUp(page, 'finn');
  await expectSaved(page, 'Saved');
  await press(page, 'button', 'Share');
  await press(page, 'button', 'Create link');
  const link = await valueOf(page, 'Invitation link');
  expect(link).toContain('/invitations/');
  await page.keyboard.press('Escape');

  const other = await openPage(await firefox.browser.createBrowserContext(), link);
  await expectText(other, 'finn invited you to edit');
  await press(other, 'link', 'Create an account');
  await createAccount(other, 'flora');
  await press(other, 'button', 'Accept');
  await expect.poll(() => other.url(), { timeout: patience }).toBe(page.url());
  await retype(other, 'index.html', '<title>Mine</title>From the editor');
  await expectSaved(other, 'Saved');
  // A preview in a background tab waits.
  await page.bringToFront();
  await expectResult(page, 'From the editor');
  await other.close();
  await page.close();
});

test('in Firefox, projects are searched, tagged, moved to the trash and restored', async () => {
  const page = await startDraft(await firefox.browser.createBrowserContext());
  await retype(page, 'index.html', '<title>Mine</title>Needle in Firefox');
  await expectResult(page, 'Needle in Firefox');
  await press(page, 'button', 'Share');
  await press(page, 'button', 'Save as unlisted');
  await signUp(page, 'fred');
  await expectSaved(page, 'Saved');

  await page.goto(`${server.address}/work`);
  await (await find(page, null, 'Search projects')).type('needle');
  await expect
    .poll(() => textOf(page, 'status', 'Number of projects'), { timeout: patience })
    .toContain('1 project found');
  await (await find(page, null, 'Select Untitled project')).click();
  await press(page, 'button', 'Edit tags');
  await (await find(page, null, 'Add a tag')).type('art');
  await page.keyboard.press('Enter');
  await find(page, 'button', 'Remove art');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.$('[role="dialog"]'), { timeout: patience }).toBeNull();
  await find(page, 'link', '#art');
  await press(page, 'button', 'Move to trash');
  await expectText(page, 'No projects match.');

  await press(page, 'link', 'Trash1');
  await press(page, 'button', 'Restore Untitled project');
  await expectText(page, 'The trash is empty.');
  await page.goto(`${server.address}/work?tag=art`);
  await find(page, 'link', 'Untitled project');
  await page.close();
});

test('in Firefox, every script that loads later is loaded again after a refused request', async () => {
  const context = await firefox.browser.createBrowserContext();
  const page = await openPage(context, `${server.address}/auth/sign-in`);
  const requests = new Map<string, number>();
  page.on('request', (request) => {
    const name = scriptName(request.url());
    const count = requests.get(name ?? '') ?? 0;
    if (name !== undefined) requests.set(name, count + 1);
    const isRefused = name !== undefined && lazyScripts.includes(name) && count === 0;
    void (isRefused ? request.abort('connectionrefused') : request.continue());
  });
  await page.setRequestInterception(true);
  expect(await page.evaluate(importLazily, lazyImports)).toEqual([]);
  expect(lazyScripts.filter((name) => (requests.get(name) ?? 0) < 2)).toEqual([]);
  await page.close();
  complaints = complaints.filter((line) => !/failed to load|Loading/i.test(line));
});
