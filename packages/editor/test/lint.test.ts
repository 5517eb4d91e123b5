import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { LintProject } from '../src/lint/lint-project.ts';
import type { LintFix } from '../src/lint/messages.ts';

type Files = Readonly<Record<string, string>>;

/** Some globals of a browser. */
const names = ['window', 'document', 'console', 'fetch', 'setTimeout', 'addEventListener', 'name'];

/** Globals that TypeScript knows. */
const browserNames = ['dom', 'webworker'].flatMap((lib) => {
  const path = import.meta.resolve(`typescript/lib/lib.${lib}.d.ts`);
  const declared = readFileSync(new URL(path), 'utf8').matchAll(
    /^declare (?:var|function) (\w+)/gm,
  );
  return Array.from(declared, ([, name = '']) => name);
});

function open(files: Files): LintProject {
  const project = new LintProject();
  project.setGlobalNames(names);
  project.changeFiles(new Map(Object.entries(files)), []);
  return project;
}

/** Diagnostics of a file, one per line: "no-empty 1:8 warning". */
async function lintFile(path: string, files: Files): Promise<string> {
  const found = await open(files).lint({ path });
  return found
    .map(({ rule, line, column, severity }) => `${rule} ${line}:${column} ${severity}`)
    .join('\n');
}

const react = { 'package.json': '{"dependencies": {"react": "19"}}' };

/** A file with one mistake, its diagnostics, and other files of the project. */
const cases: readonly (readonly [path: string, text: string, said: string, others?: Files])[] = [
  // Scripts.
  ['a.js', `const a = 1;\nconsole.log(a);\na = 2;`, 'no-const-assign 3:1 error'],
  ['a.js', `consol.log(1);`, 'no-undef 1:1 warning'],
  ['a.js', `if (name) {}`, 'no-empty 1:11 warning'],
  // Libraries ask whether they run in Node.js, AMD or a page.
  [
    'a.js',
    `(function (root, factory) {
  if (typeof define === 'function' && define.amd) define(['exports', 'b'], factory);
  else if (typeof module === 'object' && module.exports) factory(exports, require('b'));
  else factory((root.lib = {}), root.b);
})(this, function (exports, b) {
  var unused = 1;
  exports.run = function (x) { if (x) {} return b; };
});`,
    '',
  ],
  [
    'a.js',
    `!function(e,t){"object"==typeof exports&&"undefined"!=typeof module?module.exports=t():"function"==typeof define&&define.amd?define(t):e.lib=t()}(this,function(){return 1});`,
    '',
  ],
  ['a.js', `if (typeof module !== 'undefined') module.exports = { a: require('a') };`, ''],
  ['a.js', `if (typeof Extra === 'function') Extra();\nother();`, 'no-undef 2:1 warning'],
  [
    'a.js',
    `function f() { var b = 1; var b = 2; return b; } f();`,
    'no-useless-assignment 1:20 warning\nno-redeclare 1:31 warning',
  ],
  ['a.js', `'use strict';\ndebugger;`, 'no-debugger 2:1 warning'],
  ['a.js', `let a; if (a = 1) console.log(a);`, 'no-cond-assign 1:12 warning'],
  ['a.js', `console.log({ a: 1, a: 2 });`, 'no-dupe-keys 1:21 warning'],
  ['a.js', `console.log(NaN === name);`, 'use-isnan 1:13 warning'],
  ['a.js', `console.log(typeof name === 'strnig');`, 'valid-typeof 1:29 warning'],
  ['a.js', `if (1) console.log(1);`, 'no-constant-condition 1:5 warning'],
  ['a.js', `console.log('\\d');`, 'no-useless-escape 1:14 warning'],
  ['a.js', `console.log(/[]/.test(name));`, 'no-empty-character-class 1:13 warning'],
  ['a.js', `console.log([1, , 2]);`, 'no-sparse-arrays 1:17 warning'],
  ['a.js', `name?.a.b();\n(name?.a).b();`, 'no-unsafe-optional-chaining 2:2 warning'],
  ['a.js', `function f() { return 1; console.log(2); }\nf();`, 'no-unreachable 1:26 warning'],
  [
    'a.js',
    `switch (name) {\n  case 1: console.log(1);\n  case 2: console.log(2);\n}`,
    'no-fallthrough 3:3 warning',
  ],
  ['a.js', `import { a, b } from './b.js';\nb();`, 'no-unused-vars 1:10 warning'],
  ['a.js', `export function f(x) {\n  const y = x;\n}`, 'no-unused-vars 2:9 warning'],
  ['a.js', `import { a } from './b.js';\nconsole.log(a);\na = 1;`, 'no-import-assign 3:1 error'],
  ['a.js', `await fetch('x');\nfoo();`, 'no-undef 2:1 warning'],
  ['a.jsx', `export const A = () => <B />;`, 'no-undef 1:25 warning'],
  ['a.jsx', `const B = () => null;\nexport const A = () => <p />;`, 'no-unused-vars 1:7 warning'],
  [
    'a.mjs',
    `class A { constructor() {} }\nclass B extends A { constructor() {} }\nexport { B };`,
    'constructor-super 2:21 error',
  ],
  // TypeScript.
  ['a.ts', `export const a = (b: string) => { debugger; return b; };`, 'no-debugger 1:35 warning'],
  ['a.ts', `let a: number = 1;\nconsole.log(a);`, 'prefer-const 1:5 warning'],
  ['a.ts', `var a: number = 1;\nconsole.log(a);`, 'no-var 1:1 warning'],
  ['a.ts', `export function f(a: unknown) { if (a) {} }`, 'no-empty 1:40 warning'],
  [
    'a.ts',
    `export class A<T> { #a = <T>1; #b = 2; get(): T { return this.#a; } f() { NaN === this.#b; } }`,
    'use-isnan 1:75 warning',
  ],
  [
    'a.ts',
    `enum E { A }\nexport function f(e: E): void {\n  switch (e) {\n    case E.A: { f(e); }\n    default: f(e);\n  }\n}`,
    'no-fallthrough 5:5 warning',
  ],
  ['a.ts', `let a;\nif ((a = 1 as const)) {}`, 'no-empty 2:23 warning'],
  ['a.ts', `const a = b!!;`, '@typescript-eslint/no-extra-non-null-assertion 1:11 warning'],
  ['a.ts', `b?.c!;`, '@typescript-eslint/no-non-null-asserted-optional-chain 1:1 warning'],
  ['a.ts', `type A = String;`, '@typescript-eslint/no-wrapper-object-types 1:10 warning'],
  [
    'a.ts',
    `let f: (a: Function) => void;`,
    '@typescript-eslint/no-unsafe-function-type 1:12 warning',
  ],
  ['a.ts', `type A = {};`, '@typescript-eslint/no-empty-object-type 1:10 warning'],
  ['a.ts', `f('a' as 'b');`, '@typescript-eslint/prefer-as-const 1:10 warning'],
  [
    'a.tsx',
    `export const A = <T,>({ b }: { b: T }) => <p onClick={() => { debugger; }}>{String(b)}</p>;`,
    'no-debugger 1:63 warning',
  ],
  ['a.mts', `export declare const a: number;\nif (a) {}`, 'no-empty 2:8 warning'],
  [
    'a.ts',
    `type A = { b: string } & {};\nabstract class B { abstract c(): A; d(): void; d(e?: A): void { console.log(e); } }`,
    '',
  ],
  [
    'a.ts',
    `import type { A } from './b';\nlet unused: A;\nnamespace N { export const a = 1; }`,
    '',
  ],
  ['a.ts', `@dec() class A { constructor(private b: string, readonly c?: number) {} }`, ''],
  ['a.ts', `let a: = 1;\ndebugger;`, ''],
  ['a.d.ts', `declare var a: String;`, ''],
  [
    'a.ts',
    `f('a' as 'b');`,
    '',
    { '.eslintrc.json': `{"rules": {"@typescript-eslint/prefer-as-const": 0}}` },
  ],
  // Hooks.
  [
    'a.tsx',
    `export function A({ b }: { b: boolean }) {\n  if (b) useState(1);\n  return <p />;\n}`,
    'react-hooks/rules-of-hooks 2:10 warning',
    react,
  ],
  [
    'a.jsx',
    `import { useEffect } from 'react';\nexport function A({ b }) {\n  useEffect(() => console.log(b), []);\n  return <p />;\n}`,
    'react-hooks/exhaustive-deps 3:35 warning',
    react,
  ],
  ['use-a.ts', `export function read(b: boolean) { if (b) useB(); }`, ''],
  // Components.
  [
    'A.vue',
    `<script setup lang="ts">\nlet a: number = 1; debugger;\n</script>\n<template>{{ a }}</template>`,
    'no-debugger 2:20 warning',
  ],
  [
    'A.vue',
    `<script>\nexport const b = { c: 1, c: 2 };\n</script>\n<script setup>\nif (b) {}\n</script>`,
    'no-dupe-keys 2:26 warning\nno-empty 5:8 warning',
  ],
  [
    'A.svelte',
    `<script>\n  let a = $state(1); let el;\n  $: b = a * 2;\n  if (a) {}\n</script>\n<p bind:this={el}>{a}</p>`,
    'no-empty 4:10 warning',
  ],
  ['A.svelte', `<!-- <script>debugger;</script> -->\n<p>{1}</p>`, ''],
  ['A.vue', `<template><p>debugger;</p></template>`, ''],
  // Vue templates.
  ...(
    [
      ['<ul><div>{{ a }}</div></ul>', 'element-permitted-content 1:16 warning'],
      ['<input type="txt" v-model="a">', 'attribute-allowed-values 1:24 warning'],
      ['<center>{{ a > 1 }}</center>', 'deprecated 1:12 warning'],
      ['<p>&nosuch;</p>', 'unrecognized-char-ref 1:14 warning'],
      ['<li v-for="a in b">{{ a }}</li>', 'vue/require-v-for-key 1:15 warning'],
      ['<template v-for="a in b"><p>{{ a }}</p></template>', 'vue/require-v-for-key 1:21 warning'],
      [
        '<p v-for="a in b" :key="a" v-if="a > 1">{{ a }}</p>',
        'vue/no-use-v-if-with-v-for 1:14 warning',
      ],
      ['<!-- [html-validate-disable-next deprecated] -->\n<center>a</center>', ''],
      // Valid code.
      ['<Input type="txt" :Size="1" @updateIt="a => b" /><Form.Item><div /></Form.Item>', ''],
      ['<ul><template v-for="a in b" :key="a"><li>{{ a }}</li></template></ul>', ''],
      ['<template v-for="a in b"><li :key="a">{{ a }}</li></template>', ''],
      ['<slot v-for="a in b" :name="a" />', ''],
      ['<p v-if="a" id="a" /><p v-else id="a" /><h1 v-text="a" /><a :href="b"><slot /></a>', ''],
      ['<button :type="a" :disabled="b" v-bind="c">{{ a }}</button><input :type="a" />', ''],
      ['<TransitionGroup tag="ul"><li key="a">1</li></TransitionGroup>', ''],
      ['<component :is="a"><tr><td>1</td></tr></component><B v-slot="{ a }">{{ a }}</B>', ''],
    ] as const
  ).map(
    ([markup, diagnostics]) => ['A.vue', `<template>${markup}</template>`, diagnostics] as const,
  ),
  ['A.vue', `<template lang="pug">\ncenter: p\n</template>`, ''],
  ['A.vue', `<script>\nconst a = '<template><center></center></template>';\n</script>`, ''],
  [
    'A.vue',
    `<template><center>a</center></template>`,
    '',
    { '.htmlvalidate.json': '{"rules": {"deprecated": "off"}}' },
  ],
  [
    'A.vue',
    `<template><p v-for="a in b">{{ a }}</p></template>`,
    '',
    {
      '.htmlvalidate.json':
        '{"rules": {"vue/require-v-for-key": "off", "missing-doctype": "error"}}',
    },
  ],
  // Valid code.
  ['a.js', `function onPress() {}\nlet unused = 1;`, ''],
  ['a.js', `// eslint-disable-next-line no-debugger\ndebugger;`, ''],
  ['a.js', `shown();`, '', { 'b.js': 'function shown() {}' }],
  ['a.js', `first + second;`, '', { 'b.js': 'const { first, other: second } = window;' }],
  ['a.js', `stage.append('x');`, '', { 'index.html': '<div id="stage"></div>' }],
  ['a.js', `tick();`, '', { 'index.html': '<script>function tick() {}</script>' }],
  ['a.js', `THREE();`, '', { 'index.html': '<script src="https://a.b/three.js"></script>' }],
  ['a.js', `answer();`, '', { 'b.js': 'window.answer = () => 42;\nexport {};' }],
  ['a.test.js', `test('adds', () => expect(1).toBe(1));`, ''],
  ['a.jsx', `import React from 'react';\nexport const A = () => <p />;`, ''],
  ['a.jsx', `import { B } from './b';\nexport const A = () => <B />;`, ''],
  ['a.js', `let a = ;`, ''],
  ['a.js', `x${'1'.repeat(2_000)}();`, ''],
  // Stylesheets.
  ['a.css', `a { colr: red; }`, 'css/no-invalid-properties 1:5 warning'],
  ['a.css', `a { color: 12px; }`, 'css/no-invalid-properties 1:12 warning'],
  ['a.css', `a {\n}`, 'css/no-empty-blocks 1:3 warning'],
  ['a.css', `@medai print { a { color: red; } }`, 'css/no-invalid-at-rules 1:1 warning'],
  ['a.css', `a { color: red; }\n@import 'b.css';`, 'css/no-invalid-at-rule-placement 2:1 warning'],
  ['a.css', `a { font-family: Foo; }`, 'css/font-family-fallbacks 1:18 warning'],
  ['a.css', `@import 'b.css';\n@import 'b.css';`, 'css/no-duplicate-imports 2:1 warning'],
  [
    'a.css',
    `@keyframes a { from { top: 0; } from { top: 1px; } }`,
    'css/no-duplicate-keyframe-selectors 1:33 warning',
  ],
  ['a.css', `p { top: 0; } }\na { left: 0; }`, 'stray-brace 1:15 warning'],
  ['a.css', `a { top: 0; }\n}`, 'stray-brace 2:1 warning'],
  [
    'a.css',
    `/* } */ a::before { content: "}"; background: url(a}.png); }\n.b\\} { top: 0; }\n@media print { a { top: 0; } }`,
    '',
  ],
  ['a.css', `a:nth-child(0) { top: 0; }`, 'css/no-unmatchable-selectors 1:2 warning'],
  ['a.css', `:root { --a: 1px; }\na { top: var(--a); left: var(--elsewhere); }`, ''],
  ['a.css', `a { font-family: var(--face); color: light-dark(red, blue); top: 0 !important; }`, ''],
  ['a.css', `a { & b { color: red; } }\n@container (width > 1px) { a { color: red; } }`, ''],
  ['a.css', `@import 'tailwindcss';\n@theme { --a: 1; }\n.a { @apply p-4; }`, ''],
  ['a.module.css', `.a { composes: b from './c.css'; }`, ''],
  ['a.scss', `$a: 1;`, ''],
  // Data.
  ['a.json', `{ "a": 1, "a": 2 }`, 'json/no-duplicate-keys 1:11 warning'],
  ['a.json', `{ "": 1 }`, 'json/no-empty-keys 1:3 warning'],
  ['a.json', `[1e400]`, 'json/no-unsafe-values 1:2 warning'],
  ['a.json', `{ "a": }`, ''],
  ['package-lock.json', `{ "": 1 }`, ''],
  // Pages.
  ['a.html', `<p id="a"></p><p id="a"></p>`, 'no-dup-id 1:22 warning'],
  ['a.html', `<ul><div></div></ul>`, 'element-permitted-content 1:6 warning'],
  ['a.html', `<a href="/"><button>x</button></a>`, 'element-permitted-content 1:14 warning'],
  ['a.html', `<center>x</center>`, 'deprecated 1:2 warning'],
  ['a.html', `<foo>x</foo>`, 'element-name 1:2 warning'],
  ['a.html', `<input type="txt">`, 'attribute-allowed-values 1:14 warning'],
  ['a.html', `<p>&nosuch;</p>`, 'unrecognized-char-ref 1:4 warning'],
  ['a.html', `<label for="a">x</label>`, ''],
  ['a.html', `<img src="a.png"><iframe src="b.html"></iframe>`, ''],
  ['a.html', `<script src="a.js" />`, 'script-element 1:20 warning'],
  ['a.html', `<p>one<b>two</p>`, ''],
  ['a.html', `<!doctype html>\n<x-clock></x-clock>\n<br />\n<button onclick=go()>Go</button>`, ''],
];

describe('lint rules', () => {
  for (const [path, text, diagnostics, others = {}] of cases) {
    const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
    test(`report ${diagnostics || 'nothing'} in ${path}: ${shown.replaceAll('\n', ' ⏎ ')}`, async () => {
      expect(await lintFile(path, { ...others, [path]: text })).toBe(diagnostics);
    });
  }

  test.for<readonly [what: string, path: string, files: Files]>([
    ['put there in quotes', 'b.js', { 'a.js': `window['paint'] = 1;`, 'b.js': 'paint();' }],
    [
      'put there by an alias',
      'b.js',
      { 'a.js': `const w = window;\nw.paint = 1;`, 'b.js': 'paint();' },
    ],
    [
      'put there by a UMD module',
      'b.js',
      {
        'a.js': `(function (root, make) { root.Paint = make(); })(typeof self !== 'undefined' ? self : this, () => 1);`,
        'b.js': 'Paint.a;',
      },
    ],
    ['assigned', 'b.js', { 'a.js': `Object.assign(window, { paint, b: 1 });`, 'b.js': 'paint();' }],
    [
      'of a worklet',
      'a.js',
      { 'a.js': `registerProcessor('a', class extends AudioWorkletProcessor {});\nsampleRate;` },
    ],
    ['of a shared worker', 'a.js', { 'a.js': `onconnect = () => {};` }],
    [
      'of a service worker',
      'a.js',
      { 'a.js': `addEventListener('install', () => skipWaiting());` },
    ],
    [
      'of Node, in a config',
      'vite.config.js',
      { 'vite.config.js': `module.exports = process.env;` },
    ],
    ['of Node, in CommonJS', 'a.cjs', { 'a.cjs': `module.exports = require('./b');` }],
  ])('know globals that are %s', async ([, path, files]) => {
    expect(await lintFile(path, files)).not.toContain('no-undef');
  });

  test('have messages in sentences', async () => {
    const files = {
      'a.html': '<p id="a"></p><p id="a"></p>',
      'a.js': `foo()`,
      'a.ts': `type A = String;`,
    };
    const project = open(files);
    const [page] = await project.lint({ path: 'a.html' });
    const [script] = await project.lint({ path: 'a.js' });
    const [type] = await project.lint({ path: 'a.ts' });
    expect([page?.message, script?.message, type?.message]).toEqual([
      'Duplicate ID “a”.',
      '“foo” is not defined.',
      '“String” is a wrapper type. Use “string” instead.',
    ]);
  });

  test('report nothing in the templates and examples', async () => {
    const root = new URL('../../../examples/', import.meta.url);
    const byProject = Map.groupBy(
      globSync('*/**/*.{js,jsx,ts,tsx,vue,svelte,css,html,json}', { cwd: root }),
      (path) => path.slice(0, path.indexOf('/')),
    );
    const found: string[] = [];
    for (const [folder, paths] of byProject) {
      const texts = paths.map((path): [string, string] => [
        path.slice(folder.length + 1),
        readFileSync(new URL(path, root), 'utf8'),
      ]);
      const project = open(Object.fromEntries(texts));
      project.setGlobalNames(browserNames);
      for (const [path] of texts)
        for (const { rule, line, message } of await project.lint({ path }))
          found.push(`${folder}/${path}:${line} ${rule} ${message}`);
    }
    expect(byProject.size).toBeGreaterThan(20);
    expect(found).toEqual([]);
  });
});

describe("a project's lint config", () => {
  const file = { 'a.js': `debugger;\nalert(1);`, 'a.css': 'a { top: 0 !important; }' };

  test('sets rules, severities and globals', async () => {
    const rules = {
      'no-debugger': 'off',
      'no-alert': 2,
      'css/no-important': [1],
      nonsense: 'error',
    };
    const config = `// ours\n${JSON.stringify({ rules, globals: { alert: 'readonly' } })}`;
    const files = { ...file, '.eslintrc.json': config };
    expect(await lintFile('a.js', files)).toBe('no-alert 2:1 error');
    expect(await lintFile('a.css', files)).toBe('css/no-important 1:12 warning');
  });

  test('is read from package.json if there is no config file', async () => {
    const eslintConfig = { rules: { 'no-debugger': 0, 'no-undef': 'off' } };
    const files = { ...file, 'package.json': JSON.stringify({ eslintConfig }) };
    expect(await lintFile('a.js', files)).toBe('');
  });

  test('has a file of its own for HTML pages', async () => {
    const rules = { 'no-dup-id': 'off', 'no-inline-style': 'error', nonsense: 'error' };
    const files = {
      'a.html': '<p id="a" style="top: 0"></p><p id="a"></p>',
      '.htmlvalidate.json': JSON.stringify({ rules, plugins: ['./evil.js'] }),
    };
    expect(await lintFile('a.html', files)).toBe('no-inline-style 1:11 error');
  });

  test('is ignored if it is invalid', async () => {
    for (const config of [
      '{',
      '[]',
      '{"rules": {"quotes": ["error", 3], "no-debugger": "perhaps"}}',
    ])
      expect(await lintFile('a.js', { ...file, '.eslintrc.json': config })).toBe(
        'no-debugger 1:1 warning\nno-undef 2:1 warning',
      );
  });

  test('applies once it is written, until it is deleted', async () => {
    const project = open(file);
    const count = async () => (await project.lint({ path: 'a.js' })).length;
    expect(await count()).toBe(2);
    const own = `{"rules": {"no-debugger": 0}}`;
    project.changeFiles(new Map([['.eslintrc.json', own]]), []);
    expect(await count()).toBe(1);
    project.changeFiles(new Map(), ['.eslintrc.json']);
    expect(await count()).toBe(2);
  });
});

describe('fixes of lint rules', () => {
  const applyFix = (text: string, { edits }: LintFix) =>
    edits.reduceRight(
      (now, { from, to, insert }) => now.slice(0, from) + insert + now.slice(to),
      text,
    );

  async function fixes(text: string, from = 0, to = text.length, path = 'a.js') {
    const found = await open({ [path]: text }).listFixes({ path, from, to });
    return found.map((fix) => [fix.label, applyFix(text, fix)]);
  }

  test('include automatic fixes and suggestions', async () => {
    expect(await fixes(`console.log(name);\nif (!!name) fetch('\\d');`)).toEqual([
      [
        'Fix no-extra-boolean-cast: Redundant double negation.',
        `console.log(name);\nif (name) fetch('\\d');`,
      ],
      [
        'Remove the `\\`. This maintains the current functionality.',
        `console.log(name);\nif (!!name) fetch('d');`,
      ],
      [
        'Replace the `\\` with `\\\\` to include the actual backslash character.',
        `console.log(name);\nif (!!name) fetch('\\\\d');`,
      ],
    ]);
  });

  test('are limited to diagnostics in the range', async () => {
    const text = `if (!!name) fetch();\nfetch('\\d');`;
    expect((await fixes(text, 4, 5)).map(([label]) => label)).toEqual([
      'Fix no-extra-boolean-cast: Redundant double negation.',
    ]);
    expect(await fixes(text, 12, 12)).toEqual([]);
  });

  test('work in TypeScript', async () => {
    const text = `let a: String = b!! as 'c';\na = 'd' as 'd';`;
    expect((await fixes(text, 0, text.length, 'a.ts')).at(-1)).toEqual([
      'Fix all auto-fixable problems in this file',
      `let a: string = b! as 'c';\na = 'd' as const;`,
    ]);
  });

  test('add missing effect dependencies', async () => {
    const text = `function A({ b }: P) { useEffect(() => f(b), []); return <p />; }`;
    const project = open({ ...react, 'a.tsx': text });
    const [fix] = await project.listFixes({ path: 'a.tsx', from: 45, to: 46 });
    expect(fix && applyFix(text, fix)).toBe(text.replace('[]', '[b]'));
  });

  test('fix a whole file in one step', async () => {
    const text = `if (!!name) fetch();\nif (!!window) fetch();`;
    expect((await fixes(text, 4, 4)).at(-1)).toEqual([
      'Fix all auto-fixable problems in this file',
      `if (name) fetch();\nif (window) fetch();`,
    ]);
  });
});
