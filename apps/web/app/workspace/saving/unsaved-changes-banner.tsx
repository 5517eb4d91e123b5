import type { DraftStore, UnsavedChangesEntry } from '@vitrine/collaboration';
import { findErrorCode, isSameFile } from '@vitrine/project';
import { loadWithRetries } from '@vitrine/project/retry-loading';
import { useCallback, useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { formatDay } from '../../ui/relative-time.tsx';
import { showErrorToast, showToast } from '../../ui/toast.tsx';
import { openLocalStore } from './drafts.ts';
import { mainName, type LayoutController } from '../layout/layout-controller.ts';
import { forkToSaveName } from './save-state.tsx';
import { canSave } from '../sharing/identity.ts';
import type { WorkspaceSession } from '../session.ts';
import { useStore } from '../value-store.ts';
import styles from './unsaved-changes-banner.module.css';
import { whenIdle } from '../../schedule.ts';

/** Unsaved changes on this device that can be restored. */
interface Offer {
  readonly unsaved: UnsavedChangesEntry;
  /** True if another tab is editing them. */
  readonly isInUse: boolean;
}

interface UnsavedChangesBannerProps {
  session: WorkspaceSession;
  layout: LayoutController;
}

/**
 * Banner offering unsaved changes from an earlier visit. Until they are restored, the project is
 * shown as its owner saved it.
 */
export default function UnsavedChangesBanner({ session, layout }: UnsavedChangesBannerProps) {
  const identity = useStore(session.identity);
  const isOpen = useStore(session.openState).status === 'open';
  // Restoring then swaps this tab's changes for the offered ones, which are kept.
  const hasOwn = useStore(session.saveStatus.state).status === 'unsaved';
  const [isBusy, setBusy] = useState(false);
  const project = identity.kind === 'project' ? identity.id : null;
  const { offer, reload } = useOffer(session, isOpen ? project : null);
  if (!offer || project === null) return null;
  const { unsaved, isInUse } = offer;
  const day = formatDay(unsaved.updatedAt, new Date());

  async function restore(): Promise<void> {
    await session.restoreUnsaved(unsaved.id);
    if (hasOwn)
      showToast({
        title: 'Switched to your other changes',
        description: 'Your previous changes are still on this device.',
      });
  }

  async function respond(action: () => Promise<unknown>): Promise<void> {
    setBusy(true);
    try {
      await action();
      await reload();
    } catch (error) {
      showErrorToast(findErrorCode(error));
    }
    setBusy(false);
    // The pressed button is gone. The next step is to fork, otherwise the start of the page.
    const isUnsaved = session.saveStatus.state.get().status === 'unsaved';
    layout.requestedFocus.set(isUnsaved ? forkToSaveName : mainName);
  }

  async function discard(): Promise<void> {
    const store = await openLocalStore(session.userId);
    const restore = await store.remove(unsaved.id);
    const undo = () => void restore().then(reload);
    showToast({ title: 'Discarded unsaved changes', action: { label: 'Undo', run: undo } });
  }

  if (isInUse) {
    return (
      <aside aria-label="Unsaved changes" className={styles.offer}>
        <p className={styles.text}>You have unsaved changes from {day}, open in another tab.</p>
      </aside>
    );
  }
  return (
    <aside aria-label="Unsaved changes" className={styles.offer}>
      <p className={styles.text}>
        You have {hasOwn && 'other '}unsaved changes from {day}.
        {canSave(identity) && ' Restoring them changes the project for everyone.'}
      </p>
      <div className={styles.buttons}>
        <Button size="small" busy={isBusy} onClick={() => void respond(restore)}>
          {hasOwn ? 'Switch' : 'Restore'}
        </Button>
        <Button size="small" variant="quiet" busy={isBusy} onClick={() => void respond(discard)}>
          Discard
        </Button>
      </div>
    </aside>
  );
}

/** Latest unsaved changes to a project that aren't edited in this tab. */
const loadCollaboration = () => import('@vitrine/collaboration');

function useOffer(session: WorkspaceSession, project: string | null) {
  const [offer, setOffer] = useState<Offer>();
  const reload = useCallback(async () => {
    setOffer(project === null ? undefined : await findOffer(session, project));
  }, [session, project]);

  useEffect(() => {
    let isCanceled = false;
    const show = () => void reload().catch(() => undefined);
    if (project !== null) whenIdle(() => !isCanceled && show());
    // Another tab may have stored or released some.
    const onShow = () => document.visibilityState === 'visible' && show();
    document.addEventListener('visibilitychange', onShow);
    return () => {
      isCanceled = true;
      document.removeEventListener('visibilitychange', onShow);
    };
  }, [project, reload]);

  const awaitedId = offer?.isInUse ? offer.unsaved.id : null;
  useEffect(() => {
    if (awaitedId === null) return;
    const controller = new AbortController();
    const wait = async () => {
      const { waitUntilUnsavedChangesClosed } = await loadWithRetries(loadCollaboration);
      await waitUntilUnsavedChangesClosed(awaitedId, controller.signal);
      await reload();
    };
    wait().catch(() => undefined);
    return () => controller.abort();
  }, [awaitedId, reload]);

  return { offer, reload };
}

/**
 * Undefined also without storage. Changes that are identical to the saved project are deleted, and those identical to
 * what this tab shows, which are left if a tab is closed while it restores them.
 */
async function findOffer(session: WorkspaceSession, project: string): Promise<Offer | undefined> {
  const { areUnsavedChangesOpen } = await loadWithRetries(loadCollaboration);
  const store = await openLocalStore(session.userId);
  const all = await store.listUnsavedChanges().catch(() => []);
  for (const unsaved of all) {
    if (unsaved.project !== project || unsaved.id === session.unsavedId) continue;
    if (await areUnsavedChangesOpen(unsaved.id)) return { unsaved, isInUse: true };
    if (!(await isKnown(session, store, unsaved))) return { unsaved, isInUse: false };
    await store.remove(unsaved.id);
  }
  return undefined;
}

async function isKnown(
  session: WorkspaceSession,
  store: DraftStore,
  { id }: UnsavedChangesEntry,
): Promise<boolean> {
  const stored = await store.readFiles(id);
  return [session.initialFiles, session.readFiles()].some(
    (files) =>
      stored.size === files.size &&
      [...stored].every(([path, file]) => isSameFile(file, files.get(path))),
  );
}
