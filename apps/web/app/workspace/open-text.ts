import type { UnsavedOf } from '@vitrine/collaboration';
import type { Calls } from './calls.ts';
import { maySave, type DraftIdentity, type Identity, type Person } from './identity.ts';
import { openReading, type Living } from './reading.ts';

export interface TextOptions {
  readonly identity: Identity;
  readonly user: Person | null;
  /** Initial files: of a project opened by a reader, or of a draft that this device can't store. */
  readonly files: ReadonlyMap<string, string>;
  readonly calls: () => Calls;
  /** Result of `load_document` for the page, so that opening needs no request. */
  readonly loaded?: unknown;
}

/**
 * Opens the document of a draft or project. Edits are saved to the server or stay on this device,
 * depending on the user's role.
 */
export async function openText(options: TextOptions): Promise<Living> {
  const { identity, user, files, calls } = options;
  const unsavedOf = findUnsavedOf(identity, user);
  if (unsavedOf && identity.kind === 'project' && identity.role === 'reader')
    return openReading(files, unsavedOf);
  const { openDocument } = await import('@vitrine/collaboration');
  return await openDocument({
    id: identity.id,
    kind: identity.kind,
    owner: user?.id ?? null,
    ...(unsavedOf ? { unsavedOf } : { send: (...call) => calls().send(...call) }),
    load: (...call) => calls().load(...call),
    loaded: options.loaded,
    ...(identity.kind === 'draft' && files.size > 0 && { initial: toNewDraft(identity, files) }),
  });
}

function findUnsavedOf(identity: Identity, user: Person | null): UnsavedOf | undefined {
  if (identity.kind === 'draft' || maySave(identity)) return undefined;
  const { id: project, slug, title } = identity;
  return { project, slug, title, owner: user?.id ?? null };
}

function toNewDraft({ title, forkedFrom }: DraftIdentity, files: ReadonlyMap<string, string>) {
  return { title, files, ...(forkedFrom !== null && { forkedFrom }) };
}
