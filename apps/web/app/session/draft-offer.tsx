import type { DraftStore } from '@vitrine/collaboration';
import { findErrorCode } from '@vitrine/project';
import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import { showErrorToast, showToast } from '../ui/toast.tsx';
import { useViewer } from './viewer.ts';

/** After someone signs in here: offers to make the drafts of before theirs. */
export function DraftOffer() {
  const id = useViewer()?.id ?? null;
  const { pathname } = useLocation();
  const before = useRef(id);
  /** Whom to make the offer, as soon as they are where it does not disturb. */
  const due = useRef<string>(null);

  useEffect(() => {
    if (id !== before.current) due.current = id;
    before.current = id;
    // The draft they signed in for is about to be saved, and the sign-in pages are left at once.
    const inTheMiddle = /^\/(auth|draft|new)\//.test(pathname);
    if (due.current === null || inTheMiddle || document.visibilityState !== 'visible') return;
    void offer(due.current);
    due.current = null;
  }, [id, pathname]);

  return null;
}

async function offer(owner: string): Promise<void> {
  const { openDraftStore } = await import('@vitrine/collaboration');
  const store = openDraftStore({ owner });
  try {
    const ids = (await store.list()).filter((draft) => draft.isUnclaimed).map(({ id }) => id);
    if (ids.length === 0) return;
    const isOne = ids.length === 1;
    showToast({
      title: `Move ${isOne ? '1 draft' : `${ids.length} drafts`} to your account?`,
      description: `Anyone using this browser can see ${isOne ? 'it' : 'them'}.`,
      timeoutMs: 20_000,
      action: { label: 'Move', run: () => void keep(store, ids) },
    });
  } catch (error) {
    // A device that keeps nothing has nothing to offer.
    if (findErrorCode(error) !== 'not_kept') throw error;
  }
}

async function keep(store: DraftStore, ids: readonly string[]): Promise<void> {
  try {
    await store.claim(ids);
    showToast({ title: 'Moved to your account', description: 'Your drafts are in Your work.' });
  } catch (error) {
    showErrorToast(findErrorCode(error));
  }
}
