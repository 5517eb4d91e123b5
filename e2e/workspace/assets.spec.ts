import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from '@playwright/test';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { createDocumentFromFiles, type AssetFile } from '@vitrine/project';
import * as Y from 'yjs';
import type { TestServer } from '@vitrine/testing/server';
import {
  expectQuiet,
  getTestAccount,
  newSignedInUser,
  test,
  uniqueName,
  type TestUser,
} from '../rig/test-user.ts';

const logoBytes = Buffer.alloc(1_234, 'logo');
const logo: AssetFile = {
  kind: 'asset',
  hash: createHash('sha256').update(logoBytes).digest('hex'),
  size: logoBytes.length,
  mediaType: 'image/png',
};

let server: TestServer;
let sam: TestUser;
let client: SupabaseClient;
let project: { id: string; address: string };

/** Opens a project with a page and a picture, which no screen can add yet. */
test.beforeEach(async ({ browser, server: shared }) => {
  server = shared;
  const name = uniqueName('sam');
  sam = await newSignedInUser(browser, server, name);
  client = await signIn(name);
  const { data: user } = await client.auth.getUser();
  const uploaded = await client.storage
    .from('assets')
    .upload(`${user.user?.id ?? ''}/${logo.hash}`, logoBytes, {
      contentType: 'application/octet-stream',
    });
  if (uploaded.error) throw uploaded.error;
  const html = '<h1>Logo</h1>';
  const state = Y.encodeStateAsUpdate(
    createDocumentFromFiles([
      ['index.html', html],
      ['logo.png', logo],
    ]),
  );
  const { data, error } = await client.rpc('create_project', {
    id: randomUUID(),
    title: 'Pictures',
    description: '',
    visibility: 'private',
    settings: {},
    files: [
      { path: 'index.html', content: html },
      { path: 'logo.png', hash: logo.hash, size: logo.size, media_type: logo.mediaType },
    ],
    state: Buffer.from(state).toString('base64'),
    state_sha256: createHash('sha256').update(state).digest('hex'),
  });
  if (error) throw new Error(error.message);
  project = { id: data.id, address: `${server.address}/@${name}/${data.slug}` };
  await sam.page.goto(project.address);
  await expect(sam.editor('index.html')).toContainText('Logo');
  await expect(sam.saveState()).toHaveText('Saved');
});

async function signIn(username: string): Promise<SupabaseClient> {
  const { publishableKey } = JSON.parse(readFileSync(`${server.dataDir}/secrets.json`, 'utf8'));
  // By IP address, because Node can't resolve the name.
  const address = `http://127.0.0.1:${new URL(server.address).port}`;
  const made = createClient(address, publishableKey, { auth: { persistSession: false } });
  const { email, password } = getTestAccount(username);
  const { error } = await made.auth.signInWithPassword({ email, password });
  if (error) throw error;
  return made;
}

async function readRows(): Promise<unknown> {
  const { data } = await client
    .from('project_files')
    .select('path, content, hash')
    .eq('project_id', project.id)
    .order('path');
  return data;
}

async function typeFirst(text: string): Promise<void> {
  await sam.editor('index.html').click();
  await sam.page.keyboard.press('ControlOrMeta+Home');
  await sam.page.keyboard.insertText(text);
}

test('an asset is in the tree, opens in a tab, and moves to a folder', async () => {
  const { page } = sam;
  await page.getByRole('button', { name: 'Files', exact: true }).click();
  const row = page.getByRole('treeitem', { name: 'logo.png', exact: true });
  await row.click();
  await expect(page.getByRole('tab', { name: 'logo.png' })).toBeVisible();
  await expect(page.getByText('image/png · 1.21 KB')).toBeVisible();
  await row.press('F2');
  await page.getByRole('textbox', { name: 'Rename logo.png' }).fill('img/brand.png');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('tab', { name: 'img/brand.png' })).toBeVisible();
  await page.getByRole('tab', { name: 'index.html' }).click();
  await typeFirst('<p>typed</p>');
  await expect(sam.saveState()).toHaveText('Saved');
  expect(await readRows()).toEqual([
    { path: 'img/brand.png', content: null, hash: logo.hash },
    { path: 'index.html', content: expect.stringContaining('<p>typed</p>'), hash: null },
  ]);
  await page.reload();
  await expect(page.getByRole('treeitem', { name: 'img/brand.png', exact: true })).toBeVisible();
  expectQuiet(server, sam);
});

test('a page of an older build saves nothing over assets, and its edits arrive after a reload', async () => {
  const before = await readRows();
  // The older build doesn't know assets and sends no format.
  const sending = /\/rpc\/append_updates/;
  await sam.context.route(sending, async (route) => {
    const { format: _, ...call } = route.request().postDataJSON();
    await route.continue({ postData: JSON.stringify(call) });
  });
  await typeFirst('<p>older</p>');
  await expect(sam.page.getByText('The server rejected this save.').first()).toBeVisible();
  await expect(sam.page.getByText('Your changes are saved on this device.')).toBeVisible();
  expect(await readRows()).toEqual(before);
  await sam.context.unroute(sending);
  await sam.page.reload();
  await expect(sam.editor('index.html')).toContainText('<p>older</p>');
  await expect(sam.saveState()).toHaveText('Saved');
  expect(await readRows()).toEqual([
    { path: 'index.html', content: expect.stringContaining('<p>older</p>'), hash: null },
    { path: 'logo.png', content: null, hash: logo.hash },
  ]);
});

test('a page that is newer than the server says so, and a reload saves its edits', async () => {
  const sending = /\/rpc\/append_updates/;
  // An older server has no function with this page's arguments. It is replaced when the page reloads.
  let isOlder = true;
  await sam.context.route(sending, (route) =>
    isOlder
      ? route.fulfill({
          status: 404,
          json: {
            code: 'PGRST202',
            message: 'Could not find the function',
            details: '',
            hint: null,
          },
        })
      : route.continue(),
  );
  await typeFirst('<p>newer</p>');
  await expect(sam.page.getByText('This page is out of date.').first()).toBeVisible();
  sam.page.once('domcontentloaded', () => (isOlder = false));
  await sam.page.getByRole('button', { name: 'Reload', exact: true }).click();
  await expect(sam.editor('index.html')).toContainText('<p>newer</p>');
  await expect(sam.saveState()).toHaveText('Saved');
});
