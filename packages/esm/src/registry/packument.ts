import { isRecord } from '@vitrine/project/is-record';
import { VitrineError } from '@vitrine/project';
import semver from 'semver';
import ssri from 'ssri';
import { pickStrings } from '../manifest-fields.ts';
import type { PackageInfo } from '../messages.ts';
import type { PackageTarball } from '../resolve/resolve-protocol.ts';
import { parseSpec } from '../resolve/package-specs.ts';

/** Fields of a version's package.json, not validated. */
export type PackumentFields = Readonly<Record<string, unknown>>;

/** Packument: a registry's document about a package, reduced to the fields that are used. */
export interface Packument {
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, PackumentFields>>;
  /** Version → publication time, when the registry has it. */
  readonly time: Readonly<Record<string, string>>;
}

/**
 * Parses a packument.
 *
 * @throws VitrineError `package_damaged` when the text is not the packument of this package.
 */
export function parsePackument(name: string, text: string): Packument {
  const value = parseJson(name, text);
  if (!isRecord(value) || value['name'] !== name || !isRecord(value['versions'])) {
    throw new VitrineError('package_damaged', `${name}: its registry metadata can’t be read`);
  }
  const versions = Object.entries(value['versions']).flatMap(([version, manifest]) =>
    isRecord(manifest) && manifest['version'] === version
      ? [[version, pickFields(name, manifest)]]
      : [],
  );
  return {
    name,
    tags: pickStrings(value['dist-tags']),
    versions: Object.fromEntries(versions),
    time: pickStrings(value['time']),
  };
}

/**
 * Fields of a version that the resolver or the Packages panel needs: a tenth of what registries
 * send.
 */
const keptFields = [
  'bin',
  'cpu',
  'dependencies',
  'deprecated',
  'description',
  'dist',
  'engines',
  'funding',
  'libc',
  'license',
  'optionalDependencies',
  'os',
  'peerDependencies',
  'peerDependenciesMeta',
  'version',
] as const;
const keptDistFields = ['integrity', 'shasum', 'tarball', 'unpackedSize'] as const;

function pickFields(name: string, manifest: PackumentFields): PackumentFields {
  const { dist, peerDependencies: peers } = manifest;
  return {
    ...pick(manifest, keptFields),
    ...(isRecord(dist) && { dist: pick(dist, keptDistFields) }),
    // A package that lists itself as a peer: npm's resolver never ends when the range is a tag.
    ...(isRecord(peers) && {
      peerDependencies: pick(
        peers,
        Object.keys(peers).filter((peer) => peer !== name),
      ),
    }),
  };
}

function pick(fields: PackumentFields, names: readonly string[]): PackumentFields {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(fields, name)).map((name) => [name, fields[name]]),
  );
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new VitrineError('package_damaged', `${name}: its registry metadata isn’t JSON`);
  }
}

/**
 * Finds the tarball of a version.
 *
 * @throws VitrineError `package_version_not_found`, or `package_damaged` for a version without
 * integrity.
 */
export function findTarball(document: Packument, version: string): PackageTarball {
  const manifest = getOwn(document.versions, version);
  if (manifest === undefined) {
    throw new VitrineError('package_version_not_found', `${document.name}@${version}`);
  }
  const dist = isRecord(manifest['dist']) ? manifest['dist'] : {};
  const integrity = readIntegrity(dist);
  if (integrity === undefined || typeof dist['tarball'] !== 'string') {
    throw new VitrineError(
      'package_damaged',
      `${document.name}@${version} has no tarball or integrity`,
    );
  }
  return { tarball: dist['tarball'], integrity };
}

/** Integrity of a version. Old versions only have a hexadecimal SHA-1. */
export function readIntegrity(dist: PackumentFields): string | undefined {
  const { integrity, shasum } = dist;
  if (typeof integrity === 'string' && integrity !== '') return integrity;
  return typeof shasum === 'string' ? ssri.fromHex(shasum, 'sha1').toString() : undefined;
}

/**
 * Version of a tag.
 *
 * @throws VitrineError `package_version_not_found`.
 */
export function resolveTag(document: Packument, tag: string): string {
  const tagged = getOwn(document.tags, tag);
  if (tagged !== undefined && getOwn(document.versions, tagged) !== undefined) return tagged;
  const [first] = tag === 'latest' ? sortVersions(document) : [];
  if (first === undefined) {
    throw new VitrineError('package_version_not_found', `${document.name}@${tag}`);
  }
  return first;
}

/** Versions, newest first, stable ones before prereleases. */
function sortVersions(document: Packument): string[] {
  const isStable = (version: string) => Number(semver.prerelease(version, true) === null);
  return Object.keys(document.versions)
    .filter((version) => semver.valid(version, true) !== null)
    .toSorted((a, b) => isStable(b) - isStable(a) || semver.rcompare(a, b, true));
}

/** Details that the Packages panel shows before a package is added. */
export function describePackage(document: Packument): PackageInfo {
  const manifest = getOwn(document.versions, resolveTag(document, 'latest')) ?? {};
  const { description, license, deprecated, dist } = manifest;
  const unpacked = isRecord(dist) ? dist['unpackedSize'] : undefined;
  return {
    name: document.name,
    description: typeof description === 'string' ? description : '',
    license: typeof license === 'string' ? license : '',
    versions: sortVersions(document).toSorted((a, b) => semver.rcompare(a, b, true)),
    tags: document.tags,
    ...(typeof deprecated === 'string' && deprecated !== '' && { deprecated }),
    ...(typeof unpacked === 'number' && { unpackedBytes: unpacked }),
  };
}

function getOwn<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/**
 * Names of the packages that the latest version depends on. The resolver is likely to request them
 * next, one at a time.
 */
export function predictRequests(document: Packument): string[] {
  const manifest = getOwn(document.versions, getOwn(document.tags, 'latest') ?? '') ?? {};
  const optional = isRecord(manifest['peerDependenciesMeta'])
    ? manifest['peerDependenciesMeta']
    : {};
  const peers = Object.entries(pickStrings(manifest['peerDependencies'])).filter(
    ([name]) => !Object.hasOwn(optional, name),
  );
  const ranges = [...Object.entries(pickStrings(manifest['dependencies'])), ...peers];
  return ranges.flatMap(([name, range]) => {
    try {
      return [parseSpec(name, range).name];
    } catch (error) {
      // A dependency that doesn't come from a registry is left for the resolver to reject.
      if (error instanceof VitrineError) return [];
      throw error;
    }
  });
}
