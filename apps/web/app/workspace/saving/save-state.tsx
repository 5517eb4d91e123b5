import { isWaitingForRetry, watchRetries } from '@vitrine/project/retry-loading';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { SaveState as State } from '@vitrine/collaboration';
import { Button } from '../../ui/button.tsx';
import { showToast } from '../../ui/toast.tsx';
import styles from '../layout/top-bar.module.css';
import { useRequestedFocus, type LayoutController } from '../layout/layout-controller.ts';
import { canSave } from '../sharing/identity.ts';
import { formatSaveState } from './format-save-state.ts';
import type { SaveActions } from './saving.ts';
import type { WorkspaceSession } from '../session.ts';
import { useStore } from '../value-store.ts';

/** Tooltip by status, for labels that need more explanation. */
const tooltips: Partial<Record<State['status'], string>> = {
  unsaved: 'Only on this device until you fork',
  offline: 'Keep this page open: it can’t be reloaded offline',
};

/** Name of the button “Fork to save”, for `LayoutController.requestedFocus`. */
export const forkToSaveName = 'fork to save';

interface SaveStateProps {
  session: WorkspaceSession;
  layout: LayoutController;
  actions: SaveActions;
}

/**
 * Save state of the user's edits. Announced by screen readers only on problems, since it changes
 * with every pause in typing. Hidden for users who can't save until they edit, and until the document
 * is open: only then it's known whether this device has edits that the server lacks.
 */
export function SaveIndicator({ session, layout, actions }: SaveStateProps) {
  const state = useStore(session.saveStatus.state);
  const identity = useStore(session.identity);
  const isKnown = useStore(session.openState).status === 'open';
  const forkToSave = useRef<HTMLButtonElement>(null);
  useRequestedFocus(layout, forkToSaveName, () => forkToSave.current);
  const isUnsaved = state.status === 'unsaved';
  const isCodeMissing = useSyncExternalStore(watchRetries, isWaitingForRetry, () => false);
  // Nothing is saved, nor known to be, while the document's code can't be loaded.
  const label = isKnown || !isCodeMissing ? formatSaveState(state) : '';
  return (
    <div className={styles.saving} data-status={state.status}>
      {(canSave(identity) || state.status !== 'saved') && (
        <output
          aria-label="Save state"
          title={tooltips[state.status] ?? label}
          data-status={isKnown ? state.status : undefined}
          aria-live={isProblem(state) ? 'polite' : 'off'}
          className={styles.saveLabel}
        >
          {label}
        </output>
      )}
      {isUnsaved && (
        <>
          <span aria-hidden>·</span>
          <Button
            size="small"
            variant="quiet"
            ref={forkToSave}
            className={styles.forkToSave}
            busy={actions.busy}
            onClick={() => void actions.forkToSave()}
          >
            Fork to save
          </Button>
          <UnsavedCopyToast session={session} />
        </>
      )}
    </div>
  );
}

/** Explains on the first edit that it is an unsaved copy, with a toast that is shown once. */
function UnsavedCopyToast({ session }: { session: WorkspaceSession }) {
  useEffect(() => {
    const identity = session.identity.get();
    if (identity.kind === 'draft') return;
    showToast({
      id: 'unsaved',
      title: 'You’re editing your own copy',
      description: `It won’t get ${identity.owner}’s updates. Fork it to save.`,
    });
  }, [session]);
  return null;
}

function isProblem({ status }: State): boolean {
  return ['offline', 'rejected', 'not-stored', 'unsaved'].includes(status);
}
