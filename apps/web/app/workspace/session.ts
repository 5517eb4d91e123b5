import type { LiveDocument, NewProject } from '@vitrine/collaboration';
import {
  findAssetSources,
  findErrorCode,
  getTexts,
  isRecord,
  VitrineError,
  type AssetFile,
  type ErrorCode,
  type ProjectFiles,
  type Visibility,
} from '@vitrine/project';
import type { ProjectAssets } from './assets/project-assets.ts';
import { UploadError } from './assets/uploads.ts';
import { ProjectText, type TextListeners } from './code/project-text.ts';
import { openLocalStore, renameDraft } from './saving/drafts.ts';
import type {
  CreatedProject,
  ProjectApi,
  ProjectDetails,
  VersionReason,
} from './saving/project-api.ts';
import { ProjectTrash } from './saving/project-trash.ts';
import { SaveStatus } from './saving/save-status.ts';
import type { DocumentSession } from './saving/unsaved-copy.ts';
import {
  canSave,
  type ProjectIdentity,
  type WorkspaceIdentity,
  type WorkspaceUser,
} from './sharing/identity.ts';
import type { OpenDocument } from './tree/file-operations.ts';
import { ValueStore } from './value-store.ts';

export interface SessionOptions {
  readonly identity: WorkspaceIdentity;
  readonly user: WorkspaceUser | null;
  /** Files as the server has them, shown and run immediately. Empty for a draft. */
  readonly files: ProjectFiles;
  readonly assets: ProjectAssets;
  readonly openDocument: () => Promise<DocumentSession>;
  readonly api: ProjectApi;
}

/** Rejected saves after which missing assets are uploaded. More would repeat what doesn't help. */
const maxRepairs = 3;

/** Progress of opening the document. */
export type OpenState =
  | { readonly status: 'opening' }
  | { readonly status: 'open' }
  | { readonly status: 'failed'; readonly code: ErrorCode };

interface SessionListeners extends TextListeners {
  /** The document has just been opened. `openState` changes afterwards. */
  onOpen(text: ProjectText): void;
}

/**
 * The document of a draft or project, for one user: what it is, its files, and how its edits are
 * saved.
 */
export class WorkspaceSession {
  readonly identity: ValueStore<WorkspaceIdentity>;
  /** Identity at the time the session was created. */
  readonly initialIdentity: WorkspaceIdentity;
  readonly user: WorkspaceUser | null;
  readonly openState = new ValueStore<OpenState>({ status: 'opening' });
  /** Files as the server had them when the page was loaded. Empty for a draft. */
  readonly initialFiles: ProjectFiles;
  /** Assets by path. */
  readonly assets: ValueStore<ReadonlyMap<string, AssetFile>>;
  readonly paths: ValueStore<readonly string[]>;
  readonly saveStatus: SaveStatus;
  readonly trash: ProjectTrash;
  /** Counts the changes of the project's members and owner that the server has announced. */
  readonly memberChanges = new ValueStore(0);
  /** True once another tab has saved this draft as a project. */
  readonly isSavedInOtherTab = new ValueStore(false);
  readonly #options: SessionOptions;
  /** Texts before the document is open. */
  readonly #initialTexts: ReadonlyMap<string, string>;
  #opening: Promise<OpenDocument> | undefined;
  #opened: OpenDocument | undefined;
  /** True while this tab saves the draft as a project. */
  #isSavingDraft = false;
  /** Number of times that missing assets were uploaded after a rejected save. */
  #repairs = 0;

  constructor(options: SessionOptions) {
    const { identity, user, files, api } = options;
    this.#options = options;
    this.identity = new ValueStore(identity);
    this.initialIdentity = identity;
    this.user = user;
    this.initialFiles = files;
    this.#initialTexts = getTexts(files);
    this.assets = new ValueStore(findAssets(files));
    this.paths = new ValueStore<readonly string[]>([...files.keys()]);
    this.saveStatus = new SaveStatus({
      status: identity.kind === 'draft' ? 'draft-saved-locally' : 'saved',
    });
    this.trash = new ProjectTrash(this.identity, api);
  }

  /** Id of the user. Null for a visitor. */
  get userId(): string | null {
    return this.user?.id ?? null;
  }

  /** Unique key of the session. */
  get key(): string {
    return `${this.initialIdentity.id} ${this.userId ?? ''} ${canSave(this.initialIdentity)}`;
  }

  /**
   * True if this session is the given draft or project for the given user. That includes the
   * project a draft has become, here or in another tab. A session opened without permission to save
   * doesn't match once there is permission, since its document is stored elsewhere.
   */
  matches(identity: WorkspaceIdentity, user: WorkspaceUser | null): boolean {
    const live = this.#opened?.live;
    const ids = [this.initialIdentity.id, this.identity.get().id, live && isLive(live) && live.id];
    if (canSave(identity) && !canSave(this.initialIdentity)) return false;
    return ids.includes(identity.id) && user?.id === this.user?.id;
  }

  /** Opens the document, until the signal aborts. */
  start(signal: AbortSignal, listeners: SessionListeners): void {
    this.#opening = this.#open(signal, listeners);
    this.#opening.catch((error: unknown) => {
      if (!signal.aborted) this.openState.set({ status: 'failed', code: findErrorCode(error) });
    });
  }

  /** Closes the document. Unsent updates stay on the device. */
  close(): void {
    this.saveStatus.close();
    this.trash.close();
    this.#opened = undefined;
    this.openState.set({ status: 'opening' });
    void this.#opening?.then(
      ({ live, text }) => {
        text.close();
        return live.close();
      },
      // The error of opening was already reported.
      () => undefined,
    );
  }

  /** The document. Undefined until it is open. */
  get opened(): OpenDocument | undefined {
    return this.#opened;
  }

  /** Resolves to the document once it is open. Rejects with the error of opening it. */
  whenOpened(): Promise<OpenDocument> {
    if (!this.#opening) throw new Error('the session has not started');
    return this.#opening;
  }

  /** Current texts of the text files, by path. */
  readonly files = (): ReadonlyMap<string, string> =>
    this.#opened?.text.files.get() ?? this.#initialTexts;

  /** Copies the current files, texts and assets. */
  readonly readFiles = (): ProjectFiles => this.#opened?.text.readAll() ?? this.initialFiles;

  /**
   * Loads the bytes of an asset. Rejects with a `VitrineError`: `asset_missing` if they are neither
   * on this device nor on the server.
   */
  readonly loadAsset = (asset: AssetFile): Promise<Blob> => {
    const identity = this.identity.get();
    const project = identity.kind === 'draft' ? identity.forkedFrom : identity.id;
    return this.#options.assets.load(asset, project);
  };

  /** Bytes of a picture: an asset, or an SVG file that is text. Undefined if there is none. */
  readonly loadPicture = async (path: string): Promise<Blob | undefined> => {
    const asset = this.assets.get().get(path);
    if (asset) return this.loadAsset(asset);
    const text = this.files().get(path);
    return text === undefined ? undefined : new Blob([text], { type: 'image/svg+xml' });
  };

  /**
   * The saved project that added assets are uploaded to. Undefined while they stay on this device: in
   * a draft, and for a user who can't save.
   */
  get uploadTarget(): { readonly owner: string; readonly project: string } | undefined {
    const identity = this.identity.get();
    if (identity.kind === 'draft' || !canSave(identity) || !this.user) return undefined;
    return { owner: this.user.id, project: identity.id };
  }

  /** Lets a fork load assets that others have uploaded to this project. */
  async rememberAssetSources(): Promise<void> {
    await this.#options.assets.rememberSources(findAssetSources(this.initialFiles.values()));
  }

  /** Text of a file before the document is open. */
  initialText(path: string): string {
    return this.#initialTexts.get(path) ?? '';
  }

  /** Renames the draft or project. Rejects with a `VitrineError`. */
  async rename(title: string): Promise<void> {
    const identity = this.identity.get();
    if (identity.kind === 'draft') await renameDraft(this.userId, identity.id, title);
    else await this.#options.api.rename(identity.id, title);
    this.identity.set({ ...this.identity.get(), title });
  }

  /** Changes the project's visibility. Rejects with a `VitrineError`. */
  async setVisibility(visibility: Visibility): Promise<void> {
    const identity = this.identity.get();
    if (identity.kind === 'draft') throw new Error('a draft has no visibility');
    await this.#options.api.setVisibility(identity.id, visibility);
    this.identity.set({ ...identity, visibility });
  }

  /**
   * Saves a version of the project as the server has it; `flush` first to include all edits.
   * Resolves to its number, undefined if the user can't save to the project. Rejects with a
   * `VitrineError`.
   */
  async createVersion(reason: VersionReason, message = ''): Promise<number | undefined> {
    const identity = this.identity.get();
    if (identity.kind === 'draft' || !canSave(identity)) return undefined;
    return await this.#options.api.createVersion(identity.id, reason, message);
  }

  /** Sends all pending updates. Rejects with a `VitrineError`. */
  async flush(): Promise<void> {
    await (await this.whenOpened()).live.flush();
  }

  async retry(): Promise<void> {
    await this.#opened?.live.retry();
  }

  /** Loads what others, or this user elsewhere, have saved, up to the given log sequence number. */
  async refresh(upTo?: number): Promise<void> {
    await this.#opened?.live.refresh(upTo);
  }

  /** Id of this tab's unsaved changes to a project the user can't save to. */
  get unsavedId(): string | undefined {
    return this.#opened?.live.unsavedId;
  }

  /**
   * Releases this tab's unsaved changes once they are stored. Resolves to their id. Rejects with
   * `not_kept`.
   */
  async detachUnsaved(): Promise<string | undefined> {
    return this.#opened?.live.detachUnsavedChanges();
  }

  /**
   * Replaces the shown files with unsaved changes from an earlier visit. Changes made in this tab
   * are stored as separate unsaved changes. Rejects with `not_kept`, or as saving does.
   */
  async restoreUnsaved(id: string): Promise<void> {
    const { live, text } = await this.whenOpened();
    const store = await openLocalStore(this.userId);
    const files = await store.readFiles(id);
    await live.detachUnsavedChanges();
    text.replaceAll(files);
    await live.flush();
    await store.remove(id);
  }

  /**
   * Saves this draft as a project, after its assets are uploaded. Editors and preview keep running.
   * Rejects with an `UploadError` if that fails; the draft stays.
   */
  async saveAsProject(visibility: Visibility): Promise<ProjectIdentity> {
    const identity = this.identity.get();
    const { live } = await this.whenOpened();
    if (identity.kind === 'project' || !isLive(live))
      throw new Error('only a draft can become a project');
    const { title, forkedFrom, forkedFromVersion } = identity;
    await this.#options.assets.uploadAll(this.assets.get());
    this.#isSavingDraft = true;
    const created = await live
      .convertToProject((text) =>
        this.#create(text, { title, visibility, forkedFrom, forkedFromVersion }),
      )
      .finally(() => (this.#isSavingDraft = false));
    const { id, slug, username: owner, revision } = created;
    const project = {
      kind: 'project',
      id,
      slug,
      owner,
      // With the original, set by the next load of the route's data.
      ownerAvatarPath: null,
      revision,
      title,
      visibility,
      role: 'owner',
      publishedVersion: null,
      updatedAt: new Date().toISOString(),
      original: null,
    } as const;
    this.identity.set(project);
    return project;
  }

  /** Creates the project without its original if that has been deleted meanwhile. */
  async #create(text: NewProject, details: ProjectDetails): Promise<CreatedProject> {
    const { api, assets } = this.#options;
    try {
      return await api.createProject(text, details);
    } catch (error) {
      const code = findErrorCode(error);
      // Others have uploaded it, and the user may no longer read it there.
      const isRepaired =
        code === 'asset_missing' && (await assets.uploadAll(this.assets.get(), 'available'));
      if (isRepaired) return api.createProject(text, details);
      if (code === 'asset_missing') throw new UploadError(code, findMissingPaths(error));
      if (details.forkedFrom === null || code !== 'not_found_or_private') throw error;
      return this.#create(text, { ...details, forkedFrom: null, forkedFromVersion: null });
    }
  }

  /** Uploads assets that the server lacks, from this device, and saves again. */
  async #repairAssets(live: DocumentSession): Promise<void> {
    this.#repairs += 1;
    // The save state shows the error that remains.
    const isUploaded = await this.#options.assets
      .uploadAll(this.assets.get(), 'available')
      .catch(() => false);
    if (isUploaded) await live.retry();
  }

  async #open(signal: AbortSignal, listeners: SessionListeners): Promise<OpenDocument> {
    const live = await this.#options.openDocument();
    const text = new ProjectText(live.doc, listeners);
    const opened = { live, text };
    if (signal.aborted) return opened;
    this.#opened = opened;
    this.paths.set(text.paths.get());
    this.assets.set(text.assets.get());
    this.saveStatus.state.set(live.state);
    const unsubscribes = [
      live.subscribe(() => this.#onDocumentChange(live)),
      text.paths.subscribe(() => this.paths.set(text.paths.get())),
      text.assets.subscribe(() => this.assets.set(text.assets.get())),
    ];
    signal.addEventListener('abort', () => unsubscribes.forEach((unsubscribe) => unsubscribe()));
    listeners.onOpen(text);
    this.openState.set({ status: 'open' });
    return opened;
  }

  #onDocumentChange(live: DocumentSession): void {
    this.saveStatus.update(live.state);
    if (live.state.status === 'saved') this.trash.check();
    const isMissing = live.state.status === 'rejected' && live.state.code === 'asset_missing';
    if (isMissing && this.#repairs < maxRepairs) void this.#repairAssets(live);
    const isProject = isLive(live) && live.kind === 'project';
    if (isProject && this.identity.get().kind === 'draft' && !this.#isSavingDraft) {
      this.isSavedInOtherTab.set(true);
    }
  }
}

function findAssets(files: ProjectFiles): ReadonlyMap<string, AssetFile> {
  return new Map(
    [...files].flatMap(([path, file]) => (file.kind === 'asset' ? [[path, file]] : [])),
  );
}

/** The path in the error of a save that the database rejected for a missing asset. */
function findMissingPaths(error: unknown): string[] {
  const cause = error instanceof VitrineError ? error.cause : undefined;
  return isRecord(cause) && typeof cause.details === 'string' ? [cause.details] : [];
}

function isLive(living: DocumentSession): living is LiveDocument {
  return 'kind' in living;
}
