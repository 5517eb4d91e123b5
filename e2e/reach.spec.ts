import { expect, type BrowserContextOptions, type Page } from '@playwright/test';
import { findViolations } from './rig/axe.ts';
import {
  expectQuiet,
  newVisitor,
  startDraft,
  tabTo,
  test,
  type TestUser,
} from './rig/test-user.ts';

interface Screen {
  readonly name: string;
  show(person: TestUser): Promise<unknown>;
}

/** Screens and overlays, starting from a draft. */
const panels: readonly Screen[] = [
  { name: 'the workspace', show: async () => undefined },
  {
    name: 'the palette',
    async show({ page }) {
      await page.keyboard.press('F1');
      await expect(page.getByRole('combobox', { name: 'Command' })).toBeFocused();
    },
  },
  ...['Appearance', 'Keyboard shortcuts'].map((part) => ({
    name: `settings, ${part}`,
    async show({ page }: TestUser) {
      await page.keyboard.press('ControlOrMeta+,');
      await page.getByRole('tab', { name: part, exact: true }).click();
    },
  })),
  {
    name: 'going to a file',
    async show({ page }) {
      await page.keyboard.press('ControlOrMeta+P');
      await expect(page.getByRole('option', { name: 'style.css' })).toBeVisible();
    },
  },
  {
    name: 'the files',
    async show({ page }) {
      await page.getByRole('button', { name: 'Files', exact: true }).click();
      await expect(page.getByRole('treeitem', { name: 'style.css' })).toBeVisible();
    },
  },
  {
    name: 'the search',
    async show({ page }) {
      await page.keyboard.press('ControlOrMeta+Shift+F');
      await page.getByRole('searchbox', { name: 'Search in files' }).fill('button');
      await expect(page.getByRole('region', { name: 'style.css' })).toBeVisible();
    },
  },
  {
    name: 'the menu',
    async show({ page }) {
      await page.getByRole('button', { name: 'Menu', exact: true }).click();
      await expect(page.getByRole('menu')).toBeVisible();
    },
  },
];

/** Controls that are covered, cut off or outside the page. */
function findUnreachable(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wanted =
      'a[href], button, input, select, textarea, [role=tab], [role=treeitem], [role=option], [role=menuitem]';
    const top = document.querySelector('[role=dialog], [role=menu]') ?? document.body;
    const faults: string[] = [];
    for (const element of top.querySelectorAll<HTMLElement>(wanted)) {
      if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      if (element.closest('[inert], [aria-hidden=true]')) continue;
      element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      const { left, top: upper, width, height } = element.getBoundingClientRect();
      // The skip link becomes visible when focused.
      if (width < 2 || height < 2 || element.matches('a[href^="#"]')) continue;
      const name = element.getAttribute('aria-label') ?? element.textContent;
      const seen = document.elementFromPoint(left + width / 2, upper + height / 2);
      const isReached = seen !== null && (element.contains(seen) || seen.contains(element));
      if (!isReached || seen === document.documentElement) faults.push(`${name} is covered`);
      if (left < -1 || left + width > innerWidth + 1) faults.push(`${name} is cut off`);
    }
    if (document.documentElement.scrollWidth > innerWidth) faults.push('scrolls sideways');
    return faults;
  });
}

/** Returns to the draft without overlays. */
async function reopen({ page }: TestUser): Promise<void> {
  await page.reload();
  await expect(page.getByRole('textbox', { name: /^Editor: / }).first()).toBeVisible();
}

const zoomed: BrowserContextOptions = {
  viewport: { width: 720, height: 450 },
  deviceScaleFactor: 2,
  reducedMotion: 'reduce',
};

test(
  'at 200% zoom, nothing is covered, cut off or scrolled horizontally',
  { tag: '@long' },
  async ({ browser, server }) => {
    test.setTimeout(120_000);
    const zoe = await newVisitor(browser, server, zoomed);
    const { page } = zoe;
    const faults: string[] = [];
    const look = async (name: string) => {
      for (const fault of await findUnreachable(page)) faults.push(`${name}: ${fault}`);
      for (const fault of await findViolations(page)) faults.push(`${name}: ${fault}`);
    };
    for (const path of ['/', '/new', '/work', '/auth/sign-up']) {
      await page.goto(server.address + path);
      await expect(page.getByRole('heading').first()).toBeVisible();
      await look(path);
    }
    await startDraft(zoe, server, 'html');
    for (const { name, show } of panels) {
      await reopen(zoe);
      await show(zoe);
      await look(name);
    }
    expect(faults).toEqual([]);
    await reopen(zoe);
    const lines = await zoe.editor('index.html').evaluate((content) => {
      const height = content.closest('.cm-scroller')?.clientHeight ?? 0;
      return height / parseFloat(getComputedStyle(content).lineHeight);
    });
    expect(lines).toBeGreaterThan(8);
    expectQuiet(server, zoe);
  },
);

test('reduced motion disables all animation', async ({ browser, server }) => {
  const mia = await newVisitor(browser, server, { reducedMotion: 'reduce' });
  const { page } = mia;
  await startDraft(mia, server, 'html');
  for (const { show } of panels) {
    await show(mia);
    const moving = await page.evaluate(() =>
      document
        .getAnimations()
        .filter(({ effect }) => Number(effect?.getComputedTiming().activeDuration) > 0)
        .map(({ effect }) => (effect instanceof KeyframeEffect ? effect.target?.className : '')),
    );
    // The caret still blinks, like the system's.
    expect(moving.filter((name) => !name?.includes('cm-cursorLayer'))).toEqual([]);
    await page.keyboard.press('Escape');
  }
  expectQuiet(server, mia);
});

test('in forced colors, selection, state and borders are visible', async ({ browser, server }) => {
  const fay = await newVisitor(browser, server, { forcedColors: 'active' });
  const { page } = fay;
  await startDraft(fay, server, 'html');
  const groundOf = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => getComputedStyle(element).backgroundColor);
  const highlight = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.background = 'Highlight';
    const color = getComputedStyle(probe).backgroundColor;
    probe.remove();
    return color;
  });
  expect(await groundOf('[role=tab][aria-selected=true]')).toBe(highlight);
  expect(await groundOf('[role=tab][aria-selected=false]')).not.toBe(highlight);
  await fay.editor('index.html').click();
  const isCursorOfText = await page
    .locator('.cm-line')
    .first()
    .evaluate((line) => getComputedStyle(line).caretColor === getComputedStyle(line).color);
  expect(isCursorOfText).toBe(true);
  await page.keyboard.press('ControlOrMeta+A');
  await expect.poll(() => groundOf('.cm-selectionBackground')).toBe(highlight);
  await page.keyboard.press('F1');
  await expect(page.getByRole('combobox', { name: 'Command' })).toBeFocused();
  await expect
    .poll(() => groundOf('[role=option][data-highlighted], [role=option][aria-selected=true]'))
    .toBe(highlight);
  const edge = await page
    .getByRole('dialog', { name: 'Commands' })
    .evaluate((dialog) => getComputedStyle(dialog).borderTopWidth);
  expect(edge).toBe('1px');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Save as public' })).toBeVisible();
  expect(await findViolations(page, { within: '[role=dialog]', onlyColors: true })).toEqual([]);
  expectQuiet(server, fay);
});

/* The walk of docs/accessibility.md, step by step. */
test('a screen-reader user starts, opens a file, moves through it and types', async ({
  browser,
  server,
}) => {
  const kim = await newVisitor(browser, server);
  const { page, editor } = kim;
  const { keyboard } = page;
  await page.goto(`${server.address}/new`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await tabTo(page, page.getByRole('button', { name: 'HTML, CSS, JS' }));
  await keyboard.press('Enter');
  await expect(editor('index.html')).toBeVisible();

  // 2: the bar announces the title and save state.
  await expect(page.getByRole('banner')).toMatchAriaSnapshot(`
    - heading "Untitled project" [level=1]
    - status "Save state": Draft (this device only)
    - button "Run"
    - button "Save"
    - button "Share"
  `);

  // 3: to another file, by typing its name.
  await keyboard.press('ControlOrMeta+P');
  const files = page.getByRole('dialog', { name: 'Go to file' });
  await expect(files.getByRole('combobox')).toBeFocused();
  await keyboard.type('scr');
  await expect(files).toMatchAriaSnapshot(`
    - listbox:
      - option "script.js"
  `);
  const chosen = await files.getByRole('combobox').getAttribute('aria-activedescendant');
  await expect(page.locator(`[id="${chosen}"]`)).toHaveAccessibleName('script.js');
  await keyboard.press('Enter');
  await expect(editor('script.js')).toBeFocused();

  // 4: Tab moves the focus, until the user types.
  await keyboard.press('Tab');
  await expect(editor('script.js')).not.toBeFocused();
  await keyboard.press('Shift+Tab');
  await expect(editor('script.js')).toBeFocused();
  await keyboard.press('ControlOrMeta+End');
  await keyboard.type('docu');
  await expect(page.getByRole('listbox', { name: 'Completions' }).first()).toBeVisible();
  await expect(editor('script.js')).toHaveAttribute('aria-activedescendant', /./);
  await keyboard.press('Escape');
  await expect(page.getByText('to leave the editor')).toBeHidden();
  // It runs while typing.
  const complaints = kim.complaints.filter((line) => !/d\w* is not defined/.test(line));
  expectQuiet(server, { ...kim, complaints });
});
