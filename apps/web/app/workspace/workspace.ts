import type { LiveDocument, NewProject } from '@vitrine/collaboration';
import { emptyFileSearchQuery, type FileSearchQuery } from '@vitrine/editor/find';
import type { FormatTarget } from '@vitrine/editor/format';
import {
  findErrorCode,
  findFileChanges,
  getTexts,
  mergeFileChanges,
  VitrineError,
  type AssetFile,
  type ErrorCode,
  type FileChanges,
  type ProjectFiles,
  type Visibility,
} from '@vitrine/project';
import type { PrerenderPlan } from '@vitrine/sandbox/prerendered-frame';
import type { PreviewHost } from '@vitrine/sandbox/preview-host';
import type { PackageApi } from '../packages/package-api.ts';
import { ProjectPackages } from '../packages/project-packages.ts';
import { PreferencesStore } from '../preferences/preferences-store.ts';
import type { PreferencesApi } from '../preferences/preferences-api.ts';
import type { Preferences } from '../preferences/preferences.ts';
import type { WorkspaceLayout, StoredTabs } from './layout/workspace-layout.ts';
import type { ProjectApi, CreatedProject, ProjectDetails } from './saving/project-api.ts';
import { emptyFilter, type ConsoleFilter } from './console/console-log.ts';
import { FileOperations, type OpenDocument } from './tree/file-operations.ts';
import { openLocalStore, renameDraft } from './saving/drafts.ts';
import {
  canSave,
  getPreviewKey,
  type WorkspaceIdentity,
  type WorkspaceUser,
  type ProjectIdentity,
} from './sharing/identity.ts';
import { showErrorToast } from '../ui/toast.tsx';
import { OpenFiles } from './tabs/open-files.ts';
import type { EditableFile } from './bootstrap/editor-host.ts';
import { ProjectFormat } from './code/project-format.ts';
import { getLayoutKey } from './layout/project-layouts.ts';
import { ProjectLanguage } from './code/project-language.ts';
import { ProjectLint } from './code/project-lint.ts';
import { ProjectProblems } from './problems/project-problems.ts';
import { ProjectText } from './code/project-text.ts';
import { ProjectTrash } from './saving/project-trash.ts';
import { ProjectTree } from './tree/project-tree.ts';
import { coalesce } from './coalesce.ts';
import type { DocumentSession } from './saving/unsaved-copy.ts';
import { PreviewController } from './preview/preview-controller.ts';
import { FoldState } from './code/fold-state.ts';
import { ValueStore } from './value-store.ts';
import { UndoHistory } from './code/undo-history.ts';
import { createExampleTest } from './tests/example-test.ts';
import { ProjectTests } from './tests/project-tests.ts';
import { SaveStatus } from './saving/save-status.ts';

export interface WorkspaceOptions {
  readonly identity: WorkspaceIdentity;
  readonly user: WorkspaceUser | null;
  /** Files as the server has them, shown and run immediately. Empty for a draft. */
  readonly files: ProjectFiles;
  /** Loads the bytes of an asset. Rejects with a `VitrineError`. */
  readonly loadAsset?: (asset: AssetFile) => Promise<Blob>;
  readonly layout: WorkspaceLayout;
  /** As stored on this device. */
  readonly preferences: Preferences;
  readonly preferenceApi: (userId: string) => PreferencesApi;
  readonly openDocument: () => Promise<DocumentSession>;
  readonly api: ProjectApi;
  readonly packageApi: () => PackageApi;
  readonly choosePreviewHost: () => PreviewHost;
  /** Plan of the preview that the server's page prerenders. */
  readonly prerenderPlan?: PrerenderPlan;
  /** Resolves to a one-time URL that grants the user access to a private project's preview. */
  readonly requestPreviewAccess?: (signal: AbortSignal) => Promise<string>;
}

/** Progress of opening the document. */
export type OpenState =
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
  readonly identity: ValueStore<WorkspaceIdentity>;
  readonly user: WorkspaceUser | null;
  readonly openState = new ValueStore<OpenState>({ status: 'opening' });
  readonly paths: ValueStore<readonly string[]>;
  readonly saving: SaveStatus;
  readonly layout: ValueStore<WorkspaceLayout>;
  readonly openFiles: OpenFiles;
  readonly fileOperations = new FileOperations(() => this.#getNow());
  readonly tree: ProjectTree;
  readonly preferences: PreferencesStore;
  readonly dialog = new ValueStore<WorkspaceDialog | null>(null);
  /** Assets by path. */
  readonly assets: ValueStore<ReadonlyMap<string, AssetFile>>;
  /** Texts of the files, updated shortly after typing. */
  readonly texts: ValueStore<ReadonlyMap<string, string>>;
  /** Query of the Search panel. */
  readonly fileQuery = new ValueStore<FileSearchQuery>(emptyFileSearchQuery);
  readonly consoleFilter = new ValueStore<ConsoleFilter>(emptyFilter);
  readonly preview = new PreviewController();
  readonly tests = new ProjectTests(this.preview, (files) =>
    this.fileOperations.writeSnapshots(files),
  );
  readonly packages: ProjectPackages;
  readonly language: ProjectLanguage;
  readonly lint: ProjectLint;
  readonly #format: ProjectFormat;
  readonly problems: ProjectProblems;
  readonly trash: ProjectTrash;
  /** True once another tab has saved this draft as a project. */
  readonly isSavedInOtherTab = new ValueStore(false);
  readonly options: WorkspaceOptions;
  /** Name of the control in a panel that takes the focus as soon as it is there. */
  readonly panelFocus = new ValueStore<string | null>(null);
  #life = new AbortController();
  /** Resolves once the preview has started. Code that is only needed for editing waits for it. */
  #previewStarted = Promise.withResolvers<void>();
  #opened: Promise<OpenDocument> | undefined;
  #now: OpenDocument | undefined;
  #save: (() => void) | undefined;
  /** Texts before the document is open. */
  readonly #initialTexts: ReadonlyMap<string, string>;
  /** Changes that the preview hasn't got yet. Cleared when it gets them. */
  #pendingChanges: FileChanges | undefined;
  /** True while this tab saves the draft as a project. */
  #isSavingDraft = false;

  constructor(options: WorkspaceOptions) {
    this.options = options;
    this.user = options.user;
    this.identity = new ValueStore(options.identity);
    this.trash = new ProjectTrash(this.identity, options.api);
    this.preferences = new PreferencesStore({
      preferences: options.preferences,
      userId: options.user?.id ?? null,
      createApi: options.preferenceApi,
    });
    this.#initialTexts = getTexts(options.files);
    this.packages = new ProjectPackages(this.#initialTexts, options.packageApi);
    this.language = new ProjectLanguage({
      files: () => this.files(),
      packagesRegistered: () => this.packages.register(this.files()),
      write: (edits) => void this.fileOperations.writeEdits(edits),
      goTo: (place) => this.openFiles.goTo(place),
    });
    this.lint = new ProjectLint({
      files: () => this.files(),
      write: (edits) => void this.fileOperations.writeEdits(edits),
      styleProblems: (path) => this.language.styleProblems(path),
    });
    this.#format = new ProjectFormat({
      files: () => this.files(),
      write: (edits) => void this.fileOperations.writeEdits(edits),
    });
    this.problems = new ProjectProblems({
      result: this.preview,
      packages: this.packages,
      language: this.language,
      lint: this.lint,
      files: () => this.files(),
      edit: (path, content) => this.#now?.text.edit(path, content),
      write: (path, content) => {
        if (this.fileOperations.write(path, content) === 'new') this.#openNewFile(path);
      },
      goTo: (place) => this.openFiles.goTo(place),
      addsPackages: () => this.preferences.current.get().addsPackages,
    });
    this.texts = new ValueStore(this.#initialTexts);
    this.assets = new ValueStore(findAssets(options.files));
    this.paths = new ValueStore<readonly string[]>([...options.files.keys()]);
    this.layout = new ValueStore(options.layout);
    this.openFiles = new OpenFiles({
      files: () => this.files(),
      paths: this.paths,
      last: findStoredTabs(options),
      workspaceLayout: this.layout,
      // On a phone, visitors see the preview first, and users who can edit the code.
      view: canSave(options.identity) ? 'code' : 'result',
      pane: {
        findFile: (path) => this.#findFile(path),
        save: () => this.#save?.(),
        format: (place) => void this.format(place),
        services: [this.language.service, this.lint.service],
        preferences: this.preferences.current,
        folds: new FoldState(() => this.identity.get().id),
        undoHistory: new UndoHistory(() => this.identity.get().id),
      },
    });
    this.tree = new ProjectTree({
      readFiles: () => this.readFiles(),
      loadAsset: this.loadAsset,
      paths: this.paths,
      title: () => this.identity.get().title,
      changes: this.fileOperations,
      openFiles: this.openFiles,
    });
    this.saving = new SaveStatus({
      status: options.identity.kind === 'draft' ? 'kept-draft' : 'saved',
    });
  }

  /** Unique key of the workspace. */
  get id(): string {
    const { identity } = this.options;
    return `${identity.id} ${this.user?.id ?? ''} ${canSave(identity)}`;
  }

  /**
   * True if this workspace shows the given draft or project for the given user. That includes the
   * project a draft has become, here or in another tab. A workspace opened without permission to
   * save doesn't match once there is permission, since its document is stored elsewhere.
   */
  matches(identity: WorkspaceIdentity, user: WorkspaceUser | null): boolean {
    const live = this.#now?.live;
    const ids = [this.options.identity.id, this.identity.get().id, live && isLive(live) && live.id];
    if (canSave(identity) && !canSave(this.options.identity)) return false;
    return ids.includes(identity.id) && user?.id === this.user?.id;
  }

  /** Text of a file before the document is open. */
  initialText(path: string): string {
    return this.#initialTexts.get(path) ?? '';
  }

  /** Opens the document. Content already on the screen stays. */
  start(): void {
    this.#life = new AbortController();
    this.#previewStarted = Promise.withResolvers();
    this.#opened = this.#open(this.#life.signal);
    this.#opened.catch((error: unknown) => {
      if (!this.#life.signal.aborted)
        this.openState.set({ status: 'failed', code: findErrorCode(error) });
    });
    this.preferences.start(this.#life.signal);
    this.problems.start(this.#life.signal);
    const unsubscribes = [
      this.problems.all.subscribe(() => this.openFiles.setProblems(this.problems.all.get())),
      this.preferences.current.subscribe(() =>
        this.preview.setRunMode(this.preferences.current.get().runMode),
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
    this.trash.close();
    this.#now = undefined;
    this.openState.set({ status: 'opening' });
    this.tests.close();
    this.preview.close();
    this.packages.close();
    this.language.close();
    this.lint.close();
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
  async mountPreview(element: HTMLElement): Promise<void> {
    const { signal } = this.#life;
    const identity = this.identity.get();
    // A draft is only on this device. A saved project starts from the server's files at once.
    const isServed = identity.kind === 'project';
    const files = isServed ? this.options.files : (await this.#getOpened()).text.readAll();
    // The server already knows the packages of a saved project.
    if (!isServed) await this.packages.register(getTexts(files));
    if (signal.aborted) return;
    const { choosePreviewHost, requestPreviewAccess } = this.options;
    await this.preview.show(
      element,
      {
        key: getPreviewKey(identity),
        previewHost: choosePreviewHost(),
        files,
        loadAsset: this.loadAsset,
        fullExportUrls: this.packages.builds.fullExportUrls,
        served: isServed ? { revision: identity.revision } : null,
        runMode: this.preferences.current.get().runMode,
        ...(requestPreviewAccess && { requestAccess: requestPreviewAccess }),
      },
      signal,
    );
    this.#previewStarted.resolve();
    if (!this.#now) return;
    this.#pendingChanges = findFileChanges(files, this.#now.text.readAll());
    this.#applyFiles(this.#now.text);
  }

  /** Sets the action of Mod+S, which may navigate. Returns a function that removes it. */
  onSaveRequest(save: () => void): () => void {
    this.#save = save;
    return () => (this.#save = undefined);
  }

  /** Opens a sidebar panel, or closes the open one. */
  showSidebar(panel: string | null): void {
    this.layout.set({ ...this.layout.get(), panel });
  }

  /** Formats a file, by default the active one. Shows a toast if that fails. */
  async format(place?: FormatTarget): Promise<void> {
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
    if (this.preferences.current.get().formatsOnSave)
      await this.#formatNow().catch(() => undefined);
  }

  /** Opens a tab of the bottom panel, or closes the panel. */
  showBottomPanel(dock: string | null): void {
    this.layout.set({ ...this.layout.get(), dock });
  }

  /** Restarts the preview and shows it. */
  run(): void {
    this.preview.run();
    this.openFiles.view.set('result');
  }

  /** Renames the draft or project. Rejects with a `VitrineError`. */
  async rename(title: string): Promise<void> {
    const identity = this.identity.get();
    if (identity.kind === 'draft') await renameDraft(this.user?.id ?? null, identity.id, title);
    else await this.options.api.rename(identity.id, title);
    this.identity.set({ ...this.identity.get(), title });
  }

  /** Changes the project's visibility. Rejects with a `VitrineError`. */
  async setVisibility(visibility: Visibility): Promise<void> {
    const identity = this.identity.get();
    if (identity.kind === 'draft') throw new Error('a draft has no visibility');
    await this.options.api.setVisibility(identity.id, visibility);
    this.identity.set({ ...identity, visibility });
  }

  /** Cancels package installation. A preview that waits for it is stopped. */
  cancelPackages(): void {
    const isBuilding = this.packages.builds.progress.get() !== null;
    const { status } = this.preview.state.get();
    if (isBuilding && (status === 'starting' || status === 'updating')) this.preview.stop();
    this.packages.cancel();
  }

  createFile(path: string): void {
    this.fileOperations.create(path);
    this.#openNewFile(path);
  }

  /** Adds an example test. */
  addTest(): void {
    const { path, content } = createExampleTest(this.paths.get());
    this.fileOperations.create(path, content);
    this.#openNewFile(path);
  }

  /** Opens a file that was just created, and focuses its editor. */
  #openNewFile(path: string): void {
    this.openFiles.goTo({ path: path.normalize('NFC'), line: 1, column: 1 });
  }

  /** Current texts of the text files, by path. */
  files(): ReadonlyMap<string, string> {
    return this.#now?.text.files.get() ?? this.#initialTexts;
  }

  /** Copies the current files, texts and assets. */
  readFiles(): ProjectFiles {
    return this.#now?.text.readAll() ?? this.options.files;
  }

  /** Loads the bytes of an asset. Rejects with `asset_missing` if they aren't available. */
  readonly loadAsset = (asset: AssetFile): Promise<Blob> =>
    this.options.loadAsset?.(asset) ?? Promise.reject(new VitrineError('asset_missing'));

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
    return this.#now?.live.detachUnsavedChanges();
  }

  /**
   * Replaces the shown files with unsaved changes from an earlier visit. Changes made in this tab
   * are stored as separate unsaved changes. Rejects with `not_kept`, or as saving does.
   */
  async restoreUnsaved(id: string): Promise<void> {
    const { live, text } = await this.#getOpened();
    const store = await openLocalStore(this.user?.id ?? null);
    const files = await store.readFiles(id);
    await live.detachUnsavedChanges();
    text.replaceAll(files);
    await live.flush();
    await store.remove(id);
  }

  /** Saves this draft as a project. Editors and preview keep running. */
  async saveAsProject(visibility: Visibility): Promise<ProjectIdentity> {
    const identity = this.identity.get();
    const live = (await this.#getOpened()).live;
    if (identity.kind === 'project' || !isLive(live))
      throw new Error('only a draft can become a project');
    const { title, forkedFrom } = identity;
    this.#isSavingDraft = true;
    const created = await live
      .convertToProject((text) => this.#create(text, { title, visibility, forkedFrom }))
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
    const { api } = this.options;
    try {
      return await api.createProject(text, details);
    } catch (error) {
      const isOriginalDeleted =
        details.forkedFrom !== null && findErrorCode(error) === 'not_found_or_private';
      if (!isOriginalDeleted) throw error;
      return api.createProject(text, { ...details, forkedFrom: null });
    }
  }

  async #open(signal: AbortSignal): Promise<OpenDocument> {
    const live = await this.options.openDocument();
    const text = new ProjectText(live.doc, {
      onRename: (from, to) => this.openFiles.renamePath(from, to),
      onReplace: (path) => this.openFiles.reloadFile(path),
      onChange: (changes) => {
        const pending = this.#pendingChanges;
        this.#pendingChanges = pending ? mergeFileChanges(pending, changes) : changes;
      },
    });
    const opened = { live, text };
    if (signal.aborted) return opened;
    this.#now = opened;
    this.assets.set(text.assets.get());
    this.#updatePaths(text);
    this.saving.state.set(live.state);
    const edited = () => text.changedTextLength;
    const unsubscribes = [
      live.subscribe(() => this.#onDocumentChange(live)),
      text.files.subscribe(() => this.problems.overlay.onEdit()),
      text.files.subscribe(() => this.openFiles.keepEditedOpen(text.files.get())),
      text.files.subscribe(coalesce(() => this.language.onFilesChanged(), edited, signal)),
      text.files.subscribe(coalesce(() => this.lint.onFilesChanged(), edited, signal)),
      text.files.subscribe(coalesce(() => this.#applyFiles(text), edited, signal)),
      text.paths.subscribe(() => this.#updatePaths(text)),
      text.assets.subscribe(() => this.assets.set(text.assets.get())),
    ];
    signal.addEventListener('abort', () => unsubscribes.forEach((unsubscribe) => unsubscribe()));
    this.packages.open(text);
    this.#pendingChanges = findFileChanges(this.options.files, text.readAll());
    this.#applyFiles(text);
    this.openState.set({ status: 'open' });
    return opened;
  }

  #onDocumentChange(live: DocumentSession): void {
    this.saving.update(live.state);
    if (live.state.status === 'saved') this.trash.check();
    const isProject = isLive(live) && live.kind === 'project';
    if (isProject && this.identity.get().kind === 'draft' && !this.#isSavingDraft) {
      this.isSavedInOtherTab.set(true);
    }
  }

  #updatePaths(text: ProjectText): void {
    const paths = text.paths.get();
    this.paths.set(paths);
    this.openFiles.closeMissing(paths);
    if (this.openState.get().status === 'opening') this.openFiles.openInitial();
  }

  async #findFile(path: string): Promise<EditableFile | undefined> {
    const [{ live, text }] = await Promise.all([this.#getOpened(), this.#previewStarted.promise]);
    const found = text.findText(path);
    if (found) {
      this.language.onFileShown(path);
      this.lint.onFileShown(path);
    }
    return found && { path, text: found, undo: live.getUndoManager(found) };
  }

  /**
   * Registers a changed lockfile with the server first, so that it can serve the packages when the
   * preview requests them.
   */
  #applyFiles(text: ProjectText): void {
    const registered = this.packages.register(text.files.get());
    if (registered) void registered.then(() => this.#updatePreview());
    else this.#updatePreview();
    this.problems.update();
    this.texts.set(text.files.get());
  }

  /** Passes the changes since the last call to the preview. Before it is mounted, they are kept. */
  #updatePreview(): void {
    const changes = this.#pendingChanges;
    if (!changes || !this.preview.mounted.get()) return;
    this.#pendingChanges = undefined;
    if (changes.changed.size > 0 || changes.removed.length > 0) this.preview.update(changes);
  }

  async #formatNow(place?: FormatTarget): Promise<void> {
    const path = place?.path ?? this.openFiles.activeTabs.get().active;
    if (this.#now && path !== undefined) await this.#format.format(place ?? { path });
  }

  #getOpened(): Promise<OpenDocument> {
    if (!this.#opened) throw new Error('the workspace has not started');
    return this.#opened;
  }

  #getNow(): OpenDocument {
    if (!this.#now) throw new Error('the document is not open yet');
    return this.#now;
  }
}

function findAssets(files: ProjectFiles): ReadonlyMap<string, AssetFile> {
  return new Map(
    [...files].flatMap(([path, file]) => (file.kind === 'asset' ? [[path, file]] : [])),
  );
}

/** Stored tabs, if this project was the last one seen. */
function findStoredTabs({ layout: { last }, identity }: WorkspaceOptions): StoredTabs | undefined {
  return last?.project === getLayoutKey(identity) ? last : undefined;
}

function isLive(living: DocumentSession): living is LiveDocument {
  return 'kind' in living;
}
