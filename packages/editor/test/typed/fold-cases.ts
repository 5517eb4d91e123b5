/** A file and its folds: "1-3" hides the text from the end of line 1 to line 3. */
export type FoldCase = readonly [text: string, folds: string];

const scripts: readonly FoldCase[] = [
  ['function f() {\n  a();\n}\n', '1-3'],
  ['const a = {\n  b: 1,\n};\nconst c = [\n  1,\n];\n', '1-3 4-6'],
  ['class A {\n  b() {\n    c();\n  }\n}\n', '1-5 2-4'],
  ['switch (a) {\n  case 1:\n    b();\n}\n', '1-4'],
  ['/*\n * a\n */\nb();\n', '1-3'],
  ['f(function () {\n  a();\n});\n', '1-3'],
  ['if (a) {\n  b();\n} else {\n  c();\n}\n', '1-3 3-5'],
  ['const a = 1;\nconst b = 2;\n', ''],
  ['f({ a: 1 });\n', ''],
];
const typed: readonly FoldCase[] = [
  ['interface A {\n  b: 1;\n}\n', '1-3'],
  ['type A = {\n  b: 1;\n};\n', '1-3'],
  ['enum A {\n  B,\n}\n', '1-3'],
  ['namespace A {\n  export const b = 1;\n}\n', '1-3'],
];
const jsx: readonly FoldCase[] = [
  ['const a = (\n  <p>\n    b\n  </p>\n);\n', '1-5 2-4'],
  ['const a = (\n  <>\n    <p>b</p>\n  </>\n);\n', '1-5 2-4'],
];
const styles: readonly FoldCase[] = [
  ['a {\n  top: 0;\n}\n', '1-3'],
  ['@media print {\n  a {\n    top: 0;\n  }\n}\n', '1-5 2-4'],
  ['a {\n  top: 0;\n}\n\nb {\n  top: 0;\n}\n', '1-3 5-7'],
  ['/*\n * a\n */\n', '1-3'],
  ['a { top: 0; }\n', ''],
  ['@keyframes a {\n  from {\n    top: 0;\n  }\n}\n', '1-5 2-4'],
];
const markup: readonly FoldCase[] = [
  ['<div>\n  a\n</div>\n', '1-3'],
  ['<ul>\n  <li>\n    a\n  </li>\n</ul>\n', '1-5 2-4'],
  ['<!--\n  a\n-->\n', '1-3'],
  ['<p>a</p>\n<br>\n', ''],
  ['<style>\n  a {\n    top: 0;\n  }\n</style>\n', '1-5 2-4'],
  ['<script>\n  f(() => {\n    a();\n  });\n</script>\n', '1-5 2-4'],
];

/** Cases by a file name of the language. */
export const foldCases: Readonly<Record<string, readonly FoldCase[]>> = {
  'a.html': markup,
  'a.css': styles,
  'a.scss': [...styles, ['@mixin a {\n  b {\n    top: 0;\n  }\n}\n', '1-5 2-4']],
  'a.less': [...styles, ['.m() {\n  b {\n    top: 0;\n  }\n}\n', '1-5 2-4']],
  'a.js': scripts,
  'a.ts': [...scripts, ...typed],
  'a.jsx': [...scripts, ...jsx],
  'a.tsx': [...scripts, ...typed, ...jsx],
  'a.vue': [...markup, ['<template>\n  <p>\n    a\n  </p>\n</template>\n', '1-5 2-4']],
  'a.svelte': [
    ...markup,
    ['{#if a}\n  <p>b</p>\n{/if}\n', '1-3'],
    ['{#each a as b}\n  <p>\n    b\n  </p>\n{/each}\n', '1-5 2-4'],
  ],
  'a.json': [
    ['{\n  "a": [\n    1\n  ]\n}\n', '1-5 2-4'],
    ['[\n  {\n    "a": 1\n  }\n]\n', '1-5 2-4'],
    ['{ "a": [1] }\n', ''],
  ],
  'a.md': [
    ['# a\n\nb\n\n## c\n\nd\n\n# e\n\nf\n', '1-7 5-7 9-11'],
    ['```js\na();\n```\n', '1-3'],
    ['- a\n  - b\n  - c\n- d\n', '1-3'],
    ['a\nb\n', '1-2'],
  ],
};

/**
 * The first ‸ is after a bracket, the second before the matching one. A single ‸ is after a bracket
 * without a match.
 */
export const bracketCases: Readonly<Record<string, readonly string[]>> = {
  'a.html': ['<p>(‸a‸)</p>', '<style>a {‸ top: 0; ‸}</style>', '<script>f(‸a‸)</script>'],
  'a.css': ['a {‸ top: 0; ‸}', 'a { top: calc(‸1px + (2px)‸) }', 'a[‸b‸] {}', 'a {‸ top: 0;'],
  'a.scss': ['@mixin a($b) {‸ top: 0; ‸}', '$a: (‸b: c‸);'],
  'a.less': ['.m(‸@a‸) {}', 'a {‸ .m(); ‸}'],
  'a.js': [
    'f(‸a[b]‸)',
    'f("(", (‸a‸))',
    'const a = {‸ b: "}" ‸}',
    '`${‸a‸}`',
    'f(‸a',
    '/\\(/.test(‸a‸)',
  ],
  'a.ts': ['const a = f<B>(‸c as D‸)', 'interface A {‸ b(): C ‸}', 'type A = [‸B, (C)‸]'],
  'a.jsx': ['const a = <p b={‸c‸} />', 'const a = <p>{‸(b)‸}</p>'],
  'a.tsx': ['const a = <A<B> c={‸d‸} />'],
  'a.vue': ['<template><p>{{ f(‸a‸) }}</p></template>', '<script>f(‸a‸)</script>'],
  'a.svelte': ['<p>{‸a‸}</p>', '<p on={() => f(‸a‸)}></p>'],
  'a.json': ['{‸ "a": "}" ‸}', '[‸1, [2]‸]', '{‸ "a": 1'],
  'a.md': ['[‸a‸](b)', '[a](‸b‸)'],
};
