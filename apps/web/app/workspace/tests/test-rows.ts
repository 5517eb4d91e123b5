import type { SourceLocation } from '@vitrine/sandbox/host';
import type { TreeRow } from '../tree/file-tree.ts';
import type {
  TestFailureReport,
  TestFile,
  TestReport,
  TestState,
  TestTask,
} from '@vitrine/sandbox/tests';

/** A visible row of the test tree. `path` is its unique id. */
export interface TestRow extends TreeRow {
  readonly what: 'file' | 'suite' | 'test';
  readonly state: TestState;
  readonly durationMs: number;
  readonly location: SourceLocation;
  readonly failures: readonly TestFailureReport[];
  readonly log: TestFile['log'];
  /** Path of the test file. */
  readonly file: string;
  /** Vitest's full name: suites and test. "" for a file. */
  readonly fullName: string;
}

/**
 * Visible rows of a report. Children of collapsed rows are left out, and with `failedOnly`
 * everything that hasn't failed.
 */
export function listTestRows(
  { files }: TestReport,
  o: { collapsed: ReadonlySet<string>; failedOnly: boolean },
): TestRow[] {
  const isShown = ({ state }: { state: TestState }) => !o.failedOnly || state === 'failed';

  const rowOfFile = (file: TestFile): Row => ({
    ...commonFields(file),
    what: 'file',
    kind: 'folder',
    path: file.path,
    name: file.path,
    level: 1,
    expanded: !o.collapsed.has(file.path),
    location: { path: file.path, line: 1, column: 1 },
    file: file.path,
    fullName: '',
  });
  const rowOfTask = (task: TestTask, above: Row): Row => {
    const path = `${above.file} ${task.id}`;
    return {
      ...commonFields(task),
      what: task.isSuite ? 'suite' : 'test',
      kind: task.isSuite ? 'folder' : 'file',
      path,
      name: task.name,
      level: above.level + 1,
      expanded: task.isSuite && !o.collapsed.has(path),
      location: task.location,
      file: above.file,
      fullName: above.fullName === '' ? task.name : `${above.fullName} > ${task.name}`,
    };
  };
  const rowsOf = <Item extends TestFile | TestTask>(
    items: readonly Item[],
    make: (item: Item) => Row,
  ): TestRow[] => {
    const shown = items.filter(isShown);
    return shown.flatMap((item, index) => {
      const row = { ...make(item), position: index + 1, siblings: shown.length };
      return row.expanded ? [row, ...rowsOf(item.tasks, (task) => rowOfTask(task, row))] : [row];
    });
  };
  return rowsOf(files, rowOfFile);
}

/** A row before its position among its siblings is known. */
type Row = Omit<TestRow, 'position' | 'siblings'>;

function commonFields({ state, durationMs, failures, log }: TestFile | TestTask) {
  return { state, durationMs, failures, log };
}

type TestCounts = Readonly<Record<'passed' | 'failed' | 'others', number>>;

/** Number of tests by state. A file that couldn't run counts as failed. */
export function countTests({ files }: TestReport): TestCounts {
  const counts = { passed: 0, failed: 0, others: 0 };
  const count = (tasks: readonly TestTask[]) => {
    for (const { isSuite, state, failures, tasks: inner } of tasks) {
      if (isSuite) count(inner);
      if (isSuite ? failures.length > 0 : state === 'failed') counts.failed += 1;
      else if (!isSuite && state === 'passed') counts.passed += 1;
      else if (!isSuite) counts.others += 1;
    }
  };
  for (const file of files) {
    count(file.tasks);
    if (file.failures.length > 0) counts.failed += 1;
  }
  return counts;
}

/** "12 passed, 1 failed". Undefined before anything has run. */
export function formatTestCounts({ passed, failed, others }: TestCounts): string | undefined {
  const parts = [
    ...(passed > 0 ? [`${passed} passed`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(others > 0 && passed + failed > 0 ? [`${others} not run`] : []),
  ];
  return parts.length > 0 ? parts.join(', ') : undefined;
}

/** "12 ✓ 1 ✗". Undefined before anything has run. */
export function formatTestBadge({ passed, failed }: TestCounts): string | undefined {
  const parts = [...(passed > 0 ? [`${passed} ✓`] : []), ...(failed > 0 ? [`${failed} ✗`] : [])];
  return parts.length > 0 ? parts.join(' ') : undefined;
}

/** Number of snapshots that an update would write. */
export function countSnapshots({ files }: TestReport): number {
  return files.reduce((sum, { snapshots }) => sum + snapshots.added + snapshots.changed, 0);
}

export const testStateLabels: Readonly<Record<TestState, string>> = {
  waiting: 'Waiting',
  running: 'Running',
  passed: 'Passed',
  failed: 'Failed',
  skipped: 'Skipped',
  todo: 'To do',
};

/** "1.2 s", "340 ms"; "" for 0. */
export function formatTestDuration(durationMs: number): string {
  if (durationMs === 0) return '';
  return durationMs < 1_000 ? `${durationMs} ms` : `${(durationMs / 1_000).toFixed(1)} s`;
}
