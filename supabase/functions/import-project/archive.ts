/*
 * Reads the files of one folder from a gzipped tar as code hosts make it: everything is in a folder
 * named after the repository. The archive is read as a stream, and given up at the first limit that
 * it exceeds, so neither its size nor what it unpacks to takes memory.
 */
import { Readable, pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar';
import { Refusal } from '../_shared/answer.ts';
import { toStream } from '../_shared/streams.ts';

/** A file that was read. */
export interface ReadFile {
  /** Relative to the folder that was requested. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** A file or folder that isn't imported. Reasons are the app's. */
export interface LeftOut {
  readonly path: string;
  /** Number of files in a folder. */
  readonly count?: number;
  readonly reason: 'link' | 'dependencies' | 'invalid_path' | 'asset_too_large';
}

interface ArchiveLimits {
  /** Bytes of the archive, also of entries that aren't needed. */
  readonly unpackedBytes: number;
  /** Entries of the archive, of any kind. */
  readonly entries: number;
  /** Files that are read, and their bytes. */
  readonly files: number;
  readonly fileBytes: number;
  readonly totalBytes: number;
}

/** Projects may have 1,000 files and 110 MB; the app chooses among these. */
export const archiveLimits: ArchiveLimits = {
  unpackedBytes: 512 * 1024 * 1024,
  entries: 100_000,
  files: 2_000,
  fileBytes: 10 * 1024 * 1024,
  totalBytes: 110 * 1024 * 1024,
};

/**
 * Yields the files in `folder` of a gzipped tar, in the archive's order, and adds others in it to
 * `leftOut`. Throws a `Refusal`: `import_too_large`, `import_damaged`, `link_not_found` if there is
 * no such folder, or what `packed` throws.
 *
 * @param folder Path in the repository: "", "examples/clock", or a file's path.
 */
export async function* readArchive(
  packed: AsyncIterable<Uint8Array>,
  folder: string,
  leftOut: LeftOut[],
  limits: ArchiveLimits = archiveLimits,
): AsyncGenerator<ReadFile> {
  let entries = 0;
  let files = 0;
  let bytes = 0;
  let isInside = false;
  try {
    for await (const entry of decode(packed, limits)) {
      entries += 1;
      if (entries > limits.entries) throw new Refusal(422, 'import_too_large');
      const path = findPath(entry.header.name, folder);
      // Git writes folders one after the other.
      if (path === undefined && isInside && folder !== '') return;
      isInside ||= path !== undefined;
      const accepted = path !== undefined && checkEntry(entry, path, leftOut, limits);
      if (!accepted) {
        await entry.body.cancel();
        continue;
      }
      files += 1;
      bytes += entry.header.size;
      if (files > limits.files || bytes > limits.totalBytes)
        throw new Refusal(422, 'import_too_large');
      yield { path, bytes: new Uint8Array(await new Response(entry.body).arrayBuffer()) };
    }
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(502, 'import_damaged');
  }
  if (!isInside) throw new Refusal(404, 'link_not_found');
}

/** Yields the entries of a gzipped tar. Each body must be read or canceled before the next entry. */
async function* decode(
  packed: AsyncIterable<Uint8Array>,
  limits: ArchiveLimits,
): AsyncGenerator<ParsedTarEntry> {
  const decoder = createTarDecoder({ strict: true });
  const reader = decoder.readable.getReader();
  const left = new AbortController();
  let failure: unknown;
  const piped = toStream(gunzip(packed, limits.unpackedBytes))
    .pipeTo(decoder.writable, { signal: left.signal })
    .catch((error: unknown) => (failure = error));
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield value;
    }
    await piped;
  } catch (error) {
    await piped;
    throw failure ?? error;
  } finally {
    // Also when the loop over the entries ends early.
    left.abort();
  }
  if (failure !== undefined) throw failure;
}

async function* gunzip(
  packed: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const source = Readable.from(packed, { objectMode: false });
  // An error destroys both streams, and is thrown to the reader.
  const unpacked = pipeline(source, createGunzip(), () => undefined);
  let bytes = 0;
  for await (const chunk of unpacked as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new Refusal(422, 'import_too_large');
    yield chunk;
  }
}

/** "clock-main/src/a.js" in "src" → "a.js". Undefined outside of the folder. */
function findPath(name: string, folder: string): string | undefined {
  const inside = name.replace(/^[^/]*\/?/, '');
  if (folder === '') return inside;
  if (inside === folder) return inside.replace(/^.*\//, '');
  return inside.startsWith(`${folder}/`) ? inside.slice(folder.length + 1) : undefined;
}

/** Whether an entry is a file to read. Adds links and others to `leftOut`. */
function checkEntry(
  { header: { type, size } }: ParsedTarEntry,
  path: string,
  leftOut: LeftOut[],
  limits: ArchiveLimits,
): boolean {
  if (type === 'directory' || path === '') return false;
  const packages = /^(?:.*\/)?node_modules(?=\/)/.exec(path)?.[0];
  if (packages !== undefined) {
    leftOut.push({ path: packages, count: 1, reason: 'dependencies' });
    return false;
  }
  const reason = findReason(path, type, size, limits);
  if (reason) leftOut.push({ path, reason });
  return reason === undefined;
}

function findReason(
  path: string,
  type: ParsedTarEntry['header']['type'],
  size: number,
  { fileBytes }: ArchiveLimits,
): LeftOut['reason'] | undefined {
  if (type !== 'file' && type !== undefined) return 'link';
  const isPlain = path.split('/').every((part) => !/^\.{0,2}$|[\\\p{Cc}]|^__vitrine/u.test(part));
  if (!isPlain) return 'invalid_path';
  return size > fileBytes ? 'asset_too_large' : undefined;
}
