/*
 * The resolution of a package: what each of its imports resolves to in one lockfile, and the
 * resolution hash that names this result.
 *
 * A package is built once for all projects, and its imports of other packages are left unresolved.
 * `ResolutionTable` says what they resolve to. The resolution hash covers the package and everything
 * that it reaches, so a URL that ends in `~HASH` always returns the same bytes:
 *
 *   HASH = first 16 characters of base32(sha-256([builder, mode, sha-256(cycle), position]))
 *
 * `cycle` lists the package and those with which it forms import cycles, each as [name, version,
 * integrity, [[imported name, target], …]], in the order in which sorted imports reach them from
 * the first by name; `position` is the index of the package in that list. A target is `#` and an
 * index for members of the cycle, `name@version~HASH` for packages outside of it (their hashes are
 * computed before), or null for a missing package. Without import cycles the list has one member.
 * Two lockfiles that place the same packages in different folders therefore have the same hashes.
 */
import type { LockedPackage, Lockfile } from './lockfile.ts';
import {
  findPackageGroups,
  findReachable,
  reverseGraph,
  type PackageGroups,
  type PackageGroupMembers,
  type PackageGraph,
} from './package-groups.ts';
import { computeSha256 } from './sha256.ts';
import { connectGroups, findSharedGroups } from './shared-groups.ts';

/** Variant of a package: the value of `process.env.NODE_ENV` and the `exports` condition. */
export type PackageMode = 'development' | 'production';

/**
 * Version of the package builder. Raised whenever the same package would be built differently, so
 * that the bytes at existing URLs never change.
 */
export const builderGeneration = 7;

/**
 * What the imports of a package resolve to in one lockfile. The field names are stored on disk by
 * the package server.
 */
export interface ResolutionTable {
  readonly builder: number;
  readonly mode: PackageMode;
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  /** Imported name → `NAME@VERSION~HASH`, or null when the tree has no such package. */
  readonly dependencies: Readonly<Record<string, string | null>>;
  /** Absent when every target is served at its own URL. */
  readonly family?: PackageGroup;
}

/**
 * Where targets are served for a package and its private dependencies. Targets that are not listed
 * are served at their own URLs. `companions` are the targets served as parts of this package.
 * `companions` and `sharedBy` hold ungrouped targets. The field names are stored on disk by the
 * package server.
 */
export interface PackageGroup extends PackageGroupMembers {
  /**
   * Target → where it is served in this lockfile, for this package and those imports of it that
   * reach a group (`NAME@VERSION~HASH`) or are part of a shared group
   * (`ROOT/-in/NAME@VERSION~HASH`).
   */
  readonly moved: Readonly<Record<string, string>>;
  /** Root of the shared group that this package imports from. There is at most one. */
  readonly shared?: string;
}

/**
 * Resolution hash → resolution, for every package of the lockfile: once with its group, and once
 * without any groups.
 */
export function computeResolutions(
  lockfile: Lockfile,
  mode: PackageMode,
): Map<string, ResolutionTable> {
  const hashes = hashPackages(lockfile.packages, mode);
  const resolutions = new Map(
    [...hashes].map(([item, hash]) => [hash, describeResolution(item, hashes, mode)] as const),
  );
  const ungrouped = new Map(
    [...resolutions].map(([hash, resolution]) => [formatTarget(resolution, hash), resolution]),
  );
  const placed = groupPackages(lockfile, hashes, mode);
  for (const [from, to] of placed.roots) {
    const resolution = ungrouped.get(from);
    if (resolution !== undefined)
      resolutions.set(parseHash(to), { ...resolution, family: describeGroup(from, placed) });
  }
  return resolutions;
}

/** Name as the project imports it → `/npm/NAME@VERSION~HASH`. */
export function computePackageUrls(lockfile: Lockfile, mode: PackageMode): Map<string, string> {
  const hashes = hashPackages(lockfile.packages, mode);
  const { roots } = groupPackages(lockfile, hashes, mode);
  return listUrls(lockfile, hashes, roots);
}

/**
 * Name as the project imports it → `/npm/NAME@VERSION~HASH` without package groups, for pages that
 * mix several lockfiles: a package that two lockfiles share then has one URL.
 */
export function computeUngroupedPackageUrls(
  lockfile: Lockfile,
  mode: PackageMode,
): Map<string, string> {
  return listUrls(lockfile, hashPackages(lockfile.packages, mode), new Map());
}

function listUrls(
  lockfile: Lockfile,
  hashes: ReadonlyMap<LockedPackage, string>,
  moved: ReadonlyMap<string, string>,
): Map<string, string> {
  const addresses = new Map<string, string>();
  for (const [name, item] of lockfile.direct) {
    if (item === null) continue;
    const ungrouped = formatPackageTarget(item, hashes);
    addresses.set(name, `/npm/${moved.get(ungrouped) ?? ungrouped}`);
  }
  return addresses;
}

/** Packages of which a page has one copy: most others depend on one of them. */
const singletonNames: ReadonlySet<string> = new Set([
  'react',
  'react-dom',
  'preact',
  'vue',
  'three',
  'yjs',
]);

interface GroupedPackages {
  readonly graph: PackageGraph;
  readonly groups: PackageGroups;
  /** Target → target with the group hash, of each root package that reaches a group. */
  readonly roots: ReadonlyMap<string, string>;
  /** Private dependency of a shared group → root of that group. */
  readonly shared: ReadonlyMap<string, string>;
}

/**
 * Assigns packages to groups. A package that reaches groups changes when the groups change, so
 * their lists become part of its resolution hash:
 *
 *   HASH = first 16 characters of base32(sha-256([builder, mode, target, [[root, private], …]]))
 *
 * A group that several root packages share is listed with these: [root, private, roots].
 */
function groupPackages(
  lockfile: Lockfile,
  hashes: ReadonlyMap<LockedPackage, string>,
  mode: PackageMode,
): GroupedPackages {
  const targets = (items: Iterable<LockedPackage | null>) =>
    [...items].filter((item) => item !== null).map((item) => formatPackageTarget(item, hashes));
  const graph = new Map(
    [...hashes.keys()].map((item) => [
      formatPackageTarget(item, hashes),
      targets(item.dependencies.values()),
    ]),
  );
  const once = new Set(targets([...hashes.keys()].filter(({ name }) => singletonNames.has(name))));
  const named = new Set([...targets([...lockfile.direct.values(), ...lockfile.peers]), ...once]);
  const own = findPackageGroups(graph, named, once);
  const groups = new Map([...own, ...findSharedGroups(graph, named, once, own)]);
  const companions = new Set([...groups.values()].flatMap((family) => family.companions));
  const roots = new Map<string, string>();
  for (const [ungrouped, lists] of listReached(graph, groups)) {
    if (companions.has(ungrouped)) continue;
    const link = hashParts([builderGeneration, mode, ungrouped, lists]);
    roots.set(ungrouped, ungrouped.replace(/~[^~]*$/, `~${link}`));
  }
  return { graph, groups, roots, shared: listShared(groups) };
}

/**
 * Package → the groups that it reaches, as [root, private dependencies, sharing roots], in the
 * order of their names.
 */
function listReached(graph: PackageGraph, groups: PackageGroups) {
  const importers = reverseGraph(connectGroups(graph, groups));
  const reached = new Map<string, (readonly [string, ...(readonly string[])[]])[]>();
  for (const root of [...groups.keys()].toSorted()) {
    const { companions = [], sharedBy } = groups.get(root) ?? {};
    const list = [root, companions, ...(sharedBy ? [sharedBy] : [])] as const;
    for (const ungrouped of findReachable(importers, [root])) {
      reached.set(ungrouped, [...(reached.get(ungrouped) ?? []), list]);
    }
  }
  return reached;
}

function listShared(groups: PackageGroups): Map<string, string> {
  const shared = new Map<string, string>();
  for (const [root, { companions, sharedBy }] of groups) {
    if (sharedBy) for (const item of [root, ...companions]) shared.set(item, root);
  }
  return shared;
}

function describeGroup(
  root: string,
  { graph, groups, roots, shared }: GroupedPackages,
): PackageGroup {
  const { companions, sharedBy } = groups.get(root) ?? { companions: [] };
  const members = [root, ...companions];
  const imported = new Set([root, ...members.flatMap((item) => graph.get(item) ?? [])]);
  const moved = new Map<string, string>();
  let sharedTarget: string | undefined;
  for (const item of imported) {
    const sharedRoot = shared.get(item);
    const target = roots.get(sharedRoot ?? item);
    if (target === undefined || companions.includes(item)) continue;
    moved.set(
      item,
      sharedRoot === undefined || sharedRoot === item ? target : formatPrivateTarget(target, item),
    );
    if (sharedRoot !== undefined && sharedRoot !== root) sharedTarget = target;
  }
  return {
    companions,
    ...(sharedBy && { sharedBy }),
    moved: Object.fromEntries(moved),
    ...(sharedTarget !== undefined && { shared: sharedTarget }),
  };
}

/** Where a private dependency is served: 'a@1~…', 'b@2~…' → 'a@1~…/-in/b@2~…'. */
export function formatPrivateTarget(root: string, companion: string): string {
  return `${root}/${privateDependencyFolder}/${companion}`;
}

/** URL segment before the target of a private dependency. */
export const privateDependencyFolder = '-in';

/**
 * Resolves an ungrouped target in a group: the target that is served, and whether it is served as a
 * private dependency of the group.
 */
export function resolveTarget(
  family: PackageGroup | undefined,
  ungrouped: string,
): { readonly target: string; readonly isCompanion: boolean } {
  if (family === undefined) return { target: ungrouped, isCompanion: false };
  if (family.companions.includes(ungrouped)) return { target: ungrouped, isCompanion: true };
  const moved = Object.hasOwn(family.moved, ungrouped) ? family.moved[ungrouped] : undefined;
  return { target: moved ?? ungrouped, isCompanion: false };
}

function describeResolution(
  item: LockedPackage,
  hashes: ReadonlyMap<LockedPackage, string>,
  mode: PackageMode,
): ResolutionTable {
  const { name, version, integrity, dependencies } = item;
  const targets = [...dependencies].map(([imported, other]) => [
    imported,
    other && formatPackageTarget(other, hashes),
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

function formatTarget({ name, version }: ResolutionTable, link: string): string {
  return `${name}@${version}~${link}`;
}

function parseHash(ofTarget: string): string {
  return ofTarget.slice(ofTarget.lastIndexOf('~') + 1);
}

function formatPackageTarget(
  item: LockedPackage,
  hashes: ReadonlyMap<LockedPackage, string>,
): string {
  return `${item.name}@${item.version}~${hashes.get(item) ?? ''}`;
}

/** Resolution hash of each of these packages. */
function hashPackages(
  packages: readonly LockedPackage[],
  mode: PackageMode,
): Map<LockedPackage, string> {
  const hashes = new Map<LockedPackage, string>();
  for (const cycle of findCycles(packages)) {
    const group = hashCycle(cycle, hashes);
    for (const [item, position] of group.positions) {
      hashes.set(item, hashParts([builderGeneration, mode, group.digest, position]));
    }
  }
  return hashes;
}

interface CycleDescription {
  readonly digest: string;
  readonly positions: ReadonlyMap<LockedPackage, number>;
}

/**
 * Describes a cycle from its first member by name. When several copies have that name, the one
 * whose description sorts first.
 */
function hashCycle(
  cycle: ReadonlySet<LockedPackage>,
  hashes: ReadonlyMap<LockedPackage, string>,
): CycleDescription {
  const key = ({ name, version, integrity }: LockedPackage) => `${name}@${version} ${integrity}`;
  const first = [...cycle].map(key).reduce((a, b) => (a < b ? a : b));
  const [described] = [...cycle]
    .filter((item) => key(item) === first)
    .map((start) => walkCycle(start, cycle, hashes))
    .toSorted((a, b) => (a.text < b.text ? -1 : 1));
  if (described === undefined) throw new Error('A cycle without members');
  return { digest: hash(described.text), positions: described.positions };
}

function walkCycle(
  start: LockedPackage,
  cycle: ReadonlySet<LockedPackage>,
  hashes: ReadonlyMap<LockedPackage, string>,
): { text: string; positions: ReadonlyMap<LockedPackage, number> } {
  const positions = new Map([[start, 0]]);
  const group = [];
  // Iterating over a Map includes the entries that are added meanwhile.
  for (const item of positions.keys()) {
    const targets = sortedDependencies(item).map(([imported, other]) => {
      if (other === null || !cycle.has(other))
        return [imported, other && formatPackageTarget(other, hashes)];
      if (!positions.has(other)) positions.set(other, positions.size);
      return [imported, `#${positions.get(other)}`];
    });
    group.push([item.name, item.version, item.integrity, targets]);
  }
  return { text: JSON.stringify(group), positions };
}

/** 80 bits: enough that nobody finds a second package for a URL in use. */
function hashParts(parts: readonly unknown[]): string {
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
 * all those that it can reach.
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

/** Base32 as in RFC 4648, section 6, in lower case and without padding. */
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
