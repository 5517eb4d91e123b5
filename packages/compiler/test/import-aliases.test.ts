import { isToolConfig } from '@vitrine/project';
import { describe, expect, it } from 'vitest';
import { readImportAliases } from '../src/import-aliases.ts';
import { resolveAlias } from '../src/resolve-alias.ts';
import { readViteConfig } from '../src/vite-config.ts';
import { compileFirst } from './component-rig.ts';

/** Resolves a specifier in a project with these files. */
function resolve(specifier: string, files: Record<string, string>) {
  const aliases = readImportAliases((path) => files[path]);
  const alias = resolveAlias(specifier, aliases, (path) => path in files);
  return typeof alias === 'object' ? alias.specifier : alias;
}

describe('an alias', () => {
  const empty = { 'src/a.ts': '', 'src/lib/b.ts': '', 'lib/c.ts': '' };

  it.each([
    ['@/a', '/src/a'],
    ['@/a?raw', '/src/a?raw'],
    ['@/lib/c', '/lib/c'],
    ['~/lib/b', '/src/lib/b'],
    ['$lib/b', '/src/lib/b'],
    ['@/none', 'missing'],
    ['@scope/a', undefined],
    ['react', undefined],
    ['./a', undefined],
    ['#a', undefined],
  ])('of templates: %s → %s', (specifier, target) => {
    expect(resolve(specifier, empty)).toBe(target);
  });

  it.each([
    [{ paths: { '@app/*': ['./app/*'] } }, '@app/x', '/app/x'],
    [{ paths: { one: ['./app/x.ts'] } }, 'one', '/app/x.ts'],
    [{ paths: { '*': ['./none/*', './app/*'] } }, 'x', '/app/x'],
    [{ baseUrl: 'app', paths: { '@/*': ['*'] } }, '@/x', '/app/x'],
    [{ baseUrl: './app' }, 'x', '/app/x'],
    [{ baseUrl: '.' }, 'app/x', '/app/x'],
    [{ baseUrl: '.' }, 'react', undefined],
    [{ paths: { react: ['./node_modules/preact/compat/'] } }, 'react', 'preact/compat'],
    [{ paths: { '@app/*': 'wrong' } }, '@app/x', 'missing'],
  ])('of tsconfig %j: %s → %s', (compilerOptions, specifier, target) => {
    const files = { 'app/x.ts': '', 'tsconfig.json': JSON.stringify({ compilerOptions }) };
    expect(resolve(specifier, files)).toBe(target);
  });

  it('is found in files that tsconfig.json extends and refers to', () => {
    const files = {
      'tsconfig.json': '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }',
      'tsconfig.app.json': '{ "extends": ["./config/base", "@tsconfig/svelte"] }',
      'config/base.json': '{ "compilerOptions": { "paths": { "@app/*": ["../app/*"] } } }',
      'app/x.ts': '',
    };
    expect(resolve('@app/x', files)).toBe('/app/x');
  });

  it('reads “imports” of package.json', () => {
    const imports = {
      '#a': './src/a.ts',
      '#lib/*': { node: './none/*.js', browser: './src/lib/*.ts' },
      '#dep': 'react',
    };
    const files = { ...empty, 'package.json': JSON.stringify({ imports }) };
    expect(resolve('#a', files)).toBe('/src/a.ts');
    expect(resolve('#lib/b', files)).toBe('/src/lib/b.ts');
    expect(resolve('#dep', files)).toBe('react');
    expect(resolve('#lib/none', files)).toBe('missing');
  });

  it.each([
    [`alias: { '@': '/app' }`, '@/x'],
    [`alias: { '@': './app' }`, '@/x'],
    [`alias: { "@": path.resolve(__dirname, './app') }`, '@/x'],
    [`alias: { app: path.join(__dirname, 'app') }`, 'app/x'],
    [`alias: { '@': fileURLToPath(new URL('./app', import.meta.url)) }`, '@/x'],
    [`alias: { '@': new URL('./app/', import.meta.url).pathname }`, '@/x'],
    ['alias: { "@": `${import.meta.dirname}/app` }', '@/x'],
    [`alias: [{ find: '@', replacement: resolve(process.cwd(), 'app') }]`, '@/x'],
    [`alias: [{ find: /^@\\//, replacement: '/app/' }] // all`, '@/x'],
    [`alias: {\n // comment with 'quote\n 'one': '/app/x.ts', }`, 'one'],
  ])('of vite.config: %s', (text, specifier) => {
    const config = `import path from 'path';\nexport default defineConfig({ resolve: { ${text}\n } });`;
    const files = { 'app/x.ts': '', 'vite.config.ts': config };
    expect(resolve(specifier, files)).toBe(specifier === 'one' ? '/app/x.ts' : '/app/x');
  });

  it.each([
    ['alias: makeAliases()', 'makeAliases'],
    [`alias: { '@': '/src', ...others }`, '...others'],
    [`alias: { '@': join(root, 'src'), b: read('b') }`, 'b: read'],
    [`alias: [{ find: /x|y/, replacement: '/src' }]`, '{ find'],
  ])('warns about aliases that only running the config could resolve: %s', async (text, at) => {
    const config = `export default { resolve: { ${text} } };`;
    expect(readViteConfig('vite.config.js', config).unreadableAt).toBe(config.indexOf(at));
    const { problems } = await compileFirst({ 'vite.config.js': config });
    expect(problems).toMatchObject([{ line: 1, severity: 'warning' }]);
  });
});

it('reads a hostile vite.config in time', () => {
  const word = 'x'.repeat(500_000);
  const quotes = String.raw`\"`.repeat(250_000);
  for (const text of [`alias: { a: ${word} }`, `alias: { a: 'b' } "${quotes}`])
    expect(readViteConfig('vite.config.js', text).envPrefixes).toEqual([]);
});

it('ignores missing imports in tool config files', async () => {
  for (const path of ['vite.config.ts', 'eslint.config.mjs', '.eslintrc.cjs', 'svelte.config.js']) {
    expect(isToolConfig(path)).toBe(true);
    const text = `import { defineConfig } from 'tool';\nimport './none.js';\nexport default {};`;
    expect(await compileFirst({ [path]: text })).toMatchObject({ missing: [], absent: [] });
  }
  expect(isToolConfig('src/vite.config.ts')).toBe(false);
  expect(isToolConfig('config.js')).toBe(false);
});

it('an import by an alias to a missing file is reported as a missing file', async () => {
  const files = { 'src/main.js': `import '@/none.js';\nimport '#none';\nimport 'none';` };
  const { absent, missing } = await compileFirst(files);
  expect(absent.map(({ specifier, line }) => [specifier, line])).toEqual([
    ['@/none.js', 1],
    ['#none', 2],
  ]);
  expect(missing.map(({ packageName }) => packageName)).toEqual(['none']);
});

describe('an alias in a stylesheet', () => {
  const files = {
    'src/styles/_vars.scss': `@use '@/styles/more';\n$color: more.$red;`,
    'src/styles/more.scss': '$red: red;',
    'src/styles/vars.less': '@color: red;',
    'src/styles/a.css': '',
    'src/a.png': '',
  };

  it.each([
    ['a.css', '@import "@/styles/a.css" print; p { background: url(@/a.png) }'],
    ['a.css', `@import url('~/styles/a.css') print; p { background: url("$src/a.png") }`],
  ])('names a file: %s %s', async (path, text) => {
    const tsconfig = '{ "compilerOptions": { "paths": { "$src/*": ["./src/*"] } } }';
    const { code } = await compileFirst({ [path]: text, ...files, 'tsconfig.json': tsconfig });
    expect(code?.replaceAll('"', '').replaceAll("'", '')).toMatch(
      /^@import (?:url\()?\/src\/styles\/a\.css\)? print; p \{ background: url\(\/src\/a\.png\) \}$/,
    );
  });

  it.each([
    ['x/a.scss', `@use '@/styles/vars' as v;\np { color: v.$color; background: url(@/a.png); }`],
    [
      'x/a.less',
      `@import (reference) "@/styles/vars";\np { color: @color; background: url(@/a.png); }`,
    ],
  ])('is resolved before %s is compiled', async (path, text) => {
    const { code, problems } = await compileFirst({ [path]: text, ...files });
    expect(problems).toEqual([]);
    expect(code).toContain('color: red');
    expect(code).toContain('url(/src/a.png)');
  });

  it('works in components', async () => {
    const style = `<style lang="scss">@use '@/styles/vars' as v; p { color: v.$color; background: url(@/a.png) }</style>`;
    for (const path of ['A.vue', 'A.svelte']) {
      const template = path === 'A.vue' ? '<template><p /></template>' : '<p></p>';
      const { code, problems } = await compileFirst({ [path]: template + style, ...files });
      expect(problems).toEqual([]);
      expect(code).toContain('red');
    }
  });

  it.each(['@import "@scope/package/a.css";', 'p { background: url(a.png) }', '@media print {}'])(
    'leaves other URLs unchanged: %s',
    async (text) => {
      const tsconfig = '{ "compilerOptions": { "baseUrl": "src" } }';
      const { code } = await compileFirst({ 'x/a.css': text, ...files, 'tsconfig.json': tsconfig });
      expect(code ?? text).toBe(text);
    },
  );
});
