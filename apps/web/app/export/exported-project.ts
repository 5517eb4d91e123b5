import type { AssetFile, ProjectFiles } from '@vitrine/project';

/** A project, or a version of one, as its reader sees it. */
export interface ExportedProject {
  readonly title: string;
  readonly files: ProjectFiles;
  /** Loads the bytes of an asset. Rejects with a `VitrineError`. */
  readonly loadAsset: (asset: AssetFile) => Promise<Blob>;
}
