import type { BackendApi } from './backend.ts';

/** Most names that the database's functions return. */
const pageLength = 1_000;

/**
 * Deletes assets to which nothing has referred for a week, or with `account`, those of an account that
 * has just been deleted, unless a project of somebody else has them. Returns their number.
 */
export function collectAssets(service: BackendApi, account?: string): Promise<number> {
  return deleteCollected(service, 'assets', account === undefined ? {} : { account });
}

/**
 * Deletes the posters of deleted projects, and of versions that aren't the published one any more; with
 * `account`, also those that this deleted account has made for projects of others. Returns their number.
 */
export function collectPosters(service: BackendApi, account?: string): Promise<number> {
  return deleteCollected(service, 'posters', account === undefined ? {} : { account });
}

async function deleteCollected(
  service: BackendApi,
  bucket: 'assets' | 'posters',
  body: object,
): Promise<number> {
  for (let deleted = 0; ;) {
    const prefixes = await service.read(`/rest/v1/rpc/collect_${bucket}`, { method: 'POST', body });
    if (!Array.isArray(prefixes)) throw new Error(`collect_${bucket} returned no list`);
    if (prefixes.length === 0) return deleted;
    await service.read(`/storage/v1/object/${bucket}`, { method: 'DELETE', body: { prefixes } });
    deleted += prefixes.length;
    if (prefixes.length < pageLength) return deleted;
  }
}
