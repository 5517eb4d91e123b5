import type { AssetFile, FileChanges, ProjectFiles } from '@vitrine/project';
import { removePrerendered, type PrerenderedFrame } from '../prerendered-frame.ts';
import type { MediaEmulation } from '../media-emulation.ts';
import type { PreviewHost } from '../preview-host.ts';
import type { Accessibility } from './accessibility.ts';
import type { Devtools } from './devtools.ts';
import { createPreviewConsole, type PreviewConsole } from './preview-console.ts';
import { failureMessages, type PreviewEvent, type PreviewState } from './preview-state.ts';
import { createRuntimeDiagnostics } from './runtime-diagnostics.ts';
import { createInspection, type Screenshot } from './inspection.ts';
import { CompileQueue } from './compile-queue.ts';
import type { Network } from './network.ts';
import { createProjectCompiler, startCompileWorker } from './project-compiler.ts';
import { createProjectView } from './project-view.ts';
import { createRunScheduler, type RunMode } from './run-scheduler.ts';
import { createRunId } from '../run-urls.ts';
import { isActive } from './machine.ts';
import { PreviewRunner } from './run-preview.ts';
import type { SharedCompilation } from './shared-compilation.ts';
import { ModuleStore, findEntryPage } from './module-store.ts';
import { observeVisibility } from './visibility.ts';

export interface MountOptions {
  /** The frame is appended to this element and fills it. */
  element: HTMLElement;
  /** The frame's `title`, which screen readers announce: "Result". */
  title: string;
  /** `edit--SLUG`, `draft--ID`, or `SLUG` for a saved project that can't be edited here. */
  key: string;
  previewHost: PreviewHost;
  files: ProjectFiles;
  /** Loads the bytes of an asset. A project without assets needs none. */
  loadAsset?(asset: AssetFile): Promise<Blob>;
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
   * Changes files; only for keys `edit--…` and `draft--…`, throws for others. The changes run when the run
   * mode says so.
   */
  update(changes: FileChanges): void;
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

  const moduleStore = new ModuleStore(options.files);
  const console = createPreviewConsole({
    send: (message) => runner.send(message),
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
  const compileQueue = new CompileQueue({
    moduleStore,
    compiler: createProjectCompiler(
      options.files,
      { origin: location.origin, fullExportUrls: options.fullExportUrls ?? new Set() },
      // An infinite loop would freeze the app's page too.
      options.previewHost.transport === 'srcdoc' && options.previewHost.sharesProcess,
    ),
    loadAsset:
      options.loadAsset ?? (() => Promise.reject(new Error('assets can’t be loaded here'))),
    onDiagnostics() {
      emitDiagnostics();
      notifySharers();
    },
    onCommitted() {
      runtimeDiagnostics.dropOutdated();
      notifySharers();
      if (isActive(state.status)) runner.dispatch({ type: 'committed' });
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
  const scheduler = createRunScheduler(options.runMode ?? 'typing', (changes, isTyped) =>
    compileQueue.enqueue(changes, isTyped),
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
    send: (message, ports) => runner.send({ type: 'tool', message }, ports),
    reload: () => reload(),
    sendNetworkRules(rules) {
      // Without a service worker, the network tool inside the frame applies the rules.
      if (isEditable && runner.state.transport.kind === 'isolated-origin')
        runner.send({ type: 'relay', message: { type: 'rules', run: runId, rules } });
    },
  });

  const runId = options.prerendered?.run ?? createRunId();
  const runner = new PreviewRunner({
    element: options.element,
    title: options.title,
    transport: options.previewHost.transport,
    startsStopped: options.startsStopped ?? false,
    store: moduleStore,
    prerendered: options.prerendered,
    requestAccess: options.requestAccess,
    config: {
      origin: originOf(options),
      run: runId,
      isEditable,
      servedRevision: options.served?.revision ?? null,
      needsAccess: options.requestAccess !== undefined,
      entry: options.entry ?? null,
    },
    facts: () => ({
      isPrepared: compileQueue.isPrepared,
      hasScriptFailure: runtimeDiagnostics.hasScriptFailure,
      runWithTools: [runId, ...inspection.scripts()].join('~'),
    }),
    prepare: () => compileQueue.prepare(),
    entry: () => options.entry ?? findEntryPage(moduleStore),
    onStatus({ status, failure }) {
      state =
        status === 'failed'
          ? {
              status,
              reason: failure ?? 'timeout',
              sentence: failureMessages[failure ?? 'timeout'],
            }
          : { status };
      emit({ type: 'state', state });
      // Once the page is visible, get ready for the first edit and report missing packages.
      if (status !== 'running' || !isEditable) return;
      runtimeDiagnostics.loadMessages();
      void compileQueue.prepare().then(() => compileQueue.checkPages());
    },
    onMessage(message) {
      runtimeDiagnostics.onMessage(message);
      inspection.onMessage(message);
    },
    onBeginDocument() {
      runtimeDiagnostics.beginDocument();
      inspection.beginDocument();
    },
    onBeginUpdate: () => runtimeDiagnostics.beginUpdate(),
    onPage(path) {
      page = path;
    },
    onAddress: ({ address, canGoBack, canGoForward }) =>
      emit({ type: 'address', at: { address, canGoBack, canGoForward } }),
    onLimitations: (line) => emit({ type: 'missing', line }),
  });

  const { prerendered } = options;
  if (prerendered && (options.previewHost.transport !== 'isolated-origin' || options.startsStopped))
    removePrerendered(prerendered);
  // The grid stacks frames on top of each other, so that a new one can replace a visible one.
  options.element.style.display = 'grid';

  const start = () => {
    runner.dispatch({ type: 'open' });
    // A page served by the server shows before anything is loaded that only edits need.
    if (options.served === null || options.previewHost.transport === 'srcdoc') startCompileWorker();
    // Only this page can compile the files of a draft.
    if (options.served === null) void compileQueue.prepare();
  };
  const run = () => {
    compileQueue.requestRetry();
    scheduler.flush();
    compileQueue.commitHeld();
    start();
  };
  const reload = () => {
    if (isActive(state.status) && runner.canReload) runner.dispatch({ type: 'reload' });
    else run();
  };
  const halt = (status: 'idle' | 'stopped') => {
    runner.dispatch({ type: 'halt', status });
    console.endPending();
  };

  const visibility = options.startWhenVisible
    ? observeVisibility(options.element, {
        onShown: () => state.status === 'idle' && start(),
        onHidden: () => isActive(state.status) && halt('idle'),
      })
    : undefined;
  const retryFailedLoads = () => {
    compileQueue.retry();
    if (state.status === 'failed' && state.reason === 'offline') start();
    if (runtimeDiagnostics.hasScriptFailure && isActive(state.status)) reload();
  };
  addEventListener('online', retryFailedLoads);
  // Deferred so that the caller has the preview, and can subscribe, before the first event.
  if (!visibility) queueMicrotask(() => state.status === 'idle' && start());

  return {
    get state() {
      return state;
    },
    console,
    update(changes) {
      if (!isEditable) throw new Error(`${options.key} is not edited here`);
      scheduler.schedule(changes);
    },
    setRunMode: scheduler.setMode,
    run,
    stop: () => halt('stopped'),
    navigate(address) {
      runner.dispatch({ type: 'navigate', address });
      if (!isActive(state.status) || state.status === 'unresponsive') run();
    },
    traverseHistory: (by) => runner.dispatch({ type: 'traverse', by }),
    reload,
    setMediaEmulation(emulation) {
      // Firefox frames inherit `color-scheme` from the embedding element, which reaches more than the agent can.
      options.element.style.colorScheme = emulation.colorScheme ?? '';
      // Chromium shows the backdrop through a page of the same color scheme that paints no background.
      options.element.style.backgroundColor = emulation.colorScheme === null ? '' : 'Canvas';
      if (inspection.setMediaEmulation(emulation) && isActive(state.status)) reload();
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
      listeners.clear();
      runner.dispose();
      compileQueue.close();
      console.endPending();
      console.log.close();
      sharers.clear();
      state = { status: 'stopped' };
    },
    shared: {
      options,
      moduleStore,
      compileQueue,
      async interrupt(until) {
        if (!isActive(state.status)) return until;
        runner.dispatch({ type: 'halt', status: 'starting' });
        await Promise.all([runner.removal, until]);
        if (state.status === 'starting') runner.dispatch({ type: 'open' });
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
