/**
 * Messages between the app's page (host) and a document that runs one test file. They go over the port of
 * protocol.ts as `test` and `tests`; log entries and uncaught errors of tests come as `console` and
 * `problem`, as in any document.
 *
 *     host  ── test: TestRequest ──→  test page
 *     host  ←── tests: TestEvent ──  test page
 *
 * Tests share the page's realm and can forge every event. The host parses them with `parseTestEvent`, shows
 * them, and writes nothing because of them (P-09).
 */
import { isRecord } from '@vitrine/project';
import { parseCount } from './console-values.ts';
import type { InlinedFile } from './message-parts.ts';

/** A test file to run in this document. */
export interface TestRequest {
  path: string;
  /** srcdoc transport: the project's files, which refer to each other as `vitrine-file:PATH`; null if files have URLs. */
  files: InlinedFile[] | null;
  /** Text of the `.snap` file; null if there is none. */
  snapshots: string | null;
  /** The test or suite to run, by its full name; null for all. */
  only: { name: string; isSuite: boolean } | null;
  /** Update snapshots: accept the current values and report them. */
  updates: boolean;
}

export type TestEvent =
  /** The file has been loaded: its tests and suites. */
  | { kind: 'collected'; tasks: CollectedTask[] }
  | { kind: 'started'; id: string }
  | { kind: 'ended'; id: string; state: FinalTestState; durationMs: number; errors: TestFailure[] }
  | {
      kind: 'done';
      durationMs: number;
      errors: TestFailure[];
      /** Number of new snapshots. */
      added: number;
      /** Number of snapshots that differ from the stored ones. */
      changed: number;
      writes: SnapshotWrite[];
    };

export type FinalTestState = (typeof endStates)[number];
const endStates = ['passed', 'failed', 'skipped', 'todo'] as const;

/** A test, or a suite with its tasks. */
export interface CollectedTask {
  id: string;
  name: string;
  isSuite: boolean;
  /** Null for a task that runs. */
  state: 'skipped' | 'todo' | null;
  /** Position in the code that runs; 0 if unknown. */
  line: number;
  column: number;
  /** Timeout of an asynchronous test. */
  timeoutMs: number;
  tasks: CollectedTask[];
}

export interface TestFailure {
  message: string;
  /** Lines that begin with `-` or `Expected:`, `+` or `Received:`, or a space; '' if there is nothing to compare. */
  diff: string;
  /** Stack trace with project paths, in the code that runs. */
  stack: string;
}

/** A snapshot to write after an update run. */
export type SnapshotWrite =
  /** Inline snapshot of a call in the code that runs. */
  | { kind: 'inline'; line: number; column: number; text: string }
  /** The complete `.snap` file. */
  | { kind: 'file'; text: string };

/** Limits of one test file; anything beyond is not reported. */
export const testLimits = {
  tasks: 2_000,
  depth: 20,
  name: 500,
  failures: 10,
  message: 2_000,
  diff: 10_000,
  stack: 5_000,
  writes: 500,
  snapshotText: 200_000,
} as const;

export function parseTestEvent(input: unknown): TestEvent | undefined {
  if (!isRecord(input)) return undefined;
  switch (input['kind']) {
    case 'collected': {
      const tasks = parseTasks(input['tasks'], { tasks: testLimits.tasks }, 0);
      return tasks && { kind: 'collected', tasks };
    }
    case 'started': {
      const id = parseId(input['id']);
      return id === undefined ? undefined : { kind: 'started', id };
    }
    case 'ended':
      return parseEnded(input);
    case 'done':
      return parseDone(input);
    default:
      return undefined;
  }
}

function parseEnded(input: Record<string, unknown>): TestEvent | undefined {
  const id = parseId(input['id']);
  const state = endStates.find((name) => name === input['state']);
  const durationMs = parseCount(input['durationMs']);
  const errors = parseFailures(input['errors']);
  if (id === undefined || !state || durationMs === undefined || !errors) return undefined;
  return { kind: 'ended', id, state, durationMs, errors };
}

function parseDone(input: Record<string, unknown>): TestEvent | undefined {
  const [durationMs, added, changed] = [
    parseCount(input['durationMs']),
    parseCount(input['added']),
    parseCount(input['changed']),
  ];
  const errors = parseFailures(input['errors']);
  const writes = parseWrites(input['writes']);
  if (durationMs === undefined || added === undefined || changed === undefined) return undefined;
  return errors && writes && { kind: 'done', durationMs, errors, added, changed, writes };
}

/** Parses tasks; `budget` counts down the tasks of all levels together. */
function parseTasks(
  input: unknown,
  budget: { tasks: number },
  depth: number,
): CollectedTask[] | undefined {
  if (!Array.isArray(input) || depth > testLimits.depth) return undefined;
  const tasks: CollectedTask[] = [];
  for (const item of input) {
    budget.tasks -= 1;
    if (budget.tasks < 0 || !isRecord(item)) return undefined;
    const [id, name] = [parseId(item['id']), parseText(item['name'], testLimits.name)];
    const [line, column] = [parseCount(item['line']), parseCount(item['column'])];
    const timeoutMs = parseCount(item['timeoutMs']);
    const state = (['skipped', 'todo'] as const).find((each) => each === item['state']) ?? null;
    const inner = parseTasks(item['tasks'], budget, depth + 1);
    if (id === undefined || name === undefined || line === undefined) return undefined;
    if (column === undefined || timeoutMs === undefined || !inner) return undefined;
    const isSuite = item['isSuite'] === true;
    tasks.push({ id, name, isSuite, state, line, column, timeoutMs, tasks: inner });
  }
  return tasks;
}

function parseFailures(input: unknown): TestFailure[] | undefined {
  if (!Array.isArray(input) || input.length > testLimits.failures) return undefined;
  const failures = input.map(parseFailure);
  return failures.every((failure) => failure !== undefined) ? failures : undefined;
}

function parseFailure(input: unknown): TestFailure | undefined {
  if (!isRecord(input)) return undefined;
  const message = parseText(input['message'], testLimits.message);
  const diff = parseText(input['diff'], testLimits.diff);
  const stack = parseText(input['stack'], testLimits.stack);
  if (message === undefined || diff === undefined || stack === undefined) return undefined;
  return { message, diff, stack };
}

function parseWrites(input: unknown): SnapshotWrite[] | undefined {
  if (!Array.isArray(input) || input.length > testLimits.writes) return undefined;
  const writes = input.map(parseWrite);
  return writes.every((write) => write !== undefined) ? writes : undefined;
}

function parseWrite(input: unknown): SnapshotWrite | undefined {
  if (!isRecord(input)) return undefined;
  const text = parseText(input['text'], testLimits.snapshotText);
  if (text === undefined) return undefined;
  if (input['kind'] === 'file') return { kind: 'file', text };
  const [line, column] = [parseCount(input['line']), parseCount(input['column'])];
  if (input['kind'] !== 'inline' || line === undefined || column === undefined) return undefined;
  return { kind: 'inline', line, column, text };
}

function parseId(input: unknown): string | undefined {
  return parseText(input, 200);
}

function parseText(input: unknown, maxLength: number): string | undefined {
  return typeof input === 'string' && input.length <= maxLength ? input : undefined;
}
