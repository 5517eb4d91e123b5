import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Sql, TransactionSql } from 'postgres';
import { limits } from '@vitrine/project';
import { getRejectionCode, waitForLockWaiters } from './schema-attempts.ts';
import {
  appendUpdates,
  createAssetRow,
  createProject,
  createUpdate,
  storeAssets,
} from '@vitrine/testing/schema-calls';
import type { CreateProjectInput, FileRow } from '@vitrine/testing/schema-calls';
import { addUser, openWorld, switchUser } from '@vitrine/testing/schema-world';
import type { SchemaWorld } from '@vitrine/testing/schema-world';

let world: SchemaWorld;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** Users without uploads, new for each test, since objects are found by their uploader. */
let ada: string;
let bob: string;
beforeEach(async () => {
  await world.sql`delete from public.projects where title = 'of a test'`;
  await world.sql.begin(async (tx) => {
    await tx`set local storage.allow_delete_query = 'true'`;
    await tx`delete from storage.objects`;
  });
  [ada, bob] = [randomUUID(), randomUUID()];
  await addUser(world.sql, ada);
  await addUser(world.sql, bob);
});

const logo = createAssetRow('logo.png');
const uploader = async (project: string, path = 'logo.png') => {
  const [row] = await world.sql<{ uploader: string | null }[]>`
    select uploader from public.project_files where project_id = ${project} and path = ${path}`;
  return row?.uploader;
};

const create = (who: string, project: Partial<CreateProjectInput> = {}) =>
  world.runAs(who, (tx) =>
    createProject(tx, { id: randomUUID(), title: 'of a test', files: [logo], ...project }),
  );
const refuseCreation = (who: string, project: Partial<CreateProjectInput> = {}) =>
  world.runAs(who, (tx) =>
    getRejectionCode(tx, (attempt) =>
      createProject(attempt, { id: randomUUID(), files: [logo], ...project }),
    ),
  );

/** Saves in a project; `base` is its sequence number before. */
const save = (
  tx: Sql | TransactionSql,
  project: string,
  base: number,
  files: { changed?: FileRow[]; removed?: string[] },
) =>
  appendUpdates(tx, {
    project,
    client: randomUUID(),
    base,
    updates: [createUpdate(1, `${base}`)],
    format: 2,
    ...files,
  });
const saveAs = (who: string, ...o: [string, number, { changed?: FileRow[]; removed?: string[] }]) =>
  world.runAs(who, (tx) => save(tx, ...o));

const addMember = (project: string, member: string, role = 'editor') =>
  world.sql`insert into public.project_members (project_id, user_id, role)
    values (${project}, ${member}, ${role})`;

/** Runs `first` in a transaction, and ends it once `second` waits for it. */
async function whileUncommitted<T>(
  first: (tx: TransactionSql) => Promise<unknown>,
  second: () => Promise<T>,
): Promise<T> {
  let waiting: Promise<{ value: T }> | undefined;
  await world.requests.begin(async (tx) => {
    await first(tx);
    waiting = second().then((value) => ({ value }));
    await waitForLockWaiters(world.sql, 1);
  });
  if (waiting === undefined) throw new Error('nothing waits');
  return (await waiting).value;
}

describe('AS-04: whose bytes a saved asset has', () => {
  test('those of the user, else those that the project or a visible one has', async () => {
    await storeAssets(world.sql, ada, [logo]);
    const { id, slug } = await create(ada, { visibility: 'public' });
    expect(await uploader(id)).toBe(ada);
    expect(await uploader((await create(bob)).id)).toBe(ada);
    await storeAssets(world.sql, bob, [logo]);
    expect(await uploader((await create(bob, { forkedFrom: id })).id)).toBe(bob);
    const [row] = await world.runAs(
      'anon',
      (tx) => tx<{ answer: object }[]>`select public.read_project(${slug}) as answer`,
    );
    expect(row?.answer).toMatchObject({ assets: [{ ...logo, uploader: ada }] });
  });

  test('none of another user’s private or unlisted project, unless it is forked', async () => {
    expect(await refuseCreation(bob)).toBe('asset_missing');
    await storeAssets(world.sql, ada, [logo]);
    expect(await refuseCreation(bob)).toBe('asset_missing');
    for (const visibility of ['private', 'unlisted']) {
      const { id } = await create(ada, { visibility });
      expect(await refuseCreation(bob)).toBe('asset_missing');
      if (visibility === 'private') {
        expect(await refuseCreation(bob, { forkedFrom: id })).toBe('not_found_or_private');
        continue;
      }
      expect(await uploader((await create(bob, { forkedFrom: id })).id)).toBe(ada);
    }
  });

  test('none whose object is missing or has another size, and the path is named', async () => {
    await storeAssets(world.sql, ada, [logo]);
    const larger = { ...logo, size: 5 };
    expect(await refuseCreation(ada, { files: [larger] })).toBe('asset_missing');
    const { id } = await create(ada);
    const missing = createAssetRow('pictures/gone.png', 'f');
    await expect(saveAs(ada, id, 1, { changed: [missing] })).rejects.toMatchObject({
      message: 'asset_missing',
      detail: 'pictures/gone.png',
      code: 'PT409',
    });
  });

  test('any member may move an asset, remove it and undo that, also one that lost its bytes', async () => {
    await storeAssets(world.sql, ada, [logo]);
    const { id } = await create(ada);
    await addMember(id, bob);
    const moved = { ...logo, path: 'img/logo.png' };
    await saveAs(bob, id, 1, { changed: [moved], removed: ['logo.png'] });
    expect(await uploader(id, 'img/logo.png')).toBe(ada);
    await saveAs(bob, id, 2, { removed: ['img/logo.png'] });
    await saveAs(bob, id, 3, { changed: [logo] });
    expect(await uploader(id)).toBe(ada);
    await world.sql.begin(async (tx) => {
      await tx`set local storage.allow_delete_query = 'true'`;
      await tx`delete from storage.objects`;
    });
    // Otherwise the lost bytes would keep texts from being saved.
    await saveAs(bob, id, 4, { changed: [logo, { path: 'a.txt', content: 'typed' }] });
    expect(await uploader(id)).toBe(ada);
    await saveAs(bob, id, 5, { removed: ['logo.png'] });
    await saveAs(bob, id, 6, { changed: [moved] });
    await storeAssets(world.sql, bob, [logo]);
    await saveAs(bob, id, 7, { changed: [moved] });
    expect(await uploader(id, 'img/logo.png')).toBe(bob);
  });

  test('a text in place of an asset has no uploader', async () => {
    await storeAssets(world.sql, ada, [logo]);
    const { id } = await create(ada);
    await saveAs(ada, id, 1, { changed: [{ path: 'logo.png', content: 'text' }] });
    expect(await uploader(id)).toBeNull();
  });

  test('list_assets returns them to those who work on the project', async () => {
    await storeAssets(world.sql, ada, [logo]);
    const { id } = await create(ada);
    const list = (who: string) =>
      world.runAs(who, async (tx) => {
        const [row] = await tx`select public.list_assets(${id}) as answer`;
        return row?.['answer'];
      });
    expect(await list(ada)).toEqual([{ ...logo, uploader: ada }]);
    expect(await list(bob)).toEqual([]);
    await addMember(id, bob, 'viewer');
    expect(await list(bob)).toEqual([{ ...logo, uploader: ada }]);
  });
});

test('the quota is that of the app, and the usage that of the user', async () => {
  const usage = (who: string) =>
    world.runAs(who, async (tx) => {
      const [row] = await tx`select public.storage_usage() as answer`;
      return row?.['answer'];
    });
  const files = [createAssetRow('a.png', 'a', 4_097), createAssetRow('b.png', 'b', 10_000)];
  await storeAssets(world.sql, ada, files);
  await storeAssets(world.sql, bob, [createAssetRow('b.png', 'b', 5_000)]);
  expect(await usage(ada)).toEqual({ used: 14_097, quota: limits.userMaxAssetBytes });
  expect(await usage(bob)).toEqual({ used: 5_000, quota: limits.userMaxAssetBytes });
});

test('AS-06: an upload waits for another one of the same user, and counts it', async () => {
  await storeAssets(world.sql, ada, [
    { ...logo, size: limits.userMaxAssetBytes - limits.assetMinBytes },
  ]);
  /** Inserts the row of an upload of 4 bytes, as the storage service does. */
  const add = async (tx: TransactionSql, digit: string) => {
    await switchUser(tx, ada);
    await tx`select set_config('storage.operation', 'storage.object.upload', true)`;
    await tx`insert into storage.objects (bucket_id, name, metadata)
      values ('assets', ${`${ada}/${digit.repeat(64)}`}, '{"size": 4}')`;
  };
  const second = () =>
    world.runAs(ada, (tx) => getRejectionCode(tx, (attempt) => add(attempt, 'c')));
  expect(await whileUncommitted((tx) => add(tx, 'b'), second)).toContain('row-level security');
});

describe('AS-05: collect_assets', () => {
  const collectIn = async (tx: Sql | TransactionSql, account?: string) => {
    const rows = await tx<{ name: string }[]>`
      select public.collect_assets(${account ?? null}) as name`;
    return rows.map(({ name }) => name).toSorted();
  };
  const collect = (account?: string) => collectIn(world.sql, account);
  /** Makes what `collect_assets` has noted this old. */
  const age = async (days: number) => {
    await world.sql`update private.unreferenced_assets
      set since = since - ${days} * interval '1 day',
        claimed_at = claimed_at - ${days} * interval '1 day'`;
    await world.sql`update private.removed_assets
      set removed_at = removed_at - ${days} * interval '1 day'`;
  };
  const name = (owner: string, digit = 'a') => `${owner}/${digit.repeat(64)}`;

  test('returns an object once nothing has referred to it for seven days', async () => {
    await storeAssets(world.sql, ada, [logo, createAssetRow('b.png', 'b')]);
    await create(ada);
    expect(await collect()).toEqual([]);
    await age(6.9);
    expect(await collect()).toEqual([]);
    await age(0.2);
    expect(await collect()).toEqual([name(ada, 'b')]);
    // Claimed by the first call.
    expect(await collect()).toEqual([]);
    await age(1);
    expect(await collect()).toEqual([name(ada, 'b')]);
  });

  test('starts again when something has referred to the object meanwhile', async () => {
    await storeAssets(world.sql, ada, [logo]);
    const { id } = await create(ada);
    await saveAs(ada, id, 1, { removed: ['logo.png'] });
    await collect();
    await age(8);
    await saveAs(ada, id, 2, { changed: [logo] });
    expect(await collect()).toEqual([]);
    await saveAs(ada, id, 3, { removed: ['logo.png'] });
    expect(await collect()).toEqual([]);
    await age(8);
    expect(await collect()).toEqual([name(ada)]);
  });

  test('spares what is in the trash, in a fork, or in a project of somebody else', async () => {
    await storeAssets(world.sql, ada, [logo, createAssetRow('b.png', 'b')]);
    const original = await create(ada, { visibility: 'public' });
    const trashed = await create(ada, { files: [createAssetRow('b.png', 'b')] });
    await world.sql`update public.projects set trashed_at = now() where id = ${trashed.id}`;
    const fork = await create(bob, { forkedFrom: original.id });
    await world.sql`delete from public.projects where id = ${original.id}`;
    await collect();
    await age(8);
    expect(await collect()).toEqual([]);
    await world.sql`delete from public.projects where id in (${fork.id}, ${trashed.id})`;
    await collect();
    await age(8);
    expect(await collect()).toEqual([name(ada), name(ada, 'b')]);
  });

  test('with an account, returns at once what nobody else has, or removed lately', async () => {
    const [a, b, c] = [logo, createAssetRow('logo.png', 'b'), createAssetRow('logo.png', 'c')];
    await storeAssets(world.sql, ada, [a, b, c, createAssetRow('d.png', 'd')]);
    const files = [a, { ...b, path: 'b.png' }];
    const original = await create(ada, { files, visibility: 'public' });
    const fork = await create(bob, { forkedFrom: original.id, files: [b] });
    const shared = await create(ada, { files: [c] });
    await world.sql`update public.projects set owner_id = ${bob} where id = ${shared.id}`;
    await saveAs(bob, shared.id, 1, { removed: ['logo.png'] });
    await world.sql`delete from auth.users where id = ${ada}`;
    expect(await collect(ada)).toEqual([name(ada, 'a'), name(ada, 'd')]);
    // The removal can still be undone.
    await saveAs(bob, shared.id, 2, { changed: [c] });
    for (const { id } of [fork, shared]) expect(await uploader(id)).toBe(ada);
  });

  test('is for the service role', async () => {
    for (const who of ['anon', ada])
      await world.runAs(who, async (tx) => {
        expect(await getRejectionCode(tx, (attempt) => collectIn(attempt))).toContain(
          'permission denied',
        );
      });
    await world.sql.begin(async (tx) => {
      await tx`set local role service_role`;
      expect(await collectIn(tx)).toEqual([]);
    });
  });

  test('waits for a save that refers to the object, and then spares it', async () => {
    await storeAssets(world.sql, ada, [logo]);
    await collect();
    await age(8);
    const found = await whileUncommitted(
      async (tx) => {
        await switchUser(tx, ada);
        await createProject(tx, { id: randomUUID(), title: 'of a test', files: [logo] });
      },
      () => collect(),
    );
    expect(found).toEqual([]);
    await age(8);
    expect(await collect()).toEqual([]);
  });

  test('waits for a save also where the object wasn’t noted before', async () => {
    await storeAssets(world.sql, ada, [logo]);
    const found = await whileUncommitted(
      async (tx) => {
        await switchUser(tx, ada);
        await createProject(tx, { id: randomUUID(), title: 'of a test', files: [logo] });
      },
      () => collect(ada),
    );
    expect(found).toEqual([]);
  });

  test('makes a save wait, which then asks for the bytes', async () => {
    await storeAssets(world.sql, ada, [logo]);
    await collect();
    await age(8);
    let collected: string[] = [];
    const refusal = await whileUncommitted(
      async (tx) => {
        await tx`set local role service_role`;
        collected = await collectIn(tx);
      },
      () => refuseCreation(ada),
    );
    expect(collected).toEqual([name(ada)]);
    expect(refusal).toBe('asset_missing');
    // A deletion that hasn't happened within ten minutes doesn't happen.
    await age(0.01);
    await create(ada);
    await age(8);
    expect(await collect()).toEqual([]);
  });

  test('takes an object that was uploaded again for another one', async () => {
    await storeAssets(world.sql, ada, [logo]);
    await collect();
    await age(8);
    expect(await collect()).toEqual([name(ada)]);
    await world.sql.begin(async (tx) => {
      await tx`set local storage.allow_delete_query = 'true'`;
      await tx`delete from storage.objects where name = ${name(ada)}`;
    });
    await storeAssets(world.sql, ada, [logo]);
    await age(1);
    expect(await collect()).toEqual([]);
    await create(ada);
  });
});
