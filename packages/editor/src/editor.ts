import { closeCompletion, startCompletion } from '@codemirror/autocomplete';
import {
  ChangeSet,
  Compartment,
  EditorState,
  Prec,
  StateEffect,
  type Extension,
  type TransactionSpec,
} from '@codemirror/state';
import { foldEffect, unfoldEffect } from '@codemirror/language';
import { lintGutter, nextDiagnostic } from '@codemirror/lint';
import { closeSearchPanel, highlightSelectionMatches, search } from '@codemirror/search';
import {
  closeHoverTooltips,
  EditorView,
  keymap,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { findChangedRange, listTextFiles, type ErrorCode } from '@vitrine/project';
import { loadWithRetries } from '@vitrine/project/retry-loading';
import { basicExtensions, createContentAttributes } from './basics.ts';
import type { EarlyEditor } from './early-editor.ts';
import { bindCommands } from './commands/keybindings.ts';
import type { FormatTarget } from './format/messages.ts';
import { remoteChangeAnnotations } from './remote-changes.ts';
import { findLanguage, loadLanguage } from './languages.ts';
import { isTypedWithin, markTyped } from './after-paint.ts';
import { hasLanguageService } from './language-facets.ts';
import { textInput } from './text-input.ts';
import { sanitizeInput } from './sanitize-input.ts';
import {
  createDiagnosticsUpdate,
  diagnosticCount,
  offsetAt,
  type EditorDiagnostic,
} from './diagnostics.ts';
import {
  FileBinding,
  type EditableFile,
  type EditorFile,
  type ReadOnlyFile,
} from './file-binding.ts';
import { releaseTabKey, tabKey, type TabMode } from './tab-key.ts';
import {
  createServiceCommand,
  fileActions,
  maxServiceWaitMs,
  runWaitingCommand,
} from './commands/command.ts';
import { expandedFrom } from './commands/selections.ts';
import { editorCommands } from './commands/editor-commands.ts';
import {
  createRestoreFoldEffects,
  listFolds,
  parseForFolds,
  type FoldedLine,
} from './folded-lines.ts';
import { matchCount } from './match-count.ts';
import { pathCompletion, projectPaths, type ProjectPaths } from './path-completion.ts';
import { replacePreview } from './replace-preview.ts';
import {
  initialSettings,
  loadSettingsExtensions,
  configureSettings,
  type EditorSettings,
} from './settings.ts';
import { screenReaderAnnouncer } from './screen-reader-announcer.ts';
import {
  findLanguageWithinLimit,
  exceedsNestingLimit,
  nestingLimitNotice,
} from './nesting-limit.ts';
import type { SavedUndoSteps } from './undo-steps.ts';
import type { ProjectNames } from './languages/class-and-id-names.ts';

export type { EditableFile, EditorFile };

export interface EditorOptions {
  readonly parent: HTMLElement;
  /** The nonce of the page's style policy. */
  readonly nonce?: string;
  /** The project's files, completed where a file refers to another one. */
  readonly files?: ProjectPaths;
  /** Mod+S. */
  readonly onSave?: () => void;
  /** Shift+Alt+F: formats the selected lines, or the whole file. */
  readonly onFormat?: (target: FormatTarget) => void;
  /** Folded lines of a file when it was last open. */
  readonly savedFolds?: (path: string) => readonly FoldedLine[];
  /** Called when the folds of a file have changed. */
  readonly onFold?: (path: string, folds: readonly FoldedLine[]) => void;
  /** The undo steps of a file that were saved before the page was reloaded. */
  readonly savedUndoSteps?: (path: string) => SavedUndoSteps | undefined;
  /**
   * Called when the Tab key changes its meaning, so that the page can show keyboard users how to
   * leave.
   */
  readonly onTabMode?: (mode: TabMode) => void;
  /**
   * Called with pasted or dropped files. Returns whether it takes them; otherwise their text is
   * inserted.
   */
  readonly onFiles?: (transfer: DataTransfer, target: FilesTarget) => boolean;
  /** Called when an edit is rejected; the text is unchanged. */
  readonly onReject?: (code: ErrorCode) => void;
}

/** Where files were pasted or dropped. */
export interface FilesTarget {
  /** File in the editor, and its shared text. */
  readonly path: string;
  readonly text: EditableFile['text'];
  /** Offset of the drop, or the end of the selection. */
  readonly offset: number;
  readonly isPaste: boolean;
}

export interface Editor {
  readonly view: EditorView;
  /**
   * Shows a file with its last selection, folds and scroll position. A renamed editable file is
   * recognized by its text.
   */
  show(file: EditorFile): void;
  /** Replaces the diagnostics of the shown file. */
  setDiagnostics(problems: readonly EditorDiagnostic[]): void;
  /**
   * Moves the cursor to a line and column (both from 1), scrolls it into view and focuses the
   * editor.
   */
  goTo(line: number, column: number): void;
  /** Replaces the extensions for language services and linting, in every open file. */
  setServices(services: Extension): void;
  /** Applies the user's settings at once; extensions that have to be loaded follow. */
  setSettings(settings: EditorSettings): void;
  /** Runs a command of `editorCommands`. False if it does not apply. */
  run(id: string): boolean;
  /** Undo steps of the open files, by path, to be restored after a reload. */
  saveUndoSteps(): ReadonlyMap<string, SavedUndoSteps>;
  /** Moves the cursor if it is empty and at this offset. */
  moveCursor(from: number, to: number): void;
  focus(): void;
  close(): void;
}

/**
 * Open files kept in memory. The least recently shown is closed beyond this, and reopens from its
 * text.
 */
const maxOpenFiles = 50;
/** Smallest change in length, in UTF-16 units, that could exceed the nesting limit. */
const largeChangeLength = 500;

/**
 * Creates a code editor for the files of a Yjs document. Colors and sizes are the custom properties
 * in editor.css.
 */
export function createEditor(options: EditorOptions & EditorFile): Editor {
  return new FileEditor(options, options);
}

/**
 * Turns an early editor into a full one, bound to the shared text of its file. Edits made so far
 * are merged into that text.
 */
export function adoptEarlyEditor(
  earlyEditor: EarlyEditor,
  options: EditorOptions & EditableFile,
): Editor {
  earlyEditor.handOver();
  const { view, text, settings, loadedExtensions, rejectedInput } = earlyEditor;
  const editor = new FileEditor(options, {
    file: options,
    view,
    settings,
    loaded: loadedExtensions,
    localChanges: diffTexts(text, view.state.doc.toString()),
    remoteChanges: diffTexts(text, options.text.toString()),
  });
  if (rejectedInput) options.onReject?.(rejectedInput);
  return editor;
}

const languageCompartment = new Compartment();
const labelCompartment = new Compartment();
const servicesCompartment = new Compartment();
const settingsCompartment = new Compartment();

/** A view created by early-editor.ts from plain text, to be continued. */
interface EarlyView {
  readonly file: EditableFile;
  readonly view: EditorView;
  readonly settings: EditorSettings;
  /** Extensions already loaded for the settings. */
  readonly loaded: Extension;
  /** Changes from the early editor's initial text to its current text. */
  readonly localChanges: ChangeSet;
  /** Changes from the early editor's initial text to the shared text. */
  readonly remoteChanges: ChangeSet;
}

/** An open read-only file with its editor state, as in `FileBinding`. */
interface OpenReadOnlyFile extends ReadOnlyFile {
  state: EditorState;
}

type OpenFile = FileBinding | OpenReadOnlyFile;

/** True for an editable file with the same shared text, and a read-only one with the same content. */
function isSameFile(open: OpenFile, file: EditorFile): boolean {
  if ('text' in open) return 'text' in file && open.text === file.text;
  return 'content' in file && open.path === file.path && open.content === file.content;
}

function closeFile(file: OpenFile): void {
  if (file instanceof FileBinding) file.close();
}

const editable: Extension = EditorView.contentAttributes.of({ 'aria-readonly': 'false' });
const readOnly: Extension = [
  EditorState.readOnly.of(true),
  EditorView.contentAttributes.of({ 'aria-readonly': 'true' }),
  // Also stops commands and keymaps that don't check `readOnly`.
  EditorState.changeFilter.of(() => false),
];

class FileEditor implements Editor {
  readonly view: EditorView;
  readonly #options: EditorOptions;
  readonly #commonExtensions: Extension;
  readonly #projectNames: ProjectNames = {
    texts: () => this.#texts(),
  };
  /** Open files, most recently shown last. */
  readonly #files: OpenFile[] = [];
  /** Scroll positions of files that are not shown, as scroll effects. */
  readonly #scroll = new WeakMap<OpenFile, StateEffect<unknown>>();
  #shownFile: OpenFile;
  /**
   * Callbacks that dispatch to the view, deferred while an update is in progress. Undefined outside
   * of updates.
   */
  #deferred: (() => void)[] | undefined;
  #services: Extension = [];
  #settings: EditorSettings = initialSettings;
  #settingsExtensions: Extension = combineSettings(initialSettings, []);

  /** The shown file's binding to its shared text. Undefined if the file is read-only. */
  get #binding(): FileBinding | undefined {
    return this.#shownFile instanceof FileBinding ? this.#shownFile : undefined;
  }

  /** Creates a view, or continues an early editor's. */
  constructor(options: EditorOptions, start: EditorFile | EarlyView) {
    this.#options = options;
    this.#commonExtensions = this.#createCommonExtensions();
    if (!('view' in start)) {
      this.#shownFile = this.#open(start);
      this.view = new EditorView({ parent: options.parent, state: this.#shownFile.state });
      return;
    }
    const { file, view, settings, loaded, localChanges, remoteChanges } = start;
    this.view = view;
    this.#settings = settings;
    this.#settingsExtensions = combineSettings(settings, loaded);
    const transaction = view.state.update({
      changes: remoteChanges.map(localChanges, true),
      annotations: remoteChangeAnnotations,
      effects: StateEffect.reconfigure.of(this.#createExtensions(file, view.state.doc.toString())),
    });
    const binding = this.#bind(file, transaction.state);
    this.#shownFile = binding;
    view.dispatch(transaction);
    binding.write(localChanges.map(remoteChanges));
    void this.#loadSettings(settings);
  }

  show(file: EditorFile): void {
    const next = this.#files.find((each) => isSameFile(each, file)) ?? this.#open(file);
    if (next !== this.#shownFile) this.#switchTo(next);
    if (next instanceof FileBinding && next.path !== file.path) this.#rename(next, file.path);
  }

  setDiagnostics(problems: readonly EditorDiagnostic[]): void {
    this.#whenUpdated(() => {
      const spec = createDiagnosticsUpdate(this.view.state, problems);
      if (spec) this.view.dispatch(spec);
    });
  }

  goTo(line: number, column: number): void {
    const anchor = offsetAt(this.view.state.doc, line, column);
    this.view.dispatch({
      selection: { anchor },
      effects: EditorView.scrollIntoView(anchor, { y: 'center' }),
    });
    this.focus();
  }

  setServices(extension: Extension): void {
    this.#services = extension;
    const { view } = this;
    const hadService = view.state.facet(hasLanguageService);
    const effects = servicesCompartment.reconfigure(extension);
    for (const file of this.#files) this.#apply(file, { effects });
    if (!hadService && view.state.facet(hasLanguageService) && view.hasFocus)
      answerEarlyRequests(view);
  }

  setSettings(settings: EditorSettings): void {
    this.#settings = settings;
    this.#applySettings(combineSettings(settings, []));
    void this.#loadSettings(settings);
  }

  run(id: string): boolean {
    return editorCommands.find((command) => command.id === id)?.run(this.view) ?? false;
  }

  saveUndoSteps(): ReadonlyMap<string, SavedUndoSteps> {
    const saved = new Map<string, SavedUndoSteps>();
    for (const file of this.#files) {
      const steps = file instanceof FileBinding && file.saveUndoSteps();
      if (steps) saved.set(file.path, steps);
    }
    return saved;
  }

  moveCursor(from: number, to: number): void {
    const { empty, head } = this.view.state.selection.main;
    if (empty && head === from)
      this.view.dispatch({ selection: { anchor: to }, scrollIntoView: true });
  }

  focus(): void {
    this.view.focus();
  }

  close(): void {
    for (const file of this.#files) closeFile(file);
    this.view.destroy();
  }

  #open(file: EditorFile): OpenFile {
    const doc = 'text' in file ? file.text.toString() : file.content;
    const state = EditorState.create({ doc, extensions: this.#createExtensions(file, doc) });
    if ('text' in file) return this.#bind(file, state);
    const opened = { ...file, state };
    this.#files.push(opened);
    void this.#loadLanguage(opened);
    return opened;
  }

  #createExtensions(file: EditorFile, text: string): Extension {
    const { path } = file;
    return [
      'text' in file ? editable : readOnly,
      languageCompartment.of(findLanguageWithinLimit(path, text, this.#projectNames) ?? []),
      labelCompartment.of(createContentAttributes(path, 'text' in file ? path : file.name)),
      settingsCompartment.of(this.#settingsExtensions),
      servicesCompartment.of(this.#services),
      this.#commonExtensions,
    ];
  }

  #bind(file: EditableFile, state: EditorState): FileBinding {
    const binding = new FileBinding(file, state, (target, spec) => this.#apply(target, spec));
    const saved = this.#options.savedUndoSteps?.(file.path);
    if (saved) binding.restoreUndoSteps(saved);
    this.#files.push(binding);
    void this.#loadLanguage(binding).then(() => this.#restoreFolds(binding));
    return binding;
  }

  #switchTo(next: OpenFile): void {
    releaseTabKey(this.view);
    // An open completion list would be measured once more, at its position in the previous text.
    closeCompletion(this.view);
    this.view.dispatch({ effects: closeHoverTooltips });
    this.#shownFile.state = this.view.state;
    this.#scroll.set(this.#shownFile, this.view.scrollSnapshot());
    this.#shownFile = next;
    this.view.setState(next.state);
    const scroll = this.#scroll.get(next);
    if (scroll) this.view.dispatch({ effects: scroll });
    else this.view.scrollDOM.scrollTo(0, 0);
    this.#files.splice(this.#files.indexOf(next), 1);
    this.#files.push(next);
    const oldest = this.#files.length > maxOpenFiles ? this.#files.shift() : undefined;
    if (oldest) closeFile(oldest);
  }

  #rename(file: FileBinding, path: string): void {
    file.path = path;
    this.#apply(file, { effects: labelCompartment.reconfigure(createContentAttributes(path)) });
    this.#setLanguage(
      file,
      findLanguageWithinLimit(path, file.state.doc.toString(), this.#projectNames) ?? [],
    );
    void this.#loadLanguage(file);
  }

  async #loadLanguage(file: OpenFile): Promise<void> {
    const { path } = file;
    if (findLanguage(path, this.#projectNames)) return;
    try {
      await loadWithRetries(() => loadLanguage(path));
    } catch {
      // The page is outdated: the text stays unhighlighted until it's reloaded.
      return;
    }
    const found = findLanguageWithinLimit(path, file.state.doc.toString(), this.#projectNames);
    if (found && file.path === path && this.#files.includes(file)) this.#setLanguage(file, found);
  }

  /**
   * Switches to plain text when a large insertion, by paste or a remote edit, exceeds the nesting
   * limit.
   */
  #checkNesting({ docChanged, startState, state }: ViewUpdate): void {
    if (!docChanged || state.doc.length - startState.doc.length < largeChangeLength) return;
    const { path } = this.#shownFile;
    if (exceedsNestingLimit(path, state.doc.toString()))
      this.#setLanguage(this.#shownFile, nestingLimitNotice);
  }

  /** Applies loaded extensions, unless the settings have changed meanwhile. */
  async #loadSettings(settings: EditorSettings): Promise<void> {
    // Until then the keymap stays VS Code's and indent guides are missing.
    const load = () => loadSettingsExtensions(settings);
    const loaded = await loadWithRetries(load).catch(() => undefined);
    if (loaded && this.#settings === settings)
      this.#applySettings(combineSettings(settings, loaded));
  }

  #applySettings(extension: Extension): void {
    this.#settingsExtensions = extension;
    const effects = settingsCompartment.reconfigure(extension);
    for (const file of this.#files) this.#apply(file, { effects });
  }

  #restoreFolds(file: FileBinding): void {
    const folds = this.#options.savedFolds?.(file.path) ?? [];
    if (folds.length === 0 || !this.#files.includes(file)) return;
    parseForFolds(file.state, folds);
    this.#apply(file, {});
    const effects = createRestoreFoldEffects(file.state, folds);
    if (effects.length > 0) this.#apply(file, { effects });
  }

  #setLanguage(file: OpenFile, extension: Extension): void {
    this.#apply(file, { effects: languageCompartment.reconfigure(extension) });
  }

  /** Applies a transaction to a file, shown or not. */
  #apply(file: OpenFile, spec: TransactionSpec): void {
    if (file === this.#shownFile) this.#whenUpdated(() => this.view.dispatch(spec));
    else file.state = file.state.update(spec).state;
  }

  #createCommonExtensions(): Extension {
    const { nonce, files } = this.#options;
    const save = () => (this.#options.onSave?.(), true);
    return [
      sanitizeInput(
        (code) => this.#options.onReject?.(code),
        (transfer, target) => this.#addFiles(transfer, target),
      ),
      tabKey((mode) => this.#options.onTabMode?.(mode)),
      keymap.of([{ key: 'Mod-s', run: save, preventDefault: true }]),
      fileActions.of({
        undo: () => this.#undo(),
        redo: () => this.#redo(),
        save,
        format: () => this.#format(),
      }),
      EditorView.domEventHandlers({ beforeinput: (event) => this.#handleMenuUndo(event) }),
      textInput,
      files ? projectPaths.of(files) : [],
      fileExtensions,
      nonce === undefined ? [] : EditorView.cspNonce.of(nonce),
      Prec.highest(ViewPlugin.define(() => ({ update: (update) => this.#writeText(update) }))),
      EditorView.updateListener.of((update) => {
        this.#runDeferred();
        this.#reportFolds(update);
        this.#checkNesting(update);
      }),
    ];
  }

  /**
   * Writes an edit to the shared text before CodeMirror updates the DOM, so that compiling and
   * saving overlap with rendering.
   */
  #writeText(update: ViewUpdate): void {
    this.#shownFile.state = update.state;
    if (update.docChanged) {
      markTyped();
      this.#deferred ??= [];
    }
    try {
      this.#binding?.applyViewUpdate(update);
    } catch (error) {
      // CodeMirror would deactivate a plugin that throws.
      this.#whenUpdated(() => reportError(error));
    }
  }

  #runDeferred(): void {
    const callbacks = this.#deferred ?? [];
    this.#deferred = undefined;
    for (const callback of callbacks) callback();
  }

  /** Calls at once, or after the update in progress. */
  #whenUpdated(callback: () => void): void {
    if (this.#deferred) this.#deferred.push(callback);
    else callback();
  }

  #reportFolds({ transactions, state }: ViewUpdate): void {
    const isFolding = (effect: StateEffect<unknown>) =>
      effect.is(foldEffect) || effect.is(unfoldEffect);
    if (this.#binding && transactions.some(({ effects }) => effects.some(isFolding)))
      this.#options.onFold?.(this.#binding.path, listFolds(state));
  }

  #addFiles(transfer: DataTransfer, target: Pick<FilesTarget, 'offset' | 'isPaste'>): boolean {
    const { onFiles } = this.#options;
    if (!this.#binding || !onFiles) return false;
    const { path, text } = this.#binding;
    return onFiles(transfer, { path, text, ...target });
  }

  #format(): true {
    const path = this.#binding?.path;
    const { from, to, empty } = this.view.state.selection.main;
    if (path !== undefined)
      this.#options.onFormat?.(empty ? { path } : { path, range: { from, to } });
    return true;
  }

  #undo(): true {
    this.#binding?.undoEdit();
    return true;
  }

  #redo(): true {
    this.#binding?.redoEdit();
    return true;
  }

  /** Undo and redo from the context menu or a phone's keyboard arrive as input events. */
  #handleMenuUndo(event: InputEvent): boolean {
    if (event.inputType === 'historyUndo') return this.#undo();
    if (event.inputType === 'historyRedo') return this.#redo();
    return false;
  }

  *#texts(): Iterable<string> {
    const doc = this.#binding?.text.doc;
    if (!doc) return;
    for (const { text } of listTextFiles(doc)) yield text.toString();
  }
}

/** Extensions for the settings. Loaded keymaps take precedence over the default keybindings. */
function combineSettings(settings: EditorSettings, loaded: Extension): Extension {
  return [loaded, bindCommands(settings.keys), configureSettings(settings)];
}

/**
 * Extensions of every open file, whatever its language, including those that `basicExtensions` leaves out of
 * the early editor.
 */
const fileExtensions: Extension = [
  // Before the line numbers, so that numbers and fold markers stay close together.
  lintGutter(),
  diagnosticCount,
  highlightSelectionMatches(),
  search({ top: true }),
  matchCount,
  replacePreview,
  screenReaderAnnouncer,
  expandedFrom,
  keymap.of([
    { key: 'Escape', run: closeSearchPanel, scope: 'editor search-panel' },
    { key: 'F8', run: nextDiagnostic },
  ]),
  pathCompletion,
  basicExtensions,
];

/** The change between two texts, as one replacement between their common prefix and suffix. */
function diffTexts(before: string, after: string): ChangeSet {
  const { start, end, newEnd } = findChangedRange(before, after);
  const change = { from: start, to: end, insert: after.slice(start, newEnd) };
  return ChangeSet.of(before === after ? [] : change, before.length, '\n');
}

/** Answers what was requested or typed while the language services were loading. */
function answerEarlyRequests(view: EditorView): void {
  if (runWaitingCommand(view) || !isTypedWithin(maxServiceWaitMs)) return;
  const { doc, selection } = view.state;
  const { empty, head } = selection.main;
  const before = doc.sliceString(Math.max(0, head - 2), head);
  if (!empty) return;
  if (/[\w$]$/.test(before)) startCompletion(view);
  else if (/[(,<] ?$/.test(before)) createServiceCommand('signature')(view);
}
