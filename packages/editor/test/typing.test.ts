import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from '@playwright/test';
import { EditorBrowser } from './open-page.ts';
import { typingCases } from './typed/all-cases.ts';
import { handTyped } from './typed/hand-typed.ts';

let browser: EditorBrowser;
let page: Page;

beforeAll(async () => {
  browser = await EditorBrowser.start();
  page = await browser.open({ 'a.txt': '' });
});
afterAll(() => browser.close());

const keys: Readonly<Record<string, string>> = {
  '⏎': 'Enter',
  '⌫': 'Backspace',
  '⌦': 'Delete',
  '⎋': 'Escape',
  '⌘/': 'ControlOrMeta+/',
};

async function press(pressed: string): Promise<void> {
  for (const [each] of pressed.matchAll(/⌘.|./gu)) {
    const key = keys[each];
    if (key) await page.keyboard.press(key);
    else await page.keyboard.type(each);
  }
}

describe.for(Object.entries(typingCases))('in %s', ([path, cases]) => {
  test(`types ${cases.length} cases as expected`, async () => {
    const other: unknown[] = [];
    for (const [before, pressed, after] of cases) {
      await page.evaluate(([at, text]) => globalThis.page.openMarked(at, text), [
        path,
        before,
      ] as const);
      await press(pressed);
      const came = await page.evaluate(() => globalThis.page.marked());
      if (came !== after) other.push({ before, pressed, came, after });
    }
    expect(other).toEqual([]);
    expect(browser.takeErrors()).toEqual([]);
  });
});

describe.for(Object.entries(handTyped))('by hand in %s', ([path, texts]) => {
  test.for(texts)('keeps %s as it is typed', async (text) => {
    await page.evaluate((at) => globalThis.page.openMarked(at, '‸'), path);
    await press(text);
    expect(withoutIndentation(await page.evaluate(() => globalThis.page.marked()))).toBe(
      `${text.replaceAll('⏎', '\n')}‸`,
    );
    expect(browser.takeErrors()).toEqual([]);
  });
});

function withoutIndentation(text: string): string {
  return text.replaceAll(/^[ \t]+/gm, '');
}

test('undoes a typed-over closing tag together with the text before it', async () => {
  await page.evaluate(() => globalThis.page.openMarked('a.tsx', '‸'));
  await press('a = <b>*</b>;');
  await page.keyboard.press('ControlOrMeta+z');
  expect(await page.evaluate(() => globalThis.page.marked())).toBe('a = <b>‸</b>');
  await page.keyboard.press('ControlOrMeta+Shift+Z');
  expect(await page.evaluate(() => globalThis.page.text('a.tsx'))).toBe('a = <b>*</b>;');
});

test.for([
  ['a.html', '<p>a</p>'],
  ['a.tsx', 'a = <p>{b}</p>;'],
  ['a.svelte', '<p>a</p>'],
  ['a.css', 'a { top: calc(1px); content: "b"; }'],
] as const)('types over at several cursors in %s', async ([path, text]) => {
  await page.evaluate((at) => globalThis.page.openMarked(at, '‸\n'), path);
  await page.evaluate(() => globalThis.page.editor.run('cursorBelow'));
  await press(text);
  expect(await page.evaluate((at) => globalThis.page.text(at), path)).toBe(`${text}\n${text}`);
});

test.for([
  ['another tag', 'a.html', '<b‸', '>x</i>', '<b>x</i>‸</b>'],
  ['another tag, where none was', 'a.html', '<b>x‸', '</i>', '<b>x</i>‸'],
  ['text that begins as the tag does', 'a.html', '<b‸', '>x</but', '<b>x</b>but‸'],
  ['text behind the tag', 'a.tsx', 'a = <b‸', '>x</!', 'a = <b>x</b>!‸'],
  ['a bracket in a comment', 'a.js', 'f‸', ' = {⏎// a}', 'f = {\n  // a}‸\n}'],
  [
    'a bracket of one that has lost its own',
    'a.js',
    'f‸',
    ' = {⏎if (a) {⌦⏎}',
    'f = {\n  if (a) {\n  }‸\n}',
  ],
] as const)('%s is not taken for the inserted one', async ([, path, before, pressed, after]) => {
  await page.evaluate(([at, text]) => globalThis.page.openMarked(at, text), [
    path,
    before,
  ] as const);
  await press(pressed);
  expect(await page.evaluate(() => globalThis.page.marked())).toBe(after);
});
