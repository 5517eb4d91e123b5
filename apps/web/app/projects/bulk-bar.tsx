import type { Visibility } from '@vitrine/project';
import Eye from 'lucide-react/icons/eye';
import Library from 'lucide-react/icons/library';
import Tag from 'lucide-react/icons/tag';
import Trash from 'lucide-react/icons/trash-2';
import X from 'lucide-react/icons/x';
import { useState, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { keepToastsAbove } from '../ui/toast.tsx';
import styles from './bulk-bar.module.css';
import type { WorkProject } from './list-work.server.ts';
import { describeProjects, type ProjectChanges } from './project-changes.ts';
import { visibilityLabels } from './project-list.tsx';
import type { Selection } from './selection.ts';

interface BulkBarProps {
  selection: Selection;
  /** The selected projects. */
  projects: readonly WorkProject[];
  changes: ProjectChanges;
  onEditTags: () => void;
  onCollect: () => void;
}

/** What can be done with the selected projects. At the bottom of the window while there are some. */
export function BulkBar(props: BulkBarProps) {
  const { selection, projects, changes, onEditTags, onCollect } = props;
  const [isConfirming, setConfirming] = useState(false);

  async function setVisibility(visibility: Visibility): Promise<void> {
    setConfirming(false);
    await changes.setVisibility(projects, visibility);
  }

  return (
    <>
      <SelectionBar selection={selection}>
        <Button size="small" icon={<Tag aria-hidden />} onClick={onEditTags}>
          Edit tags
        </Button>
        <Menu
          align="start"
          trigger={
            <Button size="small" icon={<Eye aria-hidden />}>
              Visibility
            </Button>
          }
        >
          {(['private', 'unlisted', 'public'] as const).map((visibility) => {
            const { text, Icon } = visibilityLabels[visibility];
            return (
              <MenuItem
                key={visibility}
                icon={<Icon aria-hidden />}
                onSelect={() =>
                  visibility === 'public' ? setConfirming(true) : void setVisibility(visibility)
                }
              >
                {text}
              </MenuItem>
            );
          })}
        </Menu>
        <Button size="small" icon={<Library aria-hidden />} onClick={onCollect}>
          Add to collection
        </Button>
        <Button
          size="small"
          icon={<Trash aria-hidden />}
          onClick={() => void changes.moveToTrash(projects)}
        >
          Move to trash
        </Button>
      </SelectionBar>
      <Dialog
        open={isConfirming && projects.length > 0}
        onClose={() => setConfirming(false)}
        title={`Make ${describeProjects(projects)} public?`}
        description="Anyone can find and view public projects."
        width="narrow"
      >
        <DialogActions>
          <Button onClick={() => setConfirming(false)}>Cancel</Button>
          <Button variant="primary" onClick={() => void setVisibility('public')}>
            Make public
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}

interface SelectionBarProps {
  selection: Selection;
  children: ReactNode;
}

/** A toolbar with the number of selected items; nothing without any. */
export function SelectionBar({ selection, children }: SelectionBarProps) {
  const count = selection.ids.length;
  return (
    <>
      <output className={styles.announcement}>{count > 0 ? `${count} selected` : ''}</output>
      {count > 0 && (
        <div ref={keepToastsAbove} className={styles.bar} role="toolbar" aria-label="Selection">
          <span className={styles.count} aria-hidden>
            {count} selected
          </span>
          {children}
          <IconButton label="Clear selection" size="small" onClick={selection.clear}>
            <X aria-hidden />
          </IconButton>
        </div>
      )}
    </>
  );
}
