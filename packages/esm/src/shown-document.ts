import { VitrineError } from '@vitrine/project';
import { cleanFields, readTexts } from './manifest-fields.ts';
import { readIntegrity, type Fields, type PackageDocument } from './package-document.ts';
import { isRecord, parseSpec } from './specs.ts';

/**
 * The document as npm's resolver is shown it. Without tarballs, it never learns an address that
 * could reach a lock; without bundles, what a package brings in its own node_modules is resolved
 * like everything else. Fields that are not what npm takes them for would end its thread.
 */
export function forResolver(document: PackageDocument): unknown {
  const versions = Object.entries(document.versions).map(
    ([version, manifest]) => [version, showVersion(document.name, manifest)] as const,
  );
  return {
    name: document.name,
    'dist-tags': document.tags,
    versions: Object.fromEntries(versions),
    ...(Object.keys(document.time).length > 0 && { time: document.time }),
  };
}

/** A document may have thousands of versions: wishes are looked at for those that are chosen. */
function showVersion(name: string, manifest: Fields): Fields {
  const { dist, ...others } = manifest;
  const fields = cleanFields(others);
  const optionalPeers = new Set(Object.keys(fields['peerDependenciesMeta'] ?? {}));
  return {
    ...fields,
    name,
    dist: { integrity: isRecord(dist) ? readIntegrity(dist) : undefined },
    get dependencies() {
      return showWishes(manifest['dependencies'], () => false);
    },
    get optionalDependencies() {
      return showWishes(manifest['optionalDependencies'], () => true);
    },
    get peerDependencies() {
      return showWishes(manifest['peerDependencies'], (peer) => optionalPeers.has(peer));
    },
  };
}

/** Begins a name that no package has: what follows is the wish that cannot be read, in hex. */
const unreadable = '@unreadable/';

/**
 * Wishes as npm reads them. One that cannot be read is left out where the package can do without,
 * else it is wished for under a name that `findUnreadable` knows.
 */
function showWishes(value: unknown, isOptional: (name: string) => boolean): Record<string, string> {
  const wishes = Object.entries(readTexts(value)).flatMap(([name, wish]): [string, string][] => {
    if (isReadable(name, wish)) return [[name, wish]];
    const text = Buffer.from(`${name} ${wish}`.slice(0, 60)).toString('hex');
    return isOptional(name) ? [] : [[unreadable + text, '*']];
  });
  return Object.fromEntries(wishes);
}

/** False when npm's resolver could not read one of these wishes. */
export function areReadable(wishes: unknown): boolean {
  if (wishes === undefined) return true;
  if (!isRecord(wishes)) return false;
  return Object.entries(wishes).every(
    ([name, wish]) => typeof wish === 'string' && isReadable(name, wish),
  );
}

/** Git, files and addresses can be read, and are the resolver's to refuse. */
function isReadable(name: string, wish: string): boolean {
  try {
    return parseSpec(name, wish) !== undefined;
  } catch (error) {
    if (!(error instanceof VitrineError)) throw error;
    return error.code !== 'package_spec_invalid';
  }
}

/** The wish behind a name that `forResolver` made up; undefined for any other. */
export function findUnreadable(name: string): string | undefined {
  if (!name.startsWith(unreadable)) return undefined;
  return Buffer.from(name.slice(unreadable.length), 'hex').toString();
}
