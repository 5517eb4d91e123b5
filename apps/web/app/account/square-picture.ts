/** In pixels: enough for the largest avatar on a high-density screen. */
const side = 256;

/**
 * Crops a picture to its middle square, 256 px wide, as WebP (PNG if the browser can't encode WebP).
 * Drops metadata such as the camera's GPS position. Undefined if the browser can't decode the file.
 */
export async function squarePicture(file: Blob): Promise<Blob | undefined> {
  const image = await readImage(file);
  if (!image) return undefined;
  const size = Math.min(image.width, image.height);
  const [x, y] = [(image.width - size) / 2, (image.height - size) / 2];
  const canvas = new OffscreenCanvas(side, side);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('the browser has no 2D canvas');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, x, y, size, size, 0, 0, side, side);
  image.close();
  return canvas.convertToBlob({ type: 'image/webp', quality: 0.9 });
}

async function readImage(file: Blob): Promise<ImageBitmap | undefined> {
  try {
    return await createImageBitmap(file);
  } catch (error) {
    // Thrown for data that isn't a picture, and for a picture without a size.
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}
