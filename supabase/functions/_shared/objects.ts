import type { BackendApi } from './backend.ts';
import { toRecord } from './person.ts';

/** Entries of a folder per request. */
const pageLength = 100;

/** Lists the names of a user's objects within a bucket, including those in subfolders. */
export async function* listObjects(
  backend: BackendApi,
  bucket: 'avatars' | 'assets',
  person: string,
): AsyncGenerator<string> {
  yield* listFolder(backend, bucket, `${person}/`);
}

async function* listFolder(
  backend: BackendApi,
  bucket: string,
  prefix: string,
): AsyncGenerator<string> {
  for (let offset = 0; ; offset += pageLength) {
    const page = await backend.read(`/storage/v1/object/list/${bucket}`, {
      method: 'POST',
      body: { prefix, limit: pageLength, offset },
    });
    const entries = Array.isArray(page) ? page.map(toRecord) : [];
    for (const { name, id } of entries) {
      // Folders have no id.
      if (id === null) yield* listFolder(backend, bucket, `${prefix}${String(name)}/`);
      else yield prefix + String(name);
    }
    if (entries.length < pageLength) return;
  }
}

/** Reads an object; the path is below `/storage/v1/object/`. Undefined if it is gone meanwhile. */
export async function readObject(
  backend: BackendApi,
  path: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const answer = await backend.ask(`/storage/v1/object/${path}`);
  if (answer.ok) return new Uint8Array(await answer.arrayBuffer());
  await answer.body?.cancel();
  if (answer.status === 400 || answer.status === 404) return undefined;
  throw new Error(`couldn’t read an object: ${answer.status}`);
}
