import { createHash } from 'node:crypto';
import type { Sql, TransactionSql } from 'postgres';

export interface Files {
  [path: string]: string;
}

export interface NewProject {
  /** The key of the attempt; the project's id is the database's. */
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
  | { status: 'saved'; seq: number; revision: number; again?: true }
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
