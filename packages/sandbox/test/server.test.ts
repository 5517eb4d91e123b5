import { toTextFiles, type AssetFile, type ProjectFile } from '@vitrine/project';
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createPreviewServer, type ServedProject } from '../src/server/index.ts';
import { scriptsFolder } from './rig/scripts-folder.ts';

const host = 'vitrine.localhost:4000';
const photoBytes = Uint8Array.from([0xff, 0xd8, 0xff, 0x00]);
const photo: AssetFile = {
  kind: 'asset',
  hash: createHash('sha256').update(photoBytes).digest('hex'),
  size: photoBytes.length,
  mediaType: 'image/jpeg',
};
const projects = new Map<string, ServedProject>([
  ['openopenop', project('openopenop', false)],
  ['hiddenhidd', project('hiddenhidd', true)],
  ['pagespages', withPages('pagespages', false)],
  ['hiddenpage', withPages('hiddenpage', true)],
]);
/** Number of reads of a project. */
let readings = 0;
/** Number of bytes of assets that were read. */
let bytesRead = 0;
const server = createPreviewServer({
  appOrigins: [`http://${host}`],
  hosts: [host, 'vitrine-preview.localhost:4000'],
  secret: randomBytes(32),
  scriptsFolder,
  async readProject({ slug, version, accessToken }) {
    readings += 1;
    const found = projects.get(slug);
    const isMember = accessToken === 'owner';
    if (found?.isPrivate && !isMember) return undefined;
    if (version === undefined || !found) return found;
    // Version 5 is one that only members see.
    return version === 4 || (version === 5 && isMember)
      ? { ...found, version, revision: version }
      : undefined;
  },
  readAsset: async (_, { hash }, range) => {
    if (hash !== photo.hash) return undefined;
    bytesRead += range ? range.to - range.from + 1 : photoBytes.length;
    return new Blob([range ? photoBytes.slice(range.from, range.to + 1) : photoBytes]).stream();
  },
});

/** A project with pages in folders, and none at the root. */
function withPages(slug: string, isPrivate: boolean): ServedProject {
  const texts = toTextFiles([
    ['games/snake/index.html', '<p>Snake'],
    ['games/<b> 1/a.html', '<p>A'],
  ]);
  return { id: slug, slug, revision: 7, isPrivate, files: new Map(texts) };
}

function project(slug: string, isPrivate: boolean): ServedProject {
  const texts = toTextFiles([
    ['index.html', '<!doctype html><title>Home</title>'],
    ['a b.js', 'console.log(1)'],
    ['about.html', '<p>About'],
    ['mark.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ]);
  const files = new Map<string, ProjectFile>([
    ...texts,
    ['photo.jpg', photo],
    ['lost.jpg', { ...photo, hash: 'f'.repeat(64) }],
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
  it('serves files of a project at their URLs, with their MIME types', async () => {
    expect((await ask(`${saved}/`)).headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(await (await ask(`${saved}/about`)).text()).toContain('About');
    const script = await ask(`${saved}/a%20b.js`);
    expect(script.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8');
    expect(await script.text()).toBe('console.log(1)');
    expect((await ask(`${saved}/mark.svg`)).headers.get('Content-Type')).toContain('image/svg+xml');
  });

  it('lists the pages of a project without one at the root, to those who may see it', async () => {
    const response = await ask(`http://pagespages.${host}/`);
    expect(response.status).toBe(404);
    const page = await response.text();
    expect(page.match(/<a .*?<\/a>/g)).toEqual([
      '<a href="/games/%3Cb%3E%201/a.html">games/&lt;b> 1/a.html</a>',
      '<a href="/games/snake/">games/snake/index.html</a>',
    ]);
    const hidden = await (await ask(`http://hiddenpage.${host}/`)).text();
    expect(hidden).toBe(await (await ask(`http://nonenoneno.${host}/`)).text());
    expect(hidden).not.toContain('games');
    const lost = await (await ask(`http://pagespages.${host}/lost`)).text();
    expect(lost).toContain('Can’t find');
    expect(lost).not.toContain('games');
  });

  it('serves an asset as its bytes, unless the browser has them', async () => {
    const response = await ask(`${saved}/photo.jpg`);
    expect(response.headers.get('Content-Type')).toBe('image/jpeg');
    expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(await response.bytes()).toEqual(photoBytes);
    const tag = response.headers.get('ETag') ?? '';
    expect((await ask(`${saved}/photo.jpg`, { 'If-None-Match': tag })).status).toBe(304);
    expect((await ask(`${saved}/lost.jpg`)).status).toBe(404);
  });

  it.each([
    ['bytes=0-1', 206, 'bytes 0-1/4', [0xff, 0xd8]],
    ['bytes=2-', 206, 'bytes 2-3/4', [0xff, 0x00]],
    ['bytes=3-99', 206, 'bytes 3-3/4', [0x00]],
    ['bytes=-1', 206, 'bytes 3-3/4', [0x00]],
    ['bytes=-99', 206, 'bytes 0-3/4', [...photoBytes]],
    ['bytes=4-', 416, 'bytes */4', []],
    ['bytes=2-1', 416, 'bytes */4', []],
    ['bytes=-0', 416, 'bytes */4', []],
    ['bytes=0-0,2-3', 200, null, [...photoBytes]],
    ['bytes=-', 200, null, [...photoBytes]],
    ['lines=0-1', 200, null, [...photoBytes]],
  ])(
    'responds to a request for %s of an asset with %i',
    async (range, status, contentRange, body) => {
      bytesRead = 0;
      const response = await ask(`${saved}/photo.jpg`, { Range: range });
      expect(response.status).toBe(status);
      expect(response.headers.get('Content-Range')).toBe(contentRange);
      expect([...(await response.bytes())]).toEqual(body);
      expect(bytesRead).toBe(body.length);
      expect(response.headers.get('Accept-Ranges')).toBe('bytes');
      if (status !== 416) expect(response.headers.get('Content-Length')).toBe(String(body.length));
    },
  );

  it('responds with the whole asset to If-Range for other contents, and to HEAD without it', async () => {
    const part = { Range: 'bytes=0-1' };
    const tag = `"${photo.hash}"`;
    expect((await ask(`${saved}/photo.jpg`, { ...part, 'If-Range': tag })).status).toBe(206);
    expect((await ask(`${saved}/photo.jpg`, { ...part, 'If-Range': '"other"' })).status).toBe(200);
    const head = await server.fetch(new Request(`${saved}/photo.jpg`, { method: 'HEAD' }));
    expect(head?.headers.get('Content-Length')).toBe('4');
    expect(head?.body).toBeNull();
  });

  it('reads a project once for a page and its files', async () => {
    const load = (path: string, destination: string) =>
      ask(`${edited}${path}`, { 'Sec-Fetch-Dest': destination });
    await load('/', 'iframe');
    readings = 0;
    for (const path of ['/a%20b.js', '/mark.svg']) await load(path, 'script');
    expect(readings).toBe(0);
    // Navigations and requests of the page's code get the current version.
    await load('/mark.svg', 'empty');
    await load('/', 'iframe');
    expect(readings).toBe(2);
  });

  it('responds to favicon requests without content, unless the project has one', async () => {
    for (const origin of [saved, edited, draft])
      expect((await ask(`${origin}/favicon.ico`)).status).toBe(204);
    expect((await ask(`${saved}/other.ico`)).status).toBe(404);
  });

  it.each([
    '//evil.test/',
    '//evil.test/?x=1',
    '/.//evil.test/',
    '/\\evil.test',
    '/a%09b',
    '/?x=//evil.test',
  ])('PT-07.5 shows an interstitial whose link stays on the origin, at %j', async (path) => {
    const headers = { 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Site': 'cross-site' };
    const page = await (await ask(`${saved}${path}`, headers)).text();
    const [, link = ''] = /<a href="([^"]*)">Continue to the page/.exec(page) ?? [];
    expect(new URL(link, `${saved}${path}`).origin).toBe(saved);
  });

  it.each(['//evil.test/', '/\\evil.test', '/\t/evil.test', 'javascript:1', 'https://evil.test/'])(
    'PT-07.5 leads nobody elsewhere who enters at %j',
    async (path) => {
      const query = new URLSearchParams({ token: 'none', path }).toString();
      const { headers } = await ask(`${saved}/__vitrine/enter?${query}`);
      expect(new URL(headers.get('Location') ?? '', `${saved}/`).origin).toBe(saved);
      expect(new URL(headers.get('Location') ?? '').pathname).not.toMatch(/^\/\//);
    },
  );

  it('P-16 serves the test page on test origins, and its scripts anywhere, immutable', async () => {
    for (const origin of [saved, edited, draft])
      expect((await ask(`${origin}/__vitrine/tests`)).status).toBe(404);
    const page = await ask(`http://tests--abc.${host}/__vitrine/tests`);
    expect(page.headers.get('Content-Security-Policy')).not.toContain('sandbox');
    const srcdoc = await ask(`http://${host}/__vitrine/srcdoc-tests`);
    expect(srcdoc.headers.get('Content-Security-Policy')).toMatch(/^sandbox allow-scripts/);
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
  ])('H-01 sends its headers with %s, and no cookie', async (address) => {
    const { headers } = await ask(address);
    expect(headers.get('Origin-Agent-Cluster')).toBe('?1');
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('Referrer-Policy')).toBe('no-referrer');
    expect(headers.get('X-Robots-Tag')).toBe('noindex');
    expect(headers.get('Content-Security-Policy')).toContain(
      `frame-ancestors 'self' http://${host}`,
    );
    expect(headers.get('Permissions-Policy')).toMatch(/camera=\(\).*payment=\(\)/);
    expect(headers.get('Set-Cookie')).toBe(null);
  });

  it('P-13 serves one service worker script, on live copies only', async () => {
    const asScript = { 'Service-Worker': 'script' };
    expect((await ask(`${edited}/__vitrine/sw.js?x=1`, asScript)).status).toBe(200);
    expect((await ask(`${draft}/__vitrine/sw.js`, asScript)).status).toBe(200);
    expect((await ask(`${saved}/__vitrine/sw.js`, asScript)).status).toBe(403);
    expect((await ask(`${saved}/__vitrine/sw.js`)).status).toBe(404);
    expect((await ask(`${edited}/a%20b.js`, asScript)).status).toBe(403);
  });

  it('responds to an unchanged file with 304', async () => {
    const tag = (await ask(`${saved}/a%20b.js`)).headers.get('ETag') ?? '';
    const second = await ask(`${saved}/a%20b.js`, { 'If-None-Match': tag });
    expect(second.status).toBe(304);
    expect(second.headers.get('Origin-Agent-Cluster')).toBe('?1');
  });

  it('SB-28 responds to a private project as to a missing one', async () => {
    for (const path of ['/', '/a%20b.js', '/mark.svg', '/__vitrine/enter?token=junk']) {
      const [hidden, none] = await Promise.all(
        ['hiddenhidd', 'nonenoneno'].map(async (slug) => {
          const { status, headers, body } = await ask(`http://${slug}.${host}${path}`);
          const sentHeaders = Object.fromEntries(headers);
          // The redirect's target is the requested URL.
          return {
            status,
            headers: { ...sentHeaders, location: '' },
            text: await new Response(body).text(),
          };
        }),
      );
      expect(hidden).toEqual(none);
      expect(hidden?.status).toBe(path.includes('enter') ? 303 : 404);
    }
  });

  it('leaves other hosts to the app, except for the srcdoc page', async () => {
    expect(await server.fetch(new Request(`http://${host}/`))).toBe(undefined);
    expect(await server.fetch(new Request(`http://a.b.${host}/`))).toBe(undefined);
    expect(await server.fetch(new Request(`http://ABC_x.${host}/`))).toBe(undefined);
    const srcdoc = await ask('http://192.168.1.5:4000/__vitrine/srcdoc');
    const policy = srcdoc.headers.get('Content-Security-Policy');
    expect(policy).toContain('sandbox allow-scripts');
    expect(policy).not.toContain('allow-same-origin');
  });

  it('accepts only GET and HEAD', async () => {
    const head = await server.fetch(new Request(`${saved}/`, { method: 'HEAD' }));
    expect([head?.status, await head?.text()]).toEqual([200, '']);
    expect((await server.fetch(new Request(`${saved}/`, { method: 'POST' })))?.status).toBe(405);
  });
});

describe('P-38 the host of a version', () => {
  const version = `http://v4--openopenop.${host}`;
  const enter = async (key: string) => {
    const origin = `http://${key}.${host}`;
    const expiresAt = Date.now() + 600_000;
    const url = await server.mintAccessUrl({ key, origin, accessToken: 'owner', expiresAt });
    return (await ask(url)).headers.get('Set-Cookie')?.split(';')[0] ?? '';
  };

  it('runs the version, and has no service worker', async () => {
    const page = await ask(`${version}/`);
    expect(await page.text()).toContain('data-revision="4"');
    expect(page.headers.get('Cache-Control')).toBe('no-cache');
    expect((await ask(`${version}/a%20b.js`)).headers.get('Content-Type')).toContain('javascript');
    const asScript = { 'Service-Worker': 'script' };
    expect((await ask(`${version}/__vitrine/sw.js`, asScript)).status).toBe(403);
    expect((await ask(`${version}/__vitrine/boot`)).status).toBe(404);
  });

  it.each(['v0--openopenop', 'v04--openopenop', 'v9999999999--openopenop', 'v-4--openopenop'])(
    'is not at %s',
    async (key) => {
      expect(await server.fetch(new Request(`http://${key}.${host}/`))).toBe(undefined);
    },
  );

  it('is never mixed with the project', async () => {
    const readScript = async (origin: string) =>
      (await ask(`${origin}/a%20b.js`, { 'Sec-Fetch-Dest': 'script' })).headers.get('ETag');
    await ask(`${version}/`);
    expect(await readScript(saved)).toContain('openopenop-7-');
    await ask(`${saved}/`);
    expect(await readScript(version)).toContain('openopenop-4-');
  });

  it('responds 404 for a version that there isn’t', async () => {
    expect((await ask(`http://v6--openopenop.${host}/`)).status).toBe(404);
    expect((await ask(`http://v4--nonenoneno.${host}/`)).status).toBe(404);
  });

  it('shows an interstitial before the code of a version runs in a tab', async () => {
    const headers = { 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Site': 'cross-site' };
    expect(await (await ask(`${version}/`, headers)).text()).toContain('Continue to the page');
  });

  it('SB-29 serves a file as it is, so that nothing in it runs', async () => {
    const headers = { 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Site': 'cross-site' };
    const raw = (path: string) => ask(`${version}/__vitrine/raw/${path}`, headers);
    const page = await raw('index.html');
    expect(await page.text()).toBe('<!doctype html><title>Home</title>');
    expect(page.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
    const picture = await raw('mark.svg');
    expect(picture.headers.get('Content-Type')).toBe('image/svg+xml; charset=utf-8');
    for (const response of [page, picture, await raw('a%20b.js'), await raw('photo.jpg')]) {
      const policy = response.headers.get('Content-Security-Policy');
      expect(policy).toMatch(
        /^sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:;/,
      );
      expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
    }
    expect(await (await raw('photo.jpg')).bytes()).toEqual(photoBytes);
    const part = await ask(`${version}/__vitrine/raw/photo.jpg`, { Range: 'bytes=1-2' });
    expect([part.status, await part.bytes()]).toEqual([206, photoBytes.slice(1, 3)]);
    for (const path of ['', 'about', 'none.js', 'lost.jpg', '%E0%A4%A', 'a%20b.js/'])
      expect([path, (await raw(path)).status]).toEqual([path, 404]);
    expect((await ask(`${saved}/__vitrine/raw/index.html`)).status).toBe(404);
    expect((await ask(`${edited}/__vitrine/raw/index.html`)).status).toBe(404);
  });

  it('lets browsers keep files of a version that everyone sees', async () => {
    for (const path of ['__vitrine/raw/index.html', '__vitrine/raw/photo.jpg', 'photo.jpg']) {
      const { headers } = await ask(`${version}/${path}`);
      expect(headers.get('Cache-Control')).toBe('private, max-age=31536000, immutable');
      const tag = headers.get('ETag') ?? '';
      expect((await ask(`${version}/${path}`, { 'If-None-Match': tag })).status).toBe(304);
    }
    const script = await ask(`${version}/a%20b.js`, { 'Sec-Fetch-Dest': 'script' });
    expect(script.headers.get('Cache-Control')).toBe('no-cache');
  });

  it.each([
    ['v5--openopenop', '/__vitrine/raw/index.html'],
    ['v4--hiddenhidd', '/__vitrine/raw/index.html'],
    ['v5--openopenop', '/photo.jpg'],
    ['edit--openopenop', '/'],
    ['openopenop', '/a%20b.js'],
  ])(
    'SB-30 keeps what only a member may see out of other pages and caches: %s%s',
    async (key, path) => {
      const url = `http://${key}.${host}${path}`;
      if (!/^(?:edit--)?openopenop/.test(key)) expect((await ask(url)).status).toBe(404);
      const { status, headers } = await ask(url, { Cookie: await enter(key) });
      expect(status).toBe(200);
      expect(headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin');
      expect(headers.get('Cache-Control')).toBe('private, no-cache');
      expect(headers.get('Access-Control-Allow-Origin')).toBe(null);
    },
  );

  it('SB-28 responds to a version that others don’t see as to a missing one', async () => {
    for (const path of ['/', '/a%20b.js', '/__vitrine/raw/index.html']) {
      const [hidden, inPrivate, none] = await Promise.all(
        ['v5--openopenop', 'v4--hiddenhidd', 'v4--nonenoneno'].map(async (key) => {
          const { status, headers, body } = await ask(`http://${key}.${host}${path}`);
          return { status, headers: [...headers], text: await new Response(body).text() };
        }),
      );
      expect([hidden, inPrivate]).toEqual([none, none]);
    }
  });
});

describe('P-50 the DevTools page', () => {
  const own = `http://devtools--abc.${host}`;
  const module = async (origin: string) => {
    const html = await (await ask(`${origin}/__vitrine/devtools?theme=dark`)).text();
    return `${origin}${/type="module" src="([^"]+)"/.exec(html)?.[1]}`;
  };

  it('may send requests only to its own host, and has only that origin', async () => {
    const policyAt = async (origin: string) =>
      (await ask(`${origin}/__vitrine/devtools`)).headers.get('Content-Security-Policy') ?? '';
    const policy = await policyAt(own);
    expect(policy).toContain(`default-src 'none'; script-src ${own};`);
    expect(policy).toContain(`connect-src ${own};`);
    expect(policy).toContain(`frame-ancestors http://${host}`);
    expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe|\*|sandbox/);
    for (const origin of [`http://${host}`, draft, saved, 'http://192.168.1.5:4000'])
      expect(await policyAt(origin)).toContain('sandbox allow-scripts allow-downloads');
  });

  it('serves the front end’s files immutable, compressed, and for opaque-origin documents too', async () => {
    const address = await module(own);
    for (const [accepted, encoding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip, deflate', 'gzip'],
      ['', null],
    ] as const) {
      const { headers } = await ask(address, { 'Accept-Encoding': accepted });
      expect(headers.get('Content-Encoding')).toBe(encoding);
      expect(headers.get('Vary')).toBe('Accept-Encoding');
    }
    const script = await ask(address);
    expect(await script.text()).toContain('import');
    expect(script.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8');
    expect(script.headers.get('Cache-Control')).toContain('immutable');
    expect(script.headers.get('Access-Control-Allow-Origin')).toBe('*');
    const icon = await ask(new URL('../../Images/plus.svg', address).href);
    expect(icon.headers.get('Content-Type')).toBe('image/svg+xml');
    expect(icon.headers.get('Content-Security-Policy')).toBe("default-src 'none'; sandbox");
  });

  it('serves no other pages, and nothing outside that folder', async () => {
    const folder = new URL('../../', await module(own)).href;
    const inside = await ask(`${folder}core/sdk/sdk.js`);
    expect(inside.status).toBe(200);
    for (const path of [
      'chii_app.html',
      'inspector.html',
      '',
      'core',
      '..%2f..%2fpackage.json',
      '..%2ftarget.js',
      '%2e%2e/%2e%2e/package.json',
      '..\\target.js',
      'core/sdk/sdk.js%00.svg',
      'core//sdk/sdk.js',
    ])
      expect((await ask(folder + path)).status, path).toBe(404);
    const older = folder.replace(/[\d.]+\/$/, '1.0.0/');
    expect((await ask(`${older}core/sdk/sdk.js`)).status).toBe(404);
  });

  it('serves nothing else on its host, and registers no service worker', async () => {
    const asScript = { 'Service-Worker': 'script' };
    for (const path of ['/', '/__vitrine/boot', '/__vitrine/tests', '/__vitrine/sw.js'])
      expect((await ask(own + path)).status).toBe(404);
    expect((await ask(`${own}/__vitrine/sw.js`, asScript)).status).toBe(403);
    expect((await ask(await module(own), asScript)).status).toBe(403);
  });
});

describe('P-14 access to a private project', () => {
  const key = 'edit--hiddenhidd';
  const origin = `http://${key}.${host}`;
  const mint = (o: { expiresAt?: number } = {}) =>
    server.mintAccessUrl({
      key,
      origin,
      accessToken: 'owner',
      expiresAt: Date.now() + 600_000,
      ...o,
    });
  const cookieOf = (response: Response) => response.headers.get('Set-Cookie')?.split(';')[0] ?? '';

  it('exchanges a token once for a cookie of this origin', async () => {
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

  it('doesn’t work on another origin, or longer than the access token', async () => {
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

  it('never redirects away from the preview', async () => {
    const address = `${await mint()}&path=${encodeURIComponent('//evil.test/')}`;
    const location = (await ask(address)).headers.get('Location') ?? '';
    expect(new URL(location).origin).toBe(origin);
  });
});
