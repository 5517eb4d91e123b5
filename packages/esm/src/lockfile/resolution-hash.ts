/*
 * The resolution of a package: what each of its imports resolves to in one lockfile, the resolution
 * hash that names this result, and the package's URL, which contains the hash.
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
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { LockedPackage, Lockfile } from './lockfile.ts';
import {
  findPackageGroups,
  findReachable,
  reverseGraph,
  type PackageGroups,
  type PackageGraph,
} from './package-groups.ts';
import { connectGroups, findSharedGroups } from './shared-groups.ts';
import { oneVersionPackages } from './singletons.ts';

/** Variant of a package: the value of `process.env.NODE_ENV` and the `exports` condition. */
export type PackageMode = 'development' | 'production';

/**
 * Version of the package builder. Raised whenever the same package would be built differently, so
 * that the bytes at existing URLs never change.
 */
export const builderVersion = 8;

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
  /** Imported name → `NAME@VERSION~HASH`, or null when the lockfile has no such package. */
  readonly dependencies: Readonly<Record<string, string | null>>;
  /** Absent when every target is served at its own URL. */
  readonly family?: PackageGroup;
}

/**
 * Where targets are served for a package and its private dependencies. Targets that are not listed
 * are served at their own URLs. The field names are stored on disk by the package server.
 */
export interface PackageGroup {
  /** Ungrouped targets of the private dependencies, sorted. They are served as parts of this package. */
  readonly companions: readonly string[];
  /**
   * Ungrouped targets of the root packages that import this group, sorted. Absent when the group's
   * own root is the only one.
   */
  readonly sharedBy?: readonly string[];
  /**
   * Ungrouped target → where it is served in this lockfile. Contains this package and some of its
   * imports: those that reach a group are served at `NAME@VERSION~HASH`, and those that are part of
   * a shared group at `ROOT/-in/NAME@VERSION~HASH`.
   */
  readonly moved: Readonly<Record<string, string>>;
  /**
   * Grouped target of the root of the shared group that this package imports from. There is at most
   * one.
   */
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
    [...hashes].map(([pkg, hash]) => [hash, describeResolution(pkg, hashes, mode)] as const),
  );
  const resolutionByTarget = new Map(
    [...resolutions].map(([hash, resolution]) => [formatTarget(resolution, hash), resolution]),
  );
  const grouping = groupPackages(lockfile, hashes, mode);
  for (const [ungrouped, grouped] of grouping.groupedTargets) {
    const resolution = resolutionByTarget.get(ungrouped);
    if (resolution === undefined) continue;
    const family = describeGroup(ungrouped, grouping);
    resolutions.set(parseHash(grouped), { ...resolution, family });
  }
  return resolutions;
}

/** Name as the project imports it → `/npm/NAME@VERSION~HASH`. */
export function computePackageUrls(lockfile: Lockfile, mode: PackageMode): Map<string, string> {
  const hashes = hashPackages(lockfile.packages, mode);
  const { groupedTargets } = groupPackages(lockfile, hashes, mode);
  return listUrls(lockfile, hashes, groupedTargets);
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
  groupedTargets: ReadonlyMap<string, string>,
): Map<string, string> {
  const urls = new Map<string, string>();
  for (const [name, pkg] of lockfile.direct) {
    if (pkg === null) continue;
    const ungrouped = formatPackageTarget(pkg, hashes);
    urls.set(name, `/npm/${groupedTargets.get(ungrouped) ?? ungrouped}`);
  }
  return urls;
}

interface Grouping {
  readonly graph: PackageGraph;
  readonly groups: PackageGroups;
  /** Ungrouped target → target with the group hash, of each root package that reaches a group. */
  readonly groupedTargets: ReadonlyMap<string, string>;
  /** Member of a shared group, including its root → root of that group. */
  readonly sharedRootByMember: ReadonlyMap<string, string>;
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
): Grouping {
  const formatTargets = (packages: Iterable<LockedPackage | null>) =>
    [...packages].filter((pkg) => pkg !== null).map((pkg) => formatPackageTarget(pkg, hashes));
  const graph = new Map(
    [...hashes.keys()].map((pkg) => [
      formatPackageTarget(pkg, hashes),
      formatTargets(pkg.dependencies.values()),
    ]),
  );
  const singletons = new Set(
    formatTargets([...hashes.keys()].filter(({ name }) => oneVersionPackages.has(name))),
  );
  const publicPackages = new Set([
    ...formatTargets([...lockfile.direct.values(), ...lockfile.peers]),
    ...singletons,
  ]);
  const singleRootGroups = findPackageGroups(graph, publicPackages, singletons);
  const sharedGroups = findSharedGroups(graph, publicPackages, singletons, singleRootGroups);
  const groups = new Map([...singleRootGroups, ...sharedGroups]);
  const privateDependencies = new Set(
    [...groups.values()].flatMap((group) => group.privateDependencies),
  );
  const groupedTargets = new Map<string, string>();
  for (const [ungrouped, reachedGroups] of listReachedGroups(graph, groups)) {
    if (privateDependencies.has(ungrouped)) continue;
    const hash = hashParts([builderVersion, mode, ungrouped, reachedGroups]);
    groupedTargets.set(ungrouped, ungrouped.replace(/~[^~]*$/, `~${hash}`));
  }
  return { graph, groups, groupedTargets, sharedRootByMember: mapSharedRoots(groups) };
}

/**
 * Package → the groups that it reaches, as [root, private dependencies, sharing roots], in the
 * order of their names.
 */
function listReachedGroups(graph: PackageGraph, groups: PackageGroups) {
  const importers = reverseGraph(connectGroups(graph, groups));
  const reached = new Map<string, (readonly [string, ...(readonly string[])[]])[]>();
  for (const root of [...groups.keys()].toSorted()) {
    const { privateDependencies = [], sharedBy } = groups.get(root) ?? {};
    const group = [root, privateDependencies, ...(sharedBy ? [sharedBy] : [])] as const;
    for (const ungrouped of findReachable(importers, [root])) {
      reached.set(ungrouped, [...(reached.get(ungrouped) ?? []), group]);
    }
  }
  return reached;
}

/** Maps each member of a shared group to the root of that group. */
function mapSharedRoots(groups: PackageGroups): Map<string, string> {
  const sharedRoots = new Map<string, string>();
  for (const [root, { privateDependencies, sharedBy }] of groups) {
    if (sharedBy)
      for (const member of [root, ...privateDependencies]) sharedRoots.set(member, root);
  }
  return sharedRoots;
}

function describeGroup(
  root: string,
  { graph, groups, groupedTargets, sharedRootByMember }: Grouping,
): PackageGroup {
  const { privateDependencies, sharedBy } = groups.get(root) ?? { privateDependencies: [] };
  const members = [root, ...privateDependencies];
  const imported = new Set([root, ...members.flatMap((member) => graph.get(member) ?? [])]);
  const servedTargets = new Map<string, string>();
  let sharedTarget: string | undefined;
  for (const ungrouped of imported) {
    const sharedRoot = sharedRootByMember.get(ungrouped);
    const target = groupedTargets.get(sharedRoot ?? ungrouped);
    if (target === undefined || privateDependencies.includes(ungrouped)) continue;
    servedTargets.set(
      ungrouped,
      sharedRoot === undefined || sharedRoot === ungrouped
        ? target
        : formatPrivateTarget(target, ungrouped),
    );
    if (sharedRoot !== undefined && sharedRoot !== root) sharedTarget = target;
  }
  return {
    companions: privateDependencies,
    ...(sharedBy && { sharedBy }),
    moved: Object.fromEntries(servedTargets),
    ...(sharedTarget !== undefined && { shared: sharedTarget }),
  };
}

/** Where a private dependency is served: 'a@1~…', 'b@2~…' → 'a@1~…/-in/b@2~…'. */
export function formatPrivateTarget(root: string, privateDependency: string): string {
  return `${root}/${privateDependencyFolder}/${privateDependency}`;
}

/** URL segment before the target of a private dependency. */
export const privateDependencyFolder = '-in';

/**
 * Resolves an ungrouped target in a group: the target that is served, and whether it is served as a
 * private dependency of the group.
 */
export function resolveTarget(
  group: PackageGroup | undefined,
  ungrouped: string,
): { readonly target: string; readonly isPrivate: boolean } {
  if (group === undefined) return { target: ungrouped, isPrivate: false };
  if (group.companions.includes(ungrouped)) return { target: ungrouped, isPrivate: true };
  const served = Object.hasOwn(group.moved, ungrouped) ? group.moved[ungrouped] : undefined;
  return { target: served ?? ungrouped, isPrivate: false };
}

function describeResolution(
  pkg: LockedPackage,
  hashes: ReadonlyMap<LockedPackage, string>,
  mode: PackageMode,
): ResolutionTable {
  const { name, version, integrity, dependencies } = pkg;
  const targets = [...dependencies].map(([imported, dependency]) => [
    imported,
    dependency && formatPackageTarget(dependency, hashes),
  ]);
  return {
    builder: builderVersion,
    mode,
    name,
    version,
    integrity,
    dependencies: Object.fromEntries(targets),
  };
}

function formatTarget({ name, version }: ResolutionTable, hash: string): string {
  return `${name}@${version}~${hash}`;
}

/** 'a@1.0.0~abc…' → 'abc…' */
function parseHash(target: string): string {
  return target.slice(target.lastIndexOf('~') + 1);
}

function formatPackageTarget(
  pkg: LockedPackage,
  hashes: ReadonlyMap<LockedPackage, string>,
): string {
  return `${pkg.name}@${pkg.version}~${hashes.get(pkg) ?? ''}`;
}

/** Resolution hash of each of these packages. */
function hashPackages(
  packages: readonly LockedPackage[],
  mode: PackageMode,
): Map<LockedPackage, string> {
  const hashes = new Map<LockedPackage, string>();
  for (const cycle of findStronglyConnectedComponents(packages)) {
    const { digest, positions } = hashCycle(cycle, hashes);
    for (const [pkg, position] of positions) {
      hashes.set(pkg, hashParts([builderVersion, mode, digest, position]));
    }
  }
  return hashes;
}

interface CycleHash {
  readonly digest: string;
  /** Index of each member in the hashed list. */
  readonly positions: ReadonlyMap<LockedPackage, number>;
}

/**
 * Hashes a cycle, starting at its first member by name, version and integrity. If several copies are
 * equal in these, starts at the one whose list sorts first.
 */
function hashCycle(
  cycle: ReadonlySet<LockedPackage>,
  hashes: ReadonlyMap<LockedPackage, string>,
): CycleHash {
  const key = ({ name, version, integrity }: LockedPackage) => `${name}@${version} ${integrity}`;
  const first = [...cycle].map(key).reduce((a, b) => (a < b ? a : b));
  const [walk] = [...cycle]
    .filter((pkg) => key(pkg) === first)
    .map((start) => walkCycle(start, cycle, hashes))
    .toSorted((a, b) => (a.text < b.text ? -1 : 1));
  if (walk === undefined) throw new Error('A cycle without members');
  return { digest: hashText(walk.text), positions: walk.positions };
}

function walkCycle(
  start: LockedPackage,
  cycle: ReadonlySet<LockedPackage>,
  hashes: ReadonlyMap<LockedPackage, string>,
): { text: string; positions: ReadonlyMap<LockedPackage, number> } {
  const positions = new Map([[start, 0]]);
  const members = [];
  // Iterating over a Map includes the entries that are added meanwhile.
  for (const pkg of positions.keys()) {
    const targets = sortDependencies(pkg).map(([imported, dependency]) => {
      if (dependency === null || !cycle.has(dependency))
        return [imported, dependency && formatPackageTarget(dependency, hashes)];
      if (!positions.has(dependency)) positions.set(dependency, positions.size);
      return [imported, `#${positions.get(dependency)}`];
    });
    members.push([pkg.name, pkg.version, pkg.integrity, targets]);
  }
  return { text: JSON.stringify(members), positions };
}

/** 80 bits: enough to prevent second preimages (another package with a URL that is in use). */
function hashParts(parts: readonly unknown[]): string {
  return hashText(JSON.stringify(parts)).slice(0, 16);
}

function hashText(text: string): string {
  return base32(sha256(utf8ToBytes(text)));
}

function sortDependencies(pkg: LockedPackage): [string, LockedPackage | null][] {
  return [...pkg.dependencies].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * Strongly connected components in the order of Tarjan's algorithm (1972): a component comes after
 * all those that it can reach.
 */
function findStronglyConnectedComponents(packages: readonly LockedPackage[]): Set<LockedPackage>[] {
  const components: Set<LockedPackage>[] = [];
  const lowLinks = new Map<LockedPackage, number>();
  const stack: LockedPackage[] = [];
  const onStack = new Set<LockedPackage>();

  const visit = (pkg: LockedPackage): number => {
    const index = lowLinks.size;
    let lowLink = index;
    lowLinks.set(pkg, index);
    stack.push(pkg);
    onStack.add(pkg);
    for (const dependency of pkg.dependencies.values()) {
      if (dependency === null) continue;
      if (!lowLinks.has(dependency)) lowLink = Math.min(lowLink, visit(dependency));
      else if (onStack.has(dependency))
        lowLink = Math.min(lowLink, lowLinks.get(dependency) ?? lowLink);
    }
    lowLinks.set(pkg, lowLink);
    if (lowLink === index) components.push(popComponent(pkg));
    return lowLink;
  };
  const popComponent = (first: LockedPackage): Set<LockedPackage> => {
    const component = new Set(stack.splice(stack.lastIndexOf(first)));
    for (const pkg of component) onStack.delete(pkg);
    return component;
  };

  for (const pkg of packages) if (!lowLinks.has(pkg)) visit(pkg);
  return components;
}

const base32Alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** Base32 as in RFC 4648, section 6, in lower case and without padding. */
function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let buffer = 0;
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xffff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += base32Alphabet[(buffer >> (bits - 5)) & 31] ?? '';
  }
  return text;
}
