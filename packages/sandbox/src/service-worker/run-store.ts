/**
 * Files of runs, in memory and in Cache Storage, which has one cache per run: `vitrine-runs-VERSION-ID`. Each file is
 * an entry whose name contains the number of its message, so entries are never overwritten; the bytes of an asset are
 * an entry of their own. The entry `/` lists the entries of a version. It is written last, and entries it no longer lists are deleted after that, so whenever the
 * browser stops the worker, one complete version is stored. A cache is deleted when the app forgets the run or after
 * `maxRuns` newer ones; caches of other versions of this worker are deleted at startup.
 */
import { isRecord } from '@vitrine/project';
import { parseCount } from '../console-values.ts';
import {
  parseStoredFile,
  serviceWorkerVersion,
  type StoreResponse,
  type StoredFile,
  type ToServiceWorker,
} from '../protocol.ts';

type Store = Extract<ToServiceWorker, { type: 'store' }>;

/** Files of one run, as the app last sent them. */
export interface StoredRun {
  id: string;
  version: number;
  files: Map<string, StoredRunFile>;
  /** Number of store messages received. */
  messageCount: number;
}

/** A file as stored in Cache Storage. `since` is the number of the message that it came with. */
export interface StoredRunFile extends StoredFile {
  since: number;
}

/** Runs on the origin of an editable preview: one for each open page of the app that shows the project. */
export interface RunStore {
  /** Stores files. Calls `respond` once they are in memory. Resolves when they are in Cache Storage. */
  store(message: Store, respond: (response: StoreResponse) => void): Promise<void>;
  /** Finds a run. With a version, waits for that version if it may still arrive (P-17). */
  find(id: string, version?: number | null): Promise<StoredRun | undefined>;
  /** Makes a run the latest, because a page of it is opened. Resolves when that is persisted. */
  open(id: string): Promise<void>;
  /** Id of the run that was opened or stored last; for a page reached through a link. */
  findLatest(): Promise<string | undefined>;
  forget(id: string): Promise<void>;
  /** Whether files of a run are stored; undefined until the stored runs have been restored. */
  has(id: string): boolean | undefined;
  /** Whether no run is stored; false until the stored runs have been restored. */
  isEmpty(): boolean;
}

/** Prefix of all caches of this module, also of those of other versions. */
const anyVersionPrefix = 'vitrine-run';
/** Contains the id of the run that was opened last, while none of its files are stored. */
const openedRunCache = `${anyVersionPrefix}s-${serviceWorkerVersion}`;
/** Prefix of the caches of runs: `vitrine-runs-VERSION-`, followed by the run's id. */
const runCachePrefix = `${openedRunCache}-`;
const maxRuns = 8;
/** The entry of `openedRunCache`. */
const openedRunEntry = '/opened';
/** Delay before writing, for the page that is loading and for further keystrokes. */
const writeAfterMs = 250;
/** Longest wait for a version; after that the stored version is served. */
const versionTimeoutMs = 2_000;
/** A number further ahead isn't a version: pages use such queries themselves. */
const maxVersionsAhead = 100;

export function createRunStore(cacheStorage: CacheStorage): RunStore {
  /** Runs by id, oldest first. */
  const runsById = new Map<string, StoredRun>();
  const caches = new RunCaches(cacheStorage);
  let latest: string | undefined;
  let isRestored = false;
  const restoreRuns = async () => {
    const { runs, opened } = await caches.restore();
    for (const run of runs) runsById.set(run.id, run);
    latest ??= opened ?? runs.at(-1)?.id;
    isRestored = true;
  };
  const restored = restoreRuns();
  /** Resolves when all writes so far are done; writes are sequential. */
  let writes: Promise<void> = Promise.resolve();

  const write = (work: () => Promise<void>) => {
    writes = writes.then(work, work);
    return writes;
  };
  /** Ids of runs that changed since they were last written. */
  const dirtyRuns = new Set<string>();
  let writing: Promise<void> | undefined;
  /** Callbacks of requests that wait for a version; called with each store. */
  const waiters = new Set<() => void>();
  const waitForVersion = (id: string, version: number) =>
    new Promise<void>((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        waiters.delete(check);
        resolve();
      };
      const check = () => {
        if (!isVersionExpected(runsById.get(id), version)) finish();
      };
      const timer = setTimeout(finish, versionTimeoutMs);
      waiters.add(check);
    });
  const scheduleWrite = () => {
    writing ??= delay(writeAfterMs).then(() => {
      writing = undefined;
      return write(writeAll);
    });
    return writing;
  };
  const writeAll = async () => {
    const batch = [...dirtyRuns];
    dirtyRuns.clear();
    for (const id of batch) {
      const run = runsById.get(id);
      if (run) await caches.writeRun(run);
    }
    const isStored = latest === undefined || runsById.has(latest);
    await caches.writeOpened(isStored ? undefined : latest);
  };
  return {
    async store(message, respond) {
      await restored;
      const run = applyMessage(runsById, message);
      if (!run) return respond({ type: 'base-unknown' });
      latest = run.id;
      respond({ type: 'stored', version: run.version });
      for (const check of waiters) check();
      const outdated = [...runsById.keys()].slice(0, -maxRuns);
      for (const id of outdated) runsById.delete(id);
      dirtyRuns.add(run.id);
      await scheduleWrite();
      for (const id of outdated) await write(() => caches.delete(id));
    },
    async find(id, version = null) {
      await restored;
      if (version !== null && isVersionExpected(runsById.get(id), version))
        await waitForVersion(id, version);
      return runsById.get(id);
    },
    async open(id) {
      if (latest === id) return;
      latest = id;
      await restored;
      await scheduleWrite();
    },
    async findLatest() {
      await restored;
      return latest;
    },
    async forget(id) {
      await restored;
      runsById.delete(id);
      await write(() => caches.delete(id));
    },
    has: (id) => (isRestored ? runsById.has(id) : undefined),
    isEmpty: () => isRestored && runsById.size === 0,
  };
}

/** What this module has in Cache Storage. Calls must not overlap. */
class RunCaches {
  readonly #caches: CacheStorage;
  /** Names of the entries, by run id. */
  readonly #entriesByRun = new Map<string, ReadonlySet<string>>();
  #isOpenedWritten = false;

  constructor(caches: CacheStorage) {
    this.#caches = caches;
  }

  /** Reads everything that an earlier instance of the worker has stored. */
  async restore() {
    const restored = await restoreAll(this.#caches);
    for (const { id, files } of restored.runs)
      this.#entriesByRun.set(id, new Set([...files.values()].flatMap(listEntryNames)));
    this.#isOpenedWritten = restored.opened !== undefined;
    return restored;
  }

  async writeRun(run: StoredRun): Promise<void> {
    // A snapshot, because the run may change while it is written.
    const { id, version } = run;
    const files = [...run.files.values()];
    const names = new Set(files.flatMap(listEntryNames));
    const previousEntries = this.#entriesByRun.get(id) ?? new Set();
    try {
      const cache = await this.#caches.open(runCachePrefix + id);
      const added = files.filter((file) => !previousEntries.has(entryName(file)));
      await Promise.all(added.map((file) => cache.put(entryName(file), toResponse(file))));
      for (const file of added)
        if (file.bytes) await cache.put(bytesEntryName(file), new Response(file.bytes));
      await cache.put('/', toResponse({ version, stored: Date.now(), names: [...names] }));
      this.#entriesByRun.set(id, names);
      const removed = [...previousEntries].filter((name) => !names.has(name));
      await Promise.all(removed.map((name) => cache.delete(name)));
    } catch (error) {
      // The disk is full, or the cache was deleted meanwhile. A missing copy is better than an incomplete one.
      await this.delete(id);
      throw error;
    }
  }

  /** Stores the id of the opened run while none of its files are stored; otherwise undefined. */
  async writeOpened(id: string | undefined): Promise<void> {
    if (id !== undefined) {
      const cache = await this.#caches.open(openedRunCache);
      await cache.put(openedRunEntry, toResponse(id));
    } else if (this.#isOpenedWritten) await this.#caches.delete(openedRunCache);
    this.#isOpenedWritten = id !== undefined;
  }

  async delete(id: string): Promise<void> {
    this.#entriesByRun.delete(id);
    await this.#caches.delete(runCachePrefix + id);
  }
}

function isVersionExpected(run: StoredRun | undefined, version: number): boolean {
  if (!run) return true;
  return version > run.version && version < run.version + maxVersionsAhead;
}

/** Applies a store message. Returns the run, now the newest; undefined if its base version isn't stored. */
function applyMessage(runsById: Map<string, StoredRun>, message: Store): StoredRun | undefined {
  const previousRun = runsById.get(message.run);
  if (message.base !== null && previousRun?.version !== message.base) return undefined;
  const files = message.base === null ? new Map<string, StoredRunFile>() : previousRun?.files;
  if (!files) return undefined;
  const messageCount = (previousRun?.messageCount ?? 0) + 1;
  for (const path of message.removed) files.delete(path);
  for (const file of message.files) files.set(file.path, { ...file, since: messageCount });
  const run = { id: message.run, version: message.version, files, messageCount };
  runsById.delete(message.run);
  runsById.set(message.run, run);
  return run;
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function toResponse(content: unknown): Response {
  return new Response(JSON.stringify(content));
}

function entryName({ path, since }: Pick<StoredRunFile, 'path' | 'since'>): string {
  return `/${since}/${encodeURIComponent(path)}`;
}

/** Name of the entry with an asset's bytes. */
function bytesEntryName(file: Pick<StoredRunFile, 'path' | 'since'>): string {
  return `${entryName(file)}?bytes`;
}

function listEntryNames(file: StoredRunFile): string[] {
  return file.bytes ? [entryName(file), bytesEntryName(file)] : [entryName(file)];
}

/** Restores all runs, the one stored last at the end, and the id of the run opened after that, if any. */
async function restoreAll(caches: CacheStorage): Promise<{ runs: StoredRun[]; opened?: string }> {
  const names = (await caches.keys()).filter((name) => name.startsWith(anyVersionPrefix));
  const isOwn = (name: string) => name === openedRunCache || name.startsWith(runCachePrefix);
  for (const name of names) if (!isOwn(name)) await caches.delete(name);
  const ids = names
    .filter((name) => name.startsWith(runCachePrefix))
    .map((name) => name.slice(runCachePrefix.length));
  const found = await Promise.all(ids.map((id) => restore(caches, id)));
  const stored = found.filter((run) => run !== undefined).sort((a, b) => a.stored - b.stored);
  const runs = stored.map(({ run }) => run);
  const opened = names.includes(openedRunCache)
    ? await read(await caches.open(openedRunCache), openedRunEntry)
    : undefined;
  return typeof opened === 'string' ? { runs, opened } : { runs };
}

/** Restores a run. If anything is missing, deletes it and returns undefined; the app then sends it again. */
async function restore(
  caches: CacheStorage,
  id: string,
): Promise<{ run: StoredRun; stored: number } | undefined> {
  const cache = await caches.open(runCachePrefix + id);
  const list = parseList(await read(cache, '/'));
  const names = new Set(list?.names);
  const fileNames = [...names].filter((name) => !name.endsWith('?bytes'));
  const restoreFile = async (name: string): Promise<StoredRunFile | undefined> => {
    const file = parseRunFile(await read(cache, name));
    if (!file || !names.has(bytesEntryName(file))) return file;
    const bytes = await (await cache.match(bytesEntryName(file)))?.blob();
    return bytes && { ...file, bytes };
  };
  const restored = await Promise.all(fileNames.map(restoreFile));
  const all = restored.filter((file) => file !== undefined);
  if (!list || all.length < fileNames.length) {
    await caches.delete(runCachePrefix + id);
    return undefined;
  }
  const files = new Map(all.map((file) => [file.path, file]));
  const messageCount = Math.max(0, ...all.map(({ since }) => since));
  return { run: { id, version: list.version, files, messageCount }, stored: list.stored };
}

/** Reads an entry; undefined if it is missing or invalid JSON. */
async function read(cache: Cache, name: string): Promise<unknown> {
  try {
    return await (await cache.match(name))?.json();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The entry `/` of a run's cache. */
interface FileList {
  version: number;
  /** When it was stored, in milliseconds since the epoch. */
  stored: number;
  /** Names of the entries. */
  names: string[];
}

/** Parses the list of entries. User code can write to this cache and affect only its own page. */
function parseList(input: unknown): FileList | undefined {
  if (!isRecord(input)) return undefined;
  const { version, stored, names } = input;
  if (typeof version !== 'number' || typeof stored !== 'number') return undefined;
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) return undefined;
  return { version, stored, names };
}

function parseRunFile(input: unknown): StoredRunFile | undefined {
  const file = parseStoredFile(input);
  const since = isRecord(input) ? parseCount(input['since']) : undefined;
  return file && since !== undefined ? { ...file, since } : undefined;
}
