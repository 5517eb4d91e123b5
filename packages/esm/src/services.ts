import { isPackageName, packageNameOf, VitrineError, type LinkTable } from '@vitrine/project';
import { parsePackageAddress } from './address.ts';
import { answerForever, answerJson, answerModule, answerRedirect } from './answers.ts';
import { prepareBuilds } from './build/build-package.ts';
import { parseBuiltin } from './builtins.ts';
import { checkRate, findRange, rangeSeconds, readAndKeep, type Context } from './context.ts';
import { absentModule } from './link.ts';
import type { BuiltPackage, PackageState } from './obtain.ts';
import { measureLoaded } from './measure-loaded.ts';
import {
  parseCancelRequest,
  parseLockRequest,
  parseResolveRequest,
  readJsonBody,
} from './requests.ts';
import { findPlacement, requireTable } from './placement.ts';
import type { ResolvedPackage } from './resolve-protocol.ts';
import { searchPackages } from './search.ts';
import { serveExact } from './serve-exact.ts';
import { collectTypes } from './types.ts';

/** Answers a POST to `/npm/-/resolve`, `/npm/-/register` or `/npm/-/cancel`. */
export async function changeSomething(
  context: Context,
  request: Request,
  parts: readonly string[],
  from: string | undefined,
): Promise<Response> {
  const action = parts.join('/');
  if (!['resolve', 'register', 'cancel'].includes(action))
    throw new VitrineError('bad_request', action);
  checkRate(context, from);
  const body = await readJsonBody(request);
  if (action === 'cancel') return answerJson(await callOff(context, parseCancelRequest(body).of));
  if (action === 'register')
    return answerJson(await register(context, parseLockRequest(body).lock));
  const wanted = parseResolveRequest(body);
  // Whoever asks for versions is about to import them, and most packages come with others.
  prepareBuilds(2);
  const { packageJson, lock, packages, tables } = await context.resolver.run(
    'resolve',
    wanted,
    request.signal,
  );
  await context.store.writeLinks(tables);
  const added = new Set(wanted.add?.map(({ name }) => name));
  startBuilding(
    context,
    packages.filter(({ name }) => added.has(name)),
  );
  return answerJson({
    packageJson,
    lock,
    packages: await describeBuilt(context, packages, tables),
  });
}

/** Makes every address of a lock known, and tells what is known of the packages behind them. */
export async function register(context: Context, lock: string) {
  const { packages, tables } = await readAndKeep(context, lock);
  return { packages: await describeBuilt(context, packages, tables) };
}

/** Whoever adds a package is about to import it. A failure is told to whoever asks then. */
function startBuilding(context: Context, packages: readonly ResolvedPackage[]): void {
  for (const { base } of packages) buildAt(context, base).catch(() => undefined);
}

async function buildAt(context: Context, base: string): Promise<void> {
  const address = parsePackageAddress(base);
  if (address?.kind !== 'exact') throw new Error(`No address of a package: ${base}`);
  const placement = await findPlacement(address, context);
  await context.obtainer.build(placement.table);
  await context.joins.obtainAll(placement);
}

/**
 * Ends what is done for these packages (`NAME@VERSION~LINK`) and for all that they bring along, as far
 * as nobody waits for it.
 */
async function callOff({ findTable, obtainer, joins }: Context, of: readonly string[]) {
  const links = new Set(of.map(linkOf));
  // A Set goes on with what is added while it is walked.
  for (const link of links) {
    const table = await findTable(link);
    if (table === undefined) continue;
    joins.callOff(table);
    obtainer.callOff(table);
    for (const target of Object.values(table.dependencies)) {
      if (target !== null) links.add(linkOf(target));
    }
  }
  return {};
}

function linkOf(base: string): string {
  return base.slice(base.lastIndexOf('~') + 1);
}

interface DescribedPackage extends ResolvedPackage {
  /** Of what is built: see `measureLoaded`. */
  readonly bytes?: number;
  /** Of what is built: see `listPlain`. */
  readonly plain?: readonly string[];
}

/** What a lock's packages are, with what is known of those that are built. */
function describeBuilt(
  context: Context,
  packages: readonly ResolvedPackage[],
  tables: ReadonlyMap<string, LinkTable>,
): Promise<DescribedPackage[]> {
  const bases = new Set(packages.map(({ base }) => base));
  return Promise.all(
    packages.map(async (item) => {
      const table = tables.get(linkOf(item.base));
      const built = table && (await context.obtainer.findBuilt(table));
      if (built === undefined) return item;
      const bytes = await measureLoaded(item.base, bases, context);
      return { ...item, bytes, plain: listPlain(built) };
    }),
  );
}

/** Subpaths ('', '/client') of the modules all of whose names can be seen without running them. */
function listPlain({ manifest }: BuiltPackage): string[] {
  return Object.entries(manifest.entries).flatMap(([subpath, { hidesNames }]) =>
    hidesNames ? [] : [subpath.slice(1)],
  );
}

/** Answers a GET of `/npm/-/…`. */
export async function answerService(
  context: Context,
  request: Request,
  url: URL,
  parts: readonly string[],
  from: string | undefined,
): Promise<Response> {
  const [service, ...rest] = parts;
  if (service === 'node') {
    const address = parseBuiltin(rest, context.builtins);
    if (address === undefined) throw new VitrineError('package_subpath_not_found', rest.join('/'));
    const placement = { base: address.base, table: context.builtins };
    return serveExact(request, address, placement, context);
  }
  if (service === 'absent') return answerAbsent(context, request, url, rest.join('/'));
  if (service === 'undeclared') return answerUndeclared(context, url, rest, from);
  if (service === 'types') return answerTypes(context, request, rest.join('/'), from);
  if (service === 'progress') return answerProgress(context, url);
  if (service === 'search') {
    checkRate(context, from);
    return answerJson(await searchPackages(url.searchParams.get('text') ?? '', context), 60);
  }
  if (service === 'package') {
    checkRate(context, from);
    const name = rest.join('/');
    if (!isPackageName(name)) throw new VitrineError('package_spec_invalid', name.slice(0, 214));
    return answerJson(await context.resolver.run('describe', { name }), 60);
  }
  throw new VitrineError('bad_request', 'not a package address');
}

function answerAbsent({ forms }: Context, request: Request, url: URL, name: string) {
  if (!isPackageName(name)) throw new VitrineError('package_spec_invalid', name.slice(0, 214));
  const text = absentModule(name, url.searchParams.has('require') ? 'require' : 'import');
  const contentType = 'text/javascript; charset=utf-8';
  return answerForever(request, { body: Buffer.from(text), contentType }, forms);
}

/** What no registry has is said where it is imported, as of a package that is absent. */
async function answerUndeclared(
  context: Context,
  url: URL,
  parts: readonly string[],
  from: string | undefined,
): Promise<Response> {
  const name = packageNameOf(parts.join('/'));
  if (name === undefined) throw new VitrineError('bad_request', 'not a package address');
  const subpath = parts.slice(name.split('/').length).map((part) => `/${encodeURIComponent(part)}`);
  try {
    const base = await findRange(context, name, 'latest', from);
    return answerRedirect(base + subpath.join('') + (url.search || '?names='), rangeSeconds);
  } catch (error) {
    const isAbsent =
      error instanceof VitrineError &&
      (error.code === 'package_not_found' || error.code === 'package_version_not_found');
    if (!isAbsent) throw error;
    return answerModule(absentModule(name, 'import'));
  }
}

/** `NAME@VERSION~LINK.json` → every declaration that an editor needs for it. */
async function answerTypes(
  context: Context,
  request: Request,
  path: string,
  from: string | undefined,
) {
  const address = parsePackageAddress(`/npm/${path.replace(/\.json$/, '')}`);
  if (address?.kind !== 'exact' || !path.endsWith('.json')) {
    throw new VitrineError('bad_request', 'not a package address');
  }
  const table = await requireTable(context, address);
  const { body, isWhole } = await collectTypes(address.link, table, {
    ...context,
    findRange: (name, wish) => findRange(context, name, wish, from),
  });
  // The next one may find more.
  if (!isWhole) return answerJson(JSON.parse(body.toString()));
  return answerForever(request, { body, contentType: 'application/json' }, context.forms);
}

const askedMax = 60;

/** `?of=NAME@VERSION~LINK&of=…` → how far each of them is. */
async function answerProgress(context: Context, url: URL): Promise<Response> {
  const { findTable, obtainer } = context;
  const asked = url.searchParams.getAll('of').slice(0, askedMax);
  const states = await Promise.all(
    asked.map(async (of): Promise<[string, PackageState]> => {
      const link = /~([a-z2-7]{16})$/.exec(of)?.[1] ?? '';
      const table = await findTable(link);
      const state = table === undefined ? 'absent' : await obtainer.stateOf(table);
      const isJoining = state === 'ready' && (await isBeingJoined(context, link));
      return [of, isJoining ? 'building' : state];
    }),
  );
  return answerJson({ packages: Object.fromEntries(states) });
}

/** Companions are built, and then joined: with their head, or apart where several share them. */
async function isBeingJoined(
  { findTable, joins }: Pick<Context, 'findTable' | 'joins'>,
  link: string,
): Promise<boolean> {
  const table = await findTable(link);
  if (table === undefined) return false;
  const shared = table.family?.shared;
  return (
    joins.isUnderWay(table, link) ||
    (shared !== undefined && (await isBeingJoined({ findTable, joins }, linkOf(shared))))
  );
}
