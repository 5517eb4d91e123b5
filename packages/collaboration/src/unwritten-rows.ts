import { computeChecksum } from './checksum.ts';
import type { LocalDatabase, StoredRow } from './local-database.ts';
import { decodeBytes, encodeBytes } from './server-messages.ts';
import { addRows, getScope, type DocumentKey } from './stored-document.ts';

/*
 * Rows that a page had no time to write to IndexedDB before it was unloaded. `localStorage`, whose writes are
 * synchronous, keeps them until the next page adds them to the local database.
 */

/** Start of the names in `localStorage`; the client's id follows. */
const prefix = 'vitrine-unwritten ';
/** UTF-16 units; an origin may store 5 million. */
const maxLength = 500_000;

interface UnwrittenRows {
  readonly key: DocumentKey;
  readonly rows: readonly { readonly clientSeq: number; readonly update: string }[];
}

/** Keeps these rows of a client, in place of earlier ones. */
export function keepUnwritten(
  client: string,
  key: DocumentKey,
  rows: readonly Pick<StoredRow, 'clientSeq' | 'update'>[],
): void {
  const unwritten: UnwrittenRows = {
    key,
    rows: rows.map(({ clientSeq, update }) => ({ clientSeq, update: encodeBytes(update) })),
  };
  const text = JSON.stringify(unwritten);
  try {
    if (text.length <= maxLength) localStorage.setItem(prefix + client, text);
  } catch {
    // The storage is full or blocked: only the write that has begun can save the rows.
  }
}

/** Drops the rows of a client, because it has written them. */
export function dropUnwritten(client: string): void {
  localStorage.removeItem(prefix + client);
}

/**
 * Adds the rows of unloaded pages to the local database. If such a page has written one after all, it is there
 * twice, which has no effect: document and server recognize it. Rejects if the database fails.
 */
export async function restoreUnwritten(database: LocalDatabase): Promise<void> {
  if (typeof localStorage === 'undefined') return;
  for (const name of Object.keys(localStorage)) {
    const text = name.startsWith(prefix) && localStorage.getItem(name);
    // Another tab may just have restored it.
    if (!text) continue;
    const { key, rows } = JSON.parse(text) as UnwrittenRows;
    const stored = rows.map(async ({ clientSeq, update: encoded }) => {
      const update = decodeBytes(encoded);
      const sha256 = await computeChecksum(update);
      return { scope: getScope(key), client: name.slice(prefix.length), clientSeq, update, sha256 };
    });
    await addRows(database, key, await Promise.all(stored));
    localStorage.removeItem(name);
  }
}
