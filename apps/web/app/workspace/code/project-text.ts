import {
  createFile,
  findFileChanges,
  isSameFile,
  listFiles,
  removeFile,
  renameFiles,
  replaceFile,
  restoreFile,
  toTextFiles,
  type AssetFile,
  type DocumentFile,
  type FileChanges,
  type FileContent,
  type ProjectFile,
  type ProjectFiles,
} from '@vitrine/project';
import * as Y from 'yjs';
import type { FileMove } from '../tree/file-paths.ts';
import { ValueStore } from '../value-store.ts';

/** Origin of changes that the editors' undo ignores: to the file list, and edits by other code. */
const fileOrigin = 'files';
/** Origin of edits by other code that can be undone in the editor. */
const undoableOrigin = 'step';
const maxUndoManagers = 10;

export interface TextListeners {
  onRename(from: string, to: string): void;
  /** The `Y.Text` of a file was replaced. */
  onReplace(path: string): void;
  /**
   * Files were edited, added, removed or renamed. Called before `files` is updated, so that observers
   * of it find the changes reported.
   */
  onChange?(changes: FileChanges): void;
}

interface ChangedText {
  readonly text: Y.Text;
  readonly edits: readonly {
    readonly from: number;
    readonly to: number;
    readonly insert: string;
  }[];
}

/**
 * Files of a document: its texts as plain strings, and its assets. An update takes time proportional
 * to the changed file. Observes the document until `close`.
 */
export class ProjectText {
  /**
   * Texts of the text files by path. A new map on each change of a text; unchanged texts are
   * identical strings.
   */
  readonly files: ValueStore<ReadonlyMap<string, string>>;
  readonly assets: ValueStore<ReadonlyMap<string, AssetFile>>;
  /** Paths of texts and assets. Only changes when a file is added, deleted or renamed. */
  readonly paths: ValueStore<readonly string[]>;
  readonly doc: Y.Doc;
  /** Total length of the texts that the last edit changed, in UTF-16 units. */
  changedTextLength = 0;
  readonly #listeners: TextListeners;
  /** Undo managers of the latest `transactUndoable` calls, oldest first. */
  readonly #undoManagers: Y.UndoManager[] = [];
  /** Visible files of the document, sorted by path (see `listFiles`). */
  #visibleFiles: readonly DocumentFile[];

  constructor(doc: Y.Doc, listeners: TextListeners) {
    this.doc = doc;
    this.#listeners = listeners;
    this.#visibleFiles = listFiles(doc);
    this.files = new ValueStore<ReadonlyMap<string, string>>(this.#readTexts());
    this.assets = new ValueStore(this.#readAssets());
    this.paths = new ValueStore(this.#visibleFiles.map(({ path }) => path));
    doc.getMap('files').observeDeep(this.#onChange);
  }

  /** `Y.Text` of a file. Undefined if there is none, or it is an asset. */
  findText(path: string): Y.Text | undefined {
    const file = this.#visibleFiles.find((candidate) => candidate.path === path);
    return file?.kind === 'text' ? file.text : undefined;
  }

  /** Path of the visible file with this `Y.Text`. */
  findPath(text: unknown): string | undefined {
    return this.#visibleFiles.find((file) => file.kind === 'text' && file.text === text)?.path;
  }

  /** Copies all files: texts and assets by path, sorted by path. */
  readAll(): Map<string, ProjectFile> {
    return this.#readFiles(this.files.get());
  }

  #readFiles(texts: ReadonlyMap<string, string>): Map<string, ProjectFile> {
    return new Map(
      this.#visibleFiles.map((file) => [
        file.path,
        file.kind === 'asset' ? file.asset : { kind: 'text', text: texts.get(file.path) ?? '' },
      ]),
    );
  }

  create(path: string, content: FileContent = ''): void {
    createFile(this.doc, path, content, fileOrigin);
  }

  /**
   * Changes a file's text by replacing only the differing range, so that concurrent edits elsewhere
   * in it survive. Not part of undo, unless the file's undo manager tracks the given origin.
   */
  edit(path: string, content: string, origin = fileOrigin): void {
    const text = this.findText(path);
    if (text) this.doc.transact(() => changeText(text, content), origin);
    else this.replace(path, content);
  }

  /** Like `edit`, as one step of the file's undo history. */
  editUndoable(path: string, content: string, undo: Y.UndoManager): void {
    const text = this.findText(path);
    if (!text) throw new Error(`no such file: ${path}`);
    undo.trackedOrigins.add(undoableOrigin);
    undo.stopCapturing();
    this.doc.transact(() => changeText(text, content), undoableOrigin);
    undo.stopCapturing();
  }

  /**
   * Edits several texts in one transaction that the given undo managers can undo. Offsets refer to
   * each text before the edit, in ascending order.
   */
  applyEdits(files: readonly ChangedText[], undoManagers: readonly Y.UndoManager[]): void {
    for (const undoManager of undoManagers) undoManager.trackedOrigins.add(undoableOrigin);
    this.doc.transact(() => {
      for (const { text, edits } of files)
        for (const { from, to, insert } of edits.toReversed()) {
          text.delete(from, to - from);
          text.insert(from, insert);
        }
    }, undoableOrigin);
  }

  /** Replaces a whole file; see `replaceFile`. */
  replace(path: string, content: FileContent): void {
    replaceFile(this.doc, path, content, fileOrigin);
  }

  /** Moves files in one transaction. Throws `invalid_path` and `path_taken`. */
  move(moves: readonly FileMove[]): void {
    const paths = new Map(moves.map(({ from, to }) => [this.#getId(from), to]));
    renameFiles(this.doc, paths, fileOrigin);
  }

  /** Deletes files. Returns an undo function. */
  remove(paths: readonly string[]): () => void {
    const ids = paths.map((path) => this.#getId(path));
    this.doc.transact(() => ids.forEach((id) => removeFile(this.doc, id, fileOrigin)), fileOrigin);
    return () =>
      this.doc.transact(
        () => ids.forEach((id) => restoreFile(this.doc, id, fileOrigin)),
        fileOrigin,
      );
  }

  /**
   * Runs changes as one transaction and returns its undo manager, whose `undo` reverts only these
   * changes. If one of them throws, all are reverted. Only the latest ten transactions can be undone.
   */
  transactUndoable(change: () => void): Y.UndoManager {
    const undoManager = new Y.UndoManager(this.doc.getMap('files'), {
      trackedOrigins: new Set([undoableOrigin]),
    });
    try {
      this.doc.transact(change, undoableOrigin);
    } catch (error) {
      undoManager.undo();
      undoManager.destroy();
      throw error;
    }
    undoManager.trackedOrigins.delete(undoableOrigin);
    this.#undoManagers.push(undoManager);
    if (this.#undoManagers.length > maxUndoManagers) this.#undoManagers.shift()?.destroy();
    return undoManager;
  }

  /**
   * Replaces all files in one transaction that the returned undo manager can undo, and those given.
   * Files that exist in both keep their `Y.Text`; files that are the same aren't touched.
   */
  replaceAll(files: ProjectFiles, undoManagers: readonly Y.UndoManager[] = []): Y.UndoManager {
    for (const undoManager of undoManagers) undoManager.trackedOrigins.add(undoableOrigin);
    const before = this.readAll();
    return this.transactUndoable(() => {
      this.remove([...before.keys()].filter((path) => !files.has(path)));
      for (const [path, file] of findFileChanges(before, files).changed) {
        if (file.kind === 'text' && this.findText(path)) this.edit(path, file.text);
        else if (before.has(path)) this.replace(path, file);
        else this.create(path, file);
      }
    });
  }

  close(): void {
    for (const undoManager of this.#undoManagers) undoManager.destroy();
    this.doc.getMap('files').unobserveDeep(this.#onChange);
  }

  readonly #onChange = (events: readonly Y.YEvent<Y.AbstractType<unknown>>[]): void => {
    const edited = events.flatMap(({ target }) => (target instanceof Y.Text ? [target] : []));
    const shown = edited.filter((text) =>
      this.#visibleFiles.some((file) => file.kind === 'text' && file.text === text),
    );
    // An edit of a hidden file may make it visible again, and so may any event that isn't a text
    // edit.
    if (shown.length < events.length) this.#updateFileList();
    else this.#updateTexts(shown);
  };

  #updateTexts(texts: readonly Y.Text[]): void {
    this.changedTextLength = texts.reduce((length, text) => length + text.length, 0);
    const edited = new Map<string, string>();
    for (const file of this.#visibleFiles) {
      if (file.kind === 'text' && texts.includes(file.text))
        edited.set(file.path, file.text.toString());
    }
    this.#listeners.onChange?.({ changed: toTextFiles(edited), removed: [] });
    this.files.set(withEditedTexts(this.files.get(), edited));
  }

  #updateFileList(): void {
    const before = new Map(this.#visibleFiles.map((file) => [file.id, file]));
    const filesBefore = this.readAll();
    this.#visibleFiles = listFiles(this.doc);
    const texts = this.#readTexts();
    this.#listeners.onChange?.(findFileChanges(filesBefore, this.#readFiles(texts)));
    const assets = this.#readAssets();
    if (!hasSameFiles(assets, this.assets.get())) this.assets.set(assets);
    this.files.set(texts);
    for (const file of this.#visibleFiles) {
      const previous = before.get(file.id);
      if (file.kind === 'text' && previous?.kind === 'text' && previous.text !== file.text)
        this.#listeners.onReplace(file.path);
    }
    const paths = this.#visibleFiles.map(({ path }) => path);
    if (paths.join('\0') === this.paths.get().join('\0')) return;
    for (const { id, path } of this.#visibleFiles) {
      const from = before.get(id)?.path;
      if (from !== undefined && from !== path) this.#listeners.onRename(from, path);
    }
    this.paths.set(paths);
  }

  #readTexts(): Map<string, string> {
    return new Map(
      this.#visibleFiles.flatMap((file) =>
        file.kind === 'text' ? [[file.path, file.text.toString()]] : [],
      ),
    );
  }

  #readAssets(): Map<string, AssetFile> {
    return new Map(
      this.#visibleFiles.flatMap((file) =>
        file.kind === 'asset' ? [[file.path, file.asset]] : [],
      ),
    );
  }

  #getId(path: string): string {
    const file = this.#visibleFiles.find((candidate) => candidate.path === path);
    if (!file) throw new Error(`no such file: ${path}`);
    return file.id;
  }
}

/** Number of edited texts that a map holds apart before they are copied into one map. */
const maxEditedTexts = 8;

/** Returns these texts with some of them edited, without copying the others. */
function withEditedTexts(
  texts: ReadonlyMap<string, string>,
  edited: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  if (!(texts instanceof EditedTexts)) return new EditedTexts(texts, edited);
  const all = new Map([...texts.edited, ...edited]);
  return all.size > maxEditedTexts
    ? new Map([...texts, ...edited])
    : new EditedTexts(texts.original, all);
}

/** Texts by path of which a few differ from another map. The map itself never changes. */
class EditedTexts implements ReadonlyMap<string, string> {
  readonly original: ReadonlyMap<string, string>;
  /** New texts of paths in `original`. */
  readonly edited: ReadonlyMap<string, string>;

  constructor(original: ReadonlyMap<string, string>, edited: ReadonlyMap<string, string>) {
    this.original = original;
    this.edited = edited;
  }

  get size(): number {
    return this.original.size;
  }

  get(path: string): string | undefined {
    return this.edited.get(path) ?? this.original.get(path);
  }

  has(path: string): boolean {
    return this.original.has(path);
  }

  keys(): MapIterator<string> {
    return this.original.keys();
  }

  *values(): MapIterator<string> {
    for (const [, text] of this) yield text;
    return undefined;
  }

  *entries(): MapIterator<[string, string]> {
    for (const [path, text] of this.original) yield [path, this.edited.get(path) ?? text];
    return undefined;
  }

  [Symbol.iterator](): MapIterator<[string, string]> {
    return this.entries();
  }

  forEach(
    call: (text: string, path: string, texts: ReadonlyMap<string, string>) => void,
    thisArg?: unknown,
  ): void {
    for (const [path, text] of this) call.call(thisArg, text, path, this);
  }
}

function hasSameFiles(a: ProjectFiles, b: ProjectFiles): boolean {
  return a.size === b.size && [...a].every(([path, file]) => isSameFile(file, b.get(path)));
}

/** Replaces the differing range: "a: 1, b: 2" → "a: 3, b: 2" only replaces "1" by "3". */
function changeText(text: Y.Text, content: string): void {
  const before = text.toString();
  const maxPrefix = Math.min(before.length, content.length);
  let start = 0;
  while (start < maxPrefix && before[start] === content[start]) start += 1;
  // Keeps surrogate pairs intact.
  if (/[\ud800-\udbff]/.test(before[start - 1] ?? '')) start -= 1;
  let end = 0;
  while (end < maxPrefix - start && before.at(-1 - end) === content.at(-1 - end)) end += 1;
  if (end > 0 && /[\udc00-\udfff]/.test(before.at(-end) ?? '')) end -= 1;
  text.delete(start, before.length - end - start);
  text.insert(start, content.slice(start, content.length - end));
}
