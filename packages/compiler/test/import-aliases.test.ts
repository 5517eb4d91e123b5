import { describe, expect, it } from 'vitest';
import { readImportAliases } from '../src/import-aliases.ts';
import { resolveAlias } from '../src/resolve-alias.ts';
import { isToolConfig, readViteConfig } from '../src/vite-config.ts';
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

  it('is one of package.json', () => {
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
  ])('that only running tells is told: %s', async (text, at) => {
    const config = `export default { resolve: { ${text} } };`;
    expect(readViteConfig('vite.config.js', config).unreadableAt).toBe(config.indexOf(at));
    const { problems } = await compileFirst({ 'vite.config.js': config });
    expect(problems).toMatchObject([{ line: 1, severity: 'warning' }]);
  });
});

it('scripts of tools import what no page needs', async () => {
  for (const path of ['vite.config.ts', 'eslint.config.mjs', '.eslintrc.cjs', 'svelte.config.js']) {
    expect(isToolConfig(path)).toBe(true);
    const text = `import { defineConfig } from 'tool';\nimport './none.js';\nexport default {};`;
    expect(await compileFirst({ [path]: text })).toMatchObject({ missing: [], absent: [] });
  }
  expect(isToolConfig('src/vite.config.ts')).toBe(false);
  expect(isToolConfig('config.js')).toBe(false);
});

it('an import by an alias that leads nowhere is a missing file', async () => {
  const files = { 'src/main.js': `import '@/none.js';\nimport '#none';\nimport 'none';` };
  const { absent, missing } = await compileFirst(files);
  expect(absent.map(({ specifier, line }) => [specifier, line])).toEqual([
    ['@/none.js', 1],
    ['#none', 2],
  ]);
  expect(missing.map(({ packageName }) => packageName)).toEqual(['none']);
});
