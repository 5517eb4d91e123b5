import {
  createFairLimit,
  createRateLimiter,
  VitrineError,
  type RateLimiter,
} from '@vitrine/project';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { getClientAddress } from './client-address.ts';
import { getBuiltinsResolution } from './builtins.ts';
import { createInstalledPackages, type InstalledPackages } from './installed-packages.ts';
import { describeReason, type PackageLog } from './log.ts';
import { createGroupBundles } from './groups/group-bundles.ts';
import { createPackageBuilder } from './build-packages.ts';
import { createPackumentCache } from './registry/packument-cache.ts';
import type { BuildContext } from './read-module.ts';
import { createRegistry, type Registry } from './registry/registry.ts';
import { getRegistryUrl, type RegistrySettings } from './registry/registry-settings.ts';
import { createResolver, type Resolver } from './resolve/resolver.ts';
import type { ReadLockfileResult } from './resolve/resolve-protocol.ts';
import { createSizeCache, type SizeCache } from './store/size-cache.ts';
import type { ServeContext } from './serve-exact.ts';
import { openStore, type PackageStore } from './store/store.ts';

/** Options of `createPackageServer`. */
export interface PackageServerOptions {
  /** Folder of the store. Several servers may share it. */
  readonly folder: string;
  /** Exact origins of the pages that may send POST requests. */
  readonly appOrigins: readonly string[];
  readonly registry: RegistrySettings;
  /**
   * Folders with a package-lock.json and a node_modules, whose packages are read from there instead
   * of the registry.
   */
  readonly installed: readonly string[];
  readonly log: PackageLog;
}

/** Size limit of the store on disk. */
const storeMaxBytes = 20 * 1024 ** 3;
/** Number of builds that run at the same time. Each is a process of up to two gigabytes. */
const buildsAtOnce = 3;
const buildsWaiting = 1_000;
/** Seconds for which a range keeps resolving to the same version. */
export const rangeCacheSeconds = 300;
const maxRanges = 2_000;
const maxLockfiles = 200;

/** Parts of a package server, and what it caches between requests. */
export interface Context extends Omit<PackageServerOptions, 'registry'>, ServeContext {
  readonly store: PackageStore;
  readonly registry: Registry;
  readonly resolver: Resolver;
  readonly installedPackages: InstalledPackages;
  /** Writes a cache file. A full disk is logged, and never an error. */
  readonly writeCacheFile: (kind: string, key: string, content: Buffer) => Promise<void>;
  readonly sizeCache: SizeCache;
  /** Limits requests that resolve, per IP address. Thirty learners of one class may share one. */
  readonly rateLimiter: RateLimiter;
  /** NAME@RANGE → exact base URL, for `rangeCacheSeconds`. */
  readonly ranges: Map<string, { base: Promise<string>; until: number }>;
  /** SHA-256 of a lockfile's text → its packages. */
  readonly lockfiles: Map<string, Promise<ReadLockfileResult>>;
}

/** Opens the store and creates the parts of a package server. */
export async function createContext(options: PackageServerOptions): Promise<Context> {
  const { folder, registry: settings, log } = options;
  const store = await openStore({ folder, maxBytes: storeMaxBytes });
  const registry = createRegistry(settings, log);
  const installed = createInstalledPackages(options.installed);
  const packuments = createPackumentCache({
    folder: join(folder, 'packuments'),
    registryKey: (name) => getRegistryUrl(settings, name).href,
    registry,
    installed,
    log,
  });
  const resolver = createResolver({ packuments, log, processes: 3, jobMs: 60_000, queueMax: 100 });
  const building = createFairLimit({
    slots: buildsAtOnce,
    maxWaiting: buildsWaiting,
    getCurrentClient: getClientAddress,
    createError: () => new VitrineError('packages_busy'),
  });
  const packageBuilder = createPackageBuilder({ store, registry, resolver, installed, building });
  const builtins = getBuiltinsResolution();
  const findResolution = (hash: string) => store.readResolution(hash);
  const builds: BuildContext = { packageBuilder, findResolution, builtins };
  const bundles = createGroupBundles({ store, builds, building, log });
  /** Writes a cache file. The response is sent even when a full disk can't store it. */
  const writeCacheFile = async (kind: string, key: string, content: Buffer) => {
    try {
      await store.writeFile(kind, key, content);
    } catch (error) {
      log.warn('Couldn’t write a cache file.', {
        kind,
        reason: describeReason(error),
      });
    }
  };
  return {
    ...options,
    store,
    registry,
    resolver,
    ...builds,
    bundles,
    installedPackages: installed,
    writeCacheFile,
    sizeCache: createSizeCache({
      read: (build) => store.readFile('weights', build),
      write: (build, content) => writeCacheFile('weights', build, content),
    }),
    compressionCache: {
      read: (key: string) => store.readFile('compressed', key),
      write: (key: string, content: Buffer) => writeCacheFile('compressed', key, content),
    },
    rateLimiter: createRateLimiter({ burst: 120, refillSeconds: 1 / 4, maxKeys: 10_000 }),
    ranges: new Map(),
    lockfiles: new Map(),
  };
}

/** @throws VitrineError `rate_limited` when this IP address has sent too many requests. */
export function checkRateLimit({ rateLimiter }: Context, from: string | undefined): void {
  if (from !== undefined && rateLimiter.consume(from) > 0) throw new VitrineError('rate_limited');
}

/**
 * Resolves a range to an exact base URL, and stores its resolution. The result is cached for
 * `rangeCacheSeconds`.
 *
 * @param from IP address of the client, for its rate limit.
 * @throws What resolving throws, and `rate_limited`.
 */
export function resolveRange(
  context: Context,
  name: string,
  range: string,
  from: string | undefined,
): Promise<string> {
  const { ranges, resolver, store } = context;
  const key = `${name}@${range}`;
  const known = ranges.get(key);
  if (known !== undefined && known.until > Date.now()) return known.base;
  checkRateLimit(context, from);
  const base = resolver
    .run('resolvePackage', { name, range, mode: 'production' })
    .then(async (result) => {
      await store.writeResolutions(result.resolutions);
      return result.base;
    });
  setLimited(ranges, key, { base, until: Date.now() + rangeCacheSeconds * 1_000 }, maxRanges);
  base.catch(() => ranges.delete(key));
  return base;
}

function setLimited<T>(map: Map<string, T>, key: string, value: T, max: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}

/** Packages of a lockfile. Stores their resolutions, so that every URL of the lockfile is known. */
export async function loadLockfile({ lockfiles, resolver, store }: Context, lockfile: string) {
  const key = createHash('sha256').update(lockfile).digest('hex');
  const loading = lockfiles.get(key) ?? resolver.run('readLockfile', { lockfile });
  setLimited(lockfiles, key, loading, maxLockfiles);
  loading.catch(() => lockfiles.delete(key));
  const result = await loading;
  await store.writeResolutions(result.resolutions);
  return result;
}
