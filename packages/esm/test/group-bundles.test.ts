import { VitrineError } from '@vitrine/project';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { computeUngroupedPackageUrls } from '../src/lockfile/resolution-hash.ts';
import { parseLockfile } from '../src/lockfile/lockfile.ts';
import { parsePackageUrl } from '../src/package-url.ts';
import { createContext, loadLockfile } from '../src/context.ts';
import { createGroupBundles } from '../src/groups/group-bundles.ts';
import { findServedPackage } from '../src/served-package.ts';
import { moduleText, publishAll, type FakePackage } from './fixtures/fake-packages.ts';
import {
  codeOf,
  withPackageServer,
  type AddedPackages,
  type PackageServerFixture,
} from './package-server-fixture.ts';
import { killWhileBundling } from './kill-while-bundling.ts';
import { runModules } from './fixtures/run-modules.ts';

// One server for all tests: the private dependencies are built once, and each test has its own
// root.
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

/** As many private dependencies as a package group needs. */
const parts = Array.from({ length: 12 }, (_, index) => `part-${index}`);
const importParts = parts.map((name) => `import "${name}";`).join('\n');

const publish = (packages: readonly FakePackage[]) => publishAll(fixture.registry, packages);

/** Base URL of a package without package groups. */
function plainBase({ lock }: AddedPackages, name: string): string {
  const read = parseLockfile(lock);
  return (read && computeUngroupedPackageUrls(read, 'development').get(name)) ?? '';
}

test('serves a root with many small private dependencies in two requests, with preload hints for both', async () => {
  const lines = parts.map((name, index) => `import { value as v${index} } from "${name}";`);
  const sum = parts.map((_, index) => `v${index}`).join(' + ');
  publish([
    {
      name: 'adder',
      needs: parts,
      files: { 'index.js': `${lines.join('\n')}\nexport const sum = ${sum};` },
    },
  ]);
  const added = await fixture.add(['adder']);
  const base = added.baseOf('adder');
  const script = (at: string) => `export { sum as default } from "${at}";`;
  const bundled = await runModules(fixture.get, script(base));
  expect(bundled).toEqual({ value: 12, requests: [base, `${base}/-join/3.js`] });
  const hints = (await fixture.get(base)).headers.get('link');
  expect(hints).toBe(`<${base}/-join/3.js>; rel=modulepreload`);
  const alone = await runModules(fixture.get, script(plainBase(added, 'adder')));
  expect([alone.value, alone.requests.length]).toEqual([12, 13]);
});

test('sends preload hints only for what the browser loads', async () => {
  publish([
    {
      name: 'telling',
      needs: ['part-0', ...parts],
      files: {
        'index.js': `export { shared } from "./shared.js"; ${importParts}`,
        'other.js': 'export { shared } from "./shared.js"; export { value } from "part-0";',
        'alone.js': 'import "part-1"; import "nowhere"; export const alone = 1;',
        'shared.js': 'import "part-2"; export const shared = [1, 2, 3];',
      },
      manifest: {
        exports: { '.': './index.js', './other': './other.js', './alone': './alone.js' },
      },
    },
  ]);
  const base = (await fixture.add(['telling'])).baseOf('telling');
  for (const address of [base, `${base}/other`]) {
    const { requests } = await runModules(fixture.get, `export * from "${address}";`);
    const hinted = (await fixture.get(address)).headers.get('link')?.matchAll(/<([^>]+)>/g) ?? [];
    const inVain = [...hinted]
      .map(([, hint = '']) => hint)
      .filter((hint) => !requests.includes(hint));
    expect(inVain).toEqual([]);
  }
});

test('maps a bundle file to the published files', async () => {
  publish([{ name: 'mapped', needs: parts, files: { 'index.js': importParts } }]);
  const base = (await fixture.add(['mapped'])).baseOf('mapped');
  expect(await (await fixture.get(`${base}/-join/3.js`)).text()).toMatch(
    /\/\/# sourceMappingURL=\/npm\/\S+\/-join\/3\.js\.map\s*$/,
  );
  const map = await fixture.get(`${base}/-join/3.js.map`);
  expect(map.headers.get('content-type')).toMatch(/^application\/json/);
  const { sourcesContent } = await map.json();
  expect(sourcesContent).toContain(moduleText('part-7'));
  const manifest = await fixture.get(`${base}/-join/manifest.json`);
  expect(await codeOf(manifest)).toBe('package_subpath_not_found');
});

test('loads a private dependency once, however it is imported', async () => {
  const count = 'import { counter } from "counter"; counter.value++;';
  publish([
    { name: 'counter', files: { 'index.js': 'export const counter = { value: 0 };' } },
    { name: 'lazy', needs: ['counter'], files: { 'index.js': `${count} export default 1;` } },
    {
      name: 'hiding',
      needs: ['counter'],
      files: { 'index.js': 'module.exports = { ["coun" + "ter"]: require("counter").counter };' },
      manifest: { type: 'commonjs' },
    },
    {
      name: 'counting',
      needs: ['counter', 'lazy', 'hiding', ...parts],
      files: {
        'index.js': `${count} ${importParts}
          import { counter as hidden } from "hiding";
          export { counter, hidden };
          export const later = () => import("lazy");`,
        'other.js': `${count} export { counter };`,
        'dist/deep.js': `${count} export { counter };`,
      },
      manifest: { exports: { '.': './index.js', './other': './other.js', './dist/*': './dist/*' } },
    },
  ]);
  const base = (await fixture.add(['counting'])).baseOf('counting');
  const run = await runModules(
    fixture.get,
    `import { counter, hidden, later } from "${base}";
     import { counter as other } from "${base}/other";
     import { counter as deep } from "${base}/dist/deep.js";
     await later();
     export default [counter.value, counter === hidden, counter === other, counter === deep];`,
  );
  expect(run.value).toEqual([4, true, true, true]);
});

test('loads for another entry only what it shares with the main module', async () => {
  const other = 'import "part-3"; import "part-4"; export default globalThis.ran;';
  publish([
    {
      name: 'double',
      needs: parts,
      files: {
        'index.js': moduleText('main', importParts),
        'other.js': moduleText('other', other),
      },
      manifest: { exports: { '.': './index.js', './other': './other.js' } },
    },
  ]);
  const base = (await fixture.add(['double'])).baseOf('double');
  const alone = await runModules(fixture.get, `export { default } from "${base}/other";`);
  expect(alone.value).toEqual(['part-3', 'part-4', 'other']);
  const both = await runModules(
    fixture.get,
    `import ran from "${base}/other"; import "${base}"; export default ran;`,
  );
  expect(both.value).toHaveLength(14);
});

test('runs bundled modules in the order of separate modules, also in import cycles', async () => {
  const ring = (name: string, needs: readonly string[]): FakePackage => ({
    name,
    needs,
    files: {
      'index.js': moduleText(
        name,
        `${needs.map((need) => `import "${need}";`).join('\n')}
         export function tell() { return "${name}"; }`,
      ),
    },
  });
  publish([
    ring('ring-a', ['part-5', 'ring-b']),
    ring('ring-b', ['part-2', 'ring-c']),
    ring('ring-c', ['ring-a', 'part-9', 'ring-d']),
    ring('ring-d', ['ring-b', 'part-1']),
    {
      name: 'circles',
      needs: ['ring-a', 'ring-c', 'ring-d', ...parts],
      files: {
        'index.js': moduleText(
          'main',
          `import { tell } from "ring-c"; import "ring-a"; ${importParts}
           import * as all from "ring-d";
           export default [globalThis.ran, tell(), all.tell()];`,
        ),
      },
    },
  ]);
  const added = await fixture.add(['circles']);
  const script = (at: string) => `export { default } from "${at}";`;
  const bundled = await runModules(fixture.get, script(added.baseOf('circles')));
  const alone = await runModules(fixture.get, script(plainBase(added, 'circles')));
  expect(bundled.requests).toHaveLength(2);
  expect(bundled.value).toEqual(alone.value);
});

test('loads a direct dependency once when a group imports it too', async () => {
  publish([
    { name: 'guest', needs: ['part-1'], files: { 'index.js': 'export * from "part-1";' } },
    {
      name: 'host',
      needs: ['guest', 'late', ...parts],
      files: { 'index.js': `${importParts} export { value } from "guest"; import "late";` },
    },
    { name: 'late', files: { 'index.js': 'export default 1;' } },
  ]);
  const added = await fixture.add(['host', 'part-1']);
  const run = await runModules(
    fixture.get,
    `import "${added.baseOf('host')}"; import "${added.baseOf('part-1')}";
     export default globalThis.ran.filter((name) => name === "part-1");`,
  );
  expect(run.value).toEqual(['part-1']);
  expect(run.requests.some((path) => path.includes('/-join/'))).toBe(true);
});

test('loads groups that import each other once', async () => {
  const own = parts.map((name) => name.replace('part', 'own'));
  publish([
    ...own.map((name) => ({ name, files: { 'index.js': 'export default 1;' } })),
    { name: 'inner', needs: parts, files: { 'index.js': `${importParts} export const it = {};` } },
    {
      name: 'bridge',
      needs: ['inner'],
      files: { 'index.js': 'import * as seen from "inner"; export { seen };' },
    },
    {
      name: 'outer',
      needs: ['bridge', ...own],
      files: {
        'index.js': `${own.map((name) => `import "${name}";`).join('\n')} export * from "bridge"; export { it } from "inner";`,
      },
      manifest: {
        dependencies: Object.fromEntries(['inner', 'bridge', ...own].map((n) => [n, '1'])),
      },
    },
  ]);
  const added = await fixture.add(['inner', 'outer']);
  const run = await runModules(
    fixture.get,
    `import { it } from "${added.baseOf('inner')}"; import { it as same, seen } from "${added.baseOf('outer')}";
     export default [it === same, seen.it === it];`,
  );
  expect(run.value).toEqual([true, true]);
  expect(run.requests.filter((path) => path.includes('/-join/'))).toHaveLength(2);
});

test('serves a private dependency under its own root only', async () => {
  publish([{ name: 'strict', needs: parts, files: { 'index.js': importParts } }]);
  const own = await fixture.add(['strict', 'part-0']);
  const target = own.baseOf('part-0').slice('/npm/'.length);
  // Here, it is a direct dependency too.
  const base = own.baseOf('strict');
  expect(await codeOf(await fixture.get(`${base}/-in/${target}`))).toBe('package_address_unknown');
  const whole = (await fixture.add(['strict'])).baseOf('strict');
  expect(whole).not.toBe(base);
  expect((await fixture.get(`${whole}/-in/${target}`)).status).toBe(200);
  expect(await codeOf(await fixture.get(`${whole}/-in/${target}/-in/${target}`))).toBe(
    'bad_request',
  );
});

test('fails only where a missing or broken package is imported', async () => {
  publish([
    { name: 'missing', files: { 'index.js': 'import "nowhere"; export default 1;' } },
    { name: 'broken', files: { 'index.js': 'export default = 1;' } },
    {
      name: 'frail',
      needs: ['missing', 'broken', ...parts],
      files: {
        'index.js': importParts,
        'a.js': 'import "missing";',
        'b.js': 'import "broken";',
        'c.js': 'export { value as default } from "part-1";',
      },
      manifest: { exports: { '.': './index.js', './*': './*.js' } },
    },
    {
      name: 'failing',
      needs: ['missing', ...parts],
      files: {
        'index.js': `${importParts} import "missing";`,
        'c.js': 'import "part-2"; export { value as default } from "part-1";',
      },
      manifest: { exports: { '.': './index.js', './*': './*.js' } },
    },
  ]);
  const frail = (await fixture.add(['frail'])).baseOf('frail');
  const failing = (await fixture.add(['failing'])).baseOf('failing');
  const run = async (address: string) =>
    (await runModules(fixture.get, `export { default } from "${address}";`)).value;
  expect([await run(`${frail}/c`), await run(`${failing}/c`)]).toEqual([1, 1]);
  await runModules(fixture.get, `import "${frail}";`);
  await expect(runModules(fixture.get, `import "${frail}/a";`)).rejects.toThrow(
    '“nowhere” is imported here',
  );
  await expect(runModules(fixture.get, `import "${frail}/b";`)).rejects.toThrow('build_failed');
  await expect(runModules(fixture.get, `import "${failing}";`)).rejects.toThrow(
    '“nowhere” is imported here',
  );
});

test('reports a root as being built while its private dependencies are', async () => {
  publish([
    { name: 'held', files: { 'index.js': 'export default 1;' } },
    {
      name: 'waiting',
      needs: ['held', ...parts],
      files: { 'index.js': `import "held"; ${importParts}` },
    },
  ]);
  let letGo = () => {};
  const held = new Promise<void>((reached) => {
    fixture.registry.behave(/held-1\.0\.0\.tgz$/, (response) => {
      letGo = () => void response.writeHead(404).end('{}');
      reached();
    });
  });
  const base = (await fixture.add(['waiting'])).baseOf('waiting');
  const of = base.slice('/npm/'.length);
  const state = async () => {
    const { packages } = await (await fixture.get(`/npm/-/progress?of=${of}`)).json();
    return packages[of];
  };
  await held;
  await expect.poll(state).toBe('building');
  fixture.registry.restore();
  letGo();
  await expect.poll(state, { timeout: 20_000 }).toBe('ready');
});

test("serves a group that can't be bundled as separate modules, permanently", async () => {
  publish([{ name: 'unjoined', needs: parts, files: { 'index.js': importParts } }]);
  // An existing dependency, unlike an added one, is built on request.
  const packageJson = '{"dependencies":{"unjoined":"1"}}';
  const { packages, lock } = await (await fixture.post('resolve', { packageJson })).json();
  const context = await createContext({
    folder: fixture.folder,
    appOrigins: [],
    registry: { npm: { registry: fixture.registry.address }, tarballHosts: [] },
    installed: [],
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  const warnings: string[] = [];
  const joins = createGroupBundles({
    store: context.store,
    builds: context,
    building: () => Promise.reject(new VitrineError('package_build_failed', 'took too long')),
    log: { ...context.log, warn: (message) => void warnings.push(message) },
  });
  await loadLockfile(context, lock);
  const { base } = packages[0];
  const address = parsePackageUrl(base);
  if (address?.kind !== 'exact') throw new Error(base);
  const bundled = await joins.get(await findServedPackage(address, context));
  expect(bundled?.manifest).toEqual({ modules: {}, files: {}, failure: 'took too long' });
  expect(warnings).toEqual(['Couldn’t bundle a package group; serving it unbundled.']);
  await context.resolver.close();
  const run = await runModules(fixture.get, `import "${base}"; export default ran.length;`);
  expect([run.value, run.requests.length]).toEqual([12, 13]);
});

test('leaves nothing incomplete when a process is killed while it builds and bundles a group', async () => {
  publish([{ name: 'killed', needs: parts, files: { 'index.js': importParts } }]);
  const { lock, baseOf } = await fixture.add(['killed']);
  const base = baseOf('killed');
  const get = await killWhileBundling(fixture, { lock, base, builtAt: [2, 13], joined: '3.js' });
  const run = await runModules(get, `import "${base}"; export default ran.length;`);
  expect([run.value, run.requests.length]).toEqual([12, 2]);
}, 100_000);
