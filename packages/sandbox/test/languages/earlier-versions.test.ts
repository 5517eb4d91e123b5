/** Projects of earlier versions of the frameworks, which their lockfile chooses the compiler of. */
import { describe, expect, it } from 'vitest';
import { setUpChromium } from '../rig/chromium.ts';
import { realPackages } from '../rig/frameworks.ts';
import { compiledPaths } from '../rig/paths.ts';

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

const button = `document.querySelector('button')?.textContent`;
const press = `document.querySelector('button').click()`;

describe.each(compiledPaths)('with the $transport transport', ({ isPortable }) => {
  it.each(['svelte3', 'svelte4'])(
    'runs %s, its styles, and says where an error is',
    async (name) => {
      await at.workspace.run({ files: { ...svelte, ...realPackages(name) }, isPortable });
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

  it('runs an edited component of Svelte 4 in a clean document', async () => {
    await at.workspace.run({ files: { ...svelte, ...realPackages('svelte4') }, isPortable });
    await at.workspace.untilInResult(button, (text) => text === 'count is 0');
    const text = svelte['src/App.svelte'].replace('count is', 'number');
    await at.workspace.edit({ 'src/App.svelte': text });
    await at.workspace.untilInResult(button, (found) => found === 'number 0');
  });
});
