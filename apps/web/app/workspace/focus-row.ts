/** The id of a row of the tree. */
export function rowId(path: string): string {
  return `row-${encodeURIComponent(path)}`;
}

/** Gives the focus to a row of the tree, where it is shown. */
export function focusRow(path: string): void {
  document.getElementById(rowId(path))?.focus();
}

/** Brings a row of the tree into view, where it is shown. */
export function revealRow(path: string): void {
  document.getElementById(rowId(path))?.scrollIntoView({ block: 'nearest' });
}
