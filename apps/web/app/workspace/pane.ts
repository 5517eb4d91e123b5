import type * as EditorModule from '@vitrine/editor';
import type { BegunEditor, Editor, EditorOptions, TabMode } from '@vitrine/editor';
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
    /** Early editor in this element, until the app takes it over. */
    vitrineEditor?: BegunEditor;
  }
}

/** A file as the editor opens it. */
export interface EditedFile {
  readonly path: string;
  readonly text: Y.Text;
  readonly undo: Y.UndoManager;
}

export interface PaneOptions {
  readonly parent: HTMLElement;
  /**
   * Resolves once the document is open and the preview has started. Undefined if there is no such
   * file.
   */
  findFile(path: string): Promise<EditedFile | undefined>;
  paths(): readonly string[];
  save(): void;
  format(place: FormatPlace): void;
  readonly preferences: Source<Preferences>;
  readonly folds: FoldMemory;
  readonly steps: StepMemory;
  /** Language services and linting, once loaded. */
  readonly services: readonly Source<LanguageService | undefined>[];
}

/**
 * Hosts one editor. The editor's code is loaded when the first host opens. Until then, and until
 * the document is open, the page shows the server-rendered text.
 */
export class Pane {
  /** Path of the file in the editor. Undefined until it is shown. */
  readonly shown = new Source<string | undefined>(undefined);
  /**
   * True while Tab indents although the user came by Tab. They are told how to leave the editor.
   */
  readonly needsWayOut = new Source(false);
  readonly #options: PaneOptions;
  #requestedPath: string | undefined;
  #editor: Editor | undefined;
  #problems: readonly ListedProblem[] = [];
  #pendingLocation: CodePlace | undefined;
  #isClosed = false;
  /** The editor's module, once loaded. */
  #code: EditorCode | undefined;
  /** Settings last passed to the editor, as JSON. */
  #settings = '';
  readonly #unsubscribes: readonly (() => void)[];

  constructor(options: PaneOptions) {
    this.#options = options;
    this.#unsubscribes = [
      ...options.services.map((each) => each.subscribe(() => this.#applyServices())),
      options.preferences.subscribe(() => this.#applyPreferences()),
    ];
    addEventListener('pagehide', this.#storeHistory);
  }

  readonly #storeHistory = (): void => {
    if (this.#editor) this.#options.steps.keep(this.#editor.keepSteps());
  };

  /** Shows a file. If called again meanwhile, the last call wins. */
  async show(path: string): Promise<void> {
    this.#requestedPath = path;
    const [file, code] = await Promise.all([this.#options.findFile(path), this.#loadEditor(path)]);
    this.#code = code;
    if (this.#options.parent.vitrineEditor) await this.#takeOverEarlyEditor();
    if (this.#isClosed || this.#requestedPath !== path || !file) return;
    if (this.#editor) this.#editor.show(file);
    else this.#start(code.createEditor({ ...this.#editorOptions(), ...file }));
    this.shown.set(path);
    this.setProblems(this.#problems);
    if (this.#pendingLocation?.path === path) this.goTo(this.#pendingLocation);
  }

  /** Takes over an early editor in this element, with the text typed into it. */
  async #takeOverEarlyEditor(): Promise<void> {
    const { parent, findFile } = this.#options;
    const { vitrineEditor: early } = parent;
    if (!early) return;
    const [file, { takeEditor }] = await Promise.all([
      findFile(early.path),
      import('@vitrine/editor'),
    ]);
    if (parent.vitrineEditor !== early) return;
    delete parent.vitrineEditor;
    this.#settings = JSON.stringify(early.settings);
    if (file) this.#start(takeEditor(early, { ...this.#editorOptions(), ...file }));
    else early.close();
  }

  #start(editor: Editor): void {
    this.#editor = editor;
    this.#applyPreferences();
    this.#applyServices();
    // Preloads all languages for offline use. A failed one is requested again with its file.
    for (const path of this.#options.paths()) this.#code?.loadLanguage(path).catch(() => undefined);
  }

  /**
   * Loads the editor and the file's language first, so that the highlighted editor replaces the
   * static text at once.
   */
  async #loadEditor(path: string): Promise<typeof EditorModule> {
    const editor = await import('@vitrine/editor');
    if (!this.#editor) await editor.loadLanguage(path);
    return editor;
  }

  /** Reloads a file whose `Y.Text` was replaced, if it is the shown one. */
  async refresh(path: string): Promise<void> {
    if (this.#requestedPath === path) await this.show(path);
  }

  /** Shows problems in the current file. */
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

  /**
   * Moves the cursor to a location, now or once its file is shown. Without a line, only focuses the
   * editor.
   */
  goTo(place: CodePlace): void {
    if (!this.#editor || this.shown.get() !== place.path) {
      this.#pendingLocation = place;
      return;
    }
    this.#pendingLocation = undefined;
    if (place.line > 0) this.#editor.goTo(place.line, Math.max(1, place.column));
    else this.#editor.focus();
  }

  focus(): void {
    this.#editor?.focus();
  }

  /** Replaces the selection, as typing does. */
  type(text: string): void {
    const view = this.#editor?.view;
    if (!view) return;
    view.dispatch(view.state.replaceSelection(text), {
      scrollIntoView: true,
      userEvent: 'input.type',
    });
    view.focus();
  }

  /** Runs a command of the editor. */
  run(id: string): void {
    this.#editor?.focus();
    this.#editor?.run(id);
  }

  close(): void {
    this.#isClosed = true;
    removeEventListener('pagehide', this.#storeHistory);
    this.#storeHistory();
    this.#unsubscribes.forEach((unsubscribe) => unsubscribe());
    this.#editor?.close();
    this.#editor = undefined;
    this.#closeEarlyEditor();
    this.shown.set(undefined);
  }

  /** Saves what was typed into an early editor that was never taken over. */
  #closeEarlyEditor(): void {
    const { vitrineEditor: early } = this.#options.parent;
    if (early && !early.isTyped) early.close();
    else if (early)
      this.#takeOverEarlyEditor().then(
        () => this.#editor?.close(),
        (error: unknown) => showErrorToast(findErrorCode(error)),
      );
  }

  #applyServices(): void {
    this.#editor?.setServices(this.#options.services.map((each) => each.get() ?? []));
  }

  #applyPreferences(): void {
    if (!this.#editor || !this.#code) return;
    const { initialSettings, editorCommands } = this.#code;
    const { keymap, tabSize, wraps, showsGuides, showsWhitespace, showsScopes, keys } =
      this.#options.preferences.get();
    const editorKeys = keysForEditor(editorCommands, keys);
    const shown = { keymap, tabSize, wraps, showsGuides, showsWhitespace, showsScopes };
    const settings = { ...shown, keys: editorKeys };
    const json = JSON.stringify({ ...initialSettings, ...settings });
    if (json === (this.#settings || JSON.stringify(initialSettings))) return;
    this.#settings = json;
    this.#editor.setSettings(settings);
  }

  #editorOptions(): Omit<EditorOptions, 'path' | 'text' | 'undo'> {
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
      onTabMode: this.#watchTabMode(parent),
      ...(nonce !== undefined && { nonce }),
    };
  }

  /**
   * Notices when the user came by Tab: the key is released in an editor where Tab doesn't indent
   * yet.
   */
  #watchTabMode(parent: HTMLElement): (mode: TabMode) => void {
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
