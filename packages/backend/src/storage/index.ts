import { createRateLimiter } from '@vitrine/project';
import type { Log } from '../log.ts';
import type { DatabaseAddress } from '../postgres/index.ts';
import { openStorageDatabase, serviceCaller } from './database.ts';
import { openFileStore } from './file-store.ts';
import { currentClient, createImageTransformer } from './images.ts';
import { storageLimits } from './limits.ts';
import { createStorageRoutes, type StorageBindings } from './routes.ts';
import { createUrlSigner } from './signing.ts';
import {
  StorageError,
  createStorageErrorResponse,
  mapStorageDatabaseError,
  tooManyRequests,
} from './storage-error.ts';

export interface StorageService {
  /**
   * Handles a request for `/storage/v1/…`. An unauthenticated caller is the text of the reason;
   * public and signed URLs need no caller. Throws unexpected errors, such as a lost database
   * connection or a full disk.
   */
  handle(request: Request, bindings: StorageBindings): Promise<Response>;
  /** Moves files without an object to `lost`. */
  moveOrphans(): Promise<void>;
  close(): Promise<void>;
}

/** Opens Supabase's Storage API on the schema `storage` and a directory of files. */
export async function openStorage(options: {
  /** Connection as the user `authenticator`. */
  database: DatabaseAddress;
  folder: string;
  /** Key for signing URLs. */
  urlKey: Uint8Array;
  log: Log;
}): Promise<StorageService> {
  const db = openStorageDatabase(options.database);
  const files = await openFileStore(options.folder);
  const uploads = createRateLimiter({
    burst: storageLimits.uploadBurst,
    refillSeconds: storageLimits.uploadRefillSeconds,
  });
  const images = createImageTransformer({ log: options.log });
  const routes = createStorageRoutes({
    db,
    files,
    signer: createUrlSigner(options.urlKey),
    images,
    consumeUploadLimit({ caller, rateLimitKey }) {
      const claims = typeof caller === 'string' ? {} : caller.claims;
      if (claims['role'] === 'service_role') return;
      const waitSeconds = uploads.consume(
        typeof claims['sub'] === 'string' ? claims['sub'] : rateLimitKey,
      );
      if (waitSeconds > 0) throw tooManyRequests(waitSeconds);
    },
  });
  return {
    async handle(request, bindings) {
      try {
        return await currentClient.run(bindings.rateLimitKey, () =>
          routes.fetch(request, bindings),
        );
      } catch (error) {
        const storageError = mapError(error);
        return request.method === 'HEAD'
          ? new Response(null, { status: storageError.httpStatus })
          : createStorageErrorResponse(storageError);
      }
    },
    async moveOrphans() {
      const count = await files.moveOrphans(async (versions) => {
        const rows = await db.run(
          serviceCaller,
          'vitrine.sweep',
          (tx) => tx<{ version: string }[]>`
            select version from storage.objects where version = any(${versions}::text[])`,
        );
        return new Set(rows.map(({ version }) => version));
      });
      if (count > 0)
        options.log.warn('Moved files that belong to no object to the “lost” folder.', { count });
    },
    async close() {
      images.close();
      await db.close();
    },
  };
}

function mapError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  return mapStorageDatabaseError(error);
}
