/**
 * Snapshots of one test file: inline ones in its text, the others in a `.snap` file next to it. Nothing is written
 * here; changes are reported to the app's page, which asks the user.
 */
import type { SnapshotWrite, TestRequest } from '../../test-messages.ts';

interface SnapshotCollector {
  /** Options for Vitest. */
  options: object;
  /** Reads inline snapshots before Vitest clears them. */
  collectInline(runner: object, filepath: string): void;
  /** Receives Vitest's summary. */
  onSummary(summary: unknown): void;
  found(): { added: number; changed: number; writes: SnapshotWrite[] };
}

export function createSnapshotCollector(test: TestRequest): SnapshotCollector {
  const writes: SnapshotWrite[] = [];
  let added = 0;
  let changed = 0;
  const environment = {
    getVersion: () => '1',
    getHeader: () => '// Vitest Snapshot v1',
    resolvePath: async () => snapshotFile,
    resolveRawPath: async () => {
      throw new Error(
        'toMatchFileSnapshot() isn’t supported in the playground. Use toMatchInlineSnapshot() or toMatchSnapshot().',
      );
    },
    // The test file itself is never read: inline snapshots are written by the host.
    readSnapshotFile: async (path: string) => (path === snapshotFile ? test.snapshots : ''),
    saveSnapshotFile: async (path: string, text: string) => {
      if (path === snapshotFile) writes.push({ kind: 'file', text });
    },
    removeSnapshotFile: async () => undefined,
  };
  return {
    options: { snapshotEnvironment: environment },
    collectInline(runner, filepath) {
      for (const { line, column, snapshot } of findInlineSnapshots(runner, filepath))
        // Vitest subtracts one from the column.
        writes.push({ kind: 'inline', line, column: column + 1, text: snapshot });
    },
    onSummary(summary) {
      added = readCount(summary, 'added');
      changed = readCount(summary, 'unmatched');
    },
    found: () => (test.updates ? { added: 0, changed: 0, writes } : { added, changed, writes: [] }),
  };
}

/** Path for the test file's only snapshot file. */
const snapshotFile = 'snapshots';

interface InlineSnapshot {
  line: number;
  column: number;
  snapshot: string;
}

/** Reads inline snapshots from private fields of Vitest; there is no public way to get their location. */
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
