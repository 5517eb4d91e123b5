/*
 * Merges esbuild's chunks. esbuild creates a chunk for every different set of entries that share a
 * module: hundreds for a large library, each of them a request. This second bundling, of the chunks
 * themselves, merges them until no entry needs many. Which files are merged is decided in
 * plan-chunks.ts.
 */
import { build, type BuildOptions, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import { createRedundantImportFinder, removeRedundantImports } from './redundant-imports.ts';
import { type MergedFile, buildImportGraph, chunkUrlPrefix } from './import-graph.ts';

/** Result of a bundling: file texts by name, and esbuild's metafile. */
interface BundleOutput {
  readonly texts: ReadonlyMap<string, string>;
  readonly metafile: Metafile;
}

/** Reads esbuild's result, with files by their names in the output folder. */
export function readOutput(files: readonly OutputFile[], metafile: Metafile): BundleOutput {
  return { texts: new Map(files.map((file) => [file.path.slice(1), file.text])), metafile };
}

export interface MergedOutput extends BundleOutput {
  /** File of the first bundling → where its code is now. */
  readonly mergedFiles: ReadonlyMap<string, MergedFile>;
}

/**
 * Bundles the same modules into fewer files. A merged entry becomes a facade that re-exports from
 * its chunk.
 */
export async function mergeChunks(
  output: BundleOutput,
  groups: ReadonlyMap<string, string>,
  options: BuildOptions,
): Promise<MergedOutput> {
  const mergedFiles = new Map(
    [...groups].map(([file, group], index) => [file, { file: group, suffix: `$${index}` }]),
  );
  const helpers = listHelperChunks(output.metafile);
  if (groups.size === 0 && helpers.size === 0) return { ...output, mergedFiles };
  const files = [...output.texts.keys()].filter((file) => file.endsWith('.js'));
  const kept = files.filter((file) => !groups.has(file) && !helpers.has(file));
  const result = await build({
    ...options,
    write: false,
    metafile: true,
    splitting: false,
    define: {},
    entryPoints: [...kept, ...new Set(groups.values())].map((file) => ({
      in: `out:${file}`,
      out: file.replace(/\.js$/, ''),
    })),
    plugins: [createMergePlugin(output, mergedFiles, helpers)],
  });
  const merged = readOutput(result.outputFiles ?? [], result.metafile ?? output.metafile);
  return { ...addFacades(merged, output, mergedFiles), mergedFiles };
}

/**
 * Adds the facades of merged entries. They are written directly, because bundling each one would be
 * slow.
 */
function addFacades(
  merged: BundleOutput,
  unmerged: BundleOutput,
  mergedFiles: ReadonlyMap<string, MergedFile>,
): BundleOutput {
  const texts = new Map(merged.texts);
  const outputs = { ...merged.metafile.outputs };
  for (const [file, part] of mergedFiles) {
    const { entryPoint, exports = [] } = unmerged.metafile.outputs[file] ?? {};
    if (entryPoint === undefined) continue;
    const text = writeFacade(part, exports);
    const url = chunkUrlPrefix + part.file;
    const imports = [{ path: url, kind: 'import-statement' as const, external: true }];
    texts.set(file, text);
    outputs[file] = { bytes: text.length, inputs: {}, imports, exports, entryPoint };
  }
  return { texts, metafile: { ...merged.metafile, outputs } };
}

function writeFacade({ file, suffix }: MergedFile, exports: readonly string[]): string {
  const url = JSON.stringify(chunkUrlPrefix + file);
  const list = exports.map((name) => `${quoteName(name + suffix)} as ${quoteName(name)}`);
  return list.length > 0 ? `export { ${list.join(', ')} } from ${url};\n` : `import ${url};\n`;
}

/** 'a$1' unchanged, 'module.exports$1' in quotes. */
function quoteName(name: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : JSON.stringify(name);
}

/**
 * Chunks with nothing but esbuild's own additions: functions without state (`__export`) and
 * `process.env`, which packages don't change. Each file gets a copy, because a request costs more.
 */
export function listHelperChunks({ outputs }: Metafile): Set<string> {
  const chunks = Object.entries(outputs).filter(
    ([file, { entryPoint }]) => file.endsWith('.js') && entryPoint === undefined,
  );
  // esbuild names these inputs '<runtime>' and '<define:…>'.
  const isOwn = (input: string) => input.startsWith('<');
  return new Set(
    chunks.flatMap(([file, { inputs }]) => (Object.keys(inputs).every(isOwn) ? [file] : [])),
  );
}

/**
 * esbuild plugin that resolves three kinds of module: a file of the first bundling, the text of a
 * chunk, and a facade for a file in another chunk.
 */
function createMergePlugin(
  output: BundleOutput,
  mergedFiles: ReadonlyMap<string, MergedFile>,
  helpers: ReadonlySet<string>,
): Plugin {
  const exportsOf = (file: string) => output.metafile.outputs[file]?.exports ?? [];
  const writeChunk = (group: string) =>
    [...mergedFiles]
      .filter(([, part]) => part.file === group)
      .map(([file, { suffix }]) => {
        const names = exportsOf(file).map(
          (name) => `${quoteName(name)} as ${quoteName(name + suffix)}`,
        );
        return `export { ${names.join(', ')} } from "${file}";`;
      })
      .join('\n');
  const redundantImports = createRedundantImportFinder(
    buildImportGraph(output.metafile),
    mergedFiles,
  );
  return {
    name: 'join',
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path, kind, namespace, importer }) => {
        if (kind === 'entry-point') return { path: path.slice(4), namespace: 'out' };
        const file = path.replace(chunkUrlPrefix, '');
        if (helpers.has(file)) return { path: file, namespace: 'out' };
        const group = mergedFiles.get(file)?.file;
        if (namespace === 'stand-in' || kind === 'dynamic-import' || group === undefined) {
          return { path, external: true };
        }
        const from = mergedFiles.get(importer)?.file ?? importer;
        return { path: file, namespace: group === from ? 'out' : 'stand-in' };
      });
      build.onLoad({ filter: /.*/, namespace: 'stand-in' }, ({ path }) => {
        const part = mergedFiles.get(path);
        return part && { contents: writeFacade(part, exportsOf(path)) };
      });
      build.onLoad({ filter: /.*/, namespace: 'out' }, ({ path }) => ({
        contents: output.texts.has(path)
          ? removeRedundantImports(inlineSourceMap(output, path), redundantImports(path))
          : writeChunk(path),
      }));
    },
  };
}

/**
 * File with its source map inline, so that the second bundling's source map refers to the original
 * sources.
 */
function inlineSourceMap(output: BundleOutput, file: string): string {
  const text = (output.texts.get(file) ?? '').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
  const map = output.texts.get(`${file}.map`);
  if (map === undefined) return text;
  return `${text}//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}\n`;
}
