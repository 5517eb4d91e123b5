import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  findPackageUrl,
  isExactVersion,
  isPackageName,
  parsePackageName,
  parseLockfile,
} from '../src/lockfile/lockfile.ts';
import { computeResolutions, computePackageUrls } from '../src/lockfile/resolution-hash.ts';

type Place = Record<string, unknown>;

function lockText(root: Place, places: Record<string, Place>): string {
  const packages: Record<string, Place> = { '': root };
  for (const [place, fields] of Object.entries(places)) {
    packages[place] = { version: '1.0.0', integrity: `sha512-${'A'.repeat(86)}==`, ...fields };
  }
  return JSON.stringify({ name: 'project', lockfileVersion: 3, requires: true, packages });
}

function lockOf(root: Place, places: Record<string, Place>) {
  const lockfile = parseLockfile(lockText(root, places));
  if (lockfile === undefined) throw new Error('This lock was not read');
  return lockfile;
}

describe('a lockfile', () => {
  test('that npm wrote for this repository is parsed', () => {
    const text = readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8');
    const react = /"node_modules\/react": \{\s+"version": "([^"]+)"/.exec(text)?.[1];
    const small = JSON.parse(text) as { packages: Record<string, unknown> };
    const kept = ['node_modules/react', 'node_modules/react-dom', 'node_modules/scheduler'];
    small.packages = {
      '': { dependencies: { 'react-dom': '*' } },
      ...Object.fromEntries(kept.map((place) => [place, small.packages[place]])),
    };
    const dom = parseLockfile(JSON.stringify(small))?.direct.get('react-dom');
    expect(dom?.dependencies.get('react')?.version).toBe(react);
    expect(dom?.dependencies.has('scheduler')).toBe(true);
  });

  test('resolves a name to the nearest package', () => {
    const lockfile = lockOf(
      { dependencies: { a: '1', b: '2' } },
      {
        'node_modules/a': { dependencies: { b: '1' } },
        'node_modules/a/node_modules/b': { version: '1.0.0', peerDependencies: { c: '*' } },
        'node_modules/b': { version: '2.0.0', peerDependencies: { c: '*' } },
        'node_modules/c': {},
        'node_modules/a/node_modules/c': { version: '3.0.0' },
      },
    );
    const a = lockfile.direct.get('a');
    expect(a?.dependencies.get('b')?.version).toBe('1.0.0');
    expect(a?.dependencies.get('b')?.dependencies.get('c')?.version).toBe('3.0.0');
    expect(lockfile.direct.get('b')?.dependencies.get('c')?.version).toBe('1.0.0');
  });

  test('lets a package import what it is known to import without declaring it, and nothing else', () => {
    const lockfile = lockOf(
      { dependencies: { tunnel: '1', hooks: '1', plain: '1', 'react-dom': '1' } },
      {
        'node_modules/tunnel': { dependencies: { store: '1' } },
        'node_modules/store': { peerDependencies: { react: '*' } },
        'node_modules/hooks': { peerDependencies: { react: '*' } },
        'node_modules/plain': { dependencies: { bare: '1' } },
        'node_modules/bare': {},
        'node_modules/react': {},
        'node_modules/react-dom': { peerDependencies: { react: '*' } },
        'node_modules/@firebase/database': {},
        'node_modules/@firebase/app': {},
        'node_modules/buttons': { peerDependencies: { vue: '*' } },
        'node_modules/vue': { dependencies: { '@vue/shared': '*' } },
        'node_modules/@vue/shared': {},
      },
    );
    const seen = (name: string) =>
      [
        ...(lockfile.packages.find((item) => item.name === name)?.dependencies.keys() ?? []),
      ].toSorted();
    expect(seen('tunnel')).toEqual(['react', 'react-dom', 'store']);
    expect(seen('hooks')).toEqual(['react', 'react-dom']);
    expect(seen('@firebase/database')).toEqual(['@firebase/app']);
    expect(seen('buttons')).toEqual(['@vue/shared', 'vue']);
    expect(seen('@vue/shared')).toEqual([]);
    expect(seen('react-dom')).toEqual(['react']);
    expect(seen('react')).toEqual([]);
    expect(seen('plain')).toEqual(['bare']);
    expect(seen('bare')).toEqual([]);
  });

  test('lets a direct dependency that declares nothing import the React, Vue, … of the project', () => {
    const lockfile = lockOf(
      { dependencies: { kit: '1', colors: '1', plain: '1', vue: '3', '@vue/shared': '3' } },
      {
        'node_modules/kit': {},
        'node_modules/colors': { dependencies: { names: '1' } },
        'node_modules/names': {},
        'node_modules/plain': {},
        'node_modules/vue': { dependencies: { '@vue/shared': '*' } },
        'node_modules/@vue/shared': {},
        'node_modules/preact': {},
      },
    );
    const seen = lockfile.packages.map(({ name, dependencies }) => [
      name,
      [...dependencies.keys()],
    ]);
    expect(Object.fromEntries(seen)).toEqual({
      kit: ['vue', '@vue/shared'],
      colors: ['names'],
      names: [],
      plain: ['vue', '@vue/shared'],
      vue: ['@vue/shared'],
      '@vue/shared': [],
      preact: [],
    });
  });

  test('lets a package that is named after Svelte import the Svelte of the project', () => {
    const lockfile = lockOf(
      { dependencies: { 'kit-svelte': '1', svelte: '5', plain: '1' } },
      {
        'node_modules/kit-svelte': { dependencies: { dates: '1', 'svelte-icon': '1' } },
        'node_modules/svelte-icon': { dependencies: { dates: '1' } },
        'node_modules/dates': {},
        'node_modules/plain': { dependencies: { dates: '1' } },
        'node_modules/svelte': { dependencies: { '@sveltejs/acorn-typescript': '1' } },
        'node_modules/@sveltejs/acorn-typescript': { dependencies: { acorn: '8' } },
        'node_modules/acorn': {},
      },
    );
    const importers = lockfile.packages.filter(({ dependencies }) => dependencies.has('svelte'));
    expect(importers.map(({ name }) => name)).toEqual(['kit-svelte', 'svelte-icon']);
  });

  test('treats links, packages without integrity and invalid names as absent', () => {
    const lockfile = lockOf(
      { dependencies: { linked: '1', bare: '1', __proto__: '1', '../up': '1' } },
      {
        'node_modules/linked': { link: true },
        'node_modules/bare': { integrity: undefined },
        'node_modules/x': { name: '../../etc' },
        'node_modules/y': { version: '1.0.0/../..' },
      },
    );
    expect(lockfile.packages).toEqual([]);
    expect(lockfile.direct.get('linked')).toBeNull();
  });

  test.each(['', '[]', '{}', '{"lockfileVersion":1,"packages":{"":{}}}', 'null'])(
    'is none: %s',
    (text) => {
      expect(parseLockfile(text)).toBeUndefined();
    },
  );

  test('is rejected when it lists more packages than a project may have', () => {
    const places = Array.from({ length: 1_001 }, (_, index) => [`node_modules/p${index}`, {}]);
    expect(parseLockfile(lockText({}, Object.fromEntries(places)))).toBeUndefined();
  });
});

describe('package URLs', () => {
  const root = { dependencies: { three3: 'npm:three@^0.1', '@a/b': '1' } };
  const places = {
    'node_modules/three3': { name: 'three', version: '0.187.0' },
    'node_modules/@a/b': { dependencies: { three: '*', left: '*' }, optionalDependencies: {} },
    'node_modules/three': { version: '0.1.0' },
  };

  test('contain the package name of an alias', () => {
    const bases = computePackageUrls(lockOf(root, places), 'development');
    expect(bases.get('three3')).toMatch(/^\/npm\/three@0\.187\.0~[a-z2-7]{16}$/);
    expect(bases.get('@a/b')).toMatch(/^\/npm\/@a\/b@1\.0\.0~[a-z2-7]{16}$/);
  });

  test("have a resolution with the targets of the package's imports", () => {
    const lockfile = lockOf(root, places);
    const resolutions = computeResolutions(lockfile, 'development');
    const hash = computePackageUrls(lockfile, 'development').get('@a/b')?.split('~')[1] ?? '';
    const targets = resolutions.get(hash)?.dependencies;
    expect(targets?.['left']).toBeNull();
    const [, three = ''] = /^three@0\.1\.0~(.*)$/.exec(targets?.['three'] ?? '') ?? [];
    expect(resolutions.get(three)?.version).toBe('0.1.0');
  });

  test('differ between development and production, and by what the package reaches', () => {
    const lockfile = lockOf(root, places);
    const other = lockOf(root, { ...places, 'node_modules/three': { version: '0.2.0' } });
    const bases = [
      computePackageUrls(lockfile, 'development'),
      computePackageUrls(lockfile, 'production'),
      computePackageUrls(other, 'development'),
    ];
    expect(new Set(bases.map((each) => each.get('@a/b'))).size).toBe(3);
    expect(bases[0]?.get('three3')).toBe(bases[2]?.get('three3'));
  });

  test('are the same for import cycles in different folders', () => {
    const cycle = { a: { dependencies: { b: '1' } }, b: { dependencies: { a: '1', c: '1' } } };
    const flat = lockOf(
      { dependencies: { a: '1' } },
      { 'node_modules/a': cycle.a, 'node_modules/b': cycle.b, 'node_modules/c': {} },
    );
    const nested = lockOf(
      { dependencies: { a: '1', c: '2' } },
      {
        'node_modules/c': { version: '2.0.0' },
        'node_modules/a': cycle.a,
        'node_modules/a/node_modules/b': cycle.b,
        'node_modules/a/node_modules/c': {},
      },
    );
    const base = computePackageUrls(flat, 'production').get('a');
    expect(base).toMatch(/^\/npm\/a@1\.0\.0~[a-z2-7]{16}$/);
    expect(computePackageUrls(nested, 'production').get('a')).toBe(base);
  });

  test("don't depend on the order of the file, in every graph", () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const edges = fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...names)));
    fc.assert(
      fc.property(edges, fc.shuffledSubarray(names, { minLength: 6 }), (pairs, order) => {
        const bases = [names, order].map((each) => {
          const folders = each.map((name) => {
            const dependenciesOn = pairs
              .filter(([from]) => from === name)
              .map(([, to]) => [to, '*']);
            return [`node_modules/${name}`, { dependencies: Object.fromEntries(dependenciesOn) }];
          });
          const root_ = { dependencies: Object.fromEntries(names.map((name) => [name, '*'])) };
          return computePackageUrls(lockOf(root_, Object.fromEntries(folders)), 'development');
        });
        expect(bases[1]).toEqual(bases[0]);
        expect(new Set(bases[0]?.values()).size).toBe(names.length);
      }),
    );
  });

  test('take less than two seconds for a thousand packages in one cycle', () => {
    const places = Array.from({ length: 1_000 }, (_, index) => [
      `node_modules/p${index}`,
      { dependencies: { [`p${(index + 1) % 1_000}`]: '1' } },
    ]);
    const lockfile = lockOf({ dependencies: { p0: '1' } }, Object.fromEntries(places));
    const start = performance.now();
    expect(computePackageUrls(lockfile, 'development').size).toBe(1);
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});

describe('parsePackageName', () => {
  const bases = new Map([
    ['react-dom', '/npm/react-dom@1.0.0~l'],
    ['@a/b', '/npm/@a/b@1.0.0~m'],
  ]);

  test.each([
    ['react-dom', '/npm/react-dom@1.0.0~l'],
    ['react-dom/client', '/npm/react-dom@1.0.0~l/client'],
    ['@a/b/c/d.css', '/npm/@a/b@1.0.0~m/c/d.css'],
    ['@a/c', undefined],
    ['react', undefined],
    ['./react-dom', undefined],
    ['https://react-dom', undefined],
    ['#react-dom', undefined],
    ['react-dom/../../../settings', undefined],
    ['react-dom/%2e%2e/x', undefined],
    ['react-dom/a\\..\\x', undefined],
  ])('%s is served at %s', (specifier, address) => {
    expect(findPackageUrl(bases, specifier)).toBe(address);
  });

  test('returns the package of a specifier', () => {
    expect(parsePackageName('@a/b/c')).toBe('@a/b');
    expect(parsePackageName('node:fs')).toBeUndefined();
    expect(parsePackageName('@a')).toBeUndefined();
    expect(parsePackageName('JSONStream')).toBe('JSONStream');
  });
});

test('PK-13: distinguishes valid names and versions from invalid ones', () => {
  const bad = ['__proto__', '@a/../b', '@/x', 'a'.repeat(215), 'a%2fb', '.git', 'node_modules'];
  bad.push('favicon.ico', 'реact', '', ' ', 'a b', 'a/b', '@a/b/c', '_x', '-x', 'a\0');
  expect(bad.filter(isPackageName)).toEqual([]);
  const good = ['constructor', 'hasOwnProperty', 'a', '@a/b', 'A', 'x.js'];
  expect(good.filter(isPackageName)).toEqual(good);
  expect(['1.0', '^1.0.0', 'latest', '1.0.0/..', '01.0.0', ''].filter(isExactVersion)).toEqual([]);
  expect(['1.0.0', '1.0.0-rc.1+b.7'].filter(isExactVersion)).toHaveLength(2);
});
