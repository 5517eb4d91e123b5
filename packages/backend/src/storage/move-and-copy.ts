import type { TransactionSql } from 'postgres';
import type { Caller } from '../rest/index.ts';
import { findBucketSettings, isUniqueViolation, getOwnerId } from './buckets.ts';
import type { StorageContext } from './context.ts';
import { switchToCaller, serviceCaller } from './database.ts';
import { readObject, type ObjectPath, type StoredObject } from './download.ts';
import { findFlag, findText, requireNames, requireText, type StorageRequestBody } from './input.ts';
import { assertBucketName, assertObjectName } from './names.ts';
import { alreadyExists, noSuchObject, tooLarge, typeNotAllowed } from './storage-error.ts';
import {
  isTypeAllowed,
  commitFile,
  upsertObject,
  checkWritePermission,
  createUploadTarget,
} from './upload.ts';
import { parseMetadataHeader } from './upload-body.ts';

function parsePaths(body: StorageRequestBody): { from: ObjectPath; to: ObjectPath } {
  const bucket = requireText(body, 'bucketId');
  const from = { bucket, name: requireText(body, 'sourceKey') };
  const to = {
    bucket: findText(body, 'destinationBucket') ?? bucket,
    name: requireText(body, 'destinationKey'),
  };
  assertObjectName(from.name);
  assertObjectName(to.name);
  return { from, to };
}

/** Moves an object, also to another bucket. Its file stays in place. */
export async function moveObject({ db }: StorageContext, caller: Caller, body: StorageRequestBody) {
  const { from, to } = parsePaths(body);
  const operation = 'storage.object.move';
  const owner = getOwnerId(caller);
  const object = await db.run(serviceCaller, operation, async (tx) => {
    const settings = await findBucketSettings(tx, to.bucket);
    await switchToCaller(tx, caller);
    const found = await readObject(tx, from);
    if (found === undefined) throw noSuchObject();
    if (to.bucket !== from.bucket) assertBucketAllows(settings, found);
    try {
      const { count } = await tx`
        update storage.objects set bucket_id = ${to.bucket}, name = ${to.name},
          owner = coalesce(${owner}, owner), owner_id = coalesce(${owner}, owner_id)
        where bucket_id = ${from.bucket} and name = ${from.name}`;
      if (count === 0) throw noSuchObject();
    } catch (error) {
      throw isUniqueViolation(error) ? alreadyExists('KeyAlreadyExists') : error;
    }
    return found;
  });
  return { message: 'Successfully moved', Id: object.id, Key: to.name };
}

/** Checks an object against the settings of the target bucket. */
function assertBucketAllows(
  settings: Awaited<ReturnType<typeof findBucketSettings>>,
  object: StoredObject,
) {
  if (object.size > (settings.fileSizeLimit ?? Infinity)) throw tooLarge();
  if (!isTypeAllowed(settings.allowedMimeTypes, object.mimeType)) {
    throw typeNotAllowed(object.mimeType);
  }
}

/** Copies an object together with its file. */
export async function copyObject(
  ctx: StorageContext,
  caller: Caller,
  body: StorageRequestBody,
  headers: Headers,
) {
  const { from, to } = parsePaths(body);
  const operation = 'storage.object.copy';
  const upsert = headers.get('x-upsert') === 'true';
  const target = createUploadTarget(caller, to, { upsert, operation });
  const settings = await ctx.db.run(serviceCaller, operation, (tx) =>
    findBucketSettings(tx, to.bucket),
  );
  const object = await ctx.db.run(caller, operation, (tx) => readObject(tx, from));
  if (object === undefined) throw noSuchObject();
  const metadata = { ...object.metadata, lastModified: new Date().toISOString() };
  const takesMetadata = findFlag(body, 'copyMetadata') ?? true;
  const userMetadata = takesMetadata
    ? object.userMetadata
    : parseMetadataHeader(headers.get('x-metadata'));
  assertBucketAllows(settings, object);
  await checkWritePermission(ctx, target, { metadata, userMetadata });
  const version = await ctx.files.copy(object.version);
  const { id } = await commitFile(ctx, version, () =>
    upsertObject(ctx, target, version, metadata, userMetadata),
  );
  return { Id: id, Key: `${to.bucket}/${to.name}`, name: to.name, bucket_id: to.bucket, metadata };
}

/** Deletes the objects that the caller may delete, and responds with their rows. */
export async function deleteObjects(
  ctx: StorageContext,
  caller: Caller,
  bucket: string,
  body: StorageRequestBody,
) {
  assertBucketName(bucket);
  const names = requireNames(body, 'prefixes');
  names.forEach(assertObjectName);
  const rows = await ctx.db.run(caller, 'storage.object.delete_many', (tx) =>
    deleteRows(tx, tx`bucket_id = ${bucket} and name = any(${names}::text[])`),
  );
  await removeFiles(ctx, rows);
  return rows;
}

export async function deleteObject(ctx: StorageContext, caller: Caller, objectPath: ObjectPath) {
  assertObjectName(objectPath.name);
  const rows = await ctx.db.run(caller, 'storage.object.delete', (tx) =>
    deleteRows(tx, tx`bucket_id = ${objectPath.bucket} and name = ${objectPath.name}`),
  );
  if (rows.length === 0) throw noSuchObject();
  await removeFiles(ctx, rows);
  return { message: 'Successfully deleted' };
}

/** Empties the bucket immediately. The message is that of a hosted project, which queues it. */
export async function emptyBucket(ctx: StorageContext, caller: Caller, bucket: string) {
  const operation = 'storage.bucket.empty';
  const rows = await ctx.db.run(caller, operation, async (tx) => {
    await findBucketSettings(tx, bucket);
    return await deleteRows(tx, tx`bucket_id = ${bucket}`);
  });
  await removeFiles(ctx, rows);
  return { message: 'Empty bucket has been queued. Completion may take up to an hour.' };
}

interface DeletedRow {
  version: string | null;
}

function deleteRows(tx: TransactionSql, condition: ReturnType<TransactionSql>) {
  return tx<DeletedRow[]>`
    delete from storage.objects where ${condition}
    returning id, name, bucket_id, owner, owner_id, version, metadata, user_metadata,
      created_at, updated_at, last_accessed_at`;
}

/** Called after the commit. Concurrent readers have the file open. */
async function removeFiles({ files }: StorageContext, rows: readonly DeletedRow[]): Promise<void> {
  await files.remove(rows.flatMap(({ version }) => version ?? []));
}
