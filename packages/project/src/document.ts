import * as Y from 'yjs';
import { VitrineError } from './errors.ts';
import {
  isSameFile,
  normalizeFile,
  parseAsset,
  validateAsset,
  type AssetFile,
  type FileContent,
  type ProjectFile,
} from './files.ts';
import { limits } from './limits.ts';
import { byteLength, parsePath, validatePath, getPathKey } from './paths.ts';

/*
 * The shared document of a project. The `Y.Doc` has one root, `files`: file id → Y.Map of
 *   path: string       as its author wrote it; a rename changes only this key, so concurrent edits stay
 *   text: Y.Text       plain text without formatting or embeds; lines end in "\n"
 *   removed?: number   edit count of the text (see `countEdits`) when the file was removed
 * or, for an asset, since format 2 (see `documentFormat`),
 *   path: string
 *   asset: object      { hash, size, mediaType }, a plain value that is replaced as a whole
 *   removed?: string   hash of the asset when the file was removed
 *
 * An entry never changes from one kind to the other. If a peer put both into one, it is a text.
 *
 * File ids are unique, so two files created concurrently with the same path are both kept. Every
 * replica shows the one with the later id as "name (2).ext". Ids start with a timestamp, so the later
 * file is the one that gets the number. Files that programs write as a whole have an id derived from
 * their path, so two created concurrently merge into one; that id sorts after all timestamps, so a
 * user's file with the same path keeps its name.
 *
 * Removing a file hides it and keeps its text. If somebody edited the file concurrently, its edit
 * count is above the stored one after the merge, and the file is shown again with that edit. So a
 * removal never discards edits that its author had not seen. An asset that was replaced concurrently
 * is shown again in the same way.
 */

/**
 * Version of the document format that this build reads and writes. Builds that read format 1 only
 * see no assets, so the server rejects their saves of a document that has any.
 */
export const documentFormat = 2;

/** A visible file. `path` is unique in the project, ignoring case. */
export type DocumentFile = DocumentTextFile | DocumentAssetFile;

interface FileAddress {
  readonly id: string;
  readonly path: string;
}

export interface DocumentTextFile extends FileAddress {
  readonly kind: 'text';
  readonly text: Y.Text;
}

export interface DocumentAssetFile extends FileAddress {
  readonly kind: 'asset';
  readonly asset: AssetFile;
}

/** A file with its map in the document, hidden or not. */
type StoredFile = DocumentFile & { readonly entry: Y.Map<unknown> };

/** Returns the visible files, sorted by path. Entries with an invalid structure or path are skipped. */
export function listFiles(doc: Y.Doc): DocumentFile[] {
  const files = listStoredFiles(doc).filter((file) => !isRemoved(file));
  const paths = resolveVisiblePaths(files);
  return files
    .map((file) => toVisibleFile(file, paths.get(file.id) ?? file.id))
    .sort((a, b) => compare(a.path, b.path));
}

function toVisibleFile(file: StoredFile, path: string): DocumentFile {
  const { id } = file;
  return file.kind === 'text'
    ? { kind: 'text', id, path, text: file.text }
    : { kind: 'asset', id, path, asset: file.asset };
}

/** Returns the visible text files, sorted by path. */
export function listTextFiles(doc: Y.Doc): DocumentTextFile[] {
  return listFiles(doc).filter((file) => file.kind === 'text');
}

/** Returns every visible file by path, sorted by path. */
export function readFiles(doc: Y.Doc): Map<string, ProjectFile> {
  return new Map(
    listFiles(doc).map((file) => [
      file.path,
      file.kind === 'asset' ? file.asset : { kind: 'text', text: file.text.toString() },
    ]),
  );
}

/**
 * Adds a file and returns its id. Line ends become "\n", and characters that PostgreSQL can't store
 * as text (NUL, unpaired surrogates) become U+FFFD, so that all replicas and the database agree.
 * Throws a `VitrineError` with `invalid_path`, `path_taken`, `too_many_files`, for a text
 * `file_too_large` or `project_too_large`, and for an asset `asset_too_large`, `assets_too_large` or
 * `asset_type_refused`. The document stays unchanged in that case.
 */
export function createFile(
  doc: Y.Doc,
  path: string,
  content: FileContent,
  origin?: unknown,
): string {
  const newPath = parsePath(path);
  const file = normalizeFile(content);
  const files = listFiles(doc);
  if (isTaken(files, newPath)) throw new VitrineError('path_taken', newPath);
  checkLimits(files, file);
  const id = createFileId();
  doc.transact(() => addEntry(doc, id, newPath, file), origin);
  return id;
}

/**
 * Replaces a file as a whole, or creates it: an asset, or a text that a program writes, such as
 * `package-lock.json`. Of two concurrent replacements one is kept exactly as written, instead of
 * both being merged character by character. Concurrent edits of a text that is replaced by a text
 * are lost. Throws the errors of `createFile` except `path_taken`.
 */
export function replaceFile(
  doc: Y.Doc,
  path: string,
  content: FileContent,
  origin?: unknown,
): void {
  const newPath = parsePath(path);
  const next = normalizeFile(content);
  const files = listFiles(doc);
  const file = files.find((candidate) => getPathKey(candidate.path) === getPathKey(newPath));
  if (file && hasContent(file, next)) return;
  const others = files.filter((candidate) => candidate !== file);
  checkLimits(others, next);
  doc.transact(() => {
    if (file?.kind === next.kind) return setContent(getFile(doc, file.id).entry, next);
    if (file) removeFile(doc, file.id, origin);
    const id = createPathBasedId(newPath);
    // A file that was replaced here and then renamed still has the id of this path.
    const isUsed = others.some((other) => other.id === id);
    addEntry(doc, isUsed ? createFileId() : id, newPath, next);
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

/** Hides a file and keeps its content. `restoreFile` shows it again, and so does a concurrent edit. */
export function removeFile(doc: Y.Doc, id: string, origin?: unknown): void {
  const file = getFile(doc, id);
  const mark = file.kind === 'text' ? countEdits(file.text) : file.asset.hash;
  doc.transact(() => file.entry.set('removed', mark), origin);
}

/** Shows a removed file again, with its content. */
export function restoreFile(doc: Y.Doc, id: string, origin?: unknown): void {
  const file = getFile(doc, id);
  doc.transact(() => file.entry.delete('removed'), origin);
}

/** Creates a document from pairs of path and content. Throws the errors of `createFile`. */
export function createDocumentFromFiles(
  files: Iterable<readonly [path: string, content: FileContent]>,
): Y.Doc {
  const doc = new Y.Doc();
  const taken = new Set<string>();
  const total = { textBytes: 0, assetBytes: 0 };
  doc.transact(() => {
    for (const [path, content] of files) {
      const newPath = parsePath(path);
      const file = normalizeFile(content);
      if (taken.has(getPathKey(newPath))) throw new VitrineError('path_taken', newPath);
      if (taken.size >= limits.projectMaxFiles) throw new VitrineError('too_many_files');
      checkFile(file);
      if (file.kind === 'text') total.textBytes += byteLength(file.text);
      else total.assetBytes += file.size;
      if (total.textBytes > limits.projectMaxBytes) throw new VitrineError('project_too_large');
      if (total.assetBytes > limits.projectMaxAssetBytes)
        throw new VitrineError('assets_too_large');
      taken.add(getPathKey(newPath));
      addEntry(doc, createFileId(), newPath, file);
    }
  });
  return doc;
}

/** Whether a transaction has added, renamed, removed or restored files, or may have. */
export function changesPaths({ doc, changed }: Y.Transaction): boolean {
  const files: unknown = doc.getMap('files');
  return [...changed].some(
    ([type, keys]) =>
      type === files || (type.parent === files && (keys.has('path') || keys.has('removed'))),
  );
}

/** Whether two documents have the same visible files, whatever their contents. */
export function hasSamePaths(a: Y.Doc, b: Y.Doc): boolean {
  const [left, right] = [listFiles(a), listFiles(b)];
  return (
    left.length === right.length &&
    left.every(({ id, path }, index) => id === right[index]?.id && path === right[index].path)
  );
}

function listStoredFiles(doc: Y.Doc): StoredFile[] {
  const found: StoredFile[] = [];
  for (const [id, entry] of doc.getMap('files')) {
    if (!(entry instanceof Y.Map)) continue;
    const path: unknown = entry.get('path');
    const text: unknown = entry.get('text');
    if (typeof path !== 'string' || validatePath(path)) continue;
    if (text instanceof Y.Text) {
      found.push({ kind: 'text', id, path, text, entry });
      continue;
    }
    const asset = parseAsset(entry.get('asset'));
    if (asset) found.push({ kind: 'asset', id, path, asset, entry });
  }
  return found.sort((a, b) => compare(a.id, b.id));
}

function getFile(doc: Y.Doc, id: string): StoredFile {
  const file = listStoredFiles(doc).find((candidate) => candidate.id === id);
  if (!file) throw new Error(`the document has no file ${id}`);
  return file;
}

function isRemoved(file: StoredFile): boolean {
  const mark: unknown = file.entry.get('removed');
  if (file.kind === 'asset') return file.asset.hash === mark;
  return typeof mark === 'number' && countEdits(file.text) <= mark;
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

/** Throws if a file is too large or not allowed, whatever else the project has. */
function checkFile(file: ProjectFile): void {
  const code = file.kind === 'asset' ? validateAsset(file) : undefined;
  if (code) throw new VitrineError(code);
  if (file.kind === 'text' && byteLength(file.text) > limits.fileMaxBytes)
    throw new VitrineError('file_too_large');
}

function checkLimits(others: readonly DocumentFile[], file: ProjectFile): void {
  if (others.length >= limits.projectMaxFiles) throw new VitrineError('too_many_files');
  checkFile(file);
  if (file.kind === 'asset') {
    const assets = others.map((other) => (other.kind === 'asset' ? other.asset.size : 0));
    if (assets.reduce((sum, size) => sum + size, file.size) > limits.projectMaxAssetBytes)
      throw new VitrineError('assets_too_large');
    return;
  }
  const texts = others.flatMap((other) => (other.kind === 'text' ? [other.text] : []));
  if (hasAtLeastBytes(texts, limits.projectMaxBytes - byteLength(file.text) + 1))
    throw new VitrineError('project_too_large');
}

/** Whether the texts have at least `bytes` bytes of UTF-8. Encodes them only if lengths don't decide. */
function hasAtLeastBytes(texts: readonly Y.Text[], bytes: number): boolean {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  // A UTF-16 code unit is one to three bytes of UTF-8.
  if (length >= bytes) return true;
  if (length * 3 < bytes) return false;
  return texts.reduce((sum, text) => sum + byteLength(text.toString()), 0) >= bytes;
}

function hasContent(file: DocumentFile, content: ProjectFile): boolean {
  if (file.kind === 'asset') return isSameFile(file.asset, content);
  return content.kind === 'text' && file.text.toString() === content.text;
}

function addEntry(doc: Y.Doc, id: string, path: string, content: ProjectFile): void {
  const entry = new Y.Map<unknown>();
  entry.set('path', path);
  setContent(entry, content);
  doc.getMap('files').set(id, entry);
}

function setContent(entry: Y.Map<unknown>, content: ProjectFile): void {
  if (content.kind === 'text') return void entry.set('text', new Y.Text(content.text));
  const { hash, size, mediaType } = content;
  entry.set('asset', { hash, size, mediaType });
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
