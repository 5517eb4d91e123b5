import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import styles from './collision-dialog.module.css';
import { folderOf, nameOf, type Collision } from './file-names.ts';
import type { AskedCollision, ProjectTree } from './project-tree.ts';
import { useSource } from './source.ts';

/** Asks whether to replace an existing file or keep both, on upload, paste, copy or move. */
export function CollisionDialog({ tree }: { tree: ProjectTree }) {
  const prompt = useSource(tree.collision);
  return prompt && <Question key={prompt.path} prompt={prompt} />;
}

function Question({ prompt: { path, left, answer } }: { prompt: AskedCollision }) {
  const [isForAll, setForAll] = useState(false);
  const choose = (choice: Collision | null) => () => answer(choice, isForAll);
  const folder = folderOf(path);
  return (
    <Dialog
      open
      onClose={choose(null)}
      title={`Replace ${nameOf(path)}?`}
      description={`A file with this name already exists in ${folder === '' ? 'this project' : folder}.`}
      width="narrow"
    >
      {left > 0 && (
        <label className={styles.all}>
          <input
            type="checkbox"
            checked={isForAll}
            onChange={({ target }) => setForAll(target.checked)}
          />
          Apply to all {left + 1} files
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
