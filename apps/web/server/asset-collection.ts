import { requestAsService, type BackendClient } from './hourly-jobs.ts';

/**
 * Deletes the bytes of assets to which nothing has referred for a week: no file of a project, no
 * version. The database claims them for ten minutes, so that no project gets one of them meanwhile.
 * Resolves to their number. Rejects if a request fails; claimed assets are then claimed again later.
 */
export function deleteUnreferencedAssets(backend: BackendClient): Promise<number> {
  return deleteCollected(backend, 'assets');
}

/**
 * Deletes the posters of deleted projects, and of versions that aren't the published one any more.
 * Resolves to their number. Rejects if a request fails.
 */
export function deleteOldPosters(backend: BackendClient): Promise<number> {
  return deleteCollected(backend, 'posters');
}

/** Most names that the database's functions return. */
const pageLength = 1_000;

async function deleteCollected(
  backend: BackendClient,
  bucket: 'assets' | 'posters',
): Promise<number> {
  for (let deleted = 0; ;) {
    const collected = await requestAsService(backend, `/rest/v1/rpc/collect_${bucket}`, {
      method: 'POST',
      body: {},
    });
    const names: unknown = await collected.json();
    if (!Array.isArray(names))
      throw new Error(`collect_${bucket} failed with status ${collected.status}`);
    if (names.length === 0) return deleted;
    const response = await requestAsService(backend, `/storage/v1/object/${bucket}`, {
      method: 'DELETE',
      body: { prefixes: names },
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`deleting ${bucket} failed with status ${response.status}`);
    deleted += names.length;
    if (names.length < pageLength) return deleted;
  }
}
