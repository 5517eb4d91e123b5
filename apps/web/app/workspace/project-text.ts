import {
  createFile,
  listFiles,
  removeFile,
  renameFiles,
  replaceFile,
  restoreFile,
  type DocumentFile,
} from '@vitrine/project';
import * as Y from 'yjs';
import type { Move } from './file-names.ts';
import { Source } from './source.ts';

/** The origin of what a person does to files, so that undo leaves it to the tree. */
const fileOrigin = 'files';
/** Of what a person has done to the text of a file at once. */
const stepOrigin = 'step';
const stepsKept = 10;

interface TextListeners {
  onRename(from: string, to: string): void;
  /** A file was written as a whole: its living text is another one now. */
  onReplace(path: string): void;
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
 * The files of a living document as plain text, kept up to date at the price of the file that
 * changed. It watches the document from its making until `close`.
 */
export class ProjectText {
  /** Path → text. A new map with each change; the texts that did not change are the same strings. */
  readonly files: Source<ReadonlyMap<string, string>>;
  /** Changes only when a file comes, goes or is renamed. */
  readonly paths: Source<readonly string[]>;
  readonly doc: Y.Doc;
  /** How long the texts are that were edited last, in UTF-16 units. */
  edited = 0;
  readonly #hear: TextListeners;
  /** What can be taken back as a whole. */
  readonly #steps: Y.UndoManager[] = [];
  #shown: readonly DocumentFile[];

  constructor(doc: Y.Doc, hear: TextListeners) {
    this.doc = doc;
    this.#hear = hear;
    this.#shown = listFiles(doc);
    this.files = new Source(this.#readAll());
    this.paths = new Source(this.#shown.map(({ path }) => path));
    doc.getMap('files').observeDeep(this.#onChange);
  }

  /** The living text of a file; undefined when there is none. */
  findText(path: string): Y.Text | undefined {
    return this.#shown.find((file) => file.path === path)?.text;
  }

  create(path: string, content = ''): void {
    createFile(this.doc, path, content, fileOrigin);
  }

  /**
   * Makes a file read so by its one differing stretch, so that what is typed elsewhere in it stays.
   * Undo leaves it alone, unless the file's history tracks the origin given.
   */
  edit(path: string, content: string, origin = fileOrigin): void {
    const text = this.findText(path);
    if (text) this.doc.transact(() => changeText(text, content), origin);
    else this.replace(path, content);
  }

  /** As `edit`, and one step of the file's undo by itself. */
  editAsStep(path: string, content: string, undo: Y.UndoManager): void {
    const text = this.findText(path);
    if (!text) throw new Error(`the project shows no file ${path}`);
    undo.trackedOrigins.add(stepOrigin);
    undo.stopCapturing();
    this.doc.transact(() => changeText(text, content), stepOrigin);
    undo.stopCapturing();
  }

  /**
   * Makes edits to several texts at once, each text's in order and counted in it as it was, which
   * these histories take back.
   */
  change(files: readonly ChangedText[], histories: readonly Y.UndoManager[]): void {
    for (const history of histories) history.trackedOrigins.add(stepOrigin);
    this.doc.transact(() => {
      for (const { text, edits } of files)
        for (const { from, to, insert } of edits.toReversed()) {
          text.delete(from, to - from);
          text.insert(from, insert);
        }
    }, stepOrigin);
  }

  /** Writes a file as a whole; see `replaceFile`. */
  replace(path: string, content: string): void {
    replaceFile(this.doc, path, content, fileOrigin);
  }

  /** Gives files other paths, all at once. Throws `invalid_path` and `path_taken`. */
  move(moves: readonly Move[]): void {
    const paths = new Map(moves.map(({ from, to }) => [this.#getId(from), to]));
    renameFiles(this.doc, paths, fileOrigin);
  }

  /** Takes files away and returns what brings them back. */
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
   * Makes changes to files one, and returns its history: `undo` takes back all of it and nothing that
   * others did since. Where one of the changes throws, none is made. Of so many steps the last ten
   * can be taken back.
   */
  asOne(change: () => void): Y.UndoManager {
    const step = new Y.UndoManager(this.doc.getMap('files'), {
      trackedOrigins: new Set([stepOrigin]),
    });
    try {
      this.doc.transact(change, stepOrigin);
    } catch (error) {
      step.undo();
      step.destroy();
      throw error;
    }
    step.trackedOrigins.delete(stepOrigin);
    this.#steps.push(step);
    if (this.#steps.length > stepsKept) this.#steps.shift()?.destroy();
    return step;
  }

  /** Makes the project these files, as one change. Files that stay keep their living text. */
  become(files: ReadonlyMap<string, string>): void {
    const gone = this.paths.get().filter((path) => !files.has(path));
    this.asOne(() => {
      this.remove(gone);
      for (const [path, content] of files) {
        if (this.findText(path)) this.edit(path, content);
        else this.create(path, content);
      }
    });
  }

  close(): void {
    for (const step of this.#steps) step.destroy();
    this.doc.getMap('files').unobserveDeep(this.#onChange);
  }

  readonly #onChange = (events: readonly Y.YEvent<Y.AbstractType<unknown>>[]): void => {
    const edited = events.flatMap(({ target }) => (target instanceof Y.Text ? [target] : []));
    const shown = edited.filter((text) => this.#shown.some((file) => file.text === text));
    // An edit to a file that is not shown may bring it back; so may anything that is no edit.
    if (shown.length < events.length) this.#relist();
    else this.#reread(shown);
  };

  #reread(texts: readonly Y.Text[]): void {
    this.edited = texts.reduce((length, text) => length + text.length, 0);
    const files = new Map(this.files.get());
    for (const { path, text } of this.#shown) {
      if (texts.includes(text)) files.set(path, text.toString());
    }
    this.files.set(files);
  }

  #relist(): void {
    const before = new Map(this.#shown.map((file) => [file.id, file]));
    this.#shown = listFiles(this.doc);
    this.files.set(this.#readAll());
    for (const { id, path, text } of this.#shown) {
      const known = before.get(id);
      if (known && known.text !== text) this.#hear.onReplace(path);
    }
    const paths = this.#shown.map(({ path }) => path);
    if (paths.join('\0') === this.paths.get().join('\0')) return;
    for (const { id, path } of this.#shown) {
      const from = before.get(id)?.path;
      if (from !== undefined && from !== path) this.#hear.onRename(from, path);
    }
    this.paths.set(paths);
  }

  #readAll(): Map<string, string> {
    return new Map(this.#shown.map(({ path, text }) => [path, text.toString()]));
  }

  #getId(path: string): string {
    const file = this.#shown.find((candidate) => candidate.path === path);
    if (!file) throw new Error(`the project shows no file ${path}`);
    return file.id;
  }
}

/** "a: 1, b: 2" → "a: 3, b: 2": only the "1" is taken out, and "3" put in. */
function changeText(text: Y.Text, content: string): void {
  const before = text.toString();
  const most = Math.min(before.length, content.length);
  let start = 0;
  while (start < most && before[start] === content[start]) start += 1;
  // Half a character is none.
  if (/[\ud800-\udbff]/.test(before[start - 1] ?? '')) start -= 1;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === content.at(-1 - end)) end += 1;
  if (end > 0 && /[\udc00-\udfff]/.test(before.at(-end) ?? '')) end -= 1;
  text.delete(start, before.length - end - start);
  text.insert(start, content.slice(start, content.length - end));
}
