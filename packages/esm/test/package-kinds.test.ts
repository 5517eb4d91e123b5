/** Ways of publishing packages that only bundlers, or one of them, support. */
import { describe, expect, test } from 'vitest';
import { load, withBuilt, type Files } from './fixtures/built-package.ts';

const valueOf = (files: Files, request = {}) =>
  withBuilt(files, async (built) => (await load(built)).default, request);

async function textOf(files: Files): Promise<string> {
  return withBuilt(files, async ({ manifest, read }) => {
    const scripts = Object.keys(manifest.modules).filter((file) => file.endsWith('.js'));
    return (await Promise.all(scripts.map(read))).join('\n');
  });
}

describe('finds the main module', () => {
  const whole = (fields: object) => ({ 'package.json': { name: 'pkg', ...fields } });
  const cases: [string, Files, unknown][] = [
    [
      'in a browser field with an ES module, before one that may be for Node',
      {
        ...whole({ main: 'a.js', module: 'node.js', browser: 'browser.js' }),
        'node.js': 'export default "node"',
        'browser.js': 'export default "browser"',
      },
      'browser',
    ],
    [
      'that is exported for require only',
      { ...whole({ exports: { '.': { require: './a.cjs' } } }), 'a.cjs': 'module.exports = 1' },
      1,
    ],
    [
      'where a condition names an unpublished file',
      {
        ...whole({ exports: { import: './dist/a.mjs', require: './a.cjs' } }),
        'a.cjs': 'module.exports = 2',
      },
      2,
    ],
    [
      'in a folder that is named with a trailing slash',
      { ...whole({ main: 'lib/' }), 'lib/index.js': 'module.exports = 3' },
      3,
    ],
    [
      'that the browser map replaces, without ./ and extension',
      {
        ...whole({ main: 'lib/a', browser: { 'lib/a.js': 'lib/b.js' } }),
        'lib/a.js': 'module.exports = "node"',
        'lib/b.js': 'module.exports = "browser"',
      },
      'browser',
    ],
    [
      'written in TypeScript and JSX',
      {
        ...whole({ exports: './a.ts' }),
        'a.ts': 'import type { T } from "./t"; import { n } from "./n"; export default n as T;',
        't.ts': 'export type T = number;',
        'n.ts': 'export const n: number = 4; export interface Unused<T> { t: T }',
      },
      4,
    ],
  ];
  test.each(cases)('%s', async (_, files, value) => {
    expect(await valueOf(files)).toEqual(value);
  });

  test('that is a style sheet, in a package of styles alone', async () => {
    const files = {
      'package.json': { name: 'pkg', main: 'a.scss', style: 'dist/a.css' },
      'a.scss': '$red: red;',
      'dist/a.css': 'b { color: red }',
    };
    expect(await valueOf(files)).toContain('color: red');
  });
});

test('replaces a file with the package that the browser map names', async () => {
  const text = await textOf({
    'package.json': { name: 'pkg', exports: './a.js', browser: { './fetch.js': 'other-fetch' } },
    'a.js': 'import get from "./fetch.js"; export default get;',
    'fetch.js': 'export default "node"',
  });
  expect(text).toContain('from "vitrine-package:other-fetch"');
});

describe('a computed specifier', () => {
  const locales = { 'l/de.js': 'export default "de"', 'l/en.js': 'export default "en"' };

  test.each([
    ['a template', '(name) => import(`./l/${name}.js`)'],
    ['a concatenation', '(name) => import(/* webpackChunkName: "l" */ "./l/" + name + ".js")'],
    ['a template with a query', '(name) => import(`./l/${name}.js${name ? "?v=" + [1][0] : ""}`)'],
  ])('as %s finds each matching file', (_, text) =>
    withBuilt(
      {
        'package.json': { name: 'pkg', exports: './a.js' },
        'a.js': `export default ${text};`,
        ...locales,
      },
      async ({ manifest, read }) => {
        const main = await read('index.js');
        expect(main).toMatch(
          /"\.\/l\/de\.js": \(\) => import\("vitrine-base:\/-chunk\/~\w+\.js"\)/,
        );
        expect(manifest.warnings).toEqual([]);
      },
    ),
  );

  test('in require is found with and without extension, and fails as in Node', async () => {
    const get = (await valueOf({
      'package.json': { name: 'pkg', main: 'a.js' },
      'a.js': 'module.exports = (name) => require("./l/" + name);',
      'l/de.js': 'module.exports = "de";',
      'l/en.json': '"en"',
    })) as (name: string) => unknown;
    expect([get('de'), get('de.js'), get('en')]).toEqual(['de', 'de', 'en']);
    expect(() => get('fr')).toThrow("Cannot find module './l/fr'");
  });

  test('reads no file of the machine', async () => {
    const text = await textOf({
      'package.json': { name: 'pkg', exports: { '.': './a.js', './b': './b.cjs' } },
      'a.js': 'export default (name) => import(`../../../../../etc/${name}`);',
      'b.cjs': 'exports.b = (name) => require("../../../../../etc/" + name);',
    });
    expect(text).toContain('vitrineFind({}, `../../../../../etc/${name}`');
    expect(text).not.toContain('passwd');
  });
});

test('compiles Svelte components that are published uncompiled', () =>
  withBuilt(
    {
      'package.json': {
        name: 'pkg',
        exports: { '.': { svelte: './index.js' }, './B.svelte': { svelte: './B.svelte' } },
        peerDependencies: { svelte: '^5' },
      },
      'index.js': 'export { default as B } from "./B.svelte"; export * from "./count.svelte.js";',
      'B.svelte':
        '<script lang="ts">let { n = 1 }: { n?: number } = $props();</script><b>{n}</b><style>b { color: red }</style>',
      'count.svelte.js':
        'export function count() { let n = $state(0); return { get n() { return n; } }; }',
    },
    async ({ manifest }) => {
      expect(manifest.entries['.']?.names).toEqual(['B', 'count']);
      expect(manifest.entries['./B.svelte']?.hasDefault).toBe(true);
      const imported = Object.values(manifest.modules).flatMap(({ placeholders }) =>
        placeholders.map(({ specifier }) => specifier),
      );
      expect(imported).toContain('svelte/internal/client');
    },
  ));

test.each([
  [3, 'svelte/internal'],
  [4, 'svelte/internal'],
  [5, 'svelte/internal/client'],
])('compiles components for Svelte %i', (svelte, runtime) =>
  withBuilt(
    {
      'package.json': { name: 'pkg', svelte: 'A.svelte', peerDependencies: { svelte: '*' } },
      'A.svelte': '<script>export let n = 1;</script><b>{n}</b>',
    },
    async ({ manifest }) => {
      const imported = Object.values(manifest.modules).flatMap(({ placeholders }) =>
        placeholders.map(({ specifier }) => specifier),
      );
      expect(imported).toContain(runtime);
    },
    { svelte },
  ),
);

test('says where a component has a mistake, and which versions have no compiler', async () => {
  const files = {
    'package.json': { name: 'pkg', svelte: 'A.svelte', peerDependencies: { svelte: '*' } },
    'A.svelte': '<script>\nlet n = ;\n</script>',
  };
  for (const svelte of [3, 4, 5]) {
    await expect(withBuilt(files, async () => {}, { svelte })).rejects.toMatchObject({
      code: 'package_build_failed',
      details: expect.stringMatching(/^A\.svelte:2:/),
    });
  }
  await expect(withBuilt(files, async () => {}, { svelte: 2 })).rejects.toMatchObject({
    details: expect.stringContaining('Svelte 2'),
  });
});

test('defines what Vite would define in a library', async () => {
  const text = await textOf({
    'package.json': { name: 'pkg', exports: './a.js' },
    'a.js': 'export const a = import.meta.env.MODE; export const b = process?.env?.NODE_ENV;',
  });
  expect(text).toContain('MODE: "development"');
  expect(text).toContain('b = "development"');
});

test('resolves a require with a trailing slash to the package instead of a built-in module', async () => {
  const text = await textOf({
    'package.json': { name: 'pkg', main: 'a.js', dependencies: { buffer: '6' } },
    'a.js': 'module.exports = [require("buffer/"), require("util/")];',
  });
  expect(text).toContain('"vitrine-package?require:buffer"');
  expect(text).toContain('"vitrine-package?require:node:util"');
});

test('imports JSON of another package as a module', async () => {
  const text = await textOf({
    'package.json': { name: 'pkg', exports: './a.js', dependencies: { other: '1' } },
    'a.js':
      'import a from "other/a.json" with { type: "json" }; export default [a, () => import("other/b.json", { with: { type: "json" } })];',
  });
  expect(text).toContain('import a from "vitrine-package:other/a.json";');
  expect(text).toContain('import("vitrine-package:other/b.json")');
});
