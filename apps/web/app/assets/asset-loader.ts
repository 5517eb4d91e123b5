import { findAssetSources, type AssetFile, type ProjectFiles } from '@vitrine/project';
import type { PageSettings } from '../request-context.ts';
import type { AssetStore } from './asset-store.ts';

interface AssetLoaderOptions {
  readonly page: PageSettings;
  /** Id of the user. Null for a visitor. */
  readonly userId: string | null;
  /** Files as the server sent them, with the uploaders of assets. */
  readonly files: ProjectFiles;
}

/** Returns a function that creates the store of assets on its first call, which loads its code. */
export function createLazyAssetStore(options: AssetLoaderOptions): () => Promise<AssetStore> {
  const { page, userId, files } = options;
  let store: Promise<AssetStore> | undefined;
  const create = async () => {
    const { AssetStore } = await import('./asset-store.ts');
    return new AssetStore({ page, userId, sources: findAssetSources(files.values()) });
  };
  return async () => {
    store ??= create();
    try {
      return await store;
    } catch (error) {
      store = undefined;
      throw error;
    }
  };
}

/** Returns the function that loads the bytes of a saved project's assets for its preview. */
export function createAssetLoader(
  options: AssetLoaderOptions & { readonly project: string },
): (asset: AssetFile) => Promise<Blob> {
  const getStore = createLazyAssetStore(options);
  return async (asset) => (await getStore()).load(asset, options.project);
}
