import type { ReplCode } from '@vitrine/editor';
import type { FileChanges } from '@vitrine/project';
import { loadWithRetries } from '@vitrine/project/retry-loading';
import type { PrerenderedFrame } from '@vitrine/sandbox/prerendered-frame';
import type {
  AccessibilityReport,
  MountOptions,
  ObjectQueryResponse,
  ObjectQuery,
  Screenshot,
  Preview,
  PreviewEvent,
  PreviewState,
  PreviewDiagnostic,
  RunMode,
  PageLocation,
} from '@vitrine/sandbox/host';
import type { PermissionName } from '@vitrine/sandbox/permissions';
import {
  emptyConsoleLog,
  emptyFilter,
  type ConsoleFilter,
  type ConsoleLogSnapshot,
} from '../console/console-log.ts';
import { getConsoleSettings } from '../console/console-settings.ts';
import { NetworkMonitor } from '../network/network-monitor.ts';
import { initialView, storeView, loadView, type PreviewView } from './preview-view.ts';
import { CrashMarker } from './crash-marker.ts';
import { ValueStore } from '../value-store.ts';

/** The preview that the server's page has started. */
export interface PrerenderedPreview {
  /** Element that the preview will be mounted in. */
  readonly place: HTMLElement;
  readonly frame: PrerenderedFrame;
}

declare global {
  interface Window {
    /** Set by the page's inline script, until the app adopts the frame. */
    prerenderedPreview?: PrerenderedPreview;
  }
}

/** Options of the preview besides its element. */
type PreviewControllerOptions = Pick<
  MountOptions,
  | 'key'
  | 'previewHost'
  | 'files'
  | 'loadAsset'
  | 'served'
  | 'requestAccess'
  | 'needsAccess'
  | 'fullExportUrls'
  | 'whenUrlsKnown'
  | 'runMode'
  | 'permissions'
> &
  Partial<Pick<MountOptions, 'title'>>;

/** The preview of a workspace and the state it reports, from `show` to `close`. */
export class PreviewController {
  readonly state = new ValueStore<PreviewState>({ status: 'starting' });
  readonly console = new ValueStore<ConsoleLogSnapshot>(emptyConsoleLog);
  readonly consoleFilter = new ValueStore<ConsoleFilter>(emptyFilter);
  readonly problems = new ValueStore<readonly PreviewDiagnostic[]>([]);
  /** Features this preview lacks, in one line. Null if there are none. */
  readonly limitations = new ValueStore<string | null>(null);
  /** Current page, as it reports itself. Null if none is shown. */
  readonly location = new ValueStore<PageLocation | null>(null);
  readonly network = new NetworkMonitor();
  readonly accessibility = new ValueStore<AccessibilityReport>({ status: 'off' });
  /** View settings of this device. */
  readonly view = new ValueStore<PreviewView>(initialView);
  /** True if the preview wasn't started because the last run crashed. */
  readonly wasNotStarted = new ValueStore(false);
  /** The mounted preview. Undefined before `show` and after `close`. */
  readonly mounted = new ValueStore<Preview | undefined>(undefined);
  /** Storage key of the project. */
  #key = '';
  /** True while accessibility checks are requested. */
  #checksAccessibility = false;
  /** Console input that waits for the page. */
  #pendingInput: ReplCode[] = [];
  #crashMarker: CrashMarker | undefined;

  /** Starts the preview in an element, unless the signal aborts first. */
  async show(
    element: HTMLElement,
    options: PreviewControllerOptions,
    signal: AbortSignal,
  ): Promise<void> {
    const { key } = options;
    const load = () => import('@vitrine/sandbox/host');
    const [host, isHeld] = await Promise.all([
      // Rejects when aborted, or if the page has to be reloaded, which it says.
      loadWithRetries(load, { signal }).catch(() => undefined),
      CrashMarker.exists(key),
    ]);
    if (!host || signal.aborted) return;
    const prerendered = takePrerendered(element);
    const preview = host.mount({
      element,
      title: 'Result',
      startsStopped: isHeld,
      ...options,
      ...(prerendered && { prerendered }),
    });
    this.mounted.set(preview);
    this.#key = key;
    preview.console.preserveLog(getConsoleSettings().get().keepsLog);
    this.view.set(loadView(key));
    preview.setMediaEmulation(this.view.get().mediaEmulation);
    this.network.setPreview(preview);
    preview.accessibility.watch(this.#checksAccessibility);
    this.wasNotStarted.set(isHeld);
    if (isHeld) this.#setState({ status: 'stopped' });
    const marker = new CrashMarker(key, {
      isLeft: isHeld,
      sharesProcess:
        options.previewHost.transport === 'srcdoc' && options.previewHost.sharesProcess,
    });
    this.#crashMarker = marker;
    preview.on((event) => {
      if (event.type === 'state') marker.onStatus(event.state.status);
      this.#onEvent(event);
    });
    preloadConsole(preview);
  }

  #setState(state: PreviewState): void {
    if (state.status === 'stopped' || state.status === 'failed') this.location.set(null);
    this.state.set(state);
    if (state.status !== 'starting')
      for (const code of this.#pendingInput.splice(0)) this.runInPage(code);
  }

  #onEvent(event: PreviewEvent): void {
    switch (event.type) {
      case 'state':
        return this.#setState(event.state);
      case 'address':
        return this.location.set(event.at);
      case 'problem':
        return this.problems.set(event.problems);
      case 'missing':
        return this.limitations.set(event.line);
      case 'network':
        return this.network.log.set(event.log);
      case 'accessibility':
        return this.accessibility.set(event.report);
      case 'console':
        return this.console.set({
          lines: event.lines,
          dropped: event.dropped,
          document: event.document,
        });
    }
  }

  /** Updates the preview after an edit. */
  update(changes: FileChanges): void {
    this.mounted.get()?.update(changes);
  }

  /** Applies edits that wait for their run mode. */
  flush(): void {
    this.mounted.get()?.flush();
  }

  setRunMode(mode: RunMode): void {
    this.mounted.get()?.setRunMode(mode);
  }

  run(): void {
    this.wasNotStarted.set(false);
    this.mounted.get()?.run();
  }

  stop(): void {
    this.mounted.get()?.stop();
  }

  /** Navigates to a path of the project: "/about.html?x=1#top". */
  navigate(address: string): void {
    this.wasNotStarted.set(false);
    this.mounted.get()?.navigate(address);
  }

  /** The project's pages, by folder and name. */
  listPages(): readonly string[] {
    return this.mounted.get()?.listPages() ?? [];
  }

  goInHistory(by: -1 | 1): void {
    this.mounted.get()?.traverseHistory(by);
  }

  /** Reloads the current page. */
  reload(): void {
    this.wasNotStarted.set(false);
    this.mounted.get()?.reload();
  }

  /** Changes what the user has allowed the project; the page reloads. */
  setPermissions(allowed: ReadonlySet<PermissionName>): void {
    this.mounted.get()?.setPermissions(allowed);
  }

  setView(view: PreviewView): void {
    const { mediaEmulation } = this.view.get();
    this.view.set(view);
    if (view.mediaEmulation !== mediaEmulation)
      this.mounted.get()?.setMediaEmulation(view.mediaEmulation);
    storeView(this.#key, view);
  }

  /** Turns accessibility checks on or off. They run now and after each change. */
  setAccessibilityChecks(isWanted: boolean): void {
    this.#checksAccessibility = isWanted;
    this.mounted.get()?.accessibility.watch(isWanted);
  }

  /** Outlines an element of a finding in the page. Null removes the outline. */
  outline(element: number | null): void {
    this.mounted.get()?.accessibility.outline(element);
  }

  async takeScreenshot(): Promise<Screenshot> {
    return this.mounted.get()?.takeScreenshot() ?? { status: 'failed' };
  }

  async takePoster(): Promise<Screenshot> {
    return this.mounted.get()?.takePoster() ?? { status: 'failed' };
  }

  clearConsole(): void {
    this.mounted.get()?.console.clear();
  }

  /** Whether log entries are kept when the page reloads. */
  preserveLog(isKept: boolean): void {
    this.mounted.get()?.console.preserveLog(isKept);
  }

  /** Evaluates code in the page, once there is one. The console shows the code and its result. */
  runInPage(code: ReplCode): void {
    if (this.state.get().status === 'starting') this.#pendingInput.push(code);
    else void this.mounted.get()?.console.evaluate(code);
  }

  async completeInPage(path: string[]): Promise<string[]> {
    return (await this.mounted.get()?.console.findCompletions(path)) ?? [];
  }

  async queryPage(query: ObjectQuery, document: number): Promise<ObjectQueryResponse> {
    return (await this.mounted.get()?.console.query(query, document)) ?? { kind: 'gone' };
  }

  /** Stops the preview and removes its iframe. */
  close(): void {
    this.mounted.get()?.close();
    this.mounted.set(undefined);
    this.#crashMarker?.close();
    this.#crashMarker = undefined;
    this.#pendingInput = [];
    this.state.set({ status: 'starting' });
    this.location.set(null);
    this.network.setPreview(undefined);
    this.accessibility.set({ status: 'off' });
    this.wasNotStarted.set(false);
    this.problems.set([]);
    this.console.set(emptyConsoleLog);
  }
}

/**
 * Preloads the console's agent in the page with a dummy query after the first run, so that the
 * console also works if it is opened offline later.
 */
function preloadConsole(preview: Preview): void {
  const unsubscribe = preview.on((event) => {
    if (event.type !== 'state' || event.state.status !== 'running') return;
    unsubscribe();
    void preview.console.findCompletions([]);
  });
}

/** Takes over the iframe that the server's page started in this element. */
function takePrerendered(element: HTMLElement): PrerenderedFrame | undefined {
  const { prerenderedPreview } = window;
  if (prerenderedPreview?.place !== element) return undefined;
  delete window.prerenderedPreview;
  return prerenderedPreview.frame;
}
