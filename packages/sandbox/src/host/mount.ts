import { removePrerendered, type PrerenderedFrame } from '../prerendered-frame.ts';
import type { MediaEmulation } from '../media-emulation.ts';
import type { PreviewHost } from '../preview-host.ts';
import type { Accessibility } from './accessibility.ts';
import type { Devtools } from './devtools.ts';
import { createSrcdocTransport } from './srcdoc-transport.ts';
import { createPreviewConsole, type PreviewConsole } from './preview-console.ts';
import { failureMessages, type PreviewEvent, type PreviewState } from './preview-state.ts';
import { createRuntimeDiagnostics } from './runtime-diagnostics.ts';
import { createInspection, type Screenshot } from './inspection.ts';
import { createCompileQueue } from './compile-queue.ts';
import type { Network } from './network.ts';
import { createProjectCompiler, startCompileWorker } from './project-compiler.ts';
import { createProjectView } from './project-view.ts';
import { createRunScheduler, type RunMode } from './run-scheduler.ts';
import { createIsolatedOriginTransport } from './isolated-origin-transport.ts';
import type { SharedCompilation } from './shared-compilation.ts';
import { createModuleStore } from './module-store.ts';
import type { PreviewTransport, PreviewContext } from './preview-context.ts';
import { observeVisibility } from './visibility.ts';

export interface MountOptions {
  /** The frame is appended to this element and fills it. */
  element: HTMLElement;
  /** The frame's `title`, which screen readers announce: "Result". */
  title: string;
  /** `edit--SLUG`, `draft--ID`, or `SLUG` for a saved project that can't be edited here. */
  key: string;
  previewHost: PreviewHost;
  files: ReadonlyMap<string, string>;
  /** Revision in which the server can serve `files` itself; null for drafts and unsaved changes. */
  served: { revision: number } | null;
  /** Private projects: requests a URL with a one-time token, from `mintEntry` on the server. */
  requestAccess?: (signal: AbortSignal) => Promise<string>;
  /**
   * A frame that the server's HTML already started in `element`. It is adopted if it shows what `served`
   * says, and removed otherwise. See prerendered-frame.ts.
   */
  prerendered?: PrerenderedFrame;
  /** Page to open first; defaults to `index.html`, or else `index.md`. */
  entry?: string;
  /** When edits run; defaults to 'typing'. */
  runMode?: RunMode;
  /** Starts in the state `stopped`: nothing runs before `run()`. */
  startsStopped?: boolean;
  /** URLs of package modules that list all their exports; read again with each change of the project's
   * files or packages. See `PackageOptions` in the compiler. */
  fullExportUrls?: ReadonlySet<string>;
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
  /**
   * Starts the page that was shown again, whatever the state and run mode; the entry page if it no longer exists.
   */
  run(): void;
  /** Changes the run mode; files that were held back run if the new mode allows. */
  setRunMode(mode: RunMode): void;
  /** Stops the project, even if the page is unresponsive. */
  stop(): void;
  /** Navigates to a URL of the project, "/about.html?x=1#top"; starts there if nothing runs. */
  navigate(address: string): void;
  /** Goes one entry back or forward in the preview's history, if there is one. */
  traverseHistory(by: -1 | 1): void;
  /** Reloads the page shown, or runs the project if none is. */
  reload(): void;
  /** Emulates media features such as `prefers-color-scheme` and reloads the page. */
  setMediaEmulation(emulation: MediaEmulation): void;
  /** Captures a screenshot of the visible part of the page. */
  takeScreenshot(): Promise<Screenshot>;
  readonly console: PreviewConsole;
  readonly network: Network;
  readonly accessibility: Accessibility;
  readonly devtools: Devtools;
  /** Removes the frame for good; no event follows. */
  close(): void;
  /** Compiled files for test runs of the same project; see tests/mount-tests.ts. */
  readonly shared: SharedCompilation;
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
  let state: PreviewState = { status: options.startsStopped ? 'stopped' : 'idle' };
  const setState = (next: PreviewState) => {
    if (next.status === state.status && next.status !== 'failed') return;
    state = next;
    emit({ type: 'state', state });
  };

  const moduleStore = createModuleStore(options.files);
  const console = createPreviewConsole({
    send: (message) => transport.send(message),
    findObstacle: () => findConsoleObstacle(state),
    onChange() {
      const { entries, dropped, document } = console.log;
      emit({ type: 'console', lines: entries, dropped, document });
    },
  });
  const emitDiagnostics = () =>
    emit({
      type: 'problem',
      problems: [...compileQueue.diagnostics, ...runtimeDiagnostics.diagnostics],
    });
  const compileQueue = createCompileQueue({
    moduleStore,
    compiler: createProjectCompiler(
      options.files,
      { origin: location.origin, fullExportUrls: options.fullExportUrls ?? new Set() },
      // An infinite loop would freeze the app's page too.
      options.previewHost.transport === 'srcdoc' && options.previewHost.sharesProcess,
    ),
    onDiagnostics() {
      emitDiagnostics();
      notifySharers();
    },
    onCommitted() {
      runtimeDiagnostics.dropOutdated();
      notifySharers();
      if (isActive(state)) transport.update();
      // The missing entry page may exist now.
      else if (state.status === 'failed' && state.reason === 'entry-missing') start();
    },
  });
  const project = createProjectView(moduleStore);
  const runtimeDiagnostics = createRuntimeDiagnostics({
    compileQueue,
    console,
    project,
    onDiagnostics: emitDiagnostics,
  });
  const isEditable = options.key.includes('--');
  const scheduler = createRunScheduler(options.runMode ?? 'typing', (files, isTyped) =>
    compileQueue.enqueue(files, isTyped),
  );
  /** Path of the document shown; null if it isn't a page of the project. */
  let page: string | null = null;
  const inspection = createInspection({
    compileQueue,
    moduleStore,
    previewHost: options.previewHost,
    key: options.key,
    page: () => page,
    onNetwork: (log) => emit({ type: 'network', log }),
    onAccessibility: (report) => emit({ type: 'accessibility', report }),
    send: (message, ports) => transport.send({ type: 'tool', message }, ports),
    reload: () => reload(),
    sendNetworkRules: (rules) => transport.sendNetworkRules(rules),
  });

  const context: PreviewContext = {
    options,
    moduleStore,
    get state() {
      return state;
    },
    setState(status) {
      setState({ status });
      // Once the page is visible, get ready for the first edit and report missing packages.
      if (status !== 'running' || !isEditable) return;
      runtimeDiagnostics.loadMessages();
      void compileQueue.prepare().then(() => compileQueue.checkPages());
    },
    fail(reason) {
      void transport.close();
      setState({ status: 'failed', reason, sentence: failureMessages[reason] });
    },
    onMessage(message) {
      runtimeDiagnostics.onMessage(message);
      inspection.onMessage(message);
    },
    prepare: () => compileQueue.prepare(),
    get isPrepared() {
      return compileQueue.isPrepared;
    },
    beginDocument() {
      runtimeDiagnostics.beginDocument();
      inspection.beginDocument();
    },
    beginUpdate: () => runtimeDiagnostics.beginUpdate(),
    get hasScriptFailure() {
      return runtimeDiagnostics.hasScriptFailure;
    },
    setLimitations: (line) => emit({ type: 'missing', line }),
    setPage(shown) {
      page = shown;
    },
    setAddress: ({ address, canGoBack, canGoForward }) =>
      emit({ type: 'address', at: { address, canGoBack, canGoForward } }),
    runWithTools: (run) => [run, ...inspection.scripts()].join('~'),
    fallBack() {
      void transport.close();
      transport = createSrcdocTransport(context, originOf(options));
      transport.open();
    },
  };

  let transport: PreviewTransport =
    options.previewHost.transport === 'isolated-origin'
      ? createIsolatedOriginTransport(context, options.previewHost.origin(options.key))
      : createSrcdocTransport(context, options.previewHost.origin);

  const { prerendered } = options;
  if (prerendered && (options.previewHost.transport !== 'isolated-origin' || options.startsStopped))
    removePrerendered(prerendered);
  // The grid stacks frames on top of each other, so that a new one can replace a visible one.
  options.element.style.display = 'grid';

  const start = () => {
    setState({ status: 'starting' });
    transport.open();
    // A page served by the server shows before anything is loaded that only edits need.
    if (options.served === null || options.previewHost.transport === 'srcdoc') startCompileWorker();
    // Only this page can compile the files of a draft.
    if (options.served === null) void compileQueue.prepare();
  };
  const run = () => {
    compileQueue.requestRetry();
    scheduler.flush();
    compileQueue.commitHeld();
    void transport.close();
    start();
  };
  const reload = () => {
    if (!isActive(state) || !transport.reload()) run();
  };
  const halt = (status: 'idle' | 'stopped') => {
    void transport.close();
    console.endPending();
    setState({ status });
  };

  const visibility = options.startWhenVisible
    ? observeVisibility(options.element, {
        onShown: () => state.status === 'idle' && start(),
        onHidden: () => isActive(state) && halt('idle'),
      })
    : undefined;
  const retryFailedLoads = () => {
    compileQueue.retry();
    if (runtimeDiagnostics.hasScriptFailure && isActive(state)) reload();
  };
  addEventListener('online', retryFailedLoads);
  // Deferred so that the caller has the preview, and can subscribe, before the first event.
  if (!visibility) queueMicrotask(() => state.status === 'idle' && start());

  return {
    get state() {
      return state;
    },
    console,
    update(files) {
      if (!isEditable) throw new Error(`${options.key} is not edited here`);
      scheduler.schedule(files);
    },
    setRunMode: scheduler.setMode,
    run,
    stop: () => halt('stopped'),
    navigate(address) {
      transport.navigate(address);
      if (!isActive(state) || state.status === 'unresponsive') run();
    },
    traverseHistory: (by) => transport.traverseHistory(by),
    reload,
    setMediaEmulation(emulation) {
      // Firefox frames inherit `color-scheme` from the embedding element, which reaches more than the agent can.
      options.element.style.colorScheme = emulation.colorScheme ?? '';
      // Chromium shows the backdrop through a page of the same color scheme that paints no background.
      options.element.style.backgroundColor = emulation.colorScheme === null ? '' : 'Canvas';
      if (inspection.setMediaEmulation(emulation) && isActive(state)) reload();
    },
    takeScreenshot: () => inspection.takeScreenshot(),
    network: inspection.network,
    accessibility: inspection.accessibility,
    devtools: inspection.devtools,
    close() {
      visibility?.close();
      inspection.close();
      scheduler.close();
      removeEventListener('online', retryFailedLoads);
      transport.dispose();
      compileQueue.close();
      console.endPending();
      console.log.close();
      listeners.clear();
      sharers.clear();
      state = { status: 'stopped' };
    },
    shared: {
      options,
      moduleStore,
      compileQueue,
      async interrupt(until) {
        if (!isActive(state)) return until;
        setState({ status: 'starting' });
        await Promise.all([transport.close(), until]);
        if (state.status === 'starting') transport.open();
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

function isActive({ status }: PreviewState): boolean {
  return status !== 'idle' && status !== 'stopped' && status !== 'failed';
}

/** Why code can't be evaluated in the page now; undefined if it can. While updating, the last page still responds. */
function findConsoleObstacle({ status }: PreviewState): string | undefined {
  switch (status) {
    case 'running':
    case 'updating':
      return undefined;
    case 'starting':
      return 'The project is still starting.';
    case 'unresponsive':
      return 'The page isn’t responding. Stop it or change its code.';
    default:
      return 'Run the project first.';
  }
}

/** Origin of the srcdoc page after the isolated-origin transport failed. */
function originOf({ previewHost, key }: MountOptions): string {
  return previewHost.transport === 'isolated-origin' ? previewHost.origin(key) : previewHost.origin;
}
