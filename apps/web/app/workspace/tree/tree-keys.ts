import type { KeyboardEvent } from 'react';
import type { RowSelection } from './row-selection.ts';
import { findByTypeahead, findTreeMove, type TreeMove, type TreeRow } from './file-tree.ts';
import type { RowElements } from './row-elements.ts';
import type { RowAction } from './tree-actions.ts';
import { useTypeahead } from './typeahead.ts';

interface TreeKeysOptions {
  readonly rows: readonly TreeRow[];
  readonly elements: RowElements;
  readonly selection: RowSelection;
  readonly toggle: (folder: string) => void;
  readonly act: (action: RowAction, row: TreeRow) => void;
  readonly undo: () => void;
}

const actions: Readonly<Record<string, RowAction>> = {
  Enter: 'open',
  ' ': 'look',
  F2: 'rename',
  Delete: 'remove',
};

/** Keyboard handling of a tree, following the WAI-ARIA pattern for multi-select trees. */
export function useTreeKeys(options: TreeKeysOptions) {
  const { rows, elements, selection, toggle, act, undo } = options;
  const typeahead = useTypeahead();

  function handleModKey({ key, shiftKey }: KeyboardEvent, row: TreeRow): boolean {
    if (key === ' ') selection.toggle(row.path);
    else if (key.toLowerCase() === 'a') selection.selectAll();
    else if (key.toLowerCase() === 'z' && !shiftKey) undo();
    else return false;
    return true;
  }

  function applyMove(move: NonNullable<TreeMove>, row: TreeRow, isExtending: boolean): void {
    if (!('to' in move)) return toggle(row.path);
    elements.focus(move.to);
    if (isExtending) selection.extendTo(move.to, row.path);
  }

  function handlePlainKey({ key, shiftKey, timeStamp }: KeyboardEvent, row: TreeRow): boolean {
    const action = actions[key];
    const move = findTreeMove(rows, row.path, key);
    if (action) act(action, row);
    else if (move) applyMove(move, row, shiftKey);
    else if (key === 'Escape' && selection.selected.size > 1) selection.selectOnly(row.path);
    else if (key.length === 1) {
      const found = findByTypeahead(rows, row.path, typeahead(key, timeStamp));
      if (found) elements.focus(found.path);
    } else return false;
    return true;
  }

  return (event: KeyboardEvent, row: TreeRow): void => {
    if (event.target !== event.currentTarget || event.altKey) return;
    const isHandled =
      event.ctrlKey || event.metaKey ? handleModKey(event, row) : handlePlainKey(event, row);
    if (isHandled) event.preventDefault();
  };
}
