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

/** A copy of each row beside it, numbered. */
export function planCopies(rows: readonly string[], paths: readonly string[]): Move[] {
  const taken = takenKeys(paths);
  return outermost(rows).map((row) => ({ from: row, to: freeName(row, taken) }));
}

/** What becomes of a file that comes to a path where another is. */
export type Collision = 'replace' | 'keep-both';

/** Asks what becomes of a file, of which the path is taken; null for none of them. `left` more follow. */
export type AskCollision = (
  path: string,
  left: number,
) => Promise<{ readonly choice: Collision; readonly isForAll: boolean } | null>;

/**
 * Where files go that come to a project with these paths: to the path they want, to the one of the file
 * that they replace, or to a numbered one. Undefined once the answer is that none is to come.
 */
export async function planArrivals(
  wanted: readonly string[],
  paths: readonly string[],
  ask: AskCollision,
): Promise<{ readonly to: string[]; readonly replaced: string[] } | undefined> {
  const files = new Map(paths.map((path) => [pathKey(path), path]));
  const taken = takenKeys(paths);
  // Only one can replace a file, and in place of a folder none can be.
  const collides = (path: string) => files.get(pathKey(path));
  let left = new Set(wanted.flatMap((path) => collides(path) ?? [])).size;
  let forAll: Collision | undefined;
  const to: string[] = [];
  const replaced: string[] = [];
  for (const path of wanted) {
    const other = collides(path);
    if (other === undefined || replaced.includes(other)) {
      to.push(freeName(path, taken));
      continue;
    }
    left -= 1;
    const answer = forAll ? { choice: forAll, isForAll: true } : await ask(other, left);
    if (!answer) return undefined;
    if (answer.isForAll) forAll = answer.choice;
    if (answer.choice === 'replace') replaced.push(other);
    to.push(answer.choice === 'replace' ? other : freeName(path, taken));
  }
  return { to, replaced };
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
