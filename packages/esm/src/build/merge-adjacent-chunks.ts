/*
 * Merges adjacent chunks. An entry that re-exports everything (`vuetify/components`) loads dozens of
 * chunks. Two chunks that are adjacent in an order in which each file comes after its imports may be
 * merged: no file between them imports the first and is imported by the second, so there is no cycle.
 */
import { listInLoadOrder, type ImportGraph } from './import-graph.ts';

/** Maximum number of chunks that an entry loads. */
const maxChunksPerEntry = 12;

interface MergeInput {
  readonly graph: ImportGraph;
  /** Files that are not merged. */
  readonly roots: ReadonlySet<string>;
  bytes(files: Iterable<string>): number;
  isSafe(file: string): boolean;
}

/** A file of the build, or a chunk of several files. */
interface Chunk {
  readonly name: string;
  readonly files: readonly string[];
  /** Whether it is a chunk that may be merged further: none of its parts can make others fail. */
  readonly isMergeable: boolean;
}

/** Renames chunks in `groups` until no entry loads more than `maxChunksPerEntry`. */
export function mergeAdjacentChunks(all: MergeInput, groups: Map<string, string>): void {
  for (const root of all.roots) {
    if (countChunks(all, root, groups) <= maxChunksPerEntry) continue;
    const chunks = listChunks(all, root, groups);
    while (chunks.filter(({ isMergeable }) => isMergeable).length > maxChunksPerEntry) {
      const at = findSmallestPair(all, chunks);
      const [first, second] = at === undefined ? [] : chunks.slice(at);
      if (at === undefined || first === undefined || second === undefined) break;
      for (const file of second.files) groups.set(file, first.name);
      chunks.splice(at, 2, { ...first, files: [...first.files, ...second.files] });
    }
  }
}

function countChunks(
  { graph }: MergeInput,
  root: string,
  groups: ReadonlyMap<string, string>,
): number {
  return new Set(listInLoadOrder(graph, root).flatMap((file) => groups.get(file) ?? [])).size;
}

/** Everything that an entry loads, each after its imports. */
function listChunks(
  { graph, isSafe }: MergeInput,
  root: string,
  groups: ReadonlyMap<string, string>,
): Chunk[] {
  const nameOf = (file: string) => groups.get(file) ?? file;
  const members = Map.groupBy(graph.keys(), nameOf);
  const imports = new Map(
    [...members].map(([name, files]) => [
      name,
      files.flatMap((file) => graph.get(file) ?? []).map(nameOf),
    ]),
  );
  return listInLoadOrder(imports, nameOf(root)).map((name) => {
    const files = members.get(name) ?? [];
    const isMergeable = files.every((file) => groups.has(file) && isSafe(file));
    return { name, files, isMergeable };
  });
}

/** Index of the first of the two adjacent chunks that are smallest together. */
function findSmallestPair({ bytes }: MergeInput, chunks: readonly Chunk[]): number | undefined {
  let found: number | undefined;
  let smallest = Infinity;
  for (const [index, chunk] of chunks.entries()) {
    const next = chunks[index + 1];
    if (next === undefined || !chunk.isMergeable || !next.isMergeable) continue;
    const size = bytes([...chunk.files, ...next.files]);
    if (size >= smallest) continue;
    found = index;
    smallest = size;
  }
  return found;
}
