import { lockPath } from '../packages/manifest.ts';

/** One visible line of the file tree; `level`, `position` and `siblings` count from 1, as ARIA does. */
export interface TreeRow {
  readonly kind: 'folder' | 'file';
  readonly path: string;
  readonly name: string;
  readonly level: number;
  readonly position: number;
  readonly siblings: number;
  /** For folders only. */
  readonly expanded: boolean;
}

interface Folder {
  readonly folders: Map<string, Folder>;
  readonly files: string[];
}

/**
 * The visible lines for these paths: folders first, each by name, and last of all the lock, which
 * nobody writes; what is inside a collapsed folder is left out.
 */
export function treeRows(paths: readonly string[], collapsed: ReadonlySet<string>): TreeRow[] {
  return [...rowsOf(foldersOf(paths), '', 1, collapsed)];
}

function foldersOf(paths: readonly string[]): Folder {
  const root: Folder = { folders: new Map(), files: [] };
  for (const path of paths) {
    const names = path.split('/');
    const file = names.pop() ?? path;
    let folder = root;
    for (const name of names) {
      let inner = folder.folders.get(name);
      if (!inner) folder.folders.set(name, (inner = { folders: new Map(), files: [] }));
      folder = inner;
    }
    folder.files.push(file);
  }
  return root;
}

const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' }).compare;

/** Both the lock in the root and one that came along with a folder. */
export function isLock(path: string): boolean {
  return path === lockPath || path.endsWith(`/${lockPath}`);
}

function lastness(name: string): number {
  return isLock(name) ? 1 : 0;
}

function* rowsOf(
  folder: Folder,
  prefix: string,
  level: number,
  collapsed: ReadonlySet<string>,
): Generator<TreeRow> {
  const siblings = folder.folders.size + folder.files.length;
  let position = 0;
  for (const name of [...folder.folders.keys()].sort(byName)) {
    const path = prefix + name;
    const expanded = !collapsed.has(path);
    position += 1;
    yield { kind: 'folder', path, name, level, position, siblings, expanded };
    const inner = folder.folders.get(name);
    if (expanded && inner) yield* rowsOf(inner, `${path}/`, level + 1, collapsed);
  }
  for (const name of folder.files.toSorted((a, b) => lastness(a) - lastness(b) || byName(a, b))) {
    position += 1;
    const path = prefix + name;
    yield { kind: 'file', path, name, level, position, siblings, expanded: false };
  }
}

/** What a key does in the tree, by the WAI-ARIA tree pattern. */
export type TreeMove =
  { readonly to: string } | { readonly expand: string } | { readonly collapse: string } | undefined;

/** Where a key leads from the row that has the focus; undefined when it is not for the tree. */
export function moveInTree(rows: readonly TreeRow[], from: string, key: string): TreeMove {
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
      return key.length === 1 ? to(findByLetter(rows, at, key)) : undefined;
  }
}

/** The next row whose name begins with the letter, from the top again after the last. */
function findByLetter(rows: readonly TreeRow[], at: number, letter: string): TreeRow | undefined {
  const next = [...rows.slice(at + 1), ...rows.slice(0, at)];
  return next.find((row) => row.name.toLowerCase().startsWith(letter.toLowerCase()));
}
