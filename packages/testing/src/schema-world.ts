import { randomUUID } from 'node:crypto';
import type { Sql, TransactionSql } from 'postgres';
import { connectDatabase } from '@vitrine/backend/postgres';
import { openTestDatabase } from './database.ts';
import { appendUpdates, createProject, createUpdate, createVersion } from './schema-calls.ts';
import type { FileTexts } from './schema-calls.ts';

/** Roles of callers. `stranger` is a user without access to the others' projects. */
export const roles = ['anon', 'stranger', 'owner', 'suspended', 'moderator', 'admin'] as const;
export type Role = (typeof roles)[number];

export const testUserIds = {
  stranger: '00000000-0000-4000-8000-000000000001',
  owner: '00000000-0000-4000-8000-000000000002',
  suspended: '00000000-0000-4000-8000-000000000003',
  moderator: '00000000-0000-4000-8000-000000000004',
  admin: '00000000-0000-4000-8000-000000000005',
} as const;

/** One project of each kind; the last belongs to the suspended user, the others to the owner. */
export const projects = {
  private: '00000000-0000-4000-8000-0000000000a1',
  unlisted: '00000000-0000-4000-8000-0000000000a2',
  public: '00000000-0000-4000-8000-0000000000a3',
  hidden: '00000000-0000-4000-8000-0000000000a4',
  trashed: '00000000-0000-4000-8000-0000000000a5',
  suspended: '00000000-0000-4000-8000-0000000000a6',
} as const;

/** One collection of each visibility; the last belongs to the suspended user, the others to the owner. */
export const collections = {
  private: '00000000-0000-4000-8000-0000000000b1',
  unlisted: '00000000-0000-4000-8000-0000000000b2',
  public: '00000000-0000-4000-8000-0000000000b3',
  suspended: '00000000-0000-4000-8000-0000000000b4',
} as const;

export interface SchemaWorld {
  /** Connection as the owner of the schema: sees and changes everything. */
  readonly sql: Sql;
  /** Connections like those of requests: no privileges until a transaction switches its role. */
  readonly requests: Sql;
  /** Runs `work` as a role or user, and commits. */
  runAs<T>(who: Role | string, work: (tx: TransactionSql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Creates a migrated database with users and projects of each kind. */
export async function openWorld(): Promise<SchemaWorld> {
  const database = await openTestDatabase();
  const { sql } = database;
  const requests = connectDatabase(database.addressAs('authenticator'), { max: 20 });
  const act: SchemaWorld['runAs'] = async (who, work) => {
    const result = await requests.begin(async (tx) => {
      await switchUser(tx, who);
      return { value: await work(tx) };
    });
    return result.value;
  };
  await addPeople(sql);
  await addProjects(sql, act);
  await addCollections(sql);
  const close = async () => {
    await requests.end();
    await database.close();
  };
  return { sql, requests, runAs: act, close };
}

/** Switches the rest of the transaction to a request of this role or user. */
export async function switchUser(tx: TransactionSql, who: Role | string): Promise<void> {
  const claims = claimsOf(who);
  await tx`select set_config('role', ${claims.role}, true),
    set_config('request.jwt.claims', ${JSON.stringify(claims)}, true)`;
}

/** Claims of an access token of this role or user, whose session has the user's id. */
export function claimsOf(who: Role | string) {
  if (who === 'anon') return { role: 'anon' };
  const sub = isNamed(who) ? testUserIds[who] : who;
  return { role: 'authenticated', sub, session_id: sub, aal: 'aal1' };
}

function isNamed(who: string): who is keyof typeof testUserIds {
  return who in testUserIds;
}

async function addPeople(sql: Sql): Promise<void> {
  for (const [name, id] of Object.entries(testUserIds)) await addUser(sql, id, `the-${name}`);
  await sql`update public.profiles set suspended_at = now() where id = ${testUserIds.suspended}`;
  await sql`update public.profiles set role = 'moderator' where id = ${testUserIds.moderator}`;
  await sql`update public.profiles set role = 'admin' where id = ${testUserIds.admin}`;
  await sql`insert into public.preferences (user_id) values (${testUserIds.owner}), (${testUserIds.suspended})`;
  await sql`insert into public.deletions (person) values (${testUserIds.owner}), (${testUserIds.suspended})`;
}

/** Creates and signs in a user like the auth server; the session has the user's id. */
export async function addUser(
  sql: Sql | TransactionSql,
  id: string,
  username?: string,
): Promise<void> {
  await sql`insert into auth.users (id, email, raw_user_meta_data)
    values (${id}, ${`${id}@example.test`}, ${sql.json(username === undefined ? {} : { username })})`;
  await sql`insert into auth.sessions (id, user_id, created_at, aal)
    values (${id}, ${id}, now(), 'aal1')`;
}

async function addProjects(sql: Sql, act: SchemaWorld['runAs']): Promise<void> {
  await sql`update public.profiles set suspended_at = null where id = ${testUserIds.suspended}`;
  for (const [kind, id] of Object.entries(projects)) {
    const owner = kind === 'suspended' ? 'suspended' : 'owner';
    const visibility = kind === 'unlisted' ? 'unlisted' : isShared(kind) ? 'public' : 'private';
    // Overrides the generated id with the one that the tests name.
    await sql.unsafe(`alter table public.projects alter column id set default '${id}'`);
    await act(owner, async (tx) => {
      await createProject(tx, { id: randomUUID(), title: `A ${kind} one`, visibility });
      await appendUpdates(tx, {
        project: id,
        client: randomUUID(),
        base: 1,
        updates: [createUpdate(1, 'first')],
      });
      await createVersion(tx, id);
    });
  }
  await sql`insert into public.project_tags (project_id, tag)
    select id, 'of-world' from public.projects`;
  await sql`alter table public.projects alter column id set default gen_random_uuid()`;
  await sql`update public.profiles set suspended_at = now() where id = ${testUserIds.suspended}`;
  await sql`update public.projects set hidden_at = now() where id = ${projects.hidden}`;
  await sql`update public.projects set trashed_at = now() where id = ${projects.trashed}`;
}

/** Adds the collections, each with the public project. */
async function addCollections(sql: Sql): Promise<void> {
  for (const [kind, id] of Object.entries(collections)) {
    const owner = kind === 'suspended' ? testUserIds.suspended : testUserIds.owner;
    const visibility = kind === 'suspended' ? 'private' : kind;
    await sql`insert into public.collections (id, owner_id, title, visibility)
      values (${id}, ${owner}, ${`A ${kind} one`}, ${visibility})`;
    await sql`insert into public.collection_items (collection_id, project_id, position)
      values (${id}, ${projects.public}, 1)`;
  }
}

function isShared(kind: string): boolean {
  return kind === 'public' || kind === 'hidden' || kind === 'trashed';
}

/** Creates a project of the owner, which doesn't count for the hourly limits. */
export async function newProject(
  { sql, runAs }: SchemaWorld,
  files: FileTexts = { 'index.html': 'start' },
): Promise<string> {
  const { id } = await runAs('owner', (tx) => createProject(tx, { id: randomUUID(), files }));
  await sql`delete from private.attempts`;
  return id;
}
