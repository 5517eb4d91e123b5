/*
 * npm's lockfile (version 3; version 2 holds the same table) as a graph of packages.
 * https://docs.npmjs.com/cli/configuring-npm/package-lock-json
 *
 * Each key of its `packages` is a place in a tree of node_modules folders. What a package means by
 * a name is the nearest place of that name, its own folder first, then each folder around it.
 */

import { limits } from './limits.ts';
import { addUndeclaredImports } from './undeclared-imports.ts';

/** One package at one place of the tree. */
export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** Subresource integrity of the registry's tarball. */
  readonly integrity: string;
  readonly license?: string;
  /** Why its authors advise against this version. */
  readonly deprecated?: string;
  /** Name in an import → the package it means; null where the tree has none (optional and absent). */
  readonly dependencies: ReadonlyMap<string, LockedPackage | null>;
}

export interface PackageLock {
  /** What the project itself may import: name as imported → package. An alias keeps its alias. */
  readonly direct: ReadonlyMap<string, LockedPackage | null>;
  /** Every package of the tree, in the order of the file. */
  readonly packages: readonly LockedPackage[];
  /** Those that some package of the tree leaves to its user to install. */
  readonly peers: ReadonlySet<LockedPackage>;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The packages of a package-lock.json, or undefined when the text is none of version 2 or 3, or
 * names more than `limits.lockPackages`.
 * Places that are links, or have no integrity, valid name or exact version, are read as absent:
 * nothing but registry packages has an address here.
 */
export function readLock(text: string): PackageLock | undefined {
  const file = parseObject(text);
  if (file === undefined || (file['lockfileVersion'] !== 2 && file['lockfileVersion'] !== 3)) {
    return undefined;
  }
  const places = readPlaces(file['packages']);
  const root = isObject(file['packages']) ? file['packages'][''] : undefined;
  if (places === undefined || !isObject(root)) return undefined;
  const packages = new Map(
    [...places].map(([place, fields]) => [place, startPackage(place, fields)]),
  );
  for (const [place, fields] of places) {
    const { dependencies } = found(packages, place);
    for (const name of wishedNames(fields)) dependencies.set(name, lookUp(packages, place, name));
  }
  const named = [...wishedNames(root), ...names(root['devDependencies'])];
  const direct = new Map(named.map((name) => [name, lookUp(packages, '', name)]));
  addUndeclaredImports(packages, direct, (place, name) => lookUp(packages, place, name));
  const peers = [...places].flatMap(([place, fields]) =>
    names(fields['peerDependencies']).map((name) => lookUp(packages, place, name)),
  );
  return {
    direct,
    packages: [...packages.values()],
    peers: new Set(peers.filter((item) => item !== null)),
  };
}

interface OpenPackage extends LockedPackage {
  readonly dependencies: Map<string, OpenPackage | null>;
}

function found(packages: ReadonlyMap<string, OpenPackage>, place: string): OpenPackage {
  const item = packages.get(place);
  if (item === undefined) throw new Error(`No package at ${place}`);
  return item;
}

/** The places that hold a registry package. */
function readPlaces(packages: unknown): Map<string, Fields> | undefined {
  if (!isObject(packages)) return undefined;
  const places = new Map<string, Fields>();
  for (const [place, fields] of Object.entries(packages)) {
    if (isObject(fields) && isRegistryPackage(place, fields)) places.set(place, fields);
  }
  return places.size > limits.lockPackages ? undefined : places;
}

function isRegistryPackage(place: string, fields: Fields): boolean {
  return (
    place.startsWith('node_modules/') &&
    fields['link'] !== true &&
    isPackageName(nameAt(place, fields)) &&
    typeof fields['version'] === 'string' &&
    isExactVersion(fields['version']) &&
    typeof fields['integrity'] === 'string' &&
    /^sha\d+-[\w+/=? -]{20,1000}$/.test(fields['integrity'])
  );
}

function startPackage(place: string, fields: Fields): OpenPackage {
  const { version, integrity, license, deprecated } = fields;
  return {
    name: nameAt(place, fields),
    version: String(version),
    integrity: String(integrity),
    ...(typeof license === 'string' && { license }),
    ...(typeof deprecated === 'string' && { deprecated }),
    dependencies: new Map(),
  };
}

/** An alias has its true name written down; the place only says how it is imported. */
function nameAt(place: string, fields: Fields): string {
  const written = fields['name'];
  return typeof written === 'string' ? written : place.slice(lastFolder(place) + folder.length);
}

const folder = 'node_modules/';

function lastFolder(place: string): number {
  return place.lastIndexOf(folder);
}

/** `node_modules/a/node_modules/b` looking for `c`: in b, then in a, then at the top. */
function lookUp(
  packages: ReadonlyMap<string, OpenPackage>,
  place: string,
  name: string,
): OpenPackage | null {
  for (let around = place; ; around = around.slice(0, Math.max(0, lastFolder(around) - 1))) {
    const item = packages.get(around === '' ? folder + name : `${around}/${folder}${name}`);
    if (item !== undefined) return item;
    if (around === '') return null;
  }
}

/** What a package says it imports. Peers count: they are found in the folders around it. */
function wishedNames(fields: Fields): string[] {
  return ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((kind) =>
    names(fields[kind]),
  );
}

function names(wishes: unknown): string[] {
  return isObject(wishes) ? Object.keys(wishes).filter(isPackageName) : [];
}

function parseObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const nameParts = /^(?:@[a-z0-9-][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/i;

/** npm's rules for names, with the capitals that old packages still have (`JSONStream`). */
export function isPackageName(name: string): boolean {
  if (name.length > 214 || !nameParts.test(name)) return false;
  return name !== 'node_modules' && name !== 'favicon.ico';
}

const semver =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9a-z-]+(?:\.[0-9a-z-]+)*)?(?:\+[0-9a-z-]+(?:\.[0-9a-z-]+)*)?$/i;

/** True for one version (`19.3.1-rc.0`), false for ranges and tags. https://semver.org, section 2 */
export function isExactVersion(version: string): boolean {
  return version.length <= 256 && semver.test(version);
}

/**
 * The package that a bare specifier is about: `react-dom/client` → `react-dom`,
 * `@scope/x/y` → `@scope/x`. Undefined for addresses, paths, `#names` and `node:` modules.
 */
export function packageNameOf(specifier: string): string | undefined {
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0];
  return name !== undefined && isPackageName(name) ? name : undefined;
}

/**
 * Where a bare specifier is served: (`react-dom/client`) → `/npm/react-dom@19.3.1~…/client`.
 * `bases` is what `packageAddresses` gave. Undefined when the package is not there, or when the
 * subpath would leave it.
 */
export function findPackageAddress(
  bases: ReadonlyMap<string, string>,
  specifier: string,
): string | undefined {
  const name = packageNameOf(specifier);
  const base = name === undefined ? undefined : bases.get(name);
  if (name === undefined || base === undefined) return undefined;
  // 'buffer/' is how packages are told from Node's built-ins.
  const subpath = specifier.slice(name.length).replace(/^\/$/, '');
  const climbs = /\/(?:\.|%2e){1,2}(?:\/|$)|\\|%2f|%5c/i.test(subpath);
  return climbs ? undefined : base + subpath;
}
