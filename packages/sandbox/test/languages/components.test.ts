import { toTextFiles } from '@vitrine/project';
import { describe, expect, it } from 'vitest';
import type { ConsoleLogEntry } from '../../src/host/index.ts';
import { setUpChromium } from '../rig/chromium.ts';
import { frameworkLock } from '../rig/frameworks.ts';
import { compiledTransports } from '../rig/transports.ts';

const at = setUpChromium({ sharesPage: true });

const html =
  '<!doctype html><title>Start</title><main></main><script type="module" src="src/main.ts"></script>';

const vue = {
  'index.html': html,
  'package-lock.json': frameworkLock,
  'src/main.ts': `import { createApp } from 'vue';
import App from './App.vue';
createApp(App).mount('main');`,
  'src/App.vue': `<script setup lang="ts">
import { ref } from 'vue';
import Part from './Part.vue';
import { start } from './start';

const count = ref<number>(start);
function grow() {
  if (count.value > 2) throw new Error('grown ' + count.value);
  count.value += 1;
}
</script>

<template>
  <button @click="grow">count {{ count }}</button><i>{{ count - start }}</i>
  <Part color="rgb(1, 2, 3)">inner</Part>
</template>

<style scoped>
p { color: rgb(9, 9, 9); }
button { background: url('./dot.svg'); }
</style>
`,
  'src/Part.vue': `<script setup lang="ts">
import type { Colored } from './start';
defineProps<Colored>();
</script>
<template><div><p><slot /></p></div></template>
<style scoped>
p { color: v-bind(color); }
</style>
`,
  'src/start.ts': `export const start: number = 1;
export interface Colored { color: string }`,
  'src/dot.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
};

const svelte = {
  'index.html': html,
  'package-lock.json': frameworkLock,
  'src/main.ts': `import { mount } from 'svelte';
import App from './App.svelte';
mount(App, { target: document.querySelector('main')! });`,
  'src/App.svelte': `<script lang="ts">
  import Part from './Part.svelte';
  import { counter } from './counter.svelte.ts';

  function grow(by: number) {
    if (counter.count > 2) throw new Error('grown ' + counter.count);
    counter.count += by;
    own += by;
  }
  let own = $state(0);
</script>

<button onclick={() => grow(1)}>count {counter.count}</button><i>{own}</i>
<Part color="rgb(1, 2, 3)">inner</Part>

<style>
  button { color: rgb(9, 9, 9); }
</style>
`,
  'src/Part.svelte': `<script lang="ts">
  import type { Snippet } from 'svelte';
  let { color, children }: { color: string; children: Snippet } = $props();
</script>
<p style:--color={color}>{@render children()}</p>
<style>
  p { color: var(--color); }
</style>
`,
  'src/counter.svelte.ts': `class Counter { count: number = $state(1); }
export const counter = new Counter();`,
};

const button = `document.querySelector('button')?.textContent`;
const own = `document.querySelector('i').textContent`;
const styles = `[...document.querySelectorAll('style')].map((one) => one.textContent).join()`;
const press = `document.querySelector('button').click()`;
const colorOf = (name: string) => `getComputedStyle(document.querySelector('${name}')).color`;

interface Framework {
  name: 'Vue' | 'Svelte';
  files: Record<string, string>;
  app: string;
  /** Edited text of a file that the app imports. */
  imported: Record<string, string>;
  lines: { thrown: number };
}

const frameworks: Framework[] = [
  {
    name: 'Vue',
    files: vue,
    app: 'src/App.vue',
    imported: { 'src/start.ts': vue['src/start.ts'].replace('= 1', '= 7') },
    lines: { thrown: 8 },
  },
  {
    name: 'Svelte',
    files: svelte,
    app: 'src/App.svelte',
    imported: {
      'src/counter.svelte.ts': svelte['src/counter.svelte.ts'].replace('$state(1)', '$state(7)'),
    },
    lines: { thrown: 6 },
  },
];

const isError = ({ method }: ConsoleLogEntry) => method === 'error';

/** Edits that use an undefined name. */
const slips = {
  Vue: [
    {
      where: 'as it is set up',
      path: 'src/App.vue',
      from: 'ref<number>(start)',
      to: 'nothere(start)',
      line: 6,
    },
    {
      where: 'as it is drawn',
      path: 'src/App.vue',
      from: '{{ count -',
      to: '{{ nothere() -',
      line: 14,
    },
    {
      where: 'as another sets it up',
      path: 'src/Part.vue',
      from: 'defineProps<Colored>();',
      to: 'defineProps<Colored>();\nnothere();',
      line: 4,
    },
  ],
  Svelte: [
    {
      where: 'as it is set up',
      path: 'src/App.svelte',
      from: 'let own = $state(0)',
      to: 'let own = nothere(0)',
      line: 10,
    },
    { where: 'as it is drawn', path: 'src/App.svelte', from: '{own}', to: '{nothere()}', line: 13 },
    {
      where: 'as another sets it up',
      path: 'src/Part.svelte',
      from: '$props();',
      to: '$props();\n  nothere();',
      line: 4,
    },
  ],
};

describe.each(compiledTransports)('with the $transport transport', ({ isSrcdoc }) => {
  it('an error of code that a compiler added is located where that is called', async () => {
    const files = {
      ...svelte,
      'src/main.ts': `import App from './App.svelte';

new App({ target: document.body });`,
      'src/App.svelte': '<h1>Hello</h1>',
    };
    await at.workspace.run({ files, isSrcdoc });
    const { problems, lines } = await at.workspace.seenUntil(
      (seen) => seen.problems.length > 0 && seen.lines.length > 0,
    );
    expect(problems[0]).toMatchObject({ path: 'src/main.ts', line: 3 });
    // Its stack may end before main.ts.
    expect(['src/main.ts:3', 'src/App.svelte:0']).toContain(`${lines[0]?.path}:${lines[0]?.line}`);
    expect(problems[0]?.stack).not.toMatch(/App\.svelte:\d/);
  });

  describe.each(frameworks)('components of $name', ({ name, files, app, imported, lines }) => {
    const text = files[app] ?? '';

    it('run, have scoped styles, and report the location of an error', async () => {
      await at.workspace.run({ files, isSrcdoc });
      await at.workspace.untilInResult(button, (found) => found === 'count 1');
      expect(await at.workspace.inResult(colorOf('p'))).toBe('rgb(1, 2, 3)');
      await at.workspace.inResult(`${press}; ${press}`);
      await at.workspace.untilInResult(button, (found) => found === 'count 3');
      await at.workspace.inResult(press);
      const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
      expect(problems[0]).toMatchObject({ path: app, line: lines.thrown });
      expect(problems[0]?.message).toContain('grown 3');
    });

    it('keep their state when their markup or styles are edited', async () => {
      await at.workspace.run({ files, isSrcdoc });
      await at.workspace.untilInResult(button, (found) => found === 'count 1');
      await at.workspace.inResult('(() => { window.kept = true })()');
      await at.workspace.inResult(press);
      await at.workspace.untilInResult(own, (found) => found === '1');
      await at.workspace.edit({ [app]: text.replace('rgb(9, 9, 9)', 'rgb(8, 8, 8)') });
      await at.workspace.untilInResult(styles, (found) => String(found).includes('8, 8, 8'));
      expect(await at.workspace.inResult(`${button} + ${own}`)).toBe('count 21');
      await at.workspace.edit({ [app]: text.replace('count {', 'number {') });
      await at.workspace.untilInResult(button, (found) => found === 'number 2');
      expect(await at.workspace.inResult('window.kept')).toBe(true);
      expect((await at.workspace.seen()).problems).toEqual([]);
    });

    it('show an edit of a file that they import', async () => {
      await at.workspace.run({ files, isSrcdoc });
      await at.workspace.untilInResult(button, (found) => found === 'count 1');
      await at.workspace.inResult('(() => { window.kept = true })()');
      await at.workspace.edit(imported);
      await at.workspace.untilInResult(button, (found) => found === 'count 7');
      expect(await at.workspace.inResult('window.kept')).toBe(true);
    });

    it('lose their styles with the last instance', async () => {
      await at.workspace.run({ files, isSrcdoc });
      await at.workspace.untilInResult(styles, (found) => String(found).includes('9, 9, 9'));
      await at.workspace.edit({ [app]: text.slice(0, text.indexOf('<style')) });
      await at.workspace.untilInResult(styles, (found) => !String(found).includes('9, 9, 9'));
      expect(await at.workspace.inResult(colorOf('p'))).toBe('rgb(1, 2, 3)');
    });

    it.each(slips[name])(
      'report an error that an edit throws $where, and recover with the next edit',
      async ({ path, from, to, line }) => {
        await at.workspace.run({ files, isSrcdoc });
        await at.workspace.untilInResult(button, (found) => found === 'count 1');
        await at.workspace.edit({ [path]: files[path]?.replace(from, to) ?? '' });
        const { problems, lines } = await at.workspace.seenUntil(
          (seen) => seen.problems.length > 0 && seen.lines.some(isError),
        );
        expect(problems).toMatchObject([{ path, line }]);
        expect(lines.filter(isError)).toHaveLength(1);
        expect(problems[0]?.message).toMatch(
          /^“nothere” is not|^Unhandled promise rejection: “nothere” is not/,
        );
        await at.workspace.edit({ [path]: files[path] ?? '' });
        // The previous output may still be visible, so the diagnostic is checked.
        await at.workspace.seenUntil((seen) => seen.problems.length === 0);
        await at.workspace.untilInResult(button, (found) => found === 'count 1');
        await at.workspace.untilInResult(colorOf('p'), (found) => found === 'rgb(1, 2, 3)');
        expect((await at.workspace.seen()).problems).toEqual([]);
      },
    );

    it.each(slips[name])(
      'are shown by the edit that fixes an error they threw $where when the page started',
      async ({ path, from, to }) => {
        const broken = files[path]?.replace(from, to) ?? '';
        await at.workspace.run({ files: { ...files, [path]: broken }, isSrcdoc });
        await at.workspace.seenUntil((seen) => seen.problems.length > 0);
        await at.workspace.edit({ [path]: files[path] ?? '' });
        // The rest of the page may be visible before, so what the error prevented is checked.
        await at.workspace.seenUntil((seen) => seen.problems.length === 0);
        await at.workspace.untilInResult(button, (found) => found === 'count 1');
        await at.workspace.untilInResult(colorOf('p'), (found) => found === 'rgb(1, 2, 3)');
      },
    );

    it('show an edit, and keep the last working version until they compile', async () => {
      await at.workspace.run({ files, isSrcdoc });
      await at.workspace.untilInResult(button, (found) => found === 'count 1');
      await at.workspace.edit({ [app]: text.replace('count {', 'number {') });
      await at.workspace.untilInResult(button, (found) => found === 'number 1');
      await at.workspace.edit({ [app]: text.replace('</button>', '') });
      const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
      expect(problems[0]).toMatchObject({ kind: 'syntax', path: app });
      expect(await at.workspace.inResult(button)).toBe('number 1');
      await at.workspace.edit({ [app]: text.replace('count {', 'sum {') });
      await at.workspace.untilInResult(button, (found) => found === 'sum 1');
      expect((await at.workspace.seen()).problems).toEqual([]);
    });
  });
});

describe.each(frameworks)('a saved project with components of $name', ({ name, files, app }) => {
  it('is shown as the server compiled it, then updated by edits', async () => {
    const slug = `saved${name.toLowerCase()}`.padEnd(10, '0');
    at.rig.projects.set(slug, {
      id: slug,
      slug,
      revision: 1,
      isPrivate: false,
      files: toTextFiles(Object.entries(files)),
    });
    await at.workspace.run({ files, key: `edit--${slug}`, served: { revision: 1 } });
    await at.workspace.untilInResult(button, (found) => found === 'count 1');
    expect(await at.workspace.inResult(colorOf('p'))).toBe('rgb(1, 2, 3)');
    await at.workspace.edit({ [app]: (files[app] ?? '').replace('count {', 'number {') });
    await at.workspace.untilInResult(button, (found) => found === 'number 1');
    expect((await at.workspace.seen()).problems).toEqual([]);
  });
});
