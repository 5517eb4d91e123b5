import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { makeZip, type ZipEntry } from '@vitrine/testing/zip-archive';
import { createPng } from '../rig/png.ts';
import { dropFromDesktop, expectQuiet, newVisitor, test, type TestUser } from '../rig/test-user.ts';

let ann: TestUser;
let desktop: string;

test.beforeEach(async ({ browser, server }) => {
  ann = await newVisitor(browser, server);
  desktop = await mkdtemp(join(tmpdir(), 'vitrine-desktop-'));
});
test.afterEach(() => rm(desktop, { recursive: true }));

/** Imports a zip with these files on the home page. */
async function importZip(address: string, entries: readonly ZipEntry[]): Promise<void> {
  const path = join(desktop, 'app.zip');
  await writeFile(path, makeZip(entries));
  await ann.page.goto(address);
  await dropFromDesktop(ann.page, ann.page.locator('h1'), [path]);
  await ann.page.getByRole('button', { name: 'Open', exact: true }).click();
  await expect(ann.page).toHaveURL(/\/draft\//);
}

const widthOfImage = () =>
  ann
    .preview()
    .locator('img')
    .evaluate((element) => (element instanceof HTMLImageElement ? element.naturalWidth : -1));

test('a project of create-vite runs as it is', { tag: '@journey' }, async ({ server }) => {
  await importZip(server.address, [
    {
      name: 'index.html',
      content: `<!doctype html><title>%VITE_TITLE%</title><link rel="icon" href="/logo.png" />
<div id="app"></div><script type="module" src="/src/main.ts"></script>`,
    },
    { name: '.env', content: 'VITE_TITLE="Vite + TS"' },
    { name: 'public/logo.png', content: createPng(40, 30) },
    {
      name: 'package.json',
      content: JSON.stringify({ devDependencies: { typescript: '~5.9.0', vite: '^8.0.0' } }),
    },
    {
      name: 'vite.config.ts',
      content: `import { defineConfig } from 'vite';
import path from 'node:path';
export default defineConfig({ resolve: { alias: { '@': path.resolve(__dirname, './src') } } });`,
    },
    { name: 'src/vite-env.d.ts', content: '/// <reference types="vite/client" />' },
    {
      name: 'src/counter.ts',
      content: `export const label = (count: number) => 'count is ' + count;`,
    },
    {
      name: 'src/main.ts',
      content: `import logo from '/logo.png';
import { label } from '@/counter';

const title: string = import.meta.env.VITE_TITLE;
document.querySelector('#app')!.innerHTML = \`<img src="\${logo}" alt=""><h1>\${title}</h1><p>\${label(0)}</p>\`;`,
    },
  ]);
  await expect(ann.preview().getByRole('heading', { name: 'Vite + TS' })).toBeVisible();
  await expect(ann.preview().getByText('count is 0')).toBeVisible();
  await expect.poll(widthOfImage).toBe(40);
  await expect(ann.page.getByRole('alert')).toHaveCount(0);
  expectQuiet(server, ann);
});

test('a project of create-react-app runs as it is', async ({ server }) => {
  await importZip(server.address, [
    {
      name: 'public/index.html',
      content: '<!doctype html><link rel="icon" href="%PUBLIC_URL%/logo.png" /><body></body>',
    },
    { name: 'public/logo.png', content: createPng(40, 30) },
    { name: '.env', content: 'REACT_APP_NAME=Ann' },
    { name: 'package.json', content: '{ "dependencies": { "react-scripts": "5.0.1" } }' },
    {
      name: 'src/index.js',
      content: `/** @jsx create */
import { create } from './create';
document.body.append(
  <div><img src={process.env.PUBLIC_URL + '/logo.png'} alt="" /><h1>{process.env.REACT_APP_NAME}</h1></div>,
);`,
    },
    {
      name: 'src/create.js',
      content: `export function create(name, attributes, ...children) {
  const element = Object.assign(document.createElement(name), attributes);
  element.append(...children);
  return element;
}`,
    },
  ]);
  await expect(ann.preview().getByRole('heading', { name: 'Ann' })).toBeVisible();
  await expect.poll(widthOfImage).toBe(40);
  await expect(ann.page.getByRole('alert')).toHaveCount(0);
  expectQuiet(server, ann);
});

test('a project of rollup runs its input, and its Node.js scripts stay in Problems', async ({
  server,
}) => {
  await importZip(server.address, [
    { name: '.gitignore', content: 'public/build\n' },
    {
      name: 'public/index.html',
      content: `<!doctype html><link rel="stylesheet" href="/build/bundle.css">
<script defer src="/build/bundle.js"></script><body></body>`,
    },
    {
      name: 'rollup.config.js',
      content: `import css from 'rollup-plugin-css-only';
export default { input: 'src/main.js', output: { file: 'public/build/bundle.js' },
  plugins: [css({ output: 'bundle.css' })] };`,
    },
    {
      name: 'scripts/setup.js',
      content: `import fs from 'fs';\nfs.writeFileSync('a.txt', '');\n`,
    },
    { name: 'README.md', content: 'Run `node scripts/setup.js` first.\n' },
    { name: 'package.json', content: '{ "devDependencies": { "rollup": "^3.15.0" } }' },
    {
      name: 'src/main.js',
      content: `import './app.pcss';\ndocument.body.innerHTML = '<h1>Rolled</h1>';\n`,
    },
    { name: 'src/app.pcss', content: 'h1 { color: rgb(1, 2, 3); }\n' },
  ]);
  const heading = ann.preview().getByRole('heading', { name: 'Rolled' });
  await expect(heading).toHaveCSS('color', 'rgb(1, 2, 3)');
  await expect(ann.page.getByRole('tab', { name: 'main.js' })).toBeVisible();
  await ann.page.getByRole('tab', { name: 'Problems' }).click();
  const problems = ann.page.getByRole('list', { name: 'Problems' });
  await expect(problems).toContainText('“fs” is a Node.js module and isn’t available in browsers.');
  await expect(problems.getByRole('button', { name: /^Install/ })).toHaveCount(0);
  await expect(ann.page.getByRole('alert')).toHaveCount(0);
  expectQuiet(server, ann);
});
