import { Hono } from 'hono';
import type { Context } from 'hono';
import type { Caller } from '../rest/index.ts';
import { createBucket, deleteBucket, getBucket, listBuckets, updateBucket } from './buckets.ts';
import type { StorageContext } from './context.ts';
import { serviceCaller } from './database.ts';
import {
  createFileResponse,
  createImageResponse,
  createObjectInfo,
  findObject,
  type ObjectPath,
  type ReadAccess,
} from './download.ts';
import { readStorageRequestBody } from './input.ts';
import { listFolder, listPage } from './list.ts';
import {
  copyObject,
  emptyBucket,
  moveObject,
  deleteObject,
  deleteObjects,
} from './move-and-copy.ts';
import { signDownload, signDownloads, signUpload } from './signed-urls.ts';
import { accessDenied, StorageError } from './storage-error.ts';
import { parseImageTransform, parseSignedTransform, type ImageTransform } from './transform.ts';
import { handleUpload, createUploadTarget } from './upload.ts';

export interface StorageBindings {
  /** The caller, or the text of the reason why there is none. */
  caller: Caller | string;
  /** What limits count the client's address by: see `toRateLimitKey`. */
  rateLimitKey: string;
}

interface Environment {
  Bindings: StorageBindings;
}

type RouteContext = Context<Environment>;

interface StorageRouteOptions extends StorageContext {
  /** Counts an upload; throws when the limit is exceeded. */
  consumeUploadLimit(bindings: StorageBindings): void;
}

/** Routes of /storage/v1, as in Supabase's Storage API. Throws StorageErrors. */
export function createStorageRoutes(ctx: StorageRouteOptions): Hono<Environment> {
  const app = new Hono<Environment>().basePath('/storage/v1');
  addBucketRoutes(app, ctx);
  addReadRoutes(app, ctx);
  addImageRoutes(app, ctx);
  addWriteRoutes(app, ctx);
  app.notFound((c) => {
    const what = `Route ${c.req.method}:${c.req.path.slice('/storage/v1'.length)} not found`;
    throw new StorageError(404, 'NotFound', what.slice(0, 300), {
      error: 'Not Found',
      httpStatus: 404,
    });
  });
  app.onError((error) => {
    throw error;
  });
  return app;
}

function addBucketRoutes(app: Hono<Environment>, ctx: StorageContext) {
  const { db } = ctx;
  app.post('/bucket', async (c) =>
    c.json(await createBucket(db, requireCaller(c), await getBody(c))),
  );
  app.get('/bucket', async (c) => c.json(await listBuckets(db, requireCaller(c), c.req.query())));
  app.get('/bucket/:id', async (c) => c.json(await getBucket(db, requireCaller(c), getId(c))));
  app.put('/bucket/:id', async (c) =>
    c.json(await updateBucket(db, requireCaller(c), getId(c), await getBody(c))),
  );
  app.delete('/bucket/:id', async (c) =>
    c.json(await deleteBucket(db, requireCaller(c), getId(c))),
  );
  app.post('/bucket/:id/empty', async (c) =>
    c.json(await emptyBucket(ctx, requireCaller(c), getId(c))),
  );
}

function addReadRoutes(app: Hono<Environment>, ctx: StorageContext) {
  const respondWithFile = async (c: RouteContext, right: ReadAccess, operation: string) =>
    await createFileResponse(
      ctx,
      c.req.raw,
      await findObject(ctx, getObjectPath(c), right, operation),
    );
  const respondWithInfo = async (c: RouteContext, right: ReadAccess, operation: string) =>
    c.json(createObjectInfo(await findObject(ctx, getObjectPath(c), right, operation)));

  app.get('/object/info/public/:bucket/:name{.+}', (c) =>
    respondWithInfo(c, 'public', 'storage.object.info_public'),
  );
  for (const path of ['/object/info/authenticated', '/object/info']) {
    app.get(`${path}/:bucket/:name{.+}`, (c) =>
      respondWithInfo(c, getReadAccess(c), 'storage.object.get_authenticated_info'),
    );
  }
  app.get('/object/public/:bucket/:name{.+}', (c) =>
    respondWithFile(c, 'public', 'storage.object.get_public'),
  );
  app.get('/object/sign/:bucket/:name{.+}', async (c) => {
    await verifyToken(ctx, c);
    return await respondWithFile(c, 'signed', 'storage.object.get_signed');
  });
  for (const path of ['/object/authenticated', '/object']) {
    app.get(`${path}/:bucket/:name{.+}`, (c) =>
      respondWithFile(c, getReadAccess(c), 'storage.object.get_authenticated'),
    );
  }
}

function addImageRoutes(app: Hono<Environment>, ctx: StorageContext) {
  const respondWithImage = async (
    c: RouteContext,
    right: ReadAccess,
    operation: string,
    transform: ImageTransform,
  ) => {
    const object = await findObject(ctx, getObjectPath(c), right, operation);
    return await createImageResponse(ctx, c.req.raw, object, transform);
  };
  app.get('/render/image/public/:bucket/:name{.+}', (c) =>
    respondWithImage(
      c,
      'public',
      'storage.render.image_public',
      parseImageTransform(c.req.query()),
    ),
  );
  app.get('/render/image/authenticated/:bucket/:name{.+}', (c) =>
    respondWithImage(
      c,
      getReadAccess(c),
      'storage.render.image_authenticated',
      parseImageTransform(c.req.query()),
    ),
  );
  app.get('/render/image/sign/:bucket/:name{.+}', async (c) => {
    const { transformations } = await verifyToken(ctx, c);
    const transform = parseSignedTransform(transformations);
    return await respondWithImage(c, 'signed', 'storage.render.image_sign', transform);
  });
}

async function verifyToken({ signer }: StorageContext, c: RouteContext) {
  const { bucket, name } = getObjectPath(c);
  const expected = { scope: 'download', url: `${bucket}/${name}` } as const;
  return await signer.verify(c.req.query('token') ?? '', expected);
}

function addWriteRoutes(app: Hono<Environment>, ctx: StorageRouteOptions) {
  app.post('/object/list/:bucket', async (c) =>
    c.json(await listFolder(ctx, requireCaller(c), getBucketName(c), await getBody(c))),
  );
  app.post('/object/list-v2/:bucket', async (c) =>
    c.json(await listPage(ctx, requireCaller(c), getBucketName(c), await getBody(c))),
  );
  app.post('/object/move', async (c) =>
    c.json(await moveObject(ctx, requireCaller(c), await getBody(c))),
  );
  app.post('/object/copy', async (c) => {
    ctx.consumeUploadLimit(c.env);
    return c.json(await copyObject(ctx, requireCaller(c), await getBody(c), c.req.raw.headers));
  });
  app.post('/object/sign/:bucket', async (c) =>
    c.json(await signDownloads(ctx, requireCaller(c), getBucketName(c), await getBody(c))),
  );
  app.post('/object/sign/:bucket/:name{.+}', async (c) =>
    c.json(await signDownload(ctx, requireCaller(c), getObjectPath(c), await getBody(c))),
  );
  app.post('/object/upload/sign/:bucket/:name{.+}', async (c) =>
    c.json(await signUpload(ctx, requireCaller(c), getObjectPath(c), c.req.raw.headers)),
  );
  app.put('/object/upload/sign/:bucket/:name{.+}', async (c) => {
    const objectPath = getObjectPath(c);
    const url = `${objectPath.bucket}/${objectPath.name}`;
    const grant = await ctx.signer.verify(c.req.query('token') ?? '', { scope: 'upload', url });
    ctx.consumeUploadLimit(c.env);
    const { owner = null, upsert = false } = grant;
    const operation = 'storage.object.upload_signed';
    await handleUpload(ctx, c.req.raw, {
      caller: serviceCaller,
      owner,
      ...objectPath,
      upsert,
      operation,
    });
    return c.json({ Key: url });
  });
  const respondToUpload = async (c: RouteContext, upsert: boolean, operation: string) => {
    const objectPath = getObjectPath(c);
    const caller = requireCaller(c);
    ctx.consumeUploadLimit(c.env);
    const target = createUploadTarget(caller, objectPath, { upsert, operation });
    const { id } = await handleUpload(ctx, c.req.raw, target);
    return c.json({ Id: id, Key: `${objectPath.bucket}/${objectPath.name}` });
  };
  app.post('/object/:bucket/:name{.+}', (c) =>
    respondToUpload(c, c.req.header('x-upsert') === 'true', 'storage.object.upload'),
  );
  app.put('/object/:bucket/:name{.+}', (c) =>
    respondToUpload(c, true, 'storage.object.upload_update'),
  );
  app.delete('/object/:bucket', async (c) =>
    c.json(await deleteObjects(ctx, requireCaller(c), getBucketName(c), await getBody(c))),
  );
  app.delete('/object/:bucket/:name{.+}', async (c) =>
    c.json(await deleteObject(ctx, requireCaller(c), getObjectPath(c))),
  );
}

/** Throws for unauthenticated requests. */
function requireCaller(c: RouteContext): Caller {
  if (typeof c.env.caller === 'string') throw accessDenied(c.env.caller);
  return c.env.caller;
}

/** Access of a request: public buckets need no caller. */
function getReadAccess(c: RouteContext): ReadAccess {
  return typeof c.env.caller === 'string' ? 'public' : c.env.caller;
}

const getBody = (c: RouteContext) => readStorageRequestBody(c.req.raw);
const getId = (c: RouteContext) => c.req.param('id') ?? '';
const getBucketName = (c: RouteContext) => c.req.param('bucket') ?? '';
const getObjectPath = (c: RouteContext): ObjectPath => ({
  bucket: getBucketName(c),
  name: c.req.param('name') ?? '',
});
