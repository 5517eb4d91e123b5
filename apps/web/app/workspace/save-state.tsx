import { useEffect } from 'react';
import type { SaveState as State } from '@vitrine/collaboration';
import { Button } from '../ui/button.tsx';
import { showToast } from '../ui/toast.tsx';
import styles from './bar.module.css';
import { maySave } from './identity.ts';
import { saveWords } from './save-words.ts';
import type { SaveActions } from './saving.ts';
import { useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

/** What the words leave out, where they do. */
const explanations: Partial<Record<State['status'], string>> = {
  unsaved: 'Only on this device until you fork',
  offline: "Keep this page open: it can't be reloaded offline",
};

interface SaveStateProps {
  workspace: Workspace;
  actions: SaveActions;
}

/**
 * Where the person's edits are, in words. Read aloud only when something is wrong: else it changes
 * whenever one begins to type and rests. Who may not save is told nothing before the first edit.
 */
export function SaveState({ workspace, actions }: SaveStateProps) {
  const state = useSource(workspace.saving.state);
  const identity = useSource(workspace.identity);
  const isUnsaved = state.status === 'unsaved';
  const words = saveWords(state);
  return (
    <div className={styles.saving} data-status={state.status}>
      {(maySave(identity) || state.status !== 'saved') && (
        <output
          aria-label="Save state"
          title={explanations[state.status] ?? words}
          data-status={state.status}
          aria-live={isTrouble(state) ? 'polite' : 'off'}
          className={styles.saveWords}
        >
          {words}
        </output>
      )}
      {isUnsaved && (
        <>
          <span aria-hidden>·</span>
          <Button
            size="small"
            variant="quiet"
            className={styles.forkToSave}
            data-fork-to-save
            busy={actions.busy}
            onClick={() => void actions.forkToSave()}
          >
            Fork to save
          </Button>
          <ToldOnce workspace={workspace} />
        </>
      )}
    </div>
  );
}

/** Says with the first edit what it means, and takes that back once it is so no longer. */
function ToldOnce({ workspace }: { workspace: Workspace }) {
  useEffect(() => {
    const identity = workspace.identity.get();
    if (identity.kind === 'draft') return;
    showToast({
      id: 'unsaved',
      title: "You're editing your own copy",
      description: `It no longer follows ${identity.owner}'s changes. Fork to save it.`,
    });
  }, [workspace]);
  return null;
}

function isTrouble({ status }: State): boolean {
  return ['offline', 'refused', 'not-kept', 'unsaved'].includes(status);
}
