import { expect } from '@playwright/test';
import { findViolations } from '../rig/axe.ts';
import {
  expectQuiet,
  newVisitor,
  rewrite,
  startDraft,
  expectComplaints,
  test,
  type TestUser,
} from '../rig/test-user.ts';

/** Records when a key was pressed, a line marked and an error overlay shown, in page time. */
const watchCards = `(() => {
  window.keys = []; window.marks = []; window.cards = [];
  addEventListener('keydown', () => keys.push(performance.now()), true);
  new MutationObserver(() => {
    if (document.querySelector('.cm-lintRange-error')) marks.push(performance.now());
    const isThere = document.querySelector('[role=alert] pre') !== null;
    if (isThere && !window.wasThere) cards.push(performance.now());
    window.wasThere = isThere;
  }).observe(document.body, { subtree: true, childList: true });
})()`;

test('while typing, the line is marked immediately, and no overlay flashes over the preview', async ({
  browser,
  server,
}) => {
  const ann = await newVisitor(browser, server);
  await startDraft(ann, server, 'html');
  await rewrite(ann, 'script.js', '');
  await ann.page.evaluate(watchCards);
  await ann.editor('script.js').click();
  await ann.page.keyboard.type('const birds = [1, 2;', { delay: 90 });
  await expect(ann.editor('script.js').locator('.cm-lintRange-error')).toBeVisible();
  const card = ann.page.getByRole('alert');
  await expect(card).toContainText('script.js:1');
  await expect(card).toContainText('const birds = [1, 2;');
  const { keys, marks, cards } = await ann.page.evaluate<
    Record<'keys' | 'marks' | 'cards', number[]>
  >('({ keys, marks, cards })');
  expect(cards.length).toBeGreaterThan(0);
  // Nor between two keystrokes, in case the machine pauses there.
  for (const card of cards)
    expect(card - (keys.findLast((key) => key < card) ?? 0)).toBeGreaterThan(750);
  expect(marks[0]).toBeLessThan(cards[0] ?? 0);
  await expect(ann.preview().getByRole('heading', { name: 'Make something' })).toBeVisible();

  await ann.page.keyboard.press('Backspace');
  await ann.page.keyboard.type('];');
  await expect(card).toHaveCount(0);
  // Partial input may have run and failed: "c", "co", …
  const others = ann.complaints.filter((line) => !/uncaught: c\w* is not defined/.test(line));
  ann.complaints.splice(0, Infinity, ...others);
  expectQuiet(server, ann);
});

test('a problem shows its location and has a one-click fix, which undo reverts', async ({
  browser,
  server,
}) => {
  const ann = await newVisitor(browser, server);
  await startDraft(ann, server, 'html');
  await rewrite(ann, 'script.js', `import './styl.css';\nimport './flock.js';\n`);
  const card = ann.page.getByRole('alert');
  await expect(card).toContainText('Can’t find “./styl.css”.');
  expect(await findViolations(ann.page, { within: '[role=alert]' })).toEqual([]);
  await card.getByRole('button', { name: 'Change to ./style.css' }).click();
  await expect(ann.editor('script.js')).toContainText(`import './style.css';`);
  await ann.editor('script.js').press('ControlOrMeta+z');
  await expect(ann.editor('script.js')).toContainText(`import './styl.css';`);
  await ann.editor('script.js').press('ControlOrMeta+Shift+Z');

  await expect(card).toContainText('Can’t find “./flock.js”');
  await card.getByRole('button', { name: 'Go to line' }).click();
  await expect(ann.editor('script.js')).toBeFocused();
  await card.getByRole('button', { name: 'Create flock.js' }).click();
  await expect(ann.page.getByRole('tab', { name: 'flock.js' })).toBeVisible();
  await expect(ann.editor('flock.js')).toBeFocused();
  await expect(card).toHaveCount(0);
  expectQuiet(server, ann);
});

async function addFile(person: TestUser, path: string, text: string): Promise<void> {
  const { page } = person;
  await page.getByRole('button', { name: 'New file' }).first().click();
  await page.getByRole('textbox', { name: 'New file name' }).fill(path);
  await page.keyboard.press('Enter');
  await expect(person.editor(path)).toBeVisible();
  await rewrite(person, path, text);
}

/** A mistake of each kind with a quick fix: the text, the fix, and the result. */
const presses = [
  {
    kind: 'a mistyped name',
    file: 'script.js',
    text: 'const counter = 1;\ndocument.title = conuter;',
    press: 'Change to counter',
    mended: 'document.title = counter;',
  },
  {
    kind: 'a mistyped method',
    file: 'script.js',
    text: "document.getElementByID('a');",
    press: 'Change to getElementById',
    mended: "document.getElementById('a');",
  },
  {
    kind: 'a mistyped export',
    file: 'script.js',
    text: "import { brid } from './birds.js';\nbird();",
    press: 'Change to bird',
    mended: "import { bird } from './birds.js';",
  },
  {
    kind: 'braces around a default export',
    file: 'script.js',
    text: "import { nest } from './nest.js';\nnest();",
    press: 'Change to nest',
    mended: "import nest from './nest.js';",
  },
  {
    kind: 'no braces around a named export',
    file: 'script.js',
    text: "import bird from './birds.js';\nbird();",
    press: 'Change to import { bird }',
    mended: "import { bird } from './birds.js';",
  },
  {
    kind: 'a request for a file that is not there',
    file: 'script.js',
    text: "await fetch('brids.js');",
    press: 'Change to birds.js',
    mended: "await fetch('birds.js');",
  },
  {
    kind: 'a picture that is not there',
    file: 'index.html',
    text: '<!doctype html><title>Birds</title><img src="brid.svg" alt="">',
    press: 'Change to bird.svg',
    mended: '<img src="bird.svg" alt="">',
  },
  {
    kind: 'a script that is not there',
    file: 'index.html',
    text: '<!doctype html><title>Birds</title><script src="later.js"></script>',
    press: 'Create later.js',
    mended: '<script src="later.js"></script>',
  },
];

test(
  'every kind of quick fix is offered in Problems, and leaves no problem',
  { tag: '@long' },
  async ({ browser, server }) => {
    const ann = await newVisitor(browser, server);
    await startDraft(ann, server, 'html');
    await rewrite(
      ann,
      'index.html',
      '<!doctype html><title>B</title><script type="module" src="script.js"></script>',
    );
    for (const [path, text] of [
      ['birds.js', 'export const bird = () => {};'],
      ['nest.js', 'export default () => {};'],
      ['bird.svg', '<svg xmlns="http://www.w3.org/2000/svg" />'],
    ] as const)
      await addFile(ann, path, text);
    await ann.page.getByRole('tab', { name: 'Problems' }).click();
    const problems = ann.page.getByRole('list', { name: 'Problems' });
    for (const { kind, file, text, press, mended } of presses)
      await test.step(kind, async () => {
        await rewrite(ann, file, text);
        await problems.getByRole('button', { name: press }).click();
        if (press === 'Create later.js') await expect(ann.editor('later.js')).toBeFocused();
        await ann.page.getByRole('tab', { name: file, exact: true }).click();
        await expect(ann.editor(file)).toContainText(mended);
        await expect(problems.getByRole('button')).toHaveCount(0);
      });
    ann.complaints.length = 0;
  },
);

test('an error overlay is dismissed with Escape, and found again with F8', async ({
  browser,
  server,
}) => {
  const ann = await newVisitor(browser, server);
  await startDraft(ann, server, 'html');
  await rewrite(ann, 'script.js', `import './flock.js';\n`);
  const card = ann.page.getByRole('alert');
  await expect(card).toBeVisible();
  await card.getByRole('button', { name: 'Go to line' }).focus();
  await ann.page.keyboard.press('Escape');
  await expect(card).toHaveCount(0);
  await ann.page.getByRole('tab', { name: 'index.html' }).click();
  await ann.page.getByRole('tab', { name: 'Problems' }).click();
  await ann.page.keyboard.press('F8');
  await expect(ann.editor('script.js')).toBeFocused();
  expectQuiet(server, ann);
});

test(
  'without the module for error messages, the browser’s are shown, and the console works',
  { tag: '@long' },
  async ({ browser, server }) => {
    const ann = await newVisitor(browser, server);
    await ann.context.route(/describe-runtime/, (route) => route.abort());
    await startDraft(ann, server, 'html');
    await rewrite(ann, 'script.js', `console.log('before');\nmissing();`);
    const card = ann.page.getByRole('alert');
    await expect(card).toContainText('ReferenceError: missing is not defined');
    await expect(card).toContainText('script.js:2');
    await rewrite(ann, 'script.js', `console.log('after');`);
    await ann.page.getByRole('tab', { name: 'Console' }).click();
    await expect(ann.page.getByRole('log', { name: 'Console' })).toContainText('after');
    await expectComplaints(ann, /describe-runtime|ERR_FAILED/, /missing is not defined/);
    expectQuiet(server, ann);
  },
);

test('an error in a test file is listed in Problems and doesn’t cover the result', async ({
  browser,
  server,
}) => {
  const ann = await newVisitor(browser, server);
  await startDraft(ann, server, 'html');
  await addFile(ann, 'script.test.js', `import { bird } from './bird.js';`);
  await ann.page.getByRole('tab', { name: 'Problems' }).click();
  const problems = ann.page.getByRole('list', { name: 'Problems' });
  await expect(problems).toContainText('Can’t find “./bird.js”');
  // A later error of the page itself has its overlay.
  await rewrite(ann, 'script.js', `import './flock.js';`);
  const card = ann.page.getByRole('alert');
  await expect(card).toContainText('Can’t find “./flock.js”');
  await rewrite(ann, 'script.js', 'export {};');
  await expect(card).toHaveCount(0);
  await expect(problems).toContainText('Can’t find “./bird.js”');
  expectQuiet(server, ann);
});

test('an overlay says that an earlier version is shown only if there is one', async ({
  browser,
  server,
}) => {
  const ann = await newVisitor(browser, server);
  await startDraft(ann, server, 'html');
  const card = ann.page.getByRole('alert');
  const earlier = 'Showing the last version without a syntax error.';
  await rewrite(ann, 'script.js', 'const = 1;');
  await expect(card).toContainText(earlier);
  await expect(ann.saveState()).toHaveText('Draft (this device only)');
  await ann.page.reload();
  await expect(card).toContainText('script.js:1');
  await expect(card).not.toContainText(earlier);
  ann.complaints.length = 0;
});
