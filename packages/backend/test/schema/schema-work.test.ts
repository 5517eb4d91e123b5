import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '@vitrine/project';
import { createProject } from '@vitrine/testing/schema-calls';
import type { FileTexts } from '@vitrine/testing/schema-calls';
import { addUser, openWorld, projects, testUserIds } from '@vitrine/testing/schema-world';
import type { SchemaWorld } from '@vitrine/testing/schema-world';
import { waitForLockWaiters } from './schema-attempts.ts';

let world: SchemaWorld;
/** A user of the current test, without projects. */
let me: string;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  me = randomUUID();
  await addUser(world.sql, me, `u-${me.slice(0, 8)}`);
});

interface ListedProject {
  id: string;
  title: string;
  visibility: string;
  role: string;
  owner: string;
  tags: string[];
  trashed_at: string | null;
  excerpt: { path: string; text: string } | null;
  match: { path: string; line: number | null; text: string | null } | null;
}

interface Listing {
  total: number;
  searched_all: boolean;
  next: string | null;
  previous: string | null;
  counts: { own: number; shared: number; trash: number };
  tags: { tag: string; count: number }[];
  projects: ListedProject[];
}

interface ListOptions {
  query?: string;
  scope?: string;
  visibility?: string | null;
  tag?: string | null;
  template?: boolean | null;
  sort?: string;
  cursor?: string | null;
  backward?: boolean;
  size?: number;
}

async function list(who: string, o: ListOptions = {}): Promise<Listing> {
  const [row] = await world.runAs(
    who,
    (tx) => tx<{ answer: Listing }[]>`
      select public.list_work(
        query => ${o.query ?? ''}, scope => ${o.scope ?? 'own'},
        visibility => ${o.visibility ?? null}, tag => ${o.tag ?? null},
        template => ${o.template ?? null}, sort => ${o.sort ?? 'updated'},
        cursor => ${o.cursor ?? null}, backward => ${o.backward ?? false},
        page_size => ${o.size ?? 24}) as answer`,
  );
  if (row === undefined) throw new Error('list_work answered nothing');
  return row.answer;
}

const titles = ({ projects: listed }: Listing) => listed.map(({ title }) => title);

async function addProject(
  who: string,
  o: { title?: string; visibility?: string; files?: FileTexts } = {},
): Promise<string> {
  const { id } = await world.runAs(who, (tx) => createProject(tx, { id: randomUUID(), ...o }));
  await world.sql`delete from private.attempts`;
  return id;
}

async function tag(who: string, ids: string[], added: string[], removed: string[] = []) {
  const [row] = await world.runAs(
    who,
    (tx) => tx<{ changed: string[] }[]>`
      select public.tag_projects(${ids}::uuid[], ${added}::text[], ${removed}::text[]) as changed`,
  );
  return row?.changed.toSorted();
}

async function tagsOf(id: string): Promise<string[]> {
  const rows = await world.sql<{ tag: string }[]>`
    select tag from public.project_tags where project_id = ${id} order by tag collate "C"`;
  return rows.map((row) => row.tag);
}

const trash = (id: string) =>
  world.sql`update public.projects set trashed_at = now() where id = ${id}`;
const ids = async () =>
  (await world.sql<{ id: string }[]>`select id from public.projects order by id`).map(
    (row) => row.id,
  );

describe('tags', () => {
  test('are added to several projects and removed from them in one call, which returns the changed', async () => {
    const [a, b] = [await addProject(me), await addProject(me)];
    expect(await tag(me, [a], ['game'])).toEqual([a]);
    expect(await tag(me, [a, b], ['game', 'c++'])).toEqual([a, b].toSorted());
    expect(await tag(me, [a, b], ['game'])).toEqual([]);
    expect(await tag(me, [a, b], ['c#'], ['c++', 'never-there'])).toEqual([a, b].toSorted());
    expect([await tagsOf(a), await tagsOf(b)]).toEqual([
      ['c#', 'game'],
      ['c#', 'game'],
    ]);
  });

  test('are at most eight a project', async () => {
    const project = await addProject(me);
    const eight = Array.from({ length: limits.projectMaxTags }, (_, index) => `t${index}`);
    await tag(me, [project], eight);
    await expect(tag(me, [project], ['one-more'])).rejects.toThrow('too_many_tags');
    await tag(me, [project], ['one-more'], ['t0']);
    expect(await tagsOf(project)).toHaveLength(limits.projectMaxTags);
  });

  test('DB-60: stay at eight when two calls add some at the same time', async () => {
    const project = await addProject(me);
    const five = (letter: string) => Array.from({ length: 5 }, (_, index) => `${letter}${index}`);
    let second: Promise<unknown> | undefined;
    await world.runAs(me, async (tx) => {
      await tx`select public.tag_projects(${[project]}::uuid[], ${five('a')}::text[])`;
      second = tag(me, [project], five('b')).then(
        () => 'added',
        (error: unknown) => String(error),
      );
      await waitForLockWaiters(world.sql, 1);
    });
    expect(await second).toContain('too_many_tags');
    expect(await tagsOf(project)).toEqual(five('a'));
  });

  test.each(['', 'A', 'ä', 'a b', 'a\n', 'x'.repeat(31), 'a/b', 'a_b'])(
    'refuse %j',
    async (invalid) => {
      const project = await addProject(me);
      await expect(tag(me, [project], [invalid])).rejects.toThrow('invalid_tag');
      expect(await tagsOf(project)).toEqual([]);
    },
  );

  test('DB-60: only the owner changes them', async () => {
    const editor = randomUUID();
    await addUser(world.sql, editor);
    await world.sql`insert into public.project_members (project_id, user_id, role)
      values (${projects.public}, ${editor}, 'editor')`;
    await tag('owner', [projects.public], ['kept']);
    for (const who of [editor, 'stranger', 'moderator', 'admin'])
      await expect(tag(who, [projects.public], ['theirs'], ['kept'])).rejects.toThrow(
        'not_found_or_private',
      );
    await expect(tag('suspended', [projects.suspended], ['theirs'])).rejects.toThrow('suspended');
    await expect(tag('anon', [projects.public], ['theirs'])).rejects.toThrow('permission denied');
    // Among own ids, others are ignored.
    const own = await addProject(me);
    expect(await tag(me, [own, projects.public], ['mine'], ['kept'])).toEqual([own]);
    expect(await tagsOf(projects.public)).toEqual(['kept', 'of-world']);
  });

  test('are the same in the database and in packages/project', async () => {
    const { normalizeTag, validateTag } = await import('@vitrine/project');
    const typed = fc.oneof(
      fc.stringMatching(/^[a-z0-9+.# -]{0,32}$/),
      fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !text.includes('\0')),
    );
    await fc.assert(
      fc.asyncProperty(typed, async (text) => {
        const value = normalizeTag(text);
        fc.pre(value.isWellFormed());
        const [row] = await world.sql`select private.is_tag(${value}) as valid`;
        expect(row).toEqual({ valid: validateTag(value) === undefined });
      }),
      { numRuns: 200 },
    );
  });
});

describe('the list of projects', () => {
  test('DB-61: has the caller’s own projects only, whatever is asked', async () => {
    const own = await addProject(me, { title: 'Mine' });
    await tag('owner', [projects.public], ['of-the-owner']);
    for (const scope of ['own', 'shared', 'trash', 'all', ''])
      for (const query of ['', 'one', 'Hello', 'of-the-owner'])
        for (const other of [null, 'of-the-owner']) {
          const { projects: listed, tags } = await list(me, { scope, query, tag: other });
          expect(listed.map(({ id }) => id).filter((id) => id !== own)).toEqual([]);
          expect(tags).toEqual([]);
        }
    // Moderators and admins see others' projects elsewhere.
    for (const who of ['moderator', 'admin']) {
      expect((await list(who)).projects).toEqual([]);
      expect((await list(who, { scope: 'shared' })).projects).toEqual([]);
    }
  });

  test('needs a user', async () => {
    await expect(list('anon')).rejects.toThrow('permission denied');
    const gone = randomUUID();
    await expect(list(gone)).rejects.toThrow('session_expired');
  });

  test('DB-61: a shared project is listed while the user is a member and it isn’t in the trash', async () => {
    const shared = await addProject('owner', { title: 'Shared' });
    expect((await list(me, { scope: 'shared' })).projects).toEqual([]);
    await world.sql`insert into public.project_members (project_id, user_id, role)
      values (${shared}, ${me}, 'viewer')`;
    const { projects: listed, counts } = await list(me, { scope: 'shared', query: 'hello' });
    expect(listed).toMatchObject([{ title: 'Shared', role: 'viewer', owner: 'the-owner' }]);
    expect(counts).toEqual({ own: 0, shared: 1, trash: 0 });
    expect((await list(me)).projects).toEqual([]);
    await trash(shared);
    expect((await list(me, { scope: 'shared' })).counts.shared).toBe(0);
    await world.sql`update public.projects set trashed_at = null where id = ${shared}`;
    await world.sql`delete from public.project_members where user_id = ${me}`;
    expect((await list(me, { scope: 'shared' })).projects).toEqual([]);
  });

  test('finds titles by words, tags, paths, and code without case, with the first match', async () => {
    await addProject(me, { title: 'A Game of SNAKE', files: { 'index.html': '<p>hi</p>' } });
    await addProject(me, {
      title: 'Second',
      files: {
        'src/Helper.js': '',
        'src/main.js': 'const a = 1;\n\n  addEventListener("load", Snake100%_); // x\n',
      },
    });
    const third = await addProject(me, { title: 'Ärger', files: { 'a.txt': 'ПРИВЕТ, мир' } });
    await tag(me, [third], ['c++']);
    expect(titles(await list(me, { query: 'snake game' }))).toEqual(['A Game of SNAKE']);
    expect(titles(await list(me, { query: '  ÄRGER ' }))).toEqual(['Ärger']);
    expect(titles(await list(me, { query: 'C++' }))).toEqual(['Ärger']);
    expect(titles(await list(me, { query: 'привет' }))).toEqual(['Ärger']);
    const byPath = await list(me, { query: 'helper.JS' });
    expect(byPath.projects).toMatchObject([
      { title: 'Second', match: { path: 'src/Helper.js', line: null, text: null } },
    ]);
    const byCode = await list(me, { query: 'addeventLISTENER("LOAD"' });
    expect(byCode.projects).toMatchObject([
      {
        title: 'Second',
        match: {
          path: 'src/main.js',
          line: 3,
          text: '  addEventListener("load", Snake100%_); // x',
        },
      },
    ]);
    // Nothing in it is a pattern.
    expect(titles(await list(me, { query: '100%_' }))).toEqual(['Second']);
    for (const query of ['%', '_']) expect(titles(await list(me, { query }))).toEqual(['Second']);
    for (const query of ['100_', '.*', 'sn%ke', '\\', "'"])
      expect([query, titles(await list(me, { query }))]).toEqual([query, []]);
  });

  test('says when it did not search all code, and searches that of the latest projects', async () => {
    const mega = 'x'.repeat(1024 * 1024 - 8);
    const files = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`f${index}.txt`, mega]),
    );
    const old = await addProject(me, { title: 'Old', files: { 'a.txt': 'needle' } });
    await world.sql`update public.projects set updated_at = now() - interval '1 day' where id = ${old}`;
    expect(await list(me, { query: 'needle' })).toMatchObject({ total: 1, searched_all: true });
    for (let index = 0; index < 8; index++) await addProject(me, { title: 'Big', files });
    expect(await list(me, { query: 'needle' })).toMatchObject({ total: 0, searched_all: false });
    expect(await list(me, { query: 'old' })).toMatchObject({ total: 1 });
    expect(await list(me)).toMatchObject({ total: 9, searched_all: true });
  }, 60_000);

  test('has an excerpt of the most relevant file', async () => {
    await addProject(me, {
      files: {
        'index.html': '<div id="app">',
        'vite.config.js': 'export default {}',
        'src/app.test.js': 'test()',
        'src/main.js': 'start()',
      },
    });
    const { projects: listed } = await list(me);
    expect(listed[0]?.excerpt).toEqual({ path: 'src/main.js', text: 'start()' });
  });

  /** Pages forward to the end, then back to the start. */
  async function page(options: ListOptions): Promise<{ forward: string[]; back: string[] }> {
    const forward: string[] = [];
    const back: string[] = [];
    let current = await list(me, options);
    for (;;) {
      forward.push(...current.projects.map(({ id }) => id));
      if (current.next === null) break;
      current = await list(me, { ...options, cursor: current.next });
    }
    for (;;) {
      back.unshift(...current.projects.map(({ id }) => id));
      if (current.previous === null) break;
      current = await list(me, { ...options, cursor: current.previous, backward: true });
    }
    return { forward, back };
  }

  test('pages through every filter and order without gaps or repetitions', async () => {
    const rows = Array.from({ length: 40 }, (_, index) => ({
      title: ['b', 'A', 'ä', 'Z 9', 'Z 10', 'c.d'][index % 6] ?? '',
      visibility: ['private', 'unlisted', 'public'][index % 3] ?? '',
      is_template: index % 5 === 0,
      // Several have the same time.
      updated: new Date(Date.UTC(2026, 1, 1 + Math.floor(index / 3))).toISOString(),
    }));
    await world.sql`
      insert into public.projects (owner_id, title, visibility, is_template, created_at, updated_at)
      select ${me}, r.title, r.visibility, r.is_template, r.updated, r.updated
      from jsonb_to_recordset(${world.sql.json(rows)}::jsonb)
        as r (title text, visibility text, is_template boolean, updated timestamptz)`;
    const all = await world.sql<
      { id: string; title: string; visibility: string; is_template: boolean; updated_at: Date }[]
    >`select id, title, visibility, is_template, updated_at from public.projects where owner_id = ${me}`;
    const tagged = all.filter((_, index) => index % 2 === 0).map(({ id }) => id);
    await tag(me, tagged, ['even']);
    const options = fc.record({
      sort: fc.constantFrom('updated', 'created', 'title'),
      visibility: fc.constantFrom(null, 'private', 'public'),
      tag: fc.constantFrom(null, 'even'),
      template: fc.constantFrom(null, true, false),
      query: fc.constantFrom('', 'z'),
      size: fc.integer({ min: 1, max: 50 }),
    });
    await fc.assert(
      fc.asyncProperty(options, async (o) => {
        const expected = all.filter(
          (row) =>
            (o.visibility === null || row.visibility === o.visibility) &&
            (o.tag === null || tagged.includes(row.id)) &&
            (o.template === null || row.is_template === o.template) &&
            row.title.toLowerCase().includes(o.query),
        );
        const { forward, back } = await page(o);
        expect(new Set(forward)).toEqual(new Set(expected.map(({ id }) => id)));
        expect(forward).toHaveLength(expected.length);
        expect(back).toEqual(forward);
        const found = forward.map((id) => expected.find((row) => row.id === id));
        const keys = found.map((row) =>
          o.sort === 'title' ? (row?.title ?? '') : -Number(row?.updated_at ?? 0),
        );
        const compare = new Intl.Collator('und').compare;
        const sorted = keys.toSorted((a, b) =>
          typeof a === 'string' ? compare(a, String(b)) : a - Number(b),
        );
        expect(keys).toEqual(sorted);
      }),
      { numRuns: 30 },
    );
  }, 60_000);

  test('a cursor whose project is gone, or that is none, still leads somewhere', async () => {
    for (const title of ['a', 'b', 'c']) await addProject(me, { title });
    const first = await list(me, { sort: 'title', size: 1 });
    await world.sql`delete from public.projects where id = ${first.projects[0]?.id ?? ''}`;
    const second = await list(me, { sort: 'title', size: 1, cursor: first.next });
    expect(titles(second)).toEqual(['b']);
    for (const cursor of ['', 'x', '.', `${randomUUID()}.zzz`])
      expect(titles(await list(me, { sort: 'title', size: 1, cursor }))).toEqual(['b']);
    const broken = '-'.repeat(36) + '.a';
    expect(titles(await list(me, { sort: 'title', size: 1, cursor: broken }))).toEqual(['b']);
  });
});

describe('the trash', () => {
  const remove = async (who: string, gone: string[]) => {
    const [row] = await world.runAs(
      who,
      (tx) => tx<{ deleted: number }[]>`
        select public.delete_trashed(${gone}::uuid[]) as deleted`,
    );
    return row?.deleted;
  };

  test('DB-62: an owner deletes projects in their trash for good, and no others', async () => {
    const [kept, gone, alsoGone] = [
      await addProject(me),
      await addProject(me),
      await addProject(me),
    ];
    await Promise.all([gone, alsoGone].map(trash));
    const before = await ids();
    const mine = [kept, gone, ...Object.values(projects)];
    expect(await remove(me, mine)).toBe(1);
    expect(await ids()).toEqual(before.filter((id) => id !== gone));
    for (const who of ['stranger', 'moderator', 'admin', testUserIds.stranger])
      expect(await remove(who, [alsoGone, projects.trashed])).toBe(0);
    await expect(remove('anon', [alsoGone])).rejects.toThrow('permission denied');
    await trash(projects.suspended);
    await expect(remove('suspended', [projects.suspended])).rejects.toThrow('suspended');
    await world.sql`update public.projects set trashed_at = null where id = ${projects.suspended}`;
    expect(await ids()).toEqual(before.filter((id) => id !== gone));
  });

  test('DB-62: emptying it deletes all in it, of this user', async () => {
    const kept = await addProject(me);
    const gone = [await addProject(me), await addProject(me)];
    await Promise.all(gone.map(trash));
    const before = await ids();
    const empty = async () =>
      (
        await world.runAs(
          me,
          (tx) => tx<{ deleted: number }[]>`
        select public.empty_trash() as deleted`,
        )
      )[0]?.deleted;
    expect([await empty(), await empty()]).toEqual([2, 0]);
    expect(await ids()).toEqual(before.filter((id) => !gone.includes(id)));
    expect((await list(me)).projects).toMatchObject([{ id: kept }]);
    // An id that's missing from a call doesn't empty it.
    await trash(kept);
    const [row] = await world.runAs(me, (tx) => tx`select public.delete_trashed(null) as deleted`);
    expect(row).toEqual({ deleted: 0 });
  });

  test('takes a project’s files, document, tags and members with it, and keeps its forks', async () => {
    const original = await addProject(me, { visibility: 'public' });
    await tag(me, [original], ['gone']);
    await world.sql`insert into public.project_members (project_id, user_id, role)
      values (${original}, ${testUserIds.stranger}, 'viewer')`;
    const fork = await world.runAs('stranger', (tx) =>
      createProject(tx, { id: randomUUID(), forkedFrom: original }),
    );
    await trash(original);
    expect(await remove(me, [original])).toBe(1);
    const tables = await world.sql<{ name: string }[]>`
      select table_name as name from information_schema.columns
      where table_schema = 'public' and column_name = 'project_id'`;
    expect(tables.length).toBeGreaterThan(4);
    for (const { name } of tables)
      expect([
        name,
        await world.sql`select from ${world.sql(`public.${name}`)} where project_id = ${original}`,
      ]).toEqual([name, []]);
    const [left] = await world.sql`select forked_from from public.projects where id = ${fork.id}`;
    expect(left).toEqual({ forked_from: null });
  });

  test('DB-63: the purge deletes what has been there for 30 days, and only the service role may call it', async () => {
    const days = limits.trashDays;
    const [due, early, kept] = [await addProject(me), await addProject(me), await addProject(me)];
    const age = (id: string, interval: string) =>
      world.sql`update public.projects set trashed_at = now() - ${interval}::interval where id = ${id}`;
    // The trigger keeps the first time.
    await world.sql`alter table public.projects disable trigger guard_project`;
    await age(due, `${days} days`);
    await age(early, `${days} days -1 minute`);
    await world.sql`alter table public.projects enable trigger guard_project`;
    for (const who of ['anon', me, 'moderator', 'admin'])
      await expect(world.runAs(who, (tx) => tx`select public.purge_trash()`)).rejects.toThrow(
        'permission denied',
      );
    const purge = async (most = 200) => {
      const [row] = await world.sql.begin(async (tx) => {
        await tx`set local role service_role`;
        return tx<{ deleted: number }[]>`select public.purge_trash(${most}) as deleted`;
      });
      return row?.deleted;
    };
    const before = await ids();
    expect(await purge(0)).toBe(0);
    expect([await purge(1), await purge()]).toEqual([1, 0]);
    expect(await ids()).toEqual(before.filter((id) => id !== due));
    expect((await list(me)).projects).toMatchObject([{ id: kept }]);
    expect((await list(me, { scope: 'trash' })).projects).toMatchObject([{ id: early }]);
  });

  test('DB-63: the purge leaves a project that its owner is restoring', async () => {
    const project = await addProject(me);
    await world.sql`alter table public.projects disable trigger guard_project`;
    await world.sql`update public.projects set trashed_at = now() - interval '31 days'
      where id = ${project}`;
    await world.sql`alter table public.projects enable trigger guard_project`;
    await world.runAs(me, async (tx) => {
      await tx`update public.projects set trashed_at = null where id = ${project}`;
      const [row] = await world.sql<{ deleted: number }[]>`select public.purge_trash() as deleted`;
      expect(row?.deleted).toBe(0);
    });
    expect((await list(me)).projects).toMatchObject([{ id: project }]);
  });
});

test('a profile has public projects, with their description, tags and picture, for everyone', async () => {
  const shown = await addProject(me, {
    title: 'Boids',
    visibility: 'public',
    files: { 'index.html': '<p>', 'boids.js': 'let a;' },
  });
  await world.sql`update public.projects set description = 'They flock' where id = ${shown}`;
  await tag(me, [shown], ['art', 'birds']);
  await addProject(me, { visibility: 'private' });
  await addProject(me, { visibility: 'unlisted' });
  await trash(await addProject(me, { visibility: 'public' }));
  const hidden = await addProject(me, { visibility: 'public' });
  await world.sql`update public.projects set hidden_at = now() where id = ${hidden}`;
  for (const who of ['anon', 'stranger', me]) {
    const [row] = await world.runAs(
      who,
      (tx) => tx`select public.list_public_projects(${me}) as answer`,
    );
    expect(row?.['answer']).toMatchObject([
      {
        title: 'Boids',
        description: 'They flock',
        tags: ['art', 'birds'],
        excerpt: { path: 'boids.js', text: 'let a;' },
      },
    ]);
  }
});

describe('the forks of a project', () => {
  interface Forks {
    total: number;
    forks: { title: string; username: string | null; visibility: string }[];
  }

  async function listForks(who: string, project: string): Promise<Forks | null> {
    const [row] = await world.sql<{ slug: string }[]>`
      select slug from public.projects where id = ${project}`;
    const [found] = await world.runAs(
      who,
      (tx) => tx<{ answer: Forks | null }[]>`
        select public.list_forks(${row?.slug ?? ''}) as answer`,
    );
    return found?.answer ?? null;
  }

  test('DB-64: are listed to those who may see them, and only counted for others', async () => {
    const original = await addProject(me, { visibility: 'public' });
    const fork = async (visibility: string) => {
      const { id } = await world.runAs('owner', (tx) =>
        createProject(tx, {
          id: randomUUID(),
          title: visibility,
          visibility,
          forkedFrom: original,
        }),
      );
      await world.sql`delete from private.attempts`;
      return id;
    };
    const hidden = await fork('public');
    await world.sql`update public.projects set title = 'hidden', hidden_at = now()
      where id = ${hidden}`;
    await trash(await fork('public'));
    for (const visibility of ['private', 'unlisted', 'public']) await fork(visibility);
    const names = async (who: string) =>
      (await listForks(who, original))?.forks.map(({ title }) => title).toSorted();
    for (const who of ['anon', 'stranger', me, 'suspended', 'moderator', 'admin'])
      expect([who, await names(who)]).toEqual([who, ['public']]);
    expect(await names('owner')).toEqual(['hidden', 'private', 'public', 'unlisted']);
    expect((await listForks('anon', original))?.total).toBe(5);
    await world.sql`update public.projects set visibility = 'private' where id = ${original}`;
    expect(await listForks('anon', original)).toBeNull();
    expect(await listForks('owner', original)).toBeNull();
    expect((await listForks(me, original))?.total).toBe(5);
  });
});
