import type { Fix } from '@vitrine/project';
import type { AccessibilityReport } from './accessibility.ts';
import type { ConsoleLine } from './console-log.ts';
import type { NetworkLog } from './network.ts';

/** State of a preview; the app switches over `status`. */
export type PreviewState =
  /** Out of view; nothing runs. */
  | { status: 'asleep' }
  | { status: 'starting' }
  | { status: 'running' }
  /** An edit is being applied; the previous page still shows. */
  | { status: 'updating' }
  /** The preview could not be shown, or navigated away. `run()` starts it again. */
  | { status: 'failed'; reason: FailureReason; sentence: string }
  /** The page is unresponsive. Offer `stop()`; an edit restarts it. */
  | { status: 'stalled' }
  | { status: 'stopped' };

export type FailureReason = 'no-answer' | 'left' | 'absent' | 'not-allowed';

export const failureSentences: Readonly<Record<FailureReason, string>> = {
  'no-answer': 'The preview didn’t respond. Check your connection and run it again.',
  left: 'The page navigated away from this project. Run it again to come back.',
  absent: 'No index.html found. Add one to see a preview.',
  'not-allowed': 'This project is private and the preview wasn’t authorized. Run it again.',
};

/** Something wrong in the project's code, where it is. */
export type Problem = CodeProblem | MissingPackage;

/** Lines and columns count from 1; 0 is unknown. */
interface ProblemPlace {
  sentence: string;
  path: string;
  line: number;
  column: number;
  stack: string;
  /** Quick fixes, the most likely one first. */
  severity?: 'warning';
  /** What would mend it, the likeliest first. */
  fixes?: readonly Fix[];
}

export interface CodeProblem extends ProblemPlace {
  kind: 'syntax' | 'error' | 'rejection' | 'resource';
  /** Of a file that the page asked for: as it was asked. */
  address?: string;
  /**
   * The project's file that it is about, if that is not the one at `path`: it lacks an export, or did
   * not load. '' for one that does not parse and is not known.
   */
  module?: string;
}

/** An import of a package that the project does not have; one for each package, at its first import. */
export interface MissingPackage extends ProblemPlace {
  kind: 'package';
  code: 'package_missing';
  /** As `package.json` names it: "three", "@scope/name". */
  packageName: string;
}

  /** Path from the project's root, with query and fragment: "/about.html?x=1#top". */
export interface Whereabouts {
  /** From the project's root: "/about.html?x=1#top". */
  readonly address: string;
  readonly canGoBack: boolean;
  readonly canGoForward: boolean;
}

export type PreviewEvent =
  | { type: 'state'; state: PreviewState }
  /**
   * All that is kept, newest last; told at most once a frame. `dropped` were too many to keep;
   * lines of this `document` are of the page that runs.
   */
  | { type: 'console'; lines: readonly ConsoleLine[]; dropped: number; document: number }
  /** The page navigated within its project. */
  | { type: 'problem'; problems: readonly Problem[] }
  /** All requests of the document so far; only while the network is recorded. */
  | { type: 'address'; at: Whereabouts }
  /** Accessibility issues of the page; only while it is checked. */
  | { type: 'network'; log: NetworkLog }
  /** What previews can't do with the current transport, in one sentence; null for no limits. */
  | { type: 'accessibility'; report: AccessibilityReport }
  /** What the path in use lacks, in one plain line; null when nothing. */
  | { type: 'missing'; line: string | null };
