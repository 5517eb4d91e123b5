import type { Backend } from './backend.ts';
import { toRecord } from './person.ts';

/** Entries of a folder that are asked for at a time. */
const pageLength = 100;

/**
 * The names of a person's pictures within the bucket, page by page, also of those that lie in
 * folders below the person's own.
 */
export async function* listPictures(backend: Backend, person: string): AsyncGenerator<string> {
  yield* listFolder(backend, `${person}/`);
}

async function* listFolder(backend: Backend, prefix: string): AsyncGenerator<string> {
  for (let offset = 0; ; offset += pageLength) {
    const page = await backend.read('/storage/v1/object/list/avatars', {
      method: 'POST',
      body: { prefix, limit: pageLength, offset },
    });
    const entries = Array.isArray(page) ? page.map(toRecord) : [];
    for (const { name, id } of entries) {
      // What has no id is a folder.
      if (id === null) yield* listFolder(backend, `${prefix}${String(name)}/`);
      else yield prefix + String(name);
    }
    if (entries.length < pageLength) return;
  }
}
