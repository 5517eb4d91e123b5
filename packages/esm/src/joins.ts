/*
 * Families joined: for each head once, kept like a build, and made anew when it went. A family that
 * cannot be joined is served as its modules are; that too is kept, for an address answers the same
 * for good.
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
   * What was joined of the family that a package stands in; undefined outside of families. Builds
   * all that the main modules of its heads load. Throws what fetching a package throws. `waiting`
   * ends when whoever waits has left.
   */
  obtain(placement: Placement, waiting?: AbortSignal): Promise<Join | undefined>;
  /** The same and, after it, what was joined of the family that it shares with other heads. */
  obtainAll(placement: Placement, waiting?: AbortSignal): Promise<readonly Join[]>;
  /** Whether the family of the head with this LINK is being built and joined. */
  isUnderWay(head: PackageKey, link: string): boolean;
  /** Ends what is done for the families of a head and nobody waits for. */
  callOff(head: PackageKey): void;
  /** Ends what is under way. Whoever waits for it is told `packages_busy`. */
  close(): Promise<void>;
}

/** Manifests known in memory: each is some kilobytes, of large families a hundred. */
const keptManifests = 100;

export function createJoins(options: {
  store: PackageStore;
  builds: Builds;
  building: FairLimit;
  log: PackageLog;
}): Joins {
  const { store, builds, building, log } = options;
  const manifests = new Map<string, JoinManifest>();
  const joining = createSharedWork<Join>();

  const fill = async (family: PlacedFamily, output: string, signal: AbortSignal): Promise<void> => {
    const { base, table } = family.head;
    try {
      const obtainer = builds.obtainer.awaitedBy(signal);
      const chosen = await chooseModules(family, { ...builds, obtainer });
      const shared = await findShared(family, signal);
      const modules = chosen.map((module) => ({
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

  const find = async (family: PlacedFamily, signal: AbortSignal): Promise<Join> => {
    const { base, link } = family.head;
    const folder = await store.joined(link, (output) => fill(family, output, signal));
    return { base, folder, manifest: await readManifest(folder) };
  };

  const obtain: Joins['obtain'] = async ({ family }, waiting) => {
    if (family === undefined || family.companions.length === 0) return undefined;
    const { table, link } = family.head;
    return joining.join(joinKey(table, link), (signal) => find(family, signal), waiting);
  };

  /** As a list of one, or of none. */
  const findShared = async ({ shared }: Family, waiting?: AbortSignal): Promise<Join[]> => {
    const placement = shared && (await findPlacementAt(`/npm/${shared}`, builds));
    const join = placement && (await obtain(placement, waiting));
    return join ? [join] : [];
  };

  return {
    obtain,
    async obtainAll(placement, waiting) {
      const shared = placement.family ? findShared(placement.family, waiting) : [];
      const [own, others] = await Promise.all([obtain(placement, waiting), shared]);
      return [...(own ? [own] : []), ...others];
    },
    isUnderWay: (head, link) => joining.isUnderWay(joinKey(head, link)),
    callOff: (head) => joining.callOff(joinKey(head, '')),
    close: () => joining.close(),
  };
}

function joinKey(head: PackageKey, link: string): string {
  return `${keyText(head)} ${link}`;
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
