import type { SupabaseClient } from '@supabase/supabase-js';
import type { EditableFile } from '@vitrine/editor';
import type { FormatTarget } from '@vitrine/editor/format';
import {
  findErrorCode,
  findFileChanges,
  getTexts,
  mergeFileChanges,
  VitrineError,
  type FileChanges,
} from '@vitrine/project';
import { createPagePath, findEntryPath } from '@vitrine/sandbox/file-urls';
import type { PrerenderPlan } from '@vitrine/sandbox/prerendered-frame';
import type { PreviewHost } from '@vitrine/sandbox/preview-host';
import type { ProjectAssets } from './assets/project-assets.ts';
import type { PackageApi } from '../packages/package-api.ts';
import { manifestPath } from '../packages/project-manifest.ts';
import { ProjectPackages } from '../packages/project-packages.ts';
import type { PreferencesApi } from '../preferences/preferences-api.ts';
import { PreferencesStore } from '../preferences/preferences-store.ts';
import type { Preferences } from '../preferences/preferences.ts';
import { coalesce, whenIdle } from '../schedule.ts';
import { CodeIntelligence } from './code/code-intelligence.ts';
import { FoldState } from './code/fold-state.ts';
import type { ProjectText } from './code/project-text.ts';
import { UndoHistory } from './code/undo-history.ts';
import type { ProjectHistory } from './history/project-history.ts';
import { onResumedEditing } from './history/resumed-editing.ts';
import { LayoutController } from './layout/layout-controller.ts';
import { getLayoutKey } from './layout/project-layouts.ts';
import type { Notices } from './notices.ts';
import type { StoredTabs, WorkspaceLayout } from './layout/workspace-layout.ts';
import { ProjectPermissions } from './permissions/project-permissions.ts';
import { updatePoster } from './poster/poster-updates.ts';
import { PreviewController } from './preview/preview-controller.ts';
import { ProjectSearch } from './search/project-search.ts';
import { WorkspaceSession, type SessionOptions } from './session.ts';
import {
  canSave,
  getPreviewKey,
  needsPreviewAccess,
  type ProjectIdentity,
} from './sharing/identity.ts';
import { OpenFiles } from './tabs/open-files.ts';
import { getEditedPath } from './tabs/tabs.ts';
import { ProjectTests } from './tests/project-tests.ts';
import { FileOperations, type OpenDocument } from './tree/file-operations.ts';
import { ProjectTree } from './tree/project-tree.ts';

interface WorkspaceOptions extends SessionOptions {
  readonly notices: Notices;
  readonly layout: WorkspaceLayout;
  /** As stored on this device. */
  readonly preferences: Preferences;
  readonly preferenceApi: (userId: string) => PreferencesApi;
  readonly packageApi: () => PackageApi;
  /** The backend client of the page, loaded on the first call. */
  readonly getClient: () => Promise<SupabaseClient>;
  readonly choosePreviewHost: () => PreviewHost;
  /** Plan of the preview that the server's page prerenders. */
  readonly prerenderPlan?: PrerenderPlan;
  /** Resolves to a one-time URL that grants the user access to a private project's preview. */
  readonly requestPreviewAccess?: (
    project: ProjectIdentity,
    signal: AbortSignal,
  ) => Promise<string>;
}

/**
 * A project or draft on the screen. Each part of it has its own owner; this class connects them,
 * and only the components that arrange the screen receive it. It can be rendered immediately, on
 * the server too; `start` activates it in a browser and `close` ends that.
 */
export class Workspace {
  readonly session: WorkspaceSession;
  readonly layout: LayoutController;
  readonly openFiles: OpenFiles;
  readonly fileOperations: FileOperations;
  readonly tree: ProjectTree;
  readonly assets: ProjectAssets;
  readonly search: ProjectSearch;
  readonly preferences: PreferencesStore;
  readonly preview = new PreviewController();
  readonly permissions: ProjectPermissions;
  readonly tests: ProjectTests;
  readonly packages: ProjectPackages;
  readonly code: CodeIntelligence;
  /** Whether the server's page contains a prerendered preview. */
  readonly isPrerendered: boolean;
  readonly #options: WorkspaceOptions;
  #life = new AbortController();
  /** Resolves to the history, once it has been requested. Cleared if its code can't be loaded. */
  #history: Promise<ProjectHistory> | undefined;
  /** Resolves once the preview has started. Code that is only needed for editing waits for it. */
  #previewStarted = Promise.withResolvers<void>();
  #save: (() => void) | undefined;
  /** Changes that the preview hasn't got yet. Cleared when it gets them. */
  #pendingChanges: FileChanges | undefined;
  /** Set while the versions of packages that came with other files are resolved. */
  #resolution: Promise<void> | undefined;
  /** Whether they were found on opening, and so run in any run mode. */
  #hasFoundChanges = false;

  constructor(options: WorkspaceOptions) {
    this.#options = options;
    this.isPrerendered = options.prerenderPlan !== undefined;
    const session = new WorkspaceSession(options);
    this.session = session;
    this.layout = new LayoutController(options.layout);
    this.permissions = new ProjectPermissions(session.userId, options.identity.id);
    this.fileOperations = new FileOperations(() => {
      if (!session.opened) throw new Error('the document is not open yet');
      return session.opened;
    });
    this.search = new ProjectSearch(session.files, this.fileOperations);
    this.tests = new ProjectTests(
      this.preview,
      (files) => this.fileOperations.writeSnapshots(files),
      () => this.#updatePreview(),
    );
    this.preferences = new PreferencesStore({
      preferences: options.preferences,
      userId: session.userId,
      createApi: options.preferenceApi,
    });
    this.packages = new ProjectPackages(session.files(), options.packageApi);
    this.code = new CodeIntelligence({
      session,
      fileOperations: this.fileOperations,
      packages: this.packages,
      preview: this.preview,
      preferences: this.preferences,
      requestPermission: (name) => {
        this.permissions.requested.set(name);
        this.layout.dialog.set('permissions');
      },
      goTo: (location) => this.openFiles.goTo(location),
      goToDeclaration: (location) => this.openFiles.goToDeclaration(location),
      activePath: () => getEditedPath(this.openFiles.activeTabs.get().active),
    });
    this.openFiles = new OpenFiles({
      files: session.files,
      paths: session.paths,
      last: findStoredTabs(options),
      workspaceLayout: this.layout.current,
      // On a phone, visitors see the preview first, and users who can edit the code.
      view: canSave(options.identity) ? 'code' : 'result',
      pane: {
        findFile: (path) => this.#findFile(path),
        loadPicture: session.loadPicture,
        addFiles: (transfer, target) => this.tree.addEditorFiles(transfer, target),
        readDeclaration: async (path) => {
          await this.#getEditable();
          return this.code.language.readDeclaration(path);
        },
        readVersion: async (number, path) => (await this.loadHistory()).readFile(number, path),
        onError: options.notices.failed,
        save: () => this.#save?.(),
        format: (target) => void this.format(target),
        services: [this.code.language.service, this.code.lint.quickFixes],
        preferences: this.preferences.current,
        folds: new FoldState(() => session.identity.get().id),
        undoHistory: new UndoHistory(() => session.identity.get().id),
      },
    });
    this.assets = options.assets;
    this.tree = new ProjectTree({
      session,
      assets: options.assets,
      changes: this.fileOperations,
      beforeReplacing: () => this.#saveVersionBeforeImport(),
      openFiles: this.openFiles,
      notices: options.notices,
    });
  }

  /** Opens the document. Content already on the screen stays. */
  start(): void {
    const { code, openFiles, preferences } = this;
    this.#life = new AbortController();
    const { signal } = this.#life;
    this.#previewStarted = Promise.withResolvers();
    this.session.start(signal, {
      onOpen: (text) => this.#connect(text, signal),
      onRename: (from, to) => openFiles.renamePath(from, to),
      onReplace: (path) => openFiles.reloadFile(path),
      onChange: (changes) => {
        const pending = this.#pendingChanges;
        this.#pendingChanges = pending ? mergeFileChanges(pending, changes) : changes;
      },
    });
    preferences.start(signal);
    code.problems.start(signal);
    unsubscribeOnAbort(signal, [
      code.problems.all.subscribe(() => openFiles.setProblems(code.problems.all.get())),
      preferences.current.subscribe(() =>
        this.preview.setRunMode(preferences.current.get().runMode),
      ),
    ]);
  }

  /** Stops everything. Unsent updates stay on the device. */
  close(): void {
    this.#life.abort();
    this.session.close();
    this.tests.close();
    this.preview.close();
    this.packages.close();
    this.code.close();
    this.assets.close();
  }

  /** Runs the preview in an element until the workspace closes. */
  readonly mountPreview = async (element: HTMLElement): Promise<void> => {
    const { signal } = this.#life;
    const { session } = this;
    const identity = session.identity.get();
    // A draft is only on this device. A saved project starts from the server's files at once.
    const isServed = identity.kind === 'project';
    const files = isServed ? session.initialFiles : await this.#readDraftFiles();
    // The server already knows the packages of a saved project.
    if (!isServed) await this.packages.register(getTexts(files));
    if (signal.aborted) return;
    const { permissions } = this;
    permissions.load(signal);
    const { choosePreviewHost, requestPreviewAccess } = this.#options;
    await this.preview.show(
      element,
      {
        key: getPreviewKey(identity),
        previewHost: choosePreviewHost(),
        files,
        permissions: permissions.allowed.get(),
        loadAsset: session.loadAsset,
        fullExportUrls: this.packages.builds.fullExportUrls,
        whenUrlsKnown: () => this.packages.register(session.files()),
        served: isServed ? { revision: identity.revision } : null,
        runMode: this.preferences.current.get().runMode,
        ...(isServed &&
          requestPreviewAccess && {
            requestAccess: (access: AbortSignal) => requestPreviewAccess(identity, access),
            // Its owner can make it private, or publish a version, meanwhile.
            needsAccess: () => needsPreviewAccess(session.identity.get()),
          }),
      },
      signal,
    );
    this.#followActivePage(signal);
    unsubscribeOnAbort(signal, [
      permissions.allowed.subscribe(() => this.preview.setPermissions(permissions.allowed.get())),
      session.identity.subscribe(() => permissions.moveTo(session.identity.get().id)),
    ]);
    this.#previewStarted.resolve();
    if (!session.opened) return;
    this.#passFoundChanges(findFileChanges(files, session.readFiles()), session.opened.text);
  };

  /**
   * Follows the editor in a project without a page to open first: shows the page that is open
   * there, and each one that is opened.
   */
  #followActivePage(signal: AbortSignal): void {
    const { preview, session } = this;
    const { activeTabs } = this.openFiles;
    let shown: string | undefined;
    const show = () => {
      const state = preview.state.get();
      const isRunning = state.status === 'running' || state.status === 'updating';
      const hasNoPage = state.status === 'failed' && state.reason === 'entry-missing';
      const path = getEditedPath(activeTabs.get().active);
      // Once shown, the user may go elsewhere, such as to the list of pages.
      if (path === undefined || path === shown || !(hasNoPage || isRunning)) return;
      const isPage = preview.listPages().includes(path);
      if (isPage && findEntryPath(session.paths.get()) === undefined)
        preview.navigate(createPagePath((shown = path)));
    };
    unsubscribeOnAbort(signal, [
      preview.state.subscribe(() => preview.state.get().status === 'failed' && show()),
      activeTabs.subscribe(show),
    ]);
    show();
  }

  /**
   * The files of a draft, once the versions of its packages are resolved: its page would fail at its
   * first import of one. Editing doesn't wait for that.
   */
  async #readDraftFiles(): Promise<ReturnType<ProjectText['readAll']>> {
    const { text } = await this.session.whenOpened();
    const resolving = this.packages.whenIdle();
    if (resolving) this.#previewStarted.resolve();
    await resolving;
    return text.readAll();
  }

  /** Sets the action of Mod+S, which may navigate. Returns a function that removes it. */
  onSaveRequest(save: () => void): () => void {
    this.#save = save;
    return () => (this.#save = undefined);
  }

  /** Versions of the project. Their code is loaded when they're first shown. */
  readonly loadHistory = (): Promise<ProjectHistory> => {
    const history = (this.#history ??= this.#createHistory());
    history.catch(() => (this.#history = undefined));
    return history;
  };

  async #createHistory(): Promise<ProjectHistory> {
    const [{ ProjectHistory: History }, { createVersionApi }] = await Promise.all([
      import('./history/project-history.ts'),
      import('./history/versions.ts'),
    ]);
    const api = createVersionApi(this.#options.getClient);
    return new History({ session: this.session, fileOperations: this.fileOperations, api });
  }

  /** Without a connection, files are replaced all the same: that can be undone. */
  async #saveVersionBeforeImport(): Promise<void> {
    try {
      await this.session.flush();
      await this.session.createVersion('import');
    } catch (error) {
      if (!(error instanceof VitrineError)) throw error;
    }
  }

  /** Formats a file, by default the active one. Reports a failure. */
  readonly format = async (target?: FormatTarget): Promise<void> => {
    try {
      await this.code.format(target);
    } catch (error) {
      this.#options.notices.failed(findErrorCode(error));
    }
  };

  /** Restarts the preview and shows it. */
  readonly run = (): void => {
    this.preview.run();
    this.openFiles.view.set('result');
  };

  /** Cancels package installation. A preview that waits for it is stopped. */
  readonly cancelPackages = (): void => {
    const isBuilding = this.packages.builds.progress.get() !== null;
    const { status } = this.preview.state.get();
    if (isBuilding && (status === 'starting' || status === 'updating')) this.preview.stop();
    this.packages.cancel();
  };

  /** Connects the document that was just opened to everything that shows its files. */
  #connect(text: ProjectText, signal: AbortSignal): void {
    const { code, openFiles, session } = this;
    const { files } = text;
    openFiles.closeMissing(session.paths.get());
    openFiles.openInitial();
    this.tree.collapseLargeProject();
    const edited = () => text.changedTextLength;
    const identity = session.identity.get();
    const editedAt = identity.kind === 'draft' ? Date.now() : Date.parse(identity.updatedAt);
    // The files aren't lost if this fails: the next pause has a version.
    const savePause = () => void session.createVersion('pause').catch(() => undefined);
    unsubscribeOnAbort(signal, [
      onResumedEditing(text.doc, editedAt, savePause),
      files.subscribe(() => code.problems.overlay.onEdit()),
      files.subscribe(() => openFiles.keepEditedOpen(files.get())),
      files.subscribe(coalesce(() => code.language.onFilesChanged(), edited, signal)),
      files.subscribe(coalesce(() => code.lint.onFilesChanged(), edited, signal)),
      files.subscribe(coalesce(() => this.#applyFiles(text), edited, signal)),
      session.paths.subscribe(() => openFiles.closeMissing(session.paths.get())),
    ]);
    this.packages.open(text);
    this.#passFoundChanges(findFileChanges(session.initialFiles, text.readAll()), text);
    this.#updatePoster(text.doc, signal);
    whenIdle(() => {
      if (!signal.aborted && canSave(session.identity.get())) void this.tree.resumeUploads();
    });
  }

  /** A preview that shares the page's process would block typing while it renders a poster. */
  #updatePoster(doc: ProjectText['doc'], signal: AbortSignal): void {
    const { session, preview, preferences } = this;
    const { choosePreviewHost, getClient } = this.#options;
    const host = choosePreviewHost();
    if (host.transport === 'srcdoc' && host.sharesProcess) return;
    const readVersion = async (number: number) => (await this.loadHistory()).read(number);
    updatePoster({ session, doc, preview, preferences, getClient, readVersion }, signal);
  }

  /** The document, once it's open and the preview has started. */
  async #getEditable(): Promise<OpenDocument> {
    const [opened] = await Promise.all([this.session.whenOpened(), this.#previewStarted.promise]);
    return opened;
  }

  async #findFile(path: string): Promise<EditableFile | undefined> {
    const { live, text } = await this.#getEditable();
    const found = text.findText(path);
    if (found) this.code.onFileShown(path);
    return found && { path, text: found, undo: live.getUndoManager(found) };
  }

  /** Passes what the document has beyond the files that the preview started with. */
  #passFoundChanges(changes: FileChanges, text: ProjectText): void {
    this.#pendingChanges = changes;
    this.#hasFoundChanges = true;
    this.#applyFiles(text);
  }

  /**
   * Passes changed files on. Those that came with a package.json, as the files of a dropped folder
   * do, run once its versions are resolved.
   */
  #applyFiles(text: ProjectText): void {
    const { changed } = this.#pendingChanges ?? {};
    if (!this.#resolution && changed && changed.size > 1 && changed.has(manifestPath))
      this.#resolution = this.packages.resolveNow()?.then(() => {
        this.#resolution = undefined;
        return this.#runFiles(text);
      });
    if (!this.#resolution) this.#runFiles(text);
    this.code.problems.update();
    this.search.texts.set(text.files.get());
  }

  /**
   * Registers a changed lockfile with the server first, so that it can serve the packages when the
   * preview requests them.
   */
  #runFiles(text: ProjectText): void {
    const registered = this.packages.register(text.files.get());
    if (registered) void registered.then(() => this.#updatePreview());
    else this.#updatePreview();
  }

  /** Passes the changes since the last call to the preview. Before it is mounted, they are kept. */
  #updatePreview(): void {
    const changes = this.#pendingChanges;
    if (!changes || !this.preview.mounted.get()) return;
    this.#pendingChanges = undefined;
    if (changes.changed.size > 0 || changes.removed.length > 0) this.preview.update(changes);
    if (this.#hasFoundChanges) this.preview.flush();
    this.#hasFoundChanges = false;
  }
}

function unsubscribeOnAbort(signal: AbortSignal, unsubscribes: readonly (() => void)[]): void {
  signal.addEventListener('abort', () => unsubscribes.forEach((unsubscribe) => unsubscribe()));
}

/** Stored tabs, if this project was the last one seen. */
function findStoredTabs({ layout: { last }, identity }: WorkspaceOptions): StoredTabs | undefined {
  return last?.project === getLayoutKey(identity) ? last : undefined;
}
