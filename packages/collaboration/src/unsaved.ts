import type * as Y from 'yjs';
import { VitrineError } from '@vitrine/project';
import { defaultDatabase, openDevice, type Device } from './device.ts';
import { DeviceCopy } from './device-copy.ts';
import { draftRecord } from './drafts.ts';
import { newId, toUuid } from './ids.ts';
import { Outbox, writtenNumbers } from './outbox.ts';
import { listenToPage } from './page.ts';
import type { SaveState } from './save-state.ts';
import { foldAtRows, putDraft, readDraft, type DraftPlace } from './stored-document.ts';

/** The project that a user edits without being able to save to it. */
export interface UnsavedOf {
  /** The project's uuid. */
  readonly project: string;
  readonly slug: string;
  readonly title: string;
  /** The user id of who is signed in; null for a visitor. */
  readonly owner: string | null;
}

export interface UnsavedOptions {
  readonly doc: Y.Doc;
  readonly of: UnsavedOf;
  readonly device: Device;
  /** Called when the state may be different. */
  readonly changed: () => void;
}

/** A document's edits in the device's storage, under the id of a draft that is not listed. */
interface Stored {
  readonly id: string;
  readonly outbox: Outbox;
  readonly copy: DeviceCopy;
  release(): void;
}

/**
 * Keeps the edits of a user who may not save to a project on this device, as a draft that is offered
 * at the project and not listed among drafts. Nothing is written before the first edit.
 *
 * A tab holds a lock on the changes it edits, so that another tab doesn't restore or discard them.
 */
export class UnsavedChanges {
  readonly #options: UnsavedOptions;
  readonly #leavePage: () => void;
  #stored: Stored | undefined;
  /** Runs writes of the record and the copy one after the other; never rejects. */
  #writing: Promise<void> = Promise.resolve();

  constructor(options: UnsavedOptions) {
    this.#options = options;
    this.#leavePage = listenToPage({ hidden: () => this.#stored?.outbox.cut(), online: () => {} });
  }

  /** The id of the changes; undefined before the first edit. */
  get id(): string | undefined {
    return this.#stored?.id;
  }

  get state(): SaveState {
    if (!this.#stored) return { status: 'saved' };
    return { status: this.#stored.outbox.deviceError === undefined ? 'unsaved' : 'not-kept' };
  }

  /** Stores an update that is in the document already. */
  record(update: Uint8Array): void {
    this.#stored ??= this.#start();
    this.#stored.outbox.record(update);
  }

  /** Resolves when every edit made so far is on the device. Rejects with `not_kept`. */
  async flush(): Promise<void> {
    const stored = this.#stored;
    if (!stored) return;
    stored.outbox.cut();
    await stored.outbox.settled();
    await this.#writing;
    if (stored.outbox.deviceError !== undefined) throw new VitrineError('not_kept');
  }

  /**
   * Lets go of the changes once they are on the device; the next edit starts other ones. Returns
   * their id, or undefined where there were none. Rejects with `not_kept`.
   */
  async detach(): Promise<string | undefined> {
    await this.flush();
    const stored = this.#stored;
    if (!stored) return undefined;
    await this.#fold(stored);
    this.#stored = undefined;
    stored.outbox.close();
    stored.release();
    this.#options.changed();
    return stored.id;
  }

  /** Ends timers and listeners at once. */
  dispose(): void {
    this.#leavePage();
    this.#stored?.outbox.close();
    this.#stored?.release();
  }

  #start(): Stored {
    const { doc, device, changed } = this.#options;
    const place: DraftPlace = { kind: 'draft', id: newId() };
    const outbox = new Outbox({
      doc,
      device,
      place,
      client: toUuid(newId()),
      changed,
      written: () => this.#write(stored),
      sentElsewhere: () => {},
      damaged: () => {},
    });
    const copy = new DeviceCopy({
      doc,
      place,
      onDevice: async (work) => {
        try {
          return await work(device);
        } catch (error) {
          outbox.noteDeviceError(error);
          return undefined;
        }
      },
      damaged: () => {},
    });
    const stored = { id: place.id, outbox, copy, release: holdLock(place.id) };
    this.#write(stored);
    return stored;
  }

  #write(stored: Stored): void {
    this.#writing = this.#writing.then(() => this.#writeRecord(stored));
  }

  /** The record comes after the copy, so that whoever finds it finds all of the text. */
  async #writeRecord(stored: Stored): Promise<void> {
    const { device, of } = this.#options;
    const { id, outbox, copy } = stored;
    try {
      if (!(await readDraft(device, id))) {
        await copy.write(new Set());
        const { project, slug, title, owner } = of;
        const record = draftRecord(id, owner, { title, files: [], forkedFrom: project });
        await putDraft(device, { ...record, unsavedOf: { project, slug } });
      }
    } catch (error) {
      outbox.noteDeviceError(error);
    }
    if (outbox.rows.length > foldAtRows) await this.#fold(stored);
  }

  async #fold({ outbox, copy }: Stored): Promise<void> {
    const covered = writtenNumbers(outbox.rows);
    if (covered.size > 0 && (await copy.write(covered))) outbox.drop(covered);
  }
}

/** The unsaved changes of a document that is open elsewhere than in a `LiveDocument`. */
export function keepUnsaved(options: Omit<UnsavedOptions, 'device'>): UnsavedChanges {
  return new UnsavedChanges({ ...options, device: openDevice(defaultDatabase) });
}

const lockName = (id: string) => `vitrine unsaved ${id}`;

/** Holds the lock of these changes until the returned function is called or the tab is gone. */
function holdLock(id: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  const locks: LockManager | undefined = globalThis.navigator.locks;
  void locks?.request(lockName(id), () => promise);
  return resolve;
}

/** True while a tab edits these changes. False without Web Locks, as over plain HTTP. */
export async function isInUse(id: string): Promise<boolean> {
  const locks: LockManager | undefined = globalThis.navigator.locks;
  if (!locks) return false;
  return locks.request(lockName(id), { ifAvailable: true }, (lock) => lock === null);
}

/** Resolves when no tab edits these changes. Rejects when the signal is aborted before. */
export async function whenUnused(id: string, signal: AbortSignal): Promise<void> {
  const locks: LockManager | undefined = globalThis.navigator.locks;
  await locks?.request(lockName(id), { signal }, () => {});
}
