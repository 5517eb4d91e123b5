import { formatKeys } from '@vitrine/editor/key-names';
import Ellipsis from 'lucide-react/icons/ellipsis';
import type { RefObject } from 'react';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import type { TreeRow } from './file-tree.ts';
import styles from './files-panel.module.css';
import type { RowAction } from './tree-actions.ts';

interface FileRowMenuProps {
  row: TreeRow;
  /** Button that opens the menu. */
  trigger: RefObject<HTMLButtonElement | null>;
  findRow: () => HTMLElement | undefined;
  onAction: (action: RowAction) => void;
}

/** Actions menu of a row, for mouse and touch. The keyboard works on the row itself. */
export function FileRowMenu({ row, trigger, findRow, onAction }: FileRowMenuProps) {
  const renderItem = (action: RowAction, label: string, keys?: string) => (
    <MenuItem
      {...(keys !== undefined && { keys })}
      danger={action === 'remove'}
      onSelect={() => onAction(action)}
    >
      {label}
    </MenuItem>
  );
  return (
    <span className={styles.more}>
      <Menu
        // The button is only visible on hover, so the focus returns to the row.
        findFinalFocus={() => findRow() ?? null}
        trigger={
          <IconButton ref={trigger} label={`Actions for ${row.path}`} size="small" tabIndex={-1}>
            <Ellipsis aria-hidden />
          </IconButton>
        }
      >
        {row.kind === 'folder' && (
          <>
            {renderItem('new-file', 'New file')}
            {renderItem('new-folder', 'New folder')}
            {renderItem('upload', 'Upload')}
            <MenuSeparator />
          </>
        )}
        {renderItem('rename', 'Rename', 'F2')}
        {renderItem('duplicate', 'Duplicate')}
        {renderItem('cut', 'Cut', formatKeys('Mod-x'))}
        {renderItem('copy', 'Copy', formatKeys('Mod-c'))}
        {renderItem('paste', 'Paste', formatKeys('Mod-v'))}
        <MenuSeparator />
        {renderItem('download', 'Download')}
        {renderItem('remove', 'Delete', 'Del')}
      </Menu>
    </span>
  );
}
