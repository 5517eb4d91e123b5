/*
 * Reads zips that nobody has checked. The central directory alone says what is in the archive. It is
 * read once, within `maxDirectoryBytes`, and entries are decompressed on request, by the browser, up
 * to the size that the directory declares. So neither the zip's size nor what it would unpack to
 * takes memory; callers add up the declared sizes before they read anything.
 */
import { VitrineError, type ErrorCode } from '@vitrine/project';
import {
  ERR_ENCRYPTED,
  ERR_ENCRYPTED_CENTRAL_DIRECTORY,
  ERR_UNSUPPORTED_COMPRESSION,
  ERR_UNSUPPORTED_ENCRYPTION,
  ZipReader,
  type CreateReadableOptions,
  type FileEntry,
} from '@zip.js/zip.js/lib/zip-core-reader.js';
import type { NameEncoding } from './name-encoding.ts';

/** A file in a zip. */
export interface ZipEntry {
  /**
   * Name as the archive has it, with "/" between folders. It may be any text: absolute, with ".."
   * segments, or the same as another entry's.
   */
  readonly path: string;
  /** Number of bytes that the archive declares. Reading yields exactly as many, or rejects. */
  readonly size: number;
  /** Whether the entry is a symbolic link, whose bytes are the path it leads to. */
  readonly isLink: boolean;
  /**
   * Decompresses the entry. Rejects with `zip_damaged` if the bytes don't have the declared size and
   * checksum, with `zip_encrypted`, or with `archive_unsupported`.
   */
  read(): Promise<Uint8Array<ArrayBuffer>>;
}

/** As many as a zip without extensions can have, enough for a site with its node_modules. */
const maxEntries = 65_535;
const maxDirectoryBytes = 16 * 1024 * 1024;

const codes: ReadonlyMap<string, ErrorCode> = new Map([
  [ERR_ENCRYPTED, 'zip_encrypted'],
  [ERR_ENCRYPTED_CENTRAL_DIRECTORY, 'zip_encrypted'],
  [ERR_UNSUPPORTED_ENCRYPTION, 'zip_encrypted'],
  [ERR_UNSUPPORTED_COMPRESSION, 'archive_unsupported'],
]);

/** The files of a zip. */
export interface ZipDirectory {
  readonly entries: readonly ZipEntry[];
  /** Encoding of the names. Undefined if all are UTF-8, or ASCII. */
  readonly encoding?: NameEncoding;
}

/** Lists the files of a zip without decompressing any. Rejects like `readZipDirectory`. */
export async function listZipEntries(zip: Blob): Promise<readonly ZipEntry[]> {
  return (await readZipDirectory(zip)).entries;
}

/**
 * Reads the list of files of a zip, without decompressing any. Names are in the encoding that the archive
 * says, UTF-8 if they can be, otherwise in `encoding` or the likeliest one. Rejects with `zip_damaged`,
 * `zip_encrypted`, or `too_many_files`.
 */
export async function readZipDirectory(zip: Blob, encoding?: NameEncoding): Promise<ZipDirectory> {
  const reader = new ZipReader(createBlobReader(zip), {
    // The browser decompresses outside of the page's thread anyway.
    useWebWorkers: false,
    checkCrc32: true,
    // Paths are checked one by one, so that a single one doesn't cost the whole archive.
    filenameValidation: 'tolerant',
    normalizeFilename: (name) => name.replaceAll('\\', '/'),
  });
  const found: FileEntry[] = [];
  try {
    for await (const entry of reader.getEntriesGenerator()) {
      if (entry.directory) continue;
      if (found.length >= maxEntries) throw new VitrineError('too_many_files', 'too many entries');
      found.push(entry);
    }
  } catch (error) {
    throw toVitrineError(error);
  }
  const names = await decodeNames(found.filter(hasEncodedName), encoding);
  const entries = found.map((entry): ZipEntry => {
    const path = names?.paths.get(entry) ?? entry.filename;
    const read = () => readEntry(entry);
    return { path, size: entry.uncompressedSize, isLink: entry.symlink, read };
  });
  return { entries, ...(names && { encoding: names.encoding }) };
}

/** Decodes names that aren't UTF-8, in this encoding or the likeliest one. Undefined if there are none. */
async function decodeNames(entries: readonly FileEntry[], encoding: NameEncoding | undefined) {
  if (entries.length === 0) return undefined;
  const { decodeName, guessNameEncoding } = await import('./name-encoding.ts');
  const names = entries.map(({ rawFilename, filename }) => ({
    bytes: rawFilename,
    cp437: filename,
  }));
  const language = globalThis.navigator?.language ?? 'en';
  const chosen = encoding ?? guessNameEncoding(names, language);
  const paths = new Map(
    entries.map((entry, index) => {
      const name = names[index];
      return [entry, name ? decodeName(name, chosen).replaceAll('\\', '/') : entry.filename];
    }),
  );
  return { encoding: chosen, paths };
}

/** Whether the archive doesn't say the encoding of a name, and it isn't UTF-8. */
function hasEncodedName(entry: FileEntry): boolean {
  const { rawFilename, filenameUTF8, extraFieldUnicodePath } = entry;
  const isAscii = rawFilename.every((byte) => byte < 0x80);
  return !isAscii && !filenameUTF8 && !extraFieldUnicodePath?.valid;
}

async function readEntry(entry: FileEntry): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await entry.arrayBuffer());
  } catch (error) {
    throw toVitrineError(error);
  }
}

/** Reads parts of a blob on demand. */
function createBlobReader(blob: Blob) {
  const slice = (offset: number, size: number) => blob.slice(offset, offset + size);
  return {
    size: blob.size,
    get readable() {
      return blob.stream();
    },
    async readUint8Array(offset: number, length: number) {
      if (length > maxDirectoryBytes)
        throw new VitrineError('too_many_files', `a directory of ${length} bytes`);
      return new Uint8Array(await slice(offset, length).arrayBuffer());
    },
    createReadable: ({ offset = 0, size = blob.size - offset }: CreateReadableOptions = {}) =>
      slice(offset, size).stream(),
  };
}

function toVitrineError(error: unknown): VitrineError {
  if (error instanceof VitrineError) return error;
  // The file was removed or changed since it was chosen.
  if (error instanceof DOMException && error.name === 'NotReadableError')
    return new VitrineError('file_unreadable', error.message, { cause: error });
  const message = error instanceof Error ? error.message : String(error);
  return new VitrineError(codes.get(message) ?? 'zip_damaged', message, { cause: error });
}
