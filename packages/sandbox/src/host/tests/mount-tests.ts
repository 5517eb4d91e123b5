/**
 * Runs the tests of a project that is mounted: each file in a document of its own, one after the
 * other, and again when something it imports has changed. The page that is shown goes on beside it;
 * both run the same compiled files.
 */
import { isTestPath } from '@vitrine/project';
import type { FromFrame } from '../../protocol.ts';
import type { SnapshotWrite, TestRequest } from '../../test-messages.ts';
import type { Preview } from '../mount.ts';
import type { Problem } from '../preview-state.ts';
import { createFileResults, type FileResults } from './file-results.ts';
import { findReach } from './reach.ts';
import { waitingFile, type Failure, type TestFile, type TestReport } from './report.ts';
import { createStore } from './store.ts';
import { openTestFrame, type TestEnd, type TestFrame, type TestPlace } from './test-frame.ts';
import { snapshotPath, writeSnapshots, type WrittenFile } from './written-files.ts';

export interface TestsOptions {
  /** The frames are put in here and fill it; nobody has to see them, but it has to be in view. */
  element: HTMLElement;
  onReport(report: TestReport): void;
}

/** What to run; everything, if left out. */
export interface Wanted {
  path: string;
  /** One test or suite by its full name, or the whole file. */
  only?: TestRequest['only'];
}

export interface Tests {
  readonly report: TestReport;
  /** Runs it now, whether or not something has changed. */
  run(wanted?: Wanted): void;
  /**
   * Runs every file whose snapshots are new or differ, and answers with the texts of the files that
   * hold them as they would have to be. Nothing is written.
   */
  updateSnapshots(): Promise<readonly WrittenFile[]>;
  close(): void;
}

/** Changes rest for this long before tests run: typing goes first. */
const restMs = 300;
/** The report is told this often at most, whatever the tests do. */
const tellEveryMs = 50;
/** As long as vitest lets a test take that says nothing else. */
const leastPatienceMs = 5_000;
/** A page that has not answered for this long is taken to hang when it has to go. */
const hungMs = 400;

interface Plan {
  only: TestRequest['only'];
  updates: boolean;
}

/** A file that runs. */
interface Running {
  path: string;
  plan: Plan;
  /** Of the sources, when it began. */
  version: number;
  results: FileResults;
  frame: TestFrame;
}

export function mountTests(preview: Preview, { element, onReport }: TestsOptions): Tests {
  const { shared } = preview;
  const { sources, intake, options } = shared;
  let files: readonly TestFile[] = [];
  /** What is still to run, by path. */
  const plans = new Map<string, Plan>();
  /** The version of the sources at which a file was last run as a whole. */
  const ranAt = new Map<string, number>();
  let running: Running | undefined;
  let isLeaving = false;
  let place = choosePlace();
  let restTimer: ReturnType<typeof setTimeout> | undefined;
  let tellTimer: ReturnType<typeof setTimeout> | undefined;
  /** What an update has found so far, and who waits for it. */
  let update: { found: WrittenFile[]; end(found: readonly WrittenFile[]): void } | undefined;
  let isClosed = false;

  element.style.display = 'grid';
  const off = shared.onChange(() => {
    clearTimeout(restTimer);
    restTimer = setTimeout(consider, restMs);
  });
  void intake.prepare().then(() => !isClosed && consider());

  return {
    get report() {
      return makeReport();
    },
    run(wanted) {
      list();
      for (const { path } of files)
        if (!wanted || wanted.path === path) plan(path, wanted?.only ?? null, false);
      next();
    },
    updateSnapshots() {
      update?.end(update.found);
      const promise = new Promise<readonly WrittenFile[]>((resolve) => {
        update = { found: [], end: resolve };
      });
      for (const { path, snapshots } of files)
        if (snapshots.added + snapshots.changed > 0) plan(path, null, true);
      next();
      return promise;
    },
    close() {
      isClosed = true;
      off();
      clearTimeout(restTimer);
      clearTimeout(tellTimer);
      void running?.frame.close();
      running = undefined;
      plans.clear();
      update?.end([]);
    },
  };

  function choosePlace(): TestPlace {
    const { place: of, key } = options;
    if (of.path === 'portable') return { path: 'portable', origin: of.origin };
    // Neither a loop in a test nor what it stores reaches the page that is shown.
    const origin = of.origin(key.replace(/^(?:.*--)?/, 'tests--'));
    return { path: 'served', origin, store: createStore(sources) };
  }

  /** Takes up what changed: the files that reach it run again, also the one that is running. */
  function consider(): void {
    list();
    if (running && isStale(running.path, running.version)) {
      const { path, frame } = running;
      const isHung = frame.silentMs >= hungMs;
      plan(path, null, false);
      void leave(frame.close(), isHung);
    }
    for (const { path } of files) {
      if (path === running?.path) continue;
      forgetKept(path);
      if (isStale(path, ranAt.get(path))) plan(path, null, false);
    }
    next();
  }

  /** The report holds the test files that are there, each known as far as it has run. */
  function list(): void {
    const known = new Map(files.map((file) => [file.path, file]));
    const paths = [...sources.paths].filter(isTestPath).sort();
    files = paths.map((path) => known.get(path) ?? waitingFile(path));
    for (const path of [...plans.keys(), ...ranAt.keys()]) {
      if (paths.includes(path)) continue;
      plans.delete(path);
      ranAt.delete(path);
    }
  }

  function isStale(path: string, version: number | undefined): boolean {
    if (version === undefined) return true;
    const { changed, removed } = sources.since(version);
    if (changed.length + removed.length === 0) return false;
    const reached = findReach(path, sources);
    return [...changed, ...removed].some(
      (each) => reached.has(each) || each === snapshotPath(path) || each === path,
    );
  }

  /** The next frame could end up in the process of one that is not gone yet, and may hang. */
  async function leave(gone: Promise<void>, isHung: boolean): Promise<void> {
    running = undefined;
    isLeaving = true;
    await (isHung && place.path === 'portable' ? shared.interrupt(gone) : gone);
    isLeaving = false;
    next();
  }

  function plan(path: string, only: TestRequest['only'], updates: boolean): void {
    const planned = plans.get(path);
    // A whole run holds every part of it.
    plans.set(path, {
      only: planned && planned.only === null ? null : only,
      updates: updates || planned?.updates === true,
    });
  }

  function next(): void {
    if (running || isLeaving || isClosed) return tell();
    const first = files.find(({ path }) => plans.has(path));
    const planned = first && plans.get(first.path);
    if (!first || !planned) {
      update?.end(update.found);
      update = undefined;
      return tell();
    }
    plans.delete(first.path);
    const keeps = findKeeps(first.path);
    if (keeps.length > 0) {
      set({ ...waitingFile(first.path), state: 'failed', failures: keeps });
      return next();
    }
    start(first, planned);
    tell();
  }

  /** As it is written now it has not run, and cannot; what an earlier text came to is over. */
  function forgetKept(path: string): void {
    if (findKeeps(path).length > 0) ranAt.delete(path);
  }

  /** What keeps a file from being loaded: something it reaches does not compile, or is not there. */
  function findKeeps(path: string): Failure[] {
    const reached = findReach(path, sources);
    return intake.problems
      .filter(({ path: at, severity }) => severity !== 'warning' && reached.has(at))
      .map(({ sentence, ...at }: Problem) => ({
        sentence,
        diff: '',
        stack: [{ path: at.path, line: at.line, column: at.column }],
      }));
  }

  function start(file: TestFile, planned: Plan): void {
    const { path } = file;
    const { version } = sources;
    const text = sources.read(path) ?? '';
    const results = createFileResults(file, planned.only, shared);
    const snapshots = sources.read(snapshotPath(path)) ?? null;
    const show = () => {
      set(results.file);
      tell();
    };
    const writes: SnapshotWrite[] = [];
    const frame = openTestFrame(
      { path, snapshots, only: planned.only, updates: planned.updates },
      {
        shared,
        element,
        place,
        patienceMs: () => Math.max(leastPatienceMs, results.running?.timeoutMs ?? 0),
        onEvent(event) {
          if (event.kind === 'done') writes.push(...event.writes);
          results.hear(event);
          show();
        },
        onMessage(message: FromFrame) {
          if (message.type === 'console') results.log(message.entry);
          else if (message.type === 'problem' && message.problem.kind !== 'resource')
            results.stray(message.problem);
          else return;
          show();
        },
        onEnd: finish,
      },
    );
    running = { path, plan: planned, version, results, frame };
    set(results.file);

    function finish(end: TestEnd, gone: Promise<void>): void {
      void leave(gone, end.kind === 'hung');
      if (end.kind === 'refused') {
        place = { path: 'portable', origin: place.origin };
        return plan(path, planned.only, planned.updates);
      }
      if ('sentence' in end) results.end(end.sentence);
      if (planned.only === null) ranAt.set(path, version);
      forgetKept(path);
      if (isStale(path, ranAt.get(path))) plan(path, null, false);
      if (planned.updates && update)
        update.found.push(...writeSnapshots({ path, text, snapshots, writes }, intake));
      set(results.file);
      tell();
    }
  }

  function set(file: TestFile): void {
    files = files.map((each) => (each.path === file.path ? file : each));
  }

  function makeReport(): TestReport {
    return { files, isRunning: running !== undefined || isLeaving || plans.size > 0 };
  }

  function tell(): void {
    if (isClosed) return;
    tellTimer ??= setTimeout(() => {
      tellTimer = undefined;
      onReport(makeReport());
    }, tellEveryMs);
  }
}
