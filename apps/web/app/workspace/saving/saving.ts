import { findErrorCode, VitrineError, type Visibility } from '@vitrine/project';
import { useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { forkParameter, saveParameter, withNextPath } from '../../session/next-path.ts';
import { showErrorToast } from '../../ui/toast.tsx';
import { UploadError } from '../assets/uploads.ts';
import { createLocalDraft, openLocalStore } from './drafts.ts';
import { getWorkspacePath, canSave, type ProjectIdentity } from '../sharing/identity.ts';
import type { CodeIntelligence } from '../code/code-intelligence.ts';
import type { WorkspaceSession } from '../session.ts';

export interface SaveActions {
  readonly busy: boolean;
  /**
   * Saves: creates a project from a draft, flushes pending updates of a project, or forks a project
   * the user can't save to.
   */
  save(visibility?: Visibility): Promise<void>;
  fork(): Promise<void>;
  /** Forks and saves. A visitor signs in first. */
  forkToSave(): Promise<void>;
}

/** Actions for saving and forking. Both may navigate. */
export function useSaving(session: WorkspaceSession, code: CodeIntelligence): SaveActions {
  const [busy, setBusy] = useState(false);
  const running = useRef<Promise<void>>(undefined);
  const navigate = useNavigate();
  const here = useLocation().pathname;

  /** Calls while an action is running return its promise. */
  function runOnce(work: () => Promise<void>): Promise<void> {
    return (running.current ??= perform(work).finally(() => (running.current = undefined)));
  }

  async function perform(work: () => Promise<void>): Promise<void> {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      const paths = error instanceof UploadError ? error.paths.join(', ') : undefined;
      showErrorToast(findErrorCode(error), paths);
    } finally {
      setBusy(false);
    }
  }

  async function saveDraft(visibility: Visibility): Promise<void> {
    if (!session.user) {
      await checkServer();
      await navigate(withNextPath('/auth/sign-up', `${here}?${saveParameter}=${visibility}`));
      return;
    }
    const project = await session.saveAsProject(visibility);
    await navigate(getWorkspacePath(project), { replace: true });
  }

  async function fork(): Promise<void> {
    const identity = session.identity.get();
    if (identity.kind === 'draft') return;
    const { user } = session;
    await session.rememberAssetSources();
    const id = (await convertUnsaved(session)) ?? (await copyIntoDraft(session, identity));
    await navigate(`/draft/${id}${user ? `?${saveParameter}=private` : ''}`);
  }

  async function forkToSave(): Promise<void> {
    const id = session.unsavedId;
    if (session.user || id === undefined) return fork();
    await checkServer();
    await session.flush();
    await navigate(withNextPath('/auth/sign-in', `${here}?${forkParameter}=${id}`));
  }

  async function save(visibility: Visibility): Promise<void> {
    await code.formatBeforeSave();
    const identity = session.identity.get();
    if (!canSave(identity)) await fork();
    else if (identity.kind === 'draft') await saveDraft(visibility);
    else await session.flush();
  }

  return {
    busy,
    save: (visibility = 'private') => runOnce(() => save(visibility)),
    fork: () => runOnce(fork),
    forkToSave: () => runOnce(forkToSave),
  };
}

/** Converts the unsaved changes to a draft, keeping their history. Undefined if there are none. */
async function convertUnsaved(session: WorkspaceSession): Promise<string | undefined> {
  try {
    const id = await session.detachUnsaved();
    if (id !== undefined) await (await openLocalStore(session.userId)).convertToDraft(id);
    return id;
  } catch (error) {
    if (findErrorCode(error) === 'not_kept') return undefined;
    throw error;
  }
}

async function copyIntoDraft(session: WorkspaceSession, project: ProjectIdentity): Promise<string> {
  const { id, title, publishedVersion } = project;
  const files = session.readFiles();
  const version = canSave(project) ? await saveForkedVersion(session) : publishedVersion;
  const draft = {
    title,
    files,
    forkedFrom: id,
    ...(typeof version === 'number' && { forkedFromVersion: version }),
  };
  return createLocalDraft(session.userId, draft);
}

/**
 * Saves the version that a fork starts from. Resolves to its number, undefined if that isn't
 * possible now: forking works without a connection.
 */
async function saveForkedVersion(session: WorkspaceSession): Promise<number | undefined> {
  try {
    await session.flush();
    return await session.createVersion('fork');
  } catch (error) {
    if (error instanceof VitrineError) return undefined;
    throw error;
  }
}

/**
 * Rejects if the server is unreachable, so that navigating to one of its pages doesn't lose the
 * workspace.
 */
async function checkServer(): Promise<void> {
  try {
    const { ok } = await fetch('/healthz', { signal: AbortSignal.timeout(5_000) });
    if (ok) return;
  } catch (error) {
    throw new VitrineError('server_unreachable', undefined, { cause: error });
  }
  throw new VitrineError('server_unreachable');
}
