import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '@vitrine/project';
import { openStorageWorld, type StorageUser, type StorageWorld } from './world.ts';

let world: StorageWorld;
/** Uploads and owns; `bob` is a stranger. */
let ada: StorageUser;
let bob: StorageUser;
beforeAll(async () => {
  world = await openStorageWorld();
  ({ ada, bob } = world);
});
afterAll(() => world.close());
beforeEach(async () => {
  const { sql } = world.test.database;
  await sql`delete from public.projects`;
  await sql`update public.profiles set suspended_at = null`;
  await world.service.storage.emptyBucket('assets');
});

const hashOf = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const nameOf = (user: StorageUser, text: string) => `${user.id}/${hashOf(text)}`;

interface Sent {
  method?: string;
  name?: string;
  headers?: Record<string, string>;
  type?: string;
}

/** Uploads a text like the page does. Returns the status in the body, or 200. */
async function upload(
  user: StorageUser | undefined,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream,
  { method = 'POST', name, headers, type = 'application/octet-stream' }: Sent = {},
): Promise<string> {
  const hash = body instanceof ReadableStream ? '' : hashOf(body);
  const response = await world.request(`/object/assets/${name ?? `${user?.id}/${hash}`}`, {
    method,
    headers: { ...credentials(user), 'content-type': type, ...headers },
    body,
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  });
  return statusOf(response);
}

function credentials(user: StorageUser | undefined): Record<string, string> {
  const key = world.test.backend.publishableKey;
  return { apikey: key, authorization: `Bearer ${user?.token ?? key}` };
}

async function statusOf(response: Response): Promise<string> {
  if (response.ok) return '200';
  const { statusCode } = (await response.json()) as { statusCode: string };
  return statusCode;
}

const readResponse = (user: StorageUser | undefined, name: string, kind = 'authenticated/') =>
  world.request(`/object/${kind}assets/${name}`, { headers: credentials(user) });
async function read(user: StorageUser | undefined, name: string, kind?: string): Promise<string> {
  const response = await readResponse(user, name, kind);
  return response.ok ? await response.text() : await statusOf(response);
}

/** Arguments of `create_project` for a project with one asset. */
function newProject(text: string, visibility: string) {
  const state = 'state';
  const size = Buffer.byteLength(text);
  return {
    id: randomUUID(),
    title: 'Pictures',
    description: '',
    visibility,
    settings: {},
    files: [{ path: 'a.png', hash: hashOf(text), size, media_type: 'image/png' }],
    state: Buffer.from(state).toString('base64'),
    state_sha256: hashOf(state),
  };
}

/** Saves a project of `user` with one asset, and returns its id. */
async function saveProject(user: StorageUser, text: string, visibility: string): Promise<string> {
  const { data, error } = await user.client.rpc('create_project', newProject(text, visibility));
  if (error) throw new Error(error.message);
  return data.id;
}

describe('AS-01: an asset is read by those who see a project that has it', () => {
  const change = (sql: string) => (id: string) =>
    world.test.database.sql.unsafe(sql.replaceAll(':project', `'${id}'`));
  test.each<[string, string, string, (id: string) => Promise<unknown>]>([
    ['private', 'private', 'ada', async () => {}],
    ['unlisted', 'unlisted', 'ada bob visitor', async () => {}],
    ['public', 'public', 'ada bob visitor', async () => {}],
    [
      'shared with a viewer',
      'private',
      'ada bob',
      async (id) =>
        change(`insert into public.project_members values (:project, '${bob.id}', 'viewer')`)(id),
    ],
    [
      'no longer shared',
      'private',
      'ada',
      async (id) => {
        const rows = `public.project_members`;
        await change(`insert into ${rows} values (:project, '${bob.id}', 'editor')`)(id);
        expect(await read(bob, nameOf(ada, 'shown'))).toBe('shown');
        await change(`delete from ${rows} where project_id = :project`)(id);
      },
    ],
    [
      'hidden by a moderator',
      'public',
      'ada',
      change('update public.projects set hidden_at = now() where id = :project'),
    ],
    [
      'in the trash',
      'public',
      'ada',
      change('update public.projects set trashed_at = now() where id = :project'),
    ],
    ['deleted', 'public', 'ada', change('delete from public.projects where id = :project')],
    [
      'of a suspended user',
      'private',
      'ada',
      async () =>
        change(`update public.profiles set suspended_at = now() where id = '${ada.id}'`)(''),
    ],
  ])('in a project that is %s', async (_, visibility, readers, prepare) => {
    expect(await upload(ada, 'shown')).toBe('200');
    await prepare(await saveProject(ada, 'shown', visibility));
    const who = { ada, bob, visitor: undefined };
    const found = [];
    for (const [label, user] of Object.entries(who)) {
      const answers = [
        await read(user, nameOf(ada, 'shown')),
        await read(user, nameOf(ada, 'shown'), ''),
      ];
      expect(new Set(answers).size).toBe(1);
      if (answers[0] === 'shown') found.push(label);
      else expect(answers[0]).toBe('404');
    }
    expect(found.join(' ')).toBe(readers);
  });

  test('and a removed one by those who work on the project', async () => {
    await upload(ada, 'shown');
    const id = await saveProject(ada, 'shown', 'public');
    await world.test.database.sql`insert into public.project_members
      values (${id}, ${bob.id}, 'editor')`;
    await world.test.database.sql`delete from public.project_files where project_id = ${id}`;
    expect(await read(bob, nameOf(ada, 'shown'))).toBe('shown');
    expect(await read(undefined, nameOf(ada, 'shown'))).toBe('404');
  });
});

test('AS-01: an asset of an automatic version is read by those who work on the project', async () => {
  const { sql } = world.test.database;
  await upload(ada, 'shown');
  const id = await saveProject(ada, 'shown', 'public');
  const createVersion = async (reason: string) => {
    const { error } = await ada.client.rpc('create_version', { project: id, reason });
    expect(error).toBeNull();
  };
  await createVersion('pause');
  await sql`delete from public.project_files where project_id = ${id}`;
  await createVersion('named');
  const name = nameOf(ada, 'shown');
  expect([await read(bob, name), await read(undefined, name)]).toEqual(['404', '404']);
  const fork = await bob.client.rpc('create_project', {
    ...newProject('shown', 'private'),
    forked_from: id,
  });
  expect(fork.error?.message).toBe('asset_missing');
  await sql`insert into public.project_members values (${id}, ${bob.id}, 'viewer')`;
  expect(await read(bob, name)).toBe('shown');
});

describe('AS-02: others', () => {
  test.each(['public', 'unlisted'])(
    'cannot list, sign, copy or move assets of a project that is %s',
    async (visibility) => {
      await upload(ada, 'shown');
      await saveProject(ada, 'shown', visibility);
      const name = nameOf(ada, 'shown');
      for (const client of [bob.client, world.visitor]) {
        const assets = client.storage.from('assets');
        expect((await assets.list(ada.id)).data).toEqual([]);
        expect((await assets.listV2({ prefix: `${ada.id}/` })).data).toMatchObject({ objects: [] });
        expect((await assets.createSignedUrl(name, 60)).data).toBeNull();
        expect((await assets.createSignedUrls([name], 60)).data?.[0]?.signedUrl ?? null).toBeNull();
        expect((await assets.copy(name, `${bob.id}/${hashOf('shown')}`)).data).toBeNull();
        expect((await assets.move(name, `${bob.id}/${hashOf('shown')}`)).data).toBeNull();
        expect((await assets.remove([name])).data).toEqual([]);
        expect((await assets.download(name, { transform: { width: 1 } })).data).toBeNull();
      }
      expect((await world.request(`/object/public/assets/${name}`)).ok).toBe(false);
      expect(await read(bob, name)).toBe('shown');
      const own = ada.client.storage.from('assets');
      expect((await own.list(ada.id)).data).toHaveLength(1);
      expect((await own.createSignedUrl(name, 60)).error).toBeNull();
    },
  );
});

describe('AS-03: an upload is refused', () => {
  const refused = async (...sent: Parameters<typeof upload>) => {
    const before = await world.countFiles();
    const status = await upload(...sent);
    expect(await world.countFiles()).toBe(before);
    return status;
  };

  test('to another user’s folder, of a visitor, and of a suspended user', async () => {
    expect(await refused(bob, 'x', { name: nameOf(ada, 'x') })).toBe('403');
    expect(await refused(undefined, 'x', { name: nameOf(ada, 'x') })).toBe('403');
    await world.test.database.sql`update public.profiles set suspended_at = now()
      where id = ${bob.id}`;
    expect(await refused(bob, 'x')).toBe('403');
  });

  test('under any name but the SHA-256 of its bytes', async () => {
    const hash = hashOf('x');
    const names = [
      hash,
      `${hash}/${hash}`,
      `${ada.id}/${hash.toUpperCase()}`,
      `${ada.id}/${hash.slice(1)}`,
      `${ada.id}/${hash}0`,
      `${ada.id}/x/${hash}`,
      `${ada.id}/${hash}/x`,
      `${ada.id.toUpperCase()}/${hash}`,
      `${ada.id}/${hash}.html`,
      `${ada.id}/${hashOf('y')}`,
    ];
    for (const name of names)
      expect([name, await refused(ada, 'x', { name })]).toEqual([name, '403']);
  });

  test('with a type that a browser could run, or any but plain bytes', async () => {
    for (const type of ['text/html', 'image/svg+xml', 'text/javascript', 'image/png'])
      expect([type, await refused(ada, 'x', { type })]).toEqual([type, '415']);
  });

  test('with metadata, which isn’t part of the quota', async () => {
    const headers = { 'x-metadata': btoa(JSON.stringify({ note: 'x'.repeat(1_000) })) };
    expect(await refused(ada, 'x', { headers })).toBe('403');
  });

  test('over the limit of one asset', async () => {
    const largest = new Uint8Array(limits.assetMaxBytes);
    expect(await upload(ada, largest)).toBe('200');
    expect(await refused(ada, new Uint8Array(limits.assetMaxBytes + 1))).toBe('413');
  });

  test('over another object, by whatever request', async () => {
    expect(await upload(ada, 'x')).toBe('200');
    expect(await refused(ada, 'x')).toBe('409');
    expect(await refused(ada, 'x', { headers: { 'x-upsert': 'true' } })).toBe('403');
    expect(await refused(ada, 'x', { method: 'PUT' })).toBe('403');
    const assets = ada.client.storage.from('assets');
    const free = `${ada.id}/${hashOf('free')}`;
    expect((await assets.createSignedUploadUrl(free)).error).toMatchObject({ statusCode: '403' });
    expect((await assets.move(nameOf(ada, 'x'), free)).error).not.toBeNull();
    expect((await assets.copy(nameOf(ada, 'x'), free)).error).toMatchObject({ statusCode: '403' });
    expect((await assets.remove([nameOf(ada, 'x')])).data).toEqual([]);
    expect(await read(ada, nameOf(ada, 'x'))).toBe('x');
  });
});

describe('AS-06: the quota', () => {
  /** Fills the user's folder up to `left` bytes. */
  async function fill(user: StorageUser, left: number): Promise<void> {
    const size = limits.userMaxAssetBytes - left;
    await world.test.database.sql`
      insert into storage.objects (bucket_id, name, metadata)
      values ('assets', ${`${user.id}/${'0'.repeat(64)}`},
        jsonb_build_object('size', ${size}::bigint))`;
  }

  test('admits what just fits, and nothing more', async () => {
    await upload(bob, 'of another');
    await fill(ada, 5_000);
    expect(await upload(ada, 'a'.repeat(5_001))).toBe('403');
    expect(await upload(ada, 'a'.repeat(5_000))).toBe('200');
    expect(await upload(ada, 'e')).toBe('403');
    // Is there already, so that it counts as uploaded.
    expect(await upload(ada, 'a'.repeat(5_000))).toBe('409');
    const usage = await ada.client.rpc('storage_usage');
    const quota = limits.userMaxAssetBytes;
    expect(usage.data).toEqual({ used: quota, quota });
    expect(await upload(bob, 'abcde')).toBe('200');
  });

  test('counts the bytes that arrive, whatever was declared', async () => {
    await fill(ada, 5_000);
    const files = await world.countFiles();
    const text = 'a'.repeat(5_001);
    const body = new Blob([text]).stream();
    expect(await upload(ada, body, { name: nameOf(ada, text) })).toBe('403');
    expect(await world.countFiles()).toBe(files);
  });

  test('counts uploads at the same time', async () => {
    await fill(ada, limits.assetMinBytes);
    const texts = Array.from({ length: 8 }, (_, n) => `text ${n}`);
    const answers = await Promise.all(texts.map((text) => upload(ada, text)));
    expect(answers.filter((status) => status === '200')).toHaveLength(1);
    expect(answers.filter((status) => status === '403')).toHaveLength(7);
  });
});

test.each([
  [
    'an SVG with a script',
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  ],
  ['a page', '<!doctype html><script>alert(1)</script>'],
  ['a GIF that is a script too', 'GIF89a/*\u0000*/=1;alert(1)'],
  ['a PDF that is a page too', '%PDF-1.4\n<script>alert(1)</script>'],
])('AS-07: storage sends %s as plain bytes that run nowhere', async (_, text) => {
  await upload(ada, text);
  const response = await readResponse(ada, nameOf(ada, text));
  const { headers } = response;
  expect(await response.text()).toBe(text);
  expect(headers.get('content-type')).toBe('application/octet-stream');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
  expect(headers.get('cache-control')).toBe('private, no-store');
});

test('sends a range of an asset', async () => {
  await upload(ada, 'abcdef');
  const response = await world.request(`/object/authenticated/assets/${nameOf(ada, 'abcdef')}`, {
    headers: { ...credentials(ada), range: 'bytes=1-2' },
  });
  expect([response.status, await response.text()]).toEqual([206, 'bc']);
});
