import type { LiveDocument, NewProject } from '@vitrine/collaboration';
import { noQuery, type FileQuery } from '@vitrine/editor/find';
import type { FormatPlace } from '@vitrine/editor/format';
import { findErrorCode, type ErrorCode, type Visibility } from '@vitrine/project';
import type { Beginning } from '@vitrine/sandbox/begun-frame';
import type { Place } from '@vitrine/sandbox/place';
import type { PackageCalls } from '../packages/package-calls.ts';
import { ProjectPackages } from '../packages/project-packages.ts';
import { PersonPreferences } from '../preferences/person-preferences.ts';
import type { PreferenceCalls } from '../preferences/preference-calls.ts';
import type { Preferences } from '../preferences/preferences.ts';
import type { Arrangement, DockTab, LastOpen } from './arrangement.ts';
import type { Calls, CreatedProject, ProjectDetails } from './calls.ts';
import { everything, type ConsoleFilter } from './console-log.ts';
import { FileChanges, type Opened } from './file-changes.ts';
import { openStore, renameDraft } from './drafts.ts';
import {
  maySave,
  previewKey,
  type Identity,
  type Person,
  type ProjectIdentity,
} from './identity.ts';
import { showErrorToast } from '../ui/toast.tsx';
import { OpenFiles } from './open-files.ts';
import type { EditedFile } from './pane.ts';
import { ProjectFormat } from './project-format.ts';
import { layoutKey } from './project-layouts.ts';
import { ProjectLanguage } from './project-language.ts';
import { ProjectRules } from './project-rules.ts';
import { ProjectProblems } from './project-problems.ts';
import { ProjectText } from './project-text.ts';
import { ProjectTree } from './project-tree.ts';
import { promptly } from './promptly.ts';
import type { Living } from './reading.ts';
import { Result } from './result.ts';
import { FoldMemory } from './fold-memory.ts';
import { Source } from './source.ts';
import { StepMemory } from './step-memory.ts';
import { firstTest } from './first-test.ts';
import { ProjectTests } from './tests.ts';
import { ToldSaving } from './told-saving.ts';

export interface WorkspaceOptions {
  readonly identity: Identity;
  readonly user: Person | null;
  /** Files as the server has them, shown and run immediately. Empty for a draft. */
  readonly files: ReadonlyMap<string, string>;
  readonly arrangement: Arrangement;
  /** As stored on this device. */
  readonly preferences: Preferences;
  readonly preferenceCalls: (userId: string) => PreferenceCalls;
  readonly openText: () => Promise<Living>;
  readonly calls: () => Calls;
  readonly packageCalls: () => PackageCalls;
  readonly place: () => Place;
  /** Plan of the preview that the server's page prerenders. */
  readonly prerenderPlan?: Beginning;
  /** Resolves to a one-time URL that grants the user access to a private project's preview. */
  readonly enter?: (signal: AbortSignal) => Promise<string>;
}

/** Progress of opening the document. */
export type Opening =
  | { readonly status: 'opening' }
  | { readonly status: 'open' }
  | { readonly status: 'failed'; readonly code: ErrorCode };

/** Dialog open over the workspace. */
export type WorkspaceDialog = 'commands' | 'settings' | 'keys' | 'share' | 'file';

/**
 * A project or draft on the screen: its document, preview, editors and layout. It can be rendered
 * immediately, on the server too; `start` activates it in a browser and `close` ends that. Each
 * concern has its own observable value, so that a keystroke only renders what it changes.
 */
export class Workspace {
  readonly identity: Source<Identity>;
  readonly user: Person | null;
  readonly opening = new Source<Opening>({ status: 'opening' });
  readonly paths: Source<readonly string[]>;
  readonly saving: ToldSaving;
  readonly arrangement: Source<Arrangement>;
  readonly openFiles: OpenFiles;
  readonly changes = new FileChanges(() => this.#getNow());
  readonly tree: ProjectTree;
  readonly preferences: PersonPreferences;
  readonly dialog = new Source<WorkspaceDialog | null>(null);
  /** Texts of the files, updated shortly after typing. */
  readonly texts: Source<ReadonlyMap<string, string>>;
  /** Query of the Search panel. */
  readonly fileQuery = new Source<FileQuery>(noQuery);
  readonly consoleFilter = new Source<ConsoleFilter>(everything);
  readonly result = new Result();
  readonly tests = new ProjectTests(this.result, (files) => this.changes.writeSnapshots(files));
  readonly packages: ProjectPackages;
  readonly language: ProjectLanguage;
  readonly rules: ProjectRules;
  readonly #format: ProjectFormat;
  readonly problems: ProjectProblems;
  /** True once another tab has saved this draft as a project. */
  readonly savedElsewhere = new Source(false);
  readonly options: WorkspaceOptions;
  /** True while the console input should be focused. It may still be loading. */
  readonly wantsPrompt = new Source(false);
  #life = new AbortController();
  /** Resolves once the preview has started. Code that is only needed for editing waits for it. */
  #previewStarted = Promise.withResolvers<void>();
  #opened: Promise<Opened> | undefined;
  #now: Opened | undefined;
  #save: (() => void) | undefined;
  /** True while this tab saves the draft as a project. */
  #isSavingDraft = false;

  constructor(options: WorkspaceOptions) {
    this.options = options;
    this.user = options.user;
    this.identity = new Source(options.identity);
    this.preferences = new PersonPreferences({
      preferences: options.preferences,
      person: options.user?.id ?? null,
      calls: options.preferenceCalls,
    });
    this.packages = new ProjectPackages(options.files, options.packageCalls);
    this.language = new ProjectLanguage({
      files: () => this.files(),
      registered: () => this.packages.register(this.files()),
      write: (edits) => void this.changes.writeEdits(edits),
      goTo: (place) => this.openFiles.goTo(place),
    });
    this.rules = new ProjectRules({
      files: () => this.files(),
      write: (edits) => void this.changes.writeEdits(edits),
      styleProblems: (path) => this.language.styleProblems(path),
    });
    this.#format = new ProjectFormat({
      files: () => this.files(),
      write: (edits) => void this.changes.writeEdits(edits),
    });
    this.problems = new ProjectProblems({
      result: this.result,
      packages: this.packages,
      language: this.language,
      rules: this.rules,
      files: () => this.files(),
      edit: (path, content) => this.#now?.text.edit(path, content),
      write: (path, content) => {
        if (this.changes.write(path, content) === 'new') this.openFiles.show(path);
      },
      goTo: (place) => this.openFiles.goTo(place),
      addsPackages: () => this.preferences.now.get().addsPackages,
    });
    this.texts = new Source(options.files);
    this.paths = new Source<readonly string[]>([...options.files.keys()]);
    this.arrangement = new Source(options.arrangement);
    this.openFiles = new OpenFiles({
      files: () => this.files(),
      paths: this.paths,
      last: findStoredTabs(options),
      arrangement: this.arrangement,
      // On a phone, visitors see the preview first, and users who can edit the code.
      view: maySave(options.identity) ? 'code' : 'result',
      pane: {
        findFile: (path) => this.#findFile(path),
        save: () => this.#save?.(),
        format: (place) => void this.format(place),
        services: [this.language.service, this.rules.service],
        preferences: this.preferences.now,
        folds: new FoldMemory(() => this.identity.get().id),
        steps: new StepMemory(() => this.identity.get().id),
      },
    });
    this.tree = new ProjectTree({
      files: () => this.files(),
      paths: this.paths,
      title: () => this.identity.get().title,
      changes: this.changes,
      openFiles: this.openFiles,
    });
    this.saving = new ToldSaving({
      status: options.identity.kind === 'draft' ? 'kept-draft' : 'saved',
    });
  }

  /** Unique key of the workspace. */
  get id(): string {
    const { identity } = this.options;
    return `${identity.id} ${this.user?.id ?? ''} ${maySave(identity)}`;
  }

  /**
   * True if this workspace shows the given draft or project for the given user. That includes the
   * project a draft has become, here or in another tab. A workspace opened without permission to
   * save doesn't match once there is permission, since its document is stored elsewhere.
   */
  isOf(identity: Identity, user: Person | null): boolean {
    const live = this.#now?.live;
    const ids = [this.options.identity.id, this.identity.get().id, live && isLive(live) && live.id];
    if (maySave(identity) && !maySave(this.options.identity)) return false;
    return ids.includes(identity.id) && user?.id === this.user?.id;
  }

  /** Text of a file before the document is open. */
  initialText(path: string): string {
    return this.options.files.get(path) ?? '';
  }

  /** Opens the document. Content already on the screen stays. */
  start(): void {
    this.#life = new AbortController();
    this.#previewStarted = Promise.withResolvers();
    this.#opened = this.#open(this.#life.signal);
    this.#opened.catch((error: unknown) => {
      if (!this.#life.signal.aborted)
        this.opening.set({ status: 'failed', code: findErrorCode(error) });
    });
    this.preferences.start(this.#life.signal);
    this.problems.start(this.#life.signal);
    const unsubscribes = [
      this.problems.all.subscribe(() => this.openFiles.setProblems(this.problems.all.get())),
      this.preferences.now.subscribe(() =>
        this.result.setRunMode(this.preferences.now.get().runMode),
      ),
    ];
    this.#life.signal.addEventListener('abort', () =>
      unsubscribes.forEach((unsubscribe) => unsubscribe()),
    );
  }

  /** Stops everything. Unsent updates stay on the device. */
  close(): void {
    this.#life.abort();
    this.saving.close();
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
      // The error of opening was already reported.
      () => undefined,
    );
  }

  /** Runs the preview in an element until the workspace closes. */
  async showResult(element: HTMLElement): Promise<void> {
    const { signal } = this.#life;
    const identity = this.identity.get();
    // A draft is only on this device. A saved project starts from the server's files at once.
    const isServed = identity.kind === 'project';
    const files = isServed ? this.options.files : (await this.#getOpened()).text.files.get();
    // The server already knows the packages of a saved project.
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
    this.#previewStarted.resolve();
    if (this.#now) this.#applyFiles(this.#now.text);
  }

  /** Sets the action of Mod+S, which may navigate. Returns a function that removes it. */
  onSaveRequest(save: () => void): () => void {
    this.#save = save;
    return () => (this.#save = undefined);
  }

  closePanel(): void {
    this.arrangement.set({ ...this.arrangement.get(), panel: null });
  }

  /** Formats a file, by default the active one. Shows a toast if that fails. */
  async format(place?: FormatPlace): Promise<void> {
    try {
      await this.#formatNow(place);
    } catch (error) {
      showErrorToast(findErrorCode(error));
    }
  }

  /**
   * Formats the active file if format on save is on. A file with a syntax error is saved as it is.
   */
  async formatBeforeSave(): Promise<void> {
    if (this.preferences.now.get().formatsOnSave) await this.#formatNow().catch(() => undefined);
  }

  showDock(dock: DockTab): void {
    this.arrangement.set({ ...this.arrangement.get(), dock });
  }

  /** Restarts the preview and shows it. */
  run(): void {
    this.result.run();
    this.openFiles.view.set('result');
  }

  /** Renames the draft or project. Rejects with a `VitrineError`. */
  async rename(title: string): Promise<void> {
    const identity = this.identity.get();
    if (identity.kind === 'draft') await renameDraft(this.user?.id ?? null, identity.id, title);
    else await this.options.calls().rename(identity.id, title);
    this.identity.set({ ...this.identity.get(), title });
  }

  /** Changes the project's visibility. Rejects with a `VitrineError`. */
  async setVisibility(visibility: Visibility): Promise<void> {
    const identity = this.identity.get();
    if (identity.kind === 'draft') throw new Error('a draft has no visibility');
    await this.options.calls().setVisibility(identity.id, visibility);
    this.identity.set({ ...identity, visibility });
  }

  /** Cancels package installation. A preview that waits for it is stopped. */
  cancelPackages(): void {
    const isBuilding = this.packages.builds.progress.get() !== null;
    const { status } = this.result.state.get();
    if (isBuilding && (status === 'starting' || status === 'updating')) this.result.stop();
    this.packages.cancel();
  }

  createFile(path: string): void {
    this.changes.create(path);
    this.openFiles.goTo({ path: path.normalize('NFC'), line: 1, column: 1 });
  }

  /** Adds an example test. */
  addTest(): void {
    const { path, content } = firstTest(this.paths.get());
    this.changes.create(path, content);
    this.openFiles.show(path);
  }

  /** Current files. */
  files(): ReadonlyMap<string, string> {
    return this.#now?.text.files.get() ?? this.options.files;
  }

  /** Sends all pending updates. Rejects with a `VitrineError`. */
  async flush(): Promise<void> {
    await (await this.#getOpened()).live.flush();
  }

  async retry(): Promise<void> {
    await this.#now?.live.retry();
  }

  /** Loads what others, or this user elsewhere, have saved, up to the given log sequence number. */
  async refresh(upTo?: number): Promise<void> {
    await this.#now?.live.refresh(upTo);
  }

  /** Id of this tab's unsaved changes to a project the user can't save to. */
  get unsavedId(): string | undefined {
    return this.#now?.live.unsavedId;
  }

  /**
   * Releases this tab's unsaved changes once they are stored. Resolves to their id. Rejects with
   * `not_kept`.
   */
  async detachUnsaved(): Promise<string | undefined> {
    return this.#now?.live.detachUnsaved();
  }

  /**
   * Replaces the shown files with unsaved changes from an earlier visit. Changes made in this tab
   * are stored as separate unsaved changes. Rejects with `not_kept`, or as saving does.
   */
  async restoreUnsaved(id: string): Promise<void> {
    const { live, text } = await this.#getOpened();
    const store = await openStore(this.user?.id ?? null);
    const files = await store.readFiles(id);
    await live.detachUnsaved();
    text.become(files);
    await live.flush();
    await store.remove(id);
  }

  /** Saves this draft as a project. Editors and preview keep running. */
  async becomeProject(visibility: Visibility): Promise<ProjectIdentity> {
    const identity = this.identity.get();
    const live = (await this.#getOpened()).live;
    if (identity.kind === 'project' || !isLive(live))
      throw new Error('only a draft can become a project');
    const { title, forkedFrom } = identity;
    this.#isSavingDraft = true;
    const created = await live
      .becomeProject((text) => this.#create(text, { title, visibility, forkedFrom }))
      .finally(() => (this.#isSavingDraft = false));
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
      // Set by the next load of the route's data.
      original: null,
    } as const;
    this.identity.set(project);
    return project;
  }

  /** Creates the project without its original if that has been deleted meanwhile. */
  async #create(text: NewProject, details: ProjectDetails): Promise<CreatedProject> {
    const calls = this.options.calls();
    try {
      return await calls.create(text, details);
    } catch (error) {
      const isOriginalDeleted =
        details.forkedFrom !== null && findErrorCode(error) === 'not_found_or_private';
      if (!isOriginalDeleted) throw error;
      return calls.create(text, { ...details, forkedFrom: null });
    }
  }

  async #open(signal: AbortSignal): Promise<Opened> {
    const live = await this.options.openText();
    const text = new ProjectText(live.doc, {
      onRename: (from, to) => this.openFiles.follow(from, to),
      onReplace: (path) => this.openFiles.refresh(path),
    });
    const opened = { live, text };
    if (signal.aborted) return opened;
    this.#now = opened;
    this.#updatePaths(text);
    this.saving.state.set(live.state);
    const edited = () => text.edited;
    const unsubscribes = [
      live.on(() => this.#onDocumentChange(live)),
      text.files.subscribe(() => this.problems.shown.edited()),
      text.files.subscribe(() => this.openFiles.keepEdited(text.files.get())),
      text.files.subscribe(promptly(() => this.language.follow(), edited, signal)),
      text.files.subscribe(promptly(() => this.rules.follow(), edited, signal)),
      text.files.subscribe(promptly(() => this.#applyFiles(text), edited, signal)),
      text.paths.subscribe(() => this.#updatePaths(text)),
    ];
    signal.addEventListener('abort', () => unsubscribes.forEach((unsubscribe) => unsubscribe()));
    this.packages.open(text);
    this.#applyFiles(text);
    this.opening.set({ status: 'open' });
    return opened;
  }

  #onDocumentChange(live: Living): void {
    this.saving.tell(live.state);
    const isProject = isLive(live) && live.kind === 'project';
    if (isProject && this.identity.get().kind === 'draft' && !this.#isSavingDraft) {
      this.savedElsewhere.set(true);
    }
  }

  #updatePaths(text: ProjectText): void {
    const paths = text.paths.get();
    this.paths.set(paths);
    this.openFiles.adopt(paths);
    if (this.opening.get().status === 'opening') this.openFiles.openFirst();
  }

  async #findFile(path: string): Promise<EditedFile | undefined> {
    const [{ live, text }] = await Promise.all([this.#getOpened(), this.#previewStarted.promise]);
    const found = text.findText(path);
    if (found) {
      this.language.see(path);
      this.rules.see(path);
    }
    return found && { path, text: found, undo: live.undoOf(found) };
  }

  /**
   * Registers a changed lockfile with the server first, so that it can serve the packages when the
   * preview requests them.
   */
  #applyFiles(text: ProjectText): void {
    const registered = this.packages.register(text.files.get());
    if (registered) void registered.then(() => this.result.update(text.files.get()));
    else this.result.update(text.files.get());
    this.problems.list();
    this.texts.set(text.files.get());
  }

  async #formatNow(place?: FormatPlace): Promise<void> {
    const path = place?.path ?? this.openFiles.tabs.get().active;
    if (this.#now && path !== undefined) await this.#format.format(place ?? { path });
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

/** Stored tabs, if this project was the last one seen. */
function findStoredTabs({
  arrangement: { last },
  identity,
}: WorkspaceOptions): LastOpen | undefined {
  return last?.project === layoutKey(identity) ? last : undefined;
}

function isLive(living: Living): living is LiveDocument {
  return 'kind' in living;
}
