import { randomUUID } from 'node:crypto';
import postgres, { type TransactionSql } from 'postgres';
import type { Caller } from '../rest/index.ts';
import {
  findBucketSettings,
  isUniqueViolation,
  getOwnerId,
  type BucketSettings,
} from './buckets.ts';
import { switchToCaller, serviceCaller } from './database.ts';
import type { StorageContext } from './context.ts';
import type { WrittenFile } from './file-store.ts';
import { storageLimits } from './limits.ts';
import { assertObjectName } from './names.ts';
import {
  StorageError,
  alreadyExists,
  invalidRequest,
  tooLarge,
  typeNotAllowed,
} from './storage-error.ts';
import { openUploadBody, type UploadBody, type UploadDescription } from './upload-body.ts';

/** Where an upload goes, and as whom. */
export interface UploadTarget {
  caller: Caller;
  /** Owner of the object. For a signed URL, the user who signed it. */
  owner: string | null;
  bucket: string;
  name: string;
  upsert: boolean;
  operation: string;
}

/** Value of `storage.objects.metadata`, as hosted Supabase writes it. */
interface FileMetadata {
  eTag: string;
  size: number;
  mimetype: string;
  cacheControl: string;
  lastModified: string;
  contentLength: number;
  httpStatusCode: number;
}

/**
 * Handles an upload: checks the RLS policies with what is known in advance, writes the file, and
 * inserts the row as the caller, so that the policies apply to the final row too. The file is not
 * visible until the row is committed; an earlier failure leaves nothing behind.
 */
export async function handleUpload(ctx: StorageContext, request: Request, target: UploadTarget) {
  assertObjectName(target.name);
  const settings = await ctx.db.run(serviceCaller, target.operation, (tx) =>
    findBucketSettings(tx, target.bucket),
  );
  const limit = Math.min(storageLimits.maxFileBytes, settings.fileSizeLimit ?? Infinity);
  const body = await openUploadBody(request);
  try {
    assertBucketAllows(settings, body, limit);
    await checkUploadPermission(ctx, target, body);
    const file = await ctx.files.write(body.bytes, limit);
    if (file === 'too-large') throw tooLarge();
    return await saveObject(ctx, target, body, file);
  } catch (error) {
    const wasInterrupted = body.bytes.errored !== null && body.bytes.errored === error;
    throw wasInterrupted ? invalidRequest('The upload was interrupted') : error;
  } finally {
    body.bytes.destroy();
  }
}

function assertBucketAllows(settings: BucketSettings, body: UploadBody, limit: number): void {
  // A form is larger than its file, whose size is checked while reading.
  if (!body.isForm && (body.contentLength ?? 0) > limit) throw tooLarge();
  if (!isTypeAllowed(settings.allowedMimeTypes, body.mimeType)) throw typeNotAllowed(body.mimeType);
}

/**
 * Whether `mimeType` is one of the allowed types: `image/png` matches `image/png`, `image/*` and `*`.
 * Parameters are only compared when the allowed type has some.
 */
export function isTypeAllowed(allowed: readonly string[] | null, mimeType: string): boolean {
  if (allowed === null || allowed.length === 0) return true;
  const essence = (mimeType.split(';')[0] ?? '').trim().toLowerCase();
  const mainType = essence.split('/')[0];
  return allowed.some((pattern) =>
    ['*', `${mainType}/*`, essence, mimeType.toLowerCase()].includes(pattern.toLowerCase()),
  );
}

/** Checks the policies with what is known before the upload. */
async function checkUploadPermission(ctx: StorageContext, target: UploadTarget, body: UploadBody) {
  const metadata = { mimetype: body.mimeType, contentLength: body.contentLength };
  await checkWritePermission(ctx, target, { metadata, userMetadata: body.describe().metadata });
}

/**
 * Checks whether the caller may write this row, in a transaction that is rolled back. Throws the
 * database's error.
 */
export async function checkWritePermission(
  ctx: StorageContext,
  target: UploadTarget,
  row: { metadata: object; userMetadata: object | null },
): Promise<void> {
  const rollback = new Error('rollback');
  try {
    await ctx.db.run(target.caller, target.operation, async (tx) => {
      await writeRow(tx, target, { id: randomUUID(), version: randomUUID(), ...row });
      throw rollback;
    });
  } catch (error) {
    if (error !== rollback) throw error;
  }
}

async function saveObject(
  ctx: StorageContext,
  target: UploadTarget,
  body: UploadBody,
  file: WrittenFile,
): Promise<{ id: string }> {
  return await commitFile(ctx, file.version, async () => {
    await body.finish();
    const description = body.describe();
    const metadata = createFileMetadata(file, body.mimeType, description);
    return await upsertObject(ctx, target, file.version, metadata, description.metadata);
  });
}

/**
 * Writes the row of a stored file with `writeObjectRow`. Deletes the file when the row is rejected, and the replaced
 * file when it is committed. When the outcome is unknown (the connection broke), both files stay: a
 * file without a row is deleted later, a row without a file would be a broken object.
 */
export async function commitFile(
  ctx: StorageContext,
  version: string,
  writeObjectRow: () => Promise<WrittenObject>,
): Promise<{ id: string }> {
  try {
    const { id, replacedVersion } = await writeObjectRow();
    if (replacedVersion !== null) await ctx.files.remove([replacedVersion]);
    return { id };
  } catch (error) {
    if (isRolledBack(error)) await ctx.files.remove([version]);
    throw error;
  }
}

/** Whether an error means that the transaction was rolled back, not that its outcome is unknown. */
function isRolledBack(error: unknown): boolean {
  if (error instanceof StorageError) return true;
  return error instanceof postgres.PostgresError && !/^(FATAL|PANIC)$/.test(error.severity);
}

function createFileMetadata(
  { size, sha256 }: WrittenFile,
  mimetype: string,
  { cacheControl }: UploadDescription,
): FileMetadata {
  return {
    eTag: `"${sha256}"`,
    size,
    mimetype,
    cacheControl,
    lastModified: new Date().toISOString(),
    contentLength: size,
    httpStatusCode: 200,
  };
}

/**
 * Inserts or replaces the row as the caller. Concurrent calls for one name are serialized, so that
 * each knows the file that it replaces.
 */
export async function upsertObject(
  { db }: StorageContext,
  target: UploadTarget,
  version: string,
  metadata: object,
  userMetadata: object | null,
): Promise<WrittenObject> {
  return await db.run(serviceCaller, target.operation, async (tx) => {
    const lockKey = `${target.bucket}/${target.name}`;
    await tx`select pg_advisory_xact_lock(hashtextextended(${lockKey}, 0))`;
    const [existing] = await tx<{ id: string; version: string | null }[]>`
      select id, version from storage.objects
      where bucket_id = ${target.bucket} and name = ${target.name}`;
    await switchToCaller(tx, target.caller);
    const id = existing?.id ?? randomUUID();
    await writeRow(tx, target, { id, version, metadata, userMetadata });
    return { id, replacedVersion: existing?.version ?? null };
  });
}

/** A written row, and the version of the file that it replaces. */
interface WrittenObject {
  id: string;
  replacedVersion: string | null;
}

interface ObjectRow {
  id: string;
  version: string;
  metadata: object;
  userMetadata: object | null;
}

/** Inserts or updates a row. Without `returning`, which would require a policy for reading. */
async function writeRow(tx: TransactionSql, target: UploadTarget, row: ObjectRow): Promise<void> {
  const { bucket, name, owner, upsert } = target;
  const isUuid = owner !== null && /^[0-9a-f-]{36}$/.test(owner);
  const metadata = JSON.stringify(row.metadata);
  const userMetadata = row.userMetadata === null ? null : JSON.stringify(row.userMetadata);
  const replace = upsert
    ? tx`on conflict (bucket_id, name) do update set
        version = excluded.version, metadata = excluded.metadata, owner = excluded.owner,
        owner_id = excluded.owner_id, user_metadata = excluded.user_metadata`
    : tx``;
  try {
    await tx`
      insert into storage.objects (id, bucket_id, name, owner, owner_id, version, metadata, user_metadata)
      values (${row.id}, ${bucket}, ${name}, ${isUuid ? owner : null}, ${owner}, ${row.version},
        ${metadata}::text::jsonb, ${userMetadata}::text::jsonb) ${replace}`;
  } catch (error) {
    throw isUniqueViolation(error) ? alreadyExists('KeyAlreadyExists') : error;
  }
}

export function createUploadTarget(
  caller: Caller,
  objectPath: { bucket: string; name: string },
  options: { upsert: boolean; operation: string },
): UploadTarget {
  return { caller, owner: getOwnerId(caller), ...objectPath, ...options };
}
