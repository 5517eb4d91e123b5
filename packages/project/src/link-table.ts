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
import {
  findFamilies,
  reachableFrom,
  reverse,
  type Families,
  type FamilyMembers,
  type PackageGraph,
} from './companions.ts';
import { computeSha256 } from './sha256.ts';
import { bindFamilies, findSharedFamilies } from './shared-families.ts';

/** Which variant of a package is run: `process.env.NODE_ENV` and the `exports` condition. */
export type PackageMode = 'development' | 'production';

/** Raised whenever the same package would be built differently, so that old addresses stay true. */
export const builderGeneration = 7;

export interface LinkTable {
  readonly builder: number;
  readonly mode: PackageMode;
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  /** Name in an import → `NAME@VERSION~LINK`, or null where the tree has no such package. */
  readonly dependencies: Readonly<Record<string, string | null>>;
  /** Absent where a target means the same with and without companions. */
  readonly family?: Family;
}

/**
 * What targets mean to a package and its companions. Others mean what they are. `companions` are the
 * targets that are served as parts of this package, `sharedBy` are plain ones.
 */
export interface Family extends FamilyMembers {
  /**
   * Target → where it is served in this lock, for this package and those it imports that reach a
   * family (`NAME@VERSION~LINK`) or stand in one that heads share (`HEAD/-in/NAME@VERSION~LINK`).
   */
  readonly moved: Readonly<Record<string, string>>;
  /** The head of the family that heads share and that this one imports from: there is one at most. */
  readonly shared?: string;
}

/** LINK → table, for every package of the lock: with its companions, and as if nobody had any. */
export function linkTables(lock: PackageLock, mode: PackageMode): Map<string, LinkTable> {
  const links = linkPackages(lock.packages, mode);
  const tables = new Map(
    [...links].map(([item, link]) => [link, describeTable(item, links, mode)] as const),
  );
  const plain = new Map([...tables].map(([link, table]) => [targetAt(table, link), table]));
  const placed = placePackages(lock, links, mode);
  for (const [from, to] of placed.heads) {
    const table = plain.get(from);
    if (table !== undefined) tables.set(linkOf(to), { ...table, family: familyOf(from, placed) });
  }
  return tables;
}

/** Name as the project imports it → `/npm/NAME@VERSION~LINK`. */
export function packageAddresses(lock: PackageLock, mode: PackageMode): Map<string, string> {
  const links = linkPackages(lock.packages, mode);
  const { heads } = placePackages(lock, links, mode);
  return addressesOf(lock, links, heads);
}

/**
 * The same for pages that mix several locks: nothing belongs to anything, so that what two of the
 * locks share is one.
 */
export function plainPackageAddresses(lock: PackageLock, mode: PackageMode): Map<string, string> {
  return addressesOf(lock, linkPackages(lock.packages, mode), new Map());
}

function addressesOf(
  lock: PackageLock,
  links: ReadonlyMap<LockedPackage, string>,
  moved: ReadonlyMap<string, string>,
): Map<string, string> {
  const addresses = new Map<string, string>();
  for (const [name, item] of lock.direct) {
    if (item === null) continue;
    const plain = target(item, links);
    addresses.set(name, `/npm/${moved.get(plain) ?? plain}`);
  }
  return addresses;
}

/** Packages that are there once, whoever asks: most others are built upon one of them. */
const namesOnce: ReadonlySet<string> = new Set([
  'react',
  'react-dom',
  'preact',
  'vue',
  'three',
  'yjs',
]);

interface PlacedPackages {
  readonly graph: PackageGraph;
  readonly families: Families;
  /** Target → target, of each package that stands for itself and reaches a family. */
  readonly heads: ReadonlyMap<string, string>;
  /** Companion in a family that heads share → head of that. */
  readonly shared: ReadonlyMap<string, string>;
}

/**
 * Who belongs to whom. A package that reaches families is another where these are others, so their
 * lists become a part of its LINK:
 *
 *   LINK = first 16 characters of base32(sha-256([builder, mode, target, [[head, companions], …]]))
 *
 * and of a family that several heads share, with these: [head, companions, heads].
 */
function placePackages(
  lock: PackageLock,
  links: ReadonlyMap<LockedPackage, string>,
  mode: PackageMode,
): PlacedPackages {
  const targets = (items: Iterable<LockedPackage | null>) =>
    [...items].filter((item) => item !== null).map((item) => target(item, links));
  const graph = new Map(
    [...links.keys()].map((item) => [target(item, links), targets(item.dependencies.values())]),
  );
  const once = new Set(targets([...links.keys()].filter(({ name }) => namesOnce.has(name))));
  const named = new Set([...targets([...lock.direct.values(), ...lock.peers]), ...once]);
  const own = findFamilies(graph, named, once);
  const families = new Map([...own, ...findSharedFamilies(graph, named, once, own)]);
  const companions = new Set([...families.values()].flatMap((family) => family.companions));
  const heads = new Map<string, string>();
  for (const [plain, lists] of listReached(graph, families)) {
    if (companions.has(plain)) continue;
    const link = hashLink([builderGeneration, mode, plain, lists]);
    heads.set(plain, plain.replace(/~[^~]*$/, `~${link}`));
  }
  return { graph, families, heads, shared: listShared(families) };
}

/** Package → the families that it reaches, as [head, companions, sharers], in the order of their names. */
function listReached(graph: PackageGraph, families: Families) {
  const importers = reverse(bindFamilies(graph, families));
  const reached = new Map<string, (readonly [string, ...(readonly string[])[]])[]>();
  for (const head of [...families.keys()].toSorted()) {
    const { companions = [], sharedBy } = families.get(head) ?? {};
    const list = [head, companions, ...(sharedBy ? [sharedBy] : [])] as const;
    for (const plain of reachableFrom(importers, [head])) {
      reached.set(plain, [...(reached.get(plain) ?? []), list]);
    }
  }
  return reached;
}

function listShared(families: Families): Map<string, string> {
  const shared = new Map<string, string>();
  for (const [head, { companions, sharedBy }] of families) {
    if (sharedBy) for (const item of [head, ...companions]) shared.set(item, head);
  }
  return shared;
}

function familyOf(head: string, { graph, families, heads, shared }: PlacedPackages): Family {
  const { companions, sharedBy } = families.get(head) ?? { companions: [] };
  const own = [head, ...companions];
  const imported = new Set([head, ...own.flatMap((item) => graph.get(item) ?? [])]);
  const moved = new Map<string, string>();
  let from: string | undefined;
  for (const item of imported) {
    const lead = shared.get(item);
    const place = heads.get(lead ?? item);
    if (place === undefined || companions.includes(item)) continue;
    moved.set(item, lead === undefined || lead === item ? place : placeCompanion(place, item));
    if (lead !== undefined && lead !== head) from = place;
  }
  return {
    companions,
    ...(sharedBy && { sharedBy }),
    moved: Object.fromEntries(moved),
    ...(from !== undefined && { shared: from }),
  };
}

/** Where a companion is served: 'a@1~…', 'b@2~…' → 'a@1~…/-in/b@2~…'. */
export function placeCompanion(head: string, companion: string): string {
  return `${head}/${companionFolder}/${companion}`;
}

/** Before a companion's own target. */
export const companionFolder = '-in';

/** What a package's import means: which target, and whether it is served as a part of this one. */
export function placeTarget(
  family: Family | undefined,
  plain: string,
): { readonly target: string; readonly isCompanion: boolean } {
  if (family === undefined) return { target: plain, isCompanion: false };
  if (family.companions.includes(plain)) return { target: plain, isCompanion: true };
  const moved = Object.hasOwn(family.moved, plain) ? family.moved[plain] : undefined;
  return { target: moved ?? plain, isCompanion: false };
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

function targetAt({ name, version }: LinkTable, link: string): string {
  return `${name}@${version}~${link}`;
}

function linkOf(ofTarget: string): string {
  return ofTarget.slice(ofTarget.lastIndexOf('~') + 1);
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
