/*
 * What a package's imports mean in one lock, and the short name (LINK) of that meaning.
 *
 * A package is built once for all projects, with its foreign imports left open; a link table says
 * what they are. Its LINK is a hash over the package and everything that can be reached from it,
 * so an address that ends in `~LINK` always means the same bytes:
 *
 *   LINK = first 16 characters of base32(sha-256([builder, mode, sha-256(group), position]))
 *
 * `group` lists the package and those it forms import cycles with, each as [name, version,
 * integrity, [[imported name, target], …]], in the order in which sorted imports reach them from
 * the first by name; `position` is the package's place in it. A target is `#` and a place for
 * members of the cycle, `name@version~LINK` for packages outside it (their LINK is known before),
 * or null for none. Without cycles the list has one member. Two locks that lay the same packages
 * out differently thus have the same LINKs.
 */
import type { LockedPackage, PackageLock } from './npm-lock.ts';
import { computeSha256 } from './sha256.ts';

/** Which variant of a package is run: `process.env.NODE_ENV` and the `exports` condition. */
export type PackageMode = 'development' | 'production';

/** Raised whenever the same package would be built differently, so that old addresses stay true. */
export const builderGeneration = 2;

export interface LinkTable {
  readonly builder: number;
  readonly mode: PackageMode;
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  /** Name in an import → `NAME@VERSION~LINK`, or null where the tree has no such package. */
  readonly dependencies: Readonly<Record<string, string | null>>;
}

/** LINK → table, for every package of the lock. */
export function linkTables(lock: PackageLock, mode: PackageMode): Map<string, LinkTable> {
  const links = linkPackages(lock.packages, mode);
  return new Map(
    [...links].map(([item, link]) => [link, describeTable(item, links, mode)] as const),
  );
}

/** Name as the project imports it → `/npm/NAME@VERSION~LINK`. */
export function packageAddresses(lock: PackageLock, mode: PackageMode): Map<string, string> {
  const wanted = [...lock.direct.values()].filter((item) => item !== null);
  const links = linkPackages(wanted, mode);
  const addresses = new Map<string, string>();
  for (const [name, item] of lock.direct) {
    if (item !== null) addresses.set(name, `/npm/${target(item, links)}`);
  }
  return addresses;
}

function describeTable(
  item: LockedPackage,
  links: ReadonlyMap<LockedPackage, string>,
  mode: PackageMode,
): LinkTable {
  const { name, version, integrity, dependencies } = item;
  const targets = [...dependencies].map(([imported, other]) => [
    imported,
    other && target(other, links),
  ]);
  return {
    builder: builderGeneration,
    mode,
    name,
    version,
    integrity,
    dependencies: Object.fromEntries(targets),
  };
}

function target(item: LockedPackage, links: ReadonlyMap<LockedPackage, string>): string {
  return `${item.name}@${item.version}~${links.get(item) ?? ''}`;
}

/** The LINK of each of these packages and of all they reach. */
function linkPackages(
  packages: readonly LockedPackage[],
  mode: PackageMode,
): Map<LockedPackage, string> {
  const links = new Map<LockedPackage, string>();
  for (const cycle of findCycles(packages)) {
    const group = describeCycle(cycle, links);
    for (const [item, position] of group.positions) {
      links.set(item, hashLink([builderGeneration, mode, group.digest, position]));
    }
  }
  return links;
}

interface CycleDescription {
  readonly digest: string;
  readonly positions: ReadonlyMap<LockedPackage, number>;
}

/** Starts at the first by name; where several copies share it, at the one whose text comes first. */
function describeCycle(
  cycle: ReadonlySet<LockedPackage>,
  links: ReadonlyMap<LockedPackage, string>,
): CycleDescription {
  const key = ({ name, version, integrity }: LockedPackage) => `${name}@${version} ${integrity}`;
  const first = [...cycle].map(key).reduce((a, b) => (a < b ? a : b));
  const [described] = [...cycle]
    .filter((item) => key(item) === first)
    .map((start) => walkCycle(start, cycle, links))
    .toSorted((a, b) => (a.text < b.text ? -1 : 1));
  if (described === undefined) throw new Error('A cycle without members');
  return { digest: hash(described.text), positions: described.positions };
}

function walkCycle(
  start: LockedPackage,
  cycle: ReadonlySet<LockedPackage>,
  links: ReadonlyMap<LockedPackage, string>,
): { text: string; positions: ReadonlyMap<LockedPackage, number> } {
  const positions = new Map([[start, 0]]);
  const group = [];
  // A Map goes on with what is added while it is walked.
  for (const item of positions.keys()) {
    const targets = sortedDependencies(item).map(([imported, other]) => {
      if (other === null || !cycle.has(other)) return [imported, other && target(other, links)];
      if (!positions.has(other)) positions.set(other, positions.size);
      return [imported, `#${positions.get(other)}`];
    });
    group.push([item.name, item.version, item.integrity, targets]);
  }
  return { text: JSON.stringify(group), positions };
}

/** 80 bits: enough that nobody finds a second meaning for an address in use. */
function hashLink(parts: readonly unknown[]): string {
  return hash(JSON.stringify(parts)).slice(0, 16);
}

function hash(text: string): string {
  return base32(computeSha256(new TextEncoder().encode(text)));
}

function sortedDependencies(item: LockedPackage): [string, LockedPackage | null][] {
  return [...item.dependencies].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * Strongly connected components in the order of Tarjan's algorithm (1972): a component comes after
 * all those it can reach.
 */
function findCycles(packages: readonly LockedPackage[]): Set<LockedPackage>[] {
  const cycles: Set<LockedPackage>[] = [];
  const lowest = new Map<LockedPackage, number>();
  const open: LockedPackage[] = [];
  const isOpen = new Set<LockedPackage>();

  const visit = (item: LockedPackage): number => {
    const index = lowest.size;
    let low = index;
    lowest.set(item, index);
    open.push(item);
    isOpen.add(item);
    for (const other of item.dependencies.values()) {
      if (other === null) continue;
      if (!lowest.has(other)) low = Math.min(low, visit(other));
      else if (isOpen.has(other)) low = Math.min(low, lowest.get(other) ?? low);
    }
    lowest.set(item, low);
    if (low === index) cycles.push(closeCycle(item));
    return low;
  };
  const closeCycle = (first: LockedPackage): Set<LockedPackage> => {
    const cycle = new Set(open.splice(open.lastIndexOf(first)));
    for (const item of cycle) isOpen.delete(item);
    return cycle;
  };

  for (const item of packages) if (!lowest.has(item)) visit(item);
  return cycles;
}

const base32Alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** RFC 4648, section 6, in lower case and without padding. */
function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let rest = 0;
  for (const byte of bytes) {
    rest = ((rest << 8) | byte) & 0xffff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += base32Alphabet[(rest >> (bits - 5)) & 31] ?? '';
  }
  return text;
}
