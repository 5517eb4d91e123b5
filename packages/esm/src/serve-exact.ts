import { VitrineError } from '@vitrine/project';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExactAddress } from './address.ts';
import { answerForever, type CompressedForms } from './answers.ts';
import { joinAddress, standIn } from './build/join-manifest.ts';
import { contentTypeOf } from './content-types.ts';
import { listHints } from './hints.ts';
import { findJoined, leadToJoined, type Join } from './joined-imports.ts';
import type { Joins } from './joins.ts';
import { namesModule } from './link.ts';
import type { BuiltPackage } from './obtain.ts';
import { moduleAddress, type Placement } from './placement.ts';
import { entryAt, findEntry, parseNames, readLinked, type Builds } from './read-module.ts';
import { isAbsent } from './whole-file.ts';

/** What serving exact URLs needs. */
export interface ServeExact extends Builds {
  readonly joins: Joins;
  readonly forms: CompressedForms;
}

const scriptType = 'text/javascript; charset=utf-8';

/** Responds to an exact URL, and builds the package first if necessary. Throws VitrineErrors. */
export async function serveExact(
  request: Request,
  address: ExactAddress,
  served: Placement,
  context: ServeExact,
): Promise<Response> {
  const waitingContext: ServeExact = {
    ...context,
    obtainer: context.obtainer.awaitedBy(request.signal),
  };
  switch (address.part) {
    case 'raw':
      return serveFile(
        request,
        address,
        await waitingContext.obtainer.unpack(served.table),
        waitingContext,
      );
    case 'chunk':
      return serveChunk(request, address, served, waitingContext);
    case 'join':
      return serveBundle(request, address, served, waitingContext);
    case 'worker':
      // A worker is a realm of its own that loads modules only for itself, so it is served without
      // bundling.
      return serveModule(request, address, { ...served, family: undefined }, waitingContext);
    case 'module':
      return serveModule(request, address, served, waitingContext);
  }
}

async function serveModule(
  request: Request,
  address: ExactAddress,
  served: Placement,
  context: ServeExact,
): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const bundles = query.has('css') ? [] : await context.joins.obtainAll(served, request.signal);
  const { built, entry } = await findEntry(address, served, context);
  if (query.has('css')) {
    if (entry.style === undefined)
      throw new VitrineError('package_subpath_not_found', address.path);
    const body = Buffer.from(await readLinked(built, entry.style, served, context));
    return answerForever(request, { body, contentType: 'text/css; charset=utf-8' }, context.forms);
  }
  const own = moduleAddress(served, address.path);
  const names = parseNames(query.get('names'));
  if (names !== undefined) {
    const body = Buffer.from(namesModule(entry, own, names));
    return answerForever(request, { body, contentType: scriptType, hints: [own] }, context.forms);
  }
  // The main module may have several URLs (`x/index.js`).
  const isMain = entryAt(built, '.')?.file === entry.file;
  const joined = findJoined(bundles, isMain ? served.base : own);
  if (joined) return serveFacade(request, joined, bundles, context);
  const body = await readBundledScript(built, entry.file, served, bundles, context);
  const hints = redirectHints(await listHints(built, entry, served, context), bundles);
  return answerForever(request, { body, contentType: scriptType, hints }, context.forms);
}

/**
 * Replaces hints for bundled modules with their bundle files. Otherwise the code would be loaded
 * twice.
 */
function redirectHints(hints: readonly string[], bundles: readonly Join[]): string[] {
  const redirected = hints.map((hint) => {
    const { join, module } = findJoined(bundles, hint) ?? {};
    return join && module ? joinAddress(join.base, module.file) : hint;
  });
  return addImports(redirected, bundles);
}

/** Adds the files that the bundle files among the hints import. */
function addImports(hints: readonly string[], bundles: readonly Join[]): string[] {
  const all = new Set(hints);
  // Iterating over a Set includes the items that are added meanwhile.
  for (const hint of all) {
    for (const { base, manifest } of bundles) {
      const file =
        hint.startsWith(joinAddress(base, '')) && hint.slice(joinAddress(base, '').length);
      const imports = (file && manifest.files[file]) || [];
      for (const address of imports) all.add(address);
    }
  }
  return [...all];
}

async function readBundledScript(
  built: BuiltPackage,
  file: string,
  served: Placement,
  bundles: readonly Join[],
  context: ServeExact,
): Promise<Buffer> {
  return Buffer.from(leadToJoined(await readLinked(built, file, served, context), bundles));
}

/**
 * Responds with the facade of a bundled module, with hints for the bundle file that has its code.
 */
function serveFacade(
  request: Request,
  { join, module }: NonNullable<ReturnType<typeof findJoined>>,
  bundles: readonly Join[],
  context: ServeExact,
): Promise<Response> {
  const hints = addImports([joinAddress(join.base, module.file)], bundles);
  const body = Buffer.from(standIn(join.base, module));
  return answerForever(request, { body, contentType: scriptType, hints }, context.forms);
}

async function serveChunk(
  request: Request,
  address: ExactAddress,
  served: Placement,
  context: ServeExact,
): Promise<Response> {
  const built = await context.obtainer.build(served.table);
  if (address.path.endsWith('.map')) return serveFile(request, address, built.folder, context);
  const bundles = await context.joins.obtainAll(served, request.signal);
  const joined = findJoined(bundles, `${served.base}/-chunk/${address.path}`);
  if (joined) return serveFacade(request, joined, bundles, context);
  const body = await readBundledScript(built, address.path, served, bundles, context);
  return answerForever(request, { body, contentType: contentTypeOf(address.path) }, context.forms);
}

async function serveBundle(
  request: Request,
  address: ExactAddress,
  served: Placement,
  context: ServeExact,
): Promise<Response> {
  const bundle = await context.joins.obtain(served, request.signal);
  const files = bundle?.manifest.files ?? {};
  if (bundle === undefined || !Object.hasOwn(files, address.path.replace(/\.map$/, ''))) {
    throw new VitrineError('package_subpath_not_found', `${address.name}/-join/${address.path}`);
  }
  return serveFile(request, address, bundle.folder, context);
}

/**
 * Responds with a file. `address.path` was split by `parsePackageUrl`, so it has no segment that
 * climbs.
 */
async function serveFile(
  request: Request,
  { name, path }: ExactAddress,
  folder: string,
  { forms }: ServeExact,
): Promise<Response> {
  try {
    const body = await readFile(join(folder, path));
    const isMap = path.endsWith('.map');
    const contentType = isMap ? 'application/json; charset=utf-8' : contentTypeOf(path);
    return await answerForever(request, { body, contentType }, forms);
  } catch (error) {
    const isFolder = error instanceof Error && 'code' in error && error.code === 'EISDIR';
    if (!isAbsent(error) && !isFolder) throw error;
    throw new VitrineError('package_subpath_not_found', `${name}/-/${path}`);
  }
}
