import { serve } from '@hono/node-server';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { computeResolutions } from '../src/lockfile/resolution-hash.ts';
import { parseLockfile, type Lockfile } from '../src/lockfile/lockfile.ts';
import type { PackageServer } from '../src/index.ts';
import { appOrigin, codeOf, withPackageServer } from './package-server-fixture.ts';
import type { FakeRegistry } from '@vitrine/testing/registry';

const long = `export const text = ${JSON.stringify('lorem ipsum '.repeat(200))};`;

function publishChain({ publish }: FakeRegistry): void {
  const imports = (name: string) => ({
    'index.js': `export { default } from ${JSON.stringify(name)};`,
  });
  publish({
    name: 'a',
    version: '1.0.0',
    manifest: { dependencies: { b: '1' } },
    files: imports('b'),
  });
  publish({
    name: 'b',
    version: '1.0.0',
    manifest: { dependencies: { c: '1' } },
    files: imports('c'),
  });
  publish({ name: 'c', version: '1.0.0', files: { 'index.js': 'export default "c";' } });
}

/** A package whose build takes about a second. */
function largeFiles(): Record<string, string> {
  const modules = Array.from({ length: 400 }, (_, n): [string, string] => [
    `m${n}.js`,
    `export const v${n} = ${JSON.stringify('x'.repeat(20_000))};`,
  ]);
  const index = modules.map(([path]) => `export * from "./${path}";`).join('\n');
  return { ...Object.fromEntries(modules), 'index.js': index };
}

function lockOf(text: string): Lockfile {
  const lock = parseLockfile(text);
  if (lock === undefined) throw new Error('no lock');
  return lock;
}

/** Runs a test with the server on a port, so that clients can disconnect. */
async function withOrigin(
  server: PackageServer,
  use: (origin: string) => Promise<void>,
): Promise<void> {
  const answer = async (request: Request) => (await server.fetch(request)) ?? new Response();
  const listening = serve({ fetch: answer, port: 0, hostname: '127.0.0.1' });
  await once(listening, 'listening');
  const address = listening.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  try {
    await use(`http://127.0.0.1:${address.port}`);
  } finally {
    listening.close();
  }
}

test('serves modules whose imports are absolute URLs of the lockfile', () =>
  withPackageServer({}, async ({ registry, add, get }) => {
    publishChain(registry);
    const module = await get((await add(['a'])).baseOf('a'));
    expect(module.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    const [address = ''] = /\/npm\/b@1\.0\.0~[a-z2-7]{16}/.exec(await module.text()) ?? [];
    expect(await (await get(address)).text()).toMatch(/\/npm\/c@1\.0\.0~[a-z2-7]{16}/);
  }));

test('requests no names of a module whose exports are all known', () =>
  withPackageServer({}, async ({ registry, add, get }) => {
    const files = { 'index.js': 'import * as b from "b"; export const x = () => b.x;' };
    const manifest = { dependencies: { b: '1' } };
    registry.publish({ name: 'a', version: '1.0.0', manifest, files });
    registry.publish({ name: 'b', version: '1.0.0', files: { 'index.js': 'export const x = 1;' } });
    const text = await (await get((await add(['a'])).baseOf('a'))).text();
    expect(text).toMatch(/"\/npm\/b@1\.0\.0~[a-z2-7]{16}"/);
  }));

test('requests no names of a module that is built on request and whose exports are all known', () =>
  withPackageServer({}, async ({ registry, add, get }) => {
    const files = { 'index.js': 'import { x } from "b/far/deep.js"; export const y = () => x;' };
    const dependencies = { b: '1' };
    registry.publish({ name: 'a', version: '1.0.0', manifest: { dependencies }, files });
    registry.publish({
      name: 'b',
      version: '1.0.0',
      manifest: { type: 'module', main: 'lib/index.js' },
      files: { 'lib/index.js': 'export {};', 'far/deep.js': 'export const x = 1;' },
    });
    const text = await (await get((await add(['a'])).baseOf('a'))).text();
    expect(text).toMatch(/"\/npm\/b@1\.0\.0~[a-z2-7]{16}\/far\/deep\.js"/);
  }));

test('sends preload hints for everything that a module loads, as far as it is built', () =>
  withPackageServer({}, async ({ registry, add, get }) => {
    publishChain(registry);
    const base = (await add(['a'])).baseOf('a');
    const first = await (await get(base)).text();
    await get(/\/npm\/b@[^"]+/.exec(first)?.[0] ?? '');
    const hints = (await get(base)).headers.get('link') ?? '';
    expect(hints).toMatch(/<\/npm\/b@1\.0\.0~\w+>; rel=modulepreload/);
    const b = /\/npm\/b@1\.0\.0~\w+/.exec(hints)?.[0] ?? '';
    await (await get(/\/npm\/c@[^"]+/.exec(await (await get(b)).text())?.[0] ?? '')).text();
    expect((await get(base)).headers.get('link')).toMatch(
      /<\/npm\/c@1\.0\.0~\w+>; rel=modulepreload/,
    );
  }));

test('compresses by Accept-Encoding, and responds to If-None-Match and HEAD', () =>
  withPackageServer({}, async ({ registry, add, get, server }) => {
    registry.publish({ name: 'a', version: '1.0.0', files: { 'index.js': long } });
    const base = (await add(['a'])).baseOf('a');
    const send = (encoding: string) => get(base, { 'accept-encoding': encoding });
    const plain = Buffer.from(await (await send('identity')).arrayBuffer());
    for (const unpack of [brotliDecompressSync, gunzipSync]) {
      const encoding = unpack === gunzipSync ? 'gzip' : 'gzip, deflate, br, zstd';
      // The second response comes from the store.
      for (let round = 0; round < 2; round++) {
        const body = Buffer.from(await (await send(encoding)).arrayBuffer());
        expect(body.byteLength).toBeLessThan(plain.byteLength / 2);
        expect(unpack(body).equals(plain)).toBe(true);
      }
    }
    expect((await send('br;q=0, gzip;q=0')).headers.get('content-encoding')).toBeNull();
    const etag = (await send('br')).headers.get('etag') ?? '';
    const again = await get(base, { 'accept-encoding': 'br', 'if-none-match': `"x", W/${etag}` });
    expect(again.status).toBe(304);
    const head = await server.fetch(new Request(appOrigin + base, { method: 'HEAD' }));
    expect(head?.headers.get('content-length')).toBe(String(plain.byteLength));
    expect(await head?.text()).toBe('');
  }));

test('fetches and builds a package once for concurrent requests', () =>
  withPackageServer({}, async ({ registry, post, get }) => {
    registry.publish({ name: 'a', version: '1.0.0', files: { 'index.js': long } });
    const packageJson = '{"dependencies":{"a":"1"}}';
    const { packages } = await (await post('resolve', { packageJson })).json();
    const answers = await Promise.all(Array.from({ length: 12 }, () => get(packages[0].base)));
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    const hashes = bodies.map((body) => createHash('sha256').update(body).digest('hex'));
    expect(new Set(hashes).size).toBe(1);
    expect(registry.requests.filter((line) => line.endsWith('.tgz'))).toHaveLength(1);
  }));

test('builds direct and indirect dependencies before they are requested', () =>
  withPackageServer({}, async ({ registry, add, get }) => {
    const chain = ['a', 'b', 'c', 'd'];
    for (const [index, name] of chain.entries()) {
      const next = chain[index + 1];
      registry.publish({
        name,
        version: '1.0.0',
        files: {
          'index.js': next === undefined ? 'export {};' : `export * from "./more.js";`,
          'more.js': `import "${next}"; export {};`,
        },
        manifest: {
          type: 'module',
          dependencies: next === undefined ? {} : { [next]: '1', unused: '1' },
        },
      });
    }
    registry.publish({ name: 'unused', version: '1.0.0', files: { 'index.js': 'export {};' } });
    const { lock } = await add(['a']);
    const read = parseLockfile(lock);
    const tables = [...(read ? computeResolutions(read, 'development') : [])];
    const stateOf = async (name: string) => {
      const [link, table] = tables.find(([, each]) => each.name === name) ?? [];
      const of = `${name}@${table?.version}~${link}`;
      return (await (await get(`/npm/-/progress?of=${of}`)).json()).packages[of];
    };
    await expect.poll(() => stateOf('d'), { interval: 20, timeout: 20_000 }).toBe('ready');
    expect(await stateOf('unused')).toBe('absent');
  }));

test('reports the progress of a build', () =>
  withPackageServer({}, async ({ registry, post, get }) => {
    registry.publish({ name: 'a', version: '1.0.0', files: { 'index.js': long } });
    const packageJson = '{"dependencies":{"a":"1"}}';
    const { packages } = await (await post('resolve', { packageJson })).json();
    const of = packages[0].base.slice('/npm/'.length);
    const state = async () => (await (await get(`/npm/-/progress?of=${of}`)).json()).packages[of];
    expect(await state()).toBe('absent');
    let letGo = () => {};
    const held = new Promise<void>((reached) => {
      registry.behave(/\.tgz$/, (response) => {
        letGo = () => response.destroy();
        reached();
      });
    });
    const waiting = get(packages[0].base);
    await held;
    expect(await state()).toBe('fetching');
    // Sends another request, on a connection of its own.
    registry.restore();
    registry.behave(/\.tgz$/, (response) => response.destroy());
    letGo();
    expect(await codeOf(await waiting)).toBe('registry_unreachable');
    expect(await state()).toBe('absent');
  }));

test('reports that a package is ready after builds of subpaths that it doesn’t have', () =>
  withPackageServer({}, async ({ registry, add, get }) => {
    registry.publish({ name: 'a', version: '1.0.0', files: { 'index.js': long } });
    const base = (await add(['a'])).baseOf('a');
    const subpaths = ['an', 'ani', 'anim', 'anima'];
    const responses = await Promise.all(subpaths.map((path) => get(`${base}/${path}?names=flip`)));
    expect(new Set(await Promise.all(responses.map(codeOf)))).toEqual(
      new Set(['package_subpath_not_found']),
    );
    const of = base.slice('/npm/'.length);
    const progress = await (await get(`/npm/-/progress?of=${of}`)).json();
    expect(progress).toEqual({ packages: { [of]: 'ready' } });
  }));

test('gives a browser one module for all range and exact URLs', () =>
  withPackageServer({}, async ({ registry, get }) => {
    registry.publish({
      name: 'a',
      version: '1.2.0',
      files: {
        'index.js': 'export const x = 1; export default 2;',
        'sub.js': 'export { x } from "./index.js";',
      },
    });
    for (const range of ['', '@1', '@^1.0.0', '@latest', '@1.2.0']) {
      const answer = await get(`/npm/a${range}`);
      expect(answer.status).toBe(302);
      const location = answer.headers.get('location') ?? '';
      const passed = await (await get(location)).text();
      expect(passed).toContain(`from "${location.replace('?names=', '')}"`);
      expect(passed).toMatch(/export \{ default \}/);
    }
    const sub = (await get('/npm/a@1/sub.js')).headers.get('location') ?? '';
    expect(sub).toMatch(/^\/npm\/a@1\.2\.0~\w+\/sub\.js\?names=$/);
    const raw = (await get('/npm/a@1/-/sub.js')).headers.get('location') ?? '';
    expect(await (await get(raw)).text()).toBe('export { x } from "./index.js";');
    expect(await codeOf(await get('/npm/a@2'))).toBe('package_version_not_found');
  }));

test('knows the URLs of a lockfile once it is registered', () =>
  withPackageServer({}, async ({ registry, add, again }) => {
    registry.publish({ name: 'a', version: '1.0.0', files: { 'index.js': long } });
    const { baseOf, lock } = await add(['a']);
    const folder = `${registry.origin.slice(-5)}-other`;
    const { clientOf } = await import('./package-server-fixture.ts');
    const { mkdtemp, rm } = await import('node:fs/promises');
    const { tmpdir } = await import('node:os');
    const other = await mkdtemp(`${tmpdir()}/vitrine-${folder}`);
    try {
      const server = await again({ folder: other });
      const client = clientOf(server);
      expect(await codeOf(await client.get(baseOf('a')))).toBe('package_address_unknown');
      await server.register(lock);
      expect((await client.get(baseOf('a'))).status).toBe(200);
      const wrong = baseOf('a').replace('a@1.0.0', 'b@1.0.0');
      expect(await codeOf(await client.get(wrong))).toBe('package_address_unknown');
    } finally {
      await rm(other, { recursive: true, force: true });
    }
  }));

test("searches with the registry's search, and looks up the exact name without one", async () => {
  await withPackageServer({ search: true }, async ({ registry, get }) => {
    registry.publish({
      name: 'three',
      version: '0.1.0',
      manifest: { description: 'shapes', license: 'MIT' },
    });
    registry.publish({ name: 'three-more', version: '2.0.0' });
    const { packages, searched } = await (await get('/npm/-/search?text=three')).json();
    expect(searched).toBe(true);
    expect(packages).toEqual([
      { name: 'three', version: '0.1.0', description: 'shapes', license: 'MIT' },
      { name: 'three-more', version: '2.0.0', description: '' },
    ]);
  });
  await withPackageServer({}, async ({ registry, get }) => {
    registry.publish({ name: 'three', version: '0.1.0' });
    expect(await (await get('/npm/-/search?text=three')).json()).toMatchObject({
      packages: [{ name: 'three', version: '0.1.0' }],
      searched: false,
    });
    expect(await (await get('/npm/-/search?text=no%20name')).json()).toEqual({
      packages: [],
      searched: false,
    });
  });
});

test('describes a package before it is added', () =>
  withPackageServer({}, async ({ registry, get }) => {
    const about = { description: 'old', license: 'ISC', deprecated: 'use b' };
    for (const version of ['1.0.0', '1.10.0', '1.9.0', '2.0.0-rc.1']) {
      registry.publish({ name: '@s/a', version, manifest: about, dist: { unpackedSize: 123 } });
    }
    registry.tag('@s/a', 'latest', '1.10.0');
    expect(await (await get('/npm/-/package/@s/a')).json()).toEqual({
      name: '@s/a',
      ...about,
      versions: ['2.0.0-rc.1', '1.10.0', '1.9.0', '1.0.0'],
      tags: { latest: '1.10.0' },
      unpackedBytes: 123,
    });
  }));

test('serves the declarations of a package, of its dependencies and from @types', () =>
  withPackageServer({}, async ({ registry, add, get }) => {
    registry.publish({ name: 'a', version: '3.1.0', files: { 'index.js': 'export {}' } });
    registry.publish({
      name: '@types/a',
      version: '3.0.0',
      manifest: { types: 'index.d.ts', dependencies: { c: '1' } },
      files: { 'index.d.ts': 'export const a: 3;' },
    });
    registry.publish({
      name: '@types/a',
      version: '4.0.0',
      files: { 'index.d.ts': 'export const a: 4;' },
    });
    registry.publish({
      name: 'b',
      version: '1.0.0',
      manifest: { dependencies: { c: '1' } },
      files: { 'lib/b.d.mts': 'export * from "c";', 'secret.txt': 'x' },
    });
    registry.publish({ name: 'c', version: '1.0.0', files: { 'c.d.ts': 'export {};' } });
    const { baseOf } = await add(['a', 'b']);
    const types = async (name: string) =>
      (await (await get(`/npm/-/types/${baseOf(name).slice('/npm/'.length)}.json`)).json()).files;
    const ofA = await types('a');
    expect(ofA['/node_modules/@types/a/index.d.ts']).toBe('export const a: 3;');
    expect(ofA['/node_modules/c/c.d.ts']).toBe('export {};');
    expect(Object.keys(await types('b'))).toEqual([
      '/node_modules/b/package.json',
      '/node_modules/b/lib/b.d.mts',
      '/node_modules/c/package.json',
      '/node_modules/c/c.d.ts',
    ]);
  }));

test('serves built-in modules of Node, and names a missing package', () =>
  withPackageServer({}, async ({ registry, add, get }) => {
    const files = {
      'index.js': 'import { Buffer } from "buffer"; export default Buffer.from("x");',
    };
    registry.publish({ name: 'a', version: '1.0.0', files });
    const text = await (await get((await add(['a'])).baseOf('a'))).text();
    const [address = ''] = /\/npm\/-\/node\/\d+\/buffer/.exec(text) ?? [];
    const buffer = await get(address);
    expect(buffer.status).toBe(200);
    expect(await buffer.text()).toContain('Buffer');
    expect(await (await get('/npm/-/absent/@a/b')).text()).toContain('“@a/b” is imported');
    expect((await get('/npm/-/node/0/buffer')).status).toBe(404);
  }));

test('resolves an undeclared import to the newest version, or reports that there is none', () =>
  withPackageServer({}, async ({ registry, add, get }) => {
    const index =
      'import { one } from "b/sub"; import { react } from "react"; export { one, react };';
    registry.publish({ name: 'a', version: '1.0.0', files: { 'index.js': index } });
    registry.publish({ name: 'b', version: '1.0.0', files: { 'sub.js': 'export const one = 1;' } });
    const text = await (await get((await add(['a'])).baseOf('a'))).text();
    expect(text).toContain('from "/npm/-/absent/react"');
    const [address = ''] = /\/npm\/-\/undeclared\/[^"]*/.exec(text) ?? [];
    const answer = await get(address);
    expect([answer.status, answer.headers.get('location')]).toEqual([
      302,
      expect.stringMatching(/^\/npm\/b@1\.0\.0~\w+\/sub\?names=one$/),
    ]);
    const none = await get('/npm/-/undeclared/nowhere?names=a');
    expect(none.headers.get('cache-control')).toBe('no-store');
    expect(await none.text()).toContain('“nowhere” is imported');
  }));

test('reports the download size of a package, without dependencies that have their own', () =>
  withPackageServer({}, async ({ registry, add, get, post }) => {
    // Compression leaves three quarters of base64.
    const long = (name: string) =>
      `export const ${name} = "${randomBytes(10_500).toString('base64')}${' '.repeat(50_000)}";`;
    const publish = (name: string, needs: readonly string[]) =>
      registry.publish({
        name,
        version: '1.0.0',
        manifest: { dependencies: Object.fromEntries(needs.map((need) => [need, '1'])) },
        files: {
          'index.js': `${needs.map((need) => `export * from "${need}";`).join('')} ${long(name)}`,
        },
      });
    publish('w', ['x', 'y']);
    publish('x', ['z']);
    for (const name of ['y', 'z']) publish(name, []);
    const { lock, packageJson } = await add(['w', 'y']);
    const read = parseLockfile(lock);
    const tables = read === undefined ? new Map() : computeResolutions(read, 'development');
    for (const [link, { name, version }] of tables) await get(`/npm/${name}@${version}~${link}`);
    const answer = await (await post('resolve', { packageJson, lock })).json();
    const [w, y] = answer.packages.map(({ bytes }: { bytes: number }) =>
      Math.floor(bytes / 10_000),
    );
    expect([w, y]).toEqual([3, 1]);
  }));

test('reports the size of the modules that the project imports', () =>
  withPackageServer({}, async ({ registry, add, get, post }) => {
    const long = (bytes: number) => `export const a = "${randomBytes(bytes).toString('hex')}";`;
    registry.publish({
      name: 'dom',
      version: '1.0.0',
      manifest: { exports: { '.': './index.js', './client': './client.js' } },
      files: { 'index.js': long(5_000), 'client.js': long(50_000) },
    });
    const { lock, baseOf } = await add(['dom']);
    for (const subpath of ['', '/client']) await get(`${baseOf('dom')}${subpath}`);
    const measure = async (imports?: readonly string[]) => {
      const answer = await (await post('register', { lock, imports })).json();
      return Math.floor(answer.packages[0].bytes / 50_000);
    };
    expect(await measure()).toBe(0);
    expect(await measure(['react', 'dom/client'])).toBe(1);
    expect(await measure(['dom', 'dom/client'])).toBe(1);
    expect(await measure(['domain', 'dom/gone', 'dom'])).toBe(0);
    expect((await post('register', { lock, imports: [7] })).status).toBe(400);
  }));

test('reports the modules whose exports are all known, once they are built', () =>
  withPackageServer({}, async ({ registry, add, get, server }) => {
    const manifest = { exports: { '.': './index.js', './hidden': './hidden.cjs' } };
    const hidden = 'module.exports = (() => ({ a: 1 }))();';
    const files = { 'index.js': 'export const a = 1;', 'hidden.cjs': hidden };
    registry.publish({ name: 'half', version: '1.0.0', manifest, files });
    const { lock, baseOf } = await add(['half']);
    await get(baseOf('half'));
    const { fullExportUrls, isComplete } = await server.register(lock);
    expect([...fullExportUrls]).toEqual([baseOf('half')]);
    expect(isComplete).toBe(true);
  }));

test('stops resolving when the client disconnects', () =>
  withPackageServer({}, async ({ registry, server, add }) => {
    registry.publish({ name: 'a', version: '1.0.0', files: { 'index.js': 'export {};' } });
    const leaving = new AbortController();
    registry.behave(/^\/slow/, () => leaving.abort());
    const request = new Request(`${appOrigin}/npm/-/resolve`, {
      method: 'POST',
      headers: { origin: appOrigin },
      body: JSON.stringify({ packageJson: '{"dependencies":{"slow":"1"}}' }),
      signal: leaving.signal,
    });
    const answer = await server.fetch(request);
    expect(answer && (await codeOf(answer))).toBe('packages_busy');
    expect((await add(['a'])).packages).toHaveLength(1);
  }));

test('cancels a build that nobody waits for, and no other', () =>
  withPackageServer({}, async ({ registry, add, get, post, server }) => {
    registry.publish({ name: 'large', version: '1.0.0', files: largeFiles() });
    registry.publish({
      name: 'top',
      version: '1.0.0',
      manifest: { dependencies: { large: '1' } },
      files: { 'index.js': 'export * from "large";' },
    });
    await withOrigin(server, async (origin) => {
      // Its imports are built at the same time.
      const { baseOf, lock } = await add(['top']);
      const of = [baseOf('top').slice('/npm/'.length)];
      const large = computeResolutions(lockOf(lock), 'development');
      const [link = ''] = [...large].find(([, { name }]) => name === 'large') ?? [];
      const address = `/npm/large@1.0.0~${link}`;
      const state = async () => {
        const target = address.slice('/npm/'.length);
        const { packages } = await (await get(`/npm/-/progress?of=${target}`)).json();
        return packages[target];
      };
      const isBuilding = () =>
        expect.poll(state, { interval: 5, timeout: 20_000 }).toBe('building');
      const isGone = () => expect.poll(state, { interval: 5, timeout: 10_000 }).toBe('absent');

      await isBuilding();
      await post('cancel', { of });
      await isGone();

      const [one, other] = [new AbortController(), new AbortController()];
      const send = ({ signal }: AbortController) =>
        fetch(origin + address, { signal }).then(({ status }) => status);
      const left = expect(send(one)).rejects.toThrow('abort');
      const stayed = send(other);
      await isBuilding();
      one.abort();
      await left;
      await post('cancel', { of });
      expect(await stayed).toBe(200);
    });
  }));

test('aborts running builds when it closes, and reports it to waiting clients', () =>
  withPackageServer({}, async ({ registry, add, get, server }) => {
    registry.publish({ name: 'large', version: '1.0.0', files: largeFiles() });
    const base = (await add(['large'])).baseOf('large');
    const response = get(base).then(codeOf);
    const state = async () => (await get(`/npm/-/progress?of=${base.slice(5)}`)).text();
    await expect.poll(state, { interval: 5, timeout: 20_000 }).toContain('building');
    await server.close();
    expect(await response).toBe('packages_busy');
  }));
