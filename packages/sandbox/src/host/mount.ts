import type { Place } from '../place.ts';
import { createPortablePath } from './portable-path.ts';
import { createPreviewConsole, type PreviewConsole } from './preview-console.ts';
import { failureSentences, type PreviewEvent, type PreviewState } from './preview-state.ts';
import { createHearing } from './hearing.ts';
import { createIntake } from './intake.ts';
import { createProjectCompiler, startCompileWorker } from './project-compiler.ts';
import { viewProject } from './project-view.ts';
import { createPace, type RunMode } from './run-mode.ts';
import { createServedPath } from './served-path.ts';
import type { SharedFiles } from './shared-files.ts';
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
  /** The page to begin with; `index.html`, or else `index.md`, if left out. */
  entry?: string;
  /** When edits run; as they are typed if left out. */
  runMode?: RunMode;
  /** Begins stopped: nothing runs before `run()`. */
  stopped?: boolean;
  /** Modules of packages that show all their names, read anew with each change of the project's
   * files or packages; see compiler, `PackageOptions`. */
  plainAddresses?: ReadonlySet<string>;
  /** Starts when it comes into view, and sleeps when it has been out of view for long. */
  startWhenVisible?: boolean;
}

export interface Preview {
  readonly state: PreviewState;
  /**
   * The whole set of files; for `edit--…` and `draft--…`. Cheap where texts are the same strings.
   * They run when the run mode says so.
   */
  update(files: ReadonlyMap<string, string>): void;
  /** Runs the project from its beginning, whatever the state and run mode. */
  run(): void;
  readonly console: PreviewConsole;
  setRunMode(mode: RunMode): void;
  /** Ends what runs, even if it does not answer. */
  stop(): void;
  close(): void;
  /** For whoever runs the same files in frames of their own: see tests/mount-tests.ts. */
  readonly shared: SharedFiles;
  /** Calls the listener for every event from now on; the function returned ends that. */
  on(listener: (event: PreviewEvent) => void): () => void;
}

/** Runs a project in a frame inside `element` until it is closed. */
export function mount(options: MountOptions): Preview {
  const listeners = new Set<(event: PreviewEvent) => void>();
  const sharers = new Set<() => void>();
  const tellSharers = () => sharers.forEach((listener) => listener());
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
  const console = createPreviewConsole({
    send: (message) => path.send(message),
    findObstacle: () => consoleObstacle(state),
    onChange() {
      const { lines, dropped, document } = console.log;
      emit({ type: 'console', lines, dropped, document });
    },
  });
  const emitProblems = () =>
    emit({ type: 'problem', problems: [...intake.problems, ...hearing.problems] });
  const intake = createIntake({
    sources,
    compiler: createProjectCompiler(
      options.files,
      { origin: location.origin, plainAddresses: options.plainAddresses ?? new Set() },
      // A loop without an end would freeze this page too.
      options.place.path === 'portable' && options.place.sharesProcess,
    ),
    onProblems() {
      emitProblems();
      tellSharers();
    },
    onAccepted() {
      tellSharers();
      if (isAwake(state)) path.deliver();
      // The page that was missing may be there now.
      else if (state.status === 'failed' && state.reason === 'absent') start();
    },
  });
  const project = viewProject(sources);
  const hearing = createHearing({ intake, console, project, onProblems: emitProblems });
  const isEdited = options.key.includes('--');
  const pace = createPace(options.runMode ?? 'typing', (files) => intake.take(files));

  const stage: Stage = {
    options,
    sources,
    get state() {
      return state;
    },
    setState(status) {
      setState({ status });
      // Ready for the first edit, and telling what is missing, once the page that is there shows.
      if (status === 'running' && isEdited) void intake.prepare().then(() => intake.checkPages());
    },
    fail(reason) {
      void path.close();
      setState({ status: 'failed', reason, sentence: failureSentences[reason] });
    },
    hear: (message) => hearing.hear(message),
    prepare: () => intake.prepare(),
    beginDocument: () => hearing.begin(),
    beginUpdate: () => hearing.beginUpdate(),
    setMissing: (line) => emit({ type: 'missing', line }),
    setPage: (page) => emit({ type: 'page', path: page }),
    fallBack() {
      void path.close();
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
    startCompileWorker();
    // Nobody but us has the files of a draft in the form in which they run.
    if (options.served === null) void intake.prepare();
  };
  const halt = (status: 'asleep' | 'stopped') => {
    void path.close();
    console.abandon();
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
    console,
    update(files) {
      if (!isEdited) throw new Error(`${options.key} is not edited here`);
      pace.give(files);
    },
    setRunMode: pace.setMode,
    run() {
      pace.release();
      void path.close();
      start();
    },
    stop: () => halt('stopped'),
    close() {
      visibility?.close();
      pace.close();
      path.forget();
      intake.close();
      console.abandon();
      console.log.close();
      listeners.clear();
      sharers.clear();
      state = { status: 'stopped' };
    },
    shared: {
      options,
      sources,
      intake,
      async interrupt(until) {
        if (!isAwake(state)) return until;
        setState({ status: 'starting' });
        await Promise.all([path.close(), until]);
        if (state.status === 'starting') path.open();
      },
      onChange(listener) {
        sharers.add(listener);
        return () => sharers.delete(listener);
      },
    },
    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function isAwake({ status }: PreviewState): boolean {
  return status !== 'asleep' && status !== 'stopped' && status !== 'failed';
}

/** Why nothing can be run in the page now; what only updates still has its last page. */
function consoleObstacle({ status }: PreviewState): string | undefined {
  switch (status) {
    case 'running':
    case 'updating':
      return undefined;
    case 'starting':
      return 'The project is still starting.';
    case 'stalled':
      return 'The page does not answer. Stop it, or change its code.';
    default:
      return 'Run the project first.';
  }
}

/** Where the portable page is when a served place turns out not to work. */
function originOf({ place, key }: MountOptions): string {
  return place.path === 'served' ? place.origin(key) : place.origin;
}
