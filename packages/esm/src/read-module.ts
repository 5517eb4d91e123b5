/** Modules as they were built, linked into a tree of packages, without bundling. */
import { VitrineError, type ErrorCode } from '@vitrine/project';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parsePackageAddress, type ExactAddress } from './address.ts';
import type { BuiltEntry, BuiltModule } from './build/manifest.ts';
import { builtinsAddress } from './builtins.ts';
import { linkModule, namesModule } from './link.ts';
import type { BuiltPackage, Obtainer } from './obtain.ts';
import { baseOf, findForeign, findPlacement, moduleAddress, undeclaredBase } from './placement.ts';
import type { ForeignModule, Placement, Tables } from './placement.ts';

/** Access to resolutions and builds, for reading modules. */
export interface Builds extends Tables {
  readonly obtainer: Obtainer;
}

/** Text of a module as it is served. */
export interface Script {
  readonly text: string;
  /** File of its source map. */
  readonly map?: string;
}

/**
 * Text that the server would send for a module URL (with or without `?names=`). Throws
 * VitrineErrors.
 */
export async function readScript(address: string, builds: Builds): Promise<Script> {
  const { pathname, searchParams } = new URL(address, 'http://packages');
  const parsed = parsePackageAddress(pathname);
  if (parsed?.kind !== 'exact') throw new Error(`Not a package URL: ${address}`);
  const served = await findPlacement(parsed, builds);
  const { built, entry } = await findModule(parsed, served, builds);
  const names = parseNames(searchParams.get('names'));
  if (names !== undefined && entry !== undefined) {
    return { text: namesModule(entry, moduleAddress(served, parsed.path), names) };
  }
  const file = entry?.file ?? parsed.path;
  const text = await readLinked(built, file, served, builds);
  return { text, map: join(built.folder, `${file}.map`) };
}

/** Build and entry of a module. A chunk has no entry. */
async function findModule(address: ExactAddress, served: Placement, builds: Builds) {
  return address.part === 'chunk'
    ? { built: await builds.obtainer.build(served.table), entry: undefined }
    : findEntry(address, served, builds);
}

const namesMax = 1_000;

/**
 * Parses the value of `?names=`: identifiers that could be imported by name, without duplicates,
 * sorted.
 *
 * @throws VitrineError `bad_request`.
 */
export function parseNames(text: string | null): string[] | undefined {
  if (text === null) return undefined;
  const names = [...new Set(text.split(','))].filter((name) => name !== '' && name !== 'default');
  const wrong = names.find(
    (name) => !/^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u.test(name),
  );
  if (wrong !== undefined || names.length > namesMax) {
    throw new VitrineError('bad_request', 'names');
  }
  return names.toSorted();
}

/** Build and entry of the module at a URL, built if necessary. Throws what building throws. */
export async function findEntry(
  address: ExactAddress,
  { table }: Placement,
  { obtainer }: Builds,
): Promise<{ built: BuiltPackage; entry: BuiltEntry }> {
  if (address.part === 'worker') {
    return getEntryOrFirst(await obtainer.build(table, { worker: address.path }), '.', address);
  }
  const common = await buildCommon(address, table, obtainer);
  if (common !== undefined && Object.hasOwn(common.manifest.entries, address.path)) {
    return getEntryOrFirst(common, address.path, address);
  }
  const own = await obtainer.build(table, { subpath: address.path });
  return getEntryOrFirst(own, address.path, address);
}

/**
 * Common build of a package. Undefined when it failed but a subpath was requested, because a
 * package whose main module can't be built may still have subpaths that can.
 */
async function buildCommon(
  address: ExactAddress,
  resolution: Placement['table'],
  packageBuilder: Obtainer,
): Promise<BuiltPackage | undefined> {
  try {
    return await packageBuilder.build(resolution);
  } catch (error) {
    if (!isOfBuild(error) || address.path === '.') throw error;
    return undefined;
  }
}

const buildFailures: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'package_build_failed',
  'package_node_only',
  'package_subpath_not_found',
]);

/** Whether a build failed because of the package's content, so that a retry won't help. */
export function isOfBuild(error: unknown): boolean {
  return error instanceof VitrineError && buildFailures.has(error.code);
}

function getEntryOrFirst(built: BuiltPackage, path: string, address: ExactAddress) {
  const { entries } = built.manifest;
  const entry = Object.hasOwn(entries, path) ? entries[path] : Object.values(entries)[0];
  if (entry === undefined) {
    throw new VitrineError('package_subpath_not_found', `${address.name}${address.path.slice(1)}`);
  }
  return { built, entry };
}

/** Text of a built module with its placeholders replaced. */
export async function readLinked(
  built: BuiltPackage,
  file: string,
  served: Placement,
  builds: Builds,
): Promise<string> {
  const module = ownModule(built, file);
  if (module === undefined) {
    throw new VitrineError('package_subpath_not_found', `${served.table.name}/${file}`);
  }
  const text = await readFile(join(built.folder, file), 'utf8');
  const entries = await findEntries(module, served, builds);
  return linkModule(text, module.placeholders, {
    base: served.base,
    builtins: builtinsAddress,
    findBase: (name) => baseOf(served, name),
    findUndeclared: (name) => undeclaredBase(served, name),
    findEntry: (specifier) => entries.get(specifier),
  });
}

/** Output file of a build; undefined when the build has no such file. */
export function ownModule({ manifest }: BuiltPackage, file: string): BuiltModule | undefined {
  return Object.hasOwn(manifest.modules, file) ? manifest.modules[file] : undefined;
}

/**
 * Entries of the modules that this module imports names from. Their packages are built for this;
 * the browser is about to request them anyway. A module that can't be built has no entry.
 */
async function findEntries(
  { placeholders }: BuiltModule,
  served: Placement,
  builds: Builds,
): Promise<Map<string, BuiltEntry>> {
  const specifiers = placeholders.flatMap(({ specifier, statement, members }) =>
    specifier === undefined || (statement ?? members) === undefined ? [] : [specifier],
  );
  const found = new Map<string, BuiltEntry>();
  await Promise.all(
    [...new Set(specifiers)].map(async (specifier) => {
      const external = await findForeign(specifier, served, builds);
      const entry =
        external && (await findExternalEntry(external, builds).catch(ignoreVitrineErrors));
      if (entry !== undefined) found.set(specifier, entry);
    }),
  );
  return found;
}

async function findExternalEntry({ placement: { table }, path }: ForeignModule, builds: Builds) {
  const common = await builds.obtainer.build(table);
  const own = entryAt(common, path)
    ? common
    : await builds.obtainer.build(table, { subpath: path });
  return entryAt(own, path);
}

/** Entry of a build by subpath (`.`, `./client`); undefined when the build has no such entry. */
export function entryAt({ manifest }: BuiltPackage, path: string): BuiltEntry | undefined {
  return Object.hasOwn(manifest.entries, path) ? manifest.entries[path] : undefined;
}

function ignoreVitrineErrors(error: unknown): undefined {
  if (!(error instanceof VitrineError)) throw error;
}
