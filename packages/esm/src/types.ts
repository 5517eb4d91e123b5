import { VitrineError, type LinkTable } from '@vitrine/project';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Obtainer } from './obtain.ts';
import type { PackageStore } from './store.ts';
import { isRecord } from './specs.ts';

/** Enough for three or MUI, with what they bring along; past it an editor would choke. */
const filesMaxBytes = 24 * 1024 * 1024;
const packagesMax = 200;

interface TypesContext {
  readonly store: PackageStore;
  readonly obtainer: Obtainer;
  readonly findTable: (link: string) => Promise<LinkTable | undefined>;
  /** The base of a package that the lock does not have, such as `@types/NAME`. */
  readonly findRange: (name: string, wish: string) => Promise<string>;
}

/**
 * `{"files": {"/node_modules/three/package.json": "…", …}}`: the declarations of a package and of
 * everything it depends on, laid out as TypeScript looks for them. Of packages that bring none,
 * those of `@types`, where there are some. Kept in the store once made.
 */
export async function collectTypes(
  link: string,
  table: LinkTable,
  context: TypesContext,
): Promise<Buffer> {
  const kept = await context.store.readFile('types', link);
  if (kept !== undefined) return kept;
  const files = new Map<string, string>();
  for (const item of await listPackages(table, context)) {
    await addDeclarations(item, files, context);
  }
  const body = Buffer.from(JSON.stringify({ files: Object.fromEntries(files) }));
  await context.store.writeFile('types', link, body);
  return body;
}

/** The package first, then what it reaches; of several versions of one, the nearest. */
async function listPackages(start: LinkTable, context: TypesContext): Promise<LinkTable[]> {
  const byName = new Map<string, LinkTable>([[start.name, start]]);
  const own = await readDeclarations(start, context);
  const added = own.size > 1 ? undefined : await findTypesPackage(start, context);
  if (added !== undefined) byName.set(added.name, added);
  // A Map goes on with what is added while it is walked.
  for (const table of byName.values()) {
    for (const target of Object.values(table.dependencies)) {
      const other = target === null ? undefined : await context.findTable(linkOf(target));
      if (other === undefined || byName.has(other.name) || byName.size >= packagesMax) continue;
      byName.set(other.name, other);
    }
  }
  return [...byName.values()];
}

/** `@types/a__b` for `@a/b`, of the same major version if it exists. */
async function findTypesPackage(
  { name, version }: LinkTable,
  context: TypesContext,
): Promise<LinkTable | undefined> {
  if (name.startsWith('@types/')) return undefined;
  const types = `@types/${name.replace(/^@/, '').replace('/', '__')}`;
  for (const wish of [version.split('.')[0] ?? 'latest', 'latest']) {
    const base = await context.findRange(types, wish).catch(unlessAbsent);
    if (base !== undefined) return context.findTable(linkOf(base));
  }
  return undefined;
}

/** That there are none is kept; that the registry did not answer is not. */
function unlessAbsent(error: unknown): undefined {
  const isAbsent =
    error instanceof VitrineError &&
    (error.code === 'package_not_found' || error.code === 'package_version_not_found');
  if (!isAbsent) throw error;
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
