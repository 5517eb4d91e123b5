import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createPreviewServer, type ServedProject } from '../src/server/index.ts';

const host = 'vitrine.localhost:4000';
const projects = new Map<string, ServedProject>([
  ['openopenop', project('openopenop', false)],
  ['hiddenhidd', project('hiddenhidd', true)],
]);
const server = createPreviewServer({
  appOrigins: [`http://${host}`],
  hosts: [host, 'vitrine-preview.localhost:4000'],
  secret: randomBytes(32),
  async readProject({ slug, accessToken }) {
    const found = projects.get(slug);
    return found?.isPrivate && accessToken !== 'owner' ? undefined : found;
  },
});

function project(slug: string, isPrivate: boolean): ServedProject {
  const files = new Map([
    ['index.html', '<!doctype html><title>Home</title>'],
    ['a b.js', 'console.log(1)'],
    ['about.html', '<p>About'],
    ['mark.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ]);
  return { id: slug, slug, revision: 7, isPrivate, files };
}

async function ask(address: string, headers: Record<string, string> = {}): Promise<Response> {
  const response = await server.fetch(new Request(address, { headers }));
  if (!response) throw new Error(`${address} was not answered`);
  return response;
}

const saved = `http://openopenop.${host}`;
const edited = `http://edit--openopenop.${host}`;
const draft = `http://draft--abc.${host}`;

describe('a preview host', () => {
  it('serves files of a project at their addresses, with their types', async () => {
    expect((await ask(`${saved}/`)).headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(await (await ask(`${saved}/about`)).text()).toContain('About');
    const script = await ask(`${saved}/a%20b.js`);
    expect(script.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8');
    expect(await script.text()).toBe('console.log(1)');
    expect((await ask(`${saved}/mark.svg`)).headers.get('Content-Type')).toContain('image/svg+xml');
  });

  it('has no answer for the icon that browsers ask for unasked, unless the project has one', async () => {
    for (const origin of [saved, edited, draft])
      expect((await ask(`${origin}/favicon.ico`)).status).toBe(204);
    expect((await ask(`${saved}/other.ico`)).status).toBe(404);
  });

  it('P-16 serves the page of tests where they run, and its scripts to everyone, for good', async () => {
    for (const origin of [saved, edited, draft])
      expect((await ask(`${origin}/__vitrine/tests`)).status).toBe(404);
    const page = await ask(`http://tests--abc.${host}/__vitrine/tests`);
    expect(page.headers.get('Content-Security-Policy')).not.toContain('sandbox');
    const portable = await ask(`http://${host}/__vitrine/portable-tests`);
    expect(portable.headers.get('Content-Security-Policy')).toMatch(/^sandbox allow-scripts/);
    const address = /src="([^"]+)"/.exec(await page.text())?.[1];
    const script = await ask(`http://${host}${address}`);
    expect(script.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(script.headers.get('Cache-Control')).toContain('immutable');
    expect((await ask(`http://${host}/__vitrine/tests/none.js`)).status).toBe(404);
  });

  it('puts the runtime and the revision into documents', async () => {
    const html = await (await ask(`${saved}/`)).text();
    expect(html).toMatch(
      /^<!doctype html><script src="\/__vitrine\/frame\.js\?\w{16}" data-revision="7"/,
    );
  });

  it.each([
    `${saved}/`,
    `${saved}/none`,
    `${edited}/a%20b.js`,
    `${draft}/__vitrine/boot`,
    `${edited}/__vitrine/sw.js`,
  ])('H-01 sends the headers of its origin with %s, and no cookie', async (address) => {
    const { headers } = await ask(address);
    expect(headers.get('Origin-Agent-Cluster')).toBe('?1');
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('Referrer-Policy')).toBe('no-referrer');
    expect(headers.get('X-Robots-Tag')).toBe('noindex');
    expect(headers.get('Content-Security-Policy')).toContain(
      `frame-ancestors 'self' http://${host}`,
    );
    expect(headers.get('Permissions-Policy')).toContain('camera=()');
    expect(headers.get('Set-Cookie')).toBe(null);
  });

  it('P-13 has one service worker script, on working copies only', async () => {
    const asScript = { 'Service-Worker': 'script' };
    expect((await ask(`${edited}/__vitrine/sw.js?x=1`, asScript)).status).toBe(200);
    expect((await ask(`${draft}/__vitrine/sw.js`, asScript)).status).toBe(200);
    expect((await ask(`${saved}/__vitrine/sw.js`, asScript)).status).toBe(403);
    expect((await ask(`${saved}/__vitrine/sw.js`)).status).toBe(404);
    expect((await ask(`${edited}/a%20b.js`, asScript)).status).toBe(403);
  });

  it('answers an unchanged file with 304', async () => {
    const tag = (await ask(`${saved}/a%20b.js`)).headers.get('ETag') ?? '';
    const again = await ask(`${saved}/a%20b.js`, { 'If-None-Match': tag });
    expect(again.status).toBe(304);
    expect(again.headers.get('Origin-Agent-Cluster')).toBe('?1');
  });

  it('SB-28 answers the same for a private project as for none', async () => {
    const hidden = await ask(`http://hiddenhidd.${host}/`);
    const none = await ask(`http://nonenoneno.${host}/`);
    expect(await hidden.text()).toBe(await none.text());
    expect(hidden.status).toBe(404);
  });

  it('leaves other hosts to the app, except for the portable page', async () => {
    expect(await server.fetch(new Request(`http://${host}/`))).toBe(undefined);
    expect(await server.fetch(new Request(`http://a.b.${host}/`))).toBe(undefined);
    expect(await server.fetch(new Request(`http://ABC_x.${host}/`))).toBe(undefined);
    const portable = await ask('http://192.168.1.5:4000/__vitrine/portable');
    const policy = portable.headers.get('Content-Security-Policy');
    expect(policy).toContain('sandbox allow-scripts');
    expect(policy).not.toContain('allow-same-origin');
  });

  it('answers GET and HEAD only', async () => {
    const head = await server.fetch(new Request(`${saved}/`, { method: 'HEAD' }));
    expect([head?.status, await head?.text()]).toEqual([200, '']);
    expect((await server.fetch(new Request(`${saved}/`, { method: 'POST' })))?.status).toBe(405);
  });
});

describe('P-14 the entry to a private project', () => {
  const key = 'edit--hiddenhidd';
  const origin = `http://${key}.${host}`;
  const mint = (o: { expiresAt?: number } = {}) =>
    server.mintEntry({ key, origin, accessToken: 'owner', expiresAt: Date.now() + 600_000, ...o });
  const cookieOf = (response: Response) => response.headers.get('Set-Cookie')?.split(';')[0] ?? '';

  it('exchanges a token once for a cookie that opens this origin', async () => {
    const address = await mint();
    const first = await ask(address);
    expect([first.status, first.headers.get('Location')]).toEqual([303, `${origin}/`]);
    expect(first.headers.get('Set-Cookie')).toMatch(
      /^__Host-vitrine-preview=[\w.-]+; Path=\/; Max-Age=\d+; HttpOnly; Secure; SameSite=None; Partitioned$/,
    );
    const cookie = `other=1; ${cookieOf(first)}; x=${'y'.repeat(100_000)}`;
    expect((await ask(`${origin}/`, { Cookie: cookie })).status).toBe(200);
    expect((await ask(address)).headers.get('Set-Cookie')).toBe(null);
  });

  it('opens no other origin with it, and no longer than the access token lasts', async () => {
    const address = new URL(await mint());
    address.host = `edit--openopenop.${host}`;
    expect((await ask(address.href)).headers.get('Set-Cookie')).toBe(null);
    expect(
      (await ask(await mint({ expiresAt: Date.now() - 10_000 }))).headers.get('Set-Cookie'),
    ).toBe(null);
    expect((await ask(`${origin}/__vitrine/enter?token=junk`)).headers.get('Set-Cookie')).toBe(
      null,
    );
    const cookie = cookieOf(await ask(await mint()));
    expect((await ask(`http://hiddenhidd.${host}/`, { Cookie: cookie })).status).toBe(404);
  });

  it('never leads away from the preview', async () => {
    const address = `${await mint()}&path=${encodeURIComponent('//evil.test/')}`;
    const location = (await ask(address)).headers.get('Location') ?? '';
    expect(new URL(location).origin).toBe(origin);
  });
});
