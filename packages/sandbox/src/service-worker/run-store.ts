import { isRecord, parseCount } from '../console-values.ts';
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
  messages: number;
}

/** A file with the number of the message that it came with. */
export interface StoredRunFile extends StoredFile {
  since: number;
}

/** The runs of a live copy: one for each open page of the app that shows it. */
export interface RunStore {
  /** Stores files. Calls `answer` once they are in memory; resolves when they are in Cache Storage. */
  store(message: Store, answer: (said: StoreResponse) => void): Promise<void>;
  /** Finds a run. With a version, waits for that version if it may still arrive. P-17 */
  find(id: string, version?: number | null): Promise<StoredRun | undefined>;
  /** Makes a run the latest, because a page of it is opened. Resolves when that is persisted. */
  open(id: string): Promise<void>;
  /** Id of the run that was opened or stored last; for a page reached through a link. */
  findLatest(): Promise<string | undefined>;
  forget(id: string): Promise<void>;
  /** Whether files of a run are stored; undefined while that isn't certain. */
  has(id: string): boolean | undefined;
  /** True once it is certain that no run is stored. */
  isEmpty(): boolean;
}

/**
 * Cache Storage has one cache per run, `vitrine-runs-VERSION-ID`. Each file is an entry whose name contains the number
 * of its message, so entries are never overwritten. The entry `/` lists the entries of a version. It is written last,
 * and entries it no longer lists are deleted after that, so whenever the browser stops the worker, one complete version
 * is stored. A cache is deleted when the app forgets the run or after `maxRuns` newer ones; caches of other versions of
 * this worker are deleted at startup.
 */
const cachePrefix = 'vitrine-run';
const ownCache = `${cachePrefix}s-${serviceWorkerVersion}`;
const prefix = `${ownCache}-`;
const maxRuns = 8;
/** Entry in `ownCache` with the id of the run opened last, while none of its files are stored. */
const openedEntry = '/opened';
/** Delay before writing, for the page that is loading and for further keystrokes. */
const writeAfterMs = 250;
/** Longest wait for a version; after that the stored version is served. */
const versionTimeoutMs = 2_000;
/** A version further ahead is not ours: pages put all kinds of numbers into URLs. */
const maxAhead = 100;

export function createRunStore(caches: CacheStorage): RunStore {
  /** Runs by id, oldest first. */
  const known = new Map<string, StoredRun>();
  /** Names of the entries listed in Cache Storage, by run id. */
  const written = new Map<string, ReadonlySet<string>>();
  let latest: string | undefined;
  let isOpenedWritten = false;
  let isRestored = false;
  const restoreKnown = async () => {
    const { runs, opened } = await restoreAll(caches);
    for (const run of runs) {
      known.set(run.id, run);
      written.set(run.id, new Set([...run.files.values()].map(entryName)));
    }
    isOpenedWritten = opened !== undefined;
    latest ??= opened ?? runs.at(-1)?.id;
    isRestored = true;
  };
  const restored = restoreKnown();
  /** Resolves when all writes so far are done; writes are sequential. */
  let writes: Promise<void> = Promise.resolve();

  const write = (work: () => Promise<void>) => {
    writes = writes.then(work, work);
    return writes;
  };
  /** Ids of runs that changed since they were last written. */
  const unwritten = new Set<string>();
  let writing: Promise<void> | undefined;
  /** Callbacks of requests that wait for a version; called with each store. */
  const waiting = new Set<() => void>();
  const untilStored = (id: string, version: number) =>
    new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        waiting.delete(check);
        resolve();
      };
      const check = () => {
        if (!mayArrive(known.get(id), version)) end();
      };
      const timer = setTimeout(end, versionTimeoutMs);
      waiting.add(check);
    });
  const scheduleWrite = () => {
    writing ??= delay(writeAfterMs).then(() => {
      writing = undefined;
      return write(writeAll);
    });
    return writing;
  };
  const writeAll = async () => {
    const batch = [...unwritten];
    unwritten.clear();
    for (const id of batch) {
      const run = known.get(id);
      if (run) await writeRun(run);
    }
    await writeOpened();
  };
  const writeRun = async (run: StoredRun) => {
    // A snapshot, because the run may change while it is written.
    const { id, version } = run;
    const files = [...run.files.values()];
    const names = new Set(files.map(entryName));
    const before = written.get(id) ?? new Set();
    try {
      const cache = await caches.open(prefix + id);
      const added = files.filter((file) => !before.has(entryName(file)));
      await Promise.all(added.map((file) => cache.put(entryName(file), toResponse(file))));
      await cache.put('/', toResponse({ version, stored: Date.now(), names: [...names] }));
      written.set(id, names);
      const removed = [...before].filter((name) => !names.has(name));
      await Promise.all(removed.map((name) => cache.delete(name)));
    } catch (error) {
      // The disk is full, or the cache was deleted meanwhile. No copy is better than an incomplete one.
      await drop(id);
      throw error;
    }
  };
  const writeOpened = async () => {
    const isNeeded = latest !== undefined && !known.has(latest);
    if (isNeeded) await (await caches.open(ownCache)).put(openedEntry, toResponse(latest));
    else if (isOpenedWritten) await caches.delete(ownCache);
    isOpenedWritten = isNeeded;
  };
  const drop = async (id: string) => {
    written.delete(id);
    await caches.delete(prefix + id);
  };

  return {
    async store(message, answer) {
      await restored;
      const run = apply(known, message);
      if (!run) return answer({ type: 'base-unknown' });
      latest = run.id;
      answer({ type: 'stored', version: run.version });
      for (const check of waiting) check();
      const outdated = [...known.keys()].slice(0, -maxRuns);
      for (const id of outdated) known.delete(id);
      unwritten.add(run.id);
      await scheduleWrite();
      for (const id of outdated) await write(() => drop(id));
    },
    async find(id, version = null) {
      await restored;
      if (version !== null && mayArrive(known.get(id), version)) await untilStored(id, version);
      return known.get(id);
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
      known.delete(id);
      await write(() => drop(id));
    },
    has: (id) => (isRestored ? known.has(id) : undefined),
    isEmpty: () => isRestored && known.size === 0,
  };
}

function mayArrive(run: StoredRun | undefined, version: number): boolean {
  if (!run) return true;
  return version > run.version && version < run.version + maxAhead;
}

/** Applies a store message; returns the run, now the newest, or undefined if its base is not stored. */
function apply(known: Map<string, StoredRun>, message: Store): StoredRun | undefined {
  const before = known.get(message.run);
  if (message.base !== null && before?.version !== message.base) return undefined;
  const files = message.base === null ? new Map<string, StoredRunFile>() : before?.files;
  if (!files) return undefined;
  const messages = (before?.messages ?? 0) + 1;
  for (const path of message.removed) files.delete(path);
  for (const file of message.files) files.set(file.path, { ...file, since: messages });
  const run = { id: message.run, version: message.version, files, messages };
  known.delete(message.run);
  known.set(message.run, run);
  return run;
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function toResponse(content: unknown): Response {
  return new Response(JSON.stringify(content));
}

function entryName({ path, since }: StoredRunFile): string {
  return `/${since}/${encodeURIComponent(path)}`;
}

/** Restores all runs, the one stored last at the end, and the id of the run opened after that, if any. */
async function restoreAll(caches: CacheStorage): Promise<{ runs: StoredRun[]; opened?: string }> {
  const names = (await caches.keys()).filter((name) => name.startsWith(cachePrefix));
  const isOwn = (name: string) => name === ownCache || name.startsWith(prefix);
  for (const name of names) if (!isOwn(name)) await caches.delete(name);
  const ids = names.filter((name) => name.startsWith(prefix)).map((it) => it.slice(prefix.length));
  const found = await Promise.all(ids.map((id) => restore(caches, id)));
  const stored = found.filter((run) => run !== undefined).sort((a, b) => a.stored - b.stored);
  const runs = stored.map(({ run }) => run);
  const opened = names.includes(ownCache)
    ? await read(await caches.open(ownCache), openedEntry)
    : undefined;
  return typeof opened === 'string' ? { runs, opened } : { runs };
}

/** Restores a run. If anything is missing, deletes it and returns undefined; the app then sends it again. */
async function restore(
  caches: CacheStorage,
  id: string,
): Promise<{ run: StoredRun; stored: number } | undefined> {
  const cache = await caches.open(prefix + id);
  const list = parseList(await read(cache, '/'));
  const stored = await Promise.all((list?.names ?? []).map((name) => read(cache, name)));
  const all = stored.map(parseRunFile).filter((file) => file !== undefined);
  if (!list || all.length < list.names.length) {
    await caches.delete(prefix + id);
    return undefined;
  }
  const files = new Map(all.map((file) => [file.path, file]));
  const messages = Math.max(0, ...all.map(({ since }) => since));
  return { run: { id, version: list.version, files, messages }, stored: list.stored };
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

interface FileList {
  version: number;
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
