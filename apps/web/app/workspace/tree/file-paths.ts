import { createFreePath, getPathKey } from '@vitrine/project';

/** Old and new path of a file or folder. */
export interface FileMove {
  readonly from: string;
  readonly to: string;
}

/** "lib/deep/x.js" → "lib/deep"; "" for a path in the root. */
export function dirname(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export function basename(path: string): string {
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
export function planMoves(rows: readonly string[], folder: string): FileMove[] {
  return outermost(rows)
    .filter((row) => dirname(row) !== folder && (folder === '' || !isWithin(folder, row)))
    .map((row) => ({ from: row, to: joinPath(folder, basename(row)) }));
}

/** A numbered copy of each row in its own folder. */
export function planCopies(rows: readonly string[], paths: readonly string[]): FileMove[] {
  const taken = listTakenKeys(paths);
  return outermost(rows).map((row) => ({ from: row, to: reserveFreePath(row, taken) }));
}

/** What to do with a file whose path is taken. */
export type CollisionChoice = 'replace' | 'keep-both';

/**
 * Asks what to do with a file whose path is taken. Null cancels all files. `left` is the number of
 * further conflicts.
 */
export type AskCollision = (
  path: string,
  left: number,
) => Promise<{ readonly choice: CollisionChoice; readonly isForAll: boolean } | null>;

/**
 * Target paths for files that are added or moved into a project: the wanted path, the path of the
 * file being replaced, or a numbered path. Undefined if the user canceled.
 */
export async function resolveCollisions(
  targets: readonly string[],
  paths: readonly string[],
  ask: AskCollision,
): Promise<{ readonly to: string[]; readonly replaced: string[] } | undefined> {
  const files = new Map(paths.map((path) => [getPathKey(path), path]));
  const taken = listTakenKeys(paths);
  // Only one incoming file can replace a file, and none can replace a folder.
  const collides = (path: string) => files.get(getPathKey(path));
  let left = new Set(targets.flatMap((path) => collides(path) ?? [])).size;
  let forAll: CollisionChoice | undefined;
  const to: string[] = [];
  const replaced: string[] = [];
  for (const path of targets) {
    const other = collides(path);
    if (other === undefined || replaced.includes(other)) {
      to.push(reserveFreePath(path, taken));
      continue;
    }
    left -= 1;
    const answer = forAll ? { choice: forAll, isForAll: true } : await ask(other, left);
    if (!answer) return undefined;
    if (answer.isForAll) forAll = answer.choice;
    if (answer.choice === 'replace') replaced.push(other);
    to.push(answer.choice === 'replace' ? other : reserveFreePath(path, taken));
  }
  return { to, replaced };
}

/** Expands moves of rows to moves of the files in them. */
export function moveFiles(paths: readonly string[], rows: readonly FileMove[]): FileMove[] {
  return rows.flatMap(({ from, to }) =>
    filesWithin(paths, [from]).map((path) => ({ from: path, to: to + path.slice(from.length) })),
  );
}

/** New path of a file after moves of rows. */
export function movedPath(path: string, rows: readonly FileMove[]): string {
  const move = rows.find(({ from }) => isWithin(path, from));
  return move ? move.to + path.slice(move.from.length) : path;
}

/** "a.css" → "a.css", or "a (2).css" if that is taken. Adds the result to `taken`. */
export function reserveFreePath(path: string, taken: Set<string>): string {
  const free = taken.has(getPathKey(path)) ? createFreePath(path, taken) : path;
  taken.add(getPathKey(free));
  return free;
}

/** Keys of all paths of a project and of all their folders. */
export function listTakenKeys(paths: readonly string[]): Set<string> {
  return new Set([...paths, ...listFolders(paths)].map(getPathKey));
}

/** All folders that contain a file, at any depth. */
export function listFolders(paths: readonly string[]): Set<string> {
  const folders = new Set<string>();
  for (const path of paths)
    for (let folder = dirname(path); folder !== ''; folder = dirname(folder)) folders.add(folder);
  return folders;
}
