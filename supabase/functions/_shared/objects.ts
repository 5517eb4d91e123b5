import type { BackendApi } from './backend.ts';
import { toRecord } from './person.ts';

/** Entries of a folder per request. */
const pageLength = 100;

/** Lists the names of a user's pictures within the bucket, including those in subfolders. */
export async function* listPictures(backend: BackendApi, person: string): AsyncGenerator<string> {
  yield* listFolder(backend, `${person}/`);
}

async function* listFolder(backend: BackendApi, prefix: string): AsyncGenerator<string> {
  for (let offset = 0; ; offset += pageLength) {
    const page = await backend.read('/storage/v1/object/list/avatars', {
      method: 'POST',
      body: { prefix, limit: pageLength, offset },
    });
    const entries = Array.isArray(page) ? page.map(toRecord) : [];
    for (const { name, id } of entries) {
      // Folders have no id.
      if (id === null) yield* listFolder(backend, `${prefix}${String(name)}/`);
      else yield prefix + String(name);
    }
    if (entries.length < pageLength) return;
  }
}
