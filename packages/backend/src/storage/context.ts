import type { StorageDatabase } from './database.ts';
import type { FileStore } from './file-store.ts';
import type { ImageTransformer } from './images.ts';
import type { UrlSigner } from './signing.ts';

/** Dependencies of all parts of storage. */
export interface StorageContext {
  readonly db: StorageDatabase;
  readonly files: FileStore;
  readonly signer: UrlSigner;
  readonly images: ImageTransformer;
}
