import type * as EditorModule from '@vitrine/editor';
import type { EarlyEditor, Editor, EditorOptions, TabMode } from '@vitrine/editor';
import type { FormatTarget } from '@vitrine/editor/format';
import { findErrorCode } from '@vitrine/project';
import type * as Y from 'yjs';
import { customEditorKeys } from '../../commands/keybindings.ts';
import type { Preferences } from '../../preferences/preferences.ts';
import { showErrorToast } from '../../ui/toast.tsx';
import { severityOf, type ListedProblem } from '../problems/problems.ts';
import type { LanguageService } from '../code/project-language.ts';
import { ValueStore } from '../value-store.ts';
import type { FoldState } from '../code/fold-state.ts';
import type { UndoHistory } from '../code/undo-history.ts';
import type { SourceLocation } from '@vitrine/sandbox/host';
import { findDocumentNonce } from './document-nonce.ts';

type EditorCode = Pick<typeof EditorModule, 'initialSettings' | 'editorCommands' | 'loadLanguage'>;

declare global {
  interface Element {
    /** Early editor in this element, until the app takes it over. */
    vitrineEditor?: EarlyEditor;
  }
}

/** A file as the editor opens it. */
export interface EditableFile {
  readonly path: string;
  readonly text: Y.Text;
  readonly undo: Y.UndoManager;
}

export interface EditorHostOptions {
  readonly parent: HTMLElement;
  /**
   * Resolves once the document is open and the preview has started. Undefined if there is no such
   * file.
   */
  findFile(path: string): Promise<EditableFile | undefined>;
  paths(): readonly string[];
  /** Takes the location to go to in a file that has just been shown, if there is one. */
  takeLocation(path: string): SourceLocation | undefined;
  save(): void;
  format(place: FormatTarget): void;
  readonly preferences: ValueStore<Preferences>;
  readonly folds: FoldState;
  readonly undoHistory: UndoHistory;
  /** Language services and linting, once loaded. */
  readonly services: readonly ValueStore<LanguageService | undefined>[];
}

/**
 * Hosts one editor. The editor's code is loaded when the first host opens. Until then, and until
 * the document is open, the page shows the server-rendered text.
 */
export class EditorHost {
  /** Path of the file in the editor. Undefined until it is shown. */
  readonly shownPath = new ValueStore<string | undefined>(undefined);
  /**
   * True while Tab indents although the user came by Tab. They are told how to leave the editor.
   */
  readonly showsTabHint = new ValueStore(false);
  readonly #options: EditorHostOptions;
  #requestedPath: string | undefined;
  #editor: Editor | undefined;
  #problems: readonly ListedProblem[] = [];
  #isClosed = false;
  /** The editor's module, once loaded. */
  #code: EditorCode | undefined;
  /** Settings last passed to the editor, as JSON. */
  #settings = '';
  readonly #unsubscribes: readonly (() => void)[];

  constructor(options: EditorHostOptions) {
    this.#options = options;
    this.#unsubscribes = [
      ...options.services.map((each) => each.subscribe(() => this.#applyServices())),
      options.preferences.subscribe(() => this.#applyPreferences()),
    ];
    addEventListener('pagehide', this.#storeHistory);
  }

  readonly #storeHistory = (): void => {
    if (this.#editor) this.#options.undoHistory.write(this.#editor.saveUndoSteps());
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
    this.shownPath.set(path);
    this.setProblems(this.#problems);
    const location = this.#options.takeLocation(path);
    if (location) this.goTo(location);
  }

  /** Takes over an early editor in this element, with the text typed into it. */
  async #takeOverEarlyEditor(): Promise<void> {
    const { parent, findFile } = this.#options;
    const { vitrineEditor: early } = parent;
    if (!early) return;
    const [file, { adoptEarlyEditor }] = await Promise.all([
      findFile(early.path),
      import('@vitrine/editor'),
    ]);
    if (parent.vitrineEditor !== early) return;
    delete parent.vitrineEditor;
    this.#settings = JSON.stringify(early.settings);
    if (file) this.#start(adoptEarlyEditor(early, { ...this.#editorOptions(), ...file }));
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
  async reloadFile(path: string): Promise<void> {
    if (this.#requestedPath === path) await this.show(path);
  }

  /** Shows problems in the current file. */
  setProblems(problems: readonly ListedProblem[]): void {
    this.#problems = problems;
    const shown = this.shownPath.get();
    const placed = problems.filter(({ path, line }) => path === shown && line > 0);
    this.#editor?.setDiagnostics(
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
   * Focuses the editor and moves the cursor to a location. Without a line, only focuses the editor.
   * Returns whether the location's file is shown here; if it isn't, does nothing.
   */
  goTo(place: SourceLocation): boolean {
    if (!this.#editor || this.shownPath.get() !== place.path) return false;
    if (place.line > 0) this.#editor.goTo(place.line, Math.max(1, place.column));
    else this.#editor.focus();
    return true;
  }

  focus(): void {
    this.#editor?.focus();
  }

  /** Replaces the selection, as typing does. */
  insertText(text: string): void {
    const view = this.#editor?.view;
    if (!view) return;
    view.dispatch(view.state.replaceSelection(text), {
      scrollIntoView: true,
      userEvent: 'input.type',
    });
    view.focus();
  }

  /** Runs a command of the editor. */
  runCommand(id: string): void {
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
    this.shownPath.set(undefined);
  }

  /** Saves what was typed into an early editor that was never taken over. */
  #closeEarlyEditor(): void {
    const { vitrineEditor: early } = this.#options.parent;
    if (early && !early.hasEdits) early.close();
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
    const editorKeys = customEditorKeys(editorCommands, keys);
    const shown = { keymap, tabSize, wraps, showsGuides, showsWhitespace, showsScopes };
    const settings = { ...shown, keys: editorKeys };
    const json = JSON.stringify({ ...initialSettings, ...settings });
    if (json === (this.#settings || JSON.stringify(initialSettings))) return;
    this.#settings = json;
    this.#editor.setSettings(settings);
  }

  #editorOptions(): Omit<EditorOptions, 'path' | 'text' | 'undo'> {
    const { parent, paths, save, format, folds, undoHistory } = this.#options;
    const nonce = findDocumentNonce();
    return {
      parent,
      files: paths,
      onSave: save,
      onFormat: format,
      savedFolds: folds.read,
      onFold: folds.write,
      savedUndoSteps: undoHistory.read,
      onReject: showErrorToast,
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
      this.showsTabHint.set(next === 'indents' && cameByTab);
    };
  }
}
