import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SupabaseClient } from '@supabase/supabase-js';
import { openTestBackend } from '@vitrine/testing/backend';
import type { TestBackend } from '@vitrine/testing/backend';
import { readEverything } from './schema-attempts.ts';
import { base64, sha256, createUpdate } from '@vitrine/testing/schema-calls';
import type { CreateProjectResult } from '@vitrine/testing/schema-calls';

/** The schema as the app uses it: through the official client and the whole embedded backend. */
let backend: TestBackend;
let visitor: SupabaseClient;
let alice: SupabaseClient;
let bob: SupabaseClient;
let project: string;

beforeAll(async () => {
  backend = await openTestBackend({ confirmEmail: false });
  visitor = backend.openBrowser().client;
  alice = await signUp('alice');
  bob = await signUp('bob');
  const { data, error } = await alice.rpc('create_project', {
    id: randomUUID(),
    title: 'Boids',
    description: 'Flocks',
    visibility: 'private',
    settings: {},
    files: [{ path: 'index.html', content: '<h1>Boids</h1>' }],
    state: base64('state'),
    state_sha256: sha256('state'),
  });
  if (error) throw error;
  project = (data as CreateProjectResult).id;
});
afterAll(() => backend.close());

async function signUp(username: string): Promise<SupabaseClient> {
  const { client } = backend.openBrowser();
  const { error } = await client.auth.signUp({
    email: `${username}@example.test`,
    password: 'correct horse battery',
    options: { data: { username } },
  });
  if (error) throw error;
  return client;
}

/** Runs something that must change nothing, and returns its result. */
async function withoutEffect<T>(work: () => PromiseLike<T>): Promise<T> {
  const before = await readEverything(backend.database.sql);
  const answer = await work();
  expect(await readEverything(backend.database.sql)).toBe(before);
  return answer;
}

describe('the owner', () => {
  test('saves, is rejected when outdated, and loads', async () => {
    const call = { project, client: randomUUID(), base: 1, removed: [] };
    const sent = {
      ...call,
      updates: [createUpdate(1, 'a')],
      changed: [{ path: 'a.js', content: '1' }],
    };
    const saved = await alice.rpc('append_updates', sent);
    expect(saved.data).toEqual({ status: 'saved', seq: 2, revision: 2 });
    expect((await alice.rpc('append_updates', sent)).data).toEqual({
      status: 'saved',
      seq: 2,
      revision: 2,
      again: true,
    });
    const other = { ...sent, client: randomUUID() };
    expect((await alice.rpc('append_updates', other)).data).toMatchObject({ status: 'behind' });
    const loaded = await alice.rpc('load_document', { project }, { get: true });
    expect(loaded.data).toMatchObject({ seq: 2, state: base64('state') });
  });

  test('lists own projects with their owner', async () => {
    const { data, error } = await alice
      .from('projects')
      .select('id, title, owner:profiles!projects_owner_id_fkey(username)')
      .order('created_at');
    expect(error).toBeNull();
    expect(data).toEqual([{ id: project, title: 'Boids', owner: { username: 'alice' } }]);
  });

  test('receives the code of a violated rule', async () => {
    const renamed = await withoutEffect(() =>
      alice.from('projects').update({ title: ' ' }).eq('id', project),
    );
    expect(renamed.error).toMatchObject({
      code: '23514',
      message: expect.stringContaining('constraint "title_required"'),
    });
    const call = {
      project,
      client: randomUUID(),
      base: 2,
      removed: [],
      updates: [createUpdate(1, 'a')],
    };
    const { error, status } = await withoutEffect(() =>
      alice.rpc('append_updates', { ...call, changed: [{ path: '../up', content: '' }] }),
    );
    expect([status, error?.message]).toEqual([422, 'invalid_path']);
  });

  test('cannot write columns of others', async () => {
    const closed = {
      id: randomUUID(),
      owner_id: randomUUID(),
      slug: 'abcdefghij',
      revision: 99,
      like_count: 99,
      view_count: 99,
      hidden_at: null,
      created_at: '2001-01-01T00:00:00Z',
    };
    for (const [column, value] of Object.entries(closed)) {
      const { status } = await withoutEffect(() =>
        alice
          .from('projects')
          .update({ [column]: value })
          .eq('id', project),
      );
      expect([column, status]).toEqual([column, 403]);
    }
    const { status } = await withoutEffect(() =>
      alice.from('profiles').update({ role: 'admin' }).eq('username', 'alice'),
    );
    expect(status).toBe(403);
    for (const table of [
      'projects',
      'project_files',
      'documents',
      'document_updates',
      'profiles',
    ]) {
      const posted = await withoutEffect(() => alice.from(table).insert({}));
      expect([table, posted.status]).toEqual([table, 403]);
      const deleted = await withoutEffect(() =>
        alice.from(table).delete().not('created_at', 'is', null),
      );
      expect([table, deleted.status]).toEqual([table, 403]);
    }
  });

  test('stores preferences with an upsert', async () => {
    const { data } = await alice.auth.getUser();
    for (const theme of ['dark', 'light']) {
      const { error } = await alice
        .from('preferences')
        .upsert({ user_id: data.user?.id, settings: { theme } });
      expect(error).toBeNull();
    }
    expect((await alice.from('preferences').select('settings').single()).data).toEqual({
      settings: { theme: 'light' },
    });
  });

  test('sees the session of this browser as the current one', async () => {
    const { data, error } = await alice.rpc('my_sessions');
    expect(error).toBeNull();
    expect(data).toMatchObject([{ current: true }]);
  });
});

describe('someone else', () => {
  test('counts no private rows', async () => {
    for (const client of [visitor, bob]) {
      const { count } = await client.from('projects').select('id', { count: 'exact', head: true });
      expect(count).toBe(0);
    }
  });

  test('changes nothing and learns nothing with an update', async () => {
    const { data, status } = await withoutEffect(() =>
      bob.from('projects').update({ title: 'taken' }).eq('id', project).select('id'),
    );
    expect([status, data]).toEqual([200, []]);
  });

  test('cannot take over the project with an upsert', async () => {
    const { data } = await bob.auth.getUser();
    const { status } = await withoutEffect(() =>
      bob.from('projects').upsert({ id: project, owner_id: data.user?.id, title: 'mine' }),
    );
    expect(status).toBe(403);
  });

  test('gets the same response for a private project as for a missing one', async () => {
    for (const id of [project, randomUUID()]) {
      const { error, status } = await bob.rpc('load_document', { project: id });
      expect([status, error?.message]).toEqual([404, 'not_found_or_private']);
    }
  });

  test('reads an unlisted project by its slug and does not find it in a list', async () => {
    const changed = await alice
      .from('projects')
      .update({ visibility: 'unlisted' })
      .eq('id', project)
      .select('slug')
      .single();
    const slug: unknown = changed.data?.slug;
    const read = await visitor.rpc('read_project', { slug }, { get: true });
    expect(read.data).toMatchObject({ id: project, owner: { username: 'alice' }, may_edit: false });
    expect((await visitor.from('projects').select('id')).data).toEqual([]);
    expect((await visitor.from('project_files').select('path')).data).toEqual([]);
  });
});

test('rejects a sign-up with a taken username with the catalog’s code', async () => {
  const { client } = backend.openBrowser();
  const { error } = await client.auth.signUp({
    email: 'second@example.test',
    password: 'correct horse battery',
    options: { data: { username: 'alice' } },
  });
  expect(error?.code).toBe('username_taken');
});
