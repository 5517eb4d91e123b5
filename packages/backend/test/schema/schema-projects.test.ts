import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isSlug, limits } from '@vitrine/project';
import {
  readEverything,
  getRejectionCode,
  rollBackAfter,
  waitForLockWaiters,
} from './schema-attempts.ts';
import {
  appendUpdates,
  createAssetRow,
  createProject,
  readProjectFiles,
  readProjectRows,
  sha256,
  storeAssets,
  createUpdate,
} from '@vitrine/testing/schema-calls';
import {
  addUser,
  switchUser,
  openWorld,
  testUserIds,
  projects,
  roles,
} from '@vitrine/testing/schema-world';
import type { CreateProjectInput, FileRow } from '@vitrine/testing/schema-calls';
import type { Role, SchemaWorld } from '@vitrine/testing/schema-world';

let world: SchemaWorld;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const create = (
  who: Role | string,
  project: Omit<CreateProjectInput, 'id'> & { id?: string } = {},
) => world.runAs(who, (tx) => createProject(tx, { id: randomUUID(), ...project }));

/** Returns the code with which creating this project is rejected. */
const refuseCreation = (project: Partial<CreateProjectInput>, who: Role | string = 'owner') =>
  world.runAs(who, (tx) =>
    getRejectionCode(tx, (attempt) => createProject(attempt, { id: randomUUID(), ...project })),
  );

/** Creates `count` files of `bytes` bytes each. */
const makeFiles = (count: number, bytes: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}.txt`, 'é'.repeat(bytes / 2)]));

describe('create_project', () => {
  test('stores the project, its files and its document', async () => {
    const files = { 'index.html': '<h1>é</h1>', 'lib/a.js': 'let a;' };
    const made = await create('owner', {
      title: 'Boids',
      description: 'Flocks',
      files,
      state: 'yjs',
    });
    const { id, slug } = made;
    expect(made).toEqual({ id, slug, revision: 1, seq: 1, username: 'the-owner' });
    expect(isSlug(slug)).toBe(true);
    expect(await readProjectFiles(world.sql, id)).toEqual(files);
    const [document] = await world.sql`
      select convert_from(state, 'utf8') as state, encode(state_sha256, 'hex') as sum
      from public.documents where project_id = ${id}`;
    expect(document).toEqual({ state: 'yjs', sum: sha256('yjs') });
  });

  test('responds to a retry with the same row and writes nothing', async () => {
    const project = { id: randomUUID(), title: 'Once' };
    const first = await create('owner', project);
    const before = await readEverything(world.sql);
    expect(await create('owner', project)).toEqual(first);
    expect(await readEverything(world.sql)).toBe(before);
  });

  test('creates one project with two concurrent calls', async () => {
    const project = { id: randomUUID() };
    // Blocks the first call after it has inserted the row and before it is visible.
    const gate = await world.sql.reserve();
    await gate`begin`;
    await gate`lock table public.project_files in share mode`;
    const calls = [create('owner', project), create('owner', project)];
    await waitForLockWaiters(world.sql, 2);
    await gate`commit`;
    gate.release();
    const [one, other] = await Promise.all(calls);
    expect(one).toEqual(other);
  });

  test('responds to a retry with other content with the existing project, for merging', async () => {
    const id = randomUUID();
    const first = await create('owner', { id, state: 'first' });
    const before = await readEverything(world.sql);
    expect(await create('owner', { id, state: 'more' })).toEqual({ ...first, seq: null });
    expect(await readEverything(world.sql)).toBe(before);
  });

  test('generates another slug when one is taken', async () => {
    await rollBackAfter(world.sql, async (tx) => {
      const [taken] = await tx<{ slug: string }[]>`select slug from public.projects limit 1`;
      await tx.unsafe(`
        create sequence private.draws;
        grant usage on sequence private.draws to vitrine_writer;
        create or replace function private.new_slug() returns text language sql volatile
          set search_path = '' as $$
          select case when nextval('private.draws') < 3 then '${taken?.slug}' else 'free000000000000' end $$`);
      await switchUser(tx, 'owner');
      const made = await createProject(tx, { id: randomUUID() });
      expect(made.slug).toBe('free000000000000');
    });
  });

  test('rejects invalid input, and stores nothing of it', async () => {
    const before = await readEverything(world.sql);
    expect(await refuseCreation({ title: ' \t' })).toBe('title_required');
    expect(await refuseCreation({ title: 'x'.repeat(121) })).toBe('title_required');
    expect(await refuseCreation({ description: 'x'.repeat(5001) })).toBe('description_too_long');
    expect(await refuseCreation({ visibility: 'everyone' })).toBe('save_refused');
    expect(await refuseCreation({ files: { '../up': '' } })).toBe('invalid_path');
    expect(await refuseCreation({ files: { 'a.js': '', 'A.js': '' } })).toBe('path_taken');
    expect(await refuseCreation({ stateSha256: sha256('another state') })).toBe('save_refused');
    expect(await refuseCreation({ stateSha256: 'no hex' })).toBe('save_refused');
    expect(await refuseCreation({ state: '' })).toBe('save_refused');
    expect(await readEverything(world.sql)).toBe(before);
  });

  test('enforces the limits exactly', async () => {
    await create('owner', { files: makeFiles(1, limits.fileMaxBytes) });
    await create('owner', { files: makeFiles(limits.projectMaxFiles, 0) });
    await create('owner', { files: makeFiles(10, limits.projectMaxBytes / 10) });
    const tooLong = { 'a.txt': 'x'.repeat(limits.fileMaxBytes + 1) };
    expect(await refuseCreation({ files: tooLong })).toBe('file_too_large');
    expect(await refuseCreation({ files: makeFiles(limits.projectMaxFiles + 1, 0) })).toBe(
      'too_many_files',
    );
    const tooMuch = { ...makeFiles(10, limits.projectMaxBytes / 10), 'one-more.txt': 'x' };
    expect(await refuseCreation({ files: tooMuch })).toBe('project_too_large');
  });

  test('stores assets beside texts, and the format that reads them', async () => {
    const files = [createAssetRow('a.png'), { path: 'index.html', content: '<img src="a.png">' }];
    await storeAssets(world.sql, testUserIds.owner, files);
    const { id, slug } = await create('owner', { files });
    expect(await readProjectRows(world.sql, id)).toEqual(files);
    const [document] = await world.sql`
      select format from public.documents where project_id = ${id}`;
    expect(document).toEqual({ format: 2 });
    const [row] = await world.runAs(
      'owner',
      (tx) => tx<{ answer: unknown }[]>`select public.read_project(${slug}) as answer`,
    );
    expect(row?.answer).toMatchObject({
      files: [{ path: 'index.html', content: '<img src="a.png">' }],
      assets: [createAssetRow('a.png')],
    });
  });

  test('rejects a row that is neither a text nor an asset, and invalid assets', async () => {
    const before = await readEverything(world.sql);
    const asset = createAssetRow('a.png');
    await storeAssets(world.sql, testUserIds.owner, [asset]);
    const invalid: [string, FileRow][] = [
      ['save_refused', { path: 'a.png' }],
      ['save_refused', { ...asset, content: 'both' }],
      ['save_refused', { path: 'a.png', hash: 'a'.repeat(64) }],
      ['save_refused', { ...asset, hash: '../../secret' }],
      ['save_refused', { ...asset, hash: 'A'.repeat(64) }],
      ['save_refused', { ...asset, size: -1 }],
      ['save_refused', { ...asset, size: 1.5 }],
      ['asset_too_large', { ...asset, size: limits.assetMaxBytes + 1 }],
      ['asset_type_refused', { ...asset, media_type: 'application/javascript' }],
      ['asset_type_refused', { ...asset, media_type: 'text/html\r\nset-cookie: a' }],
      ['path_taken', { ...asset, path: 'A.png' }],
      ['invalid_path', { ...asset, path: '../a.png' }],
    ];
    for (const [code, file] of invalid) {
      const files = [{ path: 'a.PNG', content: '' }, file];
      const rows = code === 'path_taken' ? files : [file];
      expect(await refuseCreation({ files: rows }), JSON.stringify(file)).toBe(code);
    }
    expect(await readEverything(world.sql)).toBe(before);
  });

  test('enforces the limits of assets exactly, apart from those of texts', async () => {
    const tenth = limits.projectMaxAssetBytes / 10;
    const assets = Array.from({ length: 10 }, (_, n) => createAssetRow(`${n}.png`, 'a', tenth));
    const texts = Object.entries(makeFiles(10, limits.projectMaxBytes / 10)).map(
      ([path, content]) => ({ path, content }),
    );
    const more = createAssetRow('more.png', 'b', 1);
    await storeAssets(world.sql, testUserIds.owner, [...assets, more]);
    await create('owner', { files: [...assets, ...texts] });
    expect(await refuseCreation({ files: [...assets, more] })).toBe('assets_too_large');
    const many = Array.from({ length: limits.projectMaxFiles }, (_, n) =>
      createAssetRow(`${n}.png`, 'c'),
    );
    await storeAssets(world.sql, testUserIds.owner, many);
    expect(await refuseCreation({ files: [...many, more] })).toBe('too_many_files');
  });

  test('allows 60 new projects an hour', async () => {
    const person = randomUUID();
    await addUser(world.sql, person, 'diligent');
    await world.runAs(person, async (tx) => {
      const last = randomUUID();
      for (let made = 1; made < limits.projectsPerHour; made++) {
        await createProject(tx, { id: randomUUID() });
      }
      await createProject(tx, { id: last });
      expect(
        await getRejectionCode(tx, (attempt) => createProject(attempt, { id: randomUUID() })),
      ).toBe('rate_limited');
      await createProject(tx, { id: last });
    });
    await world.sql`delete from private.attempts where subject = ${person}`;
    await create(person);
  });

  test('is not available to visitors', async () => {
    await expect(create('anon')).rejects.toMatchObject({ code: '42501' });
  });
});

describe('a fork', () => {
  test('records the original, which counts it without being changed', async () => {
    const original = await create('owner', { visibility: 'public' });
    const read = () => world.sql<{ forks: number; updated: string }[]>`
      select fork_count as forks, updated_at::text as updated from public.projects where id = ${original.id}`;
    const [before] = await read();
    const fork = await create('stranger', { forkedFrom: original.id });
    const [after] = await read();
    expect(after).toEqual({ forks: 1, updated: before?.updated });
    const [row] = await world.sql`select forked_from from public.projects where id = ${fork.id}`;
    expect(row).toEqual({ forked_from: original.id });
    await world.sql`delete from public.projects where id = ${fork.id}`;
    expect((await read())[0]?.forks).toBe(0);
  });

  test('can be made from a visible project, not from a private, hidden or trashed one', async () => {
    await create('stranger', { forkedFrom: projects.unlisted });
    for (const kind of ['private', 'hidden', 'trashed'] as const) {
      expect(await refuseCreation({ forkedFrom: projects[kind] }, 'stranger')).toBe(
        'not_found_or_private',
      );
    }
  });
});

describe('PT-07.7: the original of a fork', () => {
  test('is not readable with a query', async () => {
    for (const query of [
      'select * from public.projects',
      'select forked_from from public.projects',
      `select id from public.projects where forked_from = '${projects.private}'`,
      'select id from public.projects where forked_from is not null',
      'select id from public.projects order by forked_from',
      'select f.slug from public.projects f join public.projects o on o.id = f.forked_from',
      'select creation_key from public.projects',
      `update public.projects set title = 'x' where forked_from is not null`,
    ]) {
      for (const who of ['anon', 'stranger', 'owner', 'admin'] as const) {
        const answer = world.runAs(who, (tx) => tx.unsafe(query));
        await expect(answer, query).rejects.toMatchObject({ code: '42501' });
      }
    }
  });

  test('is returned by find_project when the reader may see it, and otherwise as none', async () => {
    const original = await create('owner', { title: 'Origin', visibility: 'public' });
    const fork = await create('stranger', { visibility: 'public', forkedFrom: original.id });
    const find = async (who: Role) => {
      const [row] = await world.runAs(
        who,
        (tx) => tx<{ answer: { forked_from: unknown } }[]>`
          select public.find_project(${fork.slug}) as answer`,
      );
      return row?.answer.forked_from;
    };
    expect(await find('anon')).toMatchObject({ id: original.id });
    for (const change of [`visibility = 'private'`, 'hidden_at = now()', 'trashed_at = now()']) {
      await rollBackAfter(world.sql, async (tx) => {
        await tx.unsafe(`update public.projects set ${change} where id = '${original.id}'`);
        for (const who of ['anon', 'stranger'] as const) {
          await switchUser(tx, who);
          const [row] = await tx<{ text: string }[]>`
            select public.find_project(${fork.slug})::text as text`;
          expect(row?.text).toContain('"forked_from": null');
          expect(row?.text).not.toContain(original.id);
        }
      });
    }
  });
});

describe('PT-07.8: the id that a client sends with a new project', () => {
  test('is a key of the user, and not the id of the project', async () => {
    const id = randomUUID();
    const first = await create('owner', { id });
    expect(first.id).not.toBe(id);
    expect(await create('owner', { id })).toEqual(first);
    const other = await create('stranger', { id });
    expect(other).toMatchObject({ seq: 1, revision: 1, username: 'the-stranger' });
    expect([other.id, other.slug]).not.toEqual([first.id, first.slug]);
  });

  test.each(Object.entries(projects))(
    'has the same response when it is that of a %s project of another user',
    async (_, taken) => {
      const describe = async (id: string) => {
        const { id: made, slug, ...rest } = await create('stranger', { id });
        return { ...rest, isOwnId: made !== id, isOwnSlug: slug.length === 16 };
      };
      const before = await readProjectFiles(world.sql, taken);
      expect(await describe(taken)).toEqual(await describe(randomUUID()));
      expect(await readProjectFiles(world.sql, taken)).toEqual(before);
      await world.sql`delete from public.projects where owner_id = ${testUserIds.stranger}`;
    },
  );

  test('is required', async () => {
    const call = world.runAs('owner', (tx) =>
      getRejectionCode(
        tx,
        (attempt) => attempt`select public.create_project(
          null, 'No key', '', 'private', '{}', '[]', 'AAAA', ${sha256('\0\0\0')})`,
      ),
    );
    expect(await call).toBe('bad_request');
  });

  test('opens the project to a page that uses it as the id, and only for its creator', async () => {
    const id = randomUUID();
    const made = await create('owner', { id });
    const call = { client: randomUUID(), base: 1, updates: [createUpdate(1, 'x')] };
    const saved = await world.runAs('owner', (tx) => appendUpdates(tx, { ...call, project: id }));
    expect(saved).toEqual({ status: 'saved', seq: 2, revision: 2 });
    const load = (who: Role, project: string) =>
      world.runAs(
        who,
        (tx) =>
          tx<{ answer: { seq: number } }[]>`select public.load_document(${project}) as answer`,
      );
    expect((await load('owner', id))[0]?.answer).toEqual((await load('owner', made.id))[0]?.answer);
    for (const who of ['stranger', 'moderator', 'admin'] as const) {
      await world.runAs(who, async (tx) => {
        for (const project of [id, randomUUID()]) {
          expect(
            await getRejectionCode(tx, (attempt) => appendUpdates(attempt, { ...call, project })),
          ).toBe('not_found_or_private');
          expect(
            await getRejectionCode(
              tx,
              (attempt) => attempt`select public.load_document(${project})`,
            ),
          ).toBe('not_found_or_private');
        }
      });
    }
  });

  test('finds the project for its creator only', async () => {
    const id = randomUUID();
    const { seq: _, ...made } = await create('owner', { id });
    const find = async (who: Role, key: string) => {
      const [row] = await world.runAs(
        who,
        (tx) => tx`select public.find_created_project(${key}) as answer`,
      );
      return row?.['answer'] as unknown;
    };
    expect(await find('owner', id)).toEqual(made);
    expect(await find('owner', made.id)).toBeNull();
    for (const who of ['stranger', 'moderator', 'admin'] as const) {
      expect(await find(who, id)).toBeNull();
    }
  });
});

describe('a project found by its slug', () => {
  const seenBy: [keyof typeof projects, readonly Role[]][] = [
    ['private', ['owner', 'admin']],
    ['unlisted', roles],
    ['public', roles],
    ['hidden', ['owner', 'moderator', 'admin']],
    ['trashed', ['owner', 'admin']],
    ['suspended', ['suspended', 'admin']],
  ];

  test.each(seenBy)('is found, when %s, by those who may see it', async (kind, seers) => {
    const id = projects[kind];
    const [row] = await world.sql<
      { slug: string }[]
    >`select slug from public.projects where id = ${id}`;
    const slug = row?.slug ?? '';
    for (const role of roles) {
      const [answer] = await world.runAs(
        role,
        (tx) => tx<{ found: { id: string } | null; read: { files: unknown } | null }[]>`
        select public.find_project(${slug}) as found, public.read_project(${slug}) as read`,
      );
      expect([role, answer?.found?.id]).toEqual([role, seers.includes(role) ? id : undefined]);
      expect(answer?.read?.files).toEqual(
        seers.includes(role) ? [{ path: 'index.html', content: '<h1>Hello</h1>' }] : undefined,
      );
    }
  });

  test('names its owner, its original and whether the reader may edit', async () => {
    const original = await create('owner', { title: 'Origin', visibility: 'public' });
    const made = await create('stranger', {
      title: 'Copy',
      visibility: 'unlisted',
      forkedFrom: original.id,
    });
    const find = async (who: Role) => {
      const [row] = await world.runAs(
        who,
        (tx) => tx<{ answer: Record<string, unknown> }[]>`
        select public.find_project(${made.slug}) as answer`,
      );
      return row?.answer;
    };
    expect(await find('anon')).toMatchObject({
      title: 'Copy',
      visibility: 'unlisted',
      revision: 1,
      may_edit: false,
      owner: { id: testUserIds.stranger, username: 'the-stranger' },
      forked_from: { slug: original.slug, title: 'Origin', username: 'the-owner' },
    });
    expect(await find('stranger')).toMatchObject({ may_edit: true });
    await world.sql`update public.projects set visibility = 'unlisted' where id = ${original.id}`;
    expect(await find('stranger')).toMatchObject({ forked_from: null });
  });

  test('is null for an unknown slug', async () => {
    const [row] = await world.runAs(
      'anon',
      (tx) => tx`select public.read_project('0000000000') as answer`,
    );
    expect(row).toEqual({ answer: null });
  });
});

const countProjects = async (who: Role) => {
  const [row] = await world.runAs(
    who,
    (tx) => tx<{ count: number }[]>`
    select count(*)::int from public.projects where owner_id in ${tx([testUserIds.owner, testUserIds.suspended])}
      and id in ${tx(Object.values(projects))}`,
  );
  return row?.count;
};

describe('rows that a user may not see', () => {
  test('are not counted', async () => {
    expect(await countProjects('anon')).toBe(1);
    expect(await countProjects('stranger')).toBe(1);
    expect(await countProjects('owner')).toBe(5);
    expect(await countProjects('moderator')).toBe(2);
    expect(await countProjects('admin')).toBe(6);
  });
});

describe('a project written with REST', () => {
  test('stays unchanged when a stranger updates it', async () => {
    const before = await readEverything(world.sql);
    for (const id of Object.values(projects)) {
      const rows = await world.runAs(
        'stranger',
        (tx) => tx`
        update public.projects set title = 'taken' where id = ${id} returning id`,
      );
      expect(rows).toHaveLength(0);
    }
    expect(await readEverything(world.sql)).toBe(before);
  });

  test('cannot be taken over with an upsert', async () => {
    const before = await readEverything(world.sql);
    for (const id of Object.values(projects)) {
      await world.runAs('stranger', async (tx) => {
        await expect(
          tx.savepoint(
            (attempt) => attempt`
            insert into public.projects (id, owner_id, title) values (${id}, ${testUserIds.stranger}, 'mine')
            on conflict (id) do update set title = excluded.title`,
          ),
        ).rejects.toMatchObject({ code: '42501' });
      });
    }
    expect(await readEverything(world.sql)).toBe(before);
  });

  const closed = [
    'id',
    'owner_id',
    'slug',
    'revision',
    'forked_from',
    'like_count',
    'fork_count',
    'comment_count',
    'view_count',
    'hidden_at',
    'created_at',
    'updated_at',
    'search',
  ];
  test.each(closed)('does not let its owner write %s', async (column) => {
    const before = await readEverything(world.sql);
    await world.runAs('owner', async (tx) => {
      await expect(
        tx.savepoint(
          (attempt) => attempt`update public.projects
          set ${attempt(column)} = default where id = ${projects.private}`,
        ),
      ).rejects.toMatchObject({ code: expect.stringMatching(/^(42501|428C9)$/) });
    });
    expect(await readEverything(world.sql)).toBe(before);
  });

  test('lets its owner write all other columns', async () => {
    const columns = await world.sql<{ name: string }[]>`
      select attname as name from pg_attribute where attrelid = 'public.projects'::regclass
        and attnum > 0 and not attisdropped and has_column_privilege('authenticated', attrelid, attnum, 'update')
      order by 1`;
    expect(columns.map((column) => column.name)).toEqual([
      'description',
      'is_template',
      'settings',
      'title',
      'trashed_at',
      'visibility',
    ]);
    const { id } = await create('owner');
    await world.runAs(
      'owner',
      (tx) => tx`update public.projects set title = 'New', description = 'Text',
      visibility = 'public', is_template = true, settings = '{"entry": "a.html"}' where id = ${id}`,
    );
    const [row] = await world.sql`select title, visibility, updated_at > created_at as touched
      from public.projects where id = ${id}`;
    expect(row).toEqual({ title: 'New', visibility: 'public', touched: true });
  });

  test('moves to the trash with the server’s time, and is restored', async () => {
    const { id } = await create('owner');
    const trash = (at: string | null) =>
      world.runAs(
        'owner',
        (tx) => tx<{ at: Date | null }[]>`
      update public.projects set trashed_at = ${at} where id = ${id} returning trashed_at as at`,
      );
    const [trashed] = await trash('2001-01-01T00:00:00Z');
    expect(Math.abs(Date.now() - Number(trashed?.at))).toBeLessThan(60_000);
    expect(await trash('2002-01-01T00:00:00Z')).toEqual([trashed]);
    expect(await trash(null)).toEqual([{ at: null }]);
  });

  test('can be renamed, but not edited, by an admin', async () => {
    const { id } = await create('owner');
    await world.runAs(
      'admin',
      (tx) => tx`
      update public.projects set title = 'Fit to read', visibility = 'private', trashed_at = now() where id = ${id}`,
    );
    const answer = await world.runAs('admin', (tx) =>
      getRejectionCode(
        tx,
        (attempt) =>
          attempt`update public.projects set settings = '{"head": "<script>"}' where id = ${id}`,
      ),
    );
    expect(answer).toBe('not_allowed');
    const [row] = await world.sql`select title from public.projects where id = ${id}`;
    expect(row).toEqual({ title: 'Fit to read' });
  });

  test('is found by words of its title and description', async () => {
    const { id } = await create('owner', {
      title: 'Kaleidoscope',
      description: 'turning mirrors',
      visibility: 'public',
    });
    for (const words of ['kaleidoscope', 'mirrors turning']) {
      const rows = await world.runAs(
        'anon',
        (tx) => tx`
        select id from public.projects where search @@ plainto_tsquery('simple', ${words})`,
      );
      expect([...rows]).toEqual([{ id }]);
    }
  });
});

describe('hiding', () => {
  test('hides a project from everyone except its owner and moderators until it is shown again', async () => {
    const { id } = await create('owner', { visibility: 'public' });
    const isSeen = async (who: Role) =>
      (await world.runAs(who, (tx) => tx`select from public.projects where id = ${id}`)).length ===
      1;
    const hide = (hidden: boolean) =>
      world.runAs('moderator', (tx) => tx`select public.set_project_hidden(${id}, ${hidden})`);
    await hide(true);
    expect([await isSeen('stranger'), await isSeen('moderator'), await isSeen('owner')]).toEqual([
      false,
      true,
      true,
    ]);
    expect(
      await world.runAs('owner', (tx) =>
        getRejectionCode(tx, (attempt) => attempt`select public.set_project_hidden(${id}, false)`),
      ),
    ).toBe('not_allowed');
    await hide(false);
    expect(await isSeen('stranger')).toBe(true);
  });

  test('does not reveal to a moderator whether a private project exists', async () => {
    const answer = await world.runAs('moderator', (tx) =>
      getRejectionCode(
        tx,
        (attempt) => attempt`select public.set_project_hidden(${projects.private}, true)`,
      ),
    );
    expect(answer).toBe('not_found_or_private');
  });
});
