import type { LiveDocument, SaveState } from '@vitrine/collaboration';
import type { FormatPlace } from '@vitrine/editor/format';
import type { FileEdits } from '@vitrine/editor/language-service';
import { findErrorCode, type ErrorCode, type Visibility } from '@vitrine/project';
import type { Beginning } from '@vitrine/sandbox/begun-frame';
import type { Place } from '@vitrine/sandbox/place';
import type { WrittenFile } from '@vitrine/sandbox/tests';
import type { PackageCalls } from '../packages/package-calls.ts';
import { ProjectPackages } from '../packages/project-packages.ts';
import { PersonPreferences } from '../preferences/person-preferences.ts';
import type { PreferenceCalls } from '../preferences/preference-calls.ts';
import type { Preferences } from '../preferences/preferences.ts';
import type { Arrangement, DockTab } from './arrangement.ts';
import type { Calls } from './calls.ts';
import { isColumnFile } from './columns.ts';
import { everything, type ConsoleFilter } from './console-log.ts';
import type { TreeEdit } from './file-tree-view.tsx';
import { renameDraft } from './drafts.ts';
import {
  isSameWork,
  previewKey,
  type Identity,
  type Person,
  type ProjectIdentity,
} from './identity.ts';
import { showErrorToast } from '../ui/toast.tsx';
import { isPhone } from './phone.ts';
import { JointSteps } from './joint-steps.ts';
import { Pane, type EditedFile } from './pane.ts';
import { ProjectFormat } from './project-format.ts';
import { ProjectLanguage } from './project-language.ts';
import { ProjectRules } from './project-rules.ts';
import { ProjectProblems } from './project-problems.ts';
import { ProjectText } from './project-text.ts';
import { promptly } from './promptly.ts';
import type { Living } from './reading.ts';
import { Result } from './result.ts';
import { FoldMemory } from './fold-memory.ts';
import { Source } from './source.ts';
import type { CodePlace } from './code-place.ts';
import { closeTab, initialTabs, openTab, renameTab, type Tabs } from './tabs.ts';
import { noQuery, type FileQuery } from './find-in-files.ts';
import { firstTest } from './first-test.ts';
import { ProjectTests } from './tests.ts';

export interface WorkspaceOptions {
  readonly identity: Identity;
  readonly person: Person | null;
  /** The text as the server has it, to show and run at once; empty for a draft. */
  readonly files: ReadonlyMap<string, string>;
  readonly arrangement: Arrangement;
  /** As the device has them. */
  readonly preferences: Preferences;
  readonly preferenceCalls: (person: string) => PreferenceCalls;
  readonly openText: () => Promise<Living>;
  readonly calls: () => Calls;
  readonly packageCalls: () => PackageCalls;
  readonly place: () => Place;
  /** How the result begins in the page that the server renders. */
  readonly beginning?: Beginning;
  /** The address that lets this person's preview of a private project in. */
  readonly enter?: (signal: AbortSignal) => Promise<string>;
}

/** How far opening has come. */
export type Opening =
  | { readonly status: 'opening' }
  | { readonly status: 'open' }
  | { readonly status: 'failed'; readonly code: ErrorCode };

/** “Saving…” stands while one types: a draft is said to be kept when it is, and typing has rested. */
const restMs = 600;

/** What is seen where there is room for one thing only. */
export type View = 'code' | 'result';

/** What is open over the workspace. */
export type WorkspaceDialog = 'commands' | 'settings' | 'keys' | 'share';

interface Opened {
  readonly live: Living;
  readonly text: ProjectText;
}

/**
 * One project or draft on the screen: its text, its result, its editors and what is open. It can be
 * rendered at once, on the server too; `start` brings it to life in a browser and `close` ends that.
 * Each concern is a source of its own, so that a key press renders nothing but what it changes.
 */
export class Workspace {
  readonly identity: Source<Identity>;
  readonly person: Person | null;
  readonly opening = new Source<Opening>({ status: 'opening' });
  readonly paths: Source<readonly string[]>;
  readonly tabs: Source<Tabs>;
  readonly saving: Source<SaveState>;
  readonly arrangement: Source<Arrangement>;
  readonly preferences: PersonPreferences;
  readonly view: Source<View>;
  readonly dialog = new Source<WorkspaceDialog | null>(null);
  /** The file that is being named in the tree. */
  readonly naming = new Source<TreeEdit | null>(null);
  /** The project's texts, a moment behind the typing. */
  readonly texts: Source<ReadonlyMap<string, string>>;
  /** What is looked for in them. */
  readonly fileQuery = new Source<FileQuery>(noQuery);
  readonly consoleFilter = new Source<ConsoleFilter>(everything);
  readonly result = new Result();
  readonly tests = new ProjectTests(this.result, (files) => this.#writeSnapshots(files));
  readonly packages: ProjectPackages;
  readonly language: ProjectLanguage;
  readonly rules: ProjectRules;
  readonly #format: ProjectFormat;
  readonly problems: ProjectProblems;
  /** Another tab has made this draft a project. */
  readonly savedElsewhere = new Source(false);
  readonly options: WorkspaceOptions;
  /** Somebody wants to type at the console, whose prompt may still be on its way. */
  readonly wantsPrompt = new Source(false);
  readonly #panes = new Set<Pane>();
  /** The one that has, or last had, the focus. */
  #lastPane: Pane | undefined;
  readonly #folds: FoldMemory;
  #life = new AbortController();
  /** The frame comes first: code that only editing needs waits for it. */
  #frameBegun = Promise.withResolvers<void>();
  #opened: Promise<Opened> | undefined;
  #now: Opened | undefined;
  #save: (() => void) | undefined;
  /** Until a draft that is kept by now is said to be. */
  #resting: ReturnType<typeof setTimeout> | undefined;
  /** While this tab makes the draft a project. */
  #isBecoming = false;
  readonly #jointSteps = new JointSteps();

  constructor(options: WorkspaceOptions) {
    const paths = [...options.files.keys()];
    this.options = options;
    this.person = options.person;
    this.identity = new Source(options.identity);
    this.preferences = new PersonPreferences({
      preferences: options.preferences,
      person: options.person?.id ?? null,
      calls: options.preferenceCalls,
    });
    this.#folds = new FoldMemory(() => this.identity.get().id);
    this.packages = new ProjectPackages(options.files, options.packageCalls);
    this.language = new ProjectLanguage({
      files: () => this.files(),
      registered: () => this.packages.register(this.files()),
      write: (edits) => this.#writeEdits(edits),
      goTo: (place) => this.goTo(place),
    });
    this.rules = new ProjectRules({
      files: () => this.files(),
      write: (edits) => this.#writeEdits(edits),
    });
    this.#format = new ProjectFormat({
      files: () => this.files(),
      write: (edits) => this.#writeEdits(edits),
    });
    this.problems = new ProjectProblems({
      result: this.result,
      packages: this.packages,
      language: this.language,
      rules: this.rules,
      files: () => this.files(),
      edit: (path, content) => this.#now?.text.edit(path, content),
      write: (path, content) => {
        if (this.#write(path, content) === 'new') this.openFile(path);
      },
      goTo: (place) => this.goTo(place),
      addsPackages: () => this.preferences.now.get().addsPackages,
    });
    this.texts = new Source(options.files);
    this.paths = new Source<readonly string[]>(paths);
    this.tabs = new Source(initialTabs(paths));
    this.arrangement = new Source(options.arrangement);
    // There the tests stand beneath the result.
    this.view = new Source<View>(options.arrangement.dock === 'tests' ? 'result' : 'code');
    this.saving = new Source<SaveState>({
      status: options.identity.kind === 'draft' ? 'kept-draft' : 'saved',
    });
  }

  /** Names the workspace among others on the screen. */
  get id(): string {
    return `${this.options.identity.id} ${this.person?.id ?? ''}`;
  }

  /** True while this is the workspace of that draft or project, for that person. */
  isOf(identity: Identity, person: Person | null): boolean {
    return isSameWork(identity, this.identity.get()) && person?.id === this.person?.id;
  }

  /** The text of a file as far as it is known before the document is open. */
  initialText(path: string): string {
    return this.options.files.get(path) ?? '';
  }

  /** Opens the document. What is on the screen already stays as it is. */
  start(): void {
    this.#life = new AbortController();
    this.#frameBegun = Promise.withResolvers();
    this.#opened = this.#open(this.#life.signal);
    this.#opened.catch((error: unknown) => {
      if (!this.#life.signal.aborted)
        this.opening.set({ status: 'failed', code: findErrorCode(error) });
    });
    this.preferences.start(this.#life.signal);
    this.problems.start(this.#life.signal);
    const offs = [
      this.problems.all.subscribe(() => {
        for (const pane of this.#panes) pane.setProblems(this.problems.all.get());
      }),
      this.preferences.now.subscribe(() =>
        this.result.setRunMode(this.preferences.now.get().runMode),
      ),
    ];
    this.#life.signal.addEventListener('abort', () => offs.forEach((off) => off()));
  }

  /** Ends everything that runs; what is unsent stays on the device. */
  close(): void {
    this.#life.abort();
    clearTimeout(this.#resting);
    this.#now = undefined;
    this.opening.set({ status: 'opening' });
    this.tests.close();
    this.result.close();
    this.packages.close();
    this.language.close();
    this.rules.close();
    this.#format.close();
    const opened = this.#opened;
    void opened?.then(
      ({ live, text }) => {
        text.close();
        return live.close();
      },
      // It never opened, and has said so.
      () => undefined,
    );
  }

  /** Runs the project in an element until the workspace closes. */
  async showResult(element: HTMLElement): Promise<void> {
    const { signal } = this.#life;
    const identity = this.identity.get();
    // A draft is only on this device; a saved project starts as the server has it, at once.
    const isServed = identity.kind === 'project';
    const files = isServed ? this.options.files : (await this.#getOpened()).text.files.get();
    // Of a saved project the server knows them.
    if (!isServed) await this.packages.register(files);
    if (signal.aborted) return;
    const { place, enter } = this.options;
    await this.result.show(
      element,
      {
        key: previewKey(identity),
        place: place(),
        files,
        plainAddresses: this.packages.builds.plainAddresses,
        served: isServed ? { revision: identity.revision } : null,
        runMode: this.preferences.now.get().runMode,
        ...(enter && { enter }),
      },
      signal,
    );
    this.#frameBegun.resolve();
    if (this.#now) this.#showFiles(this.#now.text);
  }

  /** Opens an editor in an element; `close` it before the element goes. */
  openPane(parent: HTMLElement): Pane {
    const pane = new Pane({
      parent,
      findFile: (path) => this.#findFile(path),
      paths: this.paths.get,
      save: () => this.#save?.(),
      format: (place) => void this.format(place),
      services: [this.language.service, this.rules.service],
      preferences: this.preferences.now,
      folds: this.#folds,
    });
    parent.addEventListener('focusin', () => (this.#lastPane = pane));
    this.#panes.add(pane);
    return pane;
  }

  closePane(pane: Pane): void {
    this.#panes.delete(pane);
    if (this.#lastPane === pane) this.#lastPane = undefined;
    pane.close();
  }

  /** The screen says what Mod+S does, which may need to go to another page. */
  onSaveRequest(save: () => void): () => void {
    this.#save = save;
    return () => (this.#save = undefined);
  }

  readonly openFile = (path: string): void => {
    this.tabs.set(openTab(this.tabs.get(), path));
    this.view.set('code');
    if (isPhone()) this.closePanel();
    const arrangement = this.arrangement.get();
    const showsIt =
      arrangement.layout === 'columns'
        ? isColumnFile(path, this.paths.get())
        : arrangement.layout !== 'result';
    if (!showsIt) this.arrangement.set({ ...arrangement, layout: 'side' });
  };

  closePanel(): void {
    this.arrangement.set({ ...this.arrangement.get(), panel: null });
  }

  readonly closeFile = (path: string): void => this.tabs.set(closeTab(this.tabs.get(), path));

  /** Opens a file with the cursor at a place. */
  readonly goTo = (place: CodePlace): void => {
    if (!this.paths.get().includes(place.path)) return;
    this.openFile(place.path);
    for (const pane of this.#panes) pane.goTo(place);
  };

  /** Types into the editor that has, or last had, the focus. */
  type(text: string): void {
    this.#findPane()?.type(text);
  }

  /** Does what a command of the editor’s table does, in that editor. */
  runInEditor(id: string): void {
    this.#findPane()?.run(id);
  }

  /** Formats a file, the one that is seen unless it is said which; says so where that cannot be. */
  async format(place?: FormatPlace): Promise<void> {
    try {
      await this.#formatNow(place);
    } catch (error) {
      showErrorToast(findErrorCode(error));
    }
  }

  /** Formats the file that is seen where that is wished for; one with a mistake is saved as it is. */
  async formatBeforeSave(): Promise<void> {
    if (this.preferences.now.get().formatsOnSave) await this.#formatNow().catch(() => undefined);
  }

  showDock(dock: DockTab): void {
    this.arrangement.set({ ...this.arrangement.get(), dock });
  }

  /** Runs the project from its beginning and shows it. */
  run(): void {
    this.result.run();
    this.view.set('result');
  }

  /** Gives the draft or project another title. Rejects with the catalogue's code. */
  async rename(title: string): Promise<void> {
    const identity = this.identity.get();
    if (identity.kind === 'draft') await renameDraft(this.person?.id ?? null, identity.id, title);
    else await this.options.calls().rename(identity.id, title);
    this.identity.set({ ...this.identity.get(), title });
  }

  /** Changes who may see the project. Rejects with the catalogue's code. */
  async setVisibility(visibility: Visibility): Promise<void> {
    const identity = this.identity.get();
    if (identity.kind === 'draft') throw new Error('a draft is for nobody else to see');
    await this.options.calls().setVisibility(identity.id, visibility);
    this.identity.set({ ...identity, visibility });
  }

  /** Ends what is done about packages; a result that waits for them is stopped. */
  cancelPackages(): void {
    const isBuilding = this.packages.builds.progress.get() !== null;
    const { status } = this.result.state.get();
    if (isBuilding && (status === 'starting' || status === 'updating')) this.result.stop();
    this.packages.cancel();
  }

  createFile(path: string): void {
    this.#getNow().text.create(path);
    this.goTo({ path: path.normalize('NFC'), line: 1, column: 1 });
  }

  /** A first test, to be changed into what is wanted. */
  addTest(): void {
    const { path, content } = firstTest(this.paths.get());
    this.#getNow().text.create(path, content);
    this.openFile(path);
  }

  renameFile(from: string, to: string): void {
    this.#getNow().text.rename(from, to);
  }

  /** Takes a file away and returns what brings it back. */
  removeFile(path: string): () => void {
    const { text } = this.#getNow();
    const isOpen = this.tabs.get().open.includes(path);
    const restore = text.remove(path);
    return () => {
      restore();
      if (isOpen) this.openFile(path);
    };
  }

  /** The files as they are now. */
  files(): ReadonlyMap<string, string> {
    return this.#now?.text.files.get() ?? this.options.files;
  }

  /** Sends what is unsent. Rejects with the catalogue's code. */
  async flush(): Promise<void> {
    await (await this.#getOpened()).live.flush();
  }

  async retry(): Promise<void> {
    await this.#now?.live.retry();
  }

  /** Brings in what others, or this person elsewhere, have saved. */
  async refresh(): Promise<void> {
    await this.#now?.live.refresh();
  }

  /** Makes this draft a project that keeps its editors and its running result. */
  async becomeProject(visibility: Visibility): Promise<ProjectIdentity> {
    const identity = this.identity.get();
    const live = (await this.#getOpened()).live;
    if (identity.kind === 'project' || !isLive(live))
      throw new Error('only a draft becomes a project');
    const { title, forkedFrom } = identity;
    this.#isBecoming = true;
    const created = await live
      .becomeProject((text) => this.options.calls().create(text, { title, visibility, forkedFrom }))
      .finally(() => (this.#isBecoming = false));
    const { id, slug, username: owner, revision } = created;
    const project = {
      kind: 'project',
      id,
      slug,
      owner,
      revision,
      title,
      visibility,
      role: 'owner',
      // The next load of the page's data says what it is a fork of.
      original: null,
    } as const;
    this.identity.set(project);
    return project;
  }

  async #open(signal: AbortSignal): Promise<Opened> {
    const live = await this.options.openText();
    const text = new ProjectText(live.doc, {
      onRename: (from, to) => this.tabs.set(renameTab(this.tabs.get(), from, to)),
      onReplace: (path) => this.#panes.forEach((pane) => void pane.refresh(path)),
    });
    const opened = { live, text };
    if (signal.aborted) return opened;
    this.#now = opened;
    this.#adopt(text);
    this.saving.set(live.state);
    const offs = [
      live.on(() => this.#hear(live)),
      text.files.subscribe(() => this.problems.shown.edited()),
      text.files.subscribe(promptly(() => this.language.follow(), signal)),
      text.files.subscribe(promptly(() => this.rules.follow(), signal)),
      text.files.subscribe(promptly(() => this.#showFiles(text), signal)),
      text.paths.subscribe(() => this.#adopt(text)),
    ];
    signal.addEventListener('abort', () => offs.forEach((off) => off()));
    this.packages.open(text);
    this.#showFiles(text);
    this.opening.set({ status: 'open' });
    return opened;
  }

  #hear(live: Living): void {
    this.#tellSaving(live);
    const isProject = isLive(live) && live.kind === 'project';
    if (isProject && this.identity.get().kind === 'draft' && !this.#isBecoming) {
      this.savedElsewhere.set(true);
    }
  }

  /** Never says that a draft is kept before it is; a little later will do, and stands still. */
  #tellSaving(live: Living): void {
    clearTimeout(this.#resting);
    const { status } = live.state;
    if (status === 'kept-draft' && this.saving.get().status === 'saving')
      this.#resting = setTimeout(() => this.saving.set(live.state), restMs);
    else this.saving.set(live.state);
  }

  /** Tabs of files that are gone are closed; a project without an open tab opens its first ones. */
  #adopt(text: ProjectText): void {
    const paths = text.paths.get();
    this.paths.set(paths);
    let tabs = this.tabs.get();
    for (const path of tabs.open) if (!paths.includes(path)) tabs = closeTab(tabs, path);
    this.tabs.set(
      tabs.open.length === 0 && this.opening.get().status === 'opening' ? initialTabs(paths) : tabs,
    );
  }

  async #findFile(path: string): Promise<EditedFile | undefined> {
    const [{ live, text }] = await Promise.all([this.#getOpened(), this.#frameBegun.promise]);
    const found = text.findText(path);
    if (found) {
      this.language.see(path);
      this.rules.see(path);
    }
    return found && { path, text: found, undo: live.undoOf(found) };
  }

  /** The server hears of a new lock first, so that it answers for the packages when they are asked for. */
  #showFiles(text: ProjectText): void {
    const registered = this.packages.register(text.files.get());
    if (registered) void registered.then(() => this.result.update(text.files.get()));
    else this.result.update(text.files.get());
    this.problems.list();
    this.texts.set(text.files.get());
  }

  /** What a person asked for; a file that was edited meanwhile is left as it is. */
  #writeSnapshots(files: readonly WrittenFile[]): void {
    const now = this.files();
    for (const { path, before, text } of files)
      if ((now.get(path) ?? null) === before) this.#write(path, text);
  }

  /** As one step that undo takes back. */
  #write(path: string, content: string): 'new' | 'changed' {
    const { live, text } = this.#getNow();
    const found = text.findText(path);
    if (found) text.editAsStep(path, content, live.undoOf(found));
    else text.create(path, content);
    return found ? 'changed' : 'new';
  }

  async #formatNow(place?: FormatPlace): Promise<void> {
    const path = place?.path ?? this.tabs.get().active;
    if (this.#now && path !== undefined) await this.#format.format(place ?? { path });
  }

  /** As one step that undo takes back, in whichever of the files it is asked for. */
  #writeEdits(edits: readonly FileEdits[]): void {
    const { live, text } = this.#getNow();
    const changed = edits.flatMap(({ path, edits: each }) => {
      const found = text.findText(path);
      return found ? [{ text: found, edits: each }] : [];
    });
    const histories = changed.map((file) => live.undoOf(file.text));
    this.#jointSteps.make(histories, () => text.change(changed, histories));
  }

  #findPane(): Pane | undefined {
    const { active } = this.tabs.get();
    return this.#lastPane ?? [...this.#panes].find(({ shown }) => shown.get() === active);
  }

  #getOpened(): Promise<Opened> {
    if (!this.#opened) throw new Error('the workspace has not started');
    return this.#opened;
  }

  #getNow(): Opened {
    if (!this.#now) throw new Error('the document is not open yet');
    return this.#now;
  }
}

function isLive(living: Living): living is LiveDocument {
  return 'becomeProject' in living;
}
