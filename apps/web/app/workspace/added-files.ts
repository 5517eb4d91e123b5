import { limits, type ErrorCode } from '@vitrine/project';
import { joinPath } from './file-names.ts';

/** A text to be added under a path, which is free or will be numbered. */
export interface AddedFile {
  readonly path: string;
  readonly text: string;
}

/** What was given by drop, by paste or from a dialog, as far as it is text. */
export interface Added {
  readonly files: readonly AddedFile[];
  readonly refused: readonly { readonly path: string; readonly code: ErrorCode }[];
}

interface FoundFile {
  readonly path: string;
  readonly file: File;
}

/** What comes along with a folder and nobody means: what tools keep there, and can make again. */
const leftOut = /^(?:node_modules|\.git|\.DS_Store|Thumbs\.db|desktop\.ini)$/;

/**
 * Reads what was dropped or pasted, folders with all that is in them. It must be called while the
 * event lasts: after that its data is gone.
 */
export function readTransfer(transfer: DataTransfer): Promise<Added> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  // Pasted files have no entries everywhere.
  const files = [...transfer.files];
  return entries.length > 0 ? readEntries(entries) : readFiles(files);
}

export async function readFiles(files: readonly File[]): Promise<Added> {
  return readFound(files.map((file) => ({ path: file.webkitRelativePath || file.name, file })));
}

async function readEntries(entries: readonly FileSystemEntry[]): Promise<Added> {
  const found: FoundFile[] = [];
  for (const entry of entries) await collect(entry, '', found);
  return readFound(found);
}

/** Stops where there are more than a project may hold. */
async function collect(entry: FileSystemEntry, folder: string, found: FoundFile[]): Promise<void> {
  if (leftOut.test(entry.name) || found.length > limits.projectMaxFiles) return;
  const path = joinPath(folder, entry.name);
  if (isFileEntry(entry)) found.push({ path, file: await getFile(entry) });
  else if (isFolderEntry(entry))
    for (const inner of await listFolder(entry)) await collect(inner, path, found);
}

async function readFound(found: readonly FoundFile[]): Promise<Added> {
  const files: AddedFile[] = [];
  const refused: Added['refused'][number][] = [];
  for (const { path, file } of found) {
    const text = file.size > limits.fileMaxBytes ? 'file_too_large' : await readText(file);
    if (typeof text === 'string') refused.push({ path, code: text });
    else files.push({ path: path.normalize('NFC'), text: text.text });
  }
  return { files, refused };
}

/** UTF-8, or UTF-16 where its mark says so; what is neither, or holds a null, is no text. */
async function readText(file: File): Promise<{ text: string } | 'file_binary'> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const mark = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
  const encoding = mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes('\0') ? 'file_binary' : { text };
  } catch (error) {
    if (error instanceof TypeError) return 'file_binary';
    throw error;
  }
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

/** A reader gives some at a time, and none at the end. */
async function listFolder(entry: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = entry.createReader();
  const entries: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return entries;
    entries.push(...some);
  }
}
