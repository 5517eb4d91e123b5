import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import styles from './collision-dialog.module.css';
import { dirname, basename, type CollisionChoice } from './file-paths.ts';
import type { CollisionPrompt, ProjectTree } from './project-tree.ts';
import { useStore } from '../value-store.ts';

/** Asks whether to replace an existing file or keep both, on upload, paste, copy or move. */
export function CollisionDialog({ tree }: { tree: ProjectTree }) {
  const prompt = useStore(tree.collision);
  return prompt && <Question key={prompt.path} prompt={prompt} />;
}

function Question({ prompt: { path, remaining, answer } }: { prompt: CollisionPrompt }) {
  const [isForAll, setForAll] = useState(false);
  const choose = (choice: CollisionChoice | null) => () => answer(choice, isForAll);
  const folder = dirname(path);
  return (
    <Dialog
      open
      onClose={choose(null)}
      title={`Replace ${basename(path)}?`}
      description={`A file with this name already exists in ${folder === '' ? 'this project' : folder}.`}
      width="narrow"
    >
      {remaining > 0 && (
        <label className={styles.all}>
          <input
            type="checkbox"
            checked={isForAll}
            onChange={({ target }) => setForAll(target.checked)}
          />
          Apply to all {remaining + 1} files
        </label>
      )}
      <DialogActions>
        <Button onClick={choose(null)}>Cancel</Button>
        <Button onClick={choose('keep-both')}>Keep both</Button>
        <Button variant="primary" onClick={choose('replace')}>
          Replace
        </Button>
      </DialogActions>
    </Dialog>
  );
}
