/*
 * Families joined: for each head once, kept like a build, and made anew when it went. A family that
 * cannot be joined is served as its modules are; that too is kept, for an address answers the same
 * for good.
 */
import { VitrineError } from '@vitrine/project';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { joinInChild } from './build/build-package.ts';
import type { JoinManifest } from './build/join-manifest.ts';
import { chooseModules } from './family-modules.ts';
import type { createLimit } from './limit.ts';
import type { PackageLog } from './log.ts';
import type { PlacedFamily, Placement } from './placement.ts';
import { isOfBuild, type Builds } from './read-module.ts';
import type { PackageStore } from './store.ts';

export interface Join {
  readonly folder: string;
  readonly manifest: JoinManifest;
}

export interface Joins {
  /**
   * What was joined of the family that a package stands in; undefined outside of families. Builds
   * all that the head's main module loads. Throws what fetching a package throws.
   */
  obtain(placement: Placement): Promise<Join | undefined>;
  /** Whether the family of the head with this LINK is being built and joined. */
  isUnderWay(link: string): boolean;
  /** Ends what is under way. Whoever waits for it is told `packages_busy`. */
  close(): Promise<void>;
}

/** Manifests known in memory: each is some kilobytes, of large families a hundred. */
const keptManifests = 100;

export function createJoins(options: {
  store: PackageStore;
  builds: Builds;
  building: ReturnType<typeof createLimit>;
  log: PackageLog;
}): Joins {
  const { store, builds, building, log } = options;
  const manifests = new Map<string, JoinManifest>();
  const life = new AbortController();
  /** By the head's LINK; those that wait for one share it. */
  const underWay = new Map<string, Promise<Join>>();

  const fill = async (family: PlacedFamily, output: string): Promise<void> => {
    const { base, table } = family.head;
    try {
      const modules = await chooseModules(family, builds);
      const request = { mode: table.mode, base, modules };
      if (modules.length > 0)
        await building(() => joinInChild(output, request, { signal: life.signal }));
      else await writeManifest(output, { modules: {}, files: {} });
    } catch (error) {
      if (!isOfBuild(error) && !isTooLarge(error)) throw error;
      const reason = error instanceof VitrineError ? (error.details ?? error.code) : String(error);
      log.warn('A package is served without being joined with its companions.', { base, reason });
      await empty(output);
      await writeManifest(output, { modules: {}, files: {}, failure: reason });
    }
  };

  const readManifest = async (folder: string): Promise<JoinManifest> => {
    const known = manifests.get(folder);
    if (known !== undefined) return known;
    // Our own joining wrote it a moment or a month ago.
    const manifest = JSON.parse(
      await readFile(join(folder, 'manifest.json'), 'utf8'),
    ) as JoinManifest;
    manifests.set(folder, manifest);
    const [oldest] = manifests.keys();
    if (manifests.size > keptManifests && oldest !== undefined) manifests.delete(oldest);
    return manifest;
  };

  const find = async (family: PlacedFamily): Promise<Join> => {
    const folder = await store.joined(family.head.link, (output) => fill(family, output));
    return { folder, manifest: await readManifest(folder) };
  };

  return {
    async obtain({ family }) {
      if (family === undefined || family.companions.length === 0) return undefined;
      const { link } = family.head;
      const known = underWay.get(link);
      if (known !== undefined) return known;
      const finding = find(family).finally(() => underWay.delete(link));
      underWay.set(link, finding);
      return finding;
    },
    isUnderWay: (link) => underWay.has(link),
    async close() {
      life.abort(new VitrineError('packages_busy'));
      await Promise.allSettled(underWay.values());
    },
  };
}

function isTooLarge(error: unknown): boolean {
  return error instanceof VitrineError && error.code === 'package_too_large';
}

async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
}

function writeManifest(folder: string, manifest: JoinManifest): Promise<void> {
  return writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
}
