/** One build of a package: its files in, modules and a manifest out. Runs in the child process. */
import { VitrineError } from '@vitrine/project/errors';
import { build } from 'esbuild';
import { listEntries, listMerelyReachable, type Entries } from './entries.ts';
import { commonOptions } from './esbuild-options.ts';
import type { BuildRequest } from './manifest.ts';
import { chooseGroups } from './choose-groups.ts';
import { findHarmless, hasExports } from './harmless.ts';
import { mergeChunks, outputOf, type MergedOutput } from './merge-chunks.ts';
import { createModuleReader, readyToRead } from './module-format.ts';
import { openPackageFiles, type PackageFiles } from './package-files.ts';
import { createOrderPlugin, standInPrefix, wholePrefix } from './order-plugin.ts';
import { createPlugin, entryPrefix, type BuildSubject } from './plugin.ts';
import { resolveSubpath } from './resolve-specifier.ts';
import { writeOutput } from './write-output.ts';

/** Builds the package in `folder` into `output`, an empty folder. */
export async function bundlePackage(
  folder: string,
  output: string,
  request: BuildRequest,
): Promise<void> {
  await readyToRead;
  const files = openPackageFiles(folder);
  const reader = createModuleReader(files, request.mode);
  const { entries: common, inOrder } = listEntries(files, request.mode, reader);
  const entries = chooseEntries(files, request, common);
  const subject: BuildSubject = {
    files,
    reader,
    mode: request.mode,
    elsewhere: isAlone(request) ? filesToSubpaths(common) : new Map(),
    inOrder: isCommon(request) ? inOrder : new Set(),
    warnings: new Set(),
  };
  const names = outputNames(entries);
  const bundled = await runEsbuild(subject, request, entries, names);
  await writeOutput(output, subject, request, entries, names, bundled);
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
): Promise<MergedOutput> {
  const options = commonOptions(request.mode);
  const splitting = isCommon(request);
  try {
    const ordered = orderParts(subject, names, options.publicPath);
    const entryPoints = [...ordered.entryPoints];
    for (const [path, name] of names) {
      const prefix = ordered.parts.has(path) ? standInPrefix : entryPrefix;
      entryPoints.push({ in: prefix + path, out: name });
    }
    const plugins = [...ordered.plugins, createPlugin(subject)];
    const result = await build({ ...options, entryPoints, splitting, plugins });
    const output = outputOf(result.outputFiles, result.metafile);
    if (!splitting) return { ...output, joined: new Map() };
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
    return { ...merged, joined: new Map([...merged.joined, ...parts]) };
  } catch (error) {
    throw new VitrineError('package_build_failed', describeFailure(error));
  }
}

/** Of a main module that only refuses to be one (@noble/curves), what it imports says nothing. */
function saysWhatIsThere(subject: BuildSubject, main: string | undefined): boolean {
  return main !== undefined && (subject.reader.isCommonjs(main) || hasExports(subject, main));
}

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

function describeFailure(error: unknown): string {
  const errors: unknown = error instanceof Error && 'errors' in error ? error.errors : undefined;
  if (!Array.isArray(errors)) return error instanceof Error ? error.message : String(error);
  return errors
    .slice(0, 5)
    .map((item: { text?: string; location?: { file?: string; line?: number } | null }) => {
      const file = item.location?.file?.replace(/^(?:\.\.\/)*package:/, '');
      return [file, item.location?.line, item.text].filter(Boolean).join(':');
    })
    .join('\n');
}
