import { VitrineError } from '@vitrine/project';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExactUrl } from './package-url.ts';
import { respondImmutable, type CompressionCache } from './responses.ts';
import { getBundleUrl, writeFacade } from './build/bundle-manifest.ts';
import { getContentType } from './content-types.ts';
import { listPreloadHints } from './preload-hints.ts';
import {
  findBundledModule,
  redirectToBundles,
  type GroupBundle,
} from './groups/bundled-imports.ts';
import type { GroupBundles } from './groups/group-bundles.ts';
import { writeNamesModule } from './link-module.ts';
import type { BuiltPackage } from './build-packages.ts';
import { getModuleUrl, type ServedPackage } from './served-package.ts';
import {
  findBuiltEntry,
  getEntry,
  parseNames,
  readLinkedModule,
  type BuildContext,
} from './read-module.ts';
import { isNotFound } from './store/atomic-write.ts';

/** What serving exact URLs needs. */
export interface ServeContext extends BuildContext {
  readonly bundles: GroupBundles;
  readonly compressionCache: CompressionCache;
}

const scriptType = 'text/javascript; charset=utf-8';

/** Responds to an exact URL (one with a name, version and resolution hash), and builds the package first if necessary. Throws VitrineErrors. */
export async function serveExact(
  request: Request,
  packageUrl: ExactUrl,
  served: ServedPackage,
  context: ServeContext,
): Promise<Response> {
  const abortableContext: ServeContext = {
    ...context,
    packageBuilder: context.packageBuilder.withSignal(request.signal),
  };
  switch (packageUrl.part) {
    case 'raw':
      return serveFile(
        request,
        packageUrl,
        await abortableContext.packageBuilder.unpack(served.resolution),
        abortableContext,
      );
    case 'chunk':
      return serveChunk(request, packageUrl, served, abortableContext);
    case 'join':
      return serveBundle(request, packageUrl, served, abortableContext);
    case 'worker': {
      // A worker is a realm of its own that loads modules only for itself, so it is served without
      // bundling.
      const { group: _, ...unbundled } = served;
      return serveModule(request, packageUrl, unbundled, abortableContext);
    }
    case 'module':
      return serveModule(request, packageUrl, served, abortableContext);
  }
}

async function serveModule(
  request: Request,
  packageUrl: ExactUrl,
  served: ServedPackage,
  context: ServeContext,
): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const bundles = query.has('css') ? [] : await context.bundles.getAll(served, request.signal);
  const { built, entry } = await getEntry(packageUrl, served, context);
  if (query.has('css')) {
    if (entry.style === undefined)
      throw new VitrineError('package_subpath_not_found', packageUrl.path);
    const body = Buffer.from(await readLinkedModule(built, entry.style, served, context));
    return respondImmutable(
      request,
      { body, contentType: 'text/css; charset=utf-8' },
      context.compressionCache,
    );
  }
  const moduleUrl = getModuleUrl(served, packageUrl.path);
  const names = parseNames(query.get('names'));
  if (names !== undefined) {
    const body = Buffer.from(writeNamesModule(entry, moduleUrl, names));
    return respondImmutable(
      request,
      { body, contentType: scriptType, hints: [moduleUrl] },
      context.compressionCache,
    );
  }
  // The main module may have several URLs (`x/index.js`).
  const isMain = findBuiltEntry(built, '.')?.file === entry.file;
  const bundled = findBundledModule(bundles, isMain ? served.base : moduleUrl);
  if (bundled) return serveFacade(request, bundled, bundles, context);
  const body = await readBundledScript(built, entry.file, served, bundles, context);
  const hints = redirectHints(await listPreloadHints(built, entry, served, context), bundles);
  return respondImmutable(
    request,
    { body, contentType: scriptType, hints },
    context.compressionCache,
  );
}

/**
 * Replaces hints for bundled modules with their bundle files. Otherwise the code would be loaded
 * twice.
 */
function redirectHints(hints: readonly string[], bundles: readonly GroupBundle[]): string[] {
  const redirected = hints.map((hint) => {
    const { bundle, module } = findBundledModule(bundles, hint) ?? {};
    return bundle && module ? getBundleUrl(bundle.base, module.file) : hint;
  });
  return addImports(redirected, bundles);
}

/** Adds the files that the bundle files among the hints import. */
function addImports(hints: readonly string[], bundles: readonly GroupBundle[]): string[] {
  const all = new Set(hints);
  // Iterating over a Set includes the items that are added meanwhile.
  for (const hint of all) {
    for (const { base, manifest } of bundles) {
      const file =
        hint.startsWith(getBundleUrl(base, '')) && hint.slice(getBundleUrl(base, '').length);
      const imports = (file && manifest.files[file]) || [];
      for (const url of imports) all.add(url);
    }
  }
  return [...all];
}

async function readBundledScript(
  built: BuiltPackage,
  file: string,
  served: ServedPackage,
  bundles: readonly GroupBundle[],
  context: ServeContext,
): Promise<Buffer> {
  return Buffer.from(
    redirectToBundles(await readLinkedModule(built, file, served, context), bundles),
  );
}

/**
 * Responds with the facade of a bundled module, with hints for the bundle file that has its code.
 */
function serveFacade(
  request: Request,
  { bundle, module }: NonNullable<ReturnType<typeof findBundledModule>>,
  bundles: readonly GroupBundle[],
  context: ServeContext,
): Promise<Response> {
  const hints = addImports([getBundleUrl(bundle.base, module.file)], bundles);
  const body = Buffer.from(writeFacade(bundle.base, module));
  return respondImmutable(
    request,
    { body, contentType: scriptType, hints },
    context.compressionCache,
  );
}

async function serveChunk(
  request: Request,
  packageUrl: ExactUrl,
  served: ServedPackage,
  context: ServeContext,
): Promise<Response> {
  const built = await context.packageBuilder.build(served.resolution);
  if (packageUrl.path.endsWith('.map'))
    return serveFile(request, packageUrl, built.folder, context);
  const bundles = await context.bundles.getAll(served, request.signal);
  const bundled = findBundledModule(bundles, `${served.base}/-chunk/${packageUrl.path}`);
  if (bundled) return serveFacade(request, bundled, bundles, context);
  const body = await readBundledScript(built, packageUrl.path, served, bundles, context);
  return respondImmutable(
    request,
    { body, contentType: getContentType(packageUrl.path) },
    context.compressionCache,
  );
}

async function serveBundle(
  request: Request,
  packageUrl: ExactUrl,
  served: ServedPackage,
  context: ServeContext,
): Promise<Response> {
  const bundle = await context.bundles.get(served, request.signal);
  const files = bundle?.manifest.files ?? {};
  if (bundle === undefined || !Object.hasOwn(files, packageUrl.path.replace(/\.map$/, ''))) {
    throw new VitrineError(
      'package_subpath_not_found',
      `${packageUrl.name}/-join/${packageUrl.path}`,
    );
  }
  return serveFile(request, packageUrl, bundle.folder, context);
}

/**
 * Responds with a file. `packageUrl.path` was split by `parsePackageUrl`, so it has no `..`
 * segments.
 */
async function serveFile(
  request: Request,
  { name, path }: ExactUrl,
  folder: string,
  { compressionCache }: ServeContext,
): Promise<Response> {
  try {
    const body = await readFile(join(folder, path));
    const isMap = path.endsWith('.map');
    const contentType = isMap ? 'application/json; charset=utf-8' : getContentType(path);
    return await respondImmutable(request, { body, contentType }, compressionCache);
  } catch (error) {
    const isFolder = error instanceof Error && 'code' in error && error.code === 'EISDIR';
    if (!isNotFound(error) && !isFolder) throw error;
    throw new VitrineError('package_subpath_not_found', `${name}/-/${path}`);
  }
}
