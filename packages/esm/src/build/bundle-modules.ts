/*
 * Bundles modules of several packages into fewer files. Which modules go into which file was decided
 * before (group-modules.ts), and each module keeps its meaning. Runs in the child process, and reads
 * no files except for the given source maps.
 */
import { parse } from 'es-module-lexer';
import { build, type OnResolveArgs, type Plugin } from 'esbuild';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PackageMode } from '../lockfile/resolution-hash.ts';
import { commonOptions } from './esbuild-options.ts';
import { writeFacade, type BundledModule, type BundleManifest } from './bundle-manifest.ts';
import { listExportNames } from './export-names.ts';

/** Request to bundle the modules of a package group. */
export interface BundleRequest {
  readonly mode: PackageMode;
  /** Base URL of the group's root package. */
  readonly base: string;
  /** Modules in the order in which they would run. */
  readonly modules: readonly ModuleToBundle[];
}

/** A module of a package group, linked, with the bundle file that it goes into. */
export interface ModuleToBundle {
  readonly url: string;
  readonly text: string;
  /** File of its source map. */
  readonly map?: string;
  /** Bundle file that it goes into: '1.js'. */
  readonly file: string;
}

/** Writes the bundle files, their source maps and `manifest.json` into an empty folder. */
export async function bundleModules(output: string, request: BundleRequest): Promise<void> {
  const modules = describeModules(request.modules);
  const files = [...new Set(request.modules.map(({ file }) => file))];
  const result = await build({
    ...commonOptions(request.mode),
    splitting: false,
    define: {},
    // Next to their source maps.
    publicPath: `${request.base}/-join`,
    entryPoints: files.map((file) => ({ in: `join:${file}`, out: file.replace(/\.js$/, '') })),
    plugins: [createBundlePlugin(request, modules)],
  });
  const imports: Record<string, string[]> = {};
  mkdirSync(output, { recursive: true });
  for (const { path, text } of result.outputFiles) {
    const name = path.slice(1);
    writeFileSync(join(output, name), text);
    if (!name.endsWith('.js')) continue;
    const outside = result.metafile.outputs[name]?.imports ?? [];
    const loaded = outside.filter(({ kind }) => kind === 'import-statement');
    imports[name] = [...new Set(loaded.map((item) => item.path))];
  }
  const manifest: BundleManifest = { modules: Object.fromEntries(modules), files: imports };
  writeFileSync(join(output, 'manifest.json'), JSON.stringify(manifest));
}

/** Names that each module's exports have in its bundle file. */
function describeModules(modules: readonly ModuleToBundle[]): Map<string, BundledModule> {
  const found = listExportNames(new Map(modules.map(({ url, text }) => [url, text])));
  return new Map(
    modules.map(({ url, file }, index) => {
      const { names, starExports } = found.get(url) ?? { names: [], starExports: [] };
      return [url, { file, suffix: `$${index}`, names, stars: starExports }];
    }),
  );
}

function createBundlePlugin(
  request: BundleRequest,
  modules: ReadonlyMap<string, BundledModule>,
): Plugin {
  const texts = new Map(request.modules.map((module) => [module.url, module]));
  const mergedNames = mergeNamesQueries(request.modules.map(({ text }) => text));
  return {
    name: 'join',
    setup(inner) {
      inner.onResolve({ filter: /.*/ }, ({ path, kind, namespace, importer }: OnResolveArgs) => {
        if (kind === 'entry-point')
          return { path: path.slice('join:'.length), namespace: 'joined' };
        const target = modules.get(path);
        if (namespace === 'stand-in' || kind === 'dynamic-import' || target === undefined) {
          return { path: mergedNames.get(path) ?? path, external: true };
        }
        const from = namespace === 'joined' ? importer : modules.get(importer)?.file;
        return { path, namespace: target.file === from ? 'module' : 'stand-in' };
      });
      inner.onLoad({ filter: /.*/, namespace: 'joined' }, ({ path }) => ({
        contents: writeBundleFile(path, modules),
      }));
      inner.onLoad({ filter: /.*/, namespace: 'stand-in' }, ({ path }) => {
        const module = modules.get(path);
        return module && { contents: writeFacade(request.base, module) };
      });
      inner.onLoad({ filter: /.*/, namespace: 'module' }, ({ path }) => {
        const module = texts.get(path);
        return module && { contents: inlineSourceMap(module) };
      });
    },
  };
}

/**
 * `/npm/x?names=a` and `/npm/x?names=b` → `/npm/x?names=a,b`, for each of them, so that the bundle
 * sends one request for all names.
 */
function mergeNamesQueries(texts: readonly string[]): Map<string, string> {
  const namesByPath = new Map<string, Set<string>>();
  const pathBySpecifier = new Map<string, string>();
  for (const { specifier } of texts.flatMap((text) => parse(text)[0])) {
    const [, path, names] = /^([^?]+)\?names=([^&]+)$/.exec(specifier ?? '') ?? [];
    if (!specifier || path === undefined || names === undefined) continue;
    pathBySpecifier.set(specifier, path);
    const known = namesByPath.get(path) ?? new Set();
    for (const name of names.split(',')) known.add(name);
    namesByPath.set(path, known);
  }
  const formatUrl = (path: string) =>
    `${path}?names=${[...(namesByPath.get(path) ?? [])].sort().join(',')}`;
  return new Map([...pathBySpecifier].map(([specifier, path]) => [specifier, formatUrl(path)]));
}

/** Text of a bundle file: imports its modules in order, and exports their names with suffixes. */
function writeBundleFile(file: string, modules: ReadonlyMap<string, BundledModule>): string {
  const lines: string[] = [];
  for (const [url, { file: bundleFile, names, suffix }] of modules) {
    if (bundleFile !== file) continue;
    const from = JSON.stringify(url);
    const list = names.map((name) => `${JSON.stringify(name)} as ${JSON.stringify(name + suffix)}`);
    lines.push(`import ${from};`);
    if (list.length > 0) lines.push(`export { ${list.join(', ')} } from ${from};`);
  }
  return lines.join('\n');
}

/**
 * Module text with its source map inline, so that the bundle's source map refers to the published
 * files.
 */
function inlineSourceMap({ text, map }: ModuleToBundle): string {
  const comment = /\n\/\/# sourceMappingURL=.*\s*$/;
  if (map === undefined || !comment.test(text)) return text;
  const encoded = readFileSync(map).toString('base64');
  return text.replace(comment, `\n//# sourceMappingURL=data:application/json;base64,${encoded}\n`);
}
