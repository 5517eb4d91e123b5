import { lockfilePath } from '../../packages/project-manifest.ts';
import { dirname, basename } from './file-paths.ts';

/** A visible row of a tree. `level`, `position` and `siblings` are 1-based, as in ARIA. */
export interface TreeRow {
  readonly kind: 'folder' | 'file';
  readonly path: string;
  readonly name: string;
  readonly level: number;
  readonly position: number;
  readonly siblings: number;
  /** Folders only; false for files. */
  readonly expanded: boolean;
}

interface Folder {
  readonly folders: Map<string, Folder>;
  readonly files: string[];
}

/**
 * Visible rows for file paths and empty folders: folders first, then files, each by name, with the
 * lockfile last. Children of collapsed folders are left out.
 */
export function listTreeRows(
  paths: readonly string[],
  collapsed: ReadonlySet<string>,
  emptyFolders: readonly string[] = [],
): TreeRow[] {
  const root: Folder = { folders: new Map(), files: [] };
  for (const path of paths) findFolder(root, dirname(path)).files.push(basename(path));
  for (const folder of emptyFolders) findFolder(root, folder);
  return [...rowsOf(root, '', 1, collapsed)];
}

/** Finds a folder, creating it if needed. */
function findFolder(root: Folder, path: string): Folder {
  let folder = root;
  for (const name of path === '' ? [] : path.split('/')) {
    let inner = folder.folders.get(name);
    if (!inner) folder.folders.set(name, (inner = { folders: new Map(), files: [] }));
    folder = inner;
  }
  return folder;
}

/** File paths in the order of the tree. */
export function sortPaths(paths: readonly string[]): string[] {
  return listTreeRows(paths, new Set())
    .filter((row) => row.kind === 'file')
    .map(({ path }) => path);
}

export const compareNames = new Intl.Collator('en', { numeric: true, sensitivity: 'base' }).compare;

/** True for a lockfile, in the root or in any folder. */
export function isLockfile(path: string): boolean {
  return path === lockfilePath || path.endsWith(`/${lockfilePath}`);
}

function sortOrder(name: string): number {
  return isLockfile(name) ? 1 : 0;
}

function* rowsOf(
  folder: Folder,
  prefix: string,
  level: number,
  collapsed: ReadonlySet<string>,
): Generator<TreeRow> {
  const siblings = folder.folders.size + folder.files.length;
  let position = 0;
  for (const name of [...folder.folders.keys()].sort(compareNames)) {
    const path = prefix + name;
    const expanded = !collapsed.has(path);
    position += 1;
    yield { kind: 'folder', path, name, level, position, siblings, expanded };
    const inner = folder.folders.get(name);
    if (expanded && inner) yield* rowsOf(inner, `${path}/`, level + 1, collapsed);
  }
  for (const name of folder.files.toSorted(
    (a, b) => sortOrder(a) - sortOrder(b) || compareNames(a, b),
  )) {
    position += 1;
    const path = prefix + name;
    yield { kind: 'file', path, name, level, position, siblings, expanded: false };
  }
}

/** Effect of a key in a tree, following the WAI-ARIA tree pattern. */
export type TreeMove =
  { readonly to: string } | { readonly expand: string } | { readonly collapse: string } | undefined;

/** Effect of a key on the focused row. Undefined if the tree doesn't handle the key. */
export function findTreeMove(rows: readonly TreeRow[], from: string, key: string): TreeMove {
  const at = rows.findIndex((row) => row.path === from);
  const row = rows[at];
  if (!row) return undefined;
  const to = (target: TreeRow | undefined): TreeMove => target && { to: target.path };
  switch (key) {
    case 'ArrowDown':
      return to(rows[at + 1]);
    case 'ArrowUp':
      return to(rows[at - 1]);
    case 'Home':
      return to(rows[0]);
    case 'End':
      return to(rows.at(-1));
    case 'ArrowRight':
      if (row.kind === 'file') return undefined;
      return row.expanded ? to(rows[at + 1]) : { expand: row.path };
    case 'ArrowLeft':
      if (row.kind === 'folder' && row.expanded) return { collapse: row.path };
      return to(rows.slice(0, at).findLast((other) => other.level === row.level - 1));
    default:
      return undefined;
  }
}

/**
 * Next row whose name starts with the typed characters, wrapping around. With more than one
 * character the current row may match as well.
 */
export function findByTypeahead(
  rows: readonly TreeRow[],
  from: string,
  prefix: string,
): TreeRow | undefined {
  const at = rows.findIndex((row) => row.path === from) + (prefix.length > 1 ? 0 : 1);
  const next = [...rows.slice(at), ...rows.slice(0, at)];
  return next.find((row) => row.name.toLowerCase().startsWith(prefix.toLowerCase()));
}

/** Paths of the rows from one to another, in visual order. */
export function rowsBetween(rows: readonly TreeRow[], from: string, to: string): string[] {
  const paths = rows.map(({ path }) => path);
  const ends = [paths.indexOf(from), paths.indexOf(to)].sort((a, b) => a - b);
  const [first = 0, last = 0] = ends;
  return first < 0 ? [to] : paths.slice(first, last + 1);
}
