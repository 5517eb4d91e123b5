import type { Caller } from '../rest/index.ts';
import type { StorageContext } from './context.ts';
import { readObject, type ObjectPath } from './download.ts';
import { findNumber, requireNames, type StorageRequestBody } from './input.ts';
import { storageLimits } from './limits.ts';
import { assertBucketName, assertObjectName, isObjectName } from './names.ts';
import { invalidRequest, noSuchObject } from './storage-error.ts';
import { findImageTransform } from './transform.ts';
import { checkWritePermission, createUploadTarget } from './upload.ts';
import { parseMetadataHeader } from './upload-body.ts';

/** Signs a URL with which anyone can read this object until it expires. */
export async function signDownload(
  ctx: StorageContext,
  caller: Caller,
  objectPath: ObjectPath,
  body: StorageRequestBody,
) {
  assertObjectName(objectPath.name);
  const expiresIn = parseLifetimeSeconds(body);
  const object = await ctx.db.run(caller, 'storage.object.sign', (tx) =>
    readObject(tx, objectPath),
  );
  if (object === undefined) throw noSuchObject();
  const transform = findImageTransform(body);
  const url = `${objectPath.bucket}/${objectPath.name}`;
  if (transform === undefined) return { signedURL: await signObjectUrl(ctx, url, expiresIn) };
  const transformations = JSON.stringify(transform);
  const token = await ctx.signer.sign({ scope: 'download', url, transformations }, expiresIn);
  return { signedURL: `/render/image/sign/${url}?token=${token}` };
}

/** Signs a URL for each name. Objects that may not be read have an error instead of a URL. */
export async function signDownloads(
  ctx: StorageContext,
  caller: Caller,
  bucket: string,
  body: StorageRequestBody,
) {
  assertBucketName(bucket);
  const expiresIn = parseLifetimeSeconds(body);
  const names = requireNames(body, 'paths');
  const rows = await ctx.db.run(
    caller,
    'storage.object.sign_many',
    (tx) => tx<{ name: string }[]>`
      select name from storage.objects where bucket_id = ${bucket} and name = any(${names.filter(isObjectName)}::text[])`,
  );
  const found = new Set(rows.map(({ name }) => name));
  return await Promise.all(
    names.map(async (path) =>
      found.has(path)
        ? { error: null, path, signedURL: await signObjectUrl(ctx, `${bucket}/${path}`, expiresIn) }
        : {
            error: 'Either the object does not exist or you do not have access to it',
            path,
            signedURL: null,
          },
    ),
  );
}

async function signObjectUrl({ signer }: StorageContext, url: string, expiresIn: number) {
  const token = await signer.sign({ scope: 'download', url }, expiresIn);
  return `/object/sign/${url}?token=${token}`;
}

/** Signs a URL with which this object can be uploaded with the caller's rights, for two hours. */
export async function signUpload(
  ctx: StorageContext,
  caller: Caller,
  objectPath: ObjectPath,
  headers: Headers,
) {
  assertObjectName(objectPath.name);
  const upsert = headers.get('x-upsert') === 'true';
  const target = createUploadTarget(caller, objectPath, {
    upsert,
    operation: 'storage.object.sign_upload_url',
  });
  await checkWritePermission(ctx, target, {
    metadata: {},
    userMetadata: parseMetadataHeader(headers.get('x-metadata')),
  });
  const url = `${objectPath.bucket}/${objectPath.name}`;
  const grant = { scope: 'upload', url, upsert, owner: target.owner } as const;
  const token = await ctx.signer.sign(grant, storageLimits.signedUploadLifetimeSeconds);
  return { url: `/object/upload/sign/${url}?token=${token}`, token };
}

function parseLifetimeSeconds(body: StorageRequestBody): number {
  const expiresIn = findNumber(body, 'expiresIn', 1);
  if (expiresIn === undefined) {
    throw invalidRequest("body must have required property 'expiresIn'");
  }
  // About 95 years: later times exceed the range of dates.
  if (expiresIn > 3_000_000_000) throw invalidRequest('body/expiresIn is too large');
  return expiresIn;
}
