import { createAdaptorServer } from '@hono/node-server';
import { readFile, readdir } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parsePackageUrl, type RangeUrl } from '../src/package-url.ts';
import { builtinsBase } from '../src/builtins.ts';
import type { PackageServer } from '../src/index.ts';
import { isPrivateAddress } from '../src/registry/registry-hosts.ts';
import { createRegistryHosts } from '../src/registry/registry-hosts.ts';
import { parseSpec, type PackageSpec } from '../src/resolve/package-specs.ts';
import { clientOf, codeOf, cpuMs, withPackageServer } from './package-server-fixture.ts';

/** Starts `server` on a socket and requests exactly this path, like `curl --path-as-is`. */
async function askAsIs(server: PackageServer, paths: readonly string[]): Promise<string[]> {
  const listener = createAdaptorServer({
    fetch: async (request: Request) =>
      (await server.fetch(request)) ?? new Response('not ours', { status: 404 }),
  });
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', () => done()));
  const { port } = listener.address() as AddressInfo;
  try {
    return await Promise.all(
      paths.map(
        (path) =>
          new Promise<string>((settle, fail) => {
            const headers = { 'x-zone-id': '../', 'x-npmrc': '{"registry":"http://127.0.0.1"}' };
            httpRequest({ host: '127.0.0.1', port, path, headers }, (answer) => {
              let text = '';
              answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
              answer.on('end', () => settle(`${answer.statusCode} ${text}`));
            })
              .on('error', fail)
              .end();
          }),
      ),
    );
  } finally {
    listener.close();
  }
}

/** Runs a module with a page of two functions, and returns what it alerted. */
async function runStyleModule(text: string): Promise<string[]> {
  const alerts: string[] = [];
  const element = { append() {}, remove() {}, setAttribute() {}, dataset: {}, textContent: '' };
  const document = {
    createElement: () => element,
    createTextNode: () => element,
    querySelector: () => null,
    querySelectorAll: () => [],
    head: { append() {}, appendChild() {} },
  };
  Object.assign(globalThis, { document, alert: (value: string) => alerts.push(value) });
  const placed = text.replaceAll('import.meta.url', '"http://place/"');
  await import(`data:text/javascript,${encodeURIComponent(placed)}`);
  return alerts;
}

test('PK-07: serves no file outside of a package', () =>
  withPackageServer({}, async ({ registry, server, add }) => {
    registry.publish({ name: 'a', version: '1.0.0', files: { 'index.js': 'export default 1;' } });
    const base = (await add(['a'])).baseOf('a');
    const climbs = ['../../../../../../etc/passwd', '..%2f..%2f..%2fetc%2fpasswd', '..%5c..%5cx'];
    climbs.push('%2e%2e/%2e%2e/etc/passwd', '/etc/passwd', '%00', '%2fetc%2fpasswd', '.%2e/x', '%');
    const paths = [
      base,
      `${base}/-`,
      `${base}/-chunk`,
      `${base}/-worker`,
      '/npm/-/types',
      builtinsBase,
    ]
      .flatMap((start) => climbs.map((climb) => `${start}/${climb}`))
      .concat(['/npm//etc', '/npm/react@18/..%5c..', '/npm/pr/x/y@99/../../../../etc/passwd?raw=1'])
      .concat([
        '/npm/%2e%2e/etc/passwd',
        '/npm/-/absent/../../x',
        '/npm/@a/..%2fb',
        '/npm/-/package/..',
      ]);
    const answers = await askAsIs(server, paths);
    for (const [index, answer] of answers.entries()) {
      expect(`${paths[index]} ${answer}`).toMatch(/ 40[04] /);
      expect(answer).not.toContain('root:');
    }
    const [found] = await askAsIs(server, [`${base}/-/package.json`]);
    expect(found).toContain('"version":"1.0.0"');
  }));

test('PK-12: fetches tarballs only from the registry', () =>
  withPackageServer({}, async ({ registry, add, get }) => {
    const seen: string[] = [];
    const inside = createServer((request, response) => {
      seen.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>((done) => inside.listen(0, '127.0.0.1', () => done()));
    const { port } = inside.address() as AddressInfo;
    const hosts = [
      '169.254.169.254',
      `127.0.0.1.nip.io:${port}`,
      `[::1]:${port}`,
      `0.0.0.0:${port}`,
    ];
    hosts.push(`[::ffff:127.0.0.1]:${port}`, `2130706433:${port}`, `127.0.0.1:${port}`);
    hosts.push(`localhost:${port}`, `user@127.0.0.1:${port}`);
    const addresses = hosts.map((host) => `http://${host}/x.tgz`);
    addresses.push('git+ssh://git@127.0.0.1/x', 'file:///etc/passwd', '/etc/passwd', '');
    addresses.push(`${registry.origin}/off/localhost`, `${registry.origin}/off/slashes`);
    registry.behave(/^\/off\/localhost/, (response) => {
      response.writeHead(302, { location: `http://localhost:${port}/x` }).end();
    });
    registry.behave(/^\/off\/slashes/, (response) => {
      response.writeHead(302, { location: `//127.0.0.1:${port}/x` }).end();
    });
    for (const [index, tarball] of addresses.entries()) {
      const name = `evil${index}`;
      registry.publish({ name, version: '1.0.0', dist: { tarball } });
      const base = (await add([name])).baseOf(name);
      expect(`${tarball} ${await codeOf(await get(base))}`).toMatch(
        / package_(source_refused|damaged)$/,
      );
    }
    inside.close();
    expect(seen).toEqual([]);
  }));

test('PK-12: follows a redirect within the registry', () =>
  withPackageServer({}, async ({ registry, add, get }) => {
    const files = { 'index.js': 'export default 1;' };
    const tarball = `${registry.origin}/moved`;
    registry.publish({ name: 'a', version: '1.0.0', files, dist: { tarball } });
    registry.behave(/^\/moved/, (response) => {
      response.writeHead(302, { location: '/a/-/a-1.0.0.tgz' }).end();
    });
    expect((await get((await add(['a'])).baseOf('a'))).status).toBe(200);
  }));

test('PK-12: allows only listed, public tarball hosts', () => {
  const hosts = createRegistryHosts({
    npm: { registry: 'http://127.0.0.1:4873/', '@a:registry': 'https://npm.example.com/x/' },
    tarballHosts: ['cdn.example.com', '10.0.0.1', '[::1]:8443'],
  });
  const classify = (address: string) => hosts.classify(new URL(address));
  expect(classify('http://127.0.0.1:4873/a')).toBe('registry');
  expect(classify('https://npm.example.com/y')).toBe('registry');
  expect(classify('https://cdn.example.com/y')).toBe('public');
  const others = ['http://127.0.0.1:4874/', 'http://cdn.example.com/', 'https://10.0.0.1/'];
  others.push(
    'https://[::1]:8443/',
    'https://cdn.example.com:444/',
    'https://npm.example.com.evil.test/',
  );
  others.push(
    'https://npm.example.com@evil.test/',
    'ftp://npm.example.com/',
    'https://u:p@npm.example.com/',
  );
  expect(others.map(classify).filter((place) => place !== undefined)).toEqual([]);
  const inside = ['127.0.0.1', '10.1.2.3', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fd00::1'];
  inside.push('0.0.0.0', '192.168.1.1', '172.16.0.1', '100.64.0.1', 'fe80::1', '224.0.0.1', '::');
  expect(inside.filter((address) => !isPrivateAddress(address))).toEqual([]);
  expect(['93.184.216.34', '2606:4700::1111'].filter(isPrivateAddress)).toEqual([]);
});

test.each([
  'git+ssh://git@127.0.0.1:1/x.git',
  'git+file:///tmp/x',
  'github:a/b',
  'a/b',
  'file:../../../etc',
  'file:x.tgz',
  '/etc',
  '../up',
  'http://127.0.0.1:1/x.tgz',
  'link:../x',
  'workspace:*',
])('PK-12: %s is rejected before anything is fetched or started, also deep in the tree', (wish) =>
  withPackageServer({}, async ({ registry, post }) => {
    registry.publish({ name: 'top', version: '1.0.0', manifest: { dependencies: { deep: '1' } } });
    registry.publish({ name: 'deep', version: '1.0.0', manifest: { dependencies: { bad: wish } } });
    registry.publish({
      name: 'peer',
      version: '1.0.0',
      manifest: { peerDependencies: { bad: wish } },
    });
    const refused = /^package_(source_refused|spec_invalid)$/;
    const send = async (manifest: unknown) =>
      codeOf(await post('resolve', { packageJson: JSON.stringify(manifest) }));
    expect(await send({ dependencies: { top: '1' } })).toMatch(refused);
    expect(await send({ dependencies: { peer: '1' } })).toMatch(refused);
    expect(await send({ dependencies: { bad: wish } })).toMatch(refused);
    expect(await send({ dependencies: { deep: '1' }, overrides: { x: wish } })).toMatch(refused);
    expect(await send({ dependencies: { x: `npm:${wish}` } })).toMatch(refused);
    const fetched = registry.requests.filter((line) => !/^GET \/(top|deep|peer)$/.test(line));
    expect(fetched).toEqual([]);
  }),
);

test('PK-13: rejects invalid names, and changes nothing global', () =>
  withPackageServer({}, async ({ registry, get, post }) => {
    for (const name of ['prototype', 'hasownproperty', '@a/b', 'JSONStream']) {
      registry.publish({ name, version: '1.0.0', files: { 'index.js': 'export default 1;' } });
    }
    for (const name of ['prototype', 'hasownproperty', '@a/b', 'JSONStream']) {
      const answer = await get(`/npm/${name}`);
      const { headers, status } = answer;
      expect(`${name} ${status} ${headers.get('location')}`).toContain(`/npm/${name}@1.0.0~`);
    }
    const bad = ['__proto__', '@a/../b', '@/x', 'a'.repeat(215), 'a%2fb', '.git', 'node_modules'];
    bad.push(
      'constructor',
      'toString',
      '-x',
      'favicon.ico',
      encodeURIComponent('реact'),
      '%20',
      '@a',
      'a%00',
      '_x',
    );
    for (const name of bad)
      expect(`${name} ${(await get(`/npm/${name}`)).status}`).toMatch(/ 40[04]$/);
    const packageJson = '{"dependencies":{"__proto__":"1"}}';
    expect((await post('resolve', { packageJson })).status).toBe(400);
    registry.publish({
      name: 'odd',
      version: '1.0.0',
      manifest: { dependencies: JSON.parse('{"__proto__":"1"}') },
    });
    await get('/npm/odd');
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  }));

test('PK-14: rejects long and malformed ranges immediately', () =>
  withPackageServer({}, async ({ get, post }) => {
    const wishes = [
      '9'.repeat(10_000),
      Array(1_000).fill('>=0').join(' || '),
      '../../x',
      'npm:b@1',
    ];
    wishes.push(`${' '.repeat(200)}^`.repeat(40), '1.x.'.repeat(2_000), '~'.repeat(5_000));
    for (const wish of wishes) {
      const start = cpuMs();
      const answer = await get(`/npm/react@${encodeURIComponent(wish)}`);
      expect(`${wish.slice(0, 20)} ${answer.status}`).toMatch(/ 400$/);
      expect(cpuMs() - start).toBeLessThan(50);
    }
    const packageJson = JSON.stringify({ dependencies: { a: '>=0 || '.repeat(1_000) } });
    expect((await post('resolve', { packageJson })).status).toBe(400);
    expect(() => parseSpec('a', 'npm:@a/../b@1')).toThrow(/package name and version/);
    expect(parseSpec('a', 'npm:b@^1')).toEqual<PackageSpec>({
      name: 'b',
      kind: 'range',
      fetchSpec: '^1',
    });
  }));

test('PK-16: sends responses that depend only on the URL', () =>
  withPackageServer({}, async ({ registry, add, get }) => {
    registry.publish({ name: 'a', version: '1.0.0', files: { 'index.js': 'export default 1;' } });
    const base = (await add(['a'])).baseOf('a');
    const plain = await get(base);
    const body = await plain.text();
    const odd = {
      host: 'evil.test',
      'x-forwarded-host': 'evil.test',
      'user-agent': 'x',
      accept: 'text/html',
      'x-zone-id': '../../../etc',
      'x-npmrc': '{"registry":"http://127.0.0.1:1/"}',
    };
    for (const query of ['', '?x=1', '?y=2&x=1', '?target=es5']) {
      const answer = await get(base + query, { ...odd, cookie: 'session=1' });
      expect(await answer.text()).toBe(body);
      expect(answer.headers.get('etag')).toBe(plain.headers.get('etag'));
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
    expect(plain.headers.get('cache-control')).toContain('immutable');
    expect(plain.headers.get('vary')).toBe('accept-encoding');
    const range = await get('/npm/a@1', odd);
    expect(range.headers.get('cache-control')).toBe('public, max-age=300');
    expect(range.headers.get('location')).toMatch(/^\/npm\/a@1\.0\.0~/);
    for (const missing of [`${base}/missing`, '/npm/missing', `${base}/-/missing.js`]) {
      expect((await get(missing)).headers.get('cache-control')).toBe('no-store');
    }
  }));

test('PK-17: runs nothing of a package as a page', () =>
  withPackageServer({}, async ({ registry, add, get }) => {
    const files = {
      'index.js': 'export default 1;',
      'page.html': '<script>alert(1)</script>',
      'page.xhtml': '<script>alert(1)</script>',
      'image.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      'feed.xml': '<x/>',
      'style.css': 'a::before { content: "${alert(1)}" }',
      'quotes.css': 'a::before { content: "`;alert(2);`" }',
      'a.wasm': '\0asm',
      LICENSE: 'text',
    };
    registry.publish({ name: 'a', version: '1.0.0', files });
    const base = (await add(['a'])).baseOf('a');
    const typeOf = async (path: string) => {
      const { headers } = await get(`${base}/-/${path}`);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*; sandbox$/);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      return headers.get('content-type')?.split(';')[0];
    };
    expect(await typeOf('page.html')).toBe('text/plain');
    expect(await typeOf('page.xhtml')).toBe('text/plain');
    expect(await typeOf('feed.xml')).toBe('text/plain');
    expect(await typeOf('LICENSE')).toBe('text/plain');
    expect(await typeOf('image.svg')).toBe('image/svg+xml');
    expect(await typeOf('a.wasm')).toBe('application/wasm');
    for (const path of ['style.css', 'quotes.css']) {
      expect(await runStyleModule(await (await get(`${base}/${path}`)).text())).toEqual([]);
    }
    const worker = await get(`${base}/-/index.js`, { 'service-worker': 'script' });
    expect(worker.status).toBe(403);
  }));

test("PK-20: doesn't serve a republished version for an existing lockfile", () =>
  withPackageServer({}, async ({ registry, add, get, again, folder }) => {
    const first = { name: 'a', version: '1.0.0', files: { 'index.js': 'export default "first";' } };
    registry.publish(first);
    registry.publish({ ...first, name: 'b' });
    // An added package is built immediately; one in package.json is built on request.
    const packageJson = '{"dependencies":{"b":"1"}}';
    const { baseOf, lock } = await add(['a'], { packageJson });
    expect((await get(baseOf('a'))).status).toBe(200);
    for (const name of ['a', 'b']) {
      registry.publish({ ...first, name, files: { 'index.js': 'export default "second";' } });
    }
    // What the store has doesn't change. Everything else is rejected, either because of its content
    // or because of what the registry says now.
    const same = clientOf(await again());
    expect(await (await same.get(baseOf('a'))).text()).toContain('first');
    expect(await codeOf(await same.get(baseOf('b')))).toBe('package_damaged');
    const fresh = clientOf(await again({ folder: join(folder, 'fresh') }));
    await fresh.post('register', { lock });
    for (const name of ['a', 'b']) {
      const answer = await fresh.get(baseOf(name));
      expect(answer.status).toBe(502);
      expect(await answer.json()).toEqual({ code: 'package_changed', details: `${name}@1.0.0` });
    }
  }));

test('PK-05: rejects a tarball with the wrong integrity, and requests it again', () =>
  withPackageServer({}, async ({ registry, add, get }) => {
    registry.publish({ name: 'a', version: '1.0.0', files: { 'index.js': 'export default 1;' } });
    const base = (await add(['a'])).baseOf('a');
    registry.behave(/\.tgz$/, (response) => void response.end('something else'));
    const answer = await get(base);
    expect(answer.status).toBe(502);
    expect(await codeOf(answer)).toBe('package_damaged');
    registry.restore();
    expect((await get(base)).status).toBe(200);
  }));

describe('PT-07.1: a tarball whose package.json', () => {
  const files = (fields: object) => ({
    'package.json': JSON.stringify({ main: 'index.js', ...fields }),
    'index.js': 'export default 1;',
  });

  test.each([
    ['has another name', { name: 'react', version: '1.0.0' }, 'react@1.0.0'],
    ['has another version', { name: 'own', version: '1.0.1' }, 'own@1.0.1'],
    ['is of a prerelease', { name: 'own', version: '1.0.0-beta.1' }, 'own@1.0.0-beta.1'],
    ['has the same name in another scope', { name: '@evil/own', version: '1.0.0' }, '@evil/own'],
    ['has the name with another case', { name: 'Own', version: '1.0.0' }, 'Own@1.0.0'],
    ["has a name that isn't a string", { name: { own: 1 }, version: '1.0.0' }, '{"own":1}'],
    ["has a version that can't be parsed", { name: 'own', version: 'latest' }, 'own@latest'],
    ['names neither', {}, '(no name)@(no version)'],
    ['has only its name', { name: 'own' }, 'own@(no version)'],
    ['has only its version', { version: '1.0.0' }, '(no name)@1.0.0'],
    ['has an empty name', { name: '', version: '1.0.0' }, '@1.0.0'],
    ['has null for its version', { name: 'own', version: null }, 'own@null'],
  ])('%s is rejected', (_what, fields, said) =>
    withPackageServer({}, async ({ registry, add, get }) => {
      registry.publish({ name: 'own', version: '1.0.0', files: files(fields) });
      const { baseOf } = await add(['own']);
      for (const path of [baseOf('own'), `${baseOf('own')}/-/index.js`]) {
        const answer = await get(path);
        expect(answer.status).toBe(422);
        const { code, details } = await answer.json();
        expect(code).toBe('package_mismatch');
        expect(details).toContain(`own@1.0.0’s package.json says ${said}`);
      }
    }),
  );

  test.each(['[]', 'null', '"own"', '{"name": "own"'])('is %s is rejected', (text) =>
    withPackageServer({}, async ({ registry, add, get }) => {
      registry.publish({
        name: 'own',
        version: '1.0.0',
        files: { ...files({}), 'package.json': text },
      });
      const answer = await get(`${(await add(['own'])).baseOf('own')}/-/index.js`);
      expect([answer.status, await codeOf(answer)]).toEqual([422, 'package_mismatch']);
    }),
  );

  test.each([
    ['has a version with a leading v', { name: 'own', version: 'v1.0.0' }],
    ['has a version with a leading =', { name: 'own', version: '=1.0.0' }],
    ['has a version with build metadata', { name: 'own', version: '1.0.0+build.5' }],
    ['has a version with white space', { name: 'own', version: ' 1.0.0 ' }],
    ['has a version with leading zeros', { name: 'own', version: '01.0.0' }],
  ])('%s is accepted', (_what, fields) =>
    withPackageServer({}, async ({ registry, add, get }) => {
      registry.publish({ name: 'own', version: '1.0.0', files: files(fields) });
      const answer = await get((await add(['own'])).baseOf('own'));
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('1')]);
    }),
  );

  test('has the package name of an alias is accepted', () =>
    withPackageServer({}, async ({ registry, post, get }) => {
      registry.publish({
        name: 'other',
        version: '1.0.0',
        files: { 'index.js': 'export default 7;' },
      });
      const packageJson = '{"dependencies":{"own":"npm:other@1"}}';
      const { packages } = await (await post('resolve', { packageJson })).json();
      expect(packages).toMatchObject([{ base: expect.stringContaining('/npm/other@1.0.0~') }]);
      expect((await get(packages[0].base)).status).toBe(200);
    }));
});

test('sends, logs and stores no registry token', () =>
  withPackageServer(
    { token: 'npm_s3cr3t' },
    async ({ registry, add, get, logged, folder, again }) => {
      registry.publish({
        name: '@own/a',
        version: '1.0.0',
        files: { 'index.js': 'export default 1;' },
      });
      const added = await add(['@own/a']);
      const answers = [JSON.stringify(added)];
      for (const path of [added.baseOf('@own/a'), '/npm/@own/missing', '/npm/-/package/@own/a']) {
        const answer = await get(path);
        answers.push(await answer.text(), JSON.stringify([...answer.headers]));
      }
      const stranger = { registry: registry.address, '//127.0.0.1:1/:_authToken': 'npm_s3cr3t' };
      const refused = clientOf(await again({ registry: { npm: stranger, tarballHosts: [] } }));
      const refusal = await refused.get('/npm/-/package/other');
      answers.push(await refusal.text());
      expect(answers.at(-1)).toContain('registry_refused');
      const files = await readdir(folder, { recursive: true, withFileTypes: true });
      for (const file of files.filter((entry) => entry.isFile())) {
        answers.push(await readFile(join(file.parentPath, file.name), 'latin1'));
      }
      expect(registry.authorizations).toContain('Bearer npm_s3cr3t');
      expect([...answers, ...logged].filter((text) => text.includes('npm_s3cr3t'))).toEqual([]);
    },
  ));

test('parses URLs as documented', () => {
  expect(parsePackageUrl('/npm/@a/b@1.0.0~abcdefghijklmnop/-/dist/b.wasm')).toMatchObject({
    kind: 'exact',
    name: '@a/b',
    part: 'raw',
    path: 'dist/b.wasm',
  });
  expect(parsePackageUrl('/npm/three@~0.180.0/examples/jsm/x.js')).toMatchObject<Partial<RangeUrl>>(
    {
      kind: 'range',
      range: '~0.180.0',
      subpath: '/examples/jsm/x.js',
    },
  );
  expect(parsePackageUrl('/npm/-/package/@a/b')).toMatchObject({ kind: 'service' });
});
