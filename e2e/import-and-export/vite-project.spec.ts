/** Runs templates as Vite projects, with npm and its registry: `npm run endure -- vite`. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { openAsBlob } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, type Browser } from '@playwright/test';
import { getTexts, isRecord } from '@vitrine/project';
import { createViteProject } from '../../apps/web/app/export/vite-project.ts';
import { listZipEntries } from '../../apps/web/app/import/read-zip.ts';
import { newVisitor, startDraft, test, type TestUser } from '../rig/test-user.ts';

test.describe.configure({ timeout: 300_000 });

const examples = new URL('../../examples/', import.meta.url);
const templates = readdirSync(examples).filter((name) => {
  const file = new URL(`${name}/example.json`, examples);
  if (!existsSync(file)) return false;
  const example: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return isRecord(example) && example['template'] === true;
});

let folder: string;
test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-vite-'));
});
test.afterEach(() => rm(folder, { recursive: true, force: true }));

for (const template of templates)
  test(
    `${template} shows the same as in the editor`,
    { tag: '@registry' },
    async ({ browser, sharedServer }) => {
      const ann = await newVisitor(browser, sharedServer);
      await startDraft(ann, sharedServer, template);
      const body = ann.preview().locator('body');
      await expect(ann.preview().locator('html')).toBeVisible();
      const project = await download(ann);
      // The result has run meanwhile.
      const shown = { text: await body.innerText(), color: await body.evaluate(readColor) };
      await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund'], { cwd: project });
      await expectServed(browser, ['run', 'dev', '--', '--port', '0'], project, shown);
      await promisify(execFile)('npm', ['run', 'build'], { cwd: project });
      const built = await readdir(join(project, 'dist'), { recursive: true });
      expect(built.filter((path) => !/^assets(?:\/|$)|^[^/]+\.html$/.test(path))).toEqual([]);
      await expectServed(browser, ['run', 'preview', '--', '--port', '0'], project, shown);
    },
  );

const page =
  '<!doctype html><title>Count</title><body><script type="module" src="/src/main.jsx"></script>';

/** Projects of earlier versions: each shows 2. */
const earlier: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Svelte 3': {
    'src/main.jsx': `import App from './App.svelte';\nnew App({ target: document.body });`,
    'src/App.svelte': `<script>let one = 1; $: two = one * 2;</script><h1>{two}</h1>`,
    'package.json': '{ "dependencies": { "svelte": "^3.59.2" } }',
  },
  'Svelte 4': {
    'src/main.jsx': `import App from './App.svelte';\nnew App({ target: document.body });`,
    'src/App.svelte':
      '<script lang="ts">let one: number = 1; $: two = one * 2;</script><h1>{two}</h1>' +
      '<style lang="scss">h1 { &:hover { color: red; } }</style>',
    'package.json': '{ "dependencies": { "svelte": "^4.2.19" } }',
  },
  'Vue 2.7': {
    'src/main.jsx': `import Vue from 'vue';\nimport App from './App.vue';\nnew Vue({ el: document.body.appendChild(document.createElement('b')), render: (h) => h(App) });`,
    'src/App.vue': `<template><h1>{{ two }}</h1></template><script>export default { data: () => ({ two: 2 }) };</script>`,
    'package.json': '{ "dependencies": { "vue": "^2.7.16" } }',
  },
  'Vue 2.7 with JSX': {
    'src/main.jsx': `import Vue from 'vue';\nnew Vue({ el: document.body.appendChild(document.createElement('b')), render() { return <h1>{1 + 1}</h1>; } });`,
    'package.json': '{ "dependencies": { "vue": "^2.7.16" } }',
  },
  'Tailwind 3': {
    'src/main.jsx': `import './style.css';\ndocument.body.innerHTML = '<h1 class="text-3xl">2</h1>';`,
    'src/style.css': '@tailwind base;\n@tailwind utilities;\nbody { @apply bg-red-500; }',
    'tailwind.config.js': 'module.exports = { content: ["./src/*.jsx"] };',
    'package.json': '{ "devDependencies": { "tailwindcss": "^3.4.18" } }',
  },
};

for (const [name, files] of Object.entries(earlier))
  test(`${name} runs`, { tag: '@registry' }, async ({ browser }) => {
    const texts = Object.entries({ 'index.html': page, ...files });
    const written = createViteProject(
      name,
      new Map(texts.map(([path, text]) => [path, { kind: 'text', text }])),
    );
    for (const [path, text] of getTexts(written)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const color = name === 'Tailwind 3' ? 'rgb(239, 68, 68)' : 'rgba(0, 0, 0, 0)';
    const shown = { text: '2', color };
    await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder });
    await expectServed(browser, ['run', 'dev', '--', '--port', '0'], folder, shown);
    await promisify(execFile)('npm', ['run', 'build'], { cwd: folder });
    await expectServed(browser, ['run', 'preview', '--', '--port', '0'], folder, shown);
  });

const readColor = (element: Element) => getComputedStyle(element).backgroundColor;

/** Downloads the project, and unpacks it. Returns its folder. */
async function download({ page }: TestUser): Promise<string> {
  const event = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Download' }).click();
  await page.getByRole('button', { name: 'Download Vite project' }).click();
  const zip = join(folder, 'project.zip');
  await (await event).saveAs(zip);
  for (const entry of await listZipEntries(await openAsBlob(zip))) {
    const path = join(folder, entry.path);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, await entry.read());
  }
  const [name = ''] = (await readdir(folder)).filter((each) => each !== 'project.zip');
  return join(folder, name);
}

/** Expects the page of a server, which a script of npm starts, to look like the result. */
async function expectServed(
  browser: Browser,
  script: readonly string[],
  cwd: string,
  shown: { text: string; color: string },
): Promise<void> {
  const child = spawn('npm', script, { cwd, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  try {
    const page = await (await browser.newContext()).newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(await findAddress(child));
    await expect.poll(() => page.locator('body').innerText(), { timeout: 30_000 }).toBe(shown.text);
    await expect.poll(() => page.locator('body').evaluate(readColor)).toBe(shown.color);
    expect(complaints).toEqual([]);
  } finally {
    const ended = once(child, 'exit');
    // npm's own child too.
    if (child.pid !== undefined) process.kill(-child.pid);
    await ended;
  }
}

/** The address that Vite prints once it listens. */
function findAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      // Without the colors.
      printed += chunk.toString().replace(/\u001b\[\d+m/g, '');
      const address = /http:\/\/localhost:\d+\//.exec(printed)?.[0];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', () => reject(new Error(`Vite ended:\n${printed}`)));
  });
}
