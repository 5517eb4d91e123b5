/**
 * Projects as people bring them, for the frameworks of their day. No registry answers: the packages are
 * among those of the instance.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startServer, type TestServer } from '@vitrine/testing/server';
import { expect as impatient } from '@playwright/test';
import {
  dropFromDesktop,
  newSignedInUser,
  saveDraft,
  test,
  uniqueName,
  type TestUser,
} from '../rig/test-user.ts';

/** Packages that were never requested are built first. */
const expect = impatient.configure({ timeout: 20_000 });

let server: TestServer;
let desktop: string;
let ann: TestUser;

test.beforeAll(async () => {
  server = await startServer({ env: { npm_config_registry: 'http://127.0.0.1:9/' } });
});
test.afterAll(() => server.remove());
test.beforeEach(async ({ browser }) => {
  desktop = await mkdtemp(join(tmpdir(), 'vitrine-desktop-'));
  ann = await newSignedInUser(browser, server, uniqueName('ann'));
});
test.afterEach(() => rm(desktop, { recursive: true }));

const page = (body: string, head = '') =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Case</title>${head}</head><body>${body}</body></html>`;
const dependsOn = (name: string, range: string) =>
  JSON.stringify({ type: 'module', dependencies: { [name]: range } }, null, 2);

const svelte = {
  'package.json': dependsOn('svelte', '^4.2.18'),
  'index.html': page('<div id="app"></div><script type="module" src="/src/main.js"></script>'),
  'src/app.css': 'h1 { color: teal; }\n',
  'src/main.js': `import './app.css'
import App from './App.svelte'

const app = new App({
  target: document.getElementById('app'),
})

export default app
`,
  'src/App.svelte': `<script>
  let count = 0
  const increment = () => { count += 1 }
</script>

<main>
  <h1>Hello</h1>
  <button on:click={increment}>count is {count}</button>
</main>
`,
};

const vue = {
  'package.json': dependsOn('vue', '~2.7.16'),
  'index.html': page('<div id="app"></div><script type="module" src="main.js"></script>'),
  'main.js': `import Vue from 'vue';
import App from './App.vue';
Vue.config.productionTip = false;
new Vue({ render: (h) => h(App) }).$mount('#app');
`,
  'App.vue': `<template>
  <div id="app"><h1>{{ msg | upper }}</h1><button @click="n++">count is {{ n }}</button></div>
</template>
<script>
export default { data: () => ({ msg: 'two', n: 0 }), filters: { upper: (s) => s.toUpperCase() } };
</script>
`,
};

const solid = {
  'package.json': dependsOn('solid-js', '^1.9.0'),
  'tsconfig.json': '{ "compilerOptions": { "jsx": "preserve", "jsxImportSource": "solid-js" } }',
  'index.html': page('<div id="root"></div><script type="module" src="/src/index.tsx"></script>'),
  'src/index.tsx': `/* @refresh reload */
import { render } from 'solid-js/web';
import { createSignal } from 'solid-js';
function Counter() {
  const [n, setN] = createSignal(0);
  return <button onClick={() => setN(n() + 1)}>count is {n()}</button>;
}
render(() => <Counter />, document.getElementById('root')!);
`,
};

/** Opens a folder with these files as a draft, as by dropping it on the page. */
async function openFolder(files: Record<string, string>): Promise<void> {
  const folder = join(desktop, 'brought');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await ann.page.goto(`${server.address}/new`);
  await dropFromDesktop(ann.page, ann.page.locator('h1'), [folder]);
  await ann.page.getByRole('dialog').getByRole('button', { name: 'Open' }).click();
  await expect(ann.page).toHaveURL(/\/draft\//);
}

for (const { name, files } of [
  { name: 'Svelte 4', files: svelte },
  { name: 'Vue 2.7', files: vue },
  { name: 'Solid', files: solid },
])
  test(`a project of ${name} runs as a draft, and compiled by the server once saved`, async () => {
    await openFolder(files);
    const button = ann.preview().getByRole('button', { name: 'count is 0' });
    await expect(button).toBeVisible();
    await button.click();
    await expect(ann.preview().getByRole('button', { name: 'count is 1' })).toBeVisible();
    const address = await saveDraft(ann);
    await ann.page.goto(`${address}/full`);
    const saved = ann.page.frameLocator('iframe');
    await saved.getByRole('button', { name: 'count is 0' }).click();
    await expect(saved.getByRole('button', { name: 'count is 1' })).toBeVisible();
  });

test('a version without a compiler is one problem, and its fix makes the project run', async () => {
  await openFolder({ ...svelte, 'package.json': dependsOn('svelte', '^2.16.1') });
  await ann.page.getByRole('tab', { name: 'Problems' }).click();
  const problems = ann.page.getByRole('list', { name: 'Problems' });
  await expect(problems).toContainText('Svelte 2 isn’t supported; only 3, 4, and 5 are.');
  await problems.getByRole('button', { name: 'Change svelte to ^3.59.2' }).click();
  await expect(ann.preview().getByRole('button', { name: 'count is 0' })).toBeVisible();
});

test('Tailwind 3 is compiled by version 4, and a fix changes the stylesheet', async () => {
  await openFolder({
    'index.html': page(
      '<div class="bg-brand p-4">Hi</div>',
      '<link rel="stylesheet" href="src/input.css">',
    ),
    'src/input.css': '@tailwind base;\n@tailwind components;\n@tailwind utilities;\n',
    'tailwind.config.js':
      "export default { content: ['./*.html'], theme: { extend: { colors: { brand: 'rgb(1, 2, 3)' } } } };\n",
  });
  const box = ann.preview().getByText('Hi');
  await expect(box).toHaveCSS('background-color', 'rgb(1, 2, 3)');
  await expect(box).toHaveCSS('padding', '16px');
  await ann.page.getByRole('tab', { name: 'Problems' }).click();
  const problems = ann.page.getByRole('list', { name: 'Problems' });
  await problems.getByRole('button', { name: 'Change to @import "tailwindcss"' }).click();
  await expect(problems).toBeHidden();
  await expect(box).toHaveCSS('background-color', 'rgb(1, 2, 3)');
});
