import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TransactionSql } from 'postgres';
import { limits } from '@vitrine/project';
import {
  appendUpdates,
  createAssetRow,
  createProject,
  createUpdate,
  createVersion,
  listVersions,
  publishVersion,
  readProject,
  readVersion,
  type FileRow,
  type FileTexts,
} from '@vitrine/testing/schema-calls';
import {
  addUser,
  newProject,
  openWorld,
  switchUser,
  testUserIds,
} from '@vitrine/testing/schema-world';
import type { SchemaWorld } from '@vitrine/testing/schema-world';
import { getRejectionCode, readEverything, waitForLockWaiters } from './schema-attempts.ts';

let world: SchemaWorld;
let project: string;
let slug: string;
const viewer = randomUUID();
const editor = randomUUID();
const suspended = randomUUID();
const removed = randomUUID();
/** Everyone who isn't a member. */
const others = ['anon', 'stranger', removed, 'moderator', 'admin'];

beforeAll(async () => {
  world = await openWorld();
  await addUser(world.sql, viewer, 'vic');
  await addUser(world.sql, editor, 'eve');
  await addUser(world.sql, suspended, 'sue');
  await addUser(world.sql, removed, 'rem');
  await world.sql`update public.profiles set suspended_at = now() where id = ${suspended}`;
});
afterAll(() => world.close());

beforeEach(async () => {
  project = await newProject(world, { 'index.html': 'first' });
  slug = await slugOf(project);
  await world.sql`insert into public.project_members (project_id, user_id, role) values
    (${project}, ${viewer}, 'viewer'), (${project}, ${editor}, 'editor'),
    (${project}, ${suspended}, 'editor')`;
});

async function slugOf(id: string): Promise<string> {
  const [row] = await world.sql<{ slug: string }[]>`
    select slug from public.projects where id = ${id}`;
  if (row === undefined) throw new Error(`there is no project ${id}`);
  return row.slug;
}

const share = (visibility: string) =>
  world.sql`update public.projects set visibility = ${visibility} where id = ${project}`;

/** Saves files like the app, after what was saved before. */
async function save(
  changed: FileTexts | FileRow[],
  gone: string[] = [],
  who = 'owner',
): Promise<number> {
  const [row] = await world.sql<{ seq: number }[]>`
    select seq::int from public.documents where project_id = ${project}`;
  const answer = await world.runAs(who, (tx) =>
    appendUpdates(tx, {
      project,
      client: randomUUID(),
      base: row?.seq ?? 0,
      updates: [createUpdate(1, 'an edit')],
      changed,
      removed: gone,
      format: 2,
    }),
  );
  return answer.seq;
}

const keep = (o: { message?: string; reason?: string } = {}, who = 'owner') =>
  world.runAs(who, (tx) => createVersion(tx, project, o));
const publish = (number: number | null, who = 'owner') =>
  world.runAs(who, (tx) => publishVersion(tx, project, number));
const list = (who: string, o: { before?: number; count?: number } = {}) =>
  world.runAs(who, (tx) => listVersions(tx, slug, o));
const read = (who: string, number: number, base?: number) =>
  world.runAs(who, (tx) => readVersion(tx, slug, number, base));
const open = (who: string) => world.runAs(who, (tx) => readProject(tx, slug));

const numbersFor = async (who: string) => (await list(who)).map(({ number }) => number);
const textsOf = (found: { files: { path: string; content: string }[] } | null) =>
  found && Object.fromEntries(found.files.map(({ path, content }) => [path, content]));

/** Returns the code with which a call is rejected. */
const refusal = (who: string, call: (tx: TransactionSql) => Promise<unknown>) =>
  world.runAs(who, (tx) => getRejectionCode(tx, call));

describe('create_version', () => {
  test('keeps the files as they are, numbered from 1', async () => {
    expect(await keep({ message: '  First \n' })).toEqual({ number: 1, created: true });
    const seq = await save({ 'index.html': 'second', 'lib/ü.js': '' });
    expect(await keep()).toEqual({ number: 2, created: true });
    await save({ 'index.html': 'third' }, ['lib/ü.js']);

    expect(textsOf(await read('owner', 1))).toEqual({ 'index.html': 'first' });
    const second = await read('owner', 2);
    expect(textsOf(second)).toEqual({ 'index.html': 'second', 'lib/ü.js': '' });
    expect(second).toMatchObject({ number: 2, seq, revision: 2, assets: [] });
    expect(second?.project).toMatchObject({ id: project, role: 'owner', published_version: null });
    expect(await list('owner')).toMatchObject([
      { number: 2, message: '', changed_count: 2 },
      { number: 1, message: 'First', changed: [{ path: 'index.html', kind: 'added' }] },
    ]);
  });

  test('stores only what changed', async () => {
    await save({ 'a.txt': 'same', 'b.txt': 'same', 'c.txt': 'other' });
    await keep();
    for (const content of ['1', '2', '1']) {
      await save({ 'c.txt': content });
      await keep();
    }
    const [stored] = await world.sql`
      select (select count(*)::int from public.version_files where project_id = ${project}) as files,
        (select array_agg(content order by content) from public.version_contents
         where project_id = ${project}) as contents`;
    expect(stored).toEqual({ files: 7, contents: ['1', '2', 'first', 'other', 'same'] });
    expect(textsOf(await read('owner', 4))).toMatchObject({ 'a.txt': 'same', 'c.txt': '1' });
  });

  test('says what was added, changed and removed since the version before', async () => {
    await keep();
    await save({ 'index.html': 'other', 'b.txt': 'b', 'c.txt': 'c' });
    await keep();
    await save({ 'c.txt': 'new' }, ['b.txt']);
    await keep();
    await save({ 'b.txt': 'again' });
    await keep();
    expect((await list('owner')).map(({ changed }) => changed)).toEqual([
      [{ path: 'b.txt', kind: 'added' }],
      [
        { path: 'b.txt', kind: 'removed' },
        { path: 'c.txt', kind: 'changed' },
      ],
      [
        { path: 'b.txt', kind: 'added' },
        { path: 'c.txt', kind: 'added' },
        { path: 'index.html', kind: 'changed' },
      ],
      [{ path: 'index.html', kind: 'added' }],
    ]);
  });

  test('lists at most 20 changed files, and counts all', async () => {
    await save(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${i}.txt`, `${i}`])));
    await keep();
    const [version] = await list('owner');
    expect([version?.changed.length, version?.changed_count]).toEqual([20, 31]);
  });

  test('makes no automatic version if nothing changed since the newest', async () => {
    expect(await keep({ reason: 'pause' })).toEqual({ number: 1, created: true });
    for (const reason of ['restore', 'import', 'fork', 'pause', 'publish'])
      expect(await keep({ reason })).toEqual({ number: 1, created: false });
    await save({ 'index.html': 'x' });
    await save({ 'index.html': 'first' });
    expect(await keep({ reason: 'restore' })).toEqual({ number: 1, created: false });
    expect(await keep({ message: 'Same files' })).toEqual({ number: 2, created: true });
    await save({ 'index.html': 'x' });
    expect(await keep({ reason: 'import' })).toEqual({ number: 3, created: true });
  });

  test('makes one version of a pause, whatever others save after it', async () => {
    expect(await keep({ reason: 'pause' })).toEqual({ number: 1, created: true });
    await save({ 'index.html': 'typed by the first' });
    expect(await keep({ reason: 'pause' }, editor)).toEqual({ number: 1, created: false });
    expect(await keep({ reason: 'import' })).toEqual({ number: 2, created: true });
    await world.sql`update public.project_versions
      set created_at = created_at - interval '10 minutes' where project_id = ${project}`;
    await save({ 'index.html': 'typed after the next pause' });
    expect(await keep({ reason: 'pause' })).toEqual({ number: 3, created: true });
  });

  test('keeps a project without files', async () => {
    await save({}, ['index.html']);
    expect(await keep({ reason: 'pause' })).toEqual({ number: 1, created: true });
    expect(await keep({ reason: 'pause' })).toEqual({ number: 1, created: false });
    expect(await read('owner', 1)).toMatchObject({ files: [], assets: [] });
  });

  test('keeps assets by their hash, and a text with the same hash apart', async () => {
    await world.sql`insert into public.project_files (project_id, path, hash, size, media_type,
        uploader)
      values (${project}, 'a.png', ${'a'.repeat(64)}, 4, 'image/png', ${testUserIds.owner})`;
    await keep();
    const expected = { ...createAssetRow('a.png'), uploader: testUserIds.owner };
    expect((await read('owner', 1))?.assets).toEqual([expected]);
    await world.sql`update public.project_files set media_type = 'image/gif'
      where project_id = ${project} and path = 'a.png'`;
    expect(await keep({ reason: 'pause' })).toEqual({ number: 2, created: true });
    expect((await list('owner'))[0]?.changed).toEqual([{ path: 'a.png', kind: 'changed' }]);
    expect((await read('owner', 1))?.assets).toEqual([expected]);
  });

  test('reads what changed since another version', async () => {
    await save({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' });
    await keep();
    await save({ 'a.txt': 'A' });
    await keep();
    await save({ 'd.txt': 'd' }, ['b.txt']);
    await keep();
    await save({ 'e.txt': 'e' }, ['d.txt']);
    await keep();
    const changes = async (number: number, base: number) => {
      const found = await read('owner', number, base);
      return [textsOf(found), found?.removed];
    };
    expect(await changes(3, 1)).toEqual([{ 'a.txt': 'A', 'd.txt': 'd' }, ['b.txt']]);
    expect(await changes(4, 2)).toEqual([{ 'e.txt': 'e' }, ['b.txt']]);
    expect(await changes(4, 4)).toEqual([{}, []]);
    expect(await read('owner', 4, 9)).toBeNull();
  });

  test('rejects a message of more than 200 characters, and other reasons', async () => {
    const refuse = (o: { message?: string; reason?: string | null }) =>
      refusal('owner', (tx) => createVersion(tx, project, o));
    const most = '🎉'.repeat(limits.versionMessageMax);
    expect(await keep({ message: most })).toMatchObject({ created: true });
    expect(await refuse({ message: `${most}!` })).toBe('bad_request');
    expect(await refuse({ reason: 'because' })).toBe('bad_request');
    expect(await refuse({ reason: null })).toBe('bad_request');
    expect(await numbersFor('owner')).toEqual([1]);
  });

  test(`makes ${limits.versionsPerHour} an hour for a user`, async () => {
    await keep({}, editor);
    await world.sql`update private.attempts set amount = ${limits.versionsPerHour - 1}
      where subject = ${editor}`;
    expect(await keep({}, editor)).toMatchObject({ created: true });
    expect(await refusal(editor, (tx) => createVersion(tx, project))).toBe('rate_limited');
    expect(await keep()).toMatchObject({ created: true });
  });

  test('keeps large projects whole', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 10 }, (_, i) => [`${i}.txt`, `${i}${'é'.repeat(500_000)}`]),
    );
    await save(files);
    await keep();
    expect(textsOf(await read('owner', 1))).toEqual({ 'index.html': 'first', ...files });
  });
});

describe('list_versions', () => {
  test('goes back from a number, up to 100 at a time', async () => {
    await world.sql`insert into public.project_versions
        (project_id, number, reason, author_id, seq, revision, created_at)
      select ${project}, n, 'named', ${testUserIds.owner}, 1, 1, now() - interval '2 hours'
      from generate_series(1, 105) n`;
    expect(await numbersFor('owner')).toHaveLength(20);
    expect((await list('owner', { count: 2 })).map(({ number }) => number)).toEqual([105, 104]);
    const before = await list('owner', { before: 3, count: 5 });
    expect(before.map(({ number }) => number)).toEqual([2, 1]);
    for (const count of [101, 2 ** 31 - 1])
      expect(await list('owner', { count })).toHaveLength(100);
    for (const count of [0, -1]) expect(await list('owner', { count })).toHaveLength(1);
  });

  test('reads no more of a long history than of a short one', async () => {
    await addVersions(1, 50);
    const short = await countBlocks();
    await addVersions(51, 1_000);
    expect(await countBlocks()).toBeLessThan(1.5 * short);
  });

  async function addVersions(first: number, last: number): Promise<void> {
    await world.sql`insert into public.project_versions
        (project_id, number, reason, author_id, seq, revision)
      select ${project}::uuid, number, 'named', ${testUserIds.owner}::uuid, 1, 1
      from generate_series(${first}::int, ${last}::int) number`;
    await world.sql`insert into public.version_files (project_id, number, path, hash, size)
      select ${project}::uuid, number, 'index.html', 'hash ' || number, 1
      from generate_series(${first}::int, ${last}::int) number`;
    await world.sql`analyze public.project_versions, public.version_files`;
  }

  /** Blocks of the database that a page of the timeline reads. */
  function countBlocks(): Promise<number> {
    return world.runAs('owner', async (tx) => {
      // The first call also reads catalogs.
      await listVersions(tx, slug);
      const [row] = await tx.unsafe<{ 'QUERY PLAN': [{ Plan: Record<string, unknown> }] }[]>(
        `explain (analyze, buffers, format json) select public.list_versions('${slug}')`,
      );
      return Number(row?.['QUERY PLAN'][0].Plan['Shared Hit Blocks']);
    });
  }

  test('shows the author’s public profile, until the account is deleted', async () => {
    const author = randomUUID();
    await addUser(world.sql, author, `author-${author.slice(0, 4)}`);
    await world.sql`insert into public.project_members (project_id, user_id, role)
      values (${project}, ${author}, 'editor')`;
    await keep({}, author);
    expect((await list('owner'))[0]?.author).toEqual({
      username: `author-${author.slice(0, 4)}`,
      display_name: '',
      avatar_path: null,
    });
    await world.sql`delete from auth.users where id = ${author}`;
    expect((await list('owner'))[0]).toMatchObject({ number: 1, author: null });
  });
});

describe('DB-40: versions of a private project', () => {
  test('are seen by members, and by nobody else', async () => {
    await keep({ message: 'Secret plan' });
    for (const who of ['owner', editor, viewer, suspended]) {
      expect([who, await numbersFor(who)]).toEqual([who, [1]]);
      expect([who, textsOf(await read(who, 1))]).toEqual([who, { 'index.html': 'first' }]);
    }
    // Admins see every project.
    for (const who of ['anon', 'stranger', removed, 'moderator']) {
      expect([who, await list(who)]).toEqual([who, []]);
      expect([who, await read(who, 1)]).toEqual([who, null]);
    }
  });

  test('are no longer seen by a member who was removed, or of a project in the trash', async () => {
    await keep();
    await world.sql`update public.projects set trashed_at = now() where id = ${project}`;
    expect([await list(editor), await read(editor, 1)]).toEqual([[], null]);
    expect(await numbersFor('owner')).toEqual([1]);
    await world.sql`update public.projects set trashed_at = null where id = ${project}`;
    expect(await numbersFor(editor)).toEqual([1]);
    await world.sql`delete from public.project_members where project_id = ${project}`;
    expect([await list(editor), await read(editor, 1)]).toEqual([[], null]);
  });

  test('are seen by those who open it by its link once it is unlisted, unless it is hidden', async () => {
    await keep();
    await share('unlisted');
    expect([await numbersFor('anon'), textsOf(await read('stranger', 1))]).toEqual([
      [1],
      { 'index.html': 'first' },
    ]);
    await world.sql`update public.projects set hidden_at = now() where id = ${project}`;
    for (const who of ['anon', 'stranger'])
      expect([await list(who), await read(who, 1)]).toEqual([[], null]);
  });
});

describe('DB-41: with a published version', () => {
  beforeEach(async () => {
    await share('public');
    await keep({ message: 'One' });
    await save({ 'index.html': 'unfinished', 'notes.txt': 'a key' });
    await publish(1);
  });

  test('others read it, and members the files they work on', async () => {
    for (const who of others) {
      const found = await open(who);
      expect([who, textsOf(found)]).toEqual([who, { 'index.html': 'first' }]);
      expect(found).toMatchObject({ revision: 1, role: null, published_version: 1 });
    }
    for (const [who, role] of [
      ['owner', 'owner'],
      [editor, 'editor'],
      [suspended, 'editor'],
      [viewer, 'viewer'],
    ] as const) {
      const found = await open(who);
      expect(textsOf(found)).toEqual({ 'index.html': 'unfinished', 'notes.txt': 'a key' });
      expect(found).toMatchObject({ revision: 2, role, published_version: 1 });
    }
  });

  test('others find nothing newer in the tables', async () => {
    const rowsFor = (who: string) =>
      world.runAs(who, (tx) =>
        tx`select path from public.project_files where project_id = ${project}
          union all select p.title from public.projects p
            join public.project_files f on f.project_id = p.id where p.id = ${project}`.then(
          (rows) => rows.length,
        ),
      );
    for (const who of others) expect([who, await rowsFor(who)]).toEqual([who, 0]);
    for (const who of ['owner', editor, viewer])
      expect([who, await rowsFor(who)]).toEqual([who, 4]);
    await expect(
      world.runAs('stranger', (tx) => tx`select public.load_document(${project})`),
    ).rejects.toThrow('not_found_or_private');
  });

  test('others read the files being edited again when nothing is published', async () => {
    await publish(null);
    expect(textsOf(await open('anon'))).toMatchObject({ 'notes.txt': 'a key' });
    expect(await open('anon')).toMatchObject({ revision: 2, published_version: null });
  });

  test('a published version can be changed for an older one', async () => {
    await keep();
    await publish(2);
    expect(textsOf(await open('anon'))).toMatchObject({ 'notes.txt': 'a key' });
    await publish(1);
    expect(textsOf(await open('anon'))).toEqual({ 'index.html': 'first' });
  });
});

describe('DB-42: others see versions that were named or published, up to the published one', () => {
  test('no automatic ones, and no names of files that only those had', async () => {
    await share('public');
    await keep();
    await save({ 'key.txt': 'secret' });
    await keep({ reason: 'pause' });
    await save({ 'index.html': 'done' }, ['key.txt']);
    await keep();
    for (const who of others) {
      expect(await list(who)).toMatchObject([
        { number: 3, changed: [{ path: 'index.html', kind: 'changed' }], changed_count: 1 },
        { number: 1 },
      ]);
      expect(await read(who, 2)).toBeNull();
      expect([await read(who, 3, 2), (await read(who, 3, 1))?.removed]).toEqual([null, []]);
    }
    for (const who of ['owner', editor, viewer]) expect(await numbersFor(who)).toEqual([3, 2, 1]);
  });

  test('an automatic one that is published stays', async () => {
    await share('public');
    await keep({ reason: 'pause' });
    await publish(1);
    await save({ 'index.html': 'second' });
    await keep({ reason: 'publish' });
    expect(await numbersFor('anon')).toEqual([1]);
    await publish(2);
    expect(await numbersFor('anon')).toEqual([2, 1]);
  });

  test('none after the published one', async () => {
    await share('public');
    for (const content of ['2', '3']) {
      await keep();
      await save({ 'index.html': content });
    }
    await keep();
    expect(await numbersFor('anon')).toEqual([3, 2, 1]);
    await publish(2);
    expect(await numbersFor('anon')).toEqual([2, 1]);
    expect(await read('anon', 3)).toBeNull();
    expect(await numbersFor(viewer)).toEqual([3, 2, 1]);
    await publish(null);
    expect(await numbersFor('anon')).toEqual([3, 2, 1]);
  });
});

describe('DB-43: a version never changes', () => {
  /** Runs a statement as a role, with the claims of the owner where it is one of the database's own. */
  async function attempt(who: string, statement: string): Promise<unknown> {
    if (who !== 'service_role' && who !== 'vitrine_writer')
      return world.runAs(who, (tx) => tx.unsafe(statement));
    return world.sql.begin(async (tx) => {
      await switchUser(tx, 'owner');
      await tx`select set_config('role', ${who}, true)`;
      await tx.unsafe(statement);
    });
  }

  test.each(['anon', 'stranger', 'owner', 'admin', 'service_role', 'vitrine_writer'])(
    '%s can neither change nor delete one',
    async (who) => {
      await keep();
      const before = await readEverything(world.sql);
      for (const statement of [
        `update public.project_versions set message = 'other' where project_id = '${project}'`,
        `update public.project_versions set seq = 9 where project_id = '${project}'`,
        `delete from public.project_versions where project_id = '${project}'`,
        `update public.version_files set hash = null where project_id = '${project}'`,
        `delete from public.version_files where project_id = '${project}'`,
        `update public.version_contents set content = 'other' where project_id = '${project}'`,
        `delete from public.version_contents where project_id = '${project}'`,
        'truncate public.version_contents',
      ])
        await expect(attempt(who, statement), statement).rejects.toMatchObject({ code: '42501' });
      expect(await readEverything(world.sql)).toBe(before);
    },
  );

  test('its files are the same after everything that happens to the project', async () => {
    await share('public');
    await keep();
    const then = await read('owner', 1);
    await save({ 'index.html': 'other' }, []);
    await keep();
    await save({ 'new.txt': 'x' }, ['index.html']);
    await keep({ reason: 'restore' });
    await publish(1);
    const now = await read('owner', 1);
    expect([now?.files, now?.seq, now?.revision]).toEqual([then?.files, then?.seq, then?.revision]);
  });

  test('goes with its project, and stays when another of its members leaves', async () => {
    await keep({}, editor);
    await world.sql`delete from public.project_members where user_id = ${editor}`;
    expect(await numbersFor('owner')).toEqual([1]);
    await world.sql`delete from public.projects where id = ${project}`;
    const [left] = await world.sql`
      select (select count(*)::int from public.project_versions where project_id = ${project})
        + (select count(*)::int from public.version_files where project_id = ${project})
        + (select count(*)::int from public.version_contents where project_id = ${project}) as rows`;
    expect(left).toEqual({ rows: 0 });
  });
});

describe('DB-44: who may', () => {
  const versions = async () =>
    (await world.sql`select from public.project_versions where project_id = ${project}`).length;
  const add = (who: string) => refusal(who, (tx) => createVersion(tx, project));
  const show = (who: string) => refusal(who, (tx) => publishVersion(tx, project, 1));

  test('create versions: active editors and the owner', async () => {
    expect(await keep({}, editor)).toMatchObject({ created: true });
    expect(await add('stranger')).toBe('not_found_or_private');
    expect(await add(removed)).toBe('not_found_or_private');
    expect(await add(viewer)).toBe('not_allowed');
    expect(await add('admin')).toBe('not_allowed');
    expect(await add(suspended)).toBe('suspended');
    await share('public');
    expect(await add('stranger')).toBe('not_allowed');
    await expect(world.runAs('anon', (tx) => createVersion(tx, project))).rejects.toMatchObject({
      code: '42501',
    });
    expect(await versions()).toBe(1);
  });

  test('publish: the owner', async () => {
    await keep();
    await share('public');
    for (const who of ['stranger', viewer, editor, 'admin', 'moderator'])
      expect([who, await show(who)]).toEqual([who, 'not_allowed']);
    expect(await show(suspended)).toBe('suspended');
    await expect(world.runAs('anon', (tx) => publishVersion(tx, project, 1))).rejects.toMatchObject(
      {
        code: '42501',
      },
    );
    expect(await open('anon')).toMatchObject({ published_version: null });
    expect(await refusal('owner', (tx) => publishVersion(tx, project, 2))).toBe(
      'not_found_or_private',
    );
    await publish(1);
    expect(await open('anon')).toMatchObject({ published_version: 1 });
    for (const who of [editor, 'admin'])
      expect(await refusal(who, (tx) => publishVersion(tx, project, null))).toBe('not_allowed');
  });

  test('write the pointer to the published version: no client', async () => {
    await keep();
    for (const who of ['owner', 'admin']) {
      await expect(
        world.runAs(
          who,
          (tx) => tx`update public.projects set published_version = 1 where id = ${project}`,
        ),
      ).rejects.toMatchObject({ code: '42501' });
    }
  });

  test('an owner who is suspended reads versions and makes none', async () => {
    const owner = randomUUID();
    await addUser(world.sql, owner);
    const { id } = await world.runAs(owner, (tx) => createProject(tx, { id: randomUUID() }));
    await world.runAs(owner, (tx) => createVersion(tx, id));
    await world.sql`update public.profiles set suspended_at = now() where id = ${owner}`;
    slug = await slugOf(id);
    expect(await numbersFor(owner)).toEqual([1]);
    expect(await refusal(owner, (tx) => createVersion(tx, id))).toBe('suspended');
    expect(await refusal(owner, (tx) => publishVersion(tx, id, 1))).toBe('suspended');
  });
});

describe('DB-45: concurrent calls', () => {
  test('number versions without holes', async () => {
    const people = ['owner', editor];
    const made = await Promise.all(Array.from({ length: 12 }, (_, i) => keep({}, people[i % 2])));
    expect(made.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, i) => i + 1),
    );
  });

  test('make one automatic version of the same files', async () => {
    const made = await Promise.all(
      Array.from({ length: 6 }, () => keep({ reason: 'pause' }, editor)),
    );
    expect(made.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(made.map(({ number }) => number))).toEqual(new Set([1]));
  });

  test('a version is the document before or after a concurrent save, never half of it', async () => {
    // Holds the save after it has changed the first file and before the second.
    const gate = await world.sql.reserve();
    await gate`begin`;
    await gate`lock table public.document_updates in access exclusive mode`;
    const saving = save({ 'index.html': 'second', 'other.txt': 'second' });
    await waitForLockWaiters(world.sql, 1);
    const keeping = keep();
    await waitForLockWaiters(world.sql, 2);
    await gate`commit`;
    gate.release();
    const [seq] = await Promise.all([saving, keeping]);
    const version = await read('owner', 1);
    expect(textsOf(version)).toEqual({ 'index.html': 'second', 'other.txt': 'second' });
    expect(version).toMatchObject({ seq, revision: 2 });
  });
});

describe('DB-46: assets of versions', () => {
  const name = (uploader: string) => `${uploader}/${'b'.repeat(64)}`;
  const isReferenced = async () =>
    (await world.sql`select private.is_asset_referenced(${name(testUserIds.owner)}) as is`)[0]?.[
      'is'
    ];

  test('are referenced as long as there is a version', async () => {
    await world.sql`insert into public.project_files (project_id, path, hash, size, media_type,
        uploader)
      values (${project}, 'b.png', ${'b'.repeat(64)}, 4, 'image/png', ${testUserIds.owner})`;
    await keep();
    await save({}, ['b.png']);
    expect(await isReferenced()).toBe(true);
    await world.sql`delete from public.projects where id = ${project}`;
    expect(await isReferenced()).toBe(false);
  });

  test('may be read by those who see the version', async () => {
    await world.sql`insert into public.project_files (project_id, path, hash, size, media_type,
        uploader)
      values (${project}, 'b.png', ${'b'.repeat(64)}, 4, 'image/png', ${testUserIds.owner})`;
    await share('public');
    await keep();
    await world.sql`delete from public.project_files where project_id = ${project}`;
    await world.sql`delete from private.removed_assets where project_id = ${project}`;
    const mayRead = (who: string) =>
      world.runAs(who, async (tx) => {
        await tx`select set_config('storage.operation', 'storage.object.get_authenticated', true)`;
        const [row] = await tx`select private.may_read_asset(${name(testUserIds.owner)}) as may`;
        return row?.['may'] as unknown;
      });
    expect([await mayRead('anon'), await mayRead('stranger'), await mayRead(editor)]).toEqual([
      true,
      true,
      true,
    ]);
    await share('private');
    expect([await mayRead('anon'), await mayRead('stranger'), await mayRead(viewer)]).toEqual([
      false,
      false,
      true,
    ]);
  });
});

test('a fork’s versions start anew', async () => {
  await share('public');
  await keep();
  await save({ 'index.html': 'second' });
  await keep();
  const fork = await world.runAs('stranger', (tx) =>
    createProject(tx, {
      id: randomUUID(),
      files: { 'index.html': 'second' },
      forkedFrom: project,
      forkedFromVersion: 2,
    }),
  );
  const readAs = (who: string) => world.runAs(who, (tx) => readProject(tx, fork.slug));
  expect(await readAs('stranger')).toMatchObject({
    forked_from: { id: project },
    forked_from_version: 2,
    published_version: null,
  });
  slug = fork.slug;
  expect(await list('stranger')).toEqual([]);
  expect(await world.runAs('stranger', (tx) => createVersion(tx, fork.id))).toEqual({
    number: 1,
    created: true,
  });
});
