/*
 * Resolves a project's packages with one version of each singleton (`lockfile/singletons.ts`).
 *
 * When packages require several versions of a singleton, all of them get the version that the
 * project itself would import. It is written to package.json as npm's `overrides`, so that npm
 * does the same with the same files. A second copy under an alias (`"react17": "npm:react@17"`) is
 * allowed.
 */
import { isRecord } from '@vitrine/project/is-record';
import { VitrineError } from '@vitrine/project';
import semver from 'semver';
import { findDependencyRange } from '../resolve/edit-package-json.ts';
import { describeConflict } from '../resolve/explain-failure.ts';
import { mainPackageByPart, oneVersionPackages } from '../lockfile/singletons.ts';
import { resolveTree, type ReadResolverPackument } from '../resolve/resolve-tree.ts';

/** Packages that may only occur in one version, including parts. */
const singletonNames: ReadonlySet<string> = new Set([
  ...mainPackageByPart.keys(),
  ...oneVersionPackages,
]);

/**
 * Runs `resolveTree`, and repeats it with another override in `manifest` for each singleton that
 * has several versions in the tree.
 *
 * @param options.manifest The project's package.json, which is changed.
 * @returns Text of a package-lock.json.
 */
export async function resolveWithSingletons(options: {
  manifest: Record<string, unknown>;
  lockfile: string | undefined;
  update: readonly string[];
  readDocument: ReadResolverPackument;
}): Promise<string> {
  const { manifest } = options;
  const removed = new Set<string>();
  // Each round adds or removes an override that no earlier round did, so the loop ends.
  for (;;) {
    const { lockfile, duplicates, failure } = await tryResolve(options);
    const newDuplicates = [...duplicates].filter(([name]) => !hasOverride(manifest, name));
    // Parts are handled in a later round, after the version of their singleton is fixed.
    const pending = newDuplicates.filter(
      ([name]) => !newDuplicates.some(([other]) => other === mainPackageByPart.get(name)),
    );
    for (const [name, version] of pending) addOverride(manifest, name, version);
    if (pending.length > 0) continue;
    if (lockfile === undefined) throw failure;
    const entries = parseEntries(lockfile);
    const staleOverrides = findStaleOverrides(manifest, entries).filter(
      (name) => !removed.has(name),
    );
    if (staleOverrides.length === 0) {
      checkSingletonPeers(entries);
      return lockfile;
    }
    for (const name of staleOverrides) removeOverride(manifest, name);
    staleOverrides.forEach((name) => removed.add(name));
  }
}

/** Parts with an override to the version that their singleton had before. */
function findStaleOverrides(manifest: LockfileEntries, entries: LockfileEntries): string[] {
  const overrides = isRecord(manifest['overrides']) ? manifest['overrides'] : {};
  return [...mainPackageByPart].flatMap(([part, whole]) => {
    const overridden = overrides[part];
    const version = versionAtTop(entries, whole);
    const isStale =
      typeof overridden === 'string' &&
      semver.valid(overridden) !== null &&
      version !== undefined &&
      version !== overridden;
    return isStale ? [part] : [];
  });
}

async function tryResolve(options: Parameters<typeof resolveTree>[0]) {
  try {
    const lockfile = await resolveTree(options);
    return {
      lockfile,
      duplicates: findDuplicates(parseEntries(lockfile)),
      failure: undefined,
    };
  } catch (failure) {
    return { lockfile: undefined, duplicates: findConflictingSingleton(failure), failure };
  }
}

type LockfileEntries = Readonly<Record<string, unknown>>;

function parseEntries(text: string): LockfileEntries {
  const lockfile: unknown = JSON.parse(text);
  return isRecord(lockfile) && isRecord(lockfile['packages']) ? lockfile['packages'] : {};
}

/**
 * Singletons with several versions in the tree → version to use: that of the singleton they are
 * part of, or the one at the top of the tree.
 */
function findDuplicates(entries: LockfileEntries): Map<string, string> {
  const versions = new Map<string, Set<string>>();
  for (const [path, fields] of Object.entries(entries)) {
    const name = path.replace(/^.*node_modules\//, '');
    if (!singletonNames.has(name) || !isRecord(fields) || fields['name'] !== undefined) continue;
    versions.set(name, (versions.get(name) ?? new Set()).add(String(fields['version'])));
  }
  const duplicates = [...versions].filter(([, foundVersions]) => foundVersions.size > 1);
  return new Map(
    duplicates.map(
      ([name, foundVersions]) => [name, chooseVersion(entries, name, foundVersions)] as const,
    ),
  );
}

function chooseVersion(entries: LockfileEntries, name: string, found: ReadonlySet<string>): string {
  const ofWhole = versionAtTop(entries, mainPackageByPart.get(name) ?? name);
  if (ofWhole !== undefined && found.has(ofWhole)) return ofWhole;
  const [first = ''] = found;
  return versionAtTop(entries, name) ?? first;
}

function versionAtTop(entries: LockfileEntries, name: string): string | undefined {
  const fields = entries[`node_modules/${name}`];
  return isRecord(fields) && typeof fields['version'] === 'string' ? fields['version'] : undefined;
}

/**
 * Singleton that a version conflict is about, with the installed version. Not a conflict between
 * two singletons (react-dom and react).
 */
function findConflictingSingleton(failure: unknown): Map<string, string> {
  if (!(failure instanceof VitrineError) || failure.code !== 'package_conflict') return new Map();
  const { cause } = failure;
  if (!isRecord(cause) || !isRecord(cause['edge']) || !isRecord(cause['current'])) return new Map();
  const { name, from } = cause['edge'];
  const { version } = cause['current'];
  const dependent = isRecord(from) ? from['name'] : undefined;
  if (typeof name !== 'string' || !singletonNames.has(name) || typeof version !== 'string') {
    return new Map();
  }
  return typeof dependent === 'string' && singletonNames.has(dependent)
    ? new Map()
    : new Map([[name, version]]);
}

/**
 * Checks that no override separates singletons, such as react-dom, from the peers that they
 * require.
 *
 * @throws VitrineError `package_conflict`.
 */
function checkSingletonPeers(entries: LockfileEntries): void {
  for (const name of singletonNames) {
    const fields = entries[`node_modules/${name}`];
    const peers =
      isRecord(fields) && isRecord(fields['peerDependencies']) ? fields['peerDependencies'] : {};
    for (const [peer, range] of Object.entries(peers)) {
      const version = singletonNames.has(peer) ? versionAtTop(entries, peer) : undefined;
      if (version === undefined || typeof range !== 'string') continue;
      if (semver.satisfies(version, range, { includePrerelease: true, loose: true })) continue;
      const from = { name, version: versionAtTop(entries, name) };
      const conflict = {
        edge: { name: peer, spec: range, from },
        current: { name: peer, version, dependents: [{ spec: findOwnRange(entries, peer) }] },
      };
      throw new VitrineError('package_conflict', describeConflict(conflict), { cause: conflict });
    }
  }
}

/** The range of the project itself. Undefined if it has none. */
function findOwnRange(entries: LockfileEntries, name: string): unknown {
  const { dependencies } = isRecord(entries['']) ? entries[''] : {};
  return isRecord(dependencies) ? dependencies[name] : undefined;
}

function removeOverride(manifest: Record<string, unknown>, name: string): void {
  if (!isRecord(manifest['overrides'])) return;
  const others = Object.entries(manifest['overrides']).filter(([other]) => other !== name);
  if (others.length > 0) manifest['overrides'] = Object.fromEntries(others);
  else delete manifest['overrides'];
}

function hasOverride(manifest: LockfileEntries, name: string): boolean {
  return isRecord(manifest['overrides']) && Object.hasOwn(manifest['overrides'], name);
}

function addOverride(manifest: Record<string, unknown>, name: string, version: string): void {
  const range = findDependencyRange(manifest, name) === undefined ? version : `$${name}`;
  const overrides = isRecord(manifest['overrides']) ? manifest['overrides'] : {};
  manifest['overrides'] = { ...overrides, [name]: range };
}
