import type { DraftStore, NewDraft } from '@vitrine/collaboration';
import { findErrorCode } from '@vitrine/project';

/** A draft as the workspace opens it. */
export interface FoundDraft {
  readonly id: string;
  readonly title: string;
  readonly forkedFrom: string | null;
  /** Only where the device keeps nothing: the text then lives in this tab. */
  readonly files: ReadonlyMap<string, string>;
}

/** Drafts of this tab that the device would not keep, by id; gone with the tab. */
const unkept = new Map<string, FoundDraft>();

/** Makes a draft and returns its id. Where the device keeps nothing, it lives in this tab. */
export async function makeDraft(owner: string | null, draft: NewDraft): Promise<string> {
  try {
    return (await (await openStore(owner)).create(draft)).id;
  } catch (error) {
    if (findErrorCode(error) !== 'not_kept') throw error;
    const id = randomId();
    const { title, forkedFrom = null } = draft;
    unkept.set(id, { id, title, forkedFrom, files: new Map(draft.files) });
    return id;
  }
}

/** The titles of this person's drafts on this device; none where the device keeps nothing. */
export async function listDraftTitles(owner: string | null): Promise<string[]> {
  try {
    return (await (await openStore(owner)).list()).map(({ title }) => title);
  } catch (error) {
    if (findErrorCode(error) !== 'not_kept') throw error;
    return [...unkept.values()].map(({ title }) => title);
  }
}

/** A draft that this person may see; undefined when it is not on this device. */
export async function findDraft(owner: string | null, id: string): Promise<FoundDraft | undefined> {
  const here = unkept.get(id);
  if (here) return here;
  const drafts = await (await openStore(owner)).list();
  const found = drafts.find((draft) => draft.id === id);
  return found && { id, title: found.title, forkedFrom: found.forkedFrom, files: new Map() };
}

/** Gives a draft another title. Throws `title_required`. */
export async function renameDraft(owner: string | null, id: string, title: string): Promise<void> {
  const here = unkept.get(id);
  if (here) unkept.set(id, { ...here, title });
  else await (await openStore(owner)).rename(id, title);
}

/** The drafts and unsaved changes of this person on this device. */
export async function openStore(owner: string | null): Promise<DraftStore> {
  const { openDraftStore } = await import('@vitrine/collaboration');
  return openDraftStore({ owner });
}

function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
