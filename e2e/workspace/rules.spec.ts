import { expect, type Page } from '@playwright/test';
import { newVisitor, rewrite, startDraft, test, type TestUser } from '../rig/test-user.ts';
import type { TestServer } from '@vitrine/testing/server';

let server: TestServer;
let ann: TestUser;
let page: Page;

/** Opens a draft of plain files. */
test.beforeEach(async ({ browser, sharedServer }) => {
  server = sharedServer;
  ann = await newVisitor(browser, server);
  page = ann.page;
  await startDraft(ann, server, 'html');
});

const problems = () => page.getByRole('list', { name: 'Problems' }).getByRole('listitem');
const codeOf = (path: string) =>
  ann
    .editor(path)
    .evaluate((node) =>
      [...node.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'),
    );
const open = (path: string) => page.getByRole('tab', { name: path, exact: true }).click();

test('lists lint findings in scripts, styles and pages once, and fixes them', async () => {
  await page.getByRole('tab', { name: 'Problems' }).click();
  await open('style.css');
  await rewrite(ann, 'style.css', 'p {\n  colr: red;\n}\n');
  await expect(problems()).toHaveText([/Unknown property “colr” found\..*style\.css:2/], {
    timeout: 20_000,
  });
  await open('script.js');
  await rewrite(ann, 'script.js', "if (!!name) document.title = 'x';\nnothingSuch();\n");
  const script = problems().filter({ hasText: 'script.js' });
  // The preview reports the second one itself.
  await expect(script.filter({ hasText: 'nothingSuch' })).toHaveCount(1);
  const negation = script.filter({ hasText: 'Redundant double negation' });
  await expect(negation).toContainText('no-extra-boolean-cast');
  // A key reaches its row even if the preview's report moves the rows meanwhile.
  await negation.getByRole('button').press('Enter');
  await expect(ann.editor('script.js')).toBeFocused();
  await page.keyboard.press('ControlOrMeta+.');
  await expect(page.getByRole('listbox', { name: 'Quick fixes' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect.poll(() => codeOf('script.js')).toContain('if (name) ');
  await expect(negation).toHaveCount(0);
  await page.keyboard.press('ControlOrMeta+Z');
  await expect.poll(() => codeOf('script.js')).toContain('if (!!name) ');

  // Names unknown to the rules are searched in all files.
  await page.keyboard.press('ControlOrMeta+Shift+F');
  await expect(page.getByRole('searchbox', { name: 'Search in files' })).toBeFocused();
  await page.keyboard.type('COLR');
  await expect(page.getByRole('status').filter({ hasText: '1 match in 1 file' })).toBeVisible();
  await page.getByRole('button', { name: '2 colr: red;' }).click();
  await expect(ann.editor('style.css')).toBeFocused();
});

test('lints and fixes TypeScript and Sass, too', async () => {
  await page.getByRole('tab', { name: 'Problems' }).click();
  await page.getByRole('button', { name: 'Files', exact: true }).click();
  for (const [path, text] of [
    ['look.ts', `let ink: String = 'b';\nexport const paper = ink!!;\n`],
    ['look.scss', `.a {\n  .b {\n    colr: red;\n  }\n}\n`],
  ] as const) {
    await page.getByRole('button', { name: 'New file' }).first().click();
    await page.getByRole('textbox', { name: 'New file name' }).fill(path);
    await page.keyboard.press('Enter');
    await expect(ann.editor(path)).toBeVisible();
    await rewrite(ann, path, text);
  }
  const typed = problems().filter({ hasText: 'look.ts' });
  await expect(typed.filter({ hasText: 'Extra non-null assertion' })).toHaveCount(1, {
    timeout: 20_000,
  });
  await expect(typed.filter({ hasText: 'wrapper type' })).toHaveCount(1);
  await expect(typed.filter({ hasText: 'prefer-const' })).toHaveCount(1);
  const sass = problems().filter({ hasText: 'look.scss:3' });
  await expect(sass).toContainText('unknownProperties');
  await sass.getByRole('button').click();
  await page.keyboard.press('ControlOrMeta+.');
  await page.getByRole('option', { name: 'Rename to color', exact: true }).click();
  await expect.poll(() => codeOf('look.scss')).toContain('    color: red;');
  await expect(sass).toHaveCount(0);
});

test('formats a file as one undo step, keeps the cursor, and follows the project’s config', async () => {
  await open('script.js');
  await rewrite(ann, 'script.js', `const  a = "b";\nif(a){document.title=a}`);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Shift+Alt+F');
  const whole = `const a = "b";\nif (a) {\n  document.title = a;\n}\n`;
  await expect.poll(() => codeOf('script.js'), { timeout: 20_000 }).toBe(whole);
  await page.keyboard.type('/**/');
  await expect.poll(() => codeOf('script.js')).toContain('title = a/**/;');
  // Slow typing is several undo steps.
  const undo = async () => {
    await page.keyboard.press('ControlOrMeta+Z');
    return codeOf('script.js');
  };
  await expect.poll(undo).toBe(whole);
  expect(await undo()).toContain('if(a){document.title=a}');

  await rewrite(ann, 'script.js', 'a( )\nb( ');
  await page.keyboard.press('Shift+Alt+F');
  await expect(page.getByRole('alert').getByText('it wasn’t formatted')).toBeVisible();
  await expect.poll(() => codeOf('script.js')).toBe('a( )\nb( ');
});

test('formats on save if enabled', async () => {
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Format on save' }).click();
  await page.keyboard.press('Escape');
  await open('style.css');
  await rewrite(ann, 'style.css', 'p{color:red}');
  await page.keyboard.press('ControlOrMeta+S');
  await page.waitForURL(/sign-up/);
  await page.goBack();
  await open('style.css');
  await expect.poll(() => codeOf('style.css')).toBe('p {\n  color: red;\n}\n');
});

test('reports no globals of the running page, and no CSS that the browser supports', async () => {
  await page.getByRole('tab', { name: 'Problems' }).click();
  await open('style.css');
  await rewrite(ann, 'style.css', 'p {\n  color: contrast-color(red);\n  colr: red;\n}\n');
  await open('script.js');
  // These names don't appear in the text.
  const names = `for (const end of ['int', 'en']) globalThis['p' + end] = () => end;`;
  await rewrite(ann, 'script.js', `${names}\npint();\nif (!!name) pen();\npaint;\n`);
  const script = problems().filter({ hasText: 'script.js' });
  await expect(script.filter({ hasText: 'paint' })).toHaveCount(1, { timeout: 20_000 });
  await expect(script.filter({ hasText: 'Redundant double negation' })).toHaveCount(1);
  await expect(script.filter({ hasText: /“(?:pint|pen)”/ })).toHaveCount(0);
  const styles = problems().filter({ hasText: 'style.css' });
  await expect(styles.filter({ hasText: 'colr' })).toHaveCount(1);
  await expect(styles).toHaveCount(1);
});
