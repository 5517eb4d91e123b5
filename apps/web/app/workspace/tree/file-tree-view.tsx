import { useEffect, useEffectEvent, useState, type MouseEvent } from 'react';
import { useRequestedFocus, type LayoutController } from '../layout/layout-controller.ts';
import { useRowSelection } from './row-selection.ts';
import { FileNameField } from './file-name-field.tsx';
import { FileRow } from './file-row.tsx';
import { RowElements } from './row-elements.ts';
import { listTreeRows, type TreeRow } from './file-tree.ts';
import styles from './files-panel.module.css';
import type { Naming, ProjectTree } from './project-tree.ts';
import type { OpenFiles } from '../tabs/open-files.ts';
import { useStore } from '../value-store.ts';
import { createTreeActions } from './tree-actions.ts';
import { createClipboardHandlers } from './tree-clipboard.ts';
import { useTreeDrag } from './tree-drag.ts';
import { useTreeKeys } from './tree-keys.ts';
import { getEditedPath } from '../tabs/tabs.ts';

interface FileTreeProps {
  layout: LayoutController;
  tree: ProjectTree;
  openFiles: OpenFiles;
}

/**
 * The tree "Files", with the keyboard pattern of WAI-ARIA. F2 renames, Delete deletes, Mod+Z
 * undoes; Shift and Mod extend the selection.
 */
export function FileTree({ layout, tree, openFiles }: FileTreeProps) {
  const active = getEditedPath(useStore(openFiles.activeTabs).active);
  const naming = useStore(tree.naming);
  const clipboard = useStore(tree.clipboard);
  const rows = useRows(tree);
  const selection = useRowSelection(rows, active);
  const drag = useTreeDrag(tree);
  const [elements] = useState(() => new RowElements());
  const [current, setCurrent] = useState<string>();
  const focusable =
    rows.find(({ path }) => path === current) ??
    rows.find(({ path }) => path === active) ??
    rows[0];

  useRequestedFocus(layout, 'files', () => (focusable ? elements.find(focusable.path) : undefined));

  useEffect(() => {
    if (active !== undefined) elements.find(active)?.scrollIntoView({ block: 'nearest' });
  }, [elements, active]);

  const isCurrentGone = current !== undefined && current !== focusable?.path;
  const restoreFocus = useEffectEvent(() => focusable && elements.focus(focusable.path));
  useEffect(() => {
    // The focused row is gone. A moved or renamed file has a new row.
    if (isCurrentGone && document.activeElement === document.body) restoreFocus();
  }, [isCurrentGone]);

  const act = createTreeActions({ tree, openFiles, rows, elements, selection });
  const handleKey = useTreeKeys({
    rows,
    elements,
    selection,
    toggle: (path) => tree.toggle(path),
    act,
    undo: () => tree.undo(),
  });

  function click(event: MouseEvent, row: TreeRow): void {
    if (event.shiftKey) selection.extendTo(row.path, focusable?.path ?? row.path);
    else if (event.ctrlKey || event.metaKey) selection.toggle(row.path);
    // The second click of a double click keeps the tab that the first one opened.
    else act(event.detail === 2 && row.kind === 'file' ? 'open' : 'look', row);
  }

  function cancel(target: Naming, how: 'escape' | 'blur'): void {
    tree.finishNaming(target, null);
    if (how === 'escape' && focusable) requestAnimationFrame(() => elements.focus(focusable.path));
  }

  const renderField = (target: Naming) => (
    <FileNameField
      {...fieldProps(target)}
      onDone={(path) => tree.finishNaming(target, path)}
      onCancel={(how) => cancel(target, how)}
    />
  );
  return (
    <>
      {naming && naming.kind !== 'rename' && renderField(naming)}
      <div
        role="tree"
        aria-label="Files"
        aria-multiselectable
        tabIndex={-1}
        className={styles.tree}
        data-over={drag.dropFolder === '' || undefined}
        onDragOver={(event) => drag.onDragOver(event, null)}
        onDragLeave={drag.onDragLeave}
        onDrop={(event) => drag.onDrop(event, null)}
        {...createClipboardHandlers(
          tree,
          focusable,
          focusable ? selection.targetsOf(focusable.path) : [],
        )}
      >
        {rows.map((row) =>
          naming?.kind === 'rename' && naming.path === row.path ? (
            <div key={row.path} role="treeitem" aria-selected={false} aria-level={row.level}>
              {renderField(naming)}
            </div>
          ) : (
            <FileRow
              key={row.path}
              row={row}
              state={{
                isSelected: selection.selected.has(row.path),
                isCut: clipboard?.isCut === true && clipboard.rows.includes(row.path),
                isFirst: row === focusable,
              }}
              dragged={selection.targetsOf(row.path)}
              drag={drag}
              elements={elements}
              on={{ click, press: handleKey, act, focus: (each) => setCurrent(each.path) }}
            />
          ),
        )}
      </div>
    </>
  );
}

function useRows(tree: ProjectTree): TreeRow[] {
  return listTreeRows(
    useStore(tree.paths),
    useStore(tree.collapsedFolders),
    useStore(tree.emptyFolders),
  );
}

function fieldProps(naming: Naming): { label: string; value: string } {
  if (naming.kind === 'rename') return { label: `Rename ${naming.path}`, value: naming.path };
  const value = naming.folder === '' ? '' : `${naming.folder}/`;
  return { label: `New ${naming.kind} name`, value };
}
