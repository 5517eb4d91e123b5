import type { ConsoleLogEntry } from '@vitrine/sandbox/host';
import { formatEntry } from './console-format.ts';

export type LogLevel = (typeof logLevels)[number];
export const logLevels = ['error', 'warning', 'info', 'debug'] as const;

/** Which log entries are shown. */
export interface ConsoleFilter {
  /** Case-insensitive text to search entries for; "" matches all. */
  readonly text: string;
  /** Levels to show. Empty for all. */
  readonly levels: ReadonlySet<LogLevel>;
}

export const emptyFilter: ConsoleFilter = { text: '', levels: new Set() };

/** The console's log, as the sandbox reports it. */
export interface ConsoleLogSnapshot {
  readonly lines: readonly ConsoleLogEntry[];
  /** Number of entries that aren't kept: too many at once, or too old. */
  readonly dropped: number;
  /** Current document. Objects logged by earlier documents can't be expanded. */
  readonly document: number;
}

export const emptyConsoleLog: ConsoleLogSnapshot = { lines: [], dropped: 0, document: 0 };

/** A log entry as shown. */
export interface ConsoleRow {
  readonly line: ConsoleLogEntry;
  readonly level: LogLevel;
  /** Nesting depth in `console.group`s. */
  readonly depth: number;
  /** Set on the entry that opens a group: true if the group is expanded. */
  readonly isOpen?: boolean;
}

/**
 * Log entries to show, with groups as depths. `toggled` holds the groups, by the id of their first
 * entry, that the user expanded or collapsed. A filter also matches entries in collapsed groups.
 */
export function listConsoleRows(
  lines: readonly ConsoleLogEntry[],
  filter: ConsoleFilter,
  toggled: ReadonlySet<number> = new Set(),
): ConsoleRow[] {
  const rows: ConsoleRow[] = [];
  const isFiltered = filter.text !== '' || filter.levels.size > 0;
  let depth = 0;
  /** Depth of the outermost collapsed group. */
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
    if ((isFiltered || depth <= closedAt) && matchesFilter(line, level, filter))
      rows.push({ line, level, depth, ...(isGroup && { isOpen }) });
    if (!isGroup) continue;
    if (!isOpen && closedAt === Infinity) closedAt = depth;
    depth += 1;
  }
  return rows;
}

function matchesFilter(
  line: ConsoleLogEntry,
  level: LogLevel,
  { text, levels: selected }: ConsoleFilter,
) {
  if (selected.size > 0 && !selected.has(level)) return false;
  return text === '' || formatEntry(line).toLowerCase().includes(text.toLowerCase());
}

/** Returns a copy of the set with the item added, or removed if it was there. */
export function toggleInSet<T>(set: ReadonlySet<T>, item: T): ReadonlySet<T> {
  const toggled = new Set(set);
  if (!toggled.delete(item)) toggled.add(item);
  return toggled;
}

/** Number of entries of a level, repeats included. Console input only counts if it threw. */
export function countEntries(lines: readonly ConsoleLogEntry[], level: LogLevel): number {
  const counted = lines.filter(
    (line) => levelOf(line) === level && !uncountedMethods.has(line.method),
  );
  return counted.reduce((sum, { count }) => sum + count, 0);
}

/** Entries that aren't counted: console input with its result, and separators. */
const uncountedMethods: ReadonlySet<ConsoleLogEntry['method']> = new Set([
  'input',
  'result',
  'note',
  'reload',
  'clear',
  'groupEnd',
]);

function levelOf({ method }: ConsoleLogEntry): LogLevel {
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
