/** Modules as they were built, linked into a tree of packages, without bundling. */
import { VitrineError, type ErrorCode } from '@vitrine/project';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parsePackageUrl, type ExactUrl } from './package-url.ts';
import type { BuiltEntry, BuiltModule } from './build/manifest.ts';
import { builtinsBase } from './builtins.ts';
import { linkModule, writeNamesModule } from './link-module.ts';
import type { BuiltPackage, PackageBuilder } from './build-packages.ts';
import {
  findDependencyBase,
  resolveExternal,
  findServedPackage,
  getModuleUrl,
  findUndeclaredBase,
} from './served-package.ts';
import type { ExternalModule, ServedPackage, ResolutionLookup } from './served-package.ts';

/** Access to resolutions and builds, for reading modules. */
export interface BuildContext extends ResolutionLookup {
  readonly packageBuilder: PackageBuilder;
}

/** Text of a module as it is served. */
export interface ModuleText {
  readonly text: string;
  /** File of its source map. */
  readonly map?: string;
}

/**
 * Text that the server would send for a module URL (with or without `?names=`). Throws
 * VitrineErrors.
 */
export async function readModuleText(url: string, builds: BuildContext): Promise<ModuleText> {
  const { pathname, searchParams } = new URL(url, 'http://packages');
  const parsed = parsePackageUrl(pathname);
  if (parsed?.kind !== 'exact') throw new Error(`Not a package URL: ${url}`);
  const served = await findServedPackage(parsed, builds);
  const { built, entry } = await findModule(parsed, served, builds);
  const names = parseNames(searchParams.get('names'));
  if (names !== undefined && entry !== undefined) {
    return { text: writeNamesModule(entry, getModuleUrl(served, parsed.path), names) };
  }
  const file = entry?.file ?? parsed.path;
  const text = await readLinkedModule(built, file, served, builds);
  return { text, map: join(built.folder, `${file}.map`) };
}

/** Build and entry of a module. A chunk has no entry. */
async function findModule(packageUrl: ExactUrl, served: ServedPackage, builds: BuildContext) {
  return packageUrl.part === 'chunk'
    ? { built: await builds.packageBuilder.build(served.resolution), entry: undefined }
    : getEntry(packageUrl, served, builds);
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
export async function getEntry(
  packageUrl: ExactUrl,
  { resolution }: ServedPackage,
  { packageBuilder }: BuildContext,
): Promise<{ built: BuiltPackage; entry: BuiltEntry }> {
  if (packageUrl.part === 'worker') {
    return getEntryOrFirst(
      await packageBuilder.build(resolution, { worker: packageUrl.path }),
      '.',
      packageUrl,
    );
  }
  const common = await buildCommon(packageUrl, resolution, packageBuilder);
  if (common !== undefined && Object.hasOwn(common.manifest.entries, packageUrl.path)) {
    return getEntryOrFirst(common, packageUrl.path, packageUrl);
  }
  const own = await packageBuilder.build(resolution, { subpath: packageUrl.path });
  return getEntryOrFirst(own, packageUrl.path, packageUrl);
}

/**
 * Common build of a package. Undefined when it failed but a subpath was requested, because a
 * package whose main module can't be built may still have subpaths that can.
 */
async function buildCommon(
  packageUrl: ExactUrl,
  resolution: ServedPackage['resolution'],
  packageBuilder: PackageBuilder,
): Promise<BuiltPackage | undefined> {
  try {
    return await packageBuilder.build(resolution);
  } catch (error) {
    if (!isBuildFailure(error) || packageUrl.path === '.') throw error;
    return undefined;
  }
}

const buildFailures: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'package_build_failed',
  'package_node_only',
  'package_subpath_not_found',
]);

/** Whether a build failed because of the package's content, so that a retry won't help. */
export function isBuildFailure(error: unknown): boolean {
  return error instanceof VitrineError && buildFailures.has(error.code);
}

function getEntryOrFirst(built: BuiltPackage, path: string, packageUrl: ExactUrl) {
  const { entries } = built.manifest;
  const entry = Object.hasOwn(entries, path) ? entries[path] : Object.values(entries)[0];
  if (entry === undefined) {
    throw new VitrineError(
      'package_subpath_not_found',
      `${packageUrl.name}${packageUrl.path.slice(1)}`,
    );
  }
  return { built, entry };
}

/** Text of a built module with its placeholders replaced. */
export async function readLinkedModule(
  built: BuiltPackage,
  file: string,
  served: ServedPackage,
  builds: BuildContext,
): Promise<string> {
  const module = findBuiltModule(built, file);
  if (module === undefined) {
    throw new VitrineError('package_subpath_not_found', `${served.resolution.name}/${file}`);
  }
  const text = await readFile(join(built.folder, file), 'utf8');
  const entries = await findEntries(module, served, builds);
  return linkModule(text, module.placeholders, {
    base: served.base,
    builtins: builtinsBase,
    findBase: (name) => findDependencyBase(served, name),
    findUndeclared: (name) => findUndeclaredBase(served, name),
    findEntry: (specifier) => entries.get(specifier),
  });
}

/** Output file of a build; undefined when the build has no such file. */
export function findBuiltModule({ manifest }: BuiltPackage, file: string): BuiltModule | undefined {
  return Object.hasOwn(manifest.modules, file) ? manifest.modules[file] : undefined;
}

/**
 * Entries of the modules that this module imports names from. Their packages are built for this;
 * the browser is about to request them anyway. A module that can't be built has no entry.
 */
async function findEntries(
  { placeholders }: BuiltModule,
  served: ServedPackage,
  builds: BuildContext,
): Promise<Map<string, BuiltEntry>> {
  const specifiers = placeholders.flatMap(({ specifier, statement, members }) =>
    specifier === undefined || (statement ?? members) === undefined ? [] : [specifier],
  );
  const found = new Map<string, BuiltEntry>();
  await Promise.all(
    [...new Set(specifiers)].map(async (specifier) => {
      const external = await resolveExternal(specifier, served, builds);
      const entry =
        external && (await findExternalEntry(external, builds).catch(ignoreVitrineErrors));
      if (entry !== undefined) found.set(specifier, entry);
    }),
  );
  return found;
}

async function findExternalEntry(
  { served: { resolution }, path }: ExternalModule,
  builds: BuildContext,
) {
  const common = await builds.packageBuilder.build(resolution);
  const own = findBuiltEntry(common, path)
    ? common
    : await builds.packageBuilder.build(resolution, { subpath: path });
  return findBuiltEntry(own, path);
}

/** Entry of a build by subpath (`.`, `./client`); undefined when the build has no such entry. */
export function findBuiltEntry({ manifest }: BuiltPackage, path: string): BuiltEntry | undefined {
  return Object.hasOwn(manifest.entries, path) ? manifest.entries[path] : undefined;
}

function ignoreVitrineErrors(error: unknown): undefined {
  if (!(error instanceof VitrineError)) throw error;
}
