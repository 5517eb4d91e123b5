import { VitrineError } from '@vitrine/project';
import { isPackageName, parsePackageName } from './lockfile/lockfile.ts';
import type { ResolutionTable } from './lockfile/resolution-hash.ts';
import { parsePackageUrl } from './package-url.ts';
import { respondImmutable, respondJson, respondModule, respondRedirect } from './responses.ts';
import { prewarmBuilds } from './build/build-package.ts';
import { parseBuiltinUrl } from './builtins.ts';
import {
  checkRateLimit,
  resolveRange,
  rangeCacheSeconds,
  loadLockfile,
  type Context,
} from './context.ts';
import { readLicenses } from './licenses.ts';
import { writeMissingModule } from './link-module.ts';
import type { BuiltPackage } from './build-packages.ts';
import { measureDownloadBytes } from './registry/measure-download.ts';
import {
  parseCancelRequest,
  parseRegisterRequest,
  parseResolveRequest,
  parseTypesResponse,
  type BuildState,
  type CancelRequest,
  type DescribedPackage,
  type RegisterRequest,
  type RegisterResponse,
  type ResolvedPackage,
  type ResolveResponse,
} from './messages.ts';
import { findServedPackage, requireResolution, type ServedPackage } from './served-package.ts';
import { searchPackages } from './registry/search.ts';
import { serveExact } from './serve-exact.ts';
import { collectTypes } from './type-declarations.ts';

/** Responds to a POST to `/npm/-/resolve`, `register`, `licenses` or `cancel`. */
export async function respondToPost(
  context: Context,
  request: Request,
  parts: readonly string[],
  from: string | undefined,
): Promise<Response> {
  const action = parts.join('/');
  if (!['resolve', 'register', 'licenses', 'cancel'].includes(action))
    throw new VitrineError('bad_request', action);
  checkRateLimit(context, from);
  const body = await readJson(request);
  if (action === 'cancel') {
    await cancelPackages(context, parseCancelRequest(body));
    return respondJson({});
  }
  if (action === 'register')
    return respondJson(await registerLockfile(context, parseRegisterRequest(body)));
  if (action === 'licenses') {
    const { lock } = parseRegisterRequest(body);
    return respondJson({ packages: await readLicenses(context, lock, request.signal) });
  }
  const changes = parseResolveRequest(body);
  // The page is about to import these packages, most of which have dependencies.
  prewarmBuilds(2);
  const { packageJson, lock, packages, resolutions } = await context.resolver.run(
    'resolve',
    changes,
    request.signal,
  );
  await context.store.writeResolutions(resolutions);
  const added = new Set(changes.add?.map(({ name }) => name));
  startBuilds(
    context,
    packages.filter(({ name }) => added.has(name)),
  );
  const response: ResolveResponse = {
    packageJson,
    lock,
    packages: await describePackages(context, packages, resolutions),
  };
  return respondJson(response);
}

/**
 * Size limit of a request body: a package.json and a lockfile, each within the limit of a file, and
 * a little more.
 */
export const packageRequestMaxBytes = 3 * 1024 * 1024;

/** @throws VitrineError `bad_request` for a body that is too large or not JSON. */
async function readJson(request: Request): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > packageRequestMaxBytes) throw new VitrineError('bad_request', 'too large');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch (error) {
    if (error instanceof SyntaxError) throw new VitrineError('bad_request', 'not JSON');
    throw error;
  }
}

/** Makes every URL of a lockfile known, and returns what is known about its packages. */
export async function registerLockfile(
  context: Context,
  { lock, imports = [] }: RegisterRequest,
): Promise<RegisterResponse> {
  const { packages, resolutions } = await loadLockfile(context, lock);
  return { packages: await describePackages(context, packages, resolutions, imports) };
}

/** Builds added packages ahead of their import. A failure is reported to that request. */
function startBuilds(context: Context, packages: readonly ResolvedPackage[]): void {
  for (const { base } of packages) buildPackageAt(context, base).catch(() => undefined);
}

async function buildPackageAt(context: Context, base: string): Promise<void> {
  const packageUrl = parsePackageUrl(base);
  if (packageUrl?.kind !== 'exact') throw new Error(`Not a package URL: ${base}`);
  const served = await findServedPackage(packageUrl, context);
  await context.packageBuilder.build(served.resolution);
  await context.bundles.getAll(served);
}

async function cancelPackages(
  { findResolution, packageBuilder, bundles }: Context,
  { of }: CancelRequest,
): Promise<void> {
  const hashes = new Set(of.map(parseHash));
  // Iterating over a Set includes the items that are added meanwhile.
  for (const hash of hashes) {
    const resolution = await findResolution(hash);
    if (resolution === undefined) continue;
    bundles.cancel(resolution);
    packageBuilder.cancel(resolution);
    for (const target of Object.values(resolution.dependencies)) {
      if (target !== null) hashes.add(parseHash(target));
    }
  }
}

function parseHash(base: string): string {
  return base.slice(base.lastIndexOf('~') + 1);
}

/** Direct dependencies of a lockfile, with sizes and subpaths of those that are built. */
function describePackages(
  context: Context,
  packages: readonly ResolvedPackage[],
  resolutions: ReadonlyMap<string, ResolutionTable>,
  imports: readonly string[] = [],
): Promise<DescribedPackage[]> {
  const bases = new Set(packages.map(({ base }) => base));
  return Promise.all(
    packages.map(async (item) => {
      const resolution = resolutions.get(parseHash(item.base));
      const built = resolution && (await context.packageBuilder.findBuilt(resolution));
      if (built === undefined) return item;
      const paths = findImportedPaths(item.name, imports);
      const bytes = await measureDownloadBytes(item.base, paths, bases, context);
      return { ...item, bytes, plain: listPlain(built) };
    }),
  );
}

/** ('react-dom', ['react', 'react-dom/client']) → ['./client']. The main module if there are none. */
function findImportedPaths(name: string, imports: readonly string[]): string[] {
  const paths = imports
    .filter((specifier) => specifier === name || specifier.startsWith(`${name}/`))
    .map((specifier) => `.${specifier.slice(name.length)}`);
  return paths.length > 0 ? paths : ['.'];
}

/** Subpaths ('', '/client') of the modules whose exports can all be listed without running them. */
function listPlain({ manifest }: BuiltPackage): string[] {
  return Object.entries(manifest.entries).flatMap(([subpath, { hidesNames }]) =>
    hidesNames ? [] : [subpath.slice(1)],
  );
}

/** Responds to a GET of `/npm/-/…`. */
export async function respondToService(
  context: Context,
  request: Request,
  url: URL,
  parts: readonly string[],
  from: string | undefined,
): Promise<Response> {
  const [service, ...rest] = parts;
  if (service === 'node') {
    const packageUrl = parseBuiltinUrl(rest, context.builtins);
    // The builder version is part of the path, so an unknown path may belong to an older version.
    if (packageUrl === undefined)
      throw new VitrineError('package_subpath_not_found', rest.join('/'));
    const served: ServedPackage = { base: packageUrl.base, resolution: context.builtins };
    return serveExact(request, packageUrl, served, context);
  }
  if (service === 'absent') return respondWithMissing(context, request, url, rest.join('/'));
  if (service === 'undeclared') return respondWithUndeclared(context, url, rest, from);
  if (service === 'types') return respondWithTypes(context, request, rest.join('/'), from);
  if (service === 'progress') return respondWithProgress(context, url);
  if (service === 'search') {
    checkRateLimit(context, from);
    const text = url.searchParams.get('text') ?? '';
    return respondJson(await searchPackages(text, context), 60);
  }
  if (service === 'package') {
    checkRateLimit(context, from);
    const name = rest.join('/');
    if (!isPackageName(name)) throw new VitrineError('package_spec_invalid', name.slice(0, 214));
    return respondJson(await context.resolver.run('getPackageInfo', { name }), 60);
  }
  throw new VitrineError('bad_request', 'not a package URL');
}

function respondWithMissing(
  { compressionCache }: Context,
  request: Request,
  url: URL,
  name: string,
) {
  if (!isPackageName(name)) throw new VitrineError('package_spec_invalid', name.slice(0, 214));
  const text = writeMissingModule(name, url.searchParams.has('require') ? 'require' : 'import');
  const contentType = 'text/javascript; charset=utf-8';
  return respondImmutable(request, { body: Buffer.from(text), contentType }, compressionCache);
}

/**
 * Redirects an undeclared import to the newest version. A package that no registry has gets the
 * module of a missing package.
 */
async function respondWithUndeclared(
  context: Context,
  url: URL,
  parts: readonly string[],
  from: string | undefined,
): Promise<Response> {
  const name = parsePackageName(parts.join('/'));
  if (name === undefined) throw new VitrineError('bad_request', 'not a package URL');
  const subpath = parts.slice(name.split('/').length).map((part) => `/${encodeURIComponent(part)}`);
  try {
    const base = await resolveRange(context, name, 'latest', from);
    return respondRedirect(base + subpath.join('') + (url.search || '?names='), rangeCacheSeconds);
  } catch (error) {
    const isAbsent =
      error instanceof VitrineError &&
      (error.code === 'package_not_found' || error.code === 'package_version_not_found');
    if (!isAbsent) throw error;
    return respondModule(writeMissingModule(name, 'import'));
  }
}

/**
 * Responds to `NAME@VERSION~HASH.json` with every type declaration that an editor needs for the
 * package.
 */
async function respondWithTypes(
  context: Context,
  request: Request,
  path: string,
  from: string | undefined,
) {
  const packageUrl = parsePackageUrl(`/npm/${path.replace(/\.json$/, '')}`);
  if (packageUrl?.kind !== 'exact' || !path.endsWith('.json')) {
    throw new VitrineError('bad_request', 'not a package URL');
  }
  const resolution = await requireResolution(context, packageUrl);
  const { body, isComplete } = await collectTypes(packageUrl.hash, resolution, {
    ...context,
    resolveRange: (name, range) => resolveRange(context, name, range, from),
  });
  // The result is not cached, because the next request may find more.
  if (!isComplete) return respondJson(parseTypesResponse(JSON.parse(body.toString())));
  return respondImmutable(
    request,
    { body, contentType: 'application/json' },
    context.compressionCache,
  );
}

const maxTargets = 60;

/** Maximum number of packages whose state is read for one response. */
const maxCounted = 500;

/**
 * Responds to `?of=NAME@VERSION~HASH&of=…` with the state of each build. One that is ready counts as building while
 * its group is bundled or something that it depends on is built: until then, a page can't run it.
 */
async function respondWithProgress(context: Context, url: URL): Promise<Response> {
  const targets = url.searchParams.getAll('of').slice(0, maxTargets);
  const builds = await readBuilds(targets.map(parseHash), context);
  const states = await Promise.all(
    targets.map(async (of): Promise<[string, BuildState]> => {
      const hash = parseHash(of);
      const state = builds.get(hash)?.state ?? 'absent';
      const isWaiting = state === 'ready' && (await isBeingBundled(context, hash));
      return [
        of,
        isWaiting || (state === 'ready' && isBuilding(hash, builds)) ? 'building' : state,
      ];
    }),
  );
  const needed = [...builds.values()].filter(({ state }) => state !== 'absent');
  const built = needed.filter(({ state }) => state === 'ready').length;
  const isBusy = states.some(([, state]) => state !== 'absent' && state !== 'ready');
  return respondJson({
    packages: Object.fromEntries(states),
    ...(isBusy && { needed: needed.length, built }),
  });
}

interface KnownBuild {
  readonly state: BuildState;
  /** Resolution hashes of what the package depends on. */
  readonly dependencies: readonly string[];
}

/** Reads the state of packages and of all that they depend on, by resolution hash. */
async function readBuilds(
  hashes: readonly string[],
  { findResolution, packageBuilder }: Context,
): Promise<ReadonlyMap<string, KnownBuild>> {
  const builds = new Map<string, KnownBuild>();
  const reached = new Set(hashes);
  // Iterating over a Set includes the items that are added meanwhile.
  for (const hash of reached) {
    const resolution = await findResolution(hash);
    if (resolution === undefined || builds.size >= maxCounted) continue;
    const targets = Object.values(resolution.dependencies);
    const dependencies = targets.flatMap((target) => (target === null ? [] : [parseHash(target)]));
    builds.set(hash, { state: await packageBuilder.getState(resolution), dependencies });
    for (const each of dependencies) reached.add(each);
  }
  return builds;
}

/** Whether anything that a package depends on is being built. */
function isBuilding(hash: string, builds: ReadonlyMap<string, KnownBuild>): boolean {
  const reached = new Set([hash]);
  for (const each of reached) {
    const { state = 'absent', dependencies = [] } = builds.get(each) ?? {};
    if (state !== 'absent' && state !== 'ready') return true;
    for (const next of dependencies) reached.add(next);
  }
  return false;
}

/** Whether the group of a package is being bundled: its own group, or the one that it shares. */
async function isBeingBundled(context: Context, hash: string): Promise<boolean> {
  const resolution = await context.findResolution(hash);
  if (resolution === undefined) return false;
  const shared = resolution.family?.shared;
  return (
    context.bundles.isRunning(resolution, hash) ||
    (shared !== undefined && (await isBeingBundled(context, parseHash(shared))))
  );
}
