import { findErrorCode, VitrineError, type Visibility } from '@vitrine/project';
import { useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { saveParameter, withNext } from '../session/next-path.ts';
import { showErrorToast } from '../ui/toast.tsx';
import { makeDraft } from './drafts.ts';
import { addressOf, maySave } from './identity.ts';
import type { Workspace } from './workspace.ts';

export interface SaveActions {
  readonly busy: boolean;
  /** A draft becomes a project, a project sends what is unsent, and what is not one's own is forked. */
  save(visibility?: Visibility): Promise<void>;
  fork(): Promise<void>;
}

/** Saving and forking, which lead to other addresses. */
export function useSaving(workspace: Workspace): SaveActions {
  const [busy, setBusy] = useState(false);
  const running = useRef<Promise<void>>(undefined);
  const navigate = useNavigate();
  const here = useLocation().pathname;

  /** Pressing again while it runs waits for the same. */
  function attempt(work: () => Promise<void>): Promise<void> {
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
    if (!workspace.person) {
      await reachServer();
      await navigate(withNext('/auth/sign-up', `${here}?${saveParameter}=${visibility}`));
      return;
    }
    const project = await workspace.becomeProject(visibility);
    await navigate(addressOf(project), { replace: true });
  }

  async function fork(): Promise<void> {
    const identity = workspace.identity.get();
    if (identity.kind === 'draft') return;
    const { person } = workspace;
    const files = workspace.files();
    const draft = { title: identity.title, files, forkedFrom: identity.id };
    const id = await makeDraft(person?.id ?? null, draft);
    await navigate(`/draft/${id}${person ? `?${saveParameter}=private` : ''}`);
  }

  async function save(visibility: Visibility): Promise<void> {
    await workspace.formatBeforeSave();
    const identity = workspace.identity.get();
    if (!maySave(identity)) await fork();
    else if (identity.kind === 'draft') await saveDraft(visibility);
    else await workspace.flush();
  }

  return {
    busy,
    save: (visibility = 'private') => attempt(() => save(visibility)),
    fork: () => attempt(fork),
  };
}

/** Rejects where the server does not answer: who would be led to one of its pages stays with the work. */
async function reachServer(): Promise<void> {
  try {
    const { ok } = await fetch('/healthz', { signal: AbortSignal.timeout(5_000) });
    if (ok) return;
  } catch (error) {
    throw new VitrineError('server_unreachable', undefined, { cause: error });
  }
  throw new VitrineError('server_unreachable');
}
