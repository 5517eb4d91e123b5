import { findPackageUrl, computePackageUrls, parseLockfile } from '@vitrine/esm/lockfile';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileModule, findImportedNames } from '../src/compile-module.ts';
import { compileFirst } from './component-rig.ts';
import { compilePage } from '../src/page/compile-page.ts';
import {
  createModuleContext,
  createPositionMapper,
  needsCompiling,
  readProjectConfig,
} from '../src/index.ts';
import { transformTyped } from './transform-typed.ts';

const origin = 'http://vitrine.localhost:4000';
const lock = JSON.stringify({
  lockfileVersion: 3,
  packages: {
    '': { dependencies: { three: '1', '@scope/ui': '1', react: '1' } },
    ...Object.fromEntries(
      ['three', '@scope/ui', 'react'].map((name) => [
        `node_modules/${name}`,
        { version: name === 'react' ? '19.0.0' : '1.0.0', integrity: `sha512-${'a'.repeat(86)}==` },
      ]),
    ),
  },
});

/** `plain` are specifiers of modules whose names are all static exports. */
function contextOf(files: Record<string, string>, plain: string[] = []) {
  const read = parseLockfile(lock);
  const bases = read ? computePackageUrls(read, 'development') : new Map<string, string>();
  const addresses = plain.map((specifier) => findPackageUrl(bases, specifier) ?? '');
  const config = readProjectConfig(
    new Map(Object.entries({ 'package-lock.json': lock, ...files })),
  );
  return createModuleContext(config, { origin, fullExportUrls: new Set(addresses) });
}

function compile(path: string, files: Record<string, string>, plain?: string[]) {
  const text = files[path] ?? '';
  const context = contextOf(files, plain);
  return compileModule({ path, text }, context, transformTyped({ path, text }, context));
}

/** Returns the specifiers in a compiled text, in text order. */
function specifiers(code = ''): string[] {
  return Array.from(code.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g), ([, found = '']) => found);
}

const three = /^http:\/\/vitrine\.localhost:4000\/npm\/three@1\.0\.0~[a-z2-7]{16}/;

describe('an imported path', () => {
  const around = {
    'src/App.tsx': '',
    'src/lib.ts': '',
    'src/lib.js': '',
    'src/part/index.ts': '',
    'src/old.jsx': '',
    'src/a b.ts': '',
    'top.js': '',
  };
  it.each([
    ['./App', '/src/App.tsx'],
    ['./lib', '/src/lib.ts'],
    ['./lib.js', './lib.js'],
    ['./App.js', '/src/App.tsx'],
    ['./part', '/src/part/index.ts'],
    ['./part/', '/src/part/index.ts'],
    ['./old', '/src/old.jsx'],
    ['./a b', '/src/a%20b.ts'],
    ['../top', '/top.js'],
    ['/top', '/top.js'],
    ['./part/index.ts', './part/index.ts'],
    ['https://example.org/x.js', 'https://example.org/x.js'],
    ['./image.svg?url', './image.svg?url'],
  ])('%s resolves to %s', (written, expected) => {
    const files = { ...around, 'src/main.ts': `import ${JSON.stringify(written)};` };
    expect(specifiers(compile('src/main.ts', files).code)).toEqual([expected]);
  });

  it('is reported with its position if missing, unless the import is dynamic', () => {
    const text = `import type { T } from './types';\nconst a = import('./maybe');\n  import './gone';`;
    const { absent, missing } = compile('main.ts', { 'main.ts': text });
    expect(absent).toEqual([{ specifier: './gone', line: 3, column: 10 }]);
    expect(missing).toEqual([]);
  });
});

describe('an imported package', () => {
  it('gets the URL from the lockfile, with the imported names', () => {
    const text = `import * as all from 'three';
import main, { b as c, a } from 'three/addons/x.js';
import type { Only } from 'three';
export { z } from 'three';
export default [all.Scene, all?.Mesh, main, c, a, await import('three')];`;
    const [namespace = '', sub = '', again = '', dynamic = ''] = specifiers(
      compile('main.ts', { 'main.ts': text }).code,
    );
    for (const address of [namespace, sub, again, dynamic]) expect(address).toMatch(three);
    expect(namespace.replace(three, '')).toBe('?names=Mesh,Scene');
    expect(sub.replace(three, '')).toBe('/addons/x.js?names=a,b');
    expect(again.replace(three, '')).toBe('?names=z');
    expect(dynamic.replace(three, '')).toBe('');
  });

  it('has no names in its URL if the module is known to export them statically', () => {
    const text = `import { a } from "three"; import { b } from "three/b.cjs"`;
    const { code } = compile('a.js', { 'a.js': text }, ['three']);
    const ends = specifiers(code).map((address) => address.replace(three, ''));
    expect(ends).toEqual(['', '/b.cjs?names=b']);
  });

  it('is reported once, at its first import, if it isn’t installed', () => {
    const text = `\nimport a from 'lodash/a';\nimport b from 'lodash';\nimport ui from '@scope/other/x';`;
    expect(compile('a.js', { 'a.js': text }).missing).toEqual([
      { packageName: 'lodash', specifier: 'lodash/a', line: 2, column: 16 },
      { packageName: '@scope/other', specifier: '@scope/other/x', line: 4, column: 17 },
    ]);
  });

  it('stays unchanged if it is in an import map', () => {
    const page =
      '<script type="importmap">{"imports":{"mapped":"./a.js","all/":"./all/"}}</script>';
    const text = `import 'mapped';\nimport 'all/of/it';`;
    const { code, missing } = compile('a.js', { 'a.js': text, 'index.html': page });
    expect([code, missing]).toEqual([undefined, []]);
  });

  it('for JSX comes from tsconfig.json, package.json or defaults to React', () => {
    const sourceOf = (files: Record<string, string>) =>
      compile('a.jsx', { 'a.jsx': 'export default <p />;', ...files }).missing[0]?.specifier ??
      'react';
    expect(sourceOf({})).toBe('react');
    expect(sourceOf({ 'package.json': '{"dependencies":{"preact":"10"}}' })).toBe(
      'preact/jsx-dev-runtime',
    );
    expect(sourceOf({ 'package.json': '{"dependencies":{"preact":"10","react":"19"}}' })).toBe(
      'react',
    );
    const settings = '{ // a comment\n "compilerOptions": { "jsxImportSource": "solid-js", } }';
    expect(sourceOf({ 'tsconfig.json': settings })).toBe('solid-js/jsx-dev-runtime');
  });
});

describe('imported names', () => {
  it.each([
    [`import a, { b as c, d, default as e } from 'x'`, '', ['b', 'd']],
    [`import { "odd name" as o, } from 'x'`, '', ['odd name']],
    [`import {\n  a, // one\n  /* two */ b\n} from "x"`, '', ['a', 'b']],
    [`export { a as default, b } from 'x'`, '', ['a', 'b']],
    [`import * as ns from 'x'`, 'ns.a(); xns.b; ns . c; ns?.d; o.ns.e', ['a', 'c', 'd']],
    [`import d, * as $n from 'x'`, '$n.a + $n.$b', ['$b', 'a']],
    [`export * from 'x'`, 'ns.a', []],
    [`import 'x'`, '', []],
    [`import('x')`, '', []],
  ])('of %s', (statement, code, names) => {
    expect(findImportedNames(statement, code)).toEqual(names);
  });
});

describe('positions', () => {
  it('are mapped to the source after a rewritten import on the same line', () => {
    const text = `type A = 1;\nconst both = [await import('./lib'), await import('three'), missing()];`;
    const { code = '', map } = compile('a.ts', { 'a.ts': text, 'lib.ts': '' });
    const lines = code.split('\n');
    const line = lines.findIndex((found) => found.includes('missing'));
    const column = (lines[line]?.indexOf('missing') ?? -1) + 1;
    const find = createPositionMapper(map?.mappings ?? '');
    const expected = text.split('\n')[1]?.indexOf('missing') ?? -1;
    expect(find({ line: line + 1, column })).toEqual({ line: 2, column: expected + 1 });
  });

  it('of every word of a plain script are mapped, for any imports', () => {
    const word = fc.stringMatching(/^w[a-z]{3,8}$/);
    const part = fc.oneof(
      word.map((name) => `${name};`),
      fc.constantFrom(`import('three');`, `import('./lib');`, '\n', '  ', `'é😀';`),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        const { code = text, map } = compile('a.js', { 'a.js': text, 'lib.ts': '' });
        const find = createPositionMapper(map?.mappings ?? '');
        const words = (of: string) =>
          of.split('\n').flatMap((line, index) =>
            Array.from(line.matchAll(/\bw[a-z]+(?=;)/g), (found) => ({
              line: index + 1,
              column: found.index + 1,
            })),
          );
        const found = words(code).map((location) => (map ? find(location) : location));
        expect(found).toEqual(words(text));
      }),
    );
  });
});

describe('a page', () => {
  it('has the imports of its inline scripts rewritten without moving lines', () => {
    const text = `<!doctype html>
<script>import('three')</script><p>
<script type="text/plain">import 'three'</script>
<script type="module">
import { a } from './lib';
import 'gone';
</script>`;
    const context = contextOf({ 'pages/a.html': text, 'pages/lib.ts': '' });
    const { code = '', missing } = compilePage({ path: 'pages/a.html', text }, context);
    const lines = code.split('\n');
    expect(lines).toHaveLength(7);
    expect(lines[1]).toMatch(/^<script>import\("http:.*three@1\.0\.0~\w+"\)<\/script><p>$/);
    expect(lines[2]).toBe(`<script type="text/plain">import 'three'</script>`);
    expect(lines[4]).toBe(`import { a } from '/pages/lib.ts';`);
    expect(missing).toMatchObject([{ packageName: 'gone', line: 6, column: 9 }]);
  });
});

describe('a plain script', () => {
  const context = contextOf({ 'a.js': '', 'b.js': '', 'data.json': '', 'lib.ts': '' });
  it.each([
    [`import './b.js'`, false],
    [`console.log('from here')`, false],
    [`import './lib'`, true],
    [`import data from './data.json'`, true],
    [`import('three')`, true],
    [`export * from 'three'`, true],
    [`const a = <p />;`, true],
  ])('%s is compiled: %s', (text, expected) => {
    expect(needsCompiling({ path: 'a.js', text }, context)).toBe(expected);
  });

  it('stays unchanged if nothing has to be compiled', () => {
    expect(compile('a.js', { 'a.js': `import './b.js'`, 'b.js': '' }).code).toBeUndefined();
  });

  it('may contain JSX', () => {
    const text = `export const a = <p>text</p>;`;
    expect(compile('a.js', { 'a.js': text }).code).toContain('_jsxDEV("p"');
  });

  it('reports a syntax error with its position', () => {
    const { problems, code } = compile('a.js', { 'a.js': 'let a;\nlet b = ;' });
    expect(problems).toMatchObject([{ line: 2, column: 9 }]);
    expect(code).toBeUndefined();
  });
});

it('reads pages with very many open tags quickly', () => {
  const page = '<script type=importmap <script '.repeat(30_000);
  const start = performance.now();
  readProjectConfig(new Map([['index.html', page]]));
  needsCompiling({ path: 'a.js', text: `import ${' '.repeat(500_000)}x` }, contextOf({}));
  expect(performance.now() - start).toBeLessThan(1_000);
});

describe('JSX of versions without its functions', () => {
  const elementsOf = async (name: string, version: string, text: string) => {
    const integrity = `sha512-${'a'.repeat(86)}==`;
    const packages = {
      '': { dependencies: { [name]: version } },
      [`node_modules/${name}`]: { version, integrity },
    };
    const file = await compileFirst({
      'a.jsx': text,
      'package.json': JSON.stringify({ dependencies: { [name]: version } }),
      'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages }),
    });
    return file.code;
  };

  it('is calls of what is in scope, as those versions expected', async () => {
    const preact = "import { h, render } from 'preact';\nrender(<p>hi</p>, document.body);\n";
    expect(await elementsOf('preact', '8.5.3', preact)).toContain('h("p"');
    expect(await elementsOf('preact', '10.29.0', preact)).toContain('jsx-dev-runtime');
    const react = "import React from 'react';\nexport default <p>hi</p>;\n";
    expect(await elementsOf('react', '16.8.0', react)).toContain('React.createElement("p"');
    expect(await elementsOf('react', '16.14.0', react)).toContain('jsx-dev-runtime');
  });
});
