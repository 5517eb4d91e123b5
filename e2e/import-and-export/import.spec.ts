import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestServer } from '@vitrine/testing/server';
import { expect, type Page } from '@playwright/test';
import { findViolations } from '../rig/axe.ts';
import { createPng } from '../rig/png.ts';
import {
  dropFromDesktop,
  expectComplaints,
  expectQuiet,
  newSignedInUser,
  newVisitor,
  saveDraft,
  startDraft,
  tabTo,
  test,
  uniqueName,
  type TestUser,
} from '../rig/test-user.ts';
import { limits } from '@vitrine/project';
import { makeZip, type ZipEntry } from '@vitrine/testing/zip-archive';

let ann: TestUser;
let page: Page;
let desktop: string;

test.beforeEach(async ({ browser, server }) => {
  ann = await newVisitor(browser, server);
  page = ann.page;
  desktop = await mkdtemp(join(tmpdir(), 'vitrine-desktop-'));
});
test.afterEach(() => rm(desktop, { recursive: true }));

const site: readonly ZipEntry[] = [
  {
    name: 'bird-site/index.html',
    content: '<h1>Birds</h1><img id="logo" src="img/logo.png" alt=""><script src="a.js"></script>',
  },
  { name: 'bird-site/a.js', content: 'document.querySelector("h1").append(" fly")' },
  { name: 'bird-site/img/logo.png', content: createPng(40, 30) },
  { name: 'bird-site/node_modules/a/index.js', content: 'a' },
  { name: 'bird-site/node_modules/b/index.js', content: 'b' },
  { name: '../evil.js', content: 'evil' },
];

async function writeZipFile(name: string, entries: readonly ZipEntry[]): Promise<string> {
  const path = join(desktop, name);
  await writeFile(path, makeZip(entries));
  return path;
}

const dialog = (name: string) => page.getByRole('dialog', { name, exact: true });
const button = (name: string) => page.getByRole('button', { name, exact: true });
const heading = () => page.locator('h1');
const tree = () => page.getByRole('tree', { name: 'Files' });
const shownPaths = () =>
  tree()
    .getByRole('treeitem')
    .evaluateAll((rows) => rows.map((each) => each.getAttribute('aria-label')));
const widthOfLogo = () =>
  ann
    .preview()
    .locator('#logo')
    .evaluate((element) => (element instanceof HTMLImageElement ? element.naturalWidth : -1));

test(
  'a zip dropped on the home page opens as a draft once it was seen',
  { tag: '@journey' },
  async ({ server }) => {
    await page.goto(server.address);
    await dropFromDesktop(page, heading(), [await writeZipFile('birds.zip', site)]);
    const summary = dialog('Import birds.zip');
    await expect(summary).toContainText('3 files');
    await expect(summary.getByRole('heading', { name: 'Skipped: 3 files' })).toBeVisible();
    const left = summary.getByRole('region', { name: 'Skipped' });
    await expect(left).toContainText('node_modulesInstalled packages, 2 files');
    await expect(left).toContainText('../evil.jsThis isn’t a valid file path');
    await expect(page).toHaveURL(`${server.address}/`);
    expect(await findViolations(page, { within: '[role=dialog]' })).toEqual([]);

    await summary.getByRole('button', { name: 'Open' }).click();
    await expect(page).toHaveURL(/\/draft\//);
    await expect(ann.preview().getByRole('heading', { name: 'Birds fly' })).toBeVisible();
    await expect.poll(widthOfLogo).toBe(40);
    await expect(page).toHaveTitle(/birds/);
    expectQuiet(server, ann);
  },
);

test('a folder is dropped or chosen, without its packages', async ({ server }) => {
  const folder = join(desktop, 'notes');
  await mkdir(join(folder, 'node_modules/a'), { recursive: true });
  await writeFile(join(folder, 'index.html'), '<h1>Notes</h1>');
  await writeFile(join(folder, 'node_modules/a/index.js'), 'a');
  await page.goto(`${server.address}/new`);
  await dropFromDesktop(page, heading(), [folder]);
  await expect(dialog('Import notes')).toContainText('node_modulesInstalled packages');
  await dialog('Import notes').getByRole('button', { name: 'Cancel' }).click();

  await button('Import').click();
  const chooser = page.waitForEvent('filechooser');
  await button('Choose folder').click();
  await (await chooser).setFiles(folder);
  await expect(dialog('Import notes')).toContainText('1 file');
  await button('Open').click();
  await expect(ann.preview().getByRole('heading', { name: 'Notes' })).toBeVisible();
});

test('of too many files some are chosen, and pages in folders are listed', async ({ server }) => {
  const game = (name: string) =>
    `<h1>${name}</h1><a href="../${name === 'pong' ? 'snake' : 'pong'}/">other</a>`;
  const many = Array.from({ length: limits.projectMaxFiles }, (_, n) => ({ name: `big/${n}.js` }));
  const zip = await writeZipFile('many.zip', [
    ...many,
    { name: 'README.md', content: '# Two games' },
    { name: 'games/snake/index.html', content: game('snake') },
    { name: 'games/pong/index.html', content: game('pong') },
  ]);
  await page.goto(`${server.address}/new`);
  await expect(button('Import')).toBeVisible();
  await dropFromDesktop(page, heading(), [zip]);
  const chooser = dialog('Import many.zip');
  await expect(chooser).toContainText('more than 1,000 files');
  expect(await findViolations(page, { within: '[role=dialog]' })).toEqual([]);
  const proceed = chooser.getByRole('button', { name: 'Continue' });
  await expect(proceed).toBeDisabled();
  await chooser.getByRole('checkbox', { name: 'big', exact: true }).check();
  await chooser.getByRole('checkbox', { name: 'README.md' }).check();
  await expect(chooser.getByRole('status')).toContainText('1,001 files of up to 1,000');
  await expect(proceed).toBeDisabled();
  await chooser.getByRole('checkbox', { name: 'big', exact: true }).uncheck();
  await chooser.getByRole('button', { name: 'Files in games', exact: true }).click();
  await chooser.getByRole('checkbox', { name: 'games/snake' }).check();
  await chooser.getByRole('checkbox', { name: 'games/pong' }).check();
  await proceed.click();
  await expect(chooser).toContainText('3 files');
  await chooser.getByRole('button', { name: 'Open' }).click();

  const pages = page.getByRole('navigation', { name: 'Pages' });
  await expect(pages.getByRole('button')).toHaveText([
    'games/pong/index.html',
    'games/snake/index.html',
  ]);
  await pages.getByRole('button', { name: 'games/snake/index.html' }).click();
  await expect(ann.preview().getByRole('heading', { name: 'snake' })).toBeVisible();
  // A link of the page, and the page that is opened in the editor.
  await ann.preview().getByRole('link', { name: 'other' }).click();
  await expect(ann.preview().getByRole('heading', { name: 'pong' })).toBeVisible();
  await ann.editor('README.md').click();
  await page.keyboard.press('ControlOrMeta+P');
  await page.keyboard.type('snake');
  await page.keyboard.press('Enter');
  await expect(ann.preview().getByRole('heading', { name: 'snake' })).toBeVisible();
  await page.getByRole('textbox', { name: 'Address' }).fill('/');
  await page.keyboard.press('Enter');
  await pages.getByRole('button', { name: 'games/pong/index.html' }).click();
  await expect(ann.preview().getByRole('heading', { name: 'pong' })).toBeVisible();
  // The root, which the project lacks.
  await expectComplaints(ann, /status of 404/);
  expectQuiet(server, ann);
});

test('pasted code opens by keyboard, from the palette', async ({ server }) => {
  await page.goto(`${server.address}/new`);
  await expect(button('Import')).toBeVisible();
  await page.keyboard.press('ControlOrMeta+K');
  await page.getByRole('combobox', { name: 'Command' }).fill('Import');
  await page.keyboard.press('Enter');
  const code = dialog('Import').getByRole('textbox', { name: 'Paste code or a link' });
  await expect(code).toBeVisible();
  expect(await findViolations(page, { within: '[role=dialog]' })).toEqual([]);
  await tabTo(page, code);
  await page.keyboard.insertText('const sum: number = 1 + 1;\ndocument.body.append(`sum ${sum}`);');
  await expect(dialog('Import')).toContainText('Opens as TypeScript.');
  await tabTo(page, dialog('Import').getByRole('button', { name: 'Open' }));
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/draft\//);
  await expect(ann.preview().getByText('sum 2')).toBeVisible();
  await expect(page).toHaveTitle(/Untitled project/);
});

test('a pasted component runs with the packages it needs', async ({ server }) => {
  await page.goto(`${server.address}/new`);
  for (const [code, language] of [
    ['export default function App() { return <h1>Robin of React</h1>; }', 'JSX'],
    [
      '<script setup>const name = "Vue";</script>\n<template><h1>Robin of {{ name }}</h1></template>',
      'Vue',
    ],
    ['<script>let name = $state("Svelte");</script>\n<h1>Robin of {name}</h1>', 'Svelte'],
  ] as const) {
    await page.goto(`${server.address}/new`);
    await button('Import').click();
    await dialog('Import').getByRole('textbox', { name: 'Paste code or a link' }).fill(code);
    await expect(dialog('Import')).toContainText(`Opens as ${language}.`);
    await dialog('Import').getByRole('button', { name: 'Open' }).click();
    await expect(ann.preview().getByRole('heading', { name: /^Robin of \w/ })).toBeVisible();
  }
  expectQuiet(server, ann);
});

test('bad input is rejected with the reason, and another try works', async ({ server }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${server.address}/new`);
  const files: [string, string, RegExp][] = [
    ['broken.zip', 'not a zip', /damaged or incomplete/],
    ['site.rar', 'rar', /isn’t supported/],
  ];
  for (const [name, content, message] of files) {
    await writeFile(join(desktop, name), content);
    await dropFromDesktop(page, heading(), [join(desktop, name)]);
    await expect(page.getByRole('alert')).toContainText(message);
  }
  const many = Array.from({ length: 10_001 }, (_, index) => ({ name: `${index}.js` }));
  const secret = [{ name: 'index.html', content: 'a', isEncrypted: true }];
  for (const [entries, message] of [
    [many, /more than 1,000 files/],
    [secret, /password/],
    [[], /nothing to import/],
  ] as const) {
    const zip = await writeZipFile('bad.zip', entries);
    await dropFromDesktop(page, heading(), [zip]);
    await expect(page.getByRole('alert')).toContainText(message);
  }
  const chooser = page.waitForEvent('filechooser');
  await button('Choose files').click();
  await (await chooser).setFiles(await writeZipFile('birds.zip', site));
  await expect(dialog('Import birds.zip')).toBeVisible();
  const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(isWide).toBe(false);
  expect(await findViolations(page, { within: '[role=dialog]' })).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
});

/** Like `expectQuiet`, but the project's page may request files that are being replaced. */
function expectQuietApp(server: TestServer): void {
  const complaints = ann.complaints.filter((line) => !/\/\/draft--|\/\/edit--/.test(line));
  expectQuiet(server, { ...ann, complaints });
}

test('a zip dropped on a draft’s tree is merged, replaces its files, or opens alone', async ({
  server,
}) => {
  await startDraft(ann, server, 'html');
  await button('Files').click();
  const zip = await writeZipFile('birds.zip', site);
  const drop = async (choice: string) => {
    await dropFromDesktop(page, tree(), [zip]);
    await dialog('Import birds.zip').getByRole('button', { name: choice }).click();
  };
  const plain = ['index.html', 'script.js', 'style.css'];
  await expect.poll(shownPaths).toEqual(plain);

  await drop('Merge');
  await expect
    .poll(shownPaths)
    .toEqual(['img', 'img/logo.png', 'a.js', 'index.html', 'script.js', 'style.css']);
  await expect(ann.preview().getByRole('heading', { name: 'Birds fly' })).toBeVisible();
  await button('Undo').click();
  await expect.poll(shownPaths).toEqual(plain);
  await expect(ann.preview().getByRole('heading', { name: 'Make something' })).toBeVisible();

  await drop('Replace project’s files');
  await expect.poll(shownPaths).toEqual(['img', 'img/logo.png', 'a.js', 'index.html']);
  await expect.poll(widthOfLogo).toBe(40);
  await page
    .getByRole('dialog')
    .filter({ hasText: 'Replaced all files' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect.poll(shownPaths).toEqual(plain);

  const address = page.url();
  await drop('New project');
  await expect(page).not.toHaveURL(address);
  await expect(page).toHaveTitle(/birds/);
  await expect.poll(shownPaths).toEqual(['img', 'img/logo.png', 'a.js', 'index.html']);
  expectQuietApp(server);
});

test('a saved project has a version from before the import', async ({ browser, server }) => {
  const sam = await newSignedInUser(browser, server, uniqueName('sam'));
  ann = sam;
  page = sam.page;
  await startDraft(sam, server, 'html');
  await saveDraft(sam);
  await button('Files').click();
  await dropFromDesktop(page, tree(), [await writeZipFile('birds.zip', site)]);
  await dialog('Import birds.zip').getByRole('button', { name: 'Replace project’s files' }).click();
  await expect.poll(shownPaths).toEqual(['img', 'img/logo.png', 'a.js', 'index.html']);
  await expect.poll(widthOfLogo).toBe(40);
  await button('History').click();
  await expect(page.getByRole('list', { name: 'Versions' })).toContainText('Before an import');
  await page.reload();
  await expect(ann.preview().getByRole('heading', { name: 'Birds fly' })).toBeVisible();
  expectQuietApp(server);
});
