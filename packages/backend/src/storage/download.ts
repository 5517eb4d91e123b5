import { Readable } from 'node:stream';
import type { TransactionSql } from 'postgres';
import type { Caller } from '../rest/index.ts';
import { findBucketSettings } from './buckets.ts';
import type { StorageContext } from './context.ts';
import { serviceCaller } from './database.ts';
import type { ByteRange } from '@vitrine/project';
import { maxImageBytes } from './images.ts';
import { assertObjectName } from './names.ts';
import { findByteRange, isRangeValid, isNotModified } from './ranges.ts';
import { createContentHeaders } from './safe-headers.ts';
import { invalidRequest, noSuchBucket, noSuchObject } from './storage-error.ts';
import { negotiateFormat, formatImageTransform, type ImageTransform } from './transform.ts';

/** A row of `storage.objects` that has a file, with its metadata. */
export interface StoredObject {
  id: string;
  name: string;
  bucketId: string;
  version: string;
  size: number;
  mimeType: string;
  cacheControl: string;
  eTag: string;
  metadata: Record<string, unknown>;
  userMetadata: Record<string, unknown> | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface ObjectPath {
  bucket: string;
  name: string;
}

/**
 * Access with which an object is read. `public` requires a public bucket; `signed` was authorized
 * when the URL was signed; a caller needs a policy unless the bucket is public.
 */
export type ReadAccess = 'public' | 'signed' | Caller;

/** Finds an object. Throws noSuchBucket or noSuchObject, also when it may not be read. */
export async function findObject(
  { db }: StorageContext,
  { bucket, name }: ObjectPath,
  right: ReadAccess,
  operation: string,
): Promise<StoredObject & { isPublic: boolean }> {
  assertObjectName(name);
  const settings = await db.run(serviceCaller, operation, (tx) => findBucketSettings(tx, bucket));
  if (right === 'public' && !settings.public) throw noSuchBucket();
  const isOurs = typeof right === 'string' || settings.public;
  const object = await db.run(isOurs ? serviceCaller : right, operation, (tx) =>
    readObject(tx, { bucket, name }),
  );
  if (object === undefined) throw noSuchObject();
  return { ...object, isPublic: settings.public && right !== 'signed' };
}

/** Reads an object with the rights of the transaction's role. */
export async function readObject(
  tx: TransactionSql,
  { bucket, name }: ObjectPath,
): Promise<StoredObject | undefined> {
  const [row] = await tx<StoredObject[]>`
    select id, name, bucket_id as "bucketId", version,
      coalesce((metadata ->> 'size')::float8, 0) as size,
      coalesce(metadata ->> 'mimetype', 'application/octet-stream') as "mimeType",
      coalesce(metadata ->> 'cacheControl', 'no-cache') as "cacheControl",
      coalesce(metadata ->> 'eTag', '') as "eTag", coalesce(metadata, '{}') as metadata,
      user_metadata as "userMetadata", created_at as "createdAt", updated_at as "updatedAt"
    from storage.objects where bucket_id = ${bucket} and name = ${name} and version is not null`;
  return row;
}

/** Responds with the file, a range of it, or 304. HEAD has the same headers. */
export async function createFileResponse(
  ctx: StorageContext,
  request: Request,
  object: StoredObject & { isPublic: boolean },
): Promise<Response> {
  const validators = { eTag: object.eTag, lastModified: object.updatedAt };
  const headers = createObjectHeaders(request, object);
  if (isNotModified(request.headers, validators)) {
    headers.delete('content-type');
    return new Response(null, { status: 304, headers });
  }
  const part = isRangeValid(request.headers, validators)
    ? findByteRange(request.headers, object.size)
    : undefined;
  setRangeHeaders(headers, part, object.size);
  const status = part === undefined ? 200 : 206;
  if (request.method === 'HEAD') return new Response(null, { status, headers });
  const reading = await ctx.files.read(object.version, object.eTag.slice(1, -1), part);
  if (reading === undefined) throw noSuchObject();
  if (reading.size !== object.size) {
    reading.stream.destroy();
    throw new Error('A stored file has an unexpected size.');
  }
  // The same stream type, which the DOM and Node declare separately.
  const body = Readable.toWeb(reading.stream) as unknown as ReadableStream<Uint8Array<ArrayBuffer>>;
  return new Response(body, { status, headers });
}

/** Responds with the transformed image. It has its own ETag, as its contents differ. */
export async function createImageResponse(
  ctx: StorageContext,
  request: Request,
  object: StoredObject & { isPublic: boolean },
  asked: ImageTransform,
): Promise<Response> {
  if (object.size > maxImageBytes) {
    throw invalidRequest('The source image file is too large to process');
  }
  const transform = negotiateFormat(asked, request.headers.get('accept'));
  const described = formatImageTransform(transform);
  // Commas separate ETags.
  const eTag = `${object.eTag.slice(0, -1)}-${described.replaceAll(',', '-')}"`;
  const headers = createObjectHeaders(request, { ...object, eTag, mimeType: 'image/png' });
  headers.delete('accept-ranges');
  headers.set('vary', 'Accept');
  headers.set('x-transformations', described);
  const validators = { eTag, lastModified: object.updatedAt };
  if (isNotModified(request.headers, validators))
    return new Response(null, { status: 304, headers });
  const reading = await ctx.files.read(object.version, object.eTag.slice(1, -1));
  if (reading === undefined) throw noSuchObject();
  const { bytes, mimeType } = await ctx.images.transformImage(reading.stream, transform);
  headers.set('content-type', mimeType);
  headers.set('content-length', String(bytes.length));
  return new Response(request.method === 'HEAD' ? null : bytes, { headers });
}

function createObjectHeaders(
  request: Request,
  object: StoredObject & { isPublic: boolean },
): Headers {
  const download = new URL(request.url).searchParams.get('download') ?? undefined;
  const headers = createContentHeaders(object.mimeType, download);
  headers.set('accept-ranges', 'bytes');
  headers.set('etag', object.eTag);
  headers.set('last-modified', object.updatedAt.toUTCString());
  headers.set('cache-control', object.isPublic ? object.cacheControl : 'private, no-store');
  return headers;
}

function setRangeHeaders(headers: Headers, part: ByteRange | undefined, size: number): void {
  headers.set('content-length', String(part === undefined ? size : part.to - part.from + 1));
  if (part !== undefined) headers.set('content-range', `bytes ${part.from}-${part.to}/${size}`);
}

/** Response of `info` for an object. */
export function createObjectInfo(object: StoredObject): Record<string, unknown> {
  return {
    id: object.id,
    name: object.name,
    version: object.version,
    bucket_id: object.bucketId,
    size: object.size,
    content_type: object.mimeType,
    cache_control: object.cacheControl,
    etag: object.eTag,
    metadata: object.userMetadata,
    last_modified: object.updatedAt,
    created_at: object.createdAt,
  };
}
