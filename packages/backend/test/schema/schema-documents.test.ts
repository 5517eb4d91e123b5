import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TransactionSql } from 'postgres';
import { limits } from '@vitrine/project';
import { readEverything, getRejectionCode } from './schema-attempts.ts';
import {
  appendUpdates,
  base64,
  createAssetRow,
  createProject,
  createUpdate,
  readProjectFiles,
  readProjectRows,
  sha256,
  storeAssets,
} from '@vitrine/testing/schema-calls';
import type { Append, FileRow, KnownUpdate } from '@vitrine/testing/schema-calls';
import { newProject, openWorld, testUserIds, projects } from '@vitrine/testing/schema-world';
import type { Role, SchemaWorld } from '@vitrine/testing/schema-world';

let world: SchemaWorld;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const send = (o: Append, who: Role | string = 'owner') =>
  world.runAs(who, (tx) => appendUpdates(tx, o));

/** Returns the code with which this call is rejected. */
const refuse = (o: Append, who: Role | string = 'owner') =>
  world.runAs(who, (tx) => getRejectionCode(tx, (attempt) => appendUpdates(attempt, o)));

interface Loaded {
  format: number;
  assets: object[];
  seq: number;
  state: string | null;
  state_seq: number;
  updates: KnownUpdate[];
}

async function load(
  project: string,
  since?: number,
  who: Role | string = 'owner',
): Promise<Loaded> {
  const [row] = await world.runAs(who, (tx) =>
    since === undefined
      ? tx<{ answer: Loaded }[]>`select public.load_document(${project}) as answer`
      : tx<{ answer: Loaded }[]>`select public.load_document(${project}, ${since}) as answer`,
  );
  if (row === undefined) throw new Error('load_document answered nothing');
  return row.answer;
}

const revisionOf = async (project: string) => {
  const [row] = await world.sql<{ revision: number }[]>`
    select revision::int from public.projects where id = ${project}`;
  return row?.revision;
};

describe('an asset', () => {
  const store = (rows: FileRow[]) => storeAssets(world.sql, testUserIds.owner, rows);

  const formatOf = async (project: string) => {
    const [row] =
      await world.sql`select format from public.documents where project_id = ${project}`;
    return row?.['format'];
  };

  test('replaces a text, is replaced by one, and is removed', async () => {
    const project = await newProject(world, { 'a.svg': '<svg/>', 'index.html': '' });
    const client = randomUUID();
    const save = async (seq: number, changes: Pick<Append, 'changed' | 'removed'>) => {
      await send({
        project,
        client,
        base: seq,
        updates: [createUpdate(seq, `${seq}`)],
        format: 2,
        ...changes,
      });
      return readProjectRows(world.sql, project);
    };
    const html = { path: 'index.html', content: '' };
    expect(await formatOf(project)).toBe(1);
    const svg = createAssetRow('a.svg');
    const other = createAssetRow('a.svg', 'b', 9);
    await store([svg, other]);
    expect(await save(1, { changed: [svg] })).toEqual([svg, html]);
    expect(await formatOf(project)).toBe(2);
    expect(await save(2, { changed: [other] })).toEqual([other, html]);
    const text = { path: 'a.svg', content: '<svg></svg>' };
    expect(await save(3, { changed: [text] })).toEqual([text, html]);
    expect(await save(4, { changed: [svg] })).toEqual([svg, html]);
    expect(await save(5, { removed: ['a.svg'] })).toEqual([html]);
    expect(await formatOf(project)).toBe(2);
  });

  test('is in the answer of load_document as it is saved', async () => {
    const project = await newProject(world, { 'index.html': '' });
    const changed = [createAssetRow('b.png'), createAssetRow('a.png', 'b')];
    await store(changed);
    const updates = [createUpdate(1, 'x')];
    await send({ project, client: randomUUID(), base: 1, updates, changed, format: 2 });
    expect(await load(project)).toMatchObject({
      format: 2,
      assets: [createAssetRow('a.png', 'b'), createAssetRow('b.png')],
    });
  });

  test('makes the document reject clients that don’t read it, whatever they save', async () => {
    const project = await newProject(world, { 'index.html': '' });
    const older = randomUUID();
    const first = { project, client: older, base: 1, updates: [createUpdate(1, 'first')] };
    await send(first);
    const changed = [createAssetRow('a.png')];
    await store(changed);
    const updates = [createUpdate(1, 'x')];
    await send({ project, client: randomUUID(), base: 2, updates, changed, format: 2 });
    const before = await readEverything(world.sql);
    const next = { project, client: older, updates: [createUpdate(2, 'next')] };
    expect(await refuse({ ...next, base: 3, changed: { 'a.png': 'text' } })).toBe('save_refused');
    expect(await refuse({ ...next, base: 3, removed: ['a.png'] })).toBe('save_refused');
    expect(await refuse({ ...next, base: 2 })).toBe('save_refused');
    expect(await readEverything(world.sql)).toBe(before);
    // It hears of what was saved before, so that it doesn't send that again.
    expect(await send(first)).toMatchObject({ status: 'saved', again: true });
    expect(await send({ ...next, base: 3, format: 2 })).toMatchObject({ status: 'saved' });
    await world.sql`update public.documents set format = 3 where project_id = ${project}`;
    const later = { ...next, base: 4, updates: [createUpdate(3, 'later')] };
    expect(await refuse({ ...later, format: 2 })).toBe('reload_required');
    expect(await refuse(later)).toBe('save_refused');
  });

  test('is rejected over the limits of the project, and nothing is saved', async () => {
    const tenth = limits.projectMaxAssetBytes / 10;
    const project = await newProject(world, { 'index.html': '' });
    const changed = Array.from({ length: 10 }, (_, n) => createAssetRow(`${n}.png`, 'a', tenth));
    const one = createAssetRow('a.png', 'c', 1);
    const replaced = [createAssetRow('0.png', 'b', tenth)];
    await store([...changed, one, ...replaced]);
    const client = randomUUID();
    await send({ project, client, base: 1, updates: [createUpdate(1, 'x')], changed, format: 2 });
    const more = { project, client, base: 2, updates: [createUpdate(2, 'y')], format: 2 };
    const before = await readEverything(world.sql);
    expect(await refuse({ ...more, changed: [one] })).toBe('assets_too_large');
    expect(await readEverything(world.sql)).toBe(before);
    expect(await send({ ...more, changed: replaced })).toMatchObject({ status: 'saved' });
  });

  test('is seen by those who see the project', async () => {
    const files = [createAssetRow('a.png')];
    await store(files);
    const shown = await world.runAs('owner', (tx) =>
      createProject(tx, { id: randomUUID(), visibility: 'public', files }),
    );
    const hidden = await world.runAs('owner', (tx) =>
      createProject(tx, { id: randomUUID(), visibility: 'private', files }),
    );
    await world.runAs('stranger', async (tx) => {
      const read = (project: string) =>
        tx`select hash from public.project_files where project_id = ${project}`;
      expect(await read(shown.id)).toHaveLength(1);
      expect(await read(hidden.id)).toHaveLength(0);
      const change = (attempt: TransactionSql) =>
        attempt`update public.project_files set hash = ${'b'.repeat(64)} where project_id = ${shown.id}`;
      expect(await getRejectionCode(tx, change)).toContain('permission denied');
    });
  });
});

describe('append_updates', () => {
  test('stores updates and file texts, and increments the revision', async () => {
    const project = await newProject(world, { 'index.html': 'start' });
    const client = randomUUID();
    const saved = await send({
      project,
      client,
      base: 1,
      updates: [createUpdate(1, 'a'), createUpdate(2, 'b')],
      changed: { 'index.html': 'new', 'lib/a.js': 'let a;' },
    });
    expect(saved).toEqual({ status: 'saved', seq: 3, revision: 2 });
    expect(await readProjectFiles(world.sql, project)).toEqual({
      'index.html': 'new',
      'lib/a.js': 'let a;',
    });
    const next = await send({
      project,
      client,
      base: 3,
      updates: [createUpdate(3, 'c')],
      removed: ['index.html'],
    });
    expect(next).toEqual({ status: 'saved', seq: 4, revision: 3 });
    expect(await readProjectFiles(world.sql, project)).toEqual({ 'lib/a.js': 'let a;' });
    expect(await revisionOf(project)).toBe(3);
    const [row] =
      await world.sql`select updated_at > created_at as touched from public.projects where id = ${project}`;
    expect(row).toEqual({ touched: true });
  });

  test('responds to a repeated call with the stored result and writes nothing, also after other writes', async () => {
    const project = await newProject(world);
    const call = {
      project,
      client: randomUUID(),
      base: 1,
      updates: [createUpdate(1, 'a'), createUpdate(2, 'b')],
      changed: { 'a.js': '1' },
    };
    const first = await send(call);
    await send({
      project,
      client: randomUUID(),
      base: 3,
      updates: [createUpdate(1, 'c')],
      changed: { 'a.js': '2' },
    });
    const before = await readEverything(world.sql);
    expect(await send(call)).toEqual({ ...first, again: true });
    expect(await readEverything(world.sql)).toBe(before);
  });

  test('stores the rest of a partially stored batch', async () => {
    const project = await newProject(world);
    const client = randomUUID();
    await send({ project, client, base: 1, updates: [createUpdate(1, 'a')] });
    const rest = {
      project,
      client,
      base: 1,
      updates: [createUpdate(1, 'a'), createUpdate(2, 'b')],
      changed: { 'a.js': 'ab' },
    };
    expect(await send(rest)).toEqual({ status: 'saved', seq: 3, revision: 3 });
    expect((await load(project, 1)).updates.map((known) => known.update)).toEqual([
      base64('a'),
      base64('b'),
    ]);
  });

  test('returns missing updates to an outdated client, and accepts its merged text', async () => {
    const project = await newProject(world);
    await send({
      project,
      client: randomUUID(),
      base: 1,
      updates: [createUpdate(1, 'theirs')],
      changed: { 'a.js': 'theirs' },
    });
    const mine = { project, client: randomUUID(), updates: [createUpdate(1, 'mine')] };
    const before = await readEverything(world.sql);
    const behind = await send({ ...mine, base: 1, changed: { 'a.js': 'mine' } });
    expect(behind).toEqual({
      status: 'behind',
      format: 1,
      seq: 2,
      state: null,
      state_seq: 1,
      updates: [{ seq: 2, update: base64('theirs'), sha256: sha256('theirs') }],
    });
    expect(await readEverything(world.sql)).toBe(before);
    const merged = await send({ ...mine, base: 2, changed: { 'a.js': 'both' } });
    expect(merged).toEqual({ status: 'saved', seq: 3, revision: 3 });
    expect(await readProjectFiles(world.sql, project)).toMatchObject({ 'a.js': 'both' });
  });

  test('returns the state too to a client that has nothing', async () => {
    const project = await newProject(world);
    const behind = await send({
      project,
      client: randomUUID(),
      base: 0,
      updates: [createUpdate(1, 'x')],
    });
    expect(behind).toMatchObject({
      status: 'behind',
      seq: 1,
      state: base64('state'),
      state_seq: 1,
    });
  });

  test('accepts any first number, and then consecutive ones', async () => {
    const project = await newProject(world);
    const client = randomUUID();
    await send({ project, client, base: 1, updates: [createUpdate(41, 'a')] });
    expect(await refuse({ project, client, base: 2, updates: [createUpdate(43, 'c')] })).toBe(
      'version_conflict',
    );
    expect(await refuse({ project, client, base: 2, updates: [createUpdate(40, 'z')] })).toBe(
      'version_conflict',
    );
    expect(
      await refuse({
        project,
        client,
        base: 2,
        updates: [createUpdate(42, 'b'), createUpdate(44, 'd')],
      }),
    ).toBe('save_refused');
    expect(
      await refuse({
        project,
        client,
        base: 2,
        updates: [createUpdate(42, 'b'), createUpdate(42, 'b')],
      }),
    ).toBe('save_refused');
    expect(
      await send({
        project,
        client,
        base: 2,
        updates: [createUpdate(43, 'c'), createUpdate(42, 'b')],
      }),
    ).toMatchObject({ seq: 4 });
    expect((await load(project, 2)).updates.map((known) => known.update)).toEqual([
      base64('b'),
      base64('c'),
    ]);
  });

  test('rejects another update with a used number, and a base in the future', async () => {
    const project = await newProject(world);
    const client = randomUUID();
    await send({ project, client, base: 1, updates: [createUpdate(1, 'a')] });
    expect(await refuse({ project, client, base: 1, updates: [createUpdate(1, 'other')] })).toBe(
      'version_conflict',
    );
    expect(await refuse({ project, client, base: 9, updates: [createUpdate(2, 'b')] })).toBe(
      'version_conflict',
    );
  });

  test('rejects invalid or too large input, and stores nothing of it', async () => {
    const project = await newProject(world);
    const call = { project, client: randomUUID(), base: 1, updates: [createUpdate(1, 'a')] };
    const before = await readEverything(world.sql);
    const damaged = { ...createUpdate(2, 'b'), sha256: sha256('c') };
    expect(await refuse({ ...call, updates: [createUpdate(1, 'a'), damaged] })).toBe(
      'save_refused',
    );
    expect(await refuse({ ...call, updates: [{ ...createUpdate(1, 'a'), update: '?' }] })).toBe(
      'save_refused',
    );
    expect(await refuse({ ...call, updates: [] })).toBe('save_refused');
    expect(await refuse({ ...call, updates: [createUpdate(0, 'a')] })).toBe('save_refused');
    expect(await refuse({ ...call, updates: [createUpdate(1, '')] })).toBe('save_refused');
    const many = Array.from({ length: limits.updatesPerCall + 1 }, (_, i) =>
      createUpdate(i + 1, 'a'),
    );
    expect(await refuse({ ...call, updates: many })).toBe('save_refused');
    expect(
      await refuse({ ...call, updates: [createUpdate(1, 'x'.repeat(limits.updateMaxBytes + 1))] }),
    ).toBe('save_refused');
    expect(await refuse({ ...call, changed: { '/etc/passwd': '' } })).toBe('invalid_path');
    expect(await refuse({ ...call, changed: { 'INDEX.html': '' } })).toBe('path_taken');
    expect(
      await refuse({ ...call, changed: { 'a.txt': 'x'.repeat(limits.fileMaxBytes + 1) } }),
    ).toBe('file_too_large');
    const files = Object.fromEntries(
      Array.from({ length: limits.projectMaxFiles }, (_, i) => [`${i}`, '']),
    );
    expect(await refuse({ ...call, changed: files })).toBe('too_many_files');
    expect(await readEverything(world.sql)).toBe(before);
  });

  test('accepts as much as the limits allow', async () => {
    const project = await newProject(world);
    const client = randomUUID();
    const largest = createUpdate(1, 'x'.repeat(limits.updateMaxBytes));
    expect(await send({ project, client, base: 1, updates: [largest] })).toMatchObject({ seq: 2 });
    const many = Array.from({ length: limits.updatesPerCall }, (_, i) => createUpdate(i + 2, 'a'));
    expect(await send({ project, client, base: 2, updates: many })).toMatchObject({ seq: 502 });
  });

  test('renames a file to another case', async () => {
    const project = await newProject(world, { 'index.html': 'same' });
    await send({
      project,
      client: randomUUID(),
      base: 1,
      updates: [createUpdate(1, 'a')],
      changed: { 'Index.html': 'same' },
      removed: ['index.html'],
    });
    expect(await readProjectFiles(world.sql, project)).toEqual({ 'Index.html': 'same' });
  });

  test('requires the permission to edit, and reveals no more than the reader sees', async () => {
    const call = {
      client: randomUUID(),
      base: 2,
      updates: [createUpdate(1, 'x')],
      changed: { 'a.js': 'x' },
    };
    const before = await readEverything(world.sql);
    expect(await refuse({ ...call, project: projects.public }, 'stranger')).toBe('not_allowed');
    expect(await refuse({ ...call, project: projects.private }, 'stranger')).toBe(
      'not_found_or_private',
    );
    expect(await refuse({ ...call, project: randomUUID() }, 'stranger')).toBe(
      'not_found_or_private',
    );
    expect(await refuse({ ...call, project: projects.private }, 'admin')).toBe('not_allowed');
    expect(await refuse({ ...call, project: projects.public }, 'moderator')).toBe('not_allowed');
    expect(await refuse({ ...call, project: projects.suspended }, 'suspended')).toBe('suspended');
    await expect(send({ ...call, project: projects.public }, 'anon')).rejects.toMatchObject({
      code: '42501',
    });
    expect(await readEverything(world.sql)).toBe(before);
  });

  test('works in the trash and while hidden, so that nothing is lost', async () => {
    const call = { client: randomUUID(), base: 2, updates: [createUpdate(1, 'x')] };
    expect(await send({ ...call, project: projects.trashed })).toMatchObject({ status: 'saved' });
    expect(await send({ ...call, project: projects.hidden })).toMatchObject({ status: 'saved' });
  });
});

describe('load_document', () => {
  test('returns the state and all updates, or those after a number', async () => {
    const project = await newProject(world);
    const updates = [createUpdate(1, 'a'), createUpdate(2, 'b')];
    await send({ project, client: randomUUID(), base: 1, updates });
    const known = updates.map((sent, i) => ({
      seq: i + 2,
      update: sent.update,
      sha256: sent.sha256,
    }));
    const rest = { format: 1, seq: 3, state_seq: 1, assets: [] };
    expect(await load(project)).toEqual({ ...rest, state: base64('state'), updates: known });
    expect(await load(project, 2)).toEqual({ ...rest, state: null, updates: known.slice(1) });
    expect(await load(project, 3)).toEqual({ ...rest, state: null, updates: [] });
  });

  test('requires the permission to edit, as a document contains deleted text', async () => {
    for (const who of ['stranger', 'moderator', 'admin'] as const) {
      const answer = await world.runAs(who, (tx) =>
        getRejectionCode(tx, (attempt) => attempt`select public.load_document(${projects.public})`),
      );
      expect(answer).toBe('not_found_or_private');
    }
    expect((await load(projects.suspended, 0, 'suspended')).seq).toBe(2);
  });

  test('returns base64 without line breaks', async () => {
    const project = await newProject(world);
    const bytes = 'x'.repeat(1000);
    await send({ project, client: randomUUID(), base: 1, updates: [createUpdate(1, bytes)] });
    expect((await load(project, 1)).updates[0]?.update).toBe(base64(bytes));
  });
});

test('records the user of an update', async () => {
  const rows = await world.sql`select distinct author_id from public.document_updates
    where project_id = ${projects.private}`;
  expect([...rows]).toEqual([{ author_id: testUserIds.owner }]);
});
