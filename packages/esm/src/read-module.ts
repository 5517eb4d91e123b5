/** Modules as they are built, linked into a tree of packages, and not joined with others. */
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

export interface Builds extends Tables {
  readonly obtainer: Obtainer;
}

export interface Script {
  readonly text: string;
  /** The file of its source map. */
  readonly map?: string;
}

/** What an address (with `?names=` or not) would answer. Throws VitrineErrors. */
export async function readScript(address: string, builds: Builds): Promise<Script> {
  const { pathname, searchParams } = new URL(address, 'http://packages');
  const parsed = parsePackageAddress(pathname);
  if (parsed?.kind !== 'exact') throw new Error(`No address of a package: ${address}`);
  const placement = await findPlacement(parsed, builds);
  const { built, entry } = await findModule(parsed, placement, builds);
  const names = parseNames(searchParams.get('names'));
  if (names !== undefined && entry !== undefined) {
    return { text: namesModule(entry, moduleAddress(placement, parsed.path), names) };
  }
  const file = entry?.file ?? parsed.path;
  const text = await readLinked(built, file, placement, builds);
  return { text, map: join(built.folder, `${file}.map`) };
}

/** A chunk has no entry. */
async function findModule(address: ExactAddress, placement: Placement, builds: Builds) {
  return address.part === 'chunk'
    ? { built: await builds.obtainer.build(placement.table), entry: undefined }
    : findEntry(address, placement, builds);
}

const namesMax = 1_000;

/** What may follow `?names=`: identifiers, each as it would stand in an import. */
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

export async function findEntry(
  address: ExactAddress,
  { table }: Placement,
  { obtainer }: Builds,
): Promise<{ built: BuiltPackage; entry: BuiltEntry }> {
  if (address.part === 'worker') {
    return requireEntry(await obtainer.build(table, { worker: address.path }), '.', address);
  }
  const common = await buildCommon(address, table, obtainer);
  if (common !== undefined && Object.hasOwn(common.manifest.entries, address.path)) {
    return requireEntry(common, address.path, address);
  }
  const own = await obtainer.build(table, { subpath: address.path });
  return requireEntry(own, address.path, address);
}

/** A package whose main module cannot be built may still have subpaths that can. */
async function buildCommon(
  address: ExactAddress,
  table: Placement['table'],
  obtainer: Obtainer,
): Promise<BuiltPackage | undefined> {
  try {
    return await obtainer.build(table);
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

/** True when a package is not as it would have to be, so that asking again will not help. */
export function isOfBuild(error: unknown): boolean {
  return error instanceof VitrineError && buildFailures.has(error.code);
}

function requireEntry(built: BuiltPackage, path: string, address: ExactAddress) {
  const { entries } = built.manifest;
  const entry = Object.hasOwn(entries, path) ? entries[path] : Object.values(entries)[0];
  if (entry === undefined) {
    throw new VitrineError('package_subpath_not_found', `${address.name}${address.path.slice(1)}`);
  }
  return { built, entry };
}

/** A built module with its placeholders replaced by what they mean at this placement. */
export async function readLinked(
  built: BuiltPackage,
  file: string,
  placement: Placement,
  builds: Builds,
): Promise<string> {
  const module = ownModule(built, file);
  if (module === undefined) {
    throw new VitrineError('package_subpath_not_found', `${placement.table.name}/${file}`);
  }
  const text = await readFile(join(built.folder, file), 'utf8');
  const entries = await findEntries(module, placement, builds);
  return linkModule(text, module.placeholders, {
    base: placement.base,
    builtins: builtinsAddress,
    findBase: (name) => baseOf(placement, name),
    findUndeclared: (name) => undeclaredBase(placement, name),
    findEntry: (specifier) => entries.get(specifier),
  });
}

export function ownModule({ manifest }: BuiltPackage, file: string): BuiltModule | undefined {
  return Object.hasOwn(manifest.modules, file) ? manifest.modules[file] : undefined;
}

/**
 * What the modules are that this one takes names from. Their packages are built for that, which the
 * browser is about to ask for anyway; one that cannot be built is linked without being known.
 */
async function findEntries(
  { placeholders }: BuiltModule,
  placement: Placement,
  builds: Builds,
): Promise<Map<string, BuiltEntry>> {
  const wanted = placeholders.flatMap(({ specifier, statement, members }) =>
    specifier === undefined || (statement ?? members) === undefined ? [] : [specifier],
  );
  const found = new Map<string, BuiltEntry>();
  await Promise.all(
    [...new Set(wanted)].map(async (specifier) => {
      const foreign = await findForeign(specifier, placement, builds);
      const entry = foreign && (await describeForeign(foreign, builds).catch(unlessOurs));
      if (entry !== undefined) found.set(specifier, entry);
    }),
  );
  return found;
}

async function describeForeign({ placement: { table }, path }: ForeignModule, builds: Builds) {
  const common = await builds.obtainer.build(table);
  const own = entryAt(common, path)
    ? common
    : await builds.obtainer.build(table, { subpath: path });
  return entryAt(own, path);
}

export function entryAt({ manifest }: BuiltPackage, path: string): BuiltEntry | undefined {
  return Object.hasOwn(manifest.entries, path) ? manifest.entries[path] : undefined;
}

function unlessOurs(error: unknown): undefined {
  if (!(error instanceof VitrineError)) throw error;
}
