import { describe, expect, it } from 'vitest';
import { compileFirst, locationIn, locationOf } from './component-rig.ts';

const component = `<script lang="ts">
  import { fade } from 'svelte/transition';
  import Part from './Part.svelte';
  import type { Bird } from './bird';

  interface Props { name: string; bird?: Bird }
  let { name }: Props = $props();
  let count = $state<number>(0);
  function grow(by: number) { count += by; throw new Error(name); }
</script>

{#snippet line(text: string)}<i>{text}</i>{/snippet}

<p transition:fade onclick={() => grow(2)}>{count} {@render line('a')} {firstWord}</p>
<Part />

<style>
  p { color: red; background: url(./a.svg); }
</style>
`;
const around = { 'src/Part.svelte': '<b>part</b>', 'src/a.svg': '<svg/>' };

describe('a Svelte component', () => {
  it('compiles to a module with its styles and without types', async () => {
    const {
      code = '',
      problems,
      missing,
      absent,
    } = await compileFirst({
      'src/App.svelte': component,
      ...around,
    });
    expect([problems, missing, absent]).toEqual([[], [], []]);
    expect(code).toMatch(/from .http:\S+\/npm\/svelte@5\.57\.3~\w+\/internal\/client/);
    expect(code).toMatch(/from .http:\S+\/npm\/svelte@5\.57\.3~\w+\/transition/);
    expect(code).toMatch(/p\.svelte-\w+/);
    expect(code).toContain('import __file0 from "/src/a.svg?url"');
    expect(code).not.toMatch(/interface|: number/);
  });

  it('runs despite compiler warnings, and omits accessibility warnings', async () => {
    const text = `<script>\n  let a = 1; let { b } = $props();\n</script>\n<img src="a.png"><button onclick={() => (a += 1)}>{a}{b}</button>\n<style>\n  .b { top: 0; }\n</style>\n`;
    const { code, problems } = await compileFirst({ 'a.svelte': text });
    expect(code).toContain('img');
    expect(problems).toEqual([
      {
        message: expect.stringContaining('“a” is updated, but is not declared with “$state(...)”'),
        line: 2,
        column: 7,
        severity: 'warning',
      },
      { message: 'Unused CSS selector ".b".', line: 6, column: 3, severity: 'warning' },
    ]);
    const sass = await compileFirst({ 'a.svelte': text.replace('<style>', '<style lang="scss">') });
    expect(sass.problems).toHaveLength(1);
  });

  it('maps positions through all steps', async () => {
    const made = await compileFirst({ 'src/App.svelte': component, ...around });
    expect(locationOf(made, 'new Error')).toEqual(locationIn(component, 'new Error'));
    expect(made.map?.sources).toEqual(['App.svelte']);
  });

  it('keeps running when only its styles are edited', async () => {
    const stateOf = async (text: string) =>
      /__state === "(\w+)"/.exec((await compileFirst({ 'src/App.svelte': text })).code ?? '')?.[1];
    const state = await stateOf(component);
    expect(state).toBeDefined();
    const { code } = await compileFirst({ 'src/App.svelte': component });
    expect(code).toContain('module.default[$.HMR].current = App[$.HMR].current; else if (');
    expect(code).toContain('import.meta.hot.invalidate(); else App[$.HMR].update(module.default);');
    expect(await stateOf(component.replace('color: red', 'color: blue'))).toBe(state);
    expect(await stateOf(component.replace('{count}', '{count}!'))).not.toBe(state);
  });

  it('may contain Sass without moving later lines', async () => {
    const text = `<style lang="scss">
$ink: #123456;
p { b { color: $ink; } }
</style>
<p><b>text</b>{words(1)}</p>`;
    const made = await compileFirst({ 'App.svelte': text });
    expect(made.code).toMatch(/b:where\(\.svelte-\w+\)[^}]*#123456/);
    expect(locationOf(made, 'words(1)')?.line).toBe(5);
    const broken = await compileFirst({ 'App.svelte': text.replace('$ink;', '$gone;') });
    expect(broken.problems).toMatchObject([{ line: 3, column: 16 }]);
  });

  it('reports missing packages and files', async () => {
    const text = `<script>\n  import a from 'gone';\n  import B from './Gone.svelte';\n</script>\n<B {a} />`;
    const made = await compileFirst({ 'App.svelte': text });
    expect(made.missing).toMatchObject([{ packageName: 'gone', line: 2 }]);
    expect(made.absent).toMatchObject([{ specifier: './Gone.svelte', line: 3 }]);
  });
});

describe('the preserved state of a Svelte component', () => {
  const text = `<script>
  import Part from './Part.svelte';
  import { start, unused } from './start';
  const size = 4;
  function make() { return Array(size).fill(start); }
  let rows = $state(make());
  let count = $state(0);
  let bare = $state();
  let next = 1;
  let todos = $state([{ text: 'milk', button: 1 }]);
  let timer = setInterval(unused);
  let nothing = null;
  const double = $derived(count * 2);
  function grow() { todos.push({ text: 'tea' }); count += next++; rows = []; bare = double; nothing = timer; }
</script>
<button onclick={grow}>{count} {rows} {bare} {nothing}</button>
<Part a="one" /><Part {...rows}><Part /></Part>
{#if count}<Part bind:this={nothing} />{/if}
{#each rows as row}<Part {row} />{/each}
{#snippet named()}<Part a="never" />{/snippet}
{@render named()}`;
  const around = { 'Part.svelte': '', 'start.js': '' };
  const compileText = async (edited: string) =>
    (await compileFirst({ 'App.svelte': edited, ...around })).code ?? '';
  const keptIn = async (edited: string) =>
    new Map(
      Array.from(
        (await compileText(edited)).matchAll(/\$\$kept\.value\("(\w+)", "(\w+)", \[(.*?)\]/g),
        ([, name = '', key = '', used = '']) => [name, { key, used }],
      ),
    );

  it('is its state and plain data, not values created by calls', async () => {
    const kept = await keptIn(text);
    expect([...kept.keys()]).toEqual(['rows', 'count', 'bare', 'next', 'todos']);
    expect(kept.get('rows')?.used).toBe('start');
    const before =
      '<script>let n = 0; let name = "a"; export let p = 1;</script><b on:click={() => n++}>{n}{p}</b>';
    expect([...(await keptIn(before)).keys()]).toEqual(['n', 'name']);
  });

  it('is reset when its initial value changes, and by nothing else', async () => {
    const differing = async (from: string, to: string) => {
      const [kept, next] = await Promise.all([keptIn(text), keptIn(text.replace(from, to))]);
      return [...kept.keys()].filter((name) => kept.get(name)?.key !== next.get(name)?.key);
    };
    expect(await differing('size = 4', 'size = 5')).toEqual(['rows']);
    expect(await differing('$state(0)', '$state(1)')).toEqual(['count']);
    expect(await differing('rows = []; ', '')).toEqual([]);
    expect(await differing('next++', 'next')).toEqual([]);
    expect(await differing('<button', '<p>{next}</p><button')).toEqual([]);
  });

  it('includes child components that can be identified', async () => {
    const locations = (await compileText(text)).matchAll(/\$\$kept\.child\("([^"]+)"/g);
    expect(Array.from(locations, ([, location = '']) => location).sort()).toEqual([
      'Part 1/4',
      'Part 2/4',
      'Part 3/4',
      'Part 4/4',
    ]);
  });

  it('keeps positions mapped', async () => {
    const made = await compileFirst({ 'App.svelte': text, ...around });
    expect(locationOf(made, 'fill(start)')).toEqual(locationIn(text, 'fill(start)'));
    expect(locationOf(made, 'make())')).toEqual(locationIn(text, 'make());'));
  });
});

describe('a script with runes', () => {
  it.each(['js', 'ts'])('runs as %s', async (ending) => {
    const type = ending === 'ts' ? ': number' : '';
    const text = `export function counter(start${type}) {
  let count = $state(start);
  return { get count() { return count; }, grow() { count += 1; throw new Error('x'); } };
}`;
    const made = await compileFirst({ [`counter.svelte.${ending}`]: text });
    expect(made.problems).toEqual([]);
    expect(made.code).toContain('$.state(');
    expect(locationOf(made, 'new Error')).toEqual(locationIn(text, 'new Error'));
  });
});

describe('an error in a Svelte component', () => {
  const inScript = (line: string) => `<script lang="ts">\nlet a = 1;\n${line}\n</script>\n{a}`;
  it.each([
    ['App.svelte', inScript('let b: number = ;'), 3, 17, 'Unexpected “;”.'],
    [
      'App.svelte',
      '<p>\n  {#if true}\n</p>',
      3,
      1,
      '“</p>” attempted to close an element that was not open.',
    ],
    [
      'App.svelte',
      '<div>\n<p>text</i>\n</div>',
      2,
      8,
      '“</i>” attempted to close an element that was not open.',
    ],
    ['App.svelte', '<p>{a +}</p>', 1, 8, 'Unexpected “}”.'],
    [
      'App.svelte',
      inScript('enum Size { Small }'),
      3,
      1,
      'Svelte doesn’t support enums here. Move the code to a separate file and import it.',
    ],
    [
      'App.svelte',
      inScript('class A { @b c() {} }'),
      3,
      11,
      /^Svelte doesn’t support decorators here\./,
    ],
    [
      'App.svelte',
      '<script>\nclass A { @b c() {} }\n</script>',
      2,
      11,
      /^Svelte doesn’t support decorators/,
    ],
    [
      'App.svelte',
      '<p></p>\n<style lang="stylus">\np\n</style>',
      2,
      22,
      'Styles in “stylus” aren’t supported. Use “scss”, “less”, or “css”.',
    ],
    ['App.svelte', '<p></p>\n<style>\np { color }\n</style>', 3, 5, 'Missing value.'],
    ['a.svelte.js', 'let a = 1;\nlet b = ;', 2, 9, 'Unexpected “;”.'],
    [
      'a.svelte.ts',
      'let a: number = 1;\nfoo($state(2));',
      2,
      5,
      /^“\$state\(\.\.\.\)” can only be used/,
    ],
  ] as const)('in %s: %j', async (path, text, line, column, message) => {
    const { problems, code } = await compileFirst({ [path]: text });
    expect(problems[0]).toMatchObject({ line, column });
    expect(problems[0]?.message).toMatch(message);
    expect(code).toContain('this does not compile');
  });
});
