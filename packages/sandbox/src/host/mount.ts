import { dropBegun, type BegunFrame } from '../begun-frame.ts';
import type { Guise } from '../guise.ts';
import type { Place } from '../place.ts';
import type { Accessibility } from './accessibility.ts';
import type { Devtools } from './devtools.ts';
import { createPortablePath } from './portable-path.ts';
import { createPreviewConsole, type PreviewConsole } from './preview-console.ts';
import { failureSentences, type PreviewEvent, type PreviewState } from './preview-state.ts';
import { createHearing } from './hearing.ts';
import { createInspection, type Picture } from './inspection.ts';
import { createIntake } from './intake.ts';
import type { Network } from './network.ts';
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
  /**
   * A frame in `element` that has begun already, with what `served` says: it is taken over, or taken
   * away where it will not do. See begun-frame.ts.
   */
  begun?: BegunFrame;
  /** The page to begin with; `index.html`, or else `index.md`, if left out. */
  entry?: string;
  /** When edits run; as they are typed if left out. */
  runMode?: RunMode;
  /** Begins stopped: nothing runs before `run()`. */
  stopped?: boolean;
  /** Modules of packages that show all their names, read anew with each change of the project's
   * files or packages; see compiler, `PackageOptions`. */
  plainAddresses?: ReadonlySet<string>;
  /**
   * Starts when it comes into view, and sleeps when it has been out of view for long; of all such
   * previews of a page, `limits.previewsAtOnce` run at once.
   */
  startWhenVisible?: boolean;
}

export interface Preview {
  /** As in the last event of that type. */
  readonly state: PreviewState;
  /**
   * The whole set of files; for `edit--…` and `draft--…`. Cheap where texts are the same strings.
   * They run when the run mode says so. Throws for any other key.
   */
  update(files: ReadonlyMap<string, string>): void;
  /** Runs the project from its beginning, whatever the state and run mode. */
  run(): void;
  /** From now on; what was held back runs if it may. */
  setRunMode(mode: RunMode): void;
  /** Ends what runs, even if it does not answer. */
  stop(): void;
  /** Goes to an address of the project, "/about.html?x=1#top"; runs it there if nothing runs. */
  visit(address: string): void;
  /** One step along the addresses that were visited, where there is one. */
  travel(by: -1 | 1): void;
  /** Loads the page that shows anew; from the beginning where none does. */
  reload(): void;
  /** Lets the page believe in other wishes of its visitor than this device tells of; loads it anew. */
  setGuise(guise: Guise): void;
  /** Draws what is seen of the page, as far as a page can draw itself. */
  takePicture(): Promise<Picture>;
  readonly console: PreviewConsole;
  readonly network: Network;
  readonly accessibility: Accessibility;
  readonly devtools: Devtools;
  /** Takes the frame off the page, for good: no event comes after it. */
  close(): void;
  /** For whoever runs the same files in frames of their own: see tests/mount-tests.ts. */
  readonly shared: SharedFiles;
  /** Calls the listener for every event from now on; the function returned ends that. */
  on(listener: (event: PreviewEvent) => void): () => void;
}

/**
 * Runs a project in a frame inside `element` until it is closed; docs/host.md has an example. What
 * goes wrong is a state, never thrown.
 */
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
      hearing.recheck();
      tellSharers();
      if (isAwake(state)) path.deliver();
      // The page that was missing may be there now.
      else if (state.status === 'failed' && state.reason === 'absent') start();
    },
  });
  const project = viewProject(sources);
  const hearing = createHearing({ intake, console, project, onProblems: emitProblems });
  const isEdited = options.key.includes('--');
  const pace = createPace(options.runMode ?? 'typing', (files, isTyped) =>
    intake.take(files, isTyped),
  );
  /** The path of the document that shows. */
  let page: string | null = null;
  const inspection = createInspection({
    intake,
    sources,
    place: options.place,
    key: options.key,
    page: () => page,
    onNetwork: (log) => emit({ type: 'network', log }),
    onAccessibility: (report) => emit({ type: 'accessibility', report }),
    say: (message, ports) => path.send({ type: 'tool', message }, ports),
    reload: () => reload(),
    relayRules: (rules) => path.relayRules(rules),
  });

  const stage: Stage = {
    options,
    sources,
    get state() {
      return state;
    },
    setState(status) {
      setState({ status });
      // Ready for the first edit, and telling what is missing, once the page that is there shows.
      if (status !== 'running' || !isEdited) return;
      hearing.prepare();
      void intake.prepare().then(() => intake.checkPages());
    },
    fail(reason) {
      void path.close();
      setState({ status: 'failed', reason, sentence: failureSentences[reason] });
    },
    hear(message) {
      hearing.hear(message);
      inspection.hear(message);
    },
    prepare: () => intake.prepare(),
    get isPrepared() {
      return intake.isPrepared;
    },
    beginDocument() {
      hearing.begin();
      inspection.begin();
    },
    beginUpdate: () => hearing.beginUpdate(),
    get lacksScript() {
      return hearing.lacksScript;
    },
    setMissing: (line) => emit({ type: 'missing', line }),
    setPage(shown) {
      page = shown;
    },
    setAddress: ({ address, canGoBack, canGoForward }) =>
      emit({ type: 'address', at: { address, canGoBack, canGoForward } }),
    nameRun: (run) => [run, ...inspection.scripts()].join('~'),
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

  const { begun } = options;
  if (begun && (options.place.path !== 'served' || options.stopped)) dropBegun(begun);
  // Frames lie on top of each other, so that a new one can take the place of one that still shows.
  options.element.style.display = 'grid';

  const start = () => {
    setState({ status: 'starting' });
    path.open();
    // What the server has compiled shows before anything is loaded that edits will want.
    if (options.served === null || options.place.path === 'portable') startCompileWorker();
    // Nobody but us has the files of a draft in the form in which they run.
    if (options.served === null) void intake.prepare();
  };
  const run = () => {
    intake.tryAgain();
    pace.release();
    intake.release();
    void path.close();
    start();
  };
  const reload = () => {
    if (!isAwake(state) || !path.reload()) run();
  };
  const halt = (status: 'asleep' | 'stopped') => {
    void path.close();
    console.abandon();
    setState({ status });
  };

  const visibility = options.startWhenVisible
    ? watchVisibility(options.element, {
        onShown: () => state.status === 'asleep' && start(),
        onHidden: () => isAwake(state) && halt('asleep'),
      })
    : undefined;
  const onOnline = () => {
    intake.retry();
    if (hearing.lacksScript && isAwake(state)) reload();
  };
  addEventListener('online', onOnline);
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
    run,
    stop: () => halt('stopped'),
    visit(address) {
      path.visit(address);
      if (!isAwake(state) || state.status === 'stalled') run();
    },
    travel: (by) => path.travel(by),
    reload,
    setGuise(guise) {
      // In Firefox a frame takes it from what it is in, which reaches more than the frame's own tool.
      options.element.style.colorScheme = guise.scheme ?? '';
      // In Chromium what is behind a page of the same scheme is seen through it, where it paints nothing.
      options.element.style.backgroundColor = guise.scheme === null ? '' : 'Canvas';
      if (inspection.setGuise(guise) && isAwake(state)) reload();
    },
    takePicture: () => inspection.takePicture(),
    network: inspection.network,
    accessibility: inspection.accessibility,
    devtools: inspection.devtools,
    close() {
      visibility?.close();
      inspection.close();
      pace.close();
      removeEventListener('online', onOnline);
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
      return 'The page isn’t responding. Stop it or change its code.';
    default:
      return 'Run the project first.';
  }
}

/** Where the portable page is when a served place turns out not to work. */
function originOf({ place, key }: MountOptions): string {
  return place.path === 'served' ? place.origin(key) : place.origin;
}
