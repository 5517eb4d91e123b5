/**
 * Test runner of a mounted project. Each test file runs in a document of its own, one after the other, and
 * again when something it imports has changed. The preview keeps running; both use the same
 * compiled files.
 */
import { isTestPath } from '@vitrine/project';
import type { FromFrame } from '../../protocol.ts';
import type { SnapshotWrite, TestRequest } from '../../test-messages.ts';
import type { Preview } from '../mount.ts';
import { createFileResults, type FileResults } from './file-results.ts';
import { findTestDependencies } from './test-dependencies.ts';
import {
  createWaitingFile,
  type TestFailureReport,
  type TestFile,
  type TestReport,
} from './report.ts';
import { createTestFileStore } from './test-file-store.ts';
import { openTestFrame, type TestRunEnd, type TestFrame, type TestHost } from './test-frame.ts';
import { snapshotPathOf, updateSnapshotFiles, type SnapshotFile } from './snapshot-files.ts';

export interface TestRunnerOptions {
  /** Test frames are appended to this element. It may be hidden from users but has to be in view. */
  element: HTMLElement;
  onReport(report: TestReport): void;
}

/** What to run; all tests if left out. */
export interface TestSelection {
  path: string;
  /** A test or suite by its full name; the whole file if left out or null. */
  only?: TestRequest['only'];
}

/** Time without changes before tests run, so that they don't slow down typing. */
const debounceMs = 300;
/** Shortest interval between two reports. */
const reportIntervalMs = 50;
/** Vitest's default test timeout. */
const defaultTimeoutMs = 5_000;
/** Silence after which a page that has to go counts as unresponsive. */
const unresponsiveMs = 400;

interface PlannedRun {
  only: TestRequest['only'];
  updates: boolean;
}

/** The test file that is running. */
interface RunningFile {
  path: string;
  plan: PlannedRun;
  /** Version of the module store when the run started. */
  version: number;
  results: FileResults;
  frame: TestFrame;
}

export interface TestRunner {
  readonly report: TestReport;
  /** Runs tests now, whether or not something changed, with the edits that the run mode holds back. */
  run(selection?: TestSelection): void;
  /**
   * Runs every file whose snapshots are new or differ. Resolves with the files that hold them, with
   * updated texts; nothing is written.
   */
  updateSnapshots(): Promise<readonly SnapshotFile[]>;
  close(): void;
}

export function mountTestRunner(preview: Preview, options: TestRunnerOptions): TestRunner {
  return new ProjectTestRunner(preview, options);
}

class ProjectTestRunner implements TestRunner {
  readonly #shared: Preview['shared'];
  readonly #element: HTMLElement;
  readonly #onReport: TestRunnerOptions['onReport'];
  #files: readonly TestFile[] = [];
  /** Pending runs by path. */
  readonly #plans = new Map<string, PlannedRun>();
  /** Version of the module store at the last complete run of a file. */
  readonly #ranAt = new Map<string, number>();
  #running: RunningFile | undefined;
  #isRemoving = false;
  #host: TestHost;
  #debounceTimer: ReturnType<typeof setTimeout> | undefined;
  #reportTimer: ReturnType<typeof setTimeout> | undefined;
  /** Files collected by a snapshot update in progress, and its resolver. */
  #update: { found: SnapshotFile[]; end(found: readonly SnapshotFile[]): void } | undefined;
  #isClosed = false;
  readonly #unsubscribe: () => void;

  constructor({ shared }: Preview, { element, onReport }: TestRunnerOptions) {
    this.#shared = shared;
    this.#element = element;
    this.#onReport = onReport;
    this.#host = chooseTransport(shared);
    element.style.display = 'grid';
    this.#unsubscribe = shared.onChange(() => {
      clearTimeout(this.#debounceTimer);
      this.#debounceTimer = setTimeout(() => this.#scheduleAffected(), debounceMs);
    });
    void shared.compileQueue.prepare().then(() => !this.#isClosed && this.#scheduleAffected());
  }

  get report(): TestReport {
    const isRunning = this.#running !== undefined || this.#isRemoving || this.#plans.size > 0;
    return { files: this.#files, isRunning };
  }

  run(selection?: TestSelection): void {
    this.#shared.flush();
    this.#updateList();
    for (const { path } of this.#files)
      if (!selection || selection.path === path) this.#plan(path, selection?.only ?? null, false);
    this.#next();
  }

  updateSnapshots(): Promise<readonly SnapshotFile[]> {
    this.#update?.end(this.#update.found);
    const promise = new Promise<readonly SnapshotFile[]>((resolve) => {
      this.#update = { found: [], end: resolve };
    });
    for (const { path, snapshots } of this.#files)
      if (snapshots.added + snapshots.changed > 0) this.#plan(path, null, true);
    this.#next();
    return promise;
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    clearTimeout(this.#debounceTimer);
    clearTimeout(this.#reportTimer);
    void this.#running?.frame.close();
    this.#running = undefined;
    this.#plans.clear();
    this.#update?.end([]);
  }

  /** Schedules the this.#files affected by a change, including the one that is this.#running. */
  #scheduleAffected(): void {
    this.#updateList();
    if (this.#running && this.#isStale(this.#running.path, this.#running.version)) {
      const { path, frame } = this.#running;
      const isUnresponsive = frame.silentMs >= unresponsiveMs;
      this.#plan(path, null, false);
      void this.#awaitRemoval(frame.close(), isUnresponsive);
    }
    for (const { path } of this.#files) {
      if (path === this.#running?.path) continue;
      this.#resetBlocked(path);
      if (this.#isStale(path, this.#ranAt.get(path))) this.#plan(path, null, false);
    }
    this.#next();
  }

  /** Updates the report's list of test files; known files keep their results. */
  #updateList(): void {
    const known = new Map(this.#files.map((file) => [file.path, file]));
    const paths = [...this.#shared.moduleStore.paths].filter(isTestPath).sort();
    this.#files = paths.map((path) => known.get(path) ?? createWaitingFile(path));
    for (const path of [...this.#plans.keys(), ...this.#ranAt.keys()]) {
      if (paths.includes(path)) continue;
      this.#plans.delete(path);
      this.#ranAt.delete(path);
    }
  }

  #isStale(path: string, version: number | undefined): boolean {
    if (version === undefined) return true;
    const { changed, removed } = this.#shared.moduleStore.since(version);
    if (changed.length + removed.length === 0) return false;
    const reached = findTestDependencies(path, this.#shared.moduleStore);
    return [...changed, ...removed].some(
      (each) => reached.has(each) || each === snapshotPathOf(path) || each === path,
    );
  }

  /** Waits until a frame is gone. A frame opened earlier could share its process, which may hang. */
  async #awaitRemoval(removed: Promise<void>, isUnresponsive: boolean): Promise<void> {
    this.#running = undefined;
    this.#isRemoving = true;
    await (isUnresponsive && this.#host.transport === 'srcdoc'
      ? this.#shared.interrupt(removed)
      : removed);
    this.#isRemoving = false;
    this.#next();
  }

  #plan(path: string, only: TestRequest['only'], updates: boolean): void {
    const planned = this.#plans.get(path);
    // A pending run of the whole file includes any part of it.
    this.#plans.set(path, {
      only: planned && planned.only === null ? null : only,
      updates: updates || planned?.updates === true,
    });
  }

  #next(): void {
    if (this.#running || this.#isRemoving || this.#isClosed) return this.#scheduleReport();
    const first = this.#files.find(({ path }) => this.#plans.has(path));
    const planned = first && this.#plans.get(first.path);
    if (!first || !planned) {
      this.#update?.end(this.#update.found);
      this.#update = undefined;
      return this.#scheduleReport();
    }
    this.#plans.delete(first.path);
    const blockers = findBlockers(first.path, this.#shared);
    if (blockers.length > 0) {
      this.#set({ ...createWaitingFile(first.path), state: 'failed', failures: blockers });
      return this.#next();
    }
    this.#start(first, planned);
    this.#scheduleReport();
  }

  /** Forgets the last run of a file that can't load now: its results belong to an earlier text. */
  #resetBlocked(path: string): void {
    if (findBlockers(path, this.#shared).length > 0) this.#ranAt.delete(path);
  }

  #start(file: TestFile, planned: PlannedRun): void {
    const { path } = file;
    const { version } = this.#shared.moduleStore;
    const text = this.#shared.moduleStore.read(path) ?? '';
    const results = createFileResults(file, planned.only, this.#shared);
    const snapshots = this.#shared.moduleStore.read(snapshotPathOf(path)) ?? null;
    const show = () => {
      this.#set(results.file);
      this.#scheduleReport();
    };
    const writes: SnapshotWrite[] = [];
    const finish = (end: TestRunEnd, removed: Promise<void>): void => {
      void this.#awaitRemoval(removed, end.kind === 'unresponsive');
      if (end.kind === 'refused') {
        this.#host = { transport: 'srcdoc', origin: this.#host.origin };
        return this.#plan(path, planned.only, planned.updates);
      }
      if ('message' in end) results.end(end.message);
      if (planned.only === null) this.#ranAt.set(path, version);
      this.#resetBlocked(path);
      if (this.#isStale(path, this.#ranAt.get(path))) this.#plan(path, null, false);
      if (planned.updates && this.#update)
        this.#update.found.push(
          ...updateSnapshotFiles({ path, text, snapshots, writes }, this.#shared.compileQueue),
        );
      this.#set(results.file);
      this.#scheduleReport();
    };
    const frame = openTestFrame(
      { path, snapshots, only: planned.only, updates: planned.updates },
      {
        shared: this.#shared,
        element: this.#element,
        host: this.#host,
        unresponsiveMs: () => Math.max(defaultTimeoutMs, results.running?.timeoutMs ?? 0),
        onEvent(event) {
          if (event.kind === 'done') writes.push(...event.writes);
          results.onEvent(event);
          show();
        },
        onMessage(message: FromFrame) {
          if (message.type === 'console') results.log(message.entry);
          else if (message.type === 'problem' && 'message' in message.problem)
            results.addUncaughtError(message.problem);
          else return;
          show();
        },
        onEnd: (end, removed) => finish(end, removed),
      },
    );
    this.#running = { path, plan: planned, version, results, frame };
    this.#set(results.file);
  }

  #set(file: TestFile): void {
    this.#files = this.#files.map((each) => (each.path === file.path ? file : each));
  }

  #scheduleReport(): void {
    if (this.#isClosed) return;
    this.#reportTimer ??= setTimeout(() => {
      this.#reportTimer = undefined;
      this.#onReport(this.report);
    }, reportIntervalMs);
  }
}

/** Where tests run: like the preview, but on an origin of their own. */
function chooseTransport({ moduleStore, options }: Preview['shared']): TestHost {
  const { previewHost, key } = options;
  if (previewHost.transport === 'srcdoc')
    return { transport: 'srcdoc', origin: previewHost.origin };
  // A separate origin, so that neither an infinite loop nor stored data of a test reaches the preview.
  const origin = previewHost.origin(key.replace(/^(?:.*--)?/, 'tests--'));
  return { transport: 'isolated-origin', origin, store: createTestFileStore(moduleStore) };
}

/** Failures that prevent a file from loading: a file it imports doesn't compile or is missing. */
function findBlockers(
  path: string,
  { moduleStore, compileQueue }: Preview['shared'],
): TestFailureReport[] {
  const reached = findTestDependencies(path, moduleStore);
  return compileQueue.findErrors(reached).map(({ message, path: at, line, column }) => ({
    message,
    diff: '',
    stack: [{ path: at, line, column }],
  }));
}
