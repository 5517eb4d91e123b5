import type { StoredUpload } from '@vitrine/collaboration/local-assets';
import { findErrorCode, VitrineError, type AssetFile, type ErrorCode } from '@vitrine/project';
import type { AssetStore } from '../../assets/asset-store.ts';
import { ValueStore } from '../value-store.ts';
import type { UploadQueue } from './upload-queue.ts';
import { createUploadId, isConnectionError, UploadError, type Upload } from './uploads.ts';

/** An asset whose bytes were just added. */
interface KeptAsset {
  readonly asset: AssetFile;
  /** The bytes, if the device has no room for them. */
  readonly bytes: Blob | undefined;
}

/**
 * Assets of a workspace: loads their bytes, keeps added ones on this device, and uploads them. Its
 * code and the device's database are loaded with the first asset.
 */
export class ProjectAssets {
  readonly uploads = new ValueStore<readonly Upload[]>([]);
  readonly #getStore: () => Promise<AssetStore>;
  #queue: Promise<UploadQueue> | undefined;

  constructor(getStore: () => Promise<AssetStore>) {
    this.#getStore = getStore;
  }

  /** Loads the code, so that files can be added offline. */
  async preload(): Promise<void> {
    await this.#getStore();
  }

  /** Loads the bytes of an asset; see `AssetStore`. */
  async load(asset: AssetFile, project: string | null): Promise<Blob> {
    return (await this.#getStore()).load(asset, project);
  }

  /** Keeps the bytes of an added file on this device. */
  async keep(bytes: Uint8Array<ArrayBuffer>, mediaType: string): Promise<KeptAsset> {
    const { local } = await this.#getStore();
    const { hash, stored } = await local.add(bytes);
    return {
      asset: { kind: 'asset', hash, size: bytes.length, mediaType },
      bytes: stored === 'full' ? new Blob([bytes]) : undefined,
    };
  }

  /** Storage that the user has and uses, in bytes. Undefined for a visitor or without a connection. */
  async readUsage() {
    return (await this.#getStore()).readUsage().catch(() => undefined);
  }

  /**
   * Uploads a file of a saved project, also after a reload. Failures are shown in the list, where the
   * user can retry or cancel. Of several tabs that continue an upload, one does: the others wait, and
   * continue it if that one is closed.
   *
   * @param bytes The bytes, if the device has no room for them. The upload then ends with the tab.
   * @param add Adds the uploaded file to the document. The upload is forgotten when that resolves.
   */
  async upload(
    upload: StoredUpload,
    bytes: Blob | undefined,
    add: () => Promise<void>,
  ): Promise<void> {
    const { id } = upload;
    const { local } = await this.#getStore();
    const queue = await this.#getQueue();
    if (!bytes) await local.putUpload(upload);
    await queue.runExclusively(id, async () => {
      // Another tab has finished or canceled it.
      if (!bytes && (await local.hasUpload(id)) === false) return;
      const isUploaded = await queue.add({ ...upload, bytes, keepsTrying: true });
      if (isUploaded === undefined) return;
      if (isUploaded) await add();
      await local.removeUpload(id);
    });
  }

  /** Uploads of a user to a project that earlier visits left on this device. */
  async findUnfinishedUploads(owner: string, project: string): Promise<readonly StoredUpload[]> {
    return (await this.#getStore()).local.listUploads(owner, project);
  }

  /**
   * Uploads those of a draft's assets that the server may not have. Rejects with an `UploadError`;
   * what has been uploaded isn't uploaded again by the next call.
   *
   * @param assets Assets by path.
   * @param which `available` also uploads what others have uploaded, as far as it is on this device.
   * @returns Whether there was anything to upload.
   */
  async uploadAll(
    assets: ReadonlyMap<string, AssetFile>,
    which: 'pending' | 'available' = 'pending',
  ): Promise<boolean> {
    if (assets.size === 0) return false;
    const { local } = await this.#getStore();
    const byHash = new Map([...assets].map(([path, asset]) => [asset.hash, { path, asset }]));
    const pending = which === 'pending' ? await local.findPending(byHash.keys()) : undefined;
    const failures: { path: string; code: ErrorCode }[] = [];
    let count = 0;
    const upload = async (hash: string, path: string, asset: AssetFile) => {
      const isWanted = pending ? pending.has(hash) : (await local.read(hash)) !== undefined;
      if (!isWanted) return;
      count += 1;
      const { size, mediaType } = asset;
      const queue = await this.#getQueue();
      const job = { id: createUploadId(), path, hash, size, mediaType, bytes: undefined };
      await queue.runExclusively(hash, async () => {
        // Another tab has uploaded it.
        if (pending && !(await local.findPending([hash])).has(hash)) return;
        const isUploaded = await queue.add({ ...job, keepsTrying: false });
        if (!isUploaded) throw new VitrineError('asset_not_uploaded');
      });
    };
    await Promise.all(
      Array.from(byHash, ([hash, { path, asset }]) =>
        upload(hash, path, asset).catch((error: unknown) => {
          failures.push({ path, code: findErrorCode(error) });
        }),
      ),
    );
    const [first] = failures;
    if (!first) return count > 0;
    const code = isConnectionError(first.code) ? 'asset_not_uploaded' : first.code;
    throw new UploadError(
      code,
      failures.map(({ path }) => path),
    );
  }

  /** Remembers the uploaders of a project's assets for a fork of it. */
  async rememberSources(sources: ReadonlyMap<string, string>): Promise<void> {
    if (sources.size > 0) await (await this.#getStore()).local.addSources(sources);
  }

  async retryUpload(id: string): Promise<void> {
    (await this.#getQueue()).retry(id);
  }

  async cancelUpload(id: string): Promise<void> {
    (await this.#getQueue()).cancel(id);
  }

  /** Stops all uploads. Those to a saved project continue with its next visit. */
  close(): void {
    void this.#queue?.then(
      (queue) => queue.close(),
      // The code of the queue couldn't be loaded.
      () => undefined,
    );
    this.#queue = undefined;
  }

  async #getQueue(): Promise<UploadQueue> {
    this.#queue ??= this.#createQueue();
    try {
      return await this.#queue;
    } catch (error) {
      this.#queue = undefined;
      throw error;
    }
  }

  async #createQueue(): Promise<UploadQueue> {
    const [{ UploadQueue }, store] = await Promise.all([
      import('./upload-queue.ts'),
      this.#getStore(),
    ]);
    return new UploadQueue(store, this.uploads);
  }
}
