/** What vitest knows of tasks and errors, as it is told to the app's page: plain, and bounded. */
import type { RunnerTask, RunnerTestFile } from 'vitest';
import {
  testLimits,
  type CollectedTask,
  type EndState,
  type TestFailure,
} from '../../test-messages.ts';

type Result = NonNullable<RunnerTestFile['result']>;

export function describeTasks(tasks: readonly RunnerTask[]): CollectedTask[] {
  const left = { tasks: testLimits.tasks };
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
      : list.flatMap((task) => (--left.tasks < 0 ? [] : [describe(task, depth)]));
  return describeAll(tasks, 0);
}

export function endStateOf(result: Result | undefined): EndState | undefined {
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
    sentence: cut(sentenceOf(name, plain(message)), testLimits.sentence),
    diff: cut(plain(diff), testLimits.diff),
    stack: cut(clean(plain(stack)), testLimits.stack),
  }));
}

/** "AssertionError: expected 1 to be 2" says nothing more by its first word. */
function sentenceOf(name: unknown, message: string): string {
  // What follows is about a file of settings, which is not read here.
  if (name === 'TestTimeoutError') return message.split('\n')[0] ?? message;
  if (message.startsWith('No test suite found in file')) return 'No tests found in this file.';
  if (typeof name !== 'string' || /^(?:Error|AssertionError)?$/.test(name)) return message;
  return `${name}: ${message}`;
}

/** Without the colours that terminals understand. */
function plain(text: unknown): string {
  // oxlint-disable-next-line no-control-regex -- they begin with one
  return typeof text === 'string' ? text.replace(/\u001b\[\d+(?:;\d+)*m/g, '') : '';
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
