import { limits } from '@vitrine/project';
import type { ConsoleEntry, ConsoleMethod } from '../protocol.ts';

/** An entry as the app shows it; equal ones in a row are one line with a count. */
export interface ConsoleLine extends Omit<ConsoleEntry, 'method'> {
  method: LineMethod;
  /** Unique in its preview, growing. */
  id: number;
  count: number;
  /** Which document of the preview said it: what it shows can be opened while that one is there. */
  document: number;
}

/** What the page logs, and what happens at the console itself. */
export type LineMethod =
  | ConsoleMethod
  /** Code from the prompt, its value, or what it threw. */
  | 'input'
  | 'result'
  | 'thrown'
  /** A sentence of ours. */
  | 'note'
  /** The page was loaded again, and the log is kept. */
  | 'again';

export interface ConsoleLog {
  /** A copy that no later entry changes. */
  readonly lines: readonly ConsoleLine[];
  readonly dropped: number;
  /** The document that runs, counted from 0. */
  readonly document: number;
  add(entry: Omit<ConsoleEntry, 'method'> & { method: LineMethod }): void;
  addDropped(count: number): void;
  /** Removes what was logged of a rejection of the present document: it has been handled. */
  removeRejection(rejection: number): void;
  /** Another document begins: the log is cleared, or the line where it begins is marked. */
  begin(): void;
  /** Whether lines outlive their document, and `console.clear()`. */
  keep(isKept: boolean): void;
  clear(): void;
  close(): void;
}

/** While entries keep coming, the app hears of them this often. */
const floodMs = 100;

/** Keeps the newest `limits.consoleEntries` lines and tells of changes at most once a frame. P-22 */
export function createConsoleLog(onChange: () => void): ConsoleLog {
  let lines: ConsoleLine[] = [];
  /** Characters of each line, so that long ones are kept for less long. */
  let weights = new WeakMap<ConsoleLine, number>();
  let characters = 0;
  /** What the last line would be equal to, if it came again. */
  let lastKey: string | undefined;
  /** Ids of the lines of unhandled rejections, by the rejection's number in the present document. */
  const rejections = new Map<number, number>();
  let dropped = 0;
  let document = 0;
  let isKept = false;
  let nextId = 1;
  let toldAt = 0;
  let scheduled: ReturnType<typeof setTimeout> | undefined;

  const changed = () => {
    const wait = Math.max(16, toldAt + floodMs - performance.now());
    scheduled ??= setTimeout(() => {
      scheduled = undefined;
      toldAt = performance.now();
      onChange();
    }, wait);
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
    get lines() {
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
      const key = isFolded(entry.method) ? keyOf(entry, text) : undefined;
      const last = lines.at(-1);
      if (last && key !== undefined && key === lastKey) replaceLast(last);
      else push({ ...entry, id: nextId++, count: 1, document }, text.length);
      lastKey = key;
      if (entry.rejection !== undefined) noteRejection(entry.rejection);
      // Cut in strides, so that a full log does not copy itself for each new line.
      if (lines.length > limits.consoleEntries * 1.25 || characters > mostCharacters) cut();
      changed();
    },
    addDropped(count) {
      dropped += count;
      changed();
    },
    removeRejection(rejection) {
      const at = lines.findIndex(({ id }) => id === rejections.get(rejection));
      rejections.delete(rejection);
      const line = lines[at];
      if (!line) return;
      lines = line.count > 1 ? lines.with(at, countDown(line)) : lines.toSpliced(at, 1);
      if (line.count === 1) characters -= weightOf(line);
      lastKey = undefined;
      changed();
    },
    begin() {
      document += 1;
      rejections.clear();
      if (!isKept) reset();
      else if (lines.length > 0) {
        const at = { path: '', line: 0, column: 0, time: Date.now() };
        push({ ...at, method: 'again', values: [], id: nextId++, count: 1, document }, 0);
        lastKey = undefined;
      }
      changed();
    },
    keep(wish) {
      isKept = wish;
    },
    clear() {
      reset();
      changed();
    },
    close: () => clearTimeout(scheduled),
  };

  function noteRejection(rejection: number): void {
    const line = lines.at(-1);
    if (line) rejections.set(rejection, line.id);
    const [oldest] = rejections.keys();
    if (rejections.size > limits.consoleEntries && oldest !== undefined) rejections.delete(oldest);
  }

  function countDown(line: ConsoleLine): ConsoleLine {
    const fewer = { ...line, count: line.count - 1 };
    weights.set(fewer, weightOf(line));
    return fewer;
  }

  function push(line: ConsoleLine, weight: number): void {
    lines.push(line);
    weights.set(line, weight);
    characters += weight;
  }

  function replaceLast(last: ConsoleLine): void {
    const repeated = { ...last, count: last.count + 1 };
    weights.set(repeated, weightOf(last));
    lines[lines.length - 1] = repeated;
  }

  function cut(): void {
    const before = lines.length;
    lines = dropOldest(lines, lines.length - limits.consoleEntries);
    characters = countAll();
    while (characters > mostCharacters / 2 && lines.length > 1) {
      lines = dropOldest(lines, Math.ceil(lines.length / 4));
      characters = countAll();
    }
    dropped += before - lines.length;
  }

  function countAll(): number {
    return lines.reduce((sum, line) => sum + weightOf(line), 0);
  }

  function weightOf(line: ConsoleLine): number {
    return weights.get(line) ?? 0;
  }
}

/** Without so many of them: the oldest, and those that a person waits for only when all others are gone. */
function dropOldest(lines: readonly ConsoleLine[], count: number): ConsoleLine[] {
  if (count <= 0) return [...lines];
  let left = count;
  const kept = lines.filter(({ method }) => lasting.has(method) || left-- <= 0);
  return kept.slice(Math.max(0, kept.length - (lines.length - count)));
}

const lasting: ReadonlySet<LineMethod> = new Set(['error', 'input', 'result', 'thrown', 'note']);

/** About 4 MB of text in memory at most, whatever is logged. */
const mostCharacters = 2_000_000;

/** Lines that open, close or divide something stand for themselves. */
function isFolded(method: LineMethod): boolean {
  return ['log', 'info', 'warn', 'error', 'debug', 'trace', 'dir', 'table'].includes(method);
}

function keyOf(
  { method, path, line, realm = '' }: Omit<ConsoleEntry, 'method'> & { method: string },
  text: string,
) {
  return `${method} ${realm} ${path}:${line} ${text}`;
}
