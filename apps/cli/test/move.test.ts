import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Backend } from '@vitrine/backend';
import { connectDatabase } from '@vitrine/backend/postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportData } from '../src/move/export-data.ts';
import { uploadObjects } from '../src/move/upload-objects.ts';
import {
  appOrigin,
  openTestBackend,
  saveAsset,
  signUpConfirmed,
  type TestBackend,
} from '@vitrine/testing/backend';
import { base64, sha256, type CreateProjectResult } from '@vitrine/testing/schema-calls';

let from: TestBackend;
/** A stand-in for a hosted project: another database, other keys, the same migrations. */
let to: TestBackend;
let folder: string;

beforeAll(async () => {
  [from, to] = await Promise.all([openTestBackend(), openTestBackend()]);
  folder = await mkdtemp(join(tmpdir(), 'vitrine-move-'));
}, 60_000);
afterAll(async () => {
  await Promise.all([from.close(), to.close()]);
  await rm(folder, { recursive: true });
});

const service = (backend: Backend) =>
  createClient(appOrigin, backend.secretKey, {
    auth: { persistSession: false },
    global: { fetch: (input, init) => backend.fetch(new Request(input, init)) },
  });

/** Creates a project with a version that others see. Returns the slug. */
async function createVersionedProject(client: SupabaseClient): Promise<string> {
  const { data, error } = await client.rpc('create_project', {
    id: randomUUID(),
    title: 'Boids',
    description: '',
    visibility: 'private',
    settings: {},
    files: [{ path: 'index.html', content: 'a\ttab, \\N and ☃\n' }],
    state: base64('state'),
    state_sha256: sha256('state'),
  });
  expect(error).toBeNull();
  const { id, slug } = data as CreateProjectResult;
  for (const [name, args] of [
    ['create_version', { project: id, message: 'First' }],
    ['publish_version', { project: id, number: 1 }],
  ] as const)
    expect((await client.rpc(name, args)).error).toBeNull();
  return slug;
}

test('moves users, rows and files, with working passwords', async () => {
  const ada = await signUpConfirmed(from, 'ada@example.com');
  const { data: session } = await ada.client.auth.getSession();
  const id = session.session?.user.id ?? '';
  const bio = `it's "quoted" \\ $rows$ and\nlong ☃`;
  expect((await ada.client.from('profiles').update({ bio }).eq('id', id)).error).toBeNull();
  const slug = await createVersionedProject(ada.client);
  await from.database
    .sql`insert into storage.buckets (id, name, public) values ('kept', 'kept', true)`;
  const kept = service(from.backend).storage.from('kept');
  const options = { contentType: 'text/plain', cacheControl: '60', metadata: { by: 'Ada' } };
  expect((await kept.upload("a/it's one.txt", 'the text', options)).error).toBeNull();
  await from.database.sql`update storage.objects set owner_id = ${id}`;
  const asset = await saveAsset(ada.client, 'bytes of a picture');

  const place = join(folder, 'export');
  const wrote = await exportData(
    { database: from.database.address, storageDir: from.storageDir },
    place,
  );
  expect(wrote.objects).toBe(2);
  const sql = connectDatabase(to.database.address, { max: 1 });
  const data = await readFile(join(place, 'data.sql'), 'utf8');
  await sql.unsafe(data).simple();
  // Neither twice, nor into a project with accounts.
  await expect(sql.unsafe(data).simple()).rejects.toThrow('already has accounts');
  await sql.end();
  const owners = await uploadObjects(place, {
    url: appOrigin,
    secretKey: to.backend.secretKey,
    fetch: (input, init) => to.backend.fetch(new Request(input, init)),
  });
  await to.database.sql.unsafe(owners).simple();

  const there = to.openBrowser();
  const signedIn = await there.client.auth.signInWithPassword({
    email: 'ada@example.com',
    password: 'correct horse battery',
  });
  expect(signedIn.error).toBeNull();
  expect(signedIn.data.user?.id).toBe(id);
  expect((await there.client.from('profiles').select('bio').eq('id', id)).data).toEqual([{ bio }]);
  const version = await there.client.rpc('read_version', { slug, number: 1 });
  expect(version.data).toMatchObject({
    message: 'First',
    files: [{ path: 'index.html', content: 'a\ttab, \\N and ☃\n' }],
    project: { published_version: 1 },
  });
  const moved = service(to.backend).storage.from('kept');
  expect(await (await moved.download("a/it's one.txt")).data?.text()).toBe('the text');
  expect((await moved.info("a/it's one.txt")).data).toMatchObject({
    contentType: 'text/plain',
    metadata: { by: 'Ada' },
  });
  const owned = await to.database.sql`select distinct owner_id from storage.objects`;
  expect(owned).toEqual([{ owner_id: id }]);
  const bytes = await there.client.storage.from('assets').download(asset);
  expect(await bytes.data?.text()).toBe('bytes of a picture');
  const { data: rows } = await there.client
    .from('project_files')
    .select('uploader')
    .not('hash', 'is', null);
  expect(rows).toEqual([{ uploader: id }]);
});

test('exports no session and no secret of the instance', async () => {
  const place = join(folder, 'secrets');
  const { database, storageDir, secrets } = { ...from, database: from.database.address };
  await exportData({ database, storageDir }, place);
  const text = await readFile(join(place, 'data.sql'), 'utf8');
  expect(text).toContain('ada@example.com');
  expect(text).not.toMatch(
    /auth"\."(sessions|refresh_tokens|one_time_tokens|mfa_factors|flow_state)/,
  );
  for (const secret of [secrets.secretKey, secrets.databasePassword, secrets.rootKey]) {
    expect(text).not.toContain(secret);
  }
  await expect(exportData({ database, storageDir }, place)).rejects.toThrow('already exists');
});
