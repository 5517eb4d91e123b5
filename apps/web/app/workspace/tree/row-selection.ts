import { useState } from 'react';
import { rowsBetween, type TreeRow } from './file-tree.ts';

export interface RowSelection {
  readonly selected: ReadonlySet<string>;
  /**
   * Rows that an action on this row applies to: the whole selection if the row is part of it,
   * otherwise the row alone.
   */
  targetsOf(row: string): string[];
  selectOnly(row: string): void;
  /** Adds a row to the selection, or removes it. */
  toggle(row: string): void;
  /**
   * Selects the range from the anchor to a row. The anchor is the row selected last by itself, or
   * `here` if that row isn't selected.
   */
  extendTo(row: string, here: string): void;
  selectAll(): void;
}

interface SelectionState {
  readonly rows: readonly string[];
  readonly anchor: string | undefined;
  /** Active file when the selection was made. */
  readonly active: string | undefined;
}

/**
 * Selection of a tree. Initially the active file; an explicit selection lasts until another file
 * becomes active.
 */
export function useRowSelection(
  visibleRows: readonly TreeRow[],
  active: string | undefined,
): RowSelection {
  const initial = { rows: active === undefined ? [] : [active], anchor: active, active };
  const [state, setState] = useState<SelectionState>(initial);
  const current = state.active === active || state.rows.includes(active ?? '') ? state : initial;
  const rows = new Set(current.rows);
  const select = (chosen: readonly string[], anchor: string | undefined) =>
    setState({ rows: chosen, anchor, active });
  return {
    selected: rows,
    targetsOf: (row) => (rows.has(row) ? [...rows] : [row]),
    selectOnly: (row) => select([row], row),
    toggle: (row) =>
      select(rows.has(row) ? current.rows.filter((each) => each !== row) : [...rows, row], row),
    extendTo: (row, here) => {
      const anchor = rows.has(here) ? (current.anchor ?? here) : here;
      select(rowsBetween(visibleRows, anchor, row), anchor);
    },
    selectAll: () =>
      select(
        visibleRows.map(({ path }) => path),
        current.anchor,
      ),
  };
}
