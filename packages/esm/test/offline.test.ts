import { readdir, readFile, utimes } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { clientOf, codeOf, withPackageServer } from './package-server-fixture.ts';
import type { FakeRegistry } from '@vitrine/testing/registry';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

function publishTwo({ publish }: FakeRegistry): void {
  publish({ name: 'a', version: '1.0.0', files: { 'index.js': 'export default "a";' } });
  publish({ name: 'b', version: '1.0.0', files: { 'index.js': 'export default "b";' } });
}

/** Sets the modification times of files to yesterday. */
async function age(folder: string): Promise<void> {
  const yesterday = new Date(Date.now() - 86_400_000);
  for (const name of await readdir(folder)) await utimes(join(folder, name), yesterday, yesterday);
}

test('F-34: serves what is built or cached without the registry, and reports the rest', () =>
  withPackageServer({}, async ({ registry, add, get, again, folder }) => {
    publishTwo(registry);
    const known = await add(['a']);
    expect((await get(known.baseOf('a'))).status).toBe(200);
    await registry.close();
    await age(join(folder, 'packuments'));

    const later = clientOf(await again());
    expect(await (await later.get(known.baseOf('a'))).text()).toContain('"a"');
    const same = await later.post('resolve', { ...known });
    expect((await same.json()).lock).toBe(known.lock);
    expect((await later.get('/npm/a')).status).toBe(302);
    const unknown = await later.post('resolve', { packageJson: '{}', add: [{ name: 'b' }] });
    expect(unknown.status).toBe(503);
    expect(await codeOf(unknown)).toBe('registry_unreachable');
    // A later request may find declarations in `@types`.
    const base = known.baseOf('a').slice('/npm/'.length);
    const types = await later.get(`/npm/-/types/${base}.json`);
    expect(await types.json()).toEqual({ files: {} });
    expect(types.headers.get('cache-control')).toBe('no-store');
  }));

test("F-34: sends one request to a registry that doesn't respond, and then none for a while", () =>
  withPackageServer({}, async ({ registry, post }) => {
    registry.behave(/^\//, (response) => response.destroy());
    const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
    const dependencies = Object.fromEntries(names.map((name) => [name, '1']));
    const packageJson = JSON.stringify({ dependencies });
    for (let round = 0; round < 5; round++) {
      expect(await codeOf(await post('resolve', { packageJson }))).toBe('registry_unreachable');
    }
    // The requests of the first round were sent at the same time.
    expect(registry.requests.length).toBeLessThanOrEqual(names.length);
  }));

test("F-34: doesn't cache a failure", () =>
  withPackageServer({}, async ({ registry, get, add }) => {
    publishTwo(registry);
    const { baseOf, lock } = await add(['a'], { packageJson: '{"dependencies":{"b":"1"}}' });
    registry.behave(/^\/b\/-\//, (response) => response.writeHead(500).end());
    expect(lock).toContain('node_modules/b');
    expect(await codeOf(await get(baseOf('b')))).toBe('registry_unreachable');
    registry.restore();
    expect((await get(baseOf('b'))).status).toBe(200);
  }));

test('serves packages of the templates without a registry', () =>
  withPackageServer({ server: { installed: [root] } }, async ({ registry, add, get }) => {
    await registry.close();
    const { packages, baseOf } = await add(['react', 'react-dom', 'preact', 'lit']);
    const rootLock = JSON.parse(await readFile(resolve(root, 'package-lock.json'), 'utf8'));
    for (const { name, version } of packages) {
      expect(version).toBe(rootLock.packages[`node_modules/${name}`].version);
    }
    const client = await get(`${baseOf('react-dom')}/client`);
    expect(client.status).toBe(200);
    expect(await client.text()).toContain('createRoot');
    expect((await get(baseOf('lit'))).status).toBe(200);
    expect(registry.requests).toEqual([]);
  }));

test("says that the registry isn't responding where only it would have a version", () =>
  withPackageServer(
    { server: { installed: [root] } },
    async ({ registry, post, get, again, folder }) => {
      registry.publish({ name: 'a', version: '1.0.0', files: { 'index.js': '' } });
      const resolve = (dependencies: object, on = post) =>
        on('resolve', { packageJson: JSON.stringify({ dependencies }) });
      expect((await resolve({ a: '1' })).status).toBe(200);
      registry.behave(/^\//, (response) => response.destroy());
      // Installed in a later version.
      expect(await codeOf(await resolve({ react: '^18', 'react-dom': '^18' }))).toBe(
        'registry_unreachable',
      );
      expect(await codeOf(await get('/npm/react@17'))).toBe('registry_unreachable');
      // Read from the registry a moment ago.
      expect(await codeOf(await resolve({ a: '2' }))).toBe('package_version_not_found');
      // Read from the registry yesterday.
      await age(join(folder, 'packuments'));
      const later = clientOf(await again());
      expect(await codeOf(await resolve({ a: '2' }, later.post))).toBe('registry_unreachable');
      expect((await resolve({ a: '1' }, later.post)).status).toBe(200);
    },
  ));

test('sends the token of a private registry for its scope only', () =>
  withPackageServer({ token: 'npm_private' }, async ({ registry, again, folder }) => {
    const { startFakeRegistry } = await import('@vitrine/testing/registry');
    const open = await startFakeRegistry();
    try {
      registry.publish({
        name: '@own/a',
        version: '1.0.0',
        manifest: { dependencies: { b: '1' } },
        files: { 'index.js': 'export * from "b";' },
      });
      open.publish({ name: 'b', version: '1.0.0', files: { 'index.js': 'export const b = 1;' } });
      const npm = {
        registry: open.address,
        '@own:registry': registry.address,
        [`//${new URL(registry.origin).host}/:_authToken`]: 'npm_private',
      };
      const place = clientOf(
        await again({ folder: `${folder}/own`, registry: { npm, tarballHosts: [] } }),
      );
      const { baseOf } = await place.add(['@own/a']);
      expect((await place.get(baseOf('@own/a'))).status).toBe(200);
      expect((await place.get('/npm/b')).status).toBe(302);
      expect(new Set(registry.authorizations)).toEqual(new Set(['Bearer npm_private']));
      expect(open.authorizations).toEqual([]);
    } finally {
      await open.close();
    }
  }));

test('builds packages of a template before they are requested, without a registry', () =>
  withPackageServer({ server: { installed: [root] } }, async ({ registry, server, post, get }) => {
    const lock = await readFile(join(root, 'examples/react/package-lock.json'), 'utf8');
    await server.warmUp([lock]);
    const { packages } = await (await post('register', { lock })).json();
    for (const { base } of packages as { base: string }[]) {
      const of = base.slice('/npm/'.length);
      const progress = await (await get(`/npm/-/progress?of=${of}`)).json();
      expect(progress).toEqual({ packages: { [of]: 'ready' } });
    }
    expect(packages.length).toBeGreaterThan(1);
    expect(registry.requests).toEqual([]);
  }));
