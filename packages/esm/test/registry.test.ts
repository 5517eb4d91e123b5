import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createRegistry } from '../src/registry/registry.ts';
import { createResolver } from '../src/resolve/resolver.ts';
import { codeOf, withPackageServer } from './package-server-fixture.ts';
import { startFakeRegistry } from '@vitrine/testing/registry';

const log = { info: () => {}, warn: () => {}, error: () => {} };

async function readWhole(tarball: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of tarball) bytes += chunk.byteLength;
  return bytes;
}

test('F-34: gives up soon on a registry that is slow or stops in the middle', async () => {
  const registry = await startFakeRegistry();
  try {
    const settings = { npm: { registry: registry.address }, tarballHosts: [] };
    const open = () => createRegistry(settings, log, { requestMs: 200, tarballMs: 200 });
    const unreachable = { code: 'registry_unreachable' };
    registry.behave(/^\/silent/, () => {});
    registry.behave(/^\/half/, (response) => void response.write('{"name":'));
    registry.behave(/^\/busy/, (response) => void response.writeHead(503).end());
    registry.behave(/^\/round/, (response) => {
      response.writeHead(302, { location: '/round' }).end();
    });
    registry.behave(/^\/drip/, (response) => {
      const drip = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(drip));
    });
    await expect(open().fetchPackument('drip')).rejects.toMatchObject(unreachable);
    await expect(open().fetchPackument('silent')).rejects.toMatchObject(unreachable);
    await expect(open().fetchPackument('half')).rejects.toMatchObject(unreachable);
    await expect(open().fetchPackument('busy')).rejects.toMatchObject(unreachable);
    await expect(open().fetchPackument('round')).rejects.toMatchObject({
      code: 'package_source_refused',
    });
    const tarball = await open().fetchTarball('half', `${registry.origin}/half.tgz`);
    await expect(readWhole(tarball)).rejects.toMatchObject(unreachable);
  } finally {
    await registry.close();
  }
});

test('F-34: repeats a request on a reused connection that the registry has closed', async () => {
  const registry = await startFakeRegistry();
  try {
    registry.publish({ name: 'a', version: '1.0.0' });
    registry.publish({ name: 'b', version: '1.0.0' });
    const settings = { npm: { registry: registry.address }, tarballHosts: [] };
    const client = createRegistry(settings, log);
    await client.fetchPackument('a');
    registry.behave(/^\/b/, (response) => {
      registry.restore();
      response.destroy();
    });
    expect(await client.fetchPackument('b')).toMatchObject({ body: expect.any(Buffer) });
    expect(registry.requests).toEqual(['GET /a', 'GET /b', 'GET /b']);
    registry.behave(/^\/b/, (response) => void response.destroy());
    await expect(client.fetchPackument('b')).rejects.toMatchObject({
      code: 'registry_unreachable',
    });
    expect(registry.requests).toHaveLength(5);
  } finally {
    await registry.close();
  }
});

test.each(['before the response', 'in the middle of it'])(
  'aborts the request of a tarball that is canceled %s, and continues to use the registry',
  async (when) => {
    const registry = await startFakeRegistry();
    try {
      registry.publish({ name: 'a', version: '1.0.0' });
      const requested = Promise.withResolvers<void>();
      const closed = Promise.withResolvers<void>();
      registry.behave(/\.tgz$/, (response) => {
        response.on('close', closed.resolve);
        if (when === 'in the middle of it') response.write('half');
        requested.resolve();
      });
      const settings = { npm: { registry: registry.address }, tarballHosts: [] };
      const client = createRegistry(settings, log);
      const cancelling = new AbortController();
      const reading = client
        .fetchTarball('a', `${registry.origin}/a.tgz`, cancelling.signal)
        .then(readWhole);
      await requested.promise;
      cancelling.abort('cancelled');
      await expect(reading).rejects.toBe('cancelled');
      await closed.promise;
      expect(await client.fetchPackument('a')).toMatchObject({ body: expect.any(Buffer) });
    } finally {
      await registry.close();
    }
  },
);

test("doesn't store a tarball that ends too soon, and requests it again", () =>
  withPackageServer({}, async ({ registry, add, get }) => {
    registry.publish({ name: 'a', version: '1.0.0', files: { 'index.js': 'export default 1;' } });
    const { baseOf } = await add([], { packageJson: '{"dependencies":{"a":"1"}}' });
    registry.behave(/\.tgz$/, (response) => {
      response.writeHead(200, { 'content-length': '100000' });
      response.write(Buffer.of(0x1f, 0x8b, 0x08));
      setImmediate(() => response.destroy());
    });
    expect(await codeOf(await get(baseOf('a')))).toBe('registry_unreachable');
    registry.restore();
    expect((await get(baseOf('a'))).status).toBe(200);
  }));

test('PK-12: sends no request to a listed tarball host that resolves to a private address', async () => {
  const seen: unknown[] = [];
  const inside = createServer(() => {});
  inside.on('connection', (socket) => seen.push(socket));
  await new Promise<void>((done) => inside.listen(0, '127.0.0.1', () => done()));
  const host = `localhost:${(inside.address() as AddressInfo).port}`;
  const settings = { npm: { registry: 'http://127.0.0.1:1/' }, tarballHosts: [host] };
  const registry = createRegistry(settings, log);
  await expect(registry.fetchTarball('a', `https://${host}/a.tgz`)).rejects.toMatchObject({
    code: 'registry_unreachable',
  });
  inside.close();
  expect(seen).toEqual([]);
});

test('aborts a job that takes too long, and runs the next one', async () => {
  const packuments = {
    read: (name: string) =>
      name === 'slow'
        ? new Promise<{ body: Buffer }>(() => {})
        : Promise.resolve({
            body: Buffer.from(
              JSON.stringify({ name, versions: { '1.0.0': { version: '1.0.0' } } }),
            ),
          }),
  };
  const resolver = createResolver({ packuments, log, processes: 1, jobMs: 3_000, queueMax: 1 });
  try {
    const slow = resolver.run('getPackageInfo', { name: 'slow' });
    const next = resolver.run('getPackageInfo', { name: 'quick' });
    await expect(resolver.run('getPackageInfo', { name: 'late' })).rejects.toMatchObject({
      code: 'packages_busy',
    });
    await expect(slow).rejects.toMatchObject({ code: 'packages_too_slow' });
    expect((await next).versions).toEqual(['1.0.0']);
  } finally {
    await resolver.close();
  }
});
