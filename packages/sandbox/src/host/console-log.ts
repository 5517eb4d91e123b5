import { limits } from '@vitrine/project';
import type { ConsoleEntry, ConsoleMethod } from '../protocol.ts';

/** A log entry as the app shows it; equal consecutive entries are one with a count. */
export interface ConsoleLogEntry extends Omit<ConsoleEntry, 'method'> {
  method: LogEntryMethod;
  /** Unique within the preview, ascending. */
  id: number;
  count: number;
  /** Number of the document that logged it; its objects can be expanded while that document runs. */
  document: number;
}

/** A console method, or the kind of an entry of the console itself. */
export type LogEntryMethod =
  | ConsoleMethod
  /** Input from the console, its value, or what it threw. */
  | 'input'
  | 'result'
  | 'thrown'
  /** Message of the playground. */
  | 'note'
  /** Marks a reload in a preserved log. */
  | 'reload';

export interface ConsoleLog {
  /** Snapshot that later entries don't change. */
  readonly entries: readonly ConsoleLogEntry[];
  readonly dropped: number;
  /** Number of the running document, from 0. */
  readonly document: number;
  add(entry: Omit<ConsoleEntry, 'method'> & { method: LogEntryMethod }): void;
  addDropped(count: number): void;
  /** Removes the entry of an unhandled rejection of the running document, because it was handled later. */
  removeRejection(rejection: number): void;
  /** Starts another document: clears the log or, if it is preserved, marks the reload. */
  beginDocument(): void;
  /** Whether entries survive a reload and `console.clear()`. */
  preserve(isKept: boolean): void;
  clear(): void;
  close(): void;
}

/** Interval of change events while entries keep coming. */
const minIntervalMs = 100;

/** Keeps the newest `limits.consoleEntries` entries and reports changes at most once per frame. P-22 */
export function createConsoleLog(onChange: () => void): ConsoleLog {
  let lines: ConsoleLogEntry[] = [];
  /** Length of each entry's text, so that long entries are dropped earlier. */
  let weights = new WeakMap<ConsoleLogEntry, number>();
  let characters = 0;
  /** Key of the last entry, for counting repeats. */
  let lastKey: string | undefined;
  /** Entry ids of unhandled rejections, by rejection number of the running document. */
  const rejections = new Map<number, number>();
  let dropped = 0;
  let document = 0;
  let isKept = false;
  let nextId = 1;
  let reportedAt = 0;
  let scheduled: ReturnType<typeof setTimeout> | undefined;

  const scheduleChange = () => {
    const delay = Math.max(16, reportedAt + minIntervalMs - performance.now());
    scheduled ??= setTimeout(() => {
      scheduled = undefined;
      reportedAt = performance.now();
      onChange();
    }, delay);
  };
  const reset = () => {
    lines = [];
    weights = new WeakMap();
    characters = 0;
    dropped = 0;
    lastKey = undefined;
    rejections.clear();
  };

  return {
    get entries() {
      return dropOldest(lines, lines.length - limits.consoleEntries);
    },
    get dropped() {
      return dropped + Math.max(0, lines.length - limits.consoleEntries);
    },
    get document() {
      return document;
    },
    add(entry) {
      if (entry.method === 'clear' && !isKept) reset();
      const text = JSON.stringify(entry.values, (key, value: unknown) =>
        key === 'handle' ? undefined : value,
      );
      const key = isCounted(entry.method) ? keyOf(entry, text) : undefined;
      const last = lines.at(-1);
      if (last && key !== undefined && key === lastKey) replaceLast(last);
      else push({ ...entry, id: nextId++, count: 1, document }, text.length);
      lastKey = key;
      if (entry.rejection !== undefined) recordRejection(entry.rejection);
      // Trimmed in batches, so that a full log isn't copied for each new entry.
      if (lines.length > limits.consoleEntries * 1.25 || characters > maxCharacters) trim();
      scheduleChange();
    },
    addDropped(count) {
      dropped += count;
      scheduleChange();
    },
    removeRejection(rejection) {
      const at = lines.findIndex(({ id }) => id === rejections.get(rejection));
      rejections.delete(rejection);
      const line = lines[at];
      if (!line) return;
      lines = line.count > 1 ? lines.with(at, countDown(line)) : lines.toSpliced(at, 1);
      if (line.count === 1) characters -= weightOf(line);
      lastKey = undefined;
      scheduleChange();
    },
    beginDocument() {
      document += 1;
      rejections.clear();
      if (!isKept) reset();
      else if (lines.length > 0) {
        const at = { path: '', line: 0, column: 0, time: Date.now() };
        push({ ...at, method: 'reload', values: [], id: nextId++, count: 1, document }, 0);
        lastKey = undefined;
      }
      scheduleChange();
    },
    preserve(preserve) {
      isKept = preserve;
    },
    clear() {
      reset();
      scheduleChange();
    },
    close: () => clearTimeout(scheduled),
  };

  function recordRejection(rejection: number): void {
    const line = lines.at(-1);
    if (line) rejections.set(rejection, line.id);
    const [oldest] = rejections.keys();
    if (rejections.size > limits.consoleEntries && oldest !== undefined) rejections.delete(oldest);
  }

  function countDown(line: ConsoleLogEntry): ConsoleLogEntry {
    const fewer = { ...line, count: line.count - 1 };
    weights.set(fewer, weightOf(line));
    return fewer;
  }

  function push(line: ConsoleLogEntry, weight: number): void {
    lines.push(line);
    weights.set(line, weight);
    characters += weight;
  }

  function replaceLast(last: ConsoleLogEntry): void {
    const repeated = { ...last, count: last.count + 1 };
    weights.set(repeated, weightOf(last));
    lines[lines.length - 1] = repeated;
  }

  function trim(): void {
    const before = lines.length;
    lines = dropOldest(lines, lines.length - limits.consoleEntries);
    characters = countAll();
    while (characters > maxCharacters / 2 && lines.length > 1) {
      lines = dropOldest(lines, Math.ceil(lines.length / 4));
      characters = countAll();
    }
    dropped += before - lines.length;
  }

  function countAll(): number {
    return lines.reduce((sum, line) => sum + weightOf(line), 0);
  }

  function weightOf(line: ConsoleLogEntry): number {
    return weights.get(line) ?? 0;
  }
}

/** Drops the oldest entries; errors, input and results are dropped only when all others are gone. */
function dropOldest(lines: readonly ConsoleLogEntry[], count: number): ConsoleLogEntry[] {
  if (count <= 0) return [...lines];
  let left = count;
  const kept = lines.filter(({ method }) => importantMethods.has(method) || left-- <= 0);
  return kept.slice(Math.max(0, kept.length - (lines.length - count)));
}

const importantMethods: ReadonlySet<LogEntryMethod> = new Set([
  'error',
  'input',
  'result',
  'thrown',
  'note',
]);

/** Limit of about 4 MB of text in memory, in UTF-16 units. */
const maxCharacters = 2_000_000;

/** Whether equal consecutive entries are counted. Groups and input never are. */
function isCounted(method: LogEntryMethod): boolean {
  return ['log', 'info', 'warn', 'error', 'debug', 'trace', 'dir', 'table'].includes(method);
}

function keyOf(
  { method, path, line, realm = '' }: Omit<ConsoleEntry, 'method'> & { method: string },
  text: string,
) {
  return `${method} ${realm} ${path}:${line} ${text}`;
}
