/*
 * Unpacks a package's tarball into a folder. tar's parser reads the archive, but doesn't extract it,
 * because it would create links and move absolute paths inside. Only regular files are accepted. The
 * whole package is rejected at the first irregularity: nothing is skipped or corrected.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import ssri from 'ssri';
import { Parser, type ReadEntry } from 'tar';
import { VitrineError } from '@vitrine/project';

export interface UnpackLimits {
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  readonly fileBytes: number;
  readonly files: number;
  readonly depth: number;
}

/**
 * @fluentui/react-icons unpacks to 174 MB, phaser has a file of 49 MB, and a zip bomb of 1:1000
 * stops at 200 MB.
 */
export const defaultUnpackLimits: UnpackLimits = {
  packedBytes: 50e6,
  unpackedBytes: 200e6,
  fileBytes: 60e6,
  files: 50_000,
  depth: 64,
};

/**
 * Unpacks a gzipped tarball. When it throws, discard the content of `folder`.
 *
 * @param folder Path of an existing empty folder.
 * @param options.integrity Integrity from the registry or the lockfile ('sha512-…').
 * @throws VitrineError `package_unsafe`, `package_too_large` or `package_damaged`.
 */
export async function unpackTarball(
  packed: AsyncIterable<Uint8Array>,
  folder: string,
  { integrity, limits = defaultUnpackLimits }: { integrity: string; limits?: UnpackLimits },
): Promise<void> {
  const extractor = createExtractor(folder, limits);
  const checked = checkPacked(packed, integrity, limits);
  try {
    for await (const chunk of gunzip(checked)) {
      extractor.take(chunk);
      await extractor.settle();
    }
  } catch (error) {
    await extractor.drain();
    throw toRejection(error);
  }
  await extractor.end();
}

/** Passes the bytes through, and throws after the last chunk when they don't have the integrity. */
async function* checkPacked(
  packed: AsyncIterable<Uint8Array>,
  integrity: string,
  limits: UnpackLimits,
) {
  const checker = ssri.integrityStream({ integrity });
  checker.resume();
  const failure = new Promise<unknown>((resolve) =>
    checker.once('error', resolve).once('end', () => resolve(undefined)),
  );
  let bytes = 0;
  for await (const chunk of packed) {
    bytes += chunk.byteLength;
    if (bytes > limits.packedBytes)
      throw tooLarge(`is larger than ${formatBytes(limits.packedBytes)}`);
    checker.write(Buffer.from(chunk));
    yield chunk;
  }
  checker.end();
  if (await failure)
    throw new VitrineError(
      'package_damaged',
      `The tarball doesn’t match its integrity ${integrity}`,
    );
}

function gunzip(packed: AsyncIterable<Uint8Array>): AsyncIterable<Buffer> {
  const source = Readable.from(packed, { objectMode: false });
  // An error destroys both streams, and is thrown to the reader.
  return pipeline(source, createGunzip(), () => undefined);
}

/**
 * Limit of bytes after the archive's end. Archives are padded to a few kilobytes, and tar's parser
 * takes a second for each further megabyte.
 */
const maxTrailing = 1_000_000;

interface Extractor {
  /** Parses the next chunk. Throws the first rejection. */
  take(chunk: Buffer): void;
  /** Waits until the files are written when many are in progress. */
  settle(): Promise<void>;
  /** Waits until all started files are written. */
  drain(): Promise<void>;
  /** Ends the archive. Throws the first rejection. */
  end(): Promise<void>;
}

function createExtractor(folder: string, limits: UnpackLimits): Extractor {
  const parser = new Parser({ strict: true });
  const seen = new Set<string>();
  const folders = new Map<string, Promise<unknown>>();
  const writing = new Set<Promise<void>>();
  let rejection: unknown;
  let files = 0;
  let bytes = 0;
  let tarBytes = 0;
  let hasEnded = false;
  let trailing = 0;
  const reject = (error: unknown) => (rejection ??= error);
  const write = async (path: string, content: Buffer, isDuplicate: boolean) => {
    if (isDuplicate) return compare(path, content);
    const parent = dirname(join(folder, path));
    if (!folders.has(parent)) folders.set(parent, mkdir(parent, { recursive: true }));
    await folders.get(parent);
    await writeNew(path, content);
  };
  /**
   * Writes a file that must not exist. Names that differ in case or Unicode composition are different
   * files where the file system keeps them apart, and unsafe elsewhere: which one a path leads to
   * would depend on the order of the archive.
   */
  const writeNew = async (path: string, content: Buffer) => {
    try {
      await writeFile(join(folder, path), content, { flag: 'wx', mode: 0o644 });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      throw unsafe(`names that are the same on this server’s file system: ${path}`);
    }
  };
  /**
   * Compares a file that an archive contains twice. npm has packed files as `./dist/a.js` and as
   * `dist/a.js`; equal bytes count as one file.
   */
  const compare = async (path: string, content: Buffer) => {
    await Promise.all(writing);
    const before = await readFile(join(folder, path));
    if (!before.equals(content)) throw unsafe(`two files with the same name: ${path}`);
  };
  const accept = (entry: ReadEntry) => {
    const path = checkEntry(entry, limits);
    const isDuplicate = path !== undefined && seen.has(path);
    if (path !== undefined) seen.add(path);
    if (path !== undefined && ++files > limits.files) {
      throw tooLarge(`has more than ${limits.files} files`);
    }
    bytes += entry.size;
    if (bytes > limits.unpackedBytes)
      throw tooLarge(`is larger than ${formatBytes(limits.unpackedBytes)} unpacked`);
    if (path === undefined) return entry.resume();
    const chunks: Buffer[] = [];
    entry.on('data', (chunk: Buffer) => chunks.push(chunk));
    entry.on('end', () => {
      const task: Promise<void> = write(path, Buffer.concat(chunks), isDuplicate)
        .catch(reject)
        .then(() => void writing.delete(task));
      writing.add(task);
    });
  };
  parser.on('entry', (entry: ReadEntry) => {
    try {
      accept(entry);
    } catch (error) {
      reject(error);
      entry.resume();
    }
  });
  parser.on('ignoredEntry', (entry: ReadEntry) =>
    reject(unsafe(`an entry of type ${entry.type}: ${entry.path}`)),
  );
  parser.on('error', reject);
  parser.on('eof', () => (hasEnded = true));
  const check = () => {
    if (rejection !== undefined) throw toRejection(rejection);
  };
  const drain = async () => void (await Promise.all(writing));
  return {
    drain,
    take(chunk) {
      tarBytes += chunk.byteLength;
      // Headers and padding take 1,024 bytes per file at most; the rest is content.
      if (tarBytes > limits.unpackedBytes + limits.files * 1024) throw tooLarge('is too large');
      if (hasEnded) trailing += chunk.byteLength;
      else parser.write(chunk);
      if (trailing > maxTrailing) reject(unsafe('trailing bytes after its end'));
      check();
    },
    async settle() {
      if (writing.size > 64) await drain();
    },
    async end() {
      const ended = new Promise((resolve) => parser.once('end', resolve));
      parser.end();
      check();
      await ended;
      await drain();
      check();
      if (!seen.has('package.json')) throw unsafe('no package.json');
    },
  };
}

/**
 * Path below the package's folder; undefined for a folder. Throws for everything but plain files
 * and folders.
 */
function checkEntry(entry: ReadEntry, limits: UnpackLimits) {
  const isFolder = entry.type === 'Directory';
  if (!isFolder && entry.type !== 'File' && entry.type !== 'OldFile') {
    throw unsafe(`an entry of type ${entry.type}: ${entry.path}`);
  }
  if (entry.size > limits.fileBytes)
    throw tooLarge(`has a file of ${formatBytes(entry.size)}: ${entry.path}`);
  const segments = checkSegments(isFolder ? entry.path.replace(/\/$/, '') : entry.path);
  if (segments.length > limits.depth) throw tooLarge(`has folders nested ${segments.length} deep`);
  // All published files are in one folder, usually named 'package'.
  const path = segments.slice(1).join('/');
  if (isFolder) return undefined;
  if (path === '') throw unsafe(`a file outside the package’s folder: ${entry.path}`);
  return path;
}

/**
 * Splits a path and drops `.` segments, which some tools write (`package/./a.js`), so that
 * duplicates are found.
 */
function checkSegments(path: string): string[] {
  const segments = path.split('/').filter((part, index) => part !== '.' || index === 0);
  // `..` is among the names that end in a dot. Windows drops trailing dots and spaces.
  const isPlain = segments.every(
    (part) => part !== '' && !/[\\\u0000-\u001f\u007f]|[. ]$|^[a-z]:/i.test(part),
  );
  if (!isPlain) throw unsafe(`an unsafe path: ${JSON.stringify(path)}`);
  return segments;
}

function unsafe(what: string): VitrineError {
  return new VitrineError('package_unsafe', `The tarball has ${what}`);
}

function tooLarge(what: string): VitrineError {
  return new VitrineError('package_too_large', `The tarball ${what}`);
}

/** 200001 → "200,001 bytes" */
function formatBytes(bytes: number): string {
  return `${bytes.toLocaleString('en-US')} bytes`;
}

/**
 * Converts format errors of zlib and tar's parser to a rejection; other errors are returned
 * unchanged.
 */
function toRejection(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isFormat = /^(?:Z_|TAR_|EEXIST|EISDIR|ENOTDIR|ENAMETOOLONG)/.test(code);
  return isFormat ? unsafe(`damaged or ambiguous content (${code})`) : error;
}
