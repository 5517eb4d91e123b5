import { readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openFileStore } from '../../src/storage/file-store.ts';
import { expectData, openStorageWorld, type StorageWorld } from './world.ts';

let world: StorageWorld;
beforeAll(async () => {
  world = await openStorageWorld();
});
afterAll(() => world.close());

const own = (name: string) => `${world.ada.id}/${name}`;
const adas = (bucket = 'closed') => world.ada.client.storage.from(bucket);
const digits = '0123456789';
const openUrl = () => `/object/public/open/${own('digits.txt')}`;

beforeEach(async () => {
  const how = { contentType: 'text/plain', upsert: true, cacheControl: '60' };
  for (const bucket of ['open', 'closed']) {
    await expectData(adas(bucket).upload(own('digits.txt'), digits, how));
  }
});

describe('a public file', () => {
  test.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=8-99', '89', 'bytes 8-9/10'],
  ])('responds with a range: %s', async (range, text, contentRange) => {
    const answer = await world.request(openUrl(), { headers: { range } });
    expect(answer.status).toBe(206);
    expect(await answer.text()).toBe(text);
    expect(answer.headers.get('content-range')).toBe(contentRange);
    expect(answer.headers.get('content-length')).toBe(String(text.length));
  });

  test.each(['bytes=10-', 'bytes=5-4', 'bytes=-0'])(
    'rejects an invalid range: %s',
    async (range) => {
      const answer = await world.request(openUrl(), { headers: { range } });
      expect(answer.status).toBe(416);
      expect(answer.headers.get('content-range')).toBe('bytes */10');
    },
  );

  test('responds with the whole file when the range is of other contents, or unsupported', async () => {
    const others: Record<string, string>[] = [
      { 'if-range': '"other"' },
      { range: 'bytes=0-1,4-5' },
    ];
    for (const more of others) {
      const answer = await world.request(openUrl(), { headers: { range: 'bytes=0-1', ...more } });
      expect([answer.status, await answer.text()]).toEqual([200, digits]);
    }
  });

  test('responds with 304 when the client has the contents', async () => {
    const first = await world.request(openUrl());
    const [etag, modified] = ['etag', 'last-modified'].map((name) => first.headers.get(name) ?? '');
    expect(await first.text()).toBe(digits);
    const status = async (headers: Record<string, string>) =>
      (await world.request(openUrl(), { headers })).status;
    expect(await status({ 'if-none-match': `"x", W/${etag}` })).toBe(304);
    expect(await status({ 'if-none-match': '"x"', 'if-modified-since': modified ?? '' })).toBe(200);
    expect(await status({ 'if-modified-since': modified ?? '' })).toBe(304);
    expect(await status({ 'if-modified-since': new Date(0).toUTCString() })).toBe(200);
  });

  test('responds to HEAD like GET, without a body', async () => {
    const [head, get] = await Promise.all([
      world.request(openUrl(), { method: 'HEAD' }),
      world.request(openUrl()),
    ]);
    const describe = ({ headers }: Response) =>
      [...headers].filter(([name]) => !/request-id/.test(name));
    expect(describe(head)).toEqual(describe(get));
    expect([head.status, await head.text(), await get.text()]).toEqual([200, '', digits]);
    expect(head.headers.get('cache-control')).toBe('max-age=60');
  });

  test('is saved with the requested name', async () => {
    const disposition = async (name: string) =>
      (await world.request(`${openUrl()}?download=${encodeURIComponent(name)}`)).headers.get(
        'content-disposition',
      );
    expect(await disposition('')).toBe('attachment');
    expect(await disposition('a "b"\r\nx: ü.txt')).toBe(
      `attachment; filename="a%20%22b%22%0D%0Ax%3A%20%C3%BC.txt"; filename*=UTF-8''a%20%22b%22%0D%0Ax%3A%20%C3%BC.txt`,
    );
  });
});

test('a private file is not cached or public', async () => {
  const path = `/object/authenticated/closed/${own('digits.txt')}`;
  const authorization = `Bearer ${world.ada.token}`;
  const answer = await world.request(path, { headers: { authorization } });
  expect(await answer.text()).toBe(digits);
  expect(answer.headers.get('cache-control')).toBe('private, no-store');
  const asPublic = await world.request(path.replace('authenticated', 'public'));
  expect(await asPublic.json()).toMatchObject({ statusCode: '404', message: 'Bucket not found' });
});

test('aborts the response when a file is corrupted', async () => {
  await expectData(adas('open').upload(own('rotten'), 'x'.repeat(200_000)));
  const { version } = await expectData(adas('open').info(own('rotten')));
  const path = join(world.test.storageDir, 'whole', version.slice(0, 2), version);
  await writeFile(path, `${'x'.repeat(100_000)}y${'x'.repeat(99_999)}`);
  const answer = await world.request(`/object/public/open/${own('rotten')}`);
  await expect(answer.text()).rejects.toThrow('is corrupted');
  await rm(path);
  const gone = await world.request(`/object/public/open/${own('rotten')}`);
  expect(await gone.json()).toMatchObject({ statusCode: '404' });
});

test('DB-25: a page is sent as text, as a download, and with a policy that runs nothing', async () => {
  const page = new Blob(['<script>alert(1)</script>'], { type: 'text/html' });
  await expectData(adas('open').upload(own('page.html'), page));
  const { headers } = await world.request(`/object/public/open/${own('page.html')}`);
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(headers.get('content-disposition')).toBe('attachment');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toMatch(/sandbox$/);
});

test('an image is transformed to the requested size, by public and signed URLs, with its own ETag', async () => {
  const create = { width: 40, height: 20, channels: 3, background: 'red' } as const;
  const bytes = await sharp({ create }).png().toBuffer();
  await expectData(adas('open').upload(own('red.png'), bytes, { contentType: 'image/png' }));
  await expectData(adas().upload(own('red.png'), bytes, { contentType: 'image/png' }));
  const open = `/render/image/public/open/${own('red.png')}?width=10`;
  const options = { transform: { width: 10 } };
  const { signedUrl } = await expectData(adas().createSignedUrl(own('red.png'), 60, options));
  for (const path of [open, signedUrl.replace(/^.*\/storage\/v1/, '')]) {
    const answer = await world.request(path);
    expect(answer.headers.get('x-transformations')).toBe('width:10,resizing_type:fill');
    const made = await sharp(await answer.arrayBuffer()).metadata();
    expect(made).toMatchObject({ format: 'png', width: 10, height: 5 });
    const headers = { 'if-none-match': answer.headers.get('etag') ?? '' };
    expect((await world.request(path, { headers })).status).toBe(304);
  }
  const wrong = await world.request(`${open}&quality=1`);
  expect(await wrong.json()).toMatchObject({ statusCode: '400' });
});

test('a file deleted during a download is sent completely', async () => {
  await expectData(adas('open').upload(own('large'), 'x'.repeat(500_000)));
  const answer = await world.request(`/object/public/open/${own('large')}`);
  await expectData(adas('open').remove([own('large')]));
  expect((await answer.text()).length).toBe(500_000);
});

describe('lists', () => {
  beforeAll(async () => {
    for (const name of [
      'list/a.txt',
      'list/B/one.txt',
      'list/B/two.txt',
      'list/c_1.txt',
      'list/cx1.txt',
    ]) {
      await expectData(adas().upload(own(name), name));
    }
  });

  test('BF-10: return names within a folder, and its subfolders', async () => {
    const found = await expectData(adas().list(own('list')));
    expect(found.map(({ name, id }) => [name, id === null])).toEqual([
      ['a.txt', false],
      ['B', true],
      ['c_1.txt', false],
      ['cx1.txt', false],
    ]);
    expect(found[0]?.metadata).toMatchObject({ size: 'list/a.txt'.length });
    expect(found[1]?.metadata).toBeNull();
  });

  test('support search, pagination and descending order', async () => {
    const names = async (o: Parameters<ReturnType<typeof adas>['list']>[1]) =>
      (await expectData(adas().list(own('list/'), o))).map(({ name }) => name);
    expect(await names({ search: 'c_' })).toEqual(['c_1.txt']);
    expect(await names({ search: 'b' })).toEqual(['B']);
    expect(await names({ limit: 2, offset: 1 })).toEqual(['B', 'c_1.txt']);
    expect(await names({ sortBy: { column: 'name', order: 'desc' } })).toEqual([
      'cx1.txt',
      'c_1.txt',
      'B',
      'a.txt',
    ]);
    expect(await names({ sortBy: { column: 'created_at', order: 'desc' } })).toEqual([
      'B',
      'cx1.txt',
      'c_1.txt',
      'a.txt',
    ]);
  });

  test.each([
    ['name', 'asc', true],
    ['name', 'desc', false],
    ['created_at', 'asc', false],
    ['created_at', 'desc', true],
    ['updated_at', 'asc', true],
  ] as const)(
    'return every entry once in pages of two: %s %s, folders: %s',
    async (column, order, with_delimiter) => {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await expectData(
          adas().listV2({
            prefix: own('list/'),
            limit: 2,
            with_delimiter,
            sortBy: { column, order },
            ...(cursor === undefined ? {} : { cursor }),
          }),
        );
        seen.push(...[...page.folders, ...page.objects].map(({ name }) => name));
        cursor = page.hasNext ? page.nextCursor : undefined;
      } while (cursor !== undefined);
      const expected = with_delimiter
        ? ['B/', 'a.txt', 'c_1.txt', 'cx1.txt']
        : ['B/one.txt', 'B/two.txt', 'a.txt', 'c_1.txt', 'cx1.txt'];
      expect(seen.sort()).toEqual(expected.map((name) => own(`list/${name}`)).sort());
    },
  );

  test.each(['x', 'WzFd', Buffer.from('["a","1","owner","asc"]').toString('base64url')])(
    'rejects an invalid cursor: %s',
    async (cursor) => {
      expect((await adas().listV2({ cursor })).error).toMatchObject({ statusCode: '400' });
    },
  );
});

test('moves files without an object away, if they are old', async () => {
  const folder = (name: string) => join(world.test.storageDir, name);
  const store = await openFileStore(world.test.storageDir);
  const [old, young] = await Promise.all(
    ['old', 'young'].map((text) => store.write(Readable.from([Buffer.from(text)]), 10)),
  );
  if (typeof old !== 'object' || typeof young !== 'object') throw new Error('not written');
  const hoursAgo = new Date(Date.now() - 2 * 3_600_000);
  const before = await world.countFiles();
  for (const part of await readdir(folder('whole'))) {
    for (const version of await readdir(folder(`whole/${part}`))) {
      if (version !== young.version)
        await utimes(folder(`whole/${part}/${version}`), hoursAgo, hoursAgo);
    }
  }
  await writeFile(folder('unfinished/half'), 'half');
  await utimes(folder('unfinished/half'), hoursAgo, hoursAgo);
  const known = await world.test.database.sql<
    { version: string }[]
  >`select version from storage.objects`;
  const versions = new Set(known.map(({ version }) => version));
  expect(
    await store.moveOrphans(async (asked) => new Set(asked.filter((one) => versions.has(one)))),
  ).toBe(1);
  expect(await readdir(folder('lost'))).toEqual([old.version]);
  expect(await readdir(folder('unfinished'))).toEqual([]);
  expect(await world.countFiles()).toBe(before - 1);
});
