/*
 * Removes redundant imports. In each output file, esbuild imports every file that must run before it:
 * tens of thousands of imports for hundreds of files, each of which costs time in the second bundling.
 * Most of them import something that has already run.
 */
import { type ImportGraph, type MergedFile, chunkUrlPrefix } from './import-graph.ts';

/** Whether an import is redundant. Called for each import of a file, in order. */
type IsRedundant = (target: string, takesNames: boolean) => boolean;

/** An import at the top of a file. esbuild writes each on lines of its own. */
const importLine = /import (?:(?!;\n)[^])*?"([^"\n]*)";\n/y;

/**
 * Removes the redundant imports of a file. Their lines stay, empty, because the source map refers
 * to lines.
 */
export function removeRedundantImports(text: string, isRedundant: IsRedundant): string {
  let kept = '';
  for (let at = 0; ; at = importLine.lastIndex) {
    importLine.lastIndex = at;
    const [line, url = ''] = importLine.exec(text) ?? [];
    if (line === undefined) return kept + text.slice(at);
    const file = url.startsWith(chunkUrlPrefix) ? url.slice(chunkUrlPrefix.length) : '';
    kept += isRedundant(file, line !== `import "${url}";\n`) ? '\n' : line;
  }
}

/**
 * Finds redundant imports: those without names of a file that has already run. That is a file in a
 * chunk that an earlier line imports, or a file in the importer's own chunk when the chunk's files
 * are in dependency order.
 */
export function createRedundantImportFinder(
  graph: ImportGraph,
  joined: ReadonlyMap<string, MergedFile>,
) {
  const positions = new Map([...joined.keys()].map((file, index) => [file, index]));
  const positionOf = (file: string) => positions.get(file) ?? -1;
  const findChunk = (file: string) => joined.get(file)?.file;
  const unordered = new Set<string | undefined>();
  for (const [file, { file: group }] of joined) {
    const sameChunk = (graph.get(file) ?? []).filter((next) => findChunk(next) === group);
    if (sameChunk.some((next) => positionOf(next) > positionOf(file))) unordered.add(group);
  }
  return (importer: string): IsRedundant => {
    const ownChunk = findChunk(importer);
    const imported = new Set<string>();
    return (target: string, takesNames: boolean) => {
      const group = findChunk(target);
      if (group === undefined) return false;
      const hasRun = group === ownChunk ? !unordered.has(group) : imported.has(group);
      imported.add(group);
      return hasRun && !takesNames;
    };
  };
}
