import type * as EditorModule from '@vitrine/editor';
import type { BegunEditor, Editor, TabMode } from '@vitrine/editor';
import type { FormatPlace } from '@vitrine/editor/format';
import { findErrorCode } from '@vitrine/project';
import type * as Y from 'yjs';
import { keysForEditor } from '../commands/key-plan.ts';
import type { Preferences } from '../preferences/preferences.ts';
import { showErrorToast } from '../ui/toast.tsx';
import { severityOf, type ListedProblem } from './problems.ts';
import type { LanguageService } from './project-language.ts';
import { Source } from './source.ts';
import type { FoldMemory } from './fold-memory.ts';
import type { StepMemory } from './step-memory.ts';
import type { CodePlace } from './code-place.ts';
import { documentNonce } from './document-nonce.ts';

type EditorCode = Pick<typeof EditorModule, 'initialSettings' | 'editorCommands' | 'loadLanguage'>;

declare global {
  interface Element {
    /** In the place of an editor, from its beginning until it is taken over. */
    vitrineEditor?: BegunEditor;
  }
}

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
  format(place: FormatPlace): void;
  readonly preferences: Source<Preferences>;
  readonly folds: FoldMemory;
  readonly steps: StepMemory;
  /** What understands the code and checks it, once it is there. */
  readonly services: readonly Source<LanguageService | undefined>[];
}

/**
 * One editor on the screen. Its code comes when the first pane opens; until then, and until the
 * document is open, the page shows the text as the server rendered it.
 */
export class Pane {
  /** The path whose editor is on the screen; undefined while there is none. */
  readonly shown = new Source<string | undefined>(undefined);
  /** Someone who came by Tab has begun to type, so that Tab indents now: they are told the way out. */
  readonly needsWayOut = new Source(false);
  readonly #options: PaneOptions;
  #wanted: string | undefined;
  #editor: Editor | undefined;
  #problems: readonly ListedProblem[] = [];
  #goal: CodePlace | undefined;
  #isClosed = false;
  /** The editor’s module, once it is there. */
  #code: EditorCode | undefined;
  /** What the editor was told last. */
  #settings = '';
  readonly #offs: readonly (() => void)[];

  constructor(options: PaneOptions) {
    this.#options = options;
    this.#offs = [
      ...options.services.map((each) => each.subscribe(() => this.#takeServices())),
      options.preferences.subscribe(() => this.#takePreferences()),
    ];
    addEventListener('pagehide', this.#keepSteps);
  }

  readonly #keepSteps = (): void => {
    if (this.#editor) this.#options.steps.keep(this.#editor.keepSteps());
  };

  /** Shows a file; the latest wish wins. */
  async show(path: string): Promise<void> {
    this.#wanted = path;
    const [file, code] = await Promise.all([this.#options.findFile(path), this.#loadEditor(path)]);
    this.#code = code;
    if (this.#options.parent.vitrineEditor) await this.#takeBegun();
    if (this.#isClosed || this.#wanted !== path || !file) return;
    if (this.#editor) this.#editor.show(file);
    else this.#start(code.createEditor({ ...this.#editorOptions(), ...file }));
    this.shown.set(path);
    this.setProblems(this.#problems);
    if (this.#goal?.path === path) this.goTo(this.#goal);
  }

  /** An editor that the page has begun here goes on as this pane's, with what was typed. */
  async #takeBegun(): Promise<void> {
    const { parent, findFile } = this.#options;
    const { vitrineEditor: begun } = parent;
    if (!begun) return;
    const [file, { takeEditor }] = await Promise.all([
      findFile(begun.path),
      import('@vitrine/editor'),
    ]);
    if (parent.vitrineEditor !== begun) return;
    delete parent.vitrineEditor;
    this.#settings = JSON.stringify(begun.settings);
    if (file) this.#start(takeEditor(begun, { ...this.#editorOptions(), ...file }));
    else begun.close();
  }

  #start(editor: Editor): void {
    this.#editor = editor;
    this.#takePreferences();
    this.#takeServices();
    // For when the network has gone; a language that does not come is asked for again by its file.
    for (const path of this.#options.paths()) this.#code?.loadLanguage(path).catch(() => undefined);
  }

  /** Until it is there the still text is; a file that comes alive has its colours. */
  async #loadEditor(path: string): Promise<typeof EditorModule> {
    const editor = await import('@vitrine/editor');
    if (!this.#editor) await editor.loadLanguage(path);
    return editor;
  }

  /** Takes up the text that a file has now, where its editor is the one on the screen. */
  async refresh(path: string): Promise<void> {
    if (this.#wanted === path) await this.show(path);
  }

  /** Marks the lines of the file that is shown where something is wrong. */
  setProblems(problems: readonly ListedProblem[]): void {
    this.#problems = problems;
    const shown = this.shown.get();
    const placed = problems.filter(({ path, line }) => path === shown && line > 0);
    this.#editor?.setProblems(
      placed.map((problem) => ({
        line: problem.line,
        column: problem.column,
        ...(problem.endLine !== undefined && { endLine: problem.endLine }),
        ...(problem.endColumn !== undefined && { endColumn: problem.endColumn }),
        message: problem.sentence,
        severity: severityOf(problem),
        ...(problem.rule !== undefined && { rule: problem.rule }),
      })),
    );
  }

  /** Puts the cursor at a place, at once or when its file is shown; without a line it stays. */
  goTo(place: CodePlace): void {
    if (!this.#editor || this.shown.get() !== place.path) {
      this.#goal = place;
      return;
    }
    this.#goal = undefined;
    if (place.line > 0) this.#editor.goTo(place.line, Math.max(1, place.column));
    else this.#editor.focus();
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

  /** Does what a command of the editor’s table does. */
  run(id: string): void {
    this.#editor?.focus();
    this.#editor?.run(id);
  }

  close(): void {
    this.#isClosed = true;
    removeEventListener('pagehide', this.#keepSteps);
    this.#keepSteps();
    this.#offs.forEach((off) => off());
    this.#editor?.close();
    this.#editor = undefined;
    this.#closeBegun();
    this.shown.set(undefined);
  }

  /** What was typed into one that was never taken over belongs to its file all the same. */
  #closeBegun(): void {
    const { vitrineEditor: begun } = this.#options.parent;
    if (begun && !begun.isTyped) begun.close();
    else if (begun)
      this.#takeBegun().then(
        () => this.#editor?.close(),
        (error: unknown) => showErrorToast(findErrorCode(error)),
      );
  }

  #takeServices(): void {
    this.#editor?.setServices(this.#options.services.map((each) => each.get() ?? []));
  }

  #takePreferences(): void {
    if (!this.#editor || !this.#code) return;
    const { initialSettings, editorCommands } = this.#code;
    const { keymap, tabSize, wraps, showsGuides, showsWhitespace, showsScopes, keys } =
      this.#options.preferences.get();
    const editorKeys = keysForEditor(editorCommands, keys);
    const shown = { keymap, tabSize, wraps, showsGuides, showsWhitespace, showsScopes };
    const settings = { ...shown, keys: editorKeys };
    const told = JSON.stringify({ ...initialSettings, ...settings });
    if (told === (this.#settings || JSON.stringify(initialSettings))) return;
    this.#settings = told;
    this.#editor.setSettings(settings);
  }

  #editorOptions() {
    const { parent, paths, save, format, folds, steps } = this.#options;
    const nonce = documentNonce();
    return {
      parent,
      files: paths,
      onSave: save,
      onFormat: format,
      folds: folds.find,
      onFold: folds.keep,
      steps: steps.find,
      onRefuse: showErrorToast,
      onTabMode: this.#watchTab(parent),
      ...(nonce !== undefined && { nonce }),
    };
  }

  /** A Tab that is let go in an editor where it does not indent is one that led there. */
  #watchTab(parent: HTMLElement): (mode: TabMode) => void {
    let cameByTab = false;
    let mode: TabMode = 'leaves';
    parent.addEventListener('keyup', ({ key }) => {
      if (key === 'Tab' && mode === 'leaves') cameByTab = true;
    });
    parent.addEventListener('focusout', () => (cameByTab = false));
    return (next) => {
      mode = next;
      this.needsWayOut.set(next === 'indents' && cameByTab);
    };
  }
}
