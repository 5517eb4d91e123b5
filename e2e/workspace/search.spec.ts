import { expect, type Page } from '@playwright/test';
import { newVisitor, rewrite, startDraft, test, type TestUser } from '../rig/test-user.ts';

let ann: TestUser;
let page: Page;

/** Opens a draft of three plain files with the search. */
test.beforeEach(async ({ browser, sharedServer }) => {
  ann = await newVisitor(browser, sharedServer);
  page = ann.page;
  await startDraft(ann, sharedServer, 'html');
  await rewrite(ann, 'script.js', 'const size = 1;\nlet sizes = [size];\n');
  await rewrite(ann, 'style.css', 'p { --size: 2px; }\n');
  await page.keyboard.press('ControlOrMeta+Shift+F');
});

const field = () => page.getByRole('searchbox', { name: 'Search in files' });
const said = (words: string) => page.getByRole('status').filter({ hasText: words });
const code = (path: string) =>
  ann
    .editor(path)
    .evaluate((node) =>
      [...node.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'),
    );
const open = (path: string) => page.getByRole('tab', { name: path, exact: true }).click();

test(
  'replaces in all files that aren’t excluded, as one undo step',
  { tag: '@journey' },
  async () => {
    await field().fill('size');
    await page.getByRole('button', { name: 'Replace', exact: true }).click();
    await page.getByRole('textbox', { name: 'Replace with' }).fill('width');
    await expect(said('4 matches in 2 files')).toBeVisible();
    const script = page.getByRole('region', { name: 'script.js' });
    await expect(script.getByRole('button').first()).toHaveText('1const sizewidth = 1;');
    await script.getByRole('checkbox', { name: 'Replace on line 2, column 5' }).uncheck();
    await expect(script.getByRole('button').nth(1)).toHaveText('2let sizes = [size];');
    await page.getByRole('button', { name: 'Replace all' }).click();
    await expect(page.getByText('Replaced 3 matches in 2 files')).toBeVisible();
    await open('script.js');
    await expect.poll(() => code('script.js')).toBe('const width = 1;\nlet sizes = [width];\n');
    await open('style.css');
    await expect.poll(() => code('style.css')).toBe('p { --width: 2px; }\n');

    await ann.editor('style.css').click();
    await page.keyboard.press('ControlOrMeta+Z');
    await expect.poll(() => code('style.css')).toBe('p { --size: 2px; }\n');
    await open('script.js');
    await expect.poll(() => code('script.js')).toBe('const size = 1;\nlet sizes = [size];\n');
  },
);

test('replaces with a regular expression and its groups, and undoes it from the toast', async () => {
  await page.getByRole('button', { name: 'Replace', exact: true }).click();
  await page.getByRole('checkbox', { name: 'Regular expression' }).check();
  await field().fill('(const|let) (\\w+)');
  await page.getByRole('textbox', { name: 'Replace with' }).fill('var $2');
  await expect(said('2 matches in 1 file')).toBeVisible();
  await page.getByRole('button', { name: 'Replace all' }).click();
  await open('script.js');
  await expect.poll(() => code('script.js')).toBe('var size = 1;\nvar sizes = [size];\n');
  await page
    .getByRole('dialog')
    .filter({ hasText: 'Replaced 2 matches in 1 file' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect.poll(() => code('script.js')).toBe('const size = 1;\nlet sizes = [size];\n');
});

test('a regular expression that never ends is aborted, and the page keeps working', async () => {
  await rewrite(ann, 'script.js', `// ${'a'.repeat(60)}!\n`);
  await page.getByRole('checkbox', { name: 'Regular expression' }).check();
  await field().fill('(a+)+$');
  await page.keyboard.press('Tab');
  await expect(said('The regular expression takes too long on these files.')).toBeVisible();
  await field().fill('a{60}!');
  await expect(said('1 match in 1 file')).toBeVisible();
  await field().fill('a(');
  await expect(said('Invalid regular expression.')).toBeVisible();
  expect(ann.complaints).toEqual([]);
});
