/*
 * A store as one tar file, for machines without a registry: everything that was fetched and built.
 * An import adds the items that the store doesn't have yet, each one completely.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { create, extract } from 'tar';
import { isNotFound } from './atomic-write.ts';

/** Store folders in an archive. A folder comes before those whose items refer to it. */
const kinds = [
  'sizes',
  'unpacked',
  'built',
  'joined',
  'files/types',
  'packuments',
  'links',
] as const;

/**
 * Writes the store in `folder` to `file`.
 *
 * @returns Number of exported items.
 */
export async function exportStore(folder: string, file: string): Promise<number> {
  const counts = await Promise.all(
    kinds.map(async (kind) => (await list(join(folder, kind))).length),
  );
  const existing = kinds.filter((_, index) => (counts[index] ?? 0) > 0);
  const partial = `${file}.${randomUUID()}.tmp`;
  try {
    await create({ file: partial, cwd: folder, gzip: true, portable: true }, existing);
    await rename(partial, file);
  } finally {
    await rm(partial, { force: true });
  }
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * Adds the items of `file` to the store in `folder`.
 *
 * @returns Number of items that the store didn't have.
 * @throws Error when the archive contains anything but files and folders.
 */
export async function importStore(folder: string, file: string): Promise<number> {
  const work = join(folder, 'temporary', randomUUID());
  await mkdir(work, { recursive: true });
  try {
    // Only regular files and folders, at paths that tar keeps inside `cwd`. Anything else is an
    // error.
    let unsafePath: string | undefined;
    const filter = (path: string, entry: object) => {
      const isAllowed = isFileOrFolder(entry);
      if (!isAllowed) unsafePath ??= path;
      return isAllowed;
    };
    await extract({ file, cwd: work, strict: true, filter });
    if (unsafePath !== undefined)
      throw new Error(`The archive contains an entry that isn’t a regular file: ${unsafePath}`);
    let added = 0;
    for (const kind of kinds) {
      for (const name of await list(join(work, kind))) {
        if (await moveIfMissing(join(work, kind, name), join(folder, kind, name))) added++;
      }
    }
    return added;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function isFileOrFolder(entry: object): boolean {
  const type = 'type' in entry ? entry.type : undefined;
  return type === 'File' || type === 'OldFile' || type === 'Directory';
}

async function moveIfMissing(from: string, to: string): Promise<boolean> {
  if (await exists(to)) return false;
  await mkdir(dirname(to), { recursive: true });
  await rename(from, to);
  return true;
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function list(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}
