import styles from './bar.module.css';
import { saveWords } from './save-words.ts';
import { useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

/** Where the person's edits are, in words. */
export function SaveState({ workspace }: { workspace: Workspace }) {
  const state = useSource(workspace.saving);
  const words = saveWords(state);
  return (
    <output
      aria-label="Save state"
      title={words}
      data-status={state.status}
      className={styles.saving}
    >
      {words}
    </output>
  );
}
