import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import type { Caller } from '../rest/index.ts';
import { findBucketRules, isUniqueViolation, getOwnerId, type BucketRules } from './buckets.ts';
import { switchToCaller, serviceCaller, type Transaction } from './database.ts';
import type { StorageContext } from './context.ts';
import type { StoredFile } from './file-store.ts';
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

/** Destination of an upload, and the access used for it. */
export interface UploadTarget {
  caller: Caller;
  /** Owner of the object. For a signed URL, the user who signed it. */
  owner: string | null;
  bucket: string;
  name: string;
  upsert: boolean;
  operation: string;
}

/** Value of `storage.objects.metadata`, in the format of a hosted project. */
export interface FileMetadata {
  eTag: string;
  size: number;
  mimetype: string;
  cacheControl: string;
  lastModified: string;
  contentLength: number;
  httpStatusCode: number;
}

/**
 * Handles an upload: checks the policies with what is known in advance, writes the file, and
 * inserts the row as the caller, so that the policies apply to the final row too. The file is not
 * visible until the row is committed; an earlier failure leaves nothing behind.
 */
export async function handleUpload(ctx: StorageContext, request: Request, target: UploadTarget) {
  assertObjectName(target.name);
  const rules = await ctx.db.run(serviceCaller, target.operation, (tx) =>
    findBucketRules(tx, target.bucket),
  );
  const limit = Math.min(storageLimits.maxFileBytes, rules.fileSizeLimit ?? Infinity);
  const body = await openUploadBody(request);
  try {
    assertBucketRules(rules, body, limit);
    await checkUploadPermission(ctx, target, body);
    const file = await ctx.files.write(body.bytes, limit);
    if (file === 'too large') throw tooLarge();
    return await saveObject(ctx, target, body, file);
  } catch (error) {
    const wasInterrupted = body.bytes.errored !== null && body.bytes.errored === error;
    throw wasInterrupted ? invalidRequest('The upload was interrupted') : error;
  } finally {
    body.bytes.destroy();
  }
}

function assertBucketRules(rules: BucketRules, body: UploadBody, limit: number): void {
  // A form is larger than its file, whose size is checked while reading.
  if (!body.isForm && (body.announcedSize ?? 0) > limit) throw tooLarge();
  if (!isTypeAllowed(rules.allowedMimeTypes, body.mimeType)) throw typeNotAllowed(body.mimeType);
}

/**
 * Whether `mimeType` matches a rule: `image/png` matches `image/png`, `image/*` and `*`. Parameters
 * are only compared when the rule has some.
 */
export function isTypeAllowed(allowed: readonly string[] | null, mimeType: string): boolean {
  if (allowed === null || allowed.length === 0) return true;
  const essence = (mimeType.split(';')[0] ?? '').trim().toLowerCase();
  const kind = essence.split('/')[0];
  return allowed.some((one) =>
    ['*', `${kind}/*`, essence, mimeType.toLowerCase()].includes(one.toLowerCase()),
  );
}

/** Checks the policies with what is known before the upload. */
async function checkUploadPermission(ctx: StorageContext, target: UploadTarget, body: UploadBody) {
  const metadata = { mimetype: body.mimeType, contentLength: body.announcedSize };
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
  const rollback = new Error('rehearsed');
  try {
    await ctx.db.run(target.caller, target.operation, async (tx) => {
      await insertRow(tx, target, { id: randomUUID(), version: randomUUID(), ...row });
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
  file: StoredFile,
): Promise<{ id: string }> {
  return await commitFile(ctx, file.version, async () => {
    await body.finish();
    const description = body.describe();
    const metadata = createFileMetadata(file, body.mimeType, description);
    return await upsertObject(ctx, target, file.version, metadata, description.metadata);
  });
}

/**
 * Inserts the row of a written file. Deletes the file when the row is rejected, and the replaced
 * file when it is committed. When the outcome is unknown (the connection broke), both files stay: a
 * file without a row is swept later, a row without a file would be a broken object.
 */
export async function commitFile(
  ctx: StorageContext,
  version: string,
  insertObjectRow: () => Promise<{ id: string; replaced: string | null }>,
): Promise<{ id: string }> {
  try {
    const { id, replaced } = await insertObjectRow();
    if (replaced !== null) await ctx.files.remove([replaced]);
    return { id };
  } catch (error) {
    if (isRejection(error)) await ctx.files.remove([version]);
    throw error;
  }
}

function isRejection(error: unknown): boolean {
  if (error instanceof StorageError) return true;
  return error instanceof postgres.PostgresError && !/^(FATAL|PANIC)$/.test(error.severity);
}

function createFileMetadata(
  { size, sha256 }: StoredFile,
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
): Promise<{ id: string; replaced: string | null }> {
  return await db.run(serviceCaller, target.operation, async (tx) => {
    const objectPath = `${target.bucket}/${target.name}`;
    await tx`select pg_advisory_xact_lock(hashtextextended(${objectPath}, 0))`;
    const [old] = await tx<{ id: string; version: string | null }[]>`
      select id, version from storage.objects
      where bucket_id = ${target.bucket} and name = ${target.name}`;
    await switchToCaller(tx, target.caller);
    const id = old?.id ?? randomUUID();
    await insertRow(tx, target, { id, version, metadata, userMetadata });
    return { id, replaced: old?.version ?? null };
  });
}

interface NewRow {
  id: string;
  version: string;
  metadata: object;
  userMetadata: object | null;
}

/** Without `returning`, which would require a policy for reading. */
async function insertRow(tx: Transaction, target: UploadTarget, row: NewRow): Promise<void> {
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
  how: { upsert: boolean; operation: string },
): UploadTarget {
  return { caller, owner: getOwnerId(caller), ...objectPath, ...how };
}
