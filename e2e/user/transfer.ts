/** Actions that take a project out, and bring files in. */
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { makeZip } from '@vitrine/testing/zip-archive';
import { readStoredZip } from '../../packages/backend/test/stored-zip.ts';
import { dropFromDesktop } from '../rig/test-user.ts';
import type { Action } from './action.ts';
import { addVersion, findDifferences, getContents, manifests, markUnsent } from './model.ts';
import { Finding } from './oracle.ts';
import { showPanel, treeRow } from './user-page.ts';
import { getAppAddress, type World } from './world.ts';

const formats = ['zip', 'HTML file', 'Vite project'] as const;

export const transferActions: readonly Action[] = [
  {
    name: 'download the project and import it',
    weight: 2,
    isChromium: true,
    plan(model, choice) {
      const format = choice.of(formats) ?? 'zip';
      const expected = getContents(model);
      return async (world) => {
        const folder = await mkdtemp(join(tmpdir(), 'vitrine-download-'));
        const page = await world.person.context.newPage();
        try {
          const path = join(folder, format === 'HTML file' ? 'project.html' : 'project.zip');
          await download(world.person.page, format, path);
          await importFile(world, page, path);
          await download(page, 'zip', join(folder, 'again.zip'));
          const found = await readContents(join(folder, 'again.zip'));
          const different = findDifferences(expected, found).filter(
            (each) => !manifests.includes(each),
          );
          if (different.length > 0)
            throw new Finding('tree', `a ${format} differs in ${different.join(', ')}`);
        } finally {
          await page.close();
          await rm(folder, { recursive: true });
        }
      };
    },
  },
  {
    name: 'drop a zip and merge it',
    weight: 2,
    isStructural: true,
    isChromium: true,
    plan(model) {
      if (model.kind === 'project') addVersion(model, 'import');
      const path = `imported${++model.edits}.txt`;
      const text = `Import ${model.edits}\n`;
      model.files.set(path, text);
      markUnsent(model);
      return async ({ person }) => {
        const folder = await mkdtemp(join(tmpdir(), 'vitrine-desktop-'));
        try {
          const zip = join(folder, 'notes.zip');
          await writeFile(zip, makeZip([{ name: path, content: text }]));
          await showPanel(person, 'Files');
          await dropFromDesktop(person.page, person.page.getByRole('tree', { name: 'Files' }), [
            zip,
          ]);
          const dialog = person.page.getByRole('dialog', { name: 'Import notes.zip' });
          await dialog.getByRole('button', { name: 'Merge' }).click();
          await treeRow(person, path).waitFor();
        } finally {
          await rm(folder, { recursive: true });
        }
      };
    },
  },
];

/** Downloads the open project in a format. */
async function download(page: Page, format: (typeof formats)[number], path: string) {
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Download' }).click();
  const dialog = page.getByRole('dialog', { name: 'Download', exact: true });
  const downloaded = page.waitForEvent('download');
  await dialog.getByRole('button', { name: `Download ${format}` }).click();
  await (await downloaded).saveAs(path);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** Opens a file as a draft in another tab. */
async function importFile(world: World, page: Page, path: string): Promise<void> {
  await page.goto(`${getAppAddress(world.rig)}/new`);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose files' }).click();
  await (await chooser).setFiles(path);
  await page.getByRole('dialog').getByRole('button', { name: 'Open' }).click();
  await page.waitForURL(/\/draft\/[a-z0-9]+$/);
}

/** Contents as the model has them: texts, and hashes of assets. */
async function readContents(path: string): Promise<Map<string, string>> {
  const entries = readStoredZip(await readFile(path));
  return new Map(
    Array.from(entries, ([name, bytes]) => {
      const isAsset = name.endsWith('.png');
      const hash = createHash('sha256').update(bytes).digest('hex');
      return [name, isAsset ? `asset ${hash}` : bytes.toString()];
    }),
  );
}
