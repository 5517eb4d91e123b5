import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deleteUnreferencedAssets } from '../server/asset-collection.ts';
import { navigation, startVitrine, type Answer, type Asked, type Vitrine } from './vitrine.ts';

/** Assets of saved projects on preview hosts: uploaded, saved and requested over HTTP. */

let vitrine: Vitrine;
let dataDir: string;
let keys: { publishableKey: string; secretKey: string };
let ada: User;

interface User {
  readonly name: string;
  readonly id: string;
  readonly accessToken: string;
  readonly cookie: string;
}

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'vitrine-assets-'));
  chmodSync(dataDir, 0o711);
  vitrine = await startVitrine({ DATA_DIR: dataDir, CONFIRM_EMAIL: 'false' });
  keys = JSON.parse(readFileSync(`${dataDir}/secrets.json`, 'utf8'));
  ada = { name: 'ada', ...(await vitrine.signUp('ada')) };
}, 60_000);
afterAll(async () => {
  await vitrine.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** Sends a request to the backend as ada. */
function call(path: string, type: string, body: string): Promise<Answer> {
  return vitrine.request(path, {
    method: 'POST',
    headers: {
      apikey: keys.publishableKey,
      authorization: `Bearer ${ada.accessToken}`,
      'content-type': type,
      'content-length': String(Buffer.byteLength(body)),
    },
    body,
  });
}

async function upload(text: string): Promise<void> {
  const path = `/storage/v1/object/assets/${ada.id}/${hashOf(text)}`;
  expect(await call(path, 'application/octet-stream', text)).toMatchObject({ status: 200 });
}

interface Asset {
  readonly text: string;
  readonly mediaType: string;
}

/** Uploads the assets and saves them in a project of ada. Returns its slug. */
async function saveProject(
  visibility: string,
  assets: Readonly<Record<string, Asset>>,
): Promise<string> {
  for (const { text } of Object.values(assets)) await upload(text);
  const project = {
    id: randomUUID(),
    title: 'Pictures',
    description: '',
    visibility,
    settings: {},
    files: [
      { path: 'index.html', content: '<img src="a.png">' },
      ...Object.entries(assets).map(([path, { text, mediaType }]) => ({
        path,
        hash: hashOf(text),
        size: Buffer.byteLength(text),
        media_type: mediaType,
      })),
    ],
    state: 'AAA=',
    state_sha256: createHash('sha256').update(Buffer.alloc(2)).digest('hex'),
  };
  const saved = await call(
    '/rest/v1/rpc/create_project',
    'application/json',
    JSON.stringify(project),
  );
  expect(saved.status).toBe(200);
  return String(JSON.parse(saved.body).slug);
}

const request = (host: string, path: string, headers: Asked['headers'] = {}) =>
  vitrine.request(path, {
    host: `${host}.${vitrine.host}`,
    headers: { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'image', ...headers },
  });

/** Opens a private preview as ada and returns its cookie. */
async function enterPreview(slug: string, key: string): Promise<string> {
  const origin = `http://${key}.${vitrine.host}`;
  const asked = await vitrine.request(`/@${ada.name}/${slug}/entry`, {
    method: 'POST',
    headers: {
      cookie: ada.cookie,
      origin: vitrine.origin,
      'sec-fetch-site': 'same-origin',
      'user-agent': navigation['user-agent'],
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ key, origin }).toString(),
  });
  const { pathname, search, host } = new URL(JSON.parse(asked.body).entry);
  const entered = await vitrine.request(pathname + search, { host });
  return entered.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

const png: Asset = { text: 'bytes of a picture', mediaType: 'image/png' };

test('a public project’s assets are sent to anyone, with their type, and as ranges', async () => {
  const slug = await saveProject('public', { 'a.png': png });
  for (const host of [slug, `edit--${slug}`]) {
    const { status, headers, body } = await request(host, '/a.png');
    expect([status, body]).toEqual([200, png.text]);
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(png.text.length),
      'accept-ranges': 'bytes',
      etag: `"${hashOf(png.text)}"`,
      'x-content-type-options': 'nosniff',
    });
    const part = await request(host, '/a.png', { range: 'bytes=6-7' });
    expect([part.status, part.body]).toEqual([206, 'of']);
    expect(part.headers['content-range']).toBe(`bytes 6-7/${png.text.length}`);
    expect((await request(host, '/a.png', { range: 'bytes=99-' })).status).toBe(416);
    const known = await request(host, '/a.png', { 'if-none-match': `"${hashOf(png.text)}"` });
    expect([known.status, known.body]).toEqual([304, '']);
  }
});

test('the largest asset arrives whole', async () => {
  const text = 'x'.repeat(10 * 1024 * 1024);
  const slug = await saveProject('public', { 'a.bin': { text, mediaType: 'video/mp4' } });
  const { body } = await request(slug, '/a.bin');
  expect(hashOf(body)).toBe(hashOf(text));
});

test('AS-08: a private project’s assets are sent to those who may open it', async () => {
  const picture = { ...png, text: 'bytes of a private picture' };
  const slug = await saveProject('private', { 'a.png': picture });
  const missing = await request('abcdefghij012345', '/a.png');
  for (const host of [slug, `edit--${slug}`]) {
    const cookie = await enterPreview(slug, host);
    const { status, headers, body } = await request(host, '/a.png', { cookie });
    expect([status, body]).toEqual([200, picture.text]);
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    const refused = await request(host, '/a.png');
    expect([refused.status, refused.body]).toEqual([missing.status, missing.body]);
  }
});

describe('AS-09: nothing in an asset runs on the app’s origin', () => {
  const files: Record<string, Asset> = {
    'drawing.svg': {
      text: '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      mediaType: 'image/svg+xml',
    },
    'gif-and-script.gif': { text: 'GIF89a/*x*/=1;alert(1)', mediaType: 'image/gif' },
    'page.png': { text: '<!doctype html><script>alert(1)</script>', mediaType: 'image/png' },
    'typed.png': { text: '<!doctype html><script>alert(2)</script>', mediaType: 'text/html' },
  };
  let slug: string;
  beforeAll(async () => {
    slug = await saveProject('public', files);
  });

  test.each(Object.keys(files))('%s', async (path) => {
    const { text, mediaType } = files[path] ?? png;
    // The preview's own origin has the bytes under the type that the project gave them.
    const { headers, body } = await request(slug, `/${path}`);
    expect(body).toBe(text);
    expect(headers['content-type']).toBe(mediaType);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['content-security-policy']).toMatch(/^frame-ancestors 'self' /);
    expect(headers['set-cookie']).toBeUndefined();
    // Opened in a tab, the page that names its author comes first.
    const opened = await request(slug, `/${path}`, { ...navigation });
    expect(opened.body).toContain('Continue to the page');
    expect(opened.body).not.toContain(text);
    // A service worker would answer for the whole preview.
    const worker = await request(slug, `/${path}`, { 'service-worker': 'script' });
    expect(worker.status).toBe(403);
    // The app's host has them as plain bytes only, and only under their hash.
    const stored = await vitrine.request(
      `/storage/v1/object/authenticated/assets/${ada.id}/${hashOf(text)}`,
      {
        headers: { apikey: keys.publishableKey, authorization: `Bearer ${keys.publishableKey}` },
      },
    );
    expect(stored.body).toBe(text);
    expect(stored.headers['content-type']).toBe('application/octet-stream');
    expect(stored.headers['x-content-type-options']).toBe('nosniff');
    expect(stored.headers['content-security-policy']).toContain('sandbox');
  });
});

test('an asset whose bytes are gone is not found, and the page is', async () => {
  const slug = await saveProject('public', { 'a.png': { ...png, text: 'gone soon' } });
  const body = JSON.stringify({ prefixes: [`${ada.id}/${hashOf('gone soon')}`] });
  const removed = await vitrine.request('/storage/v1/object/assets', {
    method: 'DELETE',
    headers: {
      apikey: keys.secretKey,
      authorization: `Bearer ${keys.secretKey}`,
      'content-type': 'application/json',
      'content-length': String(body.length),
    },
    body,
  });
  expect(removed.status).toBe(200);
  expect((await request(slug, '/a.png')).status).toBe(404);
  expect((await request(slug, '/', { 'sec-fetch-dest': 'iframe' })).status).toBe(200);
});

describe('the hourly collection', () => {
  /** A fake backend with these responses, which records its requests. */
  function answering(...answers: Response[]) {
    const asked: string[] = [];
    const fetch = async (received: Request) => {
      const { pathname } = new URL(received.url);
      asked.push(`${received.method} ${pathname} ${await received.text()}`);
      const answer = answers.shift();
      if (!answer) throw new Error('asked once too often');
      return answer;
    };
    return { asked, backend: { fetch, secretKey: 'sb_secret_x' } };
  }
  const collect = 'POST /rest/v1/rpc/collect_assets {}';

  test('deletes what the database claims, until it claims less than a full page', async () => {
    const page = Array.from({ length: 1_000 }, (_, index) => `u/${index}`);
    const { asked, backend } = answering(
      Response.json(page),
      Response.json([]),
      Response.json(['u/last']),
      Response.json([]),
    );
    expect(await deleteUnreferencedAssets(backend)).toBe(1_001);
    const remove = (prefixes: string[]) =>
      `DELETE /storage/v1/object/assets ${JSON.stringify({ prefixes })}`;
    expect(asked).toEqual([collect, remove(page), collect, remove(['u/last'])]);
  });

  test('rejects with the status of a failed request', async () => {
    const failed = answering(Response.json(['u/a']), new Response('', { status: 503 }));
    await expect(deleteUnreferencedAssets(failed.backend)).rejects.toThrow('503');
    const { backend } = answering(Response.json({ code: '57014' }, { status: 500 }));
    await expect(deleteUnreferencedAssets(backend)).rejects.toThrow('500');
  });
});
