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

const textOf = (page: Page, path: string) =>
  page.evaluate((name) => globalThis.page.text(name), path);
const shownText = (page: Page) =>
  page.evaluate(() => globalThis.page.editor.view.state.doc.toString());
const settle = (page: Page, keymap: 'vscode' | 'vim') =>
  page.evaluate((name) => globalThis.page.setSettings({ keymap: name }), keymap);

/** Horizontal screen position of a piece of text, from the left. */
const leftOf = (page: Page, piece: string) =>
  page.evaluate((wanted) => {
    const { view } = globalThis.page.editor;
    const at = view.state.doc.toString().indexOf(wanted);
    const ends = [view.coordsAtPos(at, 1), view.coordsAtPos(at + wanted.length, -1)];
    return Math.min(...ends.map((end) => end?.left ?? NaN));
  }, piece);

/** Position of the drawn cursor, one frame after a key. */
const caretLeft = (page: Page) =>
  page.locator('.cm-cursor-primary').evaluate(async (caret) => {
    for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
    return (
      caret.isConnected ? caret : document.querySelector('.cm-cursor-primary')
    )?.getBoundingClientRect().left;
  });
const head = (page: Page) =>
  page.evaluate(() => globalThis.page.editor.view.state.selection.main.head);

describe('right-to-left text', () => {
  test.each([
    ['a.js', "f('", 'שלום', "', '", 'עולם', "');"],
    ['a.js', 'a(); /* ', 'مرحبا', ' */ b(); /* ', 'عالم', ' */ c();'],
    ['a.html', '<p title="', 'שלום', '" lang="', 'עולם', '"></p>'],
    ['a.css', "a { content: '", 'مرحبا', "' '", 'عالم', "'; }"],
  ])(
    'keeps its place between the code of %s: %s%s%s',
    async (path, before, one, between, two, after) => {
      const page = await browser.open({ [path]: before + one + between + two + after });
      // Highlighting follows a moment later.
      await expect
        .poll(async () => (await leftOf(page, one)) < (await leftOf(page, two)))
        .toBe(true);
      await page.keyboard.press('Control+End');
      await page.keyboard.insertText(' x');
      expect(await textOf(page, path)).toBe(`${before}${one}${between}${two}${after} x`);
      expect(await leftOf(page, after)).toBeGreaterThan(await leftOf(page, two));
    },
  );

  test('is typed character by character, and arrow keys move visually', async () => {
    const page = await browser.open({ 'a.js': "let a = '" });
    await page.keyboard.press('Control+End');
    await page.keyboard.type('אבג');
    expect(await shownText(page)).toBe("let a = 'אבג");
    await page.keyboard.press('Home');
    const steps = [{ at: await head(page), left: await caretLeft(page) }];
    for (let step = 0; step < 11; step += 1) {
      await page.keyboard.press('ArrowRight');
      steps.push({ at: await head(page), left: await caretLeft(page) });
    }
    const lefts = steps.map(({ left = Number.NaN }) => left);
    expect(lefts).toEqual(lefts.toSorted((a, b) => a - b));
    expect(new Set(lefts).size).toBe(12);
    // Moves into the word from its end, which is on the left.
    const within = steps.map(({ at }) => at).filter((at) => at === 10 || at === 11);
    expect(within).toEqual([11, 10]);
  });

  test('sets the direction of its line of prose, and not of others', async () => {
    const page = await browser.open({ 'a.md': 'one\n\nשלום עולם\n\nمرحبا one\n\none שלום' });
    const directions = await page
      .locator('.cm-line')
      .evaluateAll((lines) => lines.map((line) => getComputedStyle(line).direction));
    expect(directions).toEqual(['ltr', 'ltr', 'rtl', 'ltr', 'rtl', 'ltr', 'ltr']);
    await page.evaluate(() => globalThis.page.setCursor(5));
    await page.keyboard.press('ArrowLeft');
    expect(await head(page)).toBe(6);
    await page.keyboard.press('End');
    await page.keyboard.type('!');
    expect(await textOf(page, 'a.md')).toContain('שלום עולם!\n');
    await page.evaluate(() => globalThis.page.setCursor(1));
    await page.keyboard.insertText('ש');
    expect(await page.locator('.cm-line').first().getAttribute('dir')).toBe('auto');
  });
});

describe('invisible characters', () => {
  test.each([
    ['an override of the direction', '\u202e', 'U+202E'],
    ['an isolate', '\u2066', 'U+2066'],
    ['a mark of direction', '\u200f', 'U+200F'],
    ['a space without width', '\u200b', 'U+200B'],
    ['an empty letter', '\u3164', 'U+3164'],
    ['a tag', '\u{e0041}', 'U+E0041'],
  ])('are shown: %s', async (_what, sign, name) => {
    const page = await browser.open({ 'a.js': `if (a${sign}) b();` });
    await expect.poll(() => page.locator('.cm-specialChar').allTextContents()).toEqual([name]);
    expect(await textOf(page, 'a.js')).toBe(`if (a${sign}) b();`);
  });

  test('are shown for control characters in remote edits', async () => {
    const page = await browser.open({ 'a.txt': 'ab' });
    await page.evaluate(() => globalThis.page.remoteInsert('a.txt', 1, '\0\u0007\u001b'));
    await expect
      .poll(() => page.locator('.cm-specialChar').allTextContents())
      .toEqual(['\u2400', '\u2407', '\u241b']);
  });

  test('do not change the reading order of code', async () => {
    const page = await browser.open({ 'a.js': "f('\u202euser\u2066'); // admin" });
    await page.locator('.cm-specialChar').first().waitFor();
    expect(await leftOf(page, 'user')).toBeLessThan(await leftOf(page, 'admin'));
  });

  test('that join Persian letters or emoji are left alone', async () => {
    const page = await browser.open({ 'a.md': 'می\u200cخواهم 👩\u200d💻' });
    await page.keyboard.press('Control+End');
    await page.keyboard.type('!');
    expect(await page.locator('.cm-specialChar').count()).toBe(0);
  });
});

/** Composition steps of an input method, from the first key on. The last is the committed text. */
const composed = [
  { language: 'Chinese', steps: ['n', 'ni', 'ni h', 'ni hao', '你好'] },
  { language: 'Japanese', steps: ['n', 'に', 'にh', 'にほ', 'にほん', '日本'] },
  { language: 'Korean', steps: ['ㅎ', '하', '한'] },
];

async function compose(page: Page, steps: readonly string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  for (const text of steps)
    await session.send('Input.imeSetComposition', {
      text,
      selectionStart: text.length,
      selectionEnd: text.length,
    });
  await session.send('Input.insertText', { text: steps.at(-1) ?? '' });
  await session.detach();
}

describe.each(composed)('$language input method', ({ steps }) => {
  const word = steps.at(-1) ?? '';
  const expectText = async (page: Page, path: string, text: string) => {
    await expect.poll(() => textOf(page, path)).toBe(text);
    expect(await shownText(page)).toBe(text);
  };

  test('inserts once in an empty file and between characters', async () => {
    const page = await browser.open({ 'a.js': '' });
    await compose(page, steps);
    await expectText(page, 'a.js', word);
    await page.keyboard.press('Home');
    await page.keyboard.type('ab');
    await page.keyboard.press('ArrowLeft');
    await compose(page, steps);
    await expectText(page, 'a.js', `a${word}b${word}`);
  });

  test('inserts once between auto-closed brackets and quotes', async () => {
    const page = await browser.open({ 'a.js': '' });
    await page.keyboard.type("f('");
    await compose(page, steps);
    await expectText(page, 'a.js', `f('${word}')`);
    await page.keyboard.type("')");
    await expectText(page, 'a.js', `f('${word}')`);
  });

  test('inserts once while a completion list is open', async () => {
    const page = await browser.open({ 'a.js': 'let document1;\n' });
    await page.keyboard.press('Control+End');
    await page.keyboard.type('doc');
    await page.keyboard.press('Control+Space');
    await page.getByRole('option').first().waitFor();
    await compose(page, steps);
    await expectText(page, 'a.js', `let document1;\ndoc${word}`);
  });

  test('replaces the selection', async () => {
    const page = await browser.open({ 'a.txt': 'one two' });
    await page.keyboard.press('Control+Shift+ArrowRight');
    await compose(page, steps);
    await expect.poll(() => textOf(page, 'a.txt')).toMatch(new RegExp(`^${word} ?two$`, 'u'));
  });

  test("inserts once in Vim's insert mode", async () => {
    const page = await browser.open({ 'a.js': 'x' });
    await settle(page, 'vim');
    await page.locator('.cm-vimMode').waitFor();
    await page.keyboard.type('A');
    await compose(page, steps);
    await expectText(page, 'a.js', `x${word}`);
    await page.keyboard.press('Escape');
    await page.keyboard.type('x');
    await expectText(page, 'a.js', `x${word.slice(0, -1)}`);
  });

  test('is one undo step', async () => {
    const page = await browser.open({ 'a.js': 'x' });
    await page.keyboard.press('End');
    await compose(page, steps);
    await expectText(page, 'a.js', `x${word}`);
    await page.keyboard.press('Control+Z');
    await expectText(page, 'a.js', 'x');
    await page.keyboard.press('Control+Y');
    await expectText(page, 'a.js', `x${word}`);
  });
});
