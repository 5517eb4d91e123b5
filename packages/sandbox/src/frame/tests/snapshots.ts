/**
 * Snapshots of one test file. Inline ones are in its text, the others in a `.snap` file beside it.
 * Nothing is written here: what would be is told to the app's page, which asks a person.
 */
import type { SnapshotWrite, TestRequest } from '../../test-messages.ts';

export interface Snapshots {
  /** For vitest's settings. */
  options: object;
  /** Looks at what was taken before vitest puts it away. */
  watch(runner: object, filepath: string): void;
  /** Takes vitest's summary. */
  hear(summary: unknown): void;
  found(): { added: number; changed: number; writes: SnapshotWrite[] };
}

export function createSnapshots(test: TestRequest): Snapshots {
  const writes: SnapshotWrite[] = [];
  let added = 0;
  let changed = 0;
  const environment = {
    getVersion: () => '1',
    getHeader: () => '// Vitest Snapshot v1',
    resolvePath: async () => snapshotFile,
    resolveRawPath: async () => {
      throw new Error(
        'toMatchFileSnapshot() does not work in a playground. Use toMatchInlineSnapshot() or toMatchSnapshot().',
      );
    },
    // Of the test file itself nothing is to be read: its inline snapshots are written elsewhere.
    readSnapshotFile: async (path: string) => (path === snapshotFile ? test.snapshots : ''),
    saveSnapshotFile: async (path: string, text: string) => {
      if (path === snapshotFile) writes.push({ kind: 'file', text });
    },
    removeSnapshotFile: async () => undefined,
  };
  return {
    options: { snapshotEnvironment: environment },
    watch(runner, filepath) {
      for (const { line, column, snapshot } of findInlineSnapshots(runner, filepath))
        // vitest has taken one off the column.
        writes.push({ kind: 'inline', line, column: column + 1, text: snapshot });
    },
    hear(summary) {
      added = readCount(summary, 'added');
      changed = readCount(summary, 'unmatched');
    },
    found: () => (test.updates ? { added: 0, changed: 0, writes } : { added, changed, writes: [] }),
  };
}

/** A name for the one file of snapshots that a test file has. */
const snapshotFile = 'snapshots';

interface InlineSnapshot {
  line: number;
  column: number;
  snapshot: string;
}

/** In fields of vitest's that are its own: nothing else says where an inline snapshot stands. */
function findInlineSnapshots(runner: object, filepath: string): InlineSnapshot[] {
  const client: unknown = Reflect.get(runner, 'snapshotClient');
  if (!isObject(client)) return [];
  const states: unknown = Reflect.get(client, 'snapshotStateMap');
  const state: unknown = states instanceof Map ? states.get(filepath) : undefined;
  const list: unknown = isObject(state) ? Reflect.get(state, '_inlineSnapshots') : [];
  return Array.isArray(list) ? list.filter(isInlineSnapshot) : [];
}

function isInlineSnapshot(input: unknown): input is InlineSnapshot {
  return (
    isObject(input) &&
    'line' in input &&
    typeof input.line === 'number' &&
    'column' in input &&
    typeof input.column === 'number' &&
    'snapshot' in input &&
    typeof input.snapshot === 'string'
  );
}

function readCount(summary: unknown, name: string): number {
  const count: unknown = isObject(summary) ? Reflect.get(summary, name) : 0;
  return typeof count === 'number' ? count : 0;
}

function isObject(input: unknown): input is object {
  return typeof input === 'object' && input !== null;
}
