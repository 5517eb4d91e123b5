import type { Locator, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { editorCommands } from '../src/commands/editor-commands.ts';
import { normalizeKeys, typesCharacter } from '../src/key-names.ts';
import { EditorBrowser } from './open-page.ts';

let browser: EditorBrowser;
beforeAll(async () => {
  browser = await EditorBrowser.start();
}, 60_000);
afterAll(() => browser.close());
afterEach(() => {
  expect(browser.takeErrors()).toEqual([]);
});

const textOf = (page: Page, path = 'a.js') =>
  page.evaluate((name) => globalThis.page.text(name), path);
const selected = (page: Page) => page.evaluate(() => globalThis.page.selected());
const setCursor = (page: Page, at: number) =>
  page.evaluate((offset) => globalThis.page.setCursor(offset), at);
const run = (page: Page, id: string) =>
  page.evaluate((name) => globalThis.page.editor.run(name), id);

/** Opens one script with the cursor at `|`. */
async function openAt(text: string): Promise<Page> {
  const page = await browser.open({ 'a.js': text.replace('|', '') });
  await setCursor(page, text.indexOf('|'));
  return page;
}

describe('the editor commands', () => {
  test('have unique ids, and unique keys on each platform', () => {
    const ids = editorCommands.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const mac of [true, false]) {
      const keys = editorCommands.flatMap((command) =>
        ((mac && command.mac) || command.keys).map((key) => normalizeKeys(key, mac)),
      );
      expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
    }
  });

  test('have no keys that type characters on some keyboards or that browsers reserve', () => {
    const keys = editorCommands.flatMap((command) => command.keys);
    expect(keys.filter((key) => typesCharacter(key, false))).toEqual([]);
    const reserved = [
      'Mod-n',
      'Mod-t',
      'Mod-w',
      'Mod-l',
      'Mod-Shift-n',
      'Mod-Shift-t',
      'Mod-Shift-w',
    ];
    expect(
      keys.map((key) => normalizeKeys(key, false)).filter((key) => reserved.includes(key)),
    ).toEqual([]);
  });
});

describe('line commands', () => {
  test('move and copy lines with Alt and the arrow keys', async () => {
    const page = await openAt('o|ne\ntwo\nthree');
    await page.keyboard.press('Alt+ArrowDown');
    expect(await textOf(page)).toBe('two\none\nthree');
    await page.keyboard.press('Shift+Alt+ArrowUp');
    expect(await textOf(page)).toBe('two\none\none\nthree');
    await page.keyboard.press('Alt+ArrowUp');
    expect(await textOf(page)).toBe('one\ntwo\none\nthree');
    await page.keyboard.press('Control+Shift+K');
    expect(await textOf(page)).toBe('two\none\nthree');
  });

  test('join two or all selected lines with one space', async () => {
    const page = await openAt('const a =|  \n    1;\nb();');
    expect(await run(page, 'joinLines')).toBe(true);
    expect(await textOf(page)).toBe('const a = 1;\nb();');
    await page.keyboard.press('Control+A');
    await run(page, 'joinLines');
    expect(await textOf(page)).toBe('const a = 1; b();');
    await page.keyboard.press('Control+Z');
    expect(await textOf(page)).toBe('const a = 1;\nb();');
  });

  test('sort selected or all lines in natural order', async () => {
    const page = await openAt('|item 10\nitem 9\nb\na');
    await run(page, 'sortAscending');
    expect(await textOf(page)).toBe('a\nb\nitem 9\nitem 10');
    await setCursor(page, 0);
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await run(page, 'sortDescending');
    expect(await textOf(page)).toBe('b\na\nitem 9\nitem 10');
  });

  test('insert lines above and below with the current indentation', async () => {
    const page = await openAt('  on|e');
    await run(page, 'insertLineBelow');
    await page.keyboard.type('two');
    await run(page, 'insertLineAbove');
    await page.keyboard.type('x');
    expect(await textOf(page)).toBe('  one\n  x\n  two');
  });

  test('trim trailing whitespace and change case', async () => {
    const page = await openAt('let na|me = 1;   \n');
    await run(page, 'trimTrailing');
    expect(await textOf(page)).toBe('let name = 1;\n');
    await run(page, 'upperCase');
    expect(await textOf(page)).toBe('let NAME = 1;\n');
    await run(page, 'titleCase');
    expect(await textOf(page)).toBe('let Name = 1;\n');
    await run(page, 'lowerCase');
    expect(await textOf(page)).toBe('let name = 1;\n');
  });
});

describe('selections', () => {
  test('expand by syntax and shrink by the same steps', async () => {
    const page = await openAt('f(a + |b, c)');
    const seen: string[][] = [];
    for (let step = 0; step < 3; step += 1) {
      await page.keyboard.press('Shift+Alt+ArrowRight');
      seen.push(await selected(page));
    }
    expect(seen.flat()).toEqual(['b', 'a + b', '(a + b, c)']);
    await page.keyboard.press('Shift+Alt+ArrowLeft');
    expect(await selected(page)).toEqual(['a + b']);
    await page.keyboard.press('Shift+Alt+ArrowLeft');
    await page.keyboard.press('Shift+Alt+ArrowLeft');
    expect(await selected(page)).toEqual(['']);
    await page.keyboard.type('x');
    expect(await textOf(page)).toBe('f(a + xb, c)');
  });

  test('do not shrink to a selection from before another change', async () => {
    const page = await openAt('f(a + |b)');
    await page.keyboard.press('Shift+Alt+ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+Alt+ArrowLeft');
    expect(await selected(page)).toEqual(['']);
  });

  test('are surrounded by a typed bracket or quote, and kept', async () => {
    const page = await openAt('say |word;');
    await run(page, 'expandSelection');
    await page.keyboard.type('("');
    expect(await textOf(page)).toBe('say ("word");');
    expect(await selected(page)).toEqual(['word']);
  });

  test('turn into cursors at line ends, and above and below', async () => {
    const page = await openAt('|a\nbb\nc');
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Shift+Alt+I');
    await page.keyboard.type(';');
    expect(await textOf(page)).toBe('a;\nbb;\nc;');
    await page.keyboard.press('Escape');
    await setCursor(page, 0);
    await page.keyboard.press('Control+Alt+ArrowDown');
    await page.keyboard.press('Control+Alt+ArrowDown');
    await page.keyboard.type('-');
    expect(await textOf(page)).toBe('-a;\n-bb;\n-c;');
  });

  test('select all occurrences of the word at the cursor or of the selected text', async () => {
    const page = await openAt('|name + name * names');
    await page.keyboard.press('Control+Shift+L');
    await page.keyboard.insertText('x');
    expect(await textOf(page)).toBe('x + x * names');
    await page.keyboard.press('Control+Z');
    await setCursor(page, 0);
    await page.keyboard.press('Control+D');
    await page.keyboard.press('Control+Shift+L');
    await page.keyboard.insertText('x');
    expect(await textOf(page)).toBe('x + x * xs');
  });

  test('are rectangular with Alt and the pointer', async () => {
    const page = await browser.open({ 'a.txt': 'abcd\nefgh\nijkl' });
    const at = async (row: number, column: number) => {
      const box = await page.evaluate(
        ([line, letter]) => {
          const { view } = globalThis.page.editor;
          const { left, top, bottom } = view.coordsAtPos(
            view.state.doc.line(line + 1).from + letter,
          ) ?? { left: 0, top: 0, bottom: 0 };
          return { x: left, y: (top + bottom) / 2 };
        },
        [row, column] as const,
      );
      return box;
    };
    const [start, end] = [await at(0, 1), await at(2, 3)];
    await page.keyboard.down('Alt');
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move(end.x, end.y, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Alt');
    expect(await selected(page)).toEqual(['bc', 'fg', 'jk']);
  });
});

describe('custom keybindings', () => {
  test('replace the default keys of a command', async () => {
    const page = await openAt('a|\nb');
    await page.evaluate(() =>
      globalThis.page.setSettings({ keys: { deleteLine: ['Ctrl-Shift-y'], undo: [] } }),
    );
    await page.keyboard.press('Control+Shift+K');
    expect(await textOf(page)).toBe('a\nb');
    await page.keyboard.press('Control+Shift+Y');
    expect(await textOf(page)).toBe('b');
    await page.keyboard.press('Control+Z');
    expect(await textOf(page)).toBe('b');
  });

  test('take precedence over default keys', async () => {
    const page = await openAt('a|\nb');
    await page.evaluate(() => globalThis.page.setSettings({ keys: { deleteLine: ['Mod-d'] } }));
    await page.keyboard.press('Control+D');
    expect(await textOf(page)).toBe('b');
  });
});

describe('the search panel', () => {
  test('previews each replacement, with the groups of a regular expression', async () => {
    const page = await browser.open({ 'a.txt': 'one-two three-four' });
    // The search field is focused first while it is empty.
    await page.keyboard.press('Control+H');
    await page.keyboard.type(String.raw`(\w+)-(\w+)`);
    await page.keyboard.press('Control+H');
    await page.keyboard.type('$2 $1');
    await page.getByRole('checkbox', { name: 'Regular expression' }).check();
    const shown = page.locator('.cm-replacement');
    await expect.poll(() => shown.allTextContents()).toEqual(['two one', 'four three']);
    await page.getByRole('button', { name: 'Replace all' }).click();
    expect(await textOf(page, 'a.txt')).toBe('two one four three');
    await page.keyboard.press('Escape');
    await expect.poll(() => shown.count()).toBe(0);
  });
});

describe('settings', () => {
  const script = `function outer() {\n  if (a) {\n${'    line();\n'.repeat(60)}  }\n}\n`;

  test('change indentation, wrapping, indent guides and whitespace markers at once', async () => {
    const page = await browser.open({ 'a.js': '', 'b.txt': `${'long '.repeat(80)}end` });
    await page.evaluate(() =>
      globalThis.page.setSettings({
        tabSize: 4,
        wraps: true,
        showsGuides: true,
        showsWhitespace: true,
      }),
    );
    await page.keyboard.type('if (a) {\nif (b) {\nc();');
    expect(await textOf(page)).toContain('\n        c();');
    await expect.poll(() => page.locator('.cm-indent-markers').count()).toBeGreaterThan(0);
    await expect.poll(() => page.locator('.cm-highlightSpace').count()).toBeGreaterThan(0);
    await page.evaluate(() => globalThis.page.show('b.txt'));
    const scroller = page.locator('.cm-scroller');
    expect(await scroller.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(
      true,
    );
    await page.evaluate(() => globalThis.page.setSettings({}));
    expect(await scroller.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(
      true,
    );
    await expect.poll(() => page.locator('.cm-highlightSpace').count()).toBe(0);
  });

  test('draw indent guides beside the first row of a wrapped line only', async () => {
    const page = await browser.open({ 'a.js': `{\n  {\n    ${'long '.repeat(80)}\n  }\n}` });
    await page.evaluate(() => globalThis.page.setSettings({ wraps: true, showsGuides: true }));
    const line = page.locator('.cm-indent-markers', { hasText: 'long' });
    const heights = await line.evaluate((element) => [
      element.getBoundingClientRect().height,
      Number.parseFloat(getComputedStyle(element, '::before').height),
      Number.parseFloat(getComputedStyle(element).lineHeight),
    ]);
    const [whole = 0, guide, row = 0] = heights;
    expect(whole).toBeGreaterThan(2 * row);
    expect(guide).toBeCloseTo(row, 0);
  });

  test('turn on sticky scroll, whose lines are clickable', async () => {
    const page = await browser.open({ 'a.js': script });
    await page.evaluate(() => globalThis.page.setSettings({ showsScopes: true }));
    await page.locator('.cm-scopeLines').waitFor({ state: 'attached' });
    await page.evaluate(() => globalThis.page.editor.goTo(50, 1));
    const lines = page.locator('.cm-scopeLine');
    await expect.poll(() => lines.allTextContents()).toEqual(['function outer() {', '  if (a) {']);
    const colorOf = (keyword: Locator) =>
      keyword.evaluate((element) => getComputedStyle(element).color);
    const pinned = await colorOf(lines.last().getByText('if'));
    expect(pinned).not.toBe(await colorOf(lines.last()));
    await lines.last().click();
    expect(pinned).toBe(await colorOf(page.locator('.cm-line').getByText('if')));
    expect(await page.evaluate(() => globalThis.page.cursor())).toEqual({ line: 2, column: 3 });
  });

  test('have fold markers without compositing layers', async () => {
    const page = await browser.open({ 'a.js': script });
    const markers = page.locator('.cm-foldMarker');
    await expect.poll(() => markers.count()).toBeGreaterThan(1);
    const transformed = await markers.evaluateAll(
      (all) => all.filter((element) => getComputedStyle(element).transform !== 'none').length,
    );
    expect(transformed).toBe(0);
  });

  test('fold a long block right after opening, and again when its file is shown', async () => {
    const page = await browser.load();
    const folded = await page.evaluate(async () => {
      const text = `function long() {\n${'  line();\n'.repeat(2000)}}\n`;
      await globalThis.page.open({ 'a.js': text, 'b.js': text });
      globalThis.page.editor.run('fold');
      const count = globalThis.page.folds();
      globalThis.page.savedFolds['b.js'] = globalThis.page.savedFolds['a.js'] ?? [];
      globalThis.page.show('b.js');
      return count;
    });
    expect(folded).toBe(1);
    await expect.poll(() => page.evaluate(() => globalThis.page.folds())).toBe(1);
  });

  test('restore folds while their line is unchanged', async () => {
    const page = await browser.open({ 'a.js': script, 'b.js': script });
    await setCursor(page, 3);
    await page.keyboard.press('Control+Shift+BracketLeft');
    expect(await page.evaluate(() => globalThis.page.savedFolds)).toEqual({
      'a.js': [{ line: 1, text: 'function outer() {' }],
    });
    await page.evaluate(() => {
      globalThis.page.savedFolds['b.js'] = [
        { line: 2, text: '  if (a) {' },
        { line: 3, text: 'another' },
      ];
      globalThis.page.show('b.js');
    });
    await expect.poll(() => page.evaluate(() => globalThis.page.folds())).toBe(1);
    await run(page, 'unfoldAll');
    expect(await page.evaluate(() => globalThis.page.savedFolds['b.js'])).toEqual([]);
  });
});

test('lists quick fixes while another provider is still loading', async () => {
  const page = await browser.open({ 'a.js': 'if (!!a) b();' });
  await page.evaluate(() => globalThis.page.provideQuickFixes('Remove the double negation'));
  await page.keyboard.press('Control+.');
  const list = page.getByRole('listbox', { name: 'Quick fixes' });
  await list.waitFor();
  expect(await list.getByRole('option').allTextContents()).toEqual(['Remove the double negation']);
});

describe('screen reader announcements', () => {
  test('include the diagnostics of a line the cursor moves to, and the position on request', async () => {
    const page = await browser.open({ 'a.js': 'one\ntwo' });
    await page.evaluate(() =>
      globalThis.page.editor.setDiagnostics([
        { line: 2, column: 1, severity: 'error', message: 'two is not defined' },
      ]),
    );
    await page.keyboard.press('ArrowDown');
    const announcer = page.locator('.cm-announced');
    await expect.poll(() => announcer.textContent()).toBe('Error: two is not defined');
    await run(page, 'sayPlace');
    await expect
      .poll(() => announcer.textContent())
      .toBe('Line 2 of 2, column 1. Error: two is not defined');
  });

  test("include a new diagnostic in the cursor's line once typing pauses", async () => {
    const page = await browser.open({ 'a.js': 'one\ntwo' });
    await page.evaluate(() => {
      const announcements: string[] = [];
      Object.assign(globalThis, { spoken: announcements });
      const region = document.querySelector('.cm-announced');
      if (!region) throw new Error('nothing announces');
      new MutationObserver(() => {
        // The live region is cleared between two announcements.
        if (region.textContent.trim() !== '') announcements.push(region.textContent);
      }).observe(region, {
        childList: true,
        characterData: true,
        subtree: true,
      });
    });
    const announcements = () =>
      page.evaluate(() => (globalThis as unknown as { spoken: string[] }).spoken);
    await page.keyboard.type('// ');
    const set = (line: number, message: string, severity: 'error' | 'info') =>
      page.evaluate(
        ([at, text, level]) =>
          globalThis.page.editor.setDiagnostics([
            { line: at, column: 1, severity: level, message: text },
          ]),
        [line, message, severity] as const,
      );
    // A diagnostic that is removed before the pause, or in another line, is not announced.
    await set(1, 'half a word', 'error');
    await set(2, 'elsewhere', 'error');
    await set(1, 'one is not defined', 'error');
    await expect.poll(announcements, { timeout: 5_000 }).toEqual(['Error: one is not defined']);
    await set(1, 'one could be two', 'info');
    await expect
      .poll(announcements, { timeout: 5_000 })
      .toEqual(['Error: one is not defined', 'Info: one could be two']);
    expect(await page.locator('body').ariaSnapshot()).toContain('Info: one could be two');
    await expect.poll(() => page.locator('.cm-announced').getAttribute('aria-live')).toBe('polite');
  });

  test('include the number of completions', async () => {
    const page = await browser.open({ 'a.css': '' });
    await page.keyboard.type('a{text-dec');
    await expect
      .poll(() => page.locator('.cm-announced').textContent())
      .toMatch(/^\d+ completions\.$/);
  });
});

describe('other keymaps', () => {
  const status = (page: Page) => page.locator('.cm-vim-panel');

  test('move, edit, undo through the shared history, save by :w, and leave by Tab in Vim', async () => {
    const page = await openAt('|one two\nthree');
    await page.evaluate(() => globalThis.page.setSettings({ keymap: 'vim' }));
    await expect.poll(() => status(page).count()).toBe(1);
    await page.keyboard.type('dw');
    expect(await textOf(page)).toBe('two\nthree');
    await page.keyboard.type('jA!');
    await page.keyboard.press('Escape');
    expect(await textOf(page)).toBe('two\nthree!');
    await page.keyboard.type('u');
    expect(await textOf(page)).toBe('two\nthree');
    await page.keyboard.type('u');
    expect(await textOf(page)).toBe('one two\nthree');
    await page.keyboard.press('Control+r');
    expect(await textOf(page)).toBe('two\nthree');
    await page.keyboard.type(':w');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => globalThis.page.reported.saves)).toBe(1);
    await page.keyboard.type('i');
    await page.keyboard.type('x');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('after');
  });

  const before = 'one two\nthree';
  test.each([
    { by: 'O', keys: ['Oa;\nb;'], text: 'a;\nb;\none two\nthree', undone: before },
    { by: 'o', keys: ['onew'], text: 'one two\nnew\nthree', undone: before },
    { by: 'cw', keys: ['cwnew'], text: 'new two\nthree', undone: before },
    { by: 'i, with a pause', keys: ['in', 'pause', 'ew '], text: `new ${before}`, undone: before },
    {
      by: 'A, and what comes behind an arrow is another',
      keys: ['A!', 'ArrowLeft', '?'],
      text: 'one two?!\nthree',
      undone: 'one two!\nthree',
    },
  ])('undo what Vim inserts as one step: by $by', async ({ keys, text, undone }) => {
    const page = await openAt('|one two\nthree');
    await page.evaluate(() => globalThis.page.setSettings({ keymap: 'vim' }));
    await expect.poll(() => status(page).count()).toBe(1);
    // Steps before Vim's insertion.
    await page.keyboard.type('xuijust');
    await page.keyboard.press('Escape');
    await page.keyboard.type('u');
    for (const key of keys) {
      if (key === 'pause') await page.evaluate(() => globalThis.page.setUndoTimeout('a.js', 0));
      else if (key.startsWith('Arrow')) await page.keyboard.press(key);
      else await page.keyboard.type(key);
    }
    await page.keyboard.press('Escape');
    expect(await textOf(page)).toBe(text);
    await page.keyboard.type('u');
    expect(await textOf(page)).toBe(undone);
  });

  test('move, kill, yank, undo through the shared history, and save by C-x C-s in Emacs', async () => {
    const page = await openAt('|one\ntwo');
    await page.evaluate(() => globalThis.page.setSettings({ keymap: 'emacs' }));
    await expect.poll(() => page.locator('.cm-emacsMode').count()).toBe(1);
    await page.keyboard.press('Control+k');
    expect(await textOf(page)).toBe('\ntwo');
    await page.keyboard.press('Control+n');
    await page.keyboard.press('Control+e');
    await page.keyboard.press('Control+y');
    expect(await textOf(page)).toBe('\ntwoone');
    await page.keyboard.press('Control+/');
    expect(await textOf(page)).toBe('\ntwo');
    await page.keyboard.press('Control+x');
    await page.keyboard.press('Control+s');
    expect(await page.evaluate(() => globalThis.page.reported.saves)).toBe(1);
    await page.evaluate(() => globalThis.page.setSettings({}));
    await page.keyboard.press('Control+d');
    expect(await page.evaluate(() => globalThis.page.selected())).not.toEqual(['']);
  });
});
