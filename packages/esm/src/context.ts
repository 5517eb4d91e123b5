import { createFairLimit, VitrineError } from '@vitrine/project';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { currentClient } from './client-address.ts';
import { builtinsTable } from './builtins.ts';
import { createInstalledPackages } from './installed.ts';
import { describeReason, type PackageLog } from './log.ts';
import { createJoins } from './joins.ts';
import { createObtainer } from './obtain.ts';
import { createPackuments } from './packuments.ts';
import { createRateLimit } from './rate.ts';
import { createRegistry } from './registry.ts';
import { registryOf, type RegistrySettings } from './registry-settings.ts';
import { createResolver } from './resolve.ts';
import type { ReadLockResult } from './resolve-protocol.ts';
import { createScale } from './scale.ts';
import { openStore } from './store.ts';

export interface PackageServerOptions {
  /** Where the store is. Several servers may share it. */
  readonly folder: string;
  /** Pages that may change something here: exact origins. */
  readonly appOrigins: readonly string[];
  readonly registry: RegistrySettings;
  /** Folders with a package-lock.json and a node_modules, whose packages need no registry. */
  readonly installed: readonly string[];
  readonly log: PackageLog;
}

/** What the store may hold on disk. */
const storeMaxBytes = 20 * 1024 ** 3;
/** Each is a process of up to two gigabytes. */
const buildsAtOnce = 3;
const buildsWaiting = 1_000;
/** How long a range keeps leading to the same version. */
export const rangeSeconds = 300;
const keptRanges = 2_000;
const keptLocks = 200;

/** The parts that a package server is made of, and what it remembers between requests. */
export type Context = Awaited<ReturnType<typeof createContext>>;

export async function createContext(options: PackageServerOptions) {
  const { folder, registry: settings, log } = options;
  const store = await openStore({ folder, maxBytes: storeMaxBytes });
  const registry = createRegistry(settings, log);
  const installed = createInstalledPackages(options.installed);
  const packuments = createPackuments({
    folder: join(folder, 'packuments'),
    registryKey: (name) => registryOf(settings, name).href,
    registry,
    installed,
    log,
  });
  const resolver = createResolver({ packuments, log, threads: 3, jobMs: 60_000, queueMax: 100 });
  const building = createFairLimit({
    slots: buildsAtOnce,
    maxWaiting: buildsWaiting,
    currentClient,
    refusal: () => new VitrineError('packages_busy'),
  });
  const obtainer = createObtainer({ store, registry, resolver, installed, building });
  const builtins = builtinsTable();
  const findTable = (link: string) => store.readLink(link);
  const builds = { obtainer, findTable, builtins };
  const joins = createJoins({ store, builds, building, log });
  /** What can be made again is answered even when a full disk cannot keep it. */
  const keepFile = async (kind: string, key: string, content: Buffer) => {
    try {
      await store.writeFile(kind, key, content);
    } catch (error) {
      log.warn('Something made for an answer was not kept.', {
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
    joins,
    installedPackages: installed,
    keepFile,
    scale: createScale({
      read: (build) => store.readFile('weights', build),
      write: (build, content) => keepFile('weights', build, content),
    }),
    forms: {
      read: (key: string) => store.readFile('compressed', key),
      write: (key: string, content: Buffer) => keepFile('compressed', key, content),
    },
    /** A lesson of thirty comes from one address. */
    resolving: createRateLimit(120, 240),
    /** NAME@WISH → exact base, until it is asked anew. */
    ranges: new Map<string, { base: Promise<string>; until: number }>(),
    /** Hash of a lock's text → what it says. */
    locks: new Map<string, Promise<ReadLockResult>>(),
  };
}

/** Throws `rate_limited` when this address has done enough for now. */
export function checkRate({ resolving }: Context, from: string | undefined): void {
  if (from !== undefined && !resolving.take(from)) throw new VitrineError('rate_limited');
}

/**
 * The exact address base that a range means for the moment, made known. Throws what resolving
 * throws.
 */
export function findRange(
  context: Context,
  name: string,
  wish: string,
  from: string | undefined,
): Promise<string> {
  const { ranges, resolver, store } = context;
  const key = `${name}@${wish}`;
  const known = ranges.get(key);
  if (known !== undefined && known.until > Date.now()) return known.base;
  checkRate(context, from);
  const base = resolver
    .run('resolveOne', { name, wish, mode: 'production' })
    .then(async (result) => {
      await store.writeLinks(result.tables);
      return result.base;
    });
  keep(ranges, key, { base, until: Date.now() + rangeSeconds * 1_000 }, keptRanges);
  base.catch(() => ranges.delete(key));
  return base;
}

function keep<T>(map: Map<string, T>, key: string, value: T, max: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}

/** What a lock says, with every address in it made known. */
export async function readAndKeep({ locks, resolver, store }: Context, lock: string) {
  const key = createHash('sha256').update(lock).digest('hex');
  const reading = locks.get(key) ?? resolver.run('readLock', { lock });
  keep(locks, key, reading, keptLocks);
  reading.catch(() => locks.delete(key));
  const result = await reading;
  await store.writeLinks(result.tables);
  return result;
}
