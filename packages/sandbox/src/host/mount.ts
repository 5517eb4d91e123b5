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
  /** The frame is appended to this element and fills it. */
  element: HTMLElement;
  /** The frame's `title`, which screen readers announce: "Result". */
  title: string;
  /** `edit--SLUG`, `draft--ID`, or `SLUG` for a saved project that can't be edited here. */
  key: string;
  place: Place;
  files: ReadonlyMap<string, string>;
  /** Revision in which the server can serve `files` itself; null for drafts and unsaved changes. */
  served: { revision: number } | null;
  /** Private projects: requests a URL with a one-time token, from `mintEntry` on the server. */
  enter?: (signal: AbortSignal) => Promise<string>;
  /**
   * A frame that the server's HTML already started in `element`. It is adopted if it shows what `served`
   * says, and removed otherwise. See prerendered-frame.ts.
   */
  begun?: BegunFrame;
  /** Page to open first; defaults to `index.html`, or else `index.md`. */
  entry?: string;
  /** When edits run; defaults to 'typing'. */
  runMode?: RunMode;
  /** Starts in the state `stopped`: nothing runs before `run()`. */
  stopped?: boolean;
  /** URLs of package modules that list all their exports; read again with each change of the project's
   * files or packages. See `PackageOptions` in the compiler. */
  plainAddresses?: ReadonlySet<string>;
  /**
   * Starts when the element scrolls into view and sleeps when it has been out of view for a while. At most
   * `limits.previewsAtOnce` of these previews run at once.
   */
  startWhenVisible?: boolean;
}

export interface Preview {
  /** State as in the latest `state` event. */
  readonly state: PreviewState;
  /**
   * Replaces the complete set of files; only for keys `edit--…` and `draft--…`, throws for others. Cheap
   * for texts that are the same strings. The files run when the run mode says so.
   */
  update(files: ReadonlyMap<string, string>): void;
  /** Runs the project from the start, whatever the state and run mode. */
  run(): void;
  /** Changes the run mode; files that were held back run if the new mode allows. */
  setRunMode(mode: RunMode): void;
  /** Stops the project, even if the page is unresponsive. */
  stop(): void;
  /** Navigates to a URL of the project, "/about.html?x=1#top"; starts there if nothing runs. */
  visit(address: string): void;
  /** Goes one entry back or forward in the preview's history, if there is one. */
  travel(by: -1 | 1): void;
  /** Reloads the page shown, or runs the project if none is. */
  reload(): void;
  /** Emulates media features such as `prefers-color-scheme` and reloads the page. */
  setGuise(guise: Guise): void;
  /** Captures a screenshot of the visible part of the page. */
  takePicture(): Promise<Picture>;
  readonly console: PreviewConsole;
  readonly network: Network;
  readonly accessibility: Accessibility;
  readonly devtools: Devtools;
  /** Removes the frame for good; no event follows. */
  close(): void;
  /** Compiled files for test runs of the same project; see tests/mount-tests.ts. */
  readonly shared: SharedFiles;
  /** Subscribes to all events; returns the unsubscribe function. */
  on(listener: (event: PreviewEvent) => void): () => void;
}

/**
 * Runs a project in a frame inside `element` until it is closed; docs/host.md has an example. Failures
 * are reported as states and never thrown.
 */
export function mount(options: MountOptions): Preview {
  const listeners = new Set<(event: PreviewEvent) => void>();
  const sharers = new Set<() => void>();
  const notifySharers = () => sharers.forEach((listener) => listener());
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
      // An infinite loop would freeze the app's page too.
      options.place.path === 'portable' && options.place.sharesProcess,
    ),
    onProblems() {
      emitProblems();
      notifySharers();
    },
    onAccepted() {
      hearing.recheck();
      notifySharers();
      if (isAwake(state)) path.deliver();
      // The missing entry page may exist now.
      else if (state.status === 'failed' && state.reason === 'absent') start();
    },
  });
  const project = viewProject(sources);
  const hearing = createHearing({ intake, console, project, onProblems: emitProblems });
  const isEdited = options.key.includes('--');
  const pace = createPace(options.runMode ?? 'typing', (files, isTyped) =>
    intake.take(files, isTyped),
  );
  /** Path of the document shown; null if it isn't a page of the project. */
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
      // Once the page is visible, get ready for the first edit and report missing packages.
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
      inspection.onMessage(message);
    },
    prepare: () => intake.prepare(),
    get isPrepared() {
      return intake.isPrepared;
    },
    beginDocument() {
      hearing.begin();
      inspection.beginDocument();
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
  // The grid stacks frames on top of each other, so that a new one can replace a visible one.
  options.element.style.display = 'grid';

  const start = () => {
    setState({ status: 'starting' });
    path.open();
    // A page served by the server shows before anything is loaded that only edits need.
    if (options.served === null || options.place.path === 'portable') startCompileWorker();
    // Only this page can compile the files of a draft.
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
  const retryFailedLoads = () => {
    intake.retry();
    if (hearing.lacksScript && isAwake(state)) reload();
  };
  addEventListener('online', retryFailedLoads);
  // Deferred so that the caller has the preview, and can subscribe, before the first event.
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
      // Firefox frames inherit `color-scheme` from the embedding element, which reaches more than the agent can.
      options.element.style.colorScheme = guise.scheme ?? '';
      // Chromium shows the backdrop through a page of the same color scheme that paints no background.
      options.element.style.backgroundColor = guise.scheme === null ? '' : 'Canvas';
      if (inspection.setMediaEmulation(guise) && isAwake(state)) reload();
    },
    takePicture: () => inspection.takeScreenshot(),
    network: inspection.network,
    accessibility: inspection.accessibility,
    devtools: inspection.devtools,
    close() {
      visibility?.close();
      inspection.close();
      pace.close();
      removeEventListener('online', retryFailedLoads);
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

/** Why code can't be evaluated in the page now; undefined if it can. While updating, the last page still responds. */
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

/** Origin of the srcdoc page after the isolated-origin transport failed. */
function originOf({ place, key }: MountOptions): string {
  return place.path === 'served' ? place.origin(key) : place.origin;
}
