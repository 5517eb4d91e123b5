/** Test results as the app shows them. Reports are immutable: a change creates new objects along its path. */
import type { ConsoleEntry, SourceLocation } from '../../protocol.ts';

export interface TestReport {
  /** In the order of their paths. */
  readonly files: readonly TestFile[];
  readonly isRunning: boolean;
}

export type TestState = 'waiting' | 'running' | 'passed' | 'failed' | 'skipped' | 'todo';

export interface TestFile {
  readonly path: string;
  readonly state: TestState;
  readonly durationMs: number;
  readonly tasks: readonly TestTask[];
  /** Failures outside of every test. */
  readonly failures: readonly TestFailureReport[];
  /** Log entries outside of every test. */
  readonly log: readonly ConsoleEntry[];
  /** Snapshots that an update would write. */
  readonly snapshots: { readonly added: number; readonly changed: number };
}

/** A test, or a suite with its tasks. */
export interface TestTask {
  readonly id: string;
  readonly name: string;
  readonly isSuite: boolean;
  readonly location: SourceLocation;
  readonly timeoutMs: number;
  readonly state: TestState;
  readonly durationMs: number;
  readonly failures: readonly TestFailureReport[];
  readonly log: readonly ConsoleEntry[];
  readonly tasks: readonly TestTask[];
}

export interface TestFailureReport {
  readonly message: string;
  /** Lines that begin with `-` or `Expected:`, `+` or `Received:`, or a space; '' if there is nothing to compare. */
  readonly diff: string;
  /** Locations in the user's files, innermost first. */
  readonly stack: readonly SourceLocation[];
}

export function createWaitingFile(path: string): TestFile {
  const snapshots = { added: 0, changed: 0 };
  return { path, state: 'waiting', durationMs: 0, tasks: [], failures: [], log: [], snapshots };
}

/** Returns the file with one task changed and the states of its suites updated. */
export function changeTask(
  file: TestFile,
  id: string,
  change: (task: TestTask) => TestTask,
): TestFile {
  return { ...file, tasks: changeIn(file.tasks, id, change) };
}

function changeIn(
  tasks: readonly TestTask[],
  id: string,
  change: (task: TestTask) => TestTask,
): readonly TestTask[] {
  let isChanged = false;
  const next = tasks.map((task) => {
    const changed = changeOne(task, id, change);
    isChanged ||= changed !== task;
    return changed;
  });
  return isChanged ? next : tasks;
}

function changeOne(task: TestTask, id: string, change: (task: TestTask) => TestTask): TestTask {
  if (task.id === id) return change(task);
  if (!task.isSuite) return task;
  const inner = changeIn(task.tasks, id, change);
  return inner === task.tasks
    ? task
    : { ...task, tasks: inner, state: combineStates(inner, task.failures) };
}

/** State of a suite or file, from the states of its tasks. */
export function combineStates(
  tasks: readonly { readonly state: TestState }[],
  failures: readonly TestFailureReport[],
): TestState {
  const has = (state: TestState) => tasks.some((task) => task.state === state);
  if (has('running')) return 'running';
  if (has('waiting'))
    return tasks.every(({ state }) => state === 'waiting') ? 'waiting' : 'running';
  if (failures.length > 0 || has('failed')) return 'failed';
  if (has('passed')) return 'passed';
  return tasks.length > 0 && tasks.every(({ state }) => state === 'todo') ? 'todo' : 'skipped';
}

/** All tests of some tasks, depth first. */
export function* flattenTests(tasks: readonly TestTask[]): Generator<TestTask> {
  for (const task of tasks) {
    if (task.isSuite) yield* flattenTests(task.tasks);
    else yield task;
  }
}
