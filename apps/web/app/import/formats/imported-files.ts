import type { LeftOut } from '../project-import.ts';

/** Files of another editor's project, converted to a project of ours. Nothing is checked yet. */
export interface ImportedFiles {
  /** Title in the other editor. Any text. */
  readonly title?: string;
  /** Contents by path. Paths are any text. */
  readonly files: ReadonlyMap<string, string | Uint8Array<ArrayBuffer>>;
  /** What the project can't have. */
  readonly leftOut: readonly LeftOut[];
}
