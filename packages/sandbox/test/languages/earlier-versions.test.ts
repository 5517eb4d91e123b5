/** Projects of earlier versions of the frameworks, which their lockfile chooses the compiler of. */
import { toTextFiles } from '@vitrine/project';
import { describe, expect, it } from 'vitest';
import { setUpChromium } from '../rig/chromium.ts';
import { realPackages } from '../rig/frameworks.ts';
import { compiledTransports } from '../rig/transports.ts';

const at = setUpChromium({ sharesPage: true });

const html =
  '<!doctype html><title>Start</title><div id="app"></div><script type="module" src="/src/main.js"></script>';

const svelte = {
  'index.html': html,
  'src/app.css': 'h1 { color: teal; }',
  'src/main.js': `import './app.css'
import App from './App.svelte'
const app = new App({ target: document.getElementById('app') })
export default app`,
  'src/App.svelte': `<script lang="ts">
  import { fade } from 'svelte/transition'
  export let start: number = 0
  let count = start
  const increment = () => {
    if (count > 1) throw new Error('grown ' + count)
    count += 1
  }
  let birds = ['robin', 'wren']
</script>

<h1 transition:fade>Hello</h1>
<button on:click={increment}>count is {count}</button>
{#each birds as bird}<p>{bird}</p>{/each}

<style>
  p { color: rgb(1, 2, 3); }
</style>
`,
};

const vue = {
  'index.html': html,
  'src/main.js': `import Vue from 'vue';
import App from './App.vue';
Vue.config.productionTip = false;
new Vue({ render: (h) => h(App) }).$mount('#app');`,
  'src/App.vue': `<template>
  <div><h1 :class="$style.big">{{ msg | upper }}</h1><button @click="grow">count is {{ n }}</button>
    <p><my-part v-for="one in list" :key="one" :name="one">!</my-part></p><img src="./dot.svg"></div>
</template>
<script>
import MyPart from './MyPart.vue';
export default {
  components: { MyPart },
  data: () => ({ msg: 'two', n: 0, list: ['a', 'b'] }),
  filters: { upper: (text) => text.toUpperCase() },
  methods: {
    grow() {
      if (this.n > 1) throw new Error('grown ' + this.n);
      this.n += 1;
    },
  },
};
</script>
<style module>.big { font-size: 40px; }</style>
<style scoped>p { color: rgb(1, 2, 3); }</style>
`,
  'src/MyPart.vue': `<script setup lang="ts">
import { computed } from 'vue';
import Inner from './Inner.vue';
const props = defineProps<{ name: string }>();
const shown = computed<string>(() => props.name + props.name);
</script>
<template><i><Inner :text="shown" /><slot /></i></template>
`,
  'src/Inner.vue': `<template functional><b>{{ props.text }}</b></template>`,
  'src/dot.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
};

const button = `document.querySelector('button')?.textContent`;
const press = `document.querySelector('button').click()`;

describe.each(compiledTransports)('with the $transport transport', ({ isSrcdoc }) => {
  it.each(['svelte3', 'svelte4'])(
    'runs %s, its styles, and says where an error is',
    async (name) => {
      await at.workspace.run({ files: { ...svelte, ...realPackages(name) }, isSrcdoc });
      await at.workspace.untilInResult(button, (text) => text === 'count is 0');
      expect(
        await at.workspace.inResult(`getComputedStyle(document.querySelector('p')).color`),
      ).toBe('rgb(1, 2, 3)');
      await at.workspace.inResult(`${press}; ${press}`);
      await at.workspace.untilInResult(button, (text) => text === 'count is 2');
      expect((await at.workspace.seen()).problems).toEqual([]);
      await at.workspace.inResult(press);
      const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
      expect(problems[0]).toMatchObject({ path: 'src/App.svelte', line: 6 });
    },
  );

  it('runs Vue 2.7, its templates and styles', async () => {
    await at.workspace.run({ files: { ...vue, ...realPackages('vue2') }, isSrcdoc });
    await at.workspace.untilInResult(button, (text) => text === 'count is 0');
    const shown = `[document.querySelector('h1').textContent, document.querySelector('p').textContent,
      getComputedStyle(document.querySelector('p')).color, getComputedStyle(document.querySelector('h1')).fontSize,
      document.querySelector('img').getAttribute('src')].join()`;
    expect(await at.workspace.inResult(shown)).toMatch(
      /^TWO,aa!bb!,rgb\(1, 2, 3\),40px,\S*dot\.svg|^TWO,aa!bb!,rgb\(1, 2, 3\),40px,blob:/,
    );
    await at.workspace.inResult(`${press}; ${press}`);
    await at.workspace.untilInResult(button, (text) => text === 'count is 2');
    expect((await at.workspace.seen()).problems).toEqual([]);
    // Vue 2 catches what a handler throws and logs it.
    await at.workspace.inResult(press);
    await at.workspace.seenUntil(({ lines }) => JSON.stringify(lines).includes('grown 2'));
    await at.workspace.edit({ 'src/App.vue': vue['src/App.vue'].replace('count is', 'number') });
    await at.workspace.untilInResult(button, (text) => text === 'number 0');
  });

  it('runs an edited component of Svelte 4 in a clean document', async () => {
    await at.workspace.run({ files: { ...svelte, ...realPackages('svelte4') }, isSrcdoc });
    await at.workspace.untilInResult(button, (text) => text === 'count is 0');
    const text = svelte['src/App.svelte'].replace('count is', 'number');
    await at.workspace.edit({ 'src/App.svelte': text });
    await at.workspace.untilInResult(button, (found) => found === 'number 0');
  });
});

const saved = [
  { name: 'svelte3', files: svelte, app: 'src/App.svelte', text: svelte['src/App.svelte'] },
  { name: 'svelte4', files: svelte, app: 'src/App.svelte', text: svelte['src/App.svelte'] },
  { name: 'vue2', files: vue, app: 'src/App.vue', text: vue['src/App.vue'] },
];

it.each(saved)('shows a saved project of $name as the server compiled it', async (project) => {
  const files = { ...project.files, ...realPackages(project.name) };
  const slug = `saved${project.name}`.padEnd(12, '0');
  at.rig.projects.set(slug, {
    id: slug,
    slug,
    revision: 1,
    isPrivate: false,
    files: toTextFiles(Object.entries(files)),
  });
  await at.workspace.run({ files, key: `edit--${slug}`, served: { revision: 1 } });
  await at.workspace.untilInResult(button, (text) => text === 'count is 0');
  await at.workspace.edit({ [project.app]: project.text.replace('count is', 'number') });
  await at.workspace.untilInResult(button, (found) => found === 'number 0');
  expect((await at.workspace.seen()).problems).toEqual([]);
});
