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
  publishVersion,
  storeAssets,
} from '@vitrine/testing/schema-calls';
import type { CreateProjectInput, FileTexts } from '@vitrine/testing/schema-calls';
import { addUser, openWorld } from '@vitrine/testing/schema-world';
import type { SchemaWorld } from '@vitrine/testing/schema-world';
import { getRejectionCode, waitForLockWaiters } from './schema-attempts.ts';

let world: SchemaWorld;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** Users without attempts, new for each test. */
let ada: string;
let bob: string;
beforeEach(async () => {
  [ada, bob] = [randomUUID(), randomUUID()];
  await addUser(world.sql, ada, nameOf(ada));
  await addUser(world.sql, bob, nameOf(bob));
});

const nameOf = (id: string) => `u${id.replaceAll('-', '').slice(0, 20)}`;
const create = (who: string, o: Partial<CreateProjectInput> = {}) =>
  world.runAs(who, (tx) => createProject(tx, { id: randomUUID(), ...o }));
const refusal = (who: string, call: (tx: TransactionSql) => PromiseLike<unknown>) =>
  world.runAs(who, (tx) => getRejectionCode(tx, async (attempt) => call(attempt)));
const save = (tx: TransactionSql, project: string, changed: FileTexts, bytes = 'x', base = 1) =>
  appendUpdates(tx, {
    project,
    client: randomUUID(),
    base,
    updates: [createUpdate(1, bytes)],
    changed,
  });

interface Invitation {
  id: string;
  may_mail: boolean;
}
async function invite(
  tx: TransactionSql,
  project: string,
  { username = null, email = null }: { username?: string | null; email?: string | null },
): Promise<Invitation> {
  const [row] = await tx<{ answer: Invitation }[]>`
    select public.invite_to_project(project => ${project}, role => 'viewer',
      username => ${username}, email => ${email}) as answer`;
  if (row === undefined) throw new Error('invite_to_project answered nothing');
  return row.answer;
}
const createCollection = (tx: TransactionSql) => tx`select public.create_collection('A') as answer`;

test('the limits are those of the app', async () => {
  const rows = await world.sql<{ action: string; most: number }[]>`
    select action, (private.find_limit(action)).most::int from unnest(array['create_project',
      'create_version', 'create_collection', 'invite', 'invite_user', 'mail_address', 'save', 'import',
      'import_address']) action`;
  expect(Object.fromEntries(rows.map(({ action, most }) => [action, most]))).toEqual({
    create_project: limits.projectsPerHour,
    create_version: limits.versionsPerHour,
    create_collection: limits.collectionsPerHour,
    invite: limits.invitationsPerHour,
    invite_user: limits.receivedInvitationsPerDay,
    mail_address: limits.mailsPerAddressPerDay,
    save: limits.userMaxSavedBytesPerHour,
    import: limits.importsPerHour,
    import_address: limits.importsPerAddressPerHour,
  });
});

describe('DB-70: an hourly limit counts what its user has deleted', () => {
  const repeat = async (times: number, work: () => Promise<unknown>) => {
    for (let n = 0; n < times; n++) await work();
  };

  test('projects', async () => {
    await world.runAs(ada, (tx) =>
      repeat(limits.projectsPerHour, () => createProject(tx, { id: randomUUID() })),
    );
    await world.runAs(ada, async (tx) => {
      await tx`update public.projects set trashed_at = now() where owner_id = ${ada}`;
      await tx`select public.empty_trash()`;
    });
    expect(await world.sql`select from public.projects where owner_id = ${ada}`).toHaveLength(0);
    const again = () => refusal(ada, (tx) => createProject(tx, { id: randomUUID() }));
    expect(await again()).toBe('rate_limited');
    await create(bob);
    await world.sql`update private.attempts set minute = minute - interval '58 minutes'`;
    expect(await again()).toBe('rate_limited');
    await world.sql`update private.attempts set minute = minute - interval '3 minutes'`;
    await create(ada);
  });

  test('versions, with their project', async () => {
    const { id } = await create(ada);
    await world.runAs(ada, (tx) => repeat(limits.versionsPerHour, () => createVersion(tx, id)));
    await world.sql`delete from public.projects where id = ${id}`;
    const other = await create(ada);
    expect(await refusal(ada, (tx) => createVersion(tx, other.id))).toBe('rate_limited');
  });

  test('collections', async () => {
    await world.runAs(ada, async (tx) => {
      await repeat(limits.collectionsPerHour, () => createCollection(tx));
      await tx`delete from public.collections where owner_id = ${ada}`;
    });
    expect(await refusal(ada, createCollection)).toBe('rate_limited');
  });

  test('invitations, with their project', async () => {
    const { id } = await create(ada);
    await world.runAs(ada, async (tx) => {
      await repeat(limits.invitationsPerHour, async () => {
        const made = await invite(tx, id, {});
        await tx`select public.revoke_invitation(${made.id})`;
      });
    });
    await world.sql`delete from public.projects where id = ${id}`;
    const other = await create(ada);
    expect(await refusal(ada, (tx) => invite(tx, other.id, {}))).toBe('rate_limited');
  });

  test('and calls at the same time', async () => {
    await world.sql`insert into private.attempts (subject, action, minute, amount)
      values (${ada}, 'create_collection', date_trunc('minute', now()),
        ${limits.collectionsPerHour - 1})`;
    const { calls } = await world.sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(
        hashtextextended('attempts create_collection ' || ${ada}::text, 0))`;
      const both = Promise.allSettled([1, 2].map(() => world.runAs(ada, createCollection)));
      await waitForLockWaiters(world.sql, 2);
      return { calls: both };
    });
    expect((await calls).map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  test('until nothing looks at the count any more', async () => {
    await world.runAs(ada, createCollection);
    const count = async () => {
      await world.sql.begin(async (tx) => {
        await tx`set local role service_role`;
        await tx`select public.purge_trash()`;
      });
      return (await world.sql`select from private.attempts where subject = ${ada}`).length;
    };
    expect(await count()).toBe(1);
    await world.sql`update private.attempts set minute = minute - interval '26 hours'`;
    expect(await count()).toBe(0);
  });

  test('and nobody but the functions changes it', async () => {
    for (const who of ['anon', ada])
      for (const statement of [
        'delete from private.attempts',
        'select private.purge_attempts()',
        `select private.count_attempt('invite', 'x', -100)`,
      ])
        expect(await refusal(who, (tx) => tx.unsafe(statement))).toContain('permission denied');
  });
});

describe('DB-71: what a stranger gets', () => {
  test('is ten mails a day to an address, whoever sends them, and invitations stay possible', async () => {
    const mailed: boolean[] = [];
    for (const who of [ada, bob]) {
      const { id } = await create(who);
      for (let n = 0; n < limits.mailsPerAddressPerDay / 2; n++)
        mailed.push(
          (await world.runAs(who, (tx) => invite(tx, id, { email: `Eve-${ada}@example.org` })))
            .may_mail,
        );
    }
    expect(mailed).toEqual(mailed.map(() => true));
    const { id } = await create(bob);
    const mail = (email: string) => world.runAs(bob, (tx) => invite(tx, id, { email }));
    expect(await mail(`eve-${ada}@EXAMPLE.org`)).toMatchObject({ kind: 'email', may_mail: false });
    expect(await mail(`zoe-${ada}@example.org`)).toMatchObject({ may_mail: true });
    const [row] = await world.sql<{ text: string }[]>`
      select string_agg(a::text, ' ') as text from private.attempts a`;
    expect(row?.text).not.toContain('example.org');
    await world.sql`update private.attempts set minute = minute - interval '24 hours 1 minute'`;
    expect(await mail(`eve-${ada}@example.org`)).toMatchObject({ may_mail: true });
  });

  test('is fifty invitations a day', async () => {
    const { id } = await create(ada);
    const again = (tx: TransactionSql) => invite(tx, id, { username: nameOf(bob) });
    await world.runAs(ada, again);
    await world.sql`update private.attempts set amount = ${limits.receivedInvitationsPerDay}
      where action = 'invite_user' and subject = ${bob}`;
    expect(await refusal(ada, again)).toBe('rate_limited');
  });
});

describe('DB-72: storage counts', () => {
  const usage = (who: string) =>
    world.runAs(who, async (tx) => {
      const [row] = await tx<{ answer: { used: number; quota: number } }[]>`
        select public.storage_usage() as answer`;
      return row?.answer;
    });
  const mayAdd = (who: string, size = 0) =>
    world.runAs(who, async (tx) => {
      await tx`select set_config('storage.operation', 'storage.object.upload', true)`;
      const [row] = await tx<{ answer: boolean }[]>`
        select private.may_add_asset(${`${who}/${'f'.repeat(64)}`},
          jsonb_build_object('size', ${size}::int)) as answer`;
      return row?.answer;
    });

  test('4 KiB for an asset that is smaller, also for an empty one that is added', async () => {
    await storeAssets(world.sql, ada, [
      createAssetRow('a', 'a', 0),
      createAssetRow('b', 'b', 5_000),
    ]);
    expect(await usage(ada)).toMatchObject({ used: limits.assetMinBytes + 5_000 });
    const left = limits.userMaxAssetBytes - limits.assetMinBytes;
    await storeAssets(world.sql, ada, [createAssetRow('a', 'a', left - 5_000)]);
    expect(await mayAdd(ada)).toBe(true);
    await storeAssets(world.sql, ada, [createAssetRow('a', 'a', left - 4_999)]);
    expect(await mayAdd(ada)).toBe(false);
  });

  test(`at most ${limits.userMaxAssets} assets of a user, who sees that no room is left`, async () => {
    const add = (count: number) => world.sql`
      insert into storage.objects (bucket_id, name, metadata)
      select 'assets', ${ada}::text || '/' || encode(sha256(convert_to(n::text, 'UTF8')), 'hex'),
        '{"size": 1}' from generate_series(1, ${count}::int) n on conflict do nothing`;
    await add(limits.userMaxAssets - 1);
    expect(await mayAdd(ada)).toBe(true);
    await add(limits.userMaxAssets);
    expect(await mayAdd(ada)).toBe(false);
    const { used, quota } = (await usage(ada)) ?? { used: 0, quota: 1 };
    expect(used).toBeGreaterThanOrEqual(quota);
    expect(await mayAdd(bob)).toBe(true);
  });

  test('at most 20 pictures in the folder of a user', async () => {
    const add = (tx: TransactionSql, n: number | string, metadata = {}) => tx`
      insert into storage.objects (bucket_id, name, user_metadata)
      values ('avatars', ${`${ada}/${n}.png`}, ${tx.json(metadata)})`;
    expect(await refusal(ada, (tx) => add(tx, 'a', { key: 'x' }))).toContain('row-level security');
    await world.runAs(ada, async (tx) => {
      for (let n = 0; n < 20; n++) await add(tx, n);
    });
    expect(await refusal(ada, (tx) => add(tx, 'more'))).toContain('row-level security');
    expect(await refusal(bob, (tx) => add(tx, 'of-another'))).toContain('row-level security');
  });
});

describe('DB-73: versions', () => {
  const sizeOf = async (project: string) => {
    const [row] = await world.sql<{ bytes: number }[]>`
      select bytes::int from private.version_sizes where project_id = ${project}`;
    return row?.bytes;
  };
  const fill = (project: string, bytes: number) =>
    world.sql`update private.version_sizes set bytes = ${bytes} where project_id = ${project}`;
  const countRows = async (project: string) => {
    const rows = await world.sql`
      select from public.project_versions where project_id = ${project}`;
    return rows.length;
  };
  const keep = (who: string, project: string) =>
    world.runAs(who, (tx) => createVersion(tx, project));
  const refuse = (who: string, project: string) => refusal(who, (tx) => createVersion(tx, project));

  test('count texts that differ, and 256 bytes for each row', async () => {
    const { id } = await create(ada, { files: { 'a.txt': 'äöü', 'b.txt': 'äöü' } });
    await keep(ada, id);
    expect(await sizeOf(id)).toBe(6 + 3 * 256);
    await keep(ada, id);
    expect(await sizeOf(id)).toBe(6 + 4 * 256);
    await world.runAs(ada, (tx) => save(tx, id, { 'a.txt': 'new' }));
    await keep(ada, id);
    expect(await sizeOf(id)).toBe(9 + 6 * 256);
  });

  test('have a limit for a project, at which nothing is stored', async () => {
    const { id } = await create(ada);
    await keep(ada, id);
    await fill(id, limits.projectMaxVersionBytes - 256);
    await keep(ada, id);
    expect(await refuse(ada, id)).toBe('versions_full');
    expect(await countRows(id)).toBe(2);
    await world.runAs(ada, (tx) => save(tx, id, { 'a.txt': 'still saved' }));
    // Nobody asked for this one, and nothing but a version is refused.
    const automatic = (tx: TransactionSql) => createVersion(tx, id, { reason: 'pause' });
    expect(await refusal(ada, automatic)).toBe('versions_full');
  });

  test('have a limit for all projects of an owner, also those that an editor doesn’t see', async () => {
    const projects = await Promise.all([1, 2, 3, 4].map(() => create(ada)));
    for (const { id } of projects) {
      await keep(ada, id);
      await fill(id, limits.userMaxVersionBytes / 4);
    }
    const { id } = await create(ada);
    await world.sql`insert into public.project_members (project_id, user_id, role)
      values (${id}, ${bob}, 'editor')`;
    expect(await refuse(bob, id)).toBe('versions_full');
    await keep(bob, (await create(bob)).id);
    await world.sql`delete from public.projects where id = ${projects[0]?.id ?? ''}`;
    await keep(bob, id);
  });

  test('have at most 10,000 paths in all', async () => {
    const { id } = await create(ada);
    await keep(ada, id);
    await world.sql`insert into public.version_files (project_id, number, path)
      select ${id}, 1, 'gone/' || n from generate_series(1, ${limits.projectMaxVersionPaths - 1}) n`;
    await keep(ada, id);
    await world.runAs(ada, (tx) => save(tx, id, { 'one-more.txt': 'x' }));
    expect(await refuse(ada, id)).toBe('versions_full');
  });
});

describe('DB-74: what is saved', () => {
  test('is limited by bytes in an hour, of updates and first states', async () => {
    const { id } = await create(ada, { state: 'x'.repeat(1_000) });
    await world.runAs(ada, (tx) => save(tx, id, {}, 'y'.repeat(500)));
    const [row] = await world.sql`select sum(amount)::int as bytes from private.attempts
      where subject = ${ada} and action = 'save'`;
    expect(row).toEqual({ bytes: 1_500 });
    await world.sql`update private.attempts set amount = ${limits.userMaxSavedBytesPerHour - 2}
      where subject = ${ada} and action = 'save'`;
    expect(await refusal(ada, (tx) => save(tx, id, {}, 'zzz', 2))).toBe('rate_limited');
    await world.runAs(ada, (tx) => save(tx, id, {}, 'zz', 2));
    expect(await refusal(ada, (tx) => createProject(tx, { id: randomUUID() }))).toBe(
      'rate_limited',
    );
    // Operators restore and import what was saved.
    await world.sql`update public.projects set title = 'restored' where id = ${id}`;
    await world.sql`insert into public.document_updates
        (project_id, seq, client_id, client_seq, update, sha256, revision)
      values (${id}, 4, gen_random_uuid(), 1, 'abc', sha256('abc'), 3)`;
  });
});

describe('DB-75: a search of one’s projects', () => {
  test('reads no more code than its budget, and no more of a query than 200 characters', async () => {
    // 1 GiB of text, which takes longer than the database allows a statement.
    const text = 'lorem ipsum '.repeat(87_000);
    await world.sql`insert into public.projects (owner_id, title, creation_key)
      select ${ada}, 'Prose ' || n, gen_random_uuid() from generate_series(1, 100) n`;
    await world.sql`insert into public.project_files (project_id, path, content)
      select p.id, n || '.txt', ${text} from public.projects p, generate_series(1, 10) n
      where p.owner_id = ${ada}`;
    const search = (query: string) =>
      world.runAs(ada, async (tx) => {
        await tx`set local statement_timeout = '3s'`;
        const [row] = await tx<{ answer: { total: number; searched_all: boolean } }[]>`
          select public.list_work(query => ${query}, page_size => 100) as answer`;
        return row?.answer;
      });
    expect(await search('nöwhere')).toMatchObject({ total: 0, searched_all: false });
    expect(await search('nowhere')).toMatchObject({ total: 0, searched_all: false });
    // All titles match, so that each project is shown with its match.
    expect(await search('prose')).toMatchObject({ total: 100 });
    expect(await search('prose '.repeat(400_000))).toMatchObject({ total: 100 });
  }, 60_000);
});

describe('DB-76: arrays', () => {
  test('that no client needs are refused before they are read', async () => {
    const [collection] = await world.runAs(
      ada,
      (tx) => tx<{ id: string }[]>`select public.create_collection('A') ->> 'id' as id`,
    );
    const ids = (count: number) => Array.from({ length: count }, () => randomUUID());
    const tags = Array.from({ length: 101 }, (_, n) => `t${n}`);
    const id = collection?.id ?? '';
    const calls: ((tx: TransactionSql) => PromiseLike<unknown>)[] = [
      (tx) => tx`select public.add_to_collection(${id}, ${ids(501)}::uuid[])`,
      (tx) => tx`select public.remove_from_collection(${id}, ${ids(501)}::uuid[])`,
      (tx) => tx`select public.order_collection(${id}, ${ids(501)}::uuid[])`,
      (tx) => tx`select public.create_collection('B', 'private', ${ids(501)}::uuid[])`,
      (tx) => tx`select public.delete_trashed(${ids(1_001)}::uuid[])`,
      (tx) => tx`select public.tag_projects(${ids(1_001)}::uuid[], '{a}')`,
      (tx) => tx`select public.tag_projects(${ids(1)}::uuid[], ${tags})`,
      (tx) => tx`select public.tag_projects(${ids(1)}::uuid[], '{}', ${tags})`,
    ];
    for (const [n, call] of calls.entries())
      expect([n, await refusal(ada, call)]).toEqual([n, 'bad_request']);
  });

  test('of files have as many as a project', async () => {
    const { id } = await create(ada);
    // The same asset again and again is one row, but each was looked up.
    const files = Array.from({ length: limits.projectMaxFiles + 1 }, () => createAssetRow('a.png'));
    const call = { project: id, client: randomUUID(), base: 1, updates: [createUpdate(1, 'x')] };
    expect(await refusal(ada, (tx) => appendUpdates(tx, { ...call, changed: files }))).toBe(
      'too_many_files',
    );
    expect(await refusal(ada, (tx) => createProject(tx, { id: randomUUID(), files }))).toBe(
      'too_many_files',
    );
  });
});

describe('DB-77: a fork', () => {
  test('remembers a version that its user sees, and no other', async () => {
    const original = await create(ada, { visibility: 'public' });
    await world.runAs(ada, async (tx) => {
      await createVersion(tx, original.id, { reason: 'pause' });
      await createVersion(tx, original.id);
    });
    const forkOf = async (who: string, number: number, project = original.id) => {
      const { id } = await create(who, { forkedFrom: project, forkedFromVersion: number });
      const [row] = await world.sql<{ version: number | null }[]>`
        select forked_from_version as version from public.projects where id = ${id}`;
      return row?.version;
    };
    expect(await forkOf(bob, 2)).toBe(2);
    for (const number of [1, 3, 0, -1])
      expect([number, await forkOf(bob, number)]).toEqual([number, null]);
    expect(await forkOf(ada, 1)).toBe(1);
    await world.runAs(ada, async (tx) => {
      await createVersion(tx, original.id);
      await publishVersion(tx, original.id, 2);
    });
    expect(await forkOf(bob, 3)).toBeNull();
    expect(await forkOf(ada, 3)).toBe(3);
  });
});
