/*
 * Bundles of package groups. Each is made once per root package, stored like a build, and made again
 * after it was evicted. A group that can't be bundled is served as separate modules. That result is
 * stored too, because the response at a URL must never change.
 */
import { VitrineError, type FairLimit, type Family } from '@vitrine/project';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { joinInChild } from './build/build-package.ts';
import type { JoinManifest } from './build/join-manifest.ts';
import { chooseModules } from './family-modules.ts';
import { leadToJoined, type Join } from './joined-imports.ts';
import type { PackageLog } from './log.ts';
import { findPlacementAt, type PlacedFamily, type Placement } from './placement.ts';
import { isOfBuild, type Builds } from './read-module.ts';
import { createSharedWork } from './shared-work.ts';
import { keyText, type PackageKey, type PackageStore } from './store.ts';

export interface Joins {
  /**
   * Bundle of the group that a package belongs to; undefined for a package without one. Builds
   * everything that the main modules of the group's root packages load. Throws what fetching a
   * package throws. `waiting` aborts when the caller has left.
   */
  obtain(served: Placement, waiting?: AbortSignal): Promise<Join | undefined>;
  /**
   * Bundle of the package's own group, followed by the bundle of the group that it shares with
   * other root packages.
   */
  obtainAll(served: Placement, waiting?: AbortSignal): Promise<readonly Join[]>;
  /** Whether the group of the root package with this resolution hash is being built or bundled. */
  isUnderWay(root: PackageKey, hash: string): boolean;
  /** Cancels the bundling of a root package's groups, as soon as nobody waits for it. */
  callOff(root: PackageKey): void;
  /** Aborts all bundling. Callers receive `packages_busy`. */
  close(): Promise<void>;
}

/** Maximum number of manifests in memory. Each has a few kilobytes, for large groups a hundred. */
const maxManifests = 100;

export function createJoins(options: {
  store: PackageStore;
  builds: Builds;
  building: FairLimit;
  log: PackageLog;
}): Joins {
  const { store, builds, building, log } = options;
  const manifests = new Map<string, JoinManifest>();
  const tasks = createSharedWork<Join>();

  const writeBundle = async (
    group: PlacedFamily,
    output: string,
    signal: AbortSignal,
  ): Promise<void> => {
    const { base, table } = group.head;
    try {
      const packageBuilder = builds.obtainer.awaitedBy(signal);
      const selected = await chooseModules(group, { ...builds, obtainer: packageBuilder });
      const shared = await findShared(group, signal);
      const modules = selected.map((module) => ({
        ...module,
        text: leadToJoined(module.text, shared),
      }));
      const request = { mode: table.mode, base, modules };
      if (modules.length > 0)
        await building(() => joinInChild(output, request, { signal }), signal);
      else await writeManifest(output, { modules: {}, files: {} });
    } catch (error) {
      if (!isOfBuild(error) && !isTooLarge(error)) throw error;
      const reason = error instanceof VitrineError ? (error.details ?? error.code) : String(error);
      log.warn('A package group is served without bundling.', { base, reason });
      await clearFolder(output);
      await writeManifest(output, { modules: {}, files: {}, failure: reason });
    }
  };

  const readManifest = async (folder: string): Promise<JoinManifest> => {
    const known = manifests.get(folder);
    if (known !== undefined) return known;
    // The file is trusted: this server's own bundling wrote it.
    const manifest = JSON.parse(
      await readFile(join(folder, 'manifest.json'), 'utf8'),
    ) as JoinManifest;
    manifests.set(folder, manifest);
    const [oldest] = manifests.keys();
    if (manifests.size > maxManifests && oldest !== undefined) manifests.delete(oldest);
    return manifest;
  };

  const find = async (group: PlacedFamily, signal: AbortSignal): Promise<Join> => {
    const { base, link } = group.head;
    const folder = await store.joined(link, (output) => writeBundle(group, output, signal));
    return { base, folder, manifest: await readManifest(folder) };
  };

  const obtain: Joins['obtain'] = async ({ family }, waiting) => {
    if (family === undefined || family.companions.length === 0) return undefined;
    const { table, link } = family.head;
    return tasks.join(taskKey(table, link), (signal) => find(family, signal), waiting);
  };

  /** The shared group's bundle as a list of one, or an empty list. */
  const findShared = async ({ shared }: Family, waiting?: AbortSignal): Promise<Join[]> => {
    const served = shared && (await findPlacementAt(`/npm/${shared}`, builds));
    const bundle = served && (await obtain(served, waiting));
    return bundle ? [bundle] : [];
  };

  return {
    obtain,
    async obtainAll(served, waiting) {
      const shared = served.family ? findShared(served.family, waiting) : [];
      const [own, others] = await Promise.all([obtain(served, waiting), shared]);
      return [...(own ? [own] : []), ...others];
    },
    isUnderWay: (root, hash) => tasks.isUnderWay(taskKey(root, hash)),
    callOff: (root) => tasks.callOff(taskKey(root, '')),
    close: () => tasks.close(),
  };
}

function taskKey(root: PackageKey, hash: string): string {
  return `${keyText(root)} ${hash}`;
}

function isTooLarge(error: unknown): boolean {
  return error instanceof VitrineError && error.code === 'package_too_large';
}

async function clearFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
}

function writeManifest(folder: string, manifest: JoinManifest): Promise<void> {
  return writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
}
