import { limits, VitrineError, type ErrorCode } from '@vitrine/project';
import { classifyContent } from '../workspace/assets/read-files.ts';
import { basename } from '../workspace/tree/file-paths.ts';
import { findEntryFiles, type FoundFile } from '../workspace/tree/uploaded-files.ts';
import { acceptEntries, chooseEntries, generatedNames, maxFoundFiles } from './choose-entries.ts';
import { readManifest } from './formats/complete-project.ts';
import { isZip, type ImportSource } from './import-request.ts';
import {
  ImportTooLarge,
  type FoundEntry,
  type ImportedFiles,
  type LeftOut,
  type LeftOutReason,
  type ProjectImport,
} from './imported-project.ts';
import { findServerFramework, type ServerFramework } from './server-frameworks.ts';

const otherArchives = /\.(?:7z|bz2|gz|rar|tar|tgz|txz|xz|zst)$/i;

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
interface FoundFiles extends Pick<ProjectImport, 'from' | 'leftOut' | 'encoding'> {
  /** Name of the zip, folder, file or repository. Empty for several files. */
  readonly name: string;
  readonly entries: readonly FoundEntry[];
}

/** Chooses, reads and checks files. Rejects like `readImport`. */
export async function importFound(
  { name, from, encoding, entries, ...found }: FoundFiles,
  signal?: AbortSignal,
): Promise<ProjectImport> {
  const leftOut = [...found.leftOut];
  const origin = { ...(from !== undefined && { from }), ...(encoding && { encoding }) };
  const chosen = await chooseEntries(entries, leftOut);
  const importSome = (paths: ReadonlySet<string>, abort?: AbortSignal) =>
    importFound(
      {
        name,
        ...origin,
        leftOut: found.leftOut,
        entries: chosen.filter(({ path }) => paths.has(path)),
      },
      abort,
    );
  const files = await readEntries(chosen, leftOut, {
    signal,
    tooLarge: (code) => new ImportTooLarge(code, { source: name, entries: chosen, importSome }),
  });
  if (files.length === 0) throw new VitrineError('import_empty', name);
  const { convertForeignFiles, mayBeForeign } = await import('./formats/exports.ts');
  if (mayBeForeign(files.map(({ path }) => path))) {
    const converted = convertForeignFiles(await readContents(files));
    if (converted) {
      const all = { ...converted, leftOut: [...leftOut, ...converted.leftOut] };
      return importFiles({ title: name, ...all }, { source: name, ...origin });
    }
  }
  const framework = await findFramework(files);
  return {
    source: name,
    ...origin,
    title: createTitle(name),
    files,
    leftOut: countFolders(leftOut),
    ...(framework && { framework }),
  };
}

async function findFramework(files: readonly FoundFile[]): Promise<ServerFramework | undefined> {
  const file = files.find(({ path }) => path === 'package.json')?.file;
  const manifest = file && readManifest(await file.text());
  const paths = files.map(({ path }) => path);
  return findServerFramework(paths, manifest);
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
  { source, ...origin }: Pick<ProjectImport, 'source' | 'from' | 'encoding'>,
): Promise<ProjectImport> {
  const leftOut = [...imported.leftOut];
  const entries = Array.from(imported.files, ([name, content]): FoundEntry => {
    const bytes = typeof content === 'string' ? encodeText(content) : content;
    return { path: name.normalize('NFC'), size: bytes.length, read: async () => bytes };
  });
  const files = await readEntries(acceptEntries(entries, leftOut), leftOut, {});
  if (files.length === 0) throw new VitrineError('import_empty', source);
  return {
    source,
    ...origin,
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
  const files = await readEntries(acceptEntries(found.entries, leftOut), leftOut, { signal });
  return { source: file.name, title: found.title, files, leftOut };
}

async function listEntries({ entries, files, encoding }: ImportSource): Promise<FoundFiles> {
  const leftOut: LeftOut[] = [];
  const [first] = files;
  const folder = entries.find((entry) => entry.isDirectory);
  if (files.length === 1 && first && !folder) {
    if (otherArchives.test(first.name)) throw new VitrineError('archive_unsupported', first.name);
    if (isZip(first)) {
      const { readZipDirectory } = await import('./read-zip.ts');
      const { isAccountArchive } = await import('../account/archive/read-archive.ts');
      const zip = await readZipDirectory(first, encoding);
      if (isAccountArchive(zip.entries.map(({ path }) => path)))
        throw new VitrineError('archive_of_account', first.name);
      return { name: first.name, ...zip, leftOut };
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

interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Creates the error for more or larger files than a project can have. */
  readonly tooLarge?: (code: ErrorCode) => VitrineError;
}

/** Reads entries one after the other. Adds those that a project can't have to `leftOut`. */
async function readEntries(
  entries: readonly FoundEntry[],
  leftOut: LeftOut[],
  { signal, tooLarge = (code) => new VitrineError(code, `${entries.length} files`) }: ReadOptions,
): Promise<FoundFile[]> {
  // What the entries declare is checked before any of them is read.
  if (entries.length > limits.projectMaxFiles) throw tooLarge('too_many_files');
  const size = entries.reduce((sum, entry) => sum + entry.size, 0);
  if (size > limits.projectMaxBytes + limits.projectMaxAssetBytes)
    throw tooLarge('assets_too_large');
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
  if (textBytes > limits.projectMaxBytes) throw tooLarge('project_too_large');
  if (assetBytes > limits.projectMaxAssetBytes) throw tooLarge('assets_too_large');
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
