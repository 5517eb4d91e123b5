import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from './specs.ts';
import { isAbsent } from './whole-file.ts';

/**
 * Packages that came with the installation (the templates' and examples'): they stand unpacked in
 * its node_modules, and its package-lock.json says which they are. They need no registry.
 */
export interface InstalledPackages {
  /** The folder of exactly this package, to be read in place, or undefined. */
  findFolder(name: string, version: string, integrity: string): Promise<string | undefined>;
  /** A document like the registry's, with the installed versions alone; undefined if none. */
  describe(name: string): Promise<Buffer | undefined>;
}

interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  readonly folder: string;
}

export function createInstalledPackages(folders: readonly string[]): InstalledPackages {
  const all = Promise.all(folders.map(listInstalled)).then((lists) => lists.flat());
  // Whoever asks is told; nobody may have asked yet.
  all.catch(() => undefined);
  return {
    async findFolder(name, version, integrity) {
      const found = (await all).find(
        (item) => item.name === name && item.version === version && item.integrity === integrity,
      );
      return found !== undefined && (await readManifest(found)) ? found.folder : undefined;
    },
    async describe(name) {
      const found = (await all).filter((item) => item.name === name);
      const manifests = await Promise.all(found.map(readManifest));
      const versions = manifests.flatMap((manifest, index) => {
        const item = found[index];
        if (manifest === undefined || item === undefined) return [];
        const dist = { integrity: item.integrity, tarball: '' };
        return [[item.version, { ...manifest, dist }] as const];
      });
      const latest = versions[0]?.[0];
      if (latest === undefined) return undefined;
      const tags = { latest };
      return Buffer.from(
        JSON.stringify({ name, 'dist-tags': tags, versions: Object.fromEntries(versions) }),
      );
    },
  };
}

async function listInstalled(folder: string): Promise<InstalledPackage[]> {
  const lock = parseLock(await readFile(join(folder, 'package-lock.json'), 'utf8'));
  return Object.entries(lock).flatMap(([place, fields]) => {
    if (!place.startsWith('node_modules/') || !isRecord(fields)) return [];
    const { name, version, integrity, link, inBundle, hasInstallScript } = fields;
    if (link === true || inBundle === true || hasInstallScript === true) return [];
    if (typeof version !== 'string' || typeof integrity !== 'string') return [];
    const own = typeof name === 'string' ? name : place.replace(/^.*node_modules\//, '');
    return [{ name: own, version, integrity, folder: join(folder, place) }];
  });
}

function parseLock(text: string): Readonly<Record<string, unknown>> {
  const lock: unknown = JSON.parse(text);
  return isRecord(lock) && isRecord(lock['packages']) ? lock['packages'] : {};
}

/** Undefined when the folder is not there (optional, left out) or holds another version. */
async function readManifest(
  item: InstalledPackage,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const text = await readFile(join(item.folder, 'package.json'), 'utf8');
    const manifest: unknown = JSON.parse(text);
    return isRecord(manifest) && manifest['version'] === item.version ? manifest : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
