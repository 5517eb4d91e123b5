import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isNotFound } from './atomic-write.ts';

interface StoreItem {
  readonly path: string;
  readonly bytes: number;
  readonly lastUse: number;
}

/** Items that were used a moment ago may still be being read. */
const minIdleMs = 10 * 60 * 1000;

/**
 * Evicts the least recently used items until the store is at four fifths of its size limit. Each
 * item is renamed first and then removed, so readers never see a part of it.
 */
export async function evictLeastRecentlyUsed(folder: string, maxBytes: number): Promise<void> {
  const items = await listItems(folder);
  let bytes = items.reduce((sum, item) => sum + item.bytes, 0);
  if (bytes <= maxBytes) return;
  const oldest = items
    .filter(({ lastUse }) => Date.now() - lastUse > minIdleMs)
    .toSorted((a, b) => a.lastUse - b.lastUse);
  for (const item of oldest) {
    if (bytes <= maxBytes * 0.8) return;
    await evict(folder, item.path);
    bytes -= item.bytes;
  }
}

/** Removes the older half of a folder's files when there are more than `max`. */
export async function removeOldestFiles(folder: string, max: number): Promise<void> {
  const names = await list(folder);
  if (names.length <= max) return;
  const ages: { path: string; time: number }[] = [];
  for (const name of names) {
    const path = join(folder, name);
    ages.push({ path, time: (await unlessMissing(stat(path)))?.mtimeMs ?? 0 });
  }
  const oldest = ages.toSorted((a, b) => a.time - b.time).slice(0, names.length / 2);
  for (const { path } of oldest) await rm(path, { force: true });
}

async function listItems(folder: string): Promise<StoreItem[]> {
  const kinds = [
    'unpacked',
    'built',
    'joined',
    ...(await list(join(folder, 'files'))).map((kind) => join('files', kind)),
  ];
  const items = await Promise.all(kinds.map((kind) => listKind(folder, kind)));
  return items.flat();
}

async function listKind(folder: string, kind: string): Promise<StoreItem[]> {
  const items: StoreItem[] = [];
  for (const name of await list(join(folder, kind))) {
    const path = join(folder, kind, name);
    const found = await unlessMissing(stat(path));
    if (found === undefined) continue;
    const size = found.isFile()
      ? found.size
      : Number(await unlessMissing(readFile(join(folder, 'sizes', `${kind}-${name}`), 'utf8')));
    items.push({ path, bytes: Number.isFinite(size) ? size : 0, lastUse: found.mtimeMs });
  }
  return items;
}

async function list(folder: string): Promise<string[]> {
  return (await unlessMissing(readdir(folder))) ?? [];
}

async function evict(folder: string, path: string): Promise<void> {
  const trash = join(folder, 'temporary', randomUUID());
  // Another process may have evicted it first.
  await unlessMissing(rename(path, trash));
  await rm(trash, { recursive: true, force: true });
}

async function unlessMissing<T>(requested: Promise<T>): Promise<T | undefined> {
  try {
    return await requested;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
