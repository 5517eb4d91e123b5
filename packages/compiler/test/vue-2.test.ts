import { applyQuickFix } from '@vitrine/project';
import { describe, expect, it } from 'vitest';
import { compileFirst, origin, locationIn, locationOf } from './component-rig.ts';

const integrity = `sha512-${'a'.repeat(86)}==`;

function using(version: string) {
  const packages = {
    '': { dependencies: { vue: version } },
    'node_modules/vue': { version, integrity },
  };
  return {
    'package.json': JSON.stringify({ dependencies: { vue: version } }),
    'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages }),
  };
}

describe('a component of Vue 2.7', () => {
  const files = using('2.7.16');

  it('has the functions of its template as options, and its styles', async () => {
    const text = `<template>
  <div id="app"><h1>{{ msg | upper }}</h1><img src="./a.svg"><button @click="n++">{{ n }}</button></div>
</template>
<script>
export default { data: () => ({ msg: 'two', n: 0 }), filters: { upper: (s) => s.toUpperCase() } };
</script>
<style scoped>h1 { color: teal; }</style>
`;
    const file = await compileFirst({ 'src/App.vue': text, 'src/a.svg': '', ...files });
    expect(file.problems).toEqual([]);
    expect(file.code).toContain('_f(\\"upper\\")(msg)');
    expect(file.code).toContain('"/src/a.svg?url"');
    expect(file.code).toMatch(/_scopeId = "data-v-\w+"/);
    expect(file.code).toContain('color: teal');
    expect(file.code).not.toContain('__VUE_HMR_RUNTIME__');
    expect(locationOf(file, 'toUpperCase')).toMatchObject({
      line: locationIn(text, 'toUpperCase').line,
    });
  });

  it('may have a setup script with TypeScript, whose imports are its components', async () => {
    const text = `<script setup lang="ts">
import { ref } from 'vue';
import Part from './Part.vue';
import { Bird } from './bird';
defineProps<{ bird: Bird }>();
const count = ref<number>(1);
</script>
<template><Part :count="count" /></template>
`;
    const bird = 'export interface Bird { name: string }\n';
    const part = '<template><p/></template>';
    const file = await compileFirst({
      'App.vue': text,
      'Part.vue': part,
      'bird.ts': bird,
      ...files,
    });
    expect(file.problems).toEqual([]);
    expect(file.code).toContain(`${origin}/npm/vue@2.7.16~`);
    expect(file.code).toMatch(/components = \{\s*Part,/);
    expect(file.code).not.toContain('bird.ts');
  });

  it.each([
    ['<template>\n  <p>{{ a + }}</p>\n</template>\n', 2, 'expression'],
    ['<template>\n<p v-for="(a">b</p>\n</template>\n', 2, 'v-for'],
    ['<template>\n<p>a</p><p>b</p>\n</template>\n', 2, 'exactly one root element'],
    ['<template><p/></template>\n<script>\nexport default {\n', 2, ''],
    ['<script lang="tsx">\nexport default {};\n</script>\n', 1, 'JSX in Vue 2'],
  ])('reports a problem at its location: %j', async (text, line, message) => {
    const { problems } = await compileFirst({ 'App.vue': text, ...files });
    expect(problems[0]).toMatchObject({ line });
    expect(problems[0]?.message).toContain(message);
  });
});

it.each([
  ['2.6.14', '^2.7.16', 'Vue 2.6 isn’t supported; only 2.7 and 3 are.'],
  ['4.0.0', '^3.5.45', 'Vue 4 isn’t supported; only 2.7 and 3 are.'],
])('Vue %s is a problem with a fix', async (version, range, message) => {
  const files = using(version);
  const { problems } = await compileFirst({ 'App.vue': '<template><p/></template>', ...files });
  expect(problems[0]?.message).toContain(message);
  const [fix] = problems[0]?.fixes ?? [];
  expect(fix && applyQuickFix(new Map(Object.entries(files)), fix.edit)).toContain(`"${range}"`);
});
