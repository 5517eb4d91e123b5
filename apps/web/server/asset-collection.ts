import { requestAsService, type BackendClient } from './hourly-jobs.ts';

/**
 * Deletes the bytes of assets to which nothing has referred for a week: no file of a project, no
 * version. The database claims them for ten minutes, so that no project gets one of them meanwhile.
 * Resolves to their number. Rejects if a request fails; claimed assets are then claimed again later.
 */
export async function deleteUnreferencedAssets(backend: BackendClient): Promise<number> {
  for (let deleted = 0; ;) {
    const claimed = await requestAsService(backend, '/rest/v1/rpc/collect_assets', {
      method: 'POST',
      body: {},
    });
    const names: unknown = await claimed.json();
    if (!Array.isArray(names))
      throw new Error(`collect_assets failed with status ${claimed.status}`);
    if (names.length === 0) return deleted;
    const response = await requestAsService(backend, '/storage/v1/object/assets', {
      method: 'DELETE',
      body: { prefixes: names },
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`deleting assets failed with status ${response.status}`);
    deleted += names.length;
  }
}
