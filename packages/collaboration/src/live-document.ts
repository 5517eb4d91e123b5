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

/** Key presses less than this apart are undone together. */
const undoGroupMs = 500;

export interface OpenOptions {
  /** A draft's id, or a project's uuid. */
  readonly id: string;
  readonly kind: 'draft' | 'project';
  /** The user id of who is signed in. A project of nobody's is never kept or sent. */
  readonly owner: string | null;
  /** A draft to begin where this device holds none under this id. */
  readonly initial?: NewDraft;
  /** Left out for a project that this user may not save to. */
  readonly send?: SendUpdates;
  /**
   * Needed where `send` is left out: edits are kept on this device as unsaved changes to this
   * project, and from the first one on the document doesn't take in what others save.
   */
  readonly unsavedOf?: UnsavedOf;
  /** Needed for a project, and for a draft that is to become one. */
  readonly load?: LoadDocument;
  /**
   * What `load` answered from the beginning before the document was opened, as a page that brings
   * it along: it is shown at once, and what came since is asked for behind that.
   */
  readonly loaded?: unknown;
  /** The database on the device. Two names are two devices. */
  readonly database?: string;
}

/** What an open document stands on; tests put in parts that die as a tab does. */
export interface DeviceParts {
  readonly device: Device;
  joinTabs(name: string, hear: (message: TabMessage) => void): Tabs;
}

/**
 * Opens a document for editing. A draft opens from this device; a project from the server, merged
 * with what this device still has to send. When the server cannot be reached, a project opens from
 * the copy that this device made when sending failed.
 *
 * Throws `not_found_or_private` for a draft that is not on this device or is another person's, and
 * what `load` throws when there is no copy.
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

/** A project as it was just made: its id, and the number of its document's state. */
interface CreatedDocument {
  readonly id: string;
  readonly seq: number | null;
}

/** A text that is being edited: on this device within 250 ms, and a project's on the server in 1 s. */
export class LiveDocument {
  readonly doc = new Y.Doc();
  readonly #options: OpenOptions;
  readonly #parts: DeviceParts;
  readonly #device: Device;
  readonly #outbox: Outbox;
  readonly #copy: DeviceCopy;
  readonly #listeners = new Set<() => void>();
  readonly #undo = new Map<Y.Text, Y.UndoManager>();
  readonly #damaged: DamagedUpdate[] = [];
  readonly #leavePage: () => void;
  #place: Place;
  /** The tabs that hold the same document. */
  #tabs: Tabs;
  #link: ServerLink | undefined;
  /** Set for a project that this user may not save to. */
  readonly #unsaved: UnsavedChanges | undefined;
  #state: SaveState = { status: 'saving' };
  #saveBegun = false;
  #isBecoming = false;
  #isDisposed = false;
  /** Keeps writings of the copy in order; never rejects. */
  #copying: Promise<void> = Promise.resolve();

  constructor(parts: DeviceParts, options: OpenOptions) {
    this.#options = options;
    this.#place = placeOf(options);
    this.#parts = parts;
    this.#device = isKept(options) ? parts.device : refusingDevice;
    this.#tabs = this.#joinTabs();
    this.#outbox = new Outbox({
      doc: this.doc,
      device: this.#device,
      place: this.#place,
      client: toUuid(newId()),
      changed: () => this.#changed(),
      written: (updates) => this.#announce(updates),
      sentElsewhere: () => this.#link?.noteSentElsewhere(),
      damaged: (damage) => this.#noteDamage(damage),
    });
    this.#copy = new DeviceCopy({
      doc: this.doc,
      place: this.#place,
      onDevice: (work) => this.#onDevice(work),
      damaged: (damage) => this.#damaged.push(damage),
    });
    const { unsavedOf } = options;
    this.#unsaved =
      unsavedOf &&
      new UnsavedChanges({
        doc: this.doc,
        of: unsavedOf,
        device: parts.device,
        changed: () => this.#changed(),
      });
    this.doc.on('update', this.#record);
    this.#leavePage = listenToPage({
      hidden: () => this.#outbox.cut(),
      online: () => void this.retry(),
    });
  }

  get state(): SaveState {
    return this.#state;
  }

  /** `project` from the moment that a draft has become one. */
  get kind(): 'draft' | 'project' {
    return this.#place.kind;
  }

  /** The id of the draft, or of the project once it is one. */
  get id(): string {
    return this.#place.id;
  }

  /** False while this device takes nothing: private windows, a full disk, a broken database. */
  get keepsOnDevice(): boolean {
    return this.#outbox.deviceError === undefined;
  }

  /** The id of the unsaved changes made here, by a user who may not save to this project. */
  get unsavedId(): string | undefined {
    return this.#unsaved?.id;
  }

  /**
   * Lets go of the unsaved changes once they are on the device; the next edit starts other ones.
   * Returns their id, or undefined where there were none. Rejects with `not_kept`.
   */
  async detachUnsaved(): Promise<string | undefined> {
    return this.#unsaved?.detach();
  }

  /** Stored updates that were refused and left out, for a notice and for export. */
  get damaged(): readonly DamagedUpdate[] {
    return this.#damaged;
  }

  /** Calls back when state, kind or damage are different. Returns how to stop it. */
  on(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * The undo history of one file. It holds only changes whose origin was added to its tracked
   * origins, which the editor does with its own; nobody else's edits are ever undone.
   */
  undoOf(text: Y.Text): Y.UndoManager {
    const known = this.#undo.get(text);
    if (known) return known;
    const undo = new Y.UndoManager(text, {
      captureTimeout: undoGroupMs,
      trackedOrigins: new Set(),
    });
    this.#undo.set(text, undo);
    return undo;
  }

  /**
   * Resolves when every edit made so far is on the device and, of a project, acknowledged. Rejects
   * with `not_kept`, `offline_saved_locally`, or the code with which the server refused.
   */
  async flush(): Promise<void> {
    if (this.#unsaved) return this.#unsaved.flush();
    this.#outbox.cut();
    await this.#outbox.settled();
    if (this.kind === 'draft' && !this.keepsOnDevice) throw new VitrineError('not_kept');
    while (this.#link && !this.#outbox.isEmpty) {
      await this.#link.drain();
      const trouble = this.#link.trouble;
      if (trouble?.kind === 'refused') throw new VitrineError(trouble.code);
      if (trouble)
        throw new VitrineError(this.keepsOnDevice ? 'offline_saved_locally' : 'not_kept');
    }
  }

  /** Tries again at once, as when the network is back or the person has signed in again. */
  async retry(): Promise<void> {
    if (!this.#outbox.isEmpty) await this.#link?.drain();
  }

  /** Brings in what others have saved, where it is not here up to that number. Rejects as `load` does. */
  async refresh(upTo?: number): Promise<void> {
    await this.#link?.catchUp(upTo);
  }

  /**
   * Makes this draft a project: `create` gets what `create_project` needs of the text, and from then
   * on the same document is the project's; edits made meanwhile are sent to it. Called again after
   * an unknown outcome it goes on where that ended; `create` then answers `seq: null` if the project
   * is there already, made of an earlier text. Rejects as `create` does; it is a draft then.
   */
  async becomeProject<Created extends CreatedDocument>(
    create: (project: NewProject) => Promise<Created>,
  ): Promise<Created> {
    const { owner, id } = this.#options;
    const draft = this.#place;
    if (owner === null) throw new VitrineError('session_expired', 'a project needs an owner');
    if (draft.kind === 'project') throw new Error(`${id} is a project already`);
    this.#isBecoming = true;
    try {
      return await this.#become(draft, owner, create);
    } finally {
      this.#isBecoming = false;
    }
  }

  /**
   * Lets go of the document once its edits are on the device and one attempt to send them has
   * ended; what is then unsent waits on the device.
   */
  async close(): Promise<void> {
    // What the device doesn't take can't be kept after this tab is closed; the save state says so.
    await this.#unsaved?.detach().catch(() => undefined);
    this.#outbox.cut();
    await this.#outbox.settled();
    if (!this.#outbox.isEmpty) await this.#link?.drain();
    if (this.kind === 'draft') await this.#fold();
    await this.#copying;
    this.dispose();
  }

  /** @internal Ends timers and listeners at once. */
  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#leavePage();
    this.#outbox.close();
    this.#link?.close();
    this.#unsaved?.dispose();
    this.#tabs.close();
    this.#listeners.clear();
    for (const undo of this.#undo.values()) undo.destroy();
    this.doc.destroy();
  }

  /** @internal Reads what there is; see `openDocument`. */
  async open(): Promise<void> {
    if (this.kind === 'draft') await this.#findDraft();
    // The device before the server: an edit leaves the one only when it is in the other.
    await this.#copy.take();
    await this.#outbox.takeFromDevice();
    const place = this.#place;
    if (place.kind === 'project') await this.#openProject(place);
    else await this.#openDraft();
    this.#changed();
  }

  async #findDraft(): Promise<void> {
    const { owner, id } = this.#options;
    const draft = await this.#readDraft();
    const project = draft && findProjectPlace(draft);
    const person = project?.owner ?? draft?.owner ?? null;
    if (person !== null && person !== owner) throw notHere(id);
    if (project) this.#moveTo(project);
  }

  async #openDraft(): Promise<void> {
    const { id, owner, initial } = this.#options;
    const isFound =
      this.#copy.revision > 0 || this.#outbox.rows.length > 0 || this.#damaged.length > 0;
    if (!isFound && !initial) throw notHere(id);
    if (!isFound && initial) {
      await this.#onDevice((device) => putDraft(device, draftRecord(id, owner, initial)));
      this.doc.transact(() => {
        for (const [path, content] of initial.files) createFile(this.doc, path, content);
      });
    }
    await this.#fold();
  }

  async #openProject(place: ProjectPlace): Promise<void> {
    const link = this.#createLink(place);
    try {
      await link.read(this.#options.loaded);
    } catch (error) {
      // With a copy of the whole there is something to work on until the server answers.
      if (this.#copy.revision === 0) throw error;
    }
    this.#startSending(link);
  }

  #record = (update: Uint8Array, origin: unknown): void => {
    if (origin === fromElsewhere) return;
    if (this.#unsaved) return this.#recordUnsaved(this.#unsaved, update);
    this.#outbox.record(update);
    this.#link?.schedule();
  };

  #recordUnsaved(unsaved: UnsavedChanges, update: Uint8Array): void {
    this.#link?.close();
    this.#link = undefined;
    unsaved.record(update);
  }

  #announce(updates: readonly CheckedUpdate[]): void {
    for (const { update, sha256 } of updates) {
      this.#tabs.tell({ type: 'written', update: { update, sha256 } });
    }
    const isLong = this.#outbox.rows.length > foldAtRows;
    if (isLong && this.kind === 'draft') this.#copying = this.#copying.then(() => this.#fold());
  }

  async #hear(message: TabMessage): Promise<void> {
    if (message.type === 'written') await this.#hearUpdate(message.update);
    if (message.type === 'acknowledged') await this.#outbox.takeFromDevice();
    if (message.type === 'became-project') await this.#followProject(message.project);
  }

  async #hearUpdate(update: CheckedUpdate): Promise<void> {
    if (!this.#link) return void (await admitUpdate(this.doc, update, fromElsewhere));
    await this.#link.admit(update);
    // The tab that wrote it may be gone before it has sent it.
    this.#link.schedule();
  }

  /** Another tab has made this draft a project. */
  async #followProject(project = this.#options.id): Promise<void> {
    const { owner } = this.#options;
    if (this.kind === 'project' || owner === null) return;
    const place = { kind: 'project', id: project, owner } as const;
    this.#moveTo(place);
    await this.#outbox.takeFromDevice();
    this.#startSending(this.#createLink(place));
  }

  async #become<Created extends CreatedDocument>(
    draft: DraftPlace,
    owner: string,
    create: (project: NewProject) => Promise<Created>,
  ): Promise<Created> {
    this.#outbox.cut();
    // Of one moment with the cut: these rows, this state and these files are the same text.
    const covered = [...this.#outbox.rows];
    const copyRevision = this.#copy.revision;
    const state = Uint8Array.from(Y.encodeStateAsUpdate(this.doc));
    const files = readFiles(this.doc);
    await this.#outbox.settled();
    const wasBegun = await this.#beginSave();
    const created = await create({
      id: toUuid(draft.id),
      files: [...files].map(([path, content]) => ({ path, content })),
      state: encodeBytes(state),
      state_sha256: await checksum(state),
    });
    const project = { kind: 'project', id: created.id, owner } as const;
    const link = this.#createLink(project);
    // An earlier attempt may have stored an earlier text: what that lacks is sent as an edit.
    if (wasBegun || created.seq === null) this.#outbox.record(await link.readMissing());
    else link.startAt(created.seq, files);
    this.#outbox.cut();
    await this.#outbox.settled();
    await this.#onDevice((device) =>
      convertDraft(device, draft, project, writtenNumbers(covered), copyRevision),
    );
    this.#outbox.forget(covered);
    this.#tabs.tell({ type: 'became-project', project: created.id });
    this.#moveTo(project);
    this.#startSending(link);
    return created;
  }

  /** Notes on the device that a save is about to be tried. True when one was before. */
  async #beginSave(): Promise<boolean> {
    const draft = await this.#readDraft();
    const wasBegun = this.#saveBegun || draft?.saveBegun === true;
    this.#saveBegun = true;
    if (draft) await this.#onDevice((device) => putDraft(device, { ...draft, saveBegun: true }));
    return wasBegun;
  }

  /** The document is the project's from now on, and so are the tabs that it shares with others. */
  #moveTo(place: ProjectPlace): void {
    this.#place = place;
    this.#copy.moveTo(place);
    this.#outbox.moveTo(place);
    this.#tabs.close();
    this.#tabs = this.#joinTabs();
  }

  #joinTabs(): Tabs {
    const { owner, database = defaultDatabase } = this.#options;
    const name = `${database} ${owner} ${compactId(this.#place.id)}`;
    return this.#parts.joinTabs(name, (message) => void this.#hear(message));
  }

  #startSending(link: ServerLink): void {
    this.#link = link;
    if (!this.#outbox.isEmpty || link.isDated) void link.drain();
    this.#changed();
  }

  #createLink({ id, owner }: ProjectPlace): ServerLink {
    const { load, send = refuseToSend } = this.#options;
    if (!load) throw new Error(`the project ${id} is opened without a way to load it`);
    return new ServerLink({
      project: toUuid(id),
      owner,
      doc: this.doc,
      outbox: this.#outbox,
      tabs: () => this.#tabs,
      send,
      load,
      changed: () => this.#changed(),
      damaged: (damage) => this.#noteDamage(damage),
    });
  }

  #noteDamage(damage: DamagedUpdate): void {
    this.#damaged.push(damage);
    this.#notify();
  }

  #changed(): void {
    const state =
      this.#unsaved?.state ??
      decideSaveState({
        kind: this.kind,
        isOutboxEmpty: this.#outbox.isEmpty,
        isWritten: this.#outbox.isWritten,
        deviceWorks: this.keepsOnDevice,
        trouble: this.#link?.trouble,
      });
    if (this.#link) this.#copying = this.#copying.then(() => this.#copyInTrouble());
    if (isSameState(state, this.#state)) return;
    this.#state = state;
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** While a project cannot be sent, the device holds the whole of it, and not a moment longer. */
  async #copyInTrouble(): Promise<void> {
    const { isEmpty } = this.#outbox;
    if (isEmpty && this.#copy.revision > 0) await this.#copy.remove();
    if (!isEmpty && this.#link?.trouble && this.#copy.revision === 0)
      await this.#copy.write(new Set());
  }

  /** Puts one copy in the place of a draft's rows. */
  async #fold(): Promise<void> {
    const covered = writtenNumbers(this.#outbox.rows);
    if (this.kind === 'project' || this.#isBecoming || covered.size === 0) return;
    if (await this.#copy.write(covered)) this.#outbox.drop(covered);
    // Another tab has folded meanwhile: with its copy taken in, the next folding can replace it.
    else await this.#copy.take();
  }

  async #readDraft(): Promise<DraftRecord | undefined> {
    return this.#onDevice((device) => readDraft(device, this.#options.id));
  }

  /** The device is an edge: what it refuses is told as the save state, and work goes on without. */
  async #onDevice<T>(work: (device: Device) => Promise<T>): Promise<T | undefined> {
    try {
      return await work(this.#device);
    } catch (error) {
      this.#outbox.noteDeviceError(error);
      return undefined;
    }
  }
}

/** For a project that its user may not save to: nothing is stored as unsent edits of it. */
const refusingDevice: Device = {
  run: () => Promise.reject(new VitrineError('not_allowed')),
};

function refuseToSend(): Promise<never> {
  return Promise.reject(new VitrineError('not_allowed'));
}

function placeOf({ kind, id, owner }: OpenOptions): Place {
  return kind === 'draft' ? { kind, id } : { kind, id, owner: owner ?? '' };
}

function isKept({ kind, owner, send }: OpenOptions): boolean {
  return kind === 'draft' || (owner !== null && send !== undefined);
}

function notHere(id: string): VitrineError {
  return new VitrineError('not_found_or_private', `no draft ${id} of this person on this device`);
}
