import type { DraftStore, NewDraft } from '@vitrine/collaboration';
import {
  createDocumentFromFiles,
  findErrorCode,
  readFiles,
  type ProjectFiles,
} from '@vitrine/project';

/** A draft as the workspace opens it. */
interface LocalDraft {
  readonly id: string;
  readonly title: string;
  readonly forkedFrom: string | null;
  readonly forkedFromVersion: number | null;
  /** Files of a draft that is only in memory. Empty if the device has stored it. */
  readonly files: ProjectFiles;
}

/** Drafts that the device couldn't store, by id. Lost when the tab is closed. */
const memoryDrafts = new Map<string, LocalDraft>();

/** Creates a draft and returns its id. Without storage it stays in this tab's memory. */
export async function createLocalDraft(owner: string | null, draft: NewDraft): Promise<string> {
  try {
    return (await (await openLocalStore(owner)).create(draft)).id;
  } catch (error) {
    if (findErrorCode(error) !== 'not_kept') throw error;
    const id = randomId();
    const { title, forkedFrom = null, forkedFromVersion = null } = draft;
    const files = readFiles(createDocumentFromFiles(draft.files));
    memoryDrafts.set(id, { id, title, forkedFrom, forkedFromVersion, files });
    return id;
  }
}

/** Titles of the user's drafts on this device. */
export async function listDraftTitles(owner: string | null): Promise<string[]> {
  try {
    return (await (await openLocalStore(owner)).list()).map(({ title }) => title);
  } catch (error) {
    if (findErrorCode(error) !== 'not_kept') throw error;
    return [...memoryDrafts.values()].map(({ title }) => title);
  }
}

/** "Untitled project", if taken → "Untitled project 2" */
export function numberTitle(title: string, taken: ReadonlySet<string>): string {
  if (!taken.has(title)) return title;
  let number = 2;
  while (taken.has(`${title} ${number}`)) number += 1;
  return `${title} ${number}`;
}

/** Finds a draft of this user. Undefined if it isn't on this device. */
export async function findDraft(owner: string | null, id: string): Promise<LocalDraft | undefined> {
  const inMemory = memoryDrafts.get(id);
  if (inMemory) return inMemory;
  const drafts = await (await openLocalStore(owner)).list();
  const found = drafts.find((draft) => draft.id === id);
  if (!found) return undefined;
  const { title, forkedFrom, forkedFromVersion } = found;
  return { id, title, forkedFrom, forkedFromVersion, files: new Map() };
}

/** Renames a draft. Throws `title_required`. */
export async function renameDraft(owner: string | null, id: string, title: string): Promise<void> {
  const inMemory = memoryDrafts.get(id);
  if (inMemory) memoryDrafts.set(id, { ...inMemory, title });
  else await (await openLocalStore(owner)).rename(id, title);
}

/** Opens this user's store of drafts and unsaved changes on this device. */
export async function openLocalStore(owner: string | null): Promise<DraftStore> {
  const { openDraftStore } = await import('@vitrine/collaboration');
  return openDraftStore({ owner });
}

function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
