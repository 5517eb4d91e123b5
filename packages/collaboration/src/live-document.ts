import { createFile, readFiles, VitrineError } from '@vitrine/project';
import * as Y from 'yjs';
import { checksum } from './checksum.ts';
import { compactId, defaultDatabase, openDevice, type Device, type DraftRecord } from './device.ts';
import { DeviceCopy } from './device-copy.ts';
import { draftRecord, type NewDraft } from './drafts.ts';
import { admitUpdate, type CheckedUpdate } from './gate.ts';
import { newId, toUuid } from './ids.ts';
import { fromElsewhere, Outbox, writtenNumbers, type DamagedUpdate } from './outbox.ts';
import { listenToPage } from './page.ts';
import { decideSaveState, isSameState, type SaveState } from './save-state.ts';
import { ServerLink } from './server-link.ts';
import {
  convertDraft,
  findProjectPlace,
  foldAtRows,
  putDraft,
  readDraft,
  type DraftPlace,
  type Place,
  type ProjectPlace,
} from './stored-document.ts';
import { joinTabs, type TabMessage, type Tabs } from './tabs.ts';
import { UnsavedChanges, type UnsavedOf } from './unsaved.ts';
import { encodeBytes, type LoadDocument, type NewProject, type SendUpdates } from './wire.ts';

/** Edits less than this apart form one undo step. */
const undoGroupMs = 500;

export interface OpenOptions {
  /** A draft's id, or a project's uuid. */
  readonly id: string;
  readonly kind: 'draft' | 'project';
  /** The id of the signed-in user. Without one, a project is neither stored locally nor sent. */
  readonly owner: string | null;
  /** The draft to create if this device has none with this id. */
  readonly initial?: NewDraft;
  /** Omitted for a project that this user may not save to. */
  readonly send?: SendUpdates;
  /**
   * Required if `send` is omitted: edits are stored on this device as unsaved changes to this
   * project, and after the first one the document no longer receives updates of others.
   */
  readonly unsavedOf?: UnsavedOf;
  /** Required for a project, and for a draft that will be converted to one. */
  readonly load?: LoadDocument;
  /**
   * An earlier response of `load` from sequence number 0, such as one sent with the page. The
   * document opens with it immediately and loads later updates afterwards.
   */
  readonly loaded?: unknown;
  /** The name of the IndexedDB database. Documents in databases with different names are independent. */
  readonly database?: string;
}

/** Dependencies of a document. Tests replace them by ones that stop like a killed tab. */
export interface DeviceParts {
  readonly device: Device;
  joinTabs(name: string, hear: (message: TabMessage) => void): Tabs;
}

/**
 * Opens a document for editing. A draft is read from this device. A project is loaded from the
 * server and merged with the pending updates of this device; if the server can't be reached, it
 * opens from the copy that this device made when sending failed.
 *
 * Throws `not_found_or_private` for a draft that isn't on this device or belongs to another user, and
 * the error of `load` if there is no local copy.
 */
export function openDocument(options: OpenOptions): Promise<LiveDocument> {
  const name = options.database ?? defaultDatabase;
  return openDocumentOn({ device: openDevice(name), joinTabs }, options);
}

export async function openDocumentOn(
  parts: DeviceParts,
  options: OpenOptions,
): Promise<LiveDocument> {
  const live = new LiveDocument(parts, options);
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
  readonly #options: OpenOptions;
  readonly #dependencies: DeviceParts;
  readonly #database: Device;
  readonly #outbox: Outbox;
  readonly #copy: DeviceCopy;
  readonly #listeners = new Set<() => void>();
  readonly #undoManagers = new Map<Y.Text, Y.UndoManager>();
  readonly #damaged: DamagedUpdate[] = [];
  readonly #removePageListeners: () => void;
  #key: Place;
  /** Channel to other tabs that have the same document open. */
  #tabChannel: Tabs;
  #sync: ServerLink | undefined;
  /** Set for a project that this user may not save to. */
  readonly #unsaved: UnsavedChanges | undefined;
  #state: SaveState = { status: 'saving' };
  #saveStarted = false;
  #isConverting = false;
  #isDisposed = false;
  /** Queue that serializes writes of the local copy. Never rejects. */
  #copyQueue: Promise<void> = Promise.resolve();

  constructor(parts: DeviceParts, options: OpenOptions) {
    this.#options = options;
    this.#key = getDocumentKey(options);
    this.#dependencies = parts;
    this.#database = isStoredLocally(options) ? parts.device : readOnlyDatabase;
    this.#tabChannel = this.#openTabChannel();
    this.#outbox = new Outbox({
      doc: this.doc,
      device: this.#database,
      place: this.#key,
      client: toUuid(newId()),
      changed: () => this.#updateState(),
      written: (updates) => this.#broadcastWritten(updates),
      sentElsewhere: () => this.#sync?.noteSentElsewhere(),
      damaged: (damage) => this.#reportDamage(damage),
    });
    this.#copy = new DeviceCopy({
      doc: this.doc,
      place: this.#key,
      onDevice: (work) => this.#withDatabase(work),
      damaged: (damage) => this.#damaged.push(damage),
    });
    const { unsavedOf } = options;
    this.#unsaved =
      unsavedOf &&
      new UnsavedChanges({
        doc: this.doc,
        of: unsavedOf,
        device: parts.device,
        changed: () => this.#updateState(),
      });
    this.doc.on('update', this.#record);
    this.#removePageListeners = listenToPage({
      hidden: () => this.#outbox.cut(),
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
  get keepsOnDevice(): boolean {
    return this.#outbox.deviceError === undefined;
  }

  /** The id of the unsaved changes of a user who may not save to this project. */
  get unsavedId(): string | undefined {
    return this.#unsaved?.id;
  }

  /**
   * Stops editing the unsaved changes once they are on the device; the next edit starts new ones.
   * Returns their id, or undefined if there were none. Rejects with `not_kept`.
   */
  async detachUnsaved(): Promise<string | undefined> {
    return this.#unsaved?.detach();
  }

  /** Stored updates that failed validation and were not applied, for a notice and for export. */
  get damaged(): readonly DamagedUpdate[] {
    return this.#damaged;
  }

  /** Calls the listener when state, kind or damage change. Returns a function that removes it. */
  on(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Returns the undo manager of a file. It records only changes with a tracked origin. The editor
   * tracks its own origin, so edits of other users are never undone.
   */
  undoOf(text: Y.Text): Y.UndoManager {
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
    this.#outbox.cut();
    await this.#outbox.settled();
    if (this.kind === 'draft' && !this.keepsOnDevice) throw new VitrineError('not_kept');
    while (this.#sync && !this.#outbox.isEmpty) {
      await this.#sync.drain();
      const trouble = this.#sync.trouble;
      if (trouble?.kind === 'refused') throw new VitrineError(trouble.code);
      if (trouble)
        throw new VitrineError(this.keepsOnDevice ? 'offline_saved_locally' : 'not_kept');
    }
  }

  /** Retries immediately, for example when the network is back or the user has signed in again. */
  async retry(): Promise<void> {
    if (!this.#outbox.isEmpty) await this.#sync?.drain();
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
  async becomeProject<Created extends CreatedDocument>(
    create: (project: NewProject) => Promise<Created>,
  ): Promise<Created> {
    const { owner, id } = this.#options;
    const draft = this.#key;
    if (owner === null) throw new VitrineError('session_expired', 'a project needs an owner');
    if (draft.kind === 'project') throw new Error(`${id} is already a project`);
    this.#isConverting = true;
    try {
      return await this.#convert(draft, owner, create);
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
    this.#outbox.cut();
    await this.#outbox.settled();
    if (!this.#outbox.isEmpty) await this.#sync?.drain();
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
    this.#listeners.clear();
    for (const undo of this.#undoManagers.values()) undo.destroy();
    this.doc.destroy();
  }

  /** @internal Reads the document; see `openDocument`. */
  async open(): Promise<void> {
    if (this.kind === 'draft') await this.#locateDraft();
    // Reads the device first: an update is removed there only after the server has stored it.
    await this.#copy.take();
    await this.#outbox.takeFromDevice();
    const place = this.#key;
    if (place.kind === 'project') await this.#openProject(place);
    else await this.#openDraft();
    this.#updateState();
  }

  async #locateDraft(): Promise<void> {
    const { owner, id } = this.#options;
    const draft = await this.#readDraft();
    const project = draft && findProjectPlace(draft);
    const draftOwner = project?.owner ?? draft?.owner ?? null;
    if (draftOwner !== null && draftOwner !== owner) throw createNotFoundError(id);
    if (project) this.#switchTo(project);
  }

  async #openDraft(): Promise<void> {
    const { id, owner, initial } = this.#options;
    const isFound =
      this.#copy.revision > 0 || this.#outbox.rows.length > 0 || this.#damaged.length > 0;
    if (!isFound && !initial) throw createNotFoundError(id);
    if (!isFound && initial) {
      await this.#withDatabase((device) => putDraft(device, draftRecord(id, owner, initial)));
      this.doc.transact(() => {
        for (const [path, content] of initial.files) createFile(this.doc, path, content);
      });
    }
    await this.#compact();
  }

  async #openProject(place: ProjectPlace): Promise<void> {
    const sync = this.#createSync(place);
    try {
      await sync.read(this.#options.loaded);
    } catch (error) {
      // The user can work on the local copy until the server responds.
      if (this.#copy.revision === 0) throw error;
    }
    this.#startSending(sync);
  }

  #record = (update: Uint8Array, origin: unknown): void => {
    if (origin === fromElsewhere) return;
    if (this.#unsaved) return this.#recordUnsaved(this.#unsaved, update);
    this.#outbox.record(update);
    this.#sync?.schedule();
  };

  #recordUnsaved(unsaved: UnsavedChanges, update: Uint8Array): void {
    this.#sync?.close();
    this.#sync = undefined;
    unsaved.record(update);
  }

  #broadcastWritten(updates: readonly CheckedUpdate[]): void {
    for (const { update, sha256 } of updates) {
      this.#tabChannel.tell({ type: 'written', update: { update, sha256 } });
    }
    const isLong = this.#outbox.rows.length > foldAtRows;
    if (isLong && this.kind === 'draft')
      this.#copyQueue = this.#copyQueue.then(() => this.#compact());
  }

  async #onTabMessage(message: TabMessage): Promise<void> {
    if (message.type === 'written') await this.#onTabUpdate(message.update);
    if (message.type === 'acknowledged') await this.#outbox.takeFromDevice();
    if (message.type === 'became-project') await this.#followProject(message.project);
  }

  async #onTabUpdate(update: CheckedUpdate): Promise<void> {
    if (!this.#sync) return void (await admitUpdate(this.doc, update, fromElsewhere));
    await this.#sync.admit(update);
    // The tab that wrote the update may be closed before it has sent it.
    this.#sync.schedule();
  }

  /** Follows a conversion to a project that another tab has made. */
  async #followProject(project = this.#options.id): Promise<void> {
    const { owner } = this.#options;
    if (this.kind === 'project' || owner === null) return;
    const place = { kind: 'project', id: project, owner } as const;
    this.#switchTo(place);
    await this.#outbox.takeFromDevice();
    this.#startSending(this.#createSync(place));
  }

  async #convert<Created extends CreatedDocument>(
    draft: DraftPlace,
    owner: string,
    create: (project: NewProject) => Promise<Created>,
  ): Promise<Created> {
    this.#outbox.cut();
    // Read in the same tick as the commit: rows, state and files are of the same text.
    const covered = [...this.#outbox.rows];
    const copyRevision = this.#copy.revision;
    const state = Uint8Array.from(Y.encodeStateAsUpdate(this.doc));
    const files = readFiles(this.doc);
    await this.#outbox.settled();
    const wasStarted = await this.#markSaveStarted();
    const created = await create({
      id: toUuid(draft.id),
      files: [...files].map(([path, content]) => ({ path, content })),
      state: encodeBytes(state),
      state_sha256: await checksum(state),
    });
    const project = { kind: 'project', id: created.id, owner } as const;
    const sync = this.#createSync(project);
    // An earlier attempt may have stored an earlier text. The missing edits are sent as an update.
    if (wasStarted || created.seq === null) this.#outbox.record(await sync.readMissing());
    else sync.startAt(created.seq, files);
    this.#outbox.cut();
    await this.#outbox.settled();
    await this.#withDatabase((device) =>
      convertDraft(device, draft, project, writtenNumbers(covered), copyRevision),
    );
    this.#outbox.forget(covered);
    this.#tabChannel.tell({ type: 'became-project', project: created.id });
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
      await this.#withDatabase((device) => putDraft(device, { ...draft, saveBegun: true }));
    return wasStarted;
  }

  /** Switches the document and its tab channel to a project. */
  #switchTo(place: ProjectPlace): void {
    this.#key = place;
    this.#copy.moveTo(place);
    this.#outbox.moveTo(place);
    this.#tabChannel.close();
    this.#tabChannel = this.#openTabChannel();
  }

  #openTabChannel(): Tabs {
    const { owner, database = defaultDatabase } = this.#options;
    const name = `${database} ${owner} ${compactId(this.#key.id)}`;
    return this.#dependencies.joinTabs(name, (message) => void this.#onTabMessage(message));
  }

  #startSending(sync: ServerLink): void {
    this.#sync = sync;
    if (!this.#outbox.isEmpty || sync.isDated) void sync.drain();
    this.#updateState();
  }

  #createSync({ id, owner }: ProjectPlace): ServerLink {
    const { load, send = refuseToSend } = this.#options;
    if (!load) throw new Error(`the project ${id} was opened without \`load\``);
    return new ServerLink({
      project: toUuid(id),
      owner,
      doc: this.doc,
      outbox: this.#outbox,
      tabs: () => this.#tabChannel,
      send,
      load,
      changed: () => this.#updateState(),
      damaged: (damage) => this.#reportDamage(damage),
    });
  }

  #reportDamage(damage: DamagedUpdate): void {
    this.#damaged.push(damage);
    this.#notify();
  }

  #updateState(): void {
    const state =
      this.#unsaved?.state ??
      decideSaveState({
        kind: this.kind,
        isOutboxEmpty: this.#outbox.isEmpty,
        isWritten: this.#outbox.isWritten,
        deviceWorks: this.keepsOnDevice,
        trouble: this.#sync?.trouble,
      });
    if (this.#sync) this.#copyQueue = this.#copyQueue.then(() => this.#updateCopy());
    if (isSameState(state, this.#state)) return;
    this.#state = state;
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Keeps a local copy of a project exactly while its updates can't be sent. */
  async #updateCopy(): Promise<void> {
    const { isEmpty } = this.#outbox;
    if (isEmpty && this.#copy.revision > 0) await this.#copy.remove();
    if (!isEmpty && this.#sync?.trouble && this.#copy.revision === 0)
      await this.#copy.write(new Set());
  }

  /** Replaces the stored updates of a draft by one copy. */
  async #compact(): Promise<void> {
    const covered = writtenNumbers(this.#outbox.rows);
    if (this.kind === 'project' || this.#isConverting || covered.size === 0) return;
    if (await this.#copy.write(covered)) this.#outbox.drop(covered);
    // Another tab has written a copy: once it is merged, the next compaction can replace it.
    else await this.#copy.take();
  }

  async #readDraft(): Promise<DraftRecord | undefined> {
    return this.#withDatabase((device) => readDraft(device, this.#options.id));
  }

  /** Reports errors of the local database in the save state. Editing continues without it. */
  async #withDatabase<T>(work: (device: Device) => Promise<T>): Promise<T | undefined> {
    try {
      return await work(this.#database);
    } catch (error) {
      this.#outbox.noteDeviceError(error);
      return undefined;
    }
  }
}

/** Local database for a project that the user may not save to: it stores no pending updates. */
const readOnlyDatabase: Device = {
  run: () => Promise.reject(new VitrineError('not_allowed')),
};

function refuseToSend(): Promise<never> {
  return Promise.reject(new VitrineError('not_allowed'));
}

function getDocumentKey({ kind, id, owner }: OpenOptions): Place {
  return kind === 'draft' ? { kind, id } : { kind, id, owner: owner ?? '' };
}

function isStoredLocally({ kind, owner, send }: OpenOptions): boolean {
  return kind === 'draft' || (owner !== null && send !== undefined);
}

function createNotFoundError(id: string): VitrineError {
  return new VitrineError('not_found_or_private', `no draft ${id} of this user on this device`);
}
