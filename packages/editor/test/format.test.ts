import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FormatProject } from '../src/format/format-project.ts';
import { canFormat } from '../src/format/format-support.ts';
import type { TextEdit } from '../src/typescript/messages.ts';

type Files = Readonly<Record<string, string>>;

function open(files: Files): FormatProject {
  const project = new FormatProject();
  project.changeFiles(new Map(Object.entries(files)), []);
  return project;
}

function applyEdits(text: string, edits: readonly TextEdit[]): string {
  return edits.reduceRight(
    (now, { from, to, insert }) => now.slice(0, from) + insert + now.slice(to),
    text,
  );
}

/** The formatted file, or the status if it was not formatted. */
async function formatFile(path: string, text: string, others: Files = {}): Promise<string> {
  const result = await open({ ...others, [path]: text }).format({ path });
  return result.status === 'formatted' ? applyEdits(text, result.edits) : result.status;
}

/** Formats the lines between two ‸. */
async function formatSelection(path: string, marked: string): Promise<string> {
  const [before = '', within = '', after = ''] = marked.split('‸');
  const text = before + within + after;
  const range = { from: before.length, to: before.length + within.length };
  const result = await open({ [path]: text }).format({ path, range });
  return result.status === 'formatted' ? applyEdits(text, result.edits) : result.status;
}

const ourStyle = { '.prettierrc': '{"singleQuote": true, "printWidth": 100}' };

const cases: readonly (readonly [path: string, before: string, after: string])[] = [
  ['a.js', `const a={b:1}`, `const a = { b: 1 };\n`],
  ['a.mjs', `export  const a=1`, `export const a = 1;\n`],
  ['a.jsx', `const A=()=><p  class='x'>{1}</p>`, `const A = () => <p class="x">{1}</p>;\n`],
  ['a.ts', `let a:string='b'`, `let a: string = "b";\n`],
  ['a.tsx', `const A=<T,>(p:T)=><p/>`, `const A = <T,>(p: T) => <p />;\n`],
  ['a.css', `a{color:RED;top:0}`, `a {\n  color: RED;\n  top: 0;\n}\n`],
  ['a.scss', `a{&:hover{top:$b}}`, `a {\n  &:hover {\n    top: $b;\n  }\n}\n`],
  ['a.less', `.a{.b();}`, `.a {\n  .b();\n}\n`],
  ['a.html', `<style>a{top:0}</style>`, `<style>\n  a {\n    top: 0;\n  }\n</style>\n`],
  ['a.html', `<script>let a=1</script>`, `<script>\n  let a = 1;\n</script>\n`],
  [
    'a.vue',
    `<script setup lang="ts">\nlet a:number=1\n</script>\n<template><p>{{a+1}}</p></template>`,
    `<script setup lang="ts">\nlet a: number = 1;\n</script>\n<template>\n  <p>{{ a + 1 }}</p>\n</template>\n`,
  ],
  [
    'a.svelte',
    `<script lang="ts">let a:number=$state(1)</script>{#if a}<p>{a+1}</p>{/if}`,
    `<script lang="ts">\n  let a: number = $state(1);\n</script>\n\n{#if a}<p>{a + 1}</p>{/if}\n`,
  ],
  ['a.json', `{"a":1,\n"b":[1,2]}`, `{ "a": 1, "b": [1, 2] }\n`],
  ['package.json', `{"name":"a"}`, `{\n  "name": "a"\n}\n`],
  ['a.md', `*  a\n* b\n\n\`\`\`js\nlet a\n\`\`\``, `- a\n- b\n\n\`\`\`js\nlet a\n\`\`\`\n`],
  ['a.yaml', `a:   1`, `a: 1\n`],
  ['a.js', `a;\n`, `a;\n`],
  ['a.js', ``, ``],
];

describe('formatting', () => {
  for (const [path, before, after] of cases)
    test(`formats ${path}: ${before.replaceAll('\n', ' ⏎ ')}`, async () => {
      expect(await formatFile(path, before)).toBe(after);
    });

  for (const [path, text] of [
    ['a.js', 'let a = ;'],
    ['a.ts', 'let a: = 1'],
    ['a.tsx', '<p>'],
    ['a.css', 'a { top: 0; } }'],
    ['a.scss', 'a { $b'],
    ['a.html', '<p></div>'],
    ['a.vue', '<template><p></div></template>'],
    ['a.svelte', '{#if a}'],
    ['a.json', '{"a":}'],
    ['a.yaml', 'a: [1'],
    ['deep.json', '['.repeat(20_000) + ']'.repeat(20_000)],
  ] as const)
    test(`leaves ${path} with a syntax error unchanged: ${text.slice(0, 60)}`, async () => {
      expect(await formatFile(path, text)).toBe('broken');
    });

  test('leaves unsupported files and the lockfile unchanged', async () => {
    expect(await formatFile('a.txt', 'a   b')).toBe('unknown');
    expect(await formatFile('package-lock.json', '{"a":1}')).toBe('unknown');
    expect(await open({}).format({ path: 'a.js' })).toEqual({ status: 'unknown' });
  });

  test('edits only what differs', async () => {
    const text = `const one = 1;\nconst two=2;\nconst three = 3;\n`;
    const result = await open({ 'a.js': text }).format({ path: 'a.js' });
    expect(result).toEqual({
      status: 'formatted',
      edits: [
        { from: 24, to: 24, insert: ' ' },
        { from: 25, to: 25, insert: ' ' },
      ],
    });
  });

  test('leaves the formatted templates unchanged', async () => {
    const root = new URL('../../../examples/', import.meta.url);
    const folders = '{html,markdown,preact,react,svelte,tailwind,typescript,vue}';
    const paths = globSync(`${folders}/**/*.*`, { cwd: root }).filter(canFormat);
    expect(paths.length).toBeGreaterThan(30);
    for (const path of paths) {
      const text = readFileSync(new URL(path, root), 'utf8');
      const once = await formatFile(path, text, ourStyle);
      expect(await formatFile(path, once, ourStyle), path).toBe(once);
    }
  });
});

describe('formatting a selection', () => {
  test('changes only its lines', async () => {
    expect(await formatSelection('a.js', 'a( )\n‸b( )\nc‸( )\nd( )')).toBe(
      'a( )\nb();\nc();\nd( )',
    );
    expect(await formatSelection('a.css', 'a{top:0}\nb‸{top:0}‸\n')).toBe(
      'a{top:0}\nb {\n  top: 0;\n}\n',
    );
  });

  test('formats the current line if nothing is selected', async () => {
    expect(await formatSelection('a.js', 'a( )\nb‸‸( )\n')).toBe('a( )\nb();\n');
  });

  test('reports a selection that cannot be formatted alone, such as half of a pair of brackets', async () => {
    const text = 'const A = () => <p>\n‸x <b>y</b></p>‸;\n';
    expect(await formatSelection('a.jsx', text)).toBe('part');
  });
});

describe("a project's Prettier config", () => {
  const text = `const a = "b";`;
  const single = `const a = 'b';\n`;

  test('is read as JSON or YAML, or from package.json', async () => {
    for (const [name, content] of [
      ['.prettierrc', '{"singleQuote": true}'],
      ['.prettierrc', 'singleQuote: true # as we like it'],
      ['.prettierrc.json', '{"singleQuote": true}'],
      ['.prettierrc.yaml', 'singleQuote: true'],
      ['package.json', '{"prettier": {"singleQuote": true}}'],
    ] as const)
      expect(await formatFile('a.js', text, { [name]: content }), name).toBe(single);
  });

  test('is that of the nearest folder, with overrides by file', async () => {
    const others = {
      '.prettierrc': '{"semi": false}',
      'b/.prettierrc': `{"overrides": [{"files": "*.{js,ts}", "options": {"singleQuote": true}}]}`,
    };
    expect(await formatFile('a.js', text, others)).toBe('const a = "b"\n');
    expect(await formatFile('b/c/a.js', text, others)).toBe(single);
    expect(await formatFile('b/a.mjs', text, others)).toBe(`const a = "b";\n`);
  });

  test('falls back to .editorconfig', async () => {
    const others = {
      '.editorconfig':
        'root = true\n[*]\nindent_style = tab\n[*.css]\nindent_style = space\nindent_size = 4\n',
    };
    expect(await formatFile('a.js', 'if(a){b()}', others)).toBe('if (a) {\n\tb();\n}\n');
    expect(await formatFile('a.css', 'a{top:0}', others)).toBe('a {\n    top: 0;\n}\n');
  });

  test('changes nothing if it is invalid', async () => {
    for (const config of [
      '{"printWidth": "wide"}',
      '{"semi": "perhaps", "singleQuote": true}',
      '{"tabWidth": -1}',
      '{"semi": fal',
      'a: [',
      'a: &a [1]\nb: *a',
    ])
      expect(await formatFile('a.js', text, { '.prettierrc': config }), config).toBe('config');
  });

  test('runs no code, and may be empty', async () => {
    for (const config of ['{"plugins": ["./evil.js"], "parser": "evil"}', '', '[]', 'null'])
      expect(await formatFile('a.js', text, { '.prettierrc': config }), config).toBe(`${text}\n`);
  });
});
