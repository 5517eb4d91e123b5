import type { CodePlace } from './code-place.ts';
import type { TreeRow } from './file-tree.ts';
import type { Failure, TestFile, TestReport, TestState, TestTask } from '@vitrine/sandbox/tests';

/** One visible line of the tree of tests; its `path` names it among the others. */
export interface TestRow extends TreeRow {
  readonly what: 'file' | 'suite' | 'test';
  readonly state: TestState;
  readonly durationMs: number;
  readonly place: CodePlace;
  readonly failures: readonly Failure[];
  readonly log: TestFile['log'];
  /** The file it is of. */
  readonly file: string;
  /** As vitest names it: suites and test; '' for a file. */
  readonly fullName: string;
}

/** The visible lines of a report: what is inside a collapsed one is left out, or all but what failed. */
export function testRows(
  { files }: TestReport,
  o: { collapsed: ReadonlySet<string>; failedOnly: boolean },
): TestRow[] {
  const isShown = ({ state }: { state: TestState }) => !o.failedOnly || state === 'failed';
  const shown = files.filter(isShown);
  return shown.flatMap((file, index) => {
    const { path, state, durationMs, failures, log, tasks } = file;
    const expanded = !o.collapsed.has(path);
    const row: TestRow = {
      ...{ what: 'file', kind: 'folder', path, name: path, level: 1, expanded, file: path },
      ...{ state, durationMs, failures, log, fullName: '' },
      place: { path, line: 1, column: 1 },
      position: index + 1,
      siblings: shown.length,
    };
    return expanded ? [row, ...rowsOf(tasks, row)] : [row];
  });

  function rowsOf(tasks: readonly TestTask[], above: TestRow): TestRow[] {
    const within = tasks.filter(isShown);
    return within.flatMap((task, index) => {
      const { name, isSuite, state, durationMs, place, failures, log } = task;
      const path = `${above.file} ${task.id}`;
      const expanded = isSuite && !o.collapsed.has(path);
      const row: TestRow = {
        ...{ path, name, expanded, state, durationMs, place, failures, log, file: above.file },
        what: isSuite ? 'suite' : 'test',
        kind: isSuite ? 'folder' : 'file',
        fullName: above.fullName === '' ? name : `${above.fullName} > ${name}`,
        level: above.level + 1,
        position: index + 1,
        siblings: within.length,
      };
      return expanded ? [row, ...rowsOf(task.tasks, row)] : [row];
    });
  }
}

export type TestCounts = Readonly<Record<'passed' | 'failed' | 'others', number>>;

/** How many tests there are of each; a file that could not be run counts as one that failed. */
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

/** "12 passed, 1 failed"; undefined before anything has run. */
export function countWords({ passed, failed, others }: TestCounts): string | undefined {
  const parts = [
    ...(passed > 0 ? [`${passed} passed`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(others > 0 && passed + failed > 0 ? [`${others} not run`] : []),
  ];
  return parts.length > 0 ? parts.join(', ') : undefined;
}

/** "12 ✓ 1 ✗"; undefined before anything has run. */
export function countSigns({ passed, failed }: TestCounts): string | undefined {
  const parts = [...(passed > 0 ? [`${passed} ✓`] : []), ...(failed > 0 ? [`${failed} ✗`] : [])];
  return parts.length > 0 ? parts.join(' ') : undefined;
}

/** How many snapshots an update would write. */
export function countSnapshots({ files }: TestReport): number {
  return files.reduce((sum, { snapshots }) => sum + snapshots.added + snapshots.changed, 0);
}

export const stateWords: Readonly<Record<TestState, string>> = {
  waiting: 'Waiting',
  running: 'Running',
  passed: 'Passed',
  failed: 'Failed',
  skipped: 'Skipped',
  todo: 'To do',
};

/** "1.2 s", "340 ms"; '' for what took none. */
export function durationWords(durationMs: number): string {
  if (durationMs === 0) return '';
  return durationMs < 1_000 ? `${durationMs} ms` : `${(durationMs / 1_000).toFixed(1)} s`;
}
