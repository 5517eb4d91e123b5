import ChevronRight from 'lucide-react/icons/chevron-right';
import { useRef, type KeyboardEvent, type MouseEvent } from 'react';
import { FileIcon } from './file-icon.tsx';
import { FileRowMenu } from './file-row-menu.tsx';
import { isLockfile, type TreeRow } from './file-tree.ts';
import styles from './files-panel.module.css';
import type { RowElements } from './row-elements.ts';
import type { RowAction } from './tree-actions.ts';
import { findTargetFolder, type TreeDrag } from './tree-drag.ts';

interface FileRowProps {
  row: TreeRow;
  /** Selected, cut, and whether the row is the tree's tab stop. */
  state: { readonly isSelected: boolean; readonly isCut: boolean; readonly isFirst: boolean };
  /** Rows that are dragged together with this one. */
  dragged: readonly string[];
  drag: TreeDrag;
  elements: RowElements;
  on: RowListeners;
}

interface RowListeners {
  click(event: MouseEvent, row: TreeRow): void;
  focus(row: TreeRow): void;
  press(event: KeyboardEvent, row: TreeRow): void;
  act(action: RowAction, row: TreeRow): void;
}

/** A file or folder in the tree. */
export function FileRow({ row, state, dragged, drag, elements, on }: FileRowProps) {
  const menu = useRef<HTMLButtonElement>(null);
  const isFolder = row.kind === 'folder';
  return (
    <div
      ref={(element) => (element ? elements.add(row.path, element) : undefined)}
      role="treeitem"
      aria-label={row.path}
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-expanded={isFolder ? row.expanded : undefined}
      aria-selected={state.isSelected}
      tabIndex={state.isFirst ? 0 : -1}
      data-quiet={isLockfile(row.path) || state.isCut || undefined}
      data-over={(isFolder && drag.dropFolder === findTargetFolder(row)) || undefined}
      className={styles.row}
      style={{ paddingInlineStart: row.level * 12 - 4 }}
      draggable
      onDragStart={(event) => drag.onDragStart(event, dragged)}
      onDragOver={(event) => drag.onDragOver(event, row)}
      onDrop={(event) => drag.onDrop(event, row)}
      onDragEnd={drag.onDragLeave}
      onClick={(event) => isOnRow(event) && on.click(event, row)}
      onFocus={(event) => event.target === event.currentTarget && on.focus(row)}
      onKeyDown={(event) => on.press(event, row)}
      onContextMenu={(event) => openRowMenu(event, menu.current)}
    >
      {isFolder ? (
        <ChevronRight
          aria-hidden
          className={styles.chevron}
          data-open={row.expanded || undefined}
        />
      ) : (
        <FileIcon path={row.path} />
      )}
      <span className={styles.name}>{row.name}</span>
      <FileRowMenu
        row={row}
        trigger={menu}
        findRow={() => elements.find(row.path)}
        onAction={(action) => on.act(action, row)}
      />
    </div>
  );
}

/** Opens the row's menu on right click, long press or the menu key, instead of the browser's. */
function openRowMenu(event: MouseEvent, trigger: HTMLElement | null): void {
  if (!isOnRow(event)) return;
  event.preventDefault();
  trigger?.click();
}

/**
 * False for events in the row's menu: React bubbles them here although the menu is rendered in a
 * portal.
 */
function isOnRow({ currentTarget, target }: MouseEvent): boolean {
  return (
    target instanceof Element && currentTarget.contains(target) && target.closest('button') === null
  );
}
