import { limits, type ErrorCode, type FileContent } from '@vitrine/project';
import { joinPath } from './file-paths.ts';

/** A file to add. If the path is taken, the user is asked or the name is numbered. */
export interface NewFile {
  readonly path: string;
  readonly content: FileContent;
}

/** Files from a drop, paste or file dialog. Files that aren't text are rejected with a code. */
export interface UploadedFiles {
  readonly files: readonly NewFile[];
  readonly rejected: readonly { readonly path: string; readonly code: ErrorCode }[];
}

interface PendingFile {
  readonly path: string;
  readonly file: File;
}

/** Generated files that come along with a dropped folder and are skipped. */
const skippedNames = /^(?:node_modules|\.git|\.DS_Store|Thumbs\.db|desktop\.ini)$/;

/**
 * Reads dropped or pasted files, folders recursively. Must be called during the event; its data is
 * gone afterwards.
 */
export function readDataTransfer(transfer: DataTransfer): Promise<UploadedFiles> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  // Not all browsers provide entries for pasted files.
  const files = [...transfer.files];
  return entries.length > 0 ? readEntries(entries) : readUploadedFiles(files);
}

export async function readUploadedFiles(files: readonly File[]): Promise<UploadedFiles> {
  return readPendingFiles(
    files.map((file) => ({ path: file.webkitRelativePath || file.name, file })),
  );
}

async function readEntries(entries: readonly FileSystemEntry[]): Promise<UploadedFiles> {
  const found: PendingFile[] = [];
  for (const entry of entries) await collectFiles(entry, '', found);
  return readPendingFiles(found);
}

/** Stops once there are more files than a project may have. */
async function collectFiles(
  entry: FileSystemEntry,
  folder: string,
  found: PendingFile[],
): Promise<void> {
  if (skippedNames.test(entry.name) || found.length > limits.projectMaxFiles) return;
  const path = joinPath(folder, entry.name);
  if (isFileEntry(entry)) found.push({ path, file: await getFile(entry) });
  else if (isFolderEntry(entry))
    for (const inner of await listFolder(entry)) await collectFiles(inner, path, found);
}

async function readPendingFiles(found: readonly PendingFile[]): Promise<UploadedFiles> {
  const files: NewFile[] = [];
  const refused: UploadedFiles['rejected'][number][] = [];
  for (const { path, file } of found) {
    const text = file.size > limits.fileMaxBytes ? 'file_too_large' : await readText(file);
    if (typeof text === 'string') refused.push({ path, code: text });
    else files.push({ path: path.normalize('NFC'), content: text.text });
  }
  return { files, rejected: refused };
}

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark. Anything else, or text with a NUL, is binary.
 */
async function readText(file: File): Promise<{ text: string } | 'file_binary'> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const bom = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
  const encoding = bom === 0xfffe ? 'utf-16le' : bom === 0xfeff ? 'utf-16be' : 'utf-8';
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
