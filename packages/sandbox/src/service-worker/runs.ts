import { isRecord } from '../console-values.ts';
import type { StoreAnswer, StoredFile, ToServiceWorker } from '../protocol.ts';

type Store = Extract<ToServiceWorker, { type: 'store' }>;

/** The files of one run as the app last sent them. */
export interface Run {
  id: string;
  version: number;
  files: Map<string, RunFile>;
}

export type RunFile = Omit<StoredFile, 'path'>;

/** The runs of a working copy: one for each open page of the app that shows it. */
export interface Runs {
  /** Answers as soon as the files are in memory; the promise ends when they are in Cache Storage. */
  store(message: Store, answer: (said: StoreAnswer) => void): Promise<void>;
  /** With a version, waits for that one where it may be on its way. P-17 */
  find(id: string, version?: number | null): Promise<Run | undefined>;
  /** The run that was stored last, for a page that was reached by a link. */
  findLatest(): Promise<Run | undefined>;
  forget(id: string): Promise<void>;
  /** True once it is certain that no run has been stored. */
  knowsNone(): boolean;
}

/**
 * Cache Storage holds one cache a run, `vitrine-run-ID`, with an entry a file, more for its other
 * forms, and one, `/`, that says which of them belong to which version; it is written last, so it
 * never names a file that is not there. Entries leave when the app forgets the run, or when `keptRuns` newer ones came.
 */
const prefix = 'vitrine-run-';
const keptRuns = 8;
/** Writing waits for the page that is being loaded, and for more keys. */
const writeAfterMs = 250;
/** Whoever asks for a version that has not come by then gets what there is. */
const comesWithinMs = 2_000;
/** A version that is further ahead is none of ours: pages put all kinds of numbers into addresses. */
const farAhead = 100;

export function createRuns(caches: CacheStorage): Runs {
  /** By id, oldest first. */
  const known = new Map<string, Run>();
  const restored = restoreAll(caches, known);
  let settled = false;
  void restored.then(() => (settled = true));
  /** Writes happen one after the other, so that the list of files is never older than a file. */
  let writes: Promise<void> = Promise.resolve();

  const write = (work: () => Promise<void>) => {
    writes = writes.then(work, work);
    return writes;
  };
  /** Paths that changed since they were last written, by run. */
  const unwritten = new Map<string, Set<string>>();
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
    for (const [id, paths] of batch) {
      const run = known.get(id);
      if (run) await persist(caches, run, paths);
    }
  };

  return {
    async store(message, answer) {
      await restored;
      const run = apply(known, message);
      if (!run) return answer({ type: 'base-unknown' });
      answer({ type: 'stored', version: run.version });
      for (const look of waiting) look();
      const outdated = [...known.keys()].slice(0, -keptRuns);
      for (const id of outdated) known.delete(id);
      const paths = unwritten.get(run.id) ?? new Set();
      unwritten.set(run.id, paths);
      for (const { path } of message.files) paths.add(path);
      await writeSoon();
      for (const id of outdated) await caches.delete(prefix + id);
    },
    async find(id, version = null) {
      await restored;
      if (version !== null && isToCome(known.get(id), version)) await untilStored(id, version);
      return known.get(id);
    },
    async findLatest() {
      await restored;
      return [...known.values()].at(-1);
    },
    async forget(id) {
      await restored;
      known.delete(id);
      await write(async () => void (await caches.delete(prefix + id)));
    },
    knowsNone: () => settled && known.size === 0,
  };
}

function isToCome(run: Run | undefined, version: number): boolean {
  if (!run) return true;
  return version > run.version && version < run.version + farAhead;
}

/** The run with the change made, now the latest; undefined if the change has no base here. */
function apply(known: Map<string, Run>, message: Store): Run | undefined {
  const before = known.get(message.run);
  if (message.base !== null && before?.version !== message.base) return undefined;
  const files = message.base === null ? new Map<string, RunFile>() : before?.files;
  if (!files) return undefined;
  for (const path of message.removed) files.delete(path);
  for (const { path, ...file } of message.files) files.set(path, file);
  const run = { id: message.run, version: message.version, files };
  known.delete(message.run);
  known.set(message.run, run);
  return run;
}

async function persist(caches: CacheStorage, run: Run, paths: Iterable<string>): Promise<void> {
  const cache = await caches.open(prefix + run.id);
  const { version, files } = run;
  const having = (form: Form) =>
    [...files].filter(([, file]) => file[form] !== null).map(([path]) => path);
  const list = {
    version,
    stored: Date.now(),
    paths: [...files.keys()],
    code: having('code'),
    module: having('module'),
  };
  await Promise.all(
    [...paths].map(async (path) => {
      const file = files.get(path);
      if (!file) return;
      const headers = { 'Content-Type': file.mediaType };
      await cache.put(entryName('file', path), new Response(file.text, { headers }));
      for (const form of forms) {
        const text = file[form];
        if (text !== null) await cache.put(entryName(form, path), new Response(text));
      }
    }),
  );
  await cache.put('/', new Response(JSON.stringify(list)));
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** What there may be of a file beside its text. */
const forms = ['code', 'module'] as const;
type Form = (typeof forms)[number];

function entryName(kind: 'file' | Form, path: string): string {
  return `/${kind}/${encodeURIComponent(path)}`;
}

async function restoreAll(caches: CacheStorage, known: Map<string, Run>): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.startsWith(prefix));
  const found = await Promise.all(names.map((name) => restore(caches, name)));
  const runs = found.filter((run) => run !== undefined).sort((a, b) => a.stored - b.stored);
  for (const { run } of runs) known.set(run.id, run);
}

/** A run as it was kept; undefined if any of it is missing, so that the app sends it again. */
async function restore(
  caches: CacheStorage,
  name: string,
): Promise<{ run: Run; stored: number } | undefined> {
  const cache = await caches.open(name);
  const list = parseList(await (await cache.match('/'))?.json());
  if (!list) return undefined;
  const files = new Map<string, RunFile>();
  for (const path of list.paths) {
    const kept = await cache.match(entryName('file', path));
    const [code, module] = await Promise.all(
      forms.map((form) => (list[form].has(path) ? read(cache, entryName(form, path)) : null)),
    );
    if (!kept || code === undefined || module === undefined) return undefined;
    files.set(path, {
      text: await kept.text(),
      mediaType: kept.headers.get('Content-Type') ?? 'text/plain; charset=utf-8',
      code,
      module,
    });
  }
  return {
    run: { id: name.slice(prefix.length), version: list.version, files },
    stored: list.stored,
  };
}

async function read(cache: Cache, name: string): Promise<string | undefined> {
  return (await cache.match(name))?.text();
}

interface FileList {
  version: number;
  stored: number;
  paths: string[];
  /** The paths that have one. */
  code: ReadonlySet<string>;
  module: ReadonlySet<string>;
}

/** User code can write to this cache; it can only spoil its own page. */
function parseList(input: unknown): FileList | undefined {
  if (!isRecord(input)) return undefined;
  const { version, stored } = input;
  if (typeof version !== 'number' || typeof stored !== 'number') return undefined;
  const paths = parsePaths(input['paths']);
  const [code, module] = [parsePaths(input['code']), parsePaths(input['module'])];
  if (!paths || !code || !module) return undefined;
  return { version, stored, paths, code: new Set(code), module: new Set(module) };
}

function parsePaths(input: unknown): string[] | undefined {
  if (!Array.isArray(input)) return undefined;
  return input.every((path) => typeof path === 'string') ? input : undefined;
}
