import { isRecord } from '@vitrine/project/is-record';
import type Arborist from '@npmcli/arborist';
import { limits, VitrineError } from '@vitrine/project';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isExactVersion, isPackageName } from '../lockfile/lockfile.ts';
import { normalizeFields } from '../manifest-fields.ts';
import { areSpecsReadable, findUnreadableSpec } from './resolver-packument.ts';
import { describeConflict } from './explain-failure.ts';
import { parseProjectDependencies, type ProjectDependencies } from './package-specs.ts';

/** Reads a packument in the form that `toResolverPackument` returns. */
export type ReadResolverPackument = (name: string) => Promise<unknown>;

/**
 * Invalid registry host: the resolver reads packuments from its cache and never sends a request.
 */
const invalidRegistry = 'https://registry.invalid/';

/**
 * Resolves a package.json (and the current lockfile) to the text of a package-lock.json of version
 * 3, with npm's own resolver. Nothing is unpacked or run.
 *
 * @throws VitrineError
 */
export async function resolveTree(options: {
  manifest: Readonly<Record<string, unknown>>;
  lockfile: string | undefined;
  /** Packages to update to the newest version within their ranges. */
  update: readonly string[];
  readDocument: ReadResolverPackument;
}): Promise<string> {
  const dependencies = parseProjectDependencies(options.manifest);
  const requested = new Set<string>();
  // Loading takes half a second, which processes that only look up tarballs don't need.
  const { default: Resolver } = await import('@npmcli/arborist');
  const temporaryFolder = await mkdtemp(join(tmpdir(), 'vitrine-resolve-'));
  try {
    const folder = join(temporaryFolder, 'project');
    await writeProject(folder, dependencies, options.lockfile);
    const names = [...options.update];
    const tree = await new Resolver({
      path: folder,
      registry: invalidRegistry,
      packumentCache: createPacoteCache(options.readDocument, requested),
      allowGit: 'none',
      allowRemote: 'none',
      allowFile: 'none',
      allowDirectory: 'none',
      workspacesEnabled: false,
      lockfileVersion: 3,
      omitLockfileRegistryResolved: true,
      audit: false,
    } as Arborist.Options).buildIdealTree(names.length > 0 ? { update: { names } } : {});
    return finishLock(tree);
  } catch (error) {
    if (error instanceof TooManyPackages) {
      const heaviest = await findHeaviest(dependencies, requested, options.readDocument);
      throw new VitrineError('too_many_packages', heaviest, { cause: error });
    }
    throw convertError(error);
  } finally {
    await rm(temporaryFolder, { recursive: true, force: true });
  }
}

/**
 * Writes the files that the resolver reads. They contain only validated parts of the project's
 * files.
 */
async function writeProject(
  folder: string,
  dependencies: ProjectDependencies,
  lockfile: string | undefined,
): Promise<void> {
  await mkdir(folder);
  const manifest = { name: 'project', ...dependencies };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const keptEntries = lockfile === undefined ? undefined : readKeptEntries(lockfile);
  if (keptEntries === undefined) return;
  const text = { name: 'project', lockfileVersion: 3, requires: true, packages: keptEntries };
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(text));
}

const keptFields = [
  'name',
  'version',
  'integrity',
  'dev',
  'optional',
  'devOptional',
  'peer',
  'license',
  'deprecated',
  'engines',
  'funding',
  'hasInstallScript',
  'os',
  'cpu',
  'libc',
  'bin',
  'dependencies',
  'optionalDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
] as const;

/** Entries of a lockfile that may be kept: registry packages with their integrity. */
function readKeptEntries(lockfile: string): Record<string, unknown> | undefined {
  const packages = parsePackages(lockfile);
  if (packages === undefined) return undefined;
  const entries = Object.entries(packages).filter(
    ([path, fields]) => path.startsWith('node_modules/') && isRecord(fields),
  );
  if (entries.length > limits.lockfilePackages) return undefined;
  const own = packages[''];
  const root = isRecord(own) && hasReadableDependencies(own) ? pick(own, keptFields) : {};
  const kept = entries.flatMap(([path, fields]) =>
    isRecord(fields) && canKeep(path, fields) ? [[path, pick(fields, keptFields)]] : [],
  );
  return { '': root, ...Object.fromEntries(kept) };
}

function parsePackages(lockfile: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(lockfile);
    if (!isRecord(value)) return undefined;
    return isRecord(value['packages']) ? value['packages'] : undefined;
  } catch (error) {
    // A lockfile that can't be parsed is recreated.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function canKeep(path: string, fields: Readonly<Record<string, unknown>>): boolean {
  const { name, version, integrity, link, inBundle } = fields;
  const own = typeof name === 'string' ? name : path.replace(/^.*node_modules\//, '');
  const hasValidPath = path
    .split('/node_modules/')
    .every((part, index) =>
      isPackageName(index === 0 ? part.replace(/^node_modules\//, '') : part),
    );
  return (
    link !== true &&
    inBundle !== true &&
    hasValidPath &&
    isPackageName(own) &&
    typeof version === 'string' &&
    isExactVersion(version) &&
    typeof integrity === 'string' &&
    hasReadableDependencies(fields)
  );
}

function hasReadableDependencies(fields: Readonly<Record<string, unknown>>): boolean {
  const { dependencies, optionalDependencies, peerDependencies } = fields;
  return [dependencies, optionalDependencies, peerDependencies].every(areSpecsReadable);
}

function pick(
  fields: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  return normalizeFields(
    Object.fromEntries(
      names.filter((name) => Object.hasOwn(fields, name)).map((name) => [name, fields[name]]),
    ),
  );
}

/**
 * Cache for npm's HTTP client pacote, which looks up keys like
 * `full:https://registry.invalid/@scope%2fname` before it sends a request. This cache has every
 * packument, and adds the names that are looked up to `requested`.
 */
function createPacoteCache(readDocument: ReadResolverPackument, requested: Set<string>) {
  return {
    has: () => true,
    get: (key: string) => {
      const name = decodeURIComponent(
        key.slice(key.indexOf(invalidRegistry) + invalidRegistry.length),
      );
      requested.add(name);
      if (requested.size > limits.lockfilePackages) throw new TooManyPackages();
      const unreadableSpec = findUnreadableSpec(name);
      if (unreadableSpec !== undefined)
        throw new VitrineError('package_spec_invalid', unreadableSpec);
      return readDocument(name);
    },
    set: () => undefined,
    delete: () => undefined,
  };
}

function finishLock(tree: Arborist.Node): string {
  const text = String(tree.meta);
  const packageCount = tree.inventory.size - 1;
  if (packageCount > limits.lockfilePackages) {
    throw new TooManyPackages();
  }
  return text;
}

/** The tree has more packages than a project may have. */
class TooManyPackages extends Error {
  override name = 'TooManyPackages';
}

/** Finds the direct dependency with most packages below it, among those that were looked up. */
async function findHeaviest(
  { dependencies, devDependencies, optionalDependencies, peerDependencies }: ProjectDependencies,
  requested: ReadonlySet<string>,
  readDocument: ReadResolverPackument,
): Promise<string> {
  const below = new Map<string, readonly string[]>();
  for (const name of requested)
    if (findUnreadableSpec(name) === undefined)
      below.set(name, listLatestDependencies(await readDocument(name)));
  const countBelow = (name: string): number => {
    const found = new Set([name]);
    for (const each of found) for (const next of below.get(each) ?? []) found.add(next);
    return found.size;
  };
  const direct = Object.keys({
    ...dependencies,
    ...devDependencies,
    ...optionalDependencies,
    ...peerDependencies,
  });
  const counted = direct.map((name) => ({ name, count: countBelow(name) }));
  return counted.toSorted((a, b) => b.count - a.count)[0]?.name ?? '';
}

/** Names of the dependencies of a packument's latest version. */
function listLatestDependencies(document: unknown): string[] {
  if (!isRecord(document) || !isRecord(document['versions'])) return [];
  const { 'dist-tags': tags, versions } = document;
  const latest = isRecord(tags) ? tags['latest'] : undefined;
  const version = typeof latest === 'string' ? versions[latest] : undefined;
  if (!isRecord(version)) return [];
  return ['dependencies', 'peerDependencies'].flatMap((field) =>
    isRecord(version[field]) ? Object.keys(version[field]) : [],
  );
}

const refusedSources = new Set([
  'EALLOWGIT',
  'EALLOWREMOTE',
  'EALLOWFILE',
  'EALLOWDIRECTORY',
  'EUNSUPPORTEDPROTOCOL',
]);

/** Converts npm's errors to VitrineErrors. */
function convertError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof VitrineError || !('code' in error)) {
    return error;
  }
  const { code } = error;
  if (code === 'ERESOLVE') {
    return new VitrineError('package_conflict', describeConflict(error), { cause: error });
  }
  if (code === 'ETARGET')
    return new VitrineError('package_version_not_found', describeTarget(error));
  // The error lists the platforms that the package runs on.
  if (code === 'EBADPLATFORM')
    return new VitrineError('package_node_only', describePlatform(error));
  if (code === 'EOVERRIDE') return new VitrineError('package_json_invalid', error.message);
  if (typeof code === 'string' && refusedSources.has(code)) {
    return new VitrineError('package_source_refused', describeSource(error), { cause: error });
  }
  if (code === 'EINVALIDPACKAGENAME' || code === 'EINVALIDTAGNAME') {
    return new VitrineError('package_spec_invalid', error.message.slice(0, 200));
  }
  return error;
}

/** Package and range that no version satisfies: `three@^99`. */
function describeTarget(error: Error): string {
  // npm-pick-manifest sets the error's `name` to the package name.
  const wanted = 'wanted' in error ? text(error.wanted) : '?';
  return `${text(error.name)}@${wanted}`;
}

/** Dependency that is rejected: `three@github:mrdoob/three.js`. */
function describeSource(error: Error): string {
  const wanted = 'package' in error ? error.package : 'wanted' in error ? error.wanted : undefined;
  return (typeof wanted === 'string' ? wanted : error.message).slice(0, 200);
}

/** `fsevents@2.3.3 (darwin)`. */
function describePlatform(error: Error): string {
  const { os, cpu, libc } = 'required' in error && isRecord(error.required) ? error.required : {};
  const systems = [os, cpu, libc].flat().filter((item) => typeof item === 'string');
  const name = 'pkgid' in error ? text(error.pkgid) : '?';
  return `${name} (${systems.join(', ').slice(0, 100)})`;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 100) : '?';
}
