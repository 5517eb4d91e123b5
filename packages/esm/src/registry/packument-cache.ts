import { VitrineError } from '@vitrine/project';
import { createHash } from 'node:crypto';
import { readFile, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstalledPackages } from '../installed-packages.ts';
import { describeReason, type PackageLog } from '../log.ts';
import type { Registry } from './registry.ts';
import { removeOldestFiles } from '../store/store-eviction.ts';
import { isNotFound, writeFileAtomically } from '../store/atomic-write.ts';

/**
 * Cache of the registry's documents about packages ("packuments") on disk. A packument that is a
 * few minutes old isn't requested again. When the registry doesn't respond, the cached packument is
 * used, and without one, a packument of the installed version.
 */
export interface PackumentCache {
  /** Reads a packument. Throws what the registry throws. */
  read(name: string): Promise<CachedPackument>;
}

interface CachedPackument {
  /** JSON text. */
  readonly body: Buffer;
  /** Whether it stands in for that of a registry that didn't respond, and may lack versions. */
  readonly isFallback?: boolean;
}

const freshMs = 5 * 60 * 1000;
/** Maximum number of files. Beyond it, the least recently used half is removed. */
const maxFiles = 4_000;
/** Number of new files after which the files are counted. */
const countEvery = 200;

export function createPackumentCache(options: {
  folder: string;
  /** Distinguishes the packuments of different registries. */
  registryKey: (name: string) => string;
  registry: Registry;
  installed: InstalledPackages;
  log: PackageLog;
}): PackumentCache {
  const { folder, registry, installed } = options;
  /** Package name → request in progress. */
  const inFlight = new Map<string, Promise<CachedPackument>>();
  let written = 0;

  const fetchAndCache = async (name: string): Promise<CachedPackument> => {
    const path = join(folder, `${fileName(`${options.registryKey(name)}\n${name}`)}.json`);
    const cached = await readCacheFile(path);
    if (cached?.isFresh === true) return { body: cached.body };
    try {
      const response = await registry.fetchPackument(name, cached?.etag);
      if (response === 'unchanged') {
        if (cached === undefined) throw new VitrineError('package_damaged', name);
        await touch(path);
        return { body: cached.body };
      }
      await writeCache(path, formatCacheFile(response.etag, response.body));
      return { body: response.body };
    } catch (error) {
      const body = await findFallback(error, name, cached);
      if (body === undefined) throw error;
      return { body, isFallback: true };
    }
  };

  /** Writes a cache file. A full disk causes another request later, but no failure. */
  const writeCache = async (path: string, content: Buffer) => {
    try {
      await writeFileAtomically(path, content);
      if (++written % countEvery === 0) await removeOldestFiles(folder, maxFiles);
    } catch (error) {
      options.log.warn('Couldn’t cache a package’s registry metadata.', {
        reason: describeReason(error),
      });
    }
  };

  const findFallback = async (error: unknown, name: string, cached: CacheFile | undefined) => {
    if (!(error instanceof VitrineError) || error.code !== 'registry_unreachable') return undefined;
    return cached?.body ?? (await installed.findPackument(name));
  };

  return {
    read(name) {
      const running = inFlight.get(name);
      if (running !== undefined) return running;
      const started = fetchAndCache(name).finally(() => inFlight.delete(name));
      inFlight.set(name, started);
      return started;
    },
  };
}

interface CacheFile {
  readonly etag: string | undefined;
  readonly body: Buffer;
  readonly isFresh: boolean;
}

/**
 * Content of a cache file: the etag on the first line, then the packument. The file's modification
 * time is when it was last validated.
 */
function formatCacheFile(etag: string | undefined, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${etag?.replaceAll('\n', '') ?? ''}\n`), body]);
}

async function readCacheFile(path: string): Promise<CacheFile | undefined> {
  try {
    const [content, { mtimeMs }] = await Promise.all([readFile(path), stat(path)]);
    const end = content.indexOf('\n');
    const etag = content.toString('latin1', 0, Math.max(end, 0));
    const isFresh = Math.abs(Date.now() - mtimeMs) < freshMs;
    return { etag: etag === '' ? undefined : etag, body: content.subarray(end + 1), isFresh };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Marks a file as validated now. The file may have been removed in the meantime to free space. */
async function touch(path: string): Promise<void> {
  try {
    await utimes(path, new Date(), new Date());
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function fileName(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
