/** Files of the portable path are blobs; `aliases` says which stands for which. */
import type { InlinedFile } from '../protocol.ts';

/** Nothing answers below here: what a stylesheet names and the project lacks. */
export const absentStart = `${location.origin}/__vitrine/absent/`;

/** Makes a blob for each file; a later one for the same file takes its name. */
export function makeBlobs(files: readonly InlinedFile[], aliases: Map<string, string>): void {
  for (const [path, text, type] of files) {
    const blob = new Blob([nameBlobs(text, aliases)], { type });
    aliases.set(URL.createObjectURL(blob), path);
  }
}

/**
 * Makes blobs of new modules, and returns what takes back those that an earlier update made of the
 * same: call it when nothing can ask for them any more. What the import map names stays.
 */
export function remakeBlobs(
  files: readonly InlinedFile[],
  aliases: Map<string, string>,
  remade: Map<string, string>,
): () => void {
  makeBlobs(files, aliases);
  const made = [...aliases].slice(aliases.size - files.length);
  const old = made.map(([, path]) => remade.get(path)).filter((blob) => blob !== undefined);
  for (const [blob, path] of made) remade.set(path, blob);
  return () => old.forEach((blob) => URL.revokeObjectURL(blob));
}

/**
 * "vitrine-file:lib/a%20b.js" → "blob:null/…"; a path without a file stays as it is.
 * "vitrine-absent:gone.png" → "https://host/__vitrine/absent/gone.png"
 */
export function nameBlobs(text: string, aliases: ReadonlyMap<string, string>): string {
  if (!/vitrine-(?:file|absent):/.test(text)) return text;
  const blobs = new Map([...aliases].map(([blob, path]) => [path, blob]));
  return text
    .replaceAll('vitrine-absent:', absentStart)
    .replace(
      /vitrine-file:([\w.~!*()%/-]+)/g,
      (whole, path: string) => blobs.get(decodeURIComponent(path)) ?? whole,
    );
}

/** A file stands in the text that has no blob. */
export function namesFile(text: string): boolean {
  return text.includes('vitrine-file:');
}

/** The newest blob of a module. */
export function findBlob(id: string, aliases: ReadonlyMap<string, string>): string {
  const [blob] = [...aliases].findLast(([, named]) => named === id) ?? [];
  if (blob === undefined) throw new Error(`there is no blob of ${id}`);
  return blob;
}
