import type { Metafile } from 'esbuild';

/** A file that is part of a chunk, where its export 'a' is named 'a$7'. */
export interface MergedFile {
  readonly file: string;
  readonly suffix: string;
}

/** File → files that it imports statically, in order. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** Graph of the static imports between the output files of a bundling. */
export function buildImportGraph(metafile: Metafile): ImportGraph {
  const graph = new Map<string, string[]>();
  const scripts = Object.entries(metafile.outputs).filter(([file]) => file.endsWith('.js'));
  const names = new Set(scripts.map(([file]) => file));
  for (const [file, { imports }] of scripts) {
    const staticImports = imports.filter((item) => item.kind === 'import-statement');
    const paths = staticImports.map((item) => item.path.replace(chunkUrlPrefix, ''));
    graph.set(file, [...new Set(paths.filter((path) => names.has(path)))]);
  }
  return graph;
}

/** Everything that a file loads, in dependency order, so that the file itself is last. */
export function listInLoadOrder(graph: ImportGraph, file: string): string[] {
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

/** URL prefix of the package's chunks, before the package's base is known. */
export const chunkUrlPrefix = 'vitrine-base:/-chunk/';
