import type { DraftStore } from '@vitrine/collaboration';
import { findErrorCode } from '@vitrine/project';
import { loadWithRetries } from '@vitrine/project/retry-loading';
import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import { showErrorToast, showToast } from '../ui/toast.tsx';
import { useViewer } from './viewer.ts';

/** After a sign-in, offers to move the drafts made before it to the account. */
export function ClaimDraftsPrompt() {
  const id = useViewer()?.id ?? null;
  const { pathname } = useLocation();
  const lastId = useRef(id);
  /** The user to prompt, as soon as they are on a page where it doesn't get in the way. */
  const pendingUserId = useRef<string>(null);

  useEffect(() => {
    if (id !== lastId.current) pendingUserId.current = id;
    lastId.current = id;
    // The sign-in pages redirect at once, and a draft page may be about to save its own draft.
    const isBusy = /^\/(auth|draft|new)\//.test(pathname);
    const userId = pendingUserId.current;
    if (userId === null || isBusy || document.visibilityState !== 'visible') return;
    void promptFor(userId);
    pendingUserId.current = null;
  }, [id, pathname]);

  return null;
}

async function promptFor(owner: string): Promise<void> {
  const { openDraftStore } = await loadWithRetries(() => import('@vitrine/collaboration'));
  const store = openDraftStore({ owner });
  try {
    const ids = (await store.list()).filter((draft) => draft.isUnclaimed).map(({ id }) => id);
    if (ids.length === 0) return;
    const isOne = ids.length === 1;
    showToast({
      title: `Move ${isOne ? '1 draft' : `${ids.length} drafts`} to your account?`,
      description: `Anyone using this browser can see ${isOne ? 'it' : 'them'}.`,
      timeoutMs: 20_000,
      action: { label: 'Move', run: () => void claim(store, ids) },
    });
  } catch (error) {
    // Without storage in this browser, there are no drafts.
    if (findErrorCode(error) !== 'not_kept') throw error;
  }
}

async function claim(store: DraftStore, ids: readonly string[]): Promise<void> {
  try {
    await store.claim(ids);
    showToast({
      title: 'Drafts moved to your account',
      description: 'Find them in Your work.',
    });
  } catch (error) {
    showErrorToast(findErrorCode(error));
  }
}
