import type { FileEdits } from '@vitrine/editor/language-service';
import {
  normalizeFile,
  validateFiles,
  VitrineError,
  type ProjectFile,
  type ProjectFiles,
} from '@vitrine/project';
import type { SnapshotFile } from '@vitrine/sandbox/tests';
import type { NewFile } from './uploaded-files.ts';
import type { FileMove } from './file-paths.ts';
import { MultiFileUndo } from '../code/multi-file-undo.ts';
import { findLinkEdits } from './link-edits.ts';
import type { ProjectText } from '../code/project-text.ts';
import type { DocumentSession } from '../saving/unsaved-copy.ts';

/** An open document with its files as plain text. */
export interface OpenDocument {
  readonly live: DocumentSession;
  readonly text: ProjectText;
}

/** A completed edit: how to undo it, and the number of existing files it changed. */
interface CompletedEdit {
  readonly undo: () => void;
  readonly count: number;
}

/**
 * Changes to several project files at once, by the file tree or by language services. Each is one
 * undo step.
 */
export class FileOperations {
  readonly #getOpen: () => OpenDocument;
  readonly #multiFileUndo = new MultiFileUndo();

  /** `getOpen` throws until the document is open. */
  constructor(getOpen: () => OpenDocument) {
    this.#getOpen = getOpen;
  }

  create(path: string, content = ''): void {
    this.#getOpen().text.create(path, content);
  }

  /**
   * Adds files, all or none, replacing those whose path exists. Returns an undo function, which
   * deletes the added files and restores the replaced ones. Throws like
   * `createFile`, or if the project would become too large; nothing is changed then.
   */
  add(newFiles: readonly NewFile[]): () => void {
    const { text } = this.#getOpen();
    const before = text.readAll();
    const files = new Map(newFiles.map(({ path, content }) => [path, normalizeFile(content)]));
    this.checkLimits(files);
    const added = [...files].filter(([path]) => !before.has(path));
    text.transactUndoable(() => {
      for (const [path, file] of added) text.create(path, file);
    });
    // A text that is replaced by a text keeps its editor and undo history.
    const edited: FileEdits[] = [];
    const replaced: [string, ProjectFile][] = [];
    for (const [path, file] of files) {
      const old = before.get(path);
      if (old?.kind === 'text' && file.kind === 'text')
        edited.push({ path, edits: [{ from: 0, to: old.text.length, insert: file.text }] });
      else if (old) replaced.push([path, file]);
    }
    const editStep = edited.length > 0 ? this.writeEdits(edited) : undefined;
    const replaceStep =
      replaced.length > 0
        ? text.transactUndoable(() => replaced.forEach(([path, file]) => text.replace(path, file)))
        : undefined;
    return () => {
      replaceStep?.undo();
      editStep?.undo();
      const current = new Set(text.paths.get());
      text.remove(added.flatMap(([path]) => (current.has(path) ? [path] : [])));
    };
  }

  /** Throws the error of `add`, if the project would be too large with these files, and without others. */
  checkLimits(files: ProjectFiles, removed: readonly string[] = []): void {
    const all = new Map([...this.#getOpen().text.readAll(), ...files]);
    for (const path of removed) all.delete(path);
    const problem = validateFiles(all);
    if (problem) throw new VitrineError(problem.code, problem.details);
  }

  /**
   * Moves files, overwriting those in `replaced`, and updates the links to and from them, as one
   * undo step. Throws `invalid_path` and `path_taken`.
   */
  async move(moves: readonly FileMove[], replaced: readonly string[] = []): Promise<CompletedEdit> {
    const { text: before } = this.#getOpen();
    const kept = [...before.files.get()].filter(([path]) => !replaced.includes(path));
    const paths = new Set(before.paths.get().filter((path) => !replaced.includes(path)));
    const links = await findLinkEdits(kept, paths, moves);
    return this.#makeEdits(links, ({ text }) => {
      text.remove(replaced);
      text.move(moves);
    });
  }

  /**
   * Replaces all files as one undo step, by edits that keep the editors of changed texts and merge
   * with the edits of others. Undo in any of the changed texts reverts the whole.
   */
  replaceAll(files: ProjectFiles): () => void {
    const { live, text } = this.#getOpen();
    const histories = [...files].flatMap(([path, file]) => {
      const found = text.findText(path);
      const isChanged = file.kind === 'text' && text.files.get().get(path) !== file.text;
      return found && isChanged ? [live.getUndoManager(found)] : [];
    });
    return this.#multiFileUndo.perform(histories, () => text.replaceAll(files, histories));
  }

  /** Deletes files. Returns an undo function. */
  remove(paths: readonly string[]): () => void {
    return this.#getOpen().text.remove(paths);
  }

  /** Writes a file as one undo step. */
  write(path: string, content: string): 'new' | 'changed' {
    const { live, text } = this.#getOpen();
    const found = text.findText(path);
    if (found) text.editUndoable(path, content, live.getUndoManager(found));
    else text.create(path, content);
    return found ? 'changed' : 'new';
  }

  /** Applies edits as one undo step. Undo in any of the files reverts them in all. */
  writeEdits(edits: readonly FileEdits[]): CompletedEdit {
    return this.#makeEdits(edits);
  }

  /** Writes updated snapshots. A file edited since the test run is skipped. */
  writeSnapshots(files: readonly SnapshotFile[]): void {
    const now = this.#getOpen().text.files.get();
    for (const { path, before, text } of files)
      if ((now.get(path) ?? null) === before) this.write(path, text);
  }

  #makeEdits(edits: readonly FileEdits[], also?: (opened: OpenDocument) => void): CompletedEdit {
    const opened = this.#getOpen();
    const { live, text } = opened;
    const changed = edits.flatMap(({ path, edits: each }) => {
      const found = text.findText(path);
      return found ? [{ text: found, edits: each }] : [];
    });
    const histories = changed.map((file) => live.getUndoManager(file.text));
    const undo = this.#multiFileUndo.perform(histories, () =>
      text.transactUndoable(() => {
        text.applyEdits(changed, histories);
        also?.(opened);
      }),
    );
    return { undo, count: changed.length };
  }
}
