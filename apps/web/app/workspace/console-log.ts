import type { ConsoleLine } from '@vitrine/sandbox/host';

export type ConsoleValue = ConsoleLine['values'][number];
export type Level = 'error' | 'warning' | 'info' | 'log';
/** What of the console is shown. */
export type ConsoleFilter = 'all' | Level;

/** What the result has said, as the sandbox keeps it. */
export interface ConsoleLog {
  readonly lines: readonly ConsoleLine[];
  /** Entries that came and are not shown: too many at once, or older than those that are. */
  readonly dropped: number;
}

export const emptyLog: ConsoleLog = { lines: [], dropped: 0 };

/** A line as it is shown. */
export interface ConsoleRow {
  readonly line: ConsoleLine;
  readonly level: Level;
  /** How many `console.group`s it stands in. */
  readonly depth: number;
}

/** The lines to show: groups become depths, and what the filter leaves out is left out. */
export function consoleRows(lines: readonly ConsoleLine[], filter: ConsoleFilter): ConsoleRow[] {
  const rows: ConsoleRow[] = [];
  let depth = 0;
  for (const line of lines) {
    const level = levelOf(line);
    if (line.method === 'groupEnd') depth = Math.max(0, depth - 1);
    else if (line.method !== 'clear' && (filter === 'all' || filter === level)) {
      rows.push({ line, level, depth });
    }
    if (line.method === 'group' || line.method === 'groupCollapsed') depth += 1;
  }
  return rows;
}

/** How many entries there are of a level, repeats counted. */
export function countLevel(lines: readonly ConsoleLine[], level: Level): number {
  return lines.reduce((sum, line) => sum + (levelOf(line) === level ? line.count : 0), 0);
}

function levelOf({ method }: ConsoleLine): Level {
  if (method === 'error') return 'error';
  if (method === 'warn') return 'warning';
  return method === 'info' || method === 'debug' ? 'info' : 'log';
}
