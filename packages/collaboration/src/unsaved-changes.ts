import type * as Y from 'yjs';
import { VitrineError } from '@vitrine/project';
import { defaultDatabaseName, openLocalDatabase, type LocalDatabase } from './local-database.ts';
import { LocalCopy } from './local-copy.ts';
import { createDraftRecord } from './drafts.ts';
import { createId, toUuid } from './ids.ts';
import { Outbox, getStoredKeys } from './outbox.ts';
import { listenToPage } from './page-lifecycle.ts';
import type { SaveState } from './save-state.ts';
import { compactionThreshold, putDraft, readDraft, type DraftKey } from './stored-document.ts';

/** The project that a user edits without being able to save to it. */
export interface ReadOnlyProject {
  /** The project's uuid. */
  readonly project: string;
  readonly slug: string;
  readonly title: string;
  /** The id of the signed-in user; null for a visitor. */
  readonly owner: string | null;
}

interface UnsavedChangesOptions {
  readonly doc: Y.Doc;
  readonly project: ReadOnlyProject;
  readonly database: LocalDatabase;
  /** Called when the state may have changed. */
  readonly onChange: () => void;
}

/** The edits of a document, stored on the device under the id of an unlisted draft. */
interface StoredChanges {
  readonly id: string;
  readonly outbox: Outbox;
  readonly copy: LocalCopy;
  release(): void;
}

/**
 * Stores the edits of a user who may not save to a project on this device, as a draft that is offered
 * when the project is opened and not listed among drafts. Nothing is written before the first edit.
 *
 * A tab holds a lock on the changes it edits, so that another tab doesn't restore or discard them.
 */
export class UnsavedChanges {
  readonly #options: UnsavedChangesOptions;
  readonly #removePageListeners: () => void;
  #stored: StoredChanges | undefined;
  /** Queue that serializes writes of the draft record and the local copy. Never rejects. */
  #writeQueue: Promise<void> = Promise.resolve();

  constructor(options: UnsavedChangesOptions) {
    this.#options = options;
    this.#removePageListeners = listenToPage({
      hidden: () => this.#stored?.outbox.commit(),
      unloaded: () => this.#stored?.outbox.commitBeforeUnload(),
      online: () => {},
    });
  }

  /** The id of the changes; undefined before the first edit. */
  get id(): string | undefined {
    return this.#stored?.id;
  }

  get state(): SaveState {
    if (!this.#stored) return { status: 'saved' };
    return { status: this.#stored.outbox.databaseError === undefined ? 'unsaved' : 'not-stored' };
  }

  /** Stores an update that has been applied to the document. */
  record(update: Uint8Array): void {
    this.#stored ??= this.#start();
    this.#stored.outbox.record(update);
  }

  /** Resolves when every edit made so far is on the device. Rejects with `not_kept`. */
  async flush(): Promise<void> {
    const stored = this.#stored;
    if (!stored) return;
    stored.outbox.commit();
    await stored.outbox.whenWritten();
    await this.#writeQueue;
    if (stored.outbox.databaseError !== undefined) throw new VitrineError('not_kept');
  }

  /**
   * Stops editing these changes once they are on the device; the next edit starts new ones. Returns
   * their id, or undefined if there were none. Rejects with `not_kept`.
   */
  async detach(): Promise<string | undefined> {
    await this.flush();
    const stored = this.#stored;
    if (!stored) return undefined;
    await this.#compact(stored);
    this.#stored = undefined;
    stored.outbox.close();
    stored.release();
    this.#options.onChange();
    return stored.id;
  }

  /** Stops timers and removes listeners immediately. */
  dispose(): void {
    this.#removePageListeners();
    this.#stored?.outbox.close();
    this.#stored?.release();
  }

  #start(): StoredChanges {
    const { doc, database, onChange } = this.#options;
    const key: DraftKey = { kind: 'draft', id: createId() };
    const outbox = new Outbox({ doc, database, key, client: toUuid(createId()) });
    outbox.subscribe(({ type }) => {
      if (type === 'written') this.#write(stored);
      onChange();
    });
    const copy = new LocalCopy({
      doc,
      key,
      withDatabase: async (work) => {
        try {
          return await work(database);
        } catch (error) {
          outbox.reportDatabaseError(error);
          return undefined;
        }
      },
      onDamaged: () => {},
    });
    const stored = { id: key.id, outbox, copy, release: holdLock(key.id) };
    this.#write(stored);
    return stored;
  }

  #write(stored: StoredChanges): void {
    this.#writeQueue = this.#writeQueue.then(() => this.#writeRecord(stored));
  }

  /** Writes the record after the copy, so that the text of every listed record is complete. */
  async #writeRecord(stored: StoredChanges): Promise<void> {
    const { database, project: readOnlyProject } = this.#options;
    const { id, outbox, copy } = stored;
    try {
      if (!(await readDraft(database, id))) {
        await copy.write(new Set());
        const { project, slug, title, owner } = readOnlyProject;
        const record = createDraftRecord(id, owner, { title, files: [], forkedFrom: project });
        await putDraft(database, { ...record, unsavedOf: { project, slug } });
      }
    } catch (error) {
      outbox.reportDatabaseError(error);
    }
    if (outbox.rows.length > compactionThreshold) await this.#compact(stored);
  }

  async #compact({ outbox, copy }: StoredChanges): Promise<void> {
    const covered = getStoredKeys(outbox.rows);
    if (covered.size > 0 && (await copy.write(covered))) outbox.removeByKeys(covered);
  }
}

/** Stores the edits of a document that isn't opened as a `LiveDocument`. */
export function createUnsavedChanges(
  options: Omit<UnsavedChangesOptions, 'database'>,
): UnsavedChanges {
  return new UnsavedChanges({ ...options, database: openLocalDatabase(defaultDatabaseName) });
}

const lockName = (id: string) => `vitrine unsaved ${id}`;

/** Holds the lock of unsaved changes until the returned function is called or the tab is closed. */
function holdLock(id: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  const locks: LockManager | undefined = globalThis.navigator.locks;
  void locks?.request(lockName(id), () => promise);
  return resolve;
}

/** Whether a tab edits these unsaved changes. False without Web Locks, as over plain HTTP. */
export async function areUnsavedChangesOpen(id: string): Promise<boolean> {
  const locks: LockManager | undefined = globalThis.navigator.locks;
  if (!locks) return false;
  return locks.request(lockName(id), { ifAvailable: true }, (lock) => lock === null);
}

/** Resolves when no tab edits these unsaved changes. Rejects if the signal is aborted first. */
export async function waitUntilUnsavedChangesClosed(
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const locks: LockManager | undefined = globalThis.navigator.locks;
  await locks?.request(lockName(id), { signal }, () => {});
}
