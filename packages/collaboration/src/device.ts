import { openDB, type DBSchema, type IDBPDatabase, type IDBPTransaction } from 'idb';

/*
 * What this browser keeps, in one IndexedDB database. Every write is durable when it returns
 * ('strict': the bytes are on the disk, not in a cache of the system).
 *
 * A scope says whose text a row is: "draft ID", or "OWNER ID" for a project's unsent edits, so that
 * nobody ever sends another person's. IDs are written without dashes here.
 */

/** An edit of one client that is not known to be with the server, or part of a draft. */
export interface StoredRow {
  /** Grows in the order in which rows were written on this device, whichever tab wrote them. */
  readonly n?: number;
  readonly scope: string;
  readonly client: string;
  readonly clientSeq: number;
  readonly update: Uint8Array<ArrayBuffer>;
  readonly sha256: string;
}

/** The whole of a document: a draft's folded rows, or a project's text while it cannot be sent. */
export interface Copy {
  readonly scope: string;
  readonly state: Uint8Array<ArrayBuffer>;
  readonly sha256: string;
  /** Grows with each writing, so that a tab notices when another one wrote meanwhile. */
  readonly revision: number;
}

export interface DraftRecord {
  readonly id: string;
  /** The person it belongs to; null before signing in. */
  readonly owner: string | null;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The project it was forked from. */
  readonly forkedFrom: string | null;
  /**
   * Set while these are unsaved changes to a project that their user may not save to. They are
   * offered at the project and not listed among drafts.
   */
  readonly unsavedOf?: { readonly project: string; readonly slug: string };
  /** Set before the first attempt to make it a project: a later attempt cannot know how that ended. */
  readonly saveBegun?: true;
  /** It is that person's project now; the record stays, for tabs that still hold the draft. */
  readonly becameProjectOf?: string;
  /**
   * The id of that project. Missing where a page of an earlier version made it one: the server then
   * knows the project by the draft's id as well.
   */
  readonly projectId?: string;
}

/** What did not pass the gate when it was read: kept aside, for export, and never tried again. */
export interface DamagedRow {
  readonly scope: string;
  readonly update: Uint8Array<ArrayBuffer>;
  readonly reason: string;
}

export interface DeviceSchema extends DBSchema {
  drafts: { key: string; value: DraftRecord };
  outbox: { key: number; value: StoredRow; indexes: { scope: string } };
  copies: { key: string; value: Copy };
  damaged: { key: number; value: DamagedRow };
}

/** The name of the database on the device; two names are two devices. */
export const defaultDatabase = 'vitrine';

type StoreName = 'drafts' | 'outbox' | 'copies' | 'damaged';
const storeNames: StoreName[] = ['drafts', 'outbox', 'copies', 'damaged'];
export type DeviceTransaction = IDBPTransaction<DeviceSchema, StoreName[], 'readwrite'>;

/** Storage of this browser. `run` is one transaction: `work` awaits nothing but its requests. */
export interface Device {
  run<T>(work: (transaction: DeviceTransaction) => Promise<T>): Promise<T>;
}

/** One per database, since a page needs one connection; there are as many as names. */
const devices = new Map<string, Device>();

/** The storage of this name, opened with its first use. Where a browser refuses, every `run` rejects. */
export function openDevice(name: string): Device {
  const known = devices.get(name) ?? createDevice(name);
  devices.set(name, known);
  return known;
}

function createDevice(name: string): Device {
  let opened: Promise<IDBPDatabase<DeviceSchema>> | undefined;
  const forget = () => (opened = undefined);
  const open = async () => {
    opened ??= openDatabase(name, forget);
    try {
      return await opened;
    } catch (error) {
      forget();
      throw error;
    }
  };
  return {
    async run(work) {
      const database = await open();
      const transaction = database.transaction(storeNames, 'readwrite', { durability: 'strict' });
      const [result] = await Promise.all([work(transaction), transaction.done]);
      return result;
    },
  };
}

function openDatabase(name: string, forget: () => void): Promise<IDBPDatabase<DeviceSchema>> {
  return openDB<DeviceSchema>(name, 1, {
    upgrade(database) {
      database.createObjectStore('drafts', { keyPath: 'id' });
      database.createObjectStore('copies', { keyPath: 'scope' });
      database.createObjectStore('damaged', { autoIncrement: true });
      const outbox = database.createObjectStore('outbox', { keyPath: 'n', autoIncrement: true });
      outbox.createIndex('scope', 'scope');
    },
    blocking: (_current, _wanted, event) => {
      forget();
      if (event.target instanceof IDBDatabase) event.target.close();
    },
    // Safari drops connections of pages in the background; the next `run` opens another.
    terminated: forget,
  });
}

/** The id of a document as scopes and drafts spell it: "0F-a1" → "0fa1". */
export function compactId(id: string): string {
  return id.replaceAll('-', '').toLowerCase();
}

export function draftScope(id: string): string {
  return `draft ${compactId(id)}`;
}

export function projectScope(owner: string, id: string): string {
  return `${owner} ${compactId(id)}`;
}
