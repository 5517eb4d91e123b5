import { expect } from '@playwright/test';
import { findViolations } from '../rig/axe.ts';
import { expectQuiet, newVisitor, retype, rewrite, test } from '../rig/test-user.ts';
import { chooseFromMenu } from '../user/user-page.ts';

test(
  'a project opens at its tests, which show what an edit broke and where',
  { tag: '@journey' },
  async ({ browser, server }) => {
    const visitor = await newVisitor(browser, server);
    const { page } = visitor;
    await page.goto(`${server.address}/new/roman?view=tests`);
    await page.waitForURL(/\/draft\/[a-z0-9]+\?view=tests$/);
    const tab = page.getByRole('tab', { name: 'Tests' });
    const said = page.getByRole('status', { name: 'Test status' });
    await expect(tab).toHaveAttribute('aria-selected', 'true');
    await expect(said).toHaveText('17 passed');

    await page.getByRole('button', { name: 'Files' }).click();
    await page.getByRole('treeitem', { name: 'roman.ts', exact: true }).click();
    await retype(
      visitor,
      'roman.ts',
      `export function toRoman(year: number): string {
  return 'I'.repeat(year);
}
export const fromRoman = (roman: string): number => roman.length;
`,
    );
    await expect(said).toContainText('failed');
    await expect(tab).toHaveAccessibleDescription(/^\d+ passed, \d+ failed$/);
    const tree = page.getByRole('tree', { name: 'Tests' });
    const failed = tree.getByRole('treeitem', { name: /^Failed adds letters up: 8 is VIII/ });
    await failed.click();
    const details = page.getByRole('region', { name: 'Test', exact: true });
    await expect(details).toContainText(`expected 'IIIIIIII' to be 'VIII'`);
    await expect(details.getByLabel('Diff')).toContainText('Expected: "VIII"');
    await details.getByRole('list').getByRole('button', { name: 'roman.test.ts:12' }).click();
    await expect(visitor.editor('roman.test.ts')).toBeFocused();

    // By keyboard: up from the test to its suite, collapse it, and go to the line.
    await failed.focus();
    await page.keyboard.press('Home');
    await expect(tree.getByRole('treeitem', { name: /^Failed roman\.test\.ts/ })).toBeFocused();
    await page.keyboard.press('ArrowLeft');
    await expect(tree.getByRole('treeitem')).toHaveCount(1);
    await page.keyboard.press('ArrowRight');
    await expect(failed).toBeVisible();
    expect(await findViolations(page)).toEqual([]);

    await rewrite(visitor, 'roman.ts', 'export const = 1;');
    const broken = tree.getByRole('treeitem', { name: /^Failed roman\.test\.ts/ });
    await expect(broken).toBeVisible();
    await expect(tree.getByRole('treeitem')).toHaveCount(1);
    await details.getByRole('list').getByRole('button', { name: 'roman.ts:1' }).click();
    await rewrite(visitor, 'roman.ts', 'export const toRoman = () => "I", fromRoman = () => 1;');
    await expect(failed).toBeVisible();
    expectQuiet(server, visitor);
  },
);

test('in the run mode “Manually”, tests run as they are when the user runs them', async ({
  browser,
  server,
}) => {
  const visitor = await newVisitor(browser, server);
  const { page } = visitor;
  await page.goto(`${server.address}/new/html?view=tests`);
  await page.waitForURL(/\/draft\//);
  await chooseFromMenu(visitor, 'menuitemradio', 'Manually');
  await page.getByRole('button', { name: 'Add test' }).click();
  const said = page.getByRole('status', { name: 'Test status' });
  await expect(said).toHaveText('1 passed');
  const text = `import { expect, test } from 'vitest';\ntest('adds', () => expect(1 + 2).toBe(4));\n`;
  await rewrite(visitor, 'script.test.js', text);
  await page.getByRole('button', { name: 'Run all tests' }).click();
  await expect(said).toHaveText('1 failed');
  expectQuiet(server, visitor);
});

test(
  'snapshots are updated on request, as one undo step',
  { tag: '@long' },
  async ({ browser, server }) => {
    const visitor = await newVisitor(browser, server);
    const { page } = visitor;
    await page.goto(`${server.address}/new/html?view=tests`);
    await page.waitForURL(/\/draft\//);
    await page.getByRole('button', { name: 'Add test' }).click();
    const said = page.getByRole('status', { name: 'Test status' });
    await expect(said).toHaveText('1 passed');
    await rewrite(
      visitor,
      'script.test.js',
      `import { expect, test } from 'vitest';\ntest('kept', () => expect(1 + 2).toMatchInlineSnapshot());\n`,
    );
    await page.getByRole('button', { name: 'Update snapshots' }).click();
    const editor = visitor.editor('script.test.js');
    await expect(editor).toContainText('toMatchInlineSnapshot(`3`)');
    await editor.click();
    await page.keyboard.press('ControlOrMeta+Z');
    await expect(editor).toContainText('toMatchInlineSnapshot())');
    await expect(editor).toContainText("test('kept'");
    expectQuiet(server, visitor);
  },
);
