/** Where a package is served in a lockfile, and what its imports resolve to there. */
import { VitrineError } from '@vitrine/project';
import { isPackageName, parsePackageName } from './lockfile/lockfile.ts';
import {
  formatPrivateTarget,
  resolveTarget,
  type PackageGroup,
  type ResolutionTable,
} from './lockfile/resolution-hash.ts';
import { isSingleton } from './lockfile/singletons.ts';
import { parsePackageUrl, type ExactUrl, type ExactPackage } from './package-url.ts';
import { builtinsBase } from './builtins.ts';

/** A package at its URL, with the resolution of its imports. */
export interface ServedPackage {
  /**
   * `/npm/NAME@VERSION~HASH`; of a private dependency
   * `/npm/ROOT@VERSION~HASH/-in/NAME@VERSION~HASH`.
   */
  readonly base: string;
  readonly resolution: ResolutionTable;
  /** Absent when every target is served at its own URL. */
  readonly group?: ServedGroup;
}

/** A package group with its root package. */
export interface ServedGroup extends PackageGroup {
  readonly root: {
    readonly base: string;
    readonly hash: string;
    readonly resolution: ResolutionTable;
  };
}

/** Finds resolutions by their hashes. */
export interface ResolutionLookup {
  readonly findResolution: (hash: string) => Promise<ResolutionTable | undefined>;
  readonly builtins: ResolutionTable;
}

/**
 * Finds the package at an exact URL.
 *
 * @throws VitrineError `package_address_unknown`.
 */
export async function findServedPackage(
  packageUrl: ExactUrl,
  resolutions: ResolutionLookup,
): Promise<ServedPackage> {
  const resolution = await requireResolution(resolutions, packageUrl);
  const { root, base } = packageUrl;
  if (root === undefined) return serveRoot({ base, hash: packageUrl.hash, resolution });
  const { group } = serveRoot({
    ...root,
    resolution: await requireResolution(resolutions, root),
  });
  if (group?.companions.includes(formatTarget(packageUrl)) !== true)
    throw createUnknownError(packageUrl);
  return { base, resolution, group };
}

/** Finds the package at a URL; undefined when its resolution isn't known. */
export async function findServedPackageAt(
  url: string,
  resolutions: ResolutionLookup,
): Promise<ServedPackage | undefined> {
  const parsed = parsePackageUrl(new URL(url, 'http://packages').pathname);
  if (parsed?.kind !== 'exact') return undefined;
  for (const hash of [parsed.hash, ...(parsed.root ? [parsed.root.hash] : [])]) {
    if ((await resolutions.findResolution(hash)) === undefined) return undefined;
  }
  return findServedPackage(parsed, resolutions);
}

function serveRoot(root: ServedGroup['root']): ServedPackage {
  const { base, resolution } = root;
  const { family: group } = resolution;
  return group === undefined
    ? { base, resolution }
    : { base, resolution, group: { ...group, root } };
}

/**
 * Resolution of the package at an exact URL.
 *
 * @throws VitrineError `package_address_unknown`.
 */
export async function requireResolution(
  { findResolution }: ResolutionLookup,
  pkg: ExactPackage,
): Promise<ResolutionTable> {
  const resolution = await findResolution(pkg.hash);
  if (
    resolution === undefined ||
    resolution.name !== pkg.name ||
    resolution.version !== pkg.version
  ) {
    throw createUnknownError(pkg);
  }
  return resolution;
}

function createUnknownError({ name, version }: ExactPackage): VitrineError {
  return new VitrineError('package_address_unknown', `${name}@${version}`);
}

/** `NAME@VERSION~HASH` of a package. */
export function formatTarget({ name, version, hash }: ExactPackage): string {
  return `${name}@${version}~${hash}`;
}

/** Base URL of the dependency with this name; undefined when there is none. */
export function findDependencyBase(
  { resolution: { dependencies }, group }: ServedPackage,
  name: string,
): string | undefined {
  const ungrouped = Object.hasOwn(dependencies, name) ? dependencies[name] : undefined;
  return typeof ungrouped === 'string' ? getTargetBase(group, ungrouped) : undefined;
}

/** Base URL of a target, as seen from inside of a group. */
export function getTargetBase(group: ServedGroup | undefined, ungrouped: string): string {
  const { target, isPrivate } = resolveTarget(group, ungrouped);
  return group && isPrivate ? formatPrivateTarget(group.root.base, target) : `/npm/${target}`;
}

/**
 * Base URL of a package that is imported without being declared in package.json: its newest
 * version. An installer that hoists would have provided an arbitrary version, so any version will
 * do. Undefined for framework packages, of which a page must have one copy.
 */
export function findUndeclaredBase(
  { resolution }: ServedPackage,
  name: string,
): string | undefined {
  const isDeclared = Object.hasOwn(resolution.dependencies, name);
  if (isDeclared || isSingleton(name) || !isPackageName(name)) return undefined;
  return `/npm/-/undeclared/${name}`;
}

/** A module of another package. */
export interface ExternalModule {
  readonly served: ServedPackage;
  /** Path of the module among the entries of its package's build. */
  readonly path: string;
}

/** Resolves a specifier in a built module; undefined for a missing package. */
export async function resolveExternal(
  specifier: string,
  from: ServedPackage,
  resolutions: ResolutionLookup,
): Promise<ExternalModule | undefined> {
  if (specifier.startsWith('node:')) {
    const path = `./nodelibs/${specifier.slice('node:'.length)}`;
    return { served: { base: builtinsBase, resolution: resolutions.builtins }, path };
  }
  const name = parsePackageName(specifier) ?? specifier;
  const base = findDependencyBase(from, name);
  const served = base === undefined ? undefined : await findServedPackageAt(base, resolutions);
  if (served === undefined) return undefined;
  const subpath = specifier.slice(name.length);
  return { served, path: subpath === '' ? '.' : `.${subpath}` };
}

/** URL of a module: `.` → ``, `./client` → `/client`, with each segment encoded. */
export function getModuleUrl({ base }: ServedPackage, path: string): string {
  const hidden = base === builtinsBase ? 2 : 1;
  const parts = path.split('/').slice(hidden);
  return base + parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}
