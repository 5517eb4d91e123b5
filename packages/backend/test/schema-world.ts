import { createHash, randomUUID } from 'node:crypto';
import type { Sql, TransactionSql } from 'postgres';
import { connectDatabase } from '../src/postgres/index.ts';
import { openTestDatabase } from './database.ts';

/** Who can ask. `stranger` is a member without a part in the others' projects. */
export const roles = ['anon', 'stranger', 'owner', 'suspended', 'moderator', 'admin'] as const;
export type Role = (typeof roles)[number];

export const people = {
  stranger: '00000000-0000-4000-8000-000000000001',
  owner: '00000000-0000-4000-8000-000000000002',
  suspended: '00000000-0000-4000-8000-000000000003',
  moderator: '00000000-0000-4000-8000-000000000004',
  admin: '00000000-0000-4000-8000-000000000005',
} as const;

/** One project of each kind; the last belongs to the suspended person, the others to the owner. */
export const projects = {
  private: '00000000-0000-4000-8000-0000000000a1',
  unlisted: '00000000-0000-4000-8000-0000000000a2',
  public: '00000000-0000-4000-8000-0000000000a3',
  hidden: '00000000-0000-4000-8000-0000000000a4',
  trashed: '00000000-0000-4000-8000-0000000000a5',
  suspended: '00000000-0000-4000-8000-0000000000a6',
} as const;

export interface World {
  /** The owner of the schema: sees and changes everything. */
  readonly sql: Sql;
  /** Connections as requests come with: no rights until a transaction becomes someone. */
  readonly requests: Sql;
  /** Does something as a role or a person's id, and keeps it. */
  act<T>(who: Role | string, work: (tx: TransactionSql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** A migrated database with people and projects of each kind. */
export async function openWorld(): Promise<World> {
  const database = await openTestDatabase();
  const { sql } = database;
  const requests = connectDatabase(database.addressAs('authenticator'), { max: 20 });
  const act: World['act'] = async (who, work) => {
    const result = await requests.begin(async (tx) => {
      await become(tx, who);
      return { value: await work(tx) };
    });
    return result.value;
  };
  await addPeople(sql);
  await addProjects(sql, act);
  const close = async () => {
    await requests.end();
    await database.close();
  };
  return { sql, requests, act, close };
}

/** From here to the end of the transaction the database sees a request of this role or person. */
export async function become(tx: TransactionSql, who: Role | string): Promise<void> {
  const role = who === 'anon' ? 'anon' : 'authenticated';
  const sub = who === 'anon' ? undefined : (people[who as keyof typeof people] ?? who);
  await tx`select set_config('role', ${role}, true),
    set_config('request.jwt.claims', ${JSON.stringify({ role, sub })}, true)`;
}

async function addPeople(sql: Sql): Promise<void> {
  for (const [name, id] of Object.entries(people)) await addPerson(sql, id, `the-${name}`);
  await sql`update public.profiles set suspended_at = now() where id = ${people.suspended}`;
  await sql`update public.profiles set role = 'moderator' where id = ${people.moderator}`;
  await sql`update public.profiles set role = 'admin' where id = ${people.admin}`;
  await sql`insert into public.preferences (user_id) values (${people.owner}), (${people.suspended})`;
}

/** Signs a person up, as the auth server does it. */
export async function addPerson(
  sql: Sql | TransactionSql,
  id: string,
  username?: string,
): Promise<void> {
  await sql`insert into auth.users (id, email, raw_user_meta_data)
    values (${id}, ${`${id}@example.test`}, ${sql.json(username === undefined ? {} : { username })})`;
}

async function addProjects(sql: Sql, act: World['act']): Promise<void> {
  await sql`update public.profiles set suspended_at = null where id = ${people.suspended}`;
  for (const [kind, id] of Object.entries(projects)) {
    const owner = kind === 'suspended' ? 'suspended' : 'owner';
    const visibility = kind === 'unlisted' ? 'unlisted' : isShared(kind) ? 'public' : 'private';
    await act(owner, async (tx) => {
      await createProject(tx, { id, title: `A ${kind} one`, visibility });
      await append(tx, {
        project: id,
        client: randomUUID(),
        base: 1,
        updates: [update(1, 'first')],
      });
    });
  }
  await sql`update public.profiles set suspended_at = now() where id = ${people.suspended}`;
  await sql`update public.projects set hidden_at = now() where id = ${projects.hidden}`;
  await sql`update public.projects set trashed_at = now() where id = ${projects.trashed}`;
}

function isShared(kind: string): boolean {
  return kind === 'public' || kind === 'hidden' || kind === 'trashed';
}

export interface Files {
  [path: string]: string;
}

export interface NewProject {
  id: string;
  title?: string;
  description?: string;
  visibility?: string;
  settings?: Record<string, string>;
  files?: Files;
  state?: string;
  stateSha256?: string;
  forkedFrom?: string;
}

export interface CreatedProject {
  id: string;
  slug: string;
  revision: number;
  seq: number;
  username: string | null;
}

/** `create_project`, called as the app calls it: with named arguments. */
export async function createProject(tx: Sql | TransactionSql, o: NewProject) {
  const state = o.state ?? 'state';
  const files = toRows(o.files ?? { 'index.html': '<h1>Hello</h1>' });
  const [row] = await tx<{ answer: CreatedProject }[]>`
    select public.create_project(
      id => ${o.id}, title => ${o.title ?? 'Untitled'}, description => ${o.description ?? ''},
      visibility => ${o.visibility ?? 'private'}, settings => ${tx.json(o.settings ?? {})},
      files => ${tx.json(files)}, state => ${base64(state)},
      state_sha256 => ${o.stateSha256 ?? sha256(state)}, forked_from => ${o.forkedFrom ?? null}
    ) as answer`;
  if (row === undefined) throw new Error('create_project answered nothing');
  return row.answer;
}

export interface SentUpdate {
  client_seq: number;
  update: string;
  sha256: string;
}

export interface KnownUpdate {
  seq: number;
  update: string;
  sha256: string;
}

export type AppendAnswer =
  | { status: 'saved'; seq: number; revision: number }
  | {
      status: 'behind';
      seq: number;
      state: string | null;
      state_seq: number;
      updates: KnownUpdate[];
    };

export interface Append {
  project: string;
  client: string;
  base: number;
  updates: SentUpdate[];
  changed?: Files;
  removed?: string[];
}

/** `append_updates`, called as the app calls it. */
export async function append(tx: Sql | TransactionSql, o: Append): Promise<AppendAnswer> {
  const [row] = await tx<{ answer: AppendAnswer }[]>`
    select public.append_updates(
      project => ${o.project}, client => ${o.client}, base => ${o.base},
      updates => ${tx.json(o.updates.map((sent) => ({ ...sent })))},
      changed => ${tx.json(toRows(o.changed ?? {}))}, removed => ${tx.json(o.removed ?? [])}
    ) as answer`;
  if (row === undefined) throw new Error('append_updates answered nothing');
  return row.answer;
}

/** An update as the client sends it. Its bytes are opaque to the database, so text will do. */
export function update(clientSeq: number, bytes: string): SentUpdate {
  return { client_seq: clientSeq, update: base64(bytes), sha256: sha256(bytes) };
}

export function base64(bytes: string): string {
  return Buffer.from(bytes).toString('base64');
}

export function sha256(bytes: string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function toRows(files: Files): { path: string; content: string }[] {
  return Object.entries(files).map(([path, content]) => ({ path, content }));
}

/** The saved text of a project's files. */
export async function readFiles(sql: Sql, project: string): Promise<Files> {
  const rows = await sql<{ path: string; content: string }[]>`
    select path, content from public.project_files where project_id = ${project} order by path`;
  return Object.fromEntries(rows.map(({ path, content }) => [path, content]));
}
