import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectData, openStorageWorld, type StorageWorld } from './world.ts';

let world: StorageWorld;
beforeAll(async () => {
  world = await openStorageWorld();
});
afterAll(() => world.close());

const own = (name: string) => `${world.ada.id}/${name}`;
const adas = (bucket = 'closed') => world.ada.client.storage.from(bucket);

test('BF-8: accepts Blob and File as browsers send them, in a form with a nameless field', async () => {
  const blob = new Blob(['from a blob'], { type: 'text/plain' });
  await expectData(adas().upload(own('blob.txt'), blob));
  const file = new File(['<b>from a file</b>'], 'übung.md', { type: 'text/markdown' });
  const { fullPath, id } = await expectData(
    adas().upload(own('file.md'), file, {
      cacheControl: '60',
      metadata: { of: 'Ada', parts: [1] },
    }),
  );
  expect(fullPath).toBe(`closed/${own('file.md')}`);
  expect(await (await expectData(adas().download(own('blob.txt')))).text()).toBe('from a blob');
  expect(await expectData(adas().info(own('file.md')))).toMatchObject({
    id,
    name: own('file.md'),
    bucketId: 'closed',
    size: 18,
    contentType: 'text/markdown',
    cacheControl: 'max-age=60',
    metadata: { of: 'Ada', parts: [1] },
  });
});

test('accepts a form whose file comes before its fields', async () => {
  const form = new FormData();
  form.append('file', new Blob(['first'], { type: 'text/csv' }), 'a.csv');
  await expectData(adas().upload(own('form.csv'), form, { metadata: { late: true } }));
  expect(await expectData(adas().info(own('form.csv')))).toMatchObject({
    contentType: 'text/csv',
    cacheControl: 'max-age=3600',
    metadata: { late: true },
  });
});

test.each([
  ['text', () => 'words'],
  ['bytes', () => new TextEncoder().encode('words')],
  ['a stream', () => new Blob(['words']).stream()],
])('accepts %s', async (kind, make) => {
  await expectData(
    adas().upload(own(kind), make(), { contentType: 'text/plain', metadata: { kind } }),
  );
  const blob = await expectData(adas().download(own(kind)));
  expect([blob.type, await blob.text()]).toEqual(['text/plain', 'words']);
  expect((await expectData(adas().info(own(kind)))).metadata).toEqual({ kind });
});

test('keeps an existing object, except with an upsert or update', async () => {
  const first = await expectData(adas().upload(own('twice'), 'one'));
  const files = await world.countFiles();
  const second = await adas().upload(own('twice'), 'two');
  expect(second.error).toMatchObject({
    message: 'The resource already exists',
    statusCode: '409',
    status: 400,
  });
  const third = await expectData(adas().upload(own('twice'), 'three', { upsert: true }));
  expect(third.id).toBe(first.id);
  await expectData(adas().update(own('twice'), 'four', { contentType: 'text/css' }));
  const blob = await expectData(adas().download(own('twice')));
  expect([await blob.text(), blob.type]).toEqual(['four', 'text/css']);
  expect(await world.countFiles()).toBe(files);
});

test('has one file and one row after concurrent upserts of one name', async () => {
  const files = await world.countFiles();
  const texts = Array.from({ length: 8 }, (_, i) => `text ${i}`);
  await Promise.all(
    texts.map((text) => expectData(adas().upload(own('race'), text, { upsert: true }))),
  );
  expect(texts).toContain(await (await expectData(adas().download(own('race')))).text());
  expect(await world.countFiles()).toBe(files + 1);
});

test('accepts one of several concurrent uploads of one name, and leaves nothing of the others', async () => {
  const files = await world.countFiles();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) => adas().upload(own('first'), `text ${i}`)),
  );
  expect(answers.filter(({ error }) => error === null)).toHaveLength(1);
  expect(await world.countFiles()).toBe(files + 1);
});

test('reports whether an object exists', async () => {
  await expectData(adas().upload(own('here'), 'x'));
  expect(await expectData(adas().exists(own('here')))).toBe(true);
  expect((await adas().exists(own('nowhere'))).data).toBe(false);
});

test('moves an object, also to another bucket, with the same contents', async () => {
  const { id } = await expectData(adas().upload(own('a'), 'moved'));
  expect(await expectData(adas().move(own('a'), own('b/c')))).toMatchObject({
    message: 'Successfully moved',
  });
  await expectData(adas().move(own('b/c'), own('d'), { destinationBucket: 'open' }));
  expect(await (await expectData(adas('open').download(own('d')))).text()).toBe('moved');
  expect((await expectData(adas('open').info(own('d')))).id).toBe(id);
  expect((await adas().download(own('a'))).error?.message).toBe('Object not found');
  await expectData(adas('open').upload(own('taken'), 'x'));
  expect((await adas('open').move(own('d'), own('taken'))).error).toMatchObject({
    statusCode: '409',
  });
});

test('copies an object, which remains when the original is deleted', async () => {
  await expectData(adas().upload(own('original'), 'copied', { metadata: { m: 1 } }));
  const { path } = await expectData(adas().copy(own('original'), own('copy')));
  expect(path).toBe(`closed/${own('copy')}`);
  expect(await expectData(adas().remove([own('original')]))).toMatchObject([
    { name: own('original'), bucket_id: 'closed' },
  ]);
  expect(await (await expectData(adas().download(own('copy')))).text()).toBe('copied');
  expect((await expectData(adas().info(own('copy')))).metadata).toEqual({ m: 1 });
});

test('deletes rows and files, and returns the rows', async () => {
  const files = await world.countFiles();
  for (const name of ['r1', 'r2', 'r3']) await expectData(adas().upload(own(name), name));
  const removed = await expectData(adas().remove([own('r1'), own('r2'), own('none')]));
  expect(removed.map(({ name }) => name).sort()).toEqual([own('r1'), own('r2')]);
  expect(await world.countFiles()).toBe(files + 1);
});

test.each([
  ['a bucket that is not there', 'missing', 'x', 'Bucket not found', '404'],
  ['a name no object can have', 'closed', 'ü', 'Invalid key', '400'],
  ['a name that is too long', 'closed', 'x'.repeat(1025), 'Invalid key', '400'],
])('rejects %s', async (_, bucket, name, message, statusCode) => {
  const { error } = await adas(bucket).upload(own(name), 'text');
  expect(error).toMatchObject({ message: expect.stringContaining(message), statusCode });
});
