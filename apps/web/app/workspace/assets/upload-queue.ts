import { findErrorCode, limits, VitrineError } from '@vitrine/project';
import type { AssetStore } from '../../assets/asset-store.ts';
import { Timer } from '../../schedule.ts';
import type { ValueStore } from '../value-store.ts';
import { isConnectionError, type Upload, type UploadState } from './uploads.ts';

/** Uploads at the same time. More would only share the connection. */
const maxParallel = 3;

/** A file to upload. */
interface UploadRequest {
  readonly id: string;
  readonly path: string;
  readonly hash: string;
  readonly size: number;
  readonly mediaType: string;
  /** The bytes, if they aren't on the device. */
  readonly bytes: Blob | undefined;
  /** Stays in the list after a failure, and waits for the connection. Otherwise a failure rejects. */
  readonly keepsTrying: boolean;
}

interface Job {
  readonly request: UploadRequest;
  readonly controller: AbortController;
  /** Resolves to false once the job is canceled, to undefined when the queue closes. */
  readonly outcome: PromiseWithResolvers<boolean | undefined>;
}

/** Uploads files, a few at a time, and shows them in a list until they are done. */
export class UploadQueue {
  readonly #store: AssetStore;
  readonly #uploads: ValueStore<readonly Upload[]>;
  /** Jobs in the list by id. */
  readonly #jobs = new Map<string, Job>();
  readonly #retryTimer = new Timer();
  readonly #closing = new AbortController();
  /** Attempts since the server was last reached. */
  #attempts = 0;

  constructor(store: AssetStore, uploads: ValueStore<readonly Upload[]>) {
    this.#store = store;
    this.#uploads = uploads;
    addEventListener('online', this.#retryWaiting);
  }

  /**
   * Runs work on an upload while no other tab does, after the work of the others. Does nothing if the
   * queue is closed before.
   */
  async runExclusively(name: string, work: () => Promise<void>): Promise<void> {
    // Only secure contexts have locks.
    if (!('locks' in navigator)) return work();
    const { signal } = this.#closing;
    let isRunning = false;
    try {
      await navigator.locks.request(`vitrine-upload ${name}`, { signal }, () => {
        isRunning = true;
        return work();
      });
    } catch (error) {
      if (isRunning || !signal.aborted) throw error;
    }
  }

  retry(id: string): void {
    if (this.#jobs.has(id)) this.#setState(id, { status: 'queued' });
    this.#startQueued();
  }

  cancel(id: string): void {
    const job = this.#jobs.get(id);
    if (!job) return;
    this.#remove(id);
    job.controller.abort();
    job.outcome.resolve(false);
    this.#startQueued();
  }

  close(): void {
    removeEventListener('online', this.#retryWaiting);
    this.#closing.abort();
    this.#retryTimer.stop();
    for (const { controller, outcome } of this.#jobs.values()) {
      controller.abort();
      outcome.resolve(undefined);
    }
    this.#jobs.clear();
    this.#uploads.set([]);
  }

  /**
   * Uploads a file. Rejects with a `VitrineError` only if it doesn't keep trying.
   *
   * @returns True once it is uploaded, false if it was canceled, undefined if the queue was closed.
   */
  add(request: UploadRequest): Promise<boolean | undefined> {
    const { id, path, size } = request;
    const job: Job = {
      request,
      controller: new AbortController(),
      outcome: Promise.withResolvers<boolean | undefined>(),
    };
    this.#jobs.set(id, job);
    this.#uploads.set([...this.#uploads.get(), { id, path, size, state: { status: 'queued' } }]);
    this.#startQueued();
    return job.outcome.promise;
  }

  readonly #retryWaiting = (): void => {
    this.#retryTimer.stop();
    for (const { id, state } of this.#uploads.get())
      if (state.status === 'waiting') this.#setState(id, { status: 'queued' });
    this.#startQueued();
  };

  #startQueued(): void {
    const uploads = this.#uploads.get();
    const running = uploads.filter(({ state }) => state.status === 'uploading').length;
    const queued = uploads.filter(({ state }) => state.status === 'queued');
    for (const { id } of queued.slice(0, Math.max(0, maxParallel - running))) {
      const job = this.#jobs.get(id);
      if (!job) continue;
      this.#setState(id, { status: 'uploading', sent: 0 });
      void this.#upload(job);
    }
  }

  async #upload({ request, controller, outcome }: Job): Promise<void> {
    const { id, path, hash, size, mediaType, keepsTrying } = request;
    const { signal } = controller;
    try {
      const bytes = request.bytes ?? (await this.#readBytes(request));
      await this.#store.upload({ kind: 'asset', hash, size, mediaType }, bytes, {
        signal,
        onProgress: (sent) => {
          if (!signal.aborted) this.#setState(id, { status: 'uploading', sent });
        },
      });
      this.#attempts = 0;
      this.#remove(id);
      outcome.resolve(true);
    } catch (error) {
      if (signal.aborted) return;
      const code = findErrorCode(error);
      if (!keepsTrying) {
        this.#remove(id);
        outcome.reject(new VitrineError(code, path, { cause: error }));
      } else if (isConnectionError(code)) {
        this.#setState(id, { status: 'waiting' });
        this.#scheduleRetry();
      } else this.#setState(id, { status: 'failed', code });
    }
    this.#startQueued();
  }

  async #readBytes({ hash }: UploadRequest): Promise<Blob> {
    const bytes = await this.#store.local.read(hash);
    if (!bytes) throw new VitrineError('asset_missing', hash);
    return new Blob([bytes]);
  }

  #scheduleRetry(): void {
    if (this.#retryTimer.isRunning) return;
    const seconds = limits.retrySeconds[this.#attempts] ?? limits.retrySeconds.at(-1) ?? 10;
    this.#attempts += 1;
    this.#retryTimer.start(seconds * 1_000, this.#retryWaiting);
  }

  #setState(id: string, state: UploadState): void {
    this.#uploads.set(
      this.#uploads.get().map((upload) => (upload.id === id ? { ...upload, state } : upload)),
    );
  }

  #remove(id: string): void {
    this.#jobs.delete(id);
    this.#uploads.set(this.#uploads.get().filter((upload) => upload.id !== id));
  }
}
