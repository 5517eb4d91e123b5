import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TransactionSql } from 'postgres';
import expectedRights from './schema-matrix.json' with { type: 'json' };
import { isPermissionError, rollBackAfter } from './schema-attempts.ts';
import {
  switchUser,
  openWorld,
  testUserIds,
  collections,
  projects,
  roles,
} from '@vitrine/testing/schema-world';
import type { Role, SchemaWorld } from '@vitrine/testing/schema-world';

/**
 * All roles, tables and verbs, on rows of each kind. `schema-matrix.json` lists what is allowed:
 * table → kind of row → role → verbs. Everything else is denied; a denial is verified on the rows,
 * not by the response.
 */
const matrix: Record<string, Record<string, Record<Role, string>>> = expectedRights;
const verbs = ['select', 'insert', 'update', 'delete'] as const;
type Verb = (typeof verbs)[number];

/**
 * How to test each verb on a table. `target` is a literal; an insert must only fail for missing
 * privileges.
 */
interface Attempts {
  targets: Record<string, string>;
  where: string;
  set: string;
  /** Prepares for the row to insert, as the owner of the schema. */
  prepare?: string;
  insert: string;
}

const ofPerson = { owner: testUserIds.owner, suspended: testUserIds.suspended };
const attempts: Record<string, Attempts> = {
  profiles: {
    targets: ofPerson,
    where: 'id = :target',
    set: `bio = 'changed'`,
    prepare: `
      insert into auth.users (id) values ('00000000-0000-4000-8000-0000000000ff');
      delete from public.profiles where id = '00000000-0000-4000-8000-0000000000ff'`,
    insert: `(id, username) values ('00000000-0000-4000-8000-0000000000ff', 'newcomer')`,
  },
  preferences: {
    targets: ofPerson,
    where: 'user_id = :target',
    set: `settings = '{"theme": "dark"}'`,
    prepare: 'delete from public.preferences where user_id = :target',
    insert: '(user_id) values (:target)',
  },
  deletions: {
    targets: ofPerson,
    where: 'person = :target',
    set: `due_at = now() + interval '1 year'`,
    prepare: 'delete from public.deletions where person = :target',
    insert: '(person) values (:target)',
  },
  projects: {
    targets: projects,
    where: 'id = :target',
    set: `title = 'changed'`,
    prepare: `create temp table original on commit drop as
      select owner_id from public.projects where id = :target;
      grant select on original to anon, authenticated`,
    insert: `(id, owner_id, title) select gen_random_uuid(), owner_id, 'new' from original`,
  },
  project_files: {
    targets: projects,
    where: 'project_id = :target',
    set: `content = 'changed'`,
    insert: `(project_id, path, content) values (:target, 'new.txt', 'new')`,
  },
  project_tags: {
    targets: projects,
    where: 'project_id = :target',
    set: `tag = 'changed'`,
    insert: `(project_id, tag) values (:target, 'new')`,
  },
  instance_templates: {
    targets: projects,
    where: 'project_id = :target',
    set: "created_at = now() + interval '1 day'",
    prepare: 'delete from public.instance_templates where project_id = :target',
    insert: '(project_id) values (:target)',
  },
  documents: {
    targets: projects,
    where: 'project_id = :target',
    set: 'seq = seq + 1',
    prepare: 'delete from public.documents where project_id = :target',
    insert: `(project_id, state, state_sha256) values (:target, 'a', sha256('a'))`,
  },
  document_updates: {
    targets: projects,
    where: 'project_id = :target',
    set: `client_seq = client_seq + 1`,
    insert: `(project_id, seq, client_id, client_seq, update, sha256, author_id, revision)
      values (:target, 99, gen_random_uuid(), 1, 'a', sha256('a'), private.person(), 9)`,
  },
  collections: {
    targets: collections,
    where: 'id = :target',
    set: `title = 'changed'`,
    prepare: `create temp table original on commit drop as
      select owner_id from public.collections where id = :target;
      grant select on original to anon, authenticated`,
    insert: `(id, owner_id, title) select gen_random_uuid(), owner_id, 'new' from original`,
  },
  collection_items: {
    targets: collections,
    where: 'collection_id = :target',
    set: `note = 'changed'`,
    insert: `(collection_id, project_id, position) values (:target, '${projects.hidden}', 2)`,
  },
  project_members: {
    targets: projects,
    where: 'project_id = :target',
    set: `role = 'editor'`,
    insert: `(project_id, user_id, role) values (:target, private.person(), 'editor')`,
  },
  project_versions: {
    targets: projects,
    where: 'project_id = :target',
    set: `message = 'changed'`,
    insert: `(project_id, number, reason, author_id, seq, revision)
      values (:target, 99, 'named', private.person(), 1, 1)`,
  },
  version_contents: {
    targets: projects,
    where: 'project_id = :target',
    set: `content = 'changed'`,
    insert: `(project_id, hash, content) values (:target, 'x', 'new')`,
  },
  version_files: {
    targets: projects,
    where: 'project_id = :target',
    set: `hash = 'changed'`,
    insert: `(project_id, number, path, hash) values (:target, 1, 'new.txt', 'x')`,
  },
  // From each project's owner to the stranger.
  invitations: {
    targets: projects,
    where: 'project_id = :target',
    set: `expires_at = now() + interval '1 day'`,
    insert: `(project_id, kind, role, invited_user, created_by, expires_at)
      values (:target, 'user', 'editor', private.person(), private.person(), now())`,
  },
};

let world: SchemaWorld;
beforeAll(async () => {
  world = await openWorld();
  await world.sql`
    insert into public.invitations (project_id, kind, role, invited_user, created_by, expires_at)
    select id, 'user', 'viewer', ${testUserIds.stranger}, owner_id, now() + interval '7 days'
    from public.projects`;
  // As if the administrator had added them while they were public.
  await world.sql`insert into public.instance_templates (project_id) select id from public.projects`;
});
afterAll(() => world.close());

test('DB-02: the matrix names every table of public, and no others', async () => {
  const tables = await world.sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public' order by 1`;
  expect(Object.keys(matrix).sort()).toEqual(tables.map((table) => table.name));
  expect(Object.keys(attempts).sort()).toEqual(tables.map((table) => table.name));
});

describe.each(Object.entries(attempts))('DB-02: %s', (table, how) => {
  test.each(Object.entries(how.targets))(
    'grants the privileges of the matrix on %s rows',
    async (kind, target) => {
      const rights: Record<string, string> = {};
      for (const role of roles) {
        const granted: Verb[] = [];
        for (const verb of verbs) {
          if (await isGranted(table, fill(how, target), role, verb)) granted.push(verb);
        }
        rights[role] = granted.join(' ');
      }
      expect(rights).toEqual(matrix[table]?.[kind]);
    },
  );
});

function fill(how: Attempts, target: string): Attempts {
  const literal = (text: string) => text.replaceAll(':target', `'${target}'`);
  return {
    ...how,
    where: literal(how.where),
    insert: literal(how.insert),
    ...(how.prepare === undefined ? {} : { prepare: literal(how.prepare) }),
  };
}

function isGranted(table: string, how: Attempts, role: Role, verb: Verb): Promise<boolean> {
  return rollBackAfter(world.sql, async (tx) => {
    if (verb === 'insert' && how.prepare !== undefined) await tx.unsafe(how.prepare);
    const before = await readTable(tx, table);
    expect(before).not.toBe('');
    let seen = 0;
    try {
      await tx.savepoint(async (attempt) => {
        await switchUser(attempt, role);
        const rows = await attempt.unsafe(write(verb, table, how));
        seen = rows.length;
        await attempt`set local role none`;
      });
    } catch (error) {
      if (!isPermissionError(error)) throw error;
    }
    return verb === 'select' ? seen > 0 : (await readTable(tx, table)) !== before;
  });
}

function write(verb: Verb, table: string, { where, set, insert }: Attempts): string {
  switch (verb) {
    case 'select':
      // Not `*`: some columns are not selectable.
      return `select 1 from public.${table} where ${where}`;
    case 'insert':
      return `insert into public.${table} ${insert}`;
    case 'update':
      return `update public.${table} set ${set} where ${where}`;
    case 'delete':
      return `delete from public.${table} where ${where}`;
  }
}

async function readTable(tx: TransactionSql, table: string): Promise<string> {
  const [row] = await tx.unsafe<{ rows: string }[]>(
    `select coalesce(string_agg(t::text, e'\\n' order by t::text), '') as rows from public.${table} t`,
  );
  return `${table}: ${row?.rows ?? ''}`;
}
