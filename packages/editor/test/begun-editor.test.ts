import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { EditorSettings } from '../src/settings.ts';
import { EditorBrowser } from './open-page.ts';

let browser: EditorBrowser;
beforeAll(async () => {
  browser = await EditorBrowser.start();
}, 60_000);
afterAll(() => browser.close());
afterEach(() => {
  expect(browser.takeErrors()).toEqual([]);
});

/** Opens a page with a focused early editor and the cursor at the end of its text. */
async function begin(text: string, settings: Partial<EditorSettings> = {}) {
  const page = await browser.load();
  await page.evaluate(([begun, chosen]) => globalThis.page.beginAlone('a.js', begun, chosen), [
    text,
    settings,
  ] as const);
  await page.getByRole('textbox', { name: 'Editor: a.js' }).click();
  await page.keyboard.press('ControlOrMeta+End');
  const take = (shared: string) =>
    page.evaluate((now) => globalThis.page.takeBegun('a.js', now), shared);
  const texts = () =>
    page.evaluate(() => ({
      shared: globalThis.page.text('a.js'),
      shown: globalThis.page.editor.view.state.doc.toString(),
    }));
  return { page, take, texts };
}

const both = (text: string) => ({ shared: text, shown: text });

test('merges typed text into the shared text as one undoable step', async () => {
  const { page, take, texts } = await begin('one();');
  await page.keyboard.type(' two();');
  expect(await page.evaluate(() => globalThis.page.begun.isTyped)).toBe(true);
  await take('one();');
  expect(await texts()).toEqual(both('one(); two();'));
  await page.keyboard.type('!');
  expect(await texts()).toEqual(both('one(); two();!'));
  await page.keyboard.press('ControlOrMeta+Z');
  await page.keyboard.press('ControlOrMeta+Z');
  expect(await texts()).toEqual(both('one();'));
});

test.each([
  { now: 'zero(); one();', merged: 'zero(); one(); two();' },
  { now: 'one(); three();', merged: 'one(); three(); two();' },
  { now: 'on();', merged: 'on(); two();' },
  { now: '', merged: ' two();' },
  { now: 'quite another', merged: 'quite another two();' },
])('merges typed text with remote changes: $now', async ({ now, merged }) => {
  const { page, take, texts } = await begin('one();');
  await page.keyboard.type(' two();');
  await take(now);
  expect(await texts()).toEqual(both(merged));
  await page.evaluate(() => globalThis.page.remoteInsert('a.js', 0, '// '));
  expect(await texts()).toEqual(both(`// ${merged}`));
});

test('leaves the shared text and the undo history alone if nothing was typed', async () => {
  const { page, take, texts } = await begin('one();');
  expect(await page.evaluate(() => globalThis.page.begun.isTyped)).toBe(false);
  await take('one(1);');
  expect(await texts()).toEqual(both('one(1);'));
  await page.keyboard.press('ControlOrMeta+Z');
  expect(await texts()).toEqual(both('one(1);'));
});

test('keeps the cursor, focus and highlighting, and its keys call the actions', async () => {
  const { page, take } = await begin('const one = 1;');
  const keyword = page.locator('.cm-line span').first();
  const before = await keyword.evaluate((span) => getComputedStyle(span).color);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ControlOrMeta+S');
  await take('const one = 1;');
  expect(await page.evaluate(() => globalThis.page.cursor())).toEqual({ line: 1, column: 14 });
  expect(await keyword.evaluate((span) => getComputedStyle(span).color)).toBe(before);
  await page.keyboard.press('ControlOrMeta+S');
  expect(await page.evaluate(() => globalThis.page.told.saves)).toBe(1);
});

test('handles characters, brackets, Enter, Tab and undo like a full editor', async () => {
  const { page, take, texts } = await begin('one();');
  const shown = () => page.evaluate(() => globalThis.page.begun.view.state.doc.toString());
  await page.keyboard.press('Enter');
  await page.keyboard.type('if (two) {');
  expect(await shown()).toBe('one();\nif (two) {}');
  await page.keyboard.press('Enter');
  await page.keyboard.type('f("');
  expect(await shown()).toBe('one();\nif (two) {\n  f("")\n}');
  await page.keyboard.press('Tab');
  await take('one();');
  await page.keyboard.press('Tab');
  expect(await texts()).toEqual(both('one();\nif (two) {\n  f("   ")\n}'));
});

test('undoes typed text before the shared text has loaded', async () => {
  const { page, take, texts } = await begin('one();');
  await page.keyboard.type(' two();');
  await page.keyboard.press('ControlOrMeta+Z');
  expect(await page.evaluate(() => globalThis.page.begun.isTyped)).toBe(false);
  await take('one();');
  expect(await texts()).toEqual(both('one();'));
});

test('rejects a paste that is too large, and reports it once the full editor is there', async () => {
  const { page, take, texts } = await begin('one();');
  await page.evaluate(() => {
    const { view } = globalThis.page.begun;
    view.dispatch({
      changes: { from: 0, insert: 'a'.repeat(1_100_000) },
      userEvent: 'input.paste',
    });
  });
  await take('one();');
  expect(await texts()).toEqual(both('one();'));
  expect(await page.evaluate(() => globalThis.page.told.refused)).toEqual(['file_too_large']);
});

test('moves nothing when the full editor takes over, and has its keybindings', async () => {
  const { page, take } = await begin('function one() {\n  return 1;\n}\n');
  const places = () =>
    page.evaluate(async () => {
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      return [
        ...document.querySelectorAll('.cm-gutters, .cm-gutter, .cm-gutterElement, .cm-line'),
      ].map((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        const { color, backgroundColor } = getComputedStyle(element);
        return { x, y, width, height, color, backgroundColor };
      });
    });
  const before = await places();
  await take('function one() {\n  return 1;\n}\n');
  expect(await places()).toEqual(before);
  await page.keyboard.press('ControlOrMeta+F');
  await expect.poll(() => page.locator('.cm-search').count()).toBe(1);
});

test('undoes with Vim keys and keeps the Vim mode', async () => {
  const { page, take, texts } = await begin('one();', { keymap: 'vim' });
  await page.locator('.cm-fat-cursor').first().waitFor();
  await page.keyboard.type('0xuA two();');
  await take('one();');
  await page.keyboard.type('!');
  expect(await texts()).toEqual(both('one(); two();!'));
});
