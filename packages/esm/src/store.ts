/*
 * What the package server keeps on disk: unpacked packages, built ones, link tables and compressed
 * forms. Whatever stands under its final name is whole: it was filled under a name of its own, and
 * renamed (and what a power cut may have left half goes: flush-later.ts). Several processes may share a folder: they may do the same work twice, and
 * whoever comes second takes what is there.
 *
 *   FOLDER/unpacked/ID/   FOLDER/built/ID/   FOLDER/joined/ID/
 *   FOLDER/files/KIND/ID  FOLDER/links/LINK
 *   FOLDER/unflushed/…    marks of folders whose files may not be on the disk yet
 *   FOLDER/sizes/…        bytes of each filled folder, written before it gets its name
 *   FOLDER/temporary/…    work in progress, or left by a process that was killed
 */
import { builderGeneration, type Family, type LinkTable, type PackageMode } from '@vitrine/project';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { folderBytes } from './build/folder-bytes.ts';
import { openLateFlushing } from './flush-later.ts';
import { isRecord } from './specs.ts';
import { evictOldest, forgetOldestFiles } from './store-eviction.ts';
import { ignoreAbsent, isAbsent, writeWholeFile } from './whole-file.ts';

/** One version of a package by its content: a republished one is another. */
export interface PackageKey {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
}

export interface BuildKey extends PackageKey {
  readonly mode: PackageMode;
  /** One subpath outside the common build (`./map`), or one file as a worker. */
  readonly subpath?: string;
  readonly worker?: string;
}

/** Puts into an empty folder what is to be kept. Whatever it throws, nothing is kept. */
export type Fill = (folder: string) => Promise<void>;

export interface PackageStore {
  /** The folder of an unpacked package, filled first if it is not there; joined in flight. */
  unpacked(key: PackageKey, fill: Fill): Promise<string>;
  built(key: BuildKey, fill: Fill): Promise<string>;
  /** Undefined when it was not built (yet). */
  findBuilt(key: BuildKey): Promise<string | undefined>;
  /** What was joined of a family, by its head's LINK. */
  joined(link: string, fill: Fill): Promise<string>;
  readLink(link: string): Promise<LinkTable | undefined>;
  writeLinks(tables: ReadonlyMap<string, LinkTable>): Promise<void>;
  /** Small things that can be made again, by kind and any key. */
  readFile(kind: string, key: string): Promise<Buffer | undefined>;
  writeFile(kind: string, key: string, content: string | Uint8Array): Promise<void>;
}

export interface StoreOptions {
  readonly folder: string;
  /** Beyond this, what was not used for longest goes. */
  readonly maxBytes: number;
}

/** How often a use is noted, so that reading does not mean writing. */
const noteUseMs = 60 * 60 * 1000;
/** Link tables known in memory; each is under a kilobyte. */
const keptTables = 20_000;
const evictEvery = 50;
/** Link tables on disk. One that went is written again when its lock is shown the next time. */
const keptLinks = 200_000;

export async function openStore({ folder, maxBytes }: StoreOptions): Promise<PackageStore> {
  const temporary = join(folder, 'temporary');
  await mkdir(temporary, { recursive: true });
  await forgetLeftovers(temporary);
  const flushing = await openLateFlushing(folder);
  /** Path → who is filling it. */
  const inFlight = new Map<string, Promise<string>>();
  const tables = new Map<string, LinkTable>();
  const noted = new Map<string, number>();
  let written = 0;

  const obtain = (kind: string, id: string, fill: Fill): Promise<string> => {
    const path = join(folder, kind, id);
    const running = inFlight.get(path);
    if (running !== undefined) return running;
    const started = findOrFill(kind, id, fill).finally(() => inFlight.delete(path));
    inFlight.set(path, started);
    return started;
  };

  const findOrFill = async (kind: string, id: string, fill: Fill): Promise<string> => {
    const path = join(folder, kind, id);
    if (await find(path)) return path;
    const work = join(temporary, randomUUID());
    await mkdir(work, { recursive: true });
    try {
      await fill(work);
      const [flushLater] = await Promise.all([
        flushing.begin(work, kind, id),
        writeSize(work, kind, id),
        mkdir(join(folder, kind), { recursive: true }),
      ]);
      await renameUnlessThere(work, path);
      flushLater();
    } finally {
      await rm(work, { recursive: true, force: true });
    }
    if (++written % evictEvery === 0) {
      await evictOldest(folder, maxBytes);
      await forgetOldestFiles(join(folder, 'links'), keptLinks);
    }
    return path;
  };

  const writeSize = async (work: string, kind: string, id: string) => {
    const bytes = folderBytes(work);
    await writeWholeFile(join(folder, 'sizes', `${kind}-${id}`), String(bytes));
  };

  const find = async (path: string): Promise<boolean> => {
    try {
      await stat(path);
    } catch (error) {
      if (isAbsent(error)) return false;
      throw error;
    }
    const now = Date.now();
    if (now - (noted.get(path) ?? 0) > noteUseMs) {
      noted.set(path, now);
      await utimes(path, new Date(), new Date());
    }
    return true;
  };

  const remember = (link: string, table: LinkTable) => {
    tables.set(link, table);
    const [oldest] = tables.keys();
    if (tables.size > keptTables && oldest !== undefined) tables.delete(oldest);
  };

  return {
    unpacked: (key, fill) => obtain('unpacked', packageId(key), fill),
    built: (key, fill) => obtain('built', buildId(key), fill),
    async findBuilt(key) {
      const path = join(folder, 'built', buildId(key));
      return (await find(path)) ? path : undefined;
    },
    joined: (link, fill) => obtain('joined', link, fill),
    async readLink(link) {
      if (!/^[a-z2-7]{16}$/.test(link)) return undefined;
      const known = tables.get(link) ?? (await readTable(join(folder, 'links', link)));
      if (known !== undefined) remember(link, known);
      return known;
    },
    async writeLinks(given) {
      await mkdir(join(folder, 'links'), { recursive: true });
      for (const [link, table] of given) {
        if (tables.has(link)) continue;
        // Not flushed, since a lock has hundreds: half a table cannot be read, and counts as none.
        const work = join(temporary, randomUUID());
        await writeFile(work, JSON.stringify(table));
        await rename(work, join(folder, 'links', link));
        remember(link, table);
      }
    },
    async readFile(kind, key) {
      const path = join(folder, 'files', kind, hash(key));
      return (await find(path)) ? readFile(path) : undefined;
    },
    async writeFile(kind, key, content) {
      await writeWholeFile(join(folder, 'files', kind, hash(key)), content);
    },
  };
}

/** What tells packages apart, as a text. */
export function keyText({ name, version, integrity }: PackageKey): string {
  return `${name}@${version} ${integrity}`;
}

function packageId({ name, version, integrity }: PackageKey): string {
  return `${readable(name, version)}-${hash(`${name}\n${version}\n${integrity}`)}`;
}

function buildId({ name, version, integrity, mode, subpath = '', worker = '' }: BuildKey): string {
  const parts = [name, version, integrity, builderGeneration, mode, subpath, worker];
  return `${readable(name, version)}-${mode}-${hash(JSON.stringify(parts))}`;
}

/** For whoever looks into the folder; the hash alone tells packages apart. */
function readable(name: string, version: string): string {
  return `${name.replace('/', '+')}@${version}`
    .toLowerCase()
    .replace(/[^a-z0-9@+._-]/g, '_')
    .slice(0, 120);
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 40);
}

async function renameUnlessThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    const isThere =
      error instanceof Error &&
      'code' in error &&
      (error.code === 'ENOTEMPTY' || error.code === 'EEXIST');
    if (!isThere) throw error;
  }
}

async function readTable(path: string): Promise<LinkTable | undefined> {
  try {
    return parseTable(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    if (isAbsent(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function parseTable(value: unknown): LinkTable | undefined {
  if (!isRecord(value)) return undefined;
  const { builder, mode, name, version, integrity, dependencies } = value;
  if (builder !== builderGeneration || (mode !== 'development' && mode !== 'production')) {
    return undefined;
  }
  if (typeof name !== 'string' || typeof version !== 'string' || typeof integrity !== 'string') {
    return undefined;
  }
  if (!isRecord(dependencies)) return undefined;
  const given = value['family'];
  const family = given === undefined ? undefined : parseFamily(given);
  if (given !== undefined && family === undefined) return undefined;
  const targets = Object.entries(dependencies).filter(
    (entry): entry is [string, string | null] => entry[1] === null || typeof entry[1] === 'string',
  );
  return {
    builder,
    mode,
    name,
    version,
    integrity,
    dependencies: Object.fromEntries(targets),
    ...(family && { family }),
  };
}

function parseFamily(value: unknown): Family | undefined {
  if (!isRecord(value)) return undefined;
  const { companions, moved, sharedBy, shared } = value;
  if (!isTexts(companions) || !isRecord(moved)) return undefined;
  const isTarget = (entry: [string, unknown]): entry is [string, string] =>
    typeof entry[1] === 'string';
  return {
    companions,
    moved: Object.fromEntries(Object.entries(moved).filter(isTarget)),
    ...(isTexts(sharedBy) && { sharedBy }),
    ...(typeof shared === 'string' && { shared }),
  };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Longer than any download or build takes. */
const leftoverMs = 60 * 60 * 1000;

async function forgetLeftovers(temporary: string): Promise<void> {
  for (const name of await readdir(temporary)) {
    const path = join(temporary, name);
    const age = await stat(path).then(({ mtimeMs }) => Date.now() - mtimeMs, ignoreAbsent);
    if (age !== undefined && age > leftoverMs) await rm(path, { recursive: true, force: true });
  }
}
