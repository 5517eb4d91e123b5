import type { TypingCase } from './typing-case.ts';

export const typedCases: readonly TypingCase[] = [
  ['interface A {‸}', '⏎', 'interface A {\n  ‸\n}'],
  ['type A = {\n  b: string;‸\n};', '⏎', 'type A = {\n  b: string;\n  ‸\n};'],
  ['type A =\n  | 1‸', '⏎', 'type A =\n  | 1\n  ‸'],
  ['enum A {‸}', '⏎', 'enum A {\n  ‸\n}'],
  ['namespace A {‸}', '⏎', 'namespace A {\n  ‸\n}'],
  ['declare module "a" {‸}', '⏎', 'declare module "a" {\n  ‸\n}'],
  ['function f(a: string): void {‸}', '⏎', 'function f(a: string): void {\n  ‸\n}'],
  [
    'abstract class A {\n  abstract b(): void;‸\n}',
    '⏎',
    'abstract class A {\n  abstract b(): void;\n  ‸\n}',
  ],
  ['const f = <T,>(a: T) => {‸};', '⏎', 'const f = <T,>(a: T) => {\n  ‸\n};'],
  ['function f(a: {‸}) {}', '⏎', 'function f(a: {\n  ‸\n}) {}'],
];

export const jsxCases: readonly TypingCase[] = [
  ['const a = <p‸', '>', 'const a = <p>‸</p>'],
  ['const a = <A.B c={1}‸', '>', 'const a = <A.B c={1}>‸</A.B>'],
  ['const a = <A.B c={{ d: { e: 1 } }}‸', '>', 'const a = <A.B c={{ d: { e: 1 } }}>‸</A.B>'],
  ['const a = <p b={{ c: 1 }}‸</p>', '>', 'const a = <p b={{ c: 1 }}>‸</p>'],
  ['const a = <p b={{ c: 1 }} /‸', '>', 'const a = <p b={{ c: 1 }} />‸'],
  ['if (a <p && f({})‸', ' > 1', 'if (a <p && f({}) > 1‸'],
  ['const a = <p b={1}‸', '>', 'const a = <p b={1}>‸</p>'],
  ['const a = <p b={{ c: 1 }}‸', '>', 'const a = <p b={{ c: 1 }}>‸</p>'],
  ['const a = <b c="d">e‸', '</b>', 'const a = <b c="d">e</b>‸'],
  ['const a = <A.B>e‸', '</A.B>', 'const a = <A.B>e</A.B>‸'],
  ['const a = <‸', '>', 'const a = <>‸</>'],
  ['const a = <p /‸', '>', 'const a = <p />‸'],
  ['const a = <p>b<‸', '/', 'const a = <p>b</p>‸'],
  ['const a = <p>‸</p>;', '⏎', 'const a = <p>\n  ‸\n</p>;'],
  ['const a = (\n  <p>\n    b‸\n  </p>\n);', '⏎', 'const a = (\n  <p>\n    b\n    ‸\n  </p>\n);'],
  [
    'const a = (\n  <ul>\n    <li>b</li>‸\n  </ul>\n);',
    '⏎',
    'const a = (\n  <ul>\n    <li>b</li>\n    ‸\n  </ul>\n);',
  ],
  ['const a = <p‸></p>;', '⏎', 'const a = <p\n  ‸></p>;'],
  ['const a = <p b="c"‸></p>;', '⏎', 'const a = <p b="c"\n  ‸></p>;'],
  ['const a = (\n  <p\n    b="c"‸\n  />\n);', '⏎', 'const a = (\n  <p\n    b="c"\n    ‸\n  />\n);'],
  ['const a = <p b=‸></p>;', '"', 'const a = <p b="‸"></p>;'],
  ['const a = <p b=‸></p>;', '{', 'const a = <p b={‸}></p>;'],
  ['const a = <p>‸</p>;', '{', 'const a = <p>{‸}</p>;'],
  [
    'const a = (\n  <p>\n    {b.map(() => {‸})}\n  </p>\n);',
    '⏎',
    'const a = (\n  <p>\n    {b.map(() => {\n      ‸\n    })}\n  </p>\n);',
  ],
  [
    'const a = (\n  <p>\n    b‸\n  </p>\n);',
    '⌘/',
    'const a = (\n  <p>\n    {/* b‸ */}\n  </p>\n);',
  ],
  ['const a = (\n  <p\n    b="c"‸/>\n);', '⏎', 'const a = (\n  <p\n    b="c"\n  ‸/>\n);'],
  ['if (a <‸', ' b', 'if (a < b‸'],
];
