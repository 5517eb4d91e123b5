import { visibilities } from '@vitrine/project';
import Eye from 'lucide-react/icons/eye';
import Library from 'lucide-react/icons/library';
import Tag from 'lucide-react/icons/tag';
import Trash from 'lucide-react/icons/trash-2';
import X from 'lucide-react/icons/x';
import { useState, type ReactNode } from 'react';
import { Announcement } from '../ui/announcement.tsx';
import { ActionButton, Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
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
          {visibilities.map((visibility) => {
            const { text, Icon } = visibilityLabels[visibility];
            return (
              <MenuItem
                key={visibility}
                icon={<Icon aria-hidden />}
                onSelect={() =>
                  visibility === 'public'
                    ? setConfirming(true)
                    : void changes.setVisibility(projects, visibility)
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
        <ActionButton
          size="small"
          icon={<Trash aria-hidden />}
          onPress={() => changes.moveToTrash(projects)}
        >
          Move to trash
        </ActionButton>
      </SelectionBar>
      <ConfirmDialog
        open={isConfirming && projects.length > 0}
        onClose={() => setConfirming(false)}
        title={`Make ${describeProjects(projects)} public?`}
        description="Anyone can find and view public projects."
        action="Make public"
        variant="primary"
        onConfirm={() => changes.setVisibility(projects, 'public')}
      />
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
      <Announcement>{count > 0 ? `${count} selected` : ''}</Announcement>
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
