import { expect, type Locator, type Page } from '@playwright/test';
import {
  expectQuiet,
  newSignedInUser,
  newVisitor,
  rewrite,
  saveDraft,
  startDraft,
  test,
  type TestUser,
} from '../rig/test-user.ts';
import { withEmptyLog, type TestServer } from '@vitrine/testing/server';

let server: TestServer;
let ann: TestUser;
let page: Page;

/** Opens a draft in React and TypeScript. The registry is unreachable. */
test.beforeEach(async ({ browser, sharedServer }) => {
  server = withEmptyLog(sharedServer);
  ann = await newVisitor(browser, server);
  page = ann.page;
  await startDraft(ann, server, 'react');
  await add('box.ts', boxes);
});

const boxes = `/** How much a box holds. */
export function volume(width: number, height: number, depth = 1): number {
  return width * height * depth;
}
`;
const app = `import { useState } from 'react';
import { volume } from './box';

export function App() {
  const [count] = useState(1);
  const size = volume(count, 2);
  return <p>{size}</p>;
}
`;

const option = (name: string | RegExp) => page.getByRole('option', { name }).first();
const codeOf = (path: string) =>
  ann
    .editor(path)
    .evaluate((node) =>
      [...node.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'),
    );
const problems = () => page.getByRole('list', { name: 'Problems' }).getByRole('listitem');

async function add(path: string, text: string): Promise<void> {
  await page.getByRole('button', { name: 'New file' }).first().click();
  await page.getByRole('textbox', { name: 'New file name' }).fill(path);
  await page.keyboard.press('Enter');
  await expect(ann.editor(path)).toBeVisible();
  await rewrite(ann, path, text);
}

/** Moves the pointer over a word until its hover is shown: the services load a moment later. */
async function hoverUntil(word: Locator, description: Locator, text: string): Promise<void> {
  await expect(async () => {
    await word.page().mouse.move(0, 0);
    await word.hover();
    await expect(description).toContainText(text, { timeout: 2_000 });
  }).toPass({ timeout: 20_000 });
}

/** Moves the cursor into a word of the open file by searching. */
async function goInto(path: string, text: string): Promise<void> {
  await ann.editor(path).getByText(text, { exact: true }).first().click();
}

test('completes with types of packages, and adds their imports', { tag: '@journey' }, async () => {
  await rewrite(
    ann,
    'App.tsx',
    `import { useState } from 'react';\n\nexport function App() {\n  return <p>1</p>;\n}\n\nuseR`,
  );
  await page.keyboard.type('ed');
  await expect(option(/^useReducer/)).toBeVisible({ timeout: 20_000 });
  await expect(page.locator('.cm-completionInfo')).toContainText('function useReducer');
  await expect(ann.editor('App.tsx')).toHaveAttribute('aria-activedescendant', /./);
  await page.keyboard.press('Enter');
  await expect
    .poll(() => codeOf('App.tsx'))
    .toContain(`import { useReducer, useState } from 'react';`);
  // The name and its import are one undo step.
  await page.keyboard.press('ControlOrMeta+Z');
  await expect.poll(() => codeOf('App.tsx')).not.toContain('useReducer');
});

test('completes exports of another file, and shows signature help', async () => {
  await rewrite(ann, 'App.tsx', `export function App() {\n  return <p>1</p>;\n}\n\nvolu`);
  await page.keyboard.type('m');
  await option(/^volume/).click();
  await expect.poll(() => codeOf('App.tsx')).toContain(`from './box'`);
  await page.keyboard.press('End');
  await page.keyboard.type('(1, ');
  await expect(page.locator('.cm-signature strong')).toHaveText('height: number');
  await page.keyboard.type('2)');
  await expect(page.locator('.cm-signature')).toHaveCount(0);
});

test('keeps the completion details stable while typing the word', async () => {
  const told = page.locator('.cm-completionInfo');
  const signature = page.locator('.cm-signature');
  await rewrite(ann, 'App.tsx', `import { volume } from './box';\n\nvolume(1`);
  await page.keyboard.type(', ');
  await expect(signature).toBeVisible();
  await signature.evaluate((node) => node.setAttribute('data-stands', ''));
  await page.keyboard.type('vol', { delay: 150 });
  await expect(told).toContainText('function volume');
  await page.evaluate(() => {
    const look = () => {
      if (!document.querySelector('.cm-completionInfo')) document.body.dataset['vanished'] = '';
      requestAnimationFrame(look);
    };
    look();
  });
  await page.keyboard.type('um');
  await expect(page.locator('.cm-completionMatchedText').first()).toHaveText('volum');
  await expect(told).toContainText('function volume');
  await expect(signature).toHaveAttribute('data-stands');
  await expect(page.locator('body')).not.toHaveAttribute('data-vanished');
  await page.keyboard.press('Escape');
});

test('lists a type error once in Problems, and fixes it', async () => {
  await rewrite(ann, 'App.tsx', app.replace('volume(count, 2)', `volume('x', 2).toFixe()`));
  await page.getByRole('tab', { name: 'Problems' }).click();
  const typed = problems().filter({ hasText: `not assignable to parameter of type 'number'` });
  await expect(typed).toHaveCount(1);
  // The preview reports it already, so the type error isn't shown.
  await expect(problems().filter({ hasText: 'toFixe' })).toHaveCount(1);
  await typed.getByRole('button').click();
  await expect(ann.editor('App.tsx')).toBeFocused();
  await goInto('App.tsx', 'toFixe');
  await page.keyboard.press('ControlOrMeta+.');
  const fixes = page.getByRole('listbox', { name: 'Quick fixes' });
  await expect(fixes).toBeFocused();
  await page.keyboard.press('Enter');
  await expect.poll(() => codeOf('App.tsx')).toContain('.toFixed()');
  await expect(ann.editor('App.tsx')).toBeFocused();
  await rewrite(ann, 'App.tsx', app);
  await expect(problems()).toHaveCount(0);
});

test('goes to the definition in another file and in a package', async () => {
  await rewrite(ann, 'App.tsx', app);
  await goInto('App.tsx', 'volume');
  await page.keyboard.press('F12');
  await expect(ann.editor('box.ts')).toBeFocused();
  await page.getByRole('tab', { name: 'App.tsx', exact: true }).click();
  await ann
    .editor('App.tsx')
    .getByText('useState', { exact: true })
    .last()
    .click({ modifiers: ['ControlOrMeta'] });
  const declarations = page.getByRole('tab', { name: '@types/react/index.d.ts', exact: true });
  const text = ann.editor('node_modules/@types/react/index.d.ts');
  await expect(declarations).toHaveAttribute('aria-selected', 'true');
  await expect(text).toBeFocused();
  await expect(text).toHaveAttribute('aria-readonly', 'true');
  await expect(text).toContainText('function useState<S>');
  await page.keyboard.type('nothing');
  await expect(text).not.toContainText('nothing');

  // A definition within the declarations.
  await text.getByText('Dispatch', { exact: true }).first().click();
  await page.keyboard.press('F12');
  await expect(text.locator('.cm-activeLine')).toContainText('type Dispatch<A>');

  // Package types load again after a reload.
  await expect(ann.saveState()).toHaveText(/^Draft/);
  await page.reload();
  await expect(declarations).toHaveAttribute('aria-selected', 'true');
  await expect(text).toContainText('React', { timeout: 20_000 });
  await page.getByRole('tab', { name: 'App.tsx', exact: true }).click();
  await expect(ann.editor('App.tsx')).toBeFocused();
  await page.keyboard.type('// edited ');
  await expect.poll(() => codeOf('App.tsx')).toContain('// edited ');
  await declarations.click();
  await expect(text).toBeFocused();
  await declarations.press('Delete');
  await expect(declarations).toHaveCount(0);
});

test('finds references, and renames them everywhere as one undo step', async () => {
  await rewrite(ann, 'App.tsx', app);
  await goInto('App.tsx', 'volume');
  await page.keyboard.press('Shift+F12');
  const uses = page.getByRole('listbox', { name: '3 references' });
  await expect(uses).toBeFocused();
  await expect(uses.getByRole('option', { name: /^box\.ts:2 / })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(ann.editor('App.tsx')).toBeFocused();
  await page.keyboard.press('F2');
  const name = page.getByRole('textbox', { name: 'Rename volume to' });
  await expect(name).toBeFocused();
  await name.fill('capacity');
  await page.keyboard.press('Enter');
  await expect.poll(() => codeOf('App.tsx')).toContain('const size = capacity(count, 2)');
  // The hover covers the tabs until the pointer leaves.
  await page.mouse.move(0, 0);
  await page.getByRole('tab', { name: 'box.ts', exact: true }).click();
  await expect.poll(() => codeOf('box.ts')).toContain('function capacity(');
  await ann.editor('box.ts').click();
  await page.keyboard.press('ControlOrMeta+Z');
  await expect.poll(() => codeOf('box.ts')).toBe(boxes);
  await page.getByRole('tab', { name: 'App.tsx', exact: true }).click();
  await expect.poll(() => codeOf('App.tsx')).toBe(app);
  await ann.editor('App.tsx').click();
  await page.keyboard.press('ControlOrMeta+Shift+Z');
  await expect.poll(() => codeOf('App.tsx')).toContain('capacity(count, 2)');
  await page.keyboard.press('ControlOrMeta+Z');
  await expect.poll(() => codeOf('App.tsx')).toBe(app);
});

test('shows a hover under the pointer, and at the cursor', async () => {
  await rewrite(ann, 'App.tsx', app);
  const word = ann.editor('App.tsx').getByText('volume', { exact: true }).last();
  await hoverUntil(word, page.locator('.cm-described'), 'How much a box holds.');
  await page.mouse.move(0, 0);
  await expect(page.locator('.cm-described')).toHaveCount(0);
  await goInto('App.tsx', 'volume');
  // The hover under the pointer would stay when the cursor moves.
  await page.mouse.move(0, 0);
  await page.keyboard.press('Alt+F12');
  await expect(page.locator('.cm-described')).toContainText('How much a box holds.');
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('.cm-described')).toHaveCount(0);
});

test('survives a crash of its worker, and restarts it', async () => {
  await page.getByRole('tab', { name: 'Problems' }).click();
  const [worker] = page.workers().filter((each) => each.url().includes('/language-worker-'));
  await worker?.evaluate(() =>
    setTimeout(() => {
      throw new Error('the end');
    }),
  );
  await rewrite(ann, 'App.tsx', app.replace('<p>{size}', `<p title={1}>{size}`));
  await expect(problems()).toHaveText([/Type 'number' is not assignable to type 'string'/]);
  await rewrite(ann, 'App.tsx', app);
  await expect(problems()).toHaveCount(0);
  ann.complaints.splice(0);
});

test('is loaded only for scripts, after everything else', async ({ browser }) => {
  const bob = await newVisitor(browser, server);
  const loaded: string[] = [];
  bob.context.on('request', (request) => {
    if (request.url().includes('/language-worker-')) loaded.push(new URL(request.url()).pathname);
  });
  await startDraft(bob, server, 'html');
  await expect(bob.preview().getByRole('heading', { name: 'Make something' })).toBeVisible();
  expect(loaded).toEqual([]);
  await bob.page.getByRole('tab', { name: 'script.js', exact: true }).click();
  await expect.poll(() => loaded.some((path) => path.includes('language-worker'))).toBe(true);
  await rewrite(bob, 'script.js', 'document.querySel');
  await bob.page.keyboard.type('e');
  await expect(bob.page.getByRole('option', { name: 'querySelectorAll' })).toBeVisible({
    timeout: 20_000,
  });
  expectQuiet(server, bob);
});

test('starts once in a saved project', async ({ browser }) => {
  const eve = await newSignedInUser(browser, server, 'eve-types');
  await startDraft(eve, server, 'react');
  const address = await saveDraft(eve);
  await eve.page.goto(address);
  const workers = () =>
    eve.page.workers().filter((each) => each.url().includes('/language-worker-'));
  await expect.poll(() => workers().length).toBe(1);
  // With the export that main.tsx imports: on a slow machine it runs before the next letter.
  await rewrite(eve, 'App.tsx', 'export function App() {\n  return null;\n}\ndocument.querySel');
  await eve.page.keyboard.type('e');
  await expect(eve.page.getByRole('option', { name: 'querySelectorAll' })).toBeVisible({
    timeout: 20_000,
  });
  expect(workers()).toHaveLength(1);
  expectQuiet(server, eve);
});

test('shows documentation of the standard library, and its declarations with comments', async () => {
  await rewrite(ann, 'App.tsx', app.replace('volume(count, 2)', 'count.toFixed(2)'));
  await goInto('App.tsx', 'toFixed');
  const comment = 'Returns a string representing a number in fixed-point notation.';
  // The type of `count` is known once those of React have loaded.
  await expect(async () => {
    await page.keyboard.press('Alt+F12');
    await expect(page.locator('.cm-described')).toContainText(comment, { timeout: 2_000 });
  }).toPass({ timeout: 20_000 });
  await page.keyboard.press('F12');
  const text = page.getByRole('textbox', { name: 'Editor: __vitrine/lib/lib.es5.d.ts' });
  await expect(text.locator('.cm-activeLine')).toContainText('toFixed(');
  await expect(text).toContainText(comment);
});

test('a tap moves the cursor without a hover, and unknown names have no hover', async ({
  browser,
}) => {
  const finger = await newVisitor(browser, server, { hasTouch: true });
  await startDraft(finger, server, 'react');
  await rewrite(finger, 'App.tsx', 'export function App() {\n  return <p>{missing}</p>;\n}\n');
  const described = finger.page.locator('.cm-described');
  const name = finger.editor('App.tsx').getByText('App', { exact: true });
  await hoverUntil(name, described, 'function App()');
  await finger.page.mouse.move(0, 0);
  await expect(described).toBeHidden();
  await name.tap();
  // The language service answers in order, so a hover of the tap would be shown by now.
  await finger.page.keyboard.press('Shift+F12');
  await expect(finger.page.getByRole('listbox', { name: /reference/ })).toBeVisible();
  await expect(described).toBeHidden();
});
