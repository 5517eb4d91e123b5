import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compileTransform } from '../src/wasm/load-transform.ts';
import { startTransform } from '../src/wasm/start-transform.ts';
import { compileFirst, locationIn, locationOf } from './component-rig.ts';

const setup = `<script setup lang="ts">
import { ref } from 'vue';
import Part from './Part.vue';
import type { Bird } from './bird';

const props = defineProps<{ name: string; bird?: Bird }>();
const count = ref<number>(0);
function grow(by: number) { count.value += by; throw new Error(props.name); }
</script>

<template>
  <p :title="(name as string)" @click="grow(2)">{{ count }} {{ firstWord() }}</p>
  <Part />
</template>

<style scoped>
p { color: v-bind(color); }
</style>
`;
const around = {
  'src/Part.vue': '<template><i /></template>',
  'src/bird.ts': 'export interface Bird { wings: number }',
};

describe('a Vue component', () => {
  it('has script, template and styles in one module', async () => {
    const {
      code = '',
      problems,
      missing,
      absent,
    } = await compileFirst({
      'src/App.vue': setup,
      ...around,
    });
    expect([problems, missing, absent]).toEqual([[], [], []]);
    expect(code).toMatch(/from "http:\/\/vitrine\.localhost:4000\/npm\/vue@3\.5\.45~/);
    expect(code).toMatch(/name: \{\s*type: String,\s*required: true/);
    expect(code).toContain('p[data-v-');
    expect(code).toContain('__component.render = __render');
    expect(code).not.toMatch(/\bas string\b|<number>|interface/);
  });

  it('maps positions of script and template through all steps', async () => {
    const made = await compileFirst({ 'src/App.vue': setup, ...around });
    expect(locationOf(made, 'new Error')).toEqual(locationIn(setup, 'new Error'));
    expect(locationOf(made, '.firstWord')?.line).toBe(locationIn(setup, 'firstWord').line);
    expect(made.map?.sources).toEqual(['App.vue']);
    expect(made.map?.sourcesContent).toEqual([setup]);
  });

  it.each([['ts'], ['js']])('has its decorators compiled, in %s', async (lang) => {
    const text = `<script setup lang="${lang}">
class Bird { @loud sing() { throw new Error('la') } accessor wings = 2 }
</script>
<template><p /></template>`;
    const made = await compileFirst({ 'App.vue': text });
    expect(made.problems).toEqual([]);
    expect(made.code).not.toMatch(/@loud|accessor wings/);
    expect(locationOf(made, 'new Error')).toEqual(locationIn(text, 'new Error'));
  });

  it('reads the types of its props from other files each time', async () => {
    const file = `<script setup lang="ts">
import type { Props } from './props';
defineProps<Props>();
</script>
<template><p /></template>`;
    const of = (props: string) => compileFirst({ 'src/App.vue': file, 'src/props.ts': props });
    const first = await of('export interface Props { size: number }');
    const second = await of('export interface Props { size: string }');
    expect(first.code).toMatch(/size: \{\s*type: Number/);
    expect(second.code).toMatch(/size: \{\s*type: String/);
    expect(first.reads).toEqual(['src/props.ts']);
  });

  it('supports the options API, two scripts, or only a template', async () => {
    const options = `<script>\nexport default { data: () => ({ n: 1 }) };\n</script>\n<template><p>{{ n }}</p></template>`;
    const both = `<script>\nexport const size = 3;\n</script>\n<script setup>\nconst n = size;\n</script>\n<template>{{ n }}</template>`;
    const made = await Promise.all(
      [options, both, '<template><p>text</p></template>'].map((text) =>
        compileFirst({ 'App.vue': text }),
      ),
    );
    for (const { code, problems } of made) {
      expect(problems).toEqual([]);
      expect(code).toContain('export default __component;');
    }
    expect(made[1]?.code).toContain('export const size = 3;');
  });

  it('supports a script in another file', async () => {
    const made = await compileFirst({
      'src/App.vue': '<script src="./app"></script><template><p /></template>',
      'src/app.ts': 'export default {}',
    });
    expect(made.code).toContain('import __component from "/src/app.ts"');
  });

  it('supports styles in other files, and reports missing ones', async () => {
    const made = await compileFirst({
      'src/App.vue':
        '<template><p /></template>\n<style src="./a.css" scoped />\n<style src="./b.css"/>',
      'src/a.css': 'p { color: red }',
    });
    expect(made.code).toMatch(/p\[data-v-\w+\] \{ color: red/);
    expect(made.reads).toContain('src/a.css');
    expect(made.absent).toMatchObject([{ specifier: './b.css', line: 3 }]);
  });

  it('supports Sass, Less and CSS modules', async () => {
    const text = `<template><p :class="$style.big" /></template>
<style lang="scss" scoped>
@use './colors';
p { b { color: colors.$ink; } }
</style>
<style lang="less">
@size: 3px; i { margin: @size + 1; }
</style>
<style module>
.big { font-size: 2em; }
</style>
<style module="other">
@import './base.css';
</style>`;
    const made = await compileFirst({
      'src/App.vue': text,
      'src/_colors.scss': '$ink: #123456;',
      'src/base.css': '.base { color: red }',
    });
    expect(made.problems).toEqual([]);
    expect(made.code).toMatch(/p b\[data-v-\w+\] \{[^}]*#123456/);
    expect(made.code).toContain('margin: 4px');
    const [, name = ''] = /"\$style":\{"big":"(big_\w+)"/.exec(made.code ?? '') ?? [];
    expect(made.code).toContain(`.${name} { font-size`);
    expect(made.code).toMatch(/"other":\{"base":"base_\w+"/);
    expect(made.reads).toEqual(expect.arrayContaining(['src/_colors.scss', 'src/base.css']));
  });

  it('reports an error in a style at its position, also in an imported one', async () => {
    const of = async (style: string, colors = '') =>
      (
        await compileFirst({
          'src/App.vue': `<template><p /></template>\n<style lang="scss">${style}</style>`,
          'src/_colors.scss': colors,
        })
      ).problems;
    expect(await of('\np { color: $gone; }\n')).toMatchObject([{ line: 3, column: 12 }]);
    expect(await of("@use 'colors';", '\np { color: $gone; }')).toMatchObject([
      { path: 'src/_colors.scss', line: 2 },
    ]);
  });

  it('imports images of its styles and its template', async () => {
    const made = await compileFirst({
      'src/App.vue': `<template><img src="./a.svg"></template>
<style>p { background: url('./a.svg#x'), url(gone.svg) }</style>`,
      'src/a.svg': '<svg/>',
    });
    expect(made.code).toContain('import __file0 from "/src/a.svg?url"');
    expect(made.code).toContain('url(\\"" + __file0 + "#x\\")');
    expect(made.code).toContain('url(gone.svg)');
    expect(made.absent).toEqual([]);
  });

  it('supports JSX', async () => {
    const made = await compileFirst({
      'App.vue': `<script lang="tsx">\nexport default { render: () => <p>{1 as number}</p> };\n</script>`,
    });
    expect(made.problems).toEqual([]);
    expect(made.code).toMatch(/npm\/vue@[^"]*\/jsx-dev-runtime/);
  });

  it('reports missing packages and files', async () => {
    const text = `<script setup>\nimport a from 'gone';\nimport b from './gone.js';\n</script>\n<template>{{ a + b }}</template>`;
    const made = await compileFirst({ 'App.vue': text });
    expect(made.missing).toEqual([{ packageName: 'gone', specifier: 'gone', line: 2, column: 16 }]);
    expect(made.absent).toEqual([{ specifier: './gone.js', line: 3, column: 16 }]);
  });

  it('keeps its state when only the template or the styles are edited', async () => {
    const stateOf = async (text: string) =>
      /__state = "(\w+)"/.exec(
        (await compileFirst({ 'src/App.vue': text, ...around })).code ?? '',
      )?.[1];
    const state = await stateOf(setup);
    expect(state).toBeDefined();
    expect(await stateOf(setup.replace('<p ', '<p class="a" '))).toBe(state);
    expect(await stateOf(setup.replace('p {', 'p { margin: 0;'))).toBe(state);
    expect(await stateOf(setup.replace('grow(by', 'grow(much'))).not.toBe(state);
    expect(await stateOf(setup.replace(' scoped', ''))).not.toBe(state);
  });

  it('compiles the same with both builds of oxc', async () => {
    const file = '@oxc-transform/binding-wasm32-wasi/transform.wasm32-wasi.wasm';
    const bytes = await readFile(fileURLToPath(import.meta.resolve(file)));
    const wasm = startTransform(await compileTransform(new Uint8Array(bytes).buffer));
    const files = { 'src/App.vue': setup, ...around };
    expect(await compileFirst(files, wasm)).toEqual(await compileFirst(files));
  });
});

describe('an error in a Vue component', () => {
  const inScript = (line: string, lang = 'ts') =>
    `<script setup lang="${lang}">\nconst a = 1;\n${line}\n</script>\n<template>{{ a }}</template>`;
  const inTemplate = (line: string) =>
    `<script setup>\nconst a = 1;\n</script>\n<template>\n${line}\n</template>`;
  it.each([
    [inScript('const b: number = ;'), 3, 19, 'Unexpected “;”.'],
    [inScript('const b = f(0;'), 3, 14, 'Unexpected “;”.'],
    [inScript('const b = ;', 'js'), 3, 11, 'Unexpected “;”.'],
    [inScript('const a = 2;'), 3, 7, '“a” is already declared.'],
    [
      inScript('export default {}'),
      3,
      1,
      '<script setup> can’t have exports. Move the export to a separate <script>.',
    ],
    [inTemplate('<p>{{ a + }}</p>'), 5, 7, 'This expression is incomplete or has invalid syntax.'],
    [inTemplate('<div><p></div>'), 5, 6, '<p> isn’t closed.'],
    [inTemplate('<div>\n<p>{{ a </p></div>'), 6, 4, '“{{” is missing its closing “}}”.'],
    [inTemplate('</i>'), 5, 1, '</i> has no matching start tag.'],
    [inTemplate('<p v-if></p>'), 5, 4, 'v-if needs a condition: v-if="…".'],
    [inTemplate('<p v-else>a</p>'), 5, 1, 'v-else must directly follow an element with v-if.'],
    ['<style>\np {}\n</style>', 1, 1, 'A component needs a <template> or a <script>.'],
    ['<template>\n<p />\n</template>\n<template />', 4, 1, 'Duplicate <template>.'],
    ['<template lang="pug">p</template>', 1, 1, 'Templates in “pug” aren’t supported. Use HTML.'],
    [
      '<template src="./a.html" />',
      1,
      1,
      'Templates can’t be in a separate file. Move the template into the component.',
    ],
    [
      '<template><p /></template>\n<style lang="stylus">\np\n</style>',
      2,
      1,
      'Styles in “stylus” aren’t supported. Use “scss”, “less”, or “css”.',
    ],
    [
      '<template><p /></template>\n<style>\np { color: red\n</style>',
      3,
      1,
      'Missing “}” at the end of this block.',
    ],
  ])('%j', async (text, line, column, message) => {
    const { problems, code } = await compileFirst({ 'App.vue': text });
    expect(problems[0]).toEqual({ message, line, column });
    expect(code).toContain('this does not compile');
  });
});
