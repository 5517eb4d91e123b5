import { useState, type DragEvent } from 'react';
import { dirname } from './file-paths.ts';
import type { TreeRow } from './file-tree.ts';
import type { ProjectTree } from './project-tree.ts';

/**
 * MIME type of dragged tree rows. The value is empty, since the tree keeps the dragged rows itself.
 */
const rowsMimeType = 'application/x-vitrine-rows';

/** Drag and drop handlers of the tree and its rows. */
export interface TreeDrag {
  /**
   * Folder that a drop would go into. "" for the root, null if nothing is dragged over the tree.
   */
  readonly dropFolder: string | null;
  onDragStart(event: DragEvent, paths: readonly string[]): void;
  onDragOver(event: DragEvent, row: TreeRow | null): void;
  onDragLeave(): void;
  onDrop(event: DragEvent, row: TreeRow | null): void;
}

/** Moves rows by dragging, copies them with Ctrl or Alt, and adds files from other applications. */
export function useTreeDrag(tree: ProjectTree): TreeDrag {
  const [draggedPaths, setDraggedPaths] = useState<readonly string[]>([]);
  const [dropFolder, setDropFolder] = useState<string | null>(null);

  return {
    dropFolder,
    onDragStart(event, paths) {
      event.dataTransfer.setData(rowsMimeType, '');
      event.dataTransfer.effectAllowed = 'copyMove';
      setDraggedPaths(paths);
    },
    onDragOver(event, row) {
      const { types } = event.dataTransfer;
      if (!types.includes(rowsMimeType) && !types.includes('Files')) return;
      event.preventDefault();
      event.stopPropagation();
      event.dataTransfer.dropEffect =
        types.includes(rowsMimeType) && !isCopyModifierPressed(event) ? 'move' : 'copy';
      setDropFolder(findTargetFolder(row));
    },
    onDragLeave: () => setDropFolder(null),
    onDrop(event, row) {
      event.preventDefault();
      event.stopPropagation();
      setDropFolder(null);
      const folder = findTargetFolder(row);
      if (!event.dataTransfer.types.includes(rowsMimeType)) tree.drop(event.dataTransfer, folder);
      else if (isCopyModifierPressed(event)) tree.copy(draggedPaths, folder);
      else tree.move(draggedPaths, folder);
    },
  };
}

/**
 * Folder that a drop or paste on a row goes into: for a file its parent folder, for the space below
 * the rows the root.
 */
export function findTargetFolder(row: TreeRow | null): string {
  if (!row) return '';
  return row.kind === 'folder' ? row.path : dirname(row.path);
}

function isCopyModifierPressed(event: DragEvent): boolean {
  return event.ctrlKey || event.altKey;
}
