import type { ErrorCode } from './errors.ts';
import { isRecord } from './is-record.ts';
import { limits } from './limits.ts';
import { toPlainText } from './plain-text.ts';

/** Files of a project, by path. Texts are edited together; assets are immutable bytes. */

export type ProjectFile = TextFile | AssetFile;

export interface TextFile {
  readonly kind: 'text';
  readonly text: string;
}

/** A file of bytes, such as a picture. The bytes are stored apart from the project, by their hash. */
export interface AssetFile {
  readonly kind: 'asset';
  /** SHA-256 of the bytes, in lower-case hexadecimal digits. */
  readonly hash: string;
  /** Number of bytes. */
  readonly size: number;
  /** Content-Type that the bytes are served with. */
  readonly mediaType: string;
  /**
   * User id of the uploader, in whose folder of the bucket `assets` the bytes are. Only in what the
   * database returned; documents don't have it, and it isn't part of a file's content.
   */
  readonly uploader?: string;
}

/**
 * Uploader by the hash of an asset, from what the database returned. Assets with the same hash have
 * the same bytes, so any uploader that the user may read from will do.
 */
export type AssetSources = ReadonlyMap<string, string>;

export type ProjectFiles = ReadonlyMap<string, ProjectFile>;

/** Content of a file to create. A string is the text of a text file. */
export type FileContent = string | ProjectFile;

/** What an edit changed: new and changed files, and the paths of removed ones. */
export interface FileChanges {
  readonly changed: ProjectFiles;
  readonly removed: readonly string[];
}

/** Returns the content as the document and the database can store it; see `toPlainText`. */
export function normalizeFile(content: FileContent): ProjectFile {
  if (typeof content === 'string') return { kind: 'text', text: toPlainText(content) };
  return content.kind === 'text' ? { kind: 'text', text: toPlainText(content.text) } : content;
}

/** Whether two files have the same content. Compares strings that are identical in no time. */
export function isSameFile(a: ProjectFile | undefined, b: ProjectFile | undefined): boolean {
  if (a === b) return true;
  if (a?.kind === 'text') return b?.kind === 'text' && a.text === b.text;
  return a !== undefined && b?.kind === 'asset' && a.hash === b.hash && a.mediaType === b.mediaType;
}

/**
 * Media types of assets: images, fonts, audio, video, text, 3D models, JSON, WebAssembly and plain
 * bytes, without parameters. They become a Content-Type, so nothing else may be in them. The database
 * has the same rule, and a test compares the two.
 */
const assetType =
  /^(?:(?:audio|font|image|model|text|video)\/[a-z0-9][a-z0-9.+-]{0,79}|application\/(?:json|octet-stream|wasm|[a-z0-9][a-z0-9.-]{0,59}\+json))$/;

/** Returns the error of an asset that a project can't have. */
export function validateAsset({ hash, size, mediaType }: AssetFile): ErrorCode | undefined {
  if (!/^[0-9a-f]{64}$/.test(hash) || !Number.isSafeInteger(size) || size < 0) return 'bad_request';
  if (size > limits.assetMaxBytes) return 'asset_too_large';
  return assetType.test(mediaType) ? undefined : 'asset_type_refused';
}

/** Parses an untrusted value as an asset: `{ hash, size, mediaType }`. Undefined if it isn't a valid one. */
export function parseAsset(value: unknown): AssetFile | undefined {
  if (!isRecord(value)) return undefined;
  const { hash, size, mediaType } = value;
  if (typeof hash !== 'string' || typeof size !== 'number' || typeof mediaType !== 'string')
    return undefined;
  const asset: AssetFile = { kind: 'asset', hash, size, mediaType };
  return validateAsset(asset) ? undefined : asset;
}

/**
 * Parses assets as the database returns them: `[{ path, hash, size, media_type, uploader }]`. Skips
 * invalid ones. `uploader` is null for an asset whose bytes were never uploaded. Undefined, from a
 * database without assets, gives none.
 */
export function parseAssetRows(rows: unknown): Map<string, AssetFile> {
  const assets = new Map<string, AssetFile>();
  for (const row of Array.isArray(rows) ? rows : []) {
    if (!isRecord(row)) continue;
    const { path, hash, size, media_type: mediaType, uploader } = row;
    const asset = parseAsset({ hash, size, mediaType });
    if (typeof path === 'string' && asset)
      assets.set(path, isUserId(uploader) ? { ...asset, uploader } : asset);
  }
  return assets;
}

/** A uuid in lower case, as PostgreSQL writes it. It becomes part of a URL. */
function isUserId(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
}

/** Uploader of each asset that has one, by hash. */
export function findAssetSources(files: Iterable<ProjectFile>): Map<string, string> {
  const sources = new Map<string, string>();
  for (const file of files)
    if (file.kind === 'asset' && file.uploader !== undefined) sources.set(file.hash, file.uploader);
  return sources;
}

/** Name of an asset's object in the bucket `assets`. */
export function getAssetObjectName(uploader: string, hash: string): string {
  return `${uploader}/${hash}`;
}

/** Returns what leads from one set of files to another. Takes time proportional to their number. */
export function findFileChanges(before: ProjectFiles, after: ProjectFiles): FileChanges {
  return {
    changed: new Map([...after].filter(([path, file]) => !isSameFile(before.get(path), file))),
    removed: [...before.keys()].filter((path) => !after.has(path)),
  };
}

/** Returns changes that have the effect of one set of changes followed by another. */
export function mergeFileChanges(first: FileChanges, second: FileChanges): FileChanges {
  const changed = new Map([...first.changed, ...second.changed]);
  for (const path of second.removed) changed.delete(path);
  const removed = new Set([...first.removed, ...second.removed]);
  for (const path of second.changed.keys()) removed.delete(path);
  return { changed, removed: [...removed] };
}

/** Text of each text file, by path. */
export function getTexts(files: ProjectFiles): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [path, file] of files) if (file.kind === 'text') texts.set(path, file.text);
  return texts;
}

/** Text files from their texts, by path. */
export function toTextFiles(texts: Iterable<readonly [string, string]>): Map<string, TextFile> {
  return new Map(Array.from(texts, ([path, text]) => [path, { kind: 'text', text }]));
}
