/*
 * Chooses which of the files that were found a project is made of, and their paths in it. Nothing is read
 * but what decides about others: the list of a project downloaded for Vite, and package.json, pages and
 * scripts where build output may be loaded.
 */
import { getPathKey, limits, validatePath, VitrineError } from '@vitrine/project';
import { basename, dirname, isWithin, listFolders } from '../workspace/tree/file-paths.ts';
import { findBuiltFolders } from './built-folders.ts';
import type { FoundEntry, LeftOut, LeftOutReason } from './imported-project.ts';

/** Files and folders, at any depth, that no project needs. */
export const generatedNames: ReadonlyMap<string, LeftOutReason> = new Map([
  ['node_modules', 'dependencies'],
  ['bower_components', 'dependencies'],
  ['.git', 'repository'],
  ['.hg', 'repository'],
  ['.svn', 'repository'],
  ['.next', 'build'],
  ['.nuxt', 'build'],
  ['.parcel-cache', 'build'],
  ['.svelte-kit', 'build'],
  ['.turbo', 'build'],
  ['__MACOSX', 'system'],
  ['.DS_Store', 'system'],
  ['Thumbs.db', 'system'],
  ['desktop.ini', 'system'],
]);

const lockfiles =
  /^(?:npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|bower\.lock)$/;

/** Files beside a site's folder that aren't part of it. */
const notSource = /^(?:readme|license|licence|changelog|contributing|notice|\.git|\.editorconfig)/i;

/** Files, generated ones not counted, from which the others aren't looked at. */
export const maxFoundFiles = 10_000;

/** The entries to import, at the paths that they get. Adds the others to `leftOut`. */
export async function chooseEntries(
  entries: readonly FoundEntry[],
  leftOut: LeftOut[],
): Promise<FoundEntry[]> {
  const found: FoundEntry[] = [];
  for (const entry of entries) {
    const path = entry.path.normalize('NFC');
    const left = findGenerated(path);
    if (left) leftOut.push(left);
    else if (entry.isLink) leftOut.push({ path, reason: 'link' });
    // The whole path is checked once it is known.
    else if (path.split('/').some(validatePath)) leftOut.push({ path, reason: 'invalid_path' });
    else found.push({ ...entry, path });
  }
  if (found.length > maxFoundFiles)
    throw new VitrineError('too_many_files', `${found.length} files`);
  const restored = await restore(unwrap(found));
  const built = await findBuiltFolders(restored);
  const sources = restored.filter(({ path }) => {
    const folder = built.find((each) => isWithin(path, each));
    if (folder !== undefined) leftOut.push({ path: folder, count: 1, reason: 'build' });
    return folder === undefined;
  });
  return acceptEntries(chooseFolderOfPage(sources, leftOut), leftOut);
}

/** Entries that a project can have, each and beside the others. Adds the others to `leftOut`. */
export function acceptEntries(chosen: readonly FoundEntry[], leftOut: LeftOut[]): FoundEntry[] {
  const accepted: FoundEntry[] = [];
  const paths = new Set<string>();
  const folders = listFolders(chosen.map(({ path }) => getPathKey(path)));
  for (const entry of chosen) {
    const reason = checkEntry(entry);
    const key = getPathKey(entry.path);
    if (reason) leftOut.push({ path: entry.path, reason });
    else if (paths.has(key) || folders.has(key))
      leftOut.push({ path: entry.path, reason: 'duplicate' });
    else {
      paths.add(key);
      accepted.push(entry);
    }
  }
  return accepted;
}

/** "a/node_modules/b/c.js" → the folder "a/node_modules" */
function findGenerated(path: string): LeftOut | undefined {
  const segments = path.split('/');
  for (const [index, name] of segments.entries()) {
    const reason = generatedNames.get(name);
    if (reason) return { path: segments.slice(0, index + 1).join('/'), count: 1, reason };
  }
  return undefined;
}

function checkEntry({ path, size }: FoundEntry): LeftOutReason | undefined {
  if (validatePath(path)) return 'invalid_path';
  if (lockfiles.test(basename(path))) return 'lockfile';
  return size > limits.assetMaxBytes ? 'asset_too_large' : undefined;
}

/** ["site/index.html", "site/a.js"] → ["index.html", "a.js"]. Removes one folder around all files. */
function unwrap(entries: readonly FoundEntry[]): FoundEntry[] {
  const [first] = entries;
  const folder = first?.path.split('/', 1)[0] ?? '';
  const isCommon = entries.every(({ path }) => path.startsWith(`${folder}/`));
  return isCommon ? moveUp(entries, folder) : [...entries];
}

function moveUp(entries: readonly FoundEntry[], folder: string): FoundEntry[] {
  return entries.map((entry) => ({ ...entry, path: entry.path.slice(folder.length + 1) }));
}

/** Gives the files of a project back that was downloaded for Vite. */
async function restore(entries: readonly FoundEntry[]): Promise<FoundEntry[]> {
  const { restoreProject } = await import('../export/restore-project.ts');
  return restoreProject(entries);
}

/**
 * Makes the folder with the only index.html the project, if beside it are only files such as a
 * README. The project's page is always at the top.
 */
function chooseFolderOfPage(entries: readonly FoundEntry[], leftOut: LeftOut[]): FoundEntry[] {
  const pages = entries.filter(({ path }) => basename(path) === 'index.html');
  const [page] = pages;
  const isAtTop = entries.some(({ path }) => /^index\.(?:html|md)$/.test(path));
  if (!page || pages.length > 1 || isAtTop) return [...entries];
  const folder = dirname(page.path);
  const others = entries.filter(({ path }) => !isWithin(path, folder));
  if (!others.every(({ path }) => notSource.test(path))) return [...entries];
  for (const { path } of others) leftOut.push({ path, reason: 'outside' });
  return moveUp(
    entries.filter((entry) => !others.includes(entry)),
    folder,
  );
}
