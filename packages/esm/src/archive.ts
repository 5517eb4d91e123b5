/*
 * A store as one file, for machines without a registry: a tar of everything that was fetched and
 * built. Taking one in adds what is not there yet, each thing whole.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { create, extract } from 'tar';
import { isAbsent } from './whole-file.ts';

/** What leaves a store, parts before what refers to them. */
const kinds = [
  'sizes',
  'unpacked',
  'built',
  'joined',
  'files/types',
  'packuments',
  'links',
] as const;

/** Writes the store in `folder` to `file`. Tells how many things it holds. */
export async function exportStore(folder: string, file: string): Promise<number> {
  const counts = await Promise.all(
    kinds.map(async (kind) => (await list(join(folder, kind))).length),
  );
  const there = kinds.filter((_, index) => (counts[index] ?? 0) > 0);
  const partial = `${file}.${randomUUID()}.tmp`;
  try {
    await create({ file: partial, cwd: folder, gzip: true, portable: true }, there);
    await rename(partial, file);
  } finally {
    await rm(partial, { force: true });
  }
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Adds what `file` holds to the store in `folder`. Tells how many things were new. */
export async function importStore(folder: string, file: string): Promise<number> {
  const work = join(folder, 'temporary', randomUUID());
  await mkdir(work, { recursive: true });
  try {
    // Regular files alone, by paths that tar keeps inside; anything else in an archive is an error.
    let strange: string | undefined;
    const filter = (path: string, entry: object) => {
      const plain = isPlain(entry);
      if (!plain) strange ??= path;
      return plain;
    };
    await extract({ file, cwd: work, strict: true, filter });
    if (strange !== undefined) throw new Error(`The archive holds what is no file: ${strange}`);
    let added = 0;
    for (const kind of kinds) {
      for (const name of await list(join(work, kind))) {
        if (await moveUnlessThere(join(work, kind, name), join(folder, kind, name))) added++;
      }
    }
    return added;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function isPlain(entry: object): boolean {
  const type = 'type' in entry ? entry.type : undefined;
  return type === 'File' || type === 'OldFile' || type === 'Directory';
}

async function moveUnlessThere(from: string, to: string): Promise<boolean> {
  if (await isThere(to)) return false;
  await mkdir(dirname(to), { recursive: true });
  await rename(from, to);
  return true;
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

async function list(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
