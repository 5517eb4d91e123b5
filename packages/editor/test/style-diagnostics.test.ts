import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { applyTextEdits, TestMarkupProject } from './markup-projects.ts';

/** A file and the diagnostics of its styles: "emptyRules 1:1". */
const styles: readonly (readonly [path: string, text: string, said: string])[] = [
  ['a.scss', `a { colr: red; }`, 'unknownProperties 1:5'],
  ['a.scss', `$a: 1px;\n.b { &:hover { widht: $a; } }`, 'unknownProperties 2:16'],
  ['a.scss', `.b { .c {} }`, 'emptyRules 1:6'],
  ['a.scss', `@font-face { font-family: A; }`, 'fontFaceProperties 1:1'],
  ['a.scss', `a { display: block; vertical-align: top; }`, 'propertyIgnoredDueToDisplay 1:21'],
  ['a.scss', `a { -webkit-mask: none; }`, 'vendorPrefix 1:5'],
  [
    'a.scss',
    `@use 'sass:math';\n@mixin m($a...) { top: math.div($a, 2); @content; }\n.a { @include m(1px) { left: 0; } }`,
    '',
  ],
  [
    'a.scss',
    `%a { top: 0; }\n.b { @extend %a; #{$p}: 1px; @if $a == 1 { left: 0; } @else { left: 1px; } }`,
    '',
  ],
  ['a.scss', `a { top: 0; left }`, ''],
  ['a.less', `@a: 1px;\n.m() { top: @a; }\n.b { .m(); colr: red; }`, 'unknownProperties 3:12'],
  ['a.less', `.b { }`, 'emptyRules 1:1'],
  ['a.less', `.b { .c; color: fade(red, 50%); @media print { top: 0; } }`, ''],
  [
    'A.vue',
    `<template><p/></template>\n<style scoped lang="scss">\n.a { .b { colr: red; } }\n</style>`,
    'unknownProperties 3:11',
  ],
  ['A.vue', `<style scoped>\n:deep(.a) { color: v-bind('b.c'); }\n</style>`, ''],
  ['A.svelte', `<p>{a}</p>\n<style>\n  p { colr: red; }\n</style>`, 'unknownProperties 3:7'],
  ['A.svelte', `<style>\n  :global(body) { margin: 0; }\n</style>`, ''],
  ['a.html', `<style>\n  p { }\n</style>`, 'emptyRules 2:3'],
  ['a.html', `<p style="colr: red" class="a">x</p>`, 'unknownProperties 1:11'],
  ['a.html', `<p style="">x</p><p style="--a: 1; color: red">x</p>`, ''],
  ['a.html', `<style>@import 'tailwindcss'; .a { @apply p-1; }</style>`, ''],
  ['a.html', `<style>\n  p { top: 0; } }\n  a { left: 0; }\n</style>`, 'stray-brace 2:17'],
  ['a.html', `<p style="top: 0" title="}">}</p>`, ''],
  ['a.css', `a { colr: red; }`, ''],
];

const project = new TestMarkupProject();

async function told(path: string, text: string): Promise<string> {
  project.open({ [path]: text });
  const found = await project.handlers.problems({ path });
  return found.map(({ rule, line, column }) => `${rule} ${line}:${column}`).join('\n');
}

describe('lint rules of styles', () => {
  for (const [path, text, said] of styles)
    test(`report ${said || 'nothing'} in ${path}: ${text.replaceAll('\n', ' ⏎ ')}`, async () => {
      expect(await told(path, text)).toBe(said);
    });

  test('fix a misspelled property', async () => {
    const text = `.a { .b { colr: red; } }`;
    project.open({ 'a.scss': text });
    const fixes = await project.handlers.fixes({ path: 'a.scss', from: 12, to: 12 });
    const labels = fixes.map(({ label, files: [file] }) => [
      label,
      applyTextEdits(text, file?.edits ?? []),
    ]);
    expect(labels).toContainEqual(['Rename to color', `.a { .b { color: red; } }`]);
    expect(await project.handlers.fixes({ path: 'a.scss', from: 2, to: 3 })).toEqual([]);
  });

  test('report nothing in the examples', async () => {
    const root = new URL('../../../examples/', import.meta.url);
    const paths = globSync('*/**/*.{scss,less,html,vue,svelte}', { cwd: root });
    const found: string[] = [];
    for (const path of paths) {
      const said = await told(path, readFileSync(new URL(path, root), 'utf8'));
      if (said) found.push(`${path} ${said}`);
    }
    expect(paths.length).toBeGreaterThan(20);
    expect(found).toEqual([]);
  });
});
