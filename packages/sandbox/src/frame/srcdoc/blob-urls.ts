/** Blob URLs for the files of the srcdoc transport. `aliases` maps each blob URL to the file's path. */
import type { InlinedFile } from '../../protocol.ts';

/** URL prefix for files that a stylesheet refers to and the project lacks; always a 404. */
export const missingFilePrefix = `${location.origin}/__vitrine/absent/`;

/** Creates a blob URL for each file. A later blob of the same file replaces the earlier one. */
export function createBlobUrls(files: readonly InlinedFile[], aliases: Map<string, string>): void {
  for (const [path, content, type] of files) {
    const resolved =
      typeof content === 'string' ? resolveFileReferences(content, aliases) : content;
    const blob = new Blob([resolved], { type });
    aliases.set(URL.createObjectURL(blob), path);
  }
}

/**
 * Creates blob URLs for new modules. Returns a function that revokes the URLs that an earlier update created
 * for the same modules; call it when nothing can request them any more. URLs in the import map are kept.
 */
export function recreateBlobUrls(
  files: readonly InlinedFile[],
  aliases: Map<string, string>,
  remade: Map<string, string>,
): () => void {
  createBlobUrls(files, aliases);
  const made = [...aliases].slice(aliases.size - files.length);
  const old = made.map(([, path]) => remade.get(path)).filter((blob) => blob !== undefined);
  for (const [blob, path] of made) remade.set(path, blob);
  return () => old.forEach((blob) => URL.revokeObjectURL(blob));
}

/**
 * Replaces file references with blob URLs; a path without a file stays.
 * "vitrine-file:lib/a%20b.js" → "blob:null/…"
 * "vitrine-absent:gone.png" → "https://host/__vitrine/absent/gone.png"
 */
export function resolveFileReferences(text: string, aliases: ReadonlyMap<string, string>): string {
  if (!/vitrine-(?:file|absent):/.test(text)) return text;
  const blobs = new Map([...aliases].map(([blob, path]) => [path, blob]));
  return text
    .replaceAll('vitrine-absent:', missingFilePrefix)
    .replace(
      /vitrine-file:([\w.~!*()%/-]+)/g,
      (whole, path: string) => blobs.get(decodeURIComponent(path)) ?? whole,
    );
}

/** Whether the text still refers to a file without a blob URL. */
export function hasFileReference(text: string): boolean {
  return text.includes('vitrine-file:');
}

/** The newest blob URL of a module. */
export function findBlobUrl(id: string, aliases: ReadonlyMap<string, string>): string {
  const [blob] = [...aliases].findLast(([, named]) => named === id) ?? [];
  if (blob === undefined) throw new Error(`there is no blob of ${id}`);
  return blob;
}
