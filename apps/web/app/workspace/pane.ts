import type { Editor } from '@vitrine/editor';
import type { Problem } from '@vitrine/sandbox/host';
import type * as Y from 'yjs';
import { showErrorToast } from '../ui/toast.tsx';
import { Source } from './source.ts';
import type { CodePlace } from './source-link.tsx';

/** A file as an editor wants it. */
export interface EditedFile {
  readonly path: string;
  readonly text: Y.Text;
  readonly undo: Y.UndoManager;
}

export interface PaneOptions {
  readonly parent: HTMLElement;
  /** Resolves once the document is open and the result has begun; undefined where it has no such file. */
  findFile(path: string): Promise<EditedFile | undefined>;
  paths(): readonly string[];
  save(): void;
}

/**
 * One editor on the screen. Its code comes when the first pane opens; until then, and until the
 * document is open, the page shows the text as the server rendered it.
 */
export class Pane {
  /** The path whose editor is on the screen; undefined while there is none. */
  readonly shown = new Source<string | undefined>(undefined);
  readonly #options: PaneOptions;
  #wanted: string | undefined;
  #editor: Editor | undefined;
  #problems: readonly Problem[] = [];
  #goal: CodePlace | undefined;
  #isClosed = false;

  constructor(options: PaneOptions) {
    this.#options = options;
  }

  /** Shows a file; the latest wish wins. */
  async show(path: string): Promise<void> {
    this.#wanted = path;
    const file = await this.#options.findFile(path);
    const { createEditor } = await import('@vitrine/editor');
    if (this.#isClosed || this.#wanted !== path || !file) return;
    if (this.#editor) this.#editor.show(file);
    else this.#editor = createEditor({ ...this.#editorOptions(), ...file });
    this.shown.set(path);
    this.setProblems(this.#problems);
    if (this.#goal?.path === path) this.goTo(this.#goal);
  }

  /** Marks the lines where something is wrong. */
  setProblems(problems: readonly Problem[]): void {
    this.#problems = problems;
    const placed = problems.filter(({ line }) => line > 0);
    this.#editor?.setProblems(
      placed.map(({ path, line, column, sentence, kind }) => ({
        path,
        line,
        column,
        message: sentence,
        severity: kind === 'resource' ? 'warning' : 'error',
      })),
    );
  }

  /** Puts the cursor at a place, at once or when its file is shown. */
  goTo(place: CodePlace): void {
    if (!this.#editor || this.shown.get() !== place.path) {
      this.#goal = place;
      return;
    }
    this.#goal = undefined;
    this.#editor.goTo(Math.max(1, place.line), Math.max(1, place.column));
  }

  focus(): void {
    this.#editor?.focus();
  }

  /** Types in the place of what is selected, as a key would. */
  type(text: string): void {
    const view = this.#editor?.view;
    if (!view) return;
    view.dispatch(view.state.replaceSelection(text), {
      scrollIntoView: true,
      userEvent: 'input.type',
    });
    view.focus();
  }

  close(): void {
    this.#isClosed = true;
    this.#editor?.close();
    this.#editor = undefined;
    this.shown.set(undefined);
  }

  #editorOptions() {
    const { parent, paths, save } = this.#options;
    const nonce = documentNonce();
    return {
      parent,
      files: paths,
      onSave: save,
      onRefuse: showErrorToast,
      ...(nonce !== undefined && { nonce }),
    };
  }
}

/** The nonce of this document's policy. A later answer of the server has another one. */
function documentNonce(): string | undefined {
  return document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce;
}
