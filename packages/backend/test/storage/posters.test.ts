import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openStorageWorld, type StorageUser, type StorageWorld } from './world.ts';

let world: StorageWorld;
/** Owns the projects; `bob` is a stranger until he is made a member. */
let ada: StorageUser;
let bob: StorageUser;
beforeAll(async () => {
  world = await openStorageWorld();
  ({ ada, bob } = world);
});
afterAll(() => world.close());
beforeEach(async () => {
  await change('delete from public.projects');
  await change('update public.profiles set suspended_at = null');
  await world.service.storage.emptyBucket('posters');
});

const change = (sql: string) => world.test.database.sql.unsafe(sql);
const addMember = (id: string, role: string) =>
  change(`insert into public.project_members values ('${id}', '${bob.id}', '${role}')`);
const webp = (text = 'picture') => new Blob([`RIFF${text}`], { type: 'image/webp' });

async function saveProject(visibility: string): Promise<string> {
  const state = 'state';
  const { data, error } = await ada.client.rpc('create_project', {
    id: randomUUID(),
    title: 'Sunset',
    description: '',
    visibility,
    settings: {},
    files: [{ path: 'index.html', content: '<p>Sunset' }],
    state: Buffer.from(state).toString('base64'),
    state_sha256: createHash('sha256').update(state).digest('hex'),
  });
  if (error) throw new Error(error.message);
  return data.id;
}

/** Resolves to the status in the body, or 200. */
async function put(user: StorageUser | undefined, name: string, picture = webp(), upsert = true) {
  const { error } = await (user?.client ?? world.visitor).storage
    .from('posters')
    .upload(name, picture, { upsert, contentType: picture.type });
  return error && 'statusCode' in error ? String(error.statusCode) : '200';
}

async function read(user: StorageUser | undefined, name: string): Promise<string | null> {
  const { data } = await (user?.client ?? world.visitor).storage.from('posters').download(name);
  return data && data.text();
}

async function readers(name: string): Promise<string> {
  const who = Object.entries({ ada, bob, visitor: undefined });
  const pictures = await Promise.all(who.map(([, user]) => read(user, name)));
  return who.flatMap(([label], index) => (pictures[index] ? [label] : [])).join(' ');
}

describe('AS-20: a poster is read by those who see the project', () => {
  test.each<[string, string, string, (id: string) => Promise<unknown>]>([
    ['private', 'private', 'ada', async () => {}],
    ['unlisted', 'unlisted', 'ada bob visitor', async () => {}],
    ['public', 'public', 'ada bob visitor', async () => {}],
    ['shared with a viewer', 'private', 'ada bob', (id) => addMember(id, 'viewer')],
    [
      'hidden by a moderator',
      'public',
      'ada',
      (id) => change(`update public.projects set hidden_at = now() where id = '${id}'`),
    ],
    [
      'in the trash',
      'public',
      'ada',
      (id) => change(`update public.projects set trashed_at = now() where id = '${id}'`),
    ],
    ['deleted', 'public', '', (id) => change(`delete from public.projects where id = '${id}'`)],
  ])('that is %s', async (_, visibility, expected, prepare) => {
    const id = await saveProject(visibility);
    expect(await put(ada, `${id}/0`)).toBe('200');
    await prepare(id);
    expect(await readers(`${id}/0`)).toBe(expected);
  });

  test('and shows what others see: the published version, once there is one', async () => {
    const id = await saveProject('public');
    await put(ada, `${id}/0`, webp(' of the working copy'));
    const version = await ada.client.rpc('create_version', { project: id });
    const { number } = version.data as { number: number };
    const publish = (to: number | null) =>
      ada.client.rpc('publish_version', { project: id, number: to });
    expect((await publish(number)).error).toBeNull();
    expect(await readers(`${id}/0`)).toBe('');
    expect(await put(ada, `${id}/0`)).toBe('403');
    expect(await put(ada, `${id}/${number}`, webp(' of the version'))).toBe('200');
    expect(await readers(`${id}/${number}`)).toBe('ada bob visitor');
    await publish(null);
    expect(await readers(`${id}/${number}`)).toBe('');
    expect(await read(bob, `${id}/0`)).toBe('RIFF of the working copy');
  });

  test('by its name only: others can’t list, sign, copy, move or remove it', async () => {
    const id = await saveProject('unlisted');
    const name = `${id}/0`;
    await put(ada, name);
    const other = await saveProject('private');
    await addMember(other, 'editor');
    for (const client of [bob.client, world.visitor]) {
      const posters = client.storage.from('posters');
      expect((await posters.list(id)).data).toEqual([]);
      expect((await posters.list()).data).toEqual([]);
      expect((await posters.createSignedUrl(name, 60)).data).toBeNull();
      expect((await posters.copy(name, `${other}/0`)).data).toBeNull();
      expect((await posters.move(name, `${other}/0`)).data).toBeNull();
      expect((await posters.remove([name])).data).toEqual([]);
    }
    expect((await world.request(`/object/public/posters/${name}`)).ok).toBe(false);
    expect(await readers(name)).toBe('ada bob visitor');
  });
});

describe('AS-21: a poster is written', () => {
  test('by the project’s editors only, who replace it', async () => {
    const id = await saveProject('public');
    const name = `${id}/0`;
    expect(await put(bob, name)).toBe('403');
    expect(await put(undefined, name)).toBe('403');
    await addMember(id, 'viewer');
    expect(await put(bob, name)).toBe('403');
    await change(`update public.project_members set role = 'editor' where project_id = '${id}'`);
    expect(await put(bob, name, webp(' of Bob'))).toBe('200');
    expect(await put(ada, name, webp(' of Ada'))).toBe('200');
    expect(await put(ada, name, webp(), false)).toBe('409');
    expect(await read(undefined, name)).toBe('RIFF of Ada');
    await change(`update public.profiles set suspended_at = now() where id = '${bob.id}'`);
    expect(await put(bob, name)).toBe('403');
    await change(`delete from public.project_members where project_id = '${id}'`);
    expect(await put(bob, name)).toBe('403');
    const rows = await change(`select name from storage.objects where bucket_id = 'posters'`);
    expect(rows).toHaveLength(1);
  });

  test('under its project’s name only', async () => {
    const id = await saveProject('public');
    const names = [
      id,
      `${id}/1`,
      `${id}/00`,
      `${id}/0/0`,
      `${id}/0.webp`,
      `${id.toUpperCase()}/0`,
      `${randomUUID()}/0`,
      'x/0',
    ];
    for (const name of names) expect([name, await put(ada, name)]).toEqual([name, '403']);
    const rows = await change(`select name from storage.objects where bucket_id = 'posters'`);
    expect(rows).toHaveLength(0);
  });

  test('within a size, as a picture, and without metadata', async () => {
    const name = `${await saveProject('public')}/0`;
    expect(await put(ada, name, webp('x'.repeat(262_140)))).toBe('200');
    expect(await put(ada, name, webp('x'.repeat(262_141)))).toBe('413');
    for (const type of ['image/png', 'image/svg+xml', 'text/html'])
      expect(await put(ada, name, new Blob(['x'], { type }))).toBe('415');
    const { error } = await ada.client.storage.from('posters').upload(name, webp(), {
      upsert: true,
      contentType: 'image/webp',
      metadata: { note: 'x'.repeat(1_000) },
    });
    expect(error).toMatchObject({ statusCode: '403' });
  });

  test('by an upload only, whose rights are checked: not by a signed one, a move or a copy', async () => {
    const [from, to] = [`${await saveProject('public')}/0`, `${await saveProject('public')}/0`];
    await put(ada, from);
    const posters = ada.client.storage.from('posters');
    expect((await posters.createSignedUploadUrl(to)).error).toMatchObject({ statusCode: '403' });
    expect((await posters.move(from, to)).error).not.toBeNull();
    expect((await posters.copy(from, to)).error).not.toBeNull();
    expect(await read(ada, to)).toBeNull();
    expect((await posters.remove([from])).data).toEqual([]);
  });
});

test('AS-22: posters of deleted projects and of other versions are collected', async () => {
  const [kept, published, deleted] = await Promise.all([
    saveProject('public'),
    saveProject('public'),
    saveProject('public'),
  ]);
  for (const id of [kept, published, deleted]) await put(ada, `${id}/0`);
  await ada.client.rpc('create_version', { project: published });
  await ada.client.rpc('publish_version', { project: published, number: 1 });
  await change(`delete from public.projects where id = '${deleted}'`);
  const { data } = await world.service.rpc('collect_posters');
  expect([...(data as string[])].sort()).toEqual([`${published}/0`, `${deleted}/0`].sort());
  expect((await ada.client.rpc('collect_posters')).error).not.toBeNull();
  await addMember(kept, 'editor');
  await put(bob, `${kept}/0`);
  const ofBob = await world.service.rpc('collect_posters', { account: bob.id });
  expect(ofBob.data).toContain(`${kept}/0`);
});

test('cards have the poster of each project that the caller sees', async () => {
  const id = await saveProject('private');
  const listed = async () => {
    const { data } = await ada.client.rpc('list_work', {});
    return (data as { projects: { excerpt: { poster?: string; path: string } }[] }).projects[0]
      ?.excerpt;
  };
  expect(await listed()).toEqual({ path: 'index.html', text: '<p>Sunset' });
  await put(ada, `${id}/0`);
  const first = await listed();
  expect(first?.path).toBe('index.html');
  expect(first?.poster).toMatch(new RegExp(`^${id}/0[?]v=[0-9a-f]{8}$`));
  await put(ada, `${id}/0`, webp(' changed'));
  expect((await listed())?.poster).not.toBe(first?.poster);
});
