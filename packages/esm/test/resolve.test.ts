import { describe, expect, test } from 'vitest';
import { parseLockfile } from '../src/lockfile/lockfile.ts';
import { codeOf, withPackageServer } from './package-server-fixture.ts';
import type { FakeRegistry } from '@vitrine/testing/registry';

/** react 17 and 19, and packages that require one or the other, as dependency or as peer. */
function publishReacts({ publish }: FakeRegistry): void {
  for (const version of ['17.0.2', '19.3.1']) {
    publish({
      name: 'react',
      version,
      files: { 'index.js': `export const version = '${version}';` },
    });
    const manifest = { peerDependencies: { react: `^${version}` } };
    publish({ name: 'react-dom', version, manifest });
  }
  publish({ name: 'old-peer', version: '1.0.0', manifest: { peerDependencies: { react: '^17' } } });
  publish({ name: 'old-own', version: '1.0.0', manifest: { dependencies: { react: '^17.0.0' } } });
  publish({ name: 'modern', version: '1.0.0', manifest: { peerDependencies: { react: '>=18' } } });
}

test('adds the latest version of a package, with the range that npm would write', () =>
  withPackageServer({}, async ({ registry, add }) => {
    registry.publish({ name: 'a', version: '1.2.3', manifest: { dependencies: { b: '^1.0.0' } } });
    registry.publish({ name: 'b', version: '1.5.0' });
    registry.publish({ name: 'b', version: '2.0.0' });
    const { packageJson, lock, packages } = await add(['a'], {
      packageJson: '{\n\t"name": "mine",\n\t"private": true\n}\n',
    });
    expect(packageJson).toBe(
      '{\n\t"name": "mine",\n\t"private": true,\n\t"dependencies": {\n\t\t"a": "^1.2.3"\n\t}\n}\n',
    );
    expect(packages).toMatchObject([{ name: 'a', version: '1.2.3' }]);
    expect(parseLockfile(lock)?.packages.map(({ name, version }) => `${name}@${version}`)).toEqual([
      'a@1.2.3',
      'b@1.5.0',
    ]);
    expect(lock).not.toContain('127.0.0.1');
  }));

test('keeps every version that still fits, and updates only what is requested', () =>
  withPackageServer({}, async ({ registry, add, post }) => {
    registry.publish({ name: 'a', version: '1.0.0' });
    registry.publish({ name: 'b', version: '1.0.0' });
    const first = await add(['a', 'b']);
    registry.publish({ name: 'a', version: '1.1.0' });
    registry.publish({ name: 'b', version: '1.1.0' });
    registry.publish({ name: 'c', version: '1.0.0', manifest: { dependencies: { a: '^1.0.0' } } });
    const second = await add(['c'], first);
    expect(second.packages.map(({ name, version }) => `${name}@${version}`)).toEqual([
      'a@1.0.0',
      'b@1.0.0',
      'c@1.0.0',
    ]);
    const { packageJson, lock } = second;
    const same = await (await post('resolve', { packageJson, lock })).json();
    expect(same.lock).toBe(lock);
    expect(same.packageJson).toBe(packageJson);
  }));

test('caches packuments for some minutes, also for updates', () =>
  withPackageServer({}, async ({ registry, add }) => {
    registry.publish({ name: 'a', version: '1.0.0' });
    await add(['a']);
    await add(['a']);
    expect(registry.requests.filter((line) => line === 'GET /a')).toHaveLength(1);
  }));

test('removes a package with the dependencies that only it has', () =>
  withPackageServer({}, async ({ registry, add, post }) => {
    registry.publish({ name: 'a', version: '1.0.0', manifest: { dependencies: { b: '1' } } });
    registry.publish({ name: 'b', version: '1.0.0' });
    registry.publish({ name: 'c', version: '1.0.0' });
    const { packageJson, lock } = await add(['a', 'c']);
    const after = await (await post('resolve', { packageJson, lock, remove: ['a'] })).json();
    expect(JSON.parse(after.packageJson)).toEqual({ dependencies: { c: '^1.0.0' } });
    expect(parseLockfile(after.lock)?.packages.map(({ name }) => name)).toEqual(['c']);
  }));

test.each([
  ['a package that depends on another version', ['old-own']],
  ['a package made for another version', ['old-peer']],
  ['all of them', ['old-own', 'old-peer', 'modern']],
])('keeps one React with %s, and adds an override', (_, others) =>
  withPackageServer({}, async ({ registry, add }) => {
    publishReacts(registry);
    const { packageJson, lock } = await add(['react', 'react-dom', ...others]);
    const reacts = parseLockfile(lock)?.packages.filter(({ name }) => name === 'react');
    expect(reacts?.map(({ version }) => version)).toEqual(['19.3.1']);
    expect(JSON.parse(packageJson).overrides).toEqual({ react: '$react' });
  }),
);

test('keeps the parts of Vue at one version, which follows updates of Vue', () =>
  withPackageServer({}, async ({ registry, add, post }) => {
    const parts = ({ lock }: { lock: string }) =>
      parseLockfile(lock)
        ?.packages.filter(({ name }) => name.includes('vue'))
        .map(({ name, version }) => `${name}@${version}`);
    publishVue(registry, '3.4.0');
    publishVue(registry, '3.5.0');
    const dependencies = { '@vue/runtime-core': '^3.0.0' };
    registry.publish({ name: 'canvas', version: '1.0.0', manifest: { dependencies } });
    const first = await add(['vue@~3.4.0', 'canvas']);
    expect(parts(first)).toEqual(['@vue/runtime-core@3.4.0', 'vue@3.4.0']);
    expect(JSON.parse(first.packageJson).overrides).toEqual({ '@vue/runtime-core': '3.4.0' });
    const second = await add(['vue@^3.5.0'], first);
    expect(parts(second)).toEqual(['@vue/runtime-core@3.5.0', 'vue@3.5.0']);
    expect(JSON.parse(second.packageJson).overrides).toBeUndefined();
    const { packageJson, lock } = second;
    expect(await (await post('resolve', { packageJson, lock })).json()).toMatchObject({ lock });
  }));

function publishVue({ publish }: FakeRegistry, version: string): void {
  publish({ name: '@vue/runtime-core', version });
  publish({ name: 'vue', version, manifest: { dependencies: { '@vue/runtime-core': version } } });
}

test.each([['{}'], ['{"modern":"1"}']])(
  'reports a conflict instead of separating react-dom from its React (next to %s)',
  (others) =>
    withPackageServer({}, async ({ registry, post }) => {
      publishReacts(registry);
      const dependencies = { ...JSON.parse(others), react: '17', 'react-dom': '19' };
      const response = await post('resolve', { packageJson: JSON.stringify({ dependencies }) });
      expect(response.status).toBe(422);
      expect(await response.json()).toMatchObject({
        code: 'package_conflict',
        details: expect.stringMatching(/react-dom.* requires react@/),
      });
    }),
);

test('allows a second React under an alias', () =>
  withPackageServer({}, async ({ registry, post }) => {
    publishReacts(registry);
    const packageJson = '{"dependencies":{"react":"19","react17":"npm:react@17"}}';
    const { packages } = await (await post('resolve', { packageJson })).json();
    const versions = packages.map((item: { version: string }) => item.version);
    expect(versions).toEqual(['19.3.1', '17.0.2']);
  }));

test('applies overrides of the project', () =>
  withPackageServer({}, async ({ registry, post }) => {
    registry.publish({ name: 'a', version: '1.0.0', manifest: { dependencies: { b: '^1.0.0' } } });
    registry.publish({ name: 'b', version: '1.0.0' });
    registry.publish({ name: 'b', version: '1.0.1' });
    const packageJson = '{"dependencies":{"a":"1"},"overrides":{"a":{"b":"1.0.0"}}}';
    const { lock } = await (await post('resolve', { packageJson })).json();
    const b = parseLockfile(lock)?.packages.find(({ name }) => name === 'b');
    expect(b?.version).toBe('1.0.0');
  }));

test('resolves bundled dependencies like all others', () =>
  withPackageServer({}, async ({ registry, add }) => {
    const manifest = { dependencies: { b: '1' }, bundleDependencies: ['b'] };
    registry.publish({ name: 'a', version: '1.0.0', manifest });
    registry.publish({ name: 'b', version: '1.0.0' });
    const { lock } = await add(['a']);
    expect(parseLockfile(lock)?.packages.map(({ name }) => name)).toEqual(['a', 'b']);
  }));

test('leaves out a missing optional dependency', () =>
  withPackageServer({}, async ({ registry, add }) => {
    const manifest = { optionalDependencies: { gone: '1' } };
    registry.publish({ name: 'a', version: '1.0.0', manifest });
    const { lock } = await add(['a']);
    expect(parseLockfile(lock)?.direct.get('a')?.dependencies.get('gone')).toBeNull();
  }));

test.each([
  ['package_not_found', { add: [{ name: 'missing' }] }],
  ['package_version_not_found', { add: [{ name: 'a', range: '^9' }] }],
  ['package_version_not_found', { add: [{ name: 'a', range: 'beta' }] }],
  ['package_json_invalid', { packageJson: '{' }],
  ['package_json_invalid', { packageJson: '{"dependencies":[]}' }],
  ['package_json_invalid', { packageJson: '{"dependencies":{"a":1}}' }],
  ['package_json_invalid', { packageJson: '{"dependencies":{"a":"1"},"overrides":{"a":"$b"}}' }],
  ['bad_request', { packageJson: 1 }],
  ['bad_request', { add: [{ name: 1 }] }],
])('responds with %s to %j', (code, body) =>
  withPackageServer({}, async ({ registry, post }) => {
    registry.publish({ name: 'a', version: '1.0.0' });
    expect(await codeOf(await post('resolve', { packageJson: '{}', ...body }))).toBe(code);
  }),
);

test('names the package without a matching version, also deep in the tree', () =>
  withPackageServer({}, async ({ registry, post }) => {
    const manifest = { dependencies: { '@kit/headless': '2.1.0' } };
    registry.publish({ name: 'kit', version: '2.1.0', manifest });
    registry.publish({ name: '@kit/headless', version: '2.0.0' });
    const response = await post('resolve', { packageJson: '{"dependencies":{"kit":"2"}}' });
    expect(await response.json()).toEqual({
      code: 'package_version_not_found',
      details:
        '@kit/headless@2.1.0, which kit@2.1.0 requires, doesn’t exist. The newest version of @kit/headless is 2.0.0.',
    });
  }));

describe('names both sides of a conflict, and a version that works', () => {
  const needing = (name: string, version: string, peer: string) => ({
    name,
    version,
    manifest: { peerDependencies: { lib: peer } },
  });
  test.each([
    [
      { lib: '^19', old: '1' },
      'old@1.0.0 requires lib@^17, but package.json requires lib@^19. old@2.0.0 works with lib@19.3.1.',
    ],
    [
      { other: '1', old: '1' },
      'other@1.0.0 requires lib@^19, but old@1.0.0 requires lib@^17. old@2.0.0 works with lib@19.3.1.',
    ],
    [
      { lib: '^19', frozen: '1' },
      'frozen@1.0.0 requires lib@^17, but package.json requires lib@^19. lib@17.0.2 works with frozen@1.0.0.',
    ],
    [
      { react: '17', 'react-dom': '19' },
      'react-dom@19.3.1 requires react@^19.3.1, but package.json requires react@17. react-dom@17.0.2 works with react@17.0.2.',
    ],
    [
      { lib: '^99' },
      'lib@^99, which package.json requires, doesn’t exist. The newest version of lib is 19.3.1.',
    ],
    [{ far: '1.1.0' }, 'lib@^98, which far@1.1.0 requires, doesn’t exist. far@1.0.0 works.'],
  ])('of %j', (dependencies, details) =>
    withPackageServer({}, async ({ registry, post }) => {
      publishReacts(registry);
      for (const version of ['17.0.2', '19.3.1']) registry.publish({ name: 'lib', version });
      for (const each of [
        needing('old', '1.0.0', '^17'),
        needing('old', '2.0.0', '>=18'),
        needing('other', '1.0.0', '^19'),
        needing('frozen', '1.0.0', '^17'),
        needing('far', '1.0.0', '*'),
        needing('far', '1.1.0', '^98'),
      ])
        registry.publish(each);
      const response = await post('resolve', { packageJson: JSON.stringify({ dependencies }) });
      expect(await response.json()).toEqual({ code: expect.any(String), details });
    }),
  );
});

test('excludes versions that require something which the registry lacks', () =>
  withPackageServer({}, async ({ registry, add, post }) => {
    const wanting = (dependencies: object) => ({ dependencies });
    registry.publish({ name: 'kit', version: '2.0.0', manifest: wanting({ part: '^2.0.0' }) });
    registry.publish({ name: 'kit', version: '2.1.0', manifest: wanting({ part: '^2.1.0' }) });
    registry.publish({ name: 'kit', version: '2.2.0', manifest: wanting({ nowhere: '1' }) });
    registry.publish({ name: 'part', version: '2.0.0' });
    registry.publish({ name: 'top', version: '1.0.0', manifest: wanting({ kit: '*' }) });
    const { packageJson, lock } = await add(['kit']);
    expect(JSON.parse(packageJson)).toEqual({ dependencies: { kit: '^2.0.0' } });
    expect(parseLockfile(lock)?.direct.get('kit')).toMatchObject({ version: '2.0.0' });
    const deep = parseLockfile((await add(['top'])).lock)?.packages.map(({ version }) => version);
    expect(deep).toEqual(['2.0.0', '2.0.0', '1.0.0']);
    const exact = await post('resolve', { packageJson: '{"dependencies":{"kit":"2.2.0"}}' });
    expect(await exact.json()).toEqual({ code: 'package_not_found', details: 'nowhere' });
  }));

test('rejects more than fifty packages, and a tree of more than a thousand', () =>
  withPackageServer({}, async ({ registry, post }) => {
    const names = Array.from({ length: 1_001 }, (_, index) => `p${index}`);
    for (const [index, name] of names.entries()) {
      // Ten dependencies each, because a single chain would have to be requested one by one.
      const next = names.slice(index * 10 + 1, index * 10 + 11);
      const dependencies = Object.fromEntries(next.map((below) => [below, '1']));
      registry.publish({ name, version: '1.0.0', manifest: { dependencies } });
    }
    const many = Object.fromEntries(names.slice(0, 51).map((name) => [name, '1']));
    const wide = await post('resolve', { packageJson: JSON.stringify({ dependencies: many }) });
    expect(await codeOf(wide)).toBe('too_many_packages');
    const deep = await post('resolve', { packageJson: '{"dependencies":{"p0":"1"}}' });
    expect(await deep.json()).toEqual({ code: 'too_many_packages', details: 'p0' });
    const both = await post('resolve', { packageJson: '{"dependencies":{"p1000":"1","p0":"1"}}' });
    expect(await both.json()).toEqual({ code: 'too_many_packages', details: 'p0' });
  }));

test('leaves build tools in package.json and out of the lockfile', () =>
  withPackageServer({}, async ({ registry, post }) => {
    registry.publish({ name: 'react', version: '18.3.1' });
    registry.publish({ name: 'typescript', version: '5.9.0' });
    const tools = Array.from({ length: 60 }, (_, index) => [`eslint-plugin-p${index}`, '1']);
    const packageJson = JSON.stringify({
      dependencies: { react: '18', 'react-scripts': '5.0.1', typescript: '5' },
      devDependencies: { vite: '8', '@vitejs/plugin-react': '5', ...Object.fromEntries(tools) },
    });
    const answer = await (await post('resolve', { packageJson })).json();
    expect(JSON.parse(answer.packageJson)).toEqual(JSON.parse(packageJson));
    expect([...(parseLockfile(answer.lock)?.direct.keys() ?? [])]).toEqual(['react', 'typescript']);
  }));

test('accepts POST requests only from pages of the app', () =>
  withPackageServer({}, async ({ post, server }) => {
    const body = { packageJson: '{}' };
    const preview = { origin: 'http://abc.vitrine.localhost:4000' };
    expect(await codeOf(await post('resolve', body, preview))).toBe('not_allowed');
    const nobody = new Request('http://vitrine.localhost:4000/npm/-/resolve', {
      method: 'POST',
      body: JSON.stringify(body),
    });
    expect((await server.fetch(nobody))?.status).toBe(403);
    expect((await post('resolve', body)).status).toBe(200);
  }));

test('limits the rate of resolving', () =>
  withPackageServer({}, async ({ post }) => {
    const answers = await Promise.all(
      Array.from({ length: 125 }, () => post('register', { lock: '' })),
    );
    const slowed = answers.filter(({ status }) => status === 429);
    expect(slowed.length).toBeGreaterThan(0);
    expect(slowed[0]?.headers.get('retry-after')).toBe('5');
  }));
