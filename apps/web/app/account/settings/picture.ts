import { findErrorCode, type ErrorCode } from '@vitrine/project';
import type { SupabaseClient } from '@supabase/supabase-js';

const bucket = 'avatars';
/** Cache lifetime. Each upload gets a new URL, so a cached picture never goes stale. */
const maxAgeSeconds = String(365 * 24 * 60 * 60);

/** Resolves to an error code, or undefined on success. */
type Outcome = Promise<ErrorCode | undefined>;

/**
 * Uploads a file as the user's avatar and deletes the previous one.
 * @param oldPath path of the previous avatar in the bucket, or null
 */
export async function uploadPicture(
  supabase: SupabaseClient,
  userId: string,
  oldPath: string | null,
  file: Blob,
): Outcome {
  const picture = await cropToSquare(file);
  if (!picture) return 'picture_unreadable';
  const extension = picture.type === 'image/webp' ? 'webp' : 'png';
  const path = `${userId}/${crypto.randomUUID()}.${extension}`;
  const { error } = await supabase.storage
    .from(bucket)
    .upload(path, picture, { contentType: picture.type, cacheControl: maxAgeSeconds });
  if (error) return findUploadCode(error);
  return setPicture(supabase, userId, { oldPath, path });
}

/** Removes the user's avatar. Their initials are shown instead. */
export function removePicture(supabase: SupabaseClient, userId: string, oldPath: string): Outcome {
  return setPicture(supabase, userId, { oldPath, path: null });
}

async function setPicture(
  supabase: SupabaseClient,
  userId: string,
  { oldPath, path }: { oldPath: string | null; path: string | null },
): Outcome {
  const { data, error } = await supabase
    .from('profiles')
    .update({ avatar_path: path })
    .eq('id', userId)
    .select('id');
  if (error) return findErrorCode(error);
  // Row-level security makes a forbidden update match no rows.
  if (data.length === 0) return 'suspended';
  // If this fails, the file stays behind, but nothing links to it.
  if (oldPath !== null) await supabase.storage.from(bucket).remove([oldPath]);
  return undefined;
}

/** Maps a storage error; for a failed request, `originalError` holds the browser's error. */
function findUploadCode(error: Error): ErrorCode {
  if ('originalError' in error) return findErrorCode(error.originalError);
  // The storage policy rejects only suspended users.
  return 'statusCode' in error && error.statusCode === '403' ? 'suspended' : 'unexpected';
}

/** In pixels: enough for the largest avatar on a high-density screen. */
const side = 256;

/**
 * Crops a picture to its middle square, 256 px wide, as WebP (PNG if the browser can't encode
 * WebP). Drops metadata such as the camera's GPS position. Undefined if the browser can't decode
 * the file.
 */
async function cropToSquare(file: Blob): Promise<Blob | undefined> {
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
