import type { CompileQueue } from './compile-queue.ts';
import type { MountOptions } from './mount.ts';
import type { ModuleStore } from './module-store.ts';

/** Compiled files of a preview, shared with test runs of the same project so that nothing compiles twice. */
export interface SharedCompilation {
  readonly options: MountOptions;
  readonly moduleStore: ModuleStore;
  readonly compileQueue: CompileQueue;
  /**
   * Removes the preview's frame, waits for it and `until`, and opens it again. Sandboxed frames share a
   * process in Chromium: while one is unresponsive, all are, until every one has gone.
   */
  interrupt(until: Promise<void>): Promise<void>;
  /** Calls the listener whenever the output or diagnostics change; returns the unsubscribe function. */
  onChange(listener: () => void): () => void;
}
