import { closeCompletion } from '@codemirror/autocomplete';
import {
  Compartment,
  EditorState,
  Prec,
  StateEffect,
  type ChangeSet,
  type Extension,
  type TransactionSpec,
} from '@codemirror/state';
import { foldEffect, unfoldEffect } from '@codemirror/language';
import {
  closeHoverTooltips,
  EditorView,
  keymap,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { listFiles, type ErrorCode } from '@vitrine/project';
import { nameContent } from './basics.ts';
import { bindCommands } from './commands/bind.ts';
import type { FormatPlace } from './format/messages.ts';
import { bringsIn } from './from-text.ts';
import { findLanguage, loadLanguage, type ProjectNames } from './languages.ts';
import { letterTyped } from './letter-frame.ts';
import { ownInput } from './own-input.ts';
import { plainInput } from './plain-input.ts';
import { offsetAt, showProblems, type EditorProblem } from './problems.ts';
import { setup } from './setup.ts';
import { SharedFile, type EditorFile } from './shared-file.ts';
import { giveTabToPage, tabKey, type TabMode } from './tab-key.ts';
import { fileActions } from './commands/command.ts';
import { editorCommands } from './commands/table.ts';
import { foldAgain, listFolds, readLines, type FoldedLine } from './folded-lines.ts';
import { initialSettings, loadSettings, settingsAtHand, type EditorSettings } from './settings.ts';
import { findFitting, nestsTooDeep, tooDeep } from './too-deep.ts';
import type { KeptSteps } from './undo-steps.ts';

export type { EditorFile };

export interface EditorOptions extends EditorFile {
  readonly parent: HTMLElement;
  /** Readable, selectable and searchable, but not changeable. */
  readonly readOnly?: boolean;
  /** The nonce of the page's style policy. */
  readonly nonce?: string;
  /** The project's paths, offered where an address is written. */
  readonly files?: () => readonly string[];
  /** Mod+S. */
  readonly onSave?: () => void;
  /** Shift+Alt+F: the lines that are selected, or all. */
  readonly onFormat?: (place: FormatPlace) => void;
  /** What was folded in a file when it was last seen. */
  readonly folds?: (path: string) => readonly FoldedLine[];
  /** Something else is folded in a file now. */
  readonly onFold?: (path: string, folds: readonly FoldedLine[]) => void;
  /** What undo could take back in a file when the page was there last. */
  readonly steps?: (path: string) => KeptSteps | undefined;
  /** Tab means something else now; a page that shows it gives keyboards a way out. */
  readonly onTabMode?: (mode: TabMode) => void;
  /** An edit was not taken in, for this reason; the text is as it was. */
  readonly onRefuse?: (code: ErrorCode) => void;
}

export interface Editor {
  readonly view: EditorView;
  /** Shows a file as it was left: selection, folds and scroll. A file renamed is the same text. */
  show(file: EditorFile): void;
  /** The problems of the file that is shown, in the place of those before. */
  setProblems(problems: readonly EditorProblem[]): void;
  /** Moves the cursor, counted from 1, brings it into view and takes the focus. */
  goTo(line: number, column: number): void;
  /** What understands and checks the code of every file joins in, in the place of what did before. */
  setServices(services: Extension): void;
  /** How somebody likes to edit, in effect at once; what has to be loaded for it follows. */
  setSettings(settings: EditorSettings): void;
  /** Does what a command of the table does; false where it has nothing to do. */
  run(id: string): boolean;
  /** What undo could take back in the files that were shown, by path, for when the page comes again. */
  keepSteps(): ReadonlyMap<string, KeptSteps>;
  focus(): void;
  close(): void;
}

/** Files kept behind the one shown; the one shown longest ago is let go, and opens afresh. */
const filesKept = 50;
/** As long as what nests too deeply is at least. */
const muchText = 500;

/** A code editor on shared texts. Colours and measures come from the properties in editor.css. */
export function createEditor(options: EditorOptions): Editor {
  return new FileEditor(options);
}

const language = new Compartment();
const label = new Compartment();
const services = new Compartment();
const settingsPart = new Compartment();

/** A view that has begun with a text of its own, see begun-editor.ts. */
interface BegunView {
  readonly view: EditorView;
  readonly settings: EditorSettings;
  /** What was loaded for the settings. */
  readonly loaded: Extension;
  /** From the text that it began with to the one in it. */
  readonly typed: ChangeSet;
  /** From the text that it began with to the shared one. */
  readonly brought: ChangeSet;
}

export class FileEditor implements Editor {
  readonly view: EditorView;
  readonly #options: EditorOptions;
  readonly #shared: Extension;
  readonly #names: ProjectNames = {
    paths: () => this.#options.files?.() ?? [],
    texts: () => this.#texts(),
  };
  /** The files that were shown, the latest last. */
  readonly #files: SharedFile[] = [];
  /** Scroll of files that are not shown; they have no view to keep it. */
  readonly #scroll = new WeakMap<SharedFile, StateEffect<unknown>>();
  #shown: SharedFile;
  /** What would change the view while it is changed already. */
  #waiting: (() => void)[] | undefined;
  #services: Extension = [];
  #settings: EditorSettings = initialSettings;
  #settled: Extension = settle(initialSettings, []);

  /** Makes a view, or goes on with one. */
  constructor(options: EditorOptions, begun?: BegunView) {
    this.#options = options;
    this.#shared = this.#extensions();
    if (!begun) {
      this.#shown = this.#open(options);
      this.view = new EditorView({ parent: options.parent, state: this.#shown.state });
      return;
    }
    const { view, settings, loaded, typed, brought } = begun;
    this.view = view;
    this.#settings = settings;
    this.#settled = settle(settings, loaded);
    const joins = view.state.update({
      changes: brought.map(typed, true),
      annotations: bringsIn,
      effects: StateEffect.reconfigure.of(this.#all(options.path, view.state.doc.toString())),
    });
    this.#shown = this.#share(options, joins.state);
    view.dispatch(joins);
    this.#shown.write(typed.map(brought));
    void this.#loadSettings(settings);
  }

  show(file: EditorFile): void {
    const next = this.#files.find(({ text }) => text === file.text) ?? this.#open(file);
    if (next !== this.#shown) this.#switchTo(next);
    if (next.path !== file.path) this.#rename(next, file.path);
  }

  setProblems(problems: readonly EditorProblem[]): void {
    this.#whenUpdated(() => {
      const spec = showProblems(this.view.state, problems);
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
    const effects = services.reconfigure(extension);
    for (const file of this.#files) this.#apply(file, { effects });
  }

  setSettings(settings: EditorSettings): void {
    this.#settings = settings;
    this.#settle(settle(settings, []));
    void this.#loadSettings(settings);
  }

  run(id: string): boolean {
    return editorCommands.find((command) => command.id === id)?.run(this.view) ?? false;
  }

  keepSteps(): ReadonlyMap<string, KeptSteps> {
    const kept = new Map<string, KeptSteps>();
    for (const file of this.#files) {
      const steps = file.keepSteps();
      if (steps) kept.set(file.path, steps);
    }
    return kept;
  }

  focus(): void {
    this.view.focus();
  }

  close(): void {
    for (const file of this.#files) file.close();
    this.view.destroy();
  }

  #open(file: EditorFile): SharedFile {
    const doc = file.text.toString();
    const state = EditorState.create({ doc, extensions: this.#all(file.path, doc) });
    return this.#share(file, state);
  }

  #all(path: string, text: string): Extension {
    return [
      language.of(findFitting(path, text, this.#names) ?? []),
      label.of(nameContent(path)),
      settingsPart.of(this.#settled),
      services.of(this.#services),
      this.#shared,
    ];
  }

  #share(file: EditorFile, state: EditorState): SharedFile {
    const opened = new SharedFile(file, state, (target, spec) => this.#apply(target, spec));
    const kept = this.#options.steps?.(file.path);
    if (kept) opened.restoreSteps(kept);
    this.#files.push(opened);
    void this.#loadLanguage(opened).then(() => this.#foldAgain(opened));
    return opened;
  }

  #switchTo(next: SharedFile): void {
    giveTabToPage(this.view);
    // A list that stays open would be measured once more, at its place in the text before.
    closeCompletion(this.view);
    this.view.dispatch({ effects: closeHoverTooltips });
    this.#shown.state = this.view.state;
    this.#scroll.set(this.#shown, this.view.scrollSnapshot());
    this.#shown = next;
    this.view.setState(next.state);
    const scroll = this.#scroll.get(next);
    if (scroll) this.view.dispatch({ effects: scroll });
    else this.view.scrollDOM.scrollTo(0, 0);
    this.#files.splice(this.#files.indexOf(next), 1);
    this.#files.push(next);
    if (this.#files.length > filesKept) this.#files.shift()?.close();
  }

  #rename(file: SharedFile, path: string): void {
    file.path = path;
    this.#apply(file, { effects: label.reconfigure(nameContent(path)) });
    this.#setLanguage(file, findFitting(path, file.state.doc.toString(), this.#names) ?? []);
    void this.#loadLanguage(file);
  }

  async #loadLanguage(file: SharedFile): Promise<void> {
    const { path } = file;
    if (findLanguage(path, this.#names)) return;
    try {
      await loadLanguage(path);
    } catch {
      // There is no network: the text stays without colours, and asks again when it is next opened.
      return;
    }
    const found = findFitting(path, file.state.doc.toString(), this.#names);
    if (found && file.path === path && this.#files.includes(file)) this.#setLanguage(file, found);
  }

  /** Much that comes at once, by a paste or from others, may be as deep. */
  #watchDepth({ docChanged, startState, state }: ViewUpdate): void {
    if (!docChanged || state.doc.length - startState.doc.length < muchText) return;
    const { path } = this.#shown;
    if (nestsTooDeep(path, state.doc.toString())) this.#setLanguage(this.#shown, tooDeep);
  }

  /** What has to be loaded comes on top of what is there, unless other settings are chosen by then. */
  async #loadSettings(settings: EditorSettings): Promise<void> {
    // Without a network the keys stay VS Code’s and the text plain; the next choice tries again.
    const loaded = await loadSettings(settings).catch(() => undefined);
    if (loaded && this.#settings === settings) this.#settle(settle(settings, loaded));
  }

  #settle(extension: Extension): void {
    this.#settled = extension;
    const effects = settingsPart.reconfigure(extension);
    for (const file of this.#files) this.#apply(file, { effects });
  }

  #foldAgain(file: SharedFile): void {
    const folds = this.#options.folds?.(file.path) ?? [];
    if (folds.length === 0 || !this.#files.includes(file)) return;
    readLines(file.state, folds);
    this.#apply(file, {});
    const effects = foldAgain(file.state, folds);
    if (effects.length > 0) this.#apply(file, { effects });
  }

  #setLanguage(file: SharedFile, extension: Extension): void {
    this.#apply(file, { effects: language.reconfigure(extension) });
  }

  /** Applies to a file whether it is shown or not. */
  #apply(file: SharedFile, spec: TransactionSpec): void {
    if (file === this.#shown) this.#whenUpdated(() => this.view.dispatch(spec));
    else file.state = file.state.update(spec).state;
  }

  #extensions(): Extension {
    const { readOnly = false, nonce } = this.#options;
    const save = () => (this.#options.onSave?.(), true);
    return [
      plainInput((code) => this.#options.onRefuse?.(code)),
      tabKey((mode) => this.#options.onTabMode?.(mode)),
      keymap.of([{ key: 'Mod-s', run: save, preventDefault: true }]),
      fileActions.of({
        undo: () => this.#undo(),
        redo: () => this.#redo(),
        save,
        format: () => this.#format(),
      }),
      EditorView.domEventHandlers({ beforeinput: (event) => this.#takeMenuUndo(event) }),
      ownInput,
      setup,
      EditorState.readOnly.of(readOnly),
      EditorView.contentAttributes.of({ 'aria-readonly': String(readOnly) }),
      nonce === undefined ? [] : EditorView.cspNonce.of(nonce),
      Prec.highest(ViewPlugin.define(() => ({ update: (update) => this.#tellText(update) }))),
      EditorView.updateListener.of((update) => {
        this.#takeWaiting();
        this.#tellFolds(update);
        this.#watchDepth(update);
      }),
    ];
  }

  /**
   * The text has an edit before the screen has it, so that what comes of it elsewhere is under way
   * meanwhile.
   */
  #tellText(update: ViewUpdate): void {
    this.#shown.state = update.state;
    if (update.docChanged) {
      letterTyped();
      this.#waiting ??= [];
    }
    try {
      this.#shown.takeFromView(update);
    } catch (error) {
      // The view would leave out for good what throws here.
      this.#whenUpdated(() => reportError(error));
    }
  }

  #takeWaiting(): void {
    const calls = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const call of calls) call();
  }

  /** At once, or behind the update that the view is in. */
  #whenUpdated(call: () => void): void {
    if (this.#waiting) this.#waiting.push(call);
    else call();
  }

  #tellFolds({ transactions, state }: ViewUpdate): void {
    const isFolding = (effect: StateEffect<unknown>) =>
      effect.is(foldEffect) || effect.is(unfoldEffect);
    if (transactions.some(({ effects }) => effects.some(isFolding)))
      this.#options.onFold?.(this.#shown.path, listFolds(state));
  }

  #format(): true {
    const { path } = this.#shown;
    const { readOnly, selection } = this.view.state;
    const { from, to, empty } = selection.main;
    if (!readOnly) this.#options.onFormat?.(empty ? { path } : { path, stretch: { from, to } });
    return true;
  }

  #undo(): true {
    if (!this.view.state.readOnly) this.#shown.undoEdit();
    return true;
  }

  #redo(): true {
    if (!this.view.state.readOnly) this.#shown.redoEdit();
    return true;
  }

  /** Undo and redo from a menu, or a phone's keyboard, are input events. */
  #takeMenuUndo(event: InputEvent): boolean {
    if (event.inputType === 'historyUndo') return this.#undo();
    if (event.inputType === 'historyRedo') return this.#redo();
    return false;
  }

  *#texts(): Iterable<string> {
    const { doc } = this.#shown.text;
    if (!doc) return;
    for (const { text } of listFiles(doc)) yield text.toString();
  }
}

/** What settings come to: what was loaded for them comes before what is at hand. */
function settle(settings: EditorSettings, loaded: Extension): Extension {
  return [loaded, bindCommands(settings.keys), settingsAtHand(settings)];
}
