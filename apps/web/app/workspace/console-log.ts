import type { ConsoleLine } from '@vitrine/sandbox/host';
import { textOfLine } from './console-text.ts';

export type Level = (typeof levels)[number];
export const levels = ['error', 'warning', 'info', 'debug'] as const;

/** What of the console is shown. */
export interface ConsoleFilter {
  /** Entries that have this in them, whatever the case; all for "". */
  readonly text: string;
  /** None of them means all. */
  readonly levels: ReadonlySet<Level>;
}

export const everything: ConsoleFilter = { text: '', levels: new Set() };

/** What the result has said, as the sandbox keeps it. */
export interface ConsoleLog {
  readonly lines: readonly ConsoleLine[];
  /** Entries that came and are not shown: too many at once, or older than those that are. */
  readonly dropped: number;
  /** What lines of this document show can be opened; that of others has gone. */
  readonly document: number;
}

export const emptyLog: ConsoleLog = { lines: [], dropped: 0, document: 0 };

/** A line as it is shown. */
export interface ConsoleRow {
  readonly line: ConsoleLine;
  readonly level: Level;
  /** How many `console.group`s it stands in. */
  readonly depth: number;
  /** Of the beginning of a group: whether what is in it is shown. */
  readonly isOpen?: boolean;
}

/**
 * The lines to show: groups become depths, and what the filter leaves out is left out. `toggled` are
 * the groups, by the id of their first line, that the person has opened or closed. While something
 * is looked for, it is found in closed groups too.
 */
export function consoleRows(
  lines: readonly ConsoleLine[],
  filter: ConsoleFilter,
  toggled: ReadonlySet<number> = new Set(),
): ConsoleRow[] {
  const rows: ConsoleRow[] = [];
  const isFiltered = filter.text !== '' || filter.levels.size > 0;
  let depth = 0;
  /** The depth of the outermost group that is closed. */
  let closedAt = Infinity;
  let document = -1;
  for (const line of lines) {
    // Groups end with their document.
    if (line.document !== document) [depth, closedAt, document] = [0, Infinity, line.document];
    const isGroup = line.method === 'group' || line.method === 'groupCollapsed';
    if (line.method === 'groupEnd') {
      depth = Math.max(0, depth - 1);
      if (depth <= closedAt) closedAt = Infinity;
      continue;
    }
    const isOpen = (line.method === 'groupCollapsed') === toggled.has(line.id);
    const level = levelOf(line);
    if ((isFiltered || depth <= closedAt) && isWanted(line, level, filter))
      rows.push({ line, level, depth, ...(isGroup && { isOpen }) });
    if (!isGroup) continue;
    if (!isOpen && closedAt === Infinity) closedAt = depth;
    depth += 1;
  }
  return rows;
}

function isWanted(line: ConsoleLine, level: Level, { text, levels: chosen }: ConsoleFilter) {
  if (chosen.size > 0 && !chosen.has(level)) return false;
  return text === '' || textOfLine(line).toLowerCase().includes(text.toLowerCase());
}

/** The set with this in it, or without it where it was in it. */
export function toggle<T>(set: ReadonlySet<T>, item: T): ReadonlySet<T> {
  const toggled = new Set(set);
  if (!toggled.delete(item)) toggled.add(item);
  return toggled;
}

/** How many entries of a level the page has made, and errors at the prompt, repeats counted. */
export function countLevel(lines: readonly ConsoleLine[], level: Level): number {
  const counted = lines.filter((line) => levelOf(line) === level && !uncounted.has(line.method));
  return counted.reduce((sum, { count }) => sum + count, 0);
}

/** What stands at the prompt and is answered there, and marks between entries. */
const uncounted: ReadonlySet<ConsoleLine['method']> = new Set([
  'input',
  'result',
  'note',
  'again',
  'clear',
  'groupEnd',
]);

function levelOf({ method }: ConsoleLine): Level {
  switch (method) {
    case 'error':
    case 'thrown':
      return 'error';
    case 'warn':
      return 'warning';
    case 'debug':
      return 'debug';
    default:
      return 'info';
  }
}
