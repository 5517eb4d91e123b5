import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPackageServer, type PackageServer } from '@vitrine/esm';
import { parseLockfile } from '@vitrine/esm/lockfile';
import { createDocumentFromFiles } from '@vitrine/project';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import * as Y from 'yjs';
import { startFakeRegistry, type FakeRegistry } from '@vitrine/testing/registry';
import {
  findImportedPackages,
  findImportedSpecifiers,
} from '../../app/packages/imported-packages.ts';
import { getPackageUrls } from '../../app/packages/package-builds.ts';
import { createPackageApi } from '../../app/packages/package-api.ts';
import { ProjectPackages } from '../../app/packages/project-packages.ts';
import { ProjectText } from '../../app/workspace/code/project-text.ts';

// Builds may be slow on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const origin = 'http://vitrine.localhost:4000';
let registry: FakeRegistry;
let folder: string;
let server: PackageServer;

beforeAll(async () => {
  registry = await startFakeRegistry({ search: true });
  for (const version of ['1.0.0', '1.1.0', '2.0.0']) publish('a', version);
  publish('b', '1.0.0');
  registry.publish({
    name: 'broken',
    version: '1.0.0',
    files: { 'index.js': 'export const = ;' },
    manifest: { type: 'module', main: 'index.js' },
  });
  folder = await mkdtemp(join(tmpdir(), 'vitrine-panel-'));
  server = await createPackageServer({
    folder,
    appOrigins: [origin],
    registry: { npm: { registry: registry.address }, tarballHosts: [] },
    installed: [],
    log: { info: () => {}, warn: () => {}, error: () => {} },
  });
});
afterAll(async () => {
  await server.close();
  await registry.close();
  await rm(folder, { recursive: true, force: true });
});

const opened = new Set<ProjectPackages>();
afterEach(() => {
  for (const packages of opened) packages.close();
  opened.clear();
});

function publish(name: string, version: string): void {
  const files = { 'index.js': `export default '${name} ${version}';` };
  const manifest = { type: 'module', main: 'index.js', license: 'MIT' };
  registry.publish({ name, version, files, manifest });
}

/** A request as a page of the app sends it. */
async function send(address: string, init: RequestInit): Promise<Response> {
  const request = new Request(origin + address, init);
  request.headers.set('origin', origin);
  const answer = await server.fetch(request, { address: '192.0.2.1' });
  if (!answer) throw new Error(`${address} is not answered`);
  return answer;
}

/** An open project with a client of the package server. */
function openProject(files: Readonly<Record<string, string>>) {
  return openDocument(createDocumentFromFiles(Object.entries(files)));
}

function openDocument(doc: Y.Doc) {
  const asked: string[] = [];
  const calls = createPackageApi((address, init) => {
    asked.push(address);
    return send(address, init);
  });
  const text = new ProjectText(doc, { onRename: () => {}, onReplace: () => {} });
  const packages = new ProjectPackages(text.files.get(), () => calls);
  opened.add(packages);
  packages.open(text);
  const read = (path: string) => text.files.get().get(path);
  return { doc, text, packages, asked, read };
}

/** Polls until the assertion passes. */
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 15_000, interval: 20 });

const rangesIn = (manifest: string | undefined): unknown =>
  JSON.parse(manifest ?? 'null')?.dependencies;
const versionIn = (lockfile: string | undefined, name: string) =>
  parseLockfile(lockfile ?? '')?.direct.get(name)?.version;
const listed = ({ packages }: ReturnType<typeof openProject>) =>
  packages.list.get().map(({ name, version }) => `${name}@${version}`);

describe('a project’s packages', () => {
  test('are added to a project without either file, with both files at once', async () => {
    const project = openProject({ 'index.html': '<p>' });
    const seen: string[] = [];
    project.text.files.subscribe(() => {
      const files = project.text.files.get();
      seen.push(`${files.has('package.json')} ${files.has('package-lock.json')}`);
    });
    expect(await project.packages.add([{ name: 'a' }])).toBe(true);
    expect(rangesIn(project.read('package.json'))).toEqual({ a: '^2.0.0' });
    expect(listed(project)).toEqual(['a@2.0.0']);
    expect(project.packages.list.get()[0]?.license).toBe('MIT');
    expect(seen).toEqual(['true true']);
  });

  test('are added one after the other when requested at once', async () => {
    const project = openProject({});
    const both = [project.packages.add([{ name: 'a' }]), project.packages.addFromText('b@1')];
    expect(await Promise.all(both)).toEqual([true, true]);
    expect(listed(project)).toEqual(['a@2.0.0', 'b@1.0.0']);
  });

  test('keep their versions when another is added', async () => {
    const project = openProject({});
    await project.packages.add([{ name: 'a', range: '^1.0.0' }]);
    expect(listed(project)).toEqual(['a@1.1.0']);
    project.text.edit('package.json', '{ "dependencies": { "a": ">=1.0.0" } }');
    await project.packages.add([{ name: 'b' }]);
    expect(listed(project)).toEqual(['a@1.1.0', 'b@1.0.0']);
  });

  test('keep edits made to package.json meanwhile', async () => {
    const project = openProject({ 'package.json': '{\n  "private": true\n}\n' });
    const adding = project.packages.add([{ name: 'a' }]);
    project.text.findText('package.json')?.insert(1, '\n  "name": "typed",');
    expect(await adding).toBe(true);
    expect(JSON.parse(project.read('package.json') ?? '')).toMatchObject({
      name: 'typed',
      private: true,
      dependencies: { a: '^2.0.0' },
    });
  });

  test('are removed, and restored by undo', async () => {
    const project = openProject({});
    await project.packages.add([{ name: 'a', range: '1.0.0' }]);
    const before = [project.read('package.json'), project.read('package-lock.json')];
    const restore = await project.packages.remove('a');
    expect(listed(project)).toEqual([]);
    restore?.();
    expect([project.read('package.json'), project.read('package-lock.json')]).toEqual(before);
  });

  test('are restored by undo next to packages added since', async () => {
    const project = openProject({});
    await project.packages.add([{ name: 'a', range: '1.0.0' }]);
    const restore = await project.packages.remove('a');
    await project.packages.add([{ name: 'b' }]);
    restore?.();
    await eventually(() => expect(listed(project)).toEqual(['a@1.0.0', 'b@1.0.0']));
  });

  test.each([
    ['no-such-thing', 'package_not_found'],
    ['a@9', 'package_version_not_found'],
    ['../a', 'package_spec_invalid'],
    ['a@file:../a', 'package_source_refused'],
  ])('stay unchanged when %s can’t be installed', async (text, code) => {
    const project = openProject({});
    expect(await project.packages.addFromText(text)).toBe(false);
    expect(project.packages.operation.get()).toMatchObject({ status: 'failed', code });
    expect([...project.text.paths.get()]).toEqual([]);
  });

  test('that fail to build are reported with the reason', async () => {
    const { packages } = openProject({});
    expect(await packages.add([{ name: 'broken' }])).toBe(true);
    await eventually(() =>
      expect(packages.builds.failures.get().get('broken')?.code).toBe('package_build_failed'),
    );
  });

  test('are built after a load failure only if a file imports them', async () => {
    const { packages, text, asked } = openProject({
      'index.html': '<script type="module" src="main.js"></script>',
      'main.js': `import 'broken/style.css'; import './a.js';`,
      'rollup.config.js': `import b from 'b';`,
    });
    await packages.add([{ name: 'broken' }, { name: 'a' }, { name: 'b' }]);
    await eventually(() => expect(packages.builds.failures.get().size).toBe(1));
    asked.length = 0;
    const names = packages.list.get().map(({ name }) => name);
    packages.builds.onLoadFailure(findImportedPackages(text.files.get(), names));
    await eventually(() => expect(asked).toContain('/npm/-/register'));
    expect(asked.filter((address) => address.startsWith('/npm/b@'))).toEqual([]);
    expect(asked.filter((address) => address.startsWith('/npm/broken@'))).toHaveLength(1);
  });

  test('that are imported are found by their names and subpaths', () => {
    const names = ['three', 'd3', '@types/node', '@scope/x', 'vue', 'react', 'rollup', 'preact'];
    const files = {
      'index.html': '<link rel="stylesheet" href="node_modules/d3/style.css">',
      'src/main.ts': `import { OrbitControls } from "three/addons/controls/OrbitControls.js";`,
      'src/style.scss': `@use '@scope/x';`,
      'src/App.vue': '<template></template>',
      'rollup.config.js': `import 'rollup'; import 'preact';`,
      'README.md': 'Use preact-cli, react and "@types/nodes".',
      'package.json': '{ "dependencies": { "react": "19" } }',
    };
    const found = findImportedPackages(new Map(Object.entries(files)), names);
    expect(found.toSorted()).toEqual(['@scope/x', 'd3', 'three', 'vue']);
    const specifiers = findImportedSpecifiers(new Map(Object.entries(files)), names);
    expect(specifiers).toEqual(['three/addons/controls/OrbitControls.js', '@scope/x']);
  });

  test('report progress while they are downloaded', async () => {
    publish('large', '1.0.0');
    const held: (() => void)[] = [];
    const tarball = /large-1\.0\.0\.tgz/;
    registry.behave(tarball, (response) => held.push(() => response.destroy()));
    const { packages } = openProject({});
    await packages.add([{ name: 'large' }]);
    await eventually(() => expect(packages.builds.progress.get()).toBe('Installing large@1.0.0…'));
    registry.restore();
    for (const letGo of held) letGo();
    await eventually(() => expect(packages.builds.progress.get()).toBeNull());
  });

  test('report progress when a page requests one long after it has started', async () => {
    publish('late', '1.0.0');
    const project = openProject({ 'package.json': '{ "dependencies": { "late": "1" } }' });
    const { packages, read, asked } = project;
    await eventually(() => expect(listed(project)).toEqual(['late@1.0.0']));
    const polls = () => asked.filter((path) => path.startsWith('/npm/-/progress?of=late')).length;
    await eventually(() => expect(polls()).toBeGreaterThan(6));
    const held: (() => void)[] = [];
    registry.behave(/late-1\.0\.0\.tgz/, (response) => held.push(() => response.destroy()));
    const [address = ''] = getPackageUrls(read('package-lock.json')).values();
    const requested = server.fetch(new Request(origin + address));
    await eventually(() => expect(packages.builds.progress.get()).toBe('Installing late@1.0.0…'));
    registry.restore();
    for (const letGo of held) letGo();
    await requested;
    await eventually(() => expect(packages.builds.progress.get()).toBeNull());
  });

  test('report how many packages are built, with those that they depend on', async () => {
    const parts = ['one', 'two', 'three', 'four'].map((name) => `part-${name}`);
    for (const name of parts) publish(name, '1.0.0');
    registry.publish({
      name: 'library',
      version: '1.0.0',
      files: { 'index.js': parts.map((name) => `export * from '${name}';`).join('\n') },
      manifest: {
        type: 'module',
        main: 'index.js',
        dependencies: Object.fromEntries(parts.map((name) => [name, '1'])),
      },
    });
    const held: (() => void)[] = [];
    registry.behave(/part-four-.*\.tgz/, (response) => held.push(() => response.destroy()));
    const { packages } = openProject({});
    await packages.add([{ name: 'library' }]);
    await eventually(() =>
      expect(packages.builds.progress.get()).toBe('Installing library@1.0.0… 4 of 5 packages'),
    );
    registry.restore();
    for (const letGo of held) letGo();
    await eventually(() => expect(packages.builds.progress.get()).toBeNull());
  });

  test('stay unchanged when adding is canceled', async () => {
    const project = openProject({});
    const { operation } = project.packages;
    const begun = new Promise<void>((resolve) => {
      operation.subscribe(() => operation.get().status === 'working' && resolve());
    });
    const adding = project.packages.add([{ name: 'a' }]);
    await begun;
    project.packages.cancel();
    expect(await adding).toBe(false);
    expect(project.packages.operation.get()).toEqual({ status: 'idle' });
    expect([...project.text.paths.get()]).toEqual([]);
  });

  test('are not built when canceled while downloading', async () => {
    publish('slow', '1.0.0');
    registry.behave(/\/slow-.*\.tgz$/, () => {});
    const { packages, read } = openProject({});
    await packages.add([{ name: 'slow' }]);
    await eventually(() => expect(packages.builds.progress.get()).toBe('Installing slow@1.0.0…'));
    const addresses = [...getPackageUrls(read('package-lock.json')).values()];
    const calls = createPackageApi(send);
    const states = async () =>
      (await calls.progress(addresses, new AbortController().signal)).states;
    expect(await states()).toEqual(['fetching']);
    packages.cancel();
    expect(packages.builds.progress.get()).toBeNull();
    await vi.waitFor(async () => expect(await states()).toEqual(['absent']));
    expect(packages.list.get().map(({ name }) => name)).toEqual(['slow']);
    registry.restore();
  });
});

describe('package.json, edited by hand', () => {
  test('updates the lockfile after a pause, once it is valid', async () => {
    const project = openProject({ 'package.json': '{ "dependencies": { "a": "^1.0.0" } }' });
    await eventually(() => expect(listed(project)).toEqual(['a@1.1.0']));
    project.text.edit('package.json', '{ "dependencies": { "a": "^2.0.0", } }');
    expect(project.packages.manifestError.get()).toMatchObject({ line: 1 });
    expect(listed(project)).toEqual(['a@1.1.0']);
    project.text.edit('package.json', '{ "dependencies": { "a": "^2.0.0" } }');
    expect(project.packages.manifestError.get()).toBeNull();
    await eventually(() => expect(listed(project)).toEqual(['a@2.0.0']));
  });

  test('requests a missing package only once', async () => {
    const project = openProject({ 'package.json': '{ "dependencies": { "a": "^9.0.0" } }' });
    await eventually(() =>
      expect(project.packages.operation.get()).toMatchObject({
        status: 'failed',
        code: 'package_version_not_found',
        isFromManifest: true,
      }),
    );
    project.text.edit('package-lock.json', '{}');
    await eventually(() => expect(project.read('package-lock.json')).toBe('{}'));
    expect(project.asked.filter((address) => address.endsWith('/resolve'))).toHaveLength(1);
  });

  test('replaces an invalid lockfile', async () => {
    const project = openProject({
      'package.json': '{ "dependencies": { "b": "1.0.0" } }',
      'package-lock.json': '{\n<<<<<<< ours\n',
    });
    await eventually(() => expect(versionIn(project.read('package-lock.json'), 'b')).toBe('1.0.0'));
  });

  test('with a matching lockfile causes no request', async () => {
    const first = openProject({});
    await first.packages.add([{ name: 'b' }]);
    const again = openDocument(createDocumentFromFiles(first.text.files.get()));
    await again.packages.loadRegistryInfo([]);
    expect(again.asked.filter((address) => address.includes('resolve'))).toEqual([]);
    expect(listed(again)).toEqual(['b@1.0.0']);
  });
});

describe('build tools in package.json', () => {
  test('are kept, and neither listed nor resolved', async () => {
    const tools = { vite: '^8.0.0', '@vitejs/plugin-react': '^5.0.0', eslint: '^9.0.0' };
    const manifest = JSON.stringify({ dependencies: { b: '1.0.0' }, devDependencies: tools });
    const project = openProject({ 'package.json': manifest });
    await eventually(() => expect(listed(project)).toEqual(['b@1.0.0']));
    expect(JSON.parse(project.read('package.json') ?? '')).toEqual(JSON.parse(manifest));
    const again = openDocument(createDocumentFromFiles(project.text.files.get()));
    expect(again.packages.isPending.get()).toBe(false);
    const alone = openProject({
      'package.json': '{ "dependencies": { "react-scripts": "5.0.1" } }',
    });
    expect(alone.packages.operation.get()).toEqual({ status: 'idle' });
    expect(again.asked.concat(alone.asked).filter((address) => /resolve/.test(address))).toEqual(
      [],
    );
  });

  test('that aren’t known are named if they bring too many packages', async () => {
    const names = Array.from({ length: 1_010 }, (_, index) => `part${index}`);
    for (const [index, name] of names.entries()) {
      // A wide tree, because a single chain would have to be requested one by one.
      const below = names.slice(index * 10 + 1, index * 10 + 11).map((each) => [each, '1.0.0']);
      const manifest = { dependencies: Object.fromEntries(below) };
      registry.publish({ name, version: '1.0.0', manifest });
    }
    const dependencies = { a: '1.0.0', part0: '1.0.0' };
    const project = openProject({ 'package.json': JSON.stringify({ dependencies }) });
    await eventually(() => expect(project.packages.findHeaviest()).toBe('part0'));
    expect(project.packages.operation.get()).toMatchObject({ code: 'too_many_packages' });
    await project.packages.remove('part0');
    expect(listed(project)).toEqual(['a@1.0.0']);
    expect(project.packages.findHeaviest()).toBeUndefined();
  });
});

test('two users who add packages offline end up with both, and one lockfile', async () => {
  const ours = openProject({
    'package.json': '{\n  "dependencies": {\n    "b": "1.0.0"\n  }\n}\n',
  });
  await eventually(() => expect(listed(ours)).toEqual(['b@1.0.0']));
  const copy = new Y.Doc();
  Y.applyUpdate(copy, Y.encodeStateAsUpdate(ours.doc));
  const theirs = openDocument(copy);
  await Promise.all([
    ours.packages.add([{ name: 'a', range: '1.0.0' }]),
    theirs.packages.remove('b'),
  ]);
  ours.doc.on('update', (update: Uint8Array) => Y.applyUpdate(theirs.doc, update));
  Y.applyUpdate(theirs.doc, Y.encodeStateAsUpdate(ours.doc));
  Y.applyUpdate(ours.doc, Y.encodeStateAsUpdate(theirs.doc));
  expect(ours.read('package-lock.json')).toBe(theirs.read('package-lock.json'));
  expect([...ours.text.paths.get()]).toEqual(['package-lock.json', 'package.json']);
  // Merged text may not be valid JSON. If it is, the lockfile is updated to match.
  if (ours.packages.manifestError.get()) return;
  await eventually(() =>
    expect(Object.keys(rangesIn(ours.read('package.json')) ?? {})).toEqual(
      ours.packages.list
        .get()
        .filter(({ version }) => version)
        .map(({ name }) => name),
    ),
  );
});

test('a second registration of the same lockfile waits until the first is done', async () => {
  const { lock: lockfile } = await (
    await send('/npm/-/resolve', {
      method: 'POST',
      body: JSON.stringify({ packageJson: '{"dependencies":{"a":"1.0.0"}}' }),
    })
  ).json();
  const answered: string[] = [];
  const noting = async (address: string, init: RequestInit) => {
    const answer = await send(address, init);
    answered.push(address);
    return answer;
  };
  const files = new Map([['package-lock.json', lockfile]]);
  const packages = new ProjectPackages(files, () => createPackageApi(noting));
  opened.add(packages);
  void packages.register(files);
  await packages.register(files);
  expect(answered).toEqual(['/npm/-/register']);
  // Nothing to wait for with the next edit.
  expect(packages.register(files)).toBeUndefined();
});
