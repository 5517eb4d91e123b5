import type { Intake } from './intake.ts';
import type { MountOptions } from './mount.ts';
import type { Sources } from './sources.ts';

/** What a preview shares with whoever runs the same files beside it, so that they are compiled once. */
export interface SharedFiles {
  readonly options: MountOptions;
  readonly sources: Sources;
  readonly intake: Intake;
  /**
   * Takes the page that is shown away, and starts it anew when it and what is waited for are gone:
   * frames without an origin share a process in Chromium, and what hangs in one hangs in all until
   * none is left.
   */
  interrupt(until: Promise<void>): Promise<void>;
  /** Calls the listener whenever something new may run, or must not; the function returned ends that. */
  onChange(listener: () => void): () => void;
}
