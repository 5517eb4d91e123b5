import { readFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, type Browser, type Page, type Route } from '@playwright/test';
import { parseSingleFile } from '@vitrine/sandbox/single-file-format';
import { startFirefox } from '@vitrine/testing/firefox';
import { makeZip, type ZipEntry } from '@vitrine/testing/zip-archive';
import { findViolations } from '../rig/axe.ts';
import { createPng } from '../rig/png.ts';
import {
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

let ann: TestUser;
let page: Page;
let desktop: string;

test.beforeEach(async ({ browser, sharedServer }) => {
  ann = await newVisitor(browser, sharedServer);
  page = ann.page;
  desktop = await mkdtemp(join(tmpdir(), 'vitrine-desktop-'));
});
test.afterEach(() => rm(desktop, { recursive: true }));

const dialog = () => page.getByRole('dialog', { name: 'Download', exact: true });

/** A site that reads its files in most of the ways a page can. */
const site: readonly ZipEntry[] = [
  {
    name: 'index.html',
    content: `<!doctype html>
<title>Birds</title>
<link rel="stylesheet" href="css/style.css">
<h1>Birds</h1>
<img id="logo" src="img/logo.png" alt="">
<img id="made" alt="">
<a href="pages/about.html?from=home#end">About</a>
<iframe src="pages/about.html" title="About"></iframe>
<p id="said"></p>
<script>window.said = "</scr" + "ipt><b>";</script>
<script type="module" src="js/main.js"></script>`,
  },
  {
    name: 'pages/about.html',
    content: `<!doctype html><title>About birds</title><h1>About</h1>
<a href="../">Home</a><script>document.querySelector('h1').append(location.search, location.hash)</script>`,
  },
  {
    name: 'css/style.css',
    content: 'h1 { color: rgb(1, 2, 3); background: url("../img/logo.png") }',
  },
  { name: 'img/logo.png', content: createPng(40, 30) },
  { name: 'data/birds.json', content: '{"birds": ["wren", "</script><!-- <script>"]}' },
  {
    name: 'js/main.js',
    content: `import { shout } from './shout.js';
import birds from '../data/birds.json' with { type: 'json' };
const said = document.querySelector('#said');
const say = (word) => { said.textContent += word + ' '; };
say(shout('hi'));
say((await (await fetch('data/birds.json')).json()).birds[1]);
say(birds.birds[0]);
say((await import('./later.js')).default);
const worker = new Worker('js/worker.js', { type: 'module' });
worker.onmessage = ({ data }) => say(data);
document.querySelector('#made').src = 'img/logo.png';
say(window.said);
`,
  },
  { name: 'js/shout.js', content: 'export const shout = (word) => word.toUpperCase();' },
  { name: 'js/later.js', content: "export default 'later';" },
  {
    name: 'js/worker.js',
    content: `import { shout } from './shout.js';
const { birds } = await (await fetch('../data/birds.json')).json();
postMessage('worker:' + shout(birds[0]));`,
  },
  { name: "odd names/ä #1 %41 & 'q'.txt", content: '\r\nline\r\n\u0000\u2028</script>' },
  { name: 'empty.txt', content: '' },
];

async function openDownload(): Promise<void> {
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Download' }).click();
  await expect(dialog()).toBeVisible();
}

/** Downloads the open project, and returns the file's path. */
async function save(action: string, name: string): Promise<string> {
  const download = page.waitForEvent('download');
  await openDownload();
  await dialog().getByRole('button', { name: action }).click();
  const path = join(desktop, name);
  await (await download).saveAs(path);
  await page.keyboard.press('Escape');
  await expect(dialog()).toBeHidden();
  return path;
}

async function importFile(path: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Import' }).click();
  await page.getByRole('button', { name: 'Choose files' }).click();
  await (await chooser).setFiles(path);
  await page.getByRole('dialog').getByRole('button', { name: 'Open' }).click();
  await page.waitForURL(/\/draft\/[a-z0-9]+$/);
  await expect(page.getByRole('textbox', { name: /^Editor: / }).first()).toBeVisible();
}

async function openSite(address: string): Promise<void> {
  await page.goto(address);
  const zip = join(desktop, 'birds.zip');
  await writeFile(zip, makeZip(site));
  await importFile(zip);
}

/** Opens a file from disk in a context without a network. Returns what its console reported. */
async function openOffline(browser: Browser, path: string) {
  const context = await browser.newContext({ offline: true });
  const complaints: string[] = [];
  context.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  context.on('weberror', (report) => complaints.push(report.error().message));
  const opened = await context.newPage();
  await opened.goto(pathToFileURL(path).href);
  return { opened, complaints };
}

const message = 'HI </script><!-- <script> wren later </script><b> worker:WREN';

test('one HTML file shows the same from disk, offline', async ({ browser, sharedServer }) => {
  await openSite(sharedServer.address);
  const path = await save('Download HTML file', 'birds.html');
  const { opened, complaints } = await openOffline(browser, path);
  await expect(opened.locator('#said')).toHaveText(message);
  await expect(opened.locator('h1')).toHaveCSS('color', 'rgb(1, 2, 3)');
  for (const id of ['#logo', '#made'])
    await expect.poll(() => opened.locator(id).evaluate(getWidth)).toBe(40);
  await expect(opened.frameLocator('iframe').locator('h1')).toHaveText(/^About/);
  await opened.getByRole('link', { name: 'About' }).click();
  await expect(opened.locator('h1')).toContainText('from=home#end');
  await expect(opened).toHaveTitle('About birds');
  await opened.getByRole('link', { name: 'Home' }).click();
  await expect(opened.locator('#said')).toHaveText(message);
  expect(complaints).toEqual([]);
});

const getWidth = (element: Element) =>
  element instanceof HTMLImageElement ? element.naturalWidth : -1;

test('one HTML file has the classic scripts of packages', async ({ browser, sharedServer }) => {
  await startDraft(ann, sharedServer, 'd3');
  await rewrite(
    ann,
    'index.html',
    `<!doctype html><title>Classic</title><p id="kind"></p>
<script src="node_modules/d3/dist/d3.min.js"></script>
<script>document.querySelector('#kind').textContent = typeof d3.select;</script>`,
  );
  await expect(ann.preview().locator('#kind')).toHaveText('function');
  const path = await save('Download HTML file', 'd3.html');
  const { opened, complaints } = await openOffline(browser, path);
  await expect(opened.locator('#kind')).toHaveText('function');
  expect(complaints).toEqual([]);
});

test('one HTML file opens again with the same files, and in Firefox', async ({ sharedServer }) => {
  await openSite(sharedServer.address);
  const path = await save('Download HTML file', 'birds.html');
  const html = await readFile(path, 'utf8');
  expect(readContents(html)).toEqual(
    new Map(site.map(({ name, content = '' }) => [name, Buffer.from(content)])),
  );
  expect(html).not.toContain(new URL(sharedServer.address).host);

  await page.goto(sharedServer.address);
  await importFile(path);
  const again = await readFile(await save('Download HTML file', 'again.html'), 'utf8');
  expect(readContents(again)).toEqual(readContents(html));

  const firefox = await startFirefox();
  try {
    const opened = await firefox.browser.newPage();
    await opened.goto(pathToFileURL(path).href);
    await expect
      .poll(() => opened.evaluate(() => document.querySelector('#said')?.textContent?.trim()), {
        timeout: 20_000,
      })
      .toBe(message);
  } finally {
    await firefox.close();
  }
});

function readContents(html: string): Map<string, Buffer> {
  const files = parseSingleFile(html)?.files ?? [];
  return new Map(files.map(([path, content]) => [path, Buffer.from(content)]));
}

for (const [template, heading] of [
  ['react', /./],
  ['vue', /./],
  ['svelte', /./],
  ['tailwind', /./],
  ['markdown', /./],
] as const)
  test(`the ${template} template works from disk as one HTML file`, async ({
    browser,
    sharedServer,
  }) => {
    await startDraft(ann, sharedServer, template);
    await expect(ann.preview().locator('h1, h2, button').first()).toHaveText(heading);
    const path = await save('Download HTML file', `${template}.html`);
    const { opened, complaints } = await openOffline(browser, path);
    const shown = await ann.preview().locator('body').innerText();
    await expect.poll(() => opened.locator('body').innerText()).toBe(shown);
    expect(complaints).toEqual([]);
    if (/react|vue|svelte/.test(template))
      expect(await readFile(path, 'utf8')).toContain('Permission is hereby granted');
  });

test('a version’s page downloads that version, and a stranger only what they may see', async ({
  browser,
  sharedServer,
}) => {
  ann = await newSignedInUser(browser, sharedServer, uniqueName('ann'));
  page = ann.page;
  await startDraft(ann, sharedServer, 'html');
  const address = await saveDraft(ann);
  await makePublic(ann);
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Save version…' }).click();
  await expect(page.getByRole('textbox', { name: 'What changed?' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('list', { name: 'Versions' }).getByRole('listitem')).toHaveCount(1);
  await rewrite(ann, 'index.html', '<h1>Edited since</h1>');
  await expect(ann.saveState()).toHaveText('Saved');

  const zoe = await newVisitor(browser, sharedServer);
  await zoe.page.setViewportSize({ width: 390, height: 844 });
  await zoe.page.goto(`${address}/v/1`);
  await zoe.page.getByRole('button', { name: 'Download', exact: true }).click();
  const event = zoe.page.waitForEvent('download');
  await zoe.page.getByRole('button', { name: 'Download HTML file' }).click();
  const path = join(desktop, 'version.html');
  await (await event).saveAs(path);
  const contents = readContents(await readFile(path, 'utf8'));
  expect(String(contents.get('index.html'))).toContain('Make something');
  await zoe.page.keyboard.press('Escape');
  expect(await zoe.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(
    true,
  );
});

test('a download says what it does, and Cancel ends it', async ({ sharedServer }) => {
  const downloads: string[] = [];
  page.on('download', (download) => downloads.push(download.suggestedFilename()));
  await startDraft(ann, sharedServer, 'react');
  await expect(ann.preview().locator('h1')).toBeVisible();
  const licenses = '**/npm/-/licenses*';
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const hold = async (route: Route) => {
    asked.resolve();
    await answer.promise;
    await route.continue();
  };
  await page.route(licenses, hold, { times: 1 });
  await openDownload();
  await dialog().getByRole('button', { name: 'Download HTML file' }).click();
  await asked.promise;
  await expect(dialog().getByRole('status', { name: 'Download' })).toHaveText(/^[A-Z].*…/);
  await expect(dialog().getByRole('button', { name: 'Download zip' })).toBeDisabled();
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog().getByRole('status', { name: 'Download' })).toBeEmpty();
  answer.resolve();
  await page.keyboard.press('Escape');
  await save('Download HTML file', 'react.html');
  expect(downloads).toHaveLength(1);
});

test('a download that fails says why, and works once repeated', async ({ sharedServer }) => {
  await startDraft(ann, sharedServer, 'react');
  await expect(ann.preview().locator('h1')).toBeVisible();
  const licenses = '**/npm/-/licenses*';
  await page.route(licenses, (route) => route.abort('internetdisconnected'));
  await openDownload();
  await dialog().getByRole('button', { name: 'Download HTML file' }).click();
  await expect(dialog().getByRole('alert')).toContainText('Can’t reach the server');
  await page.unroute(licenses);
  await page.keyboard.press('Escape');
  await save('Download HTML file', 'react.html');
  ann.complaints.length = 0;
});

test('lists what can’t be downloaded, and the dialog works by keyboard and on a phone', async ({
  sharedServer,
}) => {
  await startDraft(ann, sharedServer, 'empty');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('button', { name: 'Download', exact: true }).press('Enter');
  await expect(dialog()).toBeVisible();
  expect(await findViolations(page, { within: '[role=dialog]' })).toEqual([]);
  const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
  expect(await fits()).toBe(true);
  await dialog().getByRole('button', { name: 'Copy as Markdown' }).press('Enter');
  await expect(dialog().getByRole('status')).toContainText('Copied to the clipboard.');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain('## `index.html`\n\n```html\n');
});
