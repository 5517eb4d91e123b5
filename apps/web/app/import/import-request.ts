import type { SupabaseClient } from '@supabase/supabase-js';
import { ValueStore } from '../workspace/value-store.ts';
import type { ProjectImport } from './imported-project.ts';

/** Files and folders to import, not yet read. */
export interface ImportSource {
  /** Dropped files and folders. Empty if they come from a file dialog. */
  readonly entries: readonly FileSystemEntry[];
  /** Files, without those in `entries`' folders. */
  readonly files: readonly File[];
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

/**
 * A request to import from a link.
 *
 * @param text The link as the user pasted it.
 */
export function createLinkRequest(
  url: URL,
  getClient: () => Promise<SupabaseClient>,
  text = url.href,
): ImportRequest {
  const read = async (signal: AbortSignal) => {
    const { readLink } = await import('./link.ts');
    return readLink(url, getClient, signal);
  };
  return { text, read };
}

/** "example.org/%C3%B6" → "example.org/ö" */
export function decodeAddress(address: string): string {
  try {
    return decodeURI(address);
  } catch (error) {
    if (error instanceof URIError) return address;
    throw error;
  }
}

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
