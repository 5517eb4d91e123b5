import { builderGeneration, VitrineError, type LinkTable } from '@vitrine/project';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { InstalledPackages } from './installed.ts';
import type { Obtainer } from './obtain.ts';
import type { PackageStore } from './store.ts';
import { isRecord } from './specs.ts';

/** Enough for three or MUI, with what they bring along; past it an editor would choke. */
const filesMaxBytes = 24 * 1024 * 1024;
const packagesMax = 200;

interface TypesContext {
  readonly store: PackageStore;
  readonly keepFile: (kind: string, key: string, content: Buffer) => Promise<void>;
  readonly obtainer: Obtainer;
  readonly findTable: (link: string) => Promise<LinkTable | undefined>;
  readonly installedPackages: InstalledPackages;
  /** The base of a package that the lock does not have, such as `@types/NAME`. */
  readonly findRange: (name: string, wish: string) => Promise<string>;
}

export interface CollectedTypes {
  readonly body: Buffer;
  /** False where the registry could not be asked for those of `@types`. */
  readonly isWhole: boolean;
}

/**
 * `{"files": {"/node_modules/three/package.json": "…", …}}`: the declarations of a package and of
 * everything it depends on, laid out as TypeScript looks for them. Of packages that bring none,
 * those of `@types`, where there are some. Kept in the store once whole.
 */
export async function collectTypes(
  link: string,
  table: LinkTable,
  context: TypesContext,
): Promise<CollectedTypes> {
  const kept = await context.store.readFile('types', link);
  if (kept !== undefined) return { body: kept, isWhole: true };
  const files = new Map<string, string>();
  const { packages, isWhole } = await listPackages(table, context);
  for (const item of packages) await addDeclarations(item, files, context);
  const body = Buffer.from(JSON.stringify({ files: Object.fromEntries(files) }));
  if (isWhole) await context.keepFile('types', link, body);
  return { body, isWhole };
}

/** The package first, then what it reaches; of several versions of one, the nearest. */
async function listPackages(start: LinkTable, context: TypesContext) {
  const byName = new Map<string, LinkTable>([[start.name, start]]);
  const own = await readDeclarations(start, context);
  const added = own.size > 1 ? [] : await findTypesPackages(start, context);
  for (const table of added ?? []) byName.set(table.name, table);
  // A Map goes on with what is added while it is walked.
  for (const table of byName.values()) {
    for (const target of Object.values(table.dependencies)) {
      const other = target === null ? undefined : await context.findTable(linkOf(target));
      if (other === undefined || byName.has(other.name) || byName.size >= packagesMax) continue;
      byName.set(other.name, other);
    }
  }
  return { packages: [...byName.values()], isWhole: added !== undefined };
}

/**
 * `@types/a__b` for `@a/b`, of the same major version if it exists, as it came with the installation
 * or as the registry has it. None where nobody has any; undefined where the registry does not say.
 */
async function findTypesPackages(
  { name, version }: LinkTable,
  context: TypesContext,
): Promise<readonly LinkTable[] | undefined> {
  if (name.startsWith('@types/')) return [];
  const types = `@types/${name.replace(/^@/, '').replace('/', '__')}`;
  const major = version.split('.')[0] ?? 'latest';
  const installed = await listInstalled(types, major, context);
  if (installed.length > 0) return installed;
  for (const wish of [major, 'latest']) {
    const base = await context.findRange(types, wish).catch(toAbsence);
    if (base === undefined) return undefined;
    const table = base === null ? undefined : await context.findTable(linkOf(base));
    if (table) return [table];
  }
  return [];
}

/** A package that came with the installation, and those it depends on; none of another major version. */
async function listInstalled(
  name: string,
  major: string | undefined,
  context: TypesContext,
): Promise<LinkTable[]> {
  const text = await context.installedPackages.describe(name);
  const document: unknown = text && JSON.parse(text.toString());
  const versions = isRecord(document) && isRecord(document['versions']) ? document['versions'] : {};
  const found = Object.entries(versions).find(
    ([version]) => major === undefined || version.split('.')[0] === major,
  );
  if (!found || !isRecord(found[1]) || !isRecord(found[1]['dist'])) return [];
  const [version, { dist, dependencies }] = found;
  const table = {
    builder: builderGeneration,
    mode: 'development',
    name,
    version,
    integrity: String(dist['integrity']),
    dependencies: {},
  } as const;
  const names = isRecord(dependencies) ? Object.keys(dependencies) : [];
  const others = await Promise.all(names.map((each) => listInstalled(each, undefined, context)));
  return [table, ...others.flat()];
}

/** That there are none is kept; that the registry did not answer is not. */
function toAbsence(error: unknown): null | undefined {
  const code = error instanceof VitrineError ? error.code : undefined;
  if (code === 'package_not_found' || code === 'package_version_not_found') return null;
  if (code === 'registry_unreachable') return undefined;
  throw error;
}

function linkOf(target: string): string {
  return target.slice(target.lastIndexOf('~') + 1);
}

async function addDeclarations(
  table: LinkTable,
  files: Map<string, string>,
  context: TypesContext,
): Promise<void> {
  const found = await readDeclarations(table, context);
  if (found.size < 2) return;
  let bytes = [...files.values()].reduce((sum, text) => sum + text.length, 0);
  for (const [path, text] of found) {
    bytes += text.length;
    if (bytes > filesMaxBytes) return;
    files.set(`/node_modules/${table.name}/${path}`, text);
  }
}

/** A package's declarations by their paths, and what of its package.json tells where they are. */
async function readDeclarations(
  table: LinkTable,
  { obtainer }: TypesContext,
): Promise<Map<string, string>> {
  const folder = await obtainer.unpack(table);
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
