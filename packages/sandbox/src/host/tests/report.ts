/** What is known of a project's tests, as the app shows it. Each change makes new objects of what it touches. */
import type { ConsoleEntry, CodePlace } from '../../protocol.ts';

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
  /** What went wrong outside of every test. */
  readonly failures: readonly Failure[];
  /** What was logged outside of every test. */
  readonly log: readonly ConsoleEntry[];
  /** Snapshots that an update would write: new ones, and ones that are not as written. */
  readonly snapshots: { readonly added: number; readonly changed: number };
}

/** A test, or a suite with what is in it. */
export interface TestTask {
  readonly id: string;
  readonly name: string;
  readonly isSuite: boolean;
  readonly place: CodePlace;
  readonly timeoutMs: number;
  readonly state: TestState;
  readonly durationMs: number;
  readonly failures: readonly Failure[];
  readonly log: readonly ConsoleEntry[];
  readonly tasks: readonly TestTask[];
}

export interface Failure {
  readonly sentence: string;
  /** Lines that begin with `-` or `Expected:`, `+` or `Received:`, or a space; '' where there is nothing to compare. */
  readonly diff: string;
  /** Places of the project's files, the innermost first, as the person wrote them. */
  readonly stack: readonly CodePlace[];
}

export function waitingFile(path: string): TestFile {
  const snapshots = { added: 0, changed: 0 };
  return { path, state: 'waiting', durationMs: 0, tasks: [], failures: [], log: [], snapshots };
}

/** The file with one of its tasks changed; the suites around it get their states anew. */
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
    const made = changeOne(task, id, change);
    isChanged ||= made !== task;
    return made;
  });
  return isChanged ? next : tasks;
}

function changeOne(task: TestTask, id: string, change: (task: TestTask) => TestTask): TestTask {
  if (task.id === id) return change(task);
  if (!task.isSuite) return task;
  const inner = changeIn(task.tasks, id, change);
  return inner === task.tasks
    ? task
    : { ...task, tasks: inner, state: joinStates(inner, task.failures) };
}

/** What a suite, or a file, comes to by what is in it. */
export function joinStates(
  tasks: readonly { readonly state: TestState }[],
  failures: readonly Failure[],
): TestState {
  const has = (state: TestState) => tasks.some((task) => task.state === state);
  if (has('running')) return 'running';
  if (has('waiting'))
    return tasks.every(({ state }) => state === 'waiting') ? 'waiting' : 'running';
  if (failures.length > 0 || has('failed')) return 'failed';
  if (has('passed')) return 'passed';
  return tasks.length > 0 && tasks.every(({ state }) => state === 'todo') ? 'todo' : 'skipped';
}

/** Every test of some tasks, in order. */
export function* testsOf(tasks: readonly TestTask[]): Generator<TestTask> {
  for (const task of tasks) {
    if (task.isSuite) yield* testsOf(task.tasks);
    else yield task;
  }
}
