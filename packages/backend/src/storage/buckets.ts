import type { Caller } from '../rest/index.ts';
import type { TransactionSql } from 'postgres';
import type { StorageDatabase } from './database.ts';
import {
  findChoice,
  findFlag,
  findNumber,
  findText,
  requireText,
  type StorageRequestBody,
} from './input.ts';
import { storageLimits } from './limits.ts';
import { assertBucketName } from './names.ts';
import {
  StorageError,
  alreadyExists,
  invalidRequest,
  noSuchBucket,
  tooLarge,
  typeNotAllowed,
} from './storage-error.ts';

/** Settings of a bucket that reads and uploads are checked against. */
export interface BucketSettings {
  public: boolean;
  fileSizeLimit: number | null;
  allowedMimeTypes: string[] | null;
}

const columns = `id, name, owner, public, created_at, updated_at,
  file_size_limit::float8 as file_size_limit, allowed_mime_types`;

/**
 * Reads the settings of a bucket. Run it as the service: they are not secret to anyone who uploads.
 */
export async function findBucketSettings(tx: TransactionSql, id: string): Promise<BucketSettings> {
  assertBucketName(id);
  const [row] = await tx<BucketSettings[]>`
    select coalesce(public, false) as public, file_size_limit::float8 as "fileSizeLimit",
      allowed_mime_types as "allowedMimeTypes"
    from storage.buckets where id = ${id}`;
  if (row === undefined) throw noSuchBucket();
  return row;
}

export async function createBucket(db: StorageDatabase, caller: Caller, body: StorageRequestBody) {
  const name = requireText(body, 'name');
  const id = findText(body, 'id') ?? name;
  assertBucketName(name);
  assertBucketName(id);
  if ((findText(body, 'type') ?? 'STANDARD') !== 'STANDARD') {
    throw new StorageError(409, 'FeatureNotEnabled', 'Only buckets of type STANDARD are supported');
  }
  const { isPublic = false, sizeLimit = null, mimeTypes = null } = parseBucketSettings(body);
  const owner = getOwnerId(caller);
  try {
    await db.run(
      caller,
      'storage.bucket.create',
      (tx) => tx`
        insert into storage.buckets (id, name, owner, owner_id, public, file_size_limit, allowed_mime_types)
        values (${id}, ${name}, ${owner}, ${owner}, ${isPublic}, ${sizeLimit}, ${mimeTypes})`,
    );
  } catch (error) {
    throw isUniqueViolation(error) ? alreadyExists('BucketAlreadyExists') : error;
  }
  return { name };
}

export async function getBucket(db: StorageDatabase, caller: Caller, id: string) {
  const [bucket] = await db.run(
    caller,
    'storage.bucket.get',
    (tx) => tx`select ${tx.unsafe(columns)} from storage.buckets where id = ${id}`,
  );
  if (bucket === undefined) throw noSuchBucket();
  return bucket;
}

export async function listBuckets(db: StorageDatabase, caller: Caller, query: StorageRequestBody) {
  const column =
    findChoice(query, 'sortColumn', ['id', 'name', 'created_at', 'updated_at']) ?? 'name';
  const order = findChoice(query, 'sortOrder', ['asc', 'desc']) ?? 'asc';
  const search = findText(query, 'search')?.toLowerCase() ?? '';
  const limit = findNumber(query, 'limit', 1) ?? storageLimits.maxNames;
  return await db.run(
    caller,
    'storage.bucket.list',
    (tx) => tx`
      select ${tx.unsafe(columns)}, type from storage.buckets
      where strpos(lower(name), ${search}) > 0
      order by ${tx(column)} ${tx.unsafe(order)}, id
      limit ${Math.min(limit, storageLimits.maxNames)} offset ${findNumber(query, 'offset', 0) ?? 0}`,
  );
}

export async function updateBucket(
  db: StorageDatabase,
  caller: Caller,
  id: string,
  body: StorageRequestBody,
) {
  const { isPublic, sizeLimit, mimeTypes } = parseBucketSettings(body);
  const changes: Record<string, boolean | number | string[] | Date | null> = {};
  if (isPublic !== undefined) changes['public'] = isPublic;
  if (sizeLimit !== undefined) changes['file_size_limit'] = sizeLimit;
  if (mimeTypes !== undefined) changes['allowed_mime_types'] = mimeTypes;
  if (Object.keys(changes).length === 0) throw invalidRequest('No content provided');
  changes['updated_at'] = new Date();
  const { count } = await db.run(
    caller,
    'storage.bucket.update',
    (tx) => tx`update storage.buckets set ${tx(changes)} where id = ${id}`,
  );
  if (count === 0) throw noSuchBucket();
  return { message: 'Successfully updated' };
}

export async function deleteBucket(db: StorageDatabase, caller: Caller, id: string) {
  try {
    const { count } = await db.run(
      caller,
      'storage.bucket.delete',
      (tx) => tx`delete from storage.buckets where id = ${id}`,
    );
    if (count === 0) throw noSuchBucket();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === '23503')) throw error;
    const message = 'The bucket you tried to delete is not empty';
    throw new StorageError(409, 'ResourceNotEmpty', message, { cause: error });
  }
  return { message: 'Successfully deleted' };
}

/** User id of the caller, for the owner columns of buckets and objects. */
export function getOwnerId({ claims }: Caller): string | null {
  return typeof claims['sub'] === 'string' ? claims['sub'] : null;
}

export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505';
}

function parseBucketSettings(body: StorageRequestBody) {
  return {
    isPublic: findFlag(body, 'public'),
    sizeLimit: parseSizeLimit(body['file_size_limit']),
    mimeTypes: parseMimeTypes(body['allowed_mime_types']),
  };
}

const unitBytes = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 } as const;

/**
 * Parses bytes from a number or a text such as `20MB`. Null means no limit besides the global one.
 */
function parseSizeLimit(value: unknown): number | null | undefined {
  if (value === undefined || value === null) return value;
  const match = /^(\d+(?:\.\d+)?)(b|kb|mb|gb)?$/i.exec(
    typeof value === 'number' || typeof value === 'string' ? String(value) : '',
  );
  if (match === null) {
    throw invalidRequest('Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B');
  }
  const unit = (match[2]?.toLowerCase() ?? 'b') as keyof typeof unitBytes;
  const bytes = Math.floor(Number(match[1]) * unitBytes[unit]);
  if (bytes > storageLimits.maxFileBytes) throw tooLarge();
  return bytes;
}

function parseMimeTypes(value: unknown): string[] | null | undefined {
  if (value === undefined || value === null) return value;
  if (!Array.isArray(value) || value.length > 200) {
    throw invalidRequest('body/allowed_mime_types must be array');
  }
  const types = value.map(String).filter((type) => type !== '');
  for (const type of types) {
    const isType = /^[\w+.-]+\/([\w+.-]+(;\s*charset=[\w-]+)?|\*)$/.test(type) || type === '*';
    if (!isType || type.length > 200) throw typeNotAllowed(type.slice(0, 200));
  }
  return types;
}
