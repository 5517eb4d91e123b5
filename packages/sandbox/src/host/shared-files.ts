import type { Intake } from './intake.ts';
import type { MountOptions } from './mount.ts';
import type { Sources } from './sources.ts';

/** Compiled files of a preview, shared with test runs of the same project so that nothing compiles twice. */
export interface SharedFiles {
  readonly options: MountOptions;
  readonly sources: Sources;
  readonly intake: Intake;
  /**
   * Removes the preview's frame, waits for it and `until`, and opens it again. Sandboxed frames share a
   * process in Chromium: while one is unresponsive, all are, until every one has gone.
   */
  interrupt(until: Promise<void>): Promise<void>;
  /** Calls the listener whenever the output or diagnostics change; returns the unsubscribe function. */
  onChange(listener: () => void): () => void;
}
