import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect as impatient } from '@playwright/test';
import { startFakeRegistry, type FakeRegistry } from '@vitrine/testing/registry';
import { field, item, openPanel, panel } from '../rig/packages-panel.ts';
import {
  dropFromDesktop,
  expectQuiet,
  newVisitor,
  rewrite,
  startDraft,
  tabTo,
  expectComplaints,
  test,
  type TestUser,
} from '../rig/test-user.ts';
import { startServer, type TestServer } from '@vitrine/testing/server';

/** Packages that were never requested are built first. */
const expect = impatient.configure({ timeout: 15_000 });

let registry: FakeRegistry;
let server: TestServer;

test.beforeAll(async () => {
  registry = await startFakeRegistry({ search: true });
  for (const [version, words] of [
    ['1.0.0', 'Hello'],
    ['2.0.0', 'Good day'],
  ] as const) {
    registry.publish({
      name: 'greeting',
      version,
      files: { 'index.js': `export const greet = (name) => '${words}, ' + name;` },
      manifest: { type: 'module', main: 'index.js', description: 'Says hello', license: 'MIT' },
    });
  }
  registry.publish({
    name: 'greeting-old',
    version: '1.0.0',
    files: { 'index.js': 'export const greet = () => "Hi";' },
    manifest: { type: 'module', main: 'index.js', deprecated: 'Use greeting.' },
  });
  for (const name of ['slow', 'late', 'dropped'])
    registry.publish({
      name,
      version: '1.0.0',
      files: { 'index.js': `export const greet = (name) => 'Good day, ' + name;` },
      manifest: { type: 'module', main: 'index.js' },
    });
  registry.publish({
    name: 'unfinished',
    version: '1.0.0',
    files: { 'index.js': 'export const = ;' },
    manifest: { type: 'module', main: 'index.js' },
  });
  server = await startServer({
    env: { npm_config_registry: registry.address },
    hasOwnPackages: true,
  });
});
test.afterAll(async () => {
  await server.remove();
  await registry.close();
});

const greets = `import { greet } from 'greeting';
document.querySelector('h1').textContent = greet('Ann');`;

async function openFile({ page }: TestUser, path: string): Promise<void> {
  await page.getByRole('button', { name: 'Files', exact: true }).click();
  await page.getByRole('treeitem', { name: path, exact: true }).click();
}

test(
  'a package is searched, added, run, changed, updated, removed and restored',
  { tag: '@journey' },
  async ({ browser }) => {
    const ann = await newVisitor(browser, server);
    await startDraft(ann, server, 'html');
    await openPanel(ann);
    await field(ann).fill('greet');
    const found = ann.page.getByRole('listbox', { name: 'Search results' }).getByRole('option');
    await expect(found.filter({ hasText: 'Says hello' })).toContainText('2.0.0');
    await found.filter({ hasText: 'Says hello' }).click();
    await expect(item(ann, 'greeting@2.0.0')).toContainText('MIT');
    await expect(field(ann)).toHaveValue('');
    await rewrite(ann, 'script.js', greets);
    const heading = ann.preview().getByRole('heading');
    await expect(heading).toHaveText('Good day, Ann');

    await panel(ann).getByRole('combobox', { name: 'Version of greeting' }).click();
    await ann.page.getByRole('option', { name: '1.0.0' }).click();
    await expect(item(ann, 'greeting@1.0.0')).toBeVisible();
    await expect(heading).toHaveText('Hello, Ann');

    await panel(ann).getByRole('button', { name: 'Update greeting to 2.0.0' }).click();
    await expect(heading).toHaveText('Good day, Ann');

    await panel(ann).getByRole('button', { name: 'Remove greeting' }).click();
    await expect(item(ann, 'greeting@2.0.0')).toHaveCount(0);
    await expect(field(ann)).toBeFocused();
    await expect(ann.page.getByRole('alert')).toContainText('greeting');
    await ann.page.getByRole('button', { name: 'Undo' }).click();
    await expect(item(ann, 'greeting@2.0.0')).toBeVisible();
    await expect(heading).toHaveText('Good day, Ann');
    expectQuiet(server, ann);
  },
);

test('a missing package is added with one click, and runs', async ({ browser }) => {
  const ann = await newVisitor(browser, server);
  await startDraft(ann, server, 'html');
  await rewrite(ann, 'script.js', greets);
  await ann.page.getByRole('alert').getByRole('button', { name: 'Install greeting' }).click();
  await expect(ann.preview().getByRole('heading')).toHaveText('Good day, Ann');
  await expect(ann.page.getByRole('alert')).toHaveCount(0);

  await rewrite(
    ann,
    'script.js',
    `${greets}\nimport { greet as old } from 'greeting-old';\nexport { old };`,
  );
  await ann.page.getByRole('tab', { name: 'Problems' }).click();
  const problems = ann.page.getByRole('list', { name: 'Problems' });
  await expect(problems).toContainText('script.js:3');
  await expect(ann.preview().getByRole('heading')).toHaveText('Good day, Ann');
  await problems.getByRole('button', { name: 'Install greeting-old' }).click();
  await expect(problems).toHaveCount(0);
  expectQuiet(server, ann);
});

test(
  'missing packages are installed automatically if enabled',
  { tag: '@long' },
  async ({ browser }) => {
    const ann = await newVisitor(browser, server);
    await startDraft(ann, server, 'html');
    await openPanel(ann);
    await panel(ann)
      .getByRole('checkbox', { name: 'Install missing packages automatically' })
      .check();
    await rewrite(ann, 'script.js', greets);
    await expect(ann.preview().getByRole('heading')).toHaveText('Good day, Ann');
    await expect(item(ann, 'greeting@2.0.0')).toBeVisible();
    expectQuiet(server, ann);
  },
);

test(
  'package.json edited by hand is resolved, or reported with its error',
  { tag: '@long' },
  async ({ browser }) => {
    const ann = await newVisitor(browser, server);
    await startDraft(ann, server, 'html');
    await openPanel(ann);
    await field(ann).fill('greeting-old');
    await field(ann).press('Enter');
    await expect(item(ann, 'greeting-old@1.0.0')).toContainText('Use greeting.');
    await openFile(ann, 'package.json');
    await rewrite(ann, 'package.json', '{\n  "dependencies": {\n    "greeting": "^1.0.0",\n  }\n}');
    await ann.page.getByRole('tab', { name: 'Problems' }).click();
    await expect(ann.page.getByRole('list', { name: 'Problems' })).toContainText('package.json:4');
    await rewrite(ann, 'package.json', '{ "dependencies": { "greeting": "^1.0.0" } }');
    await ann.page.getByRole('button', { name: 'Packages', exact: true }).click();
    await expect(item(ann, 'greeting@1.0.0')).toBeVisible();
    await expect(item(ann, 'greeting-old@1.0.0')).toHaveCount(0);
    await rewrite(ann, 'script.js', greets);
    await expect(ann.preview().getByRole('heading')).toHaveText('Hello, Ann');

    await ann.page.getByRole('tab', { name: 'package.json' }).click();
    await rewrite(ann, 'package.json', '{ "dependencies": { "greeting": "file:../greeting" } }');
    await expect(panel(ann).getByRole('alert')).toContainText('A dependency is a URL or file');
    await expect(ann.preview().getByRole('heading')).toHaveText('Hello, Ann');
    await expectComplaints(ann, /status of 422/);
    expectQuiet(server, ann);
  },
);

test('an invalid package name is rejected with a message, and stays in the field', async ({
  browser,
}) => {
  const ann = await newVisitor(browser, server);
  await startDraft(ann, server, 'html');
  await openPanel(ann);
  for (const [typed, message] of [
    ['no-such-thing', 'No package with that name was found in the registry.'],
    ['greeting@9.9.9', 'A required package version doesn’t exist.'],
    ['https://example.org/x.tgz', 'valid package name'],
  ] as const) {
    await field(ann).fill(typed);
    await field(ann).press('Enter');
    await expect(panel(ann).getByRole('alert')).toContainText(message);
    await expect(field(ann)).toHaveValue(typed);
    await expect(panel(ann).getByRole('listitem')).toHaveCount(0);
  }
  await expectComplaints(ann, /status of 404/);
  expectQuiet(server, ann);
});

test('a package that fails to build is reported with the reason', async ({ browser }) => {
  const ann = await newVisitor(browser, server);
  await startDraft(ann, server, 'html');
  await rewrite(ann, 'script.js', "import { x } from 'unfinished';\nconsole.log(x);");
  await ann.page.getByRole('button', { name: 'Install unfinished' }).click();
  await expect(ann.page.getByRole('alert')).toContainText(
    'unfinished: The package couldn’t be built for browsers.',
  );
  await expectComplaints(ann, /status of 500/);
});

test('the page of an imported draft waits until its packages are resolved', async ({ browser }) => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-desktop-'));
  const files = {
    'package.json': '{ "dependencies": { "late": "1" } }',
    'index.html': '<h1></h1><script type="module" src="main.js"></script>',
    'main.js': greets.replace('greeting', 'late'),
  };
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
  const asked = Promise.withResolvers<ServerResponse>();
  registry.behave(/^\/late$/, (response) => asked.resolve(response));
  const ann = await newVisitor(browser, server);
  await ann.page.goto(`${server.address}/new`);
  await dropFromDesktop(ann.page, ann.page.locator('h1'), [folder]);
  await ann.page.getByRole('dialog').getByRole('button', { name: 'Open' }).click();
  const response = await asked.promise;
  await expect(ann.page.getByText('Resolving versions…')).toBeVisible();
  // Editing doesn't wait.
  await openFile(ann, 'main.js');
  await rewrite(ann, 'main.js', files['main.js'].replace('Ann', 'Bea'));
  await expect(ann.page.locator('iframe')).toHaveCount(0);
  registry.restore();
  response.end(await (await fetch(`${registry.address}late`)).text());
  await expect(ann.preview().getByRole('heading')).toHaveText('Good day, Bea');
  await rm(folder, { recursive: true });
  expectQuiet(server, ann);
});

test('files dropped with a package.json run once its versions are resolved, without errors', async ({
  browser,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-desktop-'));
  const files = {
    'package.json': '{ "dependencies": { "dropped": "1" } }',
    'index.html': '<h1></h1><script type="module" src="main.js"></script>',
    'main.js': greets.replace('greeting', 'dropped'),
  };
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
  const asked = Promise.withResolvers<ServerResponse>();
  registry.behave(/^\/dropped$/, (response) => asked.resolve(response));
  const ann = await newVisitor(browser, server);
  const { page } = ann;
  await startDraft(ann, server, 'empty');
  await page.getByRole('button', { name: 'Files', exact: true }).click();
  // Errors in the console's badge, and error cards.
  const errors = await page.evaluateHandle(() => {
    const seen = new Set<string>();
    new MutationObserver(() => {
      for (const each of document.querySelectorAll(
        '[aria-label=Console][data-count], [role=alert]',
      ))
        seen.add(`${each.textContent} ${each.getAttribute('data-count')}`);
    }).observe(document.body, { attributes: true, childList: true, subtree: true });
    return seen;
  });
  await dropFromDesktop(
    page,
    page.getByRole('tree', { name: 'Files' }),
    Object.keys(files).map((path) => join(folder, path)),
  );
  const collision = page.getByRole('dialog', { name: 'Replace index.html?' });
  await collision.getByRole('button', { name: 'Replace', exact: true }).click();
  const response = await asked.promise;
  await expect(page.getByText('Resolving versions…')).toBeVisible();
  registry.restore();
  response.end(await (await fetch(`${registry.address}dropped`)).text());
  await expect(ann.preview().getByRole('heading')).toHaveText('Good day, Ann');
  expect(await errors.evaluate((seen) => [...seen])).toEqual([]);
  await rm(folder, { recursive: true });
  expectQuiet(server, ann);
});

test('Cancel stops a download, and the preview that waits for it', async ({ browser }) => {
  const closed = Promise.withResolvers<void>();
  registry.behave(/\/slow-.*\.tgz$/, (response) => void response.on('close', closed.resolve));
  const ann = await newVisitor(browser, server);
  await startDraft(ann, server, 'html');
  await rewrite(ann, 'script.js', greets.replace('greeting', 'slow'));
  await ann.page.getByRole('button', { name: 'Install slow' }).click();
  await expect(ann.page.getByText('Installing slow@1.0.0…')).toBeVisible();
  await ann.page.getByRole('button', { name: 'Cancel' }).click();
  await expect(ann.page.getByText('Stopped.')).toBeVisible();
  await expect(ann.page.getByText('Installing slow@1.0.0…')).toHaveCount(0);
  // A request before the server has canceled this one would share its response.
  await closed.promise;
  registry.restore();
  await ann.page.getByRole('button', { name: 'Run again' }).click();
  await expect(ann.preview().getByRole('heading')).toHaveText('Good day, Ann');
  expectQuiet(server, ann);
});

test(
  'an import from a CDN is replaced by the package with one click',
  { tag: '@long' },
  async ({ browser }) => {
    const ann = await newVisitor(browser, server);
    // The CDN is not reachable here, and must not be requested by a test.
    await ann.context.route('https://esm.sh/**', (route) => route.abort());
    await startDraft(ann, server, 'html');
    await ann.page.getByRole('tab', { name: 'Problems' }).click();
    await rewrite(ann, 'script.js', greets.replace("'greeting'", "'https://esm.sh/greeting@1'"));
    const problems = ann.page.getByRole('list', { name: 'Problems' });
    await expect(problems).toContainText('greeting comes from esm.sh.');
    await problems.getByRole('button', { name: 'Install package' }).click();
    await expect(ann.editor('script.js')).toContainText("from 'greeting'");
    await expect(ann.preview().getByRole('heading')).toHaveText('Hello, Ann');
    await expectComplaints(ann, /esm\.sh/);
  },
);

test(
  'a package is searched, added and removed with only the keyboard',
  { tag: '@long' },
  async ({ browser }) => {
    const ann = await newVisitor(browser, server);
    const { page } = ann;
    await startDraft(ann, server, 'html');
    await page.locator('body').press('Escape');
    await tabTo(page, page.getByRole('button', { name: 'Packages', exact: true }));
    await page.keyboard.press('Enter');
    await tabTo(page, field(ann));
    await page.keyboard.type('greeting');
    await expect(page.getByRole('option').first()).toBeVisible();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(item(ann, 'greeting@2.0.0')).toBeVisible();
    await tabTo(page, panel(ann).getByRole('button', { name: 'Remove greeting' }));
    await page.keyboard.press('Enter');
    await expect(item(ann, 'greeting@2.0.0')).toHaveCount(0);
    await expect(field(ann)).toBeFocused();
    expectQuiet(server, ann);
  },
);

test('a registry without search is distinguished from an empty result', async ({ browser }) => {
  const ann = await newVisitor(browser, server);
  await startDraft(ann, server, 'html');
  await openPanel(ann);
  await field(ann).fill('nothing-like-it');
  await expect(panel(ann)).toContainText('No matches');
  await ann.page.route('**/npm/-/search?*', (route) =>
    route.fulfill({ json: { packages: [], searched: false } }),
  );
  await field(ann).fill('nothing-of-this');
  await expect(panel(ann)).toContainText(
    'Search isn’t available here. Enter an exact package name.',
  );
  expectQuiet(server, ann);
});

test('on a phone, the panel covers the code, and adds by touch', async ({ browser }) => {
  const ann = await newVisitor(browser, server, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await startDraft(ann, server, 'html');
  await ann.page.getByRole('button', { name: 'More panels' }).tap();
  await ann.page.getByRole('menuitem', { name: 'Packages' }).tap();
  await field(ann).fill('greeting');
  await ann.page.getByRole('option', { name: 'greeting 2.0.0' }).tap();
  await expect(item(ann, 'greeting@2.0.0')).toBeVisible();
  const box = await panel(ann).boundingBox();
  expect(box?.width).toBe(390);
  await ann.page.getByRole('button', { name: 'Close Packages panel' }).tap();
  await expect(ann.editor('index.html')).toBeVisible();
  expectQuiet(server, ann);
});
