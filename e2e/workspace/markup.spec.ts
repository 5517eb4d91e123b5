import { expect, type Page } from '@playwright/test';
import {
  expectQuiet,
  newVisitor,
  rewrite,
  startDraft,
  test,
  type TestUser,
} from '../rig/test-user.ts';
import { withEmptyLog, type TestServer } from '@vitrine/testing/server';

let server: TestServer;
let ann: TestUser;
let page: Page;

/** Opens a draft of HTML and CSS. */
test.beforeEach(async ({ browser, sharedServer }) => {
  server = withEmptyLog(sharedServer);
  ann = await newVisitor(browser, server);
  page = ann.page;
  await startDraft(ann, server, 'html');
});

const option = (name: string | RegExp) => page.getByRole('option', { name }).first();
const codeOf = (path: string) =>
  ann
    .editor(path)
    .evaluate((node) =>
      [...node.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'),
    );
const show = async (path: string, text: string) => {
  await page.getByRole('tab', { name: path, exact: true }).click();
  await rewrite(ann, path, text);
};

test('completes CSS properties, and names of the project', async () => {
  await show('style.css', ':root {\n  --ink: #123456;\n}\nh1 {\n  ');
  await page.keyboard.type('background-im');
  await expect(option('background-image')).toBeVisible({ timeout: 20_000 });
  await expect(page.locator('.cm-completionInfo')).toContainText('MDN');
  await page.keyboard.press('Escape');
  await page.keyboard.type('age: none;\n  color: var(--i');
  await option(/^--ink/).click();
  await expect.poll(() => codeOf('style.css')).toContain('color: var(--ink)');
  await page.keyboard.press('F12');
  await expect(page.locator('.cm-activeLine')).toHaveText(/--ink: #123456/);
});

test('shows color swatches, and changes a color as one undo step, by pointer and keyboard', async () => {
  await show('style.css', 'h1 {\n  color: #ff0000;\n}');
  const swatch = page.locator('.cm-swatch');
  await expect(swatch).toHaveCount(1);
  await swatch.click();
  const color = page.getByLabel('Color', { exact: true });
  await expect(color).toBeFocused();
  await expect(color).toHaveValue('#ff0000');
  await page.keyboard.press('Escape');
  await expect(ann.editor('style.css')).toBeFocused();
  await ann.editor('style.css').getByText('#ff0000').click();
  await page.keyboard.press('ControlOrMeta+.');
  await expect(color).toBeFocused();
  await color.fill('#0000ff');
  await page.getByLabel('Opacity (%)').fill('50');
  await page.keyboard.press('Enter');
  await expect.poll(() => codeOf('style.css')).toContain('color: #0000ff80;');
  await expect(ann.editor('style.css')).toBeFocused();
  await page.keyboard.press('ControlOrMeta+Z');
  await expect.poll(() => codeOf('style.css')).toContain('color: #ff0000;');
});

test('completes class names of the stylesheets, and renames tag pairs together', async () => {
  await show('style.css', '.poster { color: red }');
  await show('index.html', '<main>\n  <h1>Hello</h1>\n</main>\n');
  await page.keyboard.type('<p class="po');
  await option('poster').click();
  await expect.poll(() => codeOf('index.html')).toContain('<p class="poster');
  await page.keyboard.press('ControlOrMeta+Z');
  await ann.editor('index.html').getByText('h1', { exact: true }).first().dblclick();
  await page.keyboard.type('h2');
  await expect.poll(() => codeOf('index.html')).toContain('<h2>Hello</h2>');
  await page.keyboard.press('ControlOrMeta+Z');
  await expect.poll(() => codeOf('index.html')).toContain('<h1>Hello</h1>');
});

test('expands an Emmet abbreviation with Tab, which leaves the editor after Escape', async () => {
  // Emmet is loaded after everything else.
  await expect(async () => {
    await show('index.html', '<hr />\n');
    await page.keyboard.type('ul.list>li*2');
    await expect(option(/^ul\.list>li\*2/)).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await expect(ann.editor('index.html')).not.toBeFocused();
  await ann.editor('index.html').click();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type('>b');
  await expect(option(/^ul\.list>li\*2>b/)).toBeVisible();
  await page.keyboard.press('Tab');
  await expect
    .poll(() => codeOf('index.html'))
    .toBe('<hr />\n<ul class="list">\n  <li><b></b></li>\n  <li><b></b></li>\n</ul>');
  expectQuiet(server, ann);
});
