import { VitrineError } from '@vitrine/project';
import { isPackageName, parseLockfile, type Lockfile } from '../lockfile/lockfile.ts';
import {
  computeResolutions,
  computePackageUrls,
  computeUngroupedPackageUrls,
  type ResolutionTable,
} from '../lockfile/resolution-hash.ts';
import { describePackage, findTarball, resolveTag, type Packument } from '../registry/packument.ts';
import {
  editDependencies,
  findDependencyRange,
  formatPackageJson,
  parseProjectPackageJson,
  setDependency,
} from './edit-package-json.ts';
import { explainFailure } from './explain-failure.ts';
import type { ResolvedPackage } from '../messages.ts';
import type { JobKind, Jobs, ReadLockfileResult } from './resolve-protocol.ts';
import { toResolverPackument } from './resolver-packument.ts';
import { resolveWithSingletons } from '../groups/singleton-packages.ts';
import { parseSpec } from './package-specs.ts';
import { resolveWithBacktracking, type ReadPackument } from './version-backtracking.ts';

/** Runs a job of the protocol with packuments from `read`. */
export async function runJob<Kind extends JobKind>(
  kind: Kind,
  input: Jobs[Kind]['input'],
  read: ReadPackument,
): Promise<Jobs[Kind]['result']> {
  return jobs[kind](input, read);
}

type JobTable = {
  readonly [Kind in JobKind]: (
    input: Jobs[Kind]['input'],
    read: ReadPackument,
  ) => Promise<Jobs[Kind]['result']>;
};

const jobs: JobTable = {
  resolve: resolveProject,
  async readLockfile({ lockfile }) {
    return describeLockfile(requireLockfile(lockfile));
  },
  async resolvePackage({ name, range, mode }, read) {
    const packageJson = JSON.stringify({ dependencies: { [name]: range } });
    const result = await resolveProject({ packageJson }, read);
    const base = computeUngroupedPackageUrls(requireLockfile(result.lock), mode).get(name);
    if (base === undefined) throw new VitrineError('package_version_not_found', `${name}@${range}`);
    return { ...result, base };
  },
  async findTarball({ name, version }, read) {
    return findTarball(await read(name), version);
  },
  async getPackageInfo({ name }, read) {
    return describePackage(await read(name));
  },
};

async function resolveProject(
  request: Jobs['resolve']['input'],
  read: ReadPackument,
): Promise<Jobs['resolve']['result']> {
  const before = parseProjectPackageJson(request.packageJson);
  const { add = [], update = [], remove = [] } = request;
  checkNames([...add.map(({ name }) => name), ...update, ...remove]);
  const known = new Map<string, Packument>();
  const remember: ReadPackument = async (name) => {
    const document = await read(name);
    known.set(name, document);
    return document;
  };
  const { manifest, lockfile } = await resolveWithBacktracking(remember, (readInstallable) =>
    resolveEdited(request, before, readInstallable),
  ).catch((error: unknown) => {
    throw explainFailure(error, editDependencies(before, request), known);
  });
  const isChanged = JSON.stringify(manifest) !== JSON.stringify(before);
  return {
    packageJson: isChanged ? formatPackageJson(manifest, request.packageJson) : request.packageJson,
    lock: lockfile,
    ...describeLockfile(requireLockfile(lockfile)),
  };
}

/** Resolves a package.json after the changes of a request. */
async function resolveEdited(
  request: Jobs['resolve']['input'],
  before: Parameters<typeof editDependencies>[0],
  readInstallable: ReadPackument,
) {
  const added = (request.add ?? []).map(({ name }) => name);
  const manifest = editDependencies(before, request);
  await pinTags(manifest, added, readInstallable);
  /** Name → packument as the resolver sees it. The resolver reads it once for every range. */
  const documents = new Map<string, Promise<unknown>>();
  const readDocument = (name: string) => {
    const document = documents.get(name) ?? readInstallable(name).then(toResolverPackument);
    documents.set(name, document);
    return document;
  };
  const lockfile = await resolveWithSingletons({
    manifest,
    lockfile: request.lock,
    update: [...added, ...(request.update ?? [])],
    readDocument,
  });
  return { manifest, lockfile };
}

function checkNames(names: readonly string[]): void {
  const wrong = names.find((name) => !isPackageName(name));
  if (wrong !== undefined) throw new VitrineError('package_spec_invalid', wrong.slice(0, 214));
}

/**
 * Pins added packages like npm: a package that was added by a tag gets the range that starts at the
 * tagged version.
 */
async function pinTags(
  manifest: Record<string, unknown>,
  added: readonly string[],
  read: ReadPackument,
): Promise<void> {
  for (const name of added) {
    const range = findDependencyRange(manifest, name) ?? '';
    const spec = parseSpec(name, range);
    if (spec.kind !== 'tag') continue;
    const alias = range.startsWith('npm:') ? `npm:${spec.name}@` : '';
    setDependency(manifest, name, `${alias}^${resolveTag(await read(spec.name), spec.fetchSpec)}`);
  }
}

function requireLockfile(text: string): Lockfile {
  const lockfile = parseLockfile(text);
  if (lockfile === undefined)
    throw new VitrineError('bad_request', 'not a package-lock.json of version 3');
  return lockfile;
}

function describeLockfile(lockfile: Lockfile): ReadLockfileResult {
  const urls = computePackageUrls(lockfile, 'development');
  const packages: ResolvedPackage[] = [];
  for (const [name, pkg] of lockfile.direct) {
    const base = urls.get(name);
    if (pkg === null || base === undefined) continue;
    const { version, license, deprecated } = pkg;
    packages.push({
      name,
      version,
      base,
      ...(license && { license }),
      ...(deprecated && { deprecated }),
    });
  }
  const resolutions = new Map<string, ResolutionTable>([
    ...computeResolutions(lockfile, 'development'),
    ...computeResolutions(lockfile, 'production'),
  ]);
  return { packages, resolutions };
}
