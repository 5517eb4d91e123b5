import { expect, type Page } from '@playwright/test';
import {
  newSignedInUser,
  newVisitor,
  retype,
  saveDraft,
  startDraft,
  test,
  uniqueName,
  type TestUser,
} from '../rig/test-user.ts';

let ann: TestUser;
let page: Page;

/** Opens a draft of three plain files with its tree. */
test.beforeEach(async ({ browser, sharedServer }) => {
  ann = await newVisitor(browser, sharedServer);
  page = ann.page;
  await startDraft(ann, sharedServer, 'html');
  await page.getByRole('button', { name: 'Files', exact: true }).click();
});

const strip = (name = 'Open files') => page.getByRole('tablist', { name, exact: true });
const tab = (path: string) => strip().getByRole('tab', { name: path, exact: true });
const names = (name?: string) =>
  strip(name)
    .getByRole('tab')
    .evaluateAll((tabs) => tabs.map((each) => each.getAttribute('aria-label')));
const row = (path: string) =>
  page.getByRole('tree', { name: 'Files' }).getByRole('treeitem', { name: path, exact: true });

async function choose(item: string, menu = 'Tab actions'): Promise<void> {
  await page.getByRole('button', { name: menu, exact: true }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

test('nothing extends below the window, where focus would scroll to it', async () => {
  const dock = await page.getByRole('tablist', { name: 'Panel' }).boundingBox();
  expect(dock && dock.y + dock.height).toBeLessThanOrEqual(900);
});

test('an editor that moves to another layout shows the edited text at once', async () => {
  await tab('style.css').click();
  await retype(ann, 'style.css', 'h1 { color: teal }');
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  const shown = await page.evaluateHandle(() => {
    const texts: string[] = [];
    new MutationObserver((records) => {
      for (const { addedNodes } of records)
        for (const node of addedNodes)
          if (node instanceof Element)
            texts.push(...Array.from(node.querySelectorAll('pre'), ({ innerText }) => innerText));
    }).observe(document.body, { childList: true, subtree: true });
    return texts;
  });
  await page.getByRole('menuitemradio', { name: 'Three columns' }).click();
  await expect(ann.editor('script.js')).toBeVisible();
  await expect.poll(() => shown.evaluate((texts) => texts)).toContain('h1 { color: teal }');
});

test('dividers follow the pointer over the preview, whose frame would capture it', async () => {
  const drag = async (name: string, by: { x?: number; y?: number }) => {
    const line = page.getByRole('separator', { name });
    const box = await line.boundingBox();
    if (!box) throw new Error(`${name} is not seen`);
    // Within the preview's half.
    const at = { x: box.x + (box.width * 3) / 4, y: box.y + box.height / 4 };
    const to = { x: at.x + (by.x ?? 0), y: at.y + (by.y ?? 0) };
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y);
    await page.mouse.up();
    const moved = () => line.boundingBox();
    if (by.x)
      await expect.poll(async () => Math.abs(((await moved())?.x ?? 0) - to.x)).toBeLessThan(4);
    if (by.y)
      await expect.poll(async () => Math.abs(((await moved())?.y ?? 0) - to.y)).toBeLessThan(4);
  };
  await page.getByRole('tab', { name: 'Problems' }).click();
  await drag('Resize editor', { x: 120 });
  await drag('Resize panel', { y: -160 });
  for (const name of ['Resize editor', 'Resize panel'])
    await page.getByRole('separator', { name }).dblclick({ position: { x: 0, y: 0 } });
  await page.getByRole('button', { name: 'Close panel' }).click();
});

test('a transient tab is replaced by the next file, unless it was edited', async () => {
  await tab('index.html').click();
  await choose('Close others');
  await expect.poll(() => names()).toEqual(['index.html']);
  await row('style.css').click();
  await expect(tab('style.css')).toHaveAccessibleDescription(/temporary/);
  await row('script.js').click();
  await expect.poll(() => names()).toEqual(['index.html', 'script.js']);
  await retype(ann, 'script.js', 'let a = 1;');
  await expect(tab('script.js')).not.toHaveAccessibleDescription(/temporary/);
  await row('style.css').click();
  await expect.poll(() => names()).toEqual(['index.html', 'script.js', 'style.css']);
  await row('style.css').dblclick();
  await expect(tab('style.css')).not.toHaveAccessibleDescription(/temporary/);
});

test('tabs are pinned, moved by keyboard and drag, closed and reopened', async () => {
  await tab('style.css').click();
  await choose('Pin');
  await expect(tab('style.css')).toHaveAccessibleDescription(/pinned/);
  await expect.poll(() => names()).toEqual(['style.css', 'index.html', 'script.js']);
  await tab('script.js').click();
  await expect(ann.editor('script.js')).toBeFocused();
  await tab('script.js').press('ControlOrMeta+Shift+ArrowLeft');
  await expect(tab('script.js')).toBeFocused();
  await expect.poll(() => names()).toEqual(['style.css', 'script.js', 'index.html']);
  await tab('index.html').dragTo(tab('script.js'));
  await expect.poll(() => names()).toEqual(['style.css', 'index.html', 'script.js']);
  await choose('Close all');
  await expect.poll(() => names()).toEqual(['style.css']);
  await choose('Reopen closed file');
  await expect.poll(() => names()).toEqual(['style.css', 'script.js']);
  await tab('style.css').click();
  await choose('Unpin');
});

test('an added test has the focus, also if no file was open', async () => {
  await page.getByRole('tab', { name: 'Tests' }).click();
  await choose('Close all');
  await expect(page.getByText('No file open.')).toBeVisible();
  await page.getByRole('button', { name: 'Add test' }).click();
  await expect(ann.editor('script.test.js')).toBeFocused();
});

test('the selected tab is scrolled into view when created, selected, reloaded or resized', async () => {
  const paths = ['the-first-of-two-long-names.css', 'the-second-of-two-long-names.css'] as const;
  for (const path of paths) {
    await page.getByRole('button', { name: 'New file' }).first().click();
    await page.getByRole('textbox', { name: 'New file name' }).fill(path);
    await page.keyboard.press('Enter');
    await expect(ann.editor(path)).toBeFocused();
  }
  const seen = async (path: string) => expect(tab(path)).toBeInViewport({ ratio: 0.99 });
  const [, last] = paths;
  await seen(last);
  await row('index.html').click();
  await seen('index.html');
  await expect(tab(last)).not.toBeInViewport({ ratio: 0.99 });
  await row(last).click();
  await seen(last);
  await expect(ann.saveState()).toHaveText(/^Draft/);
  await page.reload();
  await expect(ann.editor(last)).toBeVisible();
  await seen(last);
  await page.setViewportSize({ width: 1000, height: 900 });
  await seen(last);
});

test('right-click and the menu key open the context menu of their tab', async () => {
  await tab('style.css').click();
  await tab('script.js').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Pin', exact: true }).click();
  await expect(tab('script.js')).toHaveAccessibleDescription(/pinned/);
  await expect(tab('style.css')).toHaveAttribute('aria-selected', 'true');
  await expect.poll(() => names()).toEqual(['script.js', 'index.html', 'style.css']);
  await tab('script.js').click();
  await tab('script.js').press('Shift+F10');
  await expect(page.getByRole('menuitem', { name: 'Unpin' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(tab('script.js')).toBeFocused();
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Unpin' }).click();
  await expect(tab('script.js')).not.toHaveAccessibleDescription(/pinned/);
});

test('a dragged tab shows its drop position', async () => {
  await expect.poll(() => names()).toEqual(['index.html', 'style.css', 'script.js']);
  const dragOver = async (from: string, to: string) => {
    await tab(from).hover();
    await page.mouse.down();
    // The first move starts the drag, the second is over the other tab.
    await tab(to).hover();
    await tab(to).hover();
  };
  await dragOver('index.html', 'script.js');
  await expect(tab('script.js')).toHaveAttribute('data-drop', 'end');
  await page.mouse.up();
  await expect.poll(() => names()).toEqual(['style.css', 'script.js', 'index.html']);
  await expect(strip().locator('[data-drop]')).toHaveCount(0);
  await dragOver('index.html', 'style.css');
  await expect(tab('style.css')).toHaveAttribute('data-drop', 'start');
  await page.mouse.up();
  await expect.poll(() => names()).toEqual(['index.html', 'style.css', 'script.js']);
});

test('goes to a file by some letters of its name', async () => {
  await tab('script.js').click();
  await ann.editor('script.js').press('ControlOrMeta+P');
  const field = page.getByRole('combobox', { name: 'File', exact: true });
  await expect(field).toBeFocused();
  await page.keyboard.type('inhm');
  await expect(page.getByRole('option')).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(ann.editor('index.html')).toBeFocused();
  await expect(field).toBeHidden();

  await page.keyboard.press('ControlOrMeta+P');
  await page.keyboard.type('nothing like it');
  await expect(page.getByText('No matching files')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(ann.editor('index.html')).toBeFocused();
});

test('two editors open side by side, also for one file, each with its own cursor', async () => {
  await tab('script.js').click();
  await retype(ann, 'script.js', 'let a = 1;');
  await choose('Split editor');
  const sides = [
    page.getByRole('region', { name: 'Code', exact: true }),
    page.getByRole('region', { name: 'Code, group 2' }),
  ] as const;
  for (const side of sides)
    await expect(side.getByRole('textbox', { name: 'Editor: script.js' })).toBeVisible();
  await sides[1].getByRole('textbox').click();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.insertText(' let b = 2;');
  await expect(sides[0].getByRole('textbox')).toContainText('let b = 2;');
  await sides[0].getByRole('textbox').click();
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.type('// ');
  await expect(sides[1].getByRole('textbox')).toContainText('// let a = 1; let b = 2;');
  await page.keyboard.press('ControlOrMeta+Z');
  await expect(sides[1].getByRole('textbox')).not.toContainText('// ');

  // Files open in the focused editor group, and tabs move between groups by drag.
  await sides[1].getByRole('textbox').click();
  await row('index.html').dblclick();
  await expect.poll(() => names('Open files, group 2')).toEqual(['script.js', 'index.html']);
  await strip('Open files, group 2').getByRole('tab', { name: 'index.html' }).dragTo(strip());
  await expect.poll(() => names('Open files, group 2')).toEqual(['script.js']);
  await expect(tab('index.html')).toHaveAttribute('aria-selected', 'true');

  const line = page.getByRole('separator', { name: 'Resize editor', exact: true });
  await expect(line).toBeVisible();
  await choose('Close Del', 'Tab actions, group 2');
  await expect(sides[1]).toBeHidden();
});

test('the focus is kept when a tab is closed by its menu or close button', async () => {
  for (const path of ['index.html', 'script.js', 'style.css']) await row(path).dblclick();
  await tab('style.css').click({ button: 'right' });
  await page.getByRole('menuitem', { name: /^Close Del/ }).click();
  await expect(strip().locator('[role=tab]:focus')).toHaveCount(1);
  await tab('index.html').click();
  await tab('index.html').getByTitle('Close').click();
  await expect(tab('index.html')).toBeHidden();
  await expect(strip().locator('[role=tab]:focus')).toHaveCount(1);
});

test('a project reopens with its own layout, regardless of other projects', async ({
  sharedServer,
}) => {
  await tab('script.js').click();
  await choose('Split editor');
  await page.getByRole('tab', { name: 'Problems' }).click();
  const line = page.getByRole('separator', { name: 'Resize editor', exact: true });
  const before = await line.getAttribute('aria-valuenow');
  await line.focus();
  await page.keyboard.press('ArrowLeft');
  await expect(line).not.toHaveAttribute('aria-valuenow', before ?? '');
  const sizeOf = async () => Math.round(Number(await line.getAttribute('aria-valuenow')));
  const size = await sizeOf();
  const [first, left] = [page.url(), await names()];

  await startDraft(ann, sharedServer, 'empty');
  await page.getByRole('button', { name: 'Files', exact: true }).click();
  await expect(page.getByRole('tree', { name: 'Files' })).toBeHidden();
  await page.getByRole('tab', { name: 'Console' }).click();

  await page.goto(first);
  await expect(strip('Open files, group 2')).toBeVisible();
  expect(await names()).toEqual(left);
  await expect(tab('script.js')).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('tree', { name: 'Files' })).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Problems' })).toHaveAttribute(
    'aria-selected',
    'true',
  );
  await expect.poll(sizeOf).toBe(size);
  expect(ann.complaints).toEqual([]);
});

test('a saved draft reopens with the tab that was active', async ({ browser, sharedServer }) => {
  const kim = await newSignedInUser(browser, sharedServer, uniqueName('kim'));
  await startDraft(kim, sharedServer, 'html');
  await kim.page.getByRole('tab', { name: 'script.js', exact: true }).click();
  await saveDraft(kim);
  await kim.page.reload();
  await expect(kim.editor('script.js')).toBeVisible();
  expect(kim.complaints).toEqual([]);
});

test('the home page’s demo reopens its files once all are closed', async ({
  browser,
  sharedServer,
}) => {
  const { page, editor } = await newVisitor(browser, sharedServer);
  await page.goto(sharedServer.address);
  const demo = page.getByRole('tablist', { name: 'Open files' });
  await expect(editor('index.html')).toBeVisible();
  const count = await demo.getByRole('tab').count();
  await demo.getByRole('tab').first().focus();
  for (let closed = 0; closed < count; closed += 1) await page.keyboard.press('Delete');
  await page.getByRole('button', { name: 'Reopen files' }).click();
  await expect(demo.getByRole('tab')).toHaveCount(count);
  await expect(editor('index.html')).toBeVisible();
});
