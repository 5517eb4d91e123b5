import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { limits } from '@vitrine/project';
import {
  dropFromDesktop,
  expectQuiet,
  newVisitor,
  startDraft,
  test,
  type TestUser,
} from '../rig/test-user.ts';

const long = 'x'.repeat(1_000_000);
const deep = 10_000;
const nested = (open: string, close: string) => open.repeat(deep) + close.repeat(deep);

/** Unusual files within the size limits. */
const hostile: Readonly<Record<string, string>> = {
  'long.js': `export const text = "${long}";\n`,
  'long.css': `a { content: "${long}"; }\n`,
  'long.html': `<p title="${long}"></p>\n`,
  'long.md': `${long}\n`,
  'deep.js': `export const list = ${nested('[', ']')};\n`,
  'deep.ts': `export const list = ${nested('(', ')')};\n`,
  'deep.css': `${nested('a{', '}')}\n`,
  'deep.html': `${nested('<b>', '</b>')}\n`,
  'deep.json': `${nested('[', ']')}\n`,
  'deep.md': `${'>'.repeat(deep)} quoted\n`,
  'backwards.js': `// \u202e} \u2066if (isAdmin)\u2069 \u2066 begin\nexport const שלום = 'مرحبا';\n`,
};

/** As many files as a project may have, including the template's three and `nulls.js`. */
const manyFiles = limits.projectMaxFiles - 4 - Object.keys(hostile).length;

let folder: string;
test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-hostile-'));
  await mkdir(join(folder, 'odd/many'), { recursive: true });
  for (const [name, text] of Object.entries(hostile))
    await writeFile(join(folder, 'odd', name), text);
  for (let count = 0; count < manyFiles; count += 1)
    await writeFile(join(folder, 'odd/many', `${count}.js`), `export const a = ${count};\n`);
  await writeFile(join(folder, 'nulls.js'), 'a\0b\0');
  await writeFile(join(folder, 'huge.txt'), 'ten MiB\n'.repeat((10 * 1024 * 1024) / 8 + 1));
});
test.afterAll(() => rm(folder, { recursive: true }));

async function goToFile({ page, editor }: TestUser, path: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+P');
  await page.getByRole('dialog', { name: 'Go to file' }).getByRole('combobox').fill(path);
  await expect(page.getByRole('option', { name: path, exact: true })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(editor(path)).toBeFocused();
}

test(
  'long, deeply nested, many or misleading files can be opened and edited',
  { tag: '@long' },
  async ({ browser, server }) => {
    const ann = await newVisitor(browser, server);
    const { page, editor } = ann;
    await startDraft(ann, server, 'html');
    await page.getByRole('button', { name: 'Files', exact: true }).click();
    const tree = page.getByRole('tree', { name: 'Files' });
    const others = ['nulls.js', 'huge.txt'].map((name) => join(folder, name));
    await dropFromDesktop(page, tree, others);
    await expect(
      page.getByRole('alert').filter({ hasText: 'can’t be larger than 10 MB' }),
    ).toContainText('huge.txt');
    await tree.getByRole('treeitem', { name: 'nulls.js', exact: true }).click();
    await expect(page.getByText('text/javascript · 4 B')).toBeVisible();
    await dropFromDesktop(page, tree, [join(folder, 'odd')]);
    await expect(tree.getByRole('treeitem', { name: 'odd/long.js', exact: true })).toBeVisible();

    for (const name of Object.keys(hostile)) {
      const path = `odd/${name}`;
      await goToFile(ann, path);
      await page.keyboard.press('ControlOrMeta+End');
      await page.keyboard.insertText('\nstill here');
      await expect(editor(path).getByText('still here')).toBeVisible();
      const plain = page.getByText('This file is shown as plain text');
      await expect(plain).toHaveCount(name.startsWith('deep') ? 1 : 0);
    }
    await expect(editor('odd/backwards.js').getByRole('img', { name: /U\+202E/ })).toBeVisible();
    await expect(ann.preview().getByRole('button')).toBeVisible();
    await ann.preview().getByRole('button').click();
    await expect(ann.preview().getByRole('status')).toHaveText('1');
    expectQuiet(server, ann);
  },
);

test('a 1,001st file is rejected with a reason', async ({ browser, server }) => {
  const ann = await newVisitor(browser, server);
  const { page } = ann;
  await startDraft(ann, server, 'html');
  await page.getByRole('button', { name: 'Files', exact: true }).click();
  const tree = page.getByRole('tree', { name: 'Files' });
  const more = ['1.js', '2.js'].map((name) => join(folder, 'odd/many', name));
  await dropFromDesktop(page, tree, [join(folder, 'odd'), ...more]);
  await expect(page.getByRole('alert').filter({ hasText: '1,000 files' })).toBeVisible();
  expectQuiet(server, ann);
});
