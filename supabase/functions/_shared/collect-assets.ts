import type { BackendApi } from './backend.ts';

/**
 * Deletes assets to which nothing has referred for a week, or with `account`, those of an account that
 * has just been deleted, unless a project of somebody else has them. Returns their number.
 */
export async function collectAssets(service: BackendApi, account?: string): Promise<number> {
  for (let deleted = 0; ;) {
    const prefixes = await service.read('/rest/v1/rpc/collect_assets', {
      method: 'POST',
      body: account === undefined ? {} : { account },
    });
    if (!Array.isArray(prefixes)) throw new Error('collect_assets returned no list');
    if (prefixes.length === 0) return deleted;
    await service.read('/storage/v1/object/assets', { method: 'DELETE', body: { prefixes } });
    deleted += prefixes.length;
  }
}
