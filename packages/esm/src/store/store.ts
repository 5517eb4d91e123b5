/*
 * The package server's files on disk: unpacked packages, builds, resolutions and compressed files.
 * Whatever has its final name is complete: it was written under a temporary name, and then renamed
 * (deferred-flush.ts removes what a power cut may have left incomplete). Several processes may share
 * a folder: they may do the same work twice, and the second one uses the result of the first.
 *
 *   FOLDER/unpacked/ID/   FOLDER/built/ID/   FOLDER/joined/ID/
 *   FOLDER/files/KIND/ID  FOLDER/links/HASH
 *   FOLDER/unflushed/…    marks of folders whose files may not be flushed yet
 *   FOLDER/sizes/…        bytes of each folder, written before it gets its final name
 *   FOLDER/temporary/…    work in progress, or left by a process that was killed
 */
import { isRecord } from '@vitrine/project/is-record';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  builderVersion,
  type PackageGroup,
  type ResolutionTable,
  type PackageMode,
} from '../lockfile/resolution-hash.ts';
import { folderBytes } from '../build/folder-bytes.ts';
import { openDeferredFlush } from './deferred-flush.ts';
import { evictLeastRecentlyUsed, removeOldestFiles } from './store-eviction.ts';
import { ignoreNotFound, isNotFound, writeFileAtomically } from './atomic-write.ts';

/** Version of a package, identified by its content: a republished version is another package. */
export interface PackageKey {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
}

/** Identifies a build of a package. */
export interface BuildKey extends PackageKey {
  readonly mode: PackageMode;
  /** Major version of the Svelte that components are compiled for, if it is an earlier one. */
  readonly svelte?: number;
  /** Subpath that is built outside of the common build (`./map`). */
  readonly subpath?: string;
  /** File that is built as a worker. */
  readonly worker?: string;
}

/** Writes files into an empty folder. When it throws, the folder is discarded. */
type FillFolder = (folder: string) => Promise<void>;

export interface PackageStore {
  /** Folder of an unpacked package. A missing one is filled first, once for concurrent callers. */
  getUnpacked(key: PackageKey, fill: FillFolder): Promise<string>;
  getBuilt(key: BuildKey, fill: FillFolder): Promise<string>;
  /** Folder of a build. Undefined when it doesn't exist (yet). */
  findBuilt(key: BuildKey): Promise<string | undefined>;
  /** Folder with the bundle of a package group, by the resolution hash of its root. */
  getBundled(hash: string, fill: FillFolder): Promise<string>;
  /** Reads a resolution by its hash. */
  readResolution(hash: string): Promise<ResolutionTable | undefined>;
  /** Writes resolutions by their hashes. */
  writeResolutions(resolutions: ReadonlyMap<string, ResolutionTable>): Promise<void>;
  /** Reads or writes a cache file, by kind and key. */
  readFile(kind: string, key: string): Promise<Buffer | undefined>;
  writeFile(kind: string, key: string, content: string | Uint8Array): Promise<void>;
}

interface StoreOptions {
  readonly folder: string;
  /** Size limit. Beyond it, the least recently used items are evicted. */
  readonly maxBytes: number;
}

/** Interval for updating the time of last use, so that not every read causes a write. */
const touchIntervalMs = 60 * 60 * 1000;
/** Maximum number of resolutions in memory. Each is under a kilobyte. */
const maxResolutions = 20_000;
const evictEvery = 50;
/**
 * Maximum number of resolution files. A removed one is written again when its lockfile is used the
 * next time.
 */
const maxResolutionFiles = 200_000;

/** Opens the store in a folder, and removes what a crash may have left incomplete. */
export async function openStore({ folder, maxBytes }: StoreOptions): Promise<PackageStore> {
  const temporary = join(folder, 'temporary');
  await mkdir(temporary, { recursive: true });
  await removeLeftovers(temporary);
  const flushing = await openDeferredFlush(folder);
  /** Path → fill in progress. */
  const inFlight = new Map<string, Promise<string>>();
  const resolutionCache = new Map<string, ResolutionTable>();
  const lastTouched = new Map<string, number>();
  let written = 0;

  const getOrFill = (kind: string, id: string, fill: FillFolder): Promise<string> => {
    const path = join(folder, kind, id);
    const running = inFlight.get(path);
    if (running !== undefined) return running;
    const started = findOrFill(kind, id, fill).finally(() => inFlight.delete(path));
    inFlight.set(path, started);
    return started;
  };

  const findOrFill = async (kind: string, id: string, fill: FillFolder): Promise<string> => {
    const path = join(folder, kind, id);
    if (await find(path)) return path;
    const work = join(temporary, randomUUID());
    await mkdir(work, { recursive: true });
    try {
      await fill(work);
      const [flushLater] = await Promise.all([
        flushing.mark(work, kind, id),
        writeSize(work, kind, id),
        mkdir(join(folder, kind), { recursive: true }),
      ]);
      await renameIfMissing(work, path);
      flushLater();
    } finally {
      await rm(work, { recursive: true, force: true });
    }
    if (++written % evictEvery === 0) {
      await evictLeastRecentlyUsed(folder, maxBytes);
      await removeOldestFiles(join(folder, 'links'), maxResolutionFiles);
    }
    return path;
  };

  const writeSize = async (work: string, kind: string, id: string) => {
    const bytes = folderBytes(work);
    await writeFileAtomically(join(folder, 'sizes', `${kind}-${id}`), String(bytes));
  };

  const find = async (path: string): Promise<boolean> => {
    try {
      await stat(path);
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
    const now = Date.now();
    if (now - (lastTouched.get(path) ?? 0) > touchIntervalMs) {
      lastTouched.set(path, now);
      await utimes(path, new Date(), new Date());
    }
    return true;
  };

  const remember = (hash: string, resolution: ResolutionTable) => {
    resolutionCache.set(hash, resolution);
    const [oldest] = resolutionCache.keys();
    if (resolutionCache.size > maxResolutions && oldest !== undefined)
      resolutionCache.delete(oldest);
  };

  return {
    getUnpacked: (key, fill) => getOrFill('unpacked', packageId(key), fill),
    getBuilt: (key, fill) => getOrFill('built', buildId(key), fill),
    async findBuilt(key) {
      const path = join(folder, 'built', buildId(key));
      return (await find(path)) ? path : undefined;
    },
    getBundled: (hash, fill) => getOrFill('joined', hash, fill),
    async readResolution(hash) {
      if (!/^[a-z2-7]{16}$/.test(hash)) return undefined;
      const known =
        resolutionCache.get(hash) ?? (await readResolutionFile(join(folder, 'links', hash)));
      if (known !== undefined) remember(hash, known);
      return known;
    },
    async writeResolutions(resolutions) {
      await mkdir(join(folder, 'links'), { recursive: true });
      for (const [hash, resolution] of resolutions) {
        if (resolutionCache.has(hash)) continue;
        // Not flushed, because a lockfile has hundreds. A half-written file can't be parsed and
        // counts as missing.
        const work = join(temporary, randomUUID());
        await writeFile(work, JSON.stringify(resolution));
        await rename(work, join(folder, 'links', hash));
        remember(hash, resolution);
      }
    },
    async readFile(kind, key) {
      const path = join(folder, 'files', kind, hashText(key));
      return (await find(path)) ? readFile(path) : undefined;
    },
    async writeFile(kind, key, content) {
      await writeFileAtomically(join(folder, 'files', kind, hashText(key)), content);
    },
  };
}

/** Text that identifies a package version. */
export function formatKey({ name, version, integrity }: PackageKey): string {
  return `${name}@${version} ${integrity}`;
}

function packageId({ name, version, integrity }: PackageKey): string {
  return `${formatReadableName(name, version)}-${hashText(`${name}\n${version}\n${integrity}`)}`;
}

function buildId(key: BuildKey): string {
  const { name, version, integrity, mode, svelte = null, subpath = '', worker = '' } = key;
  const parts = [name, version, integrity, builderVersion, mode, svelte, subpath, worker];
  return `${formatReadableName(name, version)}-${mode}-${hashText(JSON.stringify(parts))}`;
}

/** Readable prefix of a folder name, for people. The hash alone identifies the package. */
function formatReadableName(name: string, version: string): string {
  return `${name.replace('/', '+')}@${version}`
    .toLowerCase()
    .replace(/[^a-z0-9@+._-]/g, '_')
    .slice(0, 120);
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 40);
}

async function renameIfMissing(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    const exists =
      error instanceof Error &&
      'code' in error &&
      (error.code === 'ENOTEMPTY' || error.code === 'EEXIST');
    if (!exists) throw error;
  }
}

async function readResolutionFile(path: string): Promise<ResolutionTable | undefined> {
  try {
    return parseResolution(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    if (isNotFound(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function parseResolution(value: unknown): ResolutionTable | undefined {
  if (!isRecord(value)) return undefined;
  const { builder, mode, name, version, integrity, dependencies } = value;
  if (builder !== builderVersion || (mode !== 'development' && mode !== 'production')) {
    return undefined;
  }
  if (typeof name !== 'string' || typeof version !== 'string' || typeof integrity !== 'string') {
    return undefined;
  }
  if (!isRecord(dependencies)) return undefined;
  const storedGroup = value['family'];
  const group = storedGroup === undefined ? undefined : parseGroup(storedGroup);
  if (storedGroup !== undefined && group === undefined) return undefined;
  const targets = Object.entries(dependencies).filter(
    (entry): entry is [string, string | null] => entry[1] === null || typeof entry[1] === 'string',
  );
  return {
    builder,
    mode,
    name,
    version,
    integrity,
    dependencies: Object.fromEntries(targets),
    ...(group && { family: group }),
  };
}

function parseGroup(value: unknown): PackageGroup | undefined {
  if (!isRecord(value)) return undefined;
  const { companions, moved, sharedBy, shared } = value;
  if (!isStringArray(companions) || !isRecord(moved)) return undefined;
  const isTarget = (entry: [string, unknown]): entry is [string, string] =>
    typeof entry[1] === 'string';
  return {
    companions,
    moved: Object.fromEntries(Object.entries(moved).filter(isTarget)),
    ...(isStringArray(sharedBy) && { sharedBy }),
    ...(typeof shared === 'string' && { shared }),
  };
}

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Age of temporary files that are removed. Longer than any download or build takes. */
const leftoverMs = 60 * 60 * 1000;

async function removeLeftovers(temporary: string): Promise<void> {
  for (const name of await readdir(temporary)) {
    const path = join(temporary, name);
    const age = await stat(path).then(({ mtimeMs }) => Date.now() - mtimeMs, ignoreNotFound);
    if (age !== undefined && age > leftoverMs) await rm(path, { recursive: true, force: true });
  }
}
