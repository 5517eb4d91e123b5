import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '@vitrine/backend';

/** A copy of the files of storage objects, in progress. */
interface StorageSnapshot {
  /**
   * Copies the files of `versions` that are still missing from the copy, and deletes the files of
   * all other versions. Logs the number of objects without a file: they were damaged before, or
   * deleted meanwhile.
   */
  finish(versions: readonly string[], log: Log): Promise<{ count: number; bytes: number }>;
}

const versionPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Copies all storage files. Call it before reading the rows, as a file is deleted with its row: an
 * object deleted while the rows are read would otherwise lose its file. Files never change.
 */
export async function startStorageSnapshot(
  storageDir: string,
  to: string,
): Promise<StorageSnapshot> {
  const copied = new Set<string>();
  const copyVersion = async (version: string): Promise<boolean> => {
    if (copied.has(version)) return true;
    const from = getFilePath(storageDir, version);
    if (!(await copyIfExists(from, join(to, version)))) return false;
    copied.add(version);
    return true;
  };
  for (const version of await listFiles(storageDir)) await copyVersion(version);
  return {
    async finish(versions, log) {
      const referenced = new Set(versions.filter((version) => versionPattern.test(version)));
      let missing = 0;
      for (const version of referenced) if (!(await copyVersion(version))) missing += 1;
      if (missing > 0)
        log.warn('The backup contains objects whose files are missing.', { missing });
      let bytes = 0;
      for (const version of copied) {
        if (!referenced.has(version)) await rm(join(to, version));
        else bytes += (await stat(join(to, version))).size;
      }
      return { count: referenced.size - missing, bytes };
    },
  };
}

/** Copies the files of a backup to where storage expects them. */
export async function restoreFiles(from: string, storageDir: string): Promise<void> {
  for (const version of await readdir(from)) {
    const target = getFilePath(storageDir, version);
    await mkdir(join(target, '..'), { recursive: true, mode: 0o700 });
    await copyFile(join(from, version), target, constants.COPYFILE_EXCL);
  }
}

/** `storage/whole/XX/VERSION`, the layout of storage/file-store.ts. */
function getFilePath(storageDir: string, version: string): string {
  if (!versionPattern.test(version)) throw new Error(`${version} isn’t a version of an object.`);
  return join(storageDir, 'whole', version.slice(0, 2), version);
}

async function listFiles(storageDir: string): Promise<string[]> {
  const names = await readdir(join(storageDir, 'whole'), { recursive: true }).catch(emptyIfMissing);
  return names
    .map((name) => name.split('/').at(-1) ?? '')
    .filter((name) => versionPattern.test(name));
}

function emptyIfMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

async function copyIfExists(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
