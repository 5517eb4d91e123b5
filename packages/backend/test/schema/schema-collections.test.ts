import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createProject } from '@vitrine/testing/schema-calls';
import { addUser, openWorld, projects, testUserIds } from '@vitrine/testing/schema-world';
import type { SchemaWorld } from '@vitrine/testing/schema-world';
import { waitForLockWaiters } from './schema-attempts.ts';

let world: SchemaWorld;
/** A user of the current test, without projects and collections. */
let me: string;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  me = randomUUID();
  await addUser(world.sql, me, `u-${me.slice(0, 8)}`);
});

interface Collection {
  id: string;
  title: string;
  owner: { username: string };
  items: {
    id: string;
    note: string;
    project: { title: string; username: string; visibility: string } | null;
  }[];
}

interface Summary {
  title: string;
  count: number;
  has_project: boolean;
  excerpt: object | null;
}

async function create(
  who: string,
  o: { title?: string; visibility?: string; projects?: string[] } = {},
): Promise<{ id: string; slug: string }> {
  const [row] = await world.runAs(
    who,
    (tx) => tx<{ made: { id: string; slug: string } }[]>`
      select public.create_collection(
        title => ${o.title ?? 'Some'}, visibility => ${o.visibility ?? 'private'},
        projects => ${o.projects ?? []}::uuid[]) as made`,
  );
  if (row === undefined) throw new Error('create_collection answered nothing');
  return row.made;
}

async function read(who: string, slug: string): Promise<Collection | null> {
  const [row] = await world.runAs(
    who,
    (tx) => tx<{ answer: Collection | null }[]>`select public.read_collection(${slug}) as answer`,
  );
  return row?.answer ?? null;
}

async function listOf(who: string, owner: string, project: string | null = null) {
  const [row] = await world.runAs(
    who,
    (tx) => tx<{ answer: Summary[] }[]>`
      select public.list_collections(owner => ${owner}, project => ${project}) as answer`,
  );
  return row?.answer ?? [];
}

const change = (who: string, name: string, collection: string, ids: string[]) =>
  world.runAs(who, async (tx) => {
    const [row] = await tx<{ answer: unknown }[]>`
      select ${tx(`public.${name}`)}(${collection}::uuid, ${ids}::uuid[]) as answer`;
    return row?.answer;
  });

async function addProject(who: string, title: string, visibility = 'public'): Promise<string> {
  const { id } = await world.runAs(who, (tx) =>
    createProject(tx, { id: randomUUID(), title, visibility }),
  );
  await world.sql`delete from private.attempts`;
  return id;
}

const titles = (found: Collection | null) =>
  found?.items.map(({ project }) => project?.title ?? null);

describe('a collection', () => {
  test('keeps the order in which projects are added and put', async () => {
    const [a, b, c] = [
      await addProject(me, 'A', 'private'),
      await addProject('owner', 'B'),
      await addProject(me, 'C'),
    ];
    const { id, slug } = await create(me, { projects: [c, a] });
    expect(await change(me, 'add_to_collection', id, [b, a, b])).toBe(1);
    expect(titles(await read(me, slug))).toEqual(['C', 'A', 'B']);
    await change(me, 'order_collection', id, [b, c]);
    expect(titles(await read(me, slug))).toEqual(['B', 'C', 'A']);
    expect(await change(me, 'remove_from_collection', id, [c, randomUUID()])).toBe(1);
    expect(await change(me, 'add_to_collection', id, [c])).toBe(1);
    expect(titles(await read(me, slug))).toEqual(['B', 'A', 'C']);
  });

  test('gets distinct positions from two calls at the same time', async () => {
    const [a, b] = [await addProject(me, 'A'), await addProject(me, 'B')];
    const { id } = await create(me);
    let second: Promise<unknown> | undefined;
    await world.runAs(me, async (tx) => {
      await tx`select public.add_to_collection(${id}, ${[a]}::uuid[])`;
      second = change(me, 'add_to_collection', id, [b]);
      await waitForLockWaiters(world.sql, 1);
    });
    await second;
    const rows = await world.sql`
      select project_id, position from public.collection_items where collection_id = ${id}
      order by position`;
    expect(rows).toEqual([
      { project_id: a, position: 1 },
      { project_id: b, position: 2 },
    ]);
  });

  test('is created once under a key, which only its owner’s calls find', async () => {
    const key = randomUUID();
    const project = await addProject(me, 'A');
    const call = (who: string, title: string) =>
      world.runAs(who, async (tx) => {
        const [row] = await tx<{ made: { id: string } }[]>`
          select public.create_collection(${title}, 'public', key => ${key}::uuid) as made`;
        return row?.made.id ?? '';
      });
    const find = (who: string) =>
      world.runAs(who, async (tx) => {
        const [row] = await tx<{ found: { projects: object; collections: object } }[]>`
          select public.find_created(${[key]}::uuid[]) as found`;
        return row?.found;
      });
    const [first, second] = await Promise.all([call(me, 'First'), call(me, 'Second')]);
    expect(second).toBe(first);
    const others = await call('stranger', 'Other');
    expect(others).not.toBe(first);
    await world.sql`update public.projects set creation_key = ${key} where id = ${project}`;
    expect(await find(me)).toEqual({
      projects: {
        [key]: { id: project, visibility: 'public', is_in_trash: false, versions: [] },
      },
      collections: { [key]: { id: first, visibility: 'public' } },
    });
    expect(await find('stranger')).toEqual({
      projects: {},
      collections: { [key]: { id: others, visibility: 'public' } },
    });
    await world.sql`delete from public.collections where id = ${others}`;
  });

  test('has at most 500 projects', async () => {
    const { id } = await create(me);
    await world.sql`
      with made as (
        insert into public.projects (owner_id, title, created_at)
        select ${me}, 'p' || n, now() - interval '2 hours' from generate_series(1, 500) n
        returning id
      )
      insert into public.collection_items (collection_id, project_id, position)
      select ${id}, made.id, row_number() over () from made`;
    const one = await addProject(me, 'one more');
    await expect(change(me, 'add_to_collection', id, [one])).rejects.toThrow('collection_full');
    const [other] = await world.sql<{ id: string }[]>`
      select project_id as id from public.collection_items where collection_id = ${id} limit 1`;
    await change(me, 'remove_from_collection', id, [other?.id ?? '']);
    expect(await change(me, 'add_to_collection', id, [one])).toBe(1);
  });

  test('needs a title, and a known visibility', async () => {
    await expect(create(me, { title: ' ' })).rejects.toThrow('title_required');
    await expect(create(me, { title: 'x'.repeat(121) })).rejects.toThrow('title_required');
    await expect(create(me, { visibility: 'secret' })).rejects.toThrow('bad_request');
    await expect(create('suspended')).rejects.toThrow('suspended');
    await expect(create('anon')).rejects.toThrow('permission denied');
  });

  test('are at most 60 new ones an hour', async () => {
    await create(me);
    await world.sql`update private.attempts set amount = 60 where subject = ${me}`;
    await expect(create(me)).rejects.toThrow('rate_limited');
    await world.sql`delete from private.attempts where subject = ${me}`;
    await create(me);
  });
});

test('DB-65: only the owner changes a collection', async () => {
  const project = await addProject(me, 'A');
  const { id } = await create(me, { visibility: 'public', projects: [project] });
  const before = await world.sql`select * from public.collection_items where collection_id = ${id}`;
  for (const who of ['stranger', 'owner', 'moderator', 'admin'])
    for (const call of ['add_to_collection', 'remove_from_collection', 'order_collection'])
      await expect(change(who, call, id, [project, projects.public])).rejects.toThrow(
        'not_found_or_private',
      );
  for (const call of ['add_to_collection', 'remove_from_collection', 'order_collection'])
    await expect(change('anon', call, id, [project])).rejects.toThrow('permission denied');
  for (const who of ['stranger', 'admin']) {
    await world.runAs(who, (tx) => tx`update public.collections set title = 'x' where id = ${id}`);
    await world.runAs(who, (tx) => tx`delete from public.collections where id = ${id}`);
    await world.runAs(who, (tx) => tx`update public.collection_items set note = 'x'`);
  }
  expect(
    await world.sql`select * from public.collection_items where collection_id = ${id}`,
  ).toEqual(before);
  expect(await world.sql`select title from public.collections where id = ${id}`).toEqual([
    { title: 'Some' },
  ]);
});

test('DB-66: a collection opens by its visibility, and is listed only if public', async () => {
  const made = Object.fromEntries(
    await Promise.all(
      ['private', 'unlisted', 'public'].map(
        async (visibility) =>
          [visibility, await create(me, { title: visibility, visibility })] as const,
      ),
    ),
  );
  const opened = async (who: string) => {
    const found = await Promise.all(
      Object.values(made).map(async ({ slug }) => (await read(who, slug))?.title),
    );
    return found.filter((title) => title !== undefined);
  };
  for (const who of ['anon', 'stranger', 'moderator', 'admin']) {
    expect([who, await opened(who)]).toEqual([who, ['unlisted', 'public']]);
    expect([who, (await listOf(who, me)).map(({ title }) => title)]).toEqual([who, ['public']]);
  }
  expect(await opened(me)).toEqual(['private', 'unlisted', 'public']);
  expect(await listOf(me, me)).toHaveLength(3);
});

test('DB-67: a collection shows nobody a project that they couldn’t open, and lists no unlisted one of others', async () => {
  const shared = await addProject('owner', 'shared private', 'private');
  await world.sql`insert into public.project_members (project_id, user_id, role)
    values (${shared}, ${me}, 'viewer')`;
  const all = [
    await addProject(me, 'my private', 'private'),
    await addProject(me, 'my unlisted', 'unlisted'),
    await addProject(me, 'my public', 'public'),
    await addProject('owner', 'other unlisted', 'unlisted'),
    await addProject('owner', 'other public', 'public'),
    shared,
  ];
  const publicOne = await create(me, { visibility: 'public', projects: all });
  const unlistedOne = await create(me, { visibility: 'unlisted', projects: all });
  // Whoever has the id of another's unlisted project needn't have its link.
  const every = ['my private', 'my unlisted', 'my public', 'other public', 'shared private'];
  expect(titles(await read(me, publicOne.slug))).toEqual(every);
  for (const who of ['anon', 'stranger', 'moderator', 'admin', 'suspended']) {
    expect([who, titles(await read(who, publicOne.slug))]).toEqual([
      who,
      ['my public', 'other public'],
    ]);
    expect([who, titles(await read(who, unlistedOne.slug))]).toEqual([
      who,
      ['my unlisted', 'my public', 'other public'],
    ]);
  }
  expect(titles(await read('owner', publicOne.slug))).toEqual([
    'my public',
    'other public',
    'shared private',
  ]);
  // Rows of the table tell no more, and neither do counts.
  const ids = await world.runAs(
    'stranger',
    (tx) => tx<{ id: string }[]>`
      select project_id as id from public.collection_items where collection_id = ${publicOne.id}`,
  );
  expect(new Set(ids.map(({ id }) => id))).toEqual(new Set([all[2], all[4]]));
  const [summary] = await listOf('stranger', me, all[0] ?? null);
  expect(summary).toMatchObject({ count: 2, has_project: false });

  // Without access, the owner of the collection keeps an entry to remove.
  await world.sql`delete from public.project_members where user_id = ${me}`;
  await world.sql`update public.projects set trashed_at = now() where id = ${all[2] ?? ''}`;
  expect(titles(await read(me, publicOne.slug))).toEqual([
    'my private',
    'my unlisted',
    null,
    'other public',
    null,
  ]);
  expect(titles(await read('anon', publicOne.slug))).toEqual(['other public']);
});

test('DB-67: a project that the caller can’t see isn’t added', async () => {
  const { id, slug } = await create(me);
  const unseen = [projects.private, projects.hidden, projects.trashed, randomUUID()];
  expect(await change(me, 'add_to_collection', id, unseen)).toBe(0);
  expect(await change(me, 'add_to_collection', id, [projects.public])).toBe(1);
  expect((await read(me, slug))?.items).toHaveLength(1);
});

test('DB-67: another’s project that was public when it was added gives neither its link nor an excerpt', async () => {
  const project = await addProject('owner', 'once public');
  const { id, slug } = await create(me, { projects: [project] });
  const see = async (visibility: string) => {
    await world.sql`update public.projects set visibility = ${visibility} where id = ${project}`;
    return [titles(await read(me, slug)), (await listOf(me, me))[0]?.excerpt ?? null];
  };
  await world.sql`insert into storage.objects (bucket_id, name, version)
    values ('posters', ${`${project}/0`}, 'a1b2c3d4e5')`;
  expect(await see('public')).toEqual([['once public'], expect.objectContaining({})]);
  for (const visibility of ['unlisted', 'private'])
    expect([visibility, ...(await see(visibility))]).toEqual([visibility, [null], null]);
  await change(me, 'remove_from_collection', id, [project]);
});

test('DB-79: a cover is one of the collection’s projects, and another id tells nothing', async () => {
  const [first, second] = [await addProject(me, 'A'), await addProject(me, 'B')];
  const { id, slug } = await create(me, { projects: [first] });
  const setCover = (cover: string) =>
    world.runAs(me, (tx) => tx`update public.collections set cover_id = ${cover} where id = ${id}`);
  const getRefusal = async (cover: string) =>
    await setCover(cover).then(
      () => 'accepted',
      (error: unknown) => String(error).replaceAll(cover, 'ID'),
    );
  const refusals = await Promise.all(
    [randomUUID(), projects.private, projects.unlisted, projects.public, second].map(getRefusal),
  );
  expect(new Set(refusals)).toEqual(new Set([expect.stringContaining('bad_request')]));
  await setCover(first);
  await change(me, 'add_to_collection', id, [second]);
  await change(me, 'remove_from_collection', id, [first]);
  expect(await read(me, slug)).toMatchObject({ cover_id: null, items: [{ id: second }] });
});

test('a cover’s id, which add_to_collection would take, is told to the owner only', async () => {
  const project = await addProject(me, 'A', 'unlisted');
  const { id, slug } = await create(me, { visibility: 'public', projects: [project] });
  await world.runAs(
    me,
    (tx) => tx`update public.collections set cover_id = ${project} where id = ${id}`,
  );
  expect(await read(me, slug)).toMatchObject({ cover_id: project });
  expect(await read('stranger', slug)).toMatchObject({ cover_id: null, items: [] });
  for (const who of [me, 'stranger', 'anon'])
    await expect(
      world.runAs(who, (tx) => tx`select cover_id from public.collections`),
    ).rejects.toThrow('permission denied');
});

test('notes and covers are the owner’s; a deleted project leaves', async () => {
  const project = await addProject(me, 'A');
  const { id, slug } = await create(me, { projects: [project, projects.public] });
  await world.runAs(me, async (tx) => {
    await tx`update public.collection_items set note = 'Start here.' where project_id = ${project}`;
    await tx`update public.collections set cover_id = ${project} where id = ${id}`;
  });
  expect((await read(me, slug))?.items[0]).toMatchObject({ note: 'Start here.' });
  await expect(
    world.runAs(me, (tx) => tx`update public.collection_items set note = ${'x'.repeat(501)}`),
  ).rejects.toThrow('note_too_long');
  await world.sql`delete from public.projects where id = ${project}`;
  expect(await read(me, slug)).toMatchObject({ cover_id: null, items: [{ id: projects.public }] });
  await world.sql`delete from auth.users where id = ${me}`;
  expect(await read('anon', slug)).toBeNull();
  expect(await world.sql`select from public.collections where owner_id = ${me}`).toEqual([]);
  expect(
    await world.sql`select from public.projects where owner_id = ${testUserIds.owner}`,
  ).not.toEqual([]);
});
