import { applyQuickFix } from '@vitrine/project';
import { describe, expect, it } from 'vitest';
import { compileFirst, origin, locationIn, locationOf } from './component-rig.ts';

const integrity = `sha512-${'a'.repeat(86)}==`;

/** A project that depends on a version of Svelte, resolved unless it is only a range. */
function using(version: string, isResolved = true) {
  const packages = {
    '': { devDependencies: { svelte: version } },
    'node_modules/svelte': { version, integrity },
  };
  return {
    'package.json': `{\n  "devDependencies": { "svelte": "${isResolved ? '*' : version}" }\n}`,
    'package-lock.json': isResolved ? JSON.stringify({ lockfileVersion: 3, packages }) : '{}',
  };
}

const component = `<script>
  import Part from './Part.svelte';
  let count = 0;
  $: doubled = count * 2;
  const increment = () => { count += 1; };
</script>

<main on:click={increment}><h1>{doubled}</h1><Part /></main>

<style>
  h1 { color: teal; }
</style>
`;

describe.each(['3.59.2', '4.2.20'])('a component of Svelte %s', (version) => {
  const files = { 'Part.svelte': '<p>part</p>\n', ...using(version) };

  it('is compiled for its own runtime, with its styles and positions', async () => {
    const file = await compileFirst({ 'App.svelte': component, ...files });
    expect(file.problems).toEqual([]);
    expect(file.code).toContain(`${origin}/npm/svelte@${version}~`);
    expect(file.code).toContain('/internal');
    expect(file.code).not.toContain('internal/client');
    expect(file.code).toMatch(/color:\s*teal/);
    expect(file.code).toMatch(/from ["']\.\/Part\.svelte["']/);
    expect(file.hot).toBe(undefined);
    expect(locationOf(file, 'count += 1')).toMatchObject({ line: 5 });
  });

  it('may have TypeScript and Sass', async () => {
    const text = `<script lang="ts">
  import type { Bird } from './bird';
  import Part from './Part.svelte';
  interface Named { name: string }
  export let bird: Bird & Named;
  $: title = (bird as Named).name + '!';
</script>

<h1>{title}</h1><Part />

<style lang="scss">
  $color: teal;
  h1 { color: $color; }
</style>
`;
    const file = await compileFirst({ 'App.svelte': text, 'bird.ts': '', ...files });
    expect(file.problems).toEqual([]);
    expect(file.code).toMatch(/color:\s*teal/);
    expect(file.code).toMatch(/from ["']\.\/Part\.svelte["']/);
    expect(file.code).not.toContain('bird.ts');
    expect(locationOf(file, 'bird.name +')).toMatchObject({
      line: locationIn(text, '$: title').line,
    });
  });

  it.each([
    ['<p>{#if a}b</p>\n', 1],
    ['<script lang="ts">\n  interface A { b: string }\n  let c: = 1;\n</script>\n', 3],
    ['<script lang="ts">\n  interface A {\n    b: string\n  }\n</script>\n<p>{#if a}b</p>\n', 6],
  ])('reports problems at their location: %j', async (text, line) => {
    const { problems } = await compileFirst({ 'App.svelte': text, ...files });
    expect(problems[0]).toMatchObject({ line });
  });

  it('has warnings, but none about accessibility', async () => {
    const text = '<script>\n  export let unused;\n</script>\n\n<img src="a.png">\n';
    const { problems, code } = await compileFirst({ 'App.svelte': text, ...files });
    expect(problems).toMatchObject([{ severity: 'warning', line: 2 }]);
    expect(code).toContain('img');
  });
});

describe('the version of Svelte', () => {
  const text = '<button on:click={() => {}}>a</button>\n';

  it('is the range in package.json before packages are resolved', async () => {
    const { code } = await compileFirst({ 'App.svelte': text, ...using('^4.2.18', false) });
    expect(code).toContain('"svelte/internal"');
    const current = await compileFirst({ 'App.svelte': text, ...using('latest', false) });
    expect(current.code).toContain('svelte/internal/client');
  });

  it('decides whether scripts have runes', async () => {
    const script = 'export const $state = 1;\n';
    const earlier = await compileFirst({ 'a.svelte.js': script, ...using('4.2.20') });
    expect(earlier.problems).toEqual([]);
    const current = await compileFirst({ 'a.svelte.js': script, ...using('5.0.0') });
    expect(current.problems).toHaveLength(1);
  });

  it.each([
    ['^2.16.1', '"^3.59.2"', 'Svelte 2 '],
    ['6.0.0', '"^5.57.3"', 'Svelte 6 '],
  ])('has a problem with a fix if it has no compiler: %s', async (range, to, shown) => {
    const files = using(range, false);
    const { problems } = await compileFirst({ 'App.svelte': text, ...files });
    expect(problems[0]?.message).toContain(`${shown}isn’t supported; only 3, 4, and 5 are`);
    const [fix] = problems[0]?.fixes ?? [];
    const edit = fix && applyQuickFix(new Map(Object.entries(files)), fix.edit);
    expect(edit).toBe(files['package.json'].replace(`"${range}"`, to));
  });
});
