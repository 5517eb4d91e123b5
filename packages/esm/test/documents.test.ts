import { VitrineError } from '@vitrine/project';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseLockfile } from '../src/lockfile/lockfile.ts';
import { createResolver, type Resolver } from '../src/resolve/resolver.ts';
import { fuzz } from './fuzz.ts';

/** Name → packument, as a malicious registry would send it. */
const documents = new Map<string, unknown>();
const logged: string[] = [];
const note = (message: string, fields?: unknown) =>
  void logged.push(`${message} ${JSON.stringify(fields)}`);
let resolver: Resolver;

beforeAll(() => {
  resolver = createResolver({
    packuments: {
      read(name) {
        const document = documents.get(name);
        if (document === undefined) {
          return Promise.reject(new VitrineError('package_not_found', name));
        }
        return Promise.resolve({ body: Buffer.from(JSON.stringify(document)) });
      },
    },
    log: { info: note, warn: note, error: note },
    processes: 2,
    jobMs: 20_000,
    queueMax: 100,
  });
});
afterAll(() => resolver.close());

const integrity =
  'sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==';

function publish(name: string, fields: Readonly<Record<string, unknown>>): void {
  const own = { name, version: '1.0.0', dist: { integrity, tarball: 'https://x.test/x.tgz' } };
  const versions = { '1.0.0': { ...own, ...fields } };
  documents.set(name, { name, 'dist-tags': { latest: '1.0.0' }, versions });
}

/** Error code of the response, or 'ok'. */
async function resolve(name: string, lock?: string): Promise<string> {
  const packageJson = JSON.stringify({ dependencies: { [name]: '1' } });
  try {
    const result = await resolver.run('resolve', { packageJson, ...(lock && { lock }) });
    expect(parseLockfile(result.lock)).toBeDefined();
    return 'ok';
  } catch (error) {
    return error instanceof VitrineError ? error.code : String(error);
  }
}

const wishes =
  '1 * latest >= ~~1 file:../x git+ssh://x/y http://x npm:ok@1 link:x workspace:* ../../x \0 é !x';
const odd = fc.oneof(
  fc.constantFrom(...wishes.split(' '), '', ' ', '| |', 'npm:bad name@1', '9'.repeat(300)),
  fc.constantFrom<unknown>(null, true, 1, [], {}, ['x'], { x: 1 }, { optional: true }),
  fc.json({ maxDepth: 1 }).map((text): unknown => JSON.parse(text)),
);
const names = ['ok', 'mid', '@a/b', 'bad name', '__proto__', 'constructor', 'A', '../x', '', '.x'];
const table = fc
  .array(fc.tuple(fc.constantFrom(...names), odd), { maxLength: 4 })
  .map((entries): unknown =>
    JSON.parse(
      `{${entries.map((entry) => entry.map((part) => JSON.stringify(part)).join(':')).join(',')}}`,
    ),
  );
const fields = fc.constantFrom(
  ...'dependencies optionalDependencies peerDependencies peerDependenciesMeta dist os cpu'.split(
    ' ',
  ),
  ...'libc engines bin license deprecated funding scripts overrides bundleDependencies'.split(' '),
  ...'hasInstallScript _hasShrinkwrap time'.split(' '),
);
const manifest = fc
  .array(fc.tuple(fields, fc.oneof(table, table, odd)), { maxLength: 4 })
  .map((entries) => Object.fromEntries(entries));

test('PK-13: responds with a known error code to twenty arbitrary packuments at a time', async () => {
  publish('ok', {});
  publish('@a/b', {});
  await fc.assert(
    fc.asyncProperty(manifest, manifest, async (own, below) => {
      logged.length = 0;
      publish('mid', below);
      publish('odd', own);
      publish('over', { dependencies: { odd: '1', mid: '1', ok: '1' } });
      const wanted = ['odd', 'over', 'mid', 'ok', 'over'];
      const codes = await Promise.all(
        [...wanted, ...wanted, ...wanted, ...wanted].map((name) => resolve(name)),
      );
      expect(codes.filter((code) => !/^(ok|package_\w+|too_many_packages)$/.test(code))).toEqual(
        [],
      );
      expect(codes[3]).toBe('ok');
      expect(logged).toEqual([]);
    }),
    { numRuns: 10 * fuzz },
  );
});

test('PK-13: keeps, recreates or rejects an arbitrary lockfile with a known error code', async () => {
  publish('ok', {});
  publish('top', { dependencies: { ok: '1' } });
  const place = fc.constantFrom(
    '',
    'node_modules/ok',
    'node_modules/top',
    'node_modules/top/node_modules/ok',
    'node_modules/../../x',
    'node_modules/constructor',
    'node_modules/@a',
    '__proto__',
  );
  const entry = fc.tuple(
    fc.constantFrom(
      'version',
      'integrity',
      'dependencies',
      'peerDependencies',
      'name',
      'link',
      'os',
    ),
    fc.oneof(table, odd),
  );
  const fieldsOfPlace = fc
    .tuple(fc.boolean(), fc.array(entry, { maxLength: 3 }))
    .map(([isWhole, entries]) => ({
      ...(isWhole && { version: '1.0.0', integrity }),
      ...Object.fromEntries(entries),
    }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(place, fieldsOfPlace), { maxLength: 5 }),
      async (entries) => {
        logged.length = 0;
        const packages = Object.fromEntries(entries);
        const code = await resolve('top', JSON.stringify({ lockfileVersion: 3, packages }));
        // A lockfile may state false things about a package, such as that it is for other systems.
        expect(code).toMatch(/^(?:ok|package_\w+)$/);
        expect(logged).toEqual([]);
      },
    ),
    { numRuns: 50 * fuzz },
  );
});

test('reports a package for other systems as such', async () => {
  publish('mac', { os: ['darwin', 'no-such-system'], cpu: 'no-such-cpu' });
  const packageJson = '{"dependencies":{"mac":"1"}}';
  await expect(resolver.run('resolve', { packageJson })).rejects.toMatchObject({
    code: 'package_node_only',
    details: 'mac@1.0.0 (darwin, no-such-system, no-such-cpu)',
  });
  publish('ok', { optionalDependencies: { mac: '1' } });
  expect(await resolve('ok')).toBe('ok');
});

test('rejects an unreadable dependency, and leaves out an optional one', async () => {
  publish('ok', {});
  publish('needs', { dependencies: { 'bad name': '1', ok: '1' } });
  publish('over', { dependencies: { needs: '1' } });
  expect(await resolve('over')).toBe('package_spec_invalid');
  publish('needs', { peerDependencies: { ok: '| |' } });
  expect(await resolve('over')).toBe('package_spec_invalid');
  publish('needs', { optionalDependencies: { 'bad name': '1', ok: '| |' } });
  expect(await resolve('over')).toBe('ok');
  const peerDependencies = { ok: '| |' };
  publish('needs', { peerDependencies, peerDependenciesMeta: { ok: { optional: true } } });
  expect(await resolve('over')).toBe('ok');
});

test('resolves a package that has itself as a peer by a tag', async () => {
  publish('mid', { peerDependencies: { mid: 'latest' } });
  expect(await resolve('mid')).toBe('ok');
});
