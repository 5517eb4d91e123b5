import type { MountOptions } from './mount.ts';
import type { FailureReason, PreviewState, Whereabouts } from './preview-state.ts';
import type { NetworkRule } from '../network-rules.ts';
import type { FromFrame, ToFrame } from '../protocol.ts';
import type { Sources } from './sources.ts';

/** What a path is given to work with, and where it says what happened. */
export interface Stage {
  readonly options: MountOptions;
  readonly sources: Sources;
  readonly state: PreviewState;
  setState(status: 'starting' | 'running' | 'updating' | 'stalled'): void;
  fail(reason: FailureReason): void;
  /** Console lines, problems and other things that mean the same on both paths. */
  hear(message: FromFrame): void;
  /** Done when every file that the preview began with has the form in which it runs. */
  prepare(): Promise<void>;
  /** That is so: what an edit gives rise to need not wait, not for a moment. */
  readonly isPrepared: boolean;
  /** A new document has begun: what the last one logged and got wrong is over. */
  beginDocument(): void;
  /** New modules are given to the document: what went wrong before may be right now. */
  beginUpdate(): void;
  /** A script of the document did not come, and may not come in it at all. */
  readonly lacksScript: boolean;
  setMissing(line: string | null): void;
  /** The document that shows is this one of the project; null for none. */
  setPage(path: string | null): void;
  setAddress(at: Whereabouts): void;
  /** The run's id as addresses carry it: with the tools that the next document begins with. */
  nameRun(run: string): string;
  /** The served path does not work in this browser after all. */
  fallBack(): void;
}

/** One of the two ways to run a project: served-path.ts or portable-path.ts. */
export interface Path {
  /** Makes a new frame and runs the files as they are now. */
  open(): void;
  /** Brings what is shown up to the sources' version. */
  deliver(): void;
  /** Goes to an address of the project: "/about.html?x=1#top". Where nothing runs, `open` begins there. */
  visit(address: string): void;
  /** One step along the addresses that this preview has been at. */
  travel(by: -1 | 1): void;
  /** Loads the page that is shown anew; false where nothing is shown that could be. */
  reload(): boolean;
  /** Says this to the document that shows; nobody hears it while there is none. */
  send(message: ToFrame, ports?: MessagePort[]): void;
  /** Where a service worker answers for the project, it goes by these too. */
  relayRules(rules: NetworkRule[]): void;
  /** Takes the frame away; done when it is gone. */
  close(): Promise<void>;
  /** Takes the frame away for good, and what was kept for it. */
  forget(): void;
}
