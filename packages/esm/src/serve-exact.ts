import { packageNameOf, VitrineError, type LinkTable } from '@vitrine/project';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExactAddress } from './address.ts';
import { answerForever, type CompressedForms } from './answers.ts';
import type { BuiltEntry, BuiltModule } from './build/manifest.ts';
import { contentTypeOf } from './content-types.ts';
import { linkModule, namesModule } from './link.ts';
import type { BuiltPackage, Obtainer } from './obtain.ts';
import { builtinsAddress } from './builtins.ts';
import { isAbsent } from './whole-file.ts';

export interface ServeExact {
  readonly obtainer: Obtainer;
  readonly findTable: (link: string) => Promise<LinkTable | undefined>;
  readonly builtins: LinkTable;
  readonly forms: CompressedForms;
}

const script = 'text/javascript; charset=utf-8';

/** Answers an exact address, building the package first where nobody did. Throws VitrineErrors. */
export async function serveExact(
  request: Request,
  address: ExactAddress,
  table: LinkTable,
  context: ServeExact,
): Promise<Response> {
  if (address.part === 'raw') return serveRaw(request, address, table, context);
  if (address.part === 'chunk') return serveChunk(request, address, table, context);
  const query = new URL(request.url).searchParams;
  const { built, entry } = await findEntry(address, table, context);
  if (query.has('css')) {
    if (entry.style === undefined)
      throw new VitrineError('package_subpath_not_found', address.path);
    const body = await readLinked(built, entry.style, address, table, context);
    return answerForever(request, { body, contentType: 'text/css; charset=utf-8' }, context.forms);
  }
  const names = parseNames(query.get('names'));
  if (names !== undefined) {
    const own = moduleAddress(address);
    const body = Buffer.from(namesModule(entry, own, names));
    return answerForever(request, { body, contentType: script, hints: [own] }, context.forms);
  }
  const body = await readLinked(built, entry.file, address, table, context);
  const hints = await listHints(built, entry, address, table, context);
  return answerForever(request, { body, contentType: script, hints }, context.forms);
}

/** `.` → ``, `./client` → `/client`, each part encoded again. */
function moduleAddress({ base, path }: ExactAddress): string {
  const hidden = base === builtinsAddress ? 2 : 1;
  const parts = path.split('/').slice(hidden);
  return base + parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}

const namesMax = 1_000;

/** What may follow `?names=`: identifiers, each as it would stand in an import. */
function parseNames(text: string | null): string[] | undefined {
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

async function findEntry(
  address: ExactAddress,
  table: LinkTable,
  { obtainer }: ServeExact,
): Promise<{ built: BuiltPackage; entry: BuiltEntry }> {
  if (address.part === 'worker') {
    return requireEntry(await obtainer.build(table, { worker: address.path }), '.', address);
  }
  const common = await buildCommon(address, table, obtainer);
  if (common !== undefined && Object.hasOwn(common.manifest.entries, address.path)) {
    return requireEntry(common, address.path, address);
  }
  const own = await obtainer.build(table, { subpath: address.path });
  return requireEntry(own, address.path, address);
}

/** A package whose main module cannot be built may still have subpaths that can. */
async function buildCommon(address: ExactAddress, table: LinkTable, obtainer: Obtainer) {
  try {
    return await obtainer.build(table);
  } catch (error) {
    const isOfBuild = error instanceof VitrineError && buildFailures.has(error.code);
    if (!isOfBuild || address.path === '.') throw error;
    return undefined;
  }
}

const buildFailures = new Set([
  'package_build_failed',
  'package_node_only',
  'package_subpath_not_found',
]);

function requireEntry(built: BuiltPackage, path: string, address: ExactAddress) {
  const { entries } = built.manifest;
  const entry = Object.hasOwn(entries, path) ? entries[path] : Object.values(entries)[0];
  if (entry === undefined) {
    throw new VitrineError('package_subpath_not_found', `${address.name}${address.path.slice(1)}`);
  }
  return { built, entry };
}

async function serveChunk(
  request: Request,
  address: ExactAddress,
  table: LinkTable,
  context: ServeExact,
): Promise<Response> {
  const built = await context.obtainer.build(table);
  const isMap = address.path.endsWith('.map');
  const body = isMap
    ? await readInside(built.folder, address)
    : await readLinked(built, address.path, address, table, context);
  const contentType = isMap ? 'application/json; charset=utf-8' : contentTypeOf(address.path);
  return answerForever(request, { body, contentType }, context.forms);
}

async function serveRaw(
  request: Request,
  address: ExactAddress,
  table: LinkTable,
  context: ServeExact,
): Promise<Response> {
  const folder = await context.obtainer.unpack(table);
  const body = await readInside(folder, address);
  return answerForever(request, { body, contentType: contentTypeOf(address.path) }, context.forms);
}

/** `address.path` was taken apart by `parsePackageAddress`: it has no part that climbs. */
async function readInside(folder: string, { name, path }: ExactAddress): Promise<Buffer> {
  try {
    return await readFile(join(folder, path));
  } catch (error) {
    const isFolder = error instanceof Error && 'code' in error && error.code === 'EISDIR';
    if (!isAbsent(error) && !isFolder) throw error;
    throw new VitrineError('package_subpath_not_found', `${name}/-/${path}`);
  }
}

/** A built module with its placeholders replaced by what they mean in this table. */
async function readLinked(
  built: BuiltPackage,
  file: string,
  address: ExactAddress,
  table: LinkTable,
  context: ServeExact,
): Promise<Buffer> {
  const module = ownModule(built, file);
  if (module === undefined) {
    throw new VitrineError('package_subpath_not_found', `${address.name}/${file}`);
  }
  const text = await readFile(join(built.folder, file), 'utf8');
  const entries = await findEntries(module, table, context);
  const linked = linkModule(text, module.placeholders, {
    base: address.base,
    builtins: builtinsAddress,
    findBase: (name) => baseOf(table, name),
    findEntry: (specifier) => entries.get(specifier),
  });
  return Buffer.from(linked);
}

function ownModule({ manifest }: BuiltPackage, file: string): BuiltModule | undefined {
  return Object.hasOwn(manifest.modules, file) ? manifest.modules[file] : undefined;
}

function baseOf(table: LinkTable, name: string): string | undefined {
  const target = Object.hasOwn(table.dependencies, name) ? table.dependencies[name] : undefined;
  return typeof target === 'string' ? `/npm/${target}` : undefined;
}

/**
 * What the modules are that this one takes names from. Their packages are built for that, which the
 * browser is about to ask for anyway; one that cannot be built is linked without being known.
 */
async function findEntries(
  { placeholders }: BuiltModule,
  table: LinkTable,
  context: ServeExact,
): Promise<Map<string, BuiltEntry>> {
  const wanted = placeholders.flatMap(({ specifier, statement, members }) =>
    specifier === undefined || (statement ?? members) === undefined ? [] : [specifier],
  );
  const found = new Map<string, BuiltEntry>();
  await Promise.all(
    [...new Set(wanted)].map(async (specifier) => {
      const foreign = await findForeign(specifier, table, context);
      const built = foreign && (await context.obtainer.build(foreign.table).catch(unlessOurs));
      const entry = built && entryAt(built, foreign.path);
      if (entry !== undefined) found.set(specifier, entry);
    }),
  );
  return found;
}

interface ForeignModule {
  readonly base: string;
  readonly table: LinkTable;
  /** Among the entries of its package's manifest. */
  readonly path: string;
}

/** What a specifier in a built module means; undefined for a package that is absent. */
async function findForeign(
  specifier: string,
  table: LinkTable,
  { findTable, builtins }: ServeExact,
): Promise<ForeignModule | undefined> {
  if (specifier.startsWith('node:')) {
    const path = `./nodelibs/${specifier.slice('node:'.length)}`;
    return { base: builtinsAddress, table: builtins, path };
  }
  const name = packageNameOf(specifier) ?? specifier;
  const base = baseOf(table, name);
  const other = base === undefined ? undefined : await findTable(base.replace(/^.*~/, ''));
  if (base === undefined || other === undefined) return undefined;
  const subpath = specifier.slice(name.length);
  return { base, table: other, path: subpath === '' ? '.' : `.${subpath}` };
}

function entryAt({ manifest }: BuiltPackage, path: string): BuiltEntry | undefined {
  return Object.hasOwn(manifest.entries, path) ? manifest.entries[path] : undefined;
}

function unlessOurs(error: unknown): undefined {
  if (!(error instanceof VitrineError)) throw error;
}

const hintsMax = 40;

/**
 * Addresses that a browser will ask for once it has read this module: its package's chunks, and what
 * it imports of other packages, and what these import, as far as they are built.
 */
async function listHints(
  built: BuiltPackage,
  entry: BuiltEntry,
  address: ExactAddress,
  table: LinkTable,
  context: ServeExact,
): Promise<string[]> {
  const hints = new Set(entry.chunks.map((file) => `${address.base}/-chunk/${file}`));
  const queue = [{ built, entry, table }];
  for (const { built: from, entry: of, table: own } of queue) {
    for (const [specifier, takesNames] of listImports(from, of)) {
      if (hints.size >= hintsMax) break;
      const foreign = await findForeign(specifier, own, context);
      const other = foreign && (await findOrStart(foreign.table, context));
      const next = other && entryAt(other, foreign.path);
      if (foreign === undefined || other === undefined || next === undefined) continue;
      const hint = hintAt(foreign, specifier, takesNames, next);
      if (hint === undefined || hints.has(hint)) continue;
      hints.add(hint);
      for (const file of next.chunks) hints.add(`${foreign.base}/-chunk/${file}`);
      queue.push({ built: other, entry: next, table: foreign.table });
    }
  }
  return [...hints].slice(0, hintsMax);
}

/** A build that is there; one that is not is started, for the browser will ask for it. */
async function findOrStart(table: LinkTable, { obtainer }: ServeExact) {
  const built = await obtainer.findBuilt(table);
  // Whoever asks for it hears of the failure.
  if (built === undefined) obtainer.build(table).catch(() => undefined);
  return built;
}

/** What a module and its chunks import at once → whether it takes names from it. */
function listImports(built: BuiltPackage, { file, chunks }: BuiltEntry): Map<string, boolean> {
  const imports = new Map<string, boolean>();
  for (const each of [file, ...chunks]) {
    for (const { specifier, how, statement } of ownModule(built, each)?.placeholders ?? []) {
      if (specifier === undefined || how === 'dynamic') continue;
      imports.set(specifier, imports.get(specifier) === true || statement !== undefined);
    }
  }
  return imports;
}

/** Where `linkModule` leads an import; undefined when that depends on the names themselves. */
function hintAt(
  { base, path }: ForeignModule,
  specifier: string,
  takesNames: boolean,
  entry: BuiltEntry,
): string | undefined {
  if (takesNames && entry.hidesNames) return undefined;
  if (takesNames && entry.joined) return `${base}/-chunk/${entry.joined.file}`;
  if (specifier.startsWith('node:')) return `${base}/${specifier.slice('node:'.length)}`;
  return base + path.slice(1);
}
