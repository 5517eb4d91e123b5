import type { RowSelection } from './row-selection.ts';
import type { TreeRow } from './file-tree.ts';
import type { RowElements } from './row-elements.ts';
import type { OpenFiles } from '../tabs/open-files.ts';
import type { ProjectTree } from './project-tree.ts';
import { findTargetFolder } from './tree-drag.ts';

/** Actions of a row, from its menu or by keyboard. */
export type RowAction =
  | 'look'
  | 'open'
  | 'new-file'
  | 'new-folder'
  | 'upload'
  | 'rename'
  | 'duplicate'
  | 'cut'
  | 'copy'
  | 'paste'
  | 'download'
  | 'remove';

interface TreeActsOptions {
  readonly tree: ProjectTree;
  readonly openFiles: OpenFiles;
  readonly rows: readonly TreeRow[];
  readonly elements: RowElements;
  readonly selection: RowSelection;
}

/** Runs an action on a row and, if it is selected, on the whole selection. */
export function createTreeActions({ tree, openFiles, rows, elements, selection }: TreeActsOptions) {
  function open(row: TreeRow, isPreview: boolean): void {
    selection.selectOnly(row.path);
    if (row.kind === 'folder') tree.toggle(row.path);
    else if (isPreview) openFiles.openTransient(row.path);
    else openFiles.open(row.path);
  }

  /** Deletes rows and focuses the row that takes their place. */
  function remove(targets: readonly string[], row: TreeRow): void {
    const left = rows.filter(({ path }) => !targets.includes(path));
    const next = left.find((each) => rows.indexOf(each) > rows.indexOf(row)) ?? left.at(-1);
    tree.remove(targets);
    if (next) elements.focus(next.path);
  }

  return (action: RowAction, row: TreeRow): void => {
    const targets = selection.targetsOf(row.path);
    const folder = findTargetFolder(row);
    switch (action) {
      case 'look':
      case 'open':
        return open(row, action === 'look');
      case 'new-file':
        return tree.naming.set({ kind: 'file', folder });
      case 'new-folder':
        return tree.naming.set({ kind: 'folder', folder });
      case 'upload':
        return tree.upload(folder);
      case 'rename':
        return tree.naming.set({ kind: 'rename', path: row.path });
      case 'duplicate':
        return tree.copy(targets);
      case 'cut':
      case 'copy':
        return tree.setClipboard(targets, action === 'cut');
      case 'paste':
        return tree.paste(folder);
      case 'download':
        return void tree.download(targets);
      case 'remove':
        return remove(targets, row);
    }
  };
}
