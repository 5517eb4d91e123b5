/** DOM id of a tree row. */
export function getRowId(path: string): string {
  return `row-${encodeURIComponent(path)}`;
}

/** Focuses a tree row, if it is visible. */
export function focusRow(path: string): void {
  document.getElementById(getRowId(path))?.focus();
}

/** Scrolls a tree row into view, if it is visible. */
export function revealRow(path: string): void {
  document.getElementById(getRowId(path))?.scrollIntoView({ block: 'nearest' });
}
