import type { FileEdits } from '@vitrine/editor/language-service';
import { findFilesProblem, plainText, VitrineError } from '@vitrine/project';
import type { WrittenFile } from '@vitrine/sandbox/tests';
import type { AddedFile } from './added-files.ts';
import type { Move } from './file-names.ts';
import { JointSteps } from './joint-steps.ts';
import { findMovedLinks } from './moved-links.ts';
import type { ProjectText } from './project-text.ts';
import type { Living } from './reading.ts';

/** A document that is open, and its files as plain text. */
export interface Opened {
  readonly live: Living;
  readonly text: ProjectText;
}

/** A step that was made: what takes it back, and how many texts it has changed. */
export interface MadeStep {
  readonly undo: () => void;
  readonly count: number;
}

/** What is done to the project's files at once: by the tree, or by what understands the code. */
export class FileChanges {
  readonly #getNow: () => Opened;
  readonly #jointSteps = new JointSteps();

  /** `getNow` throws until the document is open. */
  constructor(getNow: () => Opened) {
    this.#getNow = getNow;
  }

  create(path: string, content = ''): void {
    this.#getNow().text.create(path, content);
  }

  /**
   * Adds files, all or none; one whose path is taken gets the new text. Returns what takes that back:
   * the added files go, and the others have their old text. Throws as `createFile` does, and for
   * what a replaced file would make too large; nothing is changed then.
   */
  add(given: readonly AddedFile[]): () => void {
    const { text } = this.#getNow();
    const before = text.files.get();
    const files = given.map((file) => ({ path: file.path, text: plainText(file.text) }));
    const after = new Map([...before, ...files.map((file) => [file.path, file.text] as const)]);
    const problem = findFilesProblem(after);
    if (problem) throw new VitrineError(problem.code, problem.details);
    const added = files.filter(({ path }) => !before.has(path));
    text.asOne(() => {
      for (const file of added) text.create(file.path, file.text);
    });
    const replaced = files.flatMap(({ path, text: insert }) => {
      const old = before.get(path);
      return old === undefined ? [] : [{ path, edits: [{ from: 0, to: old.length, insert }] }];
    });
    const step = replaced.length > 0 ? this.writeEdits(replaced) : undefined;
    return () => {
      step?.undo();
      const there = text.files.get();
      text.remove(added.flatMap(({ path }) => (there.has(path) ? [path] : [])));
    };
  }

  /**
   * Gives files other paths, in place of those that are `replaced`, and makes what links to them, and
   * what they link to, follow, as one step that undo takes back. Throws `invalid_path` and `path_taken`.
   */
  async move(moves: readonly Move[], replaced: readonly string[] = []): Promise<MadeStep> {
    const kept = [...this.#getNow().text.files.get()].filter(([path]) => !replaced.includes(path));
    const links = await findMovedLinks(new Map(kept), moves);
    return this.#makeEdits(links, ({ text }) => {
      text.remove(replaced);
      text.move(moves);
    });
  }

  /** Takes files away and returns what brings them back. */
  remove(paths: readonly string[]): () => void {
    return this.#getNow().text.remove(paths);
  }

  /** As one step that undo takes back. */
  write(path: string, content: string): 'new' | 'changed' {
    const { live, text } = this.#getNow();
    const found = text.findText(path);
    if (found) text.editAsStep(path, content, live.undoOf(found));
    else text.create(path, content);
    return found ? 'changed' : 'new';
  }

  /** As one step that undo takes back, in whichever of the files it is asked for. */
  writeEdits(edits: readonly FileEdits[]): MadeStep {
    return this.#makeEdits(edits);
  }

  /** What a person asked for; a file that was edited meanwhile is left as it is. */
  writeSnapshots(files: readonly WrittenFile[]): void {
    const now = this.#getNow().text.files.get();
    for (const { path, before, text } of files)
      if ((now.get(path) ?? null) === before) this.write(path, text);
  }

  #makeEdits(edits: readonly FileEdits[], also?: (opened: Opened) => void): MadeStep {
    const opened = this.#getNow();
    const { live, text } = opened;
    const changed = edits.flatMap(({ path, edits: each }) => {
      const found = text.findText(path);
      return found ? [{ text: found, edits: each }] : [];
    });
    const histories = changed.map((file) => live.undoOf(file.text));
    const undo = this.#jointSteps.make(histories, () =>
      text.asOne(() => {
        text.change(changed, histories);
        also?.(opened);
      }),
    );
    return { undo, count: changed.length };
  }
}
