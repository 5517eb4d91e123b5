import { isRecord } from '@vitrine/project/is-record';
import { VitrineError } from '@vitrine/project';
import { normalizeFields, pickStrings } from '../manifest-fields.ts';
import { readIntegrity, type PackumentFields, type Packument } from '../registry/packument.ts';
import { parseSpec } from './package-specs.ts';

/**
 * Converts a packument for npm's resolver. Tarball URLs are left out, so that no URL can get into a
 * lockfile. Bundled dependencies are left out, so that they are resolved like all others. Fields of
 * another type than npm expects are left out, because they would crash the resolver's thread.
 */
export function toResolverPackument(document: Packument): unknown {
  const versions = Object.entries(document.versions).map(
    ([version, manifest]) => [version, convertVersion(document.name, manifest)] as const,
  );
  return {
    name: document.name,
    'dist-tags': document.tags,
    versions: Object.fromEntries(versions),
    ...(Object.keys(document.time).length > 0 && { time: document.time }),
  };
}

/**
 * A version of a packument. Its dependencies are getters, because a packument may have thousands of
 * versions and only those of selected versions are read.
 */
function convertVersion(name: string, manifest: PackumentFields): PackumentFields {
  const { dist, ...others } = manifest;
  const fields = normalizeFields(others);
  const optionalPeers = new Set(Object.keys(fields['peerDependenciesMeta'] ?? {}));
  return {
    ...fields,
    name,
    dist: { integrity: isRecord(dist) ? readIntegrity(dist) : undefined },
    get dependencies() {
      return convertDependencies(manifest['dependencies'], () => false);
    },
    get optionalDependencies() {
      return convertDependencies(manifest['optionalDependencies'], () => true);
    },
    get peerDependencies() {
      return convertDependencies(manifest['peerDependencies'], (peer) => optionalPeers.has(peer));
    },
  };
}

/**
 * Prefix of a package name that can't exist. After it comes the unreadable spec, in hexadecimal.
 */
const unreadablePrefix = '@unreadable/';

/**
 * Dependencies as npm reads them. An unreadable optional one is left out; any other is replaced
 * with a name that `findUnreadableSpec` recognizes.
 */
function convertDependencies(
  value: unknown,
  isOptional: (name: string) => boolean,
): Record<string, string> {
  const dependencies = Object.entries(pickStrings(value)).flatMap(
    ([name, range]): [string, string][] => {
      if (isReadable(name, range)) return [[name, range]];
      const text = Buffer.from(`${name} ${range}`.slice(0, 60)).toString('hex');
      return isOptional(name) ? [] : [[unreadablePrefix + text, '*']];
    },
  );
  return Object.fromEntries(dependencies);
}

/** Whether npm's resolver can read all of these dependencies. */
export function areSpecsReadable(dependencies: unknown): boolean {
  if (dependencies === undefined) return true;
  if (!isRecord(dependencies)) return false;
  return Object.entries(dependencies).every(
    ([name, range]) => typeof range === 'string' && isReadable(name, range),
  );
}

/**
 * Whether npm's resolver can read a dependency. It can read Git, file and URL specs, and rejects
 * them itself.
 */
function isReadable(name: string, range: string): boolean {
  try {
    return parseSpec(name, range) !== undefined;
  } catch (error) {
    if (!(error instanceof VitrineError)) throw error;
    return error.code !== 'package_spec_invalid';
  }
}

/** Unreadable spec behind a name from `toResolverPackument`; undefined for any other name. */
export function findUnreadableSpec(name: string): string | undefined {
  if (!name.startsWith(unreadablePrefix)) return undefined;
  return Buffer.from(name.slice(unreadablePrefix.length), 'hex').toString();
}
