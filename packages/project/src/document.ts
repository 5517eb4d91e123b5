import * as Y from 'yjs';
import { VitrineError } from './errors.ts';
import { limits } from './limits.ts';
import { byteLength, parsePath, validatePath, getPathKey } from './paths.ts';
import { toPlainText } from './plain-text.ts';

/*
 * The shared document of a project. The `Y.Doc` has one root, `files`: file id → Y.Map of
 *   path: string       as its author wrote it; a rename changes only this key, so concurrent edits stay
 *   text: Y.Text       plain text without formatting or embeds; lines end in "\n"
 *   removed?: number   edit count of the text (see `countEdits`) when the file was removed
 *
 * File ids are unique, so two files created concurrently with the same path are both kept. Every
 * replica shows the one with the later id as "name (2).ext". Ids start with a timestamp, so the later
 * file is the one that gets the number. Files that programs write as a whole have an id derived from
 * their path, so two created concurrently merge into one; that id sorts after all timestamps, so a
 * user's file with the same path keeps its name.
 *
 * Removing a file hides it and keeps its text. If somebody edited the file concurrently, its edit
 * count is above the stored one after the merge, and the file is shown again with that edit. So a
 * removal never discards edits that its author had not seen.
 */

/** A visible file. `path` is unique in the project, ignoring case. */
export interface DocumentFile {
  readonly id: string;
  readonly path: string;
  readonly text: Y.Text;
}

interface StoredFile extends DocumentFile {
  readonly entry: Y.Map<unknown>;
}

/** Returns the visible files, sorted by path. Entries with an invalid structure or path are skipped. */
export function listFiles(doc: Y.Doc): DocumentFile[] {
  const files = listStoredFiles(doc).filter((file) => !isRemoved(file));
  const paths = resolveVisiblePaths(files);
  return files
    .map(({ id, text }) => ({ id, text, path: paths.get(id) ?? id }))
    .sort((a, b) => compare(a.path, b.path));
}

/** Returns the text of every visible file by path, sorted by path. */
export function readFiles(doc: Y.Doc): Map<string, string> {
  return new Map(listFiles(doc).map(({ path, text }) => [path, text.toString()]));
}

/**
 * Adds a file and returns its id. Line ends become "\n", and characters that PostgreSQL can't store
 * as text (NUL, unpaired surrogates) become U+FFFD, so that all replicas and the database agree.
 * Throws a `VitrineError` with `invalid_path`, `path_taken`, `file_too_large`, `too_many_files` or
 * `project_too_large`, and leaves the document unchanged in that case.
 */
export function createFile(doc: Y.Doc, path: string, content: string, origin?: unknown): string {
  const newPath = parsePath(path);
  const text = toPlainText(content);
  const files = listFiles(doc);
  if (isTaken(files, newPath)) throw new VitrineError('path_taken', newPath);
  checkLimits(files, byteLength(text));
  const id = createFileId();
  doc.transact(() => addEntry(doc, id, newPath, text), origin);
  return id;
}

/**
 * Replaces the whole text of a file, or creates the file; for files that programs write, such as
 * `package-lock.json`. Of two concurrent replacements one is kept exactly as written, instead of
 * both being merged character by character. Concurrent edits of the replaced text are lost.
 * Throws the errors of `createFile` except `path_taken`.
 */
export function replaceFile(doc: Y.Doc, path: string, content: string, origin?: unknown): void {
  const newPath = parsePath(path);
  const text = toPlainText(content);
  const files = listFiles(doc);
  const file = files.find((candidate) => getPathKey(candidate.path) === getPathKey(newPath));
  if (file?.text.toString() === text) return;
  const others = files.filter((candidate) => candidate !== file);
  checkLimits(others, byteLength(text));
  doc.transact(() => {
    if (file) getFile(doc, file.id).entry.set('text', new Y.Text(text));
    else addEntry(doc, createPathBasedId(newPath), newPath, text);
  }, origin);
}

/** Renames a file and keeps concurrent edits of it. Throws `invalid_path` and `path_taken`. */
export function renameFile(doc: Y.Doc, id: string, path: string, origin?: unknown): void {
  renameFiles(doc, new Map([[id, path]]), origin);
}

/**
 * Renames several files in one transaction, so two files can swap their paths. Throws `invalid_path`
 * and `path_taken`, and leaves the document unchanged in that case.
 * @param paths New path by file id.
 */
export function renameFiles(
  doc: Y.Doc,
  paths: ReadonlyMap<string, string>,
  origin?: unknown,
): void {
  const taken = new Set<string>();
  for (const { id, path } of listFiles(doc)) if (!paths.has(id)) taken.add(getPathKey(path));
  const renamed = [...paths].map(([id, path]) => {
    const newPath = parsePath(path);
    if (taken.has(getPathKey(newPath))) throw new VitrineError('path_taken', newPath);
    taken.add(getPathKey(newPath));
    return { entry: getFile(doc, id).entry, newPath };
  });
  doc.transact(() => {
    for (const { entry, newPath } of renamed) entry.set('path', newPath);
  }, origin);
}

/** Hides a file and keeps its text. `restoreFile` shows it again, and so does a concurrent edit. */
export function removeFile(doc: Y.Doc, id: string, origin?: unknown): void {
  const file = getFile(doc, id);
  doc.transact(() => file.entry.set('removed', countEdits(file.text)), origin);
}

/** Shows a removed file again, with its text. */
export function restoreFile(doc: Y.Doc, id: string, origin?: unknown): void {
  const file = getFile(doc, id);
  doc.transact(() => file.entry.delete('removed'), origin);
}

/** Creates a document from pairs of path and content. Throws the errors of `createFile`. */
export function createDocumentFromFiles(files: Iterable<readonly [string, string]>): Y.Doc {
  const doc = new Y.Doc();
  const taken = new Set<string>();
  let bytes = 0;
  doc.transact(() => {
    for (const [path, content] of files) {
      const newPath = parsePath(path);
      const text = toPlainText(content);
      const size = byteLength(text);
      if (taken.has(getPathKey(newPath))) throw new VitrineError('path_taken', newPath);
      if (taken.size >= limits.projectMaxFiles) throw new VitrineError('too_many_files');
      if (size > limits.fileMaxBytes) throw new VitrineError('file_too_large');
      bytes += size;
      if (bytes > limits.projectMaxBytes) throw new VitrineError('project_too_large');
      taken.add(getPathKey(newPath));
      addEntry(doc, createFileId(), newPath, text);
    }
  });
  return doc;
}

function listStoredFiles(doc: Y.Doc): StoredFile[] {
  const found: StoredFile[] = [];
  for (const [id, entry] of doc.getMap('files')) {
    if (!(entry instanceof Y.Map)) continue;
    const path: unknown = entry.get('path');
    const text: unknown = entry.get('text');
    if (typeof path !== 'string' || validatePath(path) || !(text instanceof Y.Text)) continue;
    found.push({ id, path, text, entry });
  }
  return found.sort((a, b) => compare(a.id, b.id));
}

function getFile(doc: Y.Doc, id: string): StoredFile {
  const file = listStoredFiles(doc).find((candidate) => candidate.id === id);
  if (!file) throw new Error(`the document has no file ${id}`);
  return file;
}

function isRemoved({ entry, text }: StoredFile): boolean {
  const mark: unknown = entry.get('removed');
  return typeof mark === 'number' && countEdits(text) <= mark;
}

/**
 * Counts the characters ever inserted plus the characters ever deleted. The count grows with each
 * edit and is equal on replicas with the same edits: Yjs keeps the length of deleted content even
 * after it was garbage-collected.
 */
function countEdits(text: Y.Text): number {
  let seen = 0;
  for (let item = text._start; item !== null; item = item.right) {
    seen += item.deleted ? item.length * 2 : item.length;
  }
  return seen;
}

/** Returns the visible path of each file by id. The earliest id keeps its path, others get a number. */
function resolveVisiblePaths(files: readonly StoredFile[]): Map<string, string> {
  const shown = new Map<string, string>();
  const taken = new Set<string>();
  const conflicting: StoredFile[] = [];
  for (const file of files) {
    if (taken.has(getPathKey(file.path))) conflicting.push(file);
    else shown.set(file.id, file.path);
    taken.add(getPathKey(file.path));
  }
  for (const { id, path } of conflicting) {
    const free = createFreePath(path, taken);
    shown.set(id, free);
    taken.add(getPathKey(free));
  }
  return shown;
}

/**
 * "css/a.css" → "css/a (2).css", or the next free number.
 * @param taken Keys of existing paths, as `getPathKey` returns them.
 */
export function createFreePath(path: string, taken: ReadonlySet<string>): string {
  const dot = path.lastIndexOf('.');
  const hasExtension = dot > path.lastIndexOf('/') + 1 && path.length - dot <= 32;
  const stem = hasExtension ? path.slice(0, dot) : path;
  const end = hasExtension ? path.slice(dot) : '';
  for (let number = 2; ; number++) {
    const candidate = truncatePath(stem, ` (${number})${end}`);
    if (!taken.has(getPathKey(candidate))) return candidate;
  }
}

function truncatePath(stem: string, end: string): string {
  const characters = [...stem];
  while (byteLength(characters.join('') + end) > limits.pathMaxBytes || characters.at(-1) === '/') {
    characters.pop();
  }
  return characters.join('') + end;
}

function isTaken(files: readonly DocumentFile[], path: string): boolean {
  return files.some((file) => getPathKey(file.path) === getPathKey(path));
}

function checkLimits(others: readonly DocumentFile[], bytes: number): void {
  if (others.length >= limits.projectMaxFiles) throw new VitrineError('too_many_files');
  if (bytes > limits.fileMaxBytes) throw new VitrineError('file_too_large');
  if (hasAtLeastBytes(others, limits.projectMaxBytes - bytes + 1))
    throw new VitrineError('project_too_large');
}

/** Whether the files have at least `bytes` bytes of UTF-8. Encodes them only if lengths don't decide. */
function hasAtLeastBytes(files: readonly DocumentFile[], bytes: number): boolean {
  const length = files.reduce((sum, file) => sum + file.text.length, 0);
  // A UTF-16 code unit is one to three bytes of UTF-8.
  if (length >= bytes) return true;
  if (length * 3 < bytes) return false;
  return files.reduce((sum, file) => sum + byteLength(file.text.toString()), 0) >= bytes;
}

function addEntry(doc: Y.Doc, id: string, path: string, content: string): void {
  const entry = new Y.Map<unknown>();
  entry.set('path', path);
  entry.set('text', new Y.Text(content));
  doc.getMap('files').set(id, entry);
}

function createFileId(): string {
  const random = Math.random().toString(36).slice(2, 12).padEnd(10, '0');
  return `${Date.now().toString(36).padStart(9, '0')}${random}`;
}

function createPathBasedId(path: string): string {
  return `~${getPathKey(path)}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
