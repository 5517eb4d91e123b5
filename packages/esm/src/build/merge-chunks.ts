/**
 * esbuild makes a chunk for every different set of entries that share a module: hundreds for a large
 * library, each a request. Here files are joined until no entry needs many, by a second bundling, of
 * the chunks themselves. Which are joined is chosen in choose-groups.ts.
 */
import { build, type BuildOptions, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import { chunkAddress, findIdleImports, withoutIdleImports } from './idle-imports.ts';

export interface Output {
  readonly texts: ReadonlyMap<string, string>;
  readonly metafile: Metafile;
}

/** Reads esbuild's result; every file by its name in the output folder. */
export function outputOf(files: readonly OutputFile[], metafile: Metafile): Output {
  return { texts: new Map(files.map((file) => [file.path.slice(1), file.text])), metafile };
}

/** A file that became a part of another: its export 'a' is that one's 'a$7'. */
export interface Joined {
  readonly file: string;
  readonly suffix: string;
}

export interface MergedOutput extends Output {
  /** File of the first bundling → where its code is now. */
  readonly joined: ReadonlyMap<string, Joined>;
}

/** The same modules in fewer files; what stood at a joined entry's name hands on from there. */
export async function mergeChunks(
  output: Output,
  groups: ReadonlyMap<string, string>,
  options: BuildOptions,
): Promise<MergedOutput> {
  const joined = new Map(
    [...groups].map(([file, group], index) => [file, { file: group, suffix: `$${index}` }]),
  );
  const helpers = listHelpers(output.metafile);
  if (groups.size === 0 && helpers.size === 0) return { ...output, joined };
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
    plugins: [joinPlugin(output, joined, helpers)],
  });
  const merged = outputOf(result.outputFiles ?? [], result.metafile ?? output.metafile);
  return { ...withStandIns(merged, output, joined), joined };
}

/** What hands on from where the code of an entry is now. Each alone would be a bundling of its own. */
function withStandIns(
  merged: Output,
  before: Output,
  joined: ReadonlyMap<string, Joined>,
): Output {
  const texts = new Map(merged.texts);
  const outputs = { ...merged.metafile.outputs };
  for (const [file, part] of joined) {
    const { entryPoint, exports = [] } = before.metafile.outputs[file] ?? {};
    if (entryPoint === undefined) continue;
    const text = standInOf(part, exports);
    const address = chunkAddress + part.file;
    const imports = [{ path: address, kind: 'import-statement' as const, external: true }];
    texts.set(file, text);
    outputs[file] = { bytes: text.length, inputs: {}, imports, exports, entryPoint };
  }
  return { texts, metafile: { ...merged.metafile, outputs } };
}

function standInOf({ file, suffix }: Joined, exports: readonly string[]): string {
  const address = JSON.stringify(chunkAddress + file);
  const list = exports.map((name) => `${quoteName(name + suffix)} as ${quoteName(name)}`);
  return list.length > 0
    ? `export { ${list.join(', ')} } from ${address};\n`
    : `import ${address};\n`;
}

/** 'a$1' as it is, 'module.exports$1' in quotes. */
function quoteName(name: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : JSON.stringify(name);
}

/**
 * Chunks of nothing but what esbuild itself adds: functions without state (`__export`), and
 * `process.env`, which nobody should change. Each file gets a copy, since a request costs more.
 */
export function listHelpers({ outputs }: Metafile): Set<string> {
  const chunks = Object.entries(outputs).filter(
    ([file, { entryPoint }]) => file.endsWith('.js') && entryPoint === undefined,
  );
  // Their names are like '<runtime>'.
  const isOwn = (input: string) => input.startsWith('<');
  return new Set(
    chunks.flatMap(([file, { inputs }]) => (Object.keys(inputs).every(isOwn) ? [file] : [])),
  );
}

/** File → the files that it imports as it is loaded, in order. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

export function importGraph(metafile: Metafile): ImportGraph {
  const graph = new Map<string, string[]>();
  const scripts = Object.entries(metafile.outputs).filter(([file]) => file.endsWith('.js'));
  const names = new Set(scripts.map(([file]) => file));
  for (const [file, { imports }] of scripts) {
    const own = imports.filter((item) => item.kind === 'import-statement');
    const paths = own.map((item) => item.path.replace(chunkAddress, ''));
    graph.set(file, [...new Set(paths.filter((path) => names.has(path)))]);
  }
  return graph;
}

/** All that a file loads, itself last: a file stands after what it imports. */
export function loadedBy(graph: ImportGraph, file: string): string[] {
  const seen = new Set<string>();
  const order: string[] = [];
  const visit = (at: string) => {
    if (seen.has(at)) return;
    seen.add(at);
    for (const next of graph.get(at) ?? []) visit(next);
    order.push(at);
  };
  visit(file);
  return order;
}

/** Three kinds of module: a kept or joined file itself, the text of a group, a stand-in for what is in another one. */
function joinPlugin(
  output: Output,
  joined: ReadonlyMap<string, Joined>,
  helpers: ReadonlySet<string>,
): Plugin {
  const exportsOf = (file: string) => output.metafile.outputs[file]?.exports ?? [];
  const groupText = (group: string) =>
    [...joined]
      .filter(([, part]) => part.file === group)
      .map(([file, { suffix }]) => {
        const names = exportsOf(file).map((name) => `${quoteName(name)} as ${quoteName(name + suffix)}`);
        return `export { ${names.join(', ')} } from "${file}";`;
      })
      .join('\n');
  const idleImports = findIdleImports(importGraph(output.metafile), joined);
  return {
    name: 'join',
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path, kind, namespace, importer }) => {
        if (kind === 'entry-point') return { path: path.slice(4), namespace: 'out' };
        const file = path.replace(chunkAddress, '');
        if (helpers.has(file)) return { path: file, namespace: 'out' };
        const group = joined.get(file)?.file;
        if (namespace === 'stand-in' || kind === 'dynamic-import' || group === undefined) {
          return { path, external: true };
        }
        const from = joined.get(importer)?.file ?? importer;
        return { path: file, namespace: group === from ? 'out' : 'stand-in' };
      });
      build.onLoad({ filter: /.*/, namespace: 'stand-in' }, ({ path }) => {
        const part = joined.get(path);
        return { contents: part && standInOf(part, exportsOf(path)) };
      });
      build.onLoad({ filter: /.*/, namespace: 'out' }, ({ path }) => ({
        contents: output.texts.has(path)
          ? withoutIdleImports(withMap(output, path), idleImports(path))
          : groupText(path),
      }));
    },
  };
}

/** A file with its map inside, so that the second bundling's map leads to the first one's sources. */
function withMap(output: Output, file: string): string {
  const text = (output.texts.get(file) ?? '').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
  const map = output.texts.get(`${file}.map`);
  if (map === undefined) return text;
  return `${text}//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}\n`;
}
