import type * as EditorModule from '@vitrine/editor';
import type {
  EditableFile,
  Editor,
  EditorFile,
  EditorOptions,
  FilesTarget,
  TabMode,
} from '@vitrine/editor';
import type { FormatTarget } from '@vitrine/editor/format';
import { findErrorCode, type ErrorCode, type ProjectFile } from '@vitrine/project';
import { loadWithRetries } from '@vitrine/project/retry-loading';
import { customEditorKeys } from '../../commands/keybindings.ts';
import type { Preferences } from '../../preferences/preferences.ts';
import { severityOf, type ListedProblem } from '../problems/problems.ts';
import type { LanguageService } from '../code/project-language.ts';
import { ValueStore } from '../value-store.ts';
import type { FoldState } from '../code/fold-state.ts';
import type { UndoHistory } from '../code/undo-history.ts';
import {
  createFileTab,
  getEditedPath,
  getTabName,
  isSameTab,
  type EditorTab,
  type Tab,
  type TabLocation,
} from '../tabs/tabs.ts';
import { earlyEditors } from './early-editors.ts';
import { findDocumentNonce } from './document-nonce.ts';

type EditorCode = Pick<typeof EditorModule, 'initialSettings' | 'editorCommands' | 'loadLanguage'>;

export interface EditorHostOptions {
  readonly parent: HTMLElement;
  /**
   * Resolves once the document is open and the preview has started. Undefined if there is no such
   * file.
   */
  findFile(path: string): Promise<EditableFile | undefined>;
  /** Resolves once package types have loaded. Undefined if there is no such declaration file. */
  readDeclaration(path: string): Promise<string | undefined>;
  /** File as it is in a version of the project. Undefined if the version doesn't have it. */
  readVersion(number: number, path: string): Promise<ProjectFile | undefined>;
  paths(): readonly string[];
  /** Bytes of a picture of the project. Undefined if there is no such file. */
  loadPicture(path: string): Promise<Blob | undefined>;
  /** Takes the location to go to in a tab that has just been shown, if there is one. */
  takeLocation(tab: Tab): TabLocation | undefined;
  /** Adds pasted or dropped files to the project. False if their text is to be inserted. */
  addFiles(transfer: DataTransfer, target: FilesTarget): boolean;
  save(): void;
  format(target: FormatTarget): void;
  /** An edit was rejected, or couldn't be saved. */
  onError(code: ErrorCode): void;
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
  /** Tab in the editor. Undefined until it is shown. */
  readonly shown = new ValueStore<Tab | undefined>(undefined);
  /** The requested tab, if what it would show doesn't exist. */
  readonly missing = new ValueStore<Tab | undefined>(undefined);
  /**
   * True while Tab indents although the user came by Tab. They are told how to leave the editor.
   */
  readonly showsTabHint = new ValueStore(false);
  readonly #options: EditorHostOptions;
  #requested: EditorTab | undefined;
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

  /** Shows a tab. If called again meanwhile, the last call wins. */
  async show(tab: EditorTab): Promise<void> {
    const { parent } = this.#options;
    this.#requested = tab;
    this.missing.set(undefined);
    // Package types may take a while, and the editor still has the previous tab's text.
    parent.inert = tab.kind !== 'file' && !isSameTab(tab, this.shown.get());
    const [file, code] = await Promise.all([this.#findFile(tab), this.#loadEditor(tab.path)]);
    this.#code = code;
    if (earlyEditors.has(parent)) await this.#takeOverEarlyEditor();
    if (this.#isClosed || this.#requested !== tab) return;
    if (!file) return this.missing.set(tab);
    if (this.#editor) this.#editor.show(file);
    else this.#start(code.createEditor({ ...this.#editorOptions(), ...file }));
    parent.inert = false;
    this.shown.set(tab);
    this.setProblems(this.#problems);
    const location = this.#options.takeLocation(tab);
    if (location) this.goTo(location);
  }

  /** What the editor opens for a tab: a file's shared text, or a text that can only be read. */
  async #findFile(tab: EditorTab): Promise<EditorFile | undefined> {
    const { path } = tab;
    if (tab.kind === 'file') return this.#options.findFile(path);
    if (tab.kind === 'version') return this.#findVersion(tab);
    const content = await this.#options.readDeclaration(path);
    return content === undefined ? undefined : { path, content };
  }

  async #findVersion(tab: EditorTab & { kind: 'version' }): Promise<EditorFile | undefined> {
    const { number, path } = tab;
    // The tab shows why there is none.
    const file = await this.#options.readVersion(number, path).catch(() => undefined);
    if (file?.kind !== 'text') return undefined;
    // The language services don't take a file at this path for the project's.
    const ownPath = `__vitrine/version/${number}/${path}`;
    return { path: ownPath, content: file.text, name: getTabName(tab) };
  }

  /** Takes over an early editor in this element, with the text typed into it. */
  async #takeOverEarlyEditor(): Promise<void> {
    const { parent, findFile } = this.#options;
    const early = earlyEditors.get(parent);
    if (!early) return;
    const [file, { adoptEarlyEditor }] = await Promise.all([
      findFile(early.path),
      loadWithRetries(() => import('@vitrine/editor')),
    ]);
    if (earlyEditors.get(parent) !== early) return;
    earlyEditors.delete(parent);
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
    const editor = await loadWithRetries(() => import('@vitrine/editor'));
    // Otherwise the editor adds it, once it could be loaded.
    if (!this.#editor) await editor.loadLanguage(path).catch(() => undefined);
    return editor;
  }

  /** Reloads a file whose `Y.Text` was replaced, if it is the shown one. */
  async reloadFile(path: string): Promise<void> {
    if (getEditedPath(this.#requested) === path) await this.show(createFileTab(path));
  }

  /** Shows problems in the current file. */
  setProblems(problems: readonly ListedProblem[]): void {
    this.#problems = problems;
    const shown = getEditedPath(this.shown.get());
    const placed = problems.filter(({ path, line }) => path === shown && line > 0);
    this.#editor?.setDiagnostics(
      placed.map((problem) => ({
        line: problem.line,
        column: problem.column,
        ...(problem.endLine !== undefined && { endLine: problem.endLine }),
        ...(problem.endColumn !== undefined && { endColumn: problem.endColumn }),
        message: problem.message,
        severity: severityOf(problem),
        ...(problem.rule !== undefined && { rule: problem.rule }),
      })),
    );
  }

  /**
   * Focuses the editor and moves the cursor to a location. Without a line, only focuses the editor.
   * Returns whether the location's tab is shown here; if it isn't, does nothing.
   */
  goTo({ tab, line, column }: TabLocation): boolean {
    if (!this.#editor || !isSameTab(tab, this.shown.get())) return false;
    if (line > 0) this.#editor.goTo(line, Math.max(1, column));
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

  /** Moves the cursor of a shown file if it is empty and at this offset. */
  moveCursor(path: string, from: number, to: number): void {
    if (getEditedPath(this.shown.get()) === path) this.#editor?.moveCursor(from, to);
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
    this.shown.set(undefined);
  }

  /** Saves what was typed into an early editor that was never taken over. */
  #closeEarlyEditor(): void {
    const early = earlyEditors.get(this.#options.parent);
    if (early && !early.hasEdits) early.close();
    else if (early)
      this.#takeOverEarlyEditor().then(
        () => this.#editor?.close(),
        (error: unknown) => this.#options.onError(findErrorCode(error)),
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

  #editorOptions(): EditorOptions {
    const { parent, paths, loadPicture, addFiles, save, format, onError, folds, undoHistory } =
      this.#options;
    const nonce = findDocumentNonce();
    return {
      parent,
      files: { list: paths, loadPicture },
      onFiles: addFiles,
      onSave: save,
      onFormat: format,
      savedFolds: folds.read,
      onFold: folds.write,
      savedUndoSteps: undoHistory.read,
      onReject: onError,
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
