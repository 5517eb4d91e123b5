import { limits } from '@vitrine/project';
import * as Y from 'yjs';
import { computeChecksum } from './checksum.ts';
import { Emitter } from './emitter.ts';
import type { LocalDatabase, StoredRow } from './local-database.ts';
import { applyUntrustedUpdate, type UpdateWithChecksum } from './untrusted-update.ts';
import {
  addRows,
  getScope,
  readStored,
  removeRows,
  quarantine,
  type DocumentKey,
} from './stored-document.ts';
import { dropUnwritten, keepUnwritten, restoreUnwritten } from './unwritten-rows.ts';

/** Transaction origin of changes from other tabs or the device, which the outbox ignores. */
export const remoteOrigin = Symbol('from elsewhere');
/** Transaction origin of changes from the server, which the outbox ignores. */
export const serverOrigin = Symbol('from the server');

/** Delay before updates are written. The write itself fits into the rest of `localSaveDelayMs`. */
const writeDelayMs = limits.localSaveDelayMs * 0.4;

/** An update that failed validation and was not applied, for export. */
export interface DamagedUpdate {
  readonly where: 'device' | 'server';
  readonly reason: string;
  readonly update: Uint8Array;
}

interface OutboxOptions {
  readonly doc: Y.Doc;
  readonly database: LocalDatabase;
  readonly key: DocumentKey;
  /** The client id of this tab, which numbers its updates. Never reused. */
  readonly client: string;
}

/** With each event, what the save state depends on may have changed. */
type OutboxEvent =
  | { readonly type: 'changed' }
  /** An edit of this tab was added. */
  | { readonly type: 'recorded' }
  /** Updates have been written to the device. */
  | { readonly type: 'written'; readonly updates: readonly UpdateWithChecksum[] }
  /** Another tab has sent updates that were in this outbox, at an unknown time. */
  | { readonly type: 'sent-by-other-tab' }
  | { readonly type: 'damaged'; readonly damage: DamagedUpdate };

interface Row {
  readonly client: string;
  readonly clientSeq: number;
  readonly update: Uint8Array<ArrayBuffer>;
  /** '' until the first write is attempted. */
  sha256: string;
  /** Key of the stored row; undefined until it is written. */
  n: number | undefined;
}

export type OutboxRow = Readonly<Row>;

/**
 * The pending updates of a document, in memory and on the device: updates of this tab, of other tabs
 * and of earlier visits that the server hasn't acknowledged. For a draft, all updates since its last
 * compaction.
 */
export class Outbox extends Emitter<OutboxEvent> {
  #options: OutboxOptions;
  /** Updates since the last commit. They become one row, or several if they are large. */
  #pending: Uint8Array[] = [];
  /** Rows in sending order. Removed when they are acknowledged or compacted. */
  #rows: Row[] = [];
  #nextSeq = 1;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writeQueue: Promise<void> = Promise.resolve();
  /**
   * Queue that serializes reading and removing stored rows, so that a row that has been acknowledged
   * isn't added again by an earlier read. Never rejects.
   */
  #queue: Promise<void> = Promise.resolve();
  #databaseError: unknown;
  /** Set while rows are kept for a page that is about to be unloaded; it may return from the browser's cache. */
  #hasKeptRows = false;
  /** Clients with a damaged row: the server rejects their later rows because of the gap. */
  readonly #clientsWithGaps = new Set<string>();

  constructor(options: OutboxOptions) {
    super();
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#pending.length === 0 && this.#rows.length === 0;
  }

  /** True when every edit made in this tab is stored on the device. */
  get isStored(): boolean {
    return this.#pending.length === 0 && this.#rows.every((row) => row.n !== undefined);
  }

  /** The error of the last write to the device; undefined after a successful one. */
  get databaseError(): unknown {
    return this.#databaseError;
  }

  get rows(): readonly OutboxRow[] {
    return this.#rows;
  }

  /** Adds an update of this tab, which is written within `localSaveDelayMs`. */
  record(update: Uint8Array): void {
    this.#pending.push(update);
    this.#timer ??= setTimeout(() => this.commit(), writeDelayMs);
    this.emit({ type: 'recorded' });
  }

  /** Turns the collected updates into rows and starts writing them. */
  commit(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const update of mergeUpdates(limits.updateMaxBytes, this.#pending.splice(0))) {
      const clientSeq = this.#nextSeq++;
      this.#rows.push({
        client: this.#options.client,
        clientSeq,
        update,
        sha256: '',
        n: undefined,
      });
    }
    if (!this.isStored) this.#writeQueue = this.#writeQueue.then(() => this.#write());
  }

  /** Commits, and keeps the rows that can't be written before the page is unloaded. */
  commitBeforeUnload(): void {
    this.commit();
    if (this.isStored) return;
    const { client, key } = this.#options;
    const unwritten = this.#rows.filter((row) => row.n === undefined);
    keepUnwritten(client, key, unwritten);
    this.#hasKeptRows = true;
  }

  /** Resolves when every committed row is on the device or failed to be written. */
  async whenWritten(): Promise<void> {
    await this.#writeQueue;
  }

  /**
   * Applies and adds rows that other tabs and earlier visits left on the device, and removes rows
   * that another tab has sent. Also resolves if the device can't be read.
   */
  syncFromDatabase(): Promise<void> {
    return (this.#queue = this.#queue.then(() => this.#readDatabase()));
  }

  /** Removes acknowledged rows, in memory and on the device. */
  acknowledge(rows: readonly OutboxRow[]): Promise<void> {
    return (this.#queue = this.#queue.then(() => this.#remove(rows)));
  }

  /** Removes rows in memory only. */
  removeFromMemory(rows: readonly OutboxRow[]): void {
    const removed = new Set(rows);
    this.#rows = this.#rows.filter((row) => !removed.has(row));
    this.emit({ type: 'changed' });
  }

  /** Removes rows in memory that are no longer stored on the device. */
  removeByKeys(numbers: ReadonlySet<number>): void {
    this.#rows = this.#rows.filter((row) => row.n === undefined || !numbers.has(row.n));
    this.emit({ type: 'changed' });
  }

  /** Records an error of the local database. Editing and sending continue from memory. */
  reportDatabaseError(error: unknown): void {
    this.#databaseError = error;
    this.emit({ type: 'changed' });
  }

  /** Switches to another document key for rows that are written from now on. */
  setKey(key: DocumentKey): void {
    this.#options = { ...this.#options, key };
  }

  close(): void {
    clearTimeout(this.#timer);
    this.clear();
  }

  async #readDatabase(): Promise<void> {
    const { database, key } = this.#options;
    const known = getStoredKeys(this.#rows);
    try {
      await restoreUnwritten(database);
      const { rows } = await readStored(database, key);
      for (const row of rows) if (row.n !== undefined) known.delete(row.n);
      if (known.size > 0) this.emit({ type: 'sent-by-other-tab' });
      this.removeByKeys(known);
      for (const row of rows) await this.#addStoredRow(row);
    } catch (error) {
      this.reportDatabaseError(error);
    }
    this.emit({ type: 'changed' });
  }

  async #remove(rows: readonly OutboxRow[]): Promise<void> {
    this.removeFromMemory(rows);
    try {
      await removeRows(this.#options.database, getStoredKeys(rows));
    } catch (error) {
      // The rows stay on the device and are sent again later, which the server ignores.
      this.reportDatabaseError(error);
    }
  }

  async #addStoredRow(stored: StoredRow): Promise<void> {
    if (stored.n === undefined || this.#rows.some((row) => isSameRow(row, stored))) return;
    const { doc, database, key } = this.#options;
    const reason = await applyUntrustedUpdate(doc, stored, remoteOrigin);
    if (reason !== undefined) {
      this.#clientsWithGaps.add(stored.client);
      const damage = { where: 'device', reason, update: stored.update } as const;
      this.emit({ type: 'damaged', damage });
      return quarantine(database, getScope(key), stored, reason);
    }
    if (this.#clientsWithGaps.has(stored.client)) return this.#adoptRow(stored, stored.n);
    this.#rows.push({ ...stored, n: stored.n });
    this.#rows.sort((a, b) => (a.n ?? Infinity) - (b.n ?? Infinity));
  }

  /** Turns another client's row into one of this tab. Applying an update twice has no effect. */
  async #adoptRow({ update }: StoredRow, n: number): Promise<void> {
    this.record(update);
    this.commit();
    await this.whenWritten();
    if (this.isStored) await removeRows(this.#options.database, [n]);
  }

  async #write(): Promise<void> {
    const { database, key, client } = this.#options;
    const rows = this.#rows.filter((row) => row.n === undefined);
    for (const row of rows) row.sha256 ||= await computeChecksum(row.update);
    const scope = getScope(key);
    try {
      const stored = await addRows(
        database,
        key,
        rows.map(({ client, clientSeq, update, sha256 }) => ({
          scope,
          client,
          clientSeq,
          update,
          sha256,
        })),
      );
      for (const [index, row] of rows.entries()) row.n = stored[index]?.n;
      if (this.#hasKeptRows && this.isStored) {
        dropUnwritten(client);
        this.#hasKeptRows = false;
      }
      this.#databaseError = undefined;
      this.emit({ type: 'written', updates: rows });
    } catch (error) {
      this.reportDatabaseError(error);
    }
    this.emit({ type: 'changed' });
  }
}

export function getStoredKeys(rows: readonly OutboxRow[]): Set<number> {
  return new Set(rows.flatMap((row) => row.n ?? []));
}

function isSameRow(a: { client: string; clientSeq: number }, b: typeof a): boolean {
  return a.client === b.client && a.clientSeq === b.clientSeq;
}

/** Merges adjacent updates into groups of at most half of `maxBytes`, unless one alone is larger. */
function mergeUpdates(maxBytes: number, updates: readonly Uint8Array[]): Uint8Array<ArrayBuffer>[] {
  const groups: Uint8Array[][] = [];
  let bytes = Infinity;
  for (const update of updates) {
    bytes += update.length;
    if (bytes > maxBytes / 2) {
      groups.push([]);
      bytes = update.length;
    }
    groups.at(-1)?.push(update);
  }
  return groups.map((group) => Uint8Array.from(Y.mergeUpdates(group)));
}
