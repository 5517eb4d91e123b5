import type { ReadOnlyProject } from '@vitrine/collaboration';
import type { ProjectFiles } from '@vitrine/project';
import { loadWithRetries } from '@vitrine/project/retry-loading';
import type { ProjectApi } from './project-api.ts';
import {
  canSave,
  type DraftIdentity,
  type WorkspaceIdentity,
  type WorkspaceUser,
} from '../sharing/identity.ts';
import { openUnsavedCopy, type DocumentSession } from './unsaved-copy.ts';

interface OpenProjectDocumentOptions {
  readonly identity: WorkspaceIdentity;
  readonly user: WorkspaceUser | null;
  /** Initial files: of a project opened by a reader, or of a draft that this device can't store. */
  readonly files: ProjectFiles;
  readonly api: ProjectApi;
  /** Result of `load_document` for the page, so that opening needs no request. */
  readonly loaded?: unknown;
}

/**
 * Opens the document of a draft or project. Edits are saved to the server or stay on this device,
 * depending on the user's role.
 */
export async function openProjectDocument(
  options: OpenProjectDocumentOptions,
): Promise<DocumentSession> {
  const { identity, user, files, api } = options;
  const unsavedOf = findUnsavedOf(identity, user);
  if (unsavedOf && identity.kind === 'project' && identity.role === 'reader')
    return openUnsavedCopy(files, unsavedOf);
  const { openDocument } = await loadWithRetries(() => import('@vitrine/collaboration'));
  return await openDocument({
    id: identity.id,
    kind: identity.kind,
    owner: user?.id ?? null,
    ...(unsavedOf ? { unsavedOf } : { send: api.sendUpdates }),
    load: api.loadDocument,
    initialResponse: options.loaded,
    ...(identity.kind === 'draft' &&
      files.size > 0 && { initialDraft: toNewDraft(identity, files) }),
  });
}

function findUnsavedOf(
  identity: WorkspaceIdentity,
  user: WorkspaceUser | null,
): ReadOnlyProject | undefined {
  if (identity.kind === 'draft' || canSave(identity)) return undefined;
  const { id: project, slug, title } = identity;
  return { project, slug, title, owner: user?.id ?? null };
}

function toNewDraft({ title, forkedFrom, forkedFromVersion }: DraftIdentity, files: ProjectFiles) {
  return {
    title,
    files,
    ...(forkedFrom !== null && { forkedFrom }),
    ...(forkedFromVersion !== null && { forkedFromVersion }),
  };
}
