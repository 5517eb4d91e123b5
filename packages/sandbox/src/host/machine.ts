/**
 * States, events and effects of a preview's state machine. `step` (step.ts) is pure: it takes the
 * state, what happened and the facts of the moment, and returns the next state with the effects to
 * run, in order. Everything that touches the DOM, ports or timers is an effect, run by mount.ts.
 *
 * origin-steps.ts decides for previews on an isolated origin, srcdoc-steps.ts for those in srcdoc
 * documents.
 */
import type { UpdatePlan } from './plan-update.ts';
import type { FailureReason, PreviewState } from './preview-state.ts';
import type { FileDifference, ModuleStore } from './module-store.ts';
import type { AddressMessage } from '../address-messages.ts';
import type { FromFrame, Hello, StoreResponse, ToFrame } from '../protocol.ts';
import type { SessionHistory } from './session-history.ts';

export type Status = PreviewState['status'];

/** State of the machine. */
export interface State {
  readonly status: Status;
  /** Set with the status `failed`. */
  readonly failure: FailureReason | null;
  readonly transport: OriginState | SrcdocState;
}

/** A preview on an isolated origin: one frame, in which one document follows another. */
export interface OriginState {
  readonly kind: 'isolated-origin';
  /** Number of the newest request to open a frame. What belongs to an earlier one is ignored. */
  readonly opening: number;
  /** `removal` and `access`: the frame opens once the last one is gone, and once access is granted. */
  readonly frame: 'none' | 'removal' | 'access' | 'open';
  /** Project path of the last page shown, or navigated to; null at the start and after a 404 page. */
  readonly lastPage: string | null;
  /** Address to navigate to once the page that is loading, or about to, has sent its hello; null if there is none. */
  readonly nextAddress: string | null;
  /** The prerendered frame may still be adopted. */
  readonly hasPrerendered: boolean;
  /** The frame was opened again because nothing had responded in time. Cleared by a hello. */
  readonly isRetry: boolean;
  /** The document announced its unload, and no new one has sent its hello. */
  readonly isUnloading: boolean;
  /** A reload was requested meanwhile. The document may be gone before it knows, so the next one is reloaded. */
  readonly reloadsNext: boolean;
  readonly isServiceWorkerRefused: boolean;
  /** When access was requested, as `Facts.now`. */
  readonly accessRequestedAt: number;
  /** Version for which an unresponsive page was already replaced; not retried for the same version. */
  readonly restartedVersion: number | null;
  /** When the message was sent whose response is awaited; null if none is. */
  readonly watchedSince: number | null;
  readonly heartbeat: Heartbeat;
  readonly document: OriginDocument;
  /** The page that is loading; null if none is. */
  readonly loading: LoadingPage | null;
  /** Version of the latest `show` message. The module graph of that version is known. */
  readonly knownVersion: number | null;
  /** What is done once the initial files are compiled. */
  readonly awaitsPreparation: readonly ('update' | 'store' | 'reload')[];
  /** Version of the HMR update that the page applies; null if it applies none. P-32 */
  readonly lockedVersion: number | null;
  readonly hot: HotState;
  readonly stored: StoredFiles;
  /** When the last edit that reloads the page came, and when the page was last reloaded for one. P-36 */
  readonly editedAt: number;
  readonly reloadedAt: number;
}

/** The document in the frame of an isolated origin. */
export interface OriginDocument {
  /** Version that it shows; null if it isn't a page of the project in a known version. */
  readonly version: number | null;
  /** Path of the document; null for boot and 404 pages. */
  readonly path: string | null;
  /** URL path that the 404 page was shown for. */
  readonly notFoundPath: string | null;
  /** HTML that it was loaded from or patched to; undefined if unknown. */
  readonly html: string | undefined;
  /** Version that it was loaded with. */
  readonly loadedVersion: number | null;
  /** Versions that it was loaded with or sent modules of, and has not finished. */
  readonly unfinished: ReadonlySet<number>;
  /** Version for which the importers of changed stylesheets were already tried. */
  readonly triedImporters: number;
}

/** A page that is requested and hasn't sent its hello. */
export interface LoadingPage {
  /** Version when the page was requested. */
  readonly requestedVersion: number;
  /** Version of the page; null until its `show` message is sent, and for the first page of a frame. */
  readonly version: number | null;
  /** The change that it is loaded for; null for any. */
  readonly difference: FileDifference | null;
  /** A 404 page is shown again while its file is missing, and not left for the entry page. */
  readonly staysAtUrl: boolean;
  /** Version queries of the page before, which are set again if it stays after all. */
  readonly savedQueries: ReadonlyMap<string, number> | null;
}

/** A preview in srcdoc documents: each document has a frame of its own. */
export interface SrcdocState {
  readonly kind: 'srcdoc';
  readonly opening: number;
  /** The visible frame, and the one that will replace it. */
  readonly current: SrcdocFrame | null;
  readonly next: SrcdocFrame | null;
  readonly frameCount: number;
  readonly history: SessionHistory;
  readonly scroll: readonly [x: number, y: number];
  readonly lockedVersion: number | null;
  readonly hot: HotState;
}

/** A frame and the state of its document. */
export interface SrcdocFrame {
  readonly frame: number;
  readonly version: number;
  readonly openedAt: number;
  /** Its document waits for the project. */
  readonly saidHello: boolean;
  /** The project was sent to it, which it takes once. */
  readonly isWritten: boolean;
  readonly isPainted: boolean;
  readonly heartbeat: Heartbeat;
  /** HTML of the page while it has no scripts, and can be patched; undefined otherwise. */
  readonly html: string | undefined;
  readonly isNotFound: boolean;
  /** Versions whose modules were sent and not acknowledged yet. */
  readonly pendingVersions: ReadonlySet<number>;
  /** Modules were sent while a ping was unanswered, which still is. */
  readonly isUpdatedInSilence: boolean;
  /** Files and modules in the document's import map. */
  readonly knownFiles: ReadonlySet<string>;
  /** Files that the page requested and that are missing. */
  readonly missingFiles: ReadonlySet<string>;
}

/** Pings of a document, to which code that doesn't return can't respond. P-20 */
export interface Heartbeat {
  /** When the oldest unanswered ping was sent; null if there is none. */
  readonly pingedAt: number | null;
  readonly isUnresponsive: boolean;
}

/** HMR state of the running page. */
export interface HotState {
  /** Path of the page whose modules are known; null if they aren't. */
  readonly page: string | null;
  /** Modules that called `import.meta.hot.invalidate()` since the last update. */
  readonly invalid: ReadonlySet<string>;
  /** Modules invalidated since the last edit. A second time would be an endless loop. */
  readonly invalidatedBefore: ReadonlySet<string>;
  /** Updates that were sent since the last outcome. */
  readonly sentUpdates: UpdatePlan['updates'];
  /** A module threw while it was replaced, so the page's state is unknown. */
  readonly isBroken: boolean;
}

/** Files of the run in the service worker. Messages to it are numbered. */
export interface StoredFiles {
  /** Version that the service worker has confirmed; null for none. */
  readonly confirmed: number | null;
  /** Version that it holds if every message arrived; null for none. */
  readonly sent: number | null;
  readonly messageCount: number;
  /** Number of the latest message with all files. Responses to earlier messages are ignored. */
  readonly lastFull: number;
  /** Number of the last message until its response arrives. */
  readonly pending: number | null;
}

/** What doesn't change while a preview is mounted. */
export interface Config {
  /** Origin of the preview's documents, or of the srcdoc transport's first page. */
  readonly origin: string;
  /** Id of the run on an isolated origin. */
  readonly run: string;
  /** Whether the files are edited here, and the origin can have a service worker. */
  readonly isEditable: boolean;
  /** Revision in which the server serves the files itself; null for none. */
  readonly servedRevision: number | null;
  /** Page to open first; null for the entry page. */
  readonly entry: string | null;
}

/** What is true at the moment of an event. */
export interface Facts {
  readonly config: Config;
  /** Milliseconds on a monotonic clock. */
  readonly now: number;
  /** Only read. Effects change it. */
  readonly store: ModuleStore;
  /** The app's page is hidden, so its timers and those of frames are throttled. */
  readonly isHidden: boolean;
  readonly isOnline: boolean;
  /** Whether a document that the server sends needs a URL that grants access. */
  readonly needsAccess: boolean;
  /** The frame holds a cross-origin document, and none has sent its hello. */
  readonly awaitsHello: boolean;
  /** Every initial file has its output. */
  readonly isPrepared: boolean;
  /** A script of the document failed to load, which the browser may not retry within it. */
  readonly hasScriptFailure: boolean;
  /** The run's id with the tools that the next document starts with: `ID~network`. */
  readonly runWithTools: string;
  /** URL of the prerendered frame, while it is in the document. */
  readonly prerenderedUrl: string | null;
}

/** The URL that grants access, or why there is none. */
export type AccessResult = { readonly url: string } | 'refused' | 'unreachable';

/** What happens to a preview. Frames are numbered; events of removed ones are ignored. */
export type Event =
  /** The user runs the project, or it starts by itself. */
  | { readonly type: 'open' }
  /** The frame is removed; with `starting`, `open` follows. */
  | { readonly type: 'halt'; readonly status: 'idle' | 'stopped' | 'starting' }
  /** The module store has a new version. */
  | { readonly type: 'committed' }
  /** The requested preparation has ended, with or without success. */
  | { readonly type: 'prepared' }
  | { readonly type: 'navigate'; readonly address: string }
  | { readonly type: 'traverse'; readonly by: -1 | 1 }
  /** The user reloads the page shown. */
  | { readonly type: 'reload' }
  /** All removed frames are gone. `opening` is the number of the request. */
  | { readonly type: 'frames-gone'; readonly opening: number }
  | { readonly type: 'access'; readonly opening: number; readonly result: AccessResult }
  | { readonly type: 'hello'; readonly frame: number; readonly hello: Hello }
  | { readonly type: 'message'; readonly frame: number; readonly message: FromFrame }
  /** The document of a srcdoc frame reloaded itself. */
  | { readonly type: 'reloaded'; readonly frame: number }
  | { readonly type: 'navigated-away'; readonly frame: number }
  /** The service worker's response to the store message with this number. */
  | { readonly type: 'stored'; readonly message: number; readonly response: StoreResponse }
  | { readonly type: 'timer'; readonly timer: string };

/** What the runner does, in order. */
export type Effect =
  | {
      readonly type: 'open-frame';
      readonly frame: number;
      readonly url: string;
      /** Origin of its messages: `null` for the srcdoc transport. */
      readonly origin: string;
      readonly isPrerendered: boolean;
      /** Keeps the frame invisible until `show-frame`. */
      readonly isHidden: boolean;
    }
  | { readonly type: 'show-frame'; readonly frame: number }
  /** `isAnnounced`: the document can still respond, and is told, so that it doesn't prompt. */
  | { readonly type: 'remove-frame'; readonly frame: number; readonly isAnnounced: boolean }
  /** Responds with `frames-gone` once all removed frames are gone. */
  | { readonly type: 'await-removal'; readonly opening: number }
  | { readonly type: 'discard-prerendered' }
  /** Responds with `access`. */
  | { readonly type: 'request-access'; readonly opening: number }
  | {
      readonly type: 'send';
      readonly frame: number;
      readonly message: ToFrame;
    }
  /** Sends files to the service worker through the frame; responds with `stored`. */
  | {
      readonly type: 'store';
      readonly frame: number;
      readonly base: number | null;
      readonly version: number;
      readonly message: number;
    }
  /** Sends an HMR update. `modules` are inlined in it, for the srcdoc transport. */
  | {
      readonly type: 'send-update';
      readonly frame: number;
      readonly plan: UpdatePlan;
      readonly page: string;
      readonly modules: readonly string[];
      readonly styles: [path: string, text: string][];
    }
  /** Compiles the initial files; responds with `prepared`. */
  | { readonly type: 'prepare' }
  | { readonly type: 'set-version-queries'; readonly queries: ReadonlyMap<string, number> }
  | { readonly type: 'mark-running' }
  /** A new document has started: logs and diagnostics of the last one are cleared. */
  | { readonly type: 'begin-document' }
  /** The document receives new modules: its diagnostics are cleared. */
  | { readonly type: 'begin-update' }
  /** Project path of the document shown; null if it isn't a page of the project. */
  | { readonly type: 'set-page'; readonly path: string | null }
  | { readonly type: 'set-address'; readonly address: Omit<AddressMessage, 'type'> }
  | { readonly type: 'set-limitations'; readonly line: string | null }
  /** Messages whose meaning doesn't depend on the transport, such as log entries. */
  | { readonly type: 'forward'; readonly message: FromFrame }
  /** Switches to the srcdoc transport, because the browser refuses the service worker. */
  | { readonly type: 'fall-back' }
  /** Sets a timer, which replaces the one of the same name; null clears it. Repeats with `every`. */
  | {
      readonly type: 'timer';
      readonly timer: string;
      readonly ms: number | null;
      readonly every?: true;
    };

/** Whether a preview with this status has a frame, or is about to. */
export function isActive(status: Status): boolean {
  return status !== 'idle' && status !== 'stopped' && status !== 'failed';
}
