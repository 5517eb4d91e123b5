/**
 * esbuild makes a chunk for every different set of entries that share a module: hundreds for a large
 * library, each a request. Here chunks are joined until no entry needs many. What the main module
 * loads becomes one chunk; then, for any entry that still needs too many, what is left of its own.
 *
 * A set that holds all that its members import can be joined without making a circle, and so each is
 * (but for what was joined before). The joining is a second bundling, of the chunks themselves.
 */
import { build, type BuildOptions, type Metafile, type OutputFile, type Plugin } from 'esbuild';

/** Chunks that one entry may need beside itself. */
const maxChunks = 6;

const chunkAddress = 'vitrine-base:/-chunk/';

export interface Output {
  readonly texts: ReadonlyMap<string, string>;
  readonly metafile: Metafile;
}

/** Reads esbuild's result; every file by its name in the output folder. */
export function outputOf(files: readonly OutputFile[], metafile: Metafile): Output {
  return { texts: new Map(files.map((file) => [file.path.slice(1), file.text])), metafile };
}

/** The same modules in fewer files. `entries` are the files at the package's addresses, main first. */
export async function mergeChunks(
  output: Output,
  entries: readonly string[],
  options: BuildOptions,
): Promise<Output> {
  const graph = importGraph(output.metafile);
  const groups = chooseGroups(graph, entries, lazyRoots(output.metafile, entries));
  if (groups.size === 0) return output;
  const kept = [...graph.keys()].filter((file) => !groups.has(file));
  const joined = [...new Set(groups.values())];
  const result = await build({
    ...options,
    write: false,
    metafile: true,
    splitting: false,
    define: {},
    entryPoints: [...kept, ...joined].map((file) => ({ in: `out:${file}`, out: file.replace(/\.js$/, '') })),
    plugins: [joinPlugin(output, groups)],
  });
  return outputOf(result.outputFiles ?? [], result.metafile ?? output.metafile);
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

/** Files that are imported only while running, by `import()`. */
function lazyRoots(metafile: Metafile, entries: readonly string[]): string[] {
  return Object.entries(metafile.outputs)
    .filter(([file, { entryPoint }]) => entryPoint !== undefined && file.endsWith('.js'))
    .map(([file]) => file)
    .filter((file) => !entries.includes(file));
}

/** Chunk → the name of the file that it becomes a part of. */
function chooseGroups(graph: ImportGraph, entries: readonly string[], lazy: readonly string[]) {
  const roots = new Set([...entries, ...lazy]);
  const groups = new Map<string, string>();
  let count = 0;
  for (const root of [...entries, ...lazy]) {
    const chunks = loadedBy(graph, root).filter((file) => !roots.has(file));
    const files = new Set(chunks.map((file) => groups.get(file) ?? file));
    if (files.size <= maxChunks) continue;
    const loose = chunks.filter((file) => !groups.has(file));
    count += 1;
    for (const chunk of loose) groups.set(chunk, `~${count}.js`);
  }
  return groups;
}

/**
 * The second bundling: 'out:NAME' is a file of the first or a joined one; an import of a chunk is an
 * import of the part of that name in the joined file, where 'a' of chunk 7 is called 'a$7'.
 */
function joinPlugin(output: Output, groups: ReadonlyMap<string, string>): Plugin {
  const numbers = new Map([...groups.keys()].map((file, index) => [file, index]));
  const namesOf = (file: string) => output.metafile.outputs[file]?.exports ?? [];
  const renamed = (file: string, name: string) => JSON.stringify(`${name}$${numbers.get(file)}`);
  const list = (file: string, how: (name: string) => string) => `{ ${namesOf(file).map(how).join(', ')} }`;
  const joinedText = (group: string) =>
    [...groups]
      .filter(([, name]) => name === group)
      .map(([file]) => `import "${file}";\nexport ${list(file, (name) => `${JSON.stringify(name)} as ${renamed(file, name)}`)} from "${file}";`)
      .join('\n');
  const partText = (file: string) =>
    `import "${chunkAddress}${groups.get(file)}";\nexport ${list(file, (name) => `${renamed(file, name)} as ${JSON.stringify(name)}`)} from "${chunkAddress}${groups.get(file)}";`;
  return {
    name: 'join',
    setup(build) {
      build.onResolve({ filter: /.*/ }, (args) => {
        if (args.kind === 'entry-point') return { path: args.path.slice(4), namespace: 'out' };
        if (args.namespace === 'part') return { path: args.path, external: true };
        const file = args.path.replace(chunkAddress, '');
        if (args.kind === 'dynamic-import' || !groups.has(file)) return { path: args.path, external: true };
        const importer = groups.get(args.importer) ?? args.importer;
        return { path: file, namespace: groups.get(file) === importer ? 'out' : 'part' };
      });
      build.onLoad({ filter: /.*/, namespace: 'part' }, (args) => ({ contents: partText(args.path) }));
      build.onLoad({ filter: /.*/, namespace: 'out' }, (args) => ({
        contents: output.texts.has(args.path) ? withMap(output, args.path) : joinedText(args.path),
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
