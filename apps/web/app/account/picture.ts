import { findErrorCode, type ErrorCode } from '@vitrine/project';
import type { SupabaseClient } from '@supabase/supabase-js';
import { squarePicture } from './square-picture.ts';

const bucket = 'avatars';
/** A picture's address is never used again for another one. */
const keptForSeconds = String(365 * 24 * 60 * 60);

/** Why it was not done, or nothing. */
type Outcome = Promise<ErrorCode | undefined>;

/** Makes this file the person's picture; the one before goes. */
export async function changePicture(
  supabase: SupabaseClient,
  person: string,
  before: string | null,
  file: Blob,
): Outcome {
  const picture = await squarePicture(file);
  if (!picture) return 'picture_unreadable';
  const ending = picture.type === 'image/webp' ? 'webp' : 'png';
  const path = `${person}/${crypto.randomUUID()}.${ending}`;
  const { error } = await supabase.storage
    .from(bucket)
    .upload(path, picture, { contentType: picture.type, cacheControl: keptForSeconds });
  if (error) return findUploadCode(error);
  return showPicture(supabase, person, { before, path });
}

/** Initials take the picture's place. */
export function removePicture(supabase: SupabaseClient, person: string, before: string): Outcome {
  return showPicture(supabase, person, { before, path: null });
}

async function showPicture(
  supabase: SupabaseClient,
  person: string,
  { before, path }: { before: string | null; path: string | null },
): Outcome {
  const { data, error } = await supabase
    .from('profiles')
    .update({ avatar_path: path })
    .eq('id', person)
    .select('id');
  if (error) return findErrorCode(error);
  // Row level security refuses an update by matching nothing.
  if (data.length === 0) return 'suspended';
  // What is left behind where this fails is shown to nobody.
  if (before !== null) await supabase.storage.from(bucket).remove([before]);
  return undefined;
}

/** Storage speaks in statuses; where nothing answered it has kept what the browser said. */
function findUploadCode(error: Error): ErrorCode {
  if ('originalError' in error) return findErrorCode(error.originalError);
  // The policy lets in everyone who may change anything.
  return 'statusCode' in error && error.statusCode === '403' ? 'suspended' : 'unexpected';
}
