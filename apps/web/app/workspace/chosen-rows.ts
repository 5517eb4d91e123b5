import { useState } from 'react';
import { rowsBetween, type TreeRow } from './file-tree.ts';

export interface ChosenRows {
  readonly rows: ReadonlySet<string>;
  /** What is done to a row is done to all that are chosen, where it is one of them. */
  with(row: string): string[];
  only(row: string): void;
  /** Takes a row in, or out again. */
  toggle(row: string): void;
  /** All from the row that was chosen last by itself, or from where one is if that is not chosen. */
  extendTo(row: string, here: string): void;
  all(): void;
}

interface Choice {
  readonly rows: readonly string[];
  readonly anchor: string | undefined;
  /** The file that was seen when it was made. */
  readonly active: string | undefined;
}

/** The rows of a tree that are chosen: the file that is seen, until others are. */
export function useChosenRows(shown: readonly TreeRow[], active: string | undefined): ChosenRows {
  const initial = { rows: active === undefined ? [] : [active], anchor: active, active };
  const [made, setMade] = useState<Choice>(initial);
  const choice = made.active === active || made.rows.includes(active ?? '') ? made : initial;
  const rows = new Set(choice.rows);
  const choose = (chosen: readonly string[], anchor: string | undefined) =>
    setMade({ rows: chosen, anchor, active });
  return {
    rows,
    with: (row) => (rows.has(row) ? [...rows] : [row]),
    only: (row) => choose([row], row),
    toggle: (row) =>
      choose(rows.has(row) ? choice.rows.filter((each) => each !== row) : [...rows, row], row),
    extendTo: (row, here) => {
      const anchor = rows.has(here) ? (choice.anchor ?? here) : here;
      choose(rowsBetween(shown, anchor, row), anchor);
    },
    all: () =>
      choose(
        shown.map(({ path }) => path),
        choice.anchor,
      ),
  };
}
