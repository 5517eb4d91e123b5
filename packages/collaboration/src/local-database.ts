import { openDB, type DBSchema, type IDBPDatabase, type IDBPTransaction } from 'idb';

/*
 * The local database of this browser, in IndexedDB: drafts, pending updates and local copies. Every
 * write is durable when it resolves ('strict': the bytes are on disk, not in a cache of the system).
 *
 * The scope of a row names its document and user: "draft ID", or "OWNER ID" for the pending updates
 * of a project, so that no user sends updates of another one. IDs have no dashes here.
 */

/** An update of one client that the server hasn't acknowledged, or a part of a draft. */
export interface StoredRow {
  /** Key that increases in the order in which the tabs of this browser have written rows. */
  readonly n?: number;
  readonly scope: string;
  readonly client: string;
  readonly clientSeq: number;
  readonly update: Uint8Array<ArrayBuffer>;
  readonly sha256: string;
}

/** The whole state of a document: of a draft, or of a project while its updates can't be sent. */
export interface StoredCopy {
  readonly scope: string;
  readonly state: Uint8Array<ArrayBuffer>;
  readonly sha256: string;
  /** Increases with each write, so that a tab notices a write of another one. */
  readonly revision: number;
}

export interface DraftRecord {
  readonly id: string;
  /** The user it belongs to; null if it was made before signing in. */
  readonly owner: string | null;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The id of the project it was forked from. */
  readonly forkedFrom: string | null;
  /** Number of the version of that project that it was forked from. Missing if it was no version. */
  readonly forkedFromVersion?: number;
  /**
   * Set while these are unsaved changes to a project that their user may not save to. They are
   * offered at the project and not listed among drafts.
   */
  readonly unsavedOf?: { readonly project: string; readonly slug: string };
  /** Set before the first attempt to convert it to a project, whose outcome may be unknown later. */
  readonly saveBegun?: true;
  /** The owner of the project it was converted to. The record stays for tabs with the draft open. */
  readonly becameProjectOf?: string;
  /**
   * The id of that project. Missing if an earlier version of the code converted the draft: the server
   * then finds the project by the draft's id.
   */
  readonly projectId?: string;
}

/** An update that failed validation when it was read. Stored for export and never applied. */
export interface DamagedRow {
  readonly scope: string;
  readonly update: Uint8Array<ArrayBuffer>;
  readonly reason: string;
}

interface LocalDatabaseSchema extends DBSchema {
  drafts: { key: string; value: DraftRecord };
  outbox: { key: number; value: StoredRow; indexes: { scope: string } };
  copies: { key: string; value: StoredCopy };
  damaged: { key: number; value: DamagedRow };
}

/** The default name of the IndexedDB database. */
export const defaultDatabaseName = 'vitrine';

type StoreName = 'drafts' | 'outbox' | 'copies' | 'damaged';
const storeNames: StoreName[] = ['drafts', 'outbox', 'copies', 'damaged'];
export type LocalTransaction = IDBPTransaction<LocalDatabaseSchema, StoreName[], 'readwrite'>;

/** The local database. `run` is one transaction: `work` may await only requests of it. */
export interface LocalDatabase {
  run<T>(work: (transaction: LocalTransaction) => Promise<T>): Promise<T>;
}

/** One database object per name, so that a page has one connection to each. */
const databases = new Map<string, LocalDatabase>();

/** Returns the database with this name. It is opened on first use; if that fails, `run` rejects. */
export function openLocalDatabase(name: string): LocalDatabase {
  const known = databases.get(name) ?? createLocalDatabase(name);
  databases.set(name, known);
  return known;
}

function createLocalDatabase(name: string): LocalDatabase {
  let opened: Promise<IDBPDatabase<LocalDatabaseSchema>> | undefined;
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

function openDatabase(
  name: string,
  forget: () => void,
): Promise<IDBPDatabase<LocalDatabaseSchema>> {
  return openDB<LocalDatabaseSchema>(name, 1, {
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
    // Safari closes connections of background pages. The next `run` opens a new one.
    terminated: forget,
  });
}

/** Normalizes an id for scopes and draft records: "0F-a1" → "0fa1". */
export function normalizeId(id: string): string {
  return id.replaceAll('-', '').toLowerCase();
}

export function getDraftScope(id: string): string {
  return `draft ${normalizeId(id)}`;
}

export function getProjectScope(owner: string, id: string): string {
  return `${owner} ${normalizeId(id)}`;
}
