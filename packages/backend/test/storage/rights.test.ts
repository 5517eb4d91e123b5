import { connect } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { appOrigin, serveBackend, signUpConfirmed } from '@vitrine/testing/backend';
import { expectData, openStorageWorld, type StorageWorld } from './world.ts';

let world: StorageWorld;
let secret: string;
beforeAll(async () => {
  world = await openStorageWorld();
  secret = `${world.ada.id}/secret.txt`;
  await expectData(world.ada.client.storage.from('closed').upload(secret, 'CANARY'));
});
afterAll(() => world.close());

const others = () => [
  ['a visitor', world.visitor] as const,
  ['another member', world.bob.client] as const,
];

test('DB-19: others cannot read, describe, sign, move, copy or delete a private file', async () => {
  for (const [, client] of others()) {
    const closed = client.storage.from('closed');
    const own = `${world.bob.id}/mine`;
    const answers = await Promise.all([
      closed.download(secret),
      closed.info(secret),
      closed.createSignedUrl(secret, 60),
      closed.move(secret, own),
      closed.copy(secret, own),
      closed.update(secret, 'overwritten'),
      closed.upload(secret, 'overwritten', { upsert: true }),
      closed.createSignedUploadUrl(secret, { upsert: true }),
    ]);
    for (const { data, error } of answers) {
      expect(data).toBeNull();
      expect(error).toMatchObject({ statusCode: expect.stringMatching(/^40[34]$/) });
      expect(JSON.stringify(error)).not.toContain('CANARY');
    }
    expect(await expectData(closed.remove([secret]))).toEqual([]);
    expect((await expectData(closed.createSignedUrls([secret], 60)))[0]?.signedUrl).toBeNull();
  }
  const kept = await expectData(world.ada.client.storage.from('closed').download(secret));
  expect(await kept.text()).toBe('CANARY');
});

test('PT-02.11: the access token of an ended session cannot read a private file', async () => {
  await world.test.database.sql.unsafe(`
    insert into storage.buckets (id, name, public) values ('papers', 'papers', false);
    create policy papers on storage.objects for all to authenticated using (
      bucket_id = 'papers' and (storage.foldername(name))[1] = (select private.person())::text);
  `);
  const { client } = await signUpConfirmed(world.test, 'eve@example.com');
  const { session } = (await client.auth.getSession()).data;
  const headers = { authorization: `Bearer ${session?.access_token ?? ''}` };
  const upload = (name: string) =>
    world.request(`/object/papers/${session?.user.id ?? ''}/${name}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'text/plain' },
      body: 'CANARY',
    });
  const download = () =>
    world.request(`/object/authenticated/papers/${session?.user.id ?? ''}/first`, { headers });
  expect((await upload('first')).status).toBe(200);
  expect(await (await download()).text()).toBe('CANARY');
  await client.auth.signOut();
  expect(await (await download()).text()).not.toContain('CANARY');
  expect((await upload('second')).status).toBe(400);
});

const climbing = ['..', '.', '', '%2e%2e', '%2E.', '%252e%252e', '..\\', '%5c..', '..%2f'];

test.each(climbing)('PT-07.4: rejects a segment %j in a name everywhere', async (part) => {
  const { client, token, id } = world.ada;
  const headers = {
    authorization: `Bearer ${token}`,
    apikey: world.test.backend.publishableKey,
    'content-type': 'application/json',
  };
  const send = (method: string, path: string, body: object) =>
    world.request(path, { method, headers, body: JSON.stringify(body) });
  const plain = `${id}/plain.txt`;
  await expectData(client.storage.from('closed').upload(plain, 'plain', { upsert: true }));
  const rows = async () => [...(await world.test.database.sql`select name from storage.objects`)];
  const before = await rows();

  for (const name of [`${id}/${part}/x.txt`, `${id}/x/${part}`, `${part}/${id}/x.txt`]) {
    // Each character is escaped, so that no URL parser resolves the segment on the way.
    const path = `closed/${escapeAll(name)}`;
    const there = { bucketId: 'closed', sourceKey: plain, destinationKey: name };
    const back = { bucketId: 'closed', sourceKey: name, destinationKey: plain };
    const answers = {
      upload: await send('POST', `/object/${path}`, {}),
      update: await send('PUT', `/object/${path}`, {}),
      move: await send('POST', '/object/move', there),
      'move away': await send('POST', '/object/move', back),
      copy: await send('POST', '/object/copy', there),
      'copy from': await send('POST', '/object/copy', back),
      download: await world.request(`/object/${path}`, { headers }),
      'download by all': await world.request(`/object/public/open/${escapeAll(name)}`),
      info: await world.request(`/object/info/${path}`, { headers }),
      image: await world.request(`/render/image/authenticated/${path}?width=1`, { headers }),
      sign: await send('POST', `/object/sign/${path}`, { expiresIn: 60 }),
      'sign upload': await send('POST', `/object/upload/sign/${path}`, {}),
      remove: await world.request(`/object/${path}`, { method: 'DELETE', headers }),
      'remove many': await send('DELETE', '/object/closed', { prefixes: [name] }),
      list: await send('POST', '/object/list/closed', { prefix: `${name}/` }),
      'list by search': await send('POST', '/object/list/closed', { search: `${name}/x` }),
      'list of pages': await send('POST', '/object/list-v2/closed', { prefix: `${name}/` }),
    };
    for (const [way, answer] of Object.entries(answers)) {
      const refused = [way, 400, expect.stringContaining('InvalidKey')];
      expect([way, answer.status, await answer.text()]).toEqual(refused);
    }
    const signed = await send('POST', '/object/sign/closed', { expiresIn: 60, paths: [name] });
    expect(await signed.json()).toMatchObject([{ path: name, signedURL: null }]);
  }
  expect(await rows()).toEqual(before);
});

/** "a/" → "%61%2f" */
function escapeAll(name: string): string {
  return Buffer.from(name).toString('hex').replace(/../g, '%$&');
}

test('PT-07.4: rejects bucket names that are path segments', async () => {
  for (const name of ['.', '..']) {
    const { error } = await world.service.storage.createBucket(name);
    expect(error).toMatchObject({ message: 'Bucket name invalid' });
  }
});

test('DB-23: a list contains only what the caller may read', async () => {
  for (const [, client] of others()) {
    for (const bucket of ['open', 'closed', 'dropbox']) {
      const from = client.storage.from(bucket);
      expect(await expectData(from.list(''))).toEqual([]);
      expect(await expectData(from.list(world.ada.id))).toEqual([]);
      expect(await expectData(from.listV2())).toMatchObject({ objects: [], folders: [] });
    }
    expect(await expectData(client.storage.listBuckets())).toEqual([]);
  }
});

test('a caller who may insert but not read can upload, and cannot replace', async () => {
  const dropbox = world.visitor.storage.from('dropbox');
  await expectData(dropbox.upload('letter', 'dear'));
  expect((await dropbox.upload('letter', 'other', { upsert: true })).error).toMatchObject({
    statusCode: '403',
  });
  expect((await dropbox.download('letter')).error).toMatchObject({ statusCode: '404' });
  const files = await world.countFiles();
  expect((await world.visitor.storage.from('closed').upload('x', 'y')).error).toMatchObject({
    message: 'new row violates row-level security policy',
    statusCode: '403',
    status: 400,
  });
  expect(await world.countFiles()).toBe(files);
});

test('DB-13: rejects an invalid token, with and without a key', async () => {
  const [head, body] = world.ada.token.split('.');
  const none = Buffer.from('{"alg":"none"}').toString('base64url');
  const signed = await expectData(
    world.ada.client.storage.from('closed').createSignedUrl(secret, 60),
  );
  const urlToken = new URL(signed.signedUrl).searchParams.get('token');
  for (const token of [
    `${head}.${body}.AAAA`,
    `${none}.${body}.`,
    String(urlToken),
    'x'.repeat(1e6),
  ]) {
    for (const hasKey of [false, true]) {
      const headers = new Headers({ authorization: `Bearer ${token}` });
      if (hasKey) headers.set('apikey', world.test.backend.publishableKey);
      const answer = await world.request(`/object/authenticated/closed/${secret}`, { headers });
      expect(await answer.json()).toMatchObject({ statusCode: expect.stringMatching(/^40[34]$/) });
      const list = await world.request('/bucket', { headers });
      expect(await list.json()).toMatchObject({ statusCode: '403', error: 'Unauthorized' });
    }
  }
  expect(await (await world.request('/bucket')).json()).toMatchObject({
    message: 'Invalid Compact JWS',
  });
});

describe('signed URLs', () => {
  const path = async (expiresIn = 60, options = {}) => {
    const closed = world.ada.client.storage.from('closed');
    const { signedUrl } = await expectData(closed.createSignedUrl(secret, expiresIn, options));
    return signedUrl.replace(`${appOrigin}/storage/v1`, '');
  };

  test('BF-9: give access to the file, with the requested name', async () => {
    const answer = await world.request(await path(60, { download: 'its name' }));
    expect(await answer.text()).toBe('CANARY');
    expect(answer.headers.get('content-disposition')).toContain('filename="its');
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    const many = world.ada.client.storage.from('closed').createSignedUrls([secret, 'none'], 60);
    const [first, second] = await expectData(many);
    expect(first?.signedUrl).toMatch(/^https:\/\/app\.test\/storage\/v1\/object\/sign\/closed\//);
    expect(second).toMatchObject({ signedUrl: null, error: expect.any(String) });
  });

  test('DB-26: are rejected when edited, for another file, for writing, or expired', async () => {
    const url = await path();
    const token = new URL(url, appOrigin).searchParams.get('token') ?? '';
    const edited = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`;
    const other = url.replace('secret.txt', 'other.txt');
    const asUpload = url.replace('/object/sign/', '/object/upload/sign/');
    for (const [address, method] of [
      [url.replace(token, edited), 'GET'],
      [url.replace(token, world.ada.token), 'GET'],
      [url.replace(/\?.*/, ''), 'GET'],
      [other, 'GET'],
      [asUpload, 'PUT'],
    ] as const) {
      const answer = await world.request(address, {
        method,
        ...(method === 'PUT' ? { body: 'x' } : {}),
      });
      expect(await answer.json()).toMatchObject({ statusCode: '400' });
    }
    const brief = await path(1);
    vi.useFakeTimers({ now: Date.now() + 2_000, toFake: ['Date'] });
    const late = await world.request(brief).finally(() => vi.useRealTimers());
    expect(await late.json()).toMatchObject({ code: 'InvalidJWT' });
  });

  test('accept one upload, which belongs to the signer', async () => {
    const name = `${world.ada.id}/by-bob`;
    const { token } = await expectData(
      world.ada.client.storage.from('closed').createSignedUploadUrl(name),
    );
    const visitors = world.visitor.storage.from('closed');
    await expectData(visitors.uploadToSignedUrl(name, token, 'for Ada'));
    const [row] = await world.test.database.sql`
      select owner_id from storage.objects where name = ${name}`;
    expect(row?.['owner_id']).toBe(world.ada.id);
    expect((await visitors.uploadToSignedUrl(name, token, 'again')).error).toMatchObject({
      message: 'The resource already exists',
    });
    expect((await visitors.uploadToSignedUrl(secret, token, 'x')).error).toMatchObject({
      statusCode: '400',
    });
  });
});

describe('buckets', () => {
  test('are created, updated, emptied and deleted with the permission', async () => {
    const { storage } = world.service;
    await expectData(storage.createBucket('made', { public: false, fileSizeLimit: '1kb' }));
    expect((await storage.createBucket('made')).error).toMatchObject({ statusCode: '409' });
    const changes = { public: true, allowedMimeTypes: ['image/*', 'text/plain'] };
    await expectData(storage.updateBucket('made', changes));
    expect(await expectData(storage.getBucket('made'))).toMatchObject({
      id: 'made',
      public: true,
      file_size_limit: 1000,
      allowed_mime_types: ['image/*', 'text/plain'],
    });
    const listed = await expectData(
      storage.listBuckets({ search: 'MAD', sortColumn: 'created_at' }),
    );
    expect(listed.map(({ id }) => id)).toEqual(['made']);
    await expectData(storage.from('made').upload('a', 'text', { contentType: 'text/plain' }));
    expect((await storage.deleteBucket('made')).error).toMatchObject({ statusCode: '409' });
    await expectData(storage.emptyBucket('made'));
    await expectData(storage.deleteBucket('made'));
    expect((await storage.getBucket('made')).error?.message).toBe('Bucket not found');
  });

  test('cannot be created or changed without it', async () => {
    const { storage } = world.ada.client;
    expect((await storage.createBucket('hers')).error).toMatchObject({ statusCode: '403' });
    expect((await storage.updateBucket('open', { public: false })).error).toMatchObject({
      statusCode: '404',
    });
    expect((await storage.deleteBucket('dropbox')).error).toMatchObject({ statusCode: '404' });
  });

  test('DB-26: reject files that are too large or of another type, and keep nothing', async () => {
    const { storage } = world.service;
    await expectData(
      storage.createBucket('small', {
        public: false,
        fileSizeLimit: 1000,
        allowedMimeTypes: ['text/plain'],
      }),
    );
    const files = await world.countFiles();
    const small = storage.from('small');
    const contentType = 'text/plain';
    const large = 'x'.repeat(1001);
    const answers = [
      await small.upload('raw', large, { contentType }),
      await small.upload('stream', new Blob([large]).stream(), { contentType }),
      await small.upload('form', new Blob([large], { type: contentType })),
    ];
    for (const { error } of answers) {
      expect(error).toMatchObject({ statusCode: '413', code: 'EntityTooLarge' });
    }
    expect((await small.upload('b', 'x', { contentType: 'text/html' })).error).toMatchObject({
      message: 'mime type text/html is not supported',
      statusCode: '415',
    });
    expect(await world.countFiles()).toBe(files);
    await expectData(small.upload('fits', 'x'.repeat(1000), { contentType }));
    await expectData(world.service.storage.from('closed').upload('big', large, { contentType }));
    const moved = world.service.storage
      .from('closed')
      .move('big', 'big', { destinationBucket: 'small' });
    expect((await moved).error).toMatchObject({ statusCode: '413' });
  });
});

test('DB-26: rejects one byte more than 50 MiB, and deletes what was sent', async () => {
  const files = await world.countFiles();
  const mebibyte = new Uint8Array(1024 * 1024);
  let sent = 0;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (sent === 50) controller.enqueue(mebibyte.slice(0, 1));
      else controller.enqueue(mebibyte);
      sent += 1;
      if (sent > 50) controller.close();
    },
  });
  const before = process.memoryUsage().rss;
  const { error } = await world.service.storage.from('closed').upload('huge', stream);
  expect(error).toMatchObject({ statusCode: '413' });
  expect(process.memoryUsage().rss - before).toBeLessThan(40 * 1024 * 1024);
  expect(await world.countFiles()).toBe(files);
});

test('DB-26: limits the number of uploads', async () => {
  const name = (i: number) => `${world.bob.id}/ü${i}`;
  const closed = world.bob.client.storage.from('closed');
  const answers = await Promise.all(
    Array.from({ length: 1020 }, (_, i) => closed.upload(name(i), '')),
  );
  const late = answers.filter(({ error }) => error && 'status' in error && error.status === 429);
  expect(late.length).toBeGreaterThan(0);
  expect(answers.length - late.length).toBeGreaterThanOrEqual(1000);
});

test('an aborted upload leaves nothing', async () => {
  const files = await world.countFiles();
  const server = await serveBackend(world.test.backend);
  try {
    for (const form of [false, true]) {
      const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
      await once(socket, 'connect');
      const type = form ? 'multipart/form-data; boundary=b' : 'text/plain';
      socket.write(
        `POST /storage/v1/object/closed/${world.ada.id}/cut${String(form)} HTTP/1.1\r\nhost: x\r\n` +
          `authorization: Bearer ${world.ada.token}\r\ncontent-type: ${type}\r\ncontent-length: 100000\r\n\r\n`,
      );
      if (form)
        socket.write('--b\r\ncontent-disposition: form-data; name=""; filename="x"\r\n\r\n');
      socket.write('x'.repeat(50_000));
      await vi.waitUntil(async () => (await world.countFiles()) > files, {
        interval: 5,
        timeout: 5_000,
      });
      socket.destroy();
      await vi.waitUntil(async () => (await world.countFiles()) === files, {
        interval: 5,
        timeout: 5_000,
      });
    }
    const { data } = await world.ada.client.storage
      .from('closed')
      .list(world.ada.id, { search: 'cut' });
    expect(data).toEqual([]);
  } finally {
    await server.close();
  }
});
