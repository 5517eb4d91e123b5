import { startFakeCodeHosts, type FakeCodeHosts } from '@vitrine/testing/code-hosts';
import { startServer, type TestServer } from '@vitrine/testing/server';
import { makeZip } from '@vitrine/testing/zip-archive';
import { expect } from '@playwright/test';
import { findViolations } from '../rig/axe.ts';
import { createPng } from '../rig/png.ts';
import {
  expectQuiet,
  newVisitor,
  startDraft,
  tabTo,
  test,
  type TestUser,
} from '../rig/test-user.ts';

let hosts: FakeCodeHosts;
let server: TestServer;
let ann: TestUser;

const gist = 'aa5a315d61ae9438b18d';

test.beforeAll(async () => {
  hosts = await startFakeCodeHosts();
  hosts.publish({
    address: 'github.com/ann/birds',
    files: {
      'README.md': '# Birds',
      'demo/index.html':
        '<h1>Birds</h1><img id="logo" src="img/logo.png"><script src="a.js"></script>',
      'demo/a.js': 'document.querySelector("h1").append(" fly")',
      'demo/img/logo.png': createPng(40, 30),
    },
    entries: [{ name: 'demo/passwd', type: '2', link: '/etc/passwd' }],
  });
  hosts.publish({
    address: `gist.github.com/${gist}`,
    files: { 'index.html': '<h1>Gist</h1><link rel="stylesheet" href="a.css">', 'a.css': 'h1 {}' },
  });
  hosts.publishFile(
    'raw.githubusercontent.com/ann/birds/main/App.jsx',
    'export default function App() { return <h1>Robin</h1>; }',
  );
  hosts.publishFile(
    'example.org/site.zip',
    makeZip([{ name: 'site/index.html', content: '<h1>Zip</h1>' }]),
    'application/zip',
  );
  server = await startServer({
    env: { npm_config_registry: 'http://127.0.0.1:9/', IMPORT_MIRROR: hosts.origin },
  });
});
test.afterAll(async () => {
  await server.remove();
  await hosts.close();
});
test.beforeEach(async ({ browser }) => {
  ann = await newVisitor(browser, server);
});
test.afterEach(() => hosts.restore());

const dialog = (name: string) => ann.page.getByRole('dialog', { name, exact: true });
const field = () => dialog('Import').getByRole('textbox', { name: 'Paste code or a link' });
const open = (name: string) => dialog(name).getByRole('button', { name: 'Open', exact: true });

async function pasteLink(link: string): Promise<void> {
  await field().fill(link);
  await open('Import').click();
}

async function openImport(): Promise<void> {
  await ann.page.goto(`${server.address}/new`);
  await ann.page.getByRole('button', { name: 'Import', exact: true }).click();
}

test(
  'a folder of a repository opens at its address behind the host, once it was seen',
  { tag: '@journey' },
  async () => {
    const { page } = ann;
    hosts.requests.length = 0;
    await page.goto(`${server.address}/github.com/ann/birds/tree/main/demo`);
    const summary = dialog('Import demo');
    await expect(summary).toContainText('From demo in github.com/ann/birds at main. 3 files');
    await expect(summary.getByRole('region', { name: 'Files to import' })).toContainText(
      'img/logo.png',
    );
    await expect(summary.getByRole('region', { name: 'Skipped' })).toContainText(
      'passwdSymbolic link',
    );
    // Nothing has run, and the browser asked no other host.
    await expect(page.locator('iframe')).toHaveCount(0);
    await expect(page).toHaveURL(`${server.address}/github.com/ann/birds/tree/main/demo`);
    expect(hosts.requests).toEqual(['codeload.github.com/ann/birds/tar.gz/main']);
    expect(await findViolations(page, { within: '[role=dialog]' })).toEqual([]);

    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
    await expect(page.getByRole('link', { name: /^github\.com\/ann\/birds/ })).toHaveAttribute(
      'href',
      'https://github.com/ann/birds/tree/main/demo',
    );
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show files' }).click();
    await open('Import demo').click();
    await expect(page).toHaveURL(/\/draft\//);
    await expect(ann.preview().getByRole('heading', { name: 'Birds fly' })).toBeVisible();
    await expect(page).toHaveTitle(/demo/);
    expectQuiet(server, ann);
  },
);

test('a gist, a raw file, a zip and a whole repository open', async () => {
  const { page } = ann;
  for (const [address, name, heading] of [
    [`gist.github.com/ann/${gist}`, 'Gist by ann', 'Gist'],
    ['raw.githubusercontent.com/ann/birds/main/App.jsx', 'App.jsx', 'Robin'],
  ] as const) {
    await page.goto(`${server.address}/${address}`);
    await expect(dialog(`Import ${name}`)).toContainText(`From ${address}`);
    await open(`Import ${name}`).click();
    await expect(ann.preview().getByRole('heading', { name: heading })).toBeVisible();
  }
  await openImport();
  await pasteLink('https://example.org/site.zip');
  await expect(dialog('Import site.zip')).toContainText('From example.org/site.zip. 1 file');
  await open('Import site.zip').click();
  await expect(ann.preview().getByRole('heading', { name: 'Zip' })).toBeVisible();

  await openImport();
  await pasteLink('https://github.com/ann/birds');
  await expect(dialog('Import birds')).toContainText('From github.com/ann/birds. 3 files');
  await expect(dialog('Import birds')).toContainText('README.mdOutside the page’s folder');
  expectQuiet(server, ann);
});

test('a pasted link is imported by keyboard, into the open project too', async () => {
  const { page } = ann;
  await startDraft(ann, server, 'html');
  await page.keyboard.press('ControlOrMeta+K');
  await page.getByRole('combobox', { name: 'Command' }).fill('Import');
  await page.keyboard.press('Enter');
  await tabTo(page, field());
  await page.keyboard.insertText(' https://github.com/ann/birds/tree/main/demo \n');
  await expect(dialog('Import')).toContainText('Imports from github.com.');
  await tabTo(page, open('Import'));
  await page.keyboard.press('Enter');
  const merge = dialog('Import demo').getByRole('button', { name: 'Merge' });
  await tabTo(page, merge);
  await page.keyboard.press('Enter');
  await expect(ann.preview().getByRole('heading', { name: 'Birds fly' })).toBeVisible();
});

test('what can’t be imported says why, and keeps the link, on a phone', async () => {
  const { page } = ann;
  await page.setViewportSize({ width: 390, height: 844 });
  await openImport();
  hosts.behave(/ann\/limited/, (response) => {
    response.writeHead(403, { 'x-ratelimit-remaining': '0' }).end('{}');
  });
  hosts.behave(/ann\/gone/, (response) => response.destroy());
  // Two gigabytes, if anyone read on.
  hosts.behave(/ann\/huge/, (response) => {
    response.writeHead(200, { 'content-length': String(2 ** 31) });
    response.flushHeaders();
  });
  for (const [link, message] of [
    ['https://github.com/ann/private', /nothing to import at this link/],
    [`https://gist.github.com/ann/${gist.replace('a', 'b')}`, /private, deleted, or misspelled/],
    ['https://github.com/ann/birds/tree/main/missing', /nothing to import at this link/],
    ['https://github.com/ann/limited', /rate-limiting/],
    ['https://github.com/ann/gone', /couldn’t reach the link’s site/],
    ['https://github.com/ann/huge', /too large to import/],
    ['https://github.com:8443/ann/birds', /Only links to public sites/],
    ['https://ann:secret@github.com/ann/birds', /isn’t a link that can be imported/],
  ] as const) {
    await pasteLink(link);
    await expect(page.getByRole('alert')).toContainText(message);
    await expect(field()).toHaveValue(link);
  }
  expect(await findViolations(page, { within: '[role=dialog]' })).toEqual([]);
  await ann.context.setOffline(true);
  await pasteLink('https://github.com/ann/birds');
  await expect(page.getByRole('alert')).toContainText('Can’t reach the server');
  await ann.context.setOffline(false);
  await pasteLink('https://github.com/ann/birds/tree/main/demo');
  await expect(dialog('Import demo')).toContainText('3 files');
  const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(isWide).toBe(false);
});

test('closing the dialog ends a slow import', async () => {
  const { page } = ann;
  let isClosed = false;
  hosts.behave(/ann\/slow/, (response) => {
    response.writeHead(200);
    response.flushHeaders();
    response.once('close', () => (isClosed = true));
  });
  await openImport();
  await pasteLink('https://github.com/ann/slow');
  await expect(page.getByText('Reading files…')).toBeVisible();
  const isRequested = () => hosts.requests.some((address) => address.includes('ann/slow'));
  await expect.poll(isRequested, { timeout: 20_000 }).toBe(true);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect.poll(() => isClosed, { timeout: 20_000 }).toBe(true);
});

test('an instance can turn imports from links off', async ({ browser }) => {
  const closed = await startServer({ env: { IMPORT_LINKS: 'off', IMPORT_MIRROR: hosts.origin } });
  hosts.requests.length = 0;
  const { page } = await newVisitor(browser, closed);
  await page.goto(`${closed.address}/github.com/ann/birds`);
  await expect(page.getByRole('alert')).toContainText('disabled on this instance');
  expect(hosts.requests).toEqual([]);
  await closed.remove();
});
