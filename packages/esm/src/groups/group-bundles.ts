/*
 * Bundles of package groups. Each is made once per root package, stored like a build, and made again
 * after it was evicted. A group that can't be bundled is served as separate modules. That result is
 * stored too, because the response at a URL must never change.
 */
import { VitrineError, type FairLimit } from '@vitrine/project';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PackageGroup } from '../lockfile/resolution-hash.ts';
import { bundleInChild } from '../build/build-package.ts';
import type { BundleManifest } from '../build/bundle-manifest.ts';
import { selectGroupModules } from './group-modules.ts';
import { redirectToBundles, type GroupBundle } from './bundled-imports.ts';
import type { PackageLog } from '../log.ts';
import { findServedPackageAt, type ServedGroup, type ServedPackage } from '../served-package.ts';
import { isBuildFailure, type BuildContext } from '../read-module.ts';
import { createSharedWork } from '../shared-work.ts';
import { formatKey, type PackageKey, type PackageStore } from '../store/store.ts';

export interface GroupBundles {
  /**
   * Bundle of the group that a package belongs to; undefined for a package without one. Builds
   * everything that the main modules of the group's root packages load. Throws what fetching a
   * package throws. `waiting` aborts when the caller has left.
   */
  get(served: ServedPackage, waiting?: AbortSignal): Promise<GroupBundle | undefined>;
  /**
   * Bundle of the package's own group, followed by the bundle of the group that it shares with
   * other root packages.
   */
  getAll(served: ServedPackage, waiting?: AbortSignal): Promise<readonly GroupBundle[]>;
  /** Whether the group of the root package with this resolution hash is being built or bundled. */
  isRunning(root: PackageKey, hash: string): boolean;
  /** Cancels the bundling of a root package's groups, as soon as nobody waits for it. */
  cancel(root: PackageKey): void;
  /** Aborts all bundling. Callers receive `packages_busy`. */
  close(): Promise<void>;
}

/** Maximum number of manifests in memory. Each has a few kilobytes, for large groups a hundred. */
const maxManifests = 100;

export function createGroupBundles(options: {
  store: PackageStore;
  builds: BuildContext;
  building: FairLimit;
  log: PackageLog;
}): GroupBundles {
  const { store, builds, building, log } = options;
  const manifests = new Map<string, BundleManifest>();
  const tasks = createSharedWork<GroupBundle>();

  const writeBundle = async (
    group: ServedGroup,
    output: string,
    signal: AbortSignal,
  ): Promise<void> => {
    const { base, resolution } = group.root;
    try {
      const packageBuilder = builds.packageBuilder.withSignal(signal);
      const selected = await selectGroupModules(group, { ...builds, packageBuilder });
      const shared = await findShared(group, signal);
      const modules = selected.map((module) => ({
        ...module,
        text: redirectToBundles(module.text, shared),
      }));
      const request = { mode: resolution.mode, base, modules };
      if (modules.length > 0)
        await building(() => bundleInChild(output, request, { signal }), signal);
      else await writeManifest(output, { modules: {}, files: {} });
    } catch (error) {
      if (!isBuildFailure(error) && !isTooLarge(error)) throw error;
      const reason = error instanceof VitrineError ? (error.details ?? error.code) : String(error);
      log.warn('Couldn’t bundle a package group; serving it unbundled.', { base, reason });
      await clearFolder(output);
      await writeManifest(output, { modules: {}, files: {}, failure: reason });
    }
  };

  const readManifest = async (folder: string): Promise<BundleManifest> => {
    const known = manifests.get(folder);
    if (known !== undefined) return known;
    // The file is trusted: this server's own bundling wrote it.
    const manifest = JSON.parse(
      await readFile(join(folder, 'manifest.json'), 'utf8'),
    ) as BundleManifest;
    manifests.set(folder, manifest);
    const [oldest] = manifests.keys();
    if (manifests.size > maxManifests && oldest !== undefined) manifests.delete(oldest);
    return manifest;
  };

  const find = async (group: ServedGroup, signal: AbortSignal): Promise<GroupBundle> => {
    const { base, hash } = group.root;
    const folder = await store.getBundled(hash, (output) => writeBundle(group, output, signal));
    return { base, folder, manifest: await readManifest(folder) };
  };

  const get: GroupBundles['get'] = async ({ group }, waiting) => {
    if (group === undefined || group.companions.length === 0) return undefined;
    const { resolution, hash } = group.root;
    return tasks.run(taskKey(resolution, hash), (signal) => find(group, signal), waiting);
  };

  /** The shared group's bundle as a list of one, or an empty list. */
  const findShared = async (
    { shared }: PackageGroup,
    waiting?: AbortSignal,
  ): Promise<GroupBundle[]> => {
    const served = shared && (await findServedPackageAt(`/npm/${shared}`, builds));
    const bundle = served && (await get(served, waiting));
    return bundle ? [bundle] : [];
  };

  return {
    get,
    async getAll(served, waiting) {
      const shared = served.group ? findShared(served.group, waiting) : [];
      const [own, others] = await Promise.all([get(served, waiting), shared]);
      return [...(own ? [own] : []), ...others];
    },
    isRunning: (root, hash) => tasks.isRunning(taskKey(root, hash)),
    cancel: (root) => tasks.cancel(taskKey(root, '')),
    close: () => tasks.close(),
  };
}

function taskKey(root: PackageKey, hash: string): string {
  return `${formatKey(root)} ${hash}`;
}

function isTooLarge(error: unknown): boolean {
  return error instanceof VitrineError && error.code === 'package_too_large';
}

async function clearFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
}

function writeManifest(folder: string, manifest: BundleManifest): Promise<void> {
  return writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
}
