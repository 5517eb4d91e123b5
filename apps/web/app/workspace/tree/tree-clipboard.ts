import type { ClipboardEvent } from 'react';
import { findTransferredFiles, isScreenshot } from './uploaded-files.ts';
import type { TreeRow } from './file-tree.ts';
import type { ProjectTree } from './project-tree.ts';
import { findTargetFolder } from './tree-drag.ts';

/** Handlers for cut, copy and paste in the tree, by keyboard or the browser's menu. */
export function createClipboardHandlers(
  tree: ProjectTree,
  focusedRow: TreeRow | undefined,
  selectedPaths: readonly string[],
) {
  function copy(event: ClipboardEvent, isCut: boolean): void {
    if (isInTextInput(event) || !focusedRow) return;
    tree.setClipboard(selectedPaths, isCut);
    event.clipboardData.setData('text/plain', selectedPaths.join('\n'));
    event.preventDefault();
  }

  /** Pastes files from other applications, otherwise rows cut or copied here. */
  function paste(event: ClipboardEvent): void {
    if (isInTextInput(event)) return;
    event.preventDefault();
    const folder = findTargetFolder(focusedRow ?? null);
    const { clipboardData } = event;
    if (clipboardData.files.length === 0) tree.paste(folder);
    else
      void tree.addFiles(findTransferredFiles(clipboardData), {
        folder,
        isScreenshot: isScreenshot(clipboardData),
      });
  }

  return {
    onCopy: (event: ClipboardEvent) => copy(event, false),
    onCut: (event: ClipboardEvent) => copy(event, true),
    onPaste: paste,
  };
}

function isInTextInput({ target }: ClipboardEvent): boolean {
  return target instanceof HTMLInputElement;
}
