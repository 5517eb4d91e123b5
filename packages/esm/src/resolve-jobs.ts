import { isRecord } from './specs.ts';
import {
  isPackageName,
  linkTables,
  packageAddresses,
  readLock,
  VitrineError,
  type LinkTable,
  type PackageLock,
} from '@vitrine/project';
import {
  describePackage,
  findDist,
  findTagged,
  forResolver,
  type PackageDocument,
} from './package-document.ts';
import {
  changeWishes,
  findWish,
  formatPackageJson,
  parsePackageJson,
  setWish,
} from './package-json-text.ts';
import type { JobKind, Jobs, ReadLockResult, ResolvedPackage } from './resolve-protocol.ts';
import { resolveTree } from './resolve-tree.ts';
import { parseSpec } from './specs.ts';

export type ReadPackageDocument = (name: string) => Promise<PackageDocument>;

/** Does a job of the protocol, with documents from `read`. */
export async function runJob<Kind extends JobKind>(
  kind: Kind,
  input: Jobs[Kind]['input'],
  read: ReadPackageDocument,
): Promise<Jobs[Kind]['result']> {
  return jobs[kind](input, read);
}

type JobTable = {
  readonly [Kind in JobKind]: (
    input: Jobs[Kind]['input'],
    read: ReadPackageDocument,
  ) => Promise<Jobs[Kind]['result']>;
};

const jobs: JobTable = {
  resolve: resolveProject,
  async readLock({ lock }) {
    return describeLock(requireLock(lock));
  },
  async resolveOne({ name, wish, mode }, read) {
    const packageJson = JSON.stringify({ dependencies: { [name]: wish } });
    const result = await resolveProject({ packageJson }, read);
    const base = packageAddresses(requireLock(result.lock), mode).get(name);
    if (base === undefined) throw new VitrineError('package_version_not_found', `${name}@${wish}`);
    return { ...result, base };
  },
  async findDist({ name, version }, read) {
    return findDist(await read(name), version);
  },
  async describe({ name }, read) {
    return describePackage(await read(name));
  },
};

/**
 * Packages of which a page must have one copy, since they compare what they made themselves. Where
 * a project's packages want several versions, the project's own is taken for all of them, by npm's
 * `overrides` in its package.json, so that npm does the same with the files.
 */
const singles = new Set(['react', 'react-dom', 'vue', 'three', 'yjs', 'preact']);

async function resolveProject(
  request: Jobs['resolve']['input'],
  read: ReadPackageDocument,
): Promise<Jobs['resolve']['result']> {
  const before = parsePackageJson(request.packageJson);
  const added = (request.add ?? []).map(({ name }) => name);
  const update = [...added, ...(request.update ?? [])];
  checkNames([...update, ...(request.remove ?? [])]);
  const manifest = changeWishes(before, request);
  await pinTags(manifest, added, read);
  const lock = await resolveSingly(manifest, request.lock, update, read);
  const isChanged = JSON.stringify(manifest) !== JSON.stringify(before);
  return {
    packageJson: isChanged ? formatPackageJson(manifest, request.packageJson) : request.packageJson,
    lock,
    ...describeLock(requireLock(lock)),
  };
}

function checkNames(names: readonly string[]): void {
  const wrong = names.find((name) => !isPackageName(name));
  if (wrong !== undefined) throw new VitrineError('package_spec_invalid', wrong.slice(0, 214));
}

/** Resolves, and again with one more override for each single that would come twice. */
async function resolveSingly(
  manifest: Record<string, unknown>,
  lock: string | undefined,
  update: readonly string[],
  read: ReadPackageDocument,
): Promise<string> {
  const readDocument = async (name: string) => forResolver(await read(name));
  for (let round = 0; ; round++) {
    const doubled = new Map<string, string>();
    let text = '';
    try {
      text = await resolveTree({ manifest, lock, update, readDocument });
      for (const [name, version] of findDoubled(text)) doubled.set(name, version);
    } catch (error) {
      const single = findConflictingSingle(error);
      if (single === undefined) throw error;
      doubled.set(...single);
    }
    const isNew = [...doubled.keys()].some((name) => !hasOverride(manifest, name));
    if (!isNew || round === singles.size) {
      if (text !== '') return text;
      throw new VitrineError('package_conflict', [...doubled.keys()].join(', '));
    }
    for (const [name, version] of doubled) override(manifest, name, version);
  }
}

/** Singles with more than one version in a lock, each with the version at the top of the tree. */
function findDoubled(text: string): Map<string, string> {
  const versions = new Map<string, Set<string>>();
  const lock = requireLock(text);
  for (const { name, version } of lock.packages) {
    if (singles.has(name)) versions.set(name, (versions.get(name) ?? new Set()).add(version));
  }
  const places = parsePlaces(text);
  const doubled = [...versions].filter(([, found]) => found.size > 1);
  return new Map(
    doubled.map(([name, found]) => {
      const top = places[`node_modules/${name}`];
      const version = isRecord(top) ? top['version'] : undefined;
      return [name, typeof version === 'string' ? version : ([...found][0] ?? '*')];
    }),
  );
}

/** `[react, 19.3.1]` when some package wants another React; not when react-dom itself does. */
function findConflictingSingle(error: unknown): [string, string] | undefined {
  if (!(error instanceof VitrineError) || error.code !== 'package_conflict') return undefined;
  const { cause } = error;
  if (!isRecord(cause) || !isRecord(cause['edge']) || !isRecord(cause['current'])) return undefined;
  const { name, from } = cause['edge'];
  const { version } = cause['current'];
  const wanting = isRecord(from) ? from['name'] : undefined;
  if (typeof name !== 'string' || !singles.has(name) || typeof version !== 'string')
    return undefined;
  return typeof wanting === 'string' && singles.has(wanting) ? undefined : [name, version];
}

function hasOverride(manifest: Readonly<Record<string, unknown>>, name: string): boolean {
  return isRecord(manifest['overrides']) && Object.hasOwn(manifest['overrides'], name);
}

function override(manifest: Record<string, unknown>, name: string, version: string): void {
  if (hasOverride(manifest, name)) return;
  const wish = findWish(manifest, name) === undefined ? version : `$${name}`;
  const overrides = isRecord(manifest['overrides']) ? manifest['overrides'] : {};
  manifest['overrides'] = { ...overrides, [name]: wish };
}

/** As npm saves them: what was added by a tag is wished for by the range from its version on. */
async function pinTags(
  manifest: Record<string, unknown>,
  added: readonly string[],
  read: ReadPackageDocument,
): Promise<void> {
  for (const name of added) {
    const wish = findWish(manifest, name) ?? '';
    const spec = parseSpec(name, wish);
    if (spec.kind !== 'tag') continue;
    const alias = wish.startsWith('npm:') ? `npm:${spec.name}@` : '';
    setWish(manifest, name, `${alias}^${findTagged(await read(spec.name), spec.wish)}`);
  }
}

function parsePlaces(text: string): Readonly<Record<string, unknown>> {
  const lock: unknown = JSON.parse(text);
  return isRecord(lock) && isRecord(lock['packages']) ? lock['packages'] : {};
}

function requireLock(text: string): PackageLock {
  const lock = readLock(text);
  if (lock === undefined)
    throw new VitrineError('bad_request', 'not a package-lock.json, version 3');
  return lock;
}

function describeLock(lock: PackageLock): ReadLockResult {
  const bases = packageAddresses(lock, 'development');
  const packages: ResolvedPackage[] = [];
  for (const [name, item] of lock.direct) {
    const base = bases.get(name);
    if (item === null || base === undefined) continue;
    const { version, license, deprecated } = item;
    packages.push({
      name,
      version,
      base,
      ...(license && { license }),
      ...(deprecated && { deprecated }),
    });
  }
  const tables = new Map<string, LinkTable>([
    ...linkTables(lock, 'development'),
    ...linkTables(lock, 'production'),
  ]);
  return { packages, tables };
}
