import type { FileEdits } from '@vitrine/editor/language-service';
import { getPathKey } from '@vitrine/project';
import { loadWithRetries } from '@vitrine/project/retry-loading';
import { basename, type FileMove } from './file-paths.ts';

const loadParsers = () =>
  Promise.all([
    import('@vitrine/editor/links'),
    import('@vitrine/compiler/links'),
    import('@vitrine/compiler/aliases'),
  ]);

/** Loads the link parsers, so that links also follow moves without a connection. */
export function preloadLinkParsers(): void {
  loadWithRetries(loadParsers).catch(() => undefined);
}

/**
 * Edits that keep links between files working after moves, by the files' old paths. The link
 * parsers are loaded on first use; if that fails, there are no edits.
 * @param texts Text files, which may contain links.
 * @param paths Paths of all files before the moves, assets included.
 */
export async function findLinkEdits(
  texts: Iterable<readonly [path: string, text: string]>,
  paths: ReadonlySet<string>,
  moves: readonly FileMove[],
): Promise<FileEdits[]> {
  const loaded = await loadParsers().catch(() => undefined);
  if (!loaded) return [];
  const [{ findDocumentLinks }, { updateLinks }, { readImportAliases }] = loaded;
  const all = new Map(texts);
  const aliases = readImportAliases((path) => all.get(path));
  const targets = new Map(moves.map(({ from, to }) => [from, to]));
  const moved = (path: string) => targets.get(path) ?? path;
  const edits: FileEdits[] = [];
  for (const [path, text] of all) {
    if (!mayContainLink(path, text, moves)) continue;
    const links = await findDocumentLinks(path, text);
    const exists = (each: string) => paths.has(each);
    const changed = updateLinks(links, { path, moved, exists, aliases });
    if (changed.length > 0) edits.push({ path, edits: changed });
  }
  return edits;
}

/**
 * Skips files that neither move nor contain the name of a moved file. An index file is also named
 * by its folder.
 */
function mayContainLink(path: string, text: string, moves: readonly FileMove[]): boolean {
  const key = getPathKey(text);
  return moves.some(({ from }) => from === path || key.includes(getPathKey(linkName(from))));
}

/**
 * Name by which links refer to a file: "src/parts/_a.scss" → "a"; "parts/index.ts" → "parts";
 * "index.html" → "", which any file may contain.
 */
function linkName(path: string): string {
  const stem = basename(path).replace(/^_?(.+?)(?:\.[^.]*)?$/, '$1');
  return stem === 'index' ? basename(path.slice(0, Math.max(0, path.lastIndexOf('/')))) : stem;
}
