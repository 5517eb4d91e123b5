import { freePath, pathKey } from '@vitrine/project';

/** Old and new path of a file or folder. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

/** "lib/deep/x.js" → "lib/deep"; "" for a path in the root. */
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

/** True for a folder itself and any path below it. */
export function isWithin(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** ["lib", "lib/x.js", "a.js"] → ["lib", "a.js"]: drops rows inside other rows. */
export function outermost(rows: readonly string[]): string[] {
  return rows.filter((row) => !rows.some((other) => other !== row && isWithin(row, other)));
}

/** Files covered by the given rows of the tree. */
export function filesWithin(paths: readonly string[], rows: readonly string[]): string[] {
  return paths.filter((path) => rows.some((row) => isWithin(path, row)));
}

/**
 * Moves of rows into a folder. Leaves out rows already there, and folders moved into themselves.
 */
export function planMoves(rows: readonly string[], folder: string): Move[] {
  return outermost(rows)
    .filter((row) => folderOf(row) !== folder && (folder === '' || !isWithin(folder, row)))
    .map((row) => ({ from: row, to: joinPath(folder, nameOf(row)) }));
}

/** A numbered copy of each row in its own folder. */
export function planCopies(rows: readonly string[], paths: readonly string[]): Move[] {
  const taken = takenKeys(paths);
  return outermost(rows).map((row) => ({ from: row, to: freeName(row, taken) }));
}

/** What to do with a file whose path is taken. */
export type Collision = 'replace' | 'keep-both';

/**
 * Asks what to do with a file whose path is taken. Null cancels all files. `left` is the number of
 * further conflicts.
 */
export type AskCollision = (
  path: string,
  left: number,
) => Promise<{ readonly choice: Collision; readonly isForAll: boolean } | null>;

/**
 * Target paths for files that are added or moved into a project: the wanted path, the path of the
 * file being replaced, or a numbered path. Undefined if the user canceled.
 */
export async function planArrivals(
  targets: readonly string[],
  paths: readonly string[],
  ask: AskCollision,
): Promise<{ readonly to: string[]; readonly replaced: string[] } | undefined> {
  const files = new Map(paths.map((path) => [pathKey(path), path]));
  const taken = takenKeys(paths);
  // Only one incoming file can replace a file, and none can replace a folder.
  const collides = (path: string) => files.get(pathKey(path));
  let left = new Set(targets.flatMap((path) => collides(path) ?? [])).size;
  let forAll: Collision | undefined;
  const to: string[] = [];
  const replaced: string[] = [];
  for (const path of targets) {
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

/** Expands moves of rows to moves of the files in them. */
export function moveFiles(paths: readonly string[], rows: readonly Move[]): Move[] {
  return rows.flatMap(({ from, to }) =>
    filesWithin(paths, [from]).map((path) => ({ from: path, to: to + path.slice(from.length) })),
  );
}

/** New path of a file after moves of rows. */
export function movedPath(path: string, rows: readonly Move[]): string {
  const move = rows.find(({ from }) => isWithin(path, from));
  return move ? move.to + path.slice(move.from.length) : path;
}

/** "a.css" → "a.css", or "a (2).css" if that is taken. Adds the result to `taken`. */
export function freeName(path: string, taken: Set<string>): string {
  const free = taken.has(pathKey(path)) ? freePath(path, taken) : path;
  taken.add(pathKey(free));
  return free;
}

/** Keys of all paths of a project and of all their folders. */
export function takenKeys(paths: readonly string[]): Set<string> {
  return new Set([...paths, ...foldersOf(paths)].map(pathKey));
}

/** All folders that contain a file, at any depth. */
export function foldersOf(paths: readonly string[]): Set<string> {
  const folders = new Set<string>();
  for (const path of paths)
    for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) folders.add(folder);
  return folders;
}
