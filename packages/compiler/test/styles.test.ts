/** Compiles stylesheets of every language like the server. */
import { applyQuickFix } from '@vitrine/project';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  anyFilePath,
  compileFile,
  createModuleContext,
  createPositionMapper,
  readProjectConfig,
} from '../src/index.ts';
import type { CompilerLoaders } from '../src/index.ts';
import { locationOf } from './component-rig.ts';
import { transformScript } from '../src/native.ts';
import { readTailwindSheets } from '../src/native/read-tailwind.ts';
import { resolvePackageImports } from '../src/style/compile-style.ts';

const parts: CompilerLoaders = {
  loadTransform: () => Promise.resolve(transformScript),
  loadTailwindSheets: readTailwindSheets,
};

function compile(path: string, files: Record<string, string>) {
  const texts = new Map(Object.entries(files));
  const packages = { origin: 'http://app.test', fullExportUrls: new Set<string>() };
  const context = createModuleContext(readProjectConfig(texts), packages);
  return compileFile({ path, text: texts.get(path) ?? '' }, context, texts, parts);
}

async function codeOf(path: string, files: Record<string, string>): Promise<string> {
  const { code, problems } = await compile(path, files);
  expect(problems).toEqual([]);
  return (code ?? '').replace(/\s+/g, ' ').trim();
}

// The compilers are large, so they are loaded before the first test.
beforeAll(async () => {
  await Promise.all([compile('a.scss', { 'a.scss': '' }), compile('a.less', { 'a.less': '' })]);
});

describe('Sass', () => {
  it('supports nesting, arithmetic and mixins', async () => {
    const text = `@use 'sass:math';\n$gap: 8px;\n@mixin row { display: flex; }\n.a { @include row; .b & { gap: math.div($gap, 2); } }`;
    expect(await codeOf('a.scss', { 'a.scss': text })).toBe(
      '.a { display: flex; } .b .a { gap: 4px; }',
    );
  });

  it('supports the indented syntax', async () => {
    expect(await codeOf('a.sass', { 'a.sass': '$a: red\n.a\n  color: $a\n' })).toBe(
      '.a { color: red; }',
    );
  });

  it.each([
    ['./colors', 'css/_colors.scss'],
    ['colors', 'css/colors.scss'],
    ['colors.scss', 'css/_colors.scss'],
    ['colors', 'css/colors/_index.scss'],
    ['colors', 'css/colors/index.sass'],
    ['../theme/colors', 'theme/_colors.sass'],
    ['/theme/colors', 'theme/colors.scss'],
  ])('finds %s at %s', async (name, path) => {
    const files = {
      'css/a.scss': `@use '${name}' as c;\n.a { color: c.$ink }`,
      [path]: '$ink: red',
    };
    expect(await codeOf('css/a.scss', files)).toBe('.a { color: red; }');
    expect((await compile('css/a.scss', files)).reads).toEqual([path]);
  });

  it('supports @forward and @import, and lists all files it read', async () => {
    const files = {
      'a.scss': `@use 'kit';\n@import 'old';\n.a { color: kit.$ink; top: $top }`,
      '_kit.scss': `@forward 'parts/ink';`,
      'parts/_ink.scss': '$ink: red;',
      '_old.scss': '$top: 1px;',
    };
    expect(await codeOf('a.scss', files)).toBe('.a { color: red; top: 1px; }');
    expect((await compile('a.scss', files)).reads).toEqual([
      '_kit.scss',
      '_old.scss',
      'parts/_ink.scss',
    ]);
  });

  it('keeps URLs in a partial resolved to the same file', async () => {
    const files = {
      'css/a.scss': `@use '../theme/paper';\n.a { background: url(here.svg) }`,
      'theme/_paper.scss': `// it's here\n.p { background: url("img/p q.svg#a") }`,
    };
    const code = await codeOf('css/a.scss', files);
    expect(code).toContain('url("../theme/img/p%20q.svg#a")');
    expect(code).toContain('url(here.svg)');
  });

  it('maps its output to the source files', async () => {
    const { map, code = '' } = await compile('css/a.scss', {
      'css/a.scss': `@use '../b';\n.a {\n  color: red;\n}`,
      '_b.scss': '.b { top: 0 }',
    });
    expect(map?.sources).toEqual(['../_b.scss', 'a.scss']);
    expect(map?.sourcesContent[0]).toBe('.b { top: 0 }');
    const line = code.split('\n').findIndex((text) => text.includes('color')) + 1;
    expect(createPositionMapper(map?.mappings ?? '')({ line, column: 3 })).toMatchObject({
      line: 3,
    });
  });

  it.each([
    ['.a { color: $no }', 'Variable “$no” isn’t defined.', 1, 13],
    ['.a {\n  color: red', 'Unexpected end of code: expected “}”.', 2, 13],
    [`@use './none';`, 'Can’t find stylesheet “./none” in this project.', 1, 1],
    [
      `@use 'file:///etc/passwd';`,
      'Can’t find stylesheet “file:///etc/passwd” in this project.',
      1,
      1,
    ],
    ['@include no;', 'Mixin “no” isn’t defined.', 1, 1],
    ['@error "stop";', 'Stop.', 1, 1],
    [
      '@mixin m { @include m } @include m;',
      'Infinite recursion: a mixin or function calls itself.',
      1,
      1,
    ],
  ])('describes the error in %j', async (text, message, line, column) => {
    const { problems, code } = await compile('a.scss', { 'a.scss': text });
    expect(problems).toEqual([{ message, line, column }]);
    expect(code).toMatch(/^\/\* a\.scss:\d/);
  });

  it('reports an error in the partial that contains it', async () => {
    const files = { 'a.scss': `@use 'b';`, '_b.scss': '.b {\n  color: $no;\n}' };
    const { problems, reads } = await compile('a.scss', files);
    expect(problems).toEqual([
      { message: 'Variable “$no” isn’t defined.', path: '_b.scss', line: 2, column: 10 },
    ]);
    expect(reads).toEqual(['_b.scss']);
  });
});

describe('Less', () => {
  it('supports nesting, arithmetic and mixins', async () => {
    const text = '@gap: 8px;\n.row() { display: flex }\n.a { .row(); .b & { gap: (@gap / 2) } }';
    expect(await codeOf('a.less', { 'a.less': text })).toBe(
      '.a { display: flex; } .b .a { gap: 4px; }',
    );
  });

  it('imports files of the project, and keeps their URLs resolved to the same files', async () => {
    const files = {
      'css/a.less': `@import "../theme/paper";\n@import (reference) "kit.less";\n.a { .kit(); color: @ink }`,
      'theme/paper.less': '@ink: red;\n.p { background: url(img/p.svg) }',
      'css/kit.less': '.kit() { top: 0 }\n.unused { top: 1px }',
    };
    expect(await codeOf('css/a.less', files)).toBe(
      '.p { background: url(../theme/img/p.svg); } .a { top: 0; color: red; }',
    );
    expect((await compile('css/a.less', files)).reads).toEqual([
      'css/kit.less',
      'theme/paper.less',
    ]);
  });

  it('inlines text with data-uri, and keeps the URLs of other files', async () => {
    const text =
      '.a { background: data-uri("img/p.svg#dot") }\n.b { background: data-uri("img/p.png") }';
    const files = { 'css/a.less': text, 'css/img/p.svg': '<svg/>' };
    expect(await codeOf('css/a.less', files)).toBe(
      '.a { background: url("data:image/svg+xml,%3Csvg%2F%3E#dot"); } .b { background: url("img/p.png"); }',
    );
  });

  it('maps its output to the source files', async () => {
    const { map } = await compile('css/a.less', {
      'css/a.less': '@import "../b";\n.a { color: red }',
      'b.less': '.b { top: 0 }',
    });
    expect(map?.sources).toEqual(['../b.less', 'a.less']);
    expect(map?.sourcesContent[0]).toBe('.b { top: 0 }');
  });

  it.each([
    ['.a { color: @no }', 'Variable “@no” isn’t defined.', 1, 13],
    ['.a {\n  color: red', 'Invalid syntax. There may be a “}”, a “;” or a quote missing.', 2, 13],
    ['@import "none";', 'Can’t find stylesheet “none” in this project.', 1, 1],
    [
      '.a { width: `1 + 1` }',
      'JavaScript in stylesheets isn’t supported: project code can’t run during compilation.',
      1,
      13,
    ],
    ['.m() { .m(); } .a { .m(); }', 'Infinite recursion: a mixin calls itself.', 1, 21],
    ['@plugin "x";', 'Plugins aren’t supported: project code can’t run during compilation.', 1, 1],
  ])('describes the error in %j', async (text, message, line, column) => {
    expect((await compile('a.less', { 'a.less': text })).problems).toEqual([
      { message, line, column },
    ]);
  });

  it('reports an error in the imported file that contains it', async () => {
    const files = { 'a.less': '@import "b";', 'b.less': '\n.b { color: @no }' };
    expect((await compile('a.less', files)).problems).toEqual([
      { message: 'Variable “@no” isn’t defined.', path: 'b.less', line: 2, column: 13 },
    ]);
  });
});

describe('Tailwind', () => {
  const page = (classes: string) => `<p class="${classes}">`;

  it('contains only the classes that pages and scripts use', async () => {
    const files = {
      'a.css': '@import "tailwindcss";',
      'index.html': page('mt-3 md:hover:underline bg-[#123456]'),
      'App.tsx': `<b className={on ? 'pl-[7px]' : "[&>p]:flex"} />`,
      'b.scss': '.pt-9 {}',
    };
    const code = await codeOf('a.css', files);
    for (const name of [
      '.mt-3',
      '.md\\:hover\\:underline',
      '.bg-\\[\\#123456\\]',
      '.pl-\\[7px\\]',
      '.\\[\\&\\>p\\]\\:flex',
    ])
      expect(code).toContain(name);
    expect(code).not.toContain('.pt-9');
    expect((await compile('a.css', files)).reads).toContain(anyFilePath);
  });

  it('compiles .pcss files and style blocks of components like .css', async () => {
    const text = '@import "tailwindcss";\n.card { @apply p-4; }';
    const files = { 'a.pcss': text, 'a.css': text, 'index.html': page('mt-3') };
    const code = await codeOf('a.pcss', files);
    expect(code).toContain('.mt-3');
    expect(code).toBe(await codeOf('a.css', files));
    const block = '<style lang="postcss">\n@reference "tailwindcss";\n.a { @apply p-4; }\n</style>';
    const component = { 'A.vue': `<template><i class="a" /></template>\n${block}` };
    expect(await codeOf('A.vue', component)).toContain('padding: calc');
  });

  it('supports themes, utilities, variants and @apply', async () => {
    const code = await codeOf('a.css', {
      'a.css': `@import "tailwindcss/theme.css" layer(theme);\n@import "tailwindcss/utilities";\n@import "./more.css";
@theme { --color-clay: #b5651d; }
@utility tab-4 { tab-size: 4; }
@custom-variant dusk (&:where(.dusk *));
.card { @apply p-4 text-clay; @variant dark { color: white; } }`,
      'more.css': '.more { background: url(x.svg) }',
      'index.html': page('tab-4 dusk:mt-1 text-clay'),
    });
    expect(code).toMatch(/tab-size: 4/);
    expect(code).toMatch(/\.card \{ padding: calc\(var\(--spacing\) \* 4\)/);
    expect(code).toContain('--color-clay: #b5651d');
    expect(code).toContain('.dusk\\:mt-1');
    expect(code).toContain('.more');
    expect(code).not.toContain('box-sizing');
  });

  it.each([
    ['@import "tailwindcss";\n.a { @apply no-such; }', 2, 13, /no-such/],
    ['@import "tailwindcss";\n@plugin "./p.js";', 2, 1, /^“@plugin” isn’t supported/],
    [
      '@import "tailwindcss";\n@config "./p.js";',
      2,
      10,
      /^Can’t find configuration file “.\/p.js”/,
    ],
    ['@import "tailwindcss";\n@import "./no.css";', 2, 10, /^Can’t find stylesheet “.\/no.css”/],
    ['.a {\n  @apply p-4; }', 2, 10, /^“@apply” needs Tailwind’s classes here/],
    ['@import "tailwindcss";\n.a { color: red', 2, 1, /^Missing “}” at the end/],
  ])('describes the error in %j', async (text, line, column, message) => {
    const { problems } = await compile('a.css', { 'a.css': text });
    expect(problems).toMatchObject([{ line, column }]);
    expect(problems[0]?.message).toMatch(message);
  });
});

describe('Tailwind 3', () => {
  const directives = '@tailwind base;\n@tailwind components;\n@tailwind utilities;\n';
  const files = {
    'src/input.css': `${directives}\n.btn { @apply p-4 text-brand; }\n`,
    'index.html': '<div class="bg-blue-500 text-brand font-sans">Hi</div>',
    'tailwind.config.js': `const defaultTheme = require('tailwindcss/defaultTheme');
const brand = '#b5651d';
/** @type {import('tailwindcss').Config} */
module.exports = {
  content: ['./*.html'],
  theme: { extend: {
    colors: { brand },
    fontFamily: { sans: ['Inter', ...defaultTheme.fontFamily.sans] },
  } },
  plugins: [],
};`,
  };
  const warning = { severity: 'warning', line: 1, column: 1 };

  it('is compiled by version 4, with its configuration file', async () => {
    const { code = '', problems } = await compile('src/input.css', files);
    expect(code).toContain('.bg-blue-500');
    expect(code).toContain('#b5651d');
    expect(code).toMatch(/font-family: Inter, [^;]*sans-serif/);
    expect(code).toMatch(/\.btn \{\s*padding:/);
    expect(code).toContain('box-sizing: border-box');
    expect(problems).toMatchObject([warning]);
  });

  it('has a fix to the way of version 4, which compiles to the same classes', async () => {
    const { problems } = await compile('src/input.css', files);
    const [fix] = problems[0]?.fixes ?? [];
    const text = fix && applyQuickFix(new Map(Object.entries(files)), fix.edit);
    expect(text).toMatch(/^@import "tailwindcss";\n@config "..\/tailwind.config.js";\n\n\.btn/);
    const fixed = await compile('src/input.css', { ...files, 'src/input.css': text ?? '' });
    expect(fixed.problems).toEqual([]);
    expect(fixed.code).toContain('.text-brand');
  });

  it.each([
    [
      'export default { theme: { extend: { colors: { brand: "#b5651d" } } } } satisfies Config;',
      'ts',
    ],
    [
      'const c = { theme: { extend: { colors: { brand: "#b5651d" } } } };\nexport default c;',
      'mjs',
    ],
    ['export default defineConfig({ theme: { colors: { brand: "#b5651d" } } });', 'js'],
  ])('reads %s', async (text, extension) => {
    const { 'tailwind.config.js': _, ...others } = files;
    const { code } = await compile('src/input.css', {
      ...others,
      [`tailwind.config.${extension}`]: text,
    });
    expect(code).toContain('#b5651d');
  });

  it('leaves out lists that double with each line of the configuration', async () => {
    const lines = Array.from(
      { length: 40 },
      (_, at) => `const a${at + 1} = [...a${at}, ...a${at}];`,
    );
    const theme = "theme: { extend: { colors: { brand: '#b5651d' } } }";
    const text = `const a0 = ['p-1'];\n${lines.join('\n')}\nmodule.exports = { safelist: a40, ${theme} };`;
    const { problems } = await compile('src/input.css', { ...files, 'tailwind.config.js': text });
    expect(problems[1]?.message).toContain('Part of “safelist” is skipped');
  });

  it('says what of the configuration is left out, and runs none of it', async () => {
    const text = `module.exports = {
  theme: { extend: { colors: { brand: '#b5651d' }, spacing: ({ theme }) => theme('a') } },
  plugins: [require('@tailwindcss/forms')],
};`;
    const { problems, code } = await compile('src/input.css', {
      ...files,
      'tailwind.config.js': text,
    });
    expect(code).toContain('#b5651d');
    expect(problems).toMatchObject([
      warning,
      { path: 'tailwind.config.js', line: 2, severity: 'warning' },
    ]);
    expect(problems[1]?.message).toContain('Part of “spacing” is skipped');
  });

  it('has its classes in every stylesheet of the project', async () => {
    const { code, problems } = await compile('b.css', {
      'b.css': '.b { @apply text-brand; }\n',
      ...files,
    });
    expect(problems).toEqual([]);
    expect(code).toMatch(/\.b \{\s*color:/);
    const config = 'module.exports = { theme: ';
    const broken = await compile('src/input.css', { ...files, 'tailwind.config.js': config });
    expect(broken.problems).toMatchObject([{ path: 'tailwind.config.js' }]);
  });

  it('is not assumed where a stylesheet names the classes of version 4', async () => {
    const { problems } = await compile('a.css', { 'a.css': '.a { @apply p-4; }\n' });
    const [fix] = problems[0]?.fixes ?? [];
    const text = fix && applyQuickFix(new Map([['a.css', '.a { @apply p-4; }\n']]), fix.edit);
    expect((await compile('a.css', { 'a.css': text ?? '' })).problems).toEqual([]);
  });
});

it('maps the output of Tailwind to the stylesheets of the project', async () => {
  const made = await compile('css/a.css', {
    'css/a.css':
      '@import "tailwindcss/utilities";\n@import "../more.css";\n.card {\n  @apply flex; }',
    'more.css': '\n.more { top: 0 }',
    'index.html': '<p class="grid">',
  });
  expect(locationOf(made, 'display: flex')).toEqual({ line: 4, column: 10 });
  expect(locationOf(made, 'display: grid')).toBeUndefined();
  expect(made.map?.sources).toEqual(['a.css', '../more.css']);
});

describe('CSS modules', () => {
  const load = async (path: string, files: Record<string, string>) => {
    const { module = '', code = '', problems } = await compile(path, files);
    expect(problems).toEqual([]);
    const text = module.replace(/^import .*$/gm, '');
    const { default: names, ...named } = (await import(
      `data:text/javascript,${encodeURIComponent(text)}`
    )) as { default: Record<string, string> };
    return { names, named, code, module };
  };

  it('scopes names to the file, with stable results', async () => {
    const css = '.button { color: red } .is-on .button {} :global(.all) {}';
    const { names, named, code } = await load('ui/a.module.css', { 'ui/a.module.css': css });
    expect(Object.keys(names)).toEqual(['button', 'is-on']);
    expect(named).toEqual({ button: names['button'] });
    expect(code).toContain(`.${names['button']} { color: red }`);
    expect(code).toContain('.all');
    const again = await load('ui/a.module.css', { 'ui/a.module.css': `${css} .more {}` });
    expect(again.names['button']).toBe(names['button']);
    const other = await load('b.module.css', { 'b.module.css': css });
    expect(other.names['button']).not.toBe(names['button']);
  });

  it('composes names of the same file and of others', async () => {
    const files = {
      'ui/a.module.css': `.c { top: 0 }\n.b { composes: c; composes: base wide from "../base.module.scss"; }`,
      'base.module.scss': '.base { .wide { color: red } }',
    };
    const { names, module } = await load('ui/a.module.css', files);
    const base = (await load('base.module.scss', files)).names;
    expect(names['b']?.split(' ')).toEqual([
      expect.stringMatching(/^b_/),
      expect.stringMatching(/^c_/),
      base['base'],
      base['wide'],
    ]);
    expect(module).toMatch(/^import "\/base\.module\.scss\?module";\n/);
    expect((await compile('ui/a.module.css', files)).reads).toEqual(['base.module.scss']);
  });

  it('imports values of other files', async () => {
    const files = {
      'a.module.css': `@value ink from "./b.module.css";\n.a { color: ink; }`,
      'b.module.css': '@value ink: red;',
    };
    expect((await load('a.module.css', files)).code).toContain('color: red');
  });

  it.each([
    [
      '.a { composes: x from "./no.module.css"; }',
      'Can’t find stylesheet “./no.module.css” in this project.',
      1,
      24,
    ],
    [
      '.a { composes: no from "./b.module.css"; }',
      '“no” isn’t defined in “./b.module.css”.',
      1,
      16,
    ],
    ['.a {\n  color: red', 'Unclosed block.', 1, 1],
    [
      '.a { composes: x from "./a.module.css"; }',
      'Circular “composes”: “./a.module.css” also composes from this file.',
      1,
      24,
    ],
  ])('describes the error in %j', async (text, message, line, column) => {
    const files = { 'a.module.css': text, 'b.module.css': '.b {}' };
    expect((await compile('a.module.css', files)).problems).toEqual([{ message, line, column }]);
  });

  it('maps its output to the source files, also through Sass', async () => {
    const css = await compile('a.module.css', { 'a.module.css': '.a {}\n.b {\n  top: 0 }' });
    expect(locationOf(css, 'top')).toEqual({ line: 3, column: 3 });
    const sass = await compile('a.module.scss', {
      'a.module.scss': '@use "b";\n.a {\n  .c { left: 0 } }',
      '_b.scss': '\n.b { top: 0 }',
    });
    expect(locationOf(sass, 'left')?.line).toBe(3);
    expect(sass.map?.sources).toEqual(['_b.scss', 'a.module.scss']);
  });

  it('reads no source map from disk', async () => {
    const text = `.a { top: 0 }\n/*# sourceMappingURL=${import.meta.url.slice(7)} */`;
    expect((await load('a.module.css', { 'a.module.css': text })).code).toContain('top: 0');
  });
});

it('keeps plain CSS unchanged', async () => {
  expect(await compile('a.css', { 'a.css': '.a { color: red }' })).toMatchObject({
    code: undefined,
    problems: [],
    reads: [],
  });
});

it('resolves stylesheets of packages with the lockfile, and keeps other imports', () => {
  const context = {
    exists: (path: string) => path === 'css/own.css',
    resolvePackage: (name: string) =>
      name.startsWith('kit/') ? `http://app.test/npm/${name}` : undefined,
  };
  const css =
    '@import "kit/a.css" layer(x);\n@import "own.css";\n@import "./b.css";\n@import "none/c.css";';
  expect(resolvePackageImports('css/a.css', css, context)).toBe(
    '@import url("http://app.test/npm/kit/a.css?css") layer(x);\n@import "own.css";\n@import "./b.css";\n@import "none/c.css";',
  );
});
