import type { SupabaseClient } from '@supabase/supabase-js';

const bucket = 'posters';
const width = 1_280;
const height = 800;
/** Size of the bucket's objects: `file_size_limit` in the migration of posters. */
const maxPosterBytes = 256 * 1024;
const maxPngBytes = 12 * 1024 * 1024;
/** A decoded pixel takes four bytes. The agent sends at most six million. */
const maxPixels = 8_000_000;
/** Offsets in a PNG: its first chunk begins with the size of the picture. */
const widthOffset = 16;
const heightOffset = 20;

/**
 * Crops a picture from a preview to 1280 × 800 from its top, as WebP. The bytes come from user code, so only
 * pixels go on from here. Undefined if they aren't a PNG of a reasonable size, or the browser can't encode WebP.
 */
export async function encodePoster(png: ArrayBuffer): Promise<Blob | undefined> {
  const image = await decode(png);
  if (!image) return undefined;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('the browser has no 2D canvas');
  const scale = Math.max(width / image.width, height / image.height);
  const [cropWidth, cropHeight] = [width / scale, height / scale];
  const left = (image.width - cropWidth) / 2;
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, left, 0, cropWidth, cropHeight, 0, 0, width, height);
  image.close();
  for (const quality of [0.8, 0.5]) {
    const poster = await canvas.convertToBlob({ type: 'image/webp', quality });
    if (poster.type === 'image/webp' && poster.size <= maxPosterBytes) return poster;
  }
  return undefined;
}

/** Checks the size before the browser decodes the picture: a few bytes can stand for gigabytes of pixels. */
async function decode(png: ArrayBuffer): Promise<ImageBitmap | undefined> {
  if (png.byteLength < heightOffset + 4 || png.byteLength > maxPngBytes) return undefined;
  const view = new DataView(png);
  if (view.getUint32(widthOffset) * view.getUint32(heightOffset) > maxPixels) return undefined;
  try {
    return await createImageBitmap(new Blob([png], { type: 'image/png' }));
  } catch (error) {
    // Thrown for data that isn't a picture.
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

/** Stores a poster in place of the previous one. False if the server refuses it. */
export async function uploadPoster(
  client: SupabaseClient,
  name: string,
  poster: Blob,
): Promise<boolean> {
  const { error } = await client.storage
    .from(bucket)
    .upload(name, poster, { contentType: poster.type, upsert: true });
  return error === null;
}
