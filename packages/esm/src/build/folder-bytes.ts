import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Total size in bytes of all files in a folder and its subfolders. */
export function folderBytes(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += lstatSync(join(entry.parentPath, entry.name)).size;
  }
  return bytes;
}
