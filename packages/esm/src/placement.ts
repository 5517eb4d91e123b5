/** Where a package is served in a lockfile, and what its imports resolve to there. */
import {
  isPackageName,
  isSeenInFamilies,
  packageNameOf,
  placeCompanion,
  placeTarget,
  VitrineError,
  type Family,
  type LinkTable,
} from '@vitrine/project';
import { parsePackageAddress, type ExactAddress, type ExactPackage } from './address.ts';
import { builtinsAddress } from './builtins.ts';

/** A package at its URL, with the resolution of its imports. */
export interface Placement {
  /**
   * `/npm/NAME@VERSION~HASH`; of a private dependency
   * `/npm/ROOT@VERSION~HASH/-in/NAME@VERSION~HASH`.
   */
  readonly base: string;
  readonly table: LinkTable;
  /** Absent when every target is served at its own URL. */
  readonly family?: PlacedFamily;
}

/** A package group with its root package. */
export interface PlacedFamily extends Family {
  readonly head: { readonly base: string; readonly link: string; readonly table: LinkTable };
}

/** Finds resolutions by their hashes. */
export interface Tables {
  readonly findTable: (link: string) => Promise<LinkTable | undefined>;
  readonly builtins: LinkTable;
}

/**
 * Finds the package at an exact URL.
 *
 * @throws VitrineError `package_address_unknown`.
 */
export async function findPlacement(
  address: ExactAddress,
  resolutions: Tables,
): Promise<Placement> {
  const resolution = await requireTable(resolutions, address);
  const { head, base } = address;
  if (head === undefined) return serveRoot({ base, link: address.link, table: resolution });
  const { family } = serveRoot({ ...head, table: await requireTable(resolutions, head) });
  if (family?.companions.includes(targetOf(address)) !== true) throw unknown(address);
  return { base, table: resolution, family };
}

/** Finds the package at a URL; undefined when its resolution isn't known. */
export async function findPlacementAt(
  address: string,
  resolutions: Tables,
): Promise<Placement | undefined> {
  const parsed = parsePackageAddress(new URL(address, 'http://packages').pathname);
  if (parsed?.kind !== 'exact') return undefined;
  for (const hash of [parsed.link, ...(parsed.head ? [parsed.head.link] : [])]) {
    if ((await resolutions.findTable(hash)) === undefined) return undefined;
  }
  return findPlacement(parsed, resolutions);
}

function serveRoot(root: PlacedFamily['head']): Placement {
  const { base, table } = root;
  const { family } = table;
  return family === undefined
    ? { base, table }
    : { base, table, family: { ...family, head: root } };
}

/**
 * Resolution of the package at an exact URL.
 *
 * @throws VitrineError `package_address_unknown`.
 */
export async function requireTable(
  { findTable }: Tables,
  wanted: ExactPackage,
): Promise<LinkTable> {
  const resolution = await findTable(wanted.link);
  if (
    resolution === undefined ||
    resolution.name !== wanted.name ||
    resolution.version !== wanted.version
  ) {
    throw unknown(wanted);
  }
  return resolution;
}

function unknown({ name, version }: ExactPackage): VitrineError {
  return new VitrineError('package_address_unknown', `${name}@${version}`);
}

/** `NAME@VERSION~HASH` of a package. */
export function targetOf({ name, version, link }: ExactPackage): string {
  return `${name}@${version}~${link}`;
}

/** Base URL of the dependency with this name; undefined when there is none. */
export function baseOf({ table, family }: Placement, name: string): string | undefined {
  const ungrouped = Object.hasOwn(table.dependencies, name) ? table.dependencies[name] : undefined;
  return typeof ungrouped === 'string' ? addressIn(family, ungrouped) : undefined;
}

/** Base URL of a target, as seen from inside of a group. */
export function addressIn(group: PlacedFamily | undefined, ungrouped: string): string {
  const { target, isCompanion } = placeTarget(group, ungrouped);
  return group && isCompanion ? placeCompanion(group.head.base, target) : `/npm/${target}`;
}

/**
 * Base URL of a package that is imported without being declared in package.json: its newest
 * version. An installer that hoists would have provided an arbitrary version, so any version will
 * do. Undefined for packages of which a page must have one copy.
 */
export function undeclaredBase({ table }: Placement, name: string): string | undefined {
  const isDeclared = Object.hasOwn(table.dependencies, name);
  if (isDeclared || isSeenInFamilies(name) || !isPackageName(name)) return undefined;
  return `/npm/-/undeclared/${name}`;
}

/** A module of another package. */
export interface ForeignModule {
  readonly placement: Placement;
  /** Path of the module among the entries of its package's build. */
  readonly path: string;
}

/** Resolves a specifier in a built module; undefined for a missing package. */
export async function findForeign(
  specifier: string,
  from: Placement,
  resolutions: Tables,
): Promise<ForeignModule | undefined> {
  if (specifier.startsWith('node:')) {
    const path = `./nodelibs/${specifier.slice('node:'.length)}`;
    return { placement: { base: builtinsAddress, table: resolutions.builtins }, path };
  }
  const name = packageNameOf(specifier) ?? specifier;
  const base = baseOf(from, name);
  const served = base === undefined ? undefined : await findPlacementAt(base, resolutions);
  if (served === undefined) return undefined;
  const subpath = specifier.slice(name.length);
  return { placement: served, path: subpath === '' ? '.' : `.${subpath}` };
}

/** URL of a module: `.` → ``, `./client` → `/client`, with each segment encoded. */
export function moduleAddress({ base }: Placement, path: string): string {
  const hidden = base === builtinsAddress ? 2 : 1;
  const parts = path.split('/').slice(hidden);
  return base + parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}
