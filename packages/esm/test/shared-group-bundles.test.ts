import { afterAll, beforeAll, expect, test } from 'vitest';
import { computeUngroupedPackageUrls } from '../src/lockfile/resolution-hash.ts';
import { parseLockfile } from '../src/lockfile/lockfile.ts';
import { moduleText, publishAll, type FakePackage } from './fixtures/fake-packages.ts';
import { killWhileBundling } from './kill-while-bundling.ts';
import {
  withPackageServer,
  type AddedPackages,
  type PackageServerFixture,
} from './package-server-fixture.ts';
import { runModules } from './fixtures/run-modules.ts';

// One server for all tests: shared packages are built once, and each test has its own root
// packages.
let fixture: PackageServerFixture;
let leave: () => void;
let left: Promise<void>;
beforeAll(
  () =>
    new Promise<void>((ready) => {
      left = withPackageServer({}, (given) => {
        fixture = given;
        publish(parts.map((name) => ({ name, files: { 'index.js': moduleText(name) } })));
        ready();
        return new Promise((done) => (leave = done));
      });
    }),
);
afterAll(() => {
  leave();
  return left;
});

const publish = (packages: readonly FakePackage[]) => publishAll(fixture.registry, packages);

/** One more than a group needs private dependencies, because the first by name is the root. */
const parts = Array.from({ length: 13 }, (_, index) => `part-${String(index).padStart(2, '0')}`);
const importAll = (names: readonly string[]) => names.map((name) => `import "${name}";`).join('\n');

/** Requests for bundle files. */
const joinedOf = (requests: readonly string[]) =>
  requests.filter((path) => path.includes('/-join/'));

test('bundles what two packages share into one file, and loads each module once', async () => {
  const index = (name: string) => moduleText(name, `${importAll(parts)} export * from "part-00";`);
  publish([
    { name: 'left', needs: parts, files: { 'index.js': index('left') } },
    { name: 'right', needs: parts, files: { 'index.js': index('right') } },
  ]);
  const added = await fixture.add(['left', 'right']);
  const [first, second] = [added.baseOf('left'), added.baseOf('right')];
  const script = (one: string, other: string) => `
    import { value } from "${one}"; import { value as same } from "${other}";
    export default [value === same, ...ran.toSorted()];`;
  const run = await runModules(fixture.get, script(first, second));
  expect(run.value).toEqual([true, 'left', ...parts, 'right']);
  expect(joinedOf(run.requests)).toHaveLength(1);
  // `export *` of a part is resolved through the part's own URL.
  expect(run.requests).toHaveLength(4);
  const read = parseLockfile(added.lock);
  const plain = read && computeUngroupedPackageUrls(read, 'development');
  const alone = await runModules(
    fixture.get,
    script(plain?.get('left') ?? '', plain?.get('right') ?? ''),
  );
  expect([alone.value, alone.requests.length]).toEqual([run.value, 15]);
});

test('sends a preload hint for the file with shared modules', async () => {
  publish(
    ['telling-a', 'telling-b'].map((name) => ({
      name,
      needs: parts,
      files: { 'index.js': importAll(parts) },
    })),
  );
  const base = (await fixture.add(['telling-a', 'telling-b'])).baseOf('telling-a');
  const { requests } = await runModules(fixture.get, `import "${base}";`);
  const hinted = (await fixture.get(base)).headers.get('link') ?? '';
  expect([...hinted.matchAll(/<([^>]+)>/g)].map(([, hint]) => hint)).toEqual(joinedOf(requests));
});

test('loads no more of the shared modules than without bundling', async () => {
  const [some, more] = [parts.slice(0, 7), parts.slice(7)];
  publish([
    { name: 'some', needs: some, files: { 'index.js': importAll(some) } },
    { name: 'own', files: { 'index.js': moduleText('own') } },
    { name: 'all', needs: ['own', ...parts], files: { 'index.js': importAll(['own', ...parts]) } },
    { name: 'over', needs: ['some', 'all'], files: { 'index.js': importAll(['some', 'all']) } },
  ]);
  const added = await fixture.add(['some', 'all', 'over']);
  const run = async (name: string) => {
    const { value, requests } = await runModules(
      fixture.get,
      `import "${added.baseOf(name)}"; export default ran.toSorted();`,
    );
    return [value, joinedOf(requests).length];
  };
  expect(await run('some')).toEqual([some, 1]);
  expect(await run('all')).toEqual([['own', ...some, ...more], 2]);
  expect(await run('over')).toEqual([['own', ...some, ...more], 2]);
});

test('loads a shared package once, however it is imported', async () => {
  const count = 'import { counter } from "a-counter"; counter.value++;';
  publish([
    { name: 'a-counter', files: { 'index.js': 'export const counter = { value: 0 };' } },
    { name: 'lazy', needs: ['a-counter'], files: { 'index.js': `${count} export default 1;` } },
    {
      name: 'hiding',
      needs: ['a-counter'],
      files: { 'index.js': 'module.exports = { ["coun" + "ter"]: require("a-counter").counter };' },
      manifest: { type: 'commonjs' },
    },
    {
      name: 'count-a',
      needs: ['a-counter', 'lazy', 'hiding', ...parts],
      files: {
        'index.js': `${count} ${importAll(parts)}
          import { counter as hidden } from "hiding";
          export { counter, hidden };
          export const later = () => import("lazy");`,
        'dist/deep.js': `${count} export { counter };`,
      },
      manifest: { exports: { '.': './index.js', './dist/*': './dist/*' } },
    },
    {
      name: 'count-b',
      needs: ['a-counter', 'lazy', 'hiding', ...parts],
      files: {
        'index.js': `${importAll(parts)} import * as all from "a-counter"; export default all;`,
        'other.js': `${count} export * from "a-counter"; export { counter as hidden } from "hiding";`,
      },
      manifest: { exports: { '.': './index.js', './other': './other.js' } },
    },
  ]);
  const added = await fixture.add(['count-a', 'count-b']);
  const [a, b] = [added.baseOf('count-a'), added.baseOf('count-b')];
  const run = await runModules(
    fixture.get,
    `import { counter, hidden, later } from "${a}"; import { counter as deep } from "${a}/dist/deep.js";
     import all from "${b}"; import { counter as other, hidden as far } from "${b}/other";
     await later();
     const others = [hidden, deep, all.counter, other, far];
     export default [counter.value, others.map((each) => each === counter)];`,
  );
  expect(run.value).toEqual([4, [true, true, true, true, true]]);
});

test('loads a root that imports another root once, and runs it after that', async () => {
  const back = 'import { made } from "back-a"; export const seen = made;';
  publish([
    { name: 'back', needs: ['back-a'], files: { 'index.js': moduleText('back', back) } },
    {
      name: 'back-a',
      needs: parts,
      files: { 'index.js': moduleText('back-a', `${importAll(parts)} export const made = {};`) },
    },
    {
      name: 'back-b',
      needs: ['back', ...parts],
      files: { 'index.js': `${importAll(parts)} export * from "back";` },
    },
  ]);
  const added = await fixture.add(['back-a', 'back-b']);
  const run = await runModules(
    fixture.get,
    `import { seen } from "${added.baseOf('back-b')}"; import { made } from "${added.baseOf('back-a')}";
     export default [seen === made, ...ran.slice(-2)];`,
  );
  expect(run.value).toEqual([true, 'back-a', 'back']);
  expect(joinedOf(run.requests)).toHaveLength(1);
});

test("isolates the failure of a package that can't be built or lacks a dependency", async () => {
  const absent = 'import "nowhere"; export default 1;';
  publish([
    { name: 'lacking', files: { 'index.js': absent } },
    { name: 'fine', needs: ['lacking', ...parts], files: { 'index.js': importAll(parts) } },
    {
      name: 'lost',
      needs: ['lacking', ...parts],
      files: {
        'index.js': `${importAll(parts)} import "lacking";`,
        'part.js': 'export { value as default } from "part-03";',
      },
      manifest: { exports: { '.': './index.js', './part': './part.js' } },
    },
    { name: 'broken', needs: parts, files: { 'index.js': 'export default = 1;' } },
  ]);
  const added = await fixture.add(['fine', 'lost', 'broken']);
  const run = (address: string) =>
    runModules(fixture.get, `import "${address}"; export default ran.length;`);
  expect((await run(added.baseOf('fine'))).value).toBe(parts.length);
  expect((await run(`${added.baseOf('lost')}/part`)).value).toBe(parts.length);
  await expect(run(added.baseOf('lost'))).rejects.toThrow('“nowhere” is imported');
  await expect(run(added.baseOf('broken'))).rejects.toThrow('build_failed');
});

test('reports a package as being built while its shared group is', async () => {
  publish(
    ['wait-a', 'wait-b'].map((name) => ({
      name,
      needs: parts,
      files: { 'index.js': importAll(parts) },
    })),
  );
  let letGo = () => {};
  const held = new Promise<void>((reached) => {
    fixture.registry.behave(/wait-b-1\.0\.0\.tgz$/, (response) => {
      letGo = () => void response.writeHead(404).end('{}');
      reached();
    });
  });
  const base = (await fixture.add(['wait-a', 'wait-b'])).baseOf('wait-a');
  const of = base.slice('/npm/'.length);
  const state = async () => {
    const { packages } = await (await fixture.get(`/npm/-/progress?of=${of}`)).json();
    return packages[of];
  };
  await held;
  await expect.poll(state, { timeout: 20_000 }).toBe('building');
  fixture.registry.restore();
  letGo();
  await expect.poll(state, { timeout: 20_000 }).toBe('ready');
});

test('has other URLs in a project where other packages share the group', async () => {
  const index = { 'index.js': importAll(parts) };
  publish(['one', 'two', 'three'].map((name) => ({ name, needs: parts, files: index })));
  const basesOf = (added: AddedPackages) => ['one', 'two'].map((name) => added.baseOf(name));
  const both = await fixture.add(['one', 'two']);
  expect(basesOf(await fixture.add(['two', 'one']))).toEqual(basesOf(both));
  const all = await fixture.add(['one', 'two', 'three']);
  for (const base of basesOf(all)) expect(basesOf(both)).not.toContain(base);
});

test('leaves nothing incomplete when a process is killed while it bundles a shared group', async () => {
  const index = { 'index.js': importAll(parts) };
  publish(['killed-a', 'killed-b'].map((name) => ({ name, needs: parts, files: index })));
  const { lock, baseOf } = await fixture.add(['killed-a', 'killed-b']);
  const base = baseOf('killed-a');
  const get = await killWhileBundling(fixture, { lock, base, builtAt: [3, 15], joined: '1.js' });
  const run = await runModules(
    get,
    `import "${base}"; import "${baseOf('killed-b')}"; export default ran.length;`,
  );
  expect([run.value, run.requests.length]).toEqual([13, 3]);
}, 100_000);
