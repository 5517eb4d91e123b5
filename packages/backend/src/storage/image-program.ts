/** Process that transforms images with libvips, one at a time. */
import { answerRequests } from '@vitrine/processes/child';
import sharp from 'sharp';
import type { TransformedImage, TransformRequest } from './images.ts';

/** Maximum size of a source image: transforming 50 million pixels takes about 200 MB. */
const maxPixels = 50_000_000;

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

sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: loaders });

answerRequests((request, tools) => {
  tools.start();
  // Sent by `images.ts`.
  return transformImage(request as TransformRequest);
});

async function transformImage({
  source,
  transform: { width, height, resize, quality, format },
}: TransformRequest): Promise<TransformedImage> {
  const fit = resize === 'contain' ? 'inside' : resize;
  const image = sharp(source, { limitInputPixels: maxPixels, failOn: 'error', pages: 1 })
    .autoOrient()
    .resize({
      ...(width === undefined ? {} : { width }),
      ...(height === undefined ? {} : { height }),
      fit,
      withoutEnlargement: true,
    });
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
}
