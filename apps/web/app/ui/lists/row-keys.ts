import type { KeyboardEvent } from 'react';

/** Moves the focus through the rows of a list by Up, Down, Home and End. */
export function handleRowKey(event: KeyboardEvent<HTMLElement>): void {
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row]')];
  const now = rows.findIndex((row) => row === document.activeElement);
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: Math.min(rows.length - 1, now + 1),
    ArrowUp: Math.max(0, now - 1),
    Home: 0,
    End: rows.length - 1,
  };
  const target = rows[targets[event.key] ?? -1];
  if (now === -1 || !target) return;
  event.preventDefault();
  target.focus();
}
