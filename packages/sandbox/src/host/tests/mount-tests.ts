/**
 * Test runner of a mounted project. Each test file runs in a document of its own, one after the other, and
 * again when something it imports has changed. The preview keeps running; both use the same
 * compiled files.
 */
import { isTestPath } from '@vitrine/project';
import type { FromFrame } from '../../protocol.ts';
import type { SnapshotWrite, TestRequest } from '../../test-messages.ts';
import type { Preview } from '../mount.ts';
import type { PreviewDiagnostic } from '../preview-state.ts';
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

export interface TestRunner {
  readonly report: TestReport;
  /** Runs tests now, whether or not something changed. */
  run(selection?: TestSelection): void;
  /**
   * Runs every file whose snapshots are new or differ. Resolves with the files that hold them, with
   * updated texts; nothing is written.
   */
  updateSnapshots(): Promise<readonly SnapshotFile[]>;
  close(): void;
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

export function mountTestRunner(
  preview: Preview,
  { element, onReport }: TestRunnerOptions,
): TestRunner {
  const { shared } = preview;
  const { moduleStore, compileQueue, options } = shared;
  let files: readonly TestFile[] = [];
  /** Pending runs by path. */
  const plans = new Map<string, PlannedRun>();
  /** Version of the module store at the last complete run of a file. */
  const ranAt = new Map<string, number>();
  let running: RunningFile | undefined;
  let isRemoving = false;
  let host = chooseTransport();
  let debounceTimer: ReturnType<typeof setTimeout> | undefined;
  let reportTimer: ReturnType<typeof setTimeout> | undefined;
  /** Files collected by a snapshot update in progress, and its resolver. */
  let update: { found: SnapshotFile[]; end(found: readonly SnapshotFile[]): void } | undefined;
  let isClosed = false;

  element.style.display = 'grid';
  const unsubscribe = shared.onChange(() => {
    clearTimeout(debounceTimer);
    debounceTimer = setTimeout(scheduleAffected, debounceMs);
  });
  void compileQueue.prepare().then(() => !isClosed && scheduleAffected());

  return {
    get report() {
      return makeReport();
    },
    run(selection) {
      updateList();
      for (const { path } of files)
        if (!selection || selection.path === path) plan(path, selection?.only ?? null, false);
      next();
    },
    updateSnapshots() {
      update?.end(update.found);
      const promise = new Promise<readonly SnapshotFile[]>((resolve) => {
        update = { found: [], end: resolve };
      });
      for (const { path, snapshots } of files)
        if (snapshots.added + snapshots.changed > 0) plan(path, null, true);
      next();
      return promise;
    },
    close() {
      isClosed = true;
      unsubscribe();
      clearTimeout(debounceTimer);
      clearTimeout(reportTimer);
      void running?.frame.close();
      running = undefined;
      plans.clear();
      update?.end([]);
    },
  };

  function chooseTransport(): TestHost {
    const { previewHost, key } = options;
    if (previewHost.transport === 'srcdoc')
      return { transport: 'srcdoc', origin: previewHost.origin };
    // A separate origin, so that neither an infinite loop nor stored data of a test reaches the preview.
    const origin = previewHost.origin(key.replace(/^(?:.*--)?/, 'tests--'));
    return { transport: 'isolated-origin', origin, store: createTestFileStore(moduleStore) };
  }

  /** Schedules the files affected by a change, including the one that is running. */
  function scheduleAffected(): void {
    updateList();
    if (running && isStale(running.path, running.version)) {
      const { path, frame } = running;
      const isUnresponsive = frame.silentMs >= unresponsiveMs;
      plan(path, null, false);
      void awaitRemoval(frame.close(), isUnresponsive);
    }
    for (const { path } of files) {
      if (path === running?.path) continue;
      resetBlocked(path);
      if (isStale(path, ranAt.get(path))) plan(path, null, false);
    }
    next();
  }

  /** Updates the report's list of test files; known files keep their results. */
  function updateList(): void {
    const known = new Map(files.map((file) => [file.path, file]));
    const paths = [...moduleStore.paths].filter(isTestPath).sort();
    files = paths.map((path) => known.get(path) ?? createWaitingFile(path));
    for (const path of [...plans.keys(), ...ranAt.keys()]) {
      if (paths.includes(path)) continue;
      plans.delete(path);
      ranAt.delete(path);
    }
  }

  function isStale(path: string, version: number | undefined): boolean {
    if (version === undefined) return true;
    const { changed, removed } = moduleStore.since(version);
    if (changed.length + removed.length === 0) return false;
    const reached = findTestDependencies(path, moduleStore);
    return [...changed, ...removed].some(
      (each) => reached.has(each) || each === snapshotPathOf(path) || each === path,
    );
  }

  /** Waits until a frame is gone. A frame opened earlier could share its process, which may hang. */
  async function awaitRemoval(removed: Promise<void>, isUnresponsive: boolean): Promise<void> {
    running = undefined;
    isRemoving = true;
    await (isUnresponsive && host.transport === 'srcdoc' ? shared.interrupt(removed) : removed);
    isRemoving = false;
    next();
  }

  function plan(path: string, only: TestRequest['only'], updates: boolean): void {
    const planned = plans.get(path);
    // A pending run of the whole file includes any part of it.
    plans.set(path, {
      only: planned && planned.only === null ? null : only,
      updates: updates || planned?.updates === true,
    });
  }

  function next(): void {
    if (running || isRemoving || isClosed) return scheduleReport();
    const first = files.find(({ path }) => plans.has(path));
    const planned = first && plans.get(first.path);
    if (!first || !planned) {
      update?.end(update.found);
      update = undefined;
      return scheduleReport();
    }
    plans.delete(first.path);
    const blockers = findBlockers(first.path);
    if (blockers.length > 0) {
      set({ ...createWaitingFile(first.path), state: 'failed', failures: blockers });
      return next();
    }
    start(first, planned);
    scheduleReport();
  }

  /** Forgets the last run of a file that can't load now: its results belong to an earlier text. */
  function resetBlocked(path: string): void {
    if (findBlockers(path).length > 0) ranAt.delete(path);
  }

  /** Failures that prevent a file from loading: a file it imports doesn't compile or is missing. */
  function findBlockers(path: string): TestFailureReport[] {
    const reached = findTestDependencies(path, moduleStore);
    return compileQueue.diagnostics
      .filter(({ path: at, severity }) => severity !== 'warning' && reached.has(at))
      .map(({ sentence, ...at }: PreviewDiagnostic) => ({
        sentence,
        diff: '',
        stack: [{ path: at.path, line: at.line, column: at.column }],
      }));
  }

  function start(file: TestFile, planned: PlannedRun): void {
    const { path } = file;
    const { version } = moduleStore;
    const text = moduleStore.read(path) ?? '';
    const results = createFileResults(file, planned.only, shared);
    const snapshots = moduleStore.read(snapshotPathOf(path)) ?? null;
    const show = () => {
      set(results.file);
      scheduleReport();
    };
    const writes: SnapshotWrite[] = [];
    const frame = openTestFrame(
      { path, snapshots, only: planned.only, updates: planned.updates },
      {
        shared,
        element,
        host,
        unresponsiveMs: () => Math.max(defaultTimeoutMs, results.running?.timeoutMs ?? 0),
        onEvent(event) {
          if (event.kind === 'done') writes.push(...event.writes);
          results.onEvent(event);
          show();
        },
        onMessage(message: FromFrame) {
          if (message.type === 'console') results.log(message.entry);
          else if (message.type === 'problem' && message.problem.kind !== 'resource')
            results.addUncaughtError(message.problem);
          else return;
          show();
        },
        onEnd: finish,
      },
    );
    running = { path, plan: planned, version, results, frame };
    set(results.file);

    function finish(end: TestRunEnd, removed: Promise<void>): void {
      void awaitRemoval(removed, end.kind === 'unresponsive');
      if (end.kind === 'refused') {
        host = { transport: 'srcdoc', origin: host.origin };
        return plan(path, planned.only, planned.updates);
      }
      if ('sentence' in end) results.end(end.sentence);
      if (planned.only === null) ranAt.set(path, version);
      resetBlocked(path);
      if (isStale(path, ranAt.get(path))) plan(path, null, false);
      if (planned.updates && update)
        update.found.push(...updateSnapshotFiles({ path, text, snapshots, writes }, compileQueue));
      set(results.file);
      scheduleReport();
    }
  }

  function set(file: TestFile): void {
    files = files.map((each) => (each.path === file.path ? file : each));
  }

  function makeReport(): TestReport {
    return { files, isRunning: running !== undefined || isRemoving || plans.size > 0 };
  }

  function scheduleReport(): void {
    if (isClosed) return;
    reportTimer ??= setTimeout(() => {
      reportTimer = undefined;
      onReport(makeReport());
    }, reportIntervalMs);
  }
}
