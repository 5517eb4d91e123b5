import { createFile, readFiles, VitrineError } from '@vitrine/project';
import * as Y from 'yjs';
import {
  normalizeId,
  defaultDatabaseName,
  openLocalDatabase,
  type LocalDatabase,
  type DraftRecord,
} from './local-database.ts';
import { LocalCopy } from './local-copy.ts';
import { Emitter } from './emitter.ts';
import { createDraftRecord, type NewDraft } from './drafts.ts';
import { applyUntrustedUpdate, type UpdateWithChecksum } from './untrusted-update.ts';
import { createId, toUuid } from './ids.ts';
import { remoteOrigin, serverOrigin, Outbox, getStoredKeys, type DamagedUpdate } from './outbox.ts';
import { listenToPage } from './page-lifecycle.ts';
import { computeSaveState, isSameSaveState, type SaveState } from './save-state.ts';
import { ServerSync } from './server-sync.ts';
import {
  convertDraftToProject,
  findProjectKey,
  compactionThreshold,
  putDraft,
  readDraft,
  type DraftKey,
  type DocumentKey,
  type ProjectKey,
} from './stored-document.ts';
import { openTabChannel, type TabMessage, type TabChannel } from './tab-channel.ts';
import { UnsavedChanges, type ReadOnlyProject } from './unsaved-changes.ts';
import {
  createNewProject,
  type LoadDocument,
  type NewProject,
  type SendUpdates,
} from './server-messages.ts';

/** Edits less than this apart form one undo step. */
const undoGroupMs = 500;

export interface OpenDocumentOptions {
  /** A draft's id, or a project's uuid. */
  readonly id: string;
  readonly kind: 'draft' | 'project';
  /** The id of the signed-in user. Without one, a project is neither stored locally nor sent. */
  readonly owner: string | null;
  /** The draft to create if this device has none with this id. */
  readonly initialDraft?: NewDraft;
  /** Omitted for a project that this user may not save to. */
  readonly send?: SendUpdates;
  /**
   * Required if `send` is omitted: edits are stored on this device as unsaved changes to this
   * project, and after the first one the document no longer receives updates of others.
   */
  readonly unsavedOf?: ReadOnlyProject;
  /** Required for a project, and for a draft that will be converted to one. */
  readonly load?: LoadDocument;
  /**
   * An earlier response of `load` from sequence number 0, such as one sent with the page. The
   * document opens with it immediately and loads later updates afterwards.
   */
  readonly initialResponse?: unknown;
  /** The name of the IndexedDB database. Documents in databases with different names are independent. */
  readonly database?: string;
}

/** Dependencies of a document. Tests replace them with ones that stop like a killed tab. */
interface DocumentDependencies {
  readonly database: LocalDatabase;
  openTabChannel(name: string, onMessage: (message: TabMessage) => void): TabChannel;
}

/**
 * Opens a document for editing. A draft is read from this device. A project is loaded from the
 * server and merged with the pending updates of this device; if the server can't be reached, it
 * opens from the copy that this device made when sending failed.
 *
 * Throws `not_found_or_private` for a draft that isn't on this device or belongs to another user, and
 * the error of `load` if there is no local copy.
 */
export function openDocument(options: OpenDocumentOptions): Promise<LiveDocument> {
  const name = options.database ?? defaultDatabaseName;
  return openDocumentWith({ database: openLocalDatabase(name), openTabChannel }, options);
}

export async function openDocumentWith(
  dependencies: DocumentDependencies,
  options: OpenDocumentOptions,
): Promise<LiveDocument> {
  const live = new LiveDocument(dependencies, options);
  try {
    await live.open();
  } catch (error) {
    live.dispose();
    throw error;
  }
  return live;
}

/** A project that was just created: its id, and the sequence number of its document. */
interface CreatedDocument {
  readonly id: string;
  readonly seq: number | null;
}

/** An open document. Edits are on this device within 250 ms and, for a project, on the server in 1 s. */
export class LiveDocument {
  readonly doc = new Y.Doc();
  readonly #options: OpenDocumentOptions;
  readonly #dependencies: DocumentDependencies;
  readonly #database: LocalDatabase;
  readonly #outbox: Outbox;
  readonly #copy: LocalCopy;
  readonly #changes = new Emitter<void>();
  readonly #undoManagers = new Map<Y.Text, Y.UndoManager>();
  readonly #damaged: DamagedUpdate[] = [];
  readonly #removePageListeners: () => void;
  #key: DocumentKey;
  /** Channel to other tabs that have the same document open. */
  #tabChannel: TabChannel;
  #sync: ServerSync | undefined;
  /** Set for a project that this user may not save to. */
  readonly #unsaved: UnsavedChanges | undefined;
  #state: SaveState = { status: 'saving' };
  #saveStarted = false;
  #isConverting = false;
  #isDisposed = false;
  /** Queue that serializes writes of the local copy. Never rejects. */
  #copyQueue: Promise<void> = Promise.resolve();

  constructor(dependencies: DocumentDependencies, options: OpenDocumentOptions) {
    this.#options = options;
    this.#key = getDocumentKey(options);
    this.#dependencies = dependencies;
    this.#database = isStoredLocally(options) ? dependencies.database : readOnlyDatabase;
    this.#tabChannel = this.#openTabChannel();
    this.#outbox = new Outbox({
      doc: this.doc,
      database: this.#database,
      key: this.#key,
      client: toUuid(createId()),
    });
    this.#outbox.subscribe((event) => {
      if (event.type === 'written') this.#handleWritten(event.updates);
      if (event.type === 'damaged') this.#reportDamage(event.damage);
      this.#updateState();
    });
    this.#copy = new LocalCopy({
      doc: this.doc,
      key: this.#key,
      withDatabase: (work) => this.#withDatabase(work),
      onDamaged: (damage) => this.#damaged.push(damage),
    });
    const { unsavedOf } = options;
    this.#unsaved =
      unsavedOf &&
      new UnsavedChanges({
        doc: this.doc,
        project: unsavedOf,
        database: dependencies.database,
        onChange: () => this.#updateState(),
      });
    this.doc.on('update', this.#record);
    this.#removePageListeners = listenToPage({
      hidden: () => this.#outbox.commit(),
      unloaded: () => isStoredLocally(options) && this.#outbox.commitBeforeUnload(),
      online: () => void this.retry(),
    });
  }

  get state(): SaveState {
    return this.#state;
  }

  /** Changes from `draft` to `project` when a draft is converted. */
  get kind(): 'draft' | 'project' {
    return this.#key.kind;
  }

  /** The id of the draft, or of the project after a conversion. */
  get id(): string {
    return this.#key.id;
  }

  /** False while this device can't store edits: private windows, a full disk, a broken database. */
  get canSaveLocally(): boolean {
    return this.#outbox.databaseError === undefined;
  }

  /** The id of the unsaved changes of a user who may not save to this project. */
  get unsavedId(): string | undefined {
    return this.#unsaved?.id;
  }

  /**
   * Stops editing the unsaved changes once they are on the device; the next edit starts new ones.
   * Returns their id, or undefined if there were none. Rejects with `not_kept`.
   */
  async detachUnsavedChanges(): Promise<string | undefined> {
    return this.#unsaved?.detach();
  }

  /** Stored updates that failed validation and were not applied, for a notice and for export. */
  get damagedUpdates(): readonly DamagedUpdate[] {
    return this.#damaged;
  }

  /** Calls the listener when state, kind or damage change. Returns a function that removes it. */
  subscribe(listener: () => void): () => void {
    return this.#changes.subscribe(listener);
  }

  /**
   * Returns the undo manager of a file. It records only changes with a tracked origin. The editor
   * tracks its own origin, so edits of other users are never undone.
   */
  getUndoManager(text: Y.Text): Y.UndoManager {
    const known = this.#undoManagers.get(text);
    if (known) return known;
    const undo = new Y.UndoManager(text, {
      captureTimeout: undoGroupMs,
      trackedOrigins: new Set(),
    });
    this.#undoManagers.set(text, undo);
    return undo;
  }

  /**
   * Resolves when every edit made so far is on the device and, for a project, acknowledged by the
   * server. Rejects with `not_kept`, `offline_saved_locally`, or the code of the server's error.
   */
  async flush(): Promise<void> {
    if (this.#unsaved) return this.#unsaved.flush();
    this.#outbox.commit();
    await this.#outbox.whenWritten();
    if (this.kind === 'draft' && !this.canSaveLocally) throw new VitrineError('not_kept');
    while (this.#sync && !this.#outbox.isEmpty) {
      await this.#sync.flush();
      const failure = this.#sync.failure;
      if (failure?.kind === 'rejected') throw new VitrineError(failure.code);
      if (failure)
        throw new VitrineError(this.canSaveLocally ? 'offline_saved_locally' : 'not_kept');
    }
  }

  /** Retries immediately, for example when the network is back or the user has signed in again. */
  async retry(): Promise<void> {
    if (!this.#outbox.isEmpty) await this.#sync?.flush();
  }

  /** Loads updates of others unless the document has them up to `upTo`. Rejects like `load`. */
  async refresh(upTo?: number): Promise<void> {
    await this.#sync?.catchUp(upTo);
  }

  /**
   * Converts this draft to a project. `create` gets the arguments of `create_project` that come from
   * the document. Afterwards the document is the project's, and edits made in the meantime are sent
   * to it. A call after one with an unknown outcome continues that one: `create` then responds with
   * `seq: null` if the project exists with an earlier text. Rejects like `create`; the document is
   * still a draft in that case.
   */
  async convertToProject<Created extends CreatedDocument>(
    create: (project: NewProject) => Promise<Created>,
  ): Promise<Created> {
    const { owner, id } = this.#options;
    const draft = this.#key;
    if (owner === null) throw new VitrineError('session_expired', 'a project needs an owner');
    if (draft.kind === 'project') throw new Error(`${id} is already a project`);
    this.#isConverting = true;
    const done = Promise.withResolvers<Created>();
    try {
      await this.#tabChannel.runExclusively(async () => {
        done.resolve(await this.#convert(draft, owner, create));
      });
      return await done.promise;
    } finally {
      this.#isConverting = false;
    }
  }

  /**
   * Closes the document after its edits are on the device and one attempt to send them has ended.
   * Updates that could not be sent stay pending on the device.
   */
  async close(): Promise<void> {
    // Edits that the device can't store are lost with the tab; the save state shows that.
    await this.#unsaved?.detach().catch(() => undefined);
    this.#outbox.commit();
    await this.#outbox.whenWritten();
    if (!this.#outbox.isEmpty) await this.#sync?.flush();
    if (this.kind === 'draft') await this.#compact();
    await this.#copyQueue;
    this.dispose();
  }

  /** @internal Stops timers and removes listeners immediately. */
  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#removePageListeners();
    this.#outbox.close();
    this.#sync?.close();
    this.#unsaved?.dispose();
    this.#tabChannel.close();
    this.#changes.clear();
    for (const undo of this.#undoManagers.values()) undo.destroy();
    this.doc.destroy();
  }

  /** @internal Reads the document; see `openDocument`. */
  async open(): Promise<void> {
    if (this.kind === 'draft') await this.#locateDraft();
    // Reads the device first: an update is removed there only after the server has stored it.
    await this.#copy.merge();
    await this.#outbox.syncFromDatabase();
    const key = this.#key;
    if (key.kind === 'project') await this.#openProject(key);
    else await this.#openDraft();
    this.#updateState();
  }

  async #locateDraft(): Promise<void> {
    const { owner, id } = this.#options;
    const draft = await this.#readDraft();
    const project = draft && findProjectKey(draft);
    const draftOwner = project?.owner ?? draft?.owner ?? null;
    if (draftOwner !== null && draftOwner !== owner) throw createNotFoundError(id);
    if (project) this.#switchTo(project);
  }

  async #openDraft(): Promise<void> {
    const { id, owner, initialDraft } = this.#options;
    const isFound =
      this.#copy.revision > 0 || this.#outbox.rows.length > 0 || this.#damaged.length > 0;
    if (!isFound && !initialDraft) throw createNotFoundError(id);
    if (!isFound && initialDraft) {
      await this.#withDatabase((database) =>
        putDraft(database, createDraftRecord(id, owner, initialDraft)),
      );
      this.doc.transact(() => {
        for (const [path, content] of initialDraft.files) createFile(this.doc, path, content);
      });
    }
    await this.#compact();
  }

  async #openProject(key: ProjectKey): Promise<void> {
    const sync = this.#createSync(key);
    try {
      await sync.load(this.#options.initialResponse);
    } catch (error) {
      // The user can work on the local copy until the server responds.
      if (this.#copy.revision === 0) throw error;
    }
    this.#startSending(sync);
  }

  #record = (update: Uint8Array, origin: unknown): void => {
    if (origin === remoteOrigin || origin === serverOrigin) return;
    if (this.#unsaved) return this.#recordUnsaved(this.#unsaved, update);
    this.#outbox.record(update);
  };

  #recordUnsaved(unsaved: UnsavedChanges, update: Uint8Array): void {
    this.#sync?.close();
    this.#sync = undefined;
    unsaved.record(update);
  }

  #handleWritten(updates: readonly UpdateWithChecksum[]): void {
    for (const { update, sha256 } of updates) {
      this.#tabChannel.broadcast({ type: 'written', update: { update, sha256 } });
    }
    const isLong = this.#outbox.rows.length > compactionThreshold;
    if (isLong && this.kind === 'draft')
      this.#copyQueue = this.#copyQueue.then(() => this.#compact());
  }

  async #onTabMessage(message: TabMessage): Promise<void> {
    if (message.type === 'written') await this.#onTabUpdate(message.update);
    if (message.type === 'acknowledged') await this.#outbox.syncFromDatabase();
    if (message.type === 'became-project') await this.#followProject(message.project);
  }

  async #onTabUpdate(update: UpdateWithChecksum): Promise<void> {
    if (!this.#sync) return void (await applyUntrustedUpdate(this.doc, update, remoteOrigin));
    await this.#sync.applyRemoteUpdate(update);
    // The tab that wrote the update may be closed before it has sent it.
    this.#sync.schedule();
  }

  /** Follows a conversion to a project that another tab has made. */
  async #followProject(project = this.#options.id): Promise<void> {
    const { owner } = this.#options;
    if (this.kind === 'project' || owner === null) return;
    const key = { kind: 'project', id: project, owner } as const;
    this.#switchTo(key);
    await this.#outbox.syncFromDatabase();
    this.#startSending(this.#createSync(key));
  }

  async #convert<Created extends CreatedDocument>(
    draft: DraftKey,
    owner: string,
    create: (project: NewProject) => Promise<Created>,
  ): Promise<Created> {
    const record = await this.#readDraft();
    const converted = record && findProjectKey(record);
    this.#outbox.commit();
    // Read in the same tick as the commit: rows, state and files are of the same text.
    const covered = [...this.#outbox.rows];
    const copyRevision = this.#copy.revision;
    const state = Uint8Array.from(Y.encodeStateAsUpdate(this.doc));
    const files = readFiles(this.doc);
    await this.#outbox.whenWritten();
    const wasStarted = await this.#markSaveStarted();
    const created = await create(await createNewProject(draft.id, state, files));
    // Another tab has converted it, and its edits are sent like those of this tab from now on.
    if (converted) {
      await this.#followProject(created.id);
      return created;
    }
    const project = { kind: 'project', id: created.id, owner } as const;
    const sync = this.#createSync(project);
    // An earlier attempt may have stored an earlier text. The missing edits are sent as an update.
    if (wasStarted || created.seq === null) this.#outbox.record(await sync.loadMissingUpdate());
    else sync.startFrom(created.seq, files);
    this.#outbox.commit();
    await this.#outbox.whenWritten();
    await this.#withDatabase((database) =>
      convertDraftToProject(database, draft, project, getStoredKeys(covered), copyRevision),
    );
    this.#outbox.removeFromMemory(covered);
    this.#tabChannel.broadcast({ type: 'became-project', project: created.id });
    this.#switchTo(project);
    this.#startSending(sync);
    return created;
  }

  /** Stores on the device that a conversion is being tried. Returns whether one was tried before. */
  async #markSaveStarted(): Promise<boolean> {
    const draft = await this.#readDraft();
    const wasStarted = this.#saveStarted || draft?.saveBegun === true;
    this.#saveStarted = true;
    if (draft)
      await this.#withDatabase((database) => putDraft(database, { ...draft, saveBegun: true }));
    return wasStarted;
  }

  /** Switches the document and its tab channel to a project. */
  #switchTo(key: ProjectKey): void {
    this.#key = key;
    this.#copy.setKey(key);
    this.#outbox.setKey(key);
    this.#tabChannel.close();
    this.#tabChannel = this.#openTabChannel();
  }

  #openTabChannel(): TabChannel {
    const { owner, database = defaultDatabaseName } = this.#options;
    const name = `${database} ${owner} ${normalizeId(this.#key.id)}`;
    return this.#dependencies.openTabChannel(name, (message) => void this.#onTabMessage(message));
  }

  #startSending(sync: ServerSync): void {
    this.#sync = sync;
    sync.start(this.#tabChannel);
    this.#updateState();
  }

  #createSync({ id, owner }: ProjectKey): ServerSync {
    const { load, send = refuseToSend } = this.#options;
    if (!load) throw new Error(`the project ${id} was opened without \`load\``);
    const { doc } = this;
    const project = toUuid(id);
    const sync = new ServerSync({ project, owner, doc, outbox: this.#outbox, send, load });
    sync.subscribe((event) => {
      if (event.type === 'damaged') this.#reportDamage(event.damage);
      else this.#updateState();
    });
    return sync;
  }

  #reportDamage(damage: DamagedUpdate): void {
    this.#damaged.push(damage);
    this.#changes.emit();
  }

  #updateState(): void {
    const state =
      this.#unsaved?.state ??
      computeSaveState({
        kind: this.kind,
        isOutboxEmpty: this.#outbox.isEmpty,
        isStoredLocally: this.#outbox.isStored,
        canSaveLocally: this.canSaveLocally,
        failure: this.#sync?.failure,
      });
    if (this.#sync) this.#copyQueue = this.#copyQueue.then(() => this.#updateCopy());
    if (isSameSaveState(state, this.#state)) return;
    this.#state = state;
    this.#changes.emit();
  }

  /** Keeps a local copy of a project exactly while its updates can't be sent. */
  async #updateCopy(): Promise<void> {
    const { isEmpty } = this.#outbox;
    if (isEmpty && this.#copy.revision > 0) await this.#copy.remove();
    if (!isEmpty && this.#sync?.failure && this.#copy.revision === 0)
      await this.#copy.write(new Set());
  }

  /** Replaces the stored updates of a draft with one copy. */
  async #compact(): Promise<void> {
    const covered = getStoredKeys(this.#outbox.rows);
    if (this.kind === 'project' || this.#isConverting || covered.size === 0) return;
    if (await this.#copy.write(covered)) this.#outbox.removeByKeys(covered);
    // Another tab has written a copy: once it is merged, the next compaction can replace it.
    else await this.#copy.merge();
  }

  async #readDraft(): Promise<DraftRecord | undefined> {
    return this.#withDatabase((database) => readDraft(database, this.#options.id));
  }

  /** Reports errors of the local database in the save state. Editing continues without it. */
  async #withDatabase<T>(work: (database: LocalDatabase) => Promise<T>): Promise<T | undefined> {
    try {
      return await work(this.#database);
    } catch (error) {
      this.#outbox.reportDatabaseError(error);
      return undefined;
    }
  }
}

/** Local database for a project that the user may not save to: it stores no pending updates. */
const readOnlyDatabase: LocalDatabase = {
  run: () => Promise.reject(new VitrineError('not_allowed')),
};

function refuseToSend(): Promise<never> {
  return Promise.reject(new VitrineError('not_allowed'));
}

function getDocumentKey({ kind, id, owner }: OpenDocumentOptions): DocumentKey {
  return kind === 'draft' ? { kind, id } : { kind, id, owner: owner ?? '' };
}

function isStoredLocally({ kind, owner, send }: OpenDocumentOptions): boolean {
  return kind === 'draft' || (owner !== null && send !== undefined);
}

function createNotFoundError(id: string): VitrineError {
  return new VitrineError('not_found_or_private', `no draft ${id} of this user on this device`);
}
