/**
 * A package's tarball into a folder, by rules of our own on top of tar's parser (which, left to
 * itself, makes links and moves absolute paths inside). Regular files only, and at the first thing
 * that is not as it should be the whole package is refused: nothing is skipped or corrected.
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

/** @fluentui/react-icons unpacks to 174 MB, phaser has a file of 49 MB; a bomb of 1:1000 stops at 200 MB. */
export const defaultUnpackLimits: UnpackLimits = {
  packedBytes: 50e6,
  unpackedBytes: 200e6,
  fileBytes: 60e6,
  files: 50_000,
  depth: 64,
};

/**
 * Unpacks gzipped tar into `folder`, an existing empty one. Throws `package_unsafe`,
 * `package_too_large` or `package_damaged`; what the folder then holds is to be thrown away. `integrity` is that of the registry or the lock ('sha512-…').
 */
export async function unpackTarball(
  packed: AsyncIterable<Uint8Array>,
  folder: string,
  { integrity, limits = defaultUnpackLimits }: { integrity: string; limits?: UnpackLimits },
): Promise<void> {
  const reading = startReading(folder, limits);
  const checked = checkPacked(packed, integrity, limits);
  try {
    for await (const chunk of gunzip(checked)) {
      reading.take(chunk);
      await reading.settle();
    }
  } catch (error) {
    await reading.drain();
    throw asRefusal(error);
  }
  await reading.end();
}

/** Ends with an error, after the last chunk, when the bytes are not those that were promised. */
async function* checkPacked(
  packed: AsyncIterable<Uint8Array>,
  integrity: string,
  limits: UnpackLimits,
) {
  const checker = ssri.integrityStream({ integrity });
  checker.resume();
  const failure = new Promise<unknown>((settle) =>
    checker.once('error', settle).once('end', () => settle(undefined)),
  );
  let bytes = 0;
  for await (const chunk of packed) {
    bytes += chunk.byteLength;
    if (bytes > limits.packedBytes) throw tooLarge(`more than ${limits.packedBytes} bytes packed`);
    checker.write(Buffer.from(chunk));
    yield chunk;
  }
  checker.end();
  if (await failure) throw new VitrineError('package_damaged', `The tarball is not ${integrity}`);
}

function gunzip(packed: AsyncIterable<Uint8Array>): AsyncIterable<Buffer> {
  const source = Readable.from(packed, { objectMode: false });
  // An error destroys both ends, and reaches whoever reads.
  return pipeline(source, createGunzip(), () => undefined);
}

/** Archives are padded to some kilobytes; tar's parser takes a second for each megabyte of more. */
const maxTrailing = 1_000_000;

interface Reading {
  take(chunk: Buffer): void;
  /** Waits for files to be on the disk when many are under way. Throws the first refusal. */
  settle(): Promise<void>;
  drain(): Promise<void>;
  end(): Promise<void>;
}

function startReading(folder: string, limits: UnpackLimits): Reading {
  const parser = new Parser({ strict: true });
  const seen = new Map<string, string>();
  const folders = new Map<string, Promise<unknown>>();
  const writing = new Set<Promise<void>>();
  let refusal: unknown;
  let files = 0;
  let bytes = 0;
  let tarBytes = 0;
  let hasEnded = false;
  let trailing = 0;
  const refuse = (error: unknown) => (refusal ??= error);
  const write = async (path: string, content: Buffer, isAgain: boolean) => {
    if (isAgain) return compare(path, content);
    const parent = dirname(join(folder, path));
    if (!folders.has(parent)) folders.set(parent, mkdir(parent, { recursive: true }));
    await folders.get(parent);
    await writeFile(join(folder, path), content, { flag: 'wx', mode: 0o644 });
  };
  /** npm has packed files twice, as `./dist/a.js` and `dist/a.js`: the same bytes are one file. */
  const compare = async (path: string, content: Buffer) => {
    await Promise.all(writing);
    const before = await readFile(join(folder, path));
    if (!before.equals(content)) throw unsafe(`two files of one name: ${path}`);
  };
  const accept = (entry: ReadEntry) => {
    const path = checkEntry(entry, limits);
    const isAgain = path !== undefined && checkTwin(path, seen);
    if (path !== undefined && ++files > limits.files) {
      throw tooLarge(`more than ${limits.files} files`);
    }
    bytes += entry.size;
    if (bytes > limits.unpackedBytes)
      throw tooLarge(`more than ${limits.unpackedBytes} bytes unpacked`);
    if (path === undefined) return entry.resume();
    const chunks: Buffer[] = [];
    entry.on('data', (chunk: Buffer) => chunks.push(chunk));
    entry.on('end', () => {
      const task: Promise<void> = write(path, Buffer.concat(chunks), isAgain)
        .catch(refuse)
        .then(() => void writing.delete(task));
      writing.add(task);
    });
  };
  parser.on('entry', (entry: ReadEntry) => {
    try {
      accept(entry);
    } catch (error) {
      refuse(error);
      entry.resume();
    }
  });
  parser.on('ignoredEntry', (entry: ReadEntry) =>
    refuse(unsafe(`an entry of type ${entry.type}: ${entry.path}`)),
  );
  parser.on('error', refuse);
  parser.on('eof', () => (hasEnded = true));
  const check = () => {
    if (refusal !== undefined) throw asRefusal(refusal);
  };
  const drain = async () => void (await Promise.all(writing));
  return {
    drain,
    take(chunk) {
      tarBytes += chunk.byteLength;
      // Headers and padding are 1,024 bytes a file at most; the rest is content.
      if (tarBytes > limits.unpackedBytes + limits.files * 1024)
        throw tooLarge('too long an archive');
      if (hasEnded) trailing += chunk.byteLength;
      else parser.write(chunk);
      if (trailing > maxTrailing) refuse(unsafe('bytes after its end'));
      check();
    },
    async settle() {
      if (writing.size > 64) await drain();
    },
    async end() {
      const ended = new Promise((settle) => parser.once('end', settle));
      parser.end();
      check();
      await ended;
      await drain();
      check();
      if (!seen.has('package.json')) throw unsafe('no package.json');
    },
  };
}

/** The path below the package's folder; undefined for a folder. Throws for all that is not plain. */
function checkEntry(entry: ReadEntry, limits: UnpackLimits) {
  const isFolder = entry.type === 'Directory';
  if (!isFolder && entry.type !== 'File' && entry.type !== 'OldFile') {
    throw unsafe(`an entry of type ${entry.type}: ${entry.path}`);
  }
  if (entry.size > limits.fileBytes) throw tooLarge(`a file of ${entry.size} bytes: ${entry.path}`);
  const segments = checkSegments(isFolder ? entry.path.replace(/\/$/, '') : entry.path);
  if (segments.length > limits.depth) throw tooLarge(`folders ${segments.length} deep`);
  // All published files are in one folder, mostly called 'package'.
  const path = segments.slice(1).join('/');
  if (isFolder) return undefined;
  if (path === '') throw unsafe(`a file beside the package's folder: ${entry.path}`);
  return path;
}

/** `package/./a.js`, as some tools write it, is `package/a.js`: to be told from a twin by its name. */
function checkSegments(path: string): string[] {
  const segments = path.split('/').filter((part, index) => part !== '.' || index === 0);
  // `..` is among the names that end in a dot, which Windows takes for others.
  const isPlain = segments.every(
    (part) => part !== '' && !/[\\\u0000-\u001f\u007f]|[. ]$|^[a-z]:/i.test(part),
  );
  if (!isPlain) throw unsafe(`a path that is not plain: ${JSON.stringify(path)}`);
  return segments;
}

/**
 * True for a path that was there before. Two that are one on some system (but for case or
 * composition) are refused.
 */
function checkTwin(path: string, seen: Map<string, string>): boolean {
  const folded = path.normalize('NFKC').toLowerCase();
  const twin = seen.get(folded);
  if (twin !== undefined && twin !== path) {
    throw unsafe(`two files of one name: ${twin} and ${path}`);
  }
  seen.set(folded, path);
  return twin !== undefined;
}

function unsafe(what: string): VitrineError {
  return new VitrineError('package_unsafe', `The tarball has ${what}`);
}

function tooLarge(what: string): VitrineError {
  return new VitrineError('package_too_large', `The tarball has ${what}`);
}

/** What zlib or tar's parser say of bytes that are no tarball is a refusal too; the rest is not ours. */
function asRefusal(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isFormat = /^(?:Z_|TAR_|EEXIST|EISDIR|ENOTDIR|ENAMETOOLONG)/.test(code);
  return isFormat ? unsafe(`a damaged or ambiguous content (${code})`) : error;
}
