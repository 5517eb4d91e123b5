import styles from './bar.module.css';
import type { SaveState as State } from '@vitrine/collaboration';
import { saveWords } from './save-words.ts';
import { useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

/**
 * Where the person's edits are, in words. Read aloud only when something is wrong: else it changes
 * whenever one begins to type and rests.
 */
export function SaveState({ workspace }: { workspace: Workspace }) {
  const state = useSource(workspace.saving.state);
  const words = saveWords(state);
  return (
    <output
      aria-label="Save state"
      title={words}
      data-status={state.status}
      aria-live={isTrouble(state) ? 'polite' : 'off'}
      className={styles.saving}
    >
      {words}
    </output>
  );
}

function isTrouble({ status }: State): boolean {
  return status === 'offline' || status === 'refused' || status === 'not-kept';
}
