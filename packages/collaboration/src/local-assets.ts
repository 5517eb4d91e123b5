import { openDB, type DBSchema, type IDBPDatabase } from 'idb';
import { computeChecksum } from './checksum.ts';

/*
 * Bytes of assets on this device, by their hash, and the uploads that haven't reached the server. In
 * an IndexedDB database of their own: they can be evicted, and a full disk must not stop edits from
 * being stored in the other one.
 *
 * Pending bytes, which the server may not have, stay until they are uploaded. All others were
 * downloaded or uploaded, and are evicted, least recently used first, beyond `maxCachedBytes` and
 * when the device is out of storage.
 */

interface LocalAsset {
  readonly hash: string;
  readonly size: number;
  readonly isPending: boolean;
  /** Time of the last use, in milliseconds since 1970. */
  readonly usedAt: number;
}

/** An upload to a saved project, which continues after a reload. */
export interface StoredUpload {
  readonly id: string;
  /** User who uploads. Nobody else's session continues it. */
  readonly owner: string;
  /** Id of the project. */
  readonly project: string;
  /** Path that the file gets. */
  readonly path: string;
  readonly hash: string;
  readonly size: number;
  readonly mediaType: string;
  /** Whether the user chose to replace the file at this path. */
  readonly replaces: boolean;
  /** Where to insert a reference to the file: a Yjs relative position in the text of a file. */
  readonly reference: Uint8Array<ArrayBuffer> | null;
}

interface LocalAssetsSchema extends DBSchema {
  assets: { key: string; value: LocalAsset };
  bytes: { key: string; value: Uint8Array<ArrayBuffer> };
  /** Uploader by hash, of assets that a fork has from its original. */
  sources: { key: string; value: string };
  uploads: { key: string; value: StoredUpload };
}

type StoreName = 'assets' | 'bytes' | 'sources' | 'uploads';
const storeNames: StoreName[] = ['assets', 'bytes', 'sources', 'uploads'];

/** About two projects of the largest size. */
const defaultMaxCachedBytes = 200 * 1024 * 1024;
/** Age of `usedAt` from which a read updates it, so that not every read is a write. */
const usePrecisionMs = 60 * 60 * 1000;

/** The outcome of storing bytes: `full` if the device is out of storage, `unavailable` if it has none. */
type Stored = 'stored' | 'full' | 'unavailable';

/** Assets on this device. Every call resolves without a database, too; nothing is kept then. */
export class LocalAssets {
  readonly #open: () => Promise<IDBPDatabase<LocalAssetsSchema>>;
  readonly #maxCachedBytes: number;
  /** Bytes that the device has no database for. Kept as long as the tab. */
  readonly #memory = new Map<string, Uint8Array<ArrayBuffer>>();

  /**
   * @param name Name of the database.
   * @param maxCachedBytes Bytes kept of assets that the server has too.
   */
  constructor(name = 'vitrine-assets', maxCachedBytes = defaultMaxCachedBytes) {
    this.#open = createOpener(name);
    this.#maxCachedBytes = maxCachedBytes;
  }

  /**
   * Keeps bytes that the user has added, until `markUploaded`.
   *
   * @returns Their hash, and whether they are on the device. If it is out of storage, they aren't kept;
   * if it has no storage, they are as long as the tab.
   */
  async add(bytes: Uint8Array<ArrayBuffer>): Promise<{ hash: string; stored: Stored }> {
    const hash = await computeChecksum(bytes);
    let stored = await this.#write(hash, bytes, true);
    if (stored === 'full') {
      await this.clearCached();
      stored = await this.#write(hash, bytes, true);
    }
    if (stored === 'unavailable') this.#memory.set(hash, bytes);
    return { hash, stored };
  }

  /**
   * Keeps downloaded bytes, if there is room.
   *
   * @returns False if they don't have this hash. They aren't kept then.
   */
  async cache(hash: string, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
    if ((await computeChecksum(bytes)) !== hash) return false;
    await this.#evict(this.#maxCachedBytes - bytes.length);
    await this.#write(hash, bytes, false);
    return true;
  }

  /** Bytes of an asset. Undefined if they aren't on this device. */
  async read(hash: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const inMemory = this.#memory.get(hash);
    if (inMemory) return inMemory;
    return this.#try(async (database) => {
      const bytes = await database.get('bytes', hash);
      const asset = bytes && (await database.get('assets', hash));
      const now = Date.now();
      if (asset && asset.usedAt < now - usePrecisionMs)
        await database.put('assets', { ...asset, usedAt: now }, hash);
      return bytes;
    });
  }

  /** Which of these assets the server may not have. */
  async findPending(hashes: Iterable<string>): Promise<Set<string>> {
    const found = await this.#try(async (database) => {
      const assets = await database.getAll('assets');
      return assets.flatMap(({ hash, isPending }) => (isPending ? [hash] : []));
    });
    const pending = new Set([...(found ?? []), ...this.#memory.keys()]);
    return new Set([...hashes].filter((hash) => pending.has(hash)));
  }

  /** Records that the server has the bytes. */
  async markUploaded(hash: string): Promise<void> {
    await this.#try(async (database) => {
      const asset = await database.get('assets', hash);
      if (asset) await database.put('assets', { ...asset, isPending: false }, hash);
    });
  }

  /** Removes what the server has too, such as at the end of a session. */
  async clearCached(): Promise<void> {
    await this.#evict(0);
    await this.#try((database) => database.clear('sources'));
  }

  /** Remembers whose uploads a fork uses, until they can be read from the fork itself. */
  async addSources(sources: ReadonlyMap<string, string>): Promise<void> {
    await this.#try(async (database) => {
      const transaction = database.transaction('sources', 'readwrite');
      for (const [hash, uploader] of sources) await transaction.store.put(uploader, hash);
      await transaction.done;
    });
  }

  findSource(hash: string): Promise<string | undefined> {
    return this.#try((database) => database.get('sources', hash));
  }

  /** Stores an upload, so that it continues after a reload. */
  async putUpload(upload: StoredUpload): Promise<void> {
    await this.#try((database) => database.put('uploads', upload, upload.id));
  }

  /** Whether an upload is neither finished nor canceled. Undefined without a database. */
  hasUpload(id: string): Promise<boolean | undefined> {
    return this.#try(async (database) => (await database.getKey('uploads', id)) !== undefined);
  }

  async removeUpload(id: string): Promise<void> {
    await this.#try((database) => database.delete('uploads', id));
  }

  /** Uploads of a user to a project that earlier visits left, oldest first. */
  async listUploads(owner: string, project: string): Promise<StoredUpload[]> {
    const uploads = await this.#try((database) => database.getAll('uploads'));
    return (uploads ?? []).filter((each) => each.owner === owner && each.project === project);
  }

  async #write(hash: string, bytes: Uint8Array<ArrayBuffer>, isPending: boolean): Promise<Stored> {
    try {
      const database = await this.#open();
      const transaction = database.transaction(storeNames, 'readwrite', { durability: 'strict' });
      const write = async () => {
        await transaction.objectStore('bytes').put(bytes, hash);
        await transaction
          .objectStore('assets')
          .put({ hash, size: bytes.length, isPending, usedAt: Date.now() }, hash);
      };
      await Promise.all([write(), transaction.done]);
      return 'stored';
    } catch (error) {
      return isQuotaError(error) ? 'full' : 'unavailable';
    }
  }

  /** Removes assets that the server has too, until these have at most `maxBytes`. */
  async #evict(maxBytes: number): Promise<void> {
    await this.#try(async (database) => {
      const transaction = database.transaction(['assets', 'bytes'], 'readwrite');
      const assets = await transaction.objectStore('assets').getAll();
      const cached = assets.filter(({ isPending }) => !isPending);
      let total = cached.reduce((sum, { size }) => sum + size, 0);
      for (const { hash, size } of cached.sort((a, b) => a.usedAt - b.usedAt)) {
        if (total <= maxBytes) break;
        await transaction.objectStore('assets').delete(hash);
        await transaction.objectStore('bytes').delete(hash);
        total -= size;
      }
      await transaction.done;
    });
  }

  /** Runs work with the database. Undefined without one. */
  async #try<T>(
    work: (database: IDBPDatabase<LocalAssetsSchema>) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await work(await this.#open());
    } catch {
      return undefined;
    }
  }
}

function isQuotaError(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'QuotaExceededError';
}

/** Returns a function that opens the database on its first call, and again after it was closed. */
function createOpener(name: string): () => Promise<IDBPDatabase<LocalAssetsSchema>> {
  let opened: Promise<IDBPDatabase<LocalAssetsSchema>> | undefined;
  const forget = () => (opened = undefined);
  return async () => {
    opened ??= openDB<LocalAssetsSchema>(name, 1, {
      upgrade: (database) => storeNames.forEach((store) => database.createObjectStore(store)),
      blocking: (_current, _wanted, event) => {
        forget();
        if (event.target instanceof IDBDatabase) event.target.close();
      },
      // Safari closes connections of background pages.
      terminated: forget,
    });
    try {
      return await opened;
    } catch (error) {
      forget();
      throw error;
    }
  };
}
