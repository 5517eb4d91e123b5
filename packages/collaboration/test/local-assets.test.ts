import 'fake-indexeddb/auto';
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { LocalAssets, type StoredUpload } from '../src/local-assets.ts';

let name = '';
let count = 0;
beforeEach(() => {
  name = `assets ${(count += 1)}`;
});

const picture = Uint8Array.from([1, 2, 3]);
const sound = Uint8Array.from([4, 5]);
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('assets on the device', () => {
  test('are named by their hash, and are there after a reload', async () => {
    const { hash, stored } = await new LocalAssets(name).add(picture);
    expect({ hash, stored }).toEqual({ hash: hashOf(picture), stored: 'stored' });
    expect(await new LocalAssets(name).read(hash)).toEqual(picture);
    expect(await new LocalAssets(name).read(hashOf(sound))).toBeUndefined();
  });

  test('are pending until they are uploaded, and again once they are added again', async () => {
    const assets = new LocalAssets(name);
    const { hash } = await assets.add(picture);
    await assets.cache(hashOf(sound), sound);
    const both = [hash, hashOf(sound), 'unknown'];
    expect(await assets.findPending(both)).toEqual(new Set([hash]));
    await assets.markUploaded(hash);
    expect(await assets.findPending(both)).toEqual(new Set());
    await assets.add(picture);
    expect(await assets.findPending(both)).toEqual(new Set([hash]));
  });

  test('aren’t kept if they have another hash', async () => {
    const assets = new LocalAssets(name);
    expect(await assets.cache(hashOf(picture), sound)).toBe(false);
    expect(await assets.read(hashOf(picture))).toBeUndefined();
  });

  test('are removed with the session, except pending ones', async () => {
    const assets = new LocalAssets(name);
    const { hash } = await assets.add(picture);
    await assets.cache(hashOf(sound), sound);
    await assets.addSources(new Map([[hashOf(sound), 'somebody']]));
    await assets.clearCached();
    expect(await assets.read(hash)).toEqual(picture);
    expect(await assets.read(hashOf(sound))).toBeUndefined();
    expect(await assets.findSource(hashOf(sound))).toBeUndefined();
  });

  test('evict the ones that were used least recently', async () => {
    const assets = new LocalAssets(name, 20);
    // Three of these are more than the limit.
    const large = [1, 2, 3].map((value) => new Uint8Array(8).fill(value));
    const { hash: pending } = await assets.add(picture);
    for (const bytes of large) await assets.cache(hashOf(bytes), bytes);
    const found = await Promise.all(large.map((bytes) => assets.read(hashOf(bytes))));
    expect(found.map((bytes) => bytes?.[0])).toEqual([undefined, 2, 3]);
    expect(await assets.read(pending)).toEqual(picture);
  });
});

test('uploads are those of one user to one project, in the order in which they were added', async () => {
  const assets = new LocalAssets(name);
  const upload = (id: string, owner: string, project: string): StoredUpload => ({
    id,
    owner,
    project,
    path: `${id}.png`,
    hash: hashOf(picture),
    size: picture.length,
    mediaType: 'image/png',
    replaces: false,
    reference: null,
  });
  for (const each of [
    upload('2', 'ann', 'birds'),
    upload('1', 'ann', 'birds'),
    upload('3', 'ben', 'birds'),
    upload('4', 'ann', 'boats'),
  ])
    await assets.putUpload(each);
  const ids = async () => (await assets.listUploads('ann', 'birds')).map(({ id }) => id);
  expect(await ids()).toEqual(['1', '2']);
  await assets.removeUpload('1');
  expect(await ids()).toEqual(['2']);
});
