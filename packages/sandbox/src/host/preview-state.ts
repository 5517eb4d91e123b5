import type { QuickFix } from '@vitrine/project';
import type { AccessibilityReport } from './accessibility.ts';
import type { ConsoleLogEntry } from './console-log.ts';
import type { NetworkLog } from './network.ts';

/** State of a preview; the app switches over `status`. */
export type PreviewState =
  /** Not started yet, or out of view; nothing runs. */
  | { status: 'idle' }
  | { status: 'starting' }
  | { status: 'running' }
  /** An edit is being applied; the previous page still shows. */
  | { status: 'updating' }
  /** The preview could not be shown, or navigated away. `run()` starts it again. */
  | { status: 'failed'; reason: FailureReason; sentence: string }
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

/** An error or warning in the project's code, with its location. */
export type PreviewDiagnostic = SourceDiagnostic | MissingPackageDiagnostic;

/** Lines and columns count from 1; 0 is unknown. */
interface DiagnosticLocation {
  sentence: string;
  path: string;
  line: number;
  column: number;
  stack: string;
  /** Left out for an error, which keeps something from running. */
  severity?: 'warning';
  /** Quick fixes, the most likely one first. */
  fixes?: readonly QuickFix[];
}

export interface SourceDiagnostic extends DiagnosticLocation {
  kind: 'syntax' | 'error' | 'rejection' | 'resource';
  /** An earlier version of the file, which compiled, runs instead. */
  runsEarlierVersion?: boolean;
  /** URL of a missing file, as the page requested it. */
  address?: string;
  /**
   * File that the diagnostic is about if it isn't the one at `path`: it lacks an export or failed to load.
   * '' if an unknown module has a syntax error.
   */
  module?: string;
}

/** An import of a package that isn't installed; one per package, at its first import. */
export interface MissingPackageDiagnostic extends DiagnosticLocation {
  kind: 'package';
  code: 'package_missing';
  /** Name as in `package.json`: "three", "@scope/name". */
  packageName: string;
}

/** The compiler's error for a file that doesn't parse. */
export function findSyntaxError(
  diagnostics: readonly PreviewDiagnostic[],
  path: string,
): PreviewDiagnostic | undefined {
  return diagnostics.find(
    (each) => each.kind === 'syntax' && each.severity === undefined && each.path === path,
  );
}

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
  /** What previews can't do with the current transport, in one sentence; null for no limits. */
  | { type: 'missing'; line: string | null };
