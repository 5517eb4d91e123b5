/** Converts Vitest's tasks and errors into messages of limited size. */
import type { RunnerTask, RunnerTestFile } from 'vitest';
import {
  testLimits,
  type CollectedTask,
  type FinalTestState,
  type TestFailure,
} from '../../test-messages.ts';

type Result = NonNullable<RunnerTestFile['result']>;

export function describeTasks(tasks: readonly RunnerTask[]): CollectedTask[] {
  const budget = { tasks: testLimits.tasks };
  const describe = (task: RunnerTask, depth: number): CollectedTask => ({
    id: task.id,
    name: task.name.slice(0, testLimits.name),
    isSuite: task.type === 'suite',
    state: task.mode === 'todo' ? 'todo' : task.mode === 'skip' ? 'skipped' : null,
    line: task.location?.line ?? 0,
    column: task.location?.column ?? 0,
    timeoutMs: task.type === 'test' && Number.isFinite(task.timeout) ? Math.round(task.timeout) : 0,
    tasks: task.type === 'suite' ? describeAll(task.tasks, depth + 1) : [],
  });
  const describeAll = (list: readonly RunnerTask[], depth: number): CollectedTask[] =>
    depth > testLimits.depth
      ? []
      : list.flatMap((task) => (--budget.tasks < 0 ? [] : [describe(task, depth)]));
  return describeAll(tasks, 0);
}

export function finalStateOf(result: Result | undefined): FinalTestState | undefined {
  switch (result?.state) {
    case 'pass':
      return 'passed';
    case 'fail':
      return 'failed';
    case 'skip':
      return 'skipped';
    case 'todo':
      return 'todo';
    default:
      return undefined;
  }
}

export function describeFailures(
  errors: Result['errors'],
  clean: (stack: string) => string,
): TestFailure[] {
  return (errors ?? []).slice(0, testLimits.failures).map(({ name, message, diff, stack }) => ({
    message: truncate(formatFailure(name, plain(message)), testLimits.message),
    diff: truncate(plain(diff), testLimits.diff),
    stack: truncate(clean(plain(stack)), testLimits.stack),
  }));
}

/** Message of an error; "AssertionError: " is dropped. */
function formatFailure(name: unknown, message: string): string {
  // The following lines are about Vitest's config file, which isn't used.
  if (name === 'TestTimeoutError') return message.split('\n')[0] ?? message;
  if (message.startsWith('No test suite found in file')) return 'No tests found in this file.';
  if (typeof name !== 'string' || /^(?:Error|AssertionError)?$/.test(name)) return message;
  return `${name}: ${message}`;
}

/** Removes terminal color codes. */
function plain(text: unknown): string {
  // oxlint-disable-next-line no-control-regex -- they begin with one
  return typeof text === 'string' ? text.replace(/\u001b\[\d+(?:;\d+)*m/g, '') : '';
}

function truncate(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}
