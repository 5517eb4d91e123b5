import type { UpdateWithChecksum } from './untrusted-update.ts';
import {
  normalizeId,
  getDraftScope,
  getProjectScope,
  type StoredCopy,
  type DamagedRow,
  type LocalDatabase,
  type LocalTransaction,
  type DraftRecord,
  type StoredRow,
} from './local-database.ts';
import { createId, toUuid } from './ids.ts';

/** Identifies a stored document: a draft, or a project as one user edits it on this device. */
export type DocumentKey = DraftKey | ProjectKey;

export interface DraftKey {
  readonly kind: 'draft';
  readonly id: string;
}

export interface ProjectKey {
  readonly kind: 'project';
  readonly id: string;
  readonly owner: string;
}

/** A draft with more rows than this is compacted into one copy, so that it opens quickly. */
export const compactionThreshold = 200;

interface StoredDocument {
  readonly copy: StoredCopy | undefined;
  readonly rows: StoredRow[];
}

type WrittenRow = StoredRow & { readonly n: number };

export function getScope(key: DocumentKey): string {
  return key.kind === 'draft' ? getDraftScope(key.id) : getProjectScope(key.owner, key.id);
}

/** Reads the stored copy and rows of a document. Rows are in the order they were written. */
export function readStored(database: LocalDatabase, key: DocumentKey): Promise<StoredDocument> {
  const scope = getScope(key);
  return database.run(async (transaction) => ({
    copy: await transaction.objectStore('copies').get(scope),
    rows: await transaction.objectStore('outbox').index('scope').getAll(scope),
  }));
}

/**
 * Adds rows and returns them with their keys. Rows of a draft that another tab has converted to a
 * project are written under that project's scope, so that they are sent.
 */
export function addRows(
  database: LocalDatabase,
  key: DocumentKey,
  rows: readonly StoredRow[],
): Promise<WrittenRow[]> {
  return database.run(async (transaction) => {
    const scope = await resolveScope(transaction, key);
    if (key.kind === 'draft') await recordEdit(transaction, key);
    const written: WrittenRow[] = [];
    for (const row of rows) {
      const n = await transaction.objectStore('outbox').add({ ...row, scope });
      written.push({ ...row, scope, n });
    }
    return written;
  });
}

export function removeRows(database: LocalDatabase, rows: Iterable<number>): Promise<void> {
  return database.run((transaction) => deleteRows(transaction, rows));
}

/** Replaces rows with a copy that contains them. Returns false if another tab has written a newer one. */
export function compactRows(
  database: LocalDatabase,
  copy: StoredCopy,
  covered: Iterable<number>,
  key: DocumentKey,
): Promise<boolean> {
  return database.run(async (transaction) => {
    const present = await transaction.objectStore('copies').get(copy.scope);
    const scope = await resolveScope(transaction, key);
    if ((present?.revision ?? 0) >= copy.revision || scope !== copy.scope) return false;
    await transaction.objectStore('copies').put(copy);
    await deleteRows(transaction, covered);
    return true;
  });
}

export function removeCopy(database: LocalDatabase, scope: string): Promise<void> {
  return database.run((transaction) => transaction.objectStore('copies').delete(scope));
}

/** Moves a row or copy that failed validation to the `damaged` store. */
export function quarantine(
  database: LocalDatabase,
  scope: string,
  damaged: UpdateWithChecksum & { n?: number },
  reason: string,
): Promise<void> {
  const row: DamagedRow = { scope, update: damaged.update, reason };
  return database.run(async (transaction) => {
    await transaction.objectStore('damaged').add(row);
    if (damaged.n === undefined) await transaction.objectStore('copies').delete(scope);
    else await transaction.objectStore('outbox').delete(damaged.n);
  });
}

export function readDraft(database: LocalDatabase, id: string): Promise<DraftRecord | undefined> {
  return database.run((transaction) => transaction.objectStore('drafts').get(normalizeId(id)));
}

/** Returns the key of the project a draft was converted to; undefined while it is a draft. */
export function findProjectKey(draft: DraftRecord): ProjectKey | undefined {
  const { id, becameProjectOf: owner, projectId = id } = draft;
  return owner === undefined ? undefined : { kind: 'project', id: projectId, owner };
}

export async function putDraft(database: LocalDatabase, draft: DraftRecord): Promise<void> {
  await database.run((transaction) => transaction.objectStore('drafts').put(draft));
}

/**
 * Converts a stored draft to a project in one transaction: deletes the rows that the server has
 * (`covered`), moves later ones to the project's outbox and adds the project to the draft record. A
 * copy of a different revision was written by another tab and contains edits of its own, so it
 * becomes a row.
 */
export function convertDraftToProject(
  database: LocalDatabase,
  { id }: DraftKey,
  project: ProjectKey,
  covered: ReadonlySet<number>,
  copyRevision: number,
): Promise<void> {
  const draft = getDraftScope(id);
  const scope = getScope(project);
  return database.run(async (transaction) => {
    const outbox = transaction.objectStore('outbox');
    const drafts = transaction.objectStore('drafts');
    for (const row of await outbox.index('scope').getAll(draft)) {
      if (row.n === undefined) continue;
      if (covered.has(row.n)) await outbox.delete(row.n);
      else await outbox.put({ ...row, scope });
    }
    const copy = await transaction.objectStore('copies').get(draft);
    if (copy && copy.revision !== copyRevision) await outbox.add(toRow(copy, scope));
    await transaction.objectStore('copies').delete(draft);
    const record = await drafts.get(normalizeId(id));
    const { owner: becameProjectOf, id: projectId } = project;
    if (record) await drafts.put({ ...record, becameProjectOf, projectId });
  });
}

function toRow({ state, sha256 }: StoredCopy, scope: string): StoredRow {
  return { scope, client: toUuid(createId()), clientSeq: 1, update: state, sha256 };
}

/** Returns the scope to write under: the project's, if another tab has converted the draft to one. */
async function resolveScope(transaction: LocalTransaction, key: DocumentKey): Promise<string> {
  if (key.kind === 'project') return getScope(key);
  const draft = await transaction.objectStore('drafts').get(normalizeId(key.id));
  return getScope((draft && findProjectKey(draft)) ?? key);
}

/** Updates the `updatedAt` of a draft, if it isn't a project by now. */
async function recordEdit(transaction: LocalTransaction, { id }: DraftKey): Promise<void> {
  const drafts = transaction.objectStore('drafts');
  const draft = await drafts.get(normalizeId(id));
  if (draft && !findProjectKey(draft)) await drafts.put({ ...draft, updatedAt: Date.now() });
}

async function deleteRows(transaction: LocalTransaction, rows: Iterable<number>): Promise<void> {
  for (const n of rows) await transaction.objectStore('outbox').delete(n);
}
