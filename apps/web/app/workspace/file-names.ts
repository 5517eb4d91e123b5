import { freePath, pathKey } from '@vitrine/project';

/** A file's path before and after. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

/** "lib/deep/x.js" → "lib/deep"; "" for what is in the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** ("lib", "x.js") → "lib/x.js"; ("", "x.js") → "x.js" */
export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** True for a path in a folder, however deep, and for the folder. */
export function isWithin(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** ["lib", "lib/x.js", "a.js"] → ["lib", "a.js"]: what is in a folder goes with it. */
export function outermost(rows: readonly string[]): string[] {
  return rows.filter((row) => !rows.some((other) => other !== row && isWithin(row, other)));
}

/** The files that rows of the tree stand for. */
export function filesWithin(paths: readonly string[], rows: readonly string[]): string[] {
  return paths.filter((path) => rows.some((row) => isWithin(path, row)));
}

/** Rows of the tree into a folder. What is there already, and a folder into itself, stays. */
export function planMoves(rows: readonly string[], folder: string): Move[] {
  return outermost(rows)
    .filter((row) => folderOf(row) !== folder && (folder === '' || !isWithin(folder, row)))
    .map((row) => ({ from: row, to: joinPath(folder, nameOf(row)) }));
}

/** A copy of each row, in the folder that is said for it, numbered where a name is taken. */
export function planCopies(
  rows: readonly string[],
  folderFor: (row: string) => string,
  paths: readonly string[],
): Move[] {
  const taken = takenKeys(paths);
  return outermost(rows).map((row) => ({
    from: row,
    to: freeName(joinPath(folderFor(row), nameOf(row)), taken),
  }));
}

/** The files that go where the rows that they belong to go. */
export function moveFiles(paths: readonly string[], rows: readonly Move[]): Move[] {
  return rows.flatMap(({ from, to }) =>
    filesWithin(paths, [from]).map((path) => ({ from: path, to: to + path.slice(from.length) })),
  );
}

/** What a path is called once rows have gone where they go. */
export function movedPath(path: string, rows: readonly Move[]): string {
  const move = rows.find(({ from }) => isWithin(path, from));
  return move ? move.to + path.slice(move.from.length) : path;
}

/** "a.css" → "a.css", or "a (2).css" where that is taken; from then on the answer is taken. */
export function freeName(path: string, taken: Set<string>): string {
  const free = taken.has(pathKey(path)) ? freePath(path, taken) : path;
  taken.add(pathKey(free));
  return free;
}

/** Every path of a project, and every folder in it. */
export function takenKeys(paths: readonly string[]): Set<string> {
  return new Set([...paths, ...foldersOf(paths)].map(pathKey));
}

/** Every folder that holds a file, however deep. */
export function foldersOf(paths: readonly string[]): Set<string> {
  const folders = new Set<string>();
  for (const path of paths)
    for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) folders.add(folder);
  return folders;
}
