import type { Place } from '../place.ts';
import type { FromFrame } from '../protocol.ts';
import { createConsoleLog } from './console-log.ts';
import { createPortablePath } from './portable-path.ts';
import {
  failureSentences,
  type PreviewEvent,
  type PreviewState,
  type Problem,
} from './preview-state.ts';
import { checkText, findCheckKind, startScriptChecks } from './script-checks.ts';
import { createServedPath } from './served-path.ts';
import { createSources } from './sources.ts';
import type { Path, Stage } from './stage.ts';
import { watchVisibility } from './visibility.ts';

export interface MountOptions {
  /** The frame is put in here and fills it. */
  element: HTMLElement;
  /** Names the frame for people who cannot see it: "Result". */
  title: string;
  /** `edit--SLUG`, `draft--ID`, or `SLUG` for a saved project that is not edited here. */
  key: string;
  place: Place;
  files: ReadonlyMap<string, string>;
  /** The server can answer `files` itself, as this revision; null for drafts and unsaved changes. */
  served: { revision: number } | null;
  /** Private projects: an address with a token for one use, from `mintEntry` on the server. */
  enter?: (signal: AbortSignal) => Promise<string>;
  /** The page to begin with; `index.html` if left out. */
  entry?: string;
  /** Begins stopped: nothing runs before `run()`. */
  stopped?: boolean;
  /** Starts when it comes into view, and sleeps when it has been out of view for long. */
  startWhenVisible?: boolean;
}

export interface Preview {
  readonly state: PreviewState;
  /** The whole set of files; for `edit--…` and `draft--…`. Cheap where texts are the same strings. */
  update(files: ReadonlyMap<string, string>): void;
  /** Runs the project from its beginning, whatever the state. */
  run(): void;
  /** Ends what runs, even if it does not answer. */
  stop(): void;
  close(): void;
  /** Calls the listener for every event from now on; the function returned ends that. */
  on(listener: (event: PreviewEvent) => void): () => void;
}

/** Runs a project in a frame inside `element` until it is closed. */
export function mount(options: MountOptions): Preview {
  const listeners = new Set<(event: PreviewEvent) => void>();
  const emit = (event: PreviewEvent) => {
    for (const listener of listeners) listener(event);
  };
  let state: PreviewState = { status: options.stopped ? 'stopped' : 'asleep' };
  const setState = (next: PreviewState) => {
    if (next.status === state.status && next.status !== 'failed') return;
    state = next;
    emit({ type: 'state', state });
  };

  const sources = createSources(options.files);
  const log = createConsoleLog(() =>
    emit({ type: 'console', lines: log.lines, dropped: log.dropped }),
  );
  /** Of files that do not parse, by path; gone when they do, or are. */
  const syntaxProblems = new Map<string, Problem>();
  /** Of the document that runs; gone with it. */
  let runtimeProblems: Problem[] = [];
  const emitProblems = () =>
    emit({ type: 'problem', problems: [...syntaxProblems.values(), ...runtimeProblems] });

  const stage: Stage = {
    options,
    sources,
    get state() {
      return state;
    },
    setState: (status) => setState({ status }),
    fail(reason) {
      path.close();
      setState({ status: 'failed', reason, sentence: failureSentences[reason] });
    },
    hear,
    beginDocument() {
      log.clear();
      if (runtimeProblems.length === 0) return;
      runtimeProblems = [];
      emitProblems();
    },
    setMissing: (line) => emit({ type: 'missing', line }),
    setPage: (page) => emit({ type: 'page', path: page }),
    fallBack() {
      path.close();
      path = createPortablePath(stage, originOf(options));
      path.open();
    },
  };

  let path: Path =
    options.place.path === 'served'
      ? createServedPath(stage, options.place.origin(options.key))
      : createPortablePath(stage, options.place.origin);

  // Frames lie on top of each other, so that a new one can take the place of one that still shows.
  options.element.style.display = 'grid';

  const start = () => {
    setState({ status: 'starting' });
    path.open();
    startScriptChecks();
  };
  const halt = (status: 'asleep' | 'stopped') => {
    path.close();
    setState({ status });
  };

  const visibility = options.startWhenVisible
    ? watchVisibility(options.element, {
        onShown: () => state.status === 'asleep' && start(),
        onLongHidden: () => isAwake(state) && halt('asleep'),
      })
    : undefined;
  // The caller gets the preview, and can listen, before the first event.
  if (!visibility) queueMicrotask(() => state.status === 'asleep' && start());

  return {
    get state() {
      return state;
    },
    update(files) {
      if (!options.key.includes('--')) throw new Error(`${options.key} is not edited here`);
      void takeUpdate(files);
    },
    run() {
      path.close();
      start();
    },
    stop: () => halt('stopped'),
    close() {
      visibility?.close();
      path.forget();
      log.close();
      listeners.clear();
      state = { status: 'stopped' };
    },
    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };

  /** Files that do not parse keep their last good text; a check that comes late changes nothing. */
  async function takeUpdate(files: ReadonlyMap<string, string>): Promise<void> {
    const { changed, removed } = sources.take(files);
    if (changed.length === 0 && removed.length === 0) return;
    for (const removedPath of removed) settleSyntax(removedPath, undefined);
    const checks = changed.map((changedPath) => check(changedPath));
    const passed = checks.every((outcome) => outcome === changedWithoutCheck)
      ? changed
      : await collectPassed(changed, checks);
    if (passed.length === 0 && removed.length === 0) return;
    sources.accept({ changed: passed, removed });
    if (isAwake(state)) path.deliver();
    // The page that was missing may be there now.
    else if (state.status === 'failed' && state.reason === 'absent') start();
  }

  function check(changedPath: string): typeof changedWithoutCheck | Promise<boolean> {
    const text = sources.findTaken(changedPath) ?? '';
    const kind = findCheckKind(changedPath, text);
    if (!kind) {
      settleSyntax(changedPath, undefined);
      return changedWithoutCheck;
    }
    return checkText(kind, text).then((problem) => {
      if (sources.findTaken(changedPath) !== text) return false;
      settleSyntax(
        changedPath,
        problem && { kind: 'syntax', path: changedPath, stack: '', ...problem },
      );
      return problem === undefined;
    });
  }

  function settleSyntax(changedPath: string, problem: Problem | undefined): void {
    if (problem) syntaxProblems.set(changedPath, problem);
    else if (!syntaxProblems.delete(changedPath)) return;
    emitProblems();
  }

  function hear(message: FromFrame): void {
    switch (message.type) {
      case 'console':
        log.add(message.entry);
        break;
      case 'dropped':
        log.addDropped(message.count);
        break;
      case 'problem':
        if (runtimeProblems.length >= keptProblems) return;
        runtimeProblems = [...runtimeProblems, message.problem];
        emitProblems();
        break;
      default:
        break;
    }
  }
}

/** Enough to fill a list; a page that fails in a loop adds nothing by the next one. */
const keptProblems = 100;

const changedWithoutCheck = Symbol('changed without a check');

async function collectPassed(
  changed: string[],
  checks: (typeof changedWithoutCheck | Promise<boolean>)[],
): Promise<string[]> {
  const outcomes = await Promise.all(checks);
  return changed.filter((_, index) => outcomes[index] !== false);
}

function isAwake({ status }: PreviewState): boolean {
  return status !== 'asleep' && status !== 'stopped' && status !== 'failed';
}

/** Where the portable page is when a served place turns out not to work. */
function originOf({ place, key }: MountOptions): string {
  return place.path === 'served' ? place.origin(key) : place.origin;
}
