import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import type { ByteRange } from '@vitrine/project';

/**
 * Contents of objects, in files that never change. A file's name is its version, a UUID generated
 * here: no user input becomes part of a path. Files are written under a temporary name, synced and
 * renamed, so that a file is either complete or missing.
 *
 *   folder/unfinished/VERSION   while it is written
 *   folder/whole/XX/VERSION     XX: the first two characters of the version
 *   folder/lost/VERSION         without a row; deleted after a week
 */
export interface FileStore {
  /**
   * Writes `source` to a new file. Leaves no file when the source fails or has more than `limit`
   * bytes; in the latter case it resolves to 'too-large'.
   */
  write(source: Readable, limit: number): Promise<WrittenFile | 'too-large'>;
  /** Copies a file and resolves to the version of the copy. */
  copy(version: string): Promise<string>;
  /**
   * Opens a file; undefined when it does not exist. The stream of a whole file fails at the end
   * when its checksum differs from `sha256`.
   */
  read(version: string, sha256: string, part?: ByteRange): Promise<FileReading | undefined>;
  remove(versions: readonly string[]): Promise<void>;
  /**
   * Moves files without a row to `lost`, if they are older than an hour: younger ones may be about
   * to get their row. `findKnown` returns which of the versions have a row. Resolves to the number
   * of files.
   */
  moveOrphans(findKnown: (versions: string[]) => Promise<ReadonlySet<string>>): Promise<number>;
}

export interface WrittenFile {
  version: string;
  size: number;
  sha256: string;
}

interface FileReading {
  stream: Readable;
  size: number;
}

const hourMs = 3_600_000;
const weekMs = 7 * 24 * hourMs;
const versionPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Opens the store, and creates missing directories. */
export async function openFileStore(folder: string): Promise<FileStore> {
  const [unfinishedDir, wholeDir, lostDir] = ['unfinished', 'whole', 'lost'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  for (const dir of [unfinishedDir, wholeDir, lostDir])
    await mkdir(dir, { recursive: true, mode: 0o700 });

  function getPath(version: string): string {
    // Rows inserted by SQL can have any version.
    if (!versionPattern.test(version)) throw new Error('An object has an invalid version.');
    return join(wholeDir, version.slice(0, 2), version);
  }

  async function finish(temporary: string, version: string): Promise<void> {
    const target = getPath(version);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await rename(temporary, target);
    await sync(dirname(target));
  }

  /** Creates a file with `writeContents`. Deletes it when that throws or returns 'too-large'. */
  async function createFile<T>(writeContents: (temporary: string) => Promise<T | 'too-large'>) {
    const version = randomUUID();
    const temporary = join(unfinishedDir, version);
    try {
      const written = await writeContents(temporary);
      if (written === 'too-large') return 'too-large';
      await finish(temporary, version);
      return { version, written };
    } finally {
      await rm(temporary, { force: true });
    }
  }

  return {
    async write(source, limit) {
      const created = await createFile((temporary) => writeFile(temporary, source, limit));
      return created === 'too-large' ? created : { version: created.version, ...created.written };
    },
    async copy(version) {
      const created = await createFile(async (temporary) => {
        await copyFile(getPath(version), temporary, constants.COPYFILE_FICLONE);
        await sync(temporary);
      });
      if (created === 'too-large') throw new Error('a copy has no limit');
      return created.version;
    },
    async read(version, sha256, part) {
      const handle = await openIfExists(getPath(version));
      if (handle === undefined) return undefined;
      const { size } = await handle.stat();
      if (part !== undefined) {
        return { size, stream: handle.createReadStream({ start: part.from, end: part.to }) };
      }
      return { size, stream: verifyChecksum(handle.createReadStream(), sha256) };
    },
    async remove(versions) {
      for (const version of versions) await rm(getPath(version), { force: true });
    },
    async moveOrphans(findKnown) {
      await deleteOlderThan(unfinishedDir, hourMs);
      await deleteOlderThan(lostDir, weekMs);
      let count = 0;
      for (const prefix of await readdir(wholeDir)) {
        const versions = await listOlderThan(join(wholeDir, prefix), hourMs);
        const known = await findKnown(versions);
        for (const version of versions.filter((candidate) => !known.has(candidate))) {
          const now = new Date();
          await utimes(join(wholeDir, prefix, version), now, now);
          await rename(join(wholeDir, prefix, version), join(lostDir, version));
          count += 1;
        }
      }
      return count;
    },
  };
}

/** Writes a file, with its size and checksum. It is on disk when this resolves. */
async function writeFile(path: string, source: Readable, limit: number) {
  const hash = createHash('sha256');
  let size = 0;
  const handle = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) return 'too-large';
      hash.update(chunk);
      await handle.writeFile(chunk);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { size, sha256: hash.digest('hex') };
}

/** Syncs a file or directory to disk. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function openIfExists(path: string) {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function listOlderThan(folder: string, ageMs: number): Promise<string[]> {
  const names: string[] = [];
  for (const name of await readdir(folder)) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    // Another process may have deleted it meanwhile.
    if (found && Date.now() - found.mtimeMs > ageMs) names.push(name);
  }
  return names;
}

async function deleteOlderThan(folder: string, ageMs: number): Promise<void> {
  for (const name of await listOlderThan(folder, ageMs))
    await rm(join(folder, name), { force: true });
}

/**
 * Passes a file's contents through and compares their checksum. Holds back the last chunk until the
 * checksum is known: readers of a corrupted file get an aborted stream instead of an end.
 */
function verifyChecksum(source: Readable, sha256: string): Readable {
  const hash = createHash('sha256');
  let lastChunk: Buffer | undefined;
  const checked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      const before = lastChunk;
      lastChunk = chunk;
      done(null, before);
    },
    flush(done) {
      if (hash.digest('hex') === sha256) return done(null, lastChunk);
      done(new Error('A stored file is corrupted.'));
    },
  });
  source.on('error', (error) => checked.destroy(error));
  checked.on('close', () => source.destroy());
  return source.pipe(checked);
}
