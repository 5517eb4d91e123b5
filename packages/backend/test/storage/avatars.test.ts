import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectData, openStorageWorld, type StorageWorld } from './world.ts';

let world: StorageWorld;
beforeAll(async () => {
  world = await openStorageWorld();
});
afterAll(() => world.close());

/** The contents do not matter here. */
const picture = new Blob(['picture'], { type: 'image/webp' });
const upload = (client: StorageWorld['visitor'], path: string, body: Blob = picture) =>
  client.storage.from('avatars').upload(path, body, { contentType: body.type });

test('a user uploads a picture that is public, and deletes it', async () => {
  const { client, id } = world.ada;
  const path = `${id}/first.webp`;
  await expectData(upload(client, path));
  const seen = await world.request(`/object/public/avatars/${path}`);
  expect(await seen.text()).toBe('picture');
  expect(await expectData(client.storage.from('avatars').remove([path]))).toHaveLength(1);
  expect((await world.request(`/object/public/avatars/${path}`)).ok).toBe(false);
});

test('nobody can upload to or delete from the folder of another user', async () => {
  const path = `${world.ada.id}/second.webp`;
  await expectData(upload(world.ada.client, path));
  for (const client of [world.bob.client, world.visitor]) {
    const { error } = await upload(client, `${world.ada.id}/other.webp`);
    expect(error).toMatchObject({ statusCode: '403' });
    expect(await expectData(client.storage.from('avatars').remove([path]))).toEqual([]);
    expect(await expectData(client.storage.from('avatars').list(world.ada.id))).toEqual([]);
  }
  expect((await world.request(`/object/public/avatars/${path}`)).ok).toBe(true);
});

test('a suspended user can neither upload nor delete a picture', async () => {
  const { client, id } = world.bob;
  const path = `${id}/kept.webp`;
  await expectData(upload(client, path));
  await world.test.database.sql`update public.profiles set suspended_at = now() where id = ${id}`;
  expect((await upload(client, `${id}/next.webp`)).error).toMatchObject({ statusCode: '403' });
  expect(await expectData(client.storage.from('avatars').remove([path]))).toEqual([]);
  await world.test.database.sql`update public.profiles set suspended_at = null where id = ${id}`;
});

test('rejects unsupported pictures', async () => {
  const { client, id } = world.ada;
  const page = new Blob(['<script>'], { type: 'text/html' });
  expect((await upload(client, `${id}/page.webp`, page)).error).toMatchObject({
    statusCode: '415',
  });
  const large = new Blob([new Uint8Array(2 ** 20 + 1)], { type: 'image/png' });
  expect((await upload(client, `${id}/large.png`, large)).error).toMatchObject({
    statusCode: '413',
  });
});

test('a profile only shows the user’s own picture', async () => {
  const { client, id } = world.ada;
  const show = (path: string | null) =>
    client.from('profiles').update({ avatar_path: path }).eq('id', id);
  expect((await show(`${id}/a-1.webp`)).error).toBeNull();
  for (const path of [
    `${world.bob.id}/a.webp`,
    `${id}/../${world.bob.id}/a.webp`,
    `${id}/a.webp?download`,
    `${id}/a.svg`,
    'https://elsewhere.example/a.webp',
  ])
    expect((await show(path)).error).toMatchObject({ code: '23514' });
  expect((await show(null)).error).toBeNull();
});
