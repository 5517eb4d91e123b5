import { isRecord } from '@vitrine/project/is-record';
import { VitrineError } from '@vitrine/project';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { builderVersion, type ResolutionTable } from './lockfile/resolution-hash.ts';
import type { InstalledPackages } from './installed-packages.ts';
import type { PackageBuilder } from './build-packages.ts';
import type { TypesResponse } from './messages.ts';
import type { PackageStore } from './store/store.ts';

/**
 * Size limit of the declarations. Enough for three or MUI with their dependencies; more would be
 * too much for an editor.
 */
const filesMaxBytes = 24 * 1024 * 1024;
const packagesMax = 200;

interface TypesContext {
  readonly store: PackageStore;
  readonly writeCacheFile: (kind: string, key: string, content: Buffer) => Promise<void>;
  readonly packageBuilder: PackageBuilder;
  readonly findResolution: (hash: string) => Promise<ResolutionTable | undefined>;
  readonly installedPackages: InstalledPackages;
  /** Base URL of a package that the lockfile doesn't have, such as `@types/NAME`. */
  readonly resolveRange: (name: string, range: string) => Promise<string>;
}

/** Result of `collectTypes`. */
interface CollectedTypes {
  /** A TypesResponse as JSON. */
  readonly body: Buffer;
  /** False when `@types` packages are missing because the registry didn't respond. */
  readonly isComplete: boolean;
}

/**
 * Collects the type declarations of a package and of everything that it depends on. A package
 * without declarations gets those of `@types`, if they exist. A complete result is stored.
 */
export async function collectTypes(
  hash: string,
  resolution: ResolutionTable,
  context: TypesContext,
): Promise<CollectedTypes> {
  const kept = await context.store.readFile('types', hash);
  if (kept !== undefined) return { body: kept, isComplete: true };
  const files = new Map<string, string>();
  const { packages, isWhole } = await listPackages(resolution, context);
  for (const item of packages) await addDeclarations(item, files, context);
  const response: TypesResponse = { files: Object.fromEntries(files) };
  const body = Buffer.from(JSON.stringify(response));
  if (isWhole) await context.writeCacheFile('types', hash, body);
  return { body, isComplete: isWhole };
}

/**
 * The package, then its direct and indirect dependencies. Of several versions of a package, the
 * nearest.
 */
async function listPackages(start: ResolutionTable, context: TypesContext) {
  const byName = new Map<string, ResolutionTable>([[start.name, start]]);
  const own = await readDeclarations(start, context);
  const added = own.size > 1 ? [] : await findTypesPackages(start, context);
  for (const resolution of added ?? []) byName.set(resolution.name, resolution);
  // Iterating over a Map includes the entries that are added meanwhile.
  for (const resolution of byName.values()) {
    for (const target of Object.values(resolution.dependencies)) {
      const other = target === null ? undefined : await context.findResolution(parseHash(target));
      if (other === undefined || byName.has(other.name) || byName.size >= packagesMax) continue;
      byName.set(other.name, other);
    }
  }
  return { packages: [...byName.values()], isWhole: added !== undefined };
}

/**
 * Finds `@types/a__b` for `@a/b`, of the same major version if possible, installed or from the
 * registry. Empty when there is none; undefined when the registry didn't respond.
 */
async function findTypesPackages(
  { name, version }: ResolutionTable,
  context: TypesContext,
): Promise<readonly ResolutionTable[] | undefined> {
  if (name.startsWith('@types/')) return [];
  const types = `@types/${name.replace(/^@/, '').replace('/', '__')}`;
  const major = version.split('.')[0] ?? 'latest';
  const installed = await listInstalled(types, major, context);
  if (installed.length > 0) return installed;
  for (const range of [major, 'latest']) {
    const base = await context.resolveRange(types, range).catch(convertToMissing);
    if (base === undefined) return undefined;
    const resolution = base === null ? undefined : await context.findResolution(parseHash(base));
    if (resolution) return [resolution];
  }
  return [];
}

/** Installed package with its dependencies. Empty when it isn't installed in this major version. */
async function listInstalled(
  name: string,
  major: string | undefined,
  context: TypesContext,
): Promise<ResolutionTable[]> {
  const text = await context.installedPackages.findPackument(name);
  const document: unknown = text && JSON.parse(text.toString());
  const versions = isRecord(document) && isRecord(document['versions']) ? document['versions'] : {};
  const found = Object.entries(versions).find(
    ([version]) => major === undefined || version.split('.')[0] === major,
  );
  if (!found || !isRecord(found[1]) || !isRecord(found[1]['dist'])) return [];
  const [version, { dist, dependencies }] = found;
  const resolution = {
    builder: builderVersion,
    mode: 'development',
    name,
    version,
    integrity: String(dist['integrity']),
    dependencies: {},
  } as const;
  const names = isRecord(dependencies) ? Object.keys(dependencies) : [];
  const others = await Promise.all(names.map((each) => listInstalled(each, undefined, context)));
  return [resolution, ...others.flat()];
}

/**
 * Rejection handler: null for a package that doesn't exist, which may be cached; undefined when the
 * registry didn't respond.
 */
function convertToMissing(error: unknown): null | undefined {
  const code = error instanceof VitrineError ? error.code : undefined;
  if (code === 'package_not_found' || code === 'package_version_not_found') return null;
  if (code === 'registry_unreachable') return undefined;
  throw error;
}

function parseHash(target: string): string {
  return target.slice(target.lastIndexOf('~') + 1);
}

async function addDeclarations(
  resolution: ResolutionTable,
  files: Map<string, string>,
  context: TypesContext,
): Promise<void> {
  const found = await readDeclarations(resolution, context);
  if (found.size < 2) return;
  let bytes = [...files.values()].reduce((sum, text) => sum + text.length, 0);
  for (const [path, text] of found) {
    bytes += text.length;
    if (bytes > filesMaxBytes) return;
    files.set(`/node_modules/${resolution.name}/${path}`, text);
  }
}

/**
 * Declarations of a package by their paths, and the fields of its package.json that say where they
 * are.
 */
async function readDeclarations(
  resolution: ResolutionTable,
  { packageBuilder }: TypesContext,
): Promise<Map<string, string>> {
  const folder = await packageBuilder.unpack(resolution);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && /\.d\.(?:[cm]?ts|[^/]+\.ts)$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .toSorted();
  const files = new Map([['package.json', await readManifest(folder)]]);
  for (const path of paths) files.set(path, await readFile(join(folder, path), 'utf8'));
  return files;
}

const manifestFields = [
  'name',
  'version',
  'type',
  'main',
  'types',
  'typings',
  'typesVersions',
  'exports',
];

async function readManifest(folder: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  if (!isRecord(manifest)) return '{}';
  const kept = manifestFields.filter((field) => Object.hasOwn(manifest, field));
  return JSON.stringify(Object.fromEntries(kept.map((field) => [field, manifest[field]])));
}
