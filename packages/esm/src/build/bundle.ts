/** One build of a package: its files in, modules and a manifest out. Runs in the child process. */
import { VitrineError } from '@vitrine/project/errors';
import { build, type Metafile } from 'esbuild';
import { listEntries, listMerelyReachable, type Entries } from './entries.ts';
import { commonOptions } from './esbuild-options.ts';
import { readLoadedFiles } from './loaded-files.ts';
import type { BuildRequest } from './manifest.ts';
import { chooseGroups } from './choose-groups.ts';
import { findHarmless, hasExports } from './harmless.ts';
import { mergeChunks, outputOf } from './merge-chunks.ts';
import { createModuleReader, readyToRead } from './module-format.ts';
import { openPackageFiles, type PackageFiles } from './package-files.ts';
import { createOrderPlugin, standInPrefix, wholePrefix } from './order-plugin.ts';
import { createPlugin, entryPrefix, lazyNamespace, type BuildSubject } from './plugin.ts';
import { resolveSubpath } from './resolve-specifier.ts';
import { writeOutput, type BundledOutput } from './write-output.ts';

/** An answer of the child has a greatest length. */
const maxAnnounced = 500;

/**
 * Builds the package in `folder` into `output`, an empty folder. Of a common build `announce` is told
 * beforehand what other packages the main module imports, as far as its text says.
 */
export async function bundlePackage(
  folder: string,
  output: string,
  request: BuildRequest,
  announce: (packages: readonly string[]) => void = () => undefined,
): Promise<void> {
  await readyToRead;
  const files = openPackageFiles(folder);
  const reader = createModuleReader(files, request.mode);
  const { entries: common, inOrder } = listEntries(files, request.mode, reader);
  const entries = chooseEntries(files, request, common);
  const main = isCommon(request) ? common.get('.') : undefined;
  if (main !== undefined) {
    const packages = readLoadedFiles(files, request.mode, reader).listPackages(main);
    announce([...packages].slice(0, maxAnnounced));
  }
  const subject: BuildSubject = {
    files,
    reader,
    mode: request.mode,
    elsewhere: isAlone(request) ? filesToSubpaths(common) : new Map(),
    inOrder: isCommon(request) ? inOrder : new Set(),
    warnings: new Set(),
  };
  const built = await bundleEntries(subject, request, entries);
  await writeOutput(output, subject, request, built.entries, built.names, built.bundled);
}

/** An entry that cannot be built, beside a main module that can, is left to fail alone when asked for. */
async function bundleEntries(subject: BuildSubject, request: BuildRequest, entries: Entries) {
  const names = outputNames(entries);
  try {
    return { entries, names, bundled: await runEsbuild(subject, request, entries, names) };
  } catch (error) {
    const whole = isCommon(request) ? withoutBroken(subject, request, entries, error) : entries;
    if (whole.size === entries.size || whole.size === 0) {
      throw new VitrineError('package_build_failed', describeFailure(error));
    }
    subject.warnings.clear();
    return bundleEntries(subject, request, whole);
  }
}

/** Those that load nothing of what an error names; all of them where the main module does. */
function withoutBroken(
  { files, reader }: BuildSubject,
  { mode }: BuildRequest,
  entries: Entries,
  error: unknown,
): Entries {
  const broken = new Set(listFailures(error).flatMap(({ file }) => file ?? []));
  const { listLoaded } = readLoadedFiles(files, mode, reader);
  const isWhole = ([, path]: readonly [string, string]) =>
    [...listLoaded(path)].every((loaded) => !broken.has(loaded));
  const whole = new Map([...entries].filter(isWhole));
  return entries.has('.') && !whole.has('.') ? entries : whole;
}

/** A subpath on demand, or a worker: one file without chunks. */
function isAlone(request: BuildRequest): boolean {
  return request.subpath !== undefined;
}

function isCommon(request: BuildRequest): boolean {
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

function filesToSubpaths(entries: Entries): Map<string, string> {
  return new Map([...entries].reverse().map(([subpath, file]) => [file, subpath]));
}

async function runEsbuild(
  subject: BuildSubject,
  request: BuildRequest,
  entries: Entries,
  names: ReadonlyMap<string, string>,
): Promise<BundledOutput> {
  const options = commonOptions(request.mode);
  const splitting = isCommon(request);
  const ordered = orderParts(subject, names, options.publicPath);
  const entryPoints = [...ordered.entryPoints];
  for (const [path, name] of names) {
    const prefix = ordered.parts.has(path) ? standInPrefix : entryPrefix;
    entryPoints.push({ in: prefix + path, out: name });
  }
  const plugins = [...ordered.plugins, createPlugin(subject)];
  const result = await build({ ...options, entryPoints, splitting, plugins });
  const output = outputOf(result.outputFiles, result.metafile);
  const lazy = findLazy(output.metafile);
  if (!splitting) return { ...output, joined: new Map(), lazy };
  const file = (path: string) => `${names.get(path)}.js`;
  const reachable = listMerelyReachable(subject.files, entries);
  const own = [...names.keys()].filter((path) => !ordered.parts.has(path));
  const harmless = await findHarmless(subject, own);
  const groups = chooseGroups(output.metafile, {
    entries: [...names.keys()].map(file),
    hasMain: saysWhatIsThere(subject, entries.get('.')),
    harmless: new Set([...harmless].map(file)),
    named: new Set([...names.keys()].filter((path) => !reachable.has(path)).map(file)),
    apart: ordered.parts.size > 0 ? [`${whole}.js`] : [],
    required: subject.files.json.required,
  });
  const merged = await mergeChunks(output, groups, options);
  const parts = [...ordered.parts].map(([path, part]) => [file(path), part] as const);
  return { ...merged, joined: new Map([...merged.joined, ...parts]), lazy };
}

/** Files that stand for what is imported dynamically → that file of the package. */
function findLazy({ outputs }: Metafile): Map<string, string> {
  const prefix = `${lazyNamespace}:`;
  return new Map(
    Object.entries(outputs).flatMap(([file, { entryPoint }]) =>
      entryPoint?.startsWith(prefix) === true ? [[file, entryPoint.slice(prefix.length)]] : [],
    ),
  );
}

/**
 * Of a main module that only refuses to be one (@noble/curves), or is there because there must be one
 * (`export default {}`), what it imports says nothing.
 */
function saysWhatIsThere(subject: BuildSubject, main: string | undefined): boolean {
  if (main === undefined) return false;
  const { files, reader } = subject;
  if (reader.isCommonjs(main)) return true;
  const isStub =
    (files.sizes.get(main) ?? 0) <= stubBytes && reader.readImports(main).loaded.length === 0;
  return hasExports(subject, main) && !isStub;
}

const stubBytes = 200;

/** What esbuild is to be told of files in order: nothing where there are none. */
function orderParts(
  subject: BuildSubject,
  names: ReadonlyMap<string, string>,
  publicPath: string,
) {
  const paths = [...names.keys()].filter((path) => subject.inOrder.has(path));
  const parts = new Map(
    paths.map((path, index) => [path, { file: `${whole}.js`, suffix: `$${index}` }]),
  );
  if (parts.size === 0) return { parts, entryPoints: [], plugins: [] };
  const plugin = createOrderPlugin(subject, parts, `${publicPath}/${whole}.js`);
  return { parts, entryPoints: [{ in: wholePrefix, out: whole }], plugins: [plugin] };
}

/** Beside ~1, ~2, …, the files that chunks are joined into. */
const whole = '~0';

/** File → the name of its module in the output: of its first subpath, './a/b.js' → 'a_b.js'. */
function outputNames(entries: Entries): Map<string, string> {
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
  /** Of the package: an error of the builder's own has its place in the builder. */
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly text: string | undefined;
}

/** What esbuild says is wrong; nothing for an error of another kind. */
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
  const place = ({ file, line }: Failure) => (file === undefined ? [] : [file, line]);
  return failures
    .slice(0, 5)
    .map((failure) => [...place(failure), failure.text].filter(Boolean).join(':'))
    .join('\n');
}
