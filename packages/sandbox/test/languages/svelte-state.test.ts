import { describe, expect, it } from 'vitest';
import { setUpChromium } from '../rig/chromium.ts';
import { frameworkLock } from '../rig/frameworks.ts';
import { compiledTransports } from '../rig/transports.ts';

const at = setUpChromium({ sharesPage: true });

const files = {
  'index.html':
    '<!doctype html><title>Start</title><main></main><script type="module" src="main.ts"></script>',
  'package-lock.json': frameworkLock,
  'main.ts': `import { mount } from 'svelte';
import App from './App.svelte';
mount(App, { target: document.querySelector('main')! });`,
  'App.svelte': `<script lang="ts">
  import Part from './Part.svelte';
  import Card from './Card.svelte';
  import { start } from './start';

  let next = 1;
  let list = $state<number[]>([]);
  let from = $state(start);
  let step = $state(1);
  function add() { list.push(next++); from += step; step += 1; }
</script>

<button onclick={add}>add</button>
<output>{list.join()} from {from} step {step}</output>
<Card><Part /></Card>
{#each list as item (item)}<Part />{/each}

<style>output { color: red }</style>
`,
  'Card.svelte': `<script>let { children } = $props();</script><section>{@render children()}</section>`,
  'Part.svelte': `<script>let presses = $state(0);</script>
<i onclick={() => presses++}>{presses}</i>`,
  'start.ts': 'export const start: number = 10;',
};

const app = files['App.svelte'];
const shown = `document.querySelector('output').textContent + ' | ' +
  [...document.querySelectorAll('i')].map((one) => one.textContent).join()`;

describe.each(compiledTransports)(
  'an edited Svelte component, with the $transport transport',
  ({ isSrcdoc }) => {
    const shows = (text: string) => at.workspace.untilInResult(shown, (now) => now === text);
    const edit = (before: string, after: string) =>
      at.workspace.edit({ 'App.svelte': app.replace(before, after) });

    it('keeps its state and that of child components, unless their initial values changed', async () => {
      await at.workspace.run({ files, isSrcdoc });
      await shows(' from 10 step 1 | 0');
      await at.workspace.inResult(
        `window.kept = true; document.querySelector('button').click(); document.querySelector('i').click()`,
      );
      await shows('1 from 11 step 2 | 1,0');
      await edit('<output>{', '<output>list {');
      await shows('list 1 from 11 step 2 | 1,0');
      await edit('from += step', 'from += 10 * step');
      await shows('1 from 11 step 2 | 1,0');
      await at.workspace.inResult(`document.querySelector('button').click()`);
      await shows('1,2 from 31 step 3 | 1,0,0');
      await edit('step = $state(1)', 'step = $state(5)');
      await shows('1,2 from 31 step 5 | 1,0,0');
      await at.workspace.edit({ 'start.ts': 'export const start = 50;' });
      await shows('1,2 from 50 step 5 | 1,0,0');
      expect(await at.workspace.inResult('window.kept')).toBe(true);
      expect((await at.workspace.seen()).problems).toEqual([]);
    });

    it('keeps its state over a version that throws', async () => {
      await at.workspace.run({ files, isSrcdoc });
      await shows(' from 10 step 1 | 0');
      await at.workspace.inResult(`document.querySelector('button').click()`);
      await shows('1 from 11 step 2 | 0,0');
      await edit('{list.join()}', '{list.joined()}');
      await at.workspace.seenUntil(({ problems }) => problems.length > 0);
      await edit('{list.join()}', '[{list.join()}]');
      await shows('[1] from 11 step 2 | 0,0');
    });
  },
);
