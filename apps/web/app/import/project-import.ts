import { getPathKey, isRecord, limits, validatePath, VitrineError } from '@vitrine/project';
import { classifyContent } from '../workspace/assets/read-files.ts';
import {
  dirname,
  basename,
  isWithin,
  joinPath,
  listFolders,
} from '../workspace/tree/file-paths.ts';
import { findEntryFiles, type FoundFile } from '../workspace/tree/uploaded-files.ts';
import { isZip, type ImportSource } from './import-request.ts';
import type { ImportedFiles, LeftOut, LeftOutReason, ProjectImport } from './imported-project.ts';

/** A file that hasn't been read. `path` is any text. */
export interface FoundEntry {
  readonly path: string;
  readonly size: number;
  readonly isLink?: boolean;
  readonly read: () => Promise<Uint8Array<ArrayBuffer>>;
}

/** Files and folders, at any depth, that no project needs. */
const generatedNames: ReadonlyMap<string, LeftOutReason> = new Map([
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

/** Number of package.json files that are looked at for a build script. */
const maxManifests = 20;

/** Names that may also be an author's. They're left out beside a package.json with a build script. */
const buildFolders = ['dist', 'build', 'out'];

const lockfiles =
  /^(?:npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|bower\.lock)$/;

const otherArchives = /\.(?:7z|bz2|gz|rar|tar|tgz|txz|xz|zst)$/i;

/** Files beside a site's folder that aren't part of it. */
const notSource = /^(?:readme|license|licence|changelog|contributing|notice|\.git|\.editorconfig)/i;

/** Files, generated ones not counted, from which the others aren't looked at. */
const maxFoundFiles = 10_000;

/**
 * Reads and checks what a user wants to import. Rejects with a `VitrineError`, among others
 * `import_empty`, `too_many_files`, `assets_too_large` and the errors of `listZipEntries`.
 */
export async function readImport(
  source: ImportSource,
  signal?: AbortSignal,
): Promise<ProjectImport> {
  const exported = await readExportedFile(source, signal);
  return exported ?? importFound(await listEntries(source), signal);
}

/** Files that were found, of which a project is made. */
interface FoundFiles extends Pick<ProjectImport, 'from' | 'leftOut'> {
  /** Name of the zip, folder, file or repository. Empty for several files. */
  readonly name: string;
  readonly entries: readonly FoundEntry[];
}

/** Chooses, reads and checks files. Rejects like `readImport`. */
export async function importFound(
  { name, from, entries, ...found }: FoundFiles,
  signal?: AbortSignal,
): Promise<ProjectImport> {
  const leftOut = [...found.leftOut];
  const chosen = await chooseEntries(entries, leftOut);
  const files = await readEntries(chosen, leftOut, signal);
  if (files.length === 0) throw new VitrineError('import_empty', name);
  const { convertForeignFiles, mayBeForeign } = await import('./formats/exports.ts');
  if (mayBeForeign(files.map(({ path }) => path))) {
    const converted = convertForeignFiles(await readContents(files));
    if (converted) {
      const all = { ...converted, leftOut: [...leftOut, ...converted.leftOut] };
      return importFiles(
        { title: name, ...all },
        { source: name, ...(from !== undefined && { from }) },
      );
    }
  }
  return {
    source: name,
    ...(from !== undefined && { from }),
    title: createTitle(name),
    files,
    leftOut: countFolders(leftOut),
  };
}

/** Contents by path: texts, and bytes of what isn't text. */
async function readContents(
  files: readonly FoundFile[],
): Promise<Map<string, string | Uint8Array<ArrayBuffer>>> {
  const contents = new Map<string, string | Uint8Array<ArrayBuffer>>();
  for (const { path, file } of files) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const content = classifyContent(path, bytes);
    contents.set(path, typeof content === 'string' ? content : bytes);
  }
  return contents;
}

/**
 * Checks the files of a link, a form or another editor's project. Rejects with a `VitrineError`,
 * among others `import_empty`, `too_many_files` and `project_too_large`.
 */
export async function importFiles(
  imported: ImportedFiles,
  { source, from }: Pick<ProjectImport, 'source' | 'from'>,
): Promise<ProjectImport> {
  const leftOut = [...imported.leftOut];
  const entries = Array.from(imported.files, ([name, content]): FoundEntry => {
    const bytes = typeof content === 'string' ? encodeText(content) : content;
    return { path: name.normalize('NFC'), size: bytes.length, read: async () => bytes };
  });
  const files = await readEntries(acceptEntries(entries, leftOut), leftOut, undefined);
  if (files.length === 0) throw new VitrineError('import_empty', source);
  return {
    source,
    ...(from !== undefined && { from }),
    title: createTitle(imported.title ?? ''),
    files,
    leftOut: countFolders(leftOut),
  };
}

/** UTF-8. A byte order mark gets another before it, because reading a file as text removes one. */
function encodeText(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text.startsWith('\uFEFF') ? `\uFEFF${text}` : text);
}

/** Reads a project that was downloaded as one HTML file; undefined for anything else. */
async function readExportedFile(
  { entries, files: [file, other] }: ImportSource,
  signal: AbortSignal | undefined,
): Promise<ProjectImport | undefined> {
  const isPage = file && /\.html?$/i.test(file.name) && !other;
  if (!isPage || entries.some((entry) => entry.isDirectory)) return undefined;
  const { readHtmlFile } = await import('../export/read-html-file.ts');
  const found = await readHtmlFile(file);
  if (!found) return undefined;
  const leftOut: LeftOut[] = [];
  // Nothing is left out but what a project can't have: the files are those of a project.
  const files = await readEntries(acceptEntries(found.entries, leftOut), leftOut, signal);
  return { source: file.name, title: found.title, files, leftOut };
}

async function listEntries({ entries, files }: ImportSource) {
  const leftOut: LeftOut[] = [];
  const [first] = files;
  const folder = entries.find((entry) => entry.isDirectory);
  if (files.length === 1 && first && !folder) {
    if (otherArchives.test(first.name)) throw new VitrineError('archive_unsupported', first.name);
    if (isZip(first)) {
      const { listZipEntries } = await import('./read-zip.ts');
      const { isAccountArchive } = await import('../account/archive/read-archive.ts');
      const zipped = await listZipEntries(first);
      if (isAccountArchive(zipped.map(({ path }) => path)))
        throw new VitrineError('archive_of_account', first.name);
      return { name: first.name, entries: zipped, leftOut };
    }
  }
  const isSkipped = (path: string) => {
    const reason = generatedNames.get(basename(path));
    if (reason) leftOut.push({ path, reason });
    return reason !== undefined;
  };
  const found =
    entries.length > 0
      ? await findEntryFiles(entries, { isSkipped, maxFiles: maxFoundFiles })
      : files.map((file) => ({ path: file.webkitRelativePath || file.name, file }));
  const [only] = found;
  const [top = ''] = only?.path.split('/') ?? [];
  const isPage = found.length === 1 && /^[^/]+\.html?$/i.test(top);
  return {
    name: found.length === 1 || (folder ?? only?.path.includes('/')) ? top : '',
    entries: found.map(({ path, file }) => ({
      path: isPage ? 'index.html' : path,
      size: file.size,
      read: async () => new Uint8Array(await readFile(file)),
    })),
    leftOut,
  };
}

async function readFile(file: File): Promise<ArrayBuffer> {
  try {
    return await file.arrayBuffer();
  } catch (error) {
    throw new VitrineError('file_unreadable', file.name, { cause: error });
  }
}

/** The entries to import, at the paths that they get. Adds the others to `leftOut`. */
async function chooseEntries(
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
  const chosen = chooseFolderOfPage(
    await leaveOutBuilds(await restore(unwrap(found)), leftOut),
    leftOut,
  );
  return acceptEntries(chosen, leftOut);
}

/** The entries that a project can have together. Adds the others to `leftOut`. */
function acceptEntries(chosen: readonly FoundEntry[], leftOut: LeftOut[]): FoundEntry[] {
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
  if (accepted.length > limits.projectMaxFiles)
    throw new VitrineError('too_many_files', `${accepted.length} files`);
  const size = accepted.reduce((sum, entry) => sum + entry.size, 0);
  if (size > limits.projectMaxBytes + limits.projectMaxAssetBytes)
    throw new VitrineError('assets_too_large', `${size} bytes`);
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

/** Leaves out what a build script has written. */
async function leaveOutBuilds(
  entries: readonly FoundEntry[],
  leftOut: LeftOut[],
): Promise<FoundEntry[]> {
  const all = listFolders(entries.map(({ path }) => path));
  const manifests = entries.filter(({ path }) => basename(path) === 'package.json');
  const built: string[] = [];
  for (const entry of manifests.slice(0, maxManifests)) {
    const beside = buildFolders.map((name) => joinPath(dirname(entry.path), name));
    const found = beside.filter((folder) => all.has(folder));
    if (found.length > 0 && (await hasBuildScript(entry))) built.push(...found);
  }
  return entries.filter(({ path }) => {
    const folder = built.find((each) => isWithin(path, each));
    if (folder !== undefined) leftOut.push({ path: folder, count: 1, reason: 'build' });
    return folder === undefined;
  });
}

async function hasBuildScript(entry: FoundEntry): Promise<boolean> {
  if (entry.size > limits.fileMaxBytes) return false;
  try {
    const manifest: unknown = JSON.parse(new TextDecoder().decode(await entry.read()));
    const scripts = isRecord(manifest) ? manifest['scripts'] : undefined;
    return isRecord(scripts) && typeof scripts['build'] === 'string';
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
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

/** Reads entries one after the other. Adds those that a project can't have to `leftOut`. */
async function readEntries(
  entries: readonly FoundEntry[],
  leftOut: LeftOut[],
  signal: AbortSignal | undefined,
): Promise<FoundFile[]> {
  const files: FoundFile[] = [];
  let textBytes = 0;
  let assetBytes = 0;
  for (const { path, read } of entries) {
    signal?.throwIfAborted();
    const bytes = await read();
    const reason = checkContent(path, bytes);
    if (reason) {
      leftOut.push({ path, reason });
      continue;
    }
    if (typeof classifyContent(path, bytes) === 'string') textBytes += bytes.length;
    else assetBytes += bytes.length;
    files.push({ path, file: new File([bytes], basename(path)) });
  }
  if (textBytes > limits.projectMaxBytes)
    throw new VitrineError('project_too_large', `${textBytes} bytes`);
  if (assetBytes > limits.projectMaxAssetBytes)
    throw new VitrineError('assets_too_large', `${assetBytes} bytes`);
  return files;
}

function checkContent(path: string, bytes: Uint8Array<ArrayBuffer>): LeftOutReason | undefined {
  try {
    const content = classifyContent(path, bytes);
    // npm writes where each package was downloaded from; a lockfile of ours never has that.
    const isOfNpm =
      basename(path) === 'package-lock.json' &&
      typeof content === 'string' &&
      /"resolved":\s*"/.test(content);
    return isOfNpm || (path === 'package-lock.json' && typeof content !== 'string')
      ? 'lockfile'
      : undefined;
  } catch (error) {
    if (error instanceof VitrineError) return error.code;
    throw error;
  }
}

/** Adds up the files of each folder that was left out. */
function countFolders(leftOut: readonly LeftOut[]): LeftOut[] {
  const byPath = new Map<string, LeftOut>();
  const list: LeftOut[] = [];
  for (const item of leftOut) {
    if (item.count === undefined) list.push(item);
    else {
      const count = (byPath.get(item.path)?.count ?? 0) + item.count;
      byPath.set(item.path, { ...item, count });
    }
  }
  return [...byPath.values(), ...list];
}

/** "my-site.zip" → "my-site" */
function createTitle(name: string): string {
  const title = [...name.replace(/\.(?:html?|zip)$/i, '').trim()]
    .slice(0, limits.titleMax)
    .join('');
  return title === '' ? 'Imported project' : title;
}
