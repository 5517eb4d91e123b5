import * as Y from 'yjs';
import { VitrineError } from './errors.ts';
import { limits } from './limits.ts';
import { byteLength, parsePath, findPathProblem, pathKey } from './paths.ts';
import { plainText } from './plain-text.ts';

/*
 * A project's living text. The `Y.Doc` has one root, `files`: file id → Y.Map of
 *   path: string       as its author wrote it; a rename writes this key alone, so edits go on
 *   text: Y.Text       lines end in "\n"; nothing but plain characters
 *   removed?: number   how much editing the text had seen when the file was removed
 *
 * Ids never meet, so two files made apart under one path are both kept: the one with the later id
 * is shown as "name (2).ext" by every replica alike. Ids begin with the time, so the later file is
 * the one that steps aside. Files that programs write as a whole are made under an id of their path,
 * so that two made apart do meet and are one; it is later than any time, so a person's file stays.
 *
 * Removing a file hides it and keeps its text. A file that someone else edited meanwhile has seen
 * more editing than its mark says, and so it is back, edit and all, as soon as both are merged:
 * work is never lost to another's tidying. The mark covers only what its author had seen.
 */

/** A file as it is shown: `path` is unique in the project without case. */
export interface DocumentFile {
  readonly id: string;
  readonly path: string;
  readonly text: Y.Text;
}

interface StoredFile extends DocumentFile {
  readonly entry: Y.Map<unknown>;
}

/** The files to show, sorted by path. What is no file by the rules above is left out. */
export function listFiles(doc: Y.Doc): DocumentFile[] {
  const files = storedFiles(doc).filter((file) => !isRemoved(file));
  const paths = shownPaths(files);
  return files
    .map(({ id, text }) => ({ id, text, path: paths.get(id) ?? id }))
    .sort((a, b) => compare(a.path, b.path));
}

/** Path → text of every file that is shown, sorted by path. */
export function readFiles(doc: Y.Doc): Map<string, string> {
  return new Map(listFiles(doc).map(({ path, text }) => [path, text.toString()]));
}

/**
 * Adds a file and returns its id. Line ends become "\n" and what a database cannot hold as text
 * (NUL, half characters) becomes U+FFFD, so that every replica and the database hold the same.
 * Throws `invalid_path`, `path_taken`, `file_too_large`, `too_many_files` or `project_too_large`;
 * the document is untouched then.
 */
export function createFile(doc: Y.Doc, path: string, content: string, origin?: unknown): string {
  const parsedPath = parsePath(path);
  const text = plainText(content);
  const files = listFiles(doc);
  if (isTaken(files, parsedPath)) throw new VitrineError('path_taken', parsedPath);
  checkRoom(files, byteLength(text));
  const id = newFileId();
  doc.transact(() => addEntry(doc, id, parsedPath, text), origin);
  return id;
}

/**
 * Writes a file as a whole, and makes it where there is none; for what programs write, such as
 * `package-lock.json`. Of two writings made apart one is kept, exactly as it was written, where
 * typed text would be merged line by line into what neither meant. What was typed into the file
 * apart from it is lost. Throws as `createFile` does, but for `path_taken`.
 */
export function replaceFile(doc: Y.Doc, path: string, content: string, origin?: unknown): void {
  const parsedPath = parsePath(path);
  const text = plainText(content);
  const files = listFiles(doc);
  const file = files.find((candidate) => pathKey(candidate.path) === pathKey(parsedPath));
  if (file?.text.toString() === text) return;
  const others = files.filter((candidate) => candidate !== file);
  checkRoom(others, byteLength(text));
  doc.transact(() => {
    if (file) getFile(doc, file.id).entry.set('text', new Y.Text(text));
    else addEntry(doc, wholeFileId(parsedPath), parsedPath, text);
  }, origin);
}

/** Gives a file another path; edits made meanwhile elsewhere stay. Throws `invalid_path`, `path_taken`. */
export function renameFile(doc: Y.Doc, id: string, path: string, origin?: unknown): void {
  renameFiles(doc, new Map([[id, path]]), origin);
}

/**
 * Gives files other paths, id → path, all at once: two may take each other's. Throws `invalid_path`
 * and `path_taken`; the document is untouched then.
 */
export function renameFiles(
  doc: Y.Doc,
  paths: ReadonlyMap<string, string>,
  origin?: unknown,
): void {
  const taken = new Set<string>();
  for (const { id, path } of listFiles(doc)) if (!paths.has(id)) taken.add(pathKey(path));
  const renamed = [...paths].map(([id, path]) => {
    const parsedPath = parsePath(path);
    if (taken.has(pathKey(parsedPath))) throw new VitrineError('path_taken', parsedPath);
    taken.add(pathKey(parsedPath));
    return { entry: getFile(doc, id).entry, parsedPath };
  });
  doc.transact(() => {
    for (const { entry, parsedPath } of renamed) entry.set('path', parsedPath);
  }, origin);
}

/** Hides a file and keeps its text: `restoreFile` brings it back, and so does an edit made apart. */
export function removeFile(doc: Y.Doc, id: string, origin?: unknown): void {
  const file = getFile(doc, id);
  doc.transact(() => file.entry.set('removed', editingSeen(file.text)), origin);
}

/** Shows a removed file again, as it was. */
export function restoreFile(doc: Y.Doc, id: string, origin?: unknown): void {
  const file = getFile(doc, id);
  doc.transact(() => file.entry.delete('removed'), origin);
}

/** A new document of these files, path → content. Throws as `createFile` does. */
export function documentFromFiles(files: Iterable<readonly [string, string]>): Y.Doc {
  const doc = new Y.Doc();
  const taken = new Set<string>();
  let bytes = 0;
  doc.transact(() => {
    for (const [path, content] of files) {
      const parsedPath = parsePath(path);
      const text = plainText(content);
      const size = byteLength(text);
      if (taken.has(pathKey(parsedPath))) throw new VitrineError('path_taken', parsedPath);
      if (taken.size >= limits.projectMaxFiles) throw new VitrineError('too_many_files');
      if (size > limits.fileMaxBytes) throw new VitrineError('file_too_large');
      bytes += size;
      if (bytes > limits.projectMaxBytes) throw new VitrineError('project_too_large');
      taken.add(pathKey(parsedPath));
      addEntry(doc, newFileId(), parsedPath, text);
    }
  });
  return doc;
}

function storedFiles(doc: Y.Doc): StoredFile[] {
  const found: StoredFile[] = [];
  for (const [id, entry] of doc.getMap('files')) {
    if (!(entry instanceof Y.Map)) continue;
    const path: unknown = entry.get('path');
    const text: unknown = entry.get('text');
    if (typeof path !== 'string' || findPathProblem(path) || !(text instanceof Y.Text)) continue;
    found.push({ id, path, text, entry });
  }
  return found.sort((a, b) => compare(a.id, b.id));
}

function getFile(doc: Y.Doc, id: string): StoredFile {
  const file = storedFiles(doc).find((candidate) => candidate.id === id);
  if (!file) throw new Error(`the document has no file ${id}`);
  return file;
}

function isRemoved({ entry, text }: StoredFile): boolean {
  const mark: unknown = entry.get('removed');
  return typeof mark === 'number' && editingSeen(text) <= mark;
}

/**
 * Characters ever inserted plus characters ever removed. It grows with each edit, and replicas that
 * have the same edits count the same; removed characters keep their length when Yjs collects them.
 */
function editingSeen(text: Y.Text): number {
  let seen = 0;
  for (let item = text._start; item !== null; item = item.right) {
    seen += item.deleted ? item.length * 2 : item.length;
  }
  return seen;
}

/** File id → the path it is shown under. The earliest id of a path keeps it, the others are numbered. */
function shownPaths(files: readonly StoredFile[]): Map<string, string> {
  const shown = new Map<string, string>();
  const taken = new Set<string>();
  const crowded: StoredFile[] = [];
  for (const file of files) {
    if (taken.has(pathKey(file.path))) crowded.push(file);
    else shown.set(file.id, file.path);
    taken.add(pathKey(file.path));
  }
  for (const { id, path } of crowded) {
    const free = freePath(path, taken);
    shown.set(id, free);
    taken.add(pathKey(free));
  }
  return shown;
}

/**
 * "css/a.css" → "css/a (2).css", or the next number that is free. What is taken is said by `pathKey`.
 */
export function freePath(path: string, taken: ReadonlySet<string>): string {
  const dot = path.lastIndexOf('.');
  const hasExtension = dot > path.lastIndexOf('/') + 1 && path.length - dot <= 32;
  const stem = hasExtension ? path.slice(0, dot) : path;
  const end = hasExtension ? path.slice(dot) : '';
  for (let number = 2; ; number++) {
    const candidate = fittingPath(stem, ` (${number})${end}`);
    if (!taken.has(pathKey(candidate))) return candidate;
  }
}

function fittingPath(stem: string, end: string): string {
  const characters = [...stem];
  while (byteLength(characters.join('') + end) > limits.pathMaxBytes || characters.at(-1) === '/') {
    characters.pop();
  }
  return characters.join('') + end;
}

function isTaken(files: readonly DocumentFile[], path: string): boolean {
  return files.some((file) => pathKey(file.path) === pathKey(path));
}

function checkRoom(others: readonly DocumentFile[], bytes: number): void {
  if (others.length >= limits.projectMaxFiles) throw new VitrineError('too_many_files');
  if (bytes > limits.fileMaxBytes) throw new VitrineError('file_too_large');
  if (hold(others, limits.projectMaxBytes - bytes + 1)) throw new VitrineError('project_too_large');
}

/** True when the files have so many bytes or more. Reads them only where their length leaves doubt. */
function hold(files: readonly DocumentFile[], bytes: number): boolean {
  const length = files.reduce((sum, file) => sum + file.text.length, 0);
  // A character of UTF-16 is one to three bytes of UTF-8.
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

function newFileId(): string {
  const random = Math.random().toString(36).slice(2, 12).padEnd(10, '0');
  return `${Date.now().toString(36).padStart(9, '0')}${random}`;
}

function wholeFileId(path: string): string {
  return `~${pathKey(path)}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
