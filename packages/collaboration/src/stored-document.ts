import type { CheckedUpdate } from './gate.ts';
import {
  compactId,
  draftScope,
  projectScope,
  type Copy,
  type DamagedRow,
  type Device,
  type DeviceTransaction,
  type DraftRecord,
  type StoredRow,
} from './device.ts';
import { newId, toUuid } from './ids.ts';

/** Whose text: a draft, or a project as one person edits it on this device. */
export type Place = DraftPlace | ProjectPlace;

export interface DraftPlace {
  readonly kind: 'draft';
  readonly id: string;
}

export interface ProjectPlace {
  readonly kind: 'project';
  readonly id: string;
  readonly owner: string;
}

/** A draft of more rows than this is folded into one copy, so that it opens quickly. */
export const foldAtRows = 200;

export interface StoredDocument {
  readonly copy: Copy | undefined;
  readonly rows: StoredRow[];
}

export type WrittenRow = StoredRow & { readonly n: number };

export function placeScope(place: Place): string {
  return place.kind === 'draft' ? draftScope(place.id) : projectScope(place.owner, place.id);
}

/** What this device keeps of a document, rows in the order of their writing. */
export function readStored(device: Device, place: Place): Promise<StoredDocument> {
  const scope = placeScope(place);
  return device.run(async (transaction) => ({
    copy: await transaction.objectStore('copies').get(scope),
    rows: await transaction.objectStore('outbox').index('scope').getAll(scope),
  }));
}

/**
 * Adds rows and returns them with their numbers. Rows of a draft that another tab has made a project
 * are written as that project's, so that they are sent.
 */
export function addRows(
  device: Device,
  place: Place,
  rows: readonly StoredRow[],
): Promise<WrittenRow[]> {
  return device.run(async (transaction) => {
    const scope = await currentScope(transaction, place);
    const written: WrittenRow[] = [];
    for (const row of rows) {
      const n = await transaction.objectStore('outbox').add({ ...row, scope });
      written.push({ ...row, scope, n });
    }
    return written;
  });
}

export function removeRows(device: Device, rows: Iterable<number>): Promise<void> {
  return device.run((transaction) => deleteRows(transaction, rows));
}

/** Writes a whole copy in place of the rows it covers, unless another tab wrote one meanwhile. */
export function foldRows(
  device: Device,
  copy: Copy,
  covered: Iterable<number>,
  place: Place,
): Promise<boolean> {
  return device.run(async (transaction) => {
    const present = await transaction.objectStore('copies').get(copy.scope);
    const scope = await currentScope(transaction, place);
    if ((present?.revision ?? 0) >= copy.revision || scope !== copy.scope) return false;
    await transaction.objectStore('copies').put(copy);
    await deleteRows(transaction, covered);
    return true;
  });
}

export function removeCopy(device: Device, scope: string): Promise<void> {
  return device.run((transaction) => transaction.objectStore('copies').delete(scope));
}

/** Moves a row or copy that did not pass the gate out of the way, and keeps its bytes. */
export function setAside(
  device: Device,
  scope: string,
  damaged: CheckedUpdate & { n?: number },
  reason: string,
): Promise<void> {
  const row: DamagedRow = { scope, update: damaged.update, reason };
  return device.run(async (transaction) => {
    await transaction.objectStore('damaged').add(row);
    if (damaged.n === undefined) await transaction.objectStore('copies').delete(scope);
    else await transaction.objectStore('outbox').delete(damaged.n);
  });
}

export function readDraft(device: Device, id: string): Promise<DraftRecord | undefined> {
  return device.run((transaction) => transaction.objectStore('drafts').get(compactId(id)));
}

/** Where the text of a draft is that has become a project; undefined while it is a draft. */
export function findProjectPlace(draft: DraftRecord): ProjectPlace | undefined {
  const { id, becameProjectOf: owner, projectId = id } = draft;
  return owner === undefined ? undefined : { kind: 'project', id: projectId, owner };
}

export async function putDraft(device: Device, draft: DraftRecord): Promise<void> {
  await device.run((transaction) => transaction.objectStore('drafts').put(draft));
}

/**
 * Makes a stored draft this project, in one transaction: what the server has by now goes,
 * what was written since becomes the project's outbox, and the record says where it went. A copy
 * of another revision was written by another tab since, and holds edits of its own.
 */
export function convertDraft(
  device: Device,
  { id }: DraftPlace,
  project: ProjectPlace,
  covered: ReadonlySet<number>,
  copyRevision: number,
): Promise<void> {
  const draft = draftScope(id);
  const scope = placeScope(project);
  return device.run(async (transaction) => {
    const outbox = transaction.objectStore('outbox');
    const drafts = transaction.objectStore('drafts');
    for (const row of await outbox.index('scope').getAll(draft)) {
      if (row.n === undefined) continue;
      if (covered.has(row.n)) await outbox.delete(row.n);
      else await outbox.put({ ...row, scope });
    }
    const copy = await transaction.objectStore('copies').get(draft);
    if (copy && copy.revision !== copyRevision) await outbox.add(copyAsRow(copy, scope));
    await transaction.objectStore('copies').delete(draft);
    const record = await drafts.get(compactId(id));
    const { owner: becameProjectOf, id: projectId } = project;
    if (record) await drafts.put({ ...record, becameProjectOf, projectId });
  });
}

function copyAsRow({ state, sha256 }: Copy, scope: string): StoredRow {
  return { scope, client: toUuid(newId()), clientSeq: 1, update: state, sha256 };
}

/** The scope to write under now; it also dates the draft. */
async function currentScope(transaction: DeviceTransaction, place: Place): Promise<string> {
  if (place.kind === 'project') return placeScope(place);
  const drafts = transaction.objectStore('drafts');
  const draft = await drafts.get(compactId(place.id));
  if (!draft) return placeScope(place);
  const project = findProjectPlace(draft);
  if (project) return placeScope(project);
  await drafts.put({ ...draft, updatedAt: Date.now() });
  return placeScope(place);
}

async function deleteRows(transaction: DeviceTransaction, rows: Iterable<number>): Promise<void> {
  for (const n of rows) await transaction.objectStore('outbox').delete(n);
}
