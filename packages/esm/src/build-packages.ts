/*
 * Fetches, unpacks and builds packages. Each step runs once for all callers, within limits, and its
 * failure is reported to all of them. A failure that the package itself causes is cached for a while;
 * after any other failure the next request tries again.
 */
import { isRecord } from '@vitrine/project/is-record';
import {
  createFairLimit,
  isErrorCode,
  VitrineError,
  type ErrorCode,
  type FairLimit,
} from '@vitrine/project';
import { AsyncLocalStorage } from 'node:async_hooks';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import semver from 'semver';
import ssri from 'ssri';
import type { ResolutionTable } from './lockfile/resolution-hash.ts';
import {
  buildPackage,
  killIdleBuildProcesses,
  prewarmBuilds,
  type BuildOptions,
} from './build/build-package.ts';
import { newestSvelte } from './build/svelte-files.ts';
import { getClientAddress } from './client-address.ts';
import { getBuiltinsResolution, findBuiltinsFolder } from './builtins.ts';
import type { BuildManifest } from './build/manifest.ts';
import type { InstalledPackages } from './installed-packages.ts';
import type { BuildState } from './messages.ts';
import type { Registry } from './registry/registry.ts';
import type { Resolver } from './resolve/resolver.ts';
import { createSharedWork } from './shared-work.ts';
import { formatKey, type BuildKey, type PackageKey, type PackageStore } from './store/store.ts';
import { unpackTarball } from './registry/unpack.ts';

/** A build in the store. */
export interface BuiltPackage {
  readonly folder: string;
  readonly manifest: BuildManifest;
}

/** What is built apart from the common build of a package. */
interface BuildPart {
  readonly subpath?: string;
  readonly worker?: string;
}

/** How a build runs. */
interface BuildPriority {
  /**
   * Runs at low priority until the server closes. Callers who request the same build in the
   * meantime wait for it.
   */
  readonly isBackground?: boolean;
  /** Aborts when the caller has left. Without it nobody is waiting (yet). */
  readonly waiting?: AbortSignal;
}

/** Fetches, unpacks and builds packages. Rejects with VitrineErrors. */
export interface PackageBuilder {
  /** Folder with the unpacked files. */
  unpack(key: PackageKey, waiting?: AbortSignal): Promise<string>;
  build(resolution: ResolutionTable, part?: BuildPart, how?: BuildPriority): Promise<BuiltPackage>;
  /**
   * Starts a common build that is about to be requested. Its failure is reported to that request.
   */
  startBuild(resolution: ResolutionTable): void;
  /** The same builder for a caller who waits until the signal aborts. */
  withSignal(waiting: AbortSignal): PackageBuilder;
  /** Finds the common build without starting one. */
  findBuilt(resolution: ResolutionTable): Promise<BuiltPackage | undefined>;
  /** State of the common build, for progress display. */
  getState(resolution: ResolutionTable): Promise<BuildState>;
  /** Cancels the work for a package, as soon as nobody waits for it. */
  cancel(key: PackageKey): void;
  /** Resolves when no build is running. */
  whenIdle(): Promise<void>;
  /** Aborts all work. Callers receive `packages_busy`. */
  close(): Promise<void>;
}

const fetchesAtOnce = 8;
const queueMax = 1_000;
/**
 * Failures that the package itself causes. They are forgotten after a while, because a build that
 * took too long may have failed due to load.
 */
const packageFailures: ReadonlySet<ErrorCode> = new Set([
  'package_build_failed',
  'package_mismatch',
  'package_node_only',
  'package_subpath_not_found',
  'package_too_large',
  'package_unsafe',
]);
const failureCacheMs = 10 * 60_000;
/** Maximum number of cached failures. Each has up to four kilobytes of text. */
const maxFailures = 1_000;
/**
 * Maximum number of manifests in memory. Each has a few kilobytes, of some packages up to a
 * megabyte.
 */
const maxManifests = 300;

/**
 * Creates the builder.
 *
 * @param options.building Limits how many builds run at the same time.
 */
export function createPackageBuilder(
  options: UnpackOptions & { building: FairLimit },
): PackageBuilder {
  const { store, building } = options;
  const states = new BuildStates();
  const failures = new FailureCache();
  const readManifest = createManifestReader();
  const unpacking = createSharedWork<string>();
  const builds = createSharedWork<BuiltPackage>();
  const findOrUnpack = createUnpacker({ ...options, states });

  const unpack: PackageBuilder['unpack'] = (key, waiting) =>
    unpacking.run(formatKey(key), (signal) => findOrUnpack(key, signal), waiting);

  const build: PackageBuilder['build'] = (
    resolution,
    part = {},
    { isBackground = false, waiting } = {},
  ) => {
    const { mode, svelte } = getBuildKey(resolution);
    const key = [formatKey(getKey(resolution)), mode, svelte, part.subpath, part.worker].join(' ');
    const failure = failures.find(key);
    if (failure) return Promise.reject(failure);
    const work = (signal: AbortSignal) =>
      findOrBuild(resolution, part, isBackground, signal).catch((error: unknown) => {
        if (error instanceof VitrineError && packageFailures.has(error.code))
          failures.add(key, error);
        throw error;
      });
    return builds.run(key, work, isBackground ? new AbortController().signal : waiting);
  };

  const findOrBuild = async (
    resolution: ResolutionTable,
    part: BuildPart,
    isBackground: boolean,
    signal: AbortSignal,
  ): Promise<BuiltPackage> => {
    const buildKey = { ...getBuildKey(resolution), ...part };
    // The child process that reports the imports may have been started for another client.
    const onImports = AsyncLocalStorage.bind((names: readonly string[]) => {
      if (!isBackground) for (const each of names) buildAhead(resolution, each);
    });
    const folder = await store.getBuilt(buildKey, async (output) => {
      // Its imports are built at the same time, each in its own process.
      prewarmBuilds(Object.keys(resolution.dependencies).length > 0 ? 2 : 1, {
        isBackground,
      });
      const files = await unpack(getKey(resolution), signal);
      const { integrity: _, ...request } = buildKey;
      const options: BuildOptions = { isBackground, signal, onImports };
      const run = () => convertErrors(() => buildPackage(files, output, request, options));
      await states.during(getKey(resolution), 'waiting', () =>
        building(() => states.during(getKey(resolution), 'building', run), signal),
      );
    });
    return { folder, manifest: await readManifest(folder) };
  };

  /** Builds a dependency ahead of its request. A failure is reported to that request. */
  const buildAhead = (resolution: ResolutionTable, name: string): void => {
    const target = Object.hasOwn(resolution.dependencies, name)
      ? resolution.dependencies[name]
      : undefined;
    if (typeof target !== 'string') return;
    store
      .readResolution(target.slice(target.lastIndexOf('~') + 1))
      .then((other) => other && build(other))
      .catch(() => undefined);
  };

  const findBuilt = async (resolution: ResolutionTable): Promise<BuiltPackage | undefined> => {
    const folder = await store.findBuilt(getBuildKey(resolution));
    return folder === undefined ? undefined : { folder, manifest: await readManifest(folder) };
  };

  const builder: PackageBuilder = {
    unpack,
    build,
    startBuild: (resolution) => void build(resolution).catch(() => undefined),
    withSignal: (waiting) => ({
      ...builder,
      unpack: (key) => unpack(key, waiting),
      build: (resolution, part) => build(resolution, part, { waiting }),
    }),
    findBuilt,
    async getState(resolution) {
      const busy = states.find(getKey(resolution));
      return busy ?? ((await findBuilt(resolution)) === undefined ? 'absent' : 'ready');
    },
    cancel(key) {
      builds.cancel(`${formatKey(key)} `);
      unpacking.cancel(formatKey(key));
    },
    whenIdle: () => builds.whenIdle(),
    async close() {
      await Promise.all([builds.close(), unpacking.close()]);
      killIdleBuildProcesses();
    },
  };
  return builder;
}

interface UnpackOptions {
  readonly store: PackageStore;
  readonly registry: Registry;
  readonly resolver: Resolver;
  readonly installed: InstalledPackages;
}

/** Creates the function that finds a package's folder, or fetches and unpacks it into the store. */
function createUnpacker({
  store,
  registry,
  resolver,
  installed,
  states,
}: UnpackOptions & { readonly states: BuildStates }) {
  const fetching = createFairLimit({
    slots: fetchesAtOnce,
    maxWaiting: queueMax,
    getCurrentClient: getClientAddress,
    createError: () => new VitrineError('packages_busy'),
  });
  const builtins = getBuiltinsResolution();
  const builtinsFolder = findBuiltinsFolder();

  const fetchAndUnpack = async (
    key: PackageKey,
    folder: string,
    signal: AbortSignal,
  ): Promise<void> => {
    const { name, version, integrity } = key;
    const dist = await resolver.run('findTarball', { name, version });
    checkRegistryIntegrity(key, dist.integrity);
    const tarball = await registry.fetchTarball(name, dist.tarball, signal);
    await convertErrors(() => unpackTarball(tarball, folder, { integrity }));
    await checkManifestName(key, folder);
  };

  return async (key: PackageKey, signal: AbortSignal): Promise<string> => {
    const { name, version, integrity } = key;
    if (name === builtins.name && integrity === builtins.integrity) return builtinsFolder;
    const installedFolder = await installed.findFolder(name, version, integrity);
    if (installedFolder !== undefined) return installedFolder;
    return store.getUnpacked(key, (folder) =>
      states.during(key, 'waiting', () =>
        fetching(
          () => states.during(key, 'fetching', () => fetchAndUnpack(key, folder, signal)),
          signal,
        ),
      ),
    );
  };
}

/** Steps that are running, by package. */
class BuildStates {
  /** Package → the steps of all its builds, the latest last. Removed with its last step. */
  readonly #states = new Map<string, readonly BuildState[]>();

  /** The latest step that is running for a package. */
  find(key: PackageKey): BuildState | undefined {
    return this.#states.get(formatKey(key))?.at(-1);
  }

  /** Does the work as a step of the package. */
  async during<T>(key: PackageKey, state: BuildState, work: () => Promise<T>): Promise<T> {
    const id = formatKey(key);
    this.#states.set(id, [...(this.#states.get(id) ?? []), state]);
    try {
      return await work();
    } finally {
      const running = this.#states.get(id) ?? [];
      const rest = running.toSpliced(running.lastIndexOf(state), 1);
      if (rest.length === 0) this.#states.delete(id);
      else this.#states.set(id, rest);
    }
  }
}

/** Failures that packages themselves cause, by build. */
class FailureCache {
  /** Build key → why it failed, until `until`. The oldest entry is removed first. */
  readonly #failures = new Map<string, { readonly error: VitrineError; readonly until: number }>();

  find(key: string): VitrineError | undefined {
    const failure = this.#failures.get(key);
    return failure && failure.until > Date.now() ? failure.error : undefined;
  }

  add(key: string, error: VitrineError): void {
    this.#failures.delete(key);
    this.#failures.set(key, { error, until: Date.now() + failureCacheMs });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > maxFailures && oldest !== undefined) this.#failures.delete(oldest);
  }
}

/** Creates the function that reads the manifest of a build's folder, and keeps the latest. */
function createManifestReader() {
  const manifests = new Map<string, BuildManifest>();
  return async (folder: string): Promise<BuildManifest> => {
    const known = manifests.get(folder);
    if (known !== undefined) return known;
    // The file is trusted: this server's own build wrote it.
    const manifest = JSON.parse(
      await readFile(join(folder, 'manifest.json'), 'utf8'),
    ) as BuildManifest;
    manifests.set(folder, manifest);
    const [oldest] = manifests.keys();
    if (manifests.size > maxManifests && oldest !== undefined) manifests.delete(oldest);
    return manifest;
  };
}

function getKey({ name, version, integrity }: ResolutionTable): PackageKey {
  return { name, version, integrity };
}

/** Key of the common build of a package. Components are compiled for the Svelte that it imports. */
function getBuildKey(resolution: ResolutionTable): BuildKey {
  const { mode, dependencies } = resolution;
  const target = Object.hasOwn(dependencies, 'svelte') ? dependencies['svelte'] : undefined;
  // 'svelte@4.2.20~HASH'
  const major = Number(/@(\d+)\.[^@]*$/.exec(target ?? '')?.[1] ?? newestSvelte);
  return { ...getKey(resolution), mode, ...(major < newestSvelte && { svelte: major }) };
}

/**
 * Compares the integrity of the lockfile with the one that the registry offers now. Only algorithms
 * that both have can be compared. The tarball itself is always checked against the lockfile.
 *
 * @throws VitrineError `package_changed`.
 */
function checkRegistryIntegrity({ name, version, integrity }: PackageKey, offered: string): void {
  const found = new Map(readHashes(offered));
  const comparable = readHashes(integrity).filter(([algorithm]) => found.has(algorithm));
  const isSame = comparable.some(([algorithm, digest]) => found.get(algorithm) === digest);
  if (comparable.length > 0 && !isSame) {
    throw new VitrineError('package_changed', `${name}@${version}`);
  }
}

/**
 * Compares the unpacked package.json with the name and version that the registry offered. Registries
 * require both, so a tarball without them, or without a JSON object, is another file.
 *
 * @throws VitrineError `package_mismatch`.
 */
async function checkManifestName({ name, version }: PackageKey, folder: string): Promise<void> {
  const found = parseManifestName(await readFile(join(folder, 'package.json'), 'utf8'));
  if (found?.name?.trim() === name && isSameRelease(found.version ?? '', version)) return;
  const said = found
    ? `${found.name ?? '(no name)'}@${found.version ?? '(no version)'}`
    : 'nothing';
  throw new VitrineError(
    'package_mismatch',
    `${name}@${version}’s package.json says ${said.slice(0, 300)}`,
  );
}

/** Name and version in a package.json. Undefined for text that isn't a JSON object. */
function parseManifestName(text: string): { name?: string; version?: string } | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (!isRecord(value)) return undefined;
    const { name, version } = value;
    return {
      ...(name !== undefined && { name: toText(name) }),
      ...(version !== undefined && { version: toText(version) }),
    };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * Whether two versions are the same release: `v1.2.3`, `=1.2.3`, `01.2.3` and `1.2.3+build` are all
 * published as 1.2.3.
 */
function isSameRelease(own: string, published: string): boolean {
  const [a, b] = [own, published].map((text) => semver.parse(text.trim(), { loose: true }));
  return own === published || (a != null && b != null && semver.compare(a, b) === 0);
}

/** `sha512-AbC…== sha1-…` → [[sha512, AbC…==], …]. Unknown algorithms are left out. */
function readHashes(integrity: string): [string, string][] {
  const hashes = ssri.parse(integrity);
  return ['sha512', 'sha384', 'sha256', 'sha1'].flatMap((algorithm) => {
    const found: unknown = hashes === null ? undefined : Reflect.get(hashes, algorithm);
    if (!Array.isArray(found)) return [];
    return found.map((hash): [string, string] => [algorithm, String(hash.digest)]);
  });
}

/** Converts the errors of unpacking and building to VitrineErrors. */
async function convertErrors<T>(work: () => Promise<T>): Promise<T> {
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
