import type Arborist from '@npmcli/arborist';
import { isExactVersion, isPackageName, limits, VitrineError } from '@vitrine/project';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanFields } from './manifest-fields.ts';
import { areReadable, findUnreadable } from './shown-document.ts';
import { isRecord, readWishes, type ProjectWishes } from './specs.ts';

/** Reads a package's document, as `forResolver` gives it. */
export type ReadDocument = (name: string) => Promise<unknown>;

/** A host that is none: the resolver is given documents and never asks for one itself. */
const nowhere = 'https://registry.invalid/';

/**
 * package.json (and the lock so far) → the text of a package-lock.json, version 3, by npm's own
 * resolver. Nothing is unpacked or run. Throws codes of the catalogue.
 */
export async function resolveTree(options: {
  manifest: Readonly<Record<string, unknown>>;
  lock: string | undefined;
  /** These are taken anew. */
  update: readonly string[];
  readDocument: ReadDocument;
}): Promise<string> {
  const wishes = readWishes(options.manifest);
  // Half a second of computing, which a thread that only says where tarballs are need not do.
  const { default: Resolver } = await import('@npmcli/arborist');
  const outside = await mkdtemp(join(tmpdir(), 'vitrine-resolve-'));
  try {
    const folder = join(outside, 'project');
    await writeProject(folder, wishes, options.lock);
    const names = [...options.update];
    const tree = await new Resolver({
      path: folder,
      registry: nowhere,
      packumentCache: documentsAsCache(options.readDocument),
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
    throw explainFailure(error);
  } finally {
    await rm(outside, { recursive: true, force: true });
  }
}

/** The resolver reads files; these hold what was checked and nothing else of the project's. */
async function writeProject(
  folder: string,
  wishes: ProjectWishes,
  lock: string | undefined,
): Promise<void> {
  await mkdir(folder);
  const manifest = { name: 'project', ...wishes };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const kept = lock === undefined ? undefined : readKeptPlaces(lock);
  if (kept === undefined) return;
  const text = { name: 'project', lockfileVersion: 3, requires: true, packages: kept };
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

/** What of a lock may be kept: packages of the registry with their integrity. */
function readKeptPlaces(lock: string): Record<string, unknown> | undefined {
  const packages = parsePackages(lock);
  if (packages === undefined) return undefined;
  const places = Object.entries(packages).filter(
    ([place, fields]) => place.startsWith('node_modules/') && isRecord(fields),
  );
  if (places.length > limits.lockPackages) return undefined;
  const own = packages[''];
  const root = isRecord(own) && hasReadableWishes(own) ? pick(own, keptFields) : {};
  const kept = places.flatMap(([place, fields]) =>
    isRecord(fields) && isKept(place, fields) ? [[place, pick(fields, keptFields)]] : [],
  );
  return { '': root, ...Object.fromEntries(kept) };
}

function parsePackages(lock: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(lock);
    if (!isRecord(value)) return undefined;
    return isRecord(value['packages']) ? value['packages'] : undefined;
  } catch (error) {
    // A lock that cannot be read is made anew.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isKept(place: string, fields: Readonly<Record<string, unknown>>): boolean {
  const { name, version, integrity, link, inBundle } = fields;
  const own = typeof name === 'string' ? name : place.replace(/^.*node_modules\//, '');
  const isPlaced = place
    .split('/node_modules/')
    .every((part, index) =>
      isPackageName(index === 0 ? part.replace(/^node_modules\//, '') : part),
    );
  return (
    link !== true &&
    inBundle !== true &&
    isPlaced &&
    isPackageName(own) &&
    typeof version === 'string' &&
    isExactVersion(version) &&
    typeof integrity === 'string' &&
    hasReadableWishes(fields)
  );
}

function hasReadableWishes(fields: Readonly<Record<string, unknown>>): boolean {
  const { dependencies, optionalDependencies, peerDependencies } = fields;
  return [dependencies, optionalDependencies, peerDependencies].every(areReadable);
}

function pick(
  fields: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  return cleanFields(
    Object.fromEntries(
      names.filter((name) => Object.hasOwn(fields, name)).map((name) => [name, fields[name]]),
    ),
  );
}

/**
 * pacote looks into a cache before it asks a registry, under keys like
 * `full:https://registry.invalid/@scope%2fname`. This one has everything.
 */
function documentsAsCache(readDocument: ReadDocument) {
  const asked = new Set<string>();
  return {
    has: () => true,
    get: (key: string) => {
      const name = decodeURIComponent(key.slice(key.indexOf(nowhere) + nowhere.length));
      asked.add(name);
      if (asked.size > limits.lockPackages) throw new VitrineError('too_many_packages', name);
      const wish = findUnreadable(name);
      if (wish !== undefined) throw new VitrineError('package_spec_invalid', wish);
      return readDocument(name);
    },
    set: () => undefined,
    delete: () => undefined,
  };
}

function finishLock(tree: Arborist.Node): string {
  const text = String(tree.meta);
  const count = tree.inventory.size - 1;
  if (count > limits.lockPackages) {
    throw new VitrineError('too_many_packages', `${count} with all they bring along`);
  }
  return text;
}

const refusedSources = new Set([
  'EALLOWGIT',
  'EALLOWREMOTE',
  'EALLOWFILE',
  'EALLOWDIRECTORY',
  'EUNSUPPORTEDPROTOCOL',
]);

/** npm's errors in words of ours. */
function explainFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof VitrineError || !('code' in error)) {
    return error;
  }
  const { code } = error;
  if (code === 'ERESOLVE') {
    return new VitrineError('package_conflict', describeConflict(error), { cause: error });
  }
  if (code === 'ETARGET') return new VitrineError('package_version_not_found', targetOf(error));
  // It names systems that it runs on, and the server's is none of them.
  if (code === 'EBADPLATFORM') return new VitrineError('package_node_only', platformOf(error));
  if (code === 'EOVERRIDE') return new VitrineError('package_json_invalid', error.message);
  if (typeof code === 'string' && refusedSources.has(code)) {
    return new VitrineError('package_source_refused', wantedOf(error), { cause: error });
  }
  if (code === 'EINVALIDPACKAGENAME' || code === 'EINVALIDTAGNAME') {
    return new VitrineError('package_spec_invalid', error.message.slice(0, 200));
  }
  return error;
}

/** The package and the range that none of its versions fits: `three@^99`. */
function targetOf(error: Error): string {
  // npm-pick-manifest calls such an error by the package's name.
  const wanted = 'wanted' in error ? text(error.wanted) : '?';
  return `${text(error.name)}@${wanted}`;
}

/** What was asked for and is refused: `three@github:mrdoob/three.js`. */
function wantedOf(error: Error): string {
  const wanted = 'package' in error ? error.package : 'wanted' in error ? error.wanted : undefined;
  return (typeof wanted === 'string' ? wanted : error.message).slice(0, 200);
}

/** `fsevents@2.3.3 (darwin)`. */
function platformOf(error: Error): string {
  const { os, cpu, libc } = 'required' in error && isRecord(error.required) ? error.required : {};
  const systems = [os, cpu, libc].flat().filter((item) => typeof item === 'string');
  const name = 'pkgid' in error ? text(error.pkgid) : '?';
  return `${name} (${systems.join(', ').slice(0, 100)})`;
}

/** `react-old@1.0.0 wants react@^17, and react@19.3.1 is there`. */
function describeConflict(error: Error): string {
  const edge = 'edge' in error && isRecord(error.edge) ? error.edge : {};
  const from = isRecord(edge['from']) ? edge['from'] : {};
  const current = 'current' in error && isRecord(error.current) ? error.current : {};
  const who = from['name'] === undefined ? 'package.json' : title(from);
  return `${who} wants ${text(edge['name'])}@${text(edge['spec'])}, and ${title(current)} is there`;
}

function title(item: Readonly<Record<string, unknown>>): string {
  return `${text(item['name'])}@${text(item['version'])}`;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 100) : '?';
}
