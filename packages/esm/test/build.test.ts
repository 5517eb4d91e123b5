import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { init } from 'es-module-lexer';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundlePackage } from '../src/build/bundle.ts';
import { defaultLimits } from '../src/build/build-package.ts';
import { findPlaceholders } from '../src/build/placeholders.ts';
import {
  writeMissingModule,
  linkModule,
  writeNamesModule,
  type LinkContext,
} from '../src/link-module.ts';
import { load, withBuilt, type Built, type Files } from './fixtures/built-package.ts';

beforeAll(() => init);

const linkage: LinkContext = {
  base: '/npm/pkg@1.0.0~aaaa',
  builtins: '/npm/-/node/1',
  findBase: (name) =>
    /^(?:absent|undeclared)$/.test(name) ? undefined : `/npm/${name}@9.9.9~bbbb`,
  findUndeclared: (name) => (name === 'undeclared' ? `/npm/-/undeclared/${name}` : undefined),
  findEntry: () => undefined,
};

async function linked({ manifest, read }: Built, subpath = '.'): Promise<string> {
  const entry = manifest.entries[subpath];
  if (!entry) throw new Error(`no ${subpath} in ${Object.keys(manifest.entries).join()}`);
  const { placeholders = [] } = manifest.modules[entry.file] ?? {};
  return linkModule(await read(entry.file), placeholders, linkage);
}

const entriesOf = (files: Files, request = {}) =>
  withBuilt(files, ({ manifest }) => Promise.resolve(manifest.entries), request);

describe('builds the main module of a package with', () => {
  const cases: [string, Files, string][] = [
    [
      'main',
      { 'package.json': { name: 'pkg', main: './lib' }, 'lib/index.js': 'export default "main"' },
      'main',
    ],
    [
      'module, which takes precedence over a browser string',
      {
        'package.json': { name: 'pkg', main: 'a.js', module: 'm.js', browser: 'b.js' },
        'a.js': 'exports.default = 1',
        'm.js': 'export default "module"',
        'b.js': 'exports.default = 2',
      },
      'module',
    ],
    [
      'a browser map',
      {
        'package.json': { name: 'pkg', main: 'a.js', browser: { './a.js': './b.js', fs: false } },
        'a.js': 'export default "node"',
        'b.js': 'import fs from "fs"; export default "browser" + Object.keys(fs).length',
      },
      'browser0',
    ],
    [
      'nested export conditions, in order',
      {
        'package.json': {
          name: 'pkg',
          exports: {
            node: './n.js',
            browser: { require: './r.js', import: [{ deno: './d.js' }, './i.js'] },
          },
        },
        'i.js': 'export default "import"',
      },
      'import',
    ],
  ];
  test.each(cases)('%s', (_, files, value) =>
    withBuilt(files, async (built) => expect(await load(built)).toMatchObject({ default: value })),
  );
});

test('builds subpaths and patterns together, and shared modules once', () =>
  withBuilt(
    {
      'package.json': {
        name: 'pkg',
        exports: { '.': './index.js', './a': './a.js', './features/*': './f/*.js', './f/*': null },
      },
      'index.js': 'export { counter } from "./shared.js"; export const main = 1;',
      'a.js': 'export { counter } from "./shared.js";',
      'f/one.js': 'export { counter } from "../shared.js"; export * from "pkg/a";',
      'shared.js': 'export const counter = { n: 0 };',
    },
    async (built) => {
      expect(Object.keys(built.manifest.entries).sort()).toEqual(['.', './a', './features/one']);
      const texts = await Promise.all(Object.keys(built.manifest.modules).map(built.read));
      expect(texts.join('').match(/\{ n: 0 \}/g)).toHaveLength(1);
      expect(await load(built, './features/one')).toEqual({ counter: { n: 0 } });
    },
  ));

test('uses the more specific of two matching patterns', () =>
  withBuilt(
    {
      'package.json': {
        name: 'pkg',
        exports: { './lib/*': './lib/*.js', './lib/*.js': './lib/*.js' },
      },
      'lib/a.js': 'export default 1',
    },
    async ({ manifest }) =>
      expect(Object.keys(manifest.entries).sort()).toEqual(['./lib/a', './lib/a.js']),
  ));

test('leaves imports of other packages unresolved, and links them in place', () =>
  withBuilt(
    {
      'package.json': {
        name: 'pkg',
        main: 'index.js',
        dependencies: { react: '*', absent: '*', buffer: '*' },
      },
      'index.js': `import React, { useState as s } from 'react/x';\nimport { Buffer } from 'buffer';\nimport { join } from 'path';
        import gone from 'absent';
        export * from 'react';\nexport const later = () => import('react/lazy');\nexport const text = 'vitrine-package:react';
        export default [React, s, Buffer, join, gone];`,
    },
    async (built) => {
      const text = await linked(built);
      expect(text).toContain('from "/npm/react@9.9.9~bbbb/x?names=useState"');
      expect(text).toContain('export * from "/npm/react@9.9.9~bbbb"');
      expect(text).toContain('import("/npm/react@9.9.9~bbbb/lazy")');
      expect(text).toContain('from "/npm/buffer@9.9.9~bbbb?names=Buffer"');
      expect(text).toContain('from "/npm/-/node/1/path"');
      expect(text).toContain('from "/npm/-/absent/absent"');
      expect(text).toContain('"vitrine-package:react"');
    },
  ));

describe('redirects an import to the file with the code', () => {
  const entry = {
    file: 'sub.js',
    commonjs: false,
    hasDefault: true,
    names: ['a'],
    hidesNames: false,
    hasStars: false,
    handedOn: { file: '~1.js', names: { a: 'a$3', default: 'default$3' } },
    chunks: [],
  };
  const lead = (text: string, changes = {}) => {
    const findEntry = () => ({ ...entry, ...changes });
    return linkModule(text, findPlaceholders(text), { ...linkage, findEntry });
  };
  const code = '/npm/x@9.9.9~bbbb/-chunk/~1.js';
  const own = '/npm/x@9.9.9~bbbb/sub';

  test('and keeps the number of lines', () => {
    const text = 'import {\n  a,\n  default as b\n} from "vitrine-package:x/sub";\nuse(a, b);';
    expect(lead(text)).toBe(
      `import { "a$3" as a, "default$3" as b } from "${code}"\n\n\n;\nuse(a, b);`,
    );
  });

  test('when it is for side effects, or for all names but the default', () => {
    expect(lead('import "vitrine-package:x/sub";')).toBe(`import "${code}";`);
    const star = 'export * from "vitrine-package:x/sub";';
    expect(lead(star)).toBe(`export { "a$3" as "a" } from "${code}";`);
    expect(lead(`export const a = 1;\n${star}`)).toBe(`export const a = 1;\nimport "${code}";`);
    expect(lead(`${star}\n${star}`)).toBe(
      `export { "a$3" as "a" } from "${code}";\nimport "${code}";`,
    );
  });

  test('and replaces a namespace of which only members are used with an object of them', () => {
    const space = 'import * as all from "vitrine-package:x/sub";';
    expect(lead(`// first\n${space}\nuse(all.a, all.none);`)).toBe(
      `const all = { __proto__: null, get a() { return all$a; } }; // first\n` +
        `import { "a$3" as all$a } from "${code}";\nuse(all.a, all.none);`,
    );
    for (const use of ['use(all, all.a);', 'use(...all, all.a);', 'use({ all }, all.a);']) {
      expect(lead(`${space}\n${use}`)).toBe(`import * as all from "${own}";\n${use}`);
    }
  });

  test('unless its names are unknown', () => {
    for (const open of [{ hasStars: true }, { hidesNames: true }]) {
      expect(lead('export * from "vitrine-package:x/sub";', open)).toContain(`"${own}`);
      const text = 'import * as all from "vitrine-package:x/sub";\nuse(all.none);';
      expect(lead(text, open)).toContain(`"${own}`);
    }
    expect(lead('import { b } from "vitrine-package:x/sub";')).toContain(`"${own}"`);
  });
});

test('imports another package without names where it is only re-exported', async () => {
  const takenBy = (main: string) =>
    withBuilt(
      {
        'package.json': { exports: './index.js', type: 'module' },
        'index.js': main,
        'all.js': 'export * from "x"; export * from "y"; export const own = 1;',
      },
      async ({ manifest }) => {
        const { placeholders = [] } = manifest.modules['index.js'] ?? {};
        const foreign = placeholders.filter(({ specifier }) => specifier !== undefined);
        return foreign.map(({ specifier, statement }) => `${specifier} ${statement?.takes}`);
      },
    );
  expect(await takenBy('export * from "./all.js";')).toEqual([
    'x names',
    'y names',
    'x all',
    'y all',
  ]);
  const whole = 'import * as all from "./all.js"; export const read = (name) => all[name];';
  expect(await takenBy(whole)).toEqual(['x undefined', 'y undefined']);
});

describe('CommonJS', () => {
  const commonjs = (text: string, more: Files = {}): Files => ({
    'package.json': { name: 'pkg', main: 'index.js', dependencies: { dep: '*' } },
    'index.js': text,
    ...more,
  });

  test('exports its names, its default, and module.exports', () =>
    withBuilt(commonjs('exports.a = 1; exports["b-c"] = 2; exports.class = 3;'), async (built) => {
      const module = await load(built);
      expect(module).toMatchObject({ a: 1, 'b-c': 2, class: 3, default: { a: 1 } });
      expect(module['module.exports']).toBe(module.default);
      expect(built.manifest.entries['.']).toMatchObject({ commonjs: true, hidesNames: false });
    }));

  test('compiled from an ES module exports its default as the default', () =>
    withBuilt(
      commonjs(
        'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = 7; exports.a = 1;',
      ),
      async (built) => expect(await load(built)).toMatchObject({ default: 7, a: 1 }),
    ));

  test('exports the names of the file that NODE_ENV selects', () =>
    withBuilt(
      commonjs(
        'if (process.env.NODE_ENV === "production") module.exports = require("./p.js"); else module.exports = require("./d.js");',
        { 'p.js': 'exports.mode = "production"', 'd.js': 'exports.mode = "development"' },
      ),
      async (built) => {
        expect(await load(built)).toMatchObject({ mode: 'production' });
        expect(await built.read('index.js')).not.toContain('development');
      },
      { mode: 'production' },
    ));

  test.each([
    'module.exports = factory(); function factory() { return { hidden: 1 }; }',
    'module.exports = { shown: 1, hidden: function () {}, also: 2 };',
    '(function (root, factory) { module.exports = factory(); })(this, () => ({ hidden: 1 }));',
  ])('that may hide names is detected: %s', async (text) => {
    const entries = await entriesOf(commonjs(text));
    expect(entries['.']?.hidesNames).toBe(true);
  });

  test('exports hidden names on request', () =>
    withBuilt(
      commonjs('module.exports = make(); function make() { return { hidden: 1, a: 2 }; }'),
      async (built) => {
        const entry = built.manifest.entries['.'];
        if (!entry) throw new Error('no main module');
        const text = writeNamesModule(entry, 'vitrine-base:/-chunk/index.js', [
          'hidden',
          'nowhere',
        ]);
        const asked = {
          ...built,
          manifest: {
            ...built.manifest,
            modules: { ...built.manifest.modules, 'asked.js': { bytes: 0, placeholders: [] } },
            entries: { '.': { ...entry, file: 'asked.js' } },
          },
        };
        const read = (file: string) =>
          file === 'asked.js' ? Promise.resolve(text) : built.read(file);
        expect(await load({ ...asked, read })).toMatchObject({
          hidden: 1,
          nowhere: undefined,
          default: { a: 2 },
        });
      },
    ));

  test('requires other packages, and a missing one fails where it is required', () =>
    withBuilt(
      commonjs(
        'const dep = require("dep"); try { require("absent"); } catch (error) { exports.code = error.code; } exports.dep = dep;',
      ),
      async (built) => {
        const text = await linked(built);
        expect(text).toContain('/npm/dep@9.9.9~bbbb"');
        expect(text).toContain('/npm/-/absent/absent?require');
        const data = (source: string) => `data:text/javascript,${encodeURIComponent(source)}`;
        const placed = text
          .replace(
            '/npm/dep@9.9.9~bbbb',
            data('const whole = () => 5; export { whole as "module.exports" }'),
          )
          .replace('/npm/-/absent/absent?require', data(writeMissingModule('absent', 'require')));
        const module = (await import(data(placed))) as { code: string; dep: () => number };
        expect([module.code, module.dep()]).toEqual(['MODULE_NOT_FOUND', 5]);
      },
    ));
});

test('resolves an undeclared import to the newest version', () =>
  withBuilt(
    {
      'package.json': { name: 'pkg', exports: { '.': './a.js', './b': './b.cjs' } },
      'a.js': 'import { one } from "undeclared/sub"; export const two = one + one;',
      'b.cjs': 'try { exports.one = require("undeclared"); } catch { exports.one = 1; }',
    },
    async (built) => {
      expect(await linked(built)).toContain('from "/npm/-/undeclared/undeclared/sub?names=one"');
      expect(await linked(built, './b')).toContain('from "/npm/-/absent/undeclared?require"');
    },
  ));

test('throws an error message where a missing package is imported', async () => {
  const source = `data:text/javascript,${encodeURIComponent(writeMissingModule('left-pad', 'import'))}`;
  await expect(import(source)).rejects.toThrow('“left-pad” is imported here');
});

test('gives a legacy ES module its namespace as default, unless the package has exports', async () => {
  const file = 'export const a = 1;';
  await withBuilt(
    { 'package.json': { name: 'pkg', module: 'm.js' }, 'm.js': file },
    async (built) => expect(await load(built)).toMatchObject({ a: 1, default: { a: 1 } }),
  );
  await withBuilt(
    { 'package.json': { name: 'pkg', exports: './m.js' }, 'm.js': file },
    async (built) => expect(await load(built)).toEqual({ a: 1 }),
  );
});

test('keeps export * of other packages where modules are shared', () =>
  withBuilt(
    {
      'package.json': {
        name: 'pkg',
        exports: { '.': './a.js', './b': './b.js' },
        dependencies: { dep: '*' },
      },
      'a.js': 'export * from "./shared.js"; export const a = 1;',
      'b.js': 'export * from "./shared.js";',
      'shared.js': 'export * from "dep"; export const s = 1;',
    },
    async (built) => {
      expect(await linked(built)).toContain('export * from "/npm/dep@9.9.9~bbbb"');
      expect(await linked(built, './b')).toContain('export * from "/npm/dep@9.9.9~bbbb"');
    },
  ));

test('merges a hundred shared modules into few files', () =>
  withBuilt(
    {
      'package.json': { name: 'pkg', exports: { '.': './index.js', './*': './m/*.js' } },
      'index.js': Array.from({ length: 100 }, (_, n) => `export * from "./m/m${n}.js";`).join('\n'),
      'm/does.js': 'import { v99 } from "./m99.js"; globalThis.done = v99;',
      ...Object.fromEntries(
        Array.from({ length: 100 }, (_, n) => [
          `m/m${n}.js`,
          `${n > 0 ? `import { v${n - 1} } from "./m${n - 1}.js";` : ''} export const v${n} = ${n > 0 ? `v${n - 1} + 1` : 0};`,
        ]),
      ),
    },
    async (built) => {
      expect(await load(built)).toMatchObject({ v99: 99 });
      expect(await load(built, './m50')).toEqual({ v50: 50 });
      const chunks = Object.values(built.manifest.entries).map((entry) => entry.chunks.length);
      expect(Math.max(...chunks)).toBeLessThan(7);
      const imports = (await linked(built, './does')).match(/\/-chunk\//g);
      expect(imports?.length).toBeLessThan(7);
    },
  ));

test("doesn't make other entries load what one entry re-exports from other packages", () => {
  const names = Array.from({ length: 15 }, (_, n) => `l${n}`);
  const file = (name: string) =>
    `export { ${name} } from "words/of/${name}"; import { x } from "./x.js"; export const of = () => x;`;
  return withBuilt(
    {
      'package.json': {
        name: 'pkg',
        sideEffects: false,
        dependencies: { words: '1' },
        exports: { '.': './index.js', './*': './l/*.js' },
      },
      'index.js':
        'import { x } from "./l/x.js"; export { l0 } from "words/of/l0"; export const y = x;',
      'l/x.js': 'export const x = {};',
      ...Object.fromEntries(names.map((name) => [`l/${name}.js`, file(name)])),
    },
    ({ manifest }) => {
      const { file: main, chunks } = manifest.entries['.'] ?? { file: '', chunks: [] };
      const found = [main, ...chunks].flatMap((each) => manifest.modules[each]?.placeholders ?? []);
      const loaded = found.flatMap(({ specifier }) => specifier ?? []);
      expect([...new Set(loaded)]).toEqual(['words/of/l0']);
      return Promise.resolve();
    },
  );
});

test('copies what esbuild adds to every file instead of sharing it', () =>
  withBuilt(
    {
      'package.json': { name: 'pkg', exports: { '.': './index.js', './a': './a.js' } },
      'index.js': 'export * as deep from "./deep.js"; export const mode = () => process.env;',
      'deep.js': 'export const x = 1;',
      'a.js': 'export * as other from "./other.js"; export const mode = () => process.env;',
      'other.js': 'export const y = 1;',
    },
    async (built) => {
      const files = Object.values(built.manifest.entries).flatMap(({ chunks }) => chunks);
      expect(files).toEqual([]);
      expect(await load(built)).toMatchObject({ deep: { x: 1 } });
      expect(await load(built, './a')).toMatchObject({ other: { y: 1 } });
    },
  ));

describe('a package that lists modules with side effects, and has many entries,', () => {
  const parts = Array.from({ length: 7 }, (_, n) => `part${n}`);
  const ordered: Files = {
    'package.json': {
      name: 'pkg',
      sideEffects: ['./index.js'],
      exports: {
        '.': './index.js',
        './base': './base.js',
        './beside': './beside.js',
        ...Object.fromEntries(parts.map((part) => [`./${part}`, `./${part}.js`])),
      },
    },
    'index.js': `import { Sub } from "./sub.js"; export { Base } from "./base.js"; export const sub = new Sub();
      ${parts.map((part) => `export * from "./${part}.js";`).join('\n')}`,
    // A module that enters this cycle at base.js finds no class to extend.
    'base.js': 'import { Sub } from "./sub.js"; export class Base { make() { return new Sub(); } }',
    'sub.js': 'import { Base } from "./base.js"; export class Sub extends Base {}',
    'hidden.js': 'export const hidden = {};',
    'beside.js':
      'import { hidden } from "./hidden.js"; export { hidden }; throw new Error("unasked");',
    ...Object.fromEntries(
      parts.map((part) => [
        `${part}.js`,
        `import { Base } from "./base.js"; export { hidden } from "./hidden.js"; export const ${part} = Base.name; export default 5;`,
      ]),
    ),
  };

  test('runs in the order of its main module, whatever is imported', () =>
    withBuilt(ordered, async (built) => {
      expect(await load(built)).toMatchObject({ part6: 'Base', sub: {}, hidden: {} });
      expect(await load(built, './base')).toMatchObject({ Base: expect.any(Function) });
      expect(await load(built, './part3')).toEqual({ part3: 'Base', hidden: {}, default: 5 });
      expect(built.manifest.entries['./part3']).toMatchObject({
        names: expect.arrayContaining(['hidden', 'part3']),
        hasDefault: true,
        chunks: ['~0.js'],
      });
    }));

  test('builds other modules on request, and shares modules with them', () =>
    withBuilt(
      ordered,
      async (built) => {
        expect(await linked(built, './beside')).toContain('from "/npm/pkg@1.0.0~aaaa/~/hidden.js"');
        expect((await entriesOf(ordered))['./~/hidden.js']?.names).toEqual(['hidden']);
      },
      { subpath: './beside' },
    ));
});

test('runs entries in an import cycle in the order of the main module', () => {
  const parts = Array.from({ length: 7 }, (_, n) => `part${n}`);
  return withBuilt(
    {
      'package.json': {
        name: 'pkg',
        sideEffects: false,
        exports: { '.': './index.js', './*': './*.js' },
      },
      'index.js': `export * from "./sub.js"; ${parts.map((part) => `export * from "./${part}.js";`).join('\n')}`,
      'base.js':
        'import { Sub } from "./sub.js"; export class Base { make() { return new Sub(); } }',
      'sub.js': 'import { Base } from "./base.js"; export class Sub extends Base {}',
      ...Object.fromEntries(parts.map((part) => [`${part}.js`, `export const ${part} = 1;`])),
    },
    async (built) => {
      expect(await load(built)).toMatchObject({ Sub: expect.any(Function), part6: 1 });
      expect(await load(built, './base')).toMatchObject({ Base: expect.any(Function) });
    },
  );
});

test("doesn't load merged chunks before an ordered main module", () => {
  const numbers = Array.from({ length: 9 }, (_, n) => n);
  const used = 'import * as everything from "./all.js"; export const all = () => everything;';
  return withBuilt(
    {
      'package.json': {
        name: 'pkg',
        main: 'index.js',
        module: 'index.js',
        sideEffects: ['index.js'],
      },
      'index.js': `export * from "./all.js"; ${used.replace('all =', 'own =')}`,
      'all.js': numbers.map((n) => `export * from "./main${n}.js";`).join('\n'),
      ...Object.fromEntries(
        numbers.flatMap((n) => [
          [`main${n}.js`, `export class Main${n} {}`],
          // Each is used by other entries than the next, so it is a chunk of its own.
          [
            `part${n}.js`,
            `import { Main${n} } from "./main${n}.js"; export class P extends Main${n} {}`,
          ],
          [
            `beside${n}.js`,
            numbers
              .slice(n)
              .map((m) => `import * as part${m} from "./part${m}.js";`)
              .join('\n') +
              `export const parts = [${numbers
                .slice(n)
                .map((m) => `part${m}`)
                .join()}];`,
          ],
        ]),
      ),
    },
    async (built) => {
      expect(built.manifest.entries['./beside0.js']?.chunks.length).toBeLessThan(7);
      expect(await load(built, './beside0.js')).toMatchObject({
        parts: numbers.map(() => ({ P: expect.any(Function) })),
      });
    },
  );
});

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

test("isolates the failure of a module that can't be built", () =>
  withBuilt(
    {
      'package.json': { name: 'pkg', type: 'module', module: './index.js' },
      'index.js': 'export { shared as main } from "./shared.js";',
      'shared.js': 'export const shared = {};',
      'examples/try.js':
        'import { shared } from "../shared.js"; const n = 1; n = shared; export { n };',
      'examples/all.js': 'export * from "./try.js";',
    },
    async (built) => {
      expect(await load(built)).toEqual({ main: {}, default: { main: {} } });
      const subpaths = Object.keys(built.manifest.entries);
      expect(subpaths).toContain('./shared.js');
      expect(subpaths.filter((subpath) => subpath.includes('examples'))).toEqual([]);
    },
  ));

test('imports from modules in a cycle, also without a sideEffects field', () =>
  withBuilt(
    {
      'package.json': { name: 'pkg', type: 'module', module: './index.js' },
      'index.js': names.map((name) => `export * from "./${name}.js";`).join('\n'),
      ...Object.fromEntries(
        names.map((name, index) => [
          `${name}.js`,
          `import "./${names[(index + 1) % names.length]}.js"; export const ${name} = 1;`,
        ]),
      ),
      'over.js': 'import { a } from "./a.js"; export const over = () => a;',
      'under.js': 'import { b } from "./b.js"; export const under = () => b;',
    },
    async (built) => {
      expect(Object.keys(await load(built))).toEqual(expect.arrayContaining(names));
      expect(await linked(built, './over.js')).toContain('/-chunk/~0.js');
    },
  ));

test('isolates the failure of a module that imports a missing file', () =>
  withBuilt(
    {
      'package.json': {
        name: 'pkg',
        sideEffects: false,
        exports: { '.': './index.js', './a': './a.js', './broken': './broken.js' },
      },
      'index.js': 'export { shared } from "./shared.js"; export const main = 1;',
      'a.js': 'export { shared } from "./shared.js"; export const a = 1;',
      'broken.js':
        'import { gone } from "./gone.js"; export { shared } from "./shared.js"; gone();',
      'shared.js': 'export const shared = 1;',
    },
    async (built) => {
      expect(await load(built)).toEqual({ shared: 1, main: 1 });
      await expect(load(built, './broken')).rejects.toThrow("Cannot find module './gone.js'");
    },
  ));

test('runs a module without exports only when it is imported, whatever sideEffects says', () =>
  withBuilt(
    {
      'package.json': {
        name: 'pkg',
        sideEffects: false,
        exports: { '.': './index.js', './a': './a.js', './b': './b.js' },
      },
      'index.js': 'throw new Error("import a subpath"); export {};',
      'a.js': 'export { shared } from "./shared.js"; export const a = 1;',
      'b.js': 'export { shared } from "./shared.js"; export const b = 1;',
      'shared.js': 'export const shared = 1;',
    },
    async (built) => {
      expect(await load(built, './a')).toEqual({ shared: 1, a: 1 });
      await expect(load(built)).rejects.toThrow('import a subpath');
    },
  ));

test('leaves out published tests', async () => {
  const entries = await entriesOf({
    'package.json': { name: 'pkg', module: 'es/index.js', sideEffects: false },
    'es/index.js': 'export const a = 1;',
    'es/part.js': 'export const b = 1;',
    'es/index.spec.js': 'import { a } from "./index.js"; describe("a", () => a);',
  });
  expect(Object.keys(entries)).toEqual(expect.arrayContaining(['.', './es/part.js']));
  expect(Object.keys(entries).filter((subpath) => subpath.includes('spec'))).toEqual([]);
});

describe('files other than scripts', () => {
  const withStyle: Files = {
    'package.json': {
      name: 'pkg',
      exports: { '.': './index.js', './style.css': './css/style.css' },
    },
    'index.js':
      'import "./css/style.css"; import data from "./data.json"; import icon from "./a.png"; export default [data.a, icon];',
    'css/style.css':
      '@import "./more.css"; @import "dep/base.css"; .a { background: url(../a.png) }',
    'css/more.css': '.b { color: red }',
    'data.json': '{"a":1}',
    'a.png': new Uint8Array([1, 2, 3]),
  };

  test('exports a style sheet as a module that adds it to the page, and as text', () =>
    withBuilt(withStyle, async ({ manifest, read }) => {
      const entry = manifest.entries['./style.css'];
      const { placeholders = [] } = manifest.modules[entry?.style ?? ''] ?? {};
      const sheet = linkModule(await read(entry?.style ?? ''), placeholders, linkage);
      expect(sheet).toContain('.b {');
      expect(sheet).toContain('"/npm/dep@9.9.9~bbbb/base.css?css"');
      expect(sheet).toContain('/npm/pkg@1.0.0~aaaa/-/a.png');
      const files = await Promise.all(
        Object.keys(manifest.modules)
          .filter((file) => file.endsWith('.js'))
          .map(read),
      );
      expect(files.join('')).toContain('document.head.append');
      expect(files.join('')).toContain('"vitrine-package:dep/base.css"');
    }));

  test('exports the value of JSON, and the URL of an image', () =>
    withBuilt(withStyle, async (built) => {
      const texts = await Promise.all(Object.keys(built.manifest.modules).map(built.read));
      expect(texts.join('')).toContain('new URL("vitrine-base:/-/a.png", import.meta.url)');
    }));

  test('resolves import.meta.url to the URL of the published file, and starts a worker from it', () =>
    withBuilt(
      {
        'package.json': { name: 'pkg', exports: './dist/index.js' },
        'dist/index.js':
          'export const wasm = new URL("x.wasm", import.meta.url); export const start = () => new Worker(new URL("w.js", import.meta.url));',
        'dist/w.js': 'import { n } from "./n.js"; postMessage(n);',
        'dist/n.js': 'export const n = 42;',
      },
      async (built) => {
        const text = await linked(built);
        expect(text).toContain(
          'new URL("/npm/pkg@1.0.0~aaaa/-/dist/index.js", import.meta.url).href',
        );
        expect(text).toContain('new VitrineWorker(');
      },
    ));
});

test('imports Node globals that a script uses without a check, and no others', () =>
  withBuilt(
    {
      'package.json': {
        name: 'pkg',
        exports: { '.': './a.js', './b': './b.cjs', './c': './c.js', './d': './d.js' },
      },
      'd.js':
        'export class Hash { process(block) { return block; } update(b) { this.process(b); } }',
      'a.js': 'export const later = (f) => process.nextTick(f);',
      'b.cjs': 'exports.bytes = () => Buffer.from("a");',
      'c.js':
        'export const node = typeof process === "object" && process.versions; export function own(process) { return process.x; }',
    },
    async (built) => {
      expect(await linked(built)).toContain('"/npm/-/node/1/process"');
      expect(await linked(built, './b')).toContain('"/npm/-/node/1/buffer"');
      expect(await linked(built, './c')).not.toContain('/npm/-/node');
      expect(await linked(built, './d')).not.toContain('/npm/-/node');
    },
  ));

test('builds a subpath of an old package on request, and shares its main module', () =>
  withBuilt(
    {
      'package.json': { name: 'pkg', main: 'main.js' },
      'main.js': 'exports.registry = {};',
      'plug/in.js': 'const { registry } = require("../main"); registry.plugged = true;',
    },
    async (built) => {
      const text = await linked(built, './plug/in');
      expect(text).toContain('from "/npm/pkg@1.0.0~aaaa"');
      expect(text).not.toContain('registry = {}');
    },
    { subpath: './plug/in' },
  ));

describe('reports why a build failed', () => {
  test.each([
    [
      'package_node_only',
      { 'package.json': { name: 'pkg', exports: { node: './n.js' } }, 'n.js': '' },
      {},
    ],
    ['package_subpath_not_found', { 'index.js': 'export {}' }, { subpath: './nowhere' }],
    ['package_build_failed', { 'index.js': 'export const = ;' }, {}],
    ['package_build_failed', { 'package.json': '{"name": "pkg", ' }, {}],
  ] as [string, Files, object][])('%s', async (code, files, request) => {
    await expect(entriesOf(files, request)).rejects.toMatchObject({ code });
  });

  test('with the location in the file', async () => {
    await expect(entriesOf({ 'index.js': 'let a;\nexport const = ;' })).rejects.toMatchObject({
      details: expect.stringMatching(/^index\.js:2:/),
    });
  });
});

describe('PT-07.9: a package with ten thousand', () => {
  const numbers = Array.from({ length: 10_000 }, (_, each) => each);
  const list = (entry: (each: number) => [string, string]) =>
    Object.fromEntries(numbers.map(entry));
  const main = { 'index.js': 'export const main = 1;' };
  const module = { type: 'module', main: 'index.js' };
  /** A fifth of the time limit of a build. */
  const limits = { ...defaultLimits, timeMs: 12_000 };

  test('exports of one file exports all of them', () =>
    withBuilt(
      {
        'package.json': {
          ...module,
          exports: { '.': './index.js', ...list((each) => [`./e${each}`, './index.js']) },
        },
        ...main,
      },
      async ({ manifest }) => expect(Object.keys(manifest.entries)).toHaveLength(10_001),
      {},
      limits,
    ));

  test('exports of as many files builds the main module, and each of the others on request', async () => {
    const files = {
      'package.json': {
        ...module,
        exports: { '.': './index.js', ...list((each) => [`./e${each}`, `./lib/e${each}.js`]) },
      },
      ...main,
      ...list((each) => [`lib/e${each}.js`, `import '../index.js'; export const e = ${each};`]),
    };
    await withBuilt(
      files,
      async ({ manifest }) => expect(Object.keys(manifest.entries)).toEqual(['.']),
      {},
      limits,
    );
    await withBuilt(
      files,
      async (built) => expect(Object.keys(built.manifest.entries)).toEqual(['./e77']),
      { subpath: './e77' },
      limits,
    );
  });

  test("patterns doesn't compare each pattern with each file", () =>
    withBuilt(
      {
        'package.json': {
          ...module,
          exports: { '.': './index.js', ...list((each) => [`./p${each}/*`, './lib/*.js']) },
        },
        ...main,
        ...Object.fromEntries(numbers.slice(0, 1_000).map((each) => [`lib/e${each}.js`, ''])),
      },
      async ({ manifest }) => expect(Object.keys(manifest.entries)).toEqual(['.']),
      {},
      limits,
    ));

  test('names exports all of them', () =>
    withBuilt(
      {
        'package.json': module,
        'index.js': numbers.map((each) => `export const e${each} = ${each};`).join('\n'),
      },
      async (built) => expect(await load(built)).toMatchObject({ e0: 0, e9999: 9_999 }),
      {},
      limits,
    ));
});

test('builds of one package after the other are as each on its own, and see a package that was replaced', async () => {
  const temporaryFolder = await mkdtemp(join(tmpdir(), 'vitrine-builds-'));
  const source = join(temporaryFolder, 'source');
  const write = async (icon: string) => {
    await mkdir(join(source, 'icons'), { recursive: true });
    const exports = { '.': './index.js', './icons/*': './icons/*.js' };
    await writeFile(join(source, 'package.json'), JSON.stringify({ name: 'pkg', exports, icon }));
    await writeFile(join(source, 'index.js'), `export * from './icons/${icon}.js';`);
    await writeFile(join(source, `icons/${icon}.js`), `export default '${icon}';`);
  };
  const buildSubpath = async (subpath: string) => {
    const output = await mkdtemp(join(temporaryFolder, 'built-'));
    const request = { name: 'pkg', version: '1.0.0', mode: 'development' as const, subpath };
    await bundlePackage(source, output, request);
    return readFile(join(output, 'manifest.json'), 'utf8');
  };
  try {
    await write('sun');
    const first = await buildSubpath('./icons/sun');
    expect(await buildSubpath('./icons/sun')).toBe(first);
    await expect(buildSubpath('./icons/moon')).rejects.toMatchObject({
      code: 'package_subpath_not_found',
    });
    expect(await buildSubpath('./icons/sun')).toBe(first);
    await write('moon');
    expect(await buildSubpath('./icons/moon')).toContain('./icons/moon');
  } finally {
    await rm(temporaryFolder, { recursive: true });
  }
});
