import { useState, type DragEvent } from 'react';
import { readDataTransfer } from './uploaded-files.ts';
import { dirname } from './file-paths.ts';
import type { TreeRow } from './file-tree.ts';
import type { ProjectTree } from './project-tree.ts';

/**
 * Drag data type of tree rows. The value is empty, since the tree keeps the dragged rows itself.
 */
const rowsType = 'application/x-vitrine-rows';

/** Drag and drop handlers of the tree and its rows. */
export interface TreeDrag {
  /**
   * Folder that a drop would go into. "" for the root, null if nothing is dragged over the tree.
   */
  readonly over: string | null;
  begin(event: DragEvent, rows: readonly string[]): void;
  hover(event: DragEvent, row: TreeRow | null): void;
  leave(): void;
  drop(event: DragEvent, row: TreeRow | null): void;
}

/** Moves rows by dragging, copies them with Ctrl or Alt, and adds files from other applications. */
export function useTreeDrag(tree: ProjectTree): TreeDrag {
  const [dragged, setDragged] = useState<readonly string[]>([]);
  const [over, setOver] = useState<string | null>(null);

  return {
    over,
    begin(event, rows) {
      event.dataTransfer.setData(rowsType, '');
      event.dataTransfer.effectAllowed = 'copyMove';
      setDragged(rows);
    },
    hover(event, row) {
      const { types } = event.dataTransfer;
      if (!types.includes(rowsType) && !types.includes('Files')) return;
      event.preventDefault();
      event.stopPropagation();
      event.dataTransfer.dropEffect = types.includes(rowsType) && !isCopy(event) ? 'move' : 'copy';
      setOver(findDropFolder(row));
    },
    leave: () => setOver(null),
    drop(event, row) {
      event.preventDefault();
      event.stopPropagation();
      setOver(null);
      const folder = findDropFolder(row);
      if (!event.dataTransfer.types.includes(rowsType))
        void readDataTransfer(event.dataTransfer).then((added) => tree.add(added, folder));
      else if (isCopy(event)) tree.copy(dragged, folder);
      else tree.move(dragged, folder);
    },
  };
}

/**
 * Folder of a drop target: a file stands for its folder, and the space below all rows for the root.
 */
export function findDropFolder(row: TreeRow | null): string {
  if (!row) return '';
  return row.kind === 'folder' ? row.path : dirname(row.path);
}

function isCopy(event: DragEvent): boolean {
  return event.ctrlKey || event.altKey;
}
