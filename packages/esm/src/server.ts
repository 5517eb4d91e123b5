import { findErrorCode, isPackageName, VitrineError, type LinkTable } from '@vitrine/project';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { parsePackageAddress, type ExactAddress, type RangeAddress } from './address.ts';
import {
  answerFailure,
  answerForever,
  answerJson,
  answerPreflight,
  answerRedirect,
} from './answers.ts';
import { builtinsTable, parseBuiltin } from './builtins.ts';
import { createInstalledPackages } from './installed.ts';
import { absentModule } from './link.ts';
import type { PackageLog } from './log.ts';
import { createObtainer, type PackageState } from './obtain.ts';
import { createPackuments } from './packuments.ts';
import { createRateLimit } from './rate.ts';
import { createRegistry } from './registry.ts';
import { registryOf, type RegistrySettings } from './registry-settings.ts';
import { parseLockRequest, parseResolveRequest, readJsonBody } from './requests.ts';
import { createResolver } from './resolve.ts';
import type { ReadLockResult, ResolvedPackage } from './resolve-protocol.ts';
import { searchPackages } from './search.ts';
import { hidesNames, serveExact } from './serve-exact.ts';
import { parseSpec } from './specs.ts';
import { openStore } from './store.ts';
import { collectTypes } from './types.ts';

export interface PackageServerOptions {
  /** Where the store is. Several servers may share it. */
  readonly folder: string;
  /** Pages that may change something here: exact origins. */
  readonly appOrigins: readonly string[];
  readonly registry: RegistrySettings;
  /** Folders with a package-lock.json and a node_modules, whose packages need no registry. */
  readonly installed: readonly string[];
  readonly log: PackageLog;
  readonly maxBytes?: number;
  readonly buildsAtOnce?: number;
}

export interface PackageServer {
  /**
   * Answers what is under /npm, undefined for everything else. Reads no cookies. `address` is the
   * one the request came from, for limits; without it there are none. Never throws.
   */
  fetch(request: Request, from?: { readonly address: string }): Promise<Response | undefined>;
  /** Makes every address of a package-lock.json known, as its POST does. Throws VitrineErrors. */
  register(lock: string): Promise<void>;
  close(): Promise<void>;
}

const gibibyte = 1024 ** 3;
/** How long a range keeps leading to the same version. */
const rangeSeconds = 300;
const keptRanges = 2_000;
const keptLocks = 200;

type Context = Awaited<ReturnType<typeof createContext>>;

/** npm packages as ES modules, under the addresses that `address.ts` lists. */
export async function createPackageServer(options: PackageServerOptions): Promise<PackageServer> {
  const context = await createContext(options);
  return {
    async fetch(request, from) {
      const url = new URL(request.url);
      if (!url.pathname.startsWith('/npm/')) return undefined;
      try {
        return await route(context, request, url, from?.address);
      } catch (error) {
        return answerError(context, url, error);
      }
    },
    async register(lock) {
      await readAndKeep(context, lock);
    },
    async close() {
      await context.resolver.close();
      await context.obtainer.settle();
    },
  };
}

async function createContext(options: PackageServerOptions) {
  const { folder, registry: settings, log } = options;
  const store = await openStore({ folder, maxBytes: options.maxBytes ?? 20 * gibibyte });
  const registry = createRegistry(settings, log);
  const installed = createInstalledPackages(options.installed);
  const packuments = createPackuments({
    folder: join(folder, 'packuments'),
    registryKey: (name) => registryOf(settings, name).href,
    registry,
    installed,
  });
  const resolver = createResolver({ packuments, log, threads: 3, jobMs: 60_000, queueMax: 100 });
  const buildsAtOnce = options.buildsAtOnce ?? 3;
  const obtainer = createObtainer({ store, registry, resolver, installed, buildsAtOnce });
  const builtins = builtinsTable();
  return {
    ...options,
    store,
    registry,
    resolver,
    obtainer,
    builtins,
    findTable: (link: string) => store.readLink(link),
    forms: {
      read: (key: string) => store.readFile('compressed', key),
      write: (key: string, content: Buffer) => store.writeFile('compressed', key, content),
    },
    /** A lesson of thirty comes from one address. */
    resolving: createRateLimit(120, 240),
    /** NAME@WISH → exact base, until it is asked anew. */
    ranges: new Map<string, { base: Promise<string>; until: number }>(),
    /** Hash of a lock's text → what it says. */
    locks: new Map<string, Promise<ReadLockResult>>(),
  };
}

async function route(
  context: Context,
  request: Request,
  url: URL,
  from: string | undefined,
): Promise<Response> {
  const { method } = request;
  if (method === 'OPTIONS') return answerPreflight();
  // A package must not become the service worker of the app.
  if (request.headers.has('service-worker')) throw new VitrineError('not_allowed');
  const address = parsePackageAddress(url.pathname);
  if (address === undefined) throw new VitrineError('bad_request', 'not a package address');
  if (method === 'POST' && address.kind === 'service') {
    checkOrigin(context, request);
    return changeSomething(context, request, address.parts, from);
  }
  if (method !== 'GET' && method !== 'HEAD') throw new VitrineError('bad_request', 'method');
  if (address.kind === 'exact') return serveAddress(context, request, address);
  if (address.kind === 'range') return redirect(context, address, url, from);
  return answerService(context, request, url, address.parts, from);
}

function checkOrigin({ appOrigins }: Context, request: Request): void {
  const origin = request.headers.get('origin');
  if (origin === null || !appOrigins.includes(origin)) throw new VitrineError('not_allowed');
}

function checkRate({ resolving }: Context, from: string | undefined): void {
  if (from !== undefined && !resolving.take(from)) throw new VitrineError('rate_limited');
}

async function serveAddress(context: Context, request: Request, address: ExactAddress) {
  const table = await context.findTable(address.link);
  if (table === undefined || table.name !== address.name || table.version !== address.version) {
    throw new VitrineError('package_address_unknown', `${address.name}@${address.version}`);
  }
  return serveExact(request, address, table, context);
}

/**
 * A range to the address it means for the moment. A browser knows a module by the address that was
 * asked for, not by the one it was led to: so a module's range leads to `?names=`, which passes on
 * the exports of the one module at the exact address, and no package comes twice.
 */
async function redirect(
  context: Context,
  address: RangeAddress,
  url: URL,
  from: string | undefined,
) {
  const { name, wish, subpath } = address;
  if (wish.startsWith('npm:')) throw new VitrineError('package_spec_invalid', wish.slice(0, 80));
  parseSpec(name, wish);
  const base = await findRange(context, name, wish, from);
  const isModule = url.search === '' && !/^\/-(?:chunk|worker)?\//.test(subpath);
  return answerRedirect(base + subpath + (isModule ? '?names=' : url.search), rangeSeconds);
}

function findRange(
  context: Context,
  name: string,
  wish: string,
  from: string | undefined,
): Promise<string> {
  const { ranges, resolver, store } = context;
  const key = `${name}@${wish}`;
  const known = ranges.get(key);
  if (known !== undefined && known.until > Date.now()) return known.base;
  checkRate(context, from);
  const base = resolver
    .run('resolveOne', { name, wish, mode: 'production' })
    .then(async (result) => {
      await store.writeLinks(result.tables);
      return result.base;
    });
  keep(ranges, key, { base, until: Date.now() + rangeSeconds * 1_000 }, keptRanges);
  base.catch(() => ranges.delete(key));
  return base;
}

function keep<T>(map: Map<string, T>, key: string, value: T, max: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}

async function changeSomething(
  context: Context,
  request: Request,
  parts: readonly string[],
  from: string | undefined,
): Promise<Response> {
  const action = parts.join('/');
  if (action !== 'resolve' && action !== 'register') throw new VitrineError('bad_request', action);
  checkRate(context, from);
  const body = await readJsonBody(request);
  if (action === 'register')
    return answerJson(await register(context, parseLockRequest(body).lock));
  const wanted = parseResolveRequest(body);
  const { packageJson, lock, packages, tables } = await context.resolver.run('resolve', wanted);
  await context.store.writeLinks(tables);
  const added = new Set(wanted.add?.map(({ name }) => name));
  startBuilding(
    context,
    packages.filter(({ name }) => added.has(name)),
    tables,
  );
  return answerJson({
    packageJson,
    lock,
    packages: await describeBuilt(context, packages, tables),
  });
}

async function register(context: Context, lock: string) {
  const { packages, tables } = await readAndKeep(context, lock);
  return { packages: await describeBuilt(context, packages, tables) };
}

async function readAndKeep({ locks, resolver, store }: Context, lock: string) {
  const key = createHash('sha256').update(lock).digest('hex');
  const reading = locks.get(key) ?? resolver.run('readLock', { lock });
  keep(locks, key, reading, keptLocks);
  reading.catch(() => locks.delete(key));
  const result = await reading;
  await store.writeLinks(result.tables);
  return result;
}

/** Whoever adds a package is about to import it. A failure is told to whoever asks then. */
function startBuilding(
  { obtainer }: Context,
  packages: readonly ResolvedPackage[],
  tables: ReadonlyMap<string, LinkTable>,
): void {
  for (const item of packages) {
    const table = tables.get(linkOf(item.base));
    if (table !== undefined) obtainer.build(table).catch(() => undefined);
  }
}

function linkOf(base: string): string {
  return base.slice(base.lastIndexOf('~') + 1);
}

/** What a lock's packages are, with what is known of those that are built. */
function describeBuilt(
  { obtainer }: Context,
  packages: readonly ResolvedPackage[],
  tables: ReadonlyMap<string, LinkTable>,
) {
  return Promise.all(
    packages.map(async (item) => {
      const table = tables.get(linkOf(item.base));
      const built = table && (await obtainer.findBuilt(table));
      if (built === undefined) return item;
      const main = built.manifest.entries['.'];
      const files = main === undefined ? [] : [main.file, ...main.chunks];
      const bytes = files.reduce(
        (sum, file) => sum + (built.manifest.modules[file]?.bytes ?? 0),
        0,
      );
      return { ...item, bytes, namesHidden: hidesNames(built) };
    }),
  );
}

async function answerService(
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
    return serveExact(request, address, context.builtins, context);
  }
  if (service === 'absent') return answerAbsent(context, request, url, rest.join('/'));
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
  const table = await context.findTable(address.link);
  if (table?.name !== address.name || table.version !== address.version) {
    throw new VitrineError('package_address_unknown', `${address.name}@${address.version}`);
  }
  const body = await collectTypes(address.link, table, {
    ...context,
    findRange: (name, wish) => findRange(context, name, wish, from),
  });
  return answerForever(request, { body, contentType: 'application/json' }, context.forms);
}

const askedMax = 60;

/** `?of=NAME@VERSION~LINK&of=…` → how far each of them is. */
async function answerProgress({ findTable, obtainer }: Context, url: URL): Promise<Response> {
  const asked = url.searchParams.getAll('of').slice(0, askedMax);
  const states = await Promise.all(
    asked.map(async (of): Promise<[string, PackageState]> => {
      const table = await findTable(/~([a-z2-7]{16})$/.exec(of)?.[1] ?? '');
      return [of, table === undefined ? 'absent' : await obtainer.stateOf(table)];
    }),
  );
  return answerJson({ packages: Object.fromEntries(states) });
}

function answerError({ log }: Context, url: URL, error: unknown): Response {
  const ours = error instanceof VitrineError ? error : new VitrineError(findErrorCode(error));
  if (ours.code === 'unexpected') {
    const reason =
      error instanceof Error
        ? `${error.name} ${/^\s+at .*$/m.exec(error.stack ?? '')?.[0].trim() ?? ''}`
        : typeof error;
    log.error('A package request failed.', { pathname: url.pathname.slice(0, 300), reason });
  }
  const wait = ours.code === 'rate_limited' || ours.code === 'packages_busy' ? 5 : undefined;
  return answerFailure(ours, wait);
}
