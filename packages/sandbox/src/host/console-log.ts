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

/** Interval of change events while entries keep coming. */
const minIntervalMs = 100;

/** Keeps the newest `limits.consoleEntries` entries and reports changes at most once per frame. P-22 */
export class ConsoleLog {
  readonly #onChange: () => void;
  #lines: ConsoleLogEntry[] = [];
  /** Length of each entry's text, so that long entries are dropped earlier. */
  #weights = new WeakMap<ConsoleLogEntry, number>();
  #characters = 0;
  /** Key of the last entry, for counting repeats. */
  #lastKey: string | undefined;
  /** Entry ids of unhandled rejections, by rejection number of the running document. */
  readonly #rejections = new Map<number, number>();
  #dropped = 0;
  #document = 0;
  #isPreserved = false;
  #nextId = 1;
  /** Id of the first entry since the document's latest update. */
  #updateStart = 0;
  #reportedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Snapshot that later entries don't change. */
  get entries(): readonly ConsoleLogEntry[] {
    return dropOldest(this.#lines, this.#lines.length - limits.consoleEntries);
  }

  get dropped(): number {
    return this.#dropped + Math.max(0, this.#lines.length - limits.consoleEntries);
  }

  /** Number of the running document, from 0. */
  get document(): number {
    return this.#document;
  }

  add(entry: Omit<ConsoleEntry, 'method'> & { method: LogEntryMethod }): void {
    if (entry.method === 'clear' && !this.#isPreserved) this.#reset();
    const text = JSON.stringify(entry.values, (key, value: unknown) =>
      key === 'handle' ? undefined : value,
    );
    const key = isCounted(entry.method) ? keyOf(entry, text) : undefined;
    const last = this.#lines.at(-1);
    if (last && key !== undefined && key === this.#lastKey) this.#countUp(last);
    else this.#push(entry, text.length);
    this.#lastKey = key;
    if (entry.rejection !== undefined) this.#recordRejection(entry.rejection);
    // Trimmed in batches, so that a full log isn't copied for each new entry.
    if (this.#lines.length > limits.consoleEntries * 1.25 || this.#characters > maxCharacters)
      this.#trim();
    this.#scheduleChange();
  }

  addDropped(count: number): void {
    this.#dropped += count;
    this.#scheduleChange();
  }

  /** Removes the entry of an unhandled rejection of the running document, because it was handled later. */
  removeRejection(rejection: number): void {
    const at = this.#lines.findIndex(({ id }) => id === this.#rejections.get(rejection));
    this.#rejections.delete(rejection);
    const line = this.#lines[at];
    if (!line) return;
    if (line.count > 1) this.#lines = this.#lines.with(at, this.#withCount(line, line.count - 1));
    else {
      this.#lines = this.#lines.toSpliced(at, 1);
      this.#characters -= this.#weightOf(line);
    }
    this.#lastKey = undefined;
    this.#scheduleChange();
  }

  /** Starts another document: clears the log or, if it is preserved, marks the reload. */
  beginDocument(): void {
    this.#document += 1;
    this.#rejections.clear();
    if (!this.#isPreserved) this.#reset();
    else if (this.#lines.length > 0) {
      const at = { path: '', line: 0, column: 0, time: Date.now() };
      this.#push({ ...at, method: 'reload', values: [] }, 0);
      this.#lastKey = undefined;
    }
    this.#scheduleChange();
  }

  /**
   * The document receives new modules. What nothing caught in the earlier ones goes, with what packages logged
   * about it, as at a reload. Everything else stays, and errors of workers and frames, which stay too.
   */
  beginUpdate(): void {
    if (this.#isPreserved) return;
    const start = this.#updateStart;
    this.#updateStart = this.#nextId;
    const isFailure = ({ id, realm, isUncaught }: ConsoleLogEntry) =>
      id >= start && realm === undefined && isUncaught === true;
    if (!this.#lines.some(isFailure)) return;
    const kept = this.#lines.filter((line) => {
      const { id, method, path, realm } = line;
      const isReport = path === '' && (method === 'error' || method === 'warn');
      return id < start || realm !== undefined || (!isFailure(line) && !isReport);
    });
    this.#lines = kept;
    this.#drop(0);
    this.#lastKey = undefined;
    this.#scheduleChange();
  }

  /** Whether entries survive a reload and `console.clear()`. */
  preserve(isPreserved: boolean): void {
    this.#isPreserved = isPreserved;
  }

  clear(): void {
    this.#reset();
    this.#scheduleChange();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #scheduleChange(): void {
    const delay = Math.max(16, this.#reportedAt + minIntervalMs - performance.now());
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#reportedAt = performance.now();
      this.#onChange();
    }, delay);
  }

  #reset(): void {
    this.#lines = [];
    this.#weights = new WeakMap();
    this.#characters = 0;
    this.#dropped = 0;
    this.#lastKey = undefined;
    this.#rejections.clear();
  }

  #recordRejection(rejection: number): void {
    const line = this.#lines.at(-1);
    if (line) this.#rejections.set(rejection, line.id);
    const [oldest] = this.#rejections.keys();
    if (this.#rejections.size > limits.consoleEntries && oldest !== undefined)
      this.#rejections.delete(oldest);
  }

  #push(entry: Omit<ConsoleLogEntry, 'id' | 'count' | 'document'>, weight: number): void {
    const line = { ...entry, id: this.#nextId++, count: 1, document: this.#document };
    this.#lines.push(line);
    this.#weights.set(line, weight);
    this.#characters += weight;
  }

  #countUp(last: ConsoleLogEntry): void {
    this.#lines[this.#lines.length - 1] = this.#withCount(last, last.count + 1);
  }

  #withCount(line: ConsoleLogEntry, count: number): ConsoleLogEntry {
    const counted = { ...line, count };
    this.#weights.set(counted, this.#weightOf(line));
    return counted;
  }

  #trim(): void {
    const before = this.#lines.length;
    this.#drop(before - limits.consoleEntries);
    while (this.#characters > maxCharacters / 2 && this.#lines.length > 1)
      this.#drop(Math.ceil(this.#lines.length / 4));
    this.#dropped += before - this.#lines.length;
  }

  #drop(count: number): void {
    this.#lines = dropOldest(this.#lines, count);
    this.#characters = this.#lines.reduce((sum, line) => sum + this.#weightOf(line), 0);
  }

  #weightOf(line: ConsoleLogEntry): number {
    return this.#weights.get(line) ?? 0;
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
