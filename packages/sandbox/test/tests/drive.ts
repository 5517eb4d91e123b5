import type { TestReport, TestTask, SnapshotFile } from '../../src/host/tests/index.ts';
import type { TestWorkspace } from '../rig/workspace.ts';

const page = '<!doctype html><title>Page</title><script>console.log("page")</script>';

/** Drives the tests of a project in the rig's page. */
export function drive(workspace: () => TestWorkspace, o: { isSrcdoc: boolean }) {
  return {
    async start(files: Record<string, string>): Promise<void> {
      await workspace().run({ files: { 'index.html': page, ...files }, ...o });
      await workspace().page.evaluate('rig.startTests()');
    },
    /** Resolves when no test is running or pending for the current files. */
    async finished(withinMs = 20_000): Promise<TestReport> {
      const { report } = await workspace().seenUntil(
        ({ report: seen }) => seen !== null && seen.files.length > 0 && !seen.isRunning,
        'the end of the tests',
        withinMs,
      );
      if (!report) throw new Error('there is no report');
      return report;
    },
    async updateSnapshots(): Promise<readonly SnapshotFile[]> {
      const written: unknown = await workspace().page.evaluate(
        'tests.updateSnapshots().then(JSON.stringify)',
      );
      return JSON.parse(String(written)) as SnapshotFile[];
    },
    async reportWhere(holds: (report: TestReport) => boolean, what: string): Promise<TestReport> {
      const { report } = await workspace().seenUntil(
        ({ report: seen }) => seen !== null && holds(seen),
        what,
        20_000,
      );
      if (!report) throw new Error('there is no report');
      return report;
    },
  };
}

/** One line per test: "file > suite > test: state", and the message of its first failure. */
export function outline({ files }: TestReport): string[] {
  return files.flatMap((file) => [
    ...file.failures.map(({ message }) => `${file.path}! ${message}`),
    ...file.tasks.flatMap((task) => linesOf(task, file.path)),
  ]);
}

function linesOf(task: TestTask, above: string): string[] {
  const name = `${above} > ${task.name}`;
  const failures = task.failures.map(({ message }) => `${name}! ${message}`);
  if (task.isSuite) return [...failures, ...task.tasks.flatMap((inner) => linesOf(inner, name))];
  return [`${name}: ${task.state}`, ...failures];
}

export function findTest({ files }: TestReport, name: string): TestTask {
  const search = (tasks: readonly TestTask[]): TestTask | undefined => {
    for (const task of tasks) {
      const found = task.name === name ? task : search(task.tasks);
      if (found) return found;
    }
    return undefined;
  };
  const found = files.map(({ tasks }) => search(tasks)).find((task) => task);
  if (!found) throw new Error(`there is no test “${name}”`);
  return found;
}
