import { ProcessPool, ProgramError } from '@vitrine/processes';
import { createFairLimit } from '@vitrine/project';
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Log } from '../log.ts';
import { StorageError } from './storage-error.ts';
import type { ImageTransform } from './transform.ts';

export interface ImageTransformer {
  /**
   * Throws a StorageError when the image is not supported, or too many transformations are queued.
   */
  transformImage(source: Readable, transform: ImageTransform): Promise<TransformedImage>;
  close(): void;
}

/** Request to the process. */
export interface TransformRequest {
  readonly source: Uint8Array;
  readonly transform: ImageTransform;
}

export interface TransformedImage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mimeType: string;
}

export const maxImageBytes = 25 * 1024 * 1024;
const maxConcurrent = 2;
const maxWaiting = 30;
/** libvips takes about 200 MB for the largest image. */
const processLimits = { heapMb: 128, dataMb: 2_048 };
const timeMs = 10_000;
/** Maximum number of images remembered that ended their process. */
const maxFatal = 1_000;

/** What limits count the client of the current request by. */
export const currentClient = new AsyncLocalStorage<string>();

/**
 * Creates a transformer that uses libvips in processes of their own: two images at a time, one per
 * client.
 */
export function createImageTransformer({ log }: { log: Log }): ImageTransformer {
  const processes = new ProcessPool({
    program: new URL('./image-program.ts', import.meta.url),
    ...processLimits,
  });
  /** Hashes of images that ended their process, and aren't tried again. The oldest is dropped first. */
  const fatal = new Set<string>();
  const withinLimit = createFairLimit({
    slots: maxConcurrent,
    maxWaiting,
    getCurrentClient: () => currentClient.getStore() ?? '',
    createError: () => createBusyError('Too many images are being transformed'),
  });

  const transformBytes = async (source: Uint8Array, transform: ImageTransform) => {
    const hash = createHash('sha256').update(source).digest('hex');
    if (fatal.has(hash)) throw createInvalidError(undefined);
    try {
      const request: TransformRequest = { source, transform };
      return parseTransformedImage(await processes.run(request, { timeMs }));
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      if (error.code === 'killed' || error.code === 'load_time')
        throw createBusyError('The image couldn’t be transformed', error);
      if (error.code === 'died' || error.code === 'out_of_memory') {
        log.warn('An image ended its process.', { hash, reason: error.message });
        fatal.add(hash);
        const [oldest] = fatal;
        if (fatal.size > maxFatal && oldest !== undefined) fatal.delete(oldest);
      }
      // libvips has many errors for unreadable images.
      throw createInvalidError(error);
    }
  };
  return {
    async transformImage(source, transform) {
      try {
        return await withinLimit(async () => transformBytes(await buffer(source), transform));
      } finally {
        source.destroy();
      }
    },
    close: () => processes.close(),
  };
}

/** Types of transformed images. */
const mimeTypes = /^(?:image\/(?:jpeg|png|webp|gif|avif)|application\/octet-stream)$/;

/** Parses the result of a process that has read the image. */
function parseTransformedImage(value: unknown): TransformedImage {
  const isObject = typeof value === 'object' && value !== null;
  if (isObject && 'bytes' in value && 'mimeType' in value) {
    const { bytes, mimeType } = value;
    if (bytes instanceof Uint8Array && typeof mimeType === 'string' && mimeTypes.test(mimeType))
      return { bytes: new Uint8Array(bytes), mimeType };
  }
  throw new Error('The process that transforms images sent none.');
}

function createBusyError(message: string, cause?: unknown): StorageError {
  const headers = { 'retry-after': '1' };
  return new StorageError(429, 'SlowDown', message, { httpStatus: 429, headers, cause });
}

function createInvalidError(cause: unknown): StorageError {
  const message = 'The source image is invalid or unsupported for rendering';
  return new StorageError(400, 'InvalidRequest', message, { cause });
}
