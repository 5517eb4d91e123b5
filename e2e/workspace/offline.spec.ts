import { expect as impatient, type FrameLocator } from '@playwright/test';
import { field, item, openPanel, panel } from '../rig/packages-panel.ts';
import {
  expectQuiet,
  newSignedInUser,
  newVisitor,
  retype,
  saveDraft,
  startDraft,
  expectComplaints,
  test,
  type TestUser,
} from '../rig/test-user.ts';
import { withEmptyLog, type TestServer } from '@vitrine/testing/server';

/** Packages that were never requested are built first. */
const expect = impatient.configure({ timeout: 15_000 });

/** A server whose registry is unreachable. */
let server: TestServer;

test.beforeAll(({ sharedServer }) => {
  server = withEmptyLog(sharedServer);
});

/** With the srcdoc transport, a new page overlays the old one. */
const newestResult = ({ page }: TestUser): FrameLocator =>
  page.frameLocator('iframe[title="Result"]').last();

async function readFile(person: TestUser, path: string): Promise<string> {
  const lines = person.editor(path).locator('.cm-line');
  await person.page.getByRole('tab', { name: path, exact: true }).click();
  await expect(lines.first()).toBeVisible();
  return (await lines.allTextContents()).join('\n');
}

/** Types a line at the end of a file. */
async function append({ page, editor }: TestUser, path: string, line: string): Promise<void> {
  await page.getByRole('tab', { name: path, exact: true }).click();
  await editor(path).press('ControlOrMeta+End');
  await page.keyboard.insertText(`\n${line}`);
}

interface Template {
  readonly title: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** What the page holds outlives the edit. */
  readonly isKept: boolean;
}

const react: Template = {
  title: 'React',
  file: 'App.tsx',
  find: 'count + 1',
  replace: 'count + 2',
  isKept: true,
};
const templates: readonly Template[] = [
  {
    title: 'TypeScript',
    file: 'script.ts',
    find: 'count += 1',
    replace: 'count += 2',
    isKept: false,
  },
  react,
  { ...react, title: 'Preact' },
  { title: 'Vue', file: 'App.vue', find: 'count += 1', replace: 'count += 2', isKept: true },
  { title: 'Svelte', file: 'App.svelte', find: 'count += 1', replace: 'count += 2', isKept: true },
];

/** The sandbox tests cover each language with the srcdoc transport. */
for (const { template, transport, host } of [
  ...templates.map((template) => ({
    template,
    transport: 'isolated-origin',
    host: 'vitrine.localhost',
  })),
  { template: react, transport: 'srcdoc', host: '127.0.0.1' },
])
  test(
    `${template.title} opens, runs and shows an edit, with the ${transport} transport`,
    // The sandbox tests cover the others, too.
    template.title === 'React' && transport === 'isolated-origin' ? {} : { tag: '@long' },
    async ({ browser }) => {
      const { title, file, find, replace, isKept } = template;
      const ann = await newVisitor(browser, server);
      const address = new URL('/new', server.address);
      address.hostname = host;
      await ann.page.goto(address.href);
      await ann.page.getByRole('button', { name: title, exact: true }).click();
      await ann.page.waitForURL(/\/draft\//);
      const button = newestResult(ann).getByRole('button', { name: 'Count' });
      await expect(button).toHaveText('Count: 0');
      await button.click();
      await expect(button).toHaveText('Count: 1');
      const text = await readFile(ann, file);
      // In one edit, because an empty file in between would run and fail.
      await ann.editor(file).press('ControlOrMeta+A');
      await ann.page.keyboard.insertText(
        text.replace(find, replace).replace('Make something', 'Make anything'),
      );
      if (isKept) await expect(newestResult(ann).getByRole('heading')).toHaveText('Make anything');
      await expect(button).toHaveText(isKept ? 'Count: 1' : 'Count: 0');
      await button.click();
      await expect(button).toHaveText(isKept ? 'Count: 3' : 'Count: 2');
      if (transport === 'srcdoc') await expectComplaints(ann, /could not be origin-keyed/);
      expectQuiet(server, ann);
    },
  );

test(
  'the planet and clocks examples run, and update on an edit',
  { tag: '@long' },
  async ({ browser }) => {
    // three is large, and built for the first time here.
    test.slow();
    const ann = await newVisitor(browser, server);
    await startDraft(ann, server, 'planet');
    await ann.preview().getByRole('button', { name: 'Another' }).click();
    await expect(ann.preview().getByRole('heading')).toHaveText('Planet 2');
    await append(ann, 'script.js', `document.querySelector('h1').append('!');`);
    await expect(ann.preview().getByRole('heading')).toHaveText('Planet 1!');
    await startDraft(ann, server, 'elsewhere');
    await expect(ann.preview().getByRole('listitem')).toHaveCount(8);
    await ann.preview().getByRole('button', { name: 'Remove Lima' }).click();
    await expect(ann.preview().getByRole('listitem')).toHaveCount(7);
    await append(ann, 'script.ts', `document.body.append('Again');`);
    await expect(ann.preview().getByText('Again')).toBeVisible();
    await expect(ann.preview().getByRole('listitem')).toHaveCount(8);
    // Warnings of the browser about 3D without a GPU, and of Lit.
    const known = /GPU|GL Driver|Lit is in dev mode/;
    expect(ann.complaints.filter((line) => !known.test(line))).toEqual([]);
  },
);

test('offline, everything but a new package works, and is saved on return', async ({ browser }) => {
  const olga = await newSignedInUser(browser, server, 'olga');
  const { page } = olga;
  await startDraft(olga, server, 'react');
  const button = olga.preview().getByRole('button', { name: 'Count' });
  await expect(button).toHaveText('Count: 0');
  const address = await saveDraft(olga);
  await expect(button).toHaveText('Count: 0');

  await olga.context.setOffline(true);
  await button.click();
  const text = await readFile(olga, 'App.tsx');
  const offline = text.replace('Make something', 'Made offline').replace('count + 1', 'count + 2');
  await retype(olga, 'App.tsx', offline);
  await expect(olga.preview().getByRole('heading')).toHaveText('Made offline');
  await button.click();
  await expect(button).toHaveText('Count: 3');
  await expect(olga.saveState()).toHaveText('Offline – saved on this device');

  await page.getByRole('button', { name: 'New file' }).first().click();
  await page.getByRole('textbox', { name: 'New file name' }).fill('late.css');
  await page.keyboard.press('Enter');
  await retype(olga, 'late.css', 'h1 { color: rgb(1, 2, 3) }');
  await append(olga, 'App.tsx', `import './late.css';`);
  await expect(olga.preview().getByRole('heading')).toHaveCSS('color', 'rgb(1, 2, 3)');
  await page.getByRole('button', { name: 'Reload result' }).click();
  await expect(button).toHaveText('Count: 0');

  await page.getByRole('tab', { name: 'Console' }).click();
  await page.getByRole('textbox', { name: 'Console input' }).click();
  await page.keyboard.insertText("999 + document.querySelectorAll('h1').length");
  await page.keyboard.press('Enter');
  await expect(page.getByRole('log', { name: 'Console' })).toContainText('1000');

  await openPanel(olga);
  await field(olga).fill('left-pad');
  await field(olga).press('Enter');
  await expect(panel(olga).getByRole('alert')).toContainText('Can’t reach the server');

  await olga.context.setOffline(false);
  await expect(olga.saveState()).toHaveText('Saved', { timeout: 30_000 });
  await page.goto(address);
  await expect(olga.preview().getByRole('heading', { name: 'Made offline' })).toBeVisible();
  // Back online, the panel retries, and the registry is still unreachable.
  await expectComplaints(olga, /ERR_INTERNET_DISCONNECTED|manifest patches|status of 50/);
  expect(olga.complaints).toEqual([]);
});

test('a visitor who saves offline stays on the page with a message', async ({ browser }) => {
  const ann = await newVisitor(browser, server);
  await startDraft(ann, server, 'html');
  await retype(ann, 'index.html', '<h1>Mine</h1>');
  // The page has nothing left to load.
  await ann.page.waitForLoadState('networkidle');
  await ann.context.setOffline(true);
  await ann.page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(ann.page.getByRole('alert')).toContainText('Can’t reach the server');
  await expect(ann.editor('index.html')).toContainText('Mine');
  await ann.context.setOffline(false);
  await ann.page.getByRole('button', { name: 'Save', exact: true }).click();
  await ann.page.waitForURL(/\/auth\/sign-up/);
  await expectComplaints(ann, /ERR_INTERNET_DISCONNECTED/);
  expect(ann.complaints).toEqual([]);
});

test('an unavailable package is reported with what still works', async ({ browser }) => {
  const ann = await newVisitor(browser, server);
  await startDraft(ann, server, 'react');
  await openPanel(ann);
  await expect(item(ann, 'react@19.3.1')).toBeVisible();
  await field(ann).fill('left-pad');
  await field(ann).press('Enter');
  const alert = panel(ann).getByRole('alert');
  await expect(alert).toContainText('The package registry isn’t responding.');
  await expect(alert).toContainText('or in the templates still work');
  await expect(field(ann)).toHaveValue('left-pad');
  await field(ann).fill('preact');
  await field(ann).press('Enter');
  await expect(item(ann, 'preact@11.2.0')).toBeVisible();
  await expectComplaints(ann, /status of 50/);
});
