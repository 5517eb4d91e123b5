import { expect, type Locator, type Page } from '@playwright/test';
import { findViolations } from '../rig/axe.ts';
import {
  expectQuiet,
  newSignedInUser,
  newVisitor,
  rewrite,
  signIn,
  startDraft,
  tabTo,
  test,
  type TestUser,
} from '../rig/test-user.ts';

let ann: TestUser;

/** Opens a draft of plain files with its stylesheet. */
test.beforeEach(async ({ browser, sharedServer }) => {
  ann = await newVisitor(browser, sharedServer);
  await startDraft(ann, sharedServer, 'html');
  await showStyles(ann);
});
test.afterEach(({ server }) => expectQuiet(server, ann));

const palette = ({ page }: TestUser) => page.getByRole('dialog', { name: 'Commands' });
const command = ({ page }: TestUser) => page.getByRole('combobox', { name: 'Command' });
const options = (person: TestUser) => palette(person).getByRole('option');
const settings = ({ page }: TestUser) => page.getByRole('dialog', { name: 'Settings' });
const textOf = (editor: Locator) =>
  editor.evaluate((element) =>
    Array.from(element.querySelectorAll('.cm-line'), (line) => line.textContent).join('\n'),
  );

/** Waits for the editor, also after a reload, so that keys reach it. */
async function showStyles({ page, editor }: TestUser): Promise<void> {
  await page.getByRole('tab', { name: 'style.css', exact: true }).click();
  await expect(editor('style.css')).toBeVisible();
}

async function openPalette(person: TestUser, words = ''): Promise<void> {
  await person.page.keyboard.press('ControlOrMeta+K');
  await expect(command(person)).toBeFocused();
  await person.page.keyboard.type(words);
}

async function choose(person: TestUser, name: string): Promise<void> {
  await openPalette(person, name);
  await expect(options(person).first()).toContainText(name);
  await person.page.keyboard.press('Enter');
  await expect(palette(person)).toBeHidden();
}

async function openSettings(person: TestUser, part?: string): Promise<Locator> {
  await person.page.keyboard.press('ControlOrMeta+,');
  const dialog = settings(person);
  await expect(dialog).toBeVisible();
  if (part !== undefined) await dialog.getByRole('tab', { name: part }).click();
  return dialog;
}

async function closeSettings(person: TestUser): Promise<void> {
  await person.page.keyboard.press('Escape');
  await expect(settings(person)).toBeHidden();
}

async function select(page: Page, dialog: Locator, field: string, option: string): Promise<void> {
  await dialog.getByRole('combobox', { name: field }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

test('the palette runs a command in the editor, and lists it first the next time', async () => {
  await rewrite(ann, 'style.css', 'let b;\nlet a;');
  await openPalette(ann, 'srt asc');
  await expect(options(ann).first()).toHaveText('Sort lines, ascending');
  await ann.page.keyboard.press('Enter');
  await expect(palette(ann)).toBeHidden();
  await expect.poll(() => textOf(ann.editor('style.css'))).toBe('let a;\nlet b;');
  await expect(ann.editor('style.css')).toBeFocused();
  await openPalette(ann);
  await expect(options(ann).first()).toHaveText('Sort lines, ascending');
  await expect(options(ann).filter({ hasText: 'Delete line' })).toContainText('Ctrl+Shift+K');
  // The list is scrolled to the selected command.
  await expect(options(ann).filter({ hasText: 'Show all commands' })).toHaveCount(0);
  await ann.page.keyboard.press('Escape');
  await expect(ann.editor('style.css')).toBeFocused();
});

test('the palette opens with F1 and from the menu, and shows when nothing matches', async () => {
  await ann.page.keyboard.press('F1');
  await expect(command(ann)).toBeFocused();
  await ann.page.keyboard.type('qqqqqq');
  await expect(palette(ann)).toContainText('No matching commands');
  await ann.page.keyboard.press('Escape');
  await ann.page.keyboard.press('F1');
  await expect(command(ann)).toBeFocused();
  await expect(command(ann)).toHaveValue('');
  await ann.page.keyboard.press('Escape');
  await ann.page.getByRole('button', { name: 'Menu' }).click();
  await ann.page.getByRole('menuitem', { name: 'Commands' }).click();
  await expect(command(ann)).toBeFocused();
  await ann.page.keyboard.press('Escape');
});

test('keys pressed while the palette or Go to file opens are typed there', async ({
  browser,
  sharedServer,
}) => {
  const ben = await newVisitor(browser, sharedServer);
  const { page } = ben;
  const isTyped = Promise.withResolvers<undefined>();
  await page.route(/\/(?:command-palette|go-to-file)-[^/]*\.js$/, async (route) => {
    await isTyped.promise;
    await route.continue();
  });
  await startDraft(ben, sharedServer, 'html');
  const code = await textOf(ben.editor('index.html'));
  await ben.editor('index.html').press('F1');
  await page.keyboard.type('theme');
  isTyped.resolve(undefined);
  await expect(command(ben)).toHaveValue('theme');
  await page.keyboard.press('Escape');
  await expect(ben.editor('index.html')).toBeFocused();
  await page.keyboard.press('ControlOrMeta+P');
  await page.keyboard.type('style');
  await expect(page.getByRole('combobox', { name: 'File', exact: true })).toHaveValue('style');
  await page.keyboard.press('Escape');
  expect(await textOf(ben.editor('index.html'))).toBe(code);
});

test('a command that shows a panel focuses it', async () => {
  const { page } = ann;
  await ann.editor('style.css').click();
  await page.keyboard.press('ControlOrMeta+Shift+M');
  await expect(page.getByRole('tab', { name: 'Problems' })).toBeFocused();
  await page.getByRole('button', { name: 'Close panel' }).click();
  await choose(ann, 'Show files');
  await expect(page.getByRole('treeitem', { name: 'style.css' })).toBeFocused();
  await page.keyboard.press('ControlOrMeta+B');
});

test('workspace shortcuts work inside and outside the editor', async () => {
  const { page } = ann;
  const files = page.getByRole('tree', { name: 'Files' });
  await ann.editor('style.css').click();
  await page.keyboard.press('ControlOrMeta+B');
  await expect(files).toBeVisible();
  await page.keyboard.press('ControlOrMeta+B');
  await expect(files).toBeHidden();
  await page.keyboard.press('Alt+1');
  await expect(page.getByRole('tab', { name: 'index.html' })).toHaveAttribute(
    'aria-selected',
    'true',
  );
  await page.keyboard.press('Control+Backquote');
  await expect(page.getByRole('textbox', { name: 'Console input' })).toBeFocused();
  await page.keyboard.press('Control+Backquote');
  await expect(page.getByRole('log', { name: 'Console' })).toBeHidden();
  await page.keyboard.press('ControlOrMeta+J');
  await expect(page.locator('iframe[title="Result"]')).toBeHidden();
  await page.keyboard.press('ControlOrMeta+J');
  await expect(page.locator('iframe[title="Result"]')).toBeVisible();
  await page.getByRole('tab', { name: 'index.html' }).focus();
  await page.keyboard.press('?');
  await expect(settings(ann).getByRole('tab', { name: 'Keyboard shortcuts' })).toHaveAttribute(
    'aria-selected',
    'true',
  );
  await closeSettings(ann);
});

test('a changed shortcut works immediately and after a reload, and shows its conflict', async () => {
  const { page } = ann;
  const dialog = await openSettings(ann, 'Keyboard shortcuts');
  await dialog.getByRole('searchbox', { name: 'Find a command' }).fill('Join lines');
  await dialog.getByRole('button', { name: 'Change shortcut for Join lines' }).click();
  const field = dialog.getByRole('textbox', { name: 'Shortcut for Join lines' });
  await field.press('Control+Alt+J');
  await expect(dialog).toContainText('types a character on some keyboards');
  await field.press('x');
  await expect(dialog).toContainText('Include Ctrl or Alt.');
  await field.press('ControlOrMeta+D');
  const row = dialog.getByRole('listitem', { name: 'Join lines' });
  await expect(row).toContainText('Ctrl+D');
  await expect(row.getByRole('button', { name: 'Change shortcut for Join lines' })).toBeFocused();
  await dialog.getByRole('searchbox', { name: 'Find a command' }).fill('Add next occurrence');
  await expect(
    dialog.getByRole('listitem', { name: 'Add next occurrence to selection' }),
  ).toContainText('Ctrl+D now runs “Join lines”');
  await closeSettings(ann);

  await rewrite(ann, 'style.css', 'one();\ntwo();');
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.press('ControlOrMeta+D');
  await expect.poll(() => textOf(ann.editor('style.css'))).toBe('one(); two();');
  await expect(ann.saveState()).toHaveText('Draft (this device only)');
  await page.reload();
  await showStyles(ann);
  await ann.editor('style.css').click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('1\n2');
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.press('ControlOrMeta+D');
  await expect.poll(() => textOf(ann.editor('style.css'))).toBe('1 2');

  await openSettings(ann, 'Keyboard shortcuts');
  await dialog.getByRole('searchbox', { name: 'Find a command' }).fill('Join lines');
  await dialog.getByRole('button', { name: 'Reset shortcut for Join lines' }).click();
  await expect(row).not.toContainText('Ctrl+D');
  await expect(row.getByRole('button', { name: 'Change shortcut for Join lines' })).toBeFocused();
  await closeSettings(ann);
});

test('editor appearance changes immediately, and is rendered with the page next time', async () => {
  const { page } = ann;
  const dialog = await openSettings(ann, 'Appearance');
  await dialog.getByRole('spinbutton', { name: 'Font size' }).fill('18');
  await select(page, dialog, 'Editor theme', 'Dracula');
  await select(page, dialog, 'Line height', 'Loose');
  await dialog.getByRole('checkbox', { name: 'Font ligatures' }).check();
  const look = () =>
    page.locator('.cm-content').evaluate((element) => {
      const { fontSize, lineHeight, fontVariantLigatures } = getComputedStyle(element);
      const scroller = element.closest('.cm-editor') ?? element;
      return [
        fontSize,
        lineHeight,
        fontVariantLigatures,
        getComputedStyle(scroller).backgroundColor,
      ];
    });
  const dracula = ['18px', '33px', 'normal', 'oklch(0.29 0.022 278)'];
  await expect.poll(look).toEqual(dracula);
  await closeSettings(ann);
  await page.reload();
  await showStyles(ann);
  await expect.poll(look).toEqual(dracula);
  await openSettings(ann, 'Appearance');
  await dialog.getByRole('spinbutton', { name: 'Font size' }).fill('4');
  await expect(dialog).toContainText('Enter a size from 10 to 32.');
  await dialog.getByRole('spinbutton', { name: 'Font size' }).fill('13');
  await select(page, dialog, 'Editor theme', 'Vitrine (light or dark)');
  await select(page, dialog, 'Line height', 'Regular');
  await dialog.getByRole('checkbox', { name: 'Font ligatures' }).uncheck();
  await expect.poll(look).toEqual(['13px', '20px', 'none', 'oklch(1 0 0)']);
  await closeSettings(ann);
});

test('high contrast applies immediately and after a reload', async () => {
  const { page } = ann;
  const ink = () => page.evaluate(() => getComputedStyle(document.body).color);
  const before = await ink();
  const dialog = await openSettings(ann, 'Appearance');
  await select(page, dialog, 'Contrast', 'High');
  await expect.poll(ink).not.toBe(before);
  const more = await ink();
  await page.reload();
  expect(await ink()).toBe(more);
  await showStyles(ann);
  await openSettings(ann, 'Appearance');
  await select(page, dialog, 'Contrast', 'System');
  await expect.poll(ink).toBe(before);
  await closeSettings(ann);
  await page.emulateMedia({ contrast: 'more' });
  await expect.poll(ink).toBe(more);
  await page.emulateMedia({ contrast: null });
});

test('Vim and Emacs keybindings load when chosen, and work under the page’s CSP', async () => {
  const { page } = ann;
  await rewrite(ann, 'style.css', 'one two');
  const dialog = await openSettings(ann);
  await select(page, dialog, 'Keymap', 'Vim');
  await closeSettings(ann);
  await ann.editor('style.css').click();
  await expect(page.locator('.cm-vim-panel')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.type('0dwix');
  await page.keyboard.press('Escape');
  await expect.poll(() => textOf(ann.editor('style.css'))).toBe('xtwo');
  await page.keyboard.type('/two');
  await page.keyboard.press('Enter');
  await page.keyboard.type(':s/two/2');
  await page.keyboard.press('Enter');
  await expect.poll(() => textOf(ann.editor('style.css'))).toBe('x2');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await expect(ann.editor('style.css')).not.toBeFocused();

  await openSettings(ann);
  await select(page, dialog, 'Keymap', 'Emacs');
  await closeSettings(ann);
  await ann.editor('style.css').click();
  await expect(page.locator('.cm-emacsMode')).toBeVisible();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+k');
  await expect.poll(() => textOf(ann.editor('style.css'))).toBe('');
  await page.keyboard.press('Control+y');
  await expect.poll(() => textOf(ann.editor('style.css'))).toBe('x2');
  await page.keyboard.type(' b c b');
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+s');
  await page.keyboard.type('b');
  await page.keyboard.press('Control+s');
  await page.keyboard.press('Control+s');
  await page.keyboard.press('Control+g');
  await page.keyboard.type('0');
  await page.keyboard.press('Control+s');
  await page.keyboard.press('Enter');
  await page.keyboard.type('1');
  await expect.poll(() => textOf(ann.editor('style.css'))).toBe('0x2 b1 c b');

  await openSettings(ann);
  await select(page, dialog, 'Keymap', 'VS Code');
  await closeSettings(ann);
});

test('folded code stays folded after a reload', async () => {
  const { page } = ann;
  await rewrite(ann, 'style.css', '.f {\n  color: red;\n  top: 0;\n}\na {}');
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.press('Control+Shift+BracketLeft');
  await expect(ann.editor('style.css')).not.toContainText('top: 0;');
  await expect(ann.saveState()).toHaveText('Draft (this device only)');
  await page.reload();
  await showStyles(ann);
  await expect(ann.editor('style.css')).toContainText('.f {');
  await expect(ann.editor('style.css')).not.toContainText('top: 0;');
  await choose(ann, 'Unfold all');
  await expect(ann.editor('style.css')).toContainText('top: 0;');
});

test(
  'settings sync to another device of the user',
  { tag: '@long' },
  async ({ browser, server }) => {
    const ida = await newSignedInUser(browser, server, 'ida');
    await startDraft(ida, server, 'html');
    const dialog = await openSettings(ida);
    const saved = ida.page.waitForResponse(
      (response) =>
        response.url().includes('/rest/v1/preferences') && response.request().method() === 'POST',
    );
    await select(ida.page, dialog, 'Indentation', '4 spaces');
    expect((await saved).ok()).toBe(true);

    const elsewhere = await newVisitor(browser, server);
    await signIn(elsewhere, server, { name: 'ida' });
    await startDraft(elsewhere, server, 'html');
    await rewrite(elsewhere, 'style.css', '');
    await expect
      .poll(async () => {
        await elsewhere.page.keyboard.press('ControlOrMeta+A');
        await elsewhere.page.keyboard.type('a {\nb');
        return textOf(elsewhere.editor('style.css'));
      })
      .toContain('\n    b');
    expectQuiet(server, ida, elsewhere);
  },
);

for (const colorScheme of ['light', 'dark'] as const) {
  test(`palette and settings are accessible, ${colorScheme}`, async () => {
    const { page } = ann;
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await openPalette(ann);
    expect(await findViolations(page, { within: '[role=dialog]' })).toEqual([]);
    await page.keyboard.press('Escape');
    const dialog = await openSettings(ann);
    for (const part of ['Editor', 'Appearance', 'Projects', 'Keyboard shortcuts']) {
      await dialog.getByRole('tab', { name: part }).click();
      expect(await findViolations(page, { within: '[role=dialog]' })).toEqual([]);
    }
    await closeSettings(ann);
    await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  });
}

test('all settings can be changed with only the keyboard', async () => {
  const { page } = ann;
  const dialog = await openSettings(ann);
  await tabTo(page, dialog.getByRole('checkbox', { name: 'Word wrap' }));
  await page.keyboard.press('Space');
  await closeSettings(ann);
  const content = ann.editor('style.css');
  await expect(content).toHaveClass(/cm-lineWrapping/);
  await content.click();
  await page.keyboard.press('Alt+Z');
  await expect(content).not.toHaveClass(/cm-lineWrapping/);
});

test('outside a project, the palette offers pages, drafts and themes', async ({
  browser,
  server,
}) => {
  const eve = await newVisitor(browser, server);
  const { page } = eve;
  await startDraft(eve, server, 'html');
  const draft = page.url();
  await page.goto(server.address);
  await expect(page.getByRole('link', { name: 'New project' })).toBeVisible();
  await openPalette(eve, 'your work');
  await expect(options(eve).first()).toHaveText('Your work');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${server.address}/work`);
  await expect(palette(eve)).toBeHidden();
  // Keeps the focus, also when the page behind it changes.
  await openPalette(eve);
  await page.goBack();
  const heading = page.getByRole('heading', { level: 1, includeHidden: true });
  await expect(heading).not.toHaveText('Your work');
  await expect(command(eve)).toBeFocused();
  await page.keyboard.press('Escape');
  await choose(eve, 'Theme: Dark');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await openPalette(eve, 'sign');
  await expect(options(eve)).toHaveText(['Sign in']);
  await page.keyboard.press('Escape');
  await expect(palette(eve)).toBeHidden();
  await openPalette(eve, 'open draft');
  await page.keyboard.press('Enter');
  await page.waitForURL(draft);
  await expect(palette(eve)).toBeHidden();
  await showStyles(eve);
  // The workspace has its own palette.
  await openPalette(eve, 'run');
  await expect(options(eve).first()).toContainText('Run');
  expectQuiet(server, eve);
});

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

test('on a phone, the key bar moves the cursor, undoes and types, and completions are chosen by touch', async ({
  browser,
  server,
}) => {
  const bob = await newVisitor(browser, server, phone);
  await startDraft(bob, server, 'html');
  const { page } = bob;
  await page.getByRole('tab', { name: 'style.css' }).tap();
  const editor = bob.editor('style.css');
  await editor.tap();
  expect(await editor.evaluate((element) => getComputedStyle(element).fontSize)).toBe('16px');
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText('a');
  const bar = page.getByRole('toolbar', { name: 'Editing keys' });
  await bar.getByRole('button', { name: '{', exact: true }).tap();
  await bar.getByRole('button', { name: 'Move cursor left' }).tap();
  await bar.getByRole('button', { name: '#' }).tap();
  await expect.poll(() => textOf(editor)).toMatch(/^a#\{/);
  await bar.getByRole('button', { name: 'Undo' }).tap();
  await expect.poll(() => textOf(editor)).toMatch(/^a\{/);
  await expect(editor).toBeFocused();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('a { text-decor');
  const option = page.getByRole('option', { name: /^text-decoration/ }).first();
  await expect(option).toBeVisible();
  // Replaced while completions load.
  const heightOfOption = async () => (await option.boundingBox())?.height ?? 0;
  await expect.poll(heightOfOption).toBeGreaterThanOrEqual(44);
  await option.tap();
  await expect.poll(() => textOf(editor)).toContain('text-decoration');
  expectQuiet(server, bob);
});

test('on a phone, the palette lists no layouts, and toggles the preview', async ({
  browser,
  server,
}) => {
  const bob = await newVisitor(browser, server, phone);
  await startDraft(bob, server, 'html');
  const { page } = bob;
  const openPalette = async () => {
    await page.getByRole('button', { name: 'Menu' }).tap();
    await page.getByRole('menuitem', { name: 'Commands' }).tap();
  };
  await openPalette();
  const field = palette(bob).getByRole('combobox', { name: 'Command' });
  await field.fill('layout');
  await expect(palette(bob)).toContainText('No matching commands');
  await field.fill('toggle result');
  const option = palette(bob).getByRole('option', { name: 'Toggle result' });
  await option.tap();
  await expect(page.getByRole('tab', { name: 'Result' })).toHaveAttribute('aria-selected', 'true');
  await openPalette();
  await option.tap();
  await expect(page.getByRole('tab', { name: 'Code' })).toHaveAttribute('aria-selected', 'true');
  expectQuiet(server, bob);
});

test('undo and redo continue after a reload', async () => {
  const { page } = ann;
  await rewrite(ann, 'style.css', 'a {}');
  await page.keyboard.press('Enter');
  await page.keyboard.type('b');
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('Delete');
  const code = () => textOf(ann.editor('style.css'));
  await expect.poll(code).toBe('');
  await expect(ann.saveState()).toHaveText('Draft (this device only)');
  await page.reload();
  await showStyles(ann);
  await ann.editor('style.css').click();
  await page.keyboard.press('ControlOrMeta+Z');
  await expect.poll(code).toBe('a {}\nb');
  await page.keyboard.press('ControlOrMeta+Z');
  await expect.poll(code).toBe('a {}\n');
  await page.keyboard.press('ControlOrMeta+Shift+Z');
  await page.keyboard.press('ControlOrMeta+Shift+Z');
  await expect.poll(code).toBe('');
});
