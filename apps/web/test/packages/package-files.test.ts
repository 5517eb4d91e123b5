import { readFileSync, readdirSync } from 'node:fs';
import { parseLockfile } from '@vitrine/esm/lockfile';
import { describe, expect, test } from 'vitest';
import { matchesLockfile, parseProjectManifest } from '../../app/packages/project-manifest.ts';
import { formatPackageNames, parsePackageRequests } from '../../app/packages/package-requests.ts';

describe('text to add packages', () => {
  test.each([
    ['three', [{ name: 'three' }]],
    [' three@0.180 ', [{ name: 'three', range: '0.180' }]],
    ['@scope/x@next, d3', [{ name: '@scope/x', range: 'next' }, { name: 'd3' }]],
    ['npm install --save-dev gsap@^3', [{ name: 'gsap', range: '^3' }]],
    ['yarn add react react-dom', [{ name: 'react' }, { name: 'react-dom' }]],
  ])('%j is parsed', (text, wanted) => {
    expect(parsePackageRequests(text)).toEqual(wanted);
  });

  test.each([
    '',
    '  ',
    'npm i',
    '../three',
    'https://esm.sh/three',
    'git+ssh://x/y',
    'a/b/c',
    '@scope',
  ])('%j is not a package', (text) => {
    expect(parsePackageRequests(text)).toBeUndefined();
  });

  test('is formatted as a list of names', () => {
    expect(formatPackageNames([{ name: 'three' }])).toBe('three');
    expect(formatPackageNames([{ name: 'react', range: '19' }, { name: 'react-dom' }])).toBe(
      'react and react-dom',
    );
  });
});

describe('package.json', () => {
  test('has the dependencies of both lists, or none without a file', () => {
    const text = '{ "devDependencies": { "b": "2", "a": "0" }, "dependencies": { "a": "^1" } }';
    const manifest = parseProjectManifest(text);
    expect(manifest.ranges && Object.fromEntries(manifest.ranges)).toEqual({ a: '^1', b: '2' });
    expect(parseProjectManifest(undefined).ranges?.size).toBe(0);
    expect(parseProjectManifest('{}').ranges?.size).toBe(0);
  });

  test.each([
    ['does not parse', '{\n  "dependencies": {\n    "a": 1,,\n  }\n}', 3],
    ['lists something else than texts', '{\n  "dependencies": {\n    "a": 1\n  }\n}', 2],
    ['is a list', '[]', 1],
  ])('that %s is reported at its line', (_, text, line) => {
    const manifest = parseProjectManifest(text);
    expect(manifest.ranges).toBeUndefined();
    expect(manifest).toMatchObject({ problem: { line } });
  });
});

describe('a lockfile', () => {
  const lock = (dependencies: object) =>
    JSON.stringify({ lockfileVersion: 3, packages: { '': { dependencies } } });

  test('matches only the ranges that it was resolved from', () => {
    const ranges = new Map([['a', '^1']]);
    expect(matchesLockfile(lock({ a: '^1' }), ranges)).toBe(true);
    expect(matchesLockfile(lock({ a: '^2' }), ranges)).toBe(false);
    expect(matchesLockfile(lock({ a: '^1', b: '1' }), ranges)).toBe(false);
    expect(matchesLockfile(lock({}), ranges)).toBe(false);
    expect(matchesLockfile('{ "packages": <<<<<<< ours', ranges)).toBe(false);
    expect(matchesLockfile('', new Map())).toBe(false);
  });
});

const examples = new URL('../../../../examples/', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, examples), 'utf8');
const withPackages = readdirSync(examples, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('/package.json'))
  .map((path) => path.replace('/package.json', ''));

/** Installed packages by path: "node_modules/a", "node_modules/a/node_modules/b". */
const places = Object.keys(JSON.parse(read('../package-lock.json')).packages);

/** Finds all installed versions of a package, which may also be nested. */
function findInstalled(name: string): unknown[] {
  return places
    .filter((place) => place.endsWith(`node_modules/${name}`))
    .map((place) => JSON.parse(read(`../${place}/package.json`)).version);
}

describe.each(withPackages)('examples/%s', (folder) => {
  const lock = read(`${folder}/package-lock.json`);

  test('has a matching lockfile without registry URLs', () => {
    const { ranges } = parseProjectManifest(read(`${folder}/package.json`));
    expect(ranges && matchesLockfile(lock, ranges)).toBe(true);
    expect(lock).not.toContain('"resolved"');
  });

  test('needs a registry if it says so; otherwise all of its packages are installed', () => {
    const packages = parseLockfile(lock)?.packages ?? [];
    expect(packages.length).toBeGreaterThan(0);
    const missing = packages.filter(
      ({ name, version }) => !findInstalled(name).some((found) => found === version),
    );
    const { needsRegistry = false } = JSON.parse(read(`${folder}/example.json`));
    expect(missing.length > 0, missing.map(({ name }) => name).join()).toBe(needsRegistry);
  });
});
