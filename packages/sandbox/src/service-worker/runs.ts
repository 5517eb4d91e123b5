import { isRecord, parseCount } from '../console-values.ts';
import {
  parseStoredFile,
  serviceWorkerVersion,
  type StoreAnswer,
  type StoredFile,
  type ToServiceWorker,
} from '../protocol.ts';

type Store = Extract<ToServiceWorker, { type: 'store' }>;

/** The files of one run as the app last sent them. */
export interface Run {
  id: string;
  version: number;
  files: Map<string, RunFile>;
  /** How many messages it was stored by. */
  messages: number;
}

/** A file, and the number of the message that it came with. */
export interface RunFile extends StoredFile {
  since: number;
}

/** The runs of a working copy: one for each open page of the app that shows it. */
export interface Runs {
  /** Answers as soon as the files are in memory; the promise ends when they are in Cache Storage. */
  store(message: Store, answer: (said: StoreAnswer) => void): Promise<void>;
  /** With a version, waits for that one where it may be on its way. P-17 */
  find(id: string, version?: number | null): Promise<Run | undefined>;
  /** A page of this run is opened, which makes it the latest; done when that outlives this worker. */
  open(id: string): Promise<void>;
  /** The id of the run that was opened or stored last, for a page that was reached by a link. */
  findLatest(): Promise<string | undefined>;
  forget(id: string): Promise<void>;
  /** Whether files of it are here; undefined while that is not certain. */
  has(id: string): boolean | undefined;
  /** True once it is certain that no run has been stored. */
  knowsNone(): boolean;
}

/**
 * Cache Storage holds one cache a run, `vitrine-runs-VERSION-ID`. Each file is an entry, whose name
 * has the number of the message that it came with, so nothing that is kept is ever written over. The
 * entry `/` names those that make up a version. It is written last, and what it no longer names goes
 * after that: whenever the browser stops this worker, what is kept is one version, whole. Caches leave
 * when the app forgets the run, or when `keptRuns` newer ones came, and those of other versions of
 * this worker as it starts.
 */
const everyCache = 'vitrine-run';
const ownCache = `${everyCache}s-${serviceWorkerVersion}`;
const prefix = `${ownCache}-`;
const keptRuns = 8;
/** Names the run that was opened last, in `ownCache`, as long as nothing is stored of it. */
const openedEntry = '/opened';
/** Writing waits for the page that is being loaded, and for more keys. */
const writeAfterMs = 250;
/** Whoever asks for a version that has not come by then gets what there is. */
const comesWithinMs = 2_000;
/** A version that is further ahead is none of ours: pages put all kinds of numbers into addresses. */
const farAhead = 100;

export function createRuns(caches: CacheStorage): Runs {
  /** By id, oldest first. */
  const known = new Map<string, Run>();
  /** By id, the names of the entries that its list names in Cache Storage. */
  const written = new Map<string, ReadonlySet<string>>();
  let latest: string | undefined;
  let isOpenedWritten = false;
  let settled = false;
  const takeKept = async () => {
    const { runs, opened } = await restoreAll(caches);
    for (const run of runs) {
      known.set(run.id, run);
      written.set(run.id, new Set([...run.files.values()].map(entryName)));
    }
    isOpenedWritten = opened !== undefined;
    latest ??= opened ?? runs.at(-1)?.id;
    settled = true;
  };
  const restored = takeKept();
  /** Writes happen one after the other. */
  let writes: Promise<void> = Promise.resolve();

  const write = (work: () => Promise<void>) => {
    writes = writes.then(work, work);
    return writes;
  };
  /** Ids of runs that changed since they were last written. */
  const unwritten = new Set<string>();
  let writing: Promise<void> | undefined;
  /** Called with each store, by requests that wait for one. */
  const waiting = new Set<() => void>();
  const untilStored = (id: string, version: number) =>
    new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        waiting.delete(look);
        resolve();
      };
      const look = () => {
        if (!isToCome(known.get(id), version)) end();
      };
      const timer = setTimeout(end, comesWithinMs);
      waiting.add(look);
    });
  const writeSoon = () => {
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
  const writeRun = async (run: Run) => {
    // All of this belongs together: it may change while it is written.
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
      // The disk is full, or the cache was taken away meanwhile: nothing is better than a part.
      await drop(id);
      throw error;
    }
  };
  const writeOpened = async () => {
    const isWanted = latest !== undefined && !known.has(latest);
    if (isWanted) await (await caches.open(ownCache)).put(openedEntry, toResponse(latest));
    else if (isOpenedWritten) await caches.delete(ownCache);
    isOpenedWritten = isWanted;
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
      for (const look of waiting) look();
      const outdated = [...known.keys()].slice(0, -keptRuns);
      for (const id of outdated) known.delete(id);
      unwritten.add(run.id);
      await writeSoon();
      for (const id of outdated) await write(() => drop(id));
    },
    async find(id, version = null) {
      await restored;
      if (version !== null && isToCome(known.get(id), version)) await untilStored(id, version);
      return known.get(id);
    },
    async open(id) {
      if (latest === id) return;
      latest = id;
      await restored;
      await writeSoon();
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
    has: (id) => (settled ? known.has(id) : undefined),
    knowsNone: () => settled && known.size === 0,
  };
}

function isToCome(run: Run | undefined, version: number): boolean {
  if (!run) return true;
  return version > run.version && version < run.version + farAhead;
}

/** The run with the change made, now the newest; undefined if the change has no base here. */
function apply(known: Map<string, Run>, message: Store): Run | undefined {
  const before = known.get(message.run);
  if (message.base !== null && before?.version !== message.base) return undefined;
  const files = message.base === null ? new Map<string, RunFile>() : before?.files;
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

function entryName({ path, since }: RunFile): string {
  return `/${since}/${encodeURIComponent(path)}`;
}

/** What is kept, the run stored last at the end, and which one was opened after that, if one was. */
async function restoreAll(caches: CacheStorage): Promise<{ runs: Run[]; opened?: string }> {
  const names = (await caches.keys()).filter((name) => name.startsWith(everyCache));
  const isOwn = (name: string) => name === ownCache || name.startsWith(prefix);
  for (const name of names) if (!isOwn(name)) await caches.delete(name);
  const ids = names.filter((name) => name.startsWith(prefix)).map((it) => it.slice(prefix.length));
  const found = await Promise.all(ids.map((id) => restore(caches, id)));
  const kept = found.filter((run) => run !== undefined).sort((a, b) => a.stored - b.stored);
  const runs = kept.map(({ run }) => run);
  const opened = names.includes(ownCache)
    ? await read(await caches.open(ownCache), openedEntry)
    : undefined;
  return typeof opened === 'string' ? { runs, opened } : { runs };
}

/** A run as it was kept; undefined, and gone, if any of it is missing: the app sends it again. */
async function restore(
  caches: CacheStorage,
  id: string,
): Promise<{ run: Run; stored: number } | undefined> {
  const cache = await caches.open(prefix + id);
  const list = parseList(await read(cache, '/'));
  const kept = await Promise.all((list?.names ?? []).map((name) => read(cache, name)));
  const all = kept.map(parseRunFile).filter((file) => file !== undefined);
  if (!list || all.length < list.names.length) {
    await caches.delete(prefix + id);
    return undefined;
  }
  const files = new Map(all.map((file) => [file.path, file]));
  const messages = Math.max(0, ...all.map(({ since }) => since));
  return { run: { id, version: list.version, files, messages }, stored: list.stored };
}

/** Undefined for what is not there, or is no JSON. */
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
  /** Of the entries that it is made of. */
  names: string[];
}

/** User code can write to this cache; it can only spoil its own page. */
function parseList(input: unknown): FileList | undefined {
  if (!isRecord(input)) return undefined;
  const { version, stored, names } = input;
  if (typeof version !== 'number' || typeof stored !== 'number') return undefined;
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) return undefined;
  return { version, stored, names };
}

function parseRunFile(input: unknown): RunFile | undefined {
  const file = parseStoredFile(input);
  const since = isRecord(input) ? parseCount(input['since']) : undefined;
  return file && since !== undefined ? { ...file, since } : undefined;
}
