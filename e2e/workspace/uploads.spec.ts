import { createHash } from 'node:crypto';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import { createPng } from '../rig/png.ts';
import { suspend } from '../rig/session.ts';
import {
  dropFromDesktop,
  expectComplaints,
  expectQuiet,
  makePublic,
  newSignedInUser,
  newVisitor,
  openAnotherTab,
  retype,
  rewrite,
  saveDraft,
  startDraft,
  test,
  uniqueName,
  type TestUser,
} from '../rig/test-user.ts';
import { showPanel } from '../user/user-page.ts';

let name: string;
let sam: TestUser;
let page: Page;
let desktop: string;

/** Opens a draft of three plain files with its tree, as a signed-in user. */
test.beforeEach(async ({ browser, server }) => {
  name = uniqueName('sam');
  sam = await newSignedInUser(browser, server, name);
  page = sam.page;
  await startDraft(sam, server, 'html');
  await page.getByRole('button', { name: 'Files', exact: true }).click();
  desktop = await mkdtemp(join(tmpdir(), 'vitrine-desktop-'));
});
test.afterEach(() => rm(desktop, { recursive: true }));

const tree = () => page.getByRole('tree', { name: 'Files' });
const row = (path: string) => tree().getByRole('treeitem', { name: path, exact: true });
const uploads = () => page.getByRole('region', { name: 'Uploads' });
/** Requests that upload bytes. */
const storage = /\/storage\/v1\/object\/assets\//;

/** Writes files on the desktop. Returns their paths. */
function writeFiles(files: Readonly<Record<string, Uint8Array | string>>): Promise<string[]> {
  return Promise.all(
    Object.entries(files).map(async ([name, content]) => {
      await writeFile(join(desktop, name), content);
      return join(desktop, name);
    }),
  );
}

async function drop(files: Readonly<Record<string, Uint8Array | string>>): Promise<void> {
  await dropFromDesktop(page, tree(), await writeFiles(files));
}

const widthOf = (picture: Locator) =>
  picture.evaluate((element) => (element instanceof HTMLImageElement ? element.naturalWidth : -1));

test(
  'a dropped picture runs in the draft, is saved, and is seen by a visitor',
  { tag: '@journey' },
  async ({ browser, server }) => {
    const picture = createPng(40, 30);
    await drop({ 'logo.png': picture });
    await expect(row('logo.png')).toBeVisible();
    await expect(page.getByText(/^image\/png · 40 × 30 · \d+ B$/)).toBeVisible();
    await rewrite(sam, 'index.html', '<h1>Birds</h1><img id="logo" src="logo.png" alt="Logo">');
    await rewrite(sam, 'style.css', 'h1 { background: url(logo.png) }');
    const logo = () => sam.preview().locator('#logo');
    await expect.poll(() => widthOf(logo())).toBe(40);
    await expect(sam.saveState()).toHaveAttribute('data-status', 'draft-saved-locally');
    await page.reload();
    await expect.poll(() => widthOf(logo())).toBe(40);

    // A rename updates the references.
    await row('logo.png').press('F2');
    await page.getByRole('textbox', { name: 'Rename logo.png' }).fill('img/my bird.png');
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'index.html' }).click();
    await expect(sam.editor('index.html')).toContainText('src="img/my%20bird.png"');
    await page.getByRole('tab', { name: 'style.css' }).click();
    await expect(sam.editor('style.css')).toContainText('url(img/my%20bird.png)');
    await expect.poll(() => widthOf(logo())).toBe(40);

    const address = await saveDraft(sam);
    await expect.poll(() => widthOf(logo())).toBe(40);
    const download = page.waitForEvent('download');
    await row('img/my bird.png').click();
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    expect((await download).suggestedFilename()).toBe('my bird.png');
    expect(await readFile(await (await download).path())).toEqual(picture);
    await makePublic(sam);

    const visitor = await newVisitor(browser, server);
    for (const at of [address, `${address}/full`]) {
      await visitor.page.goto(at);
      await expect.poll(() => widthOf(visitor.preview().locator('#logo'))).toBe(40);
    }
    // From an edit on, the page has the bytes from the storage.
    await visitor.page.goto(address);
    await retype(
      visitor,
      'index.html',
      '<p>Mine</p><img id="logo" src="img/my%20bird.png" alt="">',
    );
    await expect(visitor.preview().getByText('Mine')).toBeVisible();
    await expect.poll(() => widthOf(visitor.preview().locator('#logo'))).toBe(40);
    expectQuiet(server, sam, visitor);
  },
);

test('files keep their bytes, and those that can’t be added are named and not read', async ({
  server,
}) => {
  const latin = Buffer.from('caf\xe9;b\r\n', 'latin1');
  const paths = await writeFiles({
    'latin.csv': latin,
    'windows.csv': 'a;b\r\nc;d\r\n',
    'unix.csv': 'a;b\n',
    'code.js': 'let a;\r\nlet b;\r\n',
    'tool.png': Buffer.from('\x7fELF\x02\x01\x01\0', 'latin1'),
  });
  const film = join(desktop, 'film.mp4');
  const handle = await open(film, 'w');
  // Sparse, so that only reading it would take time.
  await handle.truncate(200 * 1024 * 1024);
  await handle.close();
  await dropFromDesktop(page, tree(), [...paths, film]);
  const alert = (text: string) => page.getByRole('alert').filter({ hasText: text });
  await expect(alert('can’t be larger than 10 MB')).toContainText('film.mp4');
  await expect(alert('Executable files can’t be added')).toContainText('tool.png');
  await row('code.js').click();
  await expect(sam.editor('code.js')).toContainText('let b;');
  await row('unix.csv').click();
  await expect(sam.editor('unix.csv')).toContainText('a;b');
  await row('latin.csv').click();
  await expect(page.getByText('text/csv · 8 B')).toBeVisible();
  await expect(page.getByLabel('Contents')).toHaveValue(/^café;b/);
  await rewrite(
    sam,
    'script.js',
    `const bytesOf = async (path) => [...new Uint8Array(await (await fetch(path)).arrayBuffer())];
document.body.textContent = (await Promise.all(['latin.csv', 'windows.csv'].map(bytesOf))).join(' | ');`,
  );
  await rewrite(sam, 'index.html', '<script type="module" src="script.js"></script>');
  const expected = [latin, Buffer.from('a;b\r\nc;d\r\n')].map((bytes) => [...bytes].join());
  await expect(sam.preview().locator('body')).toHaveText(expected.join(' | '));
  expect(await tree().getByRole('treeitem').count()).toBe(7);
  expectQuiet(server, sam);
});

test('an upload waits for the connection, also after a reload, and can be canceled', async ({
  server,
}) => {
  await saveDraft(sam);
  const broken = Promise.withResolvers<void>();
  await sam.context.route(storage, async (route) => {
    await broken.promise;
    await route.abort('connectionreset');
  });
  await drop({ 'a.png': createPng(8, 8), 'b.png': createPng(9, 9) });
  await expect(uploads().getByRole('progressbar')).toHaveCount(2);
  broken.resolve();
  await expect(uploads().getByText('Waiting for connection', { exact: true })).toHaveCount(2);
  await expect(uploads().getByRole('status')).toHaveText('2 files waiting for connection');
  await expect(row('a.png')).toBeHidden();
  // Texts are saved meanwhile.
  await rewrite(sam, 'index.html', '<p>Saved</p>');
  await expect(sam.saveState()).toHaveText('Saved');
  await page.reload();
  await expect(uploads().getByText('Waiting for connection', { exact: true })).toHaveCount(2);
  await uploads().getByRole('button', { name: 'Cancel b.png' }).click();
  await expect(uploads().getByRole('listitem')).toHaveCount(1);
  await sam.context.unroute(storage);
  // It may also be retried by itself first.
  const retry = uploads().getByRole('button', { name: 'Retry a.png' });
  await retry.or(row('a.png')).first().click();
  await expect(row('a.png')).toBeVisible();
  await expect(uploads()).toBeHidden();
  await expect(sam.saveState()).toHaveText('Saved');
  await page.reload();
  await expect(row('a.png')).toBeVisible();
  await row('a.png').click();
  await expect(page.getByText('image/png · 8 × 8')).toBeVisible();
  await expect(row('b.png')).toBeHidden();
  await expect(uploads()).toBeHidden();
  await expectComplaints(sam, /ERR_CONNECTION_RESET/);
  expectQuiet(server, sam);
});

test('of two tabs, one finishes an upload, and the other one continues it if that is closed', async ({
  server,
}) => {
  const address = await saveDraft(sam);
  const held = Promise.withResolvers<void>();
  const sent: string[] = [];
  await sam.context.route(storage, async (route, request) => {
    if (request.method() === 'POST') sent.push(request.url());
    await held.promise;
    await route.continue();
  });
  await drop({ 'a.png': createPng(8, 8) });
  await expect(uploads().getByRole('progressbar', { name: 'a.png' })).toBeVisible();
  const other = await openAnotherTab(sam);
  await other.page.goto(address);
  await expect(other.saveState()).toHaveText('Saved');
  const isWaiting = () =>
    other.page.evaluate(async () =>
      (await navigator.locks.query()).pending?.some(({ name }) =>
        name?.startsWith('vitrine-upload'),
      ),
    );
  await expect.poll(isWaiting).toBe(true);
  held.resolve();
  await expect(row('a.png')).toBeVisible();
  await expect.poll(isWaiting).toBe(false);
  await expect(sam.saveState()).toHaveText('Saved');
  expect(sent).toHaveLength(1);

  await sam.context.unroute(storage);
  await sam.context.route(storage, (route) => route.abort());
  await drop({ 'b.png': createPng(9, 9) });
  await expect(uploads().getByText('Waiting for connection', { exact: true })).toBeVisible();
  await other.page.reload();
  await expect.poll(isWaiting).toBe(true);
  await sam.context.unroute(storage);
  await page.close();
  const files = other.page.getByRole('tree', { name: 'Files' });
  await expect(files.getByRole('treeitem', { name: 'b.png', exact: true })).toBeVisible();
  await expect(files.getByRole('treeitem', { name: /\.png$/ })).toHaveCount(2);
  await expect(other.saveState()).toHaveText('Saved');
  await expectComplaints(sam, /ERR_FAILED/);
  expectQuiet(server, sam);
});

test('the focus stays in the list of uploads, and then on the page', async ({ server }) => {
  await saveDraft(sam);
  await sam.context.route(storage, (route) => route.abort());
  await drop({ 'a.png': createPng(8, 8), 'b.png': createPng(9, 9) });
  await expect(uploads().getByText('Waiting for connection', { exact: true })).toHaveCount(2);
  const cancel = (path: string) => uploads().getByRole('button', { name: `Cancel ${path}` });
  await cancel('b.png').press('Enter');
  await expect(cancel('a.png')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(uploads()).toBeHidden();
  await expect(page.getByRole('main')).toBeFocused();
  await expectComplaints(sam, /ERR_FAILED/);
  expectQuiet(server, sam);
});

test('shows a suspended user why an upload fails, and keeps it', async ({ server }) => {
  await saveDraft(sam);
  await suspend(server, name);
  await drop({ 'a.png': createPng(8, 8) });
  await expect(uploads()).toContainText('Your account is suspended.');
  await expect(uploads().getByRole('button', { name: 'Retry a.png' })).toBeVisible();
  await expectComplaints(sam, /400/);
  expectQuiet(server, sam);
});

test('an upload shows its progress, and a rejected one why and how to go on', async ({
  server,
}) => {
  await saveDraft(sam);
  const held = Promise.withResolvers<void>();
  await sam.context.route(storage, async (route) => {
    await held.promise;
    await route.fulfill({ status: 400, json: { statusCode: '403', error: 'Unauthorized' } });
  });
  await drop({ 'a.png': createPng(8, 8) });
  await expect(uploads().getByRole('progressbar', { name: 'a.png' })).toBeVisible();
  await expect(uploads().getByRole('status')).toHaveText('Uploading 1 file');
  held.resolve();
  await expect(uploads().getByRole('status')).toHaveText('Couldn’t upload 1 file');
  await expect(uploads()).toContainText('The server rejected this upload.');
  await sam.context.unroute(storage);
  await uploads().getByRole('button', { name: 'Retry a.png' }).focus();
  await page.keyboard.press('Enter');
  await expect(row('a.png')).toBeVisible();
  await expectComplaints(sam, /400/);
  expectQuiet(server, sam);
});

test('a draft whose upload fails stays, names the file, and is saved by the next try', async ({
  server,
}) => {
  const pictures = { 'a.png': createPng(8, 8), 'b.png': createPng(9, 9) };
  await drop(pictures);
  await expect(row('b.png')).toBeVisible();
  const lost = createHash('sha256').update(pictures['b.png']).digest('hex');
  const sent: string[] = [];
  await sam.context.route(storage, (route, request) => {
    if (request.method() === 'POST') sent.push(request.url().slice(-64));
    return request.url().endsWith(lost) ? route.abort() : route.continue();
  });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'couldn’t be uploaded' });
  await expect(alert).toContainText('b.png');
  await expect(alert).not.toContainText('a.png');
  expect(page.url()).toContain('/draft/');
  await expect(uploads()).toBeHidden();
  await sam.context.unroute(storage);
  await sam.context.route(storage, (route, request) => {
    if (request.method() === 'POST') sent.push(request.url().slice(-64));
    return route.continue();
  });
  await saveDraft(sam);
  // What was uploaded before isn't sent again.
  expect(sent.filter((hash) => hash === lost)).toHaveLength(2);
  expect(sent).toHaveLength(3);
  await page.reload();
  await row('b.png').click();
  await expect(page.getByText('image/png · 9 × 9')).toBeVisible();
  await expectComplaints(sam, /ERR_FAILED/);
  expectQuiet(server, sam);
});

test('a picture that the user has uploaded before isn’t sent again', async ({ server }) => {
  const picture = createPng(8, 8);
  await saveDraft(sam);
  await drop({ 'a.png': picture });
  await expect(row('a.png')).toBeVisible();
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && storage.test(request.url())) sent.push(request.url());
  });
  await startDraft(sam, server, 'html');
  await showPanel(sam, 'Files');
  await drop({ 'b.png': picture });
  await expect(row('b.png')).toBeVisible();
  await saveDraft(sam);
  await page.reload();
  await row('b.png').click();
  await expect(page.getByText('image/png · 8 × 8')).toBeVisible();
  expect(sent).toEqual([]);
  expectQuiet(server, sam);
});

/** Copies a picture as a screenshot tool does, and pastes it where the focus is. */
async function pasteScreenshot(picture: Buffer): Promise<void> {
  await sam.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
    const blob = new Blob([bytes], { type: 'image/png' });
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': blob })]);
  }, picture.toString('base64'));
  await page.keyboard.press('ControlOrMeta+V');
}

test('a pasted screenshot is added beside the file and referred to at the cursor', async ({
  server,
}) => {
  await drop({ 'notes.md': '# Notes\n\n' });
  await expect(sam.editor('notes.md')).toBeVisible();
  await saveDraft(sam);
  await sam.editor('notes.md').click();
  await page.keyboard.press('ControlOrMeta+End');
  await pasteScreenshot(createPng(8, 8));
  await expect(row('image.png')).toBeVisible();
  await expect(sam.editor('notes.md')).toContainText('![image](image.png)');
  await page.keyboard.type(' typed after');
  await expect(sam.editor('notes.md')).toContainText('![image](image.png) typed after');

  // The selection stays.
  await page.getByRole('tab', { name: 'index.html' }).click();
  await retype(sam, 'index.html', '<p>Selected</p>');
  await page.keyboard.press('ControlOrMeta+A');
  await pasteScreenshot(createPng(9, 9));
  await expect(row('image-2.png')).toBeVisible();
  await expect(sam.editor('index.html')).toHaveText(
    '<p>Selected</p><img src="image-2.png" alt="">',
  );
  await expect.poll(() => widthOf(sam.preview().locator('img'))).toBe(9);

  // A script can't refer to it.
  await page.getByRole('tab', { name: 'script.js' }).click();
  await retype(sam, 'script.js', 'let a;');
  await pasteScreenshot(createPng(10, 10));
  await expect(row('image-3.png')).toBeVisible();
  await expect(sam.editor('script.js')).toHaveText('let a;');
  await expect(sam.saveState()).toHaveText('Saved');
  expectQuiet(server, sam);
});

test('files with names in any script are shown, saved, and seen by others', async ({
  browser,
  server,
}) => {
  const names = [
    '日本 語.png',
    'صورة.png',
    'שלום.png',
    'u\u0308ber é.png',
    '🐦 100%.png',
    "a#b&'c.png",
  ];
  await drop(Object.fromEntries(names.map((each, index) => [each, createPng(index + 1, 4)])));
  for (const each of names) await expect(row(each.normalize('NFC'))).toBeVisible();
  const pictures = names.map((each) => {
    const url = encodeURIComponent(each.normalize('NFC')).replaceAll("'", '%27');
    return `<img src="${url}" alt="">`;
  });
  await rewrite(sam, 'index.html', pictures.join(''));
  const widths = (at: TestUser) =>
    at
      .preview()
      .locator('img')
      .evaluateAll((found) =>
        found.map((element) => (element instanceof HTMLImageElement ? element.naturalWidth : -1)),
      );
  const expectPictures = async (at: TestUser) =>
    expect(await widths(at)).toEqual(names.map((_, index) => index + 1));
  // The preview may load another document meanwhile.
  const patience = { timeout: 10_000 };
  await expect(() => expectPictures(sam)).toPass(patience);
  const address = await saveDraft(sam);
  await makePublic(sam);
  const visitor = await newVisitor(browser, server);
  await visitor.page.goto(address);
  await expect(() => expectPictures(visitor)).toPass(patience);
  expectQuiet(server, sam, visitor);
});

test('uploads and replaces by keyboard', async ({ server }) => {
  // Before the keys, because the dialog would open before it is intercepted.
  let chooser = page.waitForEvent('filechooser');
  await page.keyboard.press('ControlOrMeta+K');
  await page.getByRole('combobox', { name: 'Command' }).fill('upload');
  await expect(page.getByRole('option').first()).toContainText('Upload');
  await page.keyboard.press('Enter');
  await (await chooser).setFiles(await writeFiles({ 'a.png': createPng(8, 8) }));
  await expect(page.getByText('image/png · 8 × 8')).toBeVisible();
  await rewrite(sam, 'index.html', '<img id="a" src="a.png" alt="">');
  await expect.poll(() => widthOf(sam.preview().locator('#a'))).toBe(8);

  await row('a.png').press('Enter');
  chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Replace…' }).focus();
  await page.keyboard.press('Enter');
  await (await chooser).setFiles(await writeFiles({ 'other name.png': createPng(12, 8) }));
  await expect(page.getByText('image/png · 12 × 8')).toBeVisible();
  await expect.poll(() => widthOf(sam.preview().locator('#a'))).toBe(12);
  await expect(row('other name.png')).toBeHidden();
  await row('a.png').press('ControlOrMeta+z');
  await expect(page.getByText('image/png · 8 × 8')).toBeVisible();
  expectQuiet(server, sam);
});

test('a scripted SVG and a web page disguised as an image run nothing in the app', async ({
  server,
}) => {
  page.on('dialog', (dialog) => {
    throw new Error(`a dialog opened: ${dialog.message()}`);
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20" onload="alert(1)"><script>alert(2)</script></svg>`;
  await drop({
    // UTF-16 isn't stored as text.
    'drawing.svg': Buffer.from(`\uFEFF${svg}`, 'utf16le'),
    'page.png': Buffer.from(`\x89PNG\r\n\x1a\n<script>alert(3)</script>`, 'latin1'),
    'page.gif': 'GIF89a/*<svg/onload=alert(4)>*/=1',
  });
  await row('drawing.svg').click();
  await expect(page.getByText('image/svg+xml · 30 × 20')).toBeVisible();
  await row('page.png').click();
  await expect(page.getByText('Your browser can’t show this file.')).toBeVisible();
  await rewrite(
    sam,
    'index.html',
    '<img id="d" src="drawing.svg" alt=""><img src="page.png" alt="">',
  );
  await expect.poll(() => widthOf(sam.preview().locator('#d'))).toBe(30);
  expectQuiet(server, sam);
});

test('settings show how much storage is used', async ({ server }) => {
  await drop({ 'noise.bin': Buffer.alloc(3 * 1024 * 1024, 1) });
  await expect(row('noise.bin')).toBeVisible();
  await saveDraft(sam);
  await page.goto(`${server.address}/settings/account`);
  const section = page.getByRole('region', { name: 'Storage' });
  await expect(section).toContainText('3 MB of 1 GB used');
  await expect(section.getByRole('meter', { name: 'Storage' })).toBeVisible();
  expectQuiet(server, sam);
});

test('fits a phone', async ({ server }) => {
  await drop({ 'a.png': createPng(2000, 300) });
  await expect(row('a.png')).toBeVisible();
  await saveDraft(sam);
  await page.setViewportSize({ width: 390, height: 844 });
  await sam.context.route(storage, (route) => route.abort());
  await page.reload();
  await page.getByRole('button', { name: 'Files', exact: true }).click();
  await row('a.png').click();
  await expect(page.getByText('image/png · 2000 × 300')).toBeVisible();
  await page.getByRole('button', { name: 'Files', exact: true }).click();
  await page.getByRole('button', { name: 'File actions' }).click();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('menuitem', { name: 'Upload' }).click();
  await (await chooser).setFiles(await writeFiles({ 'b.png': createPng(8, 8) }));
  await expect(uploads()).toContainText('Waiting for connection');
  const box = await uploads().boundingBox();
  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
  await expectComplaints(sam, /ERR_FAILED/);
  expectQuiet(server, sam);
});
