import { beforeAll, describe, expect, test } from 'vitest';
import type ts from 'typescript';
import type { FilePosition } from '../src/typescript/messages.ts';
import { mergeTypes, parseTypes } from '../src/typescript/package-types.ts';
import {
  createPlainService,
  reactTypes,
  readTypes,
  TestTypeScriptProject,
} from './typescript-projects.ts';

/** Files by path. ‸ in one of them is the cursor. */
type Files = Readonly<Record<string, string>>;

let project: TestTypeScriptProject;
beforeAll(() => {
  project = new TestTypeScriptProject();
  project.setPackages(reactTypes);
});

const manifest = JSON.stringify({ dependencies: { react: '^19', 'react-dom': '^19' } });

/** Sets the project's files. Returns the position of the cursor. */
function open(files: Files): FilePosition {
  const [path = '', marked = ''] =
    Object.entries(files).find(([, text]) => text.includes('‸')) ?? [];
  const texts = new Map(Object.entries({ 'package.json': manifest, ...files }));
  project.setFiles(texts.set(path, marked.replace('‸', '')));
  return { path, offset: marked.indexOf('‸') };
}

/** The same project in a plain TypeScript language service. */
function openPlainly(files: Files): ts.LanguageService {
  const texts = Object.entries(files).map(
    ([path, text]) => [`/${path}`, text.replace('‸', '')] as const,
  );
  const { files: types } = mergeTypes(reactTypes);
  return createPlainService(new Map([...texts, ...types]), project.host.options);
}

const complete = (at: FilePosition, isExplicit = true) =>
  project.handlers.completions({ ...at, isExplicit })?.entries ?? [];
const problems = (path: string) => project.handlers.problems({ path });

/** Applies edits to a file. */
function applyEdits(text: string, edits: readonly { from: number; to: number; insert: string }[]) {
  return edits.reduceRight(
    (made, { from, to, insert }) => made.slice(0, from) + insert + made.slice(to),
    text.replace('‸', ''),
  );
}

const offers: readonly (readonly [string, string, Files])[] = [
  ['members of a string', 'toUpperCase', { 'a.ts': `'a'.toUp‸` }],
  ['members behind a call', 'findIndex', { 'a.ts': `[1].map(String).fi‸` }],
  ['members of the page', 'querySelector', { 'a.js': `document.querySel‸` }],
  [
    'members of an element by its tag',
    'getContext',
    { 'a.ts': `document.querySelector('canvas')!.getC‸` },
  ],
  ['members by JSDoc', 'setHours', { 'a.js': `/** @param {Date} d */ function f(d) { d.setH‸ }` }],
  ['private members', '#secret', { 'a.ts': `class A { #secret = 1; f() { this.#s‸ } }` }],
  ['members of what is awaited', 'json', { 'a.ts': `async () => { (await fetch('')).js‸ }` }],
  ['what a union shares', 'valueOf', { 'a.ts': `declare const x: string | number; x.val‸` }],
  ['what is in scope', 'counter', { 'a.ts': `const counter = 1; function f() { return coun‸ }` }],
  ['parts of a parameter', 'color', { 'a.ts': `const f = ({ color }: { color: 1 }) => col‸` }],
  ['globals', 'setTimeout', { 'a.js': `setTim‸` }],
  ['keywords', 'function', { 'a.js': `funct‸` }],
  ['types', 'Partial', { 'a.ts': `let x: Parti‸` }],
  ['type parameters', 'Thing', { 'a.ts': `type A<Thing> = { x: Thin‸ }` }],
  ['values of a union', 'right', { 'a.ts': `const side: 'left' | 'right' = '‸'` }],
  ['keys of what is wanted', 'behavior', { 'a.ts': `scrollTo({ beh‸ })` }],
  [
    'values of a case',
    'b',
    { 'a.ts': `declare const k: 'a' | 'b'; switch (k) { case 'a': break; case '‸' }` },
  ],
  [
    'names to import',
    'double',
    { 'a.ts': `import { dou‸ } from './b'`, 'b.ts': `export const double = 2` },
  ],
  [
    'exports handed on',
    'deep',
    {
      'a.ts': `import { dee‸ } from './b'`,
      'b.ts': `export * from './c'`,
      'c.ts': `export const deep = 1`,
    },
  ],
  [
    'members of a module',
    'one',
    { 'a.js': `import * as b from './b.js'; b.o‸`, 'b.js': `export const one = 1` },
  ],
  [
    'keys of JSON',
    'title',
    { 'a.ts': `import data from './b.json'; data.ti‸`, 'b.json': `{"title": "x"}` },
  ],
  ['names of a package', 'useState', { 'a.tsx': `import { useSt‸ } from 'react'` }],
  ['attributes', 'onClick', { 'a.tsx': `const a = <button onCl‸></button>` }],
  ['values of an attribute', 'submit', { 'a.tsx': `const a = <button type="‸"></button>` }],
  [
    'properties of a component',
    'color',
    { 'a.tsx': `const A = (_: { color: string }) => <i />; const b = <A col‸ />` },
  ],
  [
    'properties of a component by JSDoc',
    'color',
    { 'a.jsx': `/** @param {{ color: string }} p */ const A = (p) => <i />; <A col‸ />` },
  ],
  ['tags', 'section', { 'a.tsx': `const a = <div><secti‸</div>` }],
  ['properties of a style', 'backgroundColor', { 'a.tsx': `<i style={{ backgroundC‸ }} />` }],
  [
    'what a state holds',
    'toFixed',
    { 'a.tsx': `import { useState } from 'react'; const [n] = useState(0); n.toF‸` },
  ],
  [
    'what an event holds',
    'currentTarget',
    { 'a.tsx': `const a = <input onChange={(e) => e.curr‸} />` },
  ],
  [
    'what a ref holds',
    'showModal',
    {
      'a.tsx': `import { useRef } from 'react';
        const r = useRef<HTMLDialogElement>(null); r.current!.showM‸`,
    },
  ],
  ['members of an enum', 'Red', { 'a.ts': `enum C { Red, Green } C.R‸` }],
  ['keys of an object', 'width', { 'a.js': `const box = { width: 1 }; box.wi‸` }],
];

describe("completions match those of TypeScript's own language service", () => {
  test.for(offers)('%s: %s', ([, wanted, files]) => {
    const at = open(files);
    const ours = complete(at).map(({ name, origin }) => ({ name, isImport: origin !== undefined }));
    const theirs = openPlainly(files).getCompletionsAtPosition(`/${at.path}`, at.offset, {});
    const known = new Set(theirs?.entries.map(({ name }) => name.replace(/\.ts$/, '')));
    expect(ours.map(({ name }) => name.replace(/\.ts$/, ''))).toContain(wanted);
    expect(known).toContain(wanted);
    // The plain service is not asked for auto-imports.
    const foreign = ours.filter(
      ({ name, isImport }) => !isImport && !known.has(name.replace(/\.ts$/, '')),
    );
    expect(foreign).toEqual([]);
  });

  test('have auto-imports from the project and from packages', () => {
    const text = `import { useState } from 'react';\n\nuseEff‸`;
    const at = open({ 'a.tsx': text, 'b.ts': `export const useEffort = 1;` });
    const found = complete(at, false);
    const pick = (name: string) => {
      const origin = found.find((entry) => entry.name === name)?.origin ?? null;
      const offset = at.offset;
      return project.handlers.completion({ path: at.path, offset, name, origin });
    };
    const effect = pick('useEffect');
    expect(applyEdits(text, effect?.edits ?? [])).toBe(
      `import { useEffect, useState } from 'react';\n\nuseEff`,
    );
    expect(effect?.code).toMatch(/^function useEffect\(effect: EffectCallback/);
    expect(effect?.text).toContain('imperative');
    expect(applyEdits(text, pick('useEffort')?.edits ?? [])).toContain(
      `import { useEffort } from './b'`,
    );
  });

  test('offer neighboring files and folders in an import, and nothing else', () => {
    const at = open({
      'a.ts': `import './‸'`,
      'helper.ts': `export {}`,
      'parts/b.ts': `export {}`,
    });
    expect(
      complete(at)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['helper', 'package.json', 'parts']);
  });

  test('start with the nearest names', () => {
    const at = open({ 'a.ts': `const mapped = [1]; map‸` });
    expect(complete(at, false)[0]?.name).toBe('mapped');
  });

  test.for([
    ['in comments', { 'a.js': `// doc‸` }],
    ['in numbers', { 'a.js': `const a = 12‸` }],
    ['for a new name', { 'a.js': `const ‸` }],
    ['behind a blank', { 'a.js': `const a = 1; ‸` }],
  ] as const)('are not offered automatically %s', ([, files]) => {
    expect(complete(open(files), false)).toEqual([]);
  });
});

describe('the symbol at a position', () => {
  test('has a hover with documentation', () => {
    const at = open({
      'a.js': `/** Adds one.\n * @param n to this */\nfunction inc(n) { return n + 1 }\nin‸c(1)`,
    });
    expect(project.handlers.description(at)).toMatchObject({
      code: 'function inc(n: any): any',
      text: 'Adds one.\n\n*@param* `n` — to this',
    });
  });

  test('has a hover with doc tags on lines of their own', () => {
    const tags = ` * @param a - the first\n * @param {number} b\n * @returns {number} their sum\n * @deprecated`;
    const example = ` * @example\n * add(1, 2)`;
    const at = open({
      'a.js': `/**\n${tags}\n${example}\n */\nfunction add(a, b) { return a + b }\nad‸d(1, 2)`,
    });
    expect(project.handlers.description(at)?.text).toBe(
      '*@param* `a` — the first\n\n*@param* `b`\n\n*@returns* — their sum\n\n*@deprecated*\n\n*@example*\n```\nadd(1, 2)\n```',
    );
  });

  test('has no hover if it is unknown', () => {
    expect(project.handlers.description(open({ 'a.ts': `absen‸t();` }))).toBeNull();
    expect(project.handlers.description(open({ 'a.ts': `const a: any = 1; a‸;` }))).not.toBeNull();
  });

  test('has a signature with the active parameter marked', () => {
    const at = open({
      'a.ts': `function f(a: number, b: string): void; function f(a: Date): void; function f() {}\nf(1, ‸)`,
    });
    const found = project.handlers.signature(at);
    expect(found?.parts.find(({ isActive }) => isActive)?.text).toBe('b: string');
    expect(found).toMatchObject({ index: 1, count: 2 });
    expect(project.handlers.signature(open({ 'a.ts': `f‸(1)` }))).toBeNull();
  });

  const uses: Files = {
    'a.ts': `import { total } from './b';\nexport const twice = tot‸al * 2;`,
    'b.ts': `export const total = 1;\n`,
    'c.tsx': `import { total as sum } from './b';\nconst a = <i>{sum}</i>;`,
  };

  test('has a definition in the project or a package', () => {
    expect(project.handlers.definitions(open(uses))).toEqual([
      { path: 'b.ts', line: 1, column: 14 },
    ]);
    const at = open({ 'a.tsx': `import { useSta‸te } from 'react'` });
    const [location] = project.handlers.definitions(at);
    expect(location?.path).toBe('node_modules/@types/react/index.d.ts');
    expect(project.handlers.source({ path: location?.path ?? '' })).toContain('function useState');
    expect(project.handlers.source({ path: 'package.json' })).toBeNull();
  });

  test("has the references that TypeScript's own language service finds", () => {
    const at = open(uses);
    const ours = project.handlers
      .references(at)
      .map(({ path, line, column }) => `${path}:${line}:${column}`);
    const theirs = openPlainly(uses).getReferencesAtPosition('/a.ts', at.offset) ?? [];
    const lineOf = (text: string, offset: number) => text.slice(0, offset).split('\n').length;
    expect(ours).toEqual(
      theirs.map(({ fileName, textSpan }) => {
        const text = (uses[fileName.slice(1)] ?? '').replace('‸', '');
        const column = textSpan.start - text.lastIndexOf('\n', textSpan.start - 1);
        return `${fileName.slice(1)}:${lineOf(text, textSpan.start)}:${column}`;
      }),
    );
    expect(ours).toEqual(expect.arrayContaining(['a.ts:2:22', 'b.ts:1:14', 'c.tsx:1:10']));
  });

  test('is renamed everywhere, with aliases where the name has to stay', () => {
    const at = open(uses);
    const edits = project.handlers.rename({ ...at, name: 'amount' });
    const made = Object.fromEntries(
      edits.map((file) => [file.path, applyEdits(uses[file.path] ?? '', file.edits)]),
    );
    expect(made).toEqual({
      'a.ts': `import { amount } from './b';\nexport const twice = amount * 2;`,
      'b.ts': `export const amount = 1;\n`,
      'c.tsx': `import { amount as sum } from './b';\nconst a = <i>{sum}</i>;`,
    });
  });

  test('is not renamed if a package declares it', () => {
    const at = open({ 'a.tsx': `import { useSta‸te } from 'react'; useState(1);` });
    const found = project.handlers.renaming(at);
    expect(found === null || project.handlers.rename({ ...at, name: 'x' }).length === 0).toBe(true);
    expect(project.handlers.renaming(open({ 'a.ts': `docu‸ment.title` }))).toBeNull();
  });
});

describe('diagnostics', () => {
  test("match those of TypeScript's own language service", () => {
    const files = {
      'a.ts': `const n: number = 'a';\nn.foo();\nfunction f(a: string) {}\nf();\nlet unused;`,
    };
    open(files);
    const plain = openPlainly(files).getSemanticDiagnostics('/a.ts');
    expect(problems('a.ts').map(({ code }) => code)).toEqual(plain.map(({ code }) => code));
    expect(problems('a.ts')[0]).toMatchObject({ kind: 'type', line: 1, column: 7, endColumn: 8 });
  });

  test('of a broken module are not repeated in its importers', () => {
    open({
      'a.ts': `import b, { c, d as e } from './b';\nimport f from './f';\nexport { g } from './b';\nb(c, e, f);`,
      'b.ts': `export const a = ;`,
      'f.ts': `export const a = 1;`,
    });
    expect(problems('a.ts')).toMatchObject([{ kind: 'type', code: 1192, line: 2 }]);
    expect(problems('b.ts')).toMatchObject([{ kind: 'syntax' }]);
  });

  test('of syntax come alone', () => {
    open({ 'a.ts': `const n: number = ;\nconst m: string = 1;` });
    expect(problems('a.ts')).toMatchObject([{ kind: 'syntax', line: 1 }]);
  });

  test.for([
    ['plain JavaScript', 'a.js', { 'a.js': `const n = 1; n.foo(); null.x` }],
    [
      'a package without types',
      'a.ts',
      {
        'a.ts': `import x from 'untyped'; import y from 'untyped/sub'; x.y(y);`,
        'package.json': `{"dependencies": {"untyped": "1"}}`,
      },
    ],
    ['a package that is not there', 'a.ts', { 'a.ts': `import x from 'absent'; x.y();` }],
    [
      'styles, pictures and texts',
      'a.ts',
      {
        'a.ts': `import './a.css'; import s from './a.module.css'; import p from './p.svg'; import t from './t.txt?raw'; s.x; p.length; t.length;`,
      },
    ],
    [
      'components of Vue and Svelte',
      'a.ts',
      { 'a.ts': `import A from './A.vue'; import B from './B.svelte'; A; B;` },
    ],
    ['hot replacement', 'a.ts', { 'a.ts': `import.meta.hot?.accept(); import.meta.hot?.data.x;` }],
    [
      'endings of TypeScript',
      'a.ts',
      { 'a.ts': `import { b } from './b.ts'; b.length;`, 'b.ts': `export const b = '';` },
    ],
    [
      'the environment of a build',
      'a.ts',
      {
        'a.ts': `const { MODE, VITE_A } = import.meta.env; MODE.length; VITE_A.x; import.meta.env.DEV === true;`,
        'vite-env.d.ts': `/// <reference types="vite/client" />\ninterface ImportMetaEnv { readonly VITE_A: { x: 1 } }\ninterface ImportMeta { readonly env: ImportMetaEnv }`,
      },
    ],
    [
      'references to types of tools',
      'vite-env.d.ts',
      { 'vite-env.d.ts': `/// <reference types="vite/client" />` },
    ],
    [
      'variables of create-react-app',
      'a.ts',
      {
        'a.ts': `process.env.REACT_APP_A?.length; process.env.NODE_ENV.length;`,
        'package.json': '{ "dependencies": { "react-scripts": "5" } }',
      },
    ],
    [
      'glob imports',
      'a.ts',
      {
        'a.ts': `const lazy = import.meta.glob<{ b: 1 }>('./*.ts'); lazy['b']!().then(({ b }) => b);
const all = import.meta.glob<{ b: 1 }>(['./*.ts'], { eager: true }); all['b']!.b;`,
      },
    ],
    [
      'queries of imports',
      'a.ts',
      {
        'a.ts': `import W from './w?worker'; import S from './w?sharedworker'; import css from './a.css?inline';
new W({ name: 'w' }).postMessage(1); new S().port.start(); css.length;`,
      },
    ],
    [
      'aliases of templates',
      'a.ts',
      {
        'a.ts': `import { b } from '@/b'; import { c } from '$lib/c'; b.toFixed(); c.toFixed();`,
        'src/b.ts': `export const b = 1;`,
        'src/lib/c.ts': `export const c = 1;`,
      },
    ],
    ['two modules with one name', 'a.ts', { 'a.ts': `const same = 1;`, 'b.ts': `const same = 2;` }],
    ['waiting at the top', 'a.ts', { 'a.ts': `await Promise.resolve(1);` }],
    [
      'React',
      'a.tsx',
      {
        'a.tsx': `import { createRoot } from 'react-dom/client'; createRoot(document.body).render(<p className="a">1</p>);`,
      },
    ],
  ] as const)('are not reported for %s', ([, path, files]) => {
    open(files);
    expect(problems(path)).toEqual([]);
  });

  test.for([
    ['a path', `alias: { '@own': path.resolve(__dirname, './src') }`],
    ['a list', `alias: [{ find: /^@own\\//, replacement: '/src/' }]`],
  ])('are found by aliases of vite.config: %s', ([, alias]) => {
    const config = `export default { resolve: { ${alias} } };`;
    const files = {
      'a.ts': `import { b } from '@own/b'; b.x;`,
      'src/b.ts': `export const b = 1;`,
    };
    open({ ...files, 'vite.config.ts': config });
    const messages = () => problems('a.ts').map(({ message }) => message);
    expect(messages()).toEqual(["Property 'x' does not exist on type '1'."]);
    open(files);
    expect(messages()).toEqual([]);
  });

  test('are found by aliases of the project', () => {
    const files = {
      'a.ts': `import { b } from '@own/b'; import { c } from 'src/c'; import { d } from '#d'; b.x; c.x; d.x;`,
      'src/b.ts': `export const b = 1;`,
      'src/c.ts': `export const c = 1;`,
      'src/d.ts': `export const d = 1;`,
      'package.json': '{ "imports": { "#d": "./src/d.ts" } }',
      'tsconfig.json': '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }',
      'tsconfig.app.json':
        '{ "compilerOptions": { "baseUrl": ".", "paths": { "@own/*": ["./src/*"] } } }',
    };
    open(files);
    expect(problems('a.ts')).toMatchObject([{ code: 2339 }, { code: 2339 }, { code: 2339 }]);
  });

  test('are reported in JavaScript that opts in', () => {
    open({ 'a.js': `// @ts-check\nconst n = 1; n.foo();` });
    expect(problems('a.js')).toMatchObject([{ code: 2339, line: 2 }]);
  });

  test('follow tsconfig.json, also one that extends another', () => {
    const files = { 'a.ts': `const f = (a) => a; let s: string = null; enum E { A }` };
    open({
      ...files,
      'tsconfig.json': `{ "extends": "./base.json" }`,
      'base.json': `{ "compilerOptions": { "strict": false, "erasableSyntaxOnly": true, "outDir": "/x", "paths": { "*": ["./x/*"] } } }`,
    });
    expect(problems('a.ts')).toMatchObject([{ code: 1294 }]);
    open(files);
    expect(problems('a.ts').map(({ code }) => code)).toEqual([7006, 2322]);
  });

  test('are not affected by an invalid tsconfig.json', () => {
    open({ 'a.ts': `export const a = 1;`, 'tsconfig.json': `{ "compilerOptions": { "jsx": 1, ` });
    expect(problems('a.ts')).toEqual([]);
  });

  test('are reported after an edit in another file', () => {
    open({ 'a.ts': `import { b } from './b'; b.length;`, 'b.ts': `export const b = '';` });
    expect(problems('a.ts')).toEqual([]);
    open({ 'a.ts': `import { b } from './b'; b.length;`, 'b.ts': `export const b = 1;` });
    expect(problems('a.ts')).toMatchObject([{ code: 2339 }]);
  });
});

test('the public variables of .env files are offered', () => {
  const names = (files: Files) => complete(open(files)).map(({ name }) => name);
  const files = { 'a.ts': `import.meta.env.VI‸`, '.env.local': 'VITE_NAME=a\nVI_SECRET=b' };
  expect(names(files)).toEqual(['VITE_NAME']);
  const own = { ...files, 'env.d.ts': 'interface ImportMetaEnv { readonly VITE_OWN: string }' };
  expect(names(own)).toEqual(['VITE_OWN']);
});

describe('quick fixes', () => {
  const fixOf = (files: Files, label: RegExp) => {
    const { path, offset } = open(files);
    const fixes = project.handlers.fixes({ path, from: offset, to: offset });
    const fix = fixes.find((each) => label.test(each.label));
    return fix && applyEdits(files[path] ?? '', fix.files[0]?.edits ?? []);
  };

  test('import a file by an alias only if the project configures it', () => {
    const files = { 'src/deep/folder/a.ts': `tot‸al;`, 'src/b.ts': `export const total = 1;` };
    expect(fixOf(files, /Add import/)).toContain(`'../../b'`);
    const paths = '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }';
    expect(fixOf({ ...files, 'tsconfig.json': paths }, /Add import/)).toContain(`'@/b'`);
  });

  test.for([
    [
      'import what is not',
      /Add import/,
      { 'a.ts': `tot‸al;`, 'b.ts': `export const total = 1;` },
      `import { total } from './b';\n\ntotal;`,
    ],
    ['correct a spelling', /Change spelling/, { 'a.ts': `''.lenght‸` }, `''.length`],
    [
      'make a function wait',
      /async modifier/,
      { 'a.ts': `function f() { awa‸it 1 }` },
      `async function f() { await 1 }`,
    ],
    [
      'remove what is unused',
      /Remove unused declaration/,
      { 'a.ts': `export {}; const un‸used = 1;` },
      `export {}; `,
    ],
  ] as const)('include: %s', ([, label, files, wanted]) => {
    const made = fixOf(files, label);
    expect(made).toBe(wanted);
  });

  test('include sorting imports and removing unused ones', () => {
    const text = `import { useState, useId, useRef } from 'react';\nimport { b } from './b';\n\nuseState(b);\nuseId();\n`;
    open({ 'a.tsx': text, 'b.ts': `export const b = 1;` });
    const [file] = project.handlers.imports({ path: 'a.tsx' });
    expect(applyEdits(text, file?.edits ?? [])).toBe(
      `import { useId, useState } from 'react';\nimport { b } from './b';\n\nuseState(b);\nuseId();\n`,
    );
  });
});

describe('types of packages', () => {
  test('are those of the server’s response, and none when it is another’s', () => {
    const files = { '/node_modules/a/index.d.ts': 'export {}' };
    expect(parseTypes(JSON.stringify({ files }))).toEqual(new Map(Object.entries(files)));
    for (const body of ['', '<!doctype html>', 'null', '[]', '{}', '{"files":{"/a.d.ts":7}}'])
      expect(parseTypes(body)).toBeNull();
  });

  test('of the project take precedence over those of dependencies', () => {
    const own = new Map([['/node_modules/a/index.d.ts', 'own']]);
    const brought = new Map([
      ['/node_modules/b/index.d.ts', 'b'],
      ['/node_modules/a/index.d.ts', 'older'],
      ['/node_modules/a/old.d.ts', 'older'],
    ]);
    const { files, hasTypesByName } = mergeTypes(
      new Map<string, ReadonlyMap<string, string> | null>([
        ['b', brought],
        ['a', own],
        ['c', null],
      ]),
    );
    expect([...files.values()]).toEqual(['b', 'own']);
    expect([...hasTypesByName]).toEqual([
      ['b', true],
      ['a', true],
      ['c', false],
    ]);
  });

  test('come and go with the packages', () => {
    const at = open({ 'a.tsx': `import { useSt‸ } from 'react'` });
    project.setPackages(new Map([['react', null]]));
    expect(complete(at).map(({ name }) => name)).not.toContain('useState');
    expect(problems('a.tsx')).toEqual([]);
    project.setPackages(reactTypes);
    expect(complete(at).map(({ name }) => name)).toContain('useState');
  });

  test("match the project's JSX library", () => {
    const preact = readTypes('preact');
    project.setPackages(new Map([['preact', preact]]));
    const at = open({
      'a.tsx': `import { useState } from 'preact/hooks';\nconst [n] = useState('');\nexport const a = <p class="x">{n.toUp‸}</p>;`,
      'package.json': `{"dependencies": {"preact": "^11"}}`,
    });
    expect(complete(at).map(({ name }) => name)).toContain('toUpperCase');
    project.setPackages(reactTypes);
  });
});

test('answers for a file with a thousand functions, NULs and deep nesting', () => {
  const many = Array.from({ length: 1_000 }, (_, n) => `function f${n}() { return ${n} }`).join(
    '\n',
  );
  const at = open({
    'a.js': `${many}\nf99‸`,
    'b.js': `\0${'('.repeat(500)}${')'.repeat(500)}`,
    'c.js': `let a = ${'['.repeat(300)}${']'.repeat(300)};`,
  });
  expect(complete(at).map(({ name }) => name)).toContain('f999');
  expect(problems('b.js').length).toBeGreaterThan(0);
  expect(problems('c.js')).toEqual([]);
});
