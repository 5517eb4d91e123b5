import {
  limits,
  validatePath,
  VitrineError,
  type AssetFile,
  type ErrorCode,
  type ProjectFiles,
} from '@vitrine/project';
import { canStoreAsText, detectMediaType, signatureBytes } from '@vitrine/project/media-type';
import type { StorageUsage } from '../../assets/storage-usage.ts';
import type { FoundFile, NewFile } from '../tree/uploaded-files.ts';

/** A file to add to the project. */
export interface ReadFile extends NewFile {
  /** Bytes of an asset that the device has no room for. */
  readonly bytes: Blob | undefined;
}

/** A file that can't be added. */
export interface RejectedFile {
  readonly path: string;
  readonly code: ErrorCode;
}

/**
 * Checks paths and sizes before anything is read, so that a file that is too large never is. Only
 * files that are too large for a text count toward the sums, since the others may be texts;
 * `validateFiles` checks the sums of all.
 *
 * @param existing Files of the project.
 * @param usage Storage of the user, if the files count toward it now.
 */
export function checkFoundFiles(
  found: readonly FoundFile[],
  existing: ProjectFiles,
  usage: StorageUsage | undefined,
): { accepted: FoundFile[]; rejected: RejectedFile[] } {
  if (found.length > limits.projectMaxFiles)
    throw new VitrineError('too_many_files', `${found.length} files`);
  let projectBytes: number = limits.projectMaxAssetBytes;
  for (const file of existing.values()) if (file.kind === 'asset') projectBytes -= file.size;
  let userBytes = usage ? usage.quota - usage.used : Number.POSITIVE_INFINITY;
  const check = ({ path, file: { size } }: FoundFile): ErrorCode | undefined => {
    if (validatePath(path)) return 'invalid_path';
    if (size > limits.assetMaxBytes) return 'asset_too_large';
    if (size <= limits.fileMaxBytes) return undefined;
    if (size > projectBytes) return 'assets_too_large';
    if (size > userBytes) return 'storage_full';
    projectBytes -= size;
    userBytes -= size;
    return undefined;
  };
  const accepted: FoundFile[] = [];
  const rejected: RejectedFile[] = [];
  for (const each of found) {
    const code = check(each);
    if (code) rejected.push({ path: each.path, code });
    else accepted.push(each);
  }
  return { accepted, rejected };
}

/**
 * Reads a file. UTF-8 text within the limits becomes a text; anything else, also text in another
 * encoding, an asset with the bytes it has. Rejects with `file_unreadable` or `program_refused`, or
 * as `keep` does.
 *
 * @param keep Keeps the bytes of an asset.
 */
export async function readFile(
  { path, file }: FoundFile,
  keep: (
    bytes: Uint8Array<ArrayBuffer>,
    mediaType: string,
  ) => Promise<{ asset: AssetFile; bytes: Blob | undefined }>,
): Promise<ReadFile> {
  const read = await readBytes(file);
  const content = classifyContent(path, read);
  if (typeof content === 'string') return { path, content, bytes: undefined };
  const { asset, bytes } = await keep(read, content.mediaType);
  return { path, content: asset, bytes };
}

/**
 * The text that a file is stored as, or the media type of an asset; see `readFile`. Throws
 * `program_refused`.
 */
export function classifyContent(
  path: string,
  bytes: Uint8Array<ArrayBuffer>,
): string | { readonly mediaType: string } {
  const text = bytes.length <= limits.fileMaxBytes ? decodeText(path, bytes) : undefined;
  if (text !== undefined) return text;
  const mediaType = detectMediaType(bytes.subarray(0, signatureBytes), path);
  if (mediaType === undefined) throw new VitrineError('program_refused', path);
  return { mediaType };
}

async function readBytes(file: Blob): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch (error) {
    // The file was moved or changed, or is a folder.
    throw new VitrineError('file_unreadable', String(error), { cause: error });
  }
}

/** Text of a file without a byte order mark. Undefined if its bytes have to be kept. */
function decodeText(path: string, bytes: Uint8Array<ArrayBuffer>): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return canStoreAsText(path, text) ? text.replace(/^\uFEFF/, '') : undefined;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
