import { isRecord } from '@vitrine/project/is-record';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isNotFound } from './store/atomic-write.ts';

/**
 * Packages that are installed on this instance because its templates and examples use them. They
 * are unpacked in its node_modules and listed in its package-lock.json, and need no registry.
 */
export interface InstalledPackages {
  /** Folder of exactly this package, to be read in place. Undefined when it isn't installed. */
  findFolder(name: string, version: string, integrity: string): Promise<string | undefined>;
  /** Packument (JSON) that has only the installed versions. Undefined when none is installed. */
  findPackument(name: string): Promise<Buffer | undefined>;
}

interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  readonly folder: string;
}

export function createInstalledPackages(folders: readonly string[]): InstalledPackages {
  const all = Promise.all(folders.map(listInstalled)).then((lists) => lists.flat());
  // The rejection is reported to every caller of the methods below; it isn't unhandled before the
  // first call.
  all.catch(() => undefined);
  return {
    async findFolder(name, version, integrity) {
      const found = (await all).find(
        (item) => item.name === name && item.version === version && item.integrity === integrity,
      );
      return found !== undefined && (await readManifest(found)) ? found.folder : undefined;
    },
    async findPackument(name) {
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
  const entries = parseEntries(await readFile(join(folder, 'package-lock.json'), 'utf8'));
  return Object.entries(entries).flatMap(([path, fields]) => {
    if (!path.startsWith('node_modules/') || !isRecord(fields)) return [];
    const { name, version, integrity, link, inBundle, hasInstallScript } = fields;
    if (link === true || inBundle === true || hasInstallScript === true) return [];
    if (typeof version !== 'string' || typeof integrity !== 'string') return [];
    const own = typeof name === 'string' ? name : path.replace(/^.*node_modules\//, '');
    return [{ name: own, version, integrity, folder: join(folder, path) }];
  });
}

function parseEntries(text: string): Readonly<Record<string, unknown>> {
  const entries: unknown = JSON.parse(text);
  return isRecord(entries) && isRecord(entries['packages']) ? entries['packages'] : {};
}

/**
 * The package.json of an installed package. Undefined when the folder is missing (an optional
 * package that was left out) or contains another version.
 */
async function readManifest(
  item: InstalledPackage,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const text = await readFile(join(item.folder, 'package.json'), 'utf8');
    const manifest: unknown = JSON.parse(text);
    return isRecord(manifest) && manifest['version'] === item.version ? manifest : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
