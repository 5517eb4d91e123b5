import { beforeAll, describe, expect, test } from 'vitest';
import type { FilePosition } from '../src/typescript/messages.ts';
import { applyTextEdits, type MarkupFiles } from './markup-projects.ts';
import { TestTypeScriptProject } from './typescript-projects.ts';

let project: TestTypeScriptProject;
beforeAll(() => {
  project = new TestTypeScriptProject();
});

/** Sets the project's files. Returns the position of the cursor. */
function open(files: MarkupFiles): FilePosition {
  const marked = Object.entries(files).find(([, text]) => text.includes('‸'));
  project.setFiles(
    new Map(Object.entries(files).map(([path, text]) => [path, text.replace('‸', '')])),
  );
  return { path: marked?.[0] ?? '', offset: marked?.[1].indexOf('‸') ?? 0 };
}

const entriesAt = (files: MarkupFiles) =>
  project.handlers.completions({ ...open(files), isExplicit: true })?.entries ?? [];

const otherFiles: MarkupFiles = {
  'b.ts': `/** Twice as much. */\nexport const double = (n: number) => n * 2;\n`,
};

describe('type checking of scripts in components', () => {
  const codes = (path: string) => project.handlers.problems({ path }).map(({ code }) => code);

  test.for<readonly [string, string, number[]]>([
    ['A.vue', `<script setup lang="ts">\nconst n: number = 'a';\n</script>`, [2322]],
    [
      'A.vue',
      `<template>{{ n }}</template><script setup lang="ts">const n = 1; n.foo();</script>`,
      [2339],
    ],
    ['A.svelte', `<script lang="ts">\nlet n: number = 'a';\n</script>\n<p>{n}</p>`, [2322]],
    // Valid code, and names that cannot be known.
    [
      'A.vue',
      `<script setup lang="ts">\nconst props = defineProps<{ a: string }>();\nprops.a.at(0);\nconst b = 1;\n</script>`,
      [],
    ],
    [
      'A.vue',
      `<script lang="ts">\nexport default { data: () => ({ a: 1 }), methods: { b() { this.a; } } };\n</script>`,
      [],
    ],
    ['A.vue', `<script setup>\nconst n = 1; n.foo();\n</script>`, []],
    ['A.vue', `<script setup lang="ts">\nconst n: = 1;\n</script>`, []],
    [
      'A.svelte',
      `<script lang="ts">\nlet a = $state(1);\nconst b = $derived($store + a);\n</script>{b}`,
      [],
    ],
    ['A.svelte', `<script lang="ts">\nexport let a: number;\n$: b = a * 2;\n</script>{b}`, []],
    ['a.html', `<script type="module">\nconst n = 1; n.foo();\n</script>`, []],
  ])('%s: %s', ([path, text, wanted]) => {
    open({ [path]: text, 'tsconfig.json': '{"compilerOptions":{"noUnusedLocals":true}}' });
    expect(codes(path)).toEqual(wanted);
  });

  test('reports positions in the component', () => {
    open({ 'A.vue': `<template />\n<script setup lang="ts">\nlet n: number = 'a';\n</script>` });
    expect(project.handlers.problems({ path: 'A.vue' })).toMatchObject([
      { kind: 'type', path: 'A.vue', line: 3, column: 5, endColumn: 6 },
    ]);
  });
});

describe('scripts in markup', () => {
  test.for<readonly [string, string, MarkupFiles]>([
    [
      'members of the page',
      'querySelector',
      { 'i.html': '<p></p><script>document.querySel‸</script>' },
    ],
    ['what is in scope', 'counter', { 'i.html': '<script>let counter = 1; coun‸</script>' }],
    [
      'another script of the page',
      'counter',
      { 'i.html': '<script>let counter;</script><p><script>coun‸</script>' },
    ],
    [
      'scripts that the page loads',
      'counter',
      { 'i.html': '<script>coun‸</script>', 'a.js': 'var counter = 1' },
    ],
    [
      'modules',
      'double',
      { 'i.html': `<script type="module">import { dou‸ } from './b'</script>`, ...otherFiles },
    ],
    [
      'types in Vue',
      'toFixed',
      { 'A.vue': '<script setup lang="ts">const n: number = 1; n.toF‸</script>' },
    ],
    ['JavaScript in Vue', 'toUpperCase', { 'A.vue': `<template/><script>'a'.toUp‸</script>` }],
    [
      'types in Svelte',
      'toFixed',
      { 'A.svelte': '<script lang="ts">let n: number; n.toF‸</script><p>{n}</p>' },
    ],
  ])('complete %s: %s', ([, wanted, files]) => {
    expect(entriesAt(files).map(({ name }) => name)).toContain(wanted);
  });

  test('are not found in markup, data, or elements with src', () => {
    expect(entriesAt({ 'i.html': '<p>docum‸</p>' })).toEqual([]);
    const inData = { 'i.html': '<script type="application/json">docum‸</script>' };
    expect(entriesAt(inData).map(({ name }) => name)).not.toContain('querySelector');
  });

  test.for<readonly [string, string, string]>([
    [
      'in Vue',
      '<template>\n</template>\n<script setup lang="ts">\nconst a = doub‸\n</script>',
      `<template>\n</template>\n<script setup lang="ts">\nimport { double } from "./b";\n\nconst a = doub\n</script>`,
    ],
    [
      'behind others',
      `<script lang="ts">\nimport a from './a';\ndoub‸\n</script>\n<p>{a}</p>`,
      `<script lang="ts">\nimport a from './a';\nimport { double } from './b';\ndoub\n</script>\n<p>{a}</p>`,
    ],
  ])('get imports in the script %s', ([, text, wanted]) => {
    const path = text.includes('{a}') ? 'A.svelte' : 'A.vue';
    const files = { [path]: text, ...otherFiles };
    const entry = entriesAt(files).find(({ name }) => name === 'double');
    const at = open(files);
    const detail = project.handlers.completion({
      ...at,
      name: 'double',
      origin: entry?.origin ?? null,
    });
    expect(applyTextEdits(text, detail?.edits ?? []).replaceAll('"', "'")).toBe(
      wanted.replaceAll('"', "'"),
    );
  });

  test('get no imports if they are not modules', () => {
    const names = entriesAt({ 'i.html': '<script>doub‸</script>', ...otherFiles }).map(
      ({ name }) => name,
    );
    expect(names).not.toContain('double');
  });

  test('support definitions, hover and rename across files', () => {
    const vue = `<script setup>\nimport { double } from './b';\ndou‸ble(1);\n</script>`;
    const at = open({ 'A.vue': vue, ...otherFiles });
    expect(project.handlers.definitions(at)).toEqual([{ path: 'b.ts', line: 2, column: 14 }]);
    expect(project.handlers.description(at)?.text).toBe('Twice as much.');
    expect(
      project.handlers
        .references(at)
        .map(({ path, line }) => `${path}:${line}`)
        .toSorted(),
    ).toEqual(['A.vue:2', 'A.vue:3', 'b.ts:2']);
    const edits = project.handlers.rename({ ...at, name: 'twice' });
    const ownEdits = edits.find(({ path }) => path === 'A.vue')?.edits ?? [];
    expect(applyTextEdits(vue, ownEdits)).toBe(vue.replace('‸', '').replaceAll('double', 'twice'));
  });

  test('follow markup that changes its language or is deleted', () => {
    open({ 'A.vue': '<script>let a = 1</script>' });
    const at = open({ 'A.vue': '<script lang="ts">let a: string; a.toUp‸</script>' });
    expect(project.handlers.completions({ ...at, isExplicit: true })?.entries[0]?.name).toBe(
      'toUpperCase',
    );
    open({});
    expect(project.handlers.completions({ ...at, isExplicit: true })).toBeNull();
  });
});
