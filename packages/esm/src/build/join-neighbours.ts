/**
 * An entry that lists everything (`vuetify/components`) loads the joined files of all that it lists:
 * dozens. So some of these are joined again. Two that stand side by side, in an order in which each
 * file comes after what it imports, may become one: nothing stands between them that one imports and
 * that imports the other.
 */
import { loadedBy, type ImportGraph } from './merge-chunks.ts';

/** Joined files that one entry may load. */
const maxJoinedFiles = 12;

interface FilesToJoin {
  readonly graph: ImportGraph;
  /** Files that are joined with nothing. */
  readonly roots: ReadonlySet<string>;
  bytes(files: Iterable<string>): number;
  isSafe(file: string): boolean;
}

/** A file of the build, or several that are joined. */
interface Piece {
  readonly name: string;
  readonly files: readonly string[];
  /** Joined already, of parts that nobody else fails with. */
  readonly isOpen: boolean;
}

/** Gives groups the names of others, until no entry loads more of them than some. */
export function joinNeighbours(all: FilesToJoin, groups: Map<string, string>): void {
  for (const root of all.roots) {
    if (countGroups(all, root, groups) <= maxJoinedFiles) continue;
    const pieces = listPieces(all, root, groups);
    while (pieces.filter(({ isOpen }) => isOpen).length > maxJoinedFiles) {
      const at = findSmallestPair(all, pieces);
      const [first, second] = at === undefined ? [] : pieces.slice(at);
      if (at === undefined || first === undefined || second === undefined) break;
      for (const file of second.files) groups.set(file, first.name);
      pieces.splice(at, 2, { ...first, files: [...first.files, ...second.files] });
    }
  }
}

function countGroups(
  { graph }: FilesToJoin,
  root: string,
  groups: ReadonlyMap<string, string>,
): number {
  return new Set(loadedBy(graph, root).flatMap((file) => groups.get(file) ?? [])).size;
}

/** All that an entry loads, each after what it imports. */
function listPieces(
  { graph, isSafe }: FilesToJoin,
  root: string,
  groups: ReadonlyMap<string, string>,
): Piece[] {
  const nameOf = (file: string) => groups.get(file) ?? file;
  const members = Map.groupBy(graph.keys(), nameOf);
  const imports = new Map(
    [...members].map(([name, files]) => [
      name,
      files.flatMap((file) => graph.get(file) ?? []).map(nameOf),
    ]),
  );
  return loadedBy(imports, nameOf(root)).map((name) => {
    const files = members.get(name) ?? [];
    const isOpen = files.every((file) => groups.has(file) && isSafe(file));
    return { name, files, isOpen };
  });
}

/** The first of the two neighbours that are the smallest together. */
function findSmallestPair(
  { bytes }: FilesToJoin,
  pieces: readonly Piece[],
): number | undefined {
  let found: number | undefined;
  let smallest = Infinity;
  for (const [index, piece] of pieces.entries()) {
    const next = pieces[index + 1];
    if (next === undefined || !piece.isOpen || !next.isOpen) continue;
    const size = bytes([...piece.files, ...next.files]);
    if (size >= smallest) continue;
    found = index;
    smallest = size;
  }
  return found;
}
