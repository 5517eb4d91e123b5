/** Enough for the largest disc on a fine screen. */
const side = 256;

/**
 * The middle square of a picture, 256 px wide, as WebP (PNG where the browser writes no WebP), and
 * without what cameras write into files: where it was taken is nobody's business. Undefined for what
 * the browser cannot read as a picture.
 */
export async function squarePicture(file: Blob): Promise<Blob | undefined> {
  const image = await readImage(file);
  if (!image) return undefined;
  const whole = Math.min(image.width, image.height);
  const [x, y] = [(image.width - whole) / 2, (image.height - whole) / 2];
  const canvas = new OffscreenCanvas(side, side);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('the browser gives no canvas to draw on');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, x, y, whole, whole, 0, 0, side, side);
  image.close();
  return canvas.convertToBlob({ type: 'image/webp', quality: 0.9 });
}

async function readImage(file: Blob): Promise<ImageBitmap | undefined> {
  try {
    return await createImageBitmap(file);
  } catch (error) {
    // What it says of bytes that are no picture, or one of no size.
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}
