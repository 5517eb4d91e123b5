/** What bundlers replace in scripts and pages: environments, glob imports, asset queries, pragmas. */
import { describe, expect, it } from 'vitest';
import {
  createMissingFileFixes,
  findClosestFile,
  createModuleContext,
  findAssetQuery,
  isSameProjectConfig,
  mayChangeProjectConfig,
  needsCompiling,
  readProjectConfig,
} from '../src/index.ts';
import { compileFirst, origin, locationIn, locationOf } from './component-rig.ts';

async function codeOf(path: string, text: string, files: Record<string, string> = {}) {
  const { code = text } = await compileFirst({ [path]: text, ...files });
  return code;
}

describe('import.meta.env', () => {
  it('is set in the first line of modules that use it', async () => {
    const code = await codeOf('a.js', '#!/bin/x\nlog(import.meta.env.MODE);', {
      '.env': 'VITE_A=é',
    });
    expect(code.split('\n')[1]).toMatch(
      /^import\.meta\.env = \{"VITE_A":"é",.*"MODE":"development".*\}; log\(import\.meta\.env\.MODE\);$/,
    );
    expect(await codeOf('a.js', 'log("env", import.meta.url)')).toContain('import.meta.env =');
    expect(await codeOf('a.js', 'log(import.meta.url)')).not.toContain('import.meta.env');
    expect(await codeOf('a.js', 'log("import.meta.env")')).toBe('log("import.meta.env")');
  });

  it('keeps positions', async () => {
    const text = 'const a: string = import.meta.env.VITE_A;\nthrown(a);';
    const compiled = await compileFirst({ 'a.ts': text });
    expect(locationOf(compiled, 'thrown')).toEqual(locationIn(text, 'thrown'));
  });

  it('is there in inline modules, components and runes', async () => {
    const page = '<script type="module">\nlog(import.meta.env.DEV)</script>';
    expect(await codeOf('a.html', page)).toContain('<script type="module">import.meta.env = {');
    const files = {
      'A.vue': '<script setup>const a = import.meta.env.MODE;</script><template>{{ a }}</template>',
      'A.svelte': '<p>{import.meta.env.MODE}</p>',
      'a.svelte.js': 'export const a = $state(import.meta.env.MODE);',
    };
    for (const [path, text] of Object.entries(files))
      expect(await codeOf(path, text)).toMatch(/^.*import\.meta\.env = \{/);
    // The compilers are large, and loaded with the first component.
  }, 30_000);
});

describe('process.env', () => {
  const env = { '.env': 'REACT_APP_A=1\nVUE_APP_B=2' };

  it.each([
    ['process.env.NODE_ENV', '"development"'],
    ['process.env["NODE_ENV"]', '"development"'],
    ['process.env.REACT_APP_A', '"1"'],
    ['process.env.REACT_APP_NONE', 'undefined'],
    ['process.env.VUE_APP_B', '"2"'],
    ['process.env.BASE_URL', '"/"'],
    ['process.env.PUBLIC_URL', '""'],
    [
      'process.env',
      '({"NODE_ENV":"development","PUBLIC_URL":"","BASE_URL":"/","REACT_APP_A":"1","VUE_APP_B":"2"})',
    ],
    ['process.env.HOME', undefined],
    ['"process.env.NODE_ENV"', undefined],
    ['process.argv', undefined],
  ])('%s', async (text, value) => {
    expect(await codeOf('a.js', `log(${text});`, env)).toBe(`log(${value ?? text});`);
  });

  it.each([
    'import process from "node:process";',
    'const process = { env: {} };',
    'const [{ process }] = all;',
    'function f(process) {}',
  ])('stays where it has another meaning: %s', async (text) => {
    expect(await codeOf('a.js', `${text}\nlog(process.env.NODE_ENV);`)).toContain(
      'log(process.env.NODE_ENV)',
    );
  });
});

describe('a page', () => {
  it('has the values that it refers to', async () => {
    const text = '<title>%VITE_A% %MODE% %NONE% 100%</title><p>%PUBLIC_URL%/a%20b</p>';
    const files = { '.env': 'VITE_A=A' };
    expect(await codeOf('index.html', text, files)).toBe(
      '<title>A development %NONE% 100%</title><p>/a%20b</p>',
    );
    const script = '<script type="module" src="%PUBLIC_URL%/a.js"></script>';
    const { imports } = await compileFirst({ 'index.html': script, 'public/a.js': '' });
    expect(imports).toEqual(['public/a.js']);
  });

  it('of create-react-app runs src/index', async () => {
    const page = '<body>\n<div id="root"></div>\n</body>';
    const run = (files: Record<string, string>) =>
      compileFirst({ 'public/index.html': page, ...files });
    const { code, imports } = await run({ 'src/index.tsx': '' });
    expect(code).toBe(
      '<body>\n<div id="root"></div>\n<script type="module" src="/src/index.tsx"></script></body>',
    );
    expect(imports).toEqual(['src/index.tsx']);
    expect((await run({})).code).toBeUndefined();
    expect((await run({ 'src/index.js': '', 'index.html': '' })).code).toBeUndefined();
  });

  it.each([
    [{ main: 'index.js' }, ['index.js', 'src/index.js'], 'index.js'],
    [{ main: './src/app' }, ['src/app.tsx', 'index.js'], 'src/app.tsx'],
    [{ main: '/src/main.ts' }, ['src/main.ts'], 'src/main.ts'],
    [{ main: 'lib.js' }, ['src/index.js'], 'src/index.js'],
    [{ main: 'README.md' }, ['README.md', 'src/index.js'], 'src/index.js'],
    [
      { main: 'index.js', dependencies: { 'react-scripts': '5' } },
      ['index.js', 'src/index.js'],
      'src/index.js',
    ],
    [{ main: 'server.js', dependencies: { express: '5' } }, ['server.js'], undefined],
    [{ main: 'server.js', scripts: { start: 'node server.js' } }, ['server.js'], undefined],
  ])('of CodeSandbox runs main of %j, beside %j', async (manifest, paths, entry) => {
    const page = '<div id="app"></div>';
    const files = Object.fromEntries(paths.map((path) => [path, '']));
    const { imports } = await compileFirst({
      'public/index.html': page,
      'package.json': JSON.stringify(manifest),
      ...files,
    });
    expect(imports).toEqual(entry === undefined ? [] : [entry]);
  });

  it('of CodeSandbox runs main only if the page loads no script of its own', async () => {
    const files = { 'package.json': '{"main":"index.js"}', 'index.js': '', 'public/a.js': '' };
    const compile = (page: string) => compileFirst({ 'public/index.html': page, ...files });
    expect((await compile('<script src="a.js"></script>')).imports).toEqual(['public/a.js']);
    const cdn = '<script src="https://cdn.example/a.js"></script>';
    expect((await compile(cdn)).imports).toEqual(['index.js']);
  });
});

describe('a page of rollup', () => {
  const config = (input: string, file: string) =>
    `// input: 'no.js'\nexport default { input: ${input}, output: { format: 'iife', file: ${file} },\n  plugins: [css({ output: 'styles/all.css' })] };`;
  const run = (page: string, files: Record<string, string>) =>
    compileFirst({ 'public/index.html': page, 'src/main.js': '', 'src/index.js': '', ...files });
  const script = `<script defer src='/build/bundle.js'></script>`;

  it.each([
    [`'src/main.js'`, `'public/build/bundle.js'`],
    [`"./src/main"`, '`./public/build/bundle.js`'],
    [`['src/main.js']`, `'build/bundle.js'`],
  ])('runs %s for %s', async (input, file) => {
    const { code, imports } = await run(script, { 'rollup.config.mjs': config(input, file) });
    expect(code).toBe('<script defer type="module" src="/src/main.js"></script>');
    expect(imports).toEqual(['src/main.js']);
  });

  it('runs the entry of each output, also for an output before its input', async () => {
    const files = {
      'rollup.config.js': `export default [
  { input: 'src/main.js', output: [{ file: 'dist/a.cjs.js' }, { file: 'dist/a.js' }] },
  { input: 'src/index.js', output: { file: 'dist/b.js' } },
];`,
    };
    const page = '<script src="dist/a.js"></script><script src="dist/b.js" type="module"></script>';
    const { code } = await compileFirst({
      'index.html': page,
      'src/main.js': '',
      'src/index.js': '',
      ...files,
    });
    expect(code).toBe(
      '<script type="module" src="/src/main.js"></script><script src="/src/index.js" type="module"></script>',
    );
    const single = `export default { output: { file: 'dist/a.js' }, input: 'src/main.js' };`;
    const found = await run('<script src="../dist/a.js"></script>', { 'rollup.config.js': single });
    expect(found.imports).toEqual(['src/main.js']);
  });

  it('has the styles of its modules instead of a built stylesheet', async () => {
    const files = { 'rollup.config.js': config(`'src/main.js'`, `'public/build/bundle.js'`) };
    const links = (name: string) => `<link rel="stylesheet" href="/build/${name}.css">${script}`;
    for (const name of ['bundle', 'all'])
      expect((await run(links(name), files)).code).toMatch(/^<link rel="stylesheet" ><script/);
    expect((await run(links('other'), files)).code).toContain('/build/other.css');
  });

  it('stays as it is where the script exists, or its entry can’t be read', async () => {
    const readable = config(`'src/main.js'`, `'public/build/bundle.js'`);
    const exists = {
      'rollup.config.js': readable,
      'public/build/bundle.js': '',
      'src/index.js': '',
    };
    expect((await run(script, exists)).code).not.toContain('main.js');
    const unreadable = { 'rollup.config.js': config('entries', `'public/build/bundle.js'`) };
    expect((await run(script, unreadable)).code).not.toContain('main.js');
  });

  it('is compiled again when the configuration changes', () => {
    const read = (file: string) =>
      readProjectConfig(new Map([['rollup.config.js', config(`'src/main.js'`, file)]]));
    expect(isSameProjectConfig(read(`'a.js'`), read(`'a.js'`))).toBe(true);
    expect(isSameProjectConfig(read(`'a.js'`), read(`'b.js'`))).toBe(false);
    expect(
      mayChangeProjectConfig(
        new Map([['rollup.config.js', '']]),
        new Map([['rollup.config.js', 'x']]),
        [],
      ),
    ).toBe(true);
  });
});

describe('files in node_modules', () => {
  const base = /\/npm\/vue@3\.5\.45~[a-z2-7]{16}/.source;

  it('are those of the packages, for scripts and stylesheets of pages', async () => {
    const page = `<link rel="stylesheet" href="./node_modules/vue/a.css">
<script src="/node_modules/vue/dist/vue.global.js"></script>
<script type="module" src="node_modules/vue/b.js"></script>`;
    const { code = '', missing } = await compileFirst({ 'index.html': page });
    expect(code).toMatch(new RegExp(`href="${origin}${base}/-/a\\.css"`));
    expect(code).toMatch(new RegExp(`src="${origin}${base}/-/dist/vue\\.global\\.js"`));
    expect(code).toMatch(new RegExp(`src="${origin}${base}/b\\.js"`));
    expect(missing).toEqual([]);
  });

  it('are those of the packages in imports', async () => {
    const script = await codeOf('src/a.js', `import '../node_modules/vue/dist/x.js';`);
    expect(script).toMatch(new RegExp(`import '${origin}${base}/dist/x\\.js'`));
    const style = await codeOf('src/a.css', `@import '../node_modules/vue/x.css';`);
    expect(style).toMatch(new RegExp(`${base}/x\\.css\\?css`));
  });

  it('name a package that isn’t installed, and stay where the project has them', async () => {
    const page = '<p></p>\n<script src="node_modules/@a/b/c.js"></script>';
    const { code, missing } = await compileFirst({ 'index.html': page });
    expect(code).toBeUndefined();
    expect(missing).toEqual([{ packageName: '@a/b', specifier: '@a/b/c.js', line: 2, column: 9 }]);
    const own = await compileFirst({ 'index.html': page, 'node_modules/@a/b/c.js': '' });
    expect(own.missing).toEqual([]);
  });

  it('are never created by a quick fix', () => {
    const location = { path: 'index.html', line: 1, column: 1 };
    const fixes = createMissingFileFixes(
      'node_modules/a/b.js',
      location,
      'node_modules/a/b.js',
      [],
    );
    expect(fixes).toEqual([]);
  });
});

describe('import.meta.glob', () => {
  const files = {
    'src/a/1.ts': '',
    'src/a/2.ts': '',
    'src/a/b/3.ts': '',
    'src/a/.hidden.ts': '',
    'src/a/x.css': '',
    'src/[id]/4.ts': '',
    'node_modules.ts': '',
  };
  const glob = async (call: string) =>
    (await codeOf('src/main.js', `const all = ${call};`, files)).replace('const all = ', '');

  it.each([
    [
      `import.meta.glob('./a/*.ts')`,
      '({"./a/1.ts": () => import("/src/a/1.ts"), "./a/2.ts": () => import("/src/a/2.ts")});',
    ],
    [`import.meta.glob('./a/{1,3}.ts')`, '({"./a/1.ts": () => import("/src/a/1.ts")});'],
    [`import.meta.glob('/src/a/1.*')`, '({"/src/a/1.ts": () => import("/src/a/1.ts")});'],
    [`import.meta.glob('@/a/1.ts')`, '({"/src/a/1.ts": () => import("/src/a/1.ts")});'],
    [
      `import.meta.glob(['./a/**/*.ts', '!**/2.ts'], { import: 'x' })`,
      '({"./a/1.ts": () => import("/src/a/1.ts").then((m) => m["x"]), "./a/b/3.ts": () => import("/src/a/b/3.ts").then((m) => m["x"])});',
    ],
    [
      `import.meta.glob('./a/1.ts', { query: '?raw', import: 'default', eager: true })`,
      'import { default as __glob0 } from "/src/a/1.ts?raw"; ({"./a/1.ts": __glob0});',
    ],
    [
      `import.meta.glob('./a/1.ts', { as: 'url', eager: !0 })`,
      'import { default as __glob0 } from "/src/a/1.ts?url"; ({"./a/1.ts": __glob0});',
    ],
    [`import.meta.glob('./a/*.css')`, '({"./a/x.css": () => import("/src/a/x.css?module")});'],
    [
      `import.meta.glob('./a/.*', { exhaustive: true })`,
      '({"./a/.hidden.ts": () => import("/src/a/.hidden.ts")});',
    ],
    [`import.meta.glob('./*.js')`, '({});'],
    [
      `Object.keys(import.meta.glob(\n'./a/1.ts'\n)).length`,
      'Object.keys(({"./a/1.ts": () => import("/src/a/1.ts")\n\n})).length;',
    ],
  ])('%s', async (call, code) => {
    expect(await glob(call)).toBe(code);
  });

  it('imports the files for hot updates', async () => {
    const { imports } = await compileFirst({
      'src/main.ts': `import.meta.glob<string>('./a/*', { eager: true });`,
      ...files,
    });
    expect(imports).toEqual(['src/a/1.ts', 'src/a/2.ts', 'src/a/x.css?module']);
  });

  it('reports what it can’t expand', async () => {
    const text = 'let p = "./*";\nimport.meta.glob(p);\nimport.meta.glob(`./${p}`);';
    const { problems, code } = await compileFirst({ 'main.js': text });
    expect(problems).toMatchObject([
      { line: 2, column: 1, severity: 'warning' },
      { line: 3, column: 1, severity: 'warning' },
    ]);
    expect(code).toBeUndefined();
  });
});

it.each([
  ['./a?url', '?url'],
  ['./a?worker', '?worker'],
  ['./a?worker&inline', '?worker'],
  ['./a?sharedworker&inline', '?sharedworker'],
  ['./a?worker&url', '?url'],
  ['./a?inline', '?inline'],
  ['./a?url&inline', '?inline'],
  ['./a?url&no-inline', '?url'],
  ['./a?no-inline', '?url'],
  ['./a?init', '?init'],
  ['./a?v=1', undefined],
  ['./a', undefined],
])('the query of %s is %s', (specifier, query) => {
  expect(findAssetQuery(specifier)).toBe(query);
});

describe('a JSX pragma', () => {
  it.each([
    ['/** @jsx h */', 'h("p", null)'],
    ['/* @jsx h.create */', 'h.create("p", null)'],
    ['// @jsx h', 'h("p", null)'],
    ['/** @jsxRuntime classic */', 'React.createElement("p", null)'],
    ['/** @jsxImportSource preact */', 'from "preact/jsx-dev-runtime"'],
    ['/**\n * @jsxRuntime automatic\n * @jsxImportSource preact\n */', 'preact/jsx-dev-runtime'],
    ['const text = "@jsx h";', 'react/jsx-dev-runtime'],
  ])('%s', async (pragma, code) => {
    for (const path of ['a.jsx', 'a.tsx', 'a.js'])
      expect(await codeOf(path, `${pragma}\nexport const a = <p />;`)).toContain(code);
  });

  it('names the factory of fragments', async () => {
    const text = '/** @jsx h */\n/** @jsxFrag F */\nexport const a = <></>;';
    expect(await codeOf('a.jsx', text)).toContain('h(F, null)');
  });

  it.each([
    [{ jsx: 'react', jsxFactory: 'h' }, 'h("p", null)'],
    [{ jsx: 'preserve', jsxFactory: 'h' }, 'h("p", null)'],
    [{ jsx: 'react-jsx', jsxFactory: 'h' }, 'react/jsx-dev-runtime'],
    [{ jsxImportSource: 'solid' }, 'solid/jsx-dev-runtime'],
  ])('wins over settings, which are also those of jsconfig.json: %j', async (options, code) => {
    const files = { 'jsconfig.json': JSON.stringify({ compilerOptions: options }) };
    expect(await codeOf('a.jsx', 'export const a = <p />;', files)).toContain(code);
    expect(await codeOf('a.jsx', '/** @jsx own */ export const a = <p />;', files)).toContain(
      'own("p", null)',
    );
  });
});

it.each([
  ['a.js', 'log(import.meta.env.MODE)', true],
  ['a.js', 'import.meta.glob("./*")', true],
  ['a.js', 'log(process.env.NODE_ENV)', true],
  ['a.js', 'import "#a"', true],
  ['a.js', 'import "@/a"', true],
  ['a.js', 'import "/logo.svg?worker&inline"', true],
  ['a.js', 'log(import.meta.url)', false],
  ['index.html', '<p>%VITE_A%</p>', true],
  ['index.html', '<p>100%</p>', false],
  ['public/index.html', '<p></p>', true],
])('the server compiles %s with %s: %s', (path, text, isCompiled) => {
  const config = readProjectConfig(new Map([[path, text]]));
  const context = createModuleContext(config, { origin: '', fullExportUrls: new Set() });
  expect(needsCompiling({ path, text }, context)).toBe(isCompiled);
});

it.each([
  ['index.js', ['index.html', 'src/index.ts'], 'src/index.ts'],
  ['style.css', ['style.js', 'style.scss'], 'style.scss'],
  ['style.css', ['style.js'], undefined],
  ['logo.png', ['logo.svg'], 'logo.svg'],
] as const)('suggests for %s among %j: %s', (missing, paths, closest) => {
  expect(findClosestFile(missing, paths)).toBe(closest);
});

it.each([
  ['module', 's', ['Create s.js']],
  ['module', '</figure', []],
  ['module', 'a b=', []],
  ['media', 's', []],
  ['media', 'a.js', []],
  ['media', 'sea', ['Change to sea.svg']],
  ['style', 'a.css', ['Create a.css']],
  ['style', 's', []],
  ['page', 'a.html', ['Create a.html']],
  ['data', 'a.json', ['Create a.json']],
] as const)('a missing %s “%s” has the fixes %j', (use, specifier, labels) => {
  const text = `<p title="${specifier}">`;
  const place = { path: 'index.html', line: 1, column: 1 };
  const fixes = createMissingFileFixes(text, place, specifier, ['sea.svg', 'sea.js'], use);
  expect(fixes.map(({ label }) => label)).toEqual(labels);
});
