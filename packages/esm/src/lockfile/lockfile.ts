/*
 * Reads npm's package-lock.json (lockfileVersion 3; version 2 has the same `packages` table) as a
 * graph of packages. https://docs.npmjs.com/cli/configuring-npm/package-lock-json
 *
 * Each key of `packages` is a path in a tree of node_modules folders. A name that a package imports
 * resolves to the nearest path with that name: in its own folder first, then in each parent folder.
 */

import { isRecord } from '@vitrine/project/is-record';
import { limits } from '@vitrine/project/limits';
import { addUndeclaredImports } from './undeclared-imports.ts';

/** One package at one path of the node_modules tree. */
export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** Subresource integrity of the registry's tarball. */
  readonly integrity: string;
  readonly license?: string;
  /** Deprecation message of this version. */
  readonly deprecated?: string;
  /**
   * Imported name → package that it resolves to; null when the tree has none (an absent optional
   * dependency).
   */
  readonly dependencies: ReadonlyMap<string, LockedPackage | null>;
}

/** A parsed package-lock.json. */
export interface Lockfile {
  /**
   * Packages that the project itself may import: name as imported → package. An alias is listed by
   * its alias.
   */
  readonly direct: ReadonlyMap<string, LockedPackage | null>;
  /** Every package of the tree, in the order of the file. */
  readonly packages: readonly LockedPackage[];
  /** Packages that some other package lists as a peer dependency. */
  readonly peers: ReadonlySet<LockedPackage>;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Parses a package-lock.json. Entries that are links, or have no integrity, valid name or exact
 * version, are treated as absent, because only registry packages have URLs here.
 *
 * @returns Undefined when the text is not a lockfile of version 2 or 3, or lists more than
 * `limits.lockfilePackages` packages.
 */
export function parseLockfile(text: string): Lockfile | undefined {
  const lockfile = parseObject(text);
  if (
    lockfile === undefined ||
    (lockfile['lockfileVersion'] !== 2 && lockfile['lockfileVersion'] !== 3)
  ) {
    return undefined;
  }
  const entries = parseEntries(lockfile['packages']);
  const root = isRecord(lockfile['packages']) ? lockfile['packages'][''] : undefined;
  if (entries === undefined || !isRecord(root)) return undefined;
  const packages = new Map(
    [...entries].map(([path, fields]) => [path, createPackage(path, fields)]),
  );
  for (const [path, fields] of entries) {
    const { dependencies } = getPackage(packages, path);
    for (const name of declaredNames(fields))
      dependencies.set(name, resolveName(packages, path, name));
  }
  const named = [...declaredNames(root), ...names(root['devDependencies'])];
  const direct = new Map(named.map((name) => [name, resolveName(packages, '', name)]));
  addUndeclaredImports(packages, direct, (path, name) => resolveName(packages, path, name));
  const peers = [...entries].flatMap(([path, fields]) =>
    names(fields['peerDependencies']).map((name) => resolveName(packages, path, name)),
  );
  return {
    direct,
    packages: [...packages.values()],
    peers: new Set(peers.filter((item) => item !== null)),
  };
}

interface MutablePackage extends LockedPackage {
  readonly dependencies: Map<string, MutablePackage | null>;
}

function getPackage(packages: ReadonlyMap<string, MutablePackage>, path: string): MutablePackage {
  const item = packages.get(path);
  if (item === undefined) throw new Error(`No package at ${path}`);
  return item;
}

/** Entries that are registry packages, by path. Undefined when there are too many. */
function parseEntries(packages: unknown): Map<string, Fields> | undefined {
  if (!isRecord(packages)) return undefined;
  const entries = new Map<string, Fields>();
  for (const [path, fields] of Object.entries(packages)) {
    if (isRecord(fields) && isRegistryPackage(path, fields)) entries.set(path, fields);
  }
  return entries.size > limits.lockfilePackages ? undefined : entries;
}

function isRegistryPackage(path: string, fields: Fields): boolean {
  return (
    path.startsWith('node_modules/') &&
    fields['link'] !== true &&
    isPackageName(getOwnName(path, fields)) &&
    typeof fields['version'] === 'string' &&
    isExactVersion(fields['version']) &&
    typeof fields['integrity'] === 'string' &&
    /^sha\d+-[\w+/=? -]{20,1000}$/.test(fields['integrity'])
  );
}

function createPackage(path: string, fields: Fields): MutablePackage {
  const { version, integrity, license, deprecated } = fields;
  return {
    name: getOwnName(path, fields),
    version: String(version),
    integrity: String(integrity),
    ...(typeof license === 'string' && { license }),
    ...(typeof deprecated === 'string' && { deprecated }),
    dependencies: new Map(),
  };
}

/**
 * Own name of a package. An entry of an alias has a `name`; its path only says how it is imported.
 */
function getOwnName(path: string, fields: Fields): string {
  const written = fields['name'];
  return typeof written === 'string' ? written : path.slice(lastFolder(path) + folder.length);
}

const folder = 'node_modules/';

function lastFolder(path: string): number {
  return path.lastIndexOf(folder);
}

/** Resolves `c` from `node_modules/a/node_modules/b`: in b, then in a, then at the top. */
function resolveName(
  packages: ReadonlyMap<string, MutablePackage>,
  path: string,
  name: string,
): MutablePackage | null {
  for (let around = path; ; around = around.slice(0, Math.max(0, lastFolder(around) - 1))) {
    const item = packages.get(around === '' ? folder + name : `${around}/${folder}${name}`);
    if (item !== undefined) return item;
    if (around === '') return null;
  }
}

/**
 * Names that a package declares to import. Peers count, because they are found in parent folders.
 */
function declaredNames(fields: Fields): string[] {
  return ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((kind) =>
    names(fields[kind]),
  );
}

function names(dependencies: unknown): string[] {
  return isRecord(dependencies) ? Object.keys(dependencies).filter(isPackageName) : [];
}

function parseObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const namePattern = /^(?:@[a-z0-9-][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/i;

/**
 * Whether npm accepts the name, including the capitals that old packages still have (`JSONStream`).
 */
export function isPackageName(name: string): boolean {
  if (name.length > 214 || !namePattern.test(name)) return false;
  return name !== 'node_modules' && name !== 'favicon.ico';
}

const semverPattern =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9a-z-]+(?:\.[0-9a-z-]+)*)?(?:\+[0-9a-z-]+(?:\.[0-9a-z-]+)*)?$/i;

/**
 * True for one version (`19.3.1-rc.0`), false for ranges and tags. https://semver.org, section 2
 */
export function isExactVersion(version: string): boolean {
  return version.length <= 256 && semverPattern.test(version);
}

/**
 * Package of a bare specifier: `react-dom/client` → `react-dom`, `@scope/x/y` → `@scope/x`.
 * Undefined for URLs, paths, `#names` and `node:` modules.
 */
export function parsePackageName(specifier: string): string | undefined {
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0];
  return name !== undefined && isPackageName(name) ? name : undefined;
}

/**
 * URL path of a bare specifier: `react-dom/client` → `/npm/react-dom@19.3.1~…/client`.
 *
 * @param bases Result of `computePackageUrls`.
 * @returns Undefined when the package is missing, or when the subpath would climb out of it.
 */
export function findPackageUrl(
  bases: ReadonlyMap<string, string>,
  specifier: string,
): string | undefined {
  const name = parsePackageName(specifier);
  const base = name === undefined ? undefined : bases.get(name);
  if (name === undefined || base === undefined) return undefined;
  // A trailing slash ('buffer/') distinguishes a package from Node's built-in module.
  const subpath = specifier.slice(name.length).replace(/^\/$/, '');
  const climbs = /\/(?:\.|%2e){1,2}(?:\/|$)|\\|%2f|%5c/i.test(subpath);
  return climbs ? undefined : base + subpath;
}
