import { findErrorCode, VitrineError, type Visibility } from '@vitrine/project';
import { useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { forkParameter, saveParameter, withNextPath } from '../../session/next-path.ts';
import { showErrorToast } from '../../ui/toast.tsx';
import { createLocalDraft, openLocalStore } from './drafts.ts';
import { getWorkspacePath, canSave, type ProjectIdentity } from '../sharing/identity.ts';
import type { Workspace } from '../workspace.ts';

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
export function useSaving(workspace: Workspace): SaveActions {
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
      showErrorToast(findErrorCode(error));
    } finally {
      setBusy(false);
    }
  }

  async function saveDraft(visibility: Visibility): Promise<void> {
    if (!workspace.user) {
      await checkServer();
      await navigate(withNextPath('/auth/sign-up', `${here}?${saveParameter}=${visibility}`));
      return;
    }
    const project = await workspace.saveAsProject(visibility);
    await navigate(getWorkspacePath(project), { replace: true });
  }

  async function fork(): Promise<void> {
    const identity = workspace.identity.get();
    if (identity.kind === 'draft') return;
    const { user } = workspace;
    const id = (await convertUnsaved(workspace)) ?? (await copyIntoDraft(workspace, identity));
    await navigate(`/draft/${id}${user ? `?${saveParameter}=private` : ''}`);
  }

  async function forkToSave(): Promise<void> {
    const id = workspace.unsavedId;
    if (workspace.user || id === undefined) return fork();
    await checkServer();
    await workspace.flush();
    await navigate(withNextPath('/auth/sign-in', `${here}?${forkParameter}=${id}`));
  }

  async function save(visibility: Visibility): Promise<void> {
    await workspace.formatBeforeSave();
    const identity = workspace.identity.get();
    if (!canSave(identity)) await fork();
    else if (identity.kind === 'draft') await saveDraft(visibility);
    else await workspace.flush();
  }

  return {
    busy,
    save: (visibility = 'private') => runOnce(() => save(visibility)),
    fork: () => runOnce(fork),
    forkToSave: () => runOnce(forkToSave),
  };
}

/** Converts the unsaved changes to a draft, keeping their history. Undefined if there are none. */
async function convertUnsaved(workspace: Workspace): Promise<string | undefined> {
  try {
    const id = await workspace.detachUnsaved();
    if (id !== undefined)
      await (await openLocalStore(workspace.user?.id ?? null)).convertToDraft(id);
    return id;
  } catch (error) {
    if (findErrorCode(error) === 'not_kept') return undefined;
    throw error;
  }
}

function copyIntoDraft(workspace: Workspace, { id, title }: ProjectIdentity): Promise<string> {
  const draft = { title, files: workspace.readFiles(), forkedFrom: id };
  return createLocalDraft(workspace.user?.id ?? null, draft);
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
