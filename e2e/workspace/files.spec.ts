import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { dropFromDesktop, newVisitor, startDraft, test, type TestUser } from '../rig/test-user.ts';

let ann: TestUser;
let page: Page;
let desktop: string;

/** Opens a draft of three plain files with its tree. */
test.beforeEach(async ({ browser, sharedServer }) => {
  ann = await newVisitor(browser, sharedServer);
  page = ann.page;
  await startDraft(ann, sharedServer, 'html');
  await page.getByRole('button', { name: 'Files', exact: true }).click();
  desktop = await mkdtemp(join(tmpdir(), 'vitrine-desktop-'));
});
test.afterEach(() => rm(desktop, { recursive: true }));

const tree = () => page.getByRole('tree', { name: 'Files' });
const row = (path: string) => tree().getByRole('treeitem', { name: path, exact: true });
const shownPaths = () =>
  tree()
    .getByRole('treeitem')
    .evaluateAll((rows) => rows.map((each) => each.getAttribute('aria-label')));
const plainFiles = ['index.html', 'script.js', 'style.css'];
const collision = (name: string) => page.getByRole('dialog', { name: `Replace ${name}?` });
const undo = (words: string) =>
  page.getByRole('dialog').filter({ hasText: words }).getByRole('button', { name: 'Undo' }).click();

async function nameNew(kind: 'file' | 'folder', path: string): Promise<void> {
  await page.getByRole('button', { name: `New ${kind}` }).click();
  await page.getByRole('textbox', { name: `New ${kind} name` }).fill(path);
  await page.keyboard.press('Enter');
}

test(
  'creates folders, moves files by drag and drop, and undoes it',
  { tag: '@journey' },
  async () => {
    await nameNew('folder', 'lib');
    await expect(row('lib')).toHaveAttribute('aria-expanded', 'true');
    await row('script.js').dragTo(row('lib'));
    await expect.poll(shownPaths).toEqual(['lib', 'lib/script.js', 'index.html', 'style.css']);
    await expect(page.getByRole('tab', { name: 'lib/script.js' })).toBeVisible();

    // A folder moves with its content, and is renamed like a file.
    await nameNew('folder', 'src');
    await row('lib').dragTo(row('src'));
    await expect
      .poll(shownPaths)
      .toEqual(['src', 'src/lib', 'src/lib/script.js', 'index.html', 'style.css']);
    await row('src/lib').focus();
    await page.keyboard.press('F2');
    await page.getByRole('textbox', { name: 'Rename src/lib' }).fill('src/parts');
    await page.keyboard.press('Enter');
    await expect(row('src/parts/script.js')).toBeVisible();
    // The focused row has another name now.
    await expect(page.locator('[role=treeitem]:focus')).toHaveCount(1);
    await row('src').focus();
    await undo('Renamed src/lib to src/parts');
    await expect(row('src')).toBeFocused();
    await row('src').press('ControlOrMeta+z');
    await expect(page.getByText('Moved lib to src')).toBeHidden();
    await undo('Moved script.js to lib');
    await expect(row('script.js')).toBeVisible();
    for (const folder of ['src', 'lib']) {
      await row(folder).focus();
      await page.keyboard.press('Delete');
    }
    await expect.poll(shownPaths).toEqual(plainFiles);
  },
);

test('cuts, copies and pastes by keyboard, and finds rows by typing', async () => {
  await nameNew('folder', 'css');
  await row('index.html').focus();
  await page.keyboard.type('st');
  await expect(row('style.css')).toBeFocused();
  await page.keyboard.press('ControlOrMeta+C');
  await page.keyboard.press('Home');
  await expect(row('css')).toBeFocused();
  await page.keyboard.press('ControlOrMeta+V');
  await expect(row('css/style.css')).toBeVisible();
  await row('style.css').focus();
  await page.keyboard.press('ControlOrMeta+X');
  await page.keyboard.press('Home');
  await page.keyboard.press('ControlOrMeta+V');
  await expect(collision('style.css')).toContainText('already exists in css');
  await collision('style.css').getByRole('button', { name: 'Cancel' }).click();
  await expect(row('style.css')).toBeVisible();
  // Cut rows that weren't moved can be pasted again.
  await row('css').press('ControlOrMeta+V');
  await collision('style.css').getByRole('button', { name: 'Replace', exact: true }).click();
  await expect.poll(shownPaths).toEqual(['css', 'css/style.css', 'index.html', 'script.js']);
  await undo('Moved style.css to css');
  await expect(row('style.css')).toBeVisible();
  await row('css').focus();
  await page.keyboard.press('Delete');
  await expect.poll(shownPaths).toEqual(plainFiles);
});

test('duplicates a file from its menu', async () => {
  await row('script.js').click();
  await page.getByRole('button', { name: 'Actions for script.js' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await expect(row('script (2).js')).toBeVisible();
  await undo('Added script (2).js');
  await expect.poll(shownPaths).toEqual(plainFiles);
});

test('opens a row’s context menu by right-click and menu key', async () => {
  const rename = page.getByRole('menuitem', { name: 'Rename' });
  await row('script.js').click({ button: 'right' });
  await expect(rename).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(rename).toBeHidden();
  await row('script.js').focus();
  // The menu's button isn't shown, because the row isn't hovered.
  await page.mouse.move(0, 0);
  await page.keyboard.press('ContextMenu');
  await expect(rename).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(rename).toBeHidden();
  await expect(row('script.js')).toBeFocused();
});

test('scrolls to the row of an opened file', async () => {
  await mkdir(join(desktop, 'many'));
  for (let number = 0; number < 40; number++)
    await writeFile(join(desktop, `many/f${number}.js`), '');
  await dropFromDesktop(page, tree(), [join(desktop, 'many')]);
  await expect(row('many/f39.js')).toBeAttached();
  await page.keyboard.press('ControlOrMeta+P');
  await page.getByRole('combobox', { name: 'File', exact: true }).fill('f39');
  await page.keyboard.press('Enter');
  await expect(row('many/f39.js')).toBeInViewport();
  await row('many').focus();
  await page.keyboard.press('Delete');
  await expect.poll(shownPaths).toEqual(plainFiles);
});

test('adds files and folders from the desktop, and skips what comes along with them', async () => {
  await mkdir(join(desktop, 'parts/deep'), { recursive: true });
  await mkdir(join(desktop, 'parts/node_modules/x'), { recursive: true });
  await writeFile(join(desktop, 'parts/deep/a.js'), 'export const a = 1;\n');
  await writeFile(join(desktop, 'parts/node_modules/x/index.js'), '');
  await writeFile(join(desktop, 'style.css'), 'h1 { color: teal }\r\n');
  await writeFile(join(desktop, 'dot.png'), Buffer.from('89504e470d0a1a0a00', 'hex'));
  await dropFromDesktop(
    page,
    tree(),
    ['parts', 'style.css', 'dot.png'].map((name) => join(desktop, name)),
  );
  await expect(collision('style.css')).toContainText('already exists in this project');
  await collision('style.css').getByRole('button', { name: 'Keep both' }).click();
  await expect
    .poll(shownPaths)
    .toEqual([
      'parts',
      'parts/deep',
      'parts/deep/a.js',
      'dot.png',
      'index.html',
      'script.js',
      'style (2).css',
      'style.css',
    ]);
  await row('style (2).css').click();
  await expect(ann.editor('style (2).css')).toContainText('h1 { color: teal }');
  await undo('Added 3 items');
  await expect.poll(shownPaths).toEqual(plainFiles);
});

test('rejects a replacement that makes the project too large, and changes nothing', async () => {
  const mebibyte = 'x'.repeat(1024 * 1024);
  const give = async (files: Readonly<Record<string, string>>) => {
    const paths = Object.keys(files).map((name) => join(desktop, name));
    for (const path of paths) await writeFile(path, files[basename(path)] ?? '');
    await page.getByRole('button', { name: 'File actions' }).click();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('menuitem', { name: 'Upload' }).click();
    await (await chooser).setFiles(paths);
  };
  const large = Array.from({ length: 9 }, (_, n) => [`${n}.txt`, mebibyte] as const);
  await give(Object.fromEntries(large));
  await expect(row('8.txt')).toBeVisible();
  await row('style.css').click();
  const before = await ann.editor('style.css').textContent();
  await give({ 'style.css': mebibyte });
  await collision('style.css').getByRole('button', { name: 'Replace', exact: true }).click();
  const notices = page.getByRole('region', { name: 'Notifications' });
  const refusal = notices.getByText('Projects can’t be larger than 10 MB.');
  await expect(refusal).toBeVisible();
  await expect(ann.editor('style.css')).toHaveText(before ?? '');
});

test('asks whether to replace existing files, for one or for all', async () => {
  const texts = { 'index.html': '<h1>New</h1>', 'script.js': 'let a;', 'style.css': 'h1 {}' };
  const paths = await Promise.all(
    Object.entries(texts).map(async ([name, text]) => {
      await writeFile(join(desktop, name), text);
      return join(desktop, name);
    }),
  );
  await row('index.html').click();
  const before = await ann.editor('index.html').textContent();
  await dropFromDesktop(page, tree(), paths);
  await collision('index.html').getByRole('button', { name: 'Cancel' }).click();
  await expect(collision('index.html')).toBeHidden();
  await expect.poll(shownPaths).toEqual(plainFiles);

  await dropFromDesktop(page, tree(), paths);
  await collision('index.html').getByLabel('Apply to all 3 files').check();
  await collision('index.html').getByRole('button', { name: 'Replace', exact: true }).click();
  await expect(ann.editor('index.html')).toHaveText('<h1>New</h1>');
  await expect.poll(shownPaths).toEqual(plainFiles);
  await undo('Replaced 3 items');
  await expect(ann.editor('index.html')).toHaveText(before ?? '');

  await page.getByRole('button', { name: 'File actions' }).click();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('menuitem', { name: 'Upload' }).click();
  await (await chooser).setFiles(paths.slice(0, 1));
  await expect(collision('index.html').getByRole('checkbox')).toBeHidden();
  await collision('index.html').getByRole('button', { name: 'Keep both' }).click();
  await undo('Added index (2).html');
  await expect.poll(shownPaths).toEqual(plainFiles);
});

test('adds pasted files', async () => {
  await row('index.html').focus();
  await row('index.html').evaluate((element) => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File(['pasted'], 'note.txt'));
    const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    element.dispatchEvent(paste);
  });
  await expect(ann.editor('note.txt')).toHaveText('pasted');
  await undo('Added note.txt');
  await expect.poll(shownPaths).toEqual(plainFiles);
});

test('downloads a file, and the project as a zip', async () => {
  const file = page.waitForEvent('download');
  await row('style.css').hover();
  await page.getByRole('button', { name: 'Actions for style.css' }).click();
  await page.getByRole('menuitem', { name: 'Download' }).click();
  expect((await file).suggestedFilename()).toBe('style.css');

  const zip = page.waitForEvent('download');
  await page.getByRole('button', { name: 'File actions' }).click();
  await page.getByRole('menuitem', { name: 'Download project' }).click();
  expect((await zip).suggestedFilename()).toMatch(/\.zip$/);
  const bytes = await readFile(await (await zip).path());
  for (const path of plainFiles) expect(bytes.includes(path)).toBe(true);
  expect(bytes.subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004');
});

test('links follow moved files, and one undo reverts both', async () => {
  await row('index.html').click();
  const html = ann.editor('index.html');
  // A page that is loading when its stylesheet moves requests it where it was.
  const expectShown = (href: string) =>
    expect(ann.preview().locator('link[rel=stylesheet]')).toHaveAttribute('href', href);
  await expect(html).toContainText('href="style.css"');
  await row('style.css').focus();
  await page.keyboard.press('F2');
  await page.getByRole('textbox', { name: 'Rename style.css' }).fill('css/main.css');
  await page.keyboard.press('Enter');
  await expect(html).toContainText('href="css/main.css"');
  await expect(row('css/main.css')).toBeVisible();
  await expectShown('css/main.css');
  await html.click();
  await page.keyboard.press('ControlOrMeta+Z');
  await expect(html).toContainText('href="style.css"');
  await expect.poll(shownPaths).toEqual(plainFiles);
  await expectShown('style.css');
  await page.keyboard.press('ControlOrMeta+Y');
  await expect(html).toContainText('href="css/main.css"');
  await expect(row('css/main.css')).toBeVisible();
  await expectShown('css/main.css');

  // Also after later edits.
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.type('<!-- -->');
  await nameNew('folder', 'assets');
  await row('css').dragTo(row('assets'));
  await expect(html).toContainText('href="assets/css/main.css"');
  await expectShown('assets/css/main.css');
  await page.keyboard.type('x');
  await undo('Moved css to assets and updated references in 1 file');
  await expect(html).toContainText('href="css/main.css"');
  await expect(html).toContainText('<!-- -->');
  await expectShown('css/main.css');
  expect(ann.complaints).toEqual([]);
});

test('links follow a file that is renamed without a connection', async () => {
  const hasParsers = () =>
    page.evaluate(() =>
      performance.getEntriesByType('resource').some(({ name }) => name.includes('/update-links')),
    );
  await expect.poll(hasParsers).toBe(true);
  await ann.context.setOffline(true);
  await row('style.css').focus();
  await page.keyboard.press('F2');
  await page.getByRole('textbox', { name: 'Rename style.css' }).fill('main.css');
  await page.keyboard.press('Enter');
  await expect(ann.editor('index.html')).toContainText('href="main.css"');
});

test('selects several rows with Shift and Ctrl, and deletes and restores them together', async () => {
  await row('index.html').focus();
  await page.keyboard.press('Shift+ArrowDown');
  await expect(tree().getByRole('treeitem', { selected: true })).toHaveCount(2);
  await row('style.css').click({ modifiers: ['ControlOrMeta'] });
  await row('index.html').click({ modifiers: ['ControlOrMeta'] });
  await expect(row('index.html')).toHaveAttribute('aria-selected', 'false');
  await row('script.js').focus();
  await page.keyboard.press('Delete');
  await expect.poll(shownPaths).toEqual(['index.html']);
  await undo('Deleted 2 items');
  await expect.poll(shownPaths).toEqual(plainFiles);
  await expect(page.getByRole('tab', { name: 'script.js' })).toBeVisible();
});
