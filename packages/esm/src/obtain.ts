/*
 * From a link table to a package that can be served: fetched, unpacked, built. Each step is done
 * once for everybody, within limits; a failure is told to all who wait. What fails because of the
 * package itself is not tried again for a while; everything else is, by whoever comes next.
 */
import {
  createFairLimit,
  isErrorCode,
  VitrineError,
  type ErrorCode,
  type FairLimit,
  type LinkTable,
} from '@vitrine/project';
import { AsyncLocalStorage } from 'node:async_hooks';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import semver from 'semver';
import ssri from 'ssri';
import { buildPackage, prepareBuilds } from './build/build-package.ts';
import { endIdleChildren } from './build/children.ts';
import { currentClient } from './client-address.ts';
import { builtinsTable, findBuiltinsFolder } from './builtins.ts';
import type { BuildManifest } from './build/manifest.ts';
import type { InstalledPackages } from './installed.ts';
import type { Registry } from './registry.ts';
import type { Resolver } from './resolve.ts';
import { createSharedWork } from './shared-work.ts';
import { isRecord } from './specs.ts';
import { keyText, type PackageKey, type PackageStore } from './store.ts';
import { unpackTarball } from './unpack.ts';

export interface BuiltPackage {
  readonly folder: string;
  readonly manifest: BuildManifest;
}

/** What of a package is built apart from its common build. */
export interface BuildPart {
  readonly subpath?: string;
  readonly worker?: string;
}

export type PackageState = 'absent' | 'waiting' | 'fetching' | 'building' | 'ready';

export interface BuildManner {
  /** Runs behind everything else, until the server closes; whoever asks meanwhile waits with it. */
  readonly isPatient?: boolean;
  /** Ends when whoever waits has left. Without it nobody waits (yet). */
  readonly waiting?: AbortSignal;
}

export interface Obtainer {
  /** The folder of its files. */
  unpack(key: PackageKey, waiting?: AbortSignal): Promise<string>;
  build(table: LinkTable, part?: BuildPart, how?: BuildManner): Promise<BuiltPackage>;
  /** Begins a common build for whoever is about to ask; who does hears of its failure. */
  begin(table: LinkTable): void;
  /** The same, for someone who waits for what he asks for until the signal ends. */
  awaitedBy(waiting: AbortSignal): Obtainer;
  /** The common build if it is there; nothing is started. */
  findBuilt(table: LinkTable): Promise<BuiltPackage | undefined>;
  /** For whoever waits. */
  stateOf(table: LinkTable): Promise<PackageState>;
  /** Ends what is done for a package and nobody waits for. */
  callOff(key: PackageKey): void;
  /** Resolves when nothing is under way any more. */
  settle(): Promise<void>;
  /** Ends what is under way. Whoever waits for it is told `packages_busy`. */
  close(): Promise<void>;
}

const fetchesAtOnce = 8;
const queueMax = 1_000;
/**
 * What a package is to blame for. A busy machine may be, too, for a build that takes too long: so
 * these are forgotten after a while.
 */
const ownFailures: ReadonlySet<ErrorCode> = new Set([
  'package_build_failed',
  'package_mismatch',
  'package_node_only',
  'package_subpath_not_found',
  'package_too_large',
  'package_unsafe',
]);
const failureKeptMs = 10 * 60_000;
/** Each is up to four kilobytes of reason. */
const keptFailures = 1_000;
/** Manifests known in memory: each is some kilobytes, of a few packages up to a megabyte. */
const keptManifests = 300;

export function createObtainer(options: {
  store: PackageStore;
  registry: Registry;
  resolver: Resolver;
  installed: InstalledPackages;
  building: FairLimit;
}): Obtainer {
  const { store, registry, resolver, installed, building } = options;
  const fetching = createFairLimit({
    slots: fetchesAtOnce,
    maxWaiting: queueMax,
    currentClient,
    refusal: () => new VitrineError('packages_busy'),
  });
  /** Package → what is being done for it. */
  const states = new Map<string, PackageState>();
  const manifests = new Map<string, BuildManifest>();
  const unpacking = createSharedWork<string>();
  const builds = createSharedWork<BuiltPackage>();
  /** Key of a build → why it failed, until it is tried again; the oldest goes first. */
  const failures = new Map<string, { readonly error: VitrineError; readonly until: number }>();
  const builtins = builtinsTable();
  const builtinsFolder = findBuiltinsFolder();

  const during = async <T>(key: PackageKey, state: PackageState, work: () => Promise<T>) => {
    const id = keyText(key);
    const before = states.get(id);
    states.set(id, state);
    try {
      return await work();
    } finally {
      if (before === undefined) states.delete(id);
      else states.set(id, before);
    }
  };

  const unpack: Obtainer['unpack'] = (key, waiting) =>
    unpacking.join(keyText(key), (signal) => unpackOrFind(key, signal), waiting);

  const unpackOrFind = async (key: PackageKey, signal: AbortSignal): Promise<string> => {
    const { name, version, integrity } = key;
    if (name === builtins.name && integrity === builtins.integrity) return builtinsFolder;
    const own = await installed.findFolder(name, version, integrity);
    if (own !== undefined) return own;
    return store.unpacked(key, (folder) =>
      during(key, 'waiting', () =>
        fetching(() => during(key, 'fetching', () => fill(key, folder, signal)), signal),
      ),
    );
  };

  const fill = async (key: PackageKey, folder: string, signal: AbortSignal): Promise<void> => {
    const { name, version, integrity } = key;
    const dist = await resolver.run('findDist', { name, version });
    checkUnchanged(key, dist.integrity);
    const tarball = await registry.fetchTarball(name, dist.tarball, signal);
    await inOurWords(() => unpackTarball(tarball, folder, { integrity }));
    await checkOwnName(key, folder);
  };

  const build: Obtainer['build'] = (table, part = {}, { isPatient = false, waiting } = {}) => {
    const key = [keyText(keyOf(table)), table.mode, part.subpath, part.worker].join(' ');
    const failure = failures.get(key);
    if (failure && failure.until > Date.now()) return Promise.reject(failure.error);
    const work = (signal: AbortSignal) =>
      buildOrFind(table, part, isPatient, signal).catch((error: unknown) => {
        if (error instanceof VitrineError && ownFailures.has(error.code)) keepFailure(key, error);
        throw error;
      });
    return builds.join(key, work, isPatient ? new AbortController().signal : waiting);
  };

  const keepFailure = (key: string, error: VitrineError) => {
    failures.delete(key);
    failures.set(key, { error, until: Date.now() + failureKeptMs });
    const [oldest] = failures.keys();
    if (failures.size > keptFailures && oldest !== undefined) failures.delete(oldest);
  };

  const buildOrFind = async (
    table: LinkTable,
    part: BuildPart,
    isPatient: boolean,
    signal: AbortSignal,
  ): Promise<BuiltPackage> => {
    const { name, version, mode } = table;
    // The process that tells of them may have been started on another client's behalf.
    const onImports = AsyncLocalStorage.bind((names: readonly string[]) => {
      if (!isPatient) for (const each of names) buildAhead(table, each);
    });
    const folder = await store.built({ ...keyOf(table), mode, ...part }, async (output) => {
      // What it imports is built beside it.
      prepareBuilds(Object.keys(table.dependencies).length > 0 ? 2 : 1, { isPatient });
      const files = await unpack(keyOf(table), signal);
      const request = { name, version, mode, ...part };
      const options = { isPatient, signal, onImports };
      const run = () => inOurWords(() => buildPackage(files, output, request, options));
      await during(keyOf(table), 'waiting', () =>
        building(() => during(keyOf(table), 'building', run), signal),
      );
    });
    return { folder, manifest: await readManifest(folder) };
  };

  /** Who loads a package asks for what it imports next, and hears of it when that cannot be built. */
  const buildAhead = (table: LinkTable, name: string): void => {
    const target = Object.hasOwn(table.dependencies, name) ? table.dependencies[name] : undefined;
    if (typeof target !== 'string') return;
    store
      .readLink(target.slice(target.lastIndexOf('~') + 1))
      .then((other) => other && build(other))
      .catch(() => undefined);
  };

  const readManifest = async (folder: string): Promise<BuildManifest> => {
    const known = manifests.get(folder);
    if (known !== undefined) return known;
    // Our own build wrote it a moment or a month ago.
    const manifest = JSON.parse(
      await readFile(join(folder, 'manifest.json'), 'utf8'),
    ) as BuildManifest;
    manifests.set(folder, manifest);
    const [oldest] = manifests.keys();
    if (manifests.size > keptManifests && oldest !== undefined) manifests.delete(oldest);
    return manifest;
  };

  const findBuilt = async (table: LinkTable): Promise<BuiltPackage | undefined> => {
    const folder = await store.findBuilt({ ...keyOf(table), mode: table.mode });
    return folder === undefined ? undefined : { folder, manifest: await readManifest(folder) };
  };

  const own: Obtainer = {
    unpack,
    build,
    begin: (table) => void build(table).catch(() => undefined),
    awaitedBy: (waiting) => ({
      ...own,
      unpack: (key) => unpack(key, waiting),
      build: (table, part) => build(table, part, { waiting }),
    }),
    findBuilt,
    async stateOf(table) {
      const busy = states.get(keyText(table));
      return busy ?? ((await findBuilt(table)) === undefined ? 'absent' : 'ready');
    },
    callOff(key) {
      builds.callOff(`${keyText(key)} `);
      unpacking.callOff(keyText(key));
    },
    settle: () => builds.settle(),
    async close() {
      await Promise.all([builds.close(), unpacking.close()]);
      endIdleChildren();
    },
  };
  return own;
}

function keyOf({ name, version, integrity }: LinkTable): PackageKey {
  return { name, version, integrity };
}

/**
 * What a lock says a version is, against what the registry says now. Only algorithms that both name
 * can be compared; the tarball itself is checked against the lock in any case.
 */
function checkUnchanged({ name, version, integrity }: PackageKey, offered: string): void {
  const found = new Map(readHashes(offered));
  const comparable = readHashes(integrity).filter(([algorithm]) => found.has(algorithm));
  const isSame = comparable.some(([algorithm, digest]) => found.get(algorithm) === digest);
  if (comparable.length > 0 && !isSame) {
    throw new VitrineError('package_changed', `${name}@${version}`);
  }
}

/**
 * Throws `package_mismatch` where the unpacked package.json says that it is another package, or
 * another version, than the registry offered it as. What it does not say is no contradiction.
 */
async function checkOwnName({ name, version }: PackageKey, folder: string): Promise<void> {
  const text = await readFile(join(folder, 'package.json'), 'utf8');
  const own = parseOwnName(text);
  if (own === undefined) return;
  const isSameName = own.name === undefined || own.name.trim() === name;
  const isSameVersion = own.version === undefined || isSameRelease(own.version, version);
  if (isSameName && isSameVersion) return;
  const said = `${own.name ?? name}@${own.version ?? version}`.slice(0, 300);
  throw new VitrineError('package_mismatch', `${name}@${version} says that it is ${said}`);
}

/** Undefined for what is no JSON object, which the build refuses in its own words. */
function parseOwnName(text: string): { name?: string; version?: string } | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (!isRecord(value)) return undefined;
    const { name, version } = value;
    return {
      ...(name !== undefined && { name: textOf(name) }),
      ...(version !== undefined && { version: textOf(version) }),
    };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `v1.2.3`, `=1.2.3`, `01.2.3` and `1.2.3+build` are all published as 1.2.3. */
function isSameRelease(own: string, published: string): boolean {
  const [a, b] = [own, published].map((text) => semver.parse(text.trim(), { loose: true }));
  return own === published || (a != null && b != null && semver.compare(a, b) === 0);
}

/** `sha512-AbC…== sha1-…` → [[sha512, AbC…==], …], leaving what is none. */
function readHashes(integrity: string): [string, string][] {
  const hashes = ssri.parse(integrity);
  return ['sha512', 'sha384', 'sha256', 'sha1'].flatMap((algorithm) => {
    const found: unknown = hashes === null ? undefined : Reflect.get(hashes, algorithm);
    if (!Array.isArray(found)) return [];
    return found.map((hash): [string, string] => [algorithm, String(hash.digest)]);
  });
}

/** Unpacking and building have errors of their own kind, with codes of the catalogue. */
async function inOurWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VitrineError || !(error instanceof Error) || !('code' in error))
      throw error;
    const code = codes.get(String(error.code)) ?? error.code;
    if (!isErrorCode(code)) throw error;
    throw new VitrineError(code, error.message.slice(0, 4_000), { cause: error });
  }
}

const codes = new Map<string, ErrorCode>([
  ['package_integrity', 'package_damaged'],
  ['package_for_node', 'package_node_only'],
]);
