import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { archiveHeader, makeArchive, paxEntry, type TarEntry } from '@vitrine/testing/tar-archive';
import {
  archiveLimits,
  readArchive,
  type LeftOut,
} from '../../../supabase/functions/import-project/archive.ts';
import { parseLink } from '../../../supabase/functions/import-project/links.ts';
import {
  fetchPublic,
  isPublicAddress,
  publicInternet,
  readAll,
  readBody,
  type Network,
} from '../../../supabase/functions/import-project/public-fetch.ts';

/** Stands for the public internet; the rest of loopback for the private network. */
const publicHost = '127.0.0.2';
const privateHost = '127.0.0.1';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
});

/** Serves on both addresses, on one port. */
async function serve(handle: RequestListener) {
  const hits: string[] = [];
  const listen = async (host: string, port: number) => {
    const server = createServer((request, response) => {
      hits.push(`${host}${request.url}`);
      handle(request, response);
    });
    servers.push(server);
    await new Promise<void>((ready) => server.listen(port, host, ready));
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(publicHost, 0);
  await listen(privateHost, port);
  return { port, hits };
}

/** A network with these names, in which any port may be requested. */
function createNetwork(names: Record<string, readonly string[] | (() => string[])>): Network {
  return {
    isPublic: (address) => address === publicHost,
    isAllowed: ({ protocol }) => protocol === 'http:',
    async resolve(hostname) {
      const found = names[hostname];
      if (found === undefined) return publicInternet.resolve(hostname);
      return typeof found === 'function' ? found() : found;
    },
  };
}

async function get(url: string, network: Network, signal = AbortSignal.timeout(10_000)) {
  try {
    const response = await fetchPublic(new URL(url), { network, signal });
    return Buffer.from(await readAll(response, 1000)).toString();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const names = { 'public.test': [publicHost], 'private.test': [privateHost] };

describe('WB-10: requests through a mirror', () => {
  async function openMirror() {
    const { port, hits } = await serve((_, response) => response.end('mirrored'));
    const mirror = new URL(`http://${privateHost}:${port}/base`);
    return { hits, get: (url: string) => get(url, { ...publicInternet, mirror }) };
  }

  test('get the path of the host below that of the mirror', async () => {
    const { hits, get: request } = await openMirror();
    for (const link of [
      'https://example.org/a%20b/c?d=/../e',
      'https://example.org/a/../../b',
      'https://8.8.8.8/x',
    ])
      expect(await request(link)).toBe('mirrored');
    expect(hits).toEqual([
      '127.0.0.1/base/example.org/a%20b/c?d=/../e',
      '127.0.0.1/base/example.org/b',
      '127.0.0.1/base/8.8.8.8/x',
    ]);
  });

  test.each([
    'https://../x',
    'https://./x',
    'https://.../x',
    'https://%2e%2e/x',
    'https://.%2E/x',
    'https://。。/x',
    'https://..\\x',
    'https://a..b/x',
    'https://.example.org/x',
    'https://example.org/..%2f..%2fx',
    'https://example.org/%2e%2e%2fx',
    'https://example.org/..%5c..%5cx',
    'https://example.org/a%2fb',
    'https://example.org/a%00b',
    'https://example.org/%ff',
  ])('don’t leave its folder by %s', async (link) => {
    const { hits, get: request } = await openMirror();
    expect(await request(link)).toBe('link_refused');
    expect(hits).toEqual([]);
  });

  test.each([
    'https://127.0.0.1/x',
    'https://2130706433/x',
    'https://127.1/x',
    'https://10.0.0.1/x',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::1]/x',
    'https://[::ffff:10.0.0.1]/x',
    'https://localhost/x',
    'https://LOCALHOST./x',
    'https://a.localhost/x',
    'https://intranet/x',
    'https://wiki.corp/x',
    'https://printer.local./x',
    'https://router.home.arpa/x',
    'https://metadata.google.internal/x',
  ])('don’t ask it for %s', async (link) => {
    const { hits, get: request } = await openMirror();
    expect(await request(link)).toBe('link_refused');
    expect(hits).toEqual([]);
  });
});

describe('WB-10: requests of imports stay on the public internet', () => {
  test('a public name is requested by its name, at the address that was checked', async () => {
    const { port, hits } = await serve((request, response) => response.end(request.headers.host));
    expect(await get(`http://public.test:${port}/a?b`, createNetwork(names))).toBe(
      `public.test:${port}`,
    );
    expect(hits).toEqual(['127.0.0.2/a?b']);
  });

  test('a name with a private address among its addresses is refused', async () => {
    const { port, hits } = await serve((_, response) => response.end('secret'));
    const network = createNetwork({ ...names, 'mixed.test': [publicHost, privateHost] });
    for (const host of ['private.test', 'mixed.test'])
      expect(await get(`http://${host}:${port}/`, network)).toBe('link_refused');
    expect(hits).toEqual([]);
  });

  test('a name that resolves to another address the next time is requested once, where it was checked', async () => {
    const { port, hits } = await serve((_, response) => response.end('public'));
    const answers = [[publicHost], [privateHost]];
    const network = createNetwork({ 'rebinding.test': () => answers.shift() ?? [privateHost] });
    expect(await get(`http://rebinding.test:${port}/`, network)).toBe('public');
    expect(hits).toEqual(['127.0.0.2/']);
    expect(answers).toHaveLength(1);
  });

  test.each([
    '127.0.0.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '①②⑦.⓪.⓪.①',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:7f00:0001]',
    'localhost',
    'a.localhost',
  ])('the address %s is refused', async (host) => {
    const { port, hits } = await serve((_, response) => response.end('secret'));
    expect(await get(`http://${host}:${port}/`, createNetwork(names))).toMatch(
      /^link_(?:refused|unreachable)$/,
    );
    expect(hits).toEqual([]);
  });

  test('each redirect is checked like the link', async () => {
    const { port, hits } = await serve(({ url }, response) => {
      const next: Record<string, string> = {
        '/1': '/2',
        '/2': `http://public.test:${port}/3`,
        '/3': `http://private.test:${port}/secret`,
        '/scheme': 'file:///etc/passwd',
        '/user': `http://ann:secret@public.test:${port}/`,
        '/loop': '/loop',
        '/malformed': 'http://[',
      };
      response.writeHead(302, { location: next[url ?? ''] ?? '/' }).end();
    });
    const network = createNetwork(names);
    expect(await get(`http://public.test:${port}/1`, network)).toBe('link_refused');
    expect(hits).toEqual(['127.0.0.2/1', '127.0.0.2/2', '127.0.0.2/3']);
    expect(await get(`http://public.test:${port}/scheme`, network)).toBe('link_refused');
    expect(await get(`http://public.test:${port}/user`, network)).toBe('link_invalid');
    expect(await get(`http://public.test:${port}/malformed`, network)).toBe('link_unreachable');
    hits.length = 0;
    expect(await get(`http://public.test:${port}/loop`, network)).toBe('link_unreachable');
    expect(hits).toHaveLength(6);
  });

  test.each([
    ['http://example.org/', false],
    ['https://example.org:8443/', false],
    ['ftp://example.org/', false],
    ['https://example.org/', true],
    ['https://example.org:443/', true],
  ])('%s may be requested: %s', (url, isAllowed) => {
    expect(publicInternet.isAllowed(new URL(url))).toBe(isAllowed);
  });

  test.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '100.100.100.200',
    '127.0.0.1',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:10.0.0.1',
    '::ffff:0a00:0001',
    '::10.0.0.1',
    '64:ff9b::a00:1',
    '2001::1',
    '2001:db8::1',
    '2002:a00:1::',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'ff02::1',
    'example.org',
  ])('%s isn’t public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each(['140.82.121.3', '172.15.0.1', '2606:50c0:8000::154'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test('a body that is larger than it may be, or than it says, ends early', async () => {
    const { port } = await serve(({ url }, response) => {
      if (url === '/declared') {
        response.writeHead(200, { 'content-length': '2000' }).flushHeaders();
        return;
      }
      const write = () => {
        while (!response.destroyed && response.write('a'.repeat(500)));
      };
      if (url === '/short') {
        response.writeHead(200, { 'content-length': '900' });
        response.write('a', () => response.destroy());
        return;
      }
      response.on('drain', write);
      write();
    });
    const network = createNetwork(names);
    expect(await get(`http://public.test:${port}/declared`, network)).toBe('import_too_large');
    expect(await get(`http://public.test:${port}/endless`, network)).toBe('import_too_large');
    expect(await get(`http://public.test:${port}/short`, network)).toBe('import_damaged');
  });

  test('a body that stops is given up', { timeout: 5000 }, async () => {
    const { port } = await serve((_, response) => response.write('a'));
    const url = new URL(`http://public.test:${port}/`);
    const signal = AbortSignal.timeout(10_000);
    const response = await fetchPublic(url, { network: createNetwork(names), signal });
    const body = readBody(response, 1000, { idleTimeoutMs: 50 });
    expect(Buffer.from((await body.next()).value ?? []).toString()).toBe('a');
    await expect(body.next()).rejects.toThrow('import_too_slow');
    expect(response.message.destroyed).toBe(true);
  });

  test('a host that trickles is left', async () => {
    const { port } = await serve((_, response) => {
      const timer = setInterval(() => response.write('a'), 5);
      response.on('close', () => clearInterval(timer));
    });
    const url = new URL(`http://public.test:${port}/`);
    const { signal } = new AbortController();
    const response = await fetchPublic(url, { network: createNetwork(names), signal });
    const read = async () => {
      for await (const chunk of readBody(response, 1_000_000, { windowMs: 100 }))
        expect(chunk.byteLength).toBeLessThan(100);
    };
    await expect(read()).rejects.toThrow('import_too_slow');
    expect(response.message.destroyed).toBe(true);
  });

  test('a host that doesn’t respond, or stops, is left when the import ends', async () => {
    const { port } = await serve(({ url }, response) => {
      if (url === '/body') response.write('a');
    });
    const network = createNetwork(names);
    for (const path of ['/headers', '/body']) {
      const abort = new AbortController();
      const result = get(`http://public.test:${port}${path}`, network, abort.signal);
      abort.abort(new Error('too late'));
      expect(await result).toMatch(/^too late$|^import_damaged$/);
    }
  });
});

const folder = 'birds-0123456';

async function read(
  entries: readonly TarEntry[] | Buffer,
  path = '',
  limits: Partial<typeof archiveLimits> = {},
  onRead?: (chunk: Uint8Array) => void,
) {
  const packed = Buffer.isBuffer(entries)
    ? entries
    : makeArchive([{ name: `${folder}/`, type: '5' }, ...entries]);
  const leftOut: LeftOut[] = [];
  const files: Record<string, string> = {};
  const chunks = (async function* () {
    for (let at = 0; at < packed.length; at += 1000) {
      const chunk = packed.subarray(at, at + 1000);
      onRead?.(chunk);
      yield chunk;
    }
  })();
  try {
    const all = { ...archiveLimits, ...limits };
    for await (const file of readArchive(chunks, path, leftOut, all))
      files[file.path] = Buffer.from(file.bytes).toString();
  } catch (error) {
    return { files, leftOut, code: error instanceof Error ? error.message : String(error) };
  }
  return { files, leftOut };
}

const file = (path: string, content = 'a'): TarEntry => ({ name: `${folder}/${path}`, content });

describe('WB-10: archives of imports', () => {
  test('paths out of the folder, links and devices are left out', async () => {
    const { files, leftOut } = await read([
      file('index.html'),
      file('../../etc/passwd'),
      file('a/../../b'),
      file('a\\b'),
      file('__vitrine/import.json'),
      { name: `${folder}/link`, type: '2', link: '/etc/passwd' },
      { name: `${folder}/hard`, type: '1', link: '/etc/passwd' },
      { name: `${folder}/device`, type: '3' },
      paxEntry('path', `${folder}/x/../../../y`),
      file('short'),
      file('node_modules/a/index.js'),
    ]);
    expect(files).toEqual({ 'index.html': 'a' });
    expect(leftOut).toEqual([
      { path: '../../etc/passwd', reason: 'invalid_path' },
      { path: 'a/../../b', reason: 'invalid_path' },
      { path: 'a\\b', reason: 'invalid_path' },
      { path: '__vitrine/import.json', reason: 'invalid_path' },
      { path: 'link', reason: 'link' },
      { path: 'hard', reason: 'link' },
      { path: 'device', reason: 'link' },
      { path: 'x/../../../y', reason: 'invalid_path' },
      { path: 'node_modules', count: 1, reason: 'dependencies' },
    ]);
  });

  test('only the folder is read, and nothing after it', async () => {
    const entries = [file('a/1'), file('b-c/2'), file('b/3'), file('b/d/4'), file('c/5')];
    expect(await read(entries, 'd')).toMatchObject({ code: 'link_not_found' });
    expect(await read(entries, 'b')).toEqual({ files: { '3': 'a', 'd/4': 'a' }, leftOut: [] });
    expect(await read(entries, 'b/3')).toEqual({ files: { '3': 'a' }, leftOut: [] });

    const rest = { name: `${folder}/c/6`, content: randomBytes(8 * 2 ** 20) };
    const packed = makeArchive([...entries, rest]);
    let bytes = 0;
    const count = (chunk: Uint8Array) => (bytes += chunk.length);
    expect(await read(packed, 'b', {}, count)).toMatchObject({ files: { '3': 'a' } });
    expect(bytes).toBeLessThan(packed.length / 2);
  });

  test('a bomb of a gigabyte ends at the limit', async () => {
    const size = 2 ** 30;
    const header = archiveHeader(`${folder}/a`, size);
    // A megabyte of packed zeros.
    const bomb = gzipSync(Buffer.concat([header, Buffer.alloc(64 * 2 ** 20)]));
    const limits = { unpackedBytes: 2 ** 20, fileBytes: size, totalBytes: size };
    expect(await read(bomb, '', limits)).toMatchObject({ code: 'import_too_large', files: {} });
  });

  test('too many entries, files and bytes end the import; a large file is left out', async () => {
    const entries = [file('a'), file('b'), file('c'), file('d')];
    for (const limits of [{ entries: 3 }, { files: 3 }, { totalBytes: 3 }])
      expect(await read(entries, '', limits)).toMatchObject({ code: 'import_too_large' });
    expect(await read([file('large', 'aaaa'), file('b')], '', { fileBytes: 3 })).toEqual({
      files: { b: 'a' },
      leftOut: [{ path: 'large', reason: 'asset_too_large' }],
    });
  });

  test.each([
    ['a page instead of an archive', Buffer.from('<!doctype html>')],
    ['an archive that ends early', makeArchive([file('a', 'a'.repeat(5000))]).subarray(0, -20)],
    ['a packed page', gzipSync('<!doctype html>'.repeat(100))],
  ])('%s is damaged', async (_, packed) => {
    expect(await read(packed)).toMatchObject({ code: 'import_damaged' });
  });
});

describe('links', () => {
  const describeLink = (link: string) => {
    const parsed = parseLink(link);
    return parsed.kind === 'file'
      ? parsed.url.href
      : parsed.candidates.map(({ url, ref, folder: path }) => [url.href, ref, path]);
  };

  test.each([
    [
      'https://github.com/ann/birds',
      [['https://codeload.github.com/ann/birds/tar.gz/HEAD', '', '']],
    ],
    [
      'https://github.com/ann/birds.git',
      [['https://codeload.github.com/ann/birds/tar.gz/HEAD', '', '']],
    ],
    [
      'https://www.github.com/ann/birds/tree/fix/%C3%B6/',
      [
        ['https://codeload.github.com/ann/birds/tar.gz/fix', 'fix', 'ö'],
        ['https://codeload.github.com/ann/birds/tar.gz/refs/heads/fix/%C3%B6', 'fix/ö', ''],
        ['https://codeload.github.com/ann/birds/tar.gz/refs/tags/fix/%C3%B6', 'fix/ö', ''],
      ],
    ],
    [
      'https://github.com/ann/birds/blob/main/src/a%20b.js#L3',
      'https://raw.githubusercontent.com/ann/birds/main/src/a%20b.js',
    ],
    ['https://github.com/ann/birds/releases', 'https://github.com/ann/birds/releases'],
    [
      'https://gist.github.com/aa5a315d61ae9438b18d',
      [['https://codeload.github.com/gist/aa5a315d61ae9438b18d/tar.gz/HEAD', '', '']],
    ],
    [
      `https://gist.github.com/ann/aa5a315d61ae9438b18d/${'0'.repeat(40)}`,
      [
        [
          `https://codeload.github.com/gist/aa5a315d61ae9438b18d/tar.gz/${'0'.repeat(40)}`,
          '0'.repeat(40),
          '',
        ],
      ],
    ],
    [
      'https://gist.github.com/ann/aa5a315d61ae9438b18d/raw',
      'https://gist.github.com/ann/aa5a315d61ae9438b18d/raw',
    ],
    [
      'https://gitlab.com/group/sub/birds/-/tree/main/src',
      [
        ['https://gitlab.com/group/sub/birds/-/archive/main/archive.tar.gz', 'main', 'src'],
        ['https://gitlab.com/group/sub/birds/-/archive/main/src/archive.tar.gz', 'main/src', ''],
      ],
    ],
    [
      'https://codeberg.org/ann/birds/src/branch/main/src',
      [
        ['https://codeberg.org/ann/birds/archive/main.tar.gz', 'main', 'src'],
        ['https://codeberg.org/ann/birds/archive/main/src.tar.gz', 'main/src', ''],
      ],
    ],
    [
      'https://bitbucket.org/ann/birds',
      [['https://bitbucket.org/ann/birds/get/HEAD.tar.gz', '', '']],
    ],
    ['https://example.org/a.js?b', 'https://example.org/a.js?b'],
    ['http://example.org:80/a.js', 'https://example.org/a.js'],
  ])('%s', (link, requests) => {
    expect(describeLink(link)).toEqual(requests);
  });

  test.each([
    'birds',
    '',
    7,
    'ftp://example.org/a.js',
    'https://ann:secret@github.com/ann/birds',
    'https://github.com/ann/birds/tree/main/%2e%2e%2f',
    'https://github.com/ann/birds/tree/main/%ff',
    `https://example.org/${'a'.repeat(2000)}`,
  ])('%j isn’t one', (link) => {
    expect(() => parseLink(link)).toThrow('link_invalid');
  });
});
