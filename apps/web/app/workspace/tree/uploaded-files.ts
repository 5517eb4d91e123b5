import { limits, type FileContent } from '@vitrine/project';
import { basename, joinPath } from './file-paths.ts';

/** A file to add. If the path is taken, the user is asked or the name is numbered. */
export interface NewFile {
  readonly path: string;
  readonly content: FileContent;
}

/** A file from a drop, paste or file dialog, not yet read. */
export interface FoundFile {
  /** Name, below the dropped folder. */
  readonly path: string;
  readonly file: File;
}

/** Types of texts that don't begin with "text/". Some systems take TypeScript for MPEG-2 video. */
const textTypes = /json|javascript|typescript|ecmascript|svg|xml|mp2t/;
/** Texts whose type systems don't know. */
const textNames = /\.(?:[cm]?[jt]sx?|vue|svelte|md|s[ac]ss|less|jsonc|ya?ml|toml|glsl|wgsl)$/i;

/** Generated files that come along with a dropped folder and are skipped. */
const skippedNames = /^(?:node_modules|\.git|\.DS_Store|Thumbs\.db|desktop\.ini)$/;

/**
 * Finds dropped or pasted files, folders recursively. Must be called during the event; its data is
 * gone afterwards.
 */
export async function findTransferredFiles(transfer: DataTransfer): Promise<FoundFile[]> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const files = [...transfer.files];
  // Not all browsers provide entries for pasted files.
  if (entries.length === 0) return files.map(toFoundFile);
  return findEntryFiles(entries, {
    isSkipped: (path) => skippedNames.test(basename(path)),
    maxFiles: limits.projectMaxFiles,
  });
}

interface FindOptions {
  /** Whether to leave out the file or folder with this path. */
  readonly isSkipped: (path: string) => boolean;
  /** Stops once there are more files than that. */
  readonly maxFiles: number;
}

/** Finds files, folders recursively. */
export async function findEntryFiles(
  entries: readonly FileSystemEntry[],
  options: FindOptions,
): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  for (const entry of entries) await collectFiles(entry, '', found, options);
  return found;
}

/** Whether all files look like texts that are small enough to be inserted into another one. */
export function areTexts({ items }: DataTransfer): boolean {
  return [...items].every((item) => {
    if (item.kind !== 'file') return true;
    if (item.webkitGetAsEntry()?.isDirectory) return false;
    const file = item.getAsFile();
    if (!file || file.size > limits.fileMaxBytes) return false;
    const { name, type } = file;
    return type === '' ? textNames.test(name) : type.startsWith('text/') || textTypes.test(type);
  });
}

/** Whether a paste is a picture without a file. Browsers call all of these "image.png". */
export function isScreenshot({ files }: DataTransfer): boolean {
  return files.length === 1 && files[0]?.name === 'image.png';
}

/**
 * Opens the browser's file dialog. Resolves to no files if the user cancels it. Must be called while
 * handling a click or key.
 */
export function chooseFiles(options: {
  multiple: boolean;
  /** Lets the user choose a folder with all its files instead. */
  isFolder?: boolean;
}): Promise<FoundFile[]> {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = options.multiple;
  input.webkitdirectory = options.isFolder ?? false;
  input.hidden = true;
  return new Promise((resolve) => {
    const finish = () => {
      resolve([...(input.files ?? [])].map(toFoundFile));
      input.remove();
    };
    input.addEventListener('change', finish);
    input.addEventListener('cancel', finish);
    // Some browsers ignore the choice in an element that isn't in the document.
    document.body.append(input);
    input.click();
  });
}

function toFoundFile(file: File): FoundFile {
  return { path: file.webkitRelativePath || file.name, file };
}

async function collectFiles(
  entry: FileSystemEntry,
  folder: string,
  found: FoundFile[],
  options: FindOptions,
): Promise<void> {
  const path = joinPath(folder, entry.name);
  if (found.length > options.maxFiles || options.isSkipped(path)) return;
  if (isFileEntry(entry)) found.push({ path, file: await getFile(entry) });
  else if (isFolderEntry(entry))
    for (const inner of await listFolder(entry)) await collectFiles(inner, path, found, options);
}

function isFileEntry(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolderEntry(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function getFile(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** `readEntries` returns entries in batches, and an empty batch at the end. */
async function listFolder(entry: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = entry.createReader();
  const entries: FileSystemEntry[] = [];
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (batch.length === 0) return entries;
    entries.push(...batch);
  }
}
