import type { AssetFile, FileChanges, ProjectFiles } from '@vitrine/project';
import { listPages } from '../file-urls.ts';
import { removePrerendered, type PrerenderedFrame } from '../prerendered-frame.ts';
import { nothingAllowed } from '../frame-attributes.ts';
import type { PermissionName } from '../permissions.ts';
import type { MediaEmulation } from '../media-emulation.ts';
import type { PreviewHost } from '../preview-host.ts';
import type { Accessibility } from './accessibility.ts';
import type { Devtools } from './devtools.ts';
import { createPreviewConsole, type HostConsole, type PreviewConsole } from './preview-console.ts';
import {
  failureMessages,
  type FailureReason,
  type PreviewEvent,
  type PreviewState,
} from './preview-state.ts';
import { RuntimeDiagnostics } from './runtime-diagnostics.ts';
import { createInspection, type Screenshot } from './inspection.ts';
import { CompileQueue } from './compile-queue.ts';
import type { Network } from './network.ts';
import { createProjectCompiler, startCompileWorker } from './project-compiler.ts';
import { createProjectView } from './project-view.ts';
import { createRunScheduler, type RunMode } from './run-scheduler.ts';
import { createRunId } from '../run-urls.ts';
import { isActive, type State } from './machine.ts';
import { PreviewRunner } from './run-preview.ts';
import { ModuleStore, findEntryPage } from './module-store.ts';
import { observeVisibility } from './visibility.ts';

export interface MountOptions {
  /** The frame is appended to this element and fills it. */
  element: HTMLElement;
  /** The frame's `title`, which screen readers announce: "Result". */
  title: string;
  /** `edit--SLUG` or `draft--ID`; `SLUG` for a saved project, and `v12--SLUG` for a version of it, that can't
   * be edited here. */
  key: string;
  previewHost: PreviewHost;
  files: ProjectFiles;
  /** Loads the bytes of an asset. A project without assets needs none. */
  loadAsset?(asset: AssetFile): Promise<Blob>;
  /** Revision in which the server can serve `files` itself; null for drafts and unsaved changes. */
  served: { revision: number } | null;
  /** Private projects: requests a URL with a one-time token, from `mintEntry` on the server. */
  requestAccess?: (signal: AbortSignal) => Promise<string>;
  /** Whether the project needs that at the moment. By default always, if there is `requestAccess`. */
  needsAccess?(): boolean;
  /**
   * A frame that the server's HTML already started in `element`. It is adopted if it shows what `served`
   * says, and removed otherwise. See prerendered-frame.ts.
   */
  prerendered?: PrerenderedFrame;
  /** Permissions that the user has allowed this project; by default none. */
  permissions?: ReadonlySet<PermissionName>;
  /** Page to open first; defaults to `index.html`, `index.md`, or else the project's only page. */
  entry?: string;
  /** When edits run; defaults to 'typing'. */
  runMode?: RunMode;
  /** Starts in the state `stopped`: nothing runs before `run()`. */
  startsStopped?: boolean;
  /** URLs of package modules that list all their exports; read again with each change of the project's
   * files or packages. See `PackageOptions` in the compiler. */
  fullExportUrls?: ReadonlySet<string>;
  /** Resolves once they are known, as far as they can be. Called when initial files are compiled. */
  whenUrlsKnown?(): Promise<void> | undefined;
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
  /** Applies edits that wait for their run mode. */
  flush(): void;
  /** Changes the run mode; files that were held back run if the new mode allows. */
  setRunMode(mode: RunMode): void;
  /** Stops the project, even if the page is unresponsive. */
  stop(): void;
  /** Navigates to a URL of the project, "/about.html?x=1#top"; starts there if nothing runs. */
  navigate(address: string): void;
  /** The pages that can be shown, by folder and name: one that was just added compiles first. */
  listPages(): string[];
  /** Goes one entry back or forward in the preview's history, if there is one. */
  traverseHistory(by: -1 | 1): void;
  /** Reloads the page shown, or runs the project if none is. */
  reload(): void;
  /** Emulates media features such as `prefers-color-scheme` and reloads the page. */
  setMediaEmulation(emulation: MediaEmulation): void;
  /** Changes the permissions that the user has allowed, and opens the page in a new frame. */
  setPermissions(allowed: ReadonlySet<PermissionName>): void;
  /** Captures a screenshot of the visible part of the page. */
  takeScreenshot(): Promise<Screenshot>;
  /**
   * Captures a screenshot that others may see, scaled to cover 1280 × 800. Fails unless the page is as it opens:
   * untouched by the user and without stored data. Takes seconds, since it waits until the page is idle.
   */
  takePoster(): Promise<Screenshot>;
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

/** Compiled files of a preview, shared with test runs of the same project so that nothing compiles twice. */
export interface SharedCompilation {
  readonly options: MountOptions;
  readonly moduleStore: ModuleStore;
  readonly compileQueue: CompileQueue;
  /** Runs the edits that the run mode holds back. */
  flush(): void;
  /**
   * Removes the preview's frame, waits for it and `until`, and opens it again. Sandboxed frames share a
   * process in Chromium: while one is unresponsive, all are, until every one has gone.
   */
  interrupt(until: Promise<void>): Promise<void>;
  /** Calls the listener whenever the output or diagnostics change; returns the unsubscribe function. */
  onChange(listener: () => void): () => void;
}

/**
 * Runs a project in a frame inside `element` until it is closed; docs/host.md has an example. Failures
 * are reported as states and never thrown.
 */
export function mount(options: MountOptions): Preview {
  return new MountedPreview(options);
}

class MountedPreview implements Preview {
  readonly shared: SharedCompilation;
  readonly console: HostConsole;
  readonly network: Network;
  readonly accessibility: Accessibility;
  readonly devtools: Devtools;
  readonly #options: MountOptions;
  readonly #isEditable: boolean;
  readonly #runId: string;
  readonly #listeners = new Set<(event: PreviewEvent) => void>();
  /** Test runs of the same files; called whenever the output or diagnostics change. */
  readonly #sharers = new Set<() => void>();
  readonly #moduleStore: ModuleStore;
  readonly #compileQueue: CompileQueue;
  readonly #diagnostics: RuntimeDiagnostics;
  readonly #scheduler: ReturnType<typeof createRunScheduler>;
  readonly #inspection: ReturnType<typeof createInspection>;
  readonly #runner: PreviewRunner;
  readonly #visibility: { close(): void } | undefined;
  #state: PreviewState;
  #permissions: ReadonlySet<PermissionName>;
  /** Path of the document shown; null if it isn't a page of the project. */
  #page: string | null = null;

  constructor(options: MountOptions) {
    const { element, prerendered, previewHost } = options;
    this.#options = options;
    this.#permissions = options.permissions ?? nothingAllowed;
    this.#isEditable = /^(?:edit|draft)--/.test(options.key);
    this.#runId = prerendered?.run ?? createRunId();
    this.#state = { status: options.startsStopped ? 'stopped' : 'idle' };
    this.#moduleStore = new ModuleStore(options.files);
    this.console = createPreviewConsole({
      send: (message) => this.#runner.send(message),
      findObstacle: () => findConsoleObstacle(this.#state),
      onChange: () => this.#emitConsole(),
    });
    this.#compileQueue = this.#createCompileQueue();
    this.#diagnostics = new RuntimeDiagnostics({
      compileQueue: this.#compileQueue,
      console: this.console,
      project: createProjectView(this.#moduleStore),
      permissions: {
        isAllowed: (name) => this.#hasOrigin && this.#permissions.has(name),
        canAllow: () => this.#hasOrigin,
      },
      onDiagnostics: () => this.#emitDiagnostics(),
    });
    this.#scheduler = createRunScheduler(options.runMode ?? 'typing', (changes, isTyped) =>
      this.#compileQueue.enqueue(changes, isTyped),
    );
    this.#inspection = this.#createInspection();
    ({
      network: this.network,
      accessibility: this.accessibility,
      devtools: this.devtools,
    } = this.#inspection);
    this.#runner = this.#createRunner();
    this.shared = {
      options,
      moduleStore: this.#moduleStore,
      compileQueue: this.#compileQueue,
      flush: () => this.flush(),
      interrupt: (until) => this.#interrupt(until),
      onChange: (listener) => {
        this.#sharers.add(listener);
        return () => this.#sharers.delete(listener);
      },
    };
    if (prerendered && (previewHost.transport !== 'isolated-origin' || options.startsStopped))
      removePrerendered(prerendered);
    // The grid stacks frames on top of each other, so that a new one can replace a visible one.
    element.style.display = 'grid';
    addEventListener('online', this.#retryFailedLoads);
    this.#visibility = options.startWhenVisible
      ? observeVisibility(element, {
          onShown: () => this.#startIfIdle(),
          onHidden: () => this.#isActive && this.#halt('idle'),
        })
      : undefined;
    // Deferred so that the caller has the preview, and can subscribe, before the first event.
    if (!this.#visibility) queueMicrotask(() => this.#startIfIdle());
  }

  get state(): PreviewState {
    return this.#state;
  }

  on(listener: (event: PreviewEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  update(changes: FileChanges): void {
    if (!this.#isEditable) throw new Error(`${this.#options.key} is not edited here`);
    this.#scheduler.schedule(changes);
  }

  flush(): void {
    this.#scheduler.flush();
    this.#compileQueue.commitHeld();
  }

  setRunMode(mode: RunMode): void {
    this.#scheduler.setMode(mode);
  }

  run(): void {
    this.#compileQueue.requestRetry();
    this.flush();
    this.#start();
  }

  stop(): void {
    this.#halt('stopped');
  }

  navigate(address: string): void {
    this.#runner.dispatch({ type: 'navigate', address });
    if (!this.#isActive || this.#state.status === 'unresponsive') this.run();
  }

  listPages(): string[] {
    return listPages([...this.#moduleStore.paths]);
  }

  traverseHistory(by: -1 | 1): void {
    this.#runner.dispatch({ type: 'traverse', by });
  }

  reload(): void {
    if (this.#isActive && this.#runner.canReload) this.#runner.dispatch({ type: 'reload' });
    else this.run();
  }

  setMediaEmulation(emulation: MediaEmulation): void {
    const { style } = this.#options.element;
    // Firefox frames inherit `color-scheme` from the embedding element, which reaches more than the agent can.
    style.colorScheme = emulation.colorScheme ?? '';
    // Chromium shows the backdrop through a page of the same color scheme that paints no background.
    style.backgroundColor = emulation.colorScheme === null ? '' : 'Canvas';
    if (this.#inspection.setMediaEmulation(emulation) && this.#isActive) this.#reloadPage();
  }

  setPermissions(allowed: ReadonlySet<PermissionName>): void {
    this.#permissions = allowed;
    this.#runner.permissions = allowed;
    // Only a new frame has them for certain: a page may reload before the browser knows those of its frame, reload
    // itself at that moment, or ignore a reload.
    if (this.#isActive) this.#start();
  }

  takeScreenshot(): Promise<Screenshot> {
    return this.#inspection.takeScreenshot('user');
  }

  takePoster(): Promise<Screenshot> {
    return this.#inspection.takeScreenshot('poster');
  }

  close(): void {
    this.#visibility?.close();
    this.#inspection.close();
    this.#diagnostics.close();
    this.#scheduler.close();
    removeEventListener('online', this.#retryFailedLoads);
    this.#listeners.clear();
    this.#runner.dispose();
    this.#compileQueue.close();
    this.console.endPending();
    this.console.log.close();
    this.#sharers.clear();
    this.#state = { status: 'stopped' };
  }

  // Parts

  #createCompileQueue(): CompileQueue {
    const { files, previewHost, fullExportUrls, loadAsset, whenUrlsKnown } = this.#options;
    const compiler = createProjectCompiler(
      files,
      { origin: location.origin, fullExportUrls: fullExportUrls ?? new Set() },
      // An infinite loop would freeze the app's page too.
      previewHost.transport === 'srcdoc' && previewHost.sharesProcess,
    );
    return new CompileQueue({
      moduleStore: this.#moduleStore,
      compiler,
      loadAsset: loadAsset ?? (() => Promise.reject(new Error('assets can’t be loaded here'))),
      ...(whenUrlsKnown && { whenUrlsKnown }),
      onDiagnostics: () => {
        this.#emitDiagnostics();
        this.#notifySharers();
      },
      onCommitted: () => {
        this.#diagnostics.onEdit();
        this.#notifySharers();
        if (this.#isActive) this.#runner.dispatch({ type: 'committed' });
        // The missing entry page may exist now.
        else if (this.#hasFailed('entry-missing')) this.#start();
      },
    });
  }

  #createInspection(): ReturnType<typeof createInspection> {
    return createInspection({
      compileQueue: this.#compileQueue,
      moduleStore: this.#moduleStore,
      previewHost: this.#options.previewHost,
      key: this.#options.key,
      page: () => this.#page,
      onNetwork: (log) => this.#emit({ type: 'network', log }),
      onAccessibility: (report) => this.#emit({ type: 'accessibility', report }),
      send: (message, ports) => this.#runner.send({ type: 'tool', message }, ports),
      reload: () => this.reload(),
      sendNetworkRules: (rules) => {
        // Without a service worker, the network tool inside the frame applies the rules.
        if (!this.#isEditable || this.#runner.state.transport.kind !== 'isolated-origin') return;
        const message = { type: 'rules', run: this.#runId, rules } as const;
        this.#runner.send({ type: 'relay', message });
      },
    });
  }

  #createRunner(): PreviewRunner {
    const options = this.#options;
    return new PreviewRunner({
      element: options.element,
      title: options.title,
      transport: options.previewHost.transport,
      startsStopped: options.startsStopped ?? false,
      store: this.#moduleStore,
      prerendered: options.prerendered,
      permissions: this.#permissions,
      requestAccess: options.requestAccess,
      config: {
        origin: originOf(options),
        run: this.#runId,
        isEditable: this.#isEditable,
        servedRevision: options.served?.revision ?? null,
        entry: options.entry ?? null,
      },
      facts: () => ({
        isPrepared: this.#compileQueue.isPrepared,
        hasScriptFailure: this.#diagnostics.hasScriptFailure,
        needsAccess: options.needsAccess?.() ?? options.requestAccess !== undefined,
        runWithTools: [this.#runId, ...this.#inspection.scripts()].join('~'),
      }),
      prepare: () => this.#compileQueue.prepare(),
      entry: () => options.entry ?? findEntryPage(this.#moduleStore),
      onStatus: (state) => this.#setState(state),
      onMessage: (message) => {
        this.#diagnostics.onMessage(message);
        this.#inspection.onMessage(message);
      },
      onBeginDocument: () => {
        this.#diagnostics.beginDocument();
        this.#inspection.beginDocument();
      },
      onBeginUpdate: () => this.#diagnostics.beginUpdate(),
      onPage: (path) => (this.#page = path),
      onAddress: ({ address, canGoBack, canGoForward }) =>
        this.#emit({ type: 'address', at: { address, canGoBack, canGoForward } }),
      onLimitations: (line) => this.#emit({ type: 'missing', line }),
    });
  }

  // Events

  #emit(event: PreviewEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #emitConsole(): void {
    const { entries, dropped, document } = this.console.log;
    this.#emit({ type: 'console', lines: entries, dropped, document });
  }

  #emitDiagnostics(): void {
    const problems = [...this.#compileQueue.diagnostics, ...this.#diagnostics.diagnostics];
    this.#emit({ type: 'problem', problems });
  }

  #notifySharers(): void {
    for (const listener of this.#sharers) listener();
  }

  // State

  get #isActive(): boolean {
    return isActive(this.#state.status);
  }

  /** Whether the preview has an origin of its own, which the srcdoc transport doesn't give it. */
  get #hasOrigin(): boolean {
    return this.#runner.state.transport.kind === 'isolated-origin';
  }

  #hasFailed(reason: FailureReason): boolean {
    return this.#state.status === 'failed' && this.#state.reason === reason;
  }

  #setState({ status, failure }: State): void {
    const reason = failure ?? 'timeout';
    this.#state =
      status === 'failed' ? { status, reason, message: failureMessages[reason] } : { status };
    this.#emit({ type: 'state', state: this.#state });
    // Once the page is visible, get ready for the first edit and report missing packages.
    if (status === 'running' && this.#isEditable) void this.#getReadyForEdits();
  }

  async #getReadyForEdits(): Promise<void> {
    this.#diagnostics.loadMessages();
    await this.#compileQueue.prepare();
    this.#compileQueue.prepareForEdits();
    this.#compileQueue.checkPages();
  }

  #startIfIdle(): void {
    if (this.#state.status === 'idle') this.#start();
  }

  #start(): void {
    const { served, previewHost } = this.#options;
    this.#runner.dispatch({ type: 'open' });
    // A page served by the server shows before anything is loaded that only edits need.
    if (served === null || previewHost.transport === 'srcdoc') startCompileWorker();
    // Only this page can compile the files of a draft.
    if (served === null) void this.#compileQueue.prepare();
  }

  /** Reloads the page shown, or starts it again if it can't reload. Edits wait for their run mode. */
  #reloadPage(): void {
    if (this.#runner.canReload) this.#runner.dispatch({ type: 'reload' });
    else this.#start();
  }

  #halt(status: 'idle' | 'stopped'): void {
    this.#runner.dispatch({ type: 'halt', status });
    this.console.endPending();
  }

  async #interrupt(until: Promise<void>): Promise<void> {
    if (!this.#isActive) return until;
    this.#runner.dispatch({ type: 'halt', status: 'starting' });
    await Promise.all([this.#runner.removal, until]);
    if (this.#state.status === 'starting') this.#runner.dispatch({ type: 'open' });
  }

  readonly #retryFailedLoads = (): void => {
    this.#compileQueue.retry();
    if (this.#hasFailed('offline')) this.#start();
    else if (this.#diagnostics.hasScriptFailure && this.#isActive) this.#reloadPage();
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
