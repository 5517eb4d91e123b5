/** One build of a package: its files in, modules and a manifest out. Runs in the child process. */
import { build, type BuildOptions, type BuildResult, type Metafile } from 'esbuild';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listEntries, type Entries } from './entries.ts';
import { writeEntryModule } from './entry-module.ts';
import type { Mode } from './exports-field.ts';
import { builderGeneration, type BuildManifest, type BuildRequest, type BuiltEntry } from './manifest.ts';
import { createModuleReader, readyToRead } from './module-format.ts';
import { openPackageFiles } from './package-files.ts';
import { findPlaceholders } from './placeholders.ts';
import { createPlugin, entryPrefix, type BuildSubject } from './plugin.ts';
import { resolveSubpath } from './resolve-specifier.ts';
import { writeStyleSheet } from './styles.ts';

/** A package that cannot be built, with the catalogue's code and the reason for "details". */
export class BuildError extends Error {
  readonly code: 'package_build_failed' | 'package_for_node' | 'package_subpath_not_found';
  constructor(code: BuildError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Builds the package in `folder` into `output`, an empty folder. */
export async function bundlePackage(folder: string, output: string, request: BuildRequest): Promise<void> {
  await readyToRead;
  const files = openPackageFiles(folder);
  const reader = createModuleReader(files, request.mode);
  const common = listEntries(files, request.mode);
  const entries = chooseEntries(files, request, common);
  const elsewhere = request.subpath === undefined ? [] : [...common].map(([subpath, file]) => [file, subpath] as const);
  const subject = { files, reader, mode: request.mode, elsewhere: new Map(elsewhere), warnings: new Set<string>() };
  const result = await runEsbuild(subject, request, entries);
  await writeOutput(output, subject, request, entries, result);
}

function chooseEntries(files: BuildSubject['files'], request: BuildRequest, common: Entries): Entries {
  if (request.worker !== undefined) return new Map([['.', request.worker]]);
  if (request.subpath === undefined) {
    if (common.size > 0) return common;
    throw new BuildError('package_for_node', 'The package exports no module that a browser could load');
  }
  const file = resolveSubpath(files, request.mode, request.subpath);
  if (file !== undefined) return new Map([[request.subpath, file]]);
  throw new BuildError('package_subpath_not_found', `${request.name} has no ${request.subpath.slice(2)}`);
}

async function runEsbuild(subject: BuildSubject, request: BuildRequest, entries: Entries) {
  const alone = request.subpath !== undefined || request.worker !== undefined;
  const names = outputNames(entries.keys());
  try {
    return await build({
      ...commonOptions(request.mode),
      entryPoints: [...entries].map(([subpath, file]) => ({ in: entryPrefix + file, out: names.get(subpath) ?? '' })),
      splitting: !alone,
      plugins: [createPlugin(subject)],
    });
  } catch (error) {
    throw new BuildError('package_build_failed', describeFailure(error));
  }
}

function commonOptions(mode: Mode) {
  return {
    bundle: true,
    write: false,
    metafile: true,
    absWorkingDir: '/',
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    supported: { 'top-level-await': true },
    charset: 'utf8',
    outdir: '/',
    entryNames: '[dir]/[name]',
    chunkNames: 'c-[hash]',
    publicPath: 'vitrine-base:/-chunk',
    sourcemap: 'linked',
    jsx: 'automatic',
    tsconfigRaw: {},
    logLevel: 'silent',
    minifySyntax: mode === 'production',
    minifyIdentifiers: mode === 'production',
    define: {
      'process.env.NODE_ENV': JSON.stringify(mode),
      'process.env': JSON.stringify({ NODE_ENV: mode }),
      'process.browser': 'true',
      global: 'globalThis',
      __dirname: '"/"',
      __filename: '"/index.js"',
    },
  } satisfies BuildOptions;
}

/** './a/b.js' → 'a/b.js' as a file name that no other entry has. */
function outputNames(subpaths: Iterable<string>): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const subpath of subpaths) {
    const plain = subpath === '.' ? 'index' : subpath.slice(2).replace(/[^\w@.+-]+/g, '_');
    let name = plain;
    for (let count = 2; taken.has(name.toLowerCase()); count += 1) name = `${plain}~${count}`;
    taken.add(name.toLowerCase());
    names.set(subpath, name);
  }
  return names;
}

type Built = BuildResult<{ metafile: true; write: false }>;

async function writeOutput(
  output: string,
  subject: BuildSubject,
  request: BuildRequest,
  entries: Entries,
  result: Built,
) {
  const modules: Record<string, BuildManifest['modules'][string]> = {};
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(output, file)), { recursive: true });
    writeFileSync(join(output, file), text);
    if (file.endsWith('.map')) return;
    modules[file] = { bytes: Buffer.byteLength(text), placeholders: findPlaceholders(text) };
  };
  for (const { path, text } of result.outputFiles) {
    const file = path.slice(1);
    write(file, file.endsWith('.map') ? mapToFiles(text) : text);
  }
  const built: Record<string, BuiltEntry> = {};
  const names = outputNames(entries.keys());
  for (const [subpath, path] of entries) {
    const file = `${names.get(subpath)}.js`;
    built[subpath] = await describeEntry(subject, path, file, result.metafile, write);
  }
  const { name, version, mode } = request;
  const warnings = [...subject.warnings];
  const manifest: BuildManifest = {
    generation: builderGeneration,
    name,
    version,
    mode,
    entries: built,
    modules,
    warnings,
  };
  writeFileSync(join(output, 'manifest.json'), JSON.stringify(manifest));
}

async function describeEntry(
  subject: BuildSubject,
  path: string,
  file: string,
  metafile: Metafile,
  write: (file: string, text: string) => void,
): Promise<BuiltEntry> {
  const { commonjs, hidesNames } = writeEntryModule(subject.files, subject.reader, path);
  const exports = metafile.outputs[file]?.exports ?? [];
  const names = exports.filter((name) => name !== 'default' && name !== 'module.exports');
  const hasDefault = exports.includes('default');
  const chunks = chunksOf(metafile, file);
  const entry = { file, commonjs, hasDefault, names, hidesNames, chunks };
  if (!path.endsWith('.css')) return entry;
  const style = file.replace(/\.js$/, '.style');
  write(style, await writeStyleSheet(subject, path));
  return { ...entry, style };
}

/** The files that a module loads with it, itself not among them. */
function chunksOf(metafile: Metafile, file: string): string[] {
  const seen = new Set([file]);
  for (const at of seen) {
    for (const item of metafile.outputs[at]?.imports ?? []) {
      const own = item.path.replace(/^vitrine-base:\/-chunk\//, '');
      if (item.kind === 'import-statement' && metafile.outputs[own]) seen.add(own);
    }
  }
  return [...seen].slice(1);
}

/** Sources named as the files of the package, so that a debugger shows them as published. */
function mapToFiles(text: string): string {
  return text.replaceAll('"package:', '"');
}

function describeFailure(error: unknown): string {
  const errors: unknown = error instanceof Error && 'errors' in error ? error.errors : undefined;
  if (!Array.isArray(errors)) return error instanceof Error ? error.message : String(error);
  return errors
    .slice(0, 5)
    .map((item: { text?: string; location?: { file?: string; line?: number } | null }) =>
      [item.location?.file?.replace(/^package:/, ''), item.location?.line, item.text].filter(Boolean).join(':'),
    )
    .join('\n');
}
