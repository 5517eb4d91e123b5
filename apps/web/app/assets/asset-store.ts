import { LocalAssets } from '@vitrine/collaboration/local-assets';
import {
  findErrorCode,
  getAssetObjectName,
  isRecord,
  limits,
  parseAssetRows,
  VitrineError,
  type AssetFile,
  type AssetSources,
  type ErrorCode,
} from '@vitrine/project';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { PageSettings } from '../request-context.ts';
import { loadClient } from '../session/load-client.ts';
import { parseStorageUsage, type StorageUsage } from './storage-usage.ts';

const bucket = 'assets';
/** Lifetime in caches. An object never changes: its name is the hash of its bytes. */
const cacheControl = `max-age=${365 * 24 * 60 * 60}`;

export interface AssetStoreOptions {
  readonly page: PageSettings;
  /** Id of the user. Null for a visitor, who can load assets but not upload them. */
  readonly userId: string | null;
  /** Uploaders of the project's assets, as the server sent them with the project. */
  readonly sources: AssetSources;
}

interface UploadOptions {
  /** Called with the number of bytes sent so far. */
  onProgress(sent: number): void;
  readonly signal: AbortSignal;
}

/** Bytes of assets: on this device, and in the storage of the backend. */
export class AssetStore {
  readonly local = new LocalAssets();
  readonly #options: AssetStoreOptions;
  /** Uploader by hash. Grows with the assets that the page shows. */
  readonly #sources: Map<string, string>;
  /** Downloads in progress by hash. */
  readonly #loading = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

  constructor(options: AssetStoreOptions) {
    this.#options = options;
    this.#sources = new Map(options.sources);
  }

  /**
   * Loads the bytes of an asset from this device, otherwise from the storage. Rejects with
   * `asset_missing`, `server_unreachable` or `backend_unreachable`.
   *
   * @param project Id of the project that has the asset, or of a fork's original; null if there is
   *   none. Its files say who uploaded an asset that others have added since the page was loaded.
   */
  async load(asset: AssetFile, project: string | null): Promise<Blob> {
    const { hash, mediaType } = asset;
    const local = await this.local.read(hash);
    if (local) return new Blob([local], { type: mediaType });
    const loading = this.#loading.get(hash) ?? this.#download(asset, project);
    this.#loading.set(hash, loading);
    try {
      return new Blob([await loading], { type: mediaType });
    } finally {
      this.#loading.delete(hash);
    }
  }

  /**
   * Uploads bytes under the user's name. Resolves at once if the user has uploaded them before.
   * Rejects with a `VitrineError`, among others `storage_full` and `server_unreachable`; when the
   * signal aborts, with its reason.
   */
  async upload(asset: AssetFile, bytes: Blob, options: UploadOptions): Promise<void> {
    const { page, userId } = this.#options;
    const { signal } = options;
    const client = await loadClient(page);
    const { data } = await client.auth.getSession();
    signal.throwIfAborted();
    if (userId === null || data.session?.user.id !== userId)
      throw new VitrineError('session_expired');
    // Otherwise all bytes would be sent before the storage rejects them as a duplicate.
    const isUploaded = await hasUploaded(client, userId, asset.hash);
    signal.throwIfAborted();
    if (!isUploaded) {
      const name = getAssetObjectName(userId, asset.hash);
      const response = await post(`${page.backendUrl}/storage/v1/object/${bucket}/${name}`, {
        ...options,
        bytes,
        headers: {
          authorization: `Bearer ${data.session.access_token}`,
          apikey: page.publishableKey,
          'cache-control': cacheControl,
          // The type of an asset is in the project; the storage never sends what a browser would run.
          'content-type': 'application/octet-stream',
        },
      });
      const code = await findUploadError(client, response, { userId, size: bytes.size });
      if (code) throw new VitrineError(code, response.text);
    }
    this.#sources.set(asset.hash, userId);
    await this.local.markUploaded(asset.hash);
  }

  /** Whether the user has uploaded these bytes. False for a visitor. */
  async isUploaded({ hash }: AssetFile): Promise<boolean> {
    const { page, userId } = this.#options;
    return userId !== null && (await hasUploaded(await loadClient(page), userId, hash));
  }

  /** Storage that the user has and uses. Undefined for a visitor, and if it can't be read now. */
  async readUsage(): Promise<StorageUsage | undefined> {
    const { page, userId } = this.#options;
    return userId === null ? undefined : readStorageUsage(await loadClient(page));
  }

  async #download(asset: AssetFile, project: string | null): Promise<Uint8Array<ArrayBuffer>> {
    const { hash } = asset;
    const client = await loadClient(this.#options.page);
    for await (const uploader of this.#findUploaders(client, asset, project)) {
      const bytes = await download(client, getAssetObjectName(uploader, hash));
      // Anyone can store other bytes under this name in their own folder of a hosted backend.
      if (!bytes || !(await this.local.cache(hash, bytes))) continue;
      this.#sources.set(hash, uploader);
      return bytes;
    }
    throw new VitrineError('asset_missing', hash);
  }

  /** Users who may have uploaded an asset, the likeliest first. */
  async *#findUploaders(
    client: SupabaseClient,
    { hash, uploader }: AssetFile,
    project: string | null,
  ): AsyncGenerator<string> {
    const tried = new Set<string>();
    const isNew = (id: string | undefined): id is string => {
      if (id === undefined || tried.has(id)) return false;
      tried.add(id);
      return true;
    };
    const known = uploader ?? this.#sources.get(hash);
    if (isNew(known)) yield known;
    const original = await this.local.findSource(hash);
    if (isNew(original)) yield original;
    for (const id of project === null ? [] : await findUploaders(client, project, hash))
      if (isNew(id)) yield id;
    const { userId } = this.#options;
    if (userId !== null && isNew(userId) && (await hasUploaded(client, userId, hash))) yield userId;
  }
}

/** The error of an upload. Undefined if the storage has the bytes. */
async function findUploadError(
  client: SupabaseClient,
  { status, text }: UploadResponse,
  upload: RefusedUpload,
): Promise<ErrorCode | undefined> {
  if (status >= 200 && status < 300) return undefined;
  const actual = findActualStatus(status, text);
  // The object exists: its name is the hash of its bytes.
  if (actual === 409) return undefined;
  if (actual === 403) return findRefusal(client, upload);
  if (actual === 401) return 'session_expired';
  if (actual === 413) return 'asset_too_large';
  if (actual === 415) return 'asset_type_refused';
  if (actual === 429) return 'rate_limited';
  return actual >= 500 ? 'backend_unreachable' : 'unexpected';
}

interface RefusedUpload {
  readonly userId: string;
  /** Number of bytes. */
  readonly size: number;
}

/** Why the storage's policy, which gives no reason, has refused an upload. */
async function findRefusal(
  client: SupabaseClient,
  { userId, size }: RefusedUpload,
): Promise<ErrorCode> {
  const [usage, { data, error }] = await Promise.all([
    readStorageUsage(client),
    client.rpc('account_status', { person: userId }),
  ]);
  if (usage && usage.used + Math.max(size, limits.assetMinBytes) > usage.quota)
    return 'storage_full';
  if (isRecord(data)) return data.suspended_at === null ? 'upload_refused' : 'suspended';
  // Nobody, once the session has ended.
  return error ? 'upload_refused' : 'session_expired';
}

/** Storage that the client's user has and uses. Undefined if it can't be read now. */
async function readStorageUsage(client: SupabaseClient): Promise<StorageUsage | undefined> {
  const { data } = await client.rpc('storage_usage');
  return parseStorageUsage(data);
}

/** Who uploaded the assets of a project with this hash, as far as the user may see its files. */
async function findUploaders(
  client: SupabaseClient,
  project: string,
  hash: string,
): Promise<string[]> {
  const { data } = await client.rpc('list_assets', { project });
  const assets = [...parseAssetRows(data).values()];
  return assets.flatMap((asset) => (asset.hash === hash ? (asset.uploader ?? []) : []));
}

/** Whether a user's own folder has an object. Unlike a download, this logs no error if it hasn't. */
async function hasUploaded(client: SupabaseClient, userId: string, hash: string): Promise<boolean> {
  const { data } = await client.storage.from(bucket).list(userId, { search: hash, limit: 1 });
  return data?.some(({ name }) => name === hash) ?? false;
}

/** Undefined if the object doesn't exist, or the user may not read it. */
async function download(
  client: SupabaseClient,
  name: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { data, error } = await client.storage.from(bucket).download(name);
  if (data) return new Uint8Array(await data.arrayBuffer());
  // For a failed request, `originalError` is the browser's error.
  if ('originalError' in error && error.originalError instanceof TypeError)
    throw new VitrineError(findErrorCode(error.originalError), name, { cause: error });
  const status = 'status' in error && typeof error.status === 'number' ? error.status : 400;
  if (status >= 500 || status === 429) throw new VitrineError('backend_unreachable', name);
  return undefined;
}

interface UploadResponse {
  readonly status: number;
  readonly text: string;
}

interface PostOptions extends UploadOptions {
  readonly bytes: Blob;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Posts bytes with progress, which `fetch` doesn't report. Rejects with `server_unreachable`, or the
 * reason of the signal.
 */
function post(url: string, { bytes, headers, onProgress, signal }: PostOptions) {
  return new Promise<UploadResponse>((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () => resolve({ status: request.status, text: request.responseText });
    request.onerror = () => reject(new VitrineError('server_unreachable'));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => request.abort());
    request.send(bytes);
  });
}

/** The storage responds to most errors with status 400, and the actual one in the body. */
function findActualStatus(status: number, text: string): number {
  try {
    const body: unknown = JSON.parse(text);
    const actual = isRecord(body) ? Number(body.statusCode) : Number.NaN;
    return Number.isSafeInteger(actual) && actual >= 400 ? actual : status;
  } catch {
    return status;
  }
}
