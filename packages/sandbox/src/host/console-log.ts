import { limits } from '@vitrine/project';
import type { ConsoleValue } from '../console-values.ts';
import type { ConsoleEntry } from '../protocol.ts';

/** An entry as the app shows it; equal ones in a row are one line with a count. */
export interface ConsoleLine extends ConsoleEntry {
  /** Unique in its preview, growing. */
  id: number;
  count: number;
}

export interface ConsoleLog {
  /** A copy that no later entry changes. */
  readonly lines: readonly ConsoleLine[];
  readonly dropped: number;
  add(entry: ConsoleEntry): void;
  addDropped(count: number): void;
  clear(): void;
  close(): void;
}

/** Keeps the newest `limits.consoleEntries` lines and tells of changes at most once a frame. P-22 */
export function createConsoleLog(onChange: () => void): ConsoleLog {
  let lines: ConsoleLine[] = [];
  let dropped = 0;
  let nextId = 1;
  /** Characters in `lines`, so that long lines are kept for less long. */
  let characters = 0;
  let scheduled: ReturnType<typeof setTimeout> | undefined;

  const changed = () => {
    scheduled ??= setTimeout(() => {
      scheduled = undefined;
      onChange();
    }, 16);
  };
  const reset = () => {
    lines = [];
    characters = 0;
    dropped = 0;
  };

  return {
    get lines() {
      return lines.slice(-limits.consoleEntries);
    },
    get dropped() {
      return dropped;
    },
    add(entry) {
      if (entry.method === 'clear') reset();
      const last = lines.at(-1);
      if (last && isRepeat(last, entry))
        lines[lines.length - 1] = { ...last, count: last.count + 1 };
      else {
        lines.push({ ...entry, id: nextId++, count: 1 });
        characters += countCharacters(entry.values);
      }
      // Cut in strides, so that a full log does not copy itself for each new line.
      if (lines.length > limits.consoleEntries * 1.25 || characters > mostCharacters) cut();
      changed();
    },
    addDropped(count) {
      dropped += count;
      changed();
    },
    clear() {
      reset();
      changed();
    },
    close: () => clearTimeout(scheduled),
  };

  function cut(): void {
    const before = lines.length;
    lines = lines.slice(-limits.consoleEntries);
    characters = countAll(lines);
    while (characters > mostCharacters / 2 && lines.length > 1) {
      lines = lines.slice(Math.ceil(lines.length / 4));
      characters = countAll(lines);
    }
    dropped += before - lines.length;
  }
}

/** About 4 MB of text in memory at most, whatever is logged. */
const mostCharacters = 2_000_000;

function countAll(lines: readonly ConsoleLine[]): number {
  return lines.reduce((sum, { values }) => sum + countCharacters(values), 0);
}

function countCharacters(values: readonly ConsoleValue[]): number {
  return JSON.stringify(values).length;
}

/** Only simple lines are compared; the cost stays small whatever is logged. */
function isRepeat(last: ConsoleLine, entry: ConsoleEntry): boolean {
  if (last.method !== entry.method || last.line !== entry.line || last.path !== entry.path)
    return false;
  if (entry.method.startsWith('group') || entry.method === 'clear') return false;
  const [before, value] = [last.values[0], entry.values[0]];
  if (last.values.length !== 1 || entry.values.length !== 1 || !before || !value) return false;
  return (
    before.type === value.type && 'text' in before && 'text' in value && before.text === value.text
  );
}
