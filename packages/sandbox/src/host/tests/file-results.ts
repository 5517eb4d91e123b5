/** Results of one test file, updated with each event of its page. */
import { limits } from '@vitrine/project';
import type { UncaughtError } from '../../runtime-error-messages.ts';
import type { SourceLocation, ConsoleEntry } from '../../protocol.ts';
import type { CollectedTask, TestEvent, TestFailure, TestRequest } from '../../test-messages.ts';
import type { SharedCompilation } from '../mount.ts';
import { createProjectView } from '../project-view.ts';
import {
  changeTask,
  combineStates,
  flattenTests,
  type TestFailureReport,
  type TestFile,
  type TestTask,
} from './report.ts';
import { explainMissingExport } from './explain-missing-export.ts';

export interface FileResults {
  readonly file: TestFile;
  /** The test that is running. */
  readonly running: TestTask | undefined;
  onEvent(event: TestEvent): void;
  log(entry: ConsoleEntry): void;
  /** Adds an error that no test caught. */
  addUncaughtError(problem: UncaughtError): void;
  /** Ends the run from outside. Tests that have not run are skipped. */
  end(message: string): void;
}

export function createFileResults(
  before: TestFile,
  only: TestRequest['only'],
  { moduleStore, compileQueue }: Pick<SharedCompilation, 'moduleStore' | 'compileQueue'>,
): FileResults {
  let file: TestFile = { ...before, state: 'running', failures: [], log: [] };
  let runningId: string | undefined;
  let logCount = 0;

  const change = (id: string, make: (task: TestTask) => TestTask) => {
    file = changeTask(file, id, make);
  };
  const locationOf = ({ line, column }: { line: number; column: number }): SourceLocation =>
    compileQueue.mapLocation({ path: file.path, line, column });

  const makeTask = (task: CollectedTask, parentName: string): TestTask => {
    const fullName = parentName === '' ? task.name : `${parentName} > ${task.name}`;
    const tasks = task.tasks.map((inner) => makeTask(inner, fullName));
    const { id, name, isSuite, timeoutMs } = task;
    const next = { id, name, isSuite, timeoutMs, location: locationOf(task), tasks };
    const previous = isSelected(fullName, only) || isSuite ? undefined : findTask(before.tasks, id);
    // A task that doesn't run this time keeps its last result.
    if (previous?.name === name) return { ...previous, ...next };
    return { ...next, state: task.state ?? 'waiting', durationMs: 0, failures: [], log: [] };
  };

  const describe = ({ message, diff, stack }: TestFailure): TestFailureReport => {
    const locations = [...compileQueue.mapStack(stack).matchAll(stackLocation)].map(
      ([, path = '', line, column]) => ({ path, line: Number(line), column: Number(column) }),
    );
    const known = locations.filter(({ path }) => moduleStore.read(path) !== undefined);
    const explained = explainMissingExport(message, file.path, createProjectView(moduleStore));
    return explained
      ? { message: explained.message, diff, stack: [explained.location] }
      : { message, diff, stack: known };
  };

  return {
    get file() {
      return file;
    },
    get running() {
      return runningId === undefined ? undefined : findTask(file.tasks, runningId);
    },
    onEvent(event) {
      switch (event.kind) {
        case 'collected':
          file = { ...file, tasks: event.tasks.map((task) => makeTask(task, '')) };
          break;
        case 'started':
          runningId = event.id;
          change(event.id, (task) => ({ ...task, state: 'running', failures: [], log: [] }));
          break;
        case 'ended': {
          if (runningId === event.id) runningId = undefined;
          const failures = event.errors.map(describe);
          const { state, durationMs } = event;
          change(event.id, (task) => {
            // A task that was filtered out is reported as skipped; it keeps its last result.
            if (only && state === 'skipped' && task.state !== 'waiting') return task;
            return { ...task, state, durationMs, failures };
          });
          break;
        }
        case 'done': {
          const failures = [...file.failures, ...event.errors.map(describe)];
          const { durationMs, added, changed } = event;
          const state = combineStates(file.tasks, failures);
          file = { ...file, state, durationMs, failures, snapshots: { added, changed } };
          break;
        }
      }
    },
    log(message) {
      const entry = compileQueue.mapLocation(message);
      logCount += 1;
      if (logCount > limits.consoleEntries) return;
      if (runningId === undefined) file = { ...file, log: [...file.log, entry] };
      else change(runningId, (task) => ({ ...task, log: [...task.log, entry] }));
    },
    addUncaughtError({ message, stack, ...location }) {
      if (file.failures.length >= maxUncaught) return;
      const failure = describe({ message, diff: '', stack });
      const located = location.path === '' ? [] : [compileQueue.mapLocation(location)];
      const next = failure.stack.length > 0 ? failure : { ...failure, stack: located };
      file = { ...file, failures: [...file.failures, next] };
    },
    end(message) {
      const failure = { message, diff: '', stack: [] };
      const hungId = runningId;
      runningId = undefined;
      for (const { id, state, location } of flattenTests(file.tasks)) {
        if (id === hungId)
          change(id, (task) => ({
            ...task,
            state: 'failed',
            failures: [{ ...failure, stack: location.line > 0 ? [location] : [] }],
          }));
        else if (state === 'waiting' || state === 'running')
          change(id, (task) => ({ ...task, state: 'skipped' }));
      }
      const failures = hungId === undefined ? [...file.failures, failure] : file.failures;
      file = { ...file, failures, state: 'failed' };
    },
  };
}

const maxUncaught = 10;

/** "src/App.tsx:3:14" in a stack trace that has project paths as URLs. */
const stackLocation = /([^\s()@]+):(\d+):(\d+)/g;

function isSelected(fullName: string, only: TestRequest['only']): boolean {
  if (!only) return true;
  return fullName === only.name || (only.isSuite && fullName.startsWith(`${only.name} > `));
}

function findTask(tasks: readonly TestTask[], id: string): TestTask | undefined {
  for (const task of tasks) {
    const found = task.id === id ? task : findTask(task.tasks, id);
    if (found) return found;
  }
  return undefined;
}
