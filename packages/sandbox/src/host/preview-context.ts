import type { MountOptions } from './mount.ts';
import type { FailureReason, PreviewState, PageLocation } from './preview-state.ts';
import type { NetworkRule } from '../network-rules.ts';
import type { FromFrame, ToFrame } from '../protocol.ts';
import type { ModuleStore } from './module-store.ts';

/** What the mounted preview gives its transport: the options and files, and where to report to. */
export interface PreviewContext {
  readonly options: MountOptions;
  readonly moduleStore: ModuleStore;
  readonly state: PreviewState;
  setState(status: 'starting' | 'running' | 'updating' | 'unresponsive'): void;
  fail(reason: FailureReason): void;
  /** Receives messages whose meaning doesn't depend on the transport, such as log entries. */
  onMessage(message: FromFrame): void;
  /** Compiles the files that the preview started with. Resolves when each has its output. */
  prepare(): Promise<void>;
  /** `prepare` has resolved, so an update doesn't have to wait for it. */
  readonly isPrepared: boolean;
  /** A new document has started: logs and diagnostics of the last one are cleared. */
  beginDocument(): void;
  /** The document receives new modules: its diagnostics are cleared, its log stays. */
  beginUpdate(): void;
  /** A script of the document failed to load. The browser may not retry it within this document. */
  readonly hasScriptFailure: boolean;
  /** Reports what previews can't do with this transport; null for no limits. */
  setLimitations(line: string | null): void;
  /** Sets the project path of the document shown; null if it isn't a page of the project. */
  setPage(path: string | null): void;
  setAddress(at: PageLocation): void;
  /** The run's id with the names of the tools that the next document starts with: `ID~network`. */
  runWithTools(run: string): string;
  /** Switches to the srcdoc transport, because this browser refuses the service worker. */
  fallBack(): void;
}

/** One of the two ways to run a project in a frame. */
export interface PreviewTransport {
  /** Opens a new frame with the files as they are now. */
  open(): void;
  /** Brings the document up to the module store's version. */
  update(): void;
  /** Navigates to "/about.html?x=1#top". While nothing runs, `open` starts there. */
  navigate(address: string): void;
  /** Goes one entry back or forward in the preview's own history. */
  traverseHistory(by: -1 | 1): void;
  /** Reloads the page shown; false if there is none. */
  reload(): boolean;
  /** Posts a message to the document shown; dropped while there is none. */
  send(message: ToFrame, ports?: MessagePort[]): void;
  /** Passes network rules to the service worker, where there is one. */
  sendNetworkRules(rules: NetworkRule[]): void;
  /** Removes the frame. Resolves when it is gone. */
  close(): Promise<void>;
  /** Removes the frame and the files stored for it. */
  dispose(): void;
}
