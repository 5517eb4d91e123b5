import { createFairLimit } from '@vitrine/project';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { StorageError } from './storage-error.ts';
import type { ImageTransform } from './transform.ts';

export interface ImageTransformer {
  /**
   * Throws a StorageError when the image is not supported, or too many transformations are queued.
   */
  transformImage(
    source: Readable,
    transform: ImageTransform,
  ): Promise<{ bytes: Uint8Array<ArrayBuffer>; mimeType: string }>;
}

/** Maximum size of a source image: transforming 50 million pixels takes about 200 MB. */
const maxPixels = 50_000_000;
export const maxImageBytes = 25 * 1024 * 1024;
const maxConcurrent = 2;
const maxWaiting = 30;

/**
 * Supported source formats. SVG is not one of them: it can reference files and expand without
 * limit.
 */
const loaders = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((name) => `VipsForeignLoad${name}`);

const mimeTypes: Readonly<Record<string, string>> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
  heif: 'image/avif',
};

/** IP address of the client of the current request, for limits. */
export const currentClientIp = new AsyncLocalStorage<string>();

/**
 * Creates a transformer that uses libvips, off the main thread: two images at a time, one per
 * client. libvips is loaded on first use.
 */
export function createImageTransformer(): ImageTransformer {
  const withinLimit = createFairLimit({
    slots: maxConcurrent,
    maxWaiting,
    getCurrentClient: () => currentClientIp.getStore() ?? '',
    createError: () =>
      new StorageError(429, 'SlowDown', 'Too many images are being transformed', {
        httpStatus: 429,
        headers: { 'retry-after': '1' },
      }),
  });
  return {
    async transformImage(source, transform) {
      try {
        return await withinLimit(async () => transformImageBuffer(await buffer(source), transform));
      } finally {
        source.destroy();
      }
    },
  };
}

async function transformImageBuffer(
  source: Buffer,
  { width, height, resize, quality, format }: ImageTransform,
) {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: loaders });
  const fit = resize === 'contain' ? 'inside' : resize;
  try {
    const image = sharp(source, { limitInputPixels: maxPixels, failOn: 'error', pages: 1 })
      .autoOrient()
      .resize({
        ...(width === undefined ? {} : { width }),
        ...(height === undefined ? {} : { height }),
        fit,
        withoutEnlargement: true,
      })
      .timeout({ seconds: 10 });
    const { format: sourceFormat } = await image.metadata();
    const chosen = format === undefined || format === 'origin' ? sourceFormat : format;
    const name = chosen === 'heif' ? 'avif' : chosen;
    const output = await image
      .toFormat(name, quality === undefined ? {} : { quality })
      .toBuffer({ resolveWithObject: true });
    return {
      bytes: new Uint8Array(output.data),
      mimeType: mimeTypes[output.info.format] ?? 'application/octet-stream',
    };
  } catch (cause) {
    // libvips has many errors for unreadable images.
    const message = 'The source image is invalid or unsupported for rendering';
    throw new StorageError(400, 'InvalidRequest', message, { cause });
  }
}
