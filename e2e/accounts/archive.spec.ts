import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { startServer, type TestServer } from '@vitrine/testing/server';
import { makeZip } from '@vitrine/testing/zip-archive';
import { readStoredZip } from '../../packages/backend/test/stored-zip.ts';
import { findViolations } from '../rig/axe.ts';
import { createPng } from '../rig/png.ts';
import { addProjects, readPublishableKey, readSession } from '../rig/session.ts';
import {
  dropFromDesktop,
  expectComplaints,
  expectQuiet,
  getEmail,
  newSignedInUser,
  rewrite,
  saveDraft,
  startDraft,
  tabTo,
  test,
  type TestUser,
} from '../rig/test-user.ts';

let other: TestServer;
let desktop: string;

test.beforeAll(async () => {
  other = await startServer({ env: { npm_config_registry: 'http://127.0.0.1:9/' } });
  desktop = await mkdtemp(join(tmpdir(), 'vitrine-desktop-'));
});
test.afterAll(async () => {
  await other.remove();
  await rm(desktop, { recursive: true });
});

const dialog = (page: Page) => page.getByRole('dialog');

/** Saves a version in the panel History, by keyboard. */
async function saveVersion(page: Page, message: string): Promise<void> {
  const button = page.getByRole('button', { name: 'Save version…' });
  await button.click();
  await expect(page.getByRole('textbox', { name: 'What changed?' })).toBeFocused();
  await page.keyboard.type(message);
  await page.keyboard.press('Enter');
  await expect(button).toBeFocused();
}

async function exportData({ page }: TestUser, server: TestServer): Promise<string> {
  await page.goto(`${server.address}/settings/account`);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export my data' }).click();
  const path = join(desktop, `${new URL(server.address).port}-data.zip`);
  await (await download).saveAs(path);
  return path;
}

async function chooseArchive({ page }: TestUser, server: TestServer, path: string): Promise<void> {
  await page.goto(`${server.address}/settings/account`);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Import data…' }).click();
  await (await chooser).setFiles(path);
}

async function choose({ page }: TestUser, name: string, option: string): Promise<void> {
  await dialog(page).getByRole('combobox', { name }).click();
  await page.getByRole('option', { name: option }).click();
}

const accountId = '0b9c8d7e-6f5a-4b3c-8d2e-1f0a9b8c7d6e';

interface CollectionJson {
  readonly title: string;
  readonly visibility: string;
  readonly description: string;
  readonly projects: readonly { readonly project_id: string; readonly note: string }[];
  readonly cover_id: string;
}

/** What an archive says of projects and collections, without ids and dates. */
async function readWork(path: string): Promise<unknown> {
  const entries = readStoredZip(await readFile(path));
  const json = (name: string) => JSON.parse(String(entries.get(name)));
  const titles = new Map<string, string>();
  const files: Record<string, string> = {};
  const projects = [...entries.keys()]
    .filter((name) => name.endsWith('/project.json'))
    .map((name) => {
      const { id, title, description, visibility, tags, is_template, trashed_at, ...more } =
        json(name);
      titles.set(id, title);
      const folder = name.slice(0, -'project.json'.length);
      for (const [file, bytes] of entries) {
        const [, own] = file.split(folder);
        if (own === undefined) continue;
        if (own.includes('files/')) files[`${title} ${own}`] = bytes.toString('base64');
        else if (own.startsWith('versions/')) {
          const { message, removed } = json(file);
          files[`${title} ${own}`] = `${message.replace(/ \(.*\)$/, '')}, without ${removed}`;
        }
      }
      const { published_version: published } = more;
      return {
        title,
        description,
        visibility,
        tags,
        is_template,
        trashed: !!trashed_at,
        published,
      };
    });
  // The last version of an imported project says that it is complete.
  const completed = Object.keys(files)
    .filter((name) => files[name]?.startsWith('Imported,'))
    .map((name) => name.slice(0, -'version.json'.length));
  for (const name of Object.keys(files))
    if (completed.some((folder) => name.startsWith(folder))) delete files[name];
  const collections = json('collections.json').map(
    ({ title, visibility, description, projects: items, cover_id }: CollectionJson) => ({
      title,
      visibility,
      description,
      cover: titles.get(cover_id),
      items: items.map((item) => [titles.get(item.project_id), item.note]),
    }),
  );
  const byTitle = (one: { title: string }, two: { title: string }) =>
    one.title < two.title ? -1 : 1;
  return { projects: projects.toSorted(byTitle), files, collections };
}

test('an account’s work moves to another instance, also if the import is interrupted', async ({
  browser,
  server,
}) => {
  test.setTimeout(120_000);
  const ivy = await newSignedInUser(browser, server, 'ivy');
  const { page } = ivy;
  await startDraft(ivy, server, 'html');
  const picture = join(desktop, 'dot.png');
  await writeFile(picture, createPng(3, 2));
  await page.getByRole('button', { name: 'Files', exact: true }).click();
  await dropFromDesktop(page, page.getByRole('tree', { name: 'Files' }), [picture]);
  await expect(page.getByRole('treeitem', { name: 'dot.png' })).toBeVisible();
  await rewrite(ivy, 'index.html', '<h1>One</h1><img src="dot.png" alt="">');
  await saveDraft(ivy);
  await page.getByRole('button', { name: 'History', exact: true }).click();
  await saveVersion(page, 'First');
  await rewrite(ivy, 'index.html', '<h1>Two</h1>');
  await expect(ivy.saveState()).toHaveText('Saved');
  await saveVersion(page, 'Second');
  await rewrite(ivy, 'index.html', '<h1>Three</h1>');
  await expect(ivy.saveState()).toHaveText('Saved');
  await addProjects(server, getEmail('ivy'), [
    { title: 'Snake', visibility: 'public', files: { 'a b/ü.js': 'let a = "\u2028";\r\n' } },
    { title: 'Clock', visibility: 'unlisted', files: { 'index.html': '<time></time>' } },
  ]);
  await arrangeWork(await connect(ivy, server));
  const exported = await exportData(ivy, server);

  const ivyThere = await newSignedInUser(browser, other, 'ivy');
  const there = ivyThere.page;
  await chooseArchive(ivyThere, other, exported);
  const list = dialog(there).getByRole('region', { name: 'Projects and collections to import' });
  await expect(list.getByRole('listitem')).toHaveText([
    'ClockUnlisted, 1 fileAdd a copy',
    'SnakeIn trash, 1 fileAdd a copy',
    'Untitled projectPrivate, 4 files, 2 versionsAdd a copy',
    'BestCollection, unlisted, 2 projectsAdd a copy',
  ]);
  await choose(ivyThere, 'Visibility of what’s added', 'As in the archive');
  expect(await findViolations(there)).toEqual([]);

  // The connection is lost between two versions of a project.
  let calls = 0;
  await there.route('**/rpc/create_version', (route) =>
    (calls += 1) === 4 ? route.abort() : route.continue(),
  );
  await tabTo(there, dialog(there).getByRole('button', { name: 'Import', exact: true }));
  await there.keyboard.press('Enter');
  await expect(dialog(there).getByText('Import again to pick up')).toBeVisible();
  await expectComplaints(ivyThere, /Failed to load resource/);
  await dialog(there).getByRole('button', { name: 'Import', exact: true }).click();
  await expect(dialog(there).getByText('Added 3 projects.')).toBeVisible();
  expect(await findViolations(there)).toEqual([]);
  await dialog(there).getByRole('button', { name: 'Done' }).click();
  const again = await exportData(ivyThere, other);
  expect(await readWork(again)).toEqual(await readWork(exported));

  // Importing twice creates nothing twice.
  await chooseArchive(ivyThere, other, exported);
  await expect(list.getByRole('listitem')).toHaveText([
    'ClockUnlisted, 1 fileImported before. Now unlisted.Skip',
    'SnakeIn trash, 1 fileImported before. Now in trash.Skip',
    'Untitled projectPrivate, 4 files, 2 versionsImported before. Now private.Skip',
    'BestCollection, unlisted, 2 projectsImported before. Now unlisted.Skip',
  ]);
  await expect(dialog(there).getByRole('button', { name: 'Import', exact: true })).toBeDisabled();
  expectQuiet(server, ivy);
  expectQuiet(other, ivyThere);
});

test('WB-22: an import changes only what an earlier one created, and makes nothing visible', async ({
  browser,
  server,
}) => {
  const kim = await newSignedInUser(browser, server, 'kim');
  const { page } = kim;
  const client = await connect(kim, server);
  const key = randomUUID();
  const zip = join(desktop, 'kim-data.zip');
  await writeFile(zip, makeNotesArchive(key, 'theirs'));
  await addProjects(server, getEmail('kim'), [
    { title: 'Notes', files: { 'index.html': 'mine' }, creationKey: key },
  ]);
  await client.rpc('create_collection', { title: 'Best', visibility: 'public' }).throwOnError();
  const read = async () => {
    const { data: projects } = await client
      .from('projects')
      .select('visibility, files:project_files(content)')
      .order('created_at')
      .throwOnError();
    const { data: collections } = await client
      .from('collections')
      .select('visibility, items:collection_items(note)')
      .order('created_at')
      .throwOnError();
    return {
      projects: projects.map(({ visibility, files }) => [visibility, files[0]?.content]),
      collections: collections.map(({ visibility, items }) => [visibility, items.length]),
    };
  };
  const runImport = async (answer: string) => {
    await dialog(page).getByRole('button', { name: 'Import', exact: true }).click();
    await expect(dialog(page).getByText(answer)).toBeVisible();
    await dialog(page).getByRole('button', { name: 'Done' }).click();
  };

  // Neither the project with this creation key nor the collection with this title.
  await chooseArchive(kim, server, zip);
  await runImport('Added 1 project.');
  const added = {
    projects: [
      ['private', 'mine'],
      ['private', 'theirs'],
    ],
    collections: [
      ['public', 0],
      ['private', 1],
    ],
  };
  expect(await read()).toEqual(added);

  await writeFile(zip, makeNotesArchive(key, 'theirs, later'));
  await chooseArchive(kim, server, zip);
  await choose(kim, 'Import of Notes', 'Update');
  await choose(kim, 'Visibility of what’s added', 'As in the archive');
  await runImport('Updated 1 project.');
  const updated = {
    ...added,
    projects: [
      ['private', 'mine'],
      ['private', 'theirs, later'],
    ],
  };
  expect(await read()).toEqual(updated);

  await chooseArchive(kim, server, zip);
  await choose(kim, 'Import of Notes', 'Add a copy');
  await choose(kim, 'Visibility of what’s added', 'As in the archive');
  await runImport('Added 1 project.');
  const { projects, ...more } = updated;
  expect(await read()).toEqual({ projects: [...projects, ['public', 'theirs, later']], ...more });
  expectQuiet(server, kim);
});

/** An archive with a public project and a public collection that has it. */
function makeNotesArchive(id: string, content: string): Buffer {
  const json = (name: string, value: unknown) => ({ name, content: JSON.stringify(value) });
  const folder = 'projects/notes-abc';
  const file = (name: string, text: string) => ({ name: `${folder}/${name}`, content: text });
  const at = '2026-11-25T10:00:00Z';
  return makeZip([
    json('account.json', { id: accountId }),
    json('profile.json', {}),
    json('sessions.json', []),
    json(`${folder}/project.json`, { id, title: 'Notes', visibility: 'public', created_at: at }),
    file('files/index.html', content),
    json(`${folder}/versions/1/version.json`, {
      reason: 'named',
      message: 'Draft',
      created_at: at,
    }),
    file('versions/1/files/index.html', 'secret'),
    json('collections.json', [
      { id: accountId, title: 'Best', visibility: 'public', projects: [{ project_id: id }] },
    ]),
  ]);
}

test('another zip is rejected with what to do', async ({ browser, server }) => {
  const jon = await newSignedInUser(browser, server, 'jon');
  const { page } = jon;
  const zip = join(desktop, 'site.zip');
  await writeFile(zip, makeZip([{ name: 'index.html', content: '<p>hi</p>' }]));
  await chooseArchive(jon, server, zip);
  await expect(dialog(page).getByRole('alert')).toContainText('isn’t an account archive');
  await dialog(page).getByRole('button', { name: 'Close' }).last().click();
  await writeFile(zip, 'no zip at all');
  await chooseArchive(jon, server, zip);
  await expect(dialog(page).getByRole('alert')).toContainText('damaged');
  expectQuiet(server, jon);
});

/** Calls the database as the user of a page. */
async function connect({ context }: TestUser, server: TestServer): Promise<SupabaseClient> {
  const { access_token } = await readSession(context, server);
  return createClient(
    `http://127.0.0.1:${new URL(server.address).port}`,
    readPublishableKey(server),
    {
      accessToken: () => Promise.resolve(access_token),
    },
  );
}

/** Gives the projects tags, a description, a published version, a place in the trash, a collection. */
async function arrangeWork(client: SupabaseClient): Promise<void> {
  const { data } = await client.from('projects').select('id, title').throwOnError();
  const idOf = (start: string) => data.find(({ title }) => title.startsWith(start))?.id;
  const [page, snake, clock] = ['Untitled', 'Snake', 'Clock'].map(idOf);
  const patch = (id: string, columns: object) =>
    client.from('projects').update(columns).eq('id', id).select('id').throwOnError();
  await client.rpc('publish_version', { project: page, number: 1 }).throwOnError();
  await client
    .rpc('tag_projects', { projects: [page], added: ['art'], removed: [] })
    .throwOnError();
  await patch(clock, { description: 'It **ticks**.', is_template: true });
  await patch(snake, { trashed_at: new Date().toISOString() });
  const { data: made } = await client
    .rpc('create_collection', { title: 'Best', visibility: 'unlisted', projects: [clock, page] })
    .throwOnError();
  await client
    .from('collection_items')
    .update({ note: 'See the hands' })
    .eq('project_id', clock)
    .select('project_id')
    .throwOnError();
  await client
    .from('collections')
    .update({ description: 'Of all', cover_id: page })
    .eq('id', made.id)
    .select('id')
    .throwOnError();
}
