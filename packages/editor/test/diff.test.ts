import type { Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { EditorBrowser } from './open-page.ts';

let browser: EditorBrowser;
beforeAll(async () => {
  browser = await EditorBrowser.start();
}, 60_000);
afterAll(() => browser.close());
afterEach(() => {
  expect(browser.takeErrors()).toEqual([]);
});

const lines = (count: number) => Array.from({ length: count }, (_, n) => `const n${n} = ${n};`);
/** Two changes, forty lines apart. */
const before = lines(60).join('\n');
const after = lines(60).with(5, 'const changed = 5;').toSpliced(50, 1).join('\n');

async function openDiff(path: string, texts: [string, string], isUnified = false): Promise<Page> {
  const page = await browser.load();
  const given = [path, ...texts, isUnified] as const;
  await page.evaluate((each) => globalThis.page.openDiff(...each), given);
  return page;
}

const position = (page: Page) => page.evaluate(() => globalThis.page.position);
const side = (page: Page, version: 1 | 2) =>
  page.getByRole('textbox', { name: `Editor: a.js (version ${version})`, exact: true });
const announced = (page: Page) => page.locator('.cm-announced').last().textContent();

describe('a diff', () => {
  test('shows both texts side by side, named and read-only, with the first change in view', async () => {
    const page = await openDiff('a.js', [before, after]);
    expect(await position(page)).toEqual({ count: 2, current: 1 });
    expect(await side(page, 1).textContent()).toContain('const n5 = 5;');
    expect(await side(page, 2).textContent()).toContain('const changed = 5;');
    for (const version of [1, 2] as const)
      expect(await side(page, version).getAttribute('aria-readonly')).toBe('true');
    await side(page, 2).focus();
    await page.keyboard.type('typed');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Control+Enter');
    expect(await side(page, 2).textContent()).not.toContain('typed');
    expect(await position(page)).toEqual({ count: 2, current: 1 });
  });

  test('goes to the next and previous change by keyboard, around the end, and announces them', async () => {
    const page = await openDiff('a.js', [before, after]);
    await side(page, 2).focus();
    await page.keyboard.press('Alt+F5');
    expect(await position(page)).toEqual({ count: 2, current: 2 });
    expect(await announced(page)).toBe('Change 2 of 2. Line 51 removed.');
    await page.keyboard.press('Alt+F5');
    expect(await announced(page)).toBe('Change 1 of 2. Line 6 removed, line 6 added.');
    await page.keyboard.press('Shift+Alt+F5');
    expect(await position(page)).toEqual({ count: 2, current: 2 });
  });

  test('goes from lines removed at the end to the first change', async () => {
    const page = await openDiff('a.js', ['one\ntwo\nthree\nfour', 'ONE\ntwo\nthree']);
    await side(page, 2).focus();
    await page.keyboard.press('Alt+F5');
    expect(await announced(page)).toContain('Change 2 of 2.');
    await page.keyboard.press('Alt+F5');
    expect(await announced(page)).toContain('Change 1 of 2.');
  });

  test('shows both in one column, and the sign of a line says what it is without color', async () => {
    const page = await openDiff('a.js', [before, after], true);
    const name = 'Editor: a.js (version 1), compared with a.js (version 2)';
    const editor = page.getByRole('textbox', { name, exact: true });
    expect(await editor.count()).toBe(1);
    expect(await page.locator('.cm-deletedChunk').first().textContent()).toContain('const n5 = 5;');
    const sign = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element, '::before').content);
    expect(await sign('.cm-changedLineGutter')).toContain('+');
    expect(await sign('.cm-deletedLineGutter')).toContain('−');
  });

  test('changes between both forms and keeps the change that is shown', async () => {
    const page = await openDiff('a.js', [before, after]);
    await page.evaluate(() => {
      globalThis.page.diff.goToChange(1);
      globalThis.page.diff.update({ isUnified: true });
    });
    expect(await position(page)).toEqual({ count: 2, current: 2 });
    expect(await page.getByRole('textbox').count()).toBe(1);
    expect(await page.evaluate(() => document.activeElement?.className)).toContain('cm-content');
  });

  test('collapses unchanged lines until all are wanted', async () => {
    const page = await openDiff('a.js', [before, after]);
    const collapsed = page.locator('.cm-collapsedLines');
    const shown = ['38 unchanged lines', '6 unchanged lines'];
    expect(await collapsed.allTextContents()).toEqual([...shown, ...shown]);
    await page.evaluate(() => globalThis.page.diff.update({ isCollapsed: false }));
    expect(await collapsed.count()).toBe(0);
  });

  test('follows the newer text', async () => {
    const page = await openDiff('a.js', [before, after]);
    await page.evaluate((text) => globalThis.page.diff.update({ afterText: text }), before);
    expect(await position(page)).toEqual({ count: 0, current: 0 });
    await page.evaluate((text) => globalThis.page.diff.update({ afterText: text }), `${before}\nx`);
    expect((await position(page)).count).toBe(1);
  });

  test('marks characters that are invisible or reorder text', async () => {
    const page = await openDiff('a.js', ['let a;', 'let \u202ea;']);
    expect(await page.locator('.cm-specialChar').count()).toBe(1);
  });
});
