/** Formats a count for a message: 1, 'row' → "1 row"; 2, 'row' → "2 rows". */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
