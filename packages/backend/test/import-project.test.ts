import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { getRequestListener } from '@hono/node-server';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { isErrorCode, limits } from '@vitrine/project';
import {
  openTestBackend,
  signUpConfirmed,
  type Browser,
  type TestBackend,
} from '@vitrine/testing/backend';
import { startFakeCodeHosts, type FakeCodeHosts } from '@vitrine/testing/code-hosts';
import { findDeno } from '../src/functions/deno.ts';
import { readStoredZip } from './stored-zip.ts';

const root = resolve(import.meta.dirname, '../../..');
let hosts: FakeCodeHosts;
/** Owns the database. */
let first: TestBackend | undefined;

beforeAll(async () => {
  hosts = await startFakeCodeHosts();
  first = await openTestBackend();
  hosts.publish({
    address: 'github.com/ann/birds',
    files: {
      'README.md': '# Birds',
      'demo/index.html': '<h1>Birds</h1>',
      'demo/img/ö [1].svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'demo-2/index.html': '<h1>Others</h1>',
    },
  });
  hosts.publish({
    address: 'github.com/ann/birds',
    ref: 'fix/wings',
    files: { 'demo/index.html': '<h1>Wings</h1>' },
  });
  hosts.publish({
    address: 'gist.github.com/aa5a315d61ae9438b18d',
    files: { 'index.html': '<h1>Gist</h1>', 'a.css': 'a {}' },
  });
});
afterEach(() => hosts.restore());
afterAll(async () => {
  await first?.close();
  await hosts.close();
});

/** Opens a backend whose functions import through the fake hosts. */
async function openPlace(variables: NodeJS.Dict<string> = {}, deno?: string): Promise<TestBackend> {
  let answer = async (_request: Request) => new Response(null, { status: 503 });
  const server = createServer(getRequestListener((request) => answer(request)));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const cacheDir = await mkdtemp(join(tmpdir(), 'vitrine-import-'));
  const functions = {
    folder: join(root, 'supabase'),
    denoPath: deno,
    cacheDir,
    url: `http://127.0.0.1:${port}`,
    variables: { IMPORT_MIRROR: hosts.origin, ...variables },
  };
  const place = await openTestBackend({ functions }, first);
  answer = (request) => place.backend.fetch(request);
  return {
    ...place,
    async close() {
      await place.close();
      server.closeAllConnections();
      server.close();
      await rm(cacheDir, { recursive: true });
    },
  };
}

/** Opens a backend for one test. */
async function openPlaceForTest(variables?: NodeJS.Dict<string>): Promise<TestBackend> {
  const place = await openPlace(variables);
  onTestFinished(() => place.close());
  return place;
}

/** Imports a link: returns the files and the report, or the error's code. */
async function importLink({ client }: Browser, link: unknown) {
  const { data, error, response } = await client.functions.invoke('import-project', {
    body: { link },
  });
  if (error) {
    const { code } = (await response?.json()) ?? {};
    expect(code).toSatisfy(isErrorCode);
    return { code };
  }
  const entries = readStoredZip(Buffer.from(await data.arrayBuffer()));
  const report = JSON.parse(entries.get('__vitrine/import.json')?.toString() ?? '');
  entries.delete('__vitrine/import.json');
  const files = Object.fromEntries([...entries].map(([path, bytes]) => [path, bytes.toString()]));
  return { files, ...report };
}

const deno = findDeno(root);

describe.each([
  ['Node', undefined],
  ['Deno', deno],
])('in %s', (runtime, path) => {
  let place: TestBackend;
  let visitor: Browser;
  beforeAll(async () => {
    if (runtime === 'Deno' && path === undefined) throw new Error('npm run functions -- install');
    place = await openPlace({}, path);
    visitor = place.openBrowser();
  });
  afterAll(() => place.close());

  test('imports a folder of a repository', async () => {
    hosts.requests.length = 0;
    expect(
      await importLink(visitor, 'https://github.com/ann/birds/tree/main/demo?tab=readme#top'),
    ).toEqual({
      files: {
        'index.html': '<h1>Birds</h1>',
        'img/ö [1].svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      },
      repository: 'ann/birds',
      ref: 'main',
      folder: 'demo',
      leftOut: [],
    });
    expect(hosts.requests).toEqual(['codeload.github.com/ann/birds/tar.gz/main']);
  });

  test('finds a branch whose name has slashes', async () => {
    expect(
      await importLink(visitor, 'https://github.com/ann/birds/tree/fix/wings/demo'),
    ).toMatchObject({
      files: { 'index.html': '<h1>Wings</h1>' },
      ref: 'fix/wings',
      folder: 'demo',
    });
  });

  test('imports gists, files, and repositories of other hosts', async () => {
    expect(
      await importLink(visitor, 'https://gist.github.com/ann/aa5a315d61ae9438b18d'),
    ).toMatchObject({
      files: { 'index.html': '<h1>Gist</h1>', 'a.css': 'a {}' },
      repository: 'ann/aa5a315d61ae9438b18d',
    });
    expect(
      await importLink(visitor, 'https://github.com/ann/birds/blob/main/demo/index.html'),
    ).toMatchObject({ files: { 'index.html': '<h1>Birds</h1>' }, repository: '' });
    for (const host of ['gitlab.com', 'codeberg.org', 'bitbucket.org']) {
      hosts.publish({ address: `${host}/ann/birds`, files: { 'a.html': host } });
      expect(await importLink(visitor, `https://${host}/ann/birds`)).toMatchObject({
        files: { 'a.html': host },
      });
    }
  });

  test('says why a link can’t be imported', async () => {
    const respond = (address: RegExp, status: number, headers: Record<string, string> = {}) =>
      hosts.behave(address, (response) => response.writeHead(status, headers).end('no'));
    respond(/ann\/limited/, 403, { 'x-ratelimit-remaining': '0' });
    respond(/ann\/busy/, 429);
    respond(/ann\/taken-down/, 451);
    respond(/ann\/down/, 503);
    respond(/ann\/login/, 200, { 'content-type': 'text/html; charset=utf-8' });
    respond(/ann\/huge/, 200, { 'content-length': String(2 ** 31) });
    respond(/ann\/moved/, 302, { location: 'http://169.254.169.254/' });
    hosts.behave(/ann\/gone/, (response) => response.destroy());
    // The response has begun before these fail.
    respond(/ann\/broken/, 200, { 'content-type': 'application/x-gzip' });
    for (const [name, code] of [
      ['private', 'link_not_found'],
      ['limited', 'link_rate_limited'],
      ['busy', 'link_rate_limited'],
      ['taken-down', 'link_not_found'],
      ['down', 'link_unreachable'],
      ['login', 'link_not_found'],
      ['huge', 'import_too_large'],
      ['moved', 'link_refused'],
      ['gone', 'link_unreachable'],
    ])
      expect(await importLink(visitor, `https://github.com/ann/${name}`)).toEqual({ code });
    expect(await importLink(visitor, 'https://github.com/ann/broken')).toMatchObject({
      files: {},
      error: 'import_damaged',
    });
    expect(await importLink(visitor, 'https://github.com/ann/birds/tree/main/no')).toMatchObject({
      error: 'link_not_found',
    });
    for (const link of ['nothing', undefined, 'https://a:b@github.com/ann/birds'])
      expect(await importLink(visitor, link)).toEqual({ code: 'link_invalid' });
  });

  test('a repository that never ends is given up at its limit', async () => {
    const block = gzipSync(Buffer.alloc(2 ** 16));
    hosts.behave(/ann\/endless/, (response) => {
      response.writeHead(200, { 'content-type': 'application/x-gzip' });
      const write = () => {
        while (!response.destroyed && response.write(block));
      };
      response.on('drain', write);
      write();
    });
    expect(await importLink(visitor, 'https://github.com/ann/endless')).toMatchObject({
      error: 'import_too_large',
    });
  });
});

test('without the mirror, nothing on this machine is reached', async () => {
  const { port } = new URL(hosts.origin);
  const visitor = (await openPlaceForTest({ IMPORT_MIRROR: '' })).openBrowser();
  hosts.requests.length = 0;
  for (const link of [
    'https://localhost/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://[::ffff:127.0.0.1]/',
    'https://169.254.169.254/latest/meta-data',
    `https://127.0.0.1:${port}/`,
    hosts.origin,
  ])
    expect(await importLink(visitor, link)).toEqual({ code: 'link_refused' });
  expect(hosts.requests).toEqual([]);
});

test('PT-03: slow imports of one visitor or user leave slots to others', async () => {
  const place = await openPlaceForTest();
  const waiting: ServerResponse[] = [];
  hosts.behave(/ann\/slow/, (response) => void waiting.push(response));
  const importSlowly = (browser: Browser) => importLink(browser, 'https://github.com/ann/slow');
  // Addresses of one network, five times as many imports as it may have.
  const slow = Array.from({ length: 10 }, (_, index) =>
    importSlowly(place.openBrowser({ address: `2001:db8:1:2::${index}` })),
  );
  await expect.poll(() => waiting.length, { timeout: 10_000 }).toBe(2);
  const other = place.openBrowser({ address: '2001:db8:1:3::1' });
  expect(await importLink(other, 'https://github.com/ann/birds')).toMatchObject({
    repository: 'ann/birds',
  });
  // A user counts by account, also at the address of others.
  const ann = await signUpConfirmed(place, 'anna@example.com');
  const own = [1, 2, 3].map(() => importSlowly(ann));
  await expect.poll(() => waiting.length, { timeout: 10_000 }).toBe(4);
  const refused = (await Promise.all([...slow, ...own].map((each) => each.catch(String)))).map(
    ({ code }) => code,
  );
  expect(refused.filter((code) => code === 'rate_limited')).toHaveLength(9);
  expect(refused.filter((code) => code === 'link_unreachable')).toHaveLength(4);
  expect(waiting).toHaveLength(4);
}, 60_000);

test('PT-03: a free slot goes to the visitor with the fewest imports', async () => {
  const place = await openPlaceForTest();
  const waiting: ServerResponse[] = [];
  hosts.behave(/ann\/slow/, (response) => void waiting.push(response));
  const importSlowly = (address: string) =>
    importLink(place.openBrowser({ address }), 'https://github.com/ann/slow');
  const slow = ['192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.2', '192.0.2.3', '192.0.2.3'];
  const running = slow.map(importSlowly);
  await expect.poll(() => waiting.length, { timeout: 10_000 }).toBe(6);
  const other = importLink(
    place.openBrowser({ address: '192.0.2.4' }),
    'https://github.com/ann/birds',
  );
  waiting[0]?.destroy();
  expect(await other).toMatchObject({ repository: 'ann/birds' });
  for (const response of waiting) response.destroy();
  expect(await Promise.all(running)).toEqual(running.map(() => ({ code: 'link_unreachable' })));
}, 60_000);

test('PT-03: imports that nobody reads free their slots', async () => {
  const place = await openPlaceForTest();
  const file = Buffer.alloc(8 * 1024 * 1024, 'a');
  hosts.publish({
    address: 'github.com/ann/large',
    files: Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`${n}.bin`, file])),
  });
  const visitor = place.openBrowser({ address: '192.0.2.9' });
  const start = () =>
    visitor.request('/functions/v1/import-project', {
      method: 'POST',
      body: JSON.stringify({ link: 'https://github.com/ann/large' }),
    });
  const unread = await Promise.all([start(), start()]);
  expect(unread.map(({ status }) => status)).toEqual([200, 200]);
  const birds = () => importLink(visitor, 'https://github.com/ann/birds');
  expect(await birds()).toEqual({ code: 'rate_limited' });
  await expect.poll(birds, { timeout: 30_000 }).toMatchObject({ repository: 'ann/birds' });
  await Promise.all(unread.map(({ body }) => body?.cancel()));
}, 60_000);

test('the instance decides who may import', async () => {
  const link = 'https://github.com/ann/birds/tree/main/demo';
  const off = (await openPlaceForTest({ IMPORT_LINKS: 'off' })).openBrowser();
  expect(await importLink(off, link)).toEqual({ code: 'import_off' });
  const place = await openPlaceForTest({ IMPORT_LINKS: 'users' });
  expect(await importLink(place.openBrowser(), link)).toEqual({ code: 'import_needs_account' });
  const ann = await signUpConfirmed(place, 'ann@example.com');
  expect(await importLink(ann, link)).toMatchObject({ repository: 'ann/birds' });
});

describe('WB-10: imports are counted', () => {
  const missing = 'https://github.com/ann/missing';

  /** Imports until the limit, and returns the number of imports before it. */
  async function countImports(next: (n: number) => Browser): Promise<number> {
    for (let n = 0; n <= limits.importsPerAddressPerHour; n++) {
      const { code } = await importLink(next(n), missing);
      if (code === 'too_many_imports') return n;
      expect(code).toBe('link_not_found');
    }
    return Infinity;
  }

  test('of a visitor by address, which no header changes', async () => {
    const place = await openPlaceForTest();
    const visitor = place.openBrowser({ address: '203.0.113.7' });
    expect(await countImports(() => visitor)).toBe(limits.importsPerAddressPerHour);
    const headers = { 'x-forwarded-for': '203.0.113.9', 'cf-connecting-ip': '203.0.113.9' };
    const again = await visitor.request('/functions/v1/import-project', {
      method: 'POST',
      headers,
      body: JSON.stringify({ link: missing }),
    });
    expect(again.status).toBe(429);
    const other = place.openBrowser({ address: '203.0.113.8' });
    expect(await importLink(other, missing)).toEqual({ code: 'link_not_found' });
  });

  test('of a user by account, wherever they are', async () => {
    const place = await openPlaceForTest();
    const bob = await signUpConfirmed(place, 'bob@example.com');
    expect(await countImports(() => bob)).toBe(limits.importsPerHour);
  });
});
