import type { AccessibilityReport } from './accessibility.ts';
import type { ConsoleLogEntry } from './console-log.ts';
import type { NetworkLog } from './network.ts';
import type { PreviewDiagnostic } from './diagnostics.ts';

/** State of a preview; the app switches over `status`. */
export type PreviewState =
  /** Not started yet, or out of view; nothing runs. */
  | { status: 'idle' }
  | { status: 'starting' }
  | { status: 'running' }
  /** An edit is being applied; the previous page still shows. */
  | { status: 'updating' }
  /** The preview could not be shown, or navigated away. `run()` starts it again. */
  | { status: 'failed'; reason: FailureReason; message: string }
  /** The page is unresponsive. Offer `stop()`; an edit restarts it. */
  | { status: 'unresponsive' }
  | { status: 'stopped' };

export type FailureReason =
  'timeout' | 'navigated-away' | 'entry-missing' | 'not-allowed' | 'offline';

export const failureMessages: Readonly<Record<FailureReason, string>> = {
  timeout: 'The preview didn’t respond. Check your connection and run it again.',
  'navigated-away': 'The page navigated away from this project. Run it again to come back.',
  'entry-missing': 'No index.html found. Add one to see a preview.',
  'not-allowed': 'The preview of this project couldn’t be authorized. Run it again.',
  offline: 'You’re offline, so the preview couldn’t load. It runs again once you’re back online.',
};

/** URL of the page within its project. It comes from user code and is only displayed. */
export interface PageLocation {
  /** Path from the project's root, with query and fragment: "/about.html?x=1#top". */
  readonly address: string;
  readonly canGoBack: boolean;
  readonly canGoForward: boolean;
}

export type PreviewEvent =
  | { type: 'state'; state: PreviewState }
  /**
   * All log entries kept, newest last; at most one event per animation frame. `dropped` counts the entries
   * beyond the limit. `document` is the number of the running document; entries carry theirs.
   */
  | { type: 'console'; lines: readonly ConsoleLogEntry[]; dropped: number; document: number }
  /** All current diagnostics. */
  | { type: 'problem'; problems: readonly PreviewDiagnostic[] }
  /** The page navigated within its project. */
  | { type: 'address'; at: PageLocation }
  /** All requests of the document so far; only while the network is recorded. */
  | { type: 'network'; log: NetworkLog }
  /** Accessibility issues of the page; only while it is checked. */
  | { type: 'accessibility'; report: AccessibilityReport }
  /** What previews can't do with the current transport, in a sentence; null for no limits. */
  | { type: 'missing'; line: string | null };
