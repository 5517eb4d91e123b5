/**
 * esbuild makes a chunk for every different set of entries that share a module: hundreds for a large
 * library, each a request. Here files are joined until no entry needs many, by a second bundling, of
 * the chunks themselves. Which are joined is chosen in choose-groups.ts.
 */
import { build, type BuildOptions, type Metafile, type OutputFile, type Plugin } from 'esbuild';

const chunkAddress = 'vitrine-base:/-chunk/';

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
  if (groups.size === 0) return { ...output, joined };
  const isEntry = (file: string) => output.metafile.outputs[file]?.entryPoint !== undefined;
  const files = [...output.texts.keys()].filter((file) => file.endsWith('.js'));
  const kept = files.filter((file) => !groups.has(file) || isEntry(file));
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
    plugins: [joinPlugin(output, joined)],
  });
  return { ...outputOf(result.outputFiles ?? [], result.metafile ?? output.metafile), joined };
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

/** Three kinds of module: a kept or joined file itself, the text of a joined one in a group, a stand-in. */
function joinPlugin(output: Output, joined: ReadonlyMap<string, Joined>): Plugin {
  const list = (file: string, how: (name: string) => string) =>
    `{ ${(output.metafile.outputs[file]?.exports ?? []).map(how).join(', ')} }`;
  const inner = (file: string, name: string) => JSON.stringify(name + joined.get(file)?.suffix);
  const groupText = (group: string) =>
    [...joined.keys()]
      .filter((file) => joined.get(file)?.file === group)
      .map((file) => {
        const names = list(file, (name) => `${JSON.stringify(name)} as ${inner(file, name)}`);
        return `import "${file}";\nexport ${names} from "${file}";`;
      })
      .join('\n');
  const standIn = (file: string) => {
    const names = list(file, (name) => `${inner(file, name)} as ${JSON.stringify(name)}`);
    const address = chunkAddress + joined.get(file)?.file;
    return `import "${address}";\nexport ${names} from "${address}";`;
  };
  return {
    name: 'join',
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path, kind, namespace, importer }) => {
        if (kind === 'entry-point') {
          const file = path.slice(4);
          return { path: file, namespace: joined.has(file) ? 'stand-in' : 'out' };
        }
        const file = path.replace(chunkAddress, '');
        const group = joined.get(file)?.file;
        if (namespace === 'stand-in' || kind === 'dynamic-import' || group === undefined) {
          return { path, external: true };
        }
        const from = joined.get(importer)?.file ?? importer;
        return { path: file, namespace: group === from ? 'out' : 'stand-in' };
      });
      build.onLoad({ filter: /.*/, namespace: 'stand-in' }, ({ path }) => ({
        contents: standIn(path),
      }));
      build.onLoad({ filter: /.*/, namespace: 'out' }, ({ path }) => ({
        contents: output.texts.has(path) ? withMap(output, path) : groupText(path),
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
