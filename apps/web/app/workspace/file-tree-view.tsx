import ChevronRight from 'lucide-react/icons/chevron-right';
import Ellipsis from 'lucide-react/icons/ellipsis';
import { useRef, useState, type KeyboardEvent, type MouseEvent } from 'react';
import { IconButton } from '../ui/icon-button.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { FileIcon } from './file-icon.tsx';
import { FileNameField } from './file-name-field.tsx';
import { isLock, moveInTree, treeRows, type TreeRow } from './file-tree.ts';
import styles from './files-panel.module.css';

/** A file that is being named; `from` is null for a new one. */
export interface TreeEdit {
  readonly from: string | null;
}

interface FileTreeProps {
  paths: readonly string[];
  active: string | undefined;
  naming: TreeEdit | null;
  onOpen: (path: string) => void;
  onName: (edit: TreeEdit, path: string | null) => void;
  onRename: (path: string) => void;
  onRemove: (path: string) => void;
}

/** The tree "Files", with the keys of the WAI-ARIA pattern; F2 renames, Delete removes. */
export function FileTree(props: FileTreeProps) {
  const { paths, active, naming, onOpen, onName, onRename, onRemove } = props;
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const [current, setCurrent] = useState<string | undefined>(undefined);
  const tree = useRef<HTMLDivElement>(null);
  const rows = treeRows(paths, collapsed);
  const focusable = rows.some(({ path }) => path === current)
    ? current
    : (rows.find(({ path }) => path === active) ?? rows[0])?.path;

  function focus(path: string): void {
    setCurrent(path);
    tree.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`)?.focus();
  }

  function toggle(path: string): void {
    const next = new Set(collapsed);
    if (!next.delete(path)) next.add(path);
    setCollapsed(next);
  }

  function press(event: KeyboardEvent, row: TreeRow): void {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey)
      return;
    const move = moveInTree(rows, row.path, event.key);
    if (event.key === 'Enter' || event.key === ' ') activate(row);
    else if (event.key === 'F2' && row.kind === 'file') onRename(row.path);
    else if (event.key === 'Delete' && row.kind === 'file') removeRow(row);
    else if (move && 'to' in move) focus(move.to);
    else if (move) toggle(row.path);
    else return;
    event.preventDefault();
  }

  function removeRow(row: TreeRow): void {
    const at = rows.indexOf(row);
    const next = rows[at + 1] ?? rows[at - 1];
    onRemove(row.path);
    if (next) focus(next.path);
  }

  function cancel(how: 'escape' | 'blur'): void {
    if (naming) onName(naming, null);
    if (how === 'escape' && focusable !== undefined) requestAnimationFrame(() => focus(focusable));
  }

  function activate(row: TreeRow): void {
    setCurrent(row.path);
    if (row.kind === 'file') onOpen(row.path);
    else toggle(row.path);
  }

  return (
    <>
      {naming?.from === null && (
        <FileNameField
          label="Name of the new file"
          value=""
          onDone={(path) => onName(naming, path)}
          onCancel={cancel}
        />
      )}
      <div role="tree" aria-label="Files" ref={tree} className={styles.tree}>
        {rows.map((row) =>
          naming && naming.from === row.path ? (
            <div key={row.path} role="treeitem" aria-selected={false} aria-level={row.level}>
              <FileNameField
                label={`New name of ${row.path}`}
                value={row.path}
                onDone={(path) => onName(naming, path)}
                onCancel={cancel}
              />
            </div>
          ) : (
            <Row
              key={row.path}
              row={row}
              active={row.path === active}
              tabIndex={row.path === focusable ? 0 : -1}
              onActivate={() => activate(row)}
              onKeyDown={(event) => press(event, row)}
              onRename={() => onRename(row.path)}
              onRemove={() => onRemove(row.path)}
            />
          ),
        )}
      </div>
    </>
  );
}

interface RowProps {
  row: TreeRow;
  active: boolean;
  tabIndex: number;
  onActivate: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
  onRename: () => void;
  onRemove: () => void;
}

function Row({ row, active, tabIndex, onActivate, onKeyDown, onRename, onRemove }: RowProps) {
  return (
    <div
      role="treeitem"
      aria-label={row.path}
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-expanded={row.kind === 'folder' ? row.expanded : undefined}
      aria-selected={active}
      tabIndex={tabIndex}
      data-path={row.path}
      data-quiet={isLock(row.path) || undefined}
      className={styles.row}
      style={{ paddingInlineStart: row.level * 12 - 4 }}
      onClick={(event) => isOnRow(event) && onActivate()}
      onKeyDown={onKeyDown}
    >
      {row.kind === 'folder' ? (
        <ChevronRight
          aria-hidden
          className={styles.chevron}
          data-open={row.expanded || undefined}
        />
      ) : (
        <FileIcon path={row.path} />
      )}
      <span className={styles.name}>{row.name}</span>
      {row.kind === 'file' && (
        <span className={styles.more}>
          <Menu
            trigger={
              <IconButton label={`More for ${row.path}`} size="small" tabIndex={-1}>
                <Ellipsis aria-hidden />
              </IconButton>
            }
          >
            <MenuItem keys="F2" onSelect={onRename}>
              Rename
            </MenuItem>
            <MenuItem keys="Del" danger onSelect={onRemove}>
              Remove
            </MenuItem>
          </Menu>
        </span>
      )}
    </div>
  );
}

/** False for a press on the row's menu: it hangs elsewhere in the document, but bubbles to here. */
function isOnRow({ currentTarget, target }: MouseEvent): boolean {
  return (
    target instanceof Element && currentTarget.contains(target) && target.closest('button') === null
  );
}
