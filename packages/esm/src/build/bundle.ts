/**
 * Builds a package: reads its files, and writes modules and a manifest. Runs in the child process.
 */
import { VitrineError } from '@vitrine/project/errors';
import { build, type Metafile } from 'esbuild';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { listEntries, listPatternOnlyFiles, type Entries } from './entries.ts';
import { commonOptions } from './esbuild-options.ts';
import { readLoadedFiles } from './loaded-files.ts';
import type { PackageMode } from '../lockfile/resolution-hash.ts';
import type { BuildRequest } from './manifest.ts';
import { planChunks } from './plan-chunks.ts';
import { findSideEffectFree, hasExports } from './side-effect-free.ts';
import { mergeChunks, readOutput } from './merge-chunks.ts';
import { createModuleReader, readyToRead, type ModuleReader } from './module-format.ts';
import { openPackageFiles, type PackageFiles } from './package-files.ts';
import { createOrderPlugin, facadePrefix, combinedPrefix } from './order-plugin.ts';
import { createPackagePlugin, entryPrefix, dynamicFacadeNamespace } from './package-plugin.ts';
import { resolveSubpath } from './resolve-specifier.ts';
import { newestSvelte } from './svelte-files.ts';
import { writeOutput, type BundledOutput } from './write-output.ts';
import type { BuildSubject } from './build-subject.ts';

/** Maximum number of reported imports, because the child's responses have a length limit. */
const maxReportedImports = 500;

/**
 * Builds the package in `folder` into the empty folder `output`.
 *
 * @param announce Called during a common build with the names of other packages that the main module
 * imports, according to its text.
 */
export async function bundlePackage(
  folder: string,
  output: string,
  request: BuildRequest,
  announce: (packages: readonly string[]) => void = () => undefined,
): Promise<void> {
  await readyToRead;
  const { files, reader, entries: common, inOrder } = openPackage(folder, request.mode);
  const entries = chooseEntries(files, request, common);
  const main = isCommonBuild(request) ? common.get('.') : undefined;
  if (main !== undefined) {
    const packages = readLoadedFiles(files, request.mode, reader).listPackages(main);
    announce([...packages].slice(0, maxReportedImports));
  }
  const subject: BuildSubject = {
    files,
    reader,
    mode: request.mode,
    svelte: request.svelte ?? newestSvelte,
    builtElsewhere: isSingleSubpath(request) ? mapFilesToSubpaths(common) : new Map(),
    inOrder: isCommonBuild(request) ? inOrder : new Set(),
    warnings: new Set(),
  };
  const built = await bundleBuildable(subject, request, entries);
  await writeOutput(output, subject, request, built.entries, built.names, built.bundled);
}

interface OpenedPackage extends ReturnType<typeof listEntries> {
  readonly folder: string;
  /** Time of the package.json: that of an installed package may be replaced by another version's. */
  readonly mtimeMs: number | undefined;
  readonly mode: PackageMode;
  readonly files: PackageFiles;
  readonly reader: ModuleReader;
}

/**
 * The package that was built last. A component library loads dozens of subpaths of its icons, each a build of its
 * own, and listing their thousands of entries takes most of a second.
 */
let latest: OpenedPackage | undefined;

/** Lists the files and entries of a package, unless it was the last one. */
function openPackage(folder: string, mode: PackageMode): OpenedPackage {
  const mtimeMs = statSync(join(folder, 'package.json'), { throwIfNoEntry: false })?.mtimeMs;
  if (latest?.folder === folder && latest.mtimeMs === mtimeMs && latest.mode === mode)
    return latest;
  const files = openPackageFiles(folder);
  const reader = createModuleReader(files, mode);
  latest = { folder, mtimeMs, mode, files, reader, ...listEntries(files, mode, reader) };
  return latest;
}

/**
 * Bundles the entries. When some of them can't be built but the main module can, they are left out,
 * and fail when they are requested on their own.
 */
async function bundleBuildable(subject: BuildSubject, request: BuildRequest, entries: Entries) {
  const names = nameOutputs(entries);
  try {
    return { entries, names, bundled: await runEsbuild(subject, request, entries, names) };
  } catch (error) {
    const buildable = isCommonBuild(request)
      ? removeBroken(subject, request, entries, error)
      : entries;
    if (buildable.size === entries.size || buildable.size === 0) {
      throw new VitrineError('package_build_failed', describeFailure(error));
    }
    subject.warnings.clear();
    return bundleBuildable(subject, request, buildable);
  }
}

/**
 * Entries that load none of the files that an error names. All entries when the main module fails.
 */
function removeBroken(
  { files, reader }: BuildSubject,
  { mode }: BuildRequest,
  entries: Entries,
  error: unknown,
): Entries {
  const broken = new Set(listFailures(error).flatMap(({ file }) => file ?? []));
  const { listLoaded } = readLoadedFiles(files, mode, reader);
  const isBuildable = ([, path]: readonly [string, string]) =>
    [...listLoaded(path)].every((loaded) => !broken.has(loaded));
  const buildable = new Map([...entries].filter(isBuildable));
  return entries.has('.') && !buildable.has('.') ? entries : buildable;
}

/** Whether a single subpath is built, as one file without chunks. */
function isSingleSubpath(request: BuildRequest): boolean {
  return request.subpath !== undefined;
}

function isCommonBuild(request: BuildRequest): boolean {
  return request.subpath === undefined && request.worker === undefined;
}

function chooseEntries(files: PackageFiles, request: BuildRequest, common: Entries): Entries {
  if (request.worker !== undefined) return new Map([['.', request.worker]]);
  if (request.subpath === undefined) {
    if (common.size > 0) return common;
    const reason = 'The package exports no module that a browser could load';
    throw new VitrineError('package_node_only', reason);
  }
  const file = resolveSubpath(files, request.mode, request.subpath);
  if (file !== undefined) return new Map([[request.subpath, file]]);
  const reason = `${request.name} has no ${request.subpath.slice(2)}`;
  throw new VitrineError('package_subpath_not_found', reason);
}

function mapFilesToSubpaths(entries: Entries): Map<string, string> {
  return new Map([...entries].toReversed().map(([subpath, file]) => [file, subpath]));
}

async function runEsbuild(
  subject: BuildSubject,
  request: BuildRequest,
  entries: Entries,
  names: ReadonlyMap<string, string>,
): Promise<BundledOutput> {
  const options = commonOptions(request.mode);
  const splitting = isCommonBuild(request);
  const ordered = prepareOrderedModules(subject, names, options.publicPath);
  const entryPoints = [...ordered.entryPoints];
  for (const [path, name] of names) {
    const prefix = ordered.parts.has(path) ? facadePrefix : entryPrefix;
    entryPoints.push({ in: prefix + path, out: name });
  }
  const plugins = [...ordered.plugins, createPackagePlugin(subject)];
  const result = await build({ ...options, entryPoints, splitting, plugins });
  const output = readOutput(result.outputFiles, result.metafile);
  const dynamicFacades = findDynamicFacades(output.metafile);
  if (!splitting) return { ...output, mergedFiles: new Map(), dynamicFacades };
  const file = (path: string) => `${names.get(path)}.js`;
  const reachable = listPatternOnlyFiles(subject.files, entries);
  const separateFiles = [...names.keys()].filter((path) => !ordered.parts.has(path));
  const sideEffectFree = await findSideEffectFree(subject, separateFiles);
  const groups = planChunks(output.metafile, {
    entries: [...names.keys()].map(file),
    hasMain: isMeaningfulMain(subject, entries.get('.')),
    sideEffectFree: new Set([...sideEffectFree].map(file)),
    named: new Set([...names.keys()].filter((path) => !reachable.has(path)).map(file)),
    isolated: ordered.parts.size > 0 ? [`${combinedName}.js`] : [],
    required: subject.files.json.required,
  });
  const merged = await mergeChunks(output, groups, options);
  const parts = [...ordered.parts].map(([path, part]) => [file(path), part] as const);
  return { ...merged, mergedFiles: new Map([...merged.mergedFiles, ...parts]), dynamicFacades };
}

/** Output file of a dynamic import's facade → file of the package. */
function findDynamicFacades({ outputs }: Metafile): Map<string, string> {
  const prefix = `${dynamicFacadeNamespace}:`;
  return new Map(
    Object.entries(outputs).flatMap(([file, { entryPoint }]) =>
      entryPoint?.startsWith(prefix) === true ? [[file, entryPoint.slice(prefix.length)]] : [],
    ),
  );
}

/**
 * Whether a main module shows what the package needs. A stub does not: one that only throws
 * (@noble/curves), or that exists because there must be one (`export default {}`).
 */
function isMeaningfulMain(subject: BuildSubject, main: string | undefined): boolean {
  if (main === undefined) return false;
  const { files, reader } = subject;
  if (reader.isCommonjs(main)) return true;
  const isStub =
    (files.sizes.get(main) ?? 0) <= stubBytes && reader.readImports(main).loaded.length === 0;
  return hasExports(subject, main) && !isStub;
}

const stubBytes = 200;

/** Entry points and plugins for modules that must run in order. Empty for most packages. */
function prepareOrderedModules(
  subject: BuildSubject,
  names: ReadonlyMap<string, string>,
  publicPath: string,
) {
  const paths = [...names.keys()].filter((path) => subject.inOrder.has(path));
  const parts = new Map(
    paths.map((path, index) => [path, { file: `${combinedName}.js`, suffix: `$${index}` }]),
  );
  if (parts.size === 0) return { parts, entryPoints: [], plugins: [] };
  const plugin = createOrderPlugin(subject, parts, `${publicPath}/${combinedName}.js`);
  return { parts, entryPoints: [{ in: combinedPrefix, out: combinedName }], plugins: [plugin] };
}

/** Name of the file with the modules in order. Merged chunks are named ~1, ~2, …. */
const combinedName = '~0';

/** File → name of its output module, after its first subpath: './a/b.js' → 'a_b.js'. */
function nameOutputs(entries: Entries): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const [subpath, path] of entries) {
    if (names.has(path)) continue;
    const plain = subpath === '.' ? 'index' : subpath.slice(2).replaceAll(/[^\w@.+-]+/g, '_');
    let name = plain;
    for (let count = 2; taken.has(name.toLowerCase()); count += 1) name = `${plain}~${count}`;
    taken.add(name.toLowerCase());
    names.set(path, name);
  }
  return names;
}

interface Failure {
  /** Path in the package. Undefined for errors in the builder's own code. */
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly text: string | undefined;
}

/** Errors that esbuild reports; empty for other errors. */
function listFailures(error: unknown): Failure[] {
  const errors: unknown = error instanceof Error && 'errors' in error ? error.errors : undefined;
  if (!Array.isArray(errors)) return [];
  return errors.map(
    (item: { text?: string; location?: { file?: string; line?: number } | null }) => {
      const file = /^(?:\.\.\/)*package:(.*)/.exec(item.location?.file ?? '')?.[1];
      return { file, line: item.location?.line, text: item.text };
    },
  );
}

function describeFailure(error: unknown): string {
  const failures = listFailures(error);
  if (failures.length === 0) return error instanceof Error ? error.message : String(error);
  const location = ({ file, line }: Failure) => (file === undefined ? [] : [file, line]);
  return failures
    .slice(0, 5)
    .map((failure) => [...location(failure), failure.text].filter(Boolean).join(':'))
    .join('\n');
}
