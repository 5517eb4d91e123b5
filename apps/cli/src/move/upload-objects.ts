import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExportedObject } from './export-data.ts';

/** The Supabase project to upload to, and its secret key. */
interface UploadDestination {
  url: string;
  secretKey: string;
  fetch?: typeof fetch;
}

/**
 * Uploads the exported objects in `folder` to their buckets, overwriting existing ones. Returns the
 * SQL that restores their owners, which the Storage API cannot set. Throws when an upload fails.
 */
export async function uploadObjects(folder: string, to: UploadDestination): Promise<string> {
  const objects = JSON.parse(
    await readFile(join(folder, 'objects.json'), 'utf8'),
  ) as ExportedObject[];
  for (const object of objects) await upload(folder, object, to);
  return objects
    .filter(({ owner }) => owner !== null)
    .map(
      ({ bucket, name, owner }) =>
        `update storage.objects set owner_id = ${quoteLiteral(owner ?? '')} where bucket_id = ${quoteLiteral(bucket)} and name = ${quoteLiteral(name)};\n`,
    )
    .join('');
}

async function upload(
  folder: string,
  object: ExportedObject,
  to: UploadDestination,
): Promise<void> {
  const { bucket, cacheControl, file, metadata, name, type } = object;
  const path = [bucket, ...name.split('/')].map(encodeURIComponent).join('/');
  const headers = new Headers({ apikey: to.secretKey, 'x-upsert': 'true' });
  headers.set('authorization', `Bearer ${to.secretKey}`);
  if (type !== null) headers.set('content-type', type);
  if (cacheControl !== null) headers.set('cache-control', cacheControl);
  if (metadata !== null) {
    headers.set('x-metadata', Buffer.from(JSON.stringify(metadata)).toString('base64'));
  }
  const body = await readFile(join(folder, file));
  const send = to.fetch ?? fetch;
  const response = await send(`${to.url}/storage/v1/object/${path}`, {
    method: 'POST',
    headers,
    body,
  });
  if (!response.ok) throw new Error(`${bucket}/${name} was rejected: ${await response.text()}`);
}

function quoteLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
