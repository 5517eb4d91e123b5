import { ValueStore } from '../workspace/value-store.ts';

/** Files and folders to import, not yet read. */
export interface ImportSource {
  /** Dropped files and folders. Empty if they come from a file dialog. */
  readonly entries: readonly FileSystemEntry[];
  /** Files, without those in `entries`' folders. */
  readonly files: readonly File[];
}

/** Opens the import dialog while it is set: with a source, or else to choose one. */
export const importRequest = new ValueStore<{ readonly source?: ImportSource } | null>(null);

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
