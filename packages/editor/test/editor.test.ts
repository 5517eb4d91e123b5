import type { Page } from '@playwright/test';
import {
  keyboardLayouts,
  listAltGrCharacters,
  listOptionCharacters,
} from '@vitrine/testing/keyboard-layouts';
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
const content = (page: Page, path: string) =>
  page.getByRole('textbox', { name: `Editor: ${path}` });
const cursor = (page: Page) => page.evaluate(() => globalThis.page.cursor());

/** Waits until the open completion list contains an option. */
async function untilOffered(page: Page, wanted: string): Promise<void> {
  const option = page.getByRole('option', { name: wanted, exact: true });
  await option.first().waitFor({ timeout: 5_000 });
}

/**
 * Waits until a completion list accepts keys: one that has just opened does not, to prevent
 * accidents.
 */
async function untilListAcceptsKeys(page: Page): Promise<void> {
  const opened = await page.evaluate(() => performance.now());
  await page.waitForFunction((since) => performance.now() - since > 100, opened);
}

describe('typing', () => {
  test('updates the shared text, and the editor is named after its file', async () => {
    const page = await browser.open({ 'a.txt': 'one' });
    await content(page, 'a.txt').press('End');
    await page.keyboard.type(' two');
    expect(await textOf(page, 'a.txt')).toBe('one two');
    expect(await content(page, 'a.txt').getAttribute('aria-multiline')).toBe('true');
  });

  test('inserts all but the first character through CodeMirror, so that the browser keeps no undo entries', async () => {
    const page = await browser.open({ 'a.txt': 'one' });
    await content(page, 'a.txt').press('End');
    const byBrowser = await page.evaluateHandle(() => {
      const characters: (string | null)[] = [];
      addEventListener('input', (event) => {
        if (event instanceof InputEvent) characters.push(event.data);
      });
      return characters;
    });
    await page.keyboard.type('abc');
    await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.type('d');
    expect(await byBrowser.jsonValue()).toEqual(['a']);
    expect(await textOf(page, 'a.txt')).toBe('oneabd');
  });

  test('updates the shared text before the screen, and observers may set diagnostics', async () => {
    const page = await browser.open({ 'a.js': 'a();' });
    await content(page, 'a.js').press('Home');
    const changes = await page.evaluateHandle(() => {
      const { doc, editor, text } = globalThis.page;
      const changes: string[][] = [];
      doc.on('update', () => {
        const { view } = editor;
        const shown = view.contentDOM.textContent;
        changes.push([text('a.js'), view.state.doc.toString(), shown]);
        const message = `${changes.length} were heard.`;
        editor.setDiagnostics([{ line: 1, column: 1, severity: 'error', message }]);
      });
      return changes;
    });
    await page.keyboard.type('bc');
    expect(await changes.jsonValue()).toEqual([
      // The browser inserts the first character itself.
      ['ba();', 'ba();', 'ba();'],
      ['bca();', 'bca();', 'ba();'],
    ]);
    expect(await content(page, 'a.js').textContent()).toBe('bca();');
    await page.locator('.cm-lint-marker-error').hover();
    await page.getByText('2 were heard.').waitFor();
  });

  test('continues if an observer throws', async () => {
    const page = await browser.open({ 'a.txt': '' });
    await page.evaluate(() => {
      globalThis.page.doc.once('update', () => {
        throw new Error('nobody minds');
      });
    });
    await content(page, 'a.txt').press('End');
    await page.keyboard.type('abc');
    expect(await textOf(page, 'a.txt')).toBe('abc');
    expect(browser.takeErrors()).toEqual([expect.stringContaining('nobody minds')]);
  });

  test('leaves a single cursor to the browser, and draws what no browser shows', async () => {
    const page = await browser.open({ 'a.txt': 'one two' });
    const drawn = () => page.locator('.cm-cursor').count();
    const isNative = () =>
      page
        .locator('.cm-line')
        .first()
        .evaluate((line) => getComputedStyle(line).caretColor !== 'rgba(0, 0, 0, 0)');
    await page.keyboard.press('a');
    expect([await drawn(), await isNative()]).toEqual([0, true]);
    await page.keyboard.press('Shift+End');
    await page.locator('.cm-selectionBackground').waitFor();
    expect(await isNative()).toBe(false);
    await page.keyboard.press('b');
    expect(await page.locator('.cm-selectionLayer').count()).toBe(0);
    expect([await drawn(), await isNative()]).toEqual([0, true]);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Alt+ArrowUp');
    await expect.poll(drawn).toBe(2);
    expect(await isNative()).toBe(false);
    await page.keyboard.press('Escape');
    expect([await drawn(), await isNative()]).toEqual([0, true]);
    // In bidirectional text a browser may show the cursor on the other side of a word.
    await page.keyboard.insertText('שלום');
    await expect.poll(drawn).toBe(1);
    expect(await isNative()).toBe(false);
  });

  test('keeps drawn cursors solid, which blink when idle', async () => {
    const page = await browser.open({ 'a.txt': '\n' });
    const animation = () =>
      page.locator('.cm-cursorLayer').evaluate((layer) => getComputedStyle(layer).animationName);
    await page.keyboard.press('Control+Alt+ArrowDown');
    await expect.poll(animation).toBe('cm-blink');
    await page.keyboard.press('a');
    expect(await animation()).toBe('none');
    await expect.poll(animation).toBe('cm-blink');
  });

  // 0.1 s; bare CodeMirror takes a minute.
  test(
    'inserts text that comes in one go as one edit and one step',
    { timeout: 20_000 },
    async () => {
      const page = await browser.open({ 'a.js': 'first();\nlast();' });
      const lines = Array.from(
        { length: 2_000 },
        (_, index) => `// Line ${index} of {what} was said.`,
      );
      const updates = await page.evaluateHandle(() => {
        const updates: number[] = [];
        globalThis.page.doc.on('update', ({ length }) => void updates.push(length));
        return updates;
      });
      // The first input after a focus, which the browser would insert.
      await page.evaluate(() => globalThis.page.setCursor(8));
      await page.keyboard.insertText(`\r\n${lines.join('\n')}`);
      expect(await textOf(page, 'a.js')).toBe(['first();', ...lines, 'last();'].join('\n'));
      expect(await cursor(page)).toEqual({ line: 2_001, column: (lines.at(-1) ?? '').length + 1 });
      expect(await updates.evaluate(({ length }) => length)).toBe(1);
      await page.keyboard.type('!');
      await page.keyboard.press('Control+z');
      await page.keyboard.press('Control+z');
      expect(await textOf(page, 'a.js')).toBe('first();\nlast();');
      // In place of a selection.
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText('x'.repeat(60_000));
      expect(await textOf(page, 'a.js')).toBe('x'.repeat(60_000));
      expect(await page.getByRole('option').count()).toBe(0);
    },
  );

  test('closes brackets and quotes, and types over the inserted ones', async () => {
    const page = await browser.open({ 'a.js': '' });
    await page.keyboard.type('f(["a"])');
    expect(await textOf(page, 'a.js')).toBe('f(["a"])');
    await page.keyboard.type(' {');
    expect(await textOf(page, 'a.js')).toBe('f(["a"]) {}');
  });

  test('closes tags', async () => {
    const page = await browser.open({ 'index.html': '' });
    await page.keyboard.type('<section>');
    expect(await textOf(page, 'index.html')).toBe('<section></section>');
  });

  test('indents the next line by language', async () => {
    const page = await browser.open({ 'a.js': '', 'a.css': '', 'index.html': '<ul></ul>' });
    await page.keyboard.type('if (a) {\nb();');
    expect(await textOf(page, 'a.js')).toBe('if (a) {\n  b();\n}');
    await page.evaluate(() => globalThis.page.show('a.css'));
    await page.waitForFunction(
      () => document.querySelector('.cm-content')?.getAttribute('data-language') === 'css',
    );
    await page.keyboard.type('a {\ncolor: red;');
    expect(await textOf(page, 'a.css')).toBe('a {\n  color: red;\n}');
    await page.evaluate(() => globalThis.page.show('index.html'));
    await page.waitForFunction(
      () => document.querySelector('.cm-content')?.getAttribute('data-language') === 'html',
    );
    await page.evaluate(() => globalThis.page.setCursor(4));
    await page.keyboard.press('Enter');
    await page.keyboard.type('x');
    expect(await textOf(page, 'index.html')).toBe('<ul>\n  x\n</ul>');
  });

  test('highlights the matching bracket', async () => {
    const page = await browser.open({ 'a.js': 'f(1)' });
    await page.evaluate(() => globalThis.page.setCursor(1));
    await expect
      .poll(() => page.locator('.cm-matchingBracket').allTextContents())
      .toEqual(['(', ')']);
  });

  test('inserts at each of several cursors', async () => {
    const page = await browser.open({ 'a.js': 'foo\nfoo\nbar' });
    await page.keyboard.press('Control+d');
    await page.keyboard.press('Control+d');
    await page.keyboard.press('Control+d');
    await page.keyboard.type('x');
    expect(await textOf(page, 'a.js')).toBe('x\nx\nbar');
  });

  test('inserts composed text once, also during remote edits', async () => {
    const page = await browser.open({ 'a.txt': 'ab' });
    const session = await page.context().newCDPSession(page);
    await page.evaluate(() => globalThis.page.setCursor(1));
    await session.send('Input.imeSetComposition', {
      text: 'k',
      selectionStart: 1,
      selectionEnd: 1,
    });
    await page.evaluate(() => globalThis.page.remoteInsert('a.txt', 0, '>'));
    await session.send('Input.imeSetComposition', {
      text: 'か',
      selectionStart: 1,
      selectionEnd: 1,
    });
    await session.send('Input.insertText', { text: 'か' });
    await expect.poll(() => textOf(page, 'a.txt')).toBe('>aかb');
    expect(await page.evaluate(() => globalThis.page.editor.view.state.doc.toString())).toBe(
      '>aかb',
    );
  });

  test('replaces a word as a phone’s keyboard or a text expander does', async () => {
    const page = await browser.open({ 'a.txt': 'one addr two' });
    const replace = (text: string) =>
      page.evaluate((replacement) => {
        const line = document.querySelector('.cm-line')?.firstChild;
        if (!line) throw new Error('nothing is shown');
        const at = line.textContent?.indexOf('addr') ?? 0;
        const range = {
          startContainer: line,
          startOffset: at,
          endContainer: line,
          endOffset: at + 4,
        };
        const dataTransfer = new DataTransfer();
        dataTransfer.setData('text/plain', replacement);
        const event = new InputEvent('beforeinput', {
          inputType: 'insertReplacementText',
          dataTransfer,
          targetRanges: [new StaticRange(range)],
          cancelable: true,
          bubbles: true,
        });
        return document.querySelector('.cm-content')?.dispatchEvent(event);
      }, text);
    expect(await replace('1 Road\nTown')).toBe(false);
    expect(await textOf(page, 'a.txt')).toBe('one 1 Road\nTown two');
    expect(await cursor(page)).toEqual({ line: 2, column: 5 });
  });

  test('is not possible in a read-only file, and goes on in the editable one before it', async () => {
    const page = await browser.open({ 'a.txt': 'ab' });
    await page.keyboard.press('End');
    await page.keyboard.type('c');
    await page.evaluate(() => globalThis.page.editor.show({ path: 'b.txt', content: 'fixed' }));
    expect(await content(page, 'b.txt').getAttribute('aria-readonly')).toBe('true');
    await page.keyboard.type('x');
    await page.keyboard.insertText('x\nx');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Control+z');
    const shown = await page.evaluate(() => {
      const { view } = globalThis.page.editor;
      view.dispatch(view.state.replaceSelection('as a command that ignores it'));
      return view.state.doc.toString();
    });
    expect([shown, await textOf(page, 'a.txt')]).toEqual(['fixed', 'abc']);
    await page.evaluate(() => globalThis.page.show('a.txt'));
    expect(await content(page, 'a.txt').getAttribute('aria-readonly')).toBe('false');
    await page.keyboard.type('d');
    expect(await textOf(page, 'a.txt')).toBe('abcd');
    await page.keyboard.press('Control+z');
    expect(await textOf(page, 'a.txt')).not.toContain('d');
  });
});

/** Modifiers of CDP's `Input.dispatchKeyEvent`. */
const held = { alt: 1, ctrl: 2, shift: 8 };

describe('keys', () => {
  test.each([
    ['MacIntel', listOptionCharacters, [held.alt, held.alt + held.shift]],
    ['Win32', listAltGrCharacters, [held.ctrl + held.alt, held.ctrl + held.alt + held.shift]],
  ])('leave to the keyboard layout what it types on %s', async (platform, listTyped, modifiers) => {
    const { context, page } = await browser.openAnother();
    await page.addInitScript(
      (name) => Object.defineProperty(navigator, 'platform', { value: name }),
      platform,
    );
    await page.goto(browser.address);
    await page.waitForFunction(() => 'page' in globalThis);
    await page.evaluate(async () => {
      await globalThis.page.open({ 'a.js': 'let a = 1;' });
      const taken: string[] = [];
      Object.assign(globalThis, { taken });
      addEventListener('keydown', (event) => {
        if (event.defaultPrevented) taken.push(`${document.activeElement?.ariaLabel} ${event.key}`);
      });
    });
    const session = await page.context().newCDPSession(page);
    const press = (key: string, windowsVirtualKeyCode: number, modifier: number) =>
      session.send('Input.dispatchKeyEvent', {
        type: 'rawKeyDown',
        key,
        windowsVirtualKeyCode,
        modifiers: modifier,
      });
    const listTaken = () => page.evaluate(() => Reflect.get(globalThis, 'taken') as unknown);
    const typed = new Map(
      keyboardLayouts.flatMap((layout) =>
        listTyped(layout).map((each) => [`${each.character} ${each.keyCode}`, each] as const),
      ),
    );
    const pressAll = () =>
      Promise.all(
        [...typed.values()].flatMap(({ character, keyCode }) =>
          modifiers.map((modifier) => press(character, keyCode, modifier)),
        ),
      );
    await pressAll();
    await page.evaluate(() => globalThis.page.openConsoleInput());
    await pressAll();
    expect(await listTaken()).toEqual([]);
    // A key that is bound.
    await press('Home', 36, 0);
    expect(await listTaken()).toEqual(['Console input Home']);
    await context.close();
  });
});

describe('completion', () => {
  test.each([
    ['CSS properties', 'a.css', 'a { backgr', 'background-color'],
    ['CSS values', 'a.css', 'a { display: fl', 'flex'],
    ['HTML tags', 'index.html', '<sect', 'section'],
    ['HTML attributes', 'index.html', '<a hr', 'href'],
    ['keywords of JavaScript', 'a.js', 'cont', 'continue'],
    ['names in scope', 'a.js', 'const color = 1; col', 'color'],
    ['globals', 'a.js', 'requestAni', 'requestAnimationFrame'],
    ['members of the platform', 'a.js', 'Math.ma', 'max'],
    ['styles inside HTML', 'index.html', '<style>a { backgr', 'background-color'],
    ['scripts inside HTML', 'index.html', '<script>docum', 'document'],
  ])('offers %s', async (_what, path, typed, wanted) => {
    const page = await browser.open({ [path]: '' });
    await page.keyboard.type(typed);
    await untilOffered(page, wanted);
  });

  test('shows a picture beside its path, with its size', async () => {
    const page = await browser.open({ 'index.html': '', 'img/sea.png': '', 'notes.txt': '' });
    await page.keyboard.type('<img src="se');
    await untilOffered(page, 'img/sea.png');
    expect(await page.getByRole('option').count()).toBe(1);
    const picture = page.locator('.cm-completionInfo figure');
    await picture.getByText('4 × 3').waitFor();
    expect(await picture.locator('img').evaluate((image) => image.clientWidth)).toBeGreaterThan(0);
    await untilListAcceptsKeys(page);
    await page.keyboard.press('Enter');
    expect(await textOf(page, 'index.html')).toBe('<img src="img/sea.png"');
  });

  test("offers the project's classes, ids and paths where they belong", async () => {
    const page = await browser.open({
      'index.html': '<p id="intro" class="lead wide">',
      'css/style.css': '.card { color: red }',
    });
    await page.keyboard.press('Control+End');
    await page.keyboard.type('<b class="ca');
    await untilOffered(page, 'card');
    await page.keyboard.press('Escape');
    await page.keyboard.type(' le');
    await untilOffered(page, 'lead');
    await untilListAcceptsKeys(page);
    await page.keyboard.press('Enter');
    await page.keyboard.type('" href="cs');
    await untilOffered(page, 'css/style.css');
    expect(await textOf(page, 'index.html')).toContain('class="ca lead"');
  });

  test('accepts with Enter and with Tab', async () => {
    const page = await browser.open({ 'a.js': '' });
    await page.keyboard.type('requestAni');
    await untilOffered(page, 'requestAnimationFrame');
    await untilListAcceptsKeys(page);
    await page.keyboard.press('Tab');
    expect(await textOf(page, 'a.js')).toBe('requestAnimationFrame');
    await page.keyboard.type('; clearTim');
    await untilOffered(page, 'clearTimeout');
    await untilListAcceptsKeys(page);
    await page.keyboard.press('Enter');
    expect(await textOf(page, 'a.js')).toMatch(/clearTimeout$/);
  });

  test('breaks the line with Enter if the selected completion is already typed', async () => {
    const page = await browser.open({ 'a.css': 'a {\n  ' });
    await page.keyboard.press('Control+End');
    await page.keyboard.type('display: flex');
    await untilOffered(page, 'flex');
    await untilListAcceptsKeys(page);
    await page.keyboard.press('Enter');
    expect(await page.getByRole('option').count()).toBe(0);
    await page.keyboard.type('c');
    expect(await textOf(page, 'a.css')).toBe('a {\n  display: flex\n  c');
  });

  test('closes its list when another file is shown while typing', async () => {
    const page = await browser.open({ 'a.css': 'body { color: red; }\n', 'b.txt': '' });
    await page.keyboard.press('Control+End');
    await page.keyboard.type('p { col');
    await untilOffered(page, 'color');
    await page.evaluate(() => {
      const { view } = globalThis.page.editor;
      view.dispatch({ ...view.state.replaceSelection('o'), userEvent: 'input.type' });
      globalThis.page.show('b.txt');
    });
    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect(await page.getByRole('option').count()).toBe(0);
    await page.keyboard.type('b');
    expect(await textOf(page, 'b.txt')).toBe('b');
  });
});

describe('undo', () => {
  test('reverts consecutive typing as one step, and restores the cursor', async () => {
    const page = await browser.open({ 'a.txt': 'one two' });
    await page.evaluate(() => globalThis.page.setCursor(3));
    await page.keyboard.type(' and');
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Control+z');
    expect(await textOf(page, 'a.txt')).toBe('one two');
    expect(await cursor(page)).toEqual({ line: 1, column: 4 });
    await page.keyboard.press('Control+Shift+Z');
    expect(await textOf(page, 'a.txt')).toBe('one and two');
  });

  test('and redo show what they change, wherever the cursor is', async () => {
    const lines = Array.from({ length: 300 }, (_, index) => `const v${index + 1} = 0;`);
    const page = await browser.open({ 'a.js': lines.join('\n') });
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' // typed (at the end)');
    for (const [key, column] of [
      ['z', 16],
      ['y', 38],
      ['z', 16],
      ['y', 38],
    ] as const) {
      await page.keyboard.press('Control+Home');
      await page.keyboard.press(`Control+${key}`);
      expect(await cursor(page), key).toEqual({ line: 300, column });
      await page.getByText('const v300').waitFor();
      await expect
        .poll(() => page.evaluate(() => globalThis.page.isCursorInView()), { message: key })
        .toBe(true);
    }
    // Where the cursor was left inside the change, it returns there.
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+y');
    expect(await cursor(page)).toEqual({ line: 300, column: 37 });
  });

  test('shows the nearest change of an edit that did not move the cursor', async () => {
    const lines = Array.from({ length: 300 }, (_, index) => `line ${index + 1}`);
    const page = await browser.open({ 'a.txt': lines.join('\n') });
    await page.evaluate(() => {
      const { view } = globalThis.page.editor;
      globalThis.page.setCursor(view.state.doc.line(150).from);
      const at = (line: number) => ({ from: view.state.doc.line(line).to, insert: '!' });
      view.dispatch({ changes: [at(1), at(200), at(300)], userEvent: 'input.replace' });
    });
    await page.keyboard.press('Control+z');
    expect(await cursor(page)).toEqual({ line: 200, column: 9 });
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Control+y');
    expect(await cursor(page)).toEqual({ line: 200, column: 10 });
  });

  test('steps over lines, cursor moves and pastes', async () => {
    const page = await browser.open({ 'a.txt': '' });
    await page.keyboard.type('ab');
    await page.keyboard.press('Enter');
    await page.keyboard.type('cd');
    await page.keyboard.press('Home');
    await page.keyboard.type('x');
    const steps: string[] = [];
    for (let step = 0; step < 4; step++) {
      await page.keyboard.press('Control+z');
      steps.push(await textOf(page, 'a.txt'));
    }
    expect(steps).toEqual(['ab\ncd', 'ab\n', 'ab', '']);
  });

  test('reverts only local edits, across remote ones', async () => {
    const page = await browser.open({ 'a.txt': 'base' });
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' mine');
    await page.evaluate(() => globalThis.page.remoteInsert('a.txt', 0, 'theirs '));
    await page.evaluate(() => globalThis.page.remoteInsert('a.txt', 14, 'X'));
    expect(await textOf(page, 'a.txt')).toBe('theirs base miXne');
    await page.keyboard.press('Control+z');
    expect(await textOf(page, 'a.txt')).toBe('theirs baseX');
    await page.keyboard.press('Control+y');
    expect(await textOf(page, 'a.txt')).toBe('theirs base miXne');
  });

  test('belongs to one file, and is kept while another is shown', async () => {
    const page = await browser.open({ 'a.txt': '', 'b.txt': '' });
    await page.keyboard.type('a');
    await page.evaluate(() => globalThis.page.show('b.txt'));
    await page.keyboard.type('b');
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    expect([await textOf(page, 'a.txt'), await textOf(page, 'b.txt')]).toEqual(['a', '']);
    await page.evaluate(() => globalThis.page.show('a.txt'));
    await page.keyboard.press('Control+z');
    expect(await textOf(page, 'a.txt')).toBe('');
  });
});

describe('remote edits', () => {
  test('keep the cursor at its position in the text', async () => {
    const page = await browser.open({ 'a.txt': 'one\ntwo' });
    await page.evaluate(() => globalThis.page.setCursor(5));
    await page.evaluate(() => globalThis.page.remoteInsert('a.txt', 0, 'zero\n'));
    expect(await cursor(page)).toEqual({ line: 3, column: 2 });
    await page.evaluate(() => globalThis.page.remoteDelete('a.txt', 0, 5));
    await page.keyboard.type('!');
    expect(await textOf(page, 'a.txt')).toBe('one\nt!wo');
  });

  test('update a file that is not shown, which keeps its folds and selection', async () => {
    const page = await browser.open({ 'a.js': 'function f() {\n  return 1;\n}\n', 'b.txt': '' });
    await page.evaluate(() => globalThis.page.setCursor(3));
    await page.keyboard.press('Control+Shift+BracketLeft');
    expect(await page.evaluate(() => globalThis.page.folds())).toBe(1);
    await page.evaluate(() => globalThis.page.show('b.txt'));
    expect(await page.evaluate(() => globalThis.page.folds())).toBe(0);
    await page.evaluate(() => globalThis.page.remoteInsert('a.js', 0, '// hello\n'));
    await page.evaluate(() => globalThis.page.show('a.js'));
    expect(await page.evaluate(() => globalThis.page.folds())).toBe(1);
    expect(await cursor(page)).toEqual({ line: 2, column: 4 });
    await page.keyboard.press('Control+Shift+BracketRight');
    expect(await page.evaluate(() => globalThis.page.folds())).toBe(0);
  });
});

describe('Tab', () => {
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.id ?? '');

  test('moves focus through the editor until something is typed', async () => {
    const page = await browser.open({ 'a.js': '' });
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('after');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    expect(await focused(page)).toBe('before');
    expect(await textOf(page, 'a.js')).toBe('');
  });

  test('indents after typing, and leaves after Escape', async () => {
    const page = await browser.open({ 'a.js': '' });
    await page.keyboard.type('a');
    expect(await content(page, 'a.js').getAttribute('aria-description')).toMatch(/Esc/);
    await page.keyboard.press('Home');
    await page.keyboard.press('Tab');
    expect(await textOf(page, 'a.js')).toBe('  a');
    await page.keyboard.press('Shift+Tab');
    expect(await textOf(page, 'a.js')).toBe('a');
    await page.keyboard.press('End');
    await page.keyboard.press('Tab');
    await page.keyboard.type('b');
    expect(await textOf(page, 'a.js')).toBe('a b');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('after');
    expect(await page.evaluate(() => globalThis.page.reported.tabModes)).toEqual([
      'indents',
      'leaves',
    ]);
  });

  test('leaves after Escape also if that closed a completion list', async () => {
    const page = await browser.open({ 'a.js': '' });
    await page.keyboard.type('requestAni');
    await untilOffered(page, 'requestAnimationFrame');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('after');
    expect(await textOf(page, 'a.js')).toBe('requestAni');
  });
});

describe('components', () => {
  test.each([
    ['App.vue', '<script setup lang="ts">\nconst a: number = 1;\n</script>\n<p>{{ a + true }}</p>'],
    ['App.svelte', '<script lang="ts">\nconst a: number = 1;\n</script>\n<p>{a + true}</p>'],
  ])('highlight markup, script and expressions in %s', async (path, text) => {
    const page = await browser.open({ [path]: text });
    await page.waitForFunction(() => {
      const highlighted = [...document.querySelectorAll('.cm-line span')].map(
        (one) => one.textContent,
      );
      return ['p', 'const', 'number', 'true'].every((word) => highlighted.includes(word));
    });
  });
});

describe('commands', () => {
  test('save with Mod+S, and comment with Mod+/', async () => {
    const page = await browser.open({ 'a.js': 'let a;' });
    await page.keyboard.press('Control+s');
    expect(await page.evaluate(() => globalThis.page.reported.saves)).toBe(1);
    await page.keyboard.press('Control+/');
    expect(await textOf(page, 'a.js')).toBe('// let a;');
  });

  test('leave the keys of run and the command palette to the page', async () => {
    const page = await browser.open({ 'a.js': 'let a;' });
    await page.evaluate(() => {
      const seen: string[] = [];
      Object.assign(globalThis, { seen });
      addEventListener('keydown', (event) => {
        if (event.ctrlKey && !event.defaultPrevented) seen.push(event.key);
      });
    });
    for (const key of ['Enter', 'Shift+Enter', 'k', 'b', 'j', 'p', '`']) {
      await page.keyboard.press(`Control+${key}`);
    }
    const seen = await page.evaluate(() => Reflect.get(globalThis, 'seen') as unknown);
    expect(seen).toEqual(expect.arrayContaining(['Enter', 'k', 'b', 'j', 'p', '`']));
    expect(await textOf(page, 'a.js')).toBe('let a;');
  });

  test('find and replace', async () => {
    const page = await browser.open({ 'a.txt': 'one two one' });
    await page.keyboard.press('Control+f');
    await page.getByRole('textbox', { name: 'Find' }).pressSequentially('one');
    await page.getByText('2 matches', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('1 of 2', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Replace' }).fill('1');
    await page.getByRole('button', { name: 'replace all' }).click();
    expect(await textOf(page, 'a.txt')).toBe('1 two 1');
    await page.keyboard.press('Escape');
  });

  test('go to a line and column, and scroll it into view', async () => {
    const lines = Array.from({ length: 500 }, (_, index) => `line ${index + 1}`);
    const page = await browser.open({ 'a.txt': lines.join('\n') });
    await page.evaluate(() => globalThis.page.editor.goTo(400, 3));
    expect(await cursor(page)).toEqual({ line: 400, column: 3 });
    await page.getByText('line 400', { exact: true }).waitFor();
    await page.evaluate(() => globalThis.page.editor.goTo(9_999, 9_999));
    expect(await cursor(page)).toEqual({ line: 500, column: 9 });
  });

  test("return to a file's last position", async () => {
    const lines = Array.from({ length: 500 }, (_, index) => `line ${index + 1}`).join('\n');
    const page = await browser.open({ 'a.txt': lines, 'b.txt': lines });
    await page.evaluate(() => globalThis.page.editor.goTo(300, 1));
    const scroll = () => page.evaluate(() => globalThis.page.editor.view.scrollDOM.scrollTop);
    // Scroll positions are applied with the next measure.
    await expect.poll(scroll).toBeGreaterThan(0);
    const left = await scroll();
    await page.evaluate(() => globalThis.page.show('b.txt'));
    await expect.poll(scroll).toBe(0);
    await page.evaluate(() => globalThis.page.show('a.txt'));
    await expect.poll(async () => Math.abs((await scroll()) - left)).toBeLessThan(2);
    expect(await cursor(page)).toEqual({ line: 300, column: 1 });
  });
});

describe('diagnostics', () => {
  test('are shown at their position with their message', async () => {
    const page = await browser.open({ 'a.js': 'let a =;\nb();' });
    await page.evaluate(() =>
      globalThis.page.editor.setDiagnostics([
        { line: 1, column: 8, severity: 'error', message: 'A value is missing.' },
        { line: 2, column: 1, severity: 'warning', message: 'b is not defined.' },
      ]),
    );
    expect(await page.evaluate(() => globalThis.page.diagnostics())).toBe(2);
    await page.locator('.cm-lint-marker-error').hover();
    await page.getByText('A value is missing.').waitFor();
    await page.evaluate(() => globalThis.page.editor.setDiagnostics([]));
    expect(await page.evaluate(() => globalThis.page.diagnostics())).toBe(0);
  });

  test('that have moved with the text are not dispatched again', async () => {
    const page = await browser.open({ 'a.js': 'a();\nb();' });
    const showAt = (line: number) =>
      page.evaluate((at) => {
        const { editor } = globalThis.page;
        const before = editor.view.state;
        editor.setDiagnostics([
          { line: at, column: 1, severity: 'error', message: 'b is no more.' },
        ]);
        return editor.view.state === before;
      }, line);
    expect(await showAt(2)).toBe(false);
    await content(page, 'a.js').press('Control+Home');
    await page.keyboard.press('Enter');
    expect(await showAt(3)).toBe(true);
    expect(await showAt(2)).toBe(false);
    expect(await page.evaluate(() => globalThis.page.diagnostics())).toBe(1);
  });
});

describe('unsupported input', () => {
  test('is replaced or dropped', async () => {
    const page = await browser.open({ 'a.txt': '' });
    await page.evaluate(() => {
      globalThis.page.editor.view.dispatch(
        globalThis.page.editor.view.state.replaceSelection('a\0b\rc\ud800d'),
      );
    });
    expect(await textOf(page, 'a.txt')).toBe('a\uFFFDb\nc\uFFFDd');
    expect(await page.evaluate(() => globalThis.page.editor.view.state.doc.toString())).toBe(
      'a\uFFFDb\nc\uFFFDd',
    );
  });

  /** Contents of a DataTransfer: text by type, and files. */
  interface TransferData {
    readonly texts?: Record<string, string>;
    readonly files?: readonly { name: string; type: string; bytes: readonly number[] }[];
  }
  const image = { name: 'a.png', type: 'image/png', bytes: [0x89, 0x50, 0x4e, 0x47, 0] };
  const readRejections = (page: Page) => page.evaluate(() => globalThis.page.reported.rejected);

  async function transfer(page: Page, kind: 'paste' | 'drop', given: TransferData): Promise<void> {
    await page.evaluate(
      ([type, { texts = {}, files = [] }]) => {
        const data = new DataTransfer();
        for (const [format, text] of Object.entries(texts)) data.setData(format, text);
        for (const file of files)
          data.items.add(new File([new Uint8Array(file.bytes)], file.name, { type: file.type }));
        const { view } = globalThis.page.editor;
        const { left, top } = view.contentDOM.getBoundingClientRect();
        const options = { bubbles: true, cancelable: true };
        view.contentDOM.dispatchEvent(
          type === 'paste'
            ? new ClipboardEvent(type, { ...options, clipboardData: data })
            : new DragEvent(type, {
                ...options,
                dataTransfer: data,
                clientX: left + 1,
                clientY: top + 8,
              }),
        );
      },
      [kind, given] as const,
    );
  }

  test.for(['paste', 'drop'] as const)(
    'rejects an image without changing the text: by %s',
    async (kind) => {
      const page = await browser.open({ 'a.txt': 'one two' });
      await page.keyboard.press('Control+a');
      await transfer(page, kind, { files: [image] });
      await expect.poll(() => readRejections(page)).toEqual(['file_binary']);
      expect(await textOf(page, 'a.txt')).toBe('one two');
      expect(await page.evaluate(() => globalThis.page.selected())).toEqual(['one two']);
    },
  );

  test.for([
    ['paste', 'a.png a.txt 7 true'],
    ['drop', 'a.png a.txt 0 false'],
  ] as const)('passes files on to a page that takes them: by %s', async ([kind, reported]) => {
    const page = await browser.open({ 'a.txt': 'one two' });
    await page.evaluate(() => void (globalThis.page.takesFiles = true));
    await page.keyboard.press('Control+a');
    await transfer(page, kind, { files: [image] });
    expect(await page.evaluate(() => globalThis.page.reported.files)).toEqual([reported]);
    expect(await readRejections(page)).toEqual([]);
    expect(await textOf(page, 'a.txt')).toBe('one two');
  });

  test('pastes text that comes with an image', async () => {
    const page = await browser.open({ 'a.txt': 'one two' });
    await page.keyboard.press('Control+a');
    await transfer(page, 'paste', {
      texts: { 'text/plain': 'three', 'text/html': '<b>three</b>' },
      files: [image],
    });
    expect(await textOf(page, 'a.txt')).toBe('three');
    expect(await readRejections(page)).toEqual([]);
  });

  test.for<TransferData>([
    {},
    { texts: { 'text/plain': '' } },
    { texts: { 'text/html': '<img>' } },
  ])('keeps the selection if there is no text: %j', async (given) => {
    const page = await browser.open({ 'a.txt': 'one two' });
    await page.keyboard.press('Control+a');
    await transfer(page, 'paste', given);
    expect(await textOf(page, 'a.txt')).toBe('one two');
    expect(await readRejections(page)).toEqual([]);
  });

  test.for([
    ['paste', 'é b'],
    ['drop', 'é bone two'],
  ] as const)('inserts the text of a text file: by %s', async ([kind, after]) => {
    const page = await browser.open({ 'a.txt': 'one two' });
    await page.keyboard.press('Control+a');
    const file = { name: 'b.txt', type: 'text/plain', bytes: [0xc3, 0xa9, 0x20, 0x62] };
    await transfer(page, kind, { files: [file] });
    await expect.poll(() => textOf(page, 'a.txt')).toBe(after);
  });

  test('rejects a paste that is too large, as a whole', async () => {
    const page = await browser.open({ 'a.txt': 'a' });
    await page.evaluate(() => {
      const { view } = globalThis.page.editor;
      view.dispatch(view.state.replaceSelection('x'.repeat(5_000_000)));
    });
    expect(await textOf(page, 'a.txt')).toBe('a');
    expect(await page.evaluate(() => globalThis.page.reported.rejected)).toEqual([
      'file_too_large',
    ]);
  });

  test('counts UTF-8 bytes, also of remote edits, and never rejects a change that makes the text smaller', async () => {
    const page = await browser.open({ 'a.txt': '漢'.repeat(349_525) });
    await page.evaluate(() => {
      const { view } = globalThis.page.editor;
      const insert = (text: string) =>
        view.dispatch({ changes: { from: view.state.doc.length, insert: text } });
      insert('é');
      insert('x');
      globalThis.page.remoteDelete('a.txt', 0, 1);
      insert('é');
      globalThis.page.remoteInsert('a.txt', 0, '漢漢');
      insert('x');
      view.dispatch({ changes: { from: 0, to: 1, insert: 'x' } });
    });
    expect((await textOf(page, 'a.txt')).replace(/^x漢+/, '')).toBe('xé');
    expect(await page.evaluate(() => globalThis.page.reported.rejected)).toEqual([
      'file_too_large',
      'file_too_large',
    ]);
  });

  test('shows invisible characters', async () => {
    const page = await browser.open({ 'a.js': 'if (a\u202e) {}' });
    await page.locator('.cm-specialChar').waitFor();
  });

  test('keeps offsets right in a stored text with carriage returns', async () => {
    const page = await browser.open({ 'a.txt': 'ab' });
    await page.evaluate(() => globalThis.page.remoteInsert('a.txt', 1, '\r\n'));
    await page.keyboard.press('Control+End');
    await page.keyboard.type('!');
    expect(await textOf(page, 'a.txt')).toBe('a\r\nb!');
  });
});

test('allows typing in a line of a million characters', async () => {
  const page = await browser.open({ 'a.js': `let a = "${'x'.repeat(1_000_000)}";` });
  await page.keyboard.press('Home');
  await page.keyboard.type('/');
  expect((await textOf(page, 'a.js')).slice(0, 4)).toBe('/let');
});

test.each(['light', 'dark'] as const)(
  'has a contrast of 4.5:1 for every text color in the %s scheme',
  async (colorScheme) => {
    const page = await browser.open({ 'a.js': '' });
    await page.emulateMedia({ colorScheme });
    const low = await page.evaluate(() => {
      const names = [...document.styleSheets]
        .flatMap((sheet) => [...sheet.cssRules])
        .flatMap((rule) => (rule instanceof CSSStyleRule ? [...rule.style] : []))
        .filter((name) =>
          /^--(syntax-|editor-(foreground|gutter-foreground|error|warning|info)$)/.test(name),
        );
      const probe = document.body.appendChild(document.createElement('i'));
      const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
      const luminance = (name: string) => {
        probe.style.color = `var(${name})`;
        if (!canvas) throw new Error('no canvas');
        canvas.fillStyle = getComputedStyle(probe).color;
        canvas.fillRect(0, 0, 1, 1);
        const channels = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((value) => {
          const share = value / 255;
          return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return (
          0.2126 * (channels[0] ?? 0) + 0.7152 * (channels[1] ?? 0) + 0.0722 * (channels[2] ?? 0)
        );
      };
      const contrast = (a: string, b: string) => {
        const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
        return (light + 0.05) / (dark + 0.05);
      };
      const surfaces = ['--editor-background', '--editor-active-line', '--editor-float-background'];
      if (names.length < 20) throw new Error(`found only ${names.length} colors`);
      return names.flatMap((name) =>
        surfaces
          .map((surface) => ({ name, surface, ratio: contrast(name, surface) }))
          .filter(({ ratio }) => ratio < 4.5),
      );
    });
    expect(low).toEqual([]);
  },
);

describe('styles that lint rules do not know', () => {
  const isSupported = (page: Page, rule: string, marked: string) =>
    page.evaluate(
      ([name, text, from]) => {
        const location = { line: 1, column: 1, endLine: 1, endColumn: 1, from, to: from + 1 };
        return globalThis.page.isSupportedByBrowser(text, {
          ...location,
          kind: 'rule',
          path: 'a.css',
          message: '',
          severity: 'warning',
          rule: name,
        });
      },
      [rule, marked.replace('‸', ''), marked.indexOf('‸')] as const,
    );

  test.for([
    ['css/no-invalid-at-rules', '‸@function --f(--x) { result: calc(2 * var(--x)); }'],
    ['css/no-invalid-at-rules', '@function --f(--x) { ‸result: calc(2 * var(--x)); }'],
    ['unknownAtRules', 'b {}\n‸@function --f() { result: 1px; }'],
    ['css/no-invalid-properties', 'a { color: ‸contrast-color(red); top: 0 }'],
    ['css/no-invalid-properties', 'a { /* ; */ width: ‸if(style(--a: b): 1px; else: 2px); }'],
    ['css/no-invalid-properties', 'a { top: ‸--f(1px) !important }'],
    ['unknownProperties', 'a { ‸corner-shape: squircle; }'],
  ] as const)('are not reported if the browser supports them: %s in %s', async ([rule, text]) => {
    expect(await isSupported(await browser.load(), rule, text)).toBe(true);
  });

  test.for([
    ['css/no-invalid-at-rules', '‸@functoin --f() { result: 1px; }'],
    ['css/no-invalid-at-rules', '@function --f() { ‸reslut: 1px; }'],
    ['css/no-invalid-properties', 'a { color: ‸contrast-colour(red); }'],
    ['unknownProperties', 'a { ‸corner-shpae: squircle; }'],
    ['css/no-empty-blocks', 'a ‸{}'],
  ] as const)('are reported if the browser does not: %s in %s', async ([rule, text]) => {
    expect(await isSupported(await browser.load(), rule, text)).toBe(false);
  });
});

test('keeps the cursor after the first character of a new file that immediately gets a diagnostic', async () => {
  const page = await browser.open({ 'a.js': 'a', 'b.css': '' });
  // Something has been typed before, see text-input.ts.
  await page.keyboard.type('b');
  await page.locator('#before').click();
  await page.evaluate(() => {
    const { editor, doc } = globalThis.page;
    const broken = { line: 1, column: 1, severity: 'error', message: 'No.' } as const;
    doc.on('update', () => requestAnimationFrame(() => editor.setDiagnostics([broken])));
    // However slow the machine is, the file was opened a moment ago.
    const now = Date.now();
    Date.now = () => now;
    globalThis.page.show('b.css');
    editor.goTo(1, 1);
  });
  await page.keyboard.type('.');
  await page.locator('.cm-lintRange').waitFor();
  await page.keyboard.type('a');
  expect(await textOf(page, 'b.css')).toBe('.a');
});

test('the search panel has two rows in a narrow editor, and its symbols keep their names', async () => {
  const page = await browser.open({ 'a.txt': 'one' });
  const size = page.viewportSize() ?? { width: 800, height: 400 };
  await page.setViewportSize({ ...size, width: 600 });
  await page.keyboard.press('Control+F');
  for (const name of ['Match case', 'Regular expression', 'Whole word'])
    await page.getByRole('checkbox', { name, exact: true }).check();
  for (const name of ['Next', 'Previous'])
    await page.getByRole('button', { name, exact: true }).waitFor();
  const height = await page
    .locator('.cm-search')
    .evaluate((panel) => panel.getBoundingClientRect().height);
  await page.setViewportSize(size);
  // Two rows of 28 px and the space around them.
  expect(height).toBeLessThan(80);
});
