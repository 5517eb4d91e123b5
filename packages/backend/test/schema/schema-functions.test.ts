import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TransactionSql } from 'postgres';
import callable from './schema-functions.json' with { type: 'json' };
import { readEverything, getRejectionCode, rollBackAfter } from './schema-attempts.ts';
import { limits } from '@vitrine/project';
import {
  appendUpdates,
  createAssetRow,
  createProject,
  createUpdate,
  createVersion,
  listVersions,
  publishVersion,
  readVersion,
  storeAssets,
} from '@vitrine/testing/schema-calls';
import {
  switchUser,
  openWorld,
  testUserIds,
  collections,
  projects,
} from '@vitrine/testing/schema-world';
import type { SchemaWorld } from '@vitrine/testing/schema-world';

let world: SchemaWorld;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

test.each(['anon', 'authenticated'] as const)(
  '%s may call the listed functions only',
  async (role) => {
    const rows = await world.sql<{ name: string }[]>`
    select regexp_replace(oid::regprocedure::text, '^public\\.', '') as name from pg_proc
    where pronamespace = 'public'::regnamespace and has_function_privilege(${role}, oid, 'execute')
    order by 1`;
    expect(rows.map((row) => row.name)).toEqual(callable[role]);
  },
);

/** Calls each function with the owner's ids; the responses reveal nothing. */
const callsOnOthers: Record<string, (tx: TransactionSql) => Promise<unknown>> = {
  'add_to_collection(uuid,uuid[])': (tx) =>
    getRejectionCode(
      tx,
      (attempt) =>
        attempt`select public.add_to_collection(${collections.public}, ${[projects.public]}::uuid[])`,
    ),
  'append_updates(uuid,uuid,bigint,jsonb,jsonb,jsonb,integer)': (tx) =>
    getRejectionCode(tx, (attempt) =>
      appendUpdates(attempt, {
        project: projects.private,
        client: randomUUID(),
        base: 2,
        updates: [createUpdate(1, 'x')],
      }),
    ),
  'accept_invitation(text)': (tx) =>
    getRejectionCode(tx, (attempt) => attempt`select public.accept_invitation(${invitationId})`),
  'account_status(uuid)': async (tx) =>
    (await tx`select public.account_status(${testUserIds.owner}) as answer`)[0]?.['answer'],
  'create_collection(text,text,uuid[],uuid)': (tx) =>
    getRejectionCode(tx, (attempt) => attempt`select public.create_collection('')`),
  'create_project(uuid,text,text,text,jsonb,jsonb,text,text,uuid,integer)': (tx) =>
    getRejectionCode(tx, (attempt) =>
      createProject(attempt, { id: randomUUID(), forkedFrom: projects.private }),
    ),
  'create_version(uuid,text,text)': (tx) =>
    getRejectionCode(tx, (attempt) => createVersion(attempt, projects.private)),
  'decline_invitation(text)': (tx) =>
    getRejectionCode(tx, (attempt) => attempt`select public.decline_invitation(${invitationId})`),
  'delete_trashed(uuid[])': async (tx) =>
    (await tx`select public.delete_trashed(${[projects.trashed]}::uuid[]) as answer`)[0]?.[
      'answer'
    ],
  'empty_trash()': async (tx) => (await tx`select public.empty_trash() as answer`)[0]?.['answer'],
  'end_session(uuid)': async (tx) =>
    (await tx`select public.end_session(${ownersSession}) as answer`)[0]?.['answer'],
  'find_created(uuid[])': async (tx) =>
    (await tx`select public.find_created(${[ownersKey]}::uuid[]) as answer`)[0]?.['answer'],
  'find_created_project(uuid)': async (tx) =>
    (await tx`select public.find_created_project(${projects.private}) as answer`)[0]?.['answer'],
  'find_project(text)': async (tx) =>
    (await tx`select public.find_project(${await slugOf(projects.private)}) as answer`)[0]?.[
      'answer'
    ],
  'list_assets(uuid)': async (tx) =>
    (await tx`select public.list_assets(${projects.private}) as answer`)[0]?.['answer'],
  'invite_to_project(uuid,text,text,text,integer)': (tx) =>
    getRejectionCode(
      tx,
      (attempt) => attempt`select public.invite_to_project(${projects.public}, 'editor')`,
    ),
  'leave_project(uuid)': (tx) =>
    getRejectionCode(tx, (attempt) => attempt`select public.leave_project(${projects.public})`),
  'list_invitations()': async (tx) =>
    (await tx`select public.list_invitations() as answer`)[0]?.['answer'],
  'list_people(uuid)': (tx) =>
    getRejectionCode(tx, (attempt) => attempt`select public.list_people(${projects.public})`),
  'list_collections(uuid,uuid)': async (tx) =>
    (
      await tx`select jsonb_array_length(public.list_collections(${testUserIds.owner})) as answer`
    )[0]?.['answer'],
  'list_forks(text)': async (tx) =>
    (await tx`select public.list_forks(${await slugOf(projects.private)}) as answer`)[0]?.[
      'answer'
    ],
  'list_public_projects(uuid)': async (tx) =>
    (
      await tx`select jsonb_array_length(public.list_public_projects(${testUserIds.owner})) as answer`
    )[0]?.['answer'],
  'list_work(text,text,text,text,boolean,text,text,boolean,integer)': async (tx) =>
    (
      await tx`select public.list_work(scope => 'trash', query => 'one') -> 'projects' as answer`
    )[0]?.['answer'],
  'load_document(uuid,bigint)': (tx) =>
    getRejectionCode(tx, (attempt) => attempt`select public.load_document(${projects.public})`),
  'list_versions(text,integer,integer)': async (tx) =>
    listVersions(tx, await slugOf(projects.private)),
  // The caller's own session, and not the owner's.
  'my_sessions()': (tx) => tx`select id from public.my_sessions()`.then((rows) => [...rows]),
  'publish_version(uuid,integer)': (tx) =>
    getRejectionCode(tx, (attempt) => publishVersion(attempt, projects.private, 1)),
  'read_invitation(text)': async (tx) =>
    (await tx`select public.read_invitation(${invitationId}) as answer`)[0]?.['answer'],
  'order_collection(uuid,uuid[])': (tx) =>
    getRejectionCode(
      tx,
      (attempt) => attempt`select public.order_collection(${collections.public}, '{}')`,
    ),
  'read_collection(text)': async (tx) => {
    const [row] = await world.sql<{ slug: string }[]>`
      select slug from public.collections where id = ${collections.private}`;
    return (await tx`select public.read_collection(${row?.slug ?? ''}) as answer`)[0]?.['answer'];
  },
  'read_project(text)': async (tx) =>
    (await tx`select public.read_project(${await slugOf(projects.private)}) as answer`)[0]?.[
      'answer'
    ],
  'read_version(text,integer,integer)': async (tx) =>
    readVersion(tx, await slugOf(projects.private), 1),
  'remove_member(uuid,uuid)': (tx) =>
    getRejectionCode(
      tx,
      (attempt) => attempt`select public.remove_member(${projects.public}, ${testUserIds.admin})`,
    ),
  'revoke_invitation(uuid)': (tx) =>
    getRejectionCode(tx, (attempt) => attempt`select public.revoke_invitation(${invitationId})`),
  'remove_from_collection(uuid,uuid[])': (tx) =>
    getRejectionCode(
      tx,
      (attempt) =>
        attempt`select public.remove_from_collection(${collections.public}, ${[projects.public]}::uuid[])`,
    ),
  'session_status()': async (tx) =>
    (await tx`select public.session_status() as answer`)[0]?.['answer'],
  'set_member_role(uuid,uuid,text)': (tx) =>
    getRejectionCode(
      tx,
      (attempt) => attempt`
        select public.set_member_role(${projects.public}, ${testUserIds.admin}, 'viewer')`,
    ),
  'set_project_hidden(uuid,boolean)': (tx) =>
    getRejectionCode(
      tx,
      (attempt) => attempt`select public.set_project_hidden(${projects.public}, true)`,
    ),
  'set_role(uuid,text)': (tx) =>
    getRejectionCode(
      tx,
      (attempt) => attempt`select public.set_role(${testUserIds.stranger}, 'admin')`,
    ),
  'set_suspended(uuid,boolean)': (tx) =>
    getRejectionCode(
      tx,
      (attempt) => attempt`select public.set_suspended(${testUserIds.owner}, true)`,
    ),
  'storage_usage()': async (tx) =>
    (await tx`select public.storage_usage() as answer`)[0]?.['answer'],
  'tag_projects(uuid[],text[],text[])': (tx) =>
    getRejectionCode(
      tx,
      (attempt) => attempt`select public.tag_projects(${[projects.public]}::uuid[], '{theirs}')`,
    ),
  'username_available(text)': async (tx) =>
    (await tx`select public.username_available('the-owner') as answer`)[0]?.['answer'],
};

const answers: Record<string, unknown> = {
  'add_to_collection(uuid,uuid[])': 'not_found_or_private',
  'append_updates(uuid,uuid,bigint,jsonb,jsonb,jsonb,integer)': 'not_found_or_private',
  'accept_invitation(text)': 'invitation_not_found',
  'account_status(uuid)': null,
  'create_project(uuid,text,text,text,jsonb,jsonb,text,text,uuid,integer)': 'not_found_or_private',
  'create_version(uuid,text,text)': 'not_found_or_private',
  'decline_invitation(text)': 'invitation_not_found',
  'end_session(uuid)': false,
  'find_created(uuid[])': { projects: {}, collections: {} },
  'find_created_project(uuid)': null,
  'find_project(text)': null,
  'invite_to_project(uuid,text,text,text,integer)': 'not_allowed',
  'leave_project(uuid)': 'not_allowed',
  'list_assets(uuid)': [],
  'list_invitations()': [],
  'list_people(uuid)': 'not_allowed',
  'create_collection(text,text,uuid[],uuid)': 'title_required',
  'delete_trashed(uuid[])': 0,
  'empty_trash()': 0,
  // The public one.
  'list_collections(uuid,uuid)': 1,
  'list_forks(text)': null,
  // The public ones.
  'list_public_projects(uuid)': 1,
  'list_work(text,text,text,text,boolean,text,text,boolean,integer)': [],
  'load_document(uuid,bigint)': 'not_found_or_private',
  'list_versions(text,integer,integer)': [],
  'my_sessions()': [{ id: testUserIds.stranger }],
  'publish_version(uuid,integer)': 'not_found_or_private',
  'read_invitation(text)': { problem: 'invitation_not_found', access: null },
  'read_project(text)': null,
  'read_version(text,integer,integer)': null,
  'remove_member(uuid,uuid)': 'not_allowed',
  'revoke_invitation(uuid)': 'invitation_not_found',
  'order_collection(uuid,uuid[])': 'not_found_or_private',
  'read_collection(text)': null,
  'remove_from_collection(uuid,uuid[])': 'not_found_or_private',
  'session_status()': 'active',
  'set_member_role(uuid,uuid,text)': 'not_allowed',
  'set_project_hidden(uuid,boolean)': 'not_allowed',
  'set_role(uuid,text)': 'not_allowed',
  'set_suspended(uuid,boolean)': 'not_allowed',
  // The caller's own, and not the owner's.
  'storage_usage()': { used: 0, quota: limits.userMaxAssetBytes },
  'tag_projects(uuid[],text[],text[])': 'not_found_or_private',
  'username_available(text)': false,
};

const ownersSession = randomUUID();
/** Creation key of a project and a collection of the owner. */
const ownersKey = randomUUID();
/** The owner's invitation of the admin, who is also a member of the public project. */
const invitationId = randomUUID();

async function slugOf(id: string): Promise<string> {
  const [row] = await world.sql<
    { slug: string }[]
  >`select slug from public.projects where id = ${id}`;
  if (row === undefined) throw new Error(`there is no project ${id}`);
  return row.slug;
}

describe('a stranger who calls with the owner’s ids', () => {
  beforeAll(async () => {
    await storeAssets(world.sql, testUserIds.owner, [createAssetRow('a.png')]);
    await world.sql`update public.projects set creation_key = ${ownersKey}
      where id = ${projects.public}`;
    await world.sql`update public.collections set creation_key = ${ownersKey}
      where id = ${collections.public}`;
    await world.sql`insert into auth.sessions (id, user_id, created_at)
      values (${ownersSession}, ${testUserIds.owner}, now())`;
    await world.sql`
      insert into public.invitations
        (id, project_id, kind, role, invited_user, created_by, expires_at)
      values (${invitationId}, ${projects.private}, 'user', 'editor', ${testUserIds.admin},
        ${testUserIds.owner}, now() + interval '7 days')`;
    await world.sql`insert into public.project_members (project_id, user_id, role)
      values (${projects.public}, ${testUserIds.admin}, 'editor')`;
  });

  test.each(callable.authenticated)('changes and learns nothing with %s', async (name) => {
    const call = callsOnOthers[name];
    if (call === undefined) throw new Error(`${name} is on the list without a call in this test`);
    const before = await readEverything(world.sql);
    const answer = await world.runAs('stranger', call);
    expect(answer).toEqual(answers[name]);
    expect(await readEverything(world.sql)).toBe(before);
    expect(await world.sql`select from auth.sessions where id = ${ownersSession}`).toHaveLength(1);
  });
});

/** Calls each function that takes ids of projects, with one id, as someone who works on none of them. */
const callsWithProject: Record<string, (tx: TransactionSql, id: string) => Promise<unknown>> = {
  'add_to_collection(uuid,uuid[])': async (tx, id) => {
    const [own] = await tx<{ made: { id: string; slug: string } }[]>`
      select public.create_collection('Own') as made`;
    const made = own?.made ?? { id: '', slug: '' };
    return tx`select public.add_to_collection(${made.id}, ${[id]}::uuid[]) as added,
      public.read_collection(${made.slug}) -> 'items' as items`;
  },
  'append_updates(uuid,uuid,bigint,jsonb,jsonb,jsonb,integer)': (tx, project) =>
    getRejectionCode(tx, (attempt) =>
      appendUpdates(attempt, {
        project,
        client: randomUUID(),
        base: 2,
        updates: [createUpdate(1, 'x')],
      }),
    ),
  'create_collection(text,text,uuid[],uuid)': async (tx, id) => {
    const [own] = await tx<{ slug: string }[]>`
      select public.create_collection('Own', projects => ${[id]}::uuid[]) ->> 'slug' as slug`;
    return tx`select public.read_collection(${own?.slug ?? ''}) -> 'items' as items`;
  },
  'create_version(uuid,text,text)': (tx, id) =>
    getRejectionCode(tx, (attempt) => createVersion(attempt, id)),
  'delete_trashed(uuid[])': (tx, id) => tx`select public.delete_trashed(${[id]}::uuid[])`,
  'find_created(uuid[])': (tx, id) => tx`select public.find_created(${[id]}::uuid[])`,
  'find_created_project(uuid)': (tx, id) => tx`select public.find_created_project(${id})`,
  'invite_to_project(uuid,text,text,text,integer)': (tx, id) =>
    getRejectionCode(tx, (attempt) => attempt`select public.invite_to_project(${id}, 'editor')`),
  'leave_project(uuid)': (tx, id) =>
    getRejectionCode(tx, (attempt) => attempt`select public.leave_project(${id})`),
  'list_assets(uuid)': (tx, id) => tx`select public.list_assets(${id})`,
  'list_collections(uuid,uuid)': (tx, id) =>
    tx`select public.list_collections(${testUserIds.owner}, ${id})`,
  'list_people(uuid)': (tx, id) =>
    getRejectionCode(tx, (attempt) => attempt`select public.list_people(${id})`),
  'load_document(uuid,bigint)': (tx, id) =>
    getRejectionCode(tx, (attempt) => attempt`select public.load_document(${id})`),
  'order_collection(uuid,uuid[])': (tx, id) =>
    getRejectionCode(
      tx,
      (attempt) => attempt`select public.order_collection(${collections.public}, ${[id]}::uuid[])`,
    ),
  'publish_version(uuid,integer)': (tx, id) =>
    getRejectionCode(tx, (attempt) => publishVersion(attempt, id, 1)),
  'remove_from_collection(uuid,uuid[])': (tx, id) =>
    getRejectionCode(
      tx,
      (attempt) =>
        attempt`select public.remove_from_collection(${collections.public}, ${[id]}::uuid[])`,
    ),
  'remove_member(uuid,uuid)': (tx, id) =>
    getRejectionCode(
      tx,
      (attempt) => attempt`select public.remove_member(${id}, ${testUserIds.admin})`,
    ),
  'set_member_role(uuid,uuid,text)': (tx, id) =>
    getRejectionCode(
      tx,
      (attempt) => attempt`select public.set_member_role(${id}, ${testUserIds.admin}, 'viewer')`,
    ),
  'set_project_hidden(uuid,boolean)': (tx, id) =>
    getRejectionCode(tx, (attempt) => attempt`select public.set_project_hidden(${id}, true)`),
  'tag_projects(uuid[],text[],text[])': (tx, id) =>
    getRejectionCode(
      tx,
      (attempt) => attempt`select public.tag_projects(${[id]}::uuid[], '{theirs}')`,
    ),
};

/** Functions whose ids aren't those of projects, or with which an id does what the link does. */
const otherIds: Record<string, string> = {
  'account_status(uuid)': 'of an account',
  'create_project(uuid,text,text,text,jsonb,jsonb,text,text,uuid,integer)':
    'forks what a link opened: tells that there is such a project, and nothing of it',
  'end_session(uuid)': 'of a session',
  'list_public_projects(uuid)': 'of an account',
  'revoke_invitation(uuid)': 'of an invitation',
  'set_role(uuid,text)': 'of an account',
  'set_suspended(uuid,boolean)': 'of an account',
};

describe('DB-78: a project’s id tells a stranger no more than one that nothing has', () => {
  test.each(callable.authenticated.filter((name) => name.includes('uuid') && !(name in otherIds)))(
    'with %s',
    async (name) => {
      const call = callsWithProject[name];
      if (call === undefined) throw new Error(`${name} is on the list without a call in this test`);
      const ask = (id: string) =>
        rollBackAfter(world.requests, async (tx) => {
          await switchUser(tx, 'stranger');
          const answer = await call(tx, id);
          return Array.isArray(answer) ? [...answer] : answer;
        });
      const answerForNone = await ask(randomUUID());
      for (const kind of ['unlisted', 'private', 'hidden', 'trashed'] as const)
        expect([kind, await ask(projects[kind])]).toEqual([kind, answerForNone]);
    },
  );
});

describe('in a session whose temporary schema shadows tables, functions and operators', () => {
  test('security definer functions use the real ones', async () => {
    await rollBackAfter(world.sql, async (tx) => {
      await tx.unsafe(`
        create temp table projects (like public.projects) on commit drop;
        create temp table profiles (like public.profiles) on commit drop;
        create temp table documents (like public.documents) on commit drop;
        grant all on projects, profiles, documents to authenticated;
        create schema shadow;
        grant usage on schema shadow to authenticated;
        create function shadow.now() returns timestamptz language sql
          as $$ select 'epoch'::timestamptz $$;
        create function shadow.sha256(bytea) returns bytea language sql
          as $$ select 'forged'::bytea $$;
        create function shadow.same(uuid, uuid) returns boolean language sql
          as $$ select true $$;
        create operator shadow.= (leftarg = uuid, rightarg = uuid, function = shadow.same);
        set local search_path = shadow, pg_catalog, public;
      `);
      const [shadowed] = await tx<{ year: number; same: boolean }[]>`
        select extract(year from now())::int as year,
          gen_random_uuid() = gen_random_uuid() as same`;
      expect(shadowed).toEqual({ year: 1970, same: true });
      await switchUser(tx, 'stranger');
      const created = await createProject(tx, { id: randomUUID() });
      const { id } = created;
      const saved = await appendUpdates(tx, {
        project: id,
        client: randomUUID(),
        base: 1,
        updates: [createUpdate(1, 'x')],
      });
      expect(saved).toMatchObject({ status: 'saved', seq: 2 });
      const [row] = await tx<{ answer: { id: string; created_at: string } }[]>`
        select public.read_project(${created.slug}) as answer`;
      expect(row?.answer.id).toBe(id);
      expect(new Date(row?.answer.created_at ?? 0).getFullYear()).toBeGreaterThan(2000);
      expect(
        await getRejectionCode(tx, (attempt) =>
          appendUpdates(attempt, {
            project: projects.private,
            client: randomUUID(),
            base: 2,
            updates: [createUpdate(1, 'x')],
          }),
        ),
      ).toBe('not_found_or_private');
      expect(await tx`select id from public.my_sessions()`).toEqual([{ id: testUserIds.stranger }]);
      const [left] = await tx<{ rows: number }[]>`
        select count(*)::int as rows from pg_temp.projects`;
      expect(left?.rows).toBe(0);
    });
  });
});
