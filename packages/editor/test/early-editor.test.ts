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
async function openEarly(text: string, settings: Partial<EditorSettings> = {}) {
  const page = await browser.load();
  await page.evaluate(([begun, chosen]) => globalThis.page.openEarly('a.js', begun, chosen), [
    text,
    settings,
  ] as const);
  await page.getByRole('textbox', { name: 'Editor: a.js' }).click();
  await page.keyboard.press('ControlOrMeta+End');
  const adopt = (shared: string) =>
    page.evaluate((now) => globalThis.page.adoptEarlyEditor('a.js', now), shared);
  const texts = () =>
    page.evaluate(() => ({
      shared: globalThis.page.text('a.js'),
      shown: globalThis.page.editor.view.state.doc.toString(),
    }));
  return { page, adopt, texts };
}

const inBoth = (text: string) => ({ shared: text, shown: text });

test('merges typed text into the shared text as one undoable step', async () => {
  const { page, adopt, texts } = await openEarly('one();');
  await page.keyboard.type(' two();');
  expect(await page.evaluate(() => globalThis.page.earlyEditor.hasEdits)).toBe(true);
  await adopt('one();');
  expect(await texts()).toEqual(inBoth('one(); two();'));
  await page.keyboard.type('!');
  expect(await texts()).toEqual(inBoth('one(); two();!'));
  await page.keyboard.press('ControlOrMeta+Z');
  await page.keyboard.press('ControlOrMeta+Z');
  expect(await texts()).toEqual(inBoth('one();'));
});

test.each([
  { now: 'zero(); one();', merged: 'zero(); one(); two();' },
  { now: 'one(); three();', merged: 'one(); three(); two();' },
  { now: 'on();', merged: 'on(); two();' },
  { now: '', merged: ' two();' },
  { now: 'quite another', merged: 'quite another two();' },
])('merges typed text with remote changes: $now', async ({ now, merged }) => {
  const { page, adopt, texts } = await openEarly('one();');
  await page.keyboard.type(' two();');
  await adopt(now);
  expect(await texts()).toEqual(inBoth(merged));
  await page.evaluate(() => globalThis.page.remoteInsert('a.js', 0, '// '));
  expect(await texts()).toEqual(inBoth(`// ${merged}`));
});

test('leaves the shared text and the undo history alone if nothing was typed', async () => {
  const { page, adopt, texts } = await openEarly('one();');
  expect(await page.evaluate(() => globalThis.page.earlyEditor.hasEdits)).toBe(false);
  await adopt('one(1);');
  expect(await texts()).toEqual(inBoth('one(1);'));
  await page.keyboard.press('ControlOrMeta+Z');
  expect(await texts()).toEqual(inBoth('one(1);'));
});

test('keeps the cursor, focus and highlighting, and its keys call the actions', async () => {
  const { page, adopt } = await openEarly('const one = 1;');
  const keyword = page.locator('.cm-line span').first();
  const before = await keyword.evaluate((span) => getComputedStyle(span).color);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ControlOrMeta+S');
  await adopt('const one = 1;');
  expect(await page.evaluate(() => globalThis.page.cursor())).toEqual({ line: 1, column: 14 });
  expect(await keyword.evaluate((span) => getComputedStyle(span).color)).toBe(before);
  await page.keyboard.press('ControlOrMeta+S');
  expect(await page.evaluate(() => globalThis.page.reported.saves)).toBe(1);
});

test('handles characters, brackets, Enter, Tab and undo like a full editor', async () => {
  const { page, adopt, texts } = await openEarly('one();');
  const shown = () => page.evaluate(() => globalThis.page.earlyEditor.view.state.doc.toString());
  await page.keyboard.press('Enter');
  await page.keyboard.type('if (two) {');
  expect(await shown()).toBe('one();\nif (two) {}');
  await page.keyboard.press('Enter');
  await page.keyboard.type('f("');
  expect(await shown()).toBe('one();\nif (two) {\n  f("")\n}');
  await page.keyboard.press('Tab');
  await adopt('one();');
  await page.keyboard.press('Tab');
  expect(await texts()).toEqual(inBoth('one();\nif (two) {\n  f("   ")\n}'));
});

test('undoes typed text before the shared text has loaded', async () => {
  const { page, adopt, texts } = await openEarly('one();');
  await page.keyboard.type(' two();');
  await page.keyboard.press('ControlOrMeta+Z');
  expect(await page.evaluate(() => globalThis.page.earlyEditor.hasEdits)).toBe(false);
  await adopt('one();');
  expect(await texts()).toEqual(inBoth('one();'));
});

test('rejects a paste that is too large, and reports it once the full editor is there', async () => {
  const { page, adopt, texts } = await openEarly('one();');
  await page.evaluate(() => {
    const { view } = globalThis.page.earlyEditor;
    view.dispatch({
      changes: { from: 0, insert: 'a'.repeat(1_100_000) },
      userEvent: 'input.paste',
    });
  });
  await adopt('one();');
  expect(await texts()).toEqual(inBoth('one();'));
  expect(await page.evaluate(() => globalThis.page.reported.rejected)).toEqual(['file_too_large']);
});

test('moves nothing when the full editor takes over, and has its keybindings', async () => {
  const { page, adopt } = await openEarly('function one() {\n  return 1;\n}\n');
  const readPositions = () =>
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
  const before = await readPositions();
  await adopt('function one() {\n  return 1;\n}\n');
  expect(await readPositions()).toEqual(before);
  await page.keyboard.press('ControlOrMeta+F');
  await expect.poll(() => page.locator('.cm-search').count()).toBe(1);
});

test('undoes with Vim keys and keeps the Vim mode', async () => {
  const { page, adopt, texts } = await openEarly('one();', { keymap: 'vim' });
  await page.locator('.cm-fat-cursor').first().waitFor();
  await page.keyboard.type('0xuA two();');
  await adopt('one();');
  await page.keyboard.type('!');
  expect(await texts()).toEqual(inBoth('one(); two();!'));
});
