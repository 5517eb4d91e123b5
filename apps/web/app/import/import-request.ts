import { ValueStore } from '../workspace/value-store.ts';
import type { NameEncoding } from './name-encoding.ts';
import type { ProjectImport } from './imported-project.ts';

/** Files and folders to import, not yet read. */
export interface ImportSource {
  /** Dropped files and folders. Empty if they come from a file dialog. */
  readonly entries: readonly FileSystemEntry[];
  /** Files, without those in `entries`' folders. */
  readonly files: readonly File[];
  /** Encoding of a zip's file names. Undefined to guess it. */
  readonly encoding?: NameEncoding;
}

/** What the import dialog opens for: with neither source nor `read`, to choose a source. */
export interface ImportRequest {
  readonly source?: ImportSource;
  /** Reads what isn't files, such as a link. Rejects with a `VitrineError`. */
  readonly read?: (signal: AbortSignal) => Promise<ProjectImport>;
  /** What the user pasted, to correct it if it can't be read. */
  readonly text?: string;
}

/** Opens the import dialog while it is set. */
export const importRequest = new ValueStore<ImportRequest | null>(null);

/** What a drop has. Must be called during the event; its data is gone afterwards. */
export function takeSource(transfer: DataTransfer): ImportSource {
  return {
    entries: [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []),
    files: [...transfer.files],
  };
}

/** Whether a file is a zip, by its name. Reading it may still fail. */
export function isZip({ name }: File): boolean {
  return /\.zip$/i.test(name);
}
